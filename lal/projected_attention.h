/* Projected attention layers (Stickland and Murray 2019; Li et al. 2022, appendix A): attention in a narrow space
 * beside a layer of an encoder, whose output is added to one of the layer's residuals:
 *   s = D x + b_D;  o = the contexts of all heads over s, scale sqrt(width / heads);  PAL(x) = gelu(U o + b_U).
 * U and b_U start as 0, so that the encoder is at first what it is without the layer, and all else is drawn; in the
 * code of Li et al. all weights start as 0, and then b_U alone ever gets a gradient. */
#pragma once

#include "lal/heads/head_control.h"
#include "tensor/layers.h"

/* Names: <prefix>.down.weight [d, width], .q, .k, .v .weight [width, n], .up.weight [n, d], each with .bias;
 * n = heads * d_head. */
typedef struct ProjectedAttention {
    int d, width, heads, d_head;
    int down, down_bias, up, up_bias;
    int qkv[3], qkv_bias[3];
} ProjectedAttention;

/* heads: before pruning, each of width / heads columns; left: how many pruning has left, at least one. share: another
 * layer, whose D and U are used, or NULL; then none is pruned. ERR_CONFIG, ERR_NOMEM. */
Status projected_attention_declare(ProjectedAttention *pa, ParamSet *ps, const char *prefix, int d, int width,
                                   int heads, int left, const ProjectedAttention *share, Error *error);
/* Weights but U are normal with deviation std, biases 0. */
void projected_attention_init(const ProjectedAttention *pa, ParamSet *ps, double std, unsigned long seed);
/* x [tokens, d] -> PAL(x) [tokens, d]. dropout is for the attention weights. control may be NULL; probs receives the
 * weights [heads, pairs] (op_attention), or is NULL. */
Tensor *projected_attention_forward(const Forward *forward, const ProjectedAttention *pa, Tensor *x, double dropout,
                                    const HeadControl *control, Tensor **probs);
