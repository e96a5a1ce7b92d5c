/* parser/syntax_file.h
 * Parses of the sentences of treebanks, which masks are made from: files of encoder_options.syntax. */
#ifndef LAL_PARSER_SYNTAX_FILE_H
#define LAL_PARSER_SYNTAX_FILE_H

#include "treebank/reader.h"

/* Appends the parses of a file, CoNLL, trees or JSON lines of lal parse, to `parses`: the k-th is that of the k-th
 * sentence of the n treebanks, in their order. ERR_FORMAT, with the line, where a word is not that of the treebank, the
 * number of sentences differs, or a sentence has no dependencies or no tree and they are needed; errors of
 * treebank_load. */
Status syntax_file_read(Treebank *parses, const char *path, const Treebank *const *treebanks, int n, bool heads,
                        bool tree, Error *e);

#endif
