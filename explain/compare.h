/* explain/compare.h
 * Parses of the same sentences by two models, or by two runs of one: which phrases and arcs only one of them has, the
 * scores that both models give these, and the scores of both parses where there is gold. */
#pragma once

#include "eval/report.h"
#include "eval/score.h"
#include "explain/inspection.h"

/* A sentence, filled by a thread. */
typedef struct Difference {
    int differences; /* phrases that one of the parses lacks, and words whose heads or types differ */
    int right[2];    /* how many differences of each model's parse gold has */
    bool gold;       /* gold judges them */
    Scores scores[2];
    const Sentence *gold_sent, *sent[2]; /* gold, or NULL, and both parses; borrowed, valid as long as the arena */
} Difference;

typedef struct Compare {
    const char *name[2]; /* names of the models, borrowed */
    PunctSet punct;
    bool gold;
    Scores scores[2];
    Report report[2]; /* errors by label and type */
    int right[2];
    long sentences, differing, differences;
} Compare;

/* compare_fini must be called in any case. */
void compare_init(Compare *c, const char *first, const char *second, const Model *m);
void compare_fini(Compare *c);
/* Compares the explanations a and b of one sentence by the two models, whose workers still hold it, and appends the
 * second parse and the decisions that differ, members of a JSON object. Several threads may call it at once. ERR_NOMEM,
 * errors of explain_decision. */
Status compare_sentence(const Compare *c, Difference *d, const Inspected *a, const Inspected *b, Worker *w[2],
                        Arena *arena, StrBuf *out, Error *e);
/* Adds a sentence to the sums, in the order of the sentences, while the arena of compare_sentence holds it.
 * ERR_NOMEM. */
Status compare_add(Compare *c, const Difference *d, Error *e);
/* The counts of a sentence, and the sums, as members of a JSON object (docs/FORMATS.md). */
void difference_json(StrBuf *out, const Difference *d);
void compare_json(StrBuf *out, const Compare *c);
