/* What the attention heads of a parser do over a treebank: a HeadReport of one stack, label heads last. Relevance is
 * for the phrases and the arcs of its own parses, importance for the training loss. */
#pragma once

#include "parser/heads/task_heads.h"

/* Parses a gold sentence and adds it; options->record must be set. Measures that need a tree or dependencies which it
 * lacks skip it. ERR_NOMEM, errors of parse_batch and of the tape. */
Status parse_heads_add(HeadReport *report, Worker *worker, const Sentence *gold, const ParseOptions *options,
                       Error *error);
extern const TaskHeads PARSE_HEADS;
