/* What the network of a parser has on top of the encoder (Mrini et al. 2020, section 4): scorers of joint spans, of
 * biaffine arcs, of tags, and of what else is said of words. It is Network.own of TASK_PARSE. */
#pragma once

#include "cky/arc_score.h"
#include "cky/span_score.h"
#include "parser/model/analysis.h"
#include "parser/model/categories.h"
#include "parser/model/network.h"

typedef struct ParseNetworkConfig {
    int d_label_hidden, n_labels;
    ArcConfig arc;            /* d is filled in */
    int d_tag_hidden, n_tags; /* of the tagger; d_tag_hidden 0: none */
    Categories categories;    /* with lal_linked, whose heads are the first ones; else n is 0 */
    const Analysis *analysis; /* whose values are scored from the tagger's hidden layer; NULL: none */
    int n_analyses;           /* values of it */
} ParseNetworkConfig;

typedef struct ParseNetwork {
    ParseNetworkConfig c;
    SpanScorer span;
    ArcScorer arc;
    int tag_w1, tag_b1, tag_w2, tag_b2; /* f_tag.0, f_tag.1 (norm), f_tag.3 on the contextual vectors */
    Norm tag_norm;
    int analysis_w, analysis_b; /* f_analysis */
} ParseNetwork;

/* What it scores: NetworkOutput.own of TASK_PARSE. Of an encoder that ends with words (EncoderControl.words_alone) tags
 * and words alone; all else is zero. */
typedef struct ParseScores {
    Tensor *g; /* [rows, d_label_hidden] projected fenceposts */
    ArcFeatures arc;
    Tensor *tags;  /* [tokens, n_tags] or NULL */
    Tensor *words; /* [tokens, n_analyses] or NULL */
} ParseScores;

static inline const ParseNetwork *parse_network(const Network *net) { return net->own; }
static inline const ParseScores *parse_scores(const NetworkOutput *out) { return out->own; }

/* The category of phrases that label head `head`, numbered as before pruning, is linked to (lal_linked): "NP"; NULL:
 * none. Any model has an answer. */
const char *parse_head_category(const struct Model *model, int head);
/* Is that category in the chain of the label? */
bool parse_head_names(const struct Model *model, int head, int label);

/* Task.configure, .declare, .init, .readers and .forward of TASK_PARSE. */
Status parse_network_configure(const struct Model *model, NetworkConfig *config, Arena *arena, Error *error);
Status parse_network_declare(Network *net, ParamSet *ps, Error *error);
void parse_network_init(const Network *net, ParamSet *ps, unsigned long seed);
int parse_network_readers(const Network *net, EncoderReader out[TASK_READERS]);
void parse_network_forward(const Forward *forward, const Network *net, NetworkOutput *out);
