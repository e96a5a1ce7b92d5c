/* N layers of self-attention and feed-forward, then (with use_lal) the label attention layer and its feed-forward. */
#pragma once

#include "lal/heads/head_gate.h"
#include "lal/heads/head_plan.h"
#include "lal/label_attention.h"
#include "lal/phrase_attention.h"
#include "lal/projected_attention.h"

enum { MAX_LAYERS = 48, ENCODER_HEAD_LAYERS = 2 * MAX_LAYERS };

typedef struct EncoderConfig {
    int d_model, n_layers, n_heads, d_kv, d_ff;
    bool partitioned;
    bool plain; /* LAYERS_PLAIN, and logits are divided by the root of a head's width; else LAYERS_LAL */
    bool use_lal, lal_pwff;
    LabelAttentionConfig lal;      /* read if use_lal */
    int d_phrase;                  /* values of a label head inside phrases (lal/phrase_attention.h); 0: none */
    bool phrases_alone;            /* and views of label heads are not added to the words, as they are in the paper */
    const EncoderOptions *options; /* checked (lal/heads/encoder_options.h), borrowed; NULL: none */
    /* [layer_count(n_layers)] heads that pruning has left in each layer, ascending; NULL: all. encoder_declare alone
     * reads it */
    const HeadNumbers *kept;
    bool shared_block; /* label heads that pruning has left out have one block of a token's vector in common */
    int pretrained_layers, pretrained_heads; /* the pretrained encoder below, which the plan covers, too; 0: none */
} EncoderConfig;

typedef struct Encoder {
    EncoderConfig c;
    SelfAttention attn[MAX_LAYERS];
    int *head[ENCODER_HEAD_LAYERS]; /* [encoder_heads] numbers before pruning, by which options name heads */
    FeedForward ff[MAX_LAYERS];
    LabelAttention lal;     /* without parameters unless encoder_has_blocks */
    PhraseAttention phrase; /* if c.d_phrase */
    /* [label_attention_blocks] the label head of each block of a token's vector, numbered as before pruning; -1: none.
     * NULL where the outputs of heads are not blocks */
    int *block_head;
    int *label_row; /* [label heads before pruning] encoder_head_row; NULL: none was pruned */
    FeedForward lal_ff;
    ProjectedAttention pal[MAX_LAYERS]; /* projected attention beside layer l, if has_pal[l] */
    bool has_pal[MAX_LAYERS];
    HeadPlan plan;                      /* masks and guided heads */
    HeadGate gate[ENCODER_HEAD_LAYERS]; /* gates of the layers that are gated */
    bool gated[ENCODER_HEAD_LAYERS];
    int *numbers;      /* the memory of head, block_head and label_row */
    int width;         /* D: the width of a token's final vector */
    int *fence_source; /* [width] the column of a token's vector that each column of a fencepost vector holds */
} Encoder;

static inline LayerPlace encoder_place(const Encoder *enc, LayerId layer)
{
    return layer_place(enc->c.n_layers, 0, layer);
}
/* How many heads a layer had before pruning. */
int encoder_heads_before(const Encoder *enc, LayerId layer);
/* How many heads of a layer pruning has left. */
static inline int encoder_heads(const Encoder *enc, LayerId layer)
{
    const LayerPlace at = encoder_place(enc, layer);
    if (at.stack == STACK_PAL) return enc->has_pal[at.l] ? enc->pal[at.l].heads : 0;
    return at.stack == STACK_SELF ? enc->attn[at.l].heads : enc->c.use_lal ? enc->lal.c.heads : 0;
}
/* Are token vectors made by the label attention of the paper? */
static inline bool encoder_has_blocks(const Encoder *enc) { return enc->c.use_lal && !enc->c.phrases_alone; }
/* Has the model separate label heads, each with a query of its own? lal/attribution.h explains only these. */
static inline bool encoder_has_label_heads(const Encoder *enc)
{
    const LabelAttentionConfig *c = &enc->c.lal;
    return enc->c.use_lal && enc->lal.c.heads > 0 && (enc->c.phrases_alone || (!c->combine_as_self && !c->q_as_matrix));
}
#define NO_LABEL_HEADS                                                                                          \
    "the model has no label heads with a query of their own, expected use_lal without lal_combine_as_self and " \
    "lal_q_as_matrix, and a head that pruning has left"

/* Column j of a fencepost vector is column fence_source[j] of the token before the fencepost (side 0) or after it (1).
 */
static inline int encoder_fence_side(const Encoder *enc, int j) { return j >= enc->width / 2; }
/* The block of each label head is cut into two halves of d_proj / 2 columns; fencepost vectors hold the first halves of
 * all blocks, then the second halves. These are the columns of value k of a half of block b, in a token's vector and in
 * a fencepost's. */
static inline int encoder_token_column(const Encoder *enc, int side, int b, int k)
{
    return b * enc->c.lal.d_proj + side * (enc->c.lal.d_proj / 2) + k;
}
static inline int encoder_fence_column(const Encoder *enc, int side, int b, int k)
{
    return (side * label_attention_blocks(&enc->lal.c) + b) * (enc->c.lal.d_proj / 2) + k;
}

/* Where head `head` of a layer, numbered as before pruning, is among the heads of the layer; -1: it was pruned. */
int encoder_head_row(const Encoder *enc, LayerId layer, int head);

/* Are the gates of label heads factors on their outputs (gates.label_at)? */
bool encoder_gates_outputs(const Encoder *enc);

/* Declares parameters encoder.attn_{l}.*, encoder.ff_{l}.*, encoder.pal_{l}.*; the label attention layer is l =
 * n_layers. ERR_CONFIG, ERR_NOMEM; encoder_fini must be called also after an error. */
Status encoder_declare(Encoder *enc, ParamSet *ps, EncoderConfig config, Error *error);
void encoder_init(const Encoder *enc, ParamSet *ps, unsigned long seed);
void encoder_fini(Encoder *enc);

/* attention and layer are NULL in a brief pass. */
typedef struct EncoderOutput {
    SelfAttentionTrace attention[MAX_LAYERS];
    Tensor *pal_probs[MAX_LAYERS]; /* [heads, pairs] of projected attention; NULL without, or unless the tape records */
    Tensor *layer[MAX_LAYERS];     /* [tokens, d_model] after each self-attention layer */
    Tensor *contextual;            /* the last `layer`, or x */
    LabelAttentionTrace trace;     /* all NULL without label attention; probs also of attention inside phrases alone */
    Tensor *lal;                   /* [tokens, D] outputs of label attention, or NULL */
    Tensor *lal_hidden[MAX_PARTS]; /* activations of the feed-forward after it, by part; NULL without one */
    Tensor *word;                  /* [tokens, D] final token vectors */
    Tensor *fencepost;             /* [tokens - n_sent, D] */
    PhraseTrace phrase_trace;      /* all NULL without attention inside phrases */
    Tensor *phrase;                /* [tokens - n_sent, heads * d_phrase] its sums, or NULL */
} EncoderOutput;

/* What acts on the heads in one pass. */
typedef struct EncoderControl {
    const HeadControl *layer;    /* [layer_count] what head_plan_control gave; NULL: no masks. Its gates are not read */
    uint64_t gate_key;           /* the key by which gates are drawn in training */
    const uint64_t *source_keys; /* of a decoder's heads: DecoderSource.keys of the batch; not read by the encoder */
    /* NULL, or factors on the contexts of all heads of self-attention, layer by layer, and of all label heads, in host
     * memory. They come in addition to gates, which then pass no gradient on */
    const Real *factors;
    bool words_alone; /* ends with `contextual`; what comes after it is NULL, `fencepost` too */
} EncoderControl;

/* x [tokens, d_model]; control may be NULL. On failure out->fencepost is NULL and the tape holds the error. */
void encoder_forward(const Forward *forward, const Encoder *enc, Tensor *x, Dropouts drop,
                     const EncoderControl *control, EncoderOutput *out);

/* The loss of guided heads in a pass that was recorded (lal/heads/guidance.h), [1, 1]; NULL where none is guided, or
 * with the tape's error. targets [plan.n_guides] are what head_plan_targets gave for the batch. Empty rows of heads
 * with a mask are skipped. */
Tensor *encoder_guidance(const Forward *forward, const Encoder *enc, const EncoderOutput *out,
                         const GuidanceTargets *targets, GuidanceNorm norm, GuidanceEmptyRow empty, double sentences);
/* The expected number of open hard-concrete gates in all layers, [1, 1]; NULL where there are none, or with the tape's
 * error. */
Tensor *encoder_gate_penalty(const Forward *forward, const Encoder *enc);
