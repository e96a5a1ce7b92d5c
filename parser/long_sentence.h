/* parser/long_sentence.h
 * Sentences past the limits of parsing: cut into pieces, which are parsed like sentences and joined. */
#ifndef LAL_PARSER_LONG_SENTENCE_H
#define LAL_PARSER_LONG_SENTENCE_H

#include "parser/parse.h"

/* Is it longer than max_words, or would its chart take more than max_memory? */
bool long_sentence_exceeds(const ParseInput *in, const ParseOptions *o);

/* Where the pieces of a long sentence end: *end [*n] ascending, the last one n_words, in the arena. None is longer than
 * the limits allow. The cuts are those of the least sum of
 *   what each cut costs: 0 after . ? ! (with the quotes and brackets that close there), 1 after ; or :, 2 after a comma
 *     before a conjunction, 3 after another comma, 4 before a conjunction, 5 before what opens a bracket or quote or
 *     after what closes one, 8 elsewhere; 20 more for each pair of brackets or quotes that is cut in two;
 *   4 ((length - even) / even)^2 for each piece, even: of as few pieces as possible, all of one length.
 * Time n_words max_words. ERR_NOMEM. */
Status long_sentence_cut(const ParseInput *in, const ParseOptions *o, Arena *arena, int **end, int *n, Error *e);

/* Part of a sentence, words from .. to - 1; it borrows from it. */
ParseInput long_sentence_part(const ParseInput *in, int from, int to);

/* Joins n pieces that follow each other: a phrase FRAG stands over all of them, the first one's root is the root, and
 * the other roots depend on it with the type "dep". Results lie in `out`. ERR_NOMEM. */
Status long_sentence_join(const Parsed *piece, int n, const ParseInput *in, Arena *out, Parsed *whole, Error *e);

#endif
