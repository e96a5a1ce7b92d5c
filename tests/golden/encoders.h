/* The parts of encoder_parity: each checks one kind of recorded file of a folder, and prints a line for each check
 * (tests/support/recorded.h). */
#pragma once

#include "base/text.h"
#include "tests/support/freed.h"
#include "tests/support/recorded.h"

/* A folder of recorded numbers, and the folders that configuration and tokenizer, and the weights of its model come
 * from: the same one, or one below $LAL_ENCODERS. */
typedef struct EncoderFolder {
    const char *name;                        /* the last part of its path, for messages */
    char dir[600], model[600], weights[600]; /* model, weights: "" if not found */
} EncoderFolder;

/* The path of a file in the folder of recorded numbers or in that of the model; true if the file exists. */
bool encoders_recorded(const EncoderFolder *f, const char *name, char *path, size_t size);
bool encoders_model(const EncoderFolder *f, const char *name, char *path, size_t size);

void encoders_wordpiece(const EncoderFolder *f); /* tokens.jsonl, of tokenizer.json and of vocab.txt */
/* sentencepiece.jsonl, xlnet-tokens.jsonl, xlmr-tokens.jsonl, of spiece.model or sentencepiece.bpe.model */
void encoders_unigram(const EncoderFolder *f);

void encoders_cases(const EncoderFolder *f); /* cases.json and the caseK.safetensors that are there */
/* The weights, and of each caseK.safetensors that has them: hidden states of every layer and the first attention
 * within 1e-4 of the largest number of each, gradients within 1e-3 */
void encoders_states(const EncoderFolder *f);

/* ---- encoder_lines.c: recorded lines, one JSON object each */

typedef struct RecordedLines {
    StrBuf file;
    size_t at;
    int number;  /* of the line, from 1 */
    cJSON *line; /* of the last call of encoders_next_line */
    int32_t nul; /* the character that the strings of the line have instead of U+0000, at which cJSON stops */
} RecordedLines;

/* Ends the program if the file cannot be read. */
void encoders_open_lines(RecordedLines *l, const char *path);
/* The next line; false at the end, and what was read is freed. */
bool encoders_next_line(RecordedLines *l);
/* A string of the line with U+0000 where the file has it; replaces *out. */
void encoders_string(const RecordedLines *l, const cJSON *string, StrBuf *out);
