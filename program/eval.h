/* Lal eval: scores of systems, each of which is a model, several runs of one setting, or files; and whether the first
 * one differs from the others. */
#pragma once

#include "eval/compare.h"
#include "parser/model/model_file.h"
#include "program/program.h"

typedef enum EvalFormat { EVAL_TEXT, EVAL_JSON, EVAL_TSV } EvalFormat;
typedef enum EvalMeasure { EVAL_TASK, EVAL_BLEU, EVAL_ROUGE, EVAL_BOUNDARIES, EVAL_CLASSES } EvalMeasure;

typedef struct EvalFields {
    const char *gold, *gold_deps, *gold_classes, *treebank, *syntax_file, *device;
    OptionList model, pred, pred_deps;
    long samples, seed;
    int runs, measure, format, tags, threads, products, max_words, punct, choose;
    bool block_trigrams, baselines, report, align, calibration, risk_coverage, by_score, quiet;
} EvalFields;

enum { EVAL_METRICS_MOST = 10, EVAL_RUNS_MOST = 2 * OPTION_LIST_MAX };

/* What is scored once: a model, or files. */
typedef struct EvalRun {
    const char *name;                /* as the command line gives it */
    double value[EVAL_METRICS_MOST]; /* of EvalTask.metrics, in percent; NAN: there is nothing to score */
} EvalRun;

/* What the models of a task are scored by. Runs are numbers 0 .. n-1; f->runs of them, one after the other, are a
 * system. */
typedef struct EvalTask {
    const char *metrics[EVAL_METRICS_MOST][2]; /* names in JSON, and for people */
    int n_metrics, n_compared;                 /* the first n_compared are tested for significance */
    /* Compares two systems, given by their first runs; p_bootstrap is NAN without a bootstrap. ERR_NOMEM. */
    Status (*compare)(void *context, int a, int b, int metric, Comparison *out, Error *e);
    /* Writes all scores of a system, given by its first run, as text or as members of a JSON object. ERR_NOMEM. */
    Status (*put)(void *context, int first, bool json, StrBuf *out, Error *e);
} EvalTask;

/* Appends the means over the f->runs runs of a system and, as JSON or of several runs, their standard deviations (of a
 * sample). */
void eval_means(const EvalFields *f, const EvalTask *task, const EvalRun *runs, bool json, StrBuf *out);

/* Appends, of one system, what EvalTask.put says of it; of several a table with a row for each, their comparisons with
 * the first one, and with --report, --calibration or --risk-coverage, or as JSON, what is said of each. Errors of
 * compare and put. */
Status eval_write(const EvalFields *f, const EvalTask *task, void *context, const EvalRun *runs, int n, StrBuf *out,
                  Error *e);

/* Score what the fields name, and print it; where a model reads gold parses, that too. ERR_CONFIG where
 * models have different classes; errors of the readers, of model_load and of scoring. */
Status eval_parses(const EvalFields *f, Error *e);
Status eval_classes(const EvalFields *f, Error *e);
/* Scores the files of --pred by a measure of texts, or of what models make of documents, besides these models, and
 * baselines. ERR_FORMAT, with the line, where a file lacks what the gold file has; ERR_CONFIG where models are of
 * several tasks. */
Status eval_texts(const EvalFields *f, Error *e);
