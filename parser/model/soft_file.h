/* Reads the soft targets of lal parse --format soft (docs/FORMATS.md, "Soft targets"). */
#pragma once

#include "parser/model/soft.h"
#include "treebank/tree.h"
#include "treebank/vocab.h"

/* The soft targets of a treebank's sentences, in numbers of its own. About 110 bytes for a word of text. */
typedef struct SoftBank {
    SoftTargets *each; /* [n] of the treebank's sentences */
    int *treebank;     /* [n] whose conventions the teacher followed, in `treebanks`; -1: not said */
    int n, cap, treebank_cap;
    Vocab tags, types, labels, treebanks;
    StrMap words; /* the text of all words */
} SoftBank;

/* Reads a file into an empty treebank, whose arena has the arrays, and *bank, to be freed before the treebank.
 * Sentences have words, and the tags, heads and types that the teacher decided; no trees. Distributions, and the labels
 * of a whole sentence, are scaled to sum to 1. ERR_FORMAT, with line and column, also for a file without a sentence;
 * ERR_IO, ERR_LIMIT, ERR_NOMEM: then *bank is NULL. */
Status soft_file_load(Treebank *tb, SoftBank **bank, const char *path, Error *error);
void soft_bank_free(SoftBank *bank);
