/* Parses gold sentences one by one with several threads and sums over them. Sums are made for chunks of sentences and
 * merged in order, so the result does not depend on the number of threads. */
#pragma once

#include "parser/parse/parse.h"

typedef struct GoldPass {
    const Model *m;
    const Treebank *gold;
    const ParseOptions *o; /* tags are those that the model predicts, without rules of shapes */
    int n_threads;
    size_t size; /* bytes of sums */
    /* Adds a sentence to sums, which begin as zeros. w has just parsed it, alone in its batch, with the result p. */
    Status (*add)(const void *context, void *sums, Worker *w, const Sentence *gold, const Parsed *p, Error *e);
    void (*merge)(void *to, const void *from);
    const void *context; /* of add */
} GoldPass;

/* *sums, pass->size bytes, is overwritten. *left_out: sentences above the limits of parsing, which are parsed in pieces
 * otherwise. Sentences without words are left out, too. ERR_NOMEM, ERR_NUMERIC, errors of add. */
Status gold_pass(const GoldPass *pass, void *sums, int *left_out, Error *error);
