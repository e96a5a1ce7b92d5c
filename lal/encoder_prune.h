/* lal/encoder_prune.h
 * A smaller model that computes what a model with closed gates computes (Voita et al. 2019, section 6): self-attention
 * heads whose gate of evaluation is 0 are left out, and the gates of the others become part of their output weights.
 * Sums have fewer terms, so results agree to rounding. */
#ifndef LAL_LAL_ENCODER_PRUNE_H
#define LAL_LAL_ENCODER_PRUNE_H

#include "lal/encoder.h"

/* The self-attention heads of layer l that are open, numbered as before pruning: head [n_heads], *n. All heads of a
 * layer without gates are. ERR_RANGE where a gate is not finite. */
Status encoder_prune_open(const Encoder *enc, const ParamSet *ps, int l, int *head, int *n, Error *e);

/* Head k of `to` becomes head row[k] of `from`, its output weights times gates[row[k]]; gates NULL: 1. The norms are
 * not copied. */
void encoder_prune_attention(const SelfAttention *from, const ParamSet *ps, const int *row, const double *gates,
                             const SelfAttention *to, ParamSet *to_ps);

/* Fills all parameters of a model from those of another, by name. The encoder `to` was declared with the open heads of
 * `from` as EncoderConfig.kept, and has no gates on self-attention. ERR_RANGE where a gate is not finite, ERR_CONFIG
 * where a parameter is missing or has another shape, or `to` has a head that `from` does not have; ERR_NOMEM. */
Status encoder_prune(const Encoder *from, const ParamSet *ps, const Encoder *to, ParamSet *to_ps, Error *e);

/* Label heads that are closed at their contexts all put norm(R x_t) into their blocks of a token's vector. Those blocks
 * can be one, after the blocks of the other heads in their order, if the rows of a weight that read them are added up:
 * w [heads * width, cols] -> out [(open + 1) * width, cols]. With no closed head, out is w. Halves of blocks, as in
 * fencepost vectors, are `heads` blocks of half the width each. Returns the number of blocks of out. */
int encoder_prune_blocks(const Real *w, int heads, int width, int cols, const bool *closed, Real *out);

#endif
