/* Why this parse and not that one: what only one of two parses of a sentence has, and which label heads and words are
 * for the one or the other. The other parse is the second-best one, or the best one with or without a decision.
 *
 * The decoder adds up lambda times the scores of phrases and of groups (<H>, nodes without a phrase), 1 - lambda times
 * the scores of arcs, and what the grammar of the model, if it has one, says of the phrases. So the difference of the
 * scores of both parses is the sum of these for what differs, and each score of a phrase, group or arc is a sum over
 * label heads (lal/attribution.h), of which each is a sum over words. Tags have no part in it but through the grammar.
 */
#pragma once

#include "explain/explain.h"

/* A phrase, group or arc that one parse has and the other one has not. */
typedef struct ContrastChange {
    Decision d;   /* of a group the label is CHART_GROUP */
    bool second;  /* the other parse has it */
    double score; /* of the model, not weighed by lambda */
} ContrastChange;

typedef struct Contrast {
    const Parsed *p;   /* the other parse, borrowed */
    ContrastChange *x; /* [n] phrases and groups that only the parse has, then the other's, then arcs by words */
    int n;
    double difference;                     /* score of the parse less score of the other one */
    double phrases, groups, arcs, grammar; /* its parts, positive: for the parse */
    HeadAttribution margin;                /* of phrases, groups and arcs: own, view, norm and word are NULL */
    double *by_word; /* [margin.tokens] the views of all heads in it, word by word; NULL if not requested */
} Contrast;

/* parsed: the one sentence that the worker parsed last, with ParseOptions.record; other: another parse of it by the
 * same model. Results lie in the arena. Errors of explain_decision. */
Status contrast_explain(Worker *worker, const Parsed *parsed, const Parsed *other, bool words, Arena *arena,
                        Contrast *contrast, Error *error);

/* |difference - the sum of its parts|, relative to the larger of 1 and the difference: the rounding error. */
double contrast_error(const Contrast *contrast);

/* Are the words of the span, in a parse without it, no phrase at all? So where its label is not the question, but what
 * belongs together. Of a word, and of the sentence, another label is the alternative. */
bool contrast_takes_apart(const Span *span, int n_words);

/* The best parse of that sentence with a decision or without it, a phrase or an arc, by a second search in the same
 * scores: in and options are what it was parsed with, and what is given of it stays so but for `freed` parts
 * (Parsed.n_freed of the parse). *found: there is one. Results lie in `out`. Errors of parse_batch. */
Status contrast_parse(Worker *worker, const ParseInput *in, const ParseOptions *options, const Decision *decision,
                      bool with, int freed, Arena *out, Parsed *parsed, bool *found, Error *error);
