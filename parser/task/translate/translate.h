/* Translation of texts, line by line, by a model that translates (TASK_TRANSLATE): an encoder and a decoder over pieces
 * of words (embeddings/bpe.h), which the model's `words` are, and beam search (search.h). */
#pragma once

#include "eval/bleu.h"
#include "parser/model/worker_team.h"
#include "parser/task/difference.h"

typedef struct TranslateOptions {
    int beam;       /* 1 or more */
    double penalty; /* of long outputs (beam.h) */
    bool align;     /* set Translation.source */
} TranslateOptions;
#define TRANSLATE_DEFAULT ((TranslateOptions){ .beam = 4, .penalty = 0.6 })

/* A source of more pieces is cut, and said to be. */
enum { TRANSLATE_MOST_PIECES = 500 };

/* The best output of a search. */
typedef struct Translation {
    const char *text; /* "" for a text without words */
    int *piece, n;    /* [n] numbers in the model's words, with STOP if the text was ended */
    /* [n] which piece of the source each piece attends to most, by the mean weight of the heads of the last layer that
     * has some, 0 START; NULL without `align`, and where no layer has any */
    int *source;
    double log_p, score;
    bool cut; /* the source was cut */
} Translation;

/* How models that translate are trained. */
extern const TaskTraining TRANSLATE_TRAINING;

/* Several threads, which keep their memory from call to call. */
typedef struct Translator {
    const Model *m;
    TranslateOptions o;
    WorkerTeam team;
    int batch_tokens;               /* pieces of the sources in one batch */
    struct TranslateMemory *memory; /* [team.n] */
} Translator;

/* device: the device that computes; the model's parameters are on it. translator_fini is needed after failure too.
 * ERR_NOMEM, errors of the device. */
Status translator_init(Translator *translator, const Model *model, const Device *device, int n_threads,
                       TranslateOptions options, Error *error);
void translator_fini(Translator *translator);

/* Translates n lines of UTF-8; out [n], whose memory is the translator's until the next call. The result does not
 * depend on the number of threads. ERR_NUMERIC if weights are so large that scores are not finite, ERR_NOMEM,
 * ERR_LIMIT. */
Status translator_run(Translator *translator, const StrView *lines, int n, Translation *out, Error *error);

/* Translates the sources of pairs (pair_data.h) and adds the counts of BLEU by their translations to sum, and, unless
 * it is NULL, to the counts of each pair, each [n]. Errors of translator_run. */
Status translator_bleu(Translator *translator, const Treebank *pairs, BleuCounts *sum, BleuCounts *each, Error *error);

/* How far two models that translate, of the same vocabulary, are apart on the first n pairs: vectors of the sources,
 * scores of the gold translations, and what they write (ModelDifference). */
Status translator_difference(const Model *a, const Model *b, const Treebank *pairs, int n, ModelDifference *out,
                             Error *error);
