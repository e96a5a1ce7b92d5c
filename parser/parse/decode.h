/* Tree and arcs of one sentence from its scores: the best ones, the k best, and how sure they are (Mrini et al. 2020,
 * section 2.3; cky/joint.h, cky/k_best.h, parser/parse/confidence.h). A model with a grammar (parser/model/grammar.h)
 * chooses from several: the first results of joint decoding are put in order by their score and, times its weight, the
 * log P of their phrases (Collins 2000; Charniak and Johnson 2005). So does a model whose marks get the heads that
 * score best, by what they gain. */
#pragma once

#include "parser/model/worker.h"
#include "parser/parse/given.h"

/* Scores of a batch in host memory. */
typedef struct DecodeScores {
    SpanBest *best; /* of the sentence to be decoded, as is arcs */
    const Real *arcs;
    Real *labels; /* with k_best, confidence, grammar or marks: [chart_size, n_labels - 1] of the sentence; else NULL */
    const Real *mask;     /* [n_labels - 1] of model_label_mask, or NULL */
    int *head_row;        /* [rows] filled while sentences are decoded */
    int k_best, treebank; /* of ParseOptions, as are the next two */
    bool confidence, arc_probability;
    bool grammar; /* the model has one, which is asked */
    bool marks;   /* it finds the heads of marks by themselves (DECODE_MARKS) */
    bool given;   /* parts of the sentence are, set while it is decoded */
} DecodeScores;

/* Sets tree, heads, best and confidence of parsed, whose words and tags are there, but no types; results are in `out`.
 * Its fenceposts begin at row `first` of the batch that worker computed. given: or NULL. ERR_NUMERIC where scores are
 * too large, ERR_NOMEM. */
Status decode_sentence(Worker *worker, DecodeScores *sc, int first, const Given *given, Parsed *parsed, Arena *out,
                       Error *error);

/* In place of a tree, on the measuring device: all words are roots. false when out of memory. */
bool decode_roots(DecodeScores *sc, int first, Parsed *parsed, Arena *out);
