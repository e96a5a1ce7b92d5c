/* Words of a text without blanks between them, found by the parser itself. A model may know treebanks of characters:
 * NAME-characters beside NAME, whose words are the characters of its words, and whose tags are their places in these
 * (places.h). Then a text in which a segmenter has found sentences and words is cut once more, into words as NAME has
 * them, in a pass of its own. Tokens without a wide letter (Han, Kana, Hangul) are not cut. */
#pragma once

#include "parser/model/corpus.h"
#include "parser/parse/parser.h"

/* Makes the treebank of characters of a corpus: sentences with tags, without trees and arcs. *out is to be freed with
 * corpus_fini in any case. ERR_NOMEM; ERR_FORMAT where the name is too long. */
Status characters_corpus(const Corpus *words, Corpus *out, Error *error);
/* Has one of n corpora the name of a treebank of characters? */
bool characters_among(const Corpus *corpora, int n);

/* The number of the treebank of characters beside a treebank of the model; -1: it has none. */
int characters_of(const Model *model, int treebank);

/* A parser that cuts words of a treebank of the model, to be freed with parser_fini in any case; all zero if the model
 * does not cut them. Errors of parser_init. */
Status characters_parser(Parser *parser, const Model *model, int treebank, int n_threads, Error *error);

/* Cuts the sentences of a text into other words; their forms are in the arena. Nothing is done if the parser is all
 * zero, or its model has no characters of the treebank that it follows. Results of the parser are replaced. ERR_NOMEM,
 * errors of parser_run. */
Status characters_cut(Parser *parser, SegmentedText *text, Arena *arena, Error *error);
