/* Attention between the words of a text, of every head that a model has, whatever its task is: first the heads of its
 * pretrained encoder, layer by layer, then its own, then the label heads. From a word of several pieces attention is
 * the mean over its pieces, to it the sum (Clark et al. 2019, section 4.1). */
#pragma once

#include "lal/head_measures.h"
#include "parser/model/worker.h"

enum { HEAD_NAME = 40 };

typedef struct WordAttention {
    const Model *m;
    int n, pretrained; /* heads in all, and of the pretrained encoder */
} WordAttention;

/* ERR_CONFIG for a model without heads, or whose masks read parses. */
Status word_attention_init(WordAttention *attention, const Model *model, Error *error);
/* "pretrained:3:2" is head 2 of layer 3 of the pretrained encoder, "3:2" head 2 of layer 3 of the model's own,
 * "label:12" label head 12. */
void word_attention_name(const WordAttention *attention, int head, char name[HEAD_NAME]);
/* Adds weights between the pieces of one text, p [pieces, pieces], to those between its tokens, sum [tokens, tokens].
 * token [pieces]: the token of each piece, START 0 and STOP too, ascending. */
void word_attention_add(const int *token, const Real *p, int pieces, int tokens, Real *sum);
/* Attention in the worker's last recorded pass, over one text, in the arena: of its pretrained encoder, if that was
 * recorded (Worker.pieces); of its own heads and label heads. Errors of the tape, ERR_NOMEM. */
Status word_attention_pretrained(Worker *worker, Arena *arena, HeadWeights *out, Error *error);
Status word_attention_own(Worker *worker, Arena *arena, HeadWeights *out, Error *error);
/* Could the pretrained encoder, if there is one, take the text at once? */
bool word_attention_is_one(const Worker *worker);
/* The weights of all heads [n] in a text, START, n_words words, STOP; they lie in a and are valid until the worker's
 * next batch. *read: false where the pretrained encoder cannot take the text at once. Errors of worker_pack and the
 * tape; ERR_NOMEM. */
Status word_attention_read(const WordAttention *attention, Worker *worker, const char *const *words, int n_words,
                           Arena *arena, HeadWeights *out, bool *read, Error *error);
