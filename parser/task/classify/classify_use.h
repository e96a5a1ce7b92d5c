/* What a TaskUse of models whose sentences have classes has besides `gold`, and the options and files that this reads:
 * gold sets Sentence.target to the name of the class. */
#pragma once

#include "parser/task/classify/class_heads.h"
#include "parser/task/classify/classify.h"
#include "parser/task/eval_report.h"
#include "parser/task/predict.h"
#include "parser/task/use.h"

#define CLASSIFY_USE                                                                                           \
    .training = &CLASSIFY_TRAINING, .needs_gold = true, .decisions = "classes", .score = classify_score,       \
    .differ = classify_differ, .eval = &CLASSIFY_EVAL, .predict = &CLASSIFY_PREDICT, .heads = &CLASSIFY_HEADS, \
    .counts = &CLASSIFY_COUNTS

Status classify_score(const Model *model, const Corpus *gold, const UseOptions *options, struct DevScores *out,
                      Error *error);
Status classify_differ(const Model *a, const Model *b, const Corpus *gold, int most, ModelDifference *out,
                       Error *error);
extern const EvalTask CLASSIFY_EVAL; /* accuracy, macro-F1 and confusions; files are not scored */
extern const PredictTask CLASSIFY_PREDICT;
extern const TaskHeads CLASSIFY_HEADS;
extern const struct TaskCounts CLASSIFY_COUNTS;
