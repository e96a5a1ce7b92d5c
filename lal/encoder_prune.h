/* A smaller model that computes what a model with closed gates computes (Voita et al. 2019, section 6): heads of
 * self-attention and label heads whose gate of evaluation is 0 are left out, and the gates of the others become part
 * of their weights. Sums have fewer terms, so results agree to rounding.
 *
 * Heads of projected attention are left out as in self-attention, but a layer keeps one at least, which contributes
 * nothing if it is closed; layers that share a projection keep all, and their gates.
 *
 * A label head that is closed at its context puts norm(R x_t) into its block of a token's vector. With a feed-forward
 * after the label heads all blocks stay; else the blocks of all closed heads become one, after the blocks of the other
 * heads, and the rows of the weights that read them are added up. The block of a head that is closed at its output is
 * 0, and is left out. */
#pragma once

#include "lal/encoder.h"

/* The heads of layer id that the pruned model has, numbered as before pruning: head [heads before pruning], *n. Layers
 * are numbered as in the plan. Those of a layer without gates are all. ERR_RANGE where a gate is not finite. */
Status encoder_prune_open(const Encoder *enc, const ParamSet *ps, LayerId id, int *head, int *n, Error *error);
/* Does the model without its closed heads have a block that label heads which were left out share? label_open: the
 * number of open label heads. */
bool encoder_prune_shares(const Encoder *enc, int label_open);

/* A block of `width` columns or rows of a parameter of `to_ps` becomes one of a parameter of `ps`, times `by`. `at` and
 * `to_at` are numbers of blocks. */
void encoder_copy_columns(const ParamSet *ps, int from, int at, ParamSet *to_ps, int to, int to_at, int width,
                          double by);
void encoder_copy_rows(const ParamSet *ps, int from, int at, ParamSet *to_ps, int to, int to_at, int width, double by);
/* Head k of `to` becomes head row[k] of `from`, its output weights times gates[row[k]]; gates NULL: 1. The norms are
 * not copied. */
void encoder_prune_attention(const SelfAttention *from, const ParamSet *ps, const int *row, const double *gates,
                             const SelfAttention *to, ParamSet *to_ps);

/* A parameter of `to` that depends on the heads: its rows are the columns of a token's vector, of a fencepost's, or of
 * the sums of attention inside phrases, once or more often; or it has columns for these sums, with which they are
 * multiplied. */
typedef enum EncoderReads { READS_TOKENS, READS_FENCEPOSTS, READS_PHRASES, MEETS_PHRASES } EncoderReads;
typedef struct EncoderReader {
    int param;
    EncoderReads reads;
} EncoderReader;

/* Fills all parameters of a model from another model, by name. The encoder `to` was declared with the open heads of
 * `from` as EncoderConfig.kept, and has no gates, except in projected attention that shares a projection. readers [n]:
 * what reads the encoder's vectors. ERR_RANGE where a gate is not finite, ERR_CONFIG where a parameter is missing or
 * has another shape, or `to` has a head that `from` does not have; ERR_NOMEM. leave [to_ps->n]: parameters that are
 * left as they are; NULL: none. */
Status encoder_prune(const Encoder *from, const ParamSet *ps, const Encoder *to, ParamSet *to_ps,
                     const EncoderReader *readers, int n, const bool *leave, Error *error);
