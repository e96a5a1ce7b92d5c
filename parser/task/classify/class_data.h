/* Sentences with their classes: Sentence.target. From a file of lines "CLASS<TAB>SENTENCE", with words separated by
 * blanks, or from a treebank and a file that has the class of each of its sentences on a line, in their order. */
#pragma once

#include "parser/model/corpus.h"
#include "treebank/vocab.h"

/* classes: the file of classes of the treebank `path`, or NULL: path has lines with both. Empty lines of the latter are
 * left out. Classes and words are UTF-8 without control characters; blanks around a class are no part of it. The corpus
 * is named like the file, without its folder. *corpus is empty after an error. ERR_FORMAT with the line, also
 * where there is no sentence; errors of treebank_load; ERR_IO, ERR_NOMEM. */
Status class_data_load(Corpus *corpus, const char *path, const char *classes, Notes *notes, Error *error);

/* Renumbers classes in alphabetical order, by their bytes. false: out of memory. */
bool class_data_sort(Vocab *classes, Arena *arena);

/* The file that has the classes of the sentences. */
const char *class_data_path(const Corpus *corpus);
/* Sets *id to the number of the class of sentence k; of all of them, id [corpus->trees.n]. ERR_FORMAT, with the line,
 * on one that is not among `classes`. */
Status class_data_number(const Corpus *corpus, int k, const Vocab *classes, int *id, Error *error);
Status class_data_numbers(const Corpus *corpus, const Vocab *classes, int *id, Error *error);
