/* lal/encoder.h
 * N layers of self-attention and feed-forward, then (with use_lal) the label attention layer and its feed-forward. */
#ifndef LAL_LAL_ENCODER_H
#define LAL_LAL_ENCODER_H

#include "lal/label_attention.h"

enum { MAX_LAYERS = 48 };

typedef struct EncoderConfig {
    int d_model, n_layers, n_heads, d_kv, d_ff;
    bool partitioned;
    bool use_lal, lal_pwff;
    LabelAttentionConfig lal; /* used if use_lal */
} EncoderConfig;

typedef struct Encoder {
    EncoderConfig c;
    SelfAttention attn[MAX_LAYERS];
    FeedForward ff[MAX_LAYERS];
    LabelAttention lal;
    FeedForward lal_ff;
    int width;         /* D: of a token's final vector */
    int *fence_source; /* [width] column of the final vector behind each column of a fencepost vector */
} Encoder;

/* Has the model label heads that can be told apart, each with a query of its own? What lal/attribution.h explains. */
static inline bool encoder_has_label_heads(const EncoderConfig *c)
{
    return c->use_lal && !c->lal.combine_as_self && !c->lal.q_as_matrix;
}
#define NO_LABEL_HEADS                                                                                          \
    "the model has no label heads with a query of their own, expected use_lal without lal_combine_as_self and " \
    "lal_q_as_matrix"

/* Parameters are named encoder.attn_{l}.*, encoder.ff_{l}.*; the label attention layer is l = n_layers. */
Status encoder_declare(Encoder *enc, ParamSet *ps, EncoderConfig c, Error *e);
void encoder_init(const Encoder *enc, ParamSet *ps, unsigned long seed);
void encoder_fini(Encoder *enc);

typedef struct EncoderOutput {
    SelfAttentionTrace attention[MAX_LAYERS];
    Tensor *layer[MAX_LAYERS];     /* [tokens, d_model] behind each self-attention layer */
    Tensor *contextual;            /* the last of them */
    LabelAttentionTrace trace;     /* all NULL without LAL */
    Tensor *lal;                   /* [tokens, D] before the LAL feed-forward; NULL without LAL */
    Tensor *lal_hidden[MAX_PARTS]; /* activations of that feed-forward, by part; NULL without */
    Tensor *word;                  /* [tokens, D] final token vectors */
    Tensor *fencepost;             /* [tokens - n_sent, D] */
} EncoderOutput;

/* x [tokens, d_model]. head_gates: NULL, or factors on the contexts of all attention heads, layer by layer, label heads
 * last; not while recording. On failure out->fencepost is NULL and the tape holds the error. */
void encoder_forward(const Forward *f, const Encoder *enc, Tensor *x, Dropouts drop, const Real *head_gates,
                     EncoderOutput *out);

#endif
