/* parser/model/gold.h
 * Sentences of a treebank as the loss of the network takes them. */
#ifndef LAL_PARSER_MODEL_GOLD_H
#define LAL_PARSER_MODEL_GOLD_H

#include "parser/model/model.h"
#include "treebank/oracle.h"

/* What a sentence is trained on, in the model's numbers. For a model that classifies, its class, -1 without one that
 * the model has. For one that parses, its tree as the joint-span conversion t gives it (or NULL), its heads, types
 * and tags if it has them. A tree with a label unknown to the model is left out. Arrays lie in the arena, heads are
 * borrowed from the sentence. false: out of memory. */
bool gold_make(const Model *m, const Sentence *sent, const OracleTree *t, Arena *a, Gold *out);

#endif
