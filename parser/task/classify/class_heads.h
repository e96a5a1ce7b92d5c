/* What the attention heads of a model that classifies do over texts with classes: a HeadReport of one stack. Relevance
 * is for the sum of the largest scores of a text's units, means over their tokens; importance for the training loss.
 * Models without classes, pretrained encoders too, get functions and patterns alone. */
#pragma once

#include "parser/heads/task_heads.h"

/* A text that the model reads: a sentence, or a part of a document, with its parts. */
typedef struct ClassText {
    Sentence words;
    int *labels; /* Gold.own (parser/task/classify/classify.h); NULL: there is no further text */
    int next;    /* where to go on */
} ClassText;

/* TaskHeads.text of sentences, with their classes or without: the text of sentence k at `from`, at first 0, in the
 * arena. ERR_FORMAT on a class that is not the model's, ERR_NOMEM. */
Status class_heads_text(const Model *model, const Corpus *corpus, int k, int from, Arena *arena, ClassText *out,
                        Error *error);
Status class_heads_words(const Model *model, const Corpus *corpus, int k, int from, Arena *arena, ClassText *out,
                         Error *error);

/* Adds a text; masks read its parse, if it has one. Without a class in it nothing is explained and there is no loss.
 * ERR_NOMEM, errors of the tape. */
Status class_heads_add(HeadReport *report, Worker *worker, const ClassText *text, Error *error);

/* What a TaskHeads of such texts has besides the names of its texts, its options and `text`. Sentences get the arcs and
 * phrases that the model of the first pass finds, if there is one. Where sentences have arcs, these are the baselines
 * of relations, unless training has them. */
#define CLASS_HEADS .words = "words", .begin = class_heads_begin, .add = class_heads_add_texts, .show = class_heads_show
Status class_heads_begin(HeadsRun *run, Error *error);
Status class_heads_add_texts(HeadsRun *run, int k, Error *error);
Status class_heads_show(HeadsRun *run, int k, int head, const struct HeadNames *names, PutAttention *put, StrBuf *out,
                        Error *error);
