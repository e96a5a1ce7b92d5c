/* How one update is made, and a dev set scored, whatever the task is: for the files of this folder, for tasks, and for
 * runs (run/run.h), of which nothing here knows. */
#pragma once

#include "parser/model/worker.h"
#include "parser/train/train_args.h"
#include "tensor/optimizer.h"

/* A file of soft targets. */
typedef struct SoftMap {
    const char *name;
    const int *tags, *types, *labels, *treebanks; /* the model's number of each value of the file */
} SoftMap;

typedef struct Example {
    const Sentence *s; /* a sentence of a corpus, its words folded if the model folds them */
    Gold gold;
    const int *tags;         /* [n] tags that the network may read (ModelConfig.use_tags), or NULL */
    int nodes;               /* phrases of the tree that the loss reads; 0: none */
    int treebank;            /* its number in m.treebanks */
    int pieces;              /* pieces for the pretrained encoder; 0 without an encoder, or before they are counted */
    const Sentence *parse;   /* a parse of the same words, which masks are made from (syntax.c), or NULL */
    const SoftTargets *soft; /* targets in the numbers of their file, which map translates; NULL: gold is read */
    const SoftMap *map;
} Example;

/* Examples with the same share of an epoch (mix.c). */
typedef struct MixGroup {
    int *example; /* [n] ascending */
    int n;
    double share;
} MixGroup;

/* Why a run ended before its last epoch. */
typedef enum StopReason { STOP_NOT, STOP_NO_BETTER, STOP_GATES } StopReason;

/* The counters of a run. A checkpoint holds them and the slabs. */
typedef struct TrainState {
    long epoch, batch;       /* the next batch is `batch` of epoch `epoch`, both from 0 */
    long step, sentences;    /* updates and sentences done */
    double best, last_score; /* dev F1 + LAS; -1 before the first check */
    long best_epoch;         /* the epoch of the best score */
    long plateau_epoch;      /* the epoch from which the plateau rule counts */
    double lr_factor, seconds;
    long done;        /* a StopReason */
    long open;        /* a hash of which gates were open at the last check */
    long gate_checks; /* checks since a gate opened or closed */
} TrainState;

typedef struct Trainer {
    const TrainArgs *a;
    const TaskTraining *task;
    Model m;
    Arena arena; /* memory of the examples */
    Example *ex; /* [n] */
    int n;
    MixGroup *groups;      /* [n_groups] */
    int n_groups, n_epoch; /* n_epoch: sentences in an epoch */
    int *shuffled;         /* [examples of the largest group] */
    TrainCounts counts;
    VocabSizes had;      /* sizes of the vocabularies taken from the model that the run begins with (init.c); else 0 */
    Optimizer optimizer; /* optimises m.ps */
    TrainState st;
    Real *exact;            /* [m.ps.size] unrounded weights, while m has rounded ones; NULL without `rounded` */
    Real *rounding;         /* [m.ps.size] rounded minus unrounded weights, of the last update that computed it */
    Worker *workers;        /* [n_threads] */
    int *order;             /* [n_epoch] examples of the epoch */
    int *cut;               /* [n_cuts + 1] where the sub-batches of the current batch begin, counted from batch_from */
    LossParts *parts;       /* [n_cuts] their losses */
    void *told;             /* [group_size] blocks of trainer_told_size bytes (update.c); NULL: one process */
    bool told_to_stop;      /* a process of the group was interrupted */
    int n_cuts, batch_from; /* batch_from: where the batch begins in order */
    int batch_words;        /* words in the batch, as in the data */
    SyntaxSource syntax;    /* where the parses that masks read come from */
    Treebank parses;     /* parses of the training sentences: read from a file, made by another model, or (source self)
                          * made for this epoch */
    Treebank dev_parses; /* parses of all dev sets, in their order, of a file or by another model; or none */
    Real *parse_values;  /* source self: [ps.trained] the values that the parses of this epoch were made with */
    void *state;         /* the state of the task (TaskTraining.begin) */
    bool only_scores;    /* nothing is trained; dev sets are scored one sentence at a time (trainer_score) */
    LossParts loss;      /* the sums of losses since the last check, over loss_sentences with loss_words words */
    long loss_sentences, loss_words;
    double norm;    /* the norm of the last gradient */
    double started; /* when this process began, in seconds */
} Trainer;

/* ---- words.c */

/* Counts the words and characters of a sentence in the vocabularies. false when out of memory. */
bool trainer_count_words(Model *model, const Sentence *sent);
/* Does the model see hyphenated words that are split, so that more than 1 in 1000 of its words is tagged HYPH? Without
 * tags in the default treebank, or with that treebank outside the training data, the answer is `otherwise`. */
bool trainer_splits_hyphens(const Trainer *tr, bool otherwise);
/* A copy of the sentence in the arena, its words folded if the model folds them. NULL when out of memory. */
const Sentence *trainer_fold(const Trainer *tr, const Sentence *sent, Arena *arena);
/* TaskTraining.examples for a task that reads words alone (patterns of heads may read trees and dependencies). Words
 * are not counted with a.init, which has them. add is called for each example, once it is there. */
Status trainer_word_examples(Trainer *tr, bool count,
                             Status (*add)(Trainer *tr, const Sentence *sent, bool count, Error *e), Error *error);
/* Sets m.default_treebank, once the treebanks of the data are counted, to the treebank that a.treebank names; else to
 * the one new treebank of a run that goes on with a parser; else the model's stays. ERR_USAGE if no treebank has this
 * name. */
Status trainer_default_treebank(Trainer *tr, Error *error);

/* ---- mix.c */

/* Sets groups and n_epoch. ERR_USAGE on an option that cannot be read, or names no treebank; ERR_NOMEM. */
Status trainer_mix(Trainer *tr, Error *error);
/* Fills tr->order with the examples of epoch tr->st.epoch. false when out of memory. */
bool trainer_epoch(Trainer *tr);

/* ---- vary.c */

/* *out = the example as the options vary_* show it in one epoch, in the arena; key stands for example and epoch. Soft
 * targets belong to all words, so only vary_case applies to an example that has them. ERR_NOMEM. */
Status trainer_vary(const Trainer *tr, const Example *example, uint64_t key, Arena *arena, Example *out, Error *error);

/* ---- syntax.c: parses that masks are made from */

/* The prefix that the names of parameters have for Trainer.parse_values in a checkpoint. */
#define TRAINER_PARSE_VALUES "syntax/"

/* Gets the parses ready, once the examples and the network are there, before the optimizer: reads the files of sources
 * first_pass and file and loads the model of the first pass; for source self in a resumed run, makes the parses of the
 * epoch again, from the weights at its start, in the checkpoint. ERR_CONFIG where the parses will lack what masks read;
 * errors of syntax_file_read, model_load_first, parsing. */
Status trainer_syntax_start(Trainer *tr, Error *error);
/* trainer_syntax_start for a task whose model parses (TaskTraining.find_parses). */
Status trainer_syntax_parses(Trainer *tr, Error *error);
/* trainer_syntax_start for a task whose sentences another model parses, source first_pass, which has not learnt from
 * them: loads that model and parses the examples and the dev sets. Errors of model_load_first and parsing. */
Status trainer_syntax_first(Trainer *tr, Error *error);
/* For source self, at the start of each epoch but the first: the present model, with averaged weights if there are any,
 * parses all examples without the masks that read parses, as the first pass of a later parse will. */
Status trainer_syntax_epoch(Trainer *tr, Error *error);
/* The parse that masks of an example read in the epoch of `key` (trainer_vary), or NULL. */
const Sentence *trainer_syntax_parse(const Trainer *tr, const Example *example, uint64_t key);
/* The parses of dev set k, or NULL. */
const Sentence *trainer_syntax_dev(const Trainer *tr, int k);
void trainer_syntax_fini(Trainer *tr);

/* ---- memory.c */

/* Takes the memory of the device that the sub-batches of the coming updates need, before the first of them; the model's
 * slabs are there. ERR_NOMEM, with what is needed, what is free and what to lower. */
Status trainer_reserve(Trainer *tr, Error *error);

/* ---- groups.c */

/* Sets how the parameters are trained, before they are declared. ERR_USAGE on an option that cannot be read. */
Status trainer_groups(Trainer *tr, Error *error);
/* Is there a parameter for each of these options, and one to train? The weights must be allocated. ERR_USAGE. */
Status trainer_check_groups(const Trainer *tr, Error *error);

/* ---- update.c */

/* Can the lanes be dealt to the processes of the group? ERR_USAGE. */
Status trainer_check_lanes(const Trainer *tr, Error *error);
/* The bytes that a process tells the others of its part of an update. */
size_t trainer_told_size(const Trainer *tr);
/* Have all processes of the group the same `size` bytes, at most TRAINER_SAME_MOST? what: for the message. ERR_CONFIG,
 * errors of group_gather. */
enum { TRAINER_SAME_MOST = 64 };
Status trainer_same(Trainer *tr, const void *bytes, size_t size, const char *what, Error *error);

/* Counts the characters and the pieces of a sentence's words. false when out of memory. */
bool trainer_count(Lexicon *lexicon, const Sentence *sent, Arena *arena, int *chars, int *pieces);
/* Sorts the batch order[from .. to) by length and cuts it into sub-batches of at most subbatch_tokens tokens, and of at
 * most three times as many pieces of a pretrained encoder, unless one sentence has more. The number of threads does not
 * matter: dropout is drawn and gradients are added by sub-batches. */
void trainer_cut(Trainer *tr, int from, int to);
/* Adds the gradient of sub-batch `item` of the batch that was cut to grads, and its losses to parts. worker->error says
 * what failed. */
void trainer_sub_batch(Trainer *tr, Worker *worker, int item, Real *grads, LossParts *parts);
/* With the option `rounded` (quantization-aware training with a straight-through estimator, Bengio et al. 2013):
 * trainer_round rounds the weights of m as the file will store them, trainer_exact restores them. */
void trainer_round(Trainer *tr);
void trainer_exact(Trainer *tr);
/* Computes `rounding` of frozen parameters, which a checkpoint does not hold. */
void trainer_round_frozen(Trainer *tr);
/* One update on the examples order[from .. to). ERR_NUMERIC where the loss or the gradient is not finite, ERR_NOMEM. */
Status trainer_update(Trainer *tr, int from, int to, Error *error);

/* ---- schedule.c */

/* The updates of a warm-up for which `updates` are asked: a tenth of the run's if it would not end before the run. */
long trainer_warmup(const Trainer *tr, long updates);
/* The learning rate of the next update. */
double trainer_rate(const Trainer *tr);
/* Sets check->best and keeps the score. While gates learn to close, the last score counts as the best. */
void trainer_judge(Trainer *tr, TrainCheck *check);
/* Stops the run if no gate has opened or closed for gates.patience checks. */
void trainer_judge_gates(Trainer *tr);
/* Counts the epoch as done; the plateau rule may cut the learning rate or end the run. */
void trainer_next_epoch(Trainer *tr);
long trainer_updates(const Trainer *tr); /* updates in the whole run */
long trainer_batches(const Trainer *tr); /* updates in an epoch */
/* Is max_updates reached? */
bool trainer_updates_done(const Trainer *tr);
double trainer_epochs(const Trainer *tr);  /* epochs done, with a fraction */
double trainer_elapsed(const Trainer *tr); /* seconds of training, with those before an interruption */

/* ---- dev.c */

/* How many sentences without soft targets there were since the last check, 1 if none: losses are divided by it. */
double trainer_gold_sentences(const Trainer *tr);
/* For tasks that score a dev set in batches. words [n]: of each sentence; what has more than max_train_words is left
 * out. The threads call score with `which` [m] of the sentences, ascending, of at most subbatch_tokens tokens unless it
 * is one, and with the number of the batch, below n; it fails with w->error. With only_scores each sentence is a batch
 * with its own number. ERR_NOMEM, errors of score. */
typedef Status (*TrainerScoreBatch)(void *context, Worker *w, const int *which, int m, int item);
Status trainer_dev_batches(Trainer *tr, const int *words, int n, TrainerScoreBatch score, void *context, Error *error);
/* Bytes of the device's memory that parsing the dev sets needs (evaluate_need); 0 where the task does not know.
 * ERR_NOMEM, ERR_CONFIG. */
Status trainer_dev_need(const Trainer *tr, size_t *bytes, Error *error);
/* The losses since the last check (TaskTraining.losses); their number. */
int trainer_losses(const Trainer *tr, TrainFigure out[TASK_LOSSES]);
