/* parser/task/classify/classify_use.h
 * What TASK_CLASSIFY_USE is made of, for other tasks whose sentences have classes. */
#pragma once

#include "parser/task/eval_report.h"
#include "parser/task/predict.h"

extern const PredictTask CLASSIFY_PREDICT;
extern const EvalTask CLASSIFY_EVAL; /* accuracy, macro-F1 and confusions; files are not scored */
