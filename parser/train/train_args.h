/* What a run of training is given, what dev sets score, and what an observer hears of it (run/train.h runs it).
 *
 * Training (Mrini et al. 2020, section 4): Adam, warm-up, plateau or cosine schedule, batches of sentences cut into
 * sub-batches by tokens, dev checks, the best model by F1 + LAS, checkpoints.
 *
 * Every random choice is a function of the seed and of counters, and gradients are added in the order of the
 * sub-batches: the result does not depend on the number of threads, and a resumed run continues bit-equal to one that
 * was never stopped. Nothing is printed: an observer receives what happens, as it happens. */
#pragma once

#include <signal.h>

#include "eval/score.h"
#include "parser/model/corpus_hash.h"
#include "parser/model/model_file.h"
#include "tensor/group.h"

typedef enum TrainEventKind {
    TRAIN_OPTION,   /* an option of a resumed run is not the one that the run began with; before TRAIN_STARTED */
    TRAIN_STARTED,  /* the data are converted; the first update comes next */
    TRAIN_PROGRESS, /* an update is done */
    TRAIN_CHECKED,  /* dev was scored; the log and, if it is the best, the model are written after this */
    TRAIN_STOPPED,  /* interrupted, or stop_at_step was reached; the checkpoint was written */
    TRAIN_ENDED     /* the last event, unless an error ends the run */
} TrainEventKind;

typedef struct TrainOptionChange {
    const char *name, *before, *now; /* values as JSON */
    bool fixed;                      /* `before` stays, because it is an option of the model */
} TrainOptionChange;

/* Tensors, or values of a vocabulary. */
enum { TRAIN_INIT_NAMES = 5 };
typedef struct TrainInitNames {
    int n;                               /* how many there are */
    const char *first[TRAIN_INIT_NAMES]; /* names of the first ones, valid until trainer_run returns */
} TrainInitNames;

/* How the tensors, or the values of a vocabulary but for reserved ones, of a run's model and of the old model that the
 * run begins with differ. */
typedef struct TrainInitKind {
    const char *one, *many; /* "word", "words" */
    int taken;              /* how many both models have */
    TrainInitNames added;   /* what the run's model alone has; it begins with new values */
    TrainInitNames dropped; /* what the old model alone has */
    const char *why;        /* why it is dropped */
} TrainInitKind;

/* What a run takes from the model TrainArgs.init. */
enum { TRAIN_INIT_KINDS = 10 };
typedef struct TrainInit {
    const char *path; /* NULL: the run does not begin with a model, or is resumed */
    const Task *task; /* what the old model is for */
    TrainInitKind kind[TRAIN_INIT_KINDS];
    bool guides;          /* the old model has guided heads, which are not taken */
    const char *treebank; /* the run's default treebank; NULL where the old model has the same, or does not parse */
} TrainInit;

/* A number that a task reports. */
typedef struct TrainFigure {
    const char *key, *label; /* its names in the log and for people; NULL: it is not shown there */
    int digits;              /* digits after the point */
    double value;
} TrainFigure;

typedef struct TrainCounts {
    int sentences, soft;    /* training sentences; how many of them have soft targets */
    int skipped, max_words; /* how many sentences have more than max_words words and are left out;
                               max_words 0: sentences are texts, of which none is */
    int words;              /* words in the vocabulary, without reserved values */
    int epoch;              /* sentences in an epoch */
    size_t parameters;
    const char *sizes, *notes; /* what TaskTraining.put_sizes and put_notes write */
    TrainInit init;
} TrainCounts;

typedef struct TrainProgress {
    double epoch, epochs; /* epochs done, with a fraction; epochs of the whole run */
    double rate;          /* sentences per second in this epoch */
    TrainFigure loss[TASK_LOSSES];
    int n_losses; /* how many losses there are; they are means since the last check */
    double lr, minutes_left;
} TrainProgress;

enum { DEV_FIGURES = 8 };
typedef struct DevScores {
    const char *name; /* the dev set */
    Scores scores;    /* a parser's, which the log has in full; zero for another task, whose figures the log has */
    TrainFigure figure[DEV_FIGURES];
    int n; /* figures */
    /* The score of a check has two parts; each is averaged over the dev sets that have it. */
    double part[2];
    bool has[2];
    double *each; /* [sentences][numbers] of each sentence, by the task (trainer_score); NULL: they are not wanted */
} DevScores;
void trainer_figure(DevScores *scores, const char *key, const char *label, int digits, double value);

typedef struct TrainCheck {
    double epoch;   /* epochs done, with a fraction */
    DevScores *dev; /* [n] */
    int n;
    double score;           /* the sum of the means of both DevScores.part, such as F1 and LAS */
    bool best;              /* the score is better than all before, or there are no dev sets */
    bool oracle;            /* masks read gold parses, so these are not scores of a parser (encoder_options_oracle) */
    double seconds;         /* how long the check took */
    CorpusHashText weights; /* a digest of the weights that were scored */
} TrainCheck;

typedef struct TrainStop {
    long step;              /* updates done */
    const char *checkpoint; /* its path, or NULL */
} TrainStop;

typedef enum TrainEndReason { TRAIN_END_EPOCHS, TRAIN_END_EARLY, TRAIN_END_STOPPED, TRAIN_END_GATES } TrainEndReason;

typedef struct TrainEnd {
    TrainEndReason reason;
    double epoch, seconds; /* epochs and seconds of training, with those before an interruption */
    int stop_after;        /* TRAIN_END_EARLY: epochs without a better score */
    const char *summary;   /* the best check, as JSON in a model file (docs/FORMATS.md); NULL before the first check */
    const char *out;       /* the model's path */
    bool oracle;           /* TrainCheck.oracle */
    bool written; /* this process wrote the model; else the best check was before the run was resumed, or never */
} TrainEnd;

/* An event is valid during the call that receives it. */
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

/* The thread that called trainer_run calls event, which may be NULL. */
typedef struct TrainObserver {
    void (*event)(void *context, const TrainEvent *event);
    void *context;
} TrainObserver;

typedef struct TrainArgs {
    const Task *task;         /* a task that has a TaskTraining; NULL: TASK_PARSE */
    const void *task_options; /* the ReplaceOptions of TASK_DETECT and TASK_MASK; else NULL */
    ModelConfig model;
    TrainConfig train;
    const EncoderOptions *options; /* options of a new model, borrowed for the run; NULL: a plain model */
    Corpus *corpora; /* [n_corpora] training data; a resumed run gives them, and dev, the names they had */
    Corpus *dev;     /* [n_dev] data for checks */
    int n_corpora, n_dev;
    /* Paths, each NULL where it is not wanted, but `out`. */
    const char *out;        /* where the best model is written */
    const char *checkpoint; /* where the state is written, at every check and on interruption */
    const char *resume;     /* the checkpoint to continue from */
    const char *log;        /* where each check appends a line of JSON */
    const char *vectors; /* static word vectors to read (embeddings/word_vectors.h); a resumed run has them already */
    /* a model of any task, such as one of lal model import: the new model gets the model.pretrained_layers lowest
     * layers (0: all) of its pretrained encoder, with model.pretrained_d_ff hidden units (0: all) each. init and
     * start_from are NULL */
    const char *pretrained;
    /* a model for the same data with the same shapes, whose weights a run begins with; NULL: gates.start_from of the
     * options, if it is set. Optimiser and schedule are new; what the model lacks has initial values. A resumed run
     * needs none */
    const char *start_from;
    /* a model of any task that the run begins with (docs/FINETUNE.md): the run takes its vocabularies, its static
     * vectors, and its tensors by name, value by value where they belong to a vocabulary. What that model lacks is new.
     * `model` and `options` are its own (trainer_init_options) but for what does not change shapes; `vectors` and
     * `start_from` are NULL. A parser that begins with a parser keeps all labels, types, tags and treebanks and adds
     * what the training data have; model.trees and model.arcs say which of its scorers are kept where the data have
     * none */
    const char *init;
    /* what trainer_saved_options gave for `resume`, or trainer_init_options for `init`: a file with another checksum is
     * refused; or NULL */
    const char *checksum;
    const char *command;   /* a JSON value that a checkpoint keeps (trainer_saved_options), or NULL */
    const char *word_list; /* for raw text of a language without rules (TrainedTextOptions.words); or NULL */
    const char *word_text; /* CoNLL-U, for such text alone; or NULL */
    const char *variants;  /* for such text, too (TrainedTextOptions.variants); or NULL */
    int vectors_most;      /* how many vectors are read, from the top; 0: all */
    const char *treebank;  /* the name of the default treebank at parsing; NULL: unknown */
    const Device *device;  /* where training and checks are computed; NULL: device_default() */
    Group *group; /* processes that train together; all have the same arguments, and rank 0 alone reports and writes */
    int n_threads;
    double checkpoint_every; /* seconds after which the state is written without a check, too; 0: never */
    long stop_at_step;       /* the run saves and stops after this update, as on interruption; 0: never */
    DType store;             /* the type of the weights in `out` */
    TrainObserver observer;
    const volatile sig_atomic_t *interrupted; /* when it becomes 1, the run saves and stops; or NULL */
} TrainArgs;

/* Do the options of a model of a task agree with one another and with its encoder options (NULL: none), and is there a
 * parameter for each option of a parameter group? pretrained describes the pretrained encoder; its d_model is 0 without
 * one. trainer_run checks this too, once it has read the data. ERR_CONFIG, ERR_USAGE, ERR_NOMEM. */
Status trainer_check_config(const Task *task, const ModelConfig *config, const TrainConfig *train_config,
                            const EncoderOptions *options, const PretrainedConfig *pretrained, Error *error);
