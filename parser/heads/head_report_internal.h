/* How the measures of one sentence, or pair of texts, are added to a report, whatever its task is. */
#pragma once

#include "parser/heads/head_report.h"

enum { REPORT_INPUTS = 2 };

/* What a report reads of a recorded pass. */
typedef struct HeadPass {
    Tensor *context[REPORT_LAYERS]; /* [n_layers] contexts of attention, outputs of label heads; NULL of no heads */
    Tensor *values;                 /* of label heads inside phrases (lal/phrase_attention.h), or NULL */
    Tensor *input[REPORT_INPUTS];   /* embedded tokens: together a cut through the network; the second may be NULL */
    int rows[REPORT_STACKS];        /* tokens that each stack has contexts of */
    int pieces;                     /* pieces that a pretrained encoder has contexts of */
} HeadPass;

/* Counts the arcs of a sentence, if it has any. */
void head_report_offsets(RelationOffsets *offsets, const Sentence *sent);
/* Relations that have no baseline get one from these offsets, if they occur there. own: of the sentences that are
 * measured. */
void head_report_baselines(HeadReport *report, const RelationOffsets *offsets, bool own);
/* The contexts of the worker's recorded pass of the encoder. */
HeadPass head_report_pass(const HeadReport *report, const Worker *worker);
/* Adds functions and patterns of `sent`, the sentence of the worker's recorded pass. ERR_NOMEM, errors of the tape. */
Status head_report_add_words(HeadReport *report, Worker *worker, const Sentence *sent, Arena *arena, Error *error);
/* Attention weights [functions[0].heads] between the words of a sentence, START and STOP; patterns that need what it
 * lacks skip it. ERR_NOMEM. */
Status head_report_add_patterns(HeadReport *report, const PatternSentence *sentence, const HeadWeights *weights,
                                Arena *arena, Error *error);
/* The sum [1, 1] of the largest score of each row. NULL with the tape's error. */
Tensor *head_report_largest(Worker *worker, Tensor *scores, Arena *arena);
/* Relevance for a score [1, 1] of the pass, decision `what`. Errors of the tape, ERR_NOMEM. */
Status head_report_add_relevance(HeadReport *report, Worker *worker, const HeadPass *pass, Tensor *score, int what,
                                 Arena *arena, Error *error);
/* Importance, and the removal of heads where it is asked for, for the loss of the sentence that is packed. Errors of
 * the tape, ERR_NOMEM. */
Status head_report_add_losses(HeadReport *report, Worker *worker, const Gold *gold, const LossWeights *weights,
                              Arena *arena, Error *error);
/* Where the gradients of parameters are added; NULL: ERR_NOMEM. */
Real *head_report_grads(HeadReport *report, const Worker *worker, Error *error);
/* Importance for a loss [1, 1] of the pass, whose gradients go to head_report_grads. Errors of the tape, ERR_NOMEM. */
Status head_report_add_gradient(HeadReport *report, Worker *worker, const HeadPass *pass, Tensor *loss, Arena *arena,
                                Error *error);
/* The loss of the sentence in a new pass with factors on the heads of the report, or NULL. */
typedef Status (*HeadLoss)(void *context, const Real *factors, double *loss, Error *e);
/* Removes each head in turn. Errors of loss, ERR_NOMEM. */
Status head_report_add_masked(HeadReport *report, HeadLoss loss, void *context, Arena *arena, Error *error);
