/* Who made a score: the signed part of every label head, exact for this input (no counterpart in Mrini et al.
 * 2020, whose figures 6 and 8 add up span features and leave the scorer out).
 *
 * With ReLU signs, divisors of norms and attention weights held constant (tape_relevance), a score is affine in the
 * outputs y[t, h] of the label attention layer:  score = sum_h head[h] + bias,  head[h] = sum_t <c[t, h], y[t, h]>,
 * with or without a feed-forward after it. What pruned heads have left of their outputs is a part of its own. Each
 * head's part is in turn its share of the tokens' own words (R x_t), its view of the sentence (M c_h) and the bias
 * of its norm, and the view is a sum over the words it attends to.
 *
 * Of attention inside phrases (lal/phrase_attention.h) a head has its sums at the fenceposts, all of it a view, which
 * is a sum over the words inside the phrase, or between the words of the arc; the words' own vectors are the rest. */
#pragma once

#include "lal/encoder.h"

typedef struct HeadAttribution {
    int heads, tokens; /* heads before pruning */
    const int *row;    /* [heads] -1: the head was pruned, its parts are 0; NULL: none was. Borrowed */
    double score;      /* the score explained */
    double bias;       /* part of the biases after the label heads */
    double rest;  /* what no head has: of blocks of pruned heads, which hold the words without a view; of the words' own
                    vectors, where heads attend inside phrases alone */
    double *head; /* [heads] own + view + norm */
    double *own, *view, *norm; /* [heads] */
    /* [heads * tokens] of the sentence, START and STOP included: the view by words; NULL if not requested */
    double *word;
    double *input; /* attribution_words: [tokens] parts of what enters the encoder at each token; else NULL */
} HeadAttribution;

/* Explains score [1, 1], made on the recorded tape of this forward pass from tokens of one sentence of its batch.
 * Arrays lie in the arena. ERR_CONFIG for a model without separate label heads (use_lal off, lal_combine_as_self,
 * lal_q_as_matrix); else the tape's error. */
Status attribution_heads(const Forward *forward, const Encoder *enc, const EncoderOutput *out, Tensor *score,
                         int sentence, bool words, Arena *arena, HeadAttribution *attribution, Error *error);

/* Explains a score of any of its tensors by what enters the encoder: score = sum of input over the tokens + bias, with
 * attention weights and all else as above held constant. The parts of heads are 0. x [tokens, d]: what enters. The
 * tape's error, ERR_NOMEM. */
Status attribution_words(const Forward *forward, Tensor *x, Tensor *score, int sentence, Arena *arena,
                         HeadAttribution *attribution, Error *error);

/* Does the model have head `head`? How many has it? */
static inline bool attribution_has(const HeadAttribution *attribution, int head)
{
    return !attribution->row || attribution->row[head] >= 0;
}
int attribution_left(const HeadAttribution *attribution);

/* |sum of heads or of input + rest + bias - score| / max(1, |score|): the rounding error. */
double attribution_error(const HeadAttribution *attribution);
