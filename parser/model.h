/* parser/model.h
 * A model: configuration, vocabularies, network and weights. Once made it is only read, so threads share it. */
#ifndef LAL_PARSER_MODEL_H
#define LAL_PARSER_MODEL_H

#include "parser/config.h"
#include "parser/network.h"
#include "treebank/oracle.h"
#include "treebank/vocab.h"

typedef struct Model {
    ModelConfig c;
    Vocab words, tags;             /* numbers 0, 1, 2 are START, STOP, unknown */
    Vocab labels;                  /* 0 empty, 1 <H> */
    Vocab types, chars, treebanks; /* treebanks: 0 is "unknown" */
    Vocab vectors;                 /* words, and word pieces "##...", that have a static vector; empty: none */
    ParamSet ps;
    Network net;
    int root_type;        /* number of "root" in types, or -1 */
    int default_treebank; /* used when parsing names none */
    char *summary;        /* JSON object: how it was trained; NULL if unknown */
} Model;

void model_init(Model *m);
void model_fini(Model *m);

/* Vocabularies with their reserved values only. */
Status model_vocabs_start(Model *m, Error *e);
/* Declares the network of the configuration for the vocabularies: names and shapes are known, no memory is taken for
 * weights. ERR_CONFIG where the configuration contradicts itself or the vocabularies. */
Status model_declare(Model *m, Error *e);
/* The same, then allocates the weights, which are zero. */
Status model_build(Model *m, Error *e);
VocabSizes model_sizes(const Model *m);

/* Spelling features of word types, computed once each. One lexicon, one thread. */
typedef struct Lexicon {
    const Model *m;
    StrMap map; /* word -> type */
    int *word;  /* [map.n] number in m->words: as spelt, else lower-cased, else unknown */
    int (*affix)[N_AFFIXES];
    int *char_start; /* [map.n + 1] */
    int *chars;
    int *spelling;    /* [map.n] number in the batch being built, or -1 */
    int *piece_start; /* [map.n + 1] */
    int *pieces;      /* rows of the static vectors that make the word's vector */
    int cap[7], n_chars, n_pieces;
} Lexicon;

void lexicon_init(Lexicon *l, const Model *m);
void lexicon_fini(Lexicon *l);
/* Type of a word; -1 when memory is out. */
int lexicon_type(Lexicon *l, const char *word);
/* Forgets all types when there are more than `most`, so that endless input needs bounded memory. */
void lexicon_trim(Lexicon *l, int most);

/* A sentence as the network takes it. */
typedef struct BatchItem {
    int n;                /* words */
    const int *types;     /* [n] of the lexicon */
    const int *tags;      /* [n] numbers in m->tags, or NULL: unknown */
    int treebank;         /* number in m->treebanks */
    uint64_t unknown_key; /* not 0: words are made unknown at random (training) */
} BatchItem;

typedef struct PackedBatch {
    Batch batch;
    TokenInputs in;
    int *sentence_of; /* [tokens] */
} PackedBatch;

/* Packs items; everything lies in the arena. z as of the option `unknown`. */
Status batch_pack(const Model *m, Lexicon *l, const BatchItem *items, int n, double z, Arena *a, PackedBatch *out,
                  Error *e);

/* What a sentence is trained on, in the model's numbers: its tree as the joint-span conversion t gives it (or NULL),
 * its heads, types and tags as far as it has them. A tree with a label that the model does not know is left out. Arrays
 * lie in the arena, heads stay the sentence's. false: memory is out. */
bool model_gold(const Model *m, const Sentence *s, const OracleTree *t, Arena *a, Gold *out);

#endif
