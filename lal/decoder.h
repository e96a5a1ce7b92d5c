/* The decoder of a model that writes text (Vaswani et al. 2017): layers of self-attention to the tokens that are
 * written, of attention to the vectors of the source, and of feed-forward, each with a residual connection and a norm
 * after it (LAYERS_PLAIN). A batch of outputs has as many sentences as the batch of their sources. */
#pragma once

#include "lal/heads/head_gate.h"
#include "lal/heads/head_plan.h"
#include "lal/transformer.h"

enum { DECODER_LAYERS_MOST = 48 };

typedef struct DecoderConfig {
    int d, n_layers, n_heads, d_kv, d_ff; /* d: also the width of the vectors of the source; n_layers 0: no decoder */
    const EncoderOptions *options;        /* checked, borrowed; NULL: none */
    const int *lower; /* borrowed: numbers of pieces in lower case (WrittenText), which match_token reads; or NULL */
    /* [DECODER_STACKS * n_layers] heads that pruning has left in each layer of self-attention, then of attention to the
     * source, ascending; NULL: all. decoder_declare alone reads it */
    const HeadNumbers *kept;
} DecoderConfig;

/* Attention to the source: <prefix>.w_q, .b_q [d, heads * w], <prefix>.w_kv, .b_kv [d, 2 * heads * w] (columns: keys of
 * all heads, values), <prefix>.proj.weight [heads * w, d] and .bias, <prefix>.layer_norm. A layer without heads,
 * all pruned, has its norm and its output's biases alone. */
typedef struct CrossAttention {
    int heads, q, q_bias, kv, kv_bias, proj, proj_bias;
    Norm norm;
} CrossAttention;

typedef struct Decoder {
    DecoderConfig c;
    SelfAttention self[DECODER_LAYERS_MOST];
    CrossAttention cross[DECODER_LAYERS_MOST];
    FeedForward ff[DECODER_LAYERS_MOST];
    int *head[DECODER_STACKS][DECODER_LAYERS_MOST]; /* [decoder_heads] numbers before pruning */
    HeadPlan plan[DECODER_STACKS];                  /* masks and guided heads */
    HeadGate gate[DECODER_STACKS][DECODER_LAYERS_MOST];
    bool gated[DECODER_STACKS]; /* the layers of the stack that have heads have gates */
    int *numbers;               /* the memory of head */
} Decoder;

/* decoder.self_{l}.*, decoder.cross_{l}.*, decoder.ff_{l}.*. ERR_CONFIG, ERR_NOMEM; decoder_fini must be called also
 * after an error. */
Status decoder_declare(Decoder *dec, ParamSet *ps, DecoderConfig config, Error *error);
void decoder_init(const Decoder *dec, ParamSet *ps, unsigned long seed);
void decoder_fini(Decoder *dec);

/* How many heads pruning has left in a layer. */
static inline int decoder_heads(const Decoder *dec, DecoderStack stack, int layer)
{
    return stack == DECODER_SELF ? dec->self[layer].heads : dec->cross[layer].heads;
}
/* The gates of a layer; NULL: it has none. */
static inline const HeadGate *decoder_gate(const Decoder *dec, DecoderStack stack, int layer)
{
    return dec->gated[stack] && decoder_heads(dec, stack, layer) > 0 ? &dec->gate[stack][layer] : NULL;
}
/* The expected number of open hard-concrete gates, [1, 1]; NULL where there are none, or with the tape's error. */
Tensor *decoder_gate_penalty(const Forward *forward, const Decoder *dec);

/* What acts on the heads, [n_layers] each; NULL: what the options say. `causal` of self-attention is not read, nor are
 * gates where the layer has its own. */
typedef struct DecoderControl {
    const HeadControl *self, *cross;
    Tensor *weights; /* of fixed heads of `self` (head_plan_weights), made with it; NULL: none has any */
    /* [outputs] the number of pieces of each, after START, then the pieces, by which masks of self-attention are made;
     * NULL: it has none */
    const int *const *written;
    uint64_t gate_key; /* the key by which gates are drawn in training */
    /* NULL, or factors on the contexts of all heads, self-attention layer by layer, then attention to the source, in
     * host memory. They come in addition to gates, which then pass no gradient on */
    const Real *factors;
} DecoderControl;

typedef struct DecoderOutput {
    SelfAttentionTrace self[DECODER_LAYERS_MOST], cross[DECODER_LAYERS_MOST]; /* probs: of op_cross_attention */
    Tensor *hidden;                                                           /* [tokens, d] */
} DecoderOutput;

/* The vectors of the source as the layers read them. */
typedef struct DecoderSource {
    const Batch *batch;
    const uint64_t *keys;            /* head_plan_source_keys of plan[DECODER_CROSS]; NULL: no masks */
    Tensor *kv[DECODER_LAYERS_MOST]; /* [tokens of the source, 2 * heads * w]; NULL of a layer without heads */
} DecoderSource;
/* x [tokens of the batch, d]. The batch and keys, or NULL, are borrowed. false: the tape has the error. */
bool decoder_source(const Forward *forward, const Decoder *dec, Tensor *x, const Batch *batch, const uint64_t *keys,
                    DecoderSource *out);

/* Whole outputs, the tokens of forward->batch: y [tokens, d] -> out->hidden, NULL with the tape's error. A token sees
 * itself and the tokens before it. control may be NULL. */
void decoder_forward(const Forward *forward, const Decoder *dec, Tensor *y, const DecoderSource *source, Dropouts drop,
                     const DecoderControl *control, DecoderOutput *out);

/* The loss of guided heads in a pass that was recorded (encoder_guidance), the tokens of forward->batch, of these
 * outputs (DecoderControl.written). */
Tensor *decoder_guidance(const Forward *forward, const Decoder *dec, const DecoderOutput *out,
                         const int *const *written, GuidanceNorm norm, GuidanceEmptyRow empty, double sentences);

/* The keys and values of the tokens that are written, of outputs of one length. */
typedef struct DecoderCache {
    int length;                      /* tokens of each output */
    Tensor *kv[DECODER_LAYERS_MOST]; /* [outputs, length * 2 * heads * w]; NULL of a layer without heads */
} DecoderCache;
/* One more token for each output, while the tape does not record: y [outputs, d], the tokens of forward->batch, whose
 * sentences are the sources, with any number of outputs each. parent [outputs]: the number that each output had in
 * `before`, whose tensors are of another tape (length 0: nothing is written). after gets the cache with the new tokens.
 * written [outputs]: as in DecoderControl. Returns [outputs, d], which is what decoder_forward gives for the last
 * tokens; NULL with the tape's error. */
Tensor *decoder_step(const Forward *forward, const Decoder *dec, Tensor *y, const DecoderSource *source,
                     const int *parent, const int *const *written, const DecoderCache *before, DecoderCache *after);

/* Makes the masks that `on` lacks. queries: the last tokens of each output, which query self-attention; the tokens of
 * forward->batch query attention to the source. false: the tape has the error. */
bool decoder_masks(const Forward *forward, const Decoder *dec, const DecoderSource *source, const Batch *queries,
                   DecoderControl *on);
