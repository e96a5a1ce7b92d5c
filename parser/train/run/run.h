/* A run of training, for the files of this folder: where it begins, what it checks, writes and reports. */
#pragma once

#include "base/lock.h"
#include "parser/train/run/train.h"
#include "parser/train/trainer.h"

typedef struct TrainRun {
    Trainer tr;
    Model published;     /* the model a->pretrained, until its weights are copied */
    const char *init;    /* counts.init as JSON, which a checkpoint keeps; NULL: the run began with new weights */
    const char *data;    /* the JSON of data.c, which a checkpoint keeps */
    CorpusHashText hash; /* of options and data when the run began; an old checkpoint has "" */
    CorpusHashText saved_parses[2]; /* a checkpoint's hashes of the parses for training and for dev; "" without them */
    char configured[17];            /* the checksum of the checkpoint that tr.m.c was read from */
    long expected;                  /* how many training sentences a checkpoint says there are */
    long saved_batch_size;          /* the batch size that the checkpoint's `batch` counts in */
    Lock locks[3];                  /* locks on a->log, a->out and a->checkpoint */
    bool written;                   /* this process wrote the model */
    double saved;                   /* when the state was written last, in seconds */
} TrainRun;

/* ---- start.c */

/* Sets m.c, before the model is there, to a.model with the pretrained encoder of a.pretrained, which is loaded into
 * `published`, or to the configuration in the checkpoint. Errors of model_load, model_texts_read, import_move. */
Status trainer_start_config(TrainRun *run, Error *error);
/* Loads the model start_from, or gates.start_from, if there is one, into *from, which is fresh from model_init and must
 * be freed in any case; a pruned model gives the model to train its shape. ERR_CONFIG where vocabularies or shapes
 * differ; errors of model_load. */
Status trainer_start_model(Trainer *tr, Model *from, Error *error);
/* Copies the weights of *from, the model of trainer_start_model, by name, once the model to train is built; parameters
 * that *from lacks keep their values. */
Status trainer_start_weights(Trainer *tr, const Model *from, Error *error);
/* If `from`, of file `path`, is pruned, `to` gets the same heads. ERR_CONFIG unless both have as many layers and heads
 * before pruning. */
Status trainer_copy_pruned(const Model *from, Model *to, const char *path, Error *error);

/* Reads the options of a model from the configuration in its file. ERR_FORMAT, ERR_CONFIG, ERR_NOMEM. */
Status trainer_config_of(const ModelTexts *texts, const char *path, ModelConfig *model_config, Arena *strings,
                         Error *error);

/* ---- init.c: TrainArgs.init */

/* Loads the model into *from, which is fresh from model_init and must be freed in any case, and takes what it has
 * besides tensors: vocabularies (tr->had gets their sizes, with reserved values), pruned heads, the default treebank.
 * ERR_USAGE where an option contradicts its shapes; errors of model_load_any. */
Status trainer_init_model(Trainer *tr, Model *from, Error *error);
/* Copies tensors into the model, which is built and has initial values; sets counts.init and init. ERR_CONFIG,
 * ERR_NOMEM. */
Status trainer_init_weights(TrainRun *run, const Model *from, Error *error);
/* Sets init from the object that a checkpoint keeps. false when out of memory. */
struct cJSON;
bool trainer_note_init(TrainRun *run, const struct cJSON *init);
/* ---- init_weights.c */

typedef struct TrainerTaken {
    bool *used;   /* [parameters of the old model] something was taken from it */
    bool *filled; /* [parameters of the new model] it has taken something: at least what both vocabularies have */
} TrainerTaken;
/* Every parameter of the new model gets the values of the old parameter of the same name and shape; in a table of
 * embeddings or the outputs of a scorer, the row or column of each word, tag, label ... gets the old values of the same
 * word, tag, label. ERR_CONFIG where shapes differ. */
Status trainer_take_tensors(const Model *from, Model *to, const char *path, const TrainerTaken *taken, Error *error);

/* ---- check.c */

/* Scores dev with the averaged weights if there are any, reports the scores, appends to the log, and saves the model if
 * it is the best so far. ERR_IO, ERR_NOMEM, ERR_NUMERIC. */
Status trainer_check(TrainRun *run, Error *error);
/* ---- log.c */

/* Appends a line to the log, and draws it, if these are wanted. ERR_IO, ERR_NOMEM, ERR_FORMAT (the log holds something
 * else). */
Status trainer_log_check(const TrainRun *run, const TrainCheck *check, Error *error);
/* Checks that the log can be written, and read where a picture is drawn from it. ERR_IO. */
Status trainer_log_open(const Trainer *tr, Error *error);
/* Appends how the model was trained: {"epoch": ..., "updates", "training_sentences", "seconds", "dev", "train"}. */
void trainer_summary(const TrainRun *run, const TrainCheck *check, StrBuf *out);

/* ---- report.c */

/* Calls the observer. rate: sentences per second in this epoch. */
void trainer_report(const Trainer *tr, const TrainEvent *event);
void trainer_report_progress(const Trainer *tr, double rate);
/* Reports every option that differs from the checkpoint, whose training options are `saved` (or NULL). */
void trainer_report_changes(const Trainer *tr, const struct cJSON *saved);

/* ---- data.c */

/* Sets data and, if the run begins, hash, once the data are there. ERR_USAGE where a checkpoint has other parses,
 * ERR_NOMEM. */
Status trainer_note_data(TrainRun *run, Error *error);
/* Compares the sentences of the training data with the hashes in a checkpoint's state, whatever the files are called
 * now, and the sentences of each dev set whose name is in the state. Treebanks get the names they had. A state without
 * hashes is not compared. Called before the examples are made. ERR_USAGE, ERR_FORMAT. */
Status trainer_check_data(TrainRun *run, const struct cJSON *state, Error *error);

/* ---- checkpoint.c */

/* Locks the files that training will write, so that it fails now, not after an hour, if they cannot be written or
 * another process writes them (ERR_IO). trainer_unlock_outputs must be called also after an error. */
Status trainer_check_outputs(TrainRun *run, Error *error);
void trainer_unlock_outputs(TrainRun *run);
/* Writes the model. ERR_NUMERIC where a number is not finite; the old file then stays. ERR_IO, ERR_NOMEM. */
Status trainer_save_model(TrainRun *run, const TrainCheck *check, Error *error);
/* Writes the checkpoint, if one is asked for. Errors of trainer_save_model. */
Status trainer_save_checkpoint(TrainRun *run, Error *error);
/* Reads the counters of a checkpoint (ERR_FORMAT where one is missing or out of its range) and reports options that
 * differ. ERR_USAGE if other parameters are frozen. */
Status trainer_read_state(TrainRun *run, const char *text, Error *error);
/* Do these counters fit the training sentences and one another? Called once the examples are there. ERR_USAGE on other
 * data, ERR_FORMAT. */
Status trainer_check_state(const TrainRun *run, Error *error);
/* Reads the checkpoint's slabs, once they are allocated; all numbers must be finite and no square negative. ERR_IO,
 * ERR_FORMAT, ERR_CONFIG, ERR_NUMERIC. */
Status trainer_load_slabs(Trainer *tr, Error *error);
