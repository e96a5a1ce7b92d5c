/* parser/head_inputs.h
 * What the patterns of a model's heads (lal/head_plan.h) read of sentences. */
#ifndef LAL_PARSER_HEAD_INPUTS_H
#define LAL_PARSER_HEAD_INPUTS_H

#include "lal/pattern.h"
#include "treebank/tree.h"
#include "treebank/vocab.h"

/* The words, and the parse of the sentence, if it has one. words [n_words]: in place of the sentence's, or NULL. df:
 * counts as of head_inputs_count, or NULL: unknown. Arrays are borrowed, or lie in the
 * arena. ERR_NOMEM. */
Status head_inputs_sentence(const Sentence *sent, const char *const *words, const Vocab *df, Arena *a,
                            PatternSentence *out, Error *e);

/* Counts each word of a training sentence in lower case, once for the sentence. false when out of memory. */
bool head_inputs_count(Vocab *df, const char *const *words, int n);

#endif
