/* lal/encoder.h
 * N layers of self-attention and feed-forward, then (with use_lal) the label attention layer and its feed-forward. */
#pragma once

#include "lal/heads/head_gate.h"
#include "lal/heads/head_plan.h"
#include "lal/label_attention.h"
#include "lal/projected_attention.h"

enum { MAX_LAYERS = 48, ENCODER_HEAD_LAYERS = 2 * MAX_LAYERS };

typedef struct EncoderConfig {
    int d_model, n_layers, n_heads, d_kv, d_ff;
    bool partitioned;
    bool use_lal, lal_pwff;
    LabelAttentionConfig lal;      /* used if use_lal */
    const EncoderOptions *options; /* checked (lal/heads/encoder_options.h), borrowed; NULL: none */
    /* [2 n_layers + 1] heads that pruning has left in each layer, numbered as in the plan (lal/heads/head_plan.h),
     * ascending; NULL: all. Read by encoder_declare alone */
    const HeadNumbers *kept;
    bool shared_block; /* label heads that pruning has left out have one block of a token's vector in common */
    int pretrained_layers, pretrained_heads; /* of a pretrained encoder below, which the plan has, too; 0: none */
} EncoderConfig;

typedef struct Encoder {
    EncoderConfig c;
    SelfAttention attn[MAX_LAYERS];
    /* [encoder_heads] numbers before pruning, by which options name heads; layers are numbered as in the plan */
    int *head[ENCODER_HEAD_LAYERS];
    FeedForward ff[MAX_LAYERS];
    LabelAttention lal;
    /* [label_attention_blocks] the head of each block of a token's vector, numbered as before pruning; -1: none. NULL
     * without blocks */
    int *block_head;
    int *label_row; /* [heads before pruning] encoder_head_row of label heads; NULL: none was pruned */
    FeedForward lal_ff;
    ProjectedAttention pal[MAX_LAYERS]; /* beside the layers of has_pal */
    bool has_pal[MAX_LAYERS];
    HeadPlan plan; /* masks and guided heads */
    HeadGate gate[ENCODER_HEAD_LAYERS];
    bool gated[ENCODER_HEAD_LAYERS]; /* which layers have gates, numbered as in the plan */
    int *numbers;                    /* memory of head, block_head and label_row */
    int width;                       /* D: of a token's final vector */
    int *fence_source; /* [width] the column of a token's vector that each column of a fencepost vector holds */
} Encoder;

/* Heads before pruning of layer l, numbered as in the plan. */
int encoder_heads_before(const Encoder *enc, int l);
/* Heads of layer l that pruning has left; label heads are layer n_layers, the projected attention beside layer l is
 * layer n_layers + 1 + l. */
static inline int encoder_heads(const Encoder *enc, int l)
{
    int n = enc->c.n_layers;
    if (l > n) return enc->has_pal[l - n - 1] ? enc->pal[l - n - 1].heads : 0;
    return l < n ? enc->attn[l].heads : enc->c.use_lal ? enc->lal.c.heads : 0;
}
/* Has the model separate label heads, each with a query of its own? What lal/attribution.h explains. */
static inline bool encoder_has_label_heads(const Encoder *enc)
{
    const LabelAttentionConfig *c = &enc->c.lal;
    return enc->c.use_lal && !c->combine_as_self && !c->q_as_matrix && enc->lal.c.heads > 0;
}
#define NO_LABEL_HEADS                                                                                          \
    "the model has no label heads with a query of their own, expected use_lal without lal_combine_as_self and " \
    "lal_q_as_matrix, and a head that pruning has left"

/* Column j of a fencepost vector is column fence_source[j] of the token before the fencepost (side 0) or after it (1).
 */
static inline int encoder_fence_side(const Encoder *enc, int j) { return j >= enc->width / 2; }
/* With label heads, the block of each is cut into two halves of d_proj / 2 columns, and fencepost vectors hold the
 * first halves of all blocks, then the second ones: column of value k of a half of block b, in a token's vector and in
 * a fencepost's. */
static inline int encoder_token_column(const Encoder *enc, int side, int b, int k)
{
    return b * enc->c.lal.d_proj + side * (enc->c.lal.d_proj / 2) + k;
}
static inline int encoder_fence_column(const Encoder *enc, int side, int b, int k)
{
    return (side * label_attention_blocks(&enc->lal.c) + b) * (enc->c.lal.d_proj / 2) + k;
}

/* Where head h of layer l, numbered as before pruning, is among the heads of the layer; -1: it was pruned. */
int encoder_head_row(const Encoder *enc, int l, int h);

/* Are the gates of label heads factors on their outputs (gates.label_at)? */
bool encoder_gates_outputs(const Encoder *enc);

/* Parameters are named encoder.attn_{l}.*, encoder.ff_{l}.*, encoder.pal_{l}.*; the label attention layer is l =
 * n_layers. */
Status encoder_declare(Encoder *enc, ParamSet *ps, EncoderConfig c, Error *e);
void encoder_init(const Encoder *enc, ParamSet *ps, unsigned long seed);
void encoder_fini(Encoder *enc);

/* attention and layer are NULL in a brief pass. */
typedef struct EncoderOutput {
    SelfAttentionTrace attention[MAX_LAYERS];
    Tensor *pal_probs[MAX_LAYERS]; /* [heads, pairs] of projected attention; NULL without, or unless the tape records */
    Tensor *layer[MAX_LAYERS];     /* [tokens, d_model] after each self-attention layer */
    Tensor *contextual;            /* the last of them */
    LabelAttentionTrace trace;     /* all NULL without LAL */
    Tensor *lal;                   /* [tokens, D] before the LAL feed-forward; NULL without LAL */
    Tensor *lal_hidden[MAX_PARTS]; /* activations of that feed-forward, by part; NULL without */
    Tensor *word;                  /* [tokens, D] final token vectors */
    Tensor *fencepost;             /* [tokens - n_sent, D] */
} EncoderOutput;

/* What acts on the heads in one pass. */
typedef struct EncoderControl {
    const HeadControl *layer; /* [2 n_layers + 1] of head_plan_control; NULL: no masks. Its gates are not read */
    uint64_t gate_key;        /* of the draws of gates in training */
    /* NULL, or factors on the contexts of all heads that the model has in addition to gates, layer by layer, label
     * heads last, none of projected attention, in host memory; gates then pass no gradient on */
    const Real *factors;
} EncoderControl;

/* x [tokens, d_model]; control may be NULL. On failure out->fencepost is NULL and the tape holds the error. */
void encoder_forward(const Forward *f, const Encoder *enc, Tensor *x, Dropouts drop, const EncoderControl *control,
                     EncoderOutput *out);

/* The loss of guided heads of a pass that was recorded (lal/heads/guidance.h), [1, 1]; NULL where none is guided, or
 * with the tape's error. targets [plan.n_guides] of head_plan_targets for the batch. Empty rows of heads with a mask
 * are skipped. */
Tensor *encoder_guidance(const Forward *f, const Encoder *enc, const EncoderOutput *out, const GuidanceTargets *targets,
                         GuidanceNorm norm, GuidanceEmptyRow empty, double sentences);
/* The expected number of open hard-concrete gates of all layers, [1, 1]; NULL where there are none, or with the tape's
 * error. */
Tensor *encoder_gate_penalty(const Forward *f, const Encoder *enc);
