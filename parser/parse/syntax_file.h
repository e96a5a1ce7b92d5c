/* Parses of the sentences of treebanks, which masks are made from: files of encoder_options.syntax. */
#pragma once

#include "parser/model/corpus.h"
#include "parser/parse/parse.h"
#include "treebank/reader.h"

/* Appends the parses of a file, CoNLL, trees or JSON lines of lal parse, to `parses`: parse k is for sentence k of the
 * n treebanks, in their order. ERR_FORMAT, with the line, where a word differs from the treebank, the number of
 * sentences differs, or a sentence has no dependencies or no tree and they are needed; errors of treebank_load. */
Status syntax_file_read(Treebank *parses, const char *path, const Treebank *const *treebanks, int n, bool heads,
                        bool tree, Error *error);

/* syntax_file_read for the sentences of n corpora, with what the masks of a model need of a parse. */
Status syntax_file_corpora(Treebank *parses, const char *path, const Model *model, const Corpus *sets, int n,
                           Error *error);

/* Parses of sentences that come one after another, in windows. */
typedef struct SyntaxFile {
    const char *path;
    Treebank parses;
    int next;       /* next sentence of parses */
    ParseInput *in; /* [n] of the window, with parses */
    int cap;
} SyntaxFile;

/* heads, tree: as in syntax_file_read. syntax_file_close is needed in any case; also of zeros. Errors of treebank_load.
 */
Status syntax_file_open(SyntaxFile *file, const char *path, bool heads, bool tree, Error *error);
void syntax_file_close(SyntaxFile *file);
/* file->in becomes the n sentences of a window with their parses. ERR_FORMAT where syntax_file_read has it. */
Status syntax_file_window(SyntaxFile *file, const ParseInput *in, int n, Error *error);
/* Once all sentences have come: were these all of the file? ERR_FORMAT. */
Status syntax_file_end(const SyntaxFile *file, Error *error);
