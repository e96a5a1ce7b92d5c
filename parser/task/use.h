/* What is done with models of a task: they are trained, scored, compared, asked. A program that only parses has none of
 * it: nothing that it links needs this file. */
#pragma once

#include "parser/task/task.h"

struct Sentence;
struct TaskCounts;
struct TextDataOptions;
struct EvalTask;
struct PredictTask;
struct TaskHeads;

/* Files with what is right; NULL: not given. */
typedef struct GoldFiles {
    const char *gold;    /* trees, classes and words, documents, or lines to translate */
    const char *deps;    /* dependencies, or head rules by which the trees get them */
    const char *classes; /* of the sentences of a treebank */
    const char *target;  /* translations */
    const char *name;    /* of the treebank, in place of that of its folder */
} GoldFiles;

/* How files are read. */
typedef struct GoldOptions {
    int language;                       /* of documents, a number in LANGUAGES */
    const struct TextDataOptions *text; /* of files that are read as text; NULL: they are treebanks */
    Notes *notes;                       /* receives what is skipped, or NULL */
} GoldOptions;

/* With what a model computes where it is used. */
typedef struct UseOptions {
    const struct Device *device;
    int n_threads;
    int treebank; /* whose conventions a parser follows, its number in the model; -1: as the model says */
    const struct Sentence *parses; /* of the sentences, for masks that read parses of files, or NULL */
} UseOptions;

typedef struct TaskUse {
    const TaskTraining *training; /* how its models are trained; NULL: they are not */
    const char *options;          /* of lal train, those that not every task has: "target dev_target" */
    const char *preset;           /* with which lal train begins; NULL: as it says */
    const char *files; /* the members of GoldFiles besides gold that its models take, as options: "gold-deps" */
    bool needs_gold;   /* the file gold must be there */
    /* Reads what is right. corpus_fini is needed after OK alone. ERR_USAGE where a file is lacking; errors of
     * reading. */
    Status (*gold)(const GoldFiles *f, const GoldOptions *o, struct Corpus *out, Error *e);
    const char *decisions; /* what its models decide, for messages: "parses" */
    /* The figures of a model on gold, in *out. Errors of running it. */
    Status (*score)(const struct Model *m, const struct Corpus *gold, const UseOptions *o, struct DevScores *out,
                    Error *e);
    /* How far two models that should decide alike are apart on the first `most` sentences, or texts. Errors of running
     * them. */
    Status (*differ)(const struct Model *a, const struct Model *b, const struct Corpus *gold, int most,
                     struct ModelDifference *out, Error *e);
    const struct EvalTask *eval;       /* lal eval (eval_report.h); NULL: it does not score its models */
    const struct TaskCounts *counts;   /* lal train --score (counts.h); NULL: refused */
    const struct PredictTask *predict; /* lal classify, lal translate (predict.h); NULL: neither */
    const struct TaskHeads *heads;     /* what their heads do (parser/heads/task_heads.h) */
    const void *own;                   /* what the task's folder alone knows, or NULL */
} TaskUse;

/* `score`, `differ` and `decisions` are NULL where models of the task are only parts of others. */
const TaskUse *task_use(const Task *task);
#define TASK(task, name) extern const TaskUse TASK_##task##_USE;
#include "parser/task/tasks.def"

/* The names of the tasks whose models can be trained, as the choices of an option, and the task of choice k;
 * NULL: there are no more. */
extern const char TASK_NAMES[]; /* begins with a bar */
#define TASK_CHOICES (TASK_NAMES + 1)
const Task *task_choice(int k);
