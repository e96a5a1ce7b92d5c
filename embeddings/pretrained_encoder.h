/* Pretrained encoders over word pieces, as compositions on the tape: BERT (Devlin et al. 2019), MPNet (Song et al.
 * 2020) and the content stream of XLNet (Yang et al. 2019). All have norms after the residual connections, GELU with
 * erf, and biases in their linear maps, except for XLNet's attention.
 *   BERT   x = norm(piece + position + type 0); layers of lal/transformer.h
 *   MPNet  x = norm(piece + position); the same layers; a table of biases by distance, shared by all layers, is added
 *          to the scaled logits of attention
 *   XLNet  x = piece; logits ((q_i + r_w) k_j + (q_i + r_r) (R_{i-j} W_r)) / sqrt(d_head), R_d = [sin; cos] of
 *          d / 10000^(2u / d_model), u = 0 .. d_model / 2 - 1 (Dai et al. 2019)
 * Beside a layer there may be projected attention (lal/projected_attention.h), as in Li et al. 2022, appendix A. */
#pragma once

#include "embeddings/pretrained_config.h"
#include "lal/heads/encoder_options.h"
#include "lal/projected_attention.h"
#include "lal/transformer.h"
#include "tensor/safetensors_set.h"

enum { PRETRAINED_LAYERS_MOST = 48 };

/* What XLNet's attention has instead of SelfAttention's biases: w_r [d_model, heads * d_head], r_w and r_r [1, heads *
 * d_head]. */
typedef struct RelativeAttention {
    int w_r, r_w, r_r;
} RelativeAttention;

typedef struct Pretrained {
    PretrainedConfig c;
    int piece, position, type, distance; /* tables; -1: none */
    Norm norm;                           /* norm of the embedding; BERT, MPNet */
    SelfAttention attn[PRETRAINED_LAYERS_MOST];
    RelativeAttention relative[PRETRAINED_LAYERS_MOST]; /* XLNet */
    FeedForward ff[PRETRAINED_LAYERS_MOST];
    ProjectedAttention pal[PRETRAINED_LAYERS_MOST]; /* beside the layers of has_pal */
    bool has_pal[PRETRAINED_LAYERS_MOST];
    PalAt pal_at;
} PretrainedEncoder;

/* Parameters pretrained.{piece,position,type,distance}.weight, pretrained.layer_norm, pretrained.attn_{l}.* and
 * pretrained.ff_{l}.* (lal/transformer.h), pretrained.attn_{l}.{w_r,r_w,r_r}. ERR_CONFIG, ERR_NOMEM. */
Status pretrained_encoder_declare(PretrainedEncoder *pe, ParamSet *ps, PretrainedConfig config, Error *error);
/* Adds the projected attention of options->pal beside options->pal.pretrained_layers: pretrained.pal_{l}.*. Its
 * attention has the dropout of the encoder's, its output has none. ERR_CONFIG, ERR_NOMEM. */
Status pretrained_encoder_declare_pal(PretrainedEncoder *pe, ParamSet *ps, const EncoderOptions *options, Error *error);
/* Sets the first values of the projected attention (lal/projected_attention.h). With them the encoder computes the same
 * as without projected attention. */
void pretrained_encoder_init_pal(const PretrainedEncoder *pe, ParamSet *ps, double std, unsigned long seed);

/* Copies the feed-forward layers, with their norms, of all layers of pe, with pe->c.d_ff of the wide->c.d_ff hidden
 * units of each; both have values, and pe has otherwise the sizes of `wide`, with as many layers or fewer. No data are
 * read: the input of a layer comes out of a norm with scale g and shift b, so it is taken as g_i z_i + b_i, z_i
 * independent of mean 0 and variance 1. Then unit j has, before its activation, mean and deviation
 *   mu_j = sum_i w1_ij b_i + b1_j, sigma_j = sqrt(sum_i (w1_ij g_i)^2),
 * and after it, with relu for gelu and a normal variable (P and p: distribution and density of mu / sigma),
 *   E = mu P + sigma p, V = (mu^2 + sigma^2) P + mu sigma p - E^2.
 * The units of the largest V_j |w2_j|^2 are kept, in their order; of equal ones the lower number. Of the others, E_j
 * w2_j is added to the bias b2. With all units the values stay as they are. ERR_NOMEM. */
Status pretrained_encoder_narrow(const PretrainedEncoder *wide, const ParamSet *from, const PretrainedEncoder *pe,
                                 ParamSet *ps, Error *error);

typedef struct PretrainedOutput {
    Tensor *hidden[PRETRAINED_LAYERS_MOST + 1]; /* [pieces, d_model] the embedding, then each layer; NULL after failure,
                                                and in a brief pass but for the last one */
    SelfAttentionTrace attention[PRETRAINED_LAYERS_MOST];
    Tensor *pal_probs[PRETRAINED_LAYERS_MOST]; /* weights of projected attention; NULL without it */
} PretrainedOutput;

/* The pieces of a batch of sequences, first and last piece included: piece [n_tokens], numbers of pieces below
 * n_pieces. A sequence may have c.most_pieces pieces at most (ERR_RANGE). Feature dropout by sequence is
 * not used: forward->sentence_of is not read. control may be NULL, or of n_layers layers, and then of the projected
 * attention beside each; its bias is not read. In training the backward pass ends at the output of the lowest layers
 * that are frozen with the tables. On failure the tape holds the error. */
void pretrained_encoder_forward(const Forward *forward, const PretrainedEncoder *pe, const int *piece,
                                const HeadControl *control, PretrainedOutput *out);

/* The bucket of MPNet for query minus key = distance (Raffel et al. 2020, section 2.1; 128 as the largest distance). */
int pretrained_encoder_bucket(int distance, int n_buckets);

/* A tensor of a file as it is published, and where its numbers are in the encoder: [rows, cols] of the file, transposed
 * or not, become the columns from `column` of parameter `param`. */
typedef struct PretrainedTensor {
    char name[96];
    int param, column, rows, cols;
    bool transposed;
} PretrainedTensor;
/* What an encoder takes of larger tables in files: the rows of the table of pieces, and the first rows of the table of
 * positions. */
typedef struct PretrainedPart {
    int n_pieces, n_positions; /* rows of the files */
    const int *piece;          /* [c.n_pieces] rising rows; NULL: the first ones */
} PretrainedPart;
enum { PRETRAINED_TENSORS_MOST = 32 };
/* The tensors of layer `layer`, or with layer = -1 those that belong to none, into list [PRETRAINED_TENSORS_MOST];
 * returns their number. */
int pretrained_encoder_tensors(const PretrainedEncoder *pe, const ParamSet *ps, int layer, PretrainedTensor *list);
/* Checks that the files have all tensors of the encoder in its shapes; with `part` not NULL, tables in the shapes of
 * the whole encoder. After pretrained_encoder_declare; no values are needed. So memory can be bounded by the size of
 * the files, whatever the configuration claims. Names and ERR_CONFIG as below. */
Status pretrained_encoder_check(const PretrainedEncoder *pe, const ParamSet *ps, const SafeTensorsSet *set,
                                const PretrainedPart *part, Error *error);
/* Reads all of them; names in the file may have the prefix "bert.", "mpnet." or "transformer.", and norms the older
 * names gamma and beta. ERR_CONFIG, naming the tensor, if one is missing or has another shape, ERR_NUMERIC, ERR_NOMEM.
 * ps has its values. */
Status pretrained_encoder_read(const PretrainedEncoder *pe, ParamSet *ps, const SafeTensorsSet *set,
                               const PretrainedPart *part, Error *error);
