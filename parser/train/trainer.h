/* parser/train/trainer.h: a training run, for the files of this folder (train.h is the public header) */
#pragma once

#include "base/lock.h"
#include "parser/model/corpus_hash.h"
#include "parser/model/worker.h"
#include "parser/train/train.h"
#include "tensor/optimizer.h"

/* What a file of soft targets is called, and the model's numbers of its values. */
typedef struct SoftMap {
    const char *name;
    const int *tags, *types, *labels, *treebanks;
} SoftMap;

typedef struct Example {
    const Sentence *s; /* of a corpus, its words folded if the model folds them */
    Gold gold;
    int treebank;            /* number in m.treebanks */
    int pieces;              /* of a pretrained encoder; 0: none, or not counted yet */
    const Sentence *parse;   /* of the same words, which masks are made from, or NULL: none (syntax.c) */
    const SoftTargets *soft; /* NULL: gold is read. In the numbers of its file, which map translates */
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

/* Counters of a run: what a checkpoint holds in addition to the slabs. */
typedef struct TrainState {
    long epoch, batch, step, sentences; /* next batch of the epoch, updates and sentences done */
    double best, last_score;            /* dev F1 + LAS; -1 before the first check */
    long best_epoch, plateau_epoch;     /* of the best score; since when the plateau rule counts */
    double lr_factor, seconds;
    long done;        /* a StopReason */
    long open;        /* which gates were open at the last check, as a hash */
    long gate_checks; /* checks since a gate opened or closed */
} TrainState;

typedef struct Trainer {
    const TrainArgs *a;
    const TaskTraining *task;
    Model m;
    Arena arena; /* examples */
    Example *ex;
    int n;                 /* sentences */
    MixGroup *groups;      /* [n_groups] */
    int n_groups, n_epoch; /* n_epoch: sentences of an epoch */
    int *shuffled;         /* [examples of the largest group] */
    TrainCounts counts;    /* of the data */
    Model published;       /* of a->pretrained, until its weights are copied */
    const char *init;      /* counts.init as JSON, which a checkpoint keeps; NULL: the run began with new weights */
    const char *data;      /* JSON, of data.c, which a checkpoint keeps */
    CorpusHashText run;    /* options and data of the run when it began, as a hash; "" of an old checkpoint */
    CorpusHashText saved_parses[2]; /* of a checkpoint: of the parses for training and dev; "" without them */
    VocabSizes had;        /* of the model that the run begins with, as far as they were taken (init.c); else 0 */
    char configured[17];   /* checksum of the checkpoint that m.c was read from */
    long expected;         /* sentences, as a checkpoint says */
    long saved_batch_size; /* which the checkpoint's `batch` counts in */
    Optimizer optimizer;   /* of m.ps */
    TrainState st;
    Worker *workers;                     /* [n_threads] */
    int *order;                          /* [n_epoch] examples of the epoch */
    int *cut;                            /* [batch_size + 1] sub-batches of the current batch, positions in order */
    LossParts *parts;                    /* [batch_size] their losses */
    int n_cuts, batch_from, batch_words; /* words: of the batch, as in the data */
    SyntaxSource syntax;                 /* where masks have parses from */
    Treebank parses;     /* of the training sentences, from a file; of source self: those of the epoch */
    Treebank dev_parses; /* of source file: those of all dev sets, in their order */
    Real *parse_values;  /* [ps.trained] of source self: the values the parses of the epoch were made with */
    void *state;         /* of the task (TaskTraining.begin) */
    LossParts loss;      /* since the last check */
    long loss_sentences, loss_words;
    Lock locks[2];        /* of a->out and a->checkpoint */
    bool written;         /* the model, by this process */
    double norm, started; /* of the last gradient; when this process began, in seconds */
} Trainer;

/* ---- words.c */

/* Counts the words and characters of a sentence. false when out of memory. */
bool trainer_count_words(Model *m, const Sentence *sent);
/* Whether the default treebank, or without one all of them, splits hyphenated words: of its words, more than 1 in 1000
 * is tagged HYPH; otherwise: what to assume of one without tags, or outside the training data. */
bool trainer_splits_hyphens(const Trainer *tr, bool otherwise);
/* The sentence as the model reads it: its words folded if the model folds them. In the arena; NULL when out of
 * memory. */
const Sentence *trainer_fold(const Trainer *tr, const Sentence *sent, Arena *a);
/* As TaskTraining.examples, for a task that reads words alone; trees and dependencies are read by patterns of heads.
 * Words are not counted with a.init, which has them. add is called for each example, once it is there. */
Status trainer_word_examples(Trainer *tr, bool count,
                             Status (*add)(Trainer *tr, const Sentence *sent, bool count, Error *e), Error *e);

/* ---- start.c */

/* Sets m.c, before the model is there: to a.model with the pretrained encoder of a.pretrained, which is loaded into
 * `published`, or to the configuration of the checkpoint. Errors of model_load, model_texts_read, import_move. */
Status trainer_start_config(Trainer *tr, Error *e);
/* Loads the model start_from, or gates.start_from, if there is one, into *from, fresh from model_init and to be
 * freed in any case; a pruned one gives the model to train its shape. Then, once that is built: copies its weights
 * by name; parameters that it lacks keep their values. ERR_CONFIG where vocabularies or shapes differ; errors of
 * model_load. */
Status trainer_start_model(Trainer *tr, Model *from, Error *e);
Status trainer_start_weights(Trainer *tr, const Model *from, Error *e);
/* If `from` is pruned, its numbers of heads become those of `to`. ERR_CONFIG unless that has as many layers and heads;
 * path: of `from`. */
Status trainer_copy_pruned(const Model *from, Model *to, const char *path, Error *e);

/* The options of the model from the configuration of a file. ERR_FORMAT, ERR_CONFIG, ERR_NOMEM. */
Status trainer_config_of(const ModelTexts *texts, const char *path, ModelConfig *m, Arena *strings, Error *e);

/* ---- init.c: TrainArgs.init */

/* Loads the model into *from, fresh from model_init and to be freed in any case, and takes what it has besides tensors:
 * vocabularies (tr->had has their sizes, reserved values included), pruned heads, the default treebank. ERR_USAGE where
 * an option contradicts its shapes; errors of model_load_any. */
Status trainer_init_model(Trainer *tr, Model *from, Error *e);
/* Once the model is built and has initial values: copies tensors, and sets counts.init and init. ERR_CONFIG, ERR_NOMEM.
 */
Status trainer_init_weights(Trainer *tr, const Model *from, Error *e);
/* Sets init from the object that a checkpoint keeps. false when out of memory. */
struct cJSON;
bool trainer_note_init(Trainer *tr, const struct cJSON *init);
/* Sets m.default_treebank, once the treebanks of the data are counted: the one that --treebank names; else, where the
 * run goes on with a parser and has one new treebank, that one; else that of the model. ERR_USAGE if no treebank has
 * this name. */
Status trainer_default_treebank(Trainer *tr, Error *e);

/* ---- init_weights.c */

/* used[k]: values of parameter k of the old model were taken; filled[k]: parameter k of the new one has taken values,
 * at least those of the values that both vocabularies have. */
typedef struct TrainerTaken {
    bool *used, *filled;
} TrainerTaken;
/* Every parameter gets the values of the one of the same name and shape; tables of embeddings and outputs of scorers
 * row by row or column by column, those of the same word, tag, label ... ERR_CONFIG where shapes differ. */
Status trainer_take_tensors(const Model *from, Model *to, const char *path, const TrainerTaken *taken, Error *e);

/* ---- mix.c */

/* The groups of the examples and the number of sentences in an epoch. ERR_USAGE on an option that cannot be read, or
 * names no treebank; ERR_NOMEM. */
Status trainer_mix(Trainer *tr, Error *e);
/* Fills tr->order with the examples of epoch tr->st.epoch. false when out of memory. */
bool trainer_epoch(Trainer *tr);

/* ---- vary.c */

/* The example as it is shown in this epoch, by the options vary_*; memory in the arena. key: of the example and epoch.
 * Soft targets are of all words: of theirs only vary_case applies. ERR_NOMEM. */
Status trainer_vary(const Trainer *tr, const Example *x, uint64_t key, Arena *a, Example *out, Error *e);

/* ---- syntax.c: parses that masks are made from */

/* Before the names of the parameters of Trainer.parse_values in a checkpoint. */
#define TRAINER_PARSE_VALUES "syntax/"

/* Once the examples and the network are there, before the optimizer: reads the files of sources first_pass and file,
 * loads the model of the first pass; source self, in a resumed run: makes the parses of the epoch again, from the
 * weights that the checkpoint has of its start. ERR_CONFIG where the parses will lack what masks read; errors of
 * syntax_file_read, model_load_first, parsing. */
Status trainer_syntax_start(Trainer *tr, Error *e);
/* The same of a task whose model parses (TaskTraining.parses). */
Status trainer_syntax_parses(Trainer *tr, Error *e);
/* Source self: at the start of an epoch but the first, parses of all examples by the present model, with averaged
 * weights if there are any, without masks that read parses: as the first pass of a later parse. */
Status trainer_syntax_epoch(Trainer *tr, Error *e);
/* The parse that masks of an example read, as it is shown, or NULL. key: of the example and epoch. */
const Sentence *trainer_syntax_parse(const Trainer *tr, const Example *x, uint64_t key);
/* Parses of dev set k, of source file, or NULL. */
const Sentence *trainer_syntax_dev(const Trainer *tr, int k);
void trainer_syntax_fini(Trainer *tr);

/* ---- memory.c */

/* Takes the memory of the device that the sub-batches of the coming updates need, before the first of them; the model's
 * slabs are there. ERR_NOMEM, with what is needed, what is free and what to lower. */
Status trainer_reserve(Trainer *tr, Error *e);

/* ---- groups.c */

/* How the parameters are trained, before they are declared. ERR_USAGE on an option that cannot be read. */
Status trainer_groups(Trainer *tr, Error *e);
/* Is there a parameter for each of these options, and one to train? ERR_USAGE. Once the weights are allocated. */
Status trainer_check_groups(const Trainer *tr, Error *e);

/* ---- update.c */

/* The characters of a sentence's words, and their pieces. false: out of memory. */
bool trainer_count(Lexicon *l, const Sentence *sent, Arena *a, int *chars, int *pieces);
/* Cuts the batch order[from .. to) into sub-batches of at most subbatch_tokens, and of at most three times as many
 * pieces of a pretrained encoder, unless one sentence has more; the batch is sorted by length before.
 * The number of threads has no part in it: dropout is drawn and gradients are added by sub-batches. */
void trainer_cut(Trainer *tr, int from, int to);
/* The gradient of sub-batch `item` of the batch that was cut, added to grads, and its losses. w->error says what
 * failed. */
void trainer_sub_batch(Trainer *tr, Worker *w, int item, Real *grads, LossParts *parts);
/* One update on the examples order[from .. to). ERR_NUMERIC where the loss or the gradient is not finite, ERR_NOMEM. */
Status trainer_update(Trainer *tr, int from, int to, Error *e);

/* ---- schedule.c */

/* The learning rate of the next update. */
double trainer_rate(const Trainer *tr);
/* Takes the score of a check: is it the best? While gates learn to close, the last one is. */
void trainer_judge(Trainer *tr, TrainCheck *check);
/* Stops the run if no gate has opened or closed for gates.patience checks. */
void trainer_judge_gates(Trainer *tr);
/* Counts the epoch as done; the plateau rule may cut the learning rate or end the run. */
void trainer_next_epoch(Trainer *tr);
/* The updates of the whole run, and of an epoch. */
long trainer_updates(const Trainer *tr);
long trainer_batches(const Trainer *tr);
/* Is max_updates reached? */
bool trainer_updates_done(const Trainer *tr);
/* Epochs done, with a fraction; seconds of training, those before an interruption too. */
double trainer_epochs(const Trainer *tr);
double trainer_elapsed(const Trainer *tr);

/* ---- check.c */

/* Scores dev with the averaged weights if there are any, reports the scores, appends to the log, and saves the model if
 * it is the best so far. ERR_IO, ERR_NOMEM, ERR_NUMERIC. */
Status trainer_check(Trainer *tr, Error *e);
/* Bytes of the device's memory that parsing the dev sets needs (evaluate_need); 0 where the task does not know.
 * ERR_NOMEM, ERR_CONFIG. */
Status trainer_dev_need(const Trainer *tr, size_t *bytes, Error *e);

/* ---- log.c */

/* Appends a line to the log, and draws it, if these are wanted. ERR_IO, ERR_NOMEM, ERR_FORMAT (the log holds something
 * else). */
Status trainer_log_check(const Trainer *tr, const TrainCheck *check, Error *e);
/* The log can be written: ERR_IO. */
Status trainer_log_open(const Trainer *tr, Error *e);
/* {"epoch": ..., "updates", "training_sentences", "seconds", "dev", "train"}: how the model was trained. */
void trainer_summary(const Trainer *tr, const TrainCheck *check, StrBuf *out);

/* ---- report.c */

/* The sentences without soft targets since the last check, 1 if there are none: what losses are divided by. */
double trainer_gold_sentences(const Trainer *tr);
/* To the observer. rate: sentences per second in this epoch. */
void trainer_report(const Trainer *tr, const TrainEvent *event);
void trainer_report_progress(const Trainer *tr, double rate);
/* Every option that differs from those of a checkpoint, whose training options are `saved` (or NULL). */
void trainer_report_changes(const Trainer *tr, const struct cJSON *saved);

/* ---- data.c */

/* Once the data are there: sets data and, if the run begins, run. ERR_USAGE where a checkpoint has other parses,
 * ERR_NOMEM. */
Status trainer_note_data(Trainer *tr, Error *e);
/* Compares the sentences of the training data with the hashes in a checkpoint's state, whatever the files are called
 * now; also the sentences of each dev set whose name is in the state. Treebanks get the names they had. A state without
 * hashes is not compared. To be called before the examples are made. ERR_USAGE, ERR_FORMAT. */
Status trainer_check_data(Trainer *tr, const struct cJSON *state, Error *e);

/* ---- checkpoint.c */

/* What training will write must be writable now, not after an hour, and no other process's: ERR_IO. Until
 * trainer_unlock_outputs, which is to be called also after an error, no other process has them. */
Status trainer_check_outputs(Trainer *tr, Error *e);
void trainer_unlock_outputs(Trainer *tr);
/* Writes the model. ERR_NUMERIC, with the old one as it was, where a number is not finite; ERR_IO, ERR_NOMEM. */
Status trainer_save_model(Trainer *tr, const TrainCheck *check, Error *e);
/* Writes the checkpoint, if one is asked for. Errors as trainer_save_model. */
Status trainer_save_checkpoint(Trainer *tr, Error *e);
/* The counters of the checkpoint's state, each in its range (ERR_FORMAT where it has none, or one out of range);
 * reports options that differ. ERR_USAGE if other parameters are frozen. */
Status trainer_read_state(Trainer *tr, const char *text, Error *e);
/* Do these counters fit the training sentences and one another? ERR_USAGE on other data, ERR_FORMAT. Once the
 * examples are there. */
Status trainer_check_state(const Trainer *tr, Error *e);
/* The checkpoint's slabs, once they are allocated, all finite, squares not negative. ERR_IO, ERR_FORMAT, ERR_CONFIG,
 * ERR_NUMERIC. */
Status trainer_load_slabs(Trainer *tr, Error *e);
