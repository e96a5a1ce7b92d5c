/* parser/network.h
 * The whole network, from token indices to scores and losses, without vocabularies or files. */
#ifndef LAL_PARSER_NETWORK_H
#define LAL_PARSER_NETWORK_H

#include "cky/arc_score.h"
#include "cky/margin_loss.h"
#include "embeddings/token_embedding.h"
#include "lal/encoder.h"

typedef struct NetworkConfig {
    EmbeddingConfig embedding;
    EncoderConfig encoder;
    ArcConfig arc; /* d is filled in */
    int d_label_hidden, n_labels;
    int d_tag_hidden, n_tags_out; /* tagging head; 0 = none */
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
} Network;

/* Declares all parameters in ps (which the caller finishes), then network_init may fill them. */
Status network_declare(Network *net, ParamSet *ps, NetworkConfig c, Error *e);
void network_init(const Network *net, ParamSet *ps, unsigned long seed);
void network_fini(Network *net);

typedef struct NetworkOutput {
    Tensor *embedding; /* [tokens, d_model] */
    EncoderOutput encoder;
    Tensor *g; /* [rows, d_label_hidden] projected fenceposts */
    ArcFeatures arc;
    Tensor *tags; /* [tokens, n_tags_out] or NULL */
} NetworkOutput;

/* control: what acts on the heads (encoder_forward), or NULL. Status of the tape. */
Status network_forward(const Forward *f, const Network *net, const TokenInputs *in, const EncoderControl *control,
                       NetworkOutput *out);

/* What a sentence is trained on; indices without a gold value are -1. */
typedef struct Gold {
    GoldTree tree;    /* n_nodes 0 = none */
    const int *heads; /* [n] 1-based, 0 = root; NULL = none */
    const int *types; /* [n] */
    const int *tags;  /* [n] or NULL */
} Gold;

typedef struct LossParts {
    double hinge, head, type, tag; /* sums over the batch */
    int delta;
} LossParts;

/* *parts waits for the device. scale * sum over sentences of (hinge + 1/2 CE(head) + 1/2 CE(type) + tag_weight
 * CE(tag)), [1, 1]. */
Tensor *network_loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold, double scale,
                     double tag_weight, Arena *scratch, LossParts *parts);

#endif
