/* Parses of the same sentences by two models, or by two runs of one: which phrases and arcs only one of them has, the
 * scores that both models give these, and the scores of both parses where there is gold. */
#pragma once

#include "eval/report.h"
#include "eval/score.h"
#include "explain/inspection.h"

typedef struct Compare {
    const char *name[2]; /* names of the models, borrowed */
    PunctSet punct;
    bool gold; /* gold judges some sentence */
    Scores scores[2];
    Report report[2]; /* errors by label and type */
    int right[2];     /* how many differences of each model's parses gold has */
    long sentences, differing, differences;
} Compare;

/* compare_fini must be called in any case. */
void compare_init(Compare *compare, const char *first, const char *second, const Model *model);
void compare_fini(Compare *compare);
/* Compares the explanations a and b of one sentence by the two models, whose workers still hold it: appends the second
 * parse and the decisions that differ, members of a JSON object. Several threads may call it at once. ERR_NOMEM, errors
 * of explain_decision. */
Status compare_sentence(const Inspected *a, const Inspected *b, Worker *worker[2], Arena *arena, StrBuf *out,
                        Error *error);
/* Adds both parses of a sentence to the sums, in the order of the sentences, and appends its counts, members of a JSON
 * object. gold may be NULL. ERR_NOMEM. */
Status compare_add(Compare *compare, const Sentence *const parse[2], const Sentence *gold, StrBuf *out, Error *error);
/* The sums, as members of a JSON object (docs/FORMATS.md). */
void compare_json(StrBuf *out, const Compare *compare);
