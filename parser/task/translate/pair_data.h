/* parser/task/translate/pair_data.h
 * Texts with their translations: two files, whose lines with the same number belong together. */
#pragma once

#include "parser/model/corpus.h"
#include "parser/model/model.h"

/* A pair is a Sentence whose one word is the text, a line of `source`, and whose translation is a line of `target`,
 * both without blanks at their ends. Pairs of which a side has nothing but blanks are left out. The corpus is named
 * like `source`, without its folder. corpus_fini frees *c, also after an error. ERR_FORMAT with the place: files of
 * different numbers of lines, what is not UTF-8, no pair; ERR_IO, ERR_NOMEM. */
Status pair_data_load(Corpus *c, const char *source, const char *target, Error *e);

/* A text in pieces, words of which are pieces: *out in the arena. Its labels are numbers of them. ERR_NOMEM,
 * ERR_LIMIT. */
Status pair_data_pieces(const Model *m, StrView text, Arena *a, Sentence *out, Error *e);
/* labels[0] is the number of pieces of a text, their numbers follow; in the arena. ERR_NOMEM, ERR_LIMIT. */
Status pair_data_labels(const Model *m, StrView text, Arena *a, const int **labels, Error *e);
