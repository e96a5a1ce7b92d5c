/* The layers of a transformer encoder (Vaswani et al. 2017), each with a residual connection and a norm after it:
 * multi-head self-attention and feed-forward. The parser's own are partitioned (Kitaev and Klein 2018; Mrini et al.
 * 2020): a vector of width d has a content part and a position part with weights of their own, which share only the
 * softmax. With one part, biases and the usual norm they are BERT's (Devlin et al. 2019). */
#pragma once

#include "lal/heads/head_control.h"
#include "tensor/layers.h"

typedef enum Activation { ACTIVATION_RELU, ACTIVATION_GELU } Activation;

typedef struct LayerOptions {
    NormSpec norm;
    Activation activation; /* what feed-forward layers use */
    bool attention_biases; /* queries, keys, values and the output of self-attention have biases */
} LayerOptions;

/* The layers of Mrini et al. 2020. */
#define LAYERS_LAL ((LayerOptions){ NORM_LAL, ACTIVATION_RELU, false })
/* The layers of Vaswani et al. 2017. */
#define LAYERS_PLAIN ((LayerOptions){ { NORM_VARIANCE, 1e-5 }, ACTIVATION_RELU, true })

/* Self-attention: names <prefix>.w_qkv{1,2} [d_part, 3 * heads * w] (columns: queries of all heads, keys, values),
 * <prefix>.proj{1,2}.weight [heads * w, d_part], with biases <prefix>.b_qkv{1,2} and proj{1,2}.bias, and
 * <prefix>.layer_norm; w = part of d_kv. With one part: no digit. A layer without heads, all pruned, has its norm
 * and its output's biases alone. */
typedef struct SelfAttention {
    int d, heads, parts;
    int qkv[MAX_PARTS], qkv_bias[MAX_PARTS], proj[MAX_PARTS], proj_bias[MAX_PARTS]; /* bias -1: none */
    Norm norm;
} SelfAttention;

/* Feed-forward: <prefix>.w_1{c,p}, w_2{c,p} .weight .bias, .layer_norm. With two parts, the second is the last `cut`
 * columns. */
typedef struct FeedForward {
    int d, d_ff, parts, cut;
    int w1[MAX_PARTS], b1[MAX_PARTS], w2[MAX_PARTS], b2[MAX_PARTS];
    Activation activation;
    Norm norm;
} FeedForward;

/* Attention tensors start Xavier-normal on their 3-D shape, the others uniform in +-1 / sqrt(fan_in), as in the paper's
 * code. */
Status self_attention_declare(SelfAttention *sa, ParamSet *ps, const char *prefix, int d, int heads, int d_kv,
                              int parts, LayerOptions options, Error *error);
void self_attention_init(const SelfAttention *sa, ParamSet *ps, unsigned long seed);
Status feed_forward_declare(FeedForward *ff, ParamSet *ps, const char *prefix, int d, int d_ff, int parts, int cut,
                            LayerOptions options, Error *error);
void feed_forward_init(const FeedForward *ff, ParamSet *ps, unsigned long seed);

typedef struct Dropouts {
    double attention, relu, residual;
} Dropouts;

/* x [rows, d] with parameter `bias` [d] added to each row; NULL with the tape's error, or if x is. */
Tensor *transformer_add_bias(const Forward *forward, Tensor *x, int bias);

/* The items of list [heads before pruning] for the heads that are left, head [left]; list itself where all are left, or
 * where it is NULL. NULL with the tape's error. */
const int *transformer_kept(const Forward *forward, const int *list, int before, const int *head, int left);

/* What an interpreter reads of a recorded pass. */
typedef struct SelfAttentionTrace {
    Tensor *probs;   /* [heads, pairs] of op_attention; NULL unless the tape records; both NULL without heads */
    Tensor *context; /* [tokens, parts x heads x width] */
} SelfAttentionTrace;

/* x [tokens, d] -> norm(x + beside + drop(O attention(x))), [tokens, d]. beside [tokens, d], control and trace may be
 * NULL. */
Tensor *self_attention_forward(const Forward *forward, const SelfAttention *sa, Tensor *x, Tensor *beside, double scale,
                               Dropouts drop, const HeadControl *control, SelfAttentionTrace *trace);
/* x [rows, d] -> norm(x + beside + drop(W2 drop(act(W1 x)))); group [rows]: as in op_dropout. beside may be NULL;
 * hidden [parts] receives the activations, or is NULL. */
Tensor *feed_forward_forward(const Forward *forward, const FeedForward *ff, Tensor *x, Tensor *beside, Dropouts drop,
                             const int *group, Tensor **hidden);
