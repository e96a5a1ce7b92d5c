/* Texts with their translations: two files, whose lines with the same number belong together. */
#pragma once

#include "parser/model/batch.h"
#include "parser/model/corpus.h"
#include "parser/model/model.h"
#include "parser/model/worker.h"

/* A pair is a Sentence whose one word is the text, a line of `source`, and whose translation is a line of `target`,
 * both without blanks at their ends. Pairs of which a side has nothing but blanks are left out. The corpus is named
 * like `source`, without its folder. *corpus is empty after an error. ERR_FORMAT with the place: files of
 * different numbers of lines, what is not UTF-8, no pair; ERR_IO, ERR_NOMEM. */
Status pair_data_load(Corpus *corpus, const char *source, const char *target, Error *error);

/* A text as a sentence of pieces: *out in the arena. Where options of heads name patterns, which are sets of words, it
 * has a source, the words of the model's language: a unit of subwords (bpe_units) belongs to the word in which it
 * begins. ERR_NOMEM, ERR_LIMIT. */
Status pair_data_pieces(const Model *model, StrView text, Arena *arena, Sentence *out, Error *error);
/* The words of a text and the token of each piece of pair_data_pieces: the words of `given`, which then is out->words,
 * or, where `given` is NULL, words found by the rules of the model's language, without a parse. *out in the arena.
 * ERR_FORMAT where the text does not consist of the given words and blanks; ERR_NOMEM, ERR_LIMIT. */
Status pair_data_words(const Model *model, StrView text, Sentence *given, Arena *arena, const SourceWords **out,
                       Error *error);
/* The words of n sources get the parses of a model, in the arena, with the model's types and labels. Errors of parsing.
 */
Status pair_data_parse_words(const Model *parser, const Device *device, int n_threads, const SourceWords *const *source,
                             int n, Arena *arena, Error *error);
/* The sources of n texts get the parses that masks read, of the model of the first pass (Model.first), in the arena;
 * does nothing without that. Errors of parsing. */
Status pair_data_parse(const Model *model, const Device *device, int n_threads, Sentence *const *texts, int n,
                       Arena *arena, Error *error);
/* Packs the source of a pair, after worker_begin; the pieces of both sides in the worker's scratch arena. Errors of the
 * functions above and of worker_pack. */
Status pair_data_pack(Worker *worker, const Sentence *pair, Sentence *source, const int **labels, Error *error);
/* A text in pieces as a part of a batch. */
static inline BatchSentence pair_data_batch(const Sentence *text)
{
    return (BatchSentence){ .n = text->n_words, .words = (const char *const *)text->words, .source = text->source };
}
/* labels[0] is the number of pieces of a text, their numbers follow; in the arena. ERR_NOMEM, ERR_LIMIT. */
Status pair_data_labels(const Model *model, StrView text, Arena *arena, const int **labels, Error *error);
