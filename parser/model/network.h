/* parser/model/network.h
 * The whole network, from token indices to scores and losses, without vocabularies or files. */
#ifndef LAL_PARSER_MODEL_NETWORK_H
#define LAL_PARSER_MODEL_NETWORK_H

#include "cky/arc_score.h"
#include "cky/margin_loss.h"
#include "embeddings/token_embedding.h"
#include "lal/encoder_prune.h"
#include "parser/model/soft.h"

typedef struct NetworkConfig {
    EmbeddingConfig embedding;
    EncoderConfig encoder;
    ArcConfig arc; /* d is filled in */
    int d_label_hidden, n_labels;
    int d_tag_hidden, n_tags_out; /* tagging head; 0 = none */
    int n_classes;                /* of sentences; 0: none, else the network classifies, and has no other head */
    bool detects;                 /* the network finds replaced words, and has no other head */
    bool encodes;                 /* the network is the pretrained encoder of embedding.pretrained, nothing else */
    Dropouts dropout;
} NetworkConfig;

typedef struct Network {
    NetworkConfig c;
    TokenEmbedding embedding;
    Encoder encoder;
    SpanScorer span;
    ArcScorer arc;
    int tag_w1, tag_b1, tag_w2, tag_b2; /* f_tag.0, f_tag.1 (norm), f_tag.3 on the contextual vectors */
    Norm tag_norm;
    int class_w, class_b;       /* f_class: [D, n_classes] on the mean of the vectors of the words */
    int replaced_w, replaced_b; /* f_replaced: [D, 1] on the vector of each word */
} Network;

/* Declares all parameters in ps (which the caller finishes), then network_init may fill them. */
Status network_declare(Network *net, ParamSet *ps, NetworkConfig c, Error *e);
void network_init(const Network *net, ParamSet *ps, unsigned long seed);
void network_fini(Network *net);

/* The parameters that read the encoder's vectors (lal/encoder_prune.h); their number, at most NETWORK_READERS. */
enum { NETWORK_READERS = 5 };
int network_readers(const Network *net, EncoderReader out[NETWORK_READERS]);

typedef struct NetworkOutput {
    PretrainedOutput pretrained; /* of the pretrained encoder, if there is one */
    Tensor *embedding;           /* [tokens, d_model] */
    EncoderOutput encoder;
    Tensor *g; /* [rows, d_label_hidden] projected fenceposts */
    ArcFeatures arc;
    Tensor *tags; /* [tokens, n_tags_out] or NULL */
    /* Of a network that does not parse one of these; all above but embedding and encoder is NULL then. */
    Tensor *classes;  /* [n_sent, n_classes] scores */
    Tensor *replaced; /* [tokens, 1] log odds that a word was replaced; rows of START and STOP have no meaning */
} NetworkOutput;

/* control: what acts on the heads (encoder_forward), or NULL. Status of the tape. */
Status network_forward(const Forward *f, const Network *net, const TokenInputs *in, const EncoderControl *control,
                       NetworkOutput *out);

/* What a sentence is trained on; indices without a gold value are -1. */
typedef struct Gold {
    GoldTree tree;           /* n_nodes 0 = none */
    const int *heads;        /* [n] 1-based, 0 = root; NULL = none */
    const int *types;        /* [n] */
    const int *tags;         /* [n] or NULL */
    int class_id;            /* of the sentence; read where the network classifies */
    const int *replaced;     /* [n] 0 or 1; read where the network finds replaced words */
    const SoftTargets *soft; /* of a teacher, in place of tree, heads, types and tags; or NULL */
} Gold;

/* The parts of the loss. */
typedef enum LossPart {
    LOSS_SPAN, /* hinge */
    LOSS_HEAD, /* cross-entropies */
    LOSS_TYPE,
    LOSS_TAG,
    LOSS_GUIDANCE,  /* of guided heads (lal/heads/guidance.h) */
    LOSS_GATES,     /* the expected number of open gates (lal/heads/head_gate.h) */
    LOSS_CLASS,     /* cross-entropy of the class, where the network classifies; then the first four are 0 */
    LOSS_REPLACED,  /* logistic, a term for each word, where the network finds replaced words; the same */
    LOSS_SOFT_SPAN, /* the first four for soft targets, all of them cross-entropies (parser/model/soft_loss.h) */
    LOSS_SOFT_HEAD,
    LOSS_SOFT_TYPE,
    LOSS_SOFT_TAG,
    LOSS_PARTS
} LossPart;

/* Sums over the batch, without weights; delta: cky/margin_loss.h. */
typedef struct LossParts {
    double part[LOSS_PARTS];
    int delta;
    long words; /* of LOSS_REPLACED */
    int soft;   /* sentences with soft targets */
    double sum; /* of the parts with their weights, which is the loss */
} LossParts;

/* What the parts are multiplied by in the loss. A part of weight 0 is not computed. */
typedef struct LossWeights {
    double part[LOSS_PARTS];
    double guided_sentences;        /* the guidance loss is a mean over so many, those of all sub-batches */
    const GuidanceTargets *targets; /* of head_plan_targets and head_plan_piece_targets */
    const PieceBatch *pieces;       /* of the batch; read where the model has a pretrained encoder */
    GuidanceNorm guidance_norm;
    GuidanceEmptyRow empty_row;
    double soft_cut; /* of tree_loss */
} LossWeights;

/* Weights of the parser's own loss: scale * (hinge + 1/2 CE(head) + 1/2 CE(type) + tag_weight CE(tag)), and the same of
 * soft targets; of a classifier's: scale * CE(class); of replaced words: scale * their loss. */
LossWeights loss_weights(double scale, double tag_weight);

/* The weighted sum of the parts, [1, 1]. *parts waits for the device. */
Tensor *network_loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold,
                     const LossWeights *w, Arena *scratch, LossParts *parts);

#endif
