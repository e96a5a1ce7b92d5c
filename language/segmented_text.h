/* A text as sentences of tokens: what every language makes of raw text, and text whose tokens are separated by white
 * space already. Tokens are unchanged pieces of the text; with their offsets the text can be restored. */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/stream.h"
#include "treebank/tree.h"

typedef struct Token {
    size_t begin, end;             /* bytes of the file */
    size_t begin_char, end_char;   /* characters (code points) of the file */
    size_t begin_utf16, end_utf16; /* units of UTF-16, where DocumentOptions.utf16 asks for them */
    const char *form;              /* NUL-terminated, in the arena */
    uint32_t len;                  /* bytes of the form */
    /* What is inside the token and not in its form, a line break in a word say, comes after this many bytes of the
     * form; 0: the form is the bytes of the token; len: it is in several places, or the form has other characters,
     * and the token is not split further. */
    uint32_t cut;
    /* without white space, or markup only, after the token before it; or after the line break in a word of both */
    bool glued;
    /* Word number `part`, from 0, of a multiword token of `words` words, such as "le" of "du". All of them have its
     * place in the text, and `form` is the word. Else 0. */
    uint16_t part, words;
} Token;

typedef struct TextSentence {
    int first, n; /* tokens first .. first + n - 1; n = 0 for an empty line of pre-tokenised text */
    bool new_paragraph;
    long line; /* of its beginning, 1-based */
} TextSentence;

enum { TEXT_STOPPED = 64, TEXT_FREE = 1 << 14 };

/* What a text has shown so far of how it is written, which a language may keep (language/english/text/segment_stops.c):
 * the same however the text comes in blocks, and of bounded size. All zero at its beginning. */
typedef struct TextHabits {
    int capitals, smalls; /* sentences that begin with a capital and in lower case, of the last ones */
    struct {
        uint32_t type;
        uint8_t times;
    } stopped[TEXT_STOPPED];     /* words with a period after which the sentence goes on */
    uint8_t next;                /* the one of them that is replaced next */
    uint8_t free[TEXT_FREE / 8]; /* words that stand without one, by their hash */
    int n_free;                  /* words added to them */
} TextHabits;

/* All zero at first. Its arrays are on the heap until segmented_text_fini and may be filled again, with the next block
 * of the same text: `habits` stay. Forms lie in an arena. */
typedef struct SegmentedText {
    Token *tokens;
    int n_tokens, token_cap;
    TextSentence *sentences;
    int n_sentences, sentence_cap;
    TextHabits habits;
} SegmentedText;

void segmented_text_fini(SegmentedText *text);

/* Appends bytes begin .. end - 1 of a text as a token, in the place given, and a sentence. false when out of memory. */
bool segmented_text_add_token(SegmentedText *segmented_text, StrView text, const Token *place, Arena *arena);
/* Appends a multiword token, in the place given, of n words, 2 to UINT16_MAX, which are borrowed. */
bool segmented_text_add_words(SegmentedText *text, const Token *place, const char *const *words, int n);
bool segmented_text_add_sentence(SegmentedText *text, TextSentence sentence);

/* Is the block text? ERR_FORMAT: a NUL byte or invalid UTF-8, with line and column, or what the file is: a PDF file,
 * say. */
Status segmented_text_check(TextBlock block, Error *error);
/* Changes the offsets of all tokens from offsets in the block to offsets in the file. */
void segmented_text_place(SegmentedText *text, TextBlock block);

/* The multiword tokens among n_words tokens, *n of them, as Sentence.ranges has them; forms and the array are in the
 * arena. The block is the tokens' own. NULL when out of memory. */
WordRange *segmented_text_ranges(const Token *tokens, int n_words, TextBlock block, Arena *arena, int *n);

/* Splits text with one sentence per line and tokens separated by white space; an empty line is a sentence without
 * words. *segmented_text is replaced. ERR_NOMEM; ERR_FORMAT where segmented_text_check has it. */
Status segmented_text_lines(SegmentedText *segmented_text, TextBlock block, Arena *arena, Error *error);
