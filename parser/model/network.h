/* The whole network, from token indices to scores and losses, without vocabularies or files. */
#pragma once

#include "embeddings/token_embedding.h"
#include "lal/encoder.h"
#include "parser/task/task.h"

typedef struct NetworkConfig {
    const Task *task; /* whose scorers the network has */
    EmbeddingConfig embedding;
    EncoderConfig encoder;
    Dropouts dropout;
    const void *own; /* what the task adds (Task.configure) */
} NetworkConfig;

typedef struct Network {
    NetworkConfig c;
    TokenEmbedding embedding;
    Encoder encoder;
    void *own; /* [Task.own_bytes] the task's scorers; only the task and what is made for its models read it */
} Network;

/* Declares all parameters in ps (which the caller finishes), then network_init may fill them. network_fini is needed
 * after failure too. */
Status network_declare(Network *net, ParamSet *ps, NetworkConfig config, Error *error);
void network_init(const Network *net, ParamSet *ps, unsigned long seed);
void network_fini(Network *net);

/* Calls take(context, gates) for each layer that has gates: of the encoder (LayerId), then of the decoder. */
void network_gates(const Network *net, void (*take)(void *context, const HeadGate *gates), void *context);

/* The decoder of a task that has one (Task.decoder), else one without layers. lal/decoder.h has its type. */
struct Decoder *network_decoder(const Network *net);
/* The lists of patterns that guide heads, of the encoder and of the decoder. */
int network_guides(const Network *net);

typedef struct NetworkOutput {
    uint64_t gate_key;           /* of the control of the pass */
    const uint64_t *source_keys; /* of the control of the pass */
    PretrainedOutput pretrained; /* what the pretrained encoder gives, if there is one */
    Tensor *embedding;           /* [tokens, d_model] */
    EncoderOutput encoder;
    void *own; /* what the task scores, in the tape's memory; NULL: nothing, or a failure */
} NetworkOutput;

/* control: what acts on the heads (encoder_forward), or NULL. A network that is a pretrained encoder and nothing else
 * gives `pretrained` alone. Status of the tape. */
Status network_forward(const Forward *forward, const Network *net, const TokenInputs *in, const EncoderControl *control,
                       NetworkOutput *out);

/* What a sentence is trained on, as the task has it. */
typedef struct Gold {
    const void *own;
} Gold;

/* The parts of the loss: first the parts of the task, then the parts that any task may have. */
enum {
    LOSS_GUIDANCE = TASK_LOSSES, /* the guidance loss (lal/heads/guidance.h) */
    LOSS_GATES,                  /* the expected number of open gates (lal/heads/head_gate.h) */
    LOSS_PARTS
};

/* Sums over the batch, without weights. */
typedef struct LossParts {
    double part[LOSS_PARTS];
    int delta;  /* sum of the augmentations (cky/margin_loss.h) */
    int soft;   /* sentences with soft targets */
    double sum; /* the loss: the parts times their weights, added up */
} LossParts;

/* What the parts are multiplied by in the loss. A part of weight 0 is not computed. */
typedef struct LossWeights {
    double part[LOSS_PARTS];
    double guided_sentences;        /* sentences of all sub-batches, over which the guidance loss is averaged */
    const GuidanceTargets *targets; /* what head_plan_targets and head_plan_piece_targets gave */
    const PieceBatch *pieces;       /* the pieces of the batch; read where the model has a pretrained encoder */
    GuidanceNorm guidance_norm;
    GuidanceEmptyRow empty_row;
    double soft_cut;  /* the cut of tree_loss */
    double smoothing; /* of op_cross_entropy, where a task has one */
} LossWeights;

/* The weighted sum of the parts, [1, 1]. *parts waits for the device. */
Tensor *network_loss(const Forward *forward, const Network *net, const NetworkOutput *out, const Gold *gold,
                     const LossWeights *loss_weights, Arena *scratch, LossParts *parts);
