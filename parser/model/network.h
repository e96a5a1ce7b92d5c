/* parser/model/network.h
 * The whole network, from token indices to scores and losses, without vocabularies or files. */
#pragma once

#include "cky/arc_score.h"
#include "cky/margin_loss.h"
#include "embeddings/token_embedding.h"
#include "lal/decoder.h"
#include "parser/model/analysis.h"
#include "parser/model/soft.h"
#include "parser/task/task.h"

typedef struct NetworkConfig {
    const Task *task; /* whose scorers the network has */
    EmbeddingConfig embedding;
    EncoderConfig encoder;
    DecoderConfig decoder; /* of a task that has one */
    ArcConfig arc;         /* d is filled in */
    int d_label_hidden, n_labels;
    int d_tag_hidden, n_tags_out; /* tagging head; 0 = none */
    const Analysis *analysis;     /* whose values are scored from the tagging head's hidden layer; NULL: none */
    int n_analyses;               /* values of it */
    int n_classes;                /* classes of sentences, where the task has them */
    Dropouts dropout;
} NetworkConfig;

typedef struct Network {
    NetworkConfig c;
    TokenEmbedding embedding;
    Encoder encoder;
    Decoder decoder;
    SpanScorer span;
    ArcScorer arc;
    int tag_w1, tag_b1, tag_w2, tag_b2; /* f_tag.0, f_tag.1 (norm), f_tag.3 on the contextual vectors */
    Norm tag_norm;
    int analysis_w, analysis_b; /* f_analysis */
    int linear_w, linear_b;     /* [D, n] for a task whose scores are one linear map (network_linear_declare) */
} Network;

/* Declares all parameters in ps (which the caller finishes), then network_init may fill them. */
Status network_declare(Network *net, ParamSet *ps, NetworkConfig c, Error *e);
void network_init(const Network *net, ParamSet *ps, unsigned long seed);
void network_fini(Network *net);

/* For tasks whose scores are one linear map of the encoder's vectors: linear_w and linear_b, called `name`, with n
 * columns. As Task.declare, init, readers and forward; scores [tokens, n]. */
Status network_linear_declare(Network *net, ParamSet *ps, const char *name, int n, Error *e);
void network_linear_init(const Network *net, ParamSet *ps, unsigned long seed);
int network_linear_readers(const Network *net, EncoderReader out[TASK_READERS]);
void network_linear_forward(const Forward *f, const Network *net, struct NetworkOutput *out);

/* Calls take(context, gates) for each layer that has gates: of the encoder (LayerId), then of the decoder. */
void network_gates(const Network *net, void (*take)(void *context, const HeadGate *gates), void *context);

/* The lists of patterns that guide heads, of the encoder and of the decoder. */
static inline int network_guides(const Network *net)
{
    return net->encoder.plan.n_guides + net->decoder.plan[DECODER_SELF].n_guides;
}

typedef struct NetworkOutput {
    uint64_t gate_key;           /* of the control of the pass */
    const uint64_t *source_keys; /* of the control of the pass */
    PretrainedOutput pretrained; /* what the pretrained encoder gives, if there is one */
    Tensor *embedding;           /* [tokens, d_model] */
    EncoderOutput encoder;
    Tensor *g; /* [rows, d_label_hidden] projected fenceposts, where the network parses */
    ArcFeatures arc;
    Tensor *tags;   /* [tokens, n_tags_out] or NULL */
    Tensor *words;  /* [tokens, n_analyses] or NULL */
    Tensor *scores; /* what another task scores, which says what it is */
} NetworkOutput;

/* control: what acts on the heads (encoder_forward), or NULL. A network that is a pretrained encoder and nothing else
 * gives `pretrained` alone. Status of the tape. */
Status network_forward(const Forward *f, const Network *net, const TokenInputs *in, const EncoderControl *control,
                       NetworkOutput *out);

/* What a sentence is trained on; indices without a gold value are -1. */
typedef struct Gold {
    GoldTree tree;           /* n_nodes 0 = none */
    const int *heads;        /* [n] 1-based, 0 = root; NULL = none */
    const int *types;        /* [n] */
    const int *tags;         /* [n] or NULL */
    const int *analysis;     /* of analysis_gold, or NULL */
    const SoftTargets *soft; /* a teacher's, in place of tree, heads, types and tags; or NULL */
    const int *labels;       /* gold of a task that does not parse, which says what they are; else NULL */
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
Tensor *network_loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold,
                     const LossWeights *w, Arena *scratch, LossParts *parts);
