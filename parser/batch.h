/* parser/batch.h
 * Sentences as the network takes them: index arrays over all tokens of a batch, START and STOP included. */
#ifndef LAL_PARSER_BATCH_H
#define LAL_PARSER_BATCH_H

#include "base/arena.h"
#include "lal/encoder.h"
#include "parser/lexicon.h"

typedef struct BatchSentence {
    int n; /* words */
    const char *const *words;
    const int *tags;      /* [n] numbers of tags, or NULL; numbers below N_RESERVED (also -1) are unknown tags */
    int treebank;         /* number of the treebank, 0: unknown */
    uint64_t unknown_key; /* training: key of the random draws that make words unknown; 0: no draws */
} BatchSentence;

typedef struct PackedBatch {
    Batch batch;
    TokenInputs in;
    int *sentence_of;       /* [tokens] */
    EncoderControl control; /* what acts on the heads: nothing, until head_inputs_control has made it */
} PackedBatch;

/* Packs n sentences; everything lies in the arena. With an unknown_key, a word that was seen c times in training is
 * made unknown with probability z / (z + c) (option `unknown`). ERR_NOMEM. */
Status batch_pack(Lexicon *l, const BatchSentence *sentences, int n, double z, Arena *a, PackedBatch *out, Error *e);

#endif
