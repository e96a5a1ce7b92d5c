/* Runs a plan: every variant with every seed, each in a folder of its own, OUT/VARIANT/seed-N:
 *   run.json       the configuration and the data of the run: another one, and it is trained again
 *   train.ckpt     while it is trained: state to continue from (parser/train/run/train.h)
 *   log.jsonl      dev scores and losses at each check
 *   model.lal      the model that was best on dev
 *   pruned.lal     the same without closed heads, which is scored, if the variant asks for it
 *   trained.json   once it is trained: time, updates, losses
 *   sentences.tsv  once it is scored: the numbers of each unit of dev and test (measure.h)
 *   scores.json    once it is scored: scores and speed
 * So a plan can be interrupted at any time and continued, and statistics need no parsing. Runs of a seed differ in
 * nothing but their configuration: data, order of the data and number of updates are equal. The model is chosen on dev;
 * test is scored once, when training has ended. */
#pragma once

#include <signal.h>

#include "program/ablate/plan.h"
#include "parser/model/corpus.h"
#include "parser/train/run/train.h"

typedef enum AblateState {
    ABLATE_MISSING, /* not trained or not scored */
    ABLATE_FAILED,  /* training ended with a number that is not finite; not repeated until it is changed */
    ABLATE_FINISHED
} AblateState;

typedef struct AblateRun {
    AblateState state;
    char failed[256]; /* the message of a run that failed */
    double seconds;   /* seconds of training */
    double scoring;   /* seconds of scoring dev and test */
    long updates, trained_sentences;
    /* mean training loss, of the task's own terms, over the first fifth of the updates, and over all */
    double early_loss, loss;
    int self_heads, label_heads; /* heads of the model */
    double rho;                  /* 1 - density of the masks over all self-attention heads; -1: the model has none */
    char model[17];              /* checksum of the model file */
    double sums[2][ABLATE_NUMBERS_MOST]; /* of dev and of test */
    double *each; /* [n_dev + n_test][n_numbers] of each unit of dev, then of test; NULL unless finished */
} AblateRun;

typedef struct Ablation {
    const AblatePlan *plan;
    AblateRun *runs;   /* [plan->n][plan->n_seeds], by variant */
    int n_dev, n_test; /* units */
    bool out_of_time;  /* max_hours: a run was not started */
} Ablation;

typedef enum AblateEventKind {
    ABLATE_STARTS, /* a run is trained, continued, or only scored */
    ABLATE_TRAINS, /* what its training reports */
    ABLATE_SCORES, /* training has ended; dev and test are scored */
    ABLATE_ENDS    /* the run is finished, or failed */
} AblateEventKind;

typedef struct AblateEvent {
    AblateEventKind kind;
    const AblateVariant *variant;
    long seed;
    int number, of;          /* of the run, from 1; in the order in which they are made */
    double share;            /* ABLATE_TRAINS: of all runs of the plan that is done, 0 to 1 */
    const char *why;         /* ABLATE_STARTS: "continues", "scores only", "epochs was 3, is 2: is trained again"; "" */
    const TrainEvent *train; /* ABLATE_TRAINS */
    const AblateRun *run;    /* ABLATE_ENDS */
} AblateEvent;

typedef struct AblateObserver {
    void (*event)(void *context, const AblateEvent *event); /* or NULL */
    void *context;
} AblateObserver;

typedef struct AblateArgs {
    const AblatePlan *plan;
    Corpus *train, *dev, *test; /* [n_train], [n_dev], [n_test]; of test there may be none */
    int n_train, n_dev, n_test;
    const void *task_options; /* TrainArgs.task_options */
    const char *replaced;     /* how words are replaced, as text for comparison; NULL: by the task they are not */
    const char *out;          /* folder; created if it does not exist */
    double max_hours;  /* of this call: a run is not started if by the mean time of finished runs it would end later; 0:
                          no limit */
    bool only_read;    /* no run is made: those that are finished are read */
    long stop_at_step; /* save and stop after this update of a run, as on interruption; 0: never */
    const Device *device; /* NULL: device_default() */
    int n_threads;
    AblateObserver observer;
    const volatile sig_atomic_t *interrupted; /* becomes 1: save and stop; or NULL */
} AblateArgs;

/* Makes the runs that are missing, seed by seed, and reads the results of all. *out is for ablation_fini in any case.
 * The folder is locked meanwhile (base/lock.h), unless only_read. ERR_INTERRUPTED when stopped, with the state saved:
 * the same call continues. ERR_IO, also where another process has the folder, ERR_NOMEM, errors of trainer_run. */
Status ablate_run(const AblateArgs *a, Ablation *out, Error *e);
void ablation_fini(Ablation *a);

static inline AblateRun *ablation_run(const Ablation *a, int variant, int seed)
{
    return &a->runs[variant * a->plan->n_seeds + seed];
}
