/* Vectors of tokens from a pretrained encoder over pieces (pretrained_encoder.h): the mean of the rows of a token's
 * pieces in the last layer, or in a learned combination of all layers (Peters et al. 2018, without their softmax),
 * projected to the content part of a token's vector (Mrini et al. 2020, code). */
#pragma once

#include "embeddings/piece_batch.h"
#include "embeddings/pretrained_encoder.h"

enum { PRETRAINED_PASS = 1024 }; /* pieces that any batch may read in one pass */

typedef struct WordEncoderConfig {
    PretrainedConfig encoder; /* n_layers: the lowest of a published encoder, maybe not all; d_model 0: none */
    bool mix;                 /* a factor for the embedding and for each layer, at first 0, and 1 for the last one */
    double dropout;           /* dropout of the token's vector before the projection, by sentence (feature dropout) */
    const EncoderOptions *options; /* checked, borrowed: projected attention beside its layers; NULL: none */
} WordEncoderConfig;

/* The parameters of the encoder, pretrained.mix_{l} [1] with l = 0 for its embedding, project_pretrained.weight
 * [encoder.d_model, d]. */
typedef struct WordEncoder {
    WordEncoderConfig c;
    PretrainedEncoder encoder;
    int mix[PRETRAINED_LAYERS_MOST + 1];
    int project;
} WordEncoder;

/* ERR_CONFIG, ERR_NOMEM. */
Status word_encoder_declare(WordEncoder *we, ParamSet *ps, WordEncoderConfig config, int d, Error *error);
/* Values of a new model; the encoder's are read (pretrained_encoder_read) or copied, and stay as they are. */
void word_encoder_init(const WordEncoder *we, ParamSet *ps, unsigned long seed);
/* The largest number of pieces that a batch with this number of tokens reads in one pass. Ordinary text has one or two
 * pieces a token. */
static inline int word_encoder_most(int tokens) { return tokens > PRETRAINED_PASS / 3 ? 3 * tokens : PRETRAINED_PASS; }
/* [tokens, d] for the tokens of forward->batch. A batch with more pieces than word_encoder_most is read in several
 * passes, of as many pieces as it has tokens or PRETRAINED_PASS, unless they are recorded or the tape trains: memory
 * then grows with the tokens, however many pieces they have. NULL with the tape's error set. out: of the encoder, empty
 * after several passes; may be NULL. */
Tensor *word_encoder_forward(const Forward *forward, const WordEncoder *we, const PieceBatch *pieces,
                             PretrainedOutput *out);
/* encoder_guidance (lal/encoder.h) for the plan's layers of pieces. */
Tensor *word_encoder_guidance(const Forward *forward, const HeadPlan *plan, const PretrainedOutput *out,
                              const PieceBatch *pieces, const GuidanceTargets *targets, GuidanceNorm norm,
                              GuidanceEmptyRow empty, double sentences);
