/* The decoder on whole translations: in training, in checks, and for what reads its attention. */
#pragma once

#include "lal/decoder.h"
#include "parser/model/network.h"

/* The decoder on the gold translations of a batch, START before each: a token for each piece that is scored. */
typedef struct TranslatePass {
    Batch batch;
    Tensor *embedding; /* [tokens, d_model] */
    DecoderOutput decoder;
    Tensor *scores;  /* [tokens, pieces] of the next piece */
    const int *gold; /* [tokens] the next piece, STOP at the end */
} TranslatePass;

/* After a forward pass over the sources, as the tokens of forward->batch; labels[s] as of pair_data_labels. control
 * NULL: gates by the key of that pass; masks are made in either case. false with the tape's error. */
bool translate_pass(const Forward *forward, const Network *net, const NetworkOutput *out, const int *const *labels,
                    const DecoderControl *control, TranslatePass *pass);
/* The smoothed cross-entropy, [1, 1], and in *nll the one without smoothing. NULL with the tape's error. */
Tensor *translate_loss(const Forward *forward, const TranslatePass *pass, double smoothing, Tensor **nll);

/* The guidance loss of the decoder's heads, [1, 1]; NULL where none is guided, or with the tape's error. */
Tensor *translate_guidance(const Forward *forward, const Network *net, const TranslatePass *pass,
                           const int *const *labels, const LossWeights *weights);

/* The table that embeds pieces and scores them. */
Tensor *translate_table(const Forward *forward, const Network *net);
