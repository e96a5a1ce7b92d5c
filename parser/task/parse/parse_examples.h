/* Sentences with trees, dependencies or soft targets as examples to learn from. */
#pragma once

#include "parser/task/parse/gold.h"
#include "parser/task/parse/soft_examples.h"

/* What is found in the data; the state of a run that trains a parser (Trainer.state). */
typedef struct ParseCounts {
    int flat, extra_heads; /* joint spans: groups left flat, phrases with several heads (treebank/oracle.h) */
    int bare;              /* trees of one word without a phrase: nothing to learn from */
    int no_tree, no_arcs;  /* sentences without soft targets that have no tree, no dependencies */
    int mended;            /* types corrected (Language.mend_type) */
    int crossed;           /* sentences whose arcs cross */
    int marks, lost_marks; /* punctuation in trees with arcs; its arcs that no joint tree has */
} ParseCounts;

/* How models that parse are trained. */
extern const TaskTraining PARSE_TRAINING;

/* gold_make for an example, and what else an example has of it. */
bool parse_examples_gold(const Model *model, const Sentence *sent, const OracleTree *tree, Arena *arena,
                         Example *example);
/* TaskTraining.examples of TASK_PARSE. Types that Language.mend_type corrects are learnt as it gives them. */
Status parse_examples(Trainer *tr, bool count, Error *error);
