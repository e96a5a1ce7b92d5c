/* What a program may ask for besides trees: probabilities, and contributions of label heads. */
#pragma once

#include "explain/fast/why.h"
#include "parser/parse/soft_parse.h"

/* All zero at first. */
typedef struct ApiObserver {
    SoftOptions options;
    bool probabilities, contributions, notes; /* what is asked for; notes: WhyNotes, of lal_parse_text_as */
    Why why;
    bool ready; /* why is */
} ApiObserver;

/* Parsed.extra of a sentence that was parsed in one piece. */
typedef struct ApiObserved {
    const SoftTargets *soft; /* NULL: not asked for */
    /* Contributions of the label heads, as numbered before pruning, to the scores of Parsed.phrases [n_phrases] and of
     * arcs [n_words]: rows of `heads` + 1 numbers, the last one is what no head gave, so a row sums to the score; of
     * zeros where the model has no such score. NULL: not asked for */
    const float *phrases, *arcs;
    int heads;
} ApiObserved;

/* For ParseOptions.observe, as observer asks; observer must stay. The first time that contributions are asked for, the
 * model is made ready: ERR_CONFIG if its heads cannot be explained (why_init), ERR_NOMEM. */
Status api_observer(ApiObserver *observer, const Model *model, ParseObserver *parse_observer, Error *error);
void api_observer_fini(ApiObserver *observer);
