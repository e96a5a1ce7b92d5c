/* parser/lab/insight/head_report_internal.h
 * How the measures of one sentence, or pair of texts, are added to a report, whatever its task is. */
#pragma once

#include "parser/lab/insight/head_report.h"

enum { REPORT_INPUTS = 2 };

/* What a report reads of a recorded pass. */
typedef struct HeadPass {
    Tensor *context[REPORT_LAYERS]; /* [n_layers] contexts of attention, outputs of label heads; NULL of no heads */
    Tensor *input[REPORT_INPUTS];   /* embedded tokens: together a cut through the network; the second may be NULL */
    int rows[REPORT_STACKS];        /* tokens that each stack has contexts of */
} HeadPass;

/* Baselines of relations are from these offsets. */
void head_report_baselines(HeadReport *r, const RelationOffsets *offsets);
/* Attention w [functions[0].heads] between the words of a sentence, START and STOP; patterns that need what it lacks
 * skip it. ERR_NOMEM. */
Status head_report_add_patterns(HeadReport *r, const PatternSentence *sentence, const HeadWeights *w, Arena *a,
                                Error *e);
/* Relevance for a score [1, 1] of the pass, decision `what`. Errors of the tape, ERR_NOMEM. */
Status head_report_add_relevance(HeadReport *r, Worker *w, const HeadPass *p, Tensor *score, int what, Arena *a,
                                 Error *e);
/* Where the gradients of parameters are added; NULL: ERR_NOMEM. */
Real *head_report_grads(HeadReport *r, const Worker *w, Error *e);
/* Importance for a loss [1, 1] of the pass, whose gradients go to head_report_grads. Errors of the tape, ERR_NOMEM. */
Status head_report_add_gradient(HeadReport *r, Worker *w, const HeadPass *p, Tensor *loss, Arena *a, Error *e);
/* The loss of the sentence in a new pass with factors on the heads of the report, or NULL. */
typedef Status (*HeadLoss)(void *context, const Real *factors, double *loss, Error *e);
/* Removes each head in turn. Errors of loss, ERR_NOMEM. */
Status head_report_add_masked(HeadReport *r, HeadLoss loss, void *context, Arena *a, Error *e);
