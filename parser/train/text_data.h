/* Sentences without trees to train on: from raw text, segmented as lal parse does, tokens, or a treebank. */
#pragma once

#include "parser/model/corpus.h"
#include "parser/parse/document.h"

typedef enum TextKind { TEXT_RAW, TEXT_TOKENS, TEXT_TREEBANK } TextKind;

typedef struct TextDataOptions {
    TextKind kind; /* of tokens a sentence is a line; a treebank may have any notation of treebank/format.h */
    RawText raw;   /* how TEXT_RAW is read */
    Notes *notes;  /* receives notes on cut or skipped input, or NULL */
} TextDataOptions;

/* Reads the whole file into corpus->trees; sentences have words, their blanks (space_before) where the text has them,
 * and whatever else a treebank has. The corpus is named like the file, without its folder. *corpus is empty after an
 * error. ERR_FORMAT, also where there is no sentence; ERR_IO, ERR_NOMEM. */
Status text_data_load(Corpus *corpus, const char *path, TextDataOptions options, Error *error);
