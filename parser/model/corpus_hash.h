/* A hash of what training reads of sentences, so that files are compared by their content, wherever they lie. FNV-1a,
 * equal on every machine. */
#pragma once

#include "parser/model/corpus.h"

#define CORPUS_HASH_START 0xcbf29ce484222325u

/* Adds the sentences to a hash: words, tags, trees, dependencies, classes, blanks; no names of files or lines. */
void corpus_hash_treebank(uint64_t *h, const Treebank *tb);
/* corpus_hash_treebank, and the soft targets of the sentences, or the documents. */
void corpus_hash(uint64_t *h, const Corpus *corpus);
void corpus_hash_text(uint64_t *h, const char *text);
/* 16 hexadecimal digits. */
typedef struct CorpusHashText {
    char text[17];
} CorpusHashText;
CorpusHashText corpus_hash_digits(uint64_t h);
