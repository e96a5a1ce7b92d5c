/* parser/model.h
 * A model: configuration, vocabularies, network and weights. Once made it is only read, so threads share it. */
#ifndef LAL_PARSER_MODEL_H
#define LAL_PARSER_MODEL_H

#include "parser/config.h"
#include "parser/lexicon.h"
#include "parser/network.h"

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

/* Where a lexicon of this model gets its numbers from. */
LexiconSources model_lexicon(const Model *m);

#endif
