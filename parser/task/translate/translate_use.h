/* What TASK_TRANSLATE_USE is made of. */
#pragma once

#include "parser/task/predict.h"

extern const PredictTask TRANSLATE_PREDICT;
