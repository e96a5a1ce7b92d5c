/* Sums of the contributions of label heads by category, for naming heads (explain/head_names.h). */
#pragma once

#include "explain/fast/why.h"
#include "explain/head_summary.h"

typedef struct WhySums {
    Why why;
    HeadSummary sums; /* phrases by label, arcs by type */
    bool on;          /* false: the model has no label heads that can be explained; nothing is summed */
} WhySums;

/* A model that cannot be explained is no error. ERR_NOMEM. why_sums_fini must be called also after an error. */
Status why_sums_init(WhySums *sums, const Model *model, Error *error);
void why_sums_fini(WhySums *sums);
/* For ParseOptions.observe of one thread: adds every phrase and arc of each batch. sums must outlive the parse. */
ParseObserver why_sums_observer(WhySums *const *sums);
