/* Sentences above the limits of parsing are cut into pieces, which are parsed like sentences and joined; sentences that
 * cannot be parsed are flat. */
#pragma once

#include "parser/parse/parse.h"

/* Is the sentence longer than max_words, or does its chart need more than max_memory? */
bool long_sentence_exceeds(const ParseInput *in, const ParseOptions *options);

/* The parts of a sentence that are parsed one by one, *part [*n], in the arena, their words borrowed: the sentence
 * itself, or the pieces of one that exceeds the limits, none of which does; *n is 0 without words. The cuts with the
 * least sum are taken, of
 *   what each cut costs: 0 after . ? ! (with the quotes and brackets that close there), 1 after ; or :, 2 after a comma
 *     before a conjunction, 3 after another comma, 4 before a conjunction, 5 before what opens a bracket or quote or
 *     after what closes one, 8 elsewhere; 20 more for each pair of brackets or quotes that is cut in two;
 *   of each piece: 4 ((length - even) / even)^2, even the length of the smallest possible number of equal pieces;
 *   10 for each given arc or phrase that is lost with it (parser/parse/given_pieces.h).
 * Time n_words max_words. ERR_NOMEM. */
Status long_sentence_parts(const Language *language, const ParseInput *in, const ParseOptions *options, Arena *arena,
                           ParseInput **part, int *n, Error *error);

/* The sentence of n parsed parts. Several are joined: a phrase FRAG covers all of them, the first one's root is the
 * root, and the other roots depend on it with the type "dep"; given arcs and phrases take their places
 * (given_pieces.h), and options->observe.join adds what it has to say.
 * Parsed.best has the best sums of results of the parts. Results lie in `out`. ERR_NOMEM. */
Status long_sentence_join(const Model *model, const Parsed *part, int n, const ParseInput *in,
                          const ParseOptions *options, Arena *out, Parsed *whole, Error *error);

/* Parses one sentence of any length by one worker, as a parser does (parser.h), for those who read the worker's forward
 * pass. Results lie in `out`. Errors of parse_batch. */
Status long_sentence_parse(Worker *worker, const ParseInput *in, const ParseOptions *options, Arena *out,
                           Parsed *result, Error *error);

/* What stands for a sentence that cannot be parsed: a phrase FRAG over all words, which have the tag XX and depend on
 * the first one with the type "dep". `why` becomes Parsed.failed, copied. Results lie in `out`. ERR_NOMEM. */
Status long_sentence_flat(const Model *model, const ParseInput *in, const char *why, Arena *out, Parsed *flat,
                          Error *error);
