/* How well a model finds replaced words, or guesses hidden ones. */
#pragma once

#include "parser/task/detect/replace.h"
#include "parser/train/trainer.h"

/* Scores dev set k (TaskTraining.score), by tr->state, a Replacer, with the same replacements in each check. The part
 * of a check's score is 100 exp(-loss): the geometric mean of the probabilities of the right answers, in percent.
 * Sentences of more than max_train_words are left out. */
Status replaced_score(Trainer *tr, int k, DevScores *out, Error *error);
/* replaced_score for hidden words, which the model guesses. */
Status masked_score(Trainer *tr, int k, DevScores *out, Error *error);

/* How models that find replaced words, or guess hidden ones, are trained: TrainArgs.task_options are ReplaceOptions. */
extern const TaskTraining DETECT_TRAINING, DETECT_MASK_TRAINING;
