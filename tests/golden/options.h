/* The parts of options_parity, one for each kind of recorded file, and what they share. A part takes the files it
 * compares, as of recorded_open, and prints a line for each check (tests/support/recorded.h). */
#pragma once

#include "lal/heads/pattern.h"
#include "tensor/tape.h"
#include "tests/support/freed.h"
#include "tests/support/recorded.h"

/* ---- parts */

void options_relevance(const cJSON *relevance); /* relevance.json: options_relevance.c */
void options_importance(const cJSON *taylor);   /* taylor.json: options_importance.c */
void options_example(const cJSON *toy);         /* toy.json: options_patterns.c */

void options_gates(const cJSON *hard_concrete);             /* hard_concrete.json: options_gates.c */
void options_subwords(const cJSON *subwords);               /* subwords.json: options_patterns.c */
void options_attention(const cJSON *attention);             /* attention.json: options_attention.c */
void options_label_attention(const cJSON *label_attention); /* label_attention.json: options_attention.c */
void options_projected(const cJSON *pal);                   /* pal.json: options_layers.c */
void options_prune(const cJSON *prune);                     /* prune.json: options_prune.c */

/* The sentences of sentences.json. */
typedef struct Sentences {
    PatternSentence *s; /* [n] */
    int **counts;       /* [n][words]: how often the training text has the word */
    const char **id;    /* [n] of the file */
    int n;
} Sentences;

/* patterns.json, and label_span of sentences.json: options_patterns.c. */
void options_patterns(const cJSON *patterns, const Sentences *all);
void options_label_spans(const cJSON *sentences, const Sentences *all);
/* global_relevance.json, which has the attention, and head_functions.json or NULL: options_functions.c. */
void options_functions(const cJSON *global_relevance, const cJSON *functions, const Sentences *all);

/* guidance.json: options_guidance.c. */
void options_guidance(const cJSON *guidance, const Sentences *all);

/* ---- options_input.c: recorded values as input */

/* tape_host; ends the program if there is no memory. */
void *options_host(Tape *t, size_t count, size_t size);

/* A tensor [rows, cols] that wants a gradient, from numbers of the host or of j: in that order, or of the transpose. */
Tensor *options_wanted(Tape *t, const Real *host, int rows, int cols);
Tensor *options_tensor(Tape *t, const cJSON *j, int rows, int cols, bool transposed);
/* Projections of attention, [d, 3 * heads * w]: columns of wq, wk and wv of j, each recorded as [heads, d, w]. */
void options_projections(Real *to, const cJSON *j, int heads, int d, int w);

/* sum of weight x over all numbers of x, with recorded weights [rows, cols] -> [1, 1]. */
Tensor *options_weighted(Tape *t, Tensor *x, const cJSON *weights);
/* A check: the numbers of a tensor, such as of tensor_host or tensor_host_grad, or of its transpose, with those of
 * j. */
void options_compare(const char *name, HostMatrix found, const cJSON *j, bool transposed);
/* The same for columns of `found` [d, 3 * heads * w] with wq, wk or wv of j: part 0, 1 or 2. */
void options_compare_projection(const char *name, HostMatrix found, int part, const cJSON *j, int heads, int w);

/* A sentence; all sentences. Strings are borrowed from the file. */
PatternSentence options_sentence(const cJSON *j);
void options_sentence_fini(PatternSentence *s);
void options_sentences(Sentences *all, const cJSON *j);
void options_sentences_fini(Sentences *all);
/* Ends the program if there is no such sentence. */
int options_sentence_by_id(const Sentences *all, const char *id);
/* Allowed keys [m * m] of a pattern by its name, on the heap. m is words + 2. */
uint8_t *options_allowed(const char *name, const PatternSentence *s);
