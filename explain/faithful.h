/* Is a head's contribution the cause of a decision? Label heads are ranked for each decision in several ways, and taken
 * away in this order: the decision's lead over its rival (its margin) should fall at once, and the first heads alone
 * should be enough for it (comprehensiveness and sufficiency of DeYoung et al. 2020, with margins in place of
 * probabilities; normalised after Edin et al. 2025). Sentences are read and measured by several threads, and linked and
 * added in their order. */
#pragma once

#include "explain/head_sets.h"

/* Heads that should come first, first. Equal ones are in the order of their numbers. */
typedef enum FaithfulRanking {
    RANK_EXACT,     /* contributions to the margin (explain_decision) */
    RANK_PAPER,     /* explain_paper_share of the phrase; of an arc or type of what lies between both words */
    RANK_ATTENTION, /* share of attention on the words of the phrase, or from one word of an arc to the other */
    RANK_RELEVANCE, /* gradient times output (margin_relevance) */
    RANK_GATES,     /* gates of evaluation; without gates mean contributions to the decisions of this kind before */
    RANK_RANDOM,
    RANKINGS
} FaithfulRanking;

/* With K heads: means over the decisions of a kind, or, the last two, of the whole parse. The mean over all K of
 * comprehensiveness and sufficiency is AOPC; NAOPC is 0 in the worst and 1 in the best order of heads. */
typedef enum FaithfulMeasure {
    FAITHFUL_COMPREHENSIVENESS, /* the fall of the margin without the first K heads */
    FAITHFUL_SUFFICIENCY,       /* the fall of the margin with the first K heads alone */
    FAITHFUL_FLIPS,             /* share of margins of at least 0 that are below 0 without the first K heads */
    FAITHFUL_EXCHANGE,       /* as COMPREHENSIVENESS and FLIPS, but the heads have what they had at a decision of an */
    FAITHFUL_EXCHANGE_FLIPS, /* earlier sentence */
    FAITHFUL_BY_HEADS,       /* those before have a value for each K */
    FAITHFUL_AOPC = FAITHFUL_BY_HEADS,
    FAITHFUL_NAOPC,
    FAITHFUL_AOPC_SUFFICIENCY,
    FAITHFUL_NAOPC_SUFFICIENCY,
    FAITHFUL_MARGIN, /* of the decision itself, under RANK_EXACT */
    FAITHFUL_F1,     /* percent, against the parse itself: without the K heads that are first on average over its */
    FAITHFUL_UAS,    /* decisions; with K 4 and 16 */
    FAITHFUL_MEASURES
} FaithfulMeasure;
enum { FAITHFUL_PARSE = EXPLAIN_TYPE + 1, FAITHFUL_KINDS, FAITHFUL_STEPS = 12 }; /* ExplainKind, or the whole parse */

/* A sum over decisions of a sentence, divided by n, another one. */
typedef struct FaithfulRatio {
    float sum, n;
} FaithfulRatio;

typedef struct FaithfulDecision {
    Contest c;
    const Real *places;
    double *score[RANK_RELEVANCE]; /* [heads] of the rankings that read the forward pass */
} FaithfulDecision;

/* A sentence; its arrays are in the arenas of those that filled them. */
typedef struct FaithfulSentence {
    uint64_t number;     /* seed of random choices */
    FaithfulDecision *x; /* [n] */
    int n;
    const double *mean[FAITHFUL_PARSE]; /* [heads] sums of contributions before the sentence, by kind */
    const Real *other[FAITHFUL_PARSE];  /* places of an earlier decision of each kind, or NULL */
    FaithfulRatio *sums;                /* [faithful_cells] */
} FaithfulSentence;

typedef struct Faithful {
    HeadSets sets;
    bool kinds[FAITHFUL_PARSE];      /* the decisions that are measured */
    double *gates;                   /* [heads] NULL: the model has none */
    int steps, step[FAITHFUL_STEPS]; /* K: 1, 2, 4 ... heads */
    double *mean[FAITHFUL_PARSE];
    Real *other[FAITHFUL_PARSE];
    bool has_other[FAITHFUL_PARSE];
    FaithfulRatio *sums; /* [sentences, faithful_cells] */
    int sentences, cap;
} Faithful;

/* Errors of head_sets_init. faithful_fini must be called also after an error. */
Status faithful_init(Faithful *faithful, const Model *model, Error *error);
void faithful_fini(Faithful *faithful);
const char *faithful_ranking_name(const Faithful *faithful, FaithfulRanking ranking);

/* Reads the decisions of parsed, the one sentence that the worker parsed last, with ParseOptions.record, into the
 * arena; none where it was parsed in pieces. The caller sets sentence->number, the rest to 0. Errors of
 * explain_decision. */
Status faithful_read(const Faithful *faithful, Worker *worker, const Parsed *parsed, Arena *arena,
                     FaithfulSentence *sentence, Error *error);
/* Gives the sentence what came before it, and counts it among what comes before the next one. ERR_NOMEM. */
Status faithful_link(Faithful *faithful, FaithfulSentence *sentence, Arena *arena, Error *error);
/* Takes heads away. The worker has parsed the sentence, with these options, and nothing since. ERR_NOMEM, errors of
 * explain_parse_without. */
Status faithful_measure(const Faithful *faithful, Worker *worker, const ParseInput *in, const ParseOptions *options,
                        const Parsed *parsed, Arena *arena, FaithfulSentence *sentence, Error *error);
/* Sentences without decisions are left out. ERR_NOMEM. */
Status faithful_add(Faithful *faithful, const FaithfulSentence *sentence, Error *error);

/* Where a measure is among the sums of a sentence: kind is an ExplainKind or FAITHFUL_PARSE; step 0 where the measure
 * has one value. */
static inline int faithful_cell(const Faithful *faithful, int kind, int ranking, int measure, int step)
{
    return ((kind * RANKINGS + ranking) * FAITHFUL_MEASURES + measure) * faithful->steps + step;
}
static inline int faithful_cells(const Faithful *faithful) { return faithful_cell(faithful, FAITHFUL_KINDS, 0, 0, 0); }

/* A mean over sentences, and by how much it exceeds the mean of RANK_EXACT. The 95 % intervals of both are
 * percentiles of the same 1,000 samples of the sentences. */
typedef struct FaithfulValue {
    double n; /* decisions in the mean; 0: no value */
    double value, low, high, above, above_low, above_high;
} FaithfulValue;
/* values [faithful_cells]. The same sentences give the same intervals. ERR_NOMEM. */
Status faithful_values(const Faithful *faithful, FaithfulValue *values, Error *error);

/* Output (docs/FORMATS.md); out of memory sets out->failed. */
void faithful_text(StrBuf *out, const Faithful *faithful, const FaithfulValue *values);
void faithful_tsv(StrBuf *out, const Faithful *faithful, const FaithfulValue *values);
void faithful_json(StrBuf *out, const Faithful *faithful, const FaithfulValue *values);
