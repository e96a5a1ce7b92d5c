/* Sentences as the network takes them: index arrays over all tokens of a batch, START and STOP included. */
#pragma once

#include "base/arena.h"
#include "lal/encoder.h"
#include "parser/model/lexicon.h"
#include "treebank/tree.h"

/* One sentence to parse. tags may be NULL; given tags are used as input (if the model has tag input) and kept in the
 * output. */
typedef struct ParseInput {
    int n_words;
    const char *const *words, *const *tags;
    const bool *space_before; /* [n_words] whether the text has a blank before the word; NULL: unknown */
    /* A parse of the same words, which masks are made from; NULL: the one that the model's syntax.source makes in a
     * first pass, if it makes one, else none. The pieces of a long sentence have none of these, and get their own in a
     * first pass. Words and tags of it are not read. */
    const Sentence *parse;
    const struct Given *given; /* what the tree must have (parser/parse/given.h); NULL: nothing */
} ParseInput;

/* The words of a sentence, nothing else of it. */
static inline ParseInput parse_input(const Sentence *sentence)
{
    return (ParseInput){ .n_words = sentence->n_words, .words = (const char *const *)sentence->words };
}
/* The words of the first n sentences, [n], freed with mem_free; parses: with the sentences as their parses. NULL: out
 * of memory. */
ParseInput *batch_inputs(const Treebank *tb, int n, bool parses);

typedef struct BatchSentence {
    int n; /* words */
    const char *const *words;
    const int *tags;           /* [n] numbers of tags, or NULL; numbers below N_RESERVED (also -1) are unknown tags */
    const TextParts *parts;    /* of a text of several sentences, which masks read, or NULL */
    const SourceWords *source; /* of a sentence of pieces, which patterns of heads read; or NULL */
    int treebank;              /* number of the treebank, 0: unknown */
    uint64_t unknown_key;      /* training: key of the random draws that make words unknown; 0: no draws */
} BatchSentence;

typedef struct PackedBatch {
    Batch batch;
    TokenInputs in;
    int *sentence_of;       /* [tokens] */
    EncoderControl control; /* what acts on the heads: nothing, until head_inputs_control has made it */
} PackedBatch;

/* Packs n sentences; everything lies in the arena. With an unknown_key, a word that was seen c times in training is
 * made unknown with probability z / (z + c) (option `unknown`). ERR_NOMEM. */
Status batch_pack(Lexicon *lexicon, const BatchSentence *sentences, int n, double z, Arena *arena, PackedBatch *out,
                  Error *error);
