/* parser/train/train.h
 * Training (Mrini et al. 2020, section 4; reference-model section 6 of the design): Adam, warm-up, plateau or cosine
 * schedule, batches of sentences cut in sub-batches by tokens, dev checks, the best model by F1 + LAS, checkpoints.
 *
 * Every random choice is a function of the seed and of counters, and gradients are added in the order of the
 * sub-batches: the result does not depend on the number of threads, and a resumed run goes on bit-equal to one that was
 * never stopped. */
#ifndef LAL_PARSER_TRAIN_TRAIN_H
#define LAL_PARSER_TRAIN_TRAIN_H

#include <signal.h>

#include "parser/corpus.h"
#include "parser/model_file.h"

typedef struct TrainArgs {
    ModelConfig model;
    TrainConfig train;
    Corpus *corpora, *dev; /* n_corpora to learn from, n_dev to check on */
    int n_corpora, n_dev;
    const char *out;        /* the best model */
    const char *checkpoint; /* state to go on from, written at every dev check and on interruption */
    const char *resume;     /* a checkpoint to go on from, or NULL */
    const char *log;        /* JSON lines are appended, or NULL */
    /* static word vectors to read (embeddings/word_vectors.h), or NULL; a resumed run has them already */
    const char *vectors;
    int vectors_most;     /* of them, from the top; 0: all */
    const char *treebank; /* name of the default treebank at parsing; NULL: unknown */
    int n_threads;
    long stop_at_step;                        /* save and stop behind this update, as on interruption; 0 never */
    DType store;                              /* of the weights in `out` */
    bool progress;                            /* a line on standard error, rewritten */
    const volatile sig_atomic_t *interrupted; /* becomes 1: save and stop */
} TrainArgs;

/* Files that cannot be written are found before the work begins (ERR_IO). ERR_INTERRUPTED when stopped by a signal or
 * stop_at_step, with the checkpoint written. */
Status train(const TrainArgs *a, Error *e);

#endif
