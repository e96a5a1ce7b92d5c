/* The folder of a run (ablate.h lists its files), for the files of this folder */
#pragma once

#include "program/ablate/ablate.h"

typedef struct AblateFolder {
    char run[4096], checkpoint[4096], log[4096], model[4096], pruned[4096], trained[4096], sentences[4096],
        scores[4096], parses[4096]; /* files of a fold */
} AblateFolder;

/* Makes a folder that may be there already. ERR_IO. */
Status ablate_make_folder(const char *path, Error *e);
/* The paths of the files of a run; the folders are made if `make`. ERR_IO, ERR_RANGE for a path that is too long. */
Status ablate_folder(AblateFolder *f, const char *out, const AblateVariant *v, long seed, bool make, Error *e);

/* ---- what a run is made of */

/* 16 digits that change with the name or any sentence, tree or dependency of these corpora, or their order. */
void ablate_corpora_hash(const Corpus *c, int n, char digits[17]);

/* The record of a run, JSON: configuration, hashes of train and dev, and checksums of the models that it needs, models
 * [ABLATE_NEEDS], each or NULL. To be deleted; NULL when out of memory. */
cJSON *ablate_record(const AblateArgs *a, const AblateVariant *v, long seed, const char *const *models);
/* Appends what differs from the record that was saved, "train.epochs was 3, is 2"; nothing if they are equal. An option
 * that the saved record lacks, because the program that wrote it had none of this name, had its default; so an option
 * that is added to the program leaves finished runs valid, and so does one that is removed from it. ERR_NOMEM. */
Status ablate_record_change(const cJSON *saved, const cJSON *now, StrBuf *out, Error *e);

/* The arguments of a run's training, without files and seed; options: of the run. */
TrainArgs ablate_train_args(const AblateArgs *a, const AblateVariant *v, const EncoderOptions *options);

/* ---- results */

/* A JSON object of a file; NULL without an error if there is no such file. ERR_IO, ERR_FORMAT, ERR_NOMEM. */
Status ablate_read_json(const char *path, cJSON **out, Error *e);

Status ablate_write_trained(const AblateFolder *f, const AblateRun *r, Error *e);
/* Sets *known if the run was trained, or failed, and then fills it. */
Status ablate_read_trained(const AblateFolder *f, AblateRun *r, bool *known, Error *e);

/* Sets the sums of r->each. */
void ablate_add_up(const AblateMeasure *x, AblateRun *r, int n_dev, int n_test);
/* The scores, and r->each of n_dev + n_test units. test: what they depend on besides the model: the hash of the test
 * data, and whether the model is pruned. */
Status ablate_write_scores(const AblateFolder *f, const AblateMeasure *x, const AblateRun *r, int n_dev, int n_test,
                           const char *test, Error *e);
/* Sets *known if the run was scored so, and then fills it and allocates r->each. */
Status ablate_read_scores(const AblateFolder *f, const AblateMeasure *x, AblateRun *r, int n_dev, int n_test,
                          const char *test, bool *known, Error *e);

/* From a log: the number of updates, and mean losses over the first fifth of them and over all. */
Status ablate_read_losses(const char *log, const AblateMeasure *x, AblateRun *r, Error *e);

/* ---- ablate_heads.c */

/* Sets *out to a 1 for each head that the model has and whose gate is not 0, else 0, in the order of gates.constant:
 * self-attention layer by layer, label heads, and with gated_only, which leaves out layers without gates, PAL and the
 * decoder's stacks. In the arena. ERR_NOMEM, ERR_RANGE. */
Status ablate_open_heads(const Model *m, bool gated_only, Arena *a, HeadNumbers *out, Error *e);
/* Fills self_heads, label_heads and rho. */
Status ablate_heads(const AblateArgs *a, const Model *m, AblateRun *r, Error *e);

/* ---- ablate_units.c */

/* A model to score. */
typedef struct AblateScored {
    const AblateArgs *a;
    const AblateVariant *v;
    const Model *m;
    const char *path; /* its file */
} AblateScored;

/* Fills each [units][n_numbers], which is 0, of dev or test by the model. Errors of the task's own scoring. */
Status ablate_score_units(const AblateScored *x, bool test, double *each, Error *e);

/* ---- ablate_score.c */

/* Scores the model of a run, or what pruning leaves of it, on dev and test, and writes the scores. r->state becomes
 * ABLATE_FINISHED. */
Status ablate_score(const AblateArgs *a, const Ablation *of, const AblateVariant *v, const AblateFolder *f,
                    const char *scored, AblateRun *r, Error *e);

/* ---- ablate_resolve.c */

/* The options of a run, with what it gets from other runs of its seed, and the model that it starts from, or NULL. In
 * the arena. ERR_NOMEM, errors of model_load. */
Status ablate_resolve(const AblateArgs *a, const AblateVariant *v, int seed, Arena *arena, EncoderOptions *out,
                      const char **start, Error *e);

/* ---- ablate_first_pass.c: OUT/first-pass/train.jsonl, the predicted parses of all training sentences, trees and
 * dependencies; the model of fold k is in OUT/first-pass/seed-N, N the first seed + k */

Status ablate_first_pass_path(const AblateArgs *a, Arena *arena, const char **path, Error *e);
/* The training data without block `fold`: out [n_train] borrows them. ERR_NOMEM. */
Status ablate_fold(const AblateArgs *a, int fold, Corpus *out, Arena *arena, Error *e);
/* Writes the parses of block `fold` of all treebanks by the model of the fold. */
Status ablate_fold_parse(const AblateArgs *a, int fold, const char *model, const char *path, Error *e);
/* Joins the parses of all folds, paths [folds], into one file in the order of the training data. */
Status ablate_folds_join(const AblateArgs *a, const char *const *paths, const char *path, Error *e);
