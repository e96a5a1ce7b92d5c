/* Pages that compare the parses of two models, or of two runs of one: compare.html (scores of both,
 * also by label and by type, sentences with the most differences first) and c/ID.html (both parses side by side,
 * differences in colour, with the scores that both models give them). They belong to the site of the first model. */
#pragma once

#include "eval/report.h"
#include "eval/score.h"
#include "explain/site/site.h"

/* A sentence, filled by a thread. */
typedef struct Difference {
    long id;
    int differences; /* phrases that one of the parses lacks, and words whose heads or types differ */
    int right[2];    /* how many differences of each model's parse gold has */
    bool gold;       /* gold judges them */
    Scores scores[2];
    const Sentence *gold_sent, *sent[2]; /* gold, or NULL, and both parses; borrowed, valid as long as the arena */
    StrBuf page, text;                   /* c/ID.html; the words, for lists */
} Difference;

typedef struct DifferenceRow {
    int differences;
    size_t at, len; /* in Compare.rows */
} DifferenceRow;

typedef struct Compare {
    Site *site;
    const char *name[2]; /* names of the models, borrowed */
    bool gold;
    Scores scores[2];
    Report report[2]; /* errors by label and type */
    int right[2];
    long sentences, differing, differences;
    StrBuf rows;
    DifferenceRow *row; /* [n] */
    int n, cap;
} Compare;

/* Makes the folder; names of the models as they are to be shown. ERR_IO. compare_fini must be called in any case. */
Status compare_open(Compare *c, Site *site, const char *first, const char *second, Error *e);
/* Compares the explanations a and b of one sentence by the two models, whose workers still hold it. The buffers of *d
 * are reused. Several threads may call it at once. ERR_NOMEM, errors of explain_decision. */
Status compare_sentence(const Compare *c, Difference *d, const Inspected *a, const Inspected *b, Worker *w[2],
                        Arena *arena, Error *e);
/* Writes the page and adds the sentence to the lists, in the order of the sentences, while the arena of
 * compare_sentence holds it. ERR_IO, ERR_NOMEM. */
Status compare_add(Compare *c, Difference *d, Error *e);
/* Writes compare.html; before site_finish. */
Status compare_finish(Compare *c, Error *e);
void compare_fini(Compare *c);
