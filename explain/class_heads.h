/* What the attention heads of a model that classifies do over texts with classes: a HeadReport of one stack. Relevance
 * is for the sum of the largest scores of a text's units, means over their tokens; importance for the training loss.
 * Models without classes, pretrained encoders too, get functions and patterns alone. */
#pragma once

#include "explain/head_report.h"
#include "parser/model/corpus.h"

/* Gives the first n sentences of the corpus the arcs and phrases that the model of the first pass finds, if there is
 * one, in the arena. Where sentences have arcs, these are the baselines of relations, unless training has them. Errors
 * of parsing, ERR_NOMEM. */
Status class_heads_parses(HeadReport *r, Corpus *c, int n, Arena *a, Error *e);

/* A text that the model reads: sentence k of a corpus, or a part of its document k, with its parts. */
typedef struct ClassText {
    Sentence words;
    const int *labels; /* Gold.own (parser/task/classify/classify.h); NULL: there is no further text */
    int next;          /* where to go on */
} ClassText;

/* The text of document or sentence k at `from`, at first 0, in the arena. ERR_FORMAT on a class that is not the
 * model's, ERR_NOMEM. */
Status class_heads_text(const Model *m, const Corpus *c, int k, int from, Arena *a, ClassText *out, Error *e);
/* Adds a text; masks read its parse, if it has one. Without a class in it nothing is explained and there is no loss.
 * ERR_NOMEM, errors of the tape. */
Status class_heads_add(HeadReport *r, Worker *w, const ClassText *text, Error *e);
/* The model on a text, so that head_report_weights has its attention. Errors of class_heads_add. */
Status class_heads_pass(Worker *w, const Sentence *text, Error *e);
