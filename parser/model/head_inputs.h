/* What the patterns of a model's heads (lal/heads/head_plan.h) read of sentences. */
#pragma once

#include "parser/model/batch.h"
#include "parser/model/corpus.h"
#include "parser/model/model.h"
#include "treebank/tree.h"

/* Makes what patterns read of a sentence: its words and its parse, if it has one. A sentence of pieces has both in its
 * source. words [n_words] replace the sentence's, unless NULL. df: what head_inputs_count counted; NULL: unknown.
 * Arrays are borrowed, or lie in the arena. ERR_NOMEM. */
Status head_inputs_sentence(const Sentence *sent, const char *const *words, const Vocab *df, Arena *arena,
                            PatternSentence *out, Error *error);

/* What the masks of the model do in a packed batch: packed->control.layer, packed->control.source_keys of a decoder,
 * and packed->in.pieces.control of the pretrained encoder. words[k] [n of sentence k]: as the model sees them; parse
 * [n]: what syntax patterns are made from, and NULL, or entries of it, where there is no parse. In the arena. ERR_RANGE
 * where a parse has another number of words; ERR_NOMEM. */
Status head_inputs_control(const Model *model, const BatchSentence *sentence, const Sentence *const *parse, int n,
                           PackedBatch *packed, Arena *arena, Error *error);
/* The targets of the model's guided heads (head_plan_targets, head_plan_piece_targets) for sentences of a treebank,
 * which are packed. */
Status head_inputs_targets(const Model *model, const Sentence *const *gold, int n, const PackedBatch *packed,
                           GuidanceTargets *targets, Arena *arena, Error *error);

/* ERR_CONFIG, with the entry, where no sentence of the training data has what the targets of a guided head are made
 * from: a parse, or a phrase with the label of label_span. options: once checked. */
Status head_inputs_check_targets(const EncoderOptions *options, const Corpus *corpora, int n, Error *error);

/* Counts each word of a training sentence in lower case, once for the sentence. false when out of memory. */
bool head_inputs_count(Vocab *df, const char *const *words, int n);
