/* tests/golden/analysis.h
 * The parts of analysis_parity, one for each kind of recorded file, and what they share. A part takes the files it
 * compares, as of recorded_open, and prints a line for each check (tests/support/recorded.h). */
#ifndef LAL_TESTS_GOLDEN_ANALYSIS_H
#define LAL_TESTS_GOLDEN_ANALYSIS_H

#include "lal/pattern.h"
#include "tensor/tape.h"
#include "tests/support/recorded.h"

/* ---- parts */

void analysis_relevance(const cJSON *relevance); /* relevance.json: analysis_relevance.c */
void analysis_importance(const cJSON *taylor);   /* taylor.json: analysis_importance.c */
void analysis_example(const cJSON *toy);         /* toy.json: analysis_patterns.c */

/* The sentences of sentences.json. */
typedef struct Sentences {
    PatternSentence *s; /* [n] */
    int **counts;       /* [n][words]: how often the training text has the word */
    const char **id;    /* [n] of the file */
    int n;
} Sentences;

/* patterns.json: analysis_patterns.c. */
void analysis_patterns(const cJSON *patterns, const Sentences *all);
/* global_relevance.json, which has the attention, and head_functions.json or NULL: analysis_functions.c. */
void analysis_functions(const cJSON *global_relevance, const cJSON *functions, const Sentences *all);

/* ---- analysis_input.c: recorded values as input */

/* A tensor [rows, cols] that wants a gradient, from numbers of the host or of j: in that order, or of the transpose. */
Tensor *analysis_wanted(Tape *t, const Real *host, int rows, int cols);
Tensor *analysis_tensor(Tape *t, const cJSON *j, int rows, int cols, bool transposed);
/* Projections of attention, [d, 3 * heads * w]: columns of wq, wk and wv of j, each recorded as [heads, d, w]. */
void analysis_projections(Real *to, const cJSON *j, int heads, int d, int w);

/* A sentence; all sentences. Strings are borrowed from the file. */
PatternSentence analysis_sentence(const cJSON *j);
void analysis_sentence_fini(PatternSentence *s);
void analysis_sentences(Sentences *all, const cJSON *j);
void analysis_sentences_fini(Sentences *all);
/* Allowed keys [m * m] of a pattern by its name, on the heap. m is words + 2. */
uint8_t *analysis_allowed(const char *name, const PatternSentence *s);

#endif
