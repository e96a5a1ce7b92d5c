/* Predicted parses of training sentences, for masks of syntax.source first_pass. A model that has learnt from a
 * sentence would parse it nearly like gold, which it cannot do with a test sentence. So each treebank is cut into n
 * blocks of consecutive sentences; for each of n folds a model learns from all blocks but one, and parses that one.
 * (Wang et al. 2020 parse with another program; taggers and parsers are trained like this since Collins and Koo 2005.)
 */
#pragma once

#include "parser/model/corpus.h"
#include "tensor/device.h"

enum { FOLDS_MOST = 100 };

typedef struct Folds {
    const Corpus *corpora; /* all training data */
    int n_corpora, n;      /* n: folds, 2 .. FOLDS_MOST */
    const Device *device;  /* NULL: device_default() */
    int n_threads;
} Folds;

/* Are parses written as JSON lines to a file of this name, which ends with .jsonl, or else as CoNLL-X? */
bool folds_is_json(const char *path);
/* The sentences of which a fold's model learns, [n_corpora]; they borrow from the corpora and the arena. ERR_NOMEM. */
Status folds_rest(const Folds *folds, int fold, Corpus *out, Arena *arena, Error *error);
/* Writes the block of a fold as the model in the file `model` parses it: JSON lines, which have trees, or CoNLL-X
 * (folds_is_json). ERR_CONFIG for CoNLL-X of a model without dependencies; ERR_IO, errors of
 * model_load and of parsing. */
Status folds_parse(const Folds *folds, int fold, const char *model, const char *path, Error *error);
/* Joins the parses of the folds, paths [n], whose names end like `path`, into one file in the order of the corpora.
 * ERR_FORMAT where a file has other words than the corpora; ERR_IO, ERR_NOMEM. */
Status folds_join(const Folds *folds, const char *const *paths, const char *path, Error *error);
