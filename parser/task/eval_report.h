/* Lal eval: scores of systems, each of which is a model, several runs of one setting, or files; and whether the first
 * one differs from the others. A task says what a run is scored by (EvalTask); the report is the same for all. */
#pragma once

#include "base/options.h"
#include "eval/compare.h"

struct Corpus;
struct Model;
struct Task;

typedef enum EvalFormat { EVAL_TEXT, EVAL_JSON, EVAL_TSV } EvalFormat;

typedef struct EvalFields {
    const char *gold, *gold_deps, *gold_classes, *treebank, *syntax_file, *device;
    OptionList model, pred, pred_deps;
    long samples, seed;
    int runs, measure, format, tags, threads, products, max_words, punct, choose;
    bool block_trigrams, baselines, report, align, calibration, risk_coverage, by_score, quiet;
} EvalFields;

enum { EVAL_METRICS_MOST = 10, EVAL_BASELINES = 4, EVAL_RUNS_MOST = (2 + EVAL_BASELINES) * OPTION_LIST_MAX };

/* What is scored once: a model, files, or a baseline. */
typedef struct EvalRun {
    const char *name;                /* as the command line gives it */
    double value[EVAL_METRICS_MOST]; /* of EvalTask.metrics, in percent; NAN: there is nothing to score */
} EvalRun;

/* Runs are numbers 0 .. n-1; f->runs of them, one after the other, are a system. */
typedef struct Eval {
    const EvalFields *f;
    const struct EvalTask *task;
    const char *path;    /* the file of f->gold, or NULL */
    struct Corpus *gold; /* NULL unless task->corpora */
    struct Corpus *pred; /* those of f->pred and f->pred_deps, one for each; NULL unless task->corpora */
    EvalRun run[EVAL_RUNS_MOST];
    int n;
    bool several; /* there is more than one system */
    int n_threads;
    bool oracle;                   /* does a model read gold parses? */
    const struct Task *model_task; /* of the models; NULL: files alone are scored */
    void *state;                   /* the task's */
    void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2))); /* for people, as printf does */
    void (*progress)(void *context, int done, int n);                           /* sentences of a model */
    void *progress_context;
} Eval;

/* What the models of a task are scored by. A function may be NULL where a comment says so. */
typedef struct EvalTask {
    const char *metrics[EVAL_METRICS_MOST][2]; /* names in JSON, and for people */
    int n_metrics, n_compared;                 /* the first n_compared are tested for significance */
    const char *of;                            /* what models do, for messages: "a model that parses" */
    const char *refused[10]; /* options of lal eval that it does not take, in the order in which they are refused */
    bool texts;              /* files of texts alone are scored besides the models (--measure) */
    bool alone;              /* these files need no gold */
    bool corpora;            /* gold is read as TaskUse.gold says, and files as treebanks */
    bool exact;              /* JSON has scores with all digits */
    bool rounded;            /* by default, products of matrices have rounded operands */
    /* Once; `end` follows in any case. Errors of reading. */
    Status (*begin)(Eval *x, Error *e);
    void (*end)(Eval *x);
    /* Scores run number r: a model, its file or that of number `file` of f->pred or f->pred_deps, or baseline b (NULL:
     * there are none), whose name is already set; sets its values. Errors of reading and of scoring. */
    Status (*model)(Eval *x, int r, const struct Model *m, Error *e);
    Status (*file)(Eval *x, int r, int file, const char *path, Error *e);
    const char *(*baseline_name)(const Eval *x, int b); /* NULL: there are no more */
    Status (*baseline)(Eval *x, int r, int b, int repeat, Error *e);
    /* Compares two systems, given by their first runs; p_bootstrap is NAN without a bootstrap. ERR_NOMEM. */
    Status (*compare)(const Eval *x, int a, int b, int metric, Comparison *out, Error *e);
    /* Writes all scores of a run, as text or as members of a JSON object; `system`: of all runs of a system, given by
     * its first one, NULL: their means and then each. ERR_NOMEM. */
    Status (*put)(const Eval *x, int r, bool json, StrBuf *out, Error *e);
    Status (*put_system)(const Eval *x, int first, bool json, StrBuf *out, Error *e);
    void (*put_tsv)(const Eval *x, StrBuf *out); /* of the one run; NULL: `refused` has it */
    long (*unscored)(const Eval *x);             /* sentences that could not be scored; NULL: there are none */
} EvalTask;

/* Appends the means over the n runs of a system and, as JSON or of several runs, their standard deviations (of a
 * sample). */
void eval_means(const EvalTask *task, const EvalRun *runs, int n, bool json, StrBuf *out);

/* Appends, of one system, what its task says of it; of several a table with a row for each, their comparisons with the
 * first one, and with --report, --calibration or --risk-coverage, or as JSON, what is said of each. Errors of compare
 * and put. */
Status eval_write(const Eval *eval, StrBuf *out, Error *error);
