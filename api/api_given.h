/* What is given of a sentence, as include/lalparser.h has it, for the parser. */
#pragma once

#include "include/lalparser.h"
#include "parser/parse/given.h"
#include "parser/parse/parse.h"

/* Sentences in JSON, and how they are parsed: under what they have. */
typedef struct ApiSentences {
    Treebank tb;
    ParseInput *in; /* [tb.n] */
    Given *given;   /* [tb.n] */
} ApiSentences;

/* Reads lines of JSON as lal parse --input json --arcs given --spans partial --tags given does; heads and phrases are
 * left out of what a model lacks. api_sentences_fini must be called also after an error. ERR_RANGE: json is NULL;
 * ERR_FORMAT with the line, ERR_NOMEM. */
Status api_sentences_read(ApiSentences *sentences, const Model *model, const char *json, size_t size, Error *error);
void api_sentences_fini(ApiSentences *sentences);

/* Sets in->given of sentence k. Arrays lie in the arena, strings are borrowed. ERR_RANGE with the sentence and what was
 * expected, ERR_FORMAT (not UTF-8), ERR_NOMEM. */
Status api_given(const Model *model, const LalGiven *given, int k, ParseInput *in, Arena *arena, Error *error);
