/* What TASK_PARSE_USE is made of. */
#pragma once

#include "parser/task/eval_report.h"

extern const EvalTask PARSE_EVAL; /* scores of trees, arcs and tags, of models and of files */
