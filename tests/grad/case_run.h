/* A row of the case table on a device. */
#pragma once

#include "tests/grad/cases.h"

typedef struct CaseParams {
    const Device *device;
    Real *value[CASE_MAX_PARAMS], *grad[CASE_MAX_PARAMS];      /* in host memory */
    Real *on_device[CASE_MAX_PARAMS], *dgrad[CASE_MAX_PARAMS]; /* the same on the device */
    int rows[CASE_MAX_PARAMS], cols[CASE_MAX_PARAMS], n;       /* with the columns of Dims.apart */
    int outputs;                                               /* numbers that the last loss was the sum of */
} CaseParams;

/* What is computed after the forward pass. */
typedef enum CaseWalk { CASE_FORWARD, CASE_BACKWARD, CASE_RELEVANCE } CaseWalk;

/* Parameters with fixed random values, none near 0; others for each number CASE_SEED of the environment. */
void case_params_make(const GradCase *c, const Dims *d, CaseParams *p, const Device *device);
void case_params_free(CaseParams *p);
/* Numbers of parameter k. */
size_t case_size_of(const CaseParams *p, int k);
/* The loss, the sum of all outputs with a fixed random weight each, and the gradients in p->grad, or relevances. NAN
 * with t->error on failure. */
double case_run(const GradCase *c, Tape *t, CaseParams *p, const Dims *d, CaseWalk walk);
