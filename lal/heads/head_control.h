/* What acts on the attention heads of one layer in one batch, for self-attention and label attention alike: masks
 * (Wang et al. 2020; Li et al. 2022), fixed heads (Li et al. 2022), gates (Voita et al. 2019) and biases of distances
 * (op_relative_bias). All fields may be NULL or false, and a layer without a HeadControl is plain. */
#pragma once

#include "tensor/ops.h"

typedef struct HeadControl {
    const AttentionMask *mask; /* for self-attention, and for label heads with a query matrix */
    const uint64_t *keys;      /* [tokens] for label heads with a query vector (LabelAttentionSpec) */
    const int *slot_of_head;   /* [heads] slot of mask or keys, or -1 */
    const int *fixed;          /* [heads] 1: uniform over the allowed keys, without queries and keys; self-attention */
    Tensor *gates;             /* [1, heads] factors on the contexts */
    Tensor *outputs;           /* [1, heads] factors on the outputs of label heads that are not combined */
    Tensor *bias;              /* [slots, pairs] added to the logits; self-attention */
    const int *bias_of_head;   /* [heads] slot of bias, or -1; read if bias is not NULL */
    bool causal;               /* a token attends to itself and to tokens before it; self-attention */
} HeadControl;

/* The attention of label heads with a query vector under their control, which may be NULL. */
static inline LabelAttentionSpec label_attention_spec(double scale, double dropout, const HeadControl *control)
{
    LabelAttentionSpec spec = { .scale = scale, .dropout = dropout };
    if (!control || !control->slot_of_head) return spec;
    spec.keys = control->keys;
    spec.keys_of_head = control->slot_of_head;
    return spec;
}

/* The attention of a layer under its control, which may be NULL. */
static inline AttentionSpec attention_spec(int heads, int parts, double scale, double dropout,
                                           const HeadControl *control)
{
    AttentionSpec spec = { .n_heads = heads, .n_parts = parts, .scale = scale, .dropout = dropout };
    if (!control) return spec;
    spec.mask = control->mask;
    spec.mask_of_head = control->slot_of_head;
    spec.fixed = control->fixed;
    spec.gates = control->gates;
    spec.bias = control->bias;
    spec.slot_of_head = control->bias_of_head;
    spec.causal = control->causal;
    return spec;
}
