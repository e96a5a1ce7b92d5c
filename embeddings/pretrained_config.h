/* config.json of a pretrained encoder: its architecture and sizes. Files are from Hugging Face transformers: BERT
 * (Devlin et al. 2019), MPNet (Song et al. 2020) and XLNet (Yang et al. 2019). */
#pragma once

#include "base/error.h"
#include "base/text.h"

typedef enum PretrainedKind { PRETRAINED_BERT, PRETRAINED_MPNET, PRETRAINED_XLNET } PretrainedKind;

/* XLNet takes sequences of any length. Attention over n pieces has n^2 weights for each head, so longer sequences are
 * read in windows of the length that the published models were trained with. */
enum { PRETRAINED_XLNET_PIECES = 512 };

typedef struct PretrainedConfig {
    PretrainedKind kind;
    int n_layers, n_heads;
    int d_model; /* n_heads * d_head */
    int d_head, d_ff;
    int n_pieces;    /* rows of the table of pieces; a vocabulary may have fewer */
    int n_positions; /* rows of the table of positions; 0 for XLNet, which has none */
    int most_pieces; /* most pieces of one sequence, the first and last piece included; 0: no limit (no file) */
    int n_types;     /* rows of the table of token types, BERT; of which row 0 is used; else 0 */
    int n_buckets;   /* buckets of relative positions, MPNet; else 0 */
    double norm_eps; /* eps of layer norms, inside the root */
    double dropout, attention_dropout; /* in training: of layers' outputs, of attention probabilities */
} PretrainedConfig;

/* "bert", "mpnet" or "xlnet", as model_type has them. */
const char *pretrained_config_kind(PretrainedKind kind);
/* ERR_IO, ERR_FORMAT with line and column: an unknown architecture, a key that is missing, a value out of range, and
 * variants that are not built: another activation than gelu (erf), relative positions in BERT, decoders, XLNet with
 * attn_type uni, same_length, bi_data, clamp_len or tied position biases. ERR_NOMEM. */
Status pretrained_config_read(PretrainedConfig *config, const char *path, Error *error);
/* pretrained_config_read from memory; `path` is for messages. */
Status pretrained_config_parse(PretrainedConfig *config, StrView text, const char *path, Error *error);
/* Appends the configuration as a config.json, an object on one line. */
void pretrained_config_write(const PretrainedConfig *config, StrBuf *out);
