/* Attention inside phrases: what a label head sees of a span is the share of its attention that falls between the
 * two fenceposts, times values of the words. Each head attends over the whole sentence with its query vector (Mrini
 * et al. 2020, section 2), a_ht = softmax over t of q_h x_t, and adds up values v_ht = V_h x_t + b_h of few numbers:
 *
 *   P_h[k] = 0.2 n sum_{t <= k} a_ht v_ht   at fencepost k of a sentence of n tokens
 *
 * so that P_h[j] - P_h[i] is linear in the words of span i, j, and exact by head and by word. In the form of the
 * paper a head's view of the sentence is the same for every word, and most of it is lost in the difference of two
 * fenceposts (no counterpart in the paper). 0.2 n makes uniform attention a sum of 0.2 v. */
#pragma once

#include "lal/transformer.h"

typedef struct PhraseAttention {
    int heads, values; /* numbers of a value, 1 .. PHRASE_VALUES_MOST */
    int q;             /* <prefix>.w_qs [heads, d]; -1: weights are given, or uniform */
    int w, b;          /* <prefix>.phrase.weight [d, heads * values], .phrase.bias */
} PhraseAttention;

/* queries: with queries of its own. */
Status phrase_attention_declare(PhraseAttention *pa, ParamSet *ps, const char *prefix, int d, int heads, int values,
                                bool queries, Error *error);
void phrase_attention_init(const PhraseAttention *pa, ParamSet *ps, unsigned long seed);

/* What an interpreter reads (lal/attribution.h). */
typedef struct PhraseTrace {
    Tensor *probs;  /* a [tokens, heads] */
    Tensor *values; /* v [tokens, heads * values] */
} PhraseTrace;

/* x [tokens, d] -> P [tokens - n_sent, heads * values]. probs: the weights of label attention (op_label_weights); NULL:
 * they are made of the queries, logits q_h x_t as they are. control may be NULL. */
Tensor *phrase_attention_forward(const Forward *forward, const PhraseAttention *pa, Tensor *x, Tensor *probs,
                                 Dropouts drop, const HeadControl *control, PhraseTrace *trace);
