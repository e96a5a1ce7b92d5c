/* Explains decisions of the parser: the contributions of the label heads to the scores of spans, arcs and types of a
 * parsed sentence (lal/attribution.h). */
#pragma once

#include "lal/attribution.h"
#include "parser/parse/parse.h"

typedef enum ExplainKind { EXPLAIN_SPAN, EXPLAIN_ARC, EXPLAIN_TYPE, EXPLAIN_TAG, EXPLAIN_KINDS } ExplainKind;

/* A decision, in numbers of the model's vocabularies. */
typedef struct Decision {
    ExplainKind kind;
    /* span: fenceposts, 0 .. n, and the label of its unary chain in m->labels; arc and type: begin is the dependent
     * (1-based), end its head (0: root), label the type in m->types, LABEL_NONE for an arc; tag: begin is the word
     * (1-based), end the same, label the tag in m->tags */
    Span at;
    int against; /* a label, type or tag: the score is the difference to that one's; or LABEL_NONE */
} Decision;

/* The number of a label (of a unary chain "S::VP"), a type or a tag, by the kind of decision. ERR_CONFIG if it is
 * unknown to the model. */
Status decision_find(const Model *model, ExplainKind kind, const char *name, int *number, Error *error);
/* The label, type or tag with this number; NULL for an arc and LABEL_NONE. */
const char *decision_label(const Model *model, ExplainKind kind, int number);

/* The decisions of one kind in a parsed sentence: its phrases with their unary chains, its arcs, their types, or the
 * tags that the model chose by their scores. They lie in the arena; *n their number. ERR_NOMEM. */
Status explain_decisions(const Model *model, const Parsed *parsed, ExplainKind kind, Arena *arena, Decision **out,
                         int *n, Error *error);

/* How a decision stands among its alternatives: the labels of the span and, except for the whole sentence, "no phrase"
 * (score 0); the heads of the word; its types; or its tags. Span scores are trained by margins, so their
 * probability ranks decisions but is not a frequency. */
enum { RIVAL_NONE = -1 }; /* "no phrase" */
typedef struct Standing {
    double p;  /* softmax probability */
    int rival; /* the best other alternative: a label, a type, a tag, or of an arc a head (0: root); or RIVAL_NONE */
    double rival_score; /* -infinity: there is no other alternative */
    /* of a type: what head rules add to its score, or to its lead over Decision.against (parser/parse/rule_types.h);
     * attributions are to the score without it, p and rival_score have it */
    double rules;
} Standing;

/* Explains a decision of the one sentence that the worker parsed last, with ParseOptions.record. The tagger reads what
 * enters label attention, so no head has a part in a tag: its score is a sum over what enters the encoder at each word
 * (attribution_words), which needs `words`. ERR_RANGE for a span or word outside the sentence or an unknown label,
 * type or tag, ERR_CONFIG for a model without label heads. standing may be NULL, and
 * attribution, if standing alone is wanted. */
Status explain_decision(Worker *worker, const Decision *decision, bool words, Arena *arena,
                        HeadAttribution *attribution, Standing *standing, Error *error);

/* The score of a decision when the outputs of some label heads, removed [heads before pruning], are zero. The
 * contributions predict it, except for the effect on norms and ReLUs. Errors of explain_decision. */
Status explain_score_without(Worker *worker, const Decision *decision, const bool *removed, double *score,
                             Error *error);

/* The parse of the one sentence that the worker parsed last, with ParseOptions.record and these options, from the same
 * scores, when other parts or none are given of it (ParseInput.given). What the worker holds stays. Results lie in
 * `out`. Errors of parse_batch. */
Status explain_parse_again(Worker *worker, const ParseInput *in, const ParseOptions *options, Arena *out,
                           Parsed *parsed, Error *error);
/* The same when the outputs of some label heads are zero for all of its decisions at once. ERR_CONFIG as above. */
Status explain_parse_without(Worker *worker, const ParseInput *in, const ParseOptions *options, const bool *removed,
                             Arena *out, Parsed *parsed, Error *error);

/* The statistic of Mrini et al. 2020, figures 6 and 8, as their code computes it: the features f_j - f_i of a span (of
 * attention inside phrases P_j - P_i) summed within each head, scaled to 0 .. 1 over the heads, then softmax: share
 * [heads before pruning]. It ignores the scorer, and after a feed-forward a column no longer belongs to a single
 * head. */
Status explain_paper_share(Worker *worker, int begin, int end, double *share, Error *error);

/* Attention of head h over the words of the sentence parsed last: the share on words begin .. end-1 (0-based), and the
 * word with the largest weight (-1: none, or the head was pruned). */
typedef struct HeadFocus {
    double inside, most;
    int word;
} HeadFocus;
HeadFocus explain_focus(const Worker *worker, int head, int begin, int end);
