/* parser/train/train.h
 * Training (Mrini et al. 2020, section 4): Adam, warm-up, plateau or cosine schedule, batches of sentences cut into
 * sub-batches by tokens, dev checks, the best model by F1 + LAS, checkpoints.
 *
 * Every random choice is a function of the seed and of counters, and gradients are added in the order of the
 * sub-batches: the result does not depend on the number of threads, and a resumed run continues bit-equal to one that
 * was never stopped. Nothing is printed: an observer receives what happens, as it happens. */
#ifndef LAL_PARSER_TRAIN_TRAIN_H
#define LAL_PARSER_TRAIN_TRAIN_H

#include <signal.h>

#include "eval/score.h"
#include "parser/model/corpus.h"
#include "parser/model/model_file.h"

typedef enum TrainEventKind {
    TRAIN_OPTION,   /* an option of a resumed run is not the one it began with; before TRAIN_STARTED */
    TRAIN_STARTED,  /* the data are converted, the first update comes */
    TRAIN_PROGRESS, /* after each update */
    TRAIN_CHECKED,  /* dev was scored; the log and, if it is the best, the model are written after this */
    TRAIN_STOPPED,  /* interrupted, or stop_at_step was reached; the checkpoint was written */
    TRAIN_ENDED     /* the last event of a run without an error, and of one that was stopped */
} TrainEventKind;

typedef struct TrainOptionChange {
    const char *name, *before, *now; /* values as JSON */
    bool fixed;                      /* `before` stays: an option of the model */
} TrainOptionChange;

/* Names of tensors or values of a vocabulary: their number, and the first of them, valid until trainer_run returns. */
enum { TRAIN_INIT_NAMES = 5 };
typedef struct TrainInitNames {
    int n;
    const char *first[TRAIN_INIT_NAMES];
} TrainInitNames;

/* What two models have in common and what one of them alone has: tensors, or the values of a vocabulary without
 * reserved ones. */
typedef struct TrainInitKind {
    const char *one, *many;        /* "word", "words" */
    int taken;                     /* those of both */
    TrainInitNames added, dropped; /* of the run alone, which begin with new values; of the old model alone */
    const char *why;               /* the latter are dropped */
} TrainInitKind;

/* What a run takes of the model TrainArgs.init. */
enum { TRAIN_INIT_KINDS = 10 };
typedef struct TrainInit {
    const char *path; /* NULL: the run does not begin with a model, or is resumed */
    const Task *task; /* of the model */
    TrainInitKind kind[TRAIN_INIT_KINDS];
    bool guides;          /* it has guided heads, which are not taken */
    const char *treebank; /* default treebank of the run; NULL where the model had the same, or does not parse */
} TrainInit;

/* A number that a task reports. */
typedef struct TrainFigure {
    const char *key, *label; /* in the log, and for people; NULL: not there */
    int digits;              /* after the point */
    double value;
} TrainFigure;

typedef struct TrainCounts {
    int sentences, skipped, max_words; /* skipped: longer than max_words */
    int words;                         /* in the vocabulary, without reserved values */
    int soft;                          /* sentences with soft targets */
    int epoch;                         /* sentences of an epoch */
    size_t parameters;
    const char *sizes; /* of the task, as TaskTraining.put_sizes, and lines of put_notes */
    const char *notes;
    TrainInit init;
} TrainCounts;

typedef struct TrainProgress {
    double epoch; /* done, with a fraction */
    double epochs;
    double rate; /* sentences per second in this epoch */
    TrainFigure loss[TASK_LOSSES];
    int n_losses; /* since the last check */
    double lr, minutes_left;
} TrainProgress;

/* The scores of a dev set. */
enum { DEV_FIGURES = 8 };
typedef struct DevScores {
    const char *name;
    Scores scores; /* of a parser, all of which the log has; else zero, and the log has the figures */
    TrainFigure figure[DEV_FIGURES];
    int n;
    /* What a check's score is made of: each of two parts is averaged over the sets that have it. */
    double part[2];
    bool has[2];
} DevScores;

/* Adds a figure. */
void trainer_figure(DevScores *d, const char *key, const char *label, int digits, double value);

typedef struct TrainCheck {
    double epoch;   /* done, with a fraction */
    DevScores *dev; /* [n] */
    int n;
    double score;   /* sum of the means of both DevScores.part, such as F1 and LAS */
    bool best;      /* better than all before, or without dev */
    bool oracle;    /* masks read gold parses: no score of a parser (encoder_options_oracle) */
    double seconds; /* which the check took */
} TrainCheck;

typedef struct TrainStop {
    long step;              /* updates done */
    const char *checkpoint; /* or NULL */
} TrainStop;

typedef enum TrainEndReason { TRAIN_END_EPOCHS, TRAIN_END_EARLY, TRAIN_END_STOPPED, TRAIN_END_GATES } TrainEndReason;

typedef struct TrainEnd {
    TrainEndReason reason;
    double epoch, seconds; /* of training, those before an interruption too */
    int stop_after;        /* TRAIN_END_EARLY: epochs without a better score */
    const char *summary;   /* of the best check, JSON as in a model file (docs/FORMATS.md); NULL before the first */
    const char *out;       /* the model */
    bool oracle;           /* as of TrainCheck */
    bool written;          /* by this process; else the best check was before it was resumed, or there was none */
} TrainEnd;

/* Valid during the call that receives it. */
typedef struct TrainEvent {
    TrainEventKind kind;
    union {
        TrainOptionChange option;
        TrainCounts started;
        TrainProgress progress;
        TrainCheck checked;
        TrainStop stopped;
        TrainEnd ended;
    };
} TrainEvent;

/* Called by the thread that called trainer_run. event may be NULL. */
typedef struct TrainObserver {
    void (*event)(void *context, const TrainEvent *event);
    void *context;
} TrainObserver;

typedef struct TrainArgs {
    const Task *task;         /* one that has a TaskTraining; NULL: TASK_PARSE */
    const void *task_options; /* what else it needs: a ReplaceOptions of TASK_DETECT; else NULL */
    ModelConfig model;
    TrainConfig train;
    const EncoderOptions *options; /* of a new model; NULL: the plain one. Borrowed for the run */
    Corpus *corpora, *dev; /* n_corpora to learn from, n_dev to check on; resumed, they get the names they had */
    int n_corpora, n_dev;
    const char *out;        /* the best model */
    const char *checkpoint; /* state to continue from, written at every dev check and on interruption; or NULL */
    const char *resume;     /* a checkpoint to continue from, or NULL */
    const char *checksum; /* of this checkpoint as trainer_saved_options has read it; another one is refused; or NULL */
    const char *log;      /* JSON lines are appended, one for each check; or NULL */
    const char *plot;     /* picture of the log, written at each check (plot.h); NULL, or with a log */
    const char *command;  /* JSON value that a checkpoint keeps (trainer_saved_options), or NULL */
    /* static word vectors to read (embeddings/word_vectors.h), or NULL; a resumed run has them already */
    const char *vectors;
    int vectors_most; /* of them, from the top; 0: all */
    /* a model of any task with a pretrained encoder, such as one of lal model import: the new model gets this encoder,
     * its model.pretrained_layers lowest layers, 0: all; NULL: none. init and start_from NULL */
    const char *pretrained;
    /* model whose weights a run begins with, of the same data and shapes; NULL: gates.start_from of the options, if
     * it is set. Optimiser and schedule are new; what the model lacks has initial values. A resumed run needs none */
    const char *start_from;
    /* a model of any task that the run begins with (docs/FINETUNE.md), or NULL: its vocabularies, static vectors, and
     * tensors by name, those of a vocabulary by value. What it lacks is new. `model` and `options` are to be those of
     * it (trainer_init_options) but for what does not change shapes, `vectors` and `start_from` NULL. A parser that
     * begins with a parser keeps all labels, types, tags and treebanks and adds those of the training data; model.trees
     * and model.arcs say which of its scorers are kept where the data have none */
    const char *init;
    const char *treebank; /* name of the default treebank at parsing; NULL: unknown */
    const Device *device; /* that computes, also at checks; NULL: device_default() */
    int n_threads;
    long stop_at_step; /* save and stop after this update, as on interruption; 0 never */
    DType store;       /* of the weights in `out` */
    TrainObserver observer;
    const volatile sig_atomic_t *interrupted; /* becomes 1: save and stop; or NULL */
} TrainArgs;

/* Files that cannot be written, or that another process writes (base/lock.h; out and checkpoint), are found before the
 * work begins (ERR_IO). ERR_INTERRUPTED when stopped by a signal or stop_at_step, with the checkpoint written. */
Status trainer_run(const TrainArgs *a, Error *e);

/* Do the options of a model agree with one another and with its encoder options (NULL: none), and is there a parameter
 * for each option of a parameter group? pretrained: of its pretrained encoder, d_model 0: none. trainer_run finds the
 * same, once it has read the data. ERR_CONFIG, ERR_USAGE, ERR_NOMEM. */
Status trainer_check_config(const ModelConfig *m, const TrainConfig *t, const EncoderOptions *o,
                            const PretrainedConfig *pretrained, Error *e);

/* Reads from a checkpoint the options of model, encoder and training that its run had, with strings in the arena, and
 * TrainArgs.command, which the caller deletes. If the checkpoint has no command, *command is NULL and m, t and o do not
 * change. checksum receives the checkpoint's checksum, "" if it cannot be read. ERR_FORMAT, ERR_CONFIG (also if the run
 * had another task), ERR_IO, ERR_NOMEM. */
struct cJSON;
Status trainer_saved_options(const char *path, const Task *task, ModelConfig *m, TrainConfig *t, EncoderOptions *o,
                             struct cJSON **command, char checksum[17], Arena *strings, Error *e);

/* The options of the model and of its encoder that TrainArgs.init names, with strings in the arena; guided heads are
 * left out. ERR_FORMAT, ERR_CONFIG, ERR_IO, ERR_NOMEM. */
Status trainer_init_options(const char *path, ModelConfig *m, EncoderOptions *o, Arena *strings, Error *e);

#endif
