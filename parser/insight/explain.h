/* parser/inspect.h
 * Why the parser decided so: label heads' parts of the scores of spans, arcs and types of a parsed sentence (lal/attribution.h), and sums of them over a treebank. */
#ifndef LAL_PARSER_INSPECT_H
#define LAL_PARSER_INSPECT_H

#include "lal/attribution.h"
#include "parser/parse.h"

typedef enum ExplainKind { EXPLAIN_SPAN, EXPLAIN_ARC, EXPLAIN_TYPE } ExplainKind;

/* A decision. Labels and types are those of the model's vocabularies; a label may be a unary chain, "S::VP". */
typedef struct Decision {
    ExplainKind kind;
    int begin, end;      /* span: fenceposts, 0 .. n; arc and type: begin is the dependent (1-based), end its head (0: root) */
    const char *label;   /* of a span or a type; NULL for arcs */
    const char *against; /* NULL, or the label or type that the score is the lead over */
} Decision;

/* The decisions of one kind in a parsed sentence: its phrases with their unary chains, its arcs or its types. They lie in the arena; *n their number. ERR_NOMEM. */
Status decisions_of(const Parsed *p, ExplainKind kind, Arena *arena, Decision **out, int *n, Error *e);

/* Explains a decision of the one sentence that the worker parsed last, with ParseOptions.record. ERR_RANGE for a span or word that is not in the sentence,
 * ERR_CONFIG for an unknown label or type, or a model without label heads. */
Status explain(ParseWorker *w, const Decision *d, bool words, Arena *arena, HeadAttribution *a, Error *e);

/* The score of a span if the outputs of some label heads were zero at the four tokens it is made of: removed [heads]. What a head's part predicts, up to what the
 * removal does to norms and ReLUs. Errors as of explain; ERR_RANGE for other decisions. */
Status score_without(ParseWorker *w, const Decision *d, const bool *removed, double *score, Error *e);

/* The statistic of Mrini et al. 2020, figures 6 and 8, as their code computes it: the features f_j - f_i of a span added up head by head, scaled to 0 .. 1 over the
 * heads, and their softmax: share [heads]. It does not know the scorer, and behind a feed-forward its columns are no longer heads. */
Status paper_share(ParseWorker *w, int begin, int end, double *share, Error *e);

/* Attention of head h over the words of the sentence parsed last: share of it on words begin .. end-1 (0-based), and the word of most weight (-1: none). */
typedef struct HeadFocus {
    double inside, most;
    int word;
} HeadFocus;
HeadFocus head_focus(const ParseWorker *w, int h, int begin, int end);

/* Sums by category (label of a span, type, "arc"). */
typedef struct Category {
    const char *name;      /* of the map that holds it */
    long n, gold, right;   /* decisions; those with gold at hand; those that are in gold */
    long *top, *top_right; /* [heads] decisions whose largest absolute part is this head's */
    double *share, *part;  /* [heads] sums of |part| / sum |part|, and of signed parts */
} Category;

typedef struct HeadSummary {
    int heads;
    StrMap names; /* of categories */
    Category *c;  /* [names.n] */
    int cap;
    long explained;
    double worst;       /* largest attribution_error */
    double *confidence; /* [heads] sums of the largest weight on a word, by sentence */
    long sentences;
} HeadSummary;

void head_summary_init(HeadSummary *s, int heads);
void head_summary_fini(HeadSummary *s);
/* in_gold: 1 right, 0 wrong, -1 no gold. share [heads] takes the place of |part| / sum |part| (paper_share), or NULL. ERR_NOMEM. */
Status head_summary_add(HeadSummary *s, const char *category, const HeadAttribution *a, const double *share, int in_gold, Error *e);

#endif
