/* The hidden words of a batch, and the scores of the words that they may be. */
#pragma once

#include "parser/model/network.h"

typedef struct Masked {
    int *row;  /* [n] rows of the tokens */
    int *word; /* [n] what they are, numbers in Model.classes */
    int n;
} Masked;

/* Finds them by what is asked of each sentence, labels [n_sent] (replacer_apply), or NULL. Arrays have a place for each
 * word of the batch and lie in the arena. false when out of memory. */
bool masked_find(const Batch *batch, const int *const *labels, Arena *arena, Masked *out);
/* [n, n_classes], n at least 1. Errors of the tape. */
Tensor *masked_scores(const Forward *forward, const Network *net, const NetworkOutput *out, const Masked *masked);
