/* The Label Attention Layer (Mrini et al. 2020, section 2): n_heads heads, each with its own query vector, attend over
 * the whole sentence; every token then gets one vector per head, y[t, h] = norm(R (x_t + g_h)), g_h the head's view of
 * the sentence.
 *
 * It is computed in another order: keys and values are never formed per token (op_label_attention), and with M = P R
 * y[t, h] = norm(R x_t + M c_h). Head h always uses query h, whatever else is in the batch. */
#pragma once

#include "lal/transformer.h"

typedef struct LabelAttentionConfig {
    int d, heads, d_kv, d_proj;
    bool partitioned;     /* content and position halves have keys, values and projections of their own */
    bool q_as_matrix;     /* queries from every token: word-to-word attention per head */
    bool combine_as_self; /* heads joined and projected to d, as in self-attention */
    bool resdrop;         /* residual dropout on g_h */
    bool own_reduce;      /* each head has a projection R_h of its own in place of R */
    bool uniform;         /* heads attend to all words alike, without queries and keys */
    /* After pruning (lal/encoder_prune.h), the blocks of d_proj columns of a token's vector, unless they are combined:
     * head_of_block [blocks] is the head whose view a block holds; -1: none, the block is norm(R x_t). Borrowed. NULL:
     * a block for each head */
    const int *head_of_block;
    int blocks;
} LabelAttentionConfig;

/* Names: <prefix>.w_qs{1,2} [heads, w], or [d_part, heads * w] as matrix; w_ks{1,2}, w_vs{1,2} [heads, d_part, w];
 * proj{1,2}.weight [w, d_part] ([heads * w, d_part] when combined); reduce_proj.weight [d, d_proj], or
 * [d, blocks * d_proj] of own projections; layer_norm. With a query matrix the three are one: w_qkv{1,2} [d_part, 3 *
 * heads * w]. Without parts: no digit. Without heads, all pruned: reduce_proj and layer_norm alone. */
typedef struct LabelAttention {
    LabelAttentionConfig c;
    int parts;
    int q[MAX_PARTS], k[MAX_PARTS], v[MAX_PARTS], qkv[MAX_PARTS], proj[MAX_PARTS], reduce;
    Norm norm;
} LabelAttention;

Status label_attention_declare(LabelAttention *la, ParamSet *ps, const char *prefix, LabelAttentionConfig config,
                               Error *error);
void label_attention_init(const LabelAttention *la, ParamSet *ps, unsigned long seed);

/* Blocks of d_proj columns of the layer's output, and the width of the output: blocks * d_proj, or d when combined. */
int label_attention_blocks(const LabelAttentionConfig *config);
int label_attention_width(const LabelAttentionConfig *config);

/* What an interpreter reads (lal/attribution.h). */
typedef struct LabelAttentionTrace { /* without heads all are NULL */
    Tensor *probs;                   /* attention weights [tokens, heads], or [heads, pairs] with a query matrix */
    Tensor *context; /* [n_sent * heads, d] means of the words under those weights; NULL with a query matrix */
    Tensor *view; /* [n_sent * heads, d_proj] M c_h, what the norm adds to every token's R x; NULL when combined, other
                     rows with a query matrix */
} LabelAttentionTrace;

/* x [tokens, d] -> [tokens, width]. scale divides the logits. control may be NULL. */
Tensor *label_attention_forward(const Forward *forward, const LabelAttention *la, Tensor *x, double scale,
                                Dropouts drop, const HeadControl *control, LabelAttentionTrace *trace);
