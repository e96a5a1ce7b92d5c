/* lal/layers.h
 * The encoder of Mrini et al. 2020 (and Kitaev and Klein 2018): partitioned self-attention and feed-forward, post-norm,
 * then the label attention layer. A width d is cut in a content half and a position half; with `partitioned` off
 * there is one part. All weights are numbers of parameters in a ParamSet, laid out [in, out]. */
#ifndef LAL_LAL_LAYERS_H
#define LAL_LAL_LAYERS_H

#include "tensor/ops.h"
#include "tensor/params.h"

#define LAL_NORM_EPS 1e-3 /* added to the standard deviation, outside the root */

/* What a forward pass needs beside its inputs. */
typedef struct Forward {
    Tape *t;
    const ParamSet *params;
    Real *grads; /* gradient slab or NULL */
    const Batch *batch;
    const int *sentence_of; /* [tokens] the sentence of each token: groups of feature dropout */
    const Real *head_gates; /* NULL, or factors on the contexts of all attention heads, layer by layer, label heads
                               last; not while recording */
} Forward;

/* Width of part p of P in d: halves, the first one larger. */
static inline int part_width(int d, int parts, int p) { return parts == 1 ? d : p == 0 ? d - d / 2 : d / 2; }
static inline int part_start(int d, int parts, int p) { return p == 0 || parts == 1 ? 0 : d - d / 2; }

typedef struct NormParams {
    int a, b; /* [width] each */
} NormParams;

/* Self-attention: names <prefix>.w_qkv{1,2} [d_part, 3 * heads * w] (columns: queries of all heads, keys, values),
 * <prefix>.proj{1,2}.weight [heads * w, d_part], <prefix>.layer_norm.{a_2,b_2}; w = part of d_kv. Without parts: no
 * digit. */
typedef struct SelfAttention {
    int d, heads, parts;
    int qkv[MAX_PARTS], proj[MAX_PARTS];
    NormParams norm;
} SelfAttention;

/* Feed-forward: <prefix>.w_1{c,p}, w_2{c,p} .weight .bias, .layer_norm. The input is cut at d - cut. */
typedef struct FeedForward {
    int d, d_ff, parts, cut; /* cut: width of the second part */
    int w1[MAX_PARTS], b1[MAX_PARTS], w2[MAX_PARTS], b2[MAX_PARTS];
    NormParams norm;
} FeedForward;

/* Declaring adds the parameters to the set (ERR_CONFIG, ERR_NOMEM); initialising fills them as the paper's code does:
 * Xavier-normal on the 3-D shape of attention tensors, uniform 1 / sqrt(fan_in) elsewhere. */
Status self_attention_declare(SelfAttention *sa, ParamSet *ps, const char *prefix, int d, int heads, int d_kv,
                              int parts, Error *e);
void self_attention_init(const SelfAttention *sa, ParamSet *ps, unsigned long seed);
Status feed_forward_declare(FeedForward *ff, ParamSet *ps, const char *prefix, int d, int d_ff, int parts, int cut,
                            Error *e);
void feed_forward_init(const FeedForward *ff, ParamSet *ps, unsigned long seed);
Status norm_declare(NormParams *n, ParamSet *ps, const char *prefix, int width, Error *e);
void norm_init(const NormParams *n, ParamSet *ps);
/* <prefix>.weight [in, out] and, if bias, <prefix>.bias [out]. */
Status linear_declare(int *weight, int *bias, ParamSet *ps, const char *prefix, int in, int out, Error *e);
void linear_init(int weight, int bias, ParamSet *ps, unsigned long seed);
Status param_declare(int *k, ParamSet *ps, Error *e, int n_dims, int d0, int d1, int d2, const char *fmt, ...)
    __attribute__((format(printf, 8, 9)));

Tensor *forward_param(const Forward *f, int k);
Tensor *forward_norm(const Forward *f, const NormParams *n, Tensor *x);

typedef struct Dropouts {
    double attention, relu, residual;
} Dropouts;

/* What an interpreter reads of a recorded pass. */
typedef struct SelfAttentionTrace {
    Tensor *probs;   /* [heads, pairs] as of op_attention; NULL unless the tape records */
    Tensor *context; /* [tokens, parts x heads x width] */
} SelfAttentionTrace;

/* x [tokens, d] -> norm(x + drop(O attention(x))), [tokens, d]. gates [1, heads] and trace may be NULL. */
Tensor *self_attention_forward(const Forward *f, const SelfAttention *sa, Tensor *x, double scale, Dropouts drop,
                               Tensor *gates, SelfAttentionTrace *trace);
/* x [rows, d] -> norm(x + drop(W2 drop(relu(W1 x)))); group [rows] as of op_dropout. hidden [parts] receives the
 * activations, NULL: not wanted. */
Tensor *feed_forward_forward(const Forward *f, const FeedForward *ff, Tensor *x, Dropouts drop, const int *group,
                             Tensor **hidden);

#endif
