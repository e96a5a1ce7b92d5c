/* Sums over explained decisions by category, right and wrong ones separately (Mrini et al. 2020, figures 6 and 8, with
 * exact contributions in place of their statistic). */
#pragma once

#include "base/map.h"
#include "lal/attribution.h"

typedef struct HeadSums {
    long n;
    long *top;            /* [heads] decisions in which this head has the largest absolute contribution, above 0 */
    double *share, *part; /* [heads] sums of |c| / sum |c| and of c, c the contributions */
} HeadSums;

enum { SUM_ALL, SUM_RIGHT, SUM_WRONG, SUM_KINDS }; /* right and wrong: of those with a gold sentence */

typedef struct Category {
    const char *name; /* owned by the map: a label, a type, "arc" */
    HeadSums by[SUM_KINDS];
    double worst; /* largest attribution_error */
} Category;

typedef struct HeadSummary {
    int heads;      /* before pruning */
    const int *row; /* [heads] HeadAttribution.row, borrowed; the caller sets it after head_summary_init */
    StrMap names;   /* names of categories */
    Category *c;    /* [names.n] */
    int cap;
    long explained;
    double worst; /* the largest of all categories */
} HeadSummary;

void head_summary_init(HeadSummary *summary, int heads);
void head_summary_fini(HeadSummary *summary);
/* in_gold: 1 right, 0 wrong, -1 no gold. share [heads] replaces |c| / sum |c| (explain_paper_share), or NULL.
 * ERR_NOMEM. */
Status head_summary_add(HeadSummary *summary, const char *category, const HeadAttribution *attribution,
                        const double *share, int in_gold, Error *error);

/* Iterators that start from -1 and end with -1: categories by decreasing number of decisions, and indices of value [n]
 * by decreasing value, equal ones in order. */
int head_summary_next(const HeadSummary *summary, int before);
int head_summary_next_largest(const double *value, int n, int before);
/* The head that most often has the largest absolute contribution. */
int head_summary_leader(const HeadSums *sums, int heads);
/* Whether a head is the most frequent leader of category k, which has at least LEAST_SHARED decisions; and of how many
 * such categories it is. */
enum { LEAST_SHARED = 50 };
bool head_summary_leads(const HeadSummary *summary, int k, int head);
int head_summary_led(const HeadSummary *summary, int head);
/* Does the model have head `head`? How many has it? */
bool head_summary_has(const HeadSummary *summary, int head);
int head_summary_left(const HeadSummary *summary);
/* part / whole, or 0 */
double head_summary_ratio(double part, double whole);
