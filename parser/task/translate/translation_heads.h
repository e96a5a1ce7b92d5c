/* What the attention heads of a model that translates do over pairs of texts (Voita et al. 2019, sections 4 and 5): a
 * HeadReport of three stacks. Units are pieces:
 *   encoder  queries and keys are the pieces of the source
 *   decoder  a query is a piece of the translation, keys are it and the pieces before it
 *   cross    a query is the place that a piece of the translation, or its end, is written at; keys are the pieces of
 *            the source, offset 0 is the one of the same number
 * Relations and patterns are of the encoder's heads, between words (word_attention_add). The loss is the cross-entropy
 * of the pieces of the translation, and what is explained is the sum of the largest scores at all places. */
#pragma once

#include "parser/heads/task_heads.h"

extern const TaskHeads TRANSLATION_HEADS;

/* The words of the sources of n pairs, out [n] in the arena, with parses by `deps`, a sentence for each pair of
 * `pairs`, or by `parser`, both borrowed, or else by the model of the first pass if m has one; each may be NULL. With
 * parses the report has baselines of relations: the most frequent offsets in these sentences. ERR_FORMAT where deps do
 * not fit, at deps_path; errors of parsing, ERR_NOMEM. */
Status translation_heads_sources(HeadReport *report, const Treebank *pairs, int n, const Treebank *deps,
                                 const char *deps_path, const Model *parser, Arena *arena, const SourceWords **out,
                                 Error *error);

/* Adds a pair, unless a side has more than max_pieces pieces. ERR_NOMEM, errors of the tape and of parsing. */
Status translation_heads_add(HeadReport *report, Worker *worker, const Sentence *pair, const SourceWords *source,
                             int max_pieces, Error *error);
