/* What a teacher says of a sentence: probabilities in place of decisions (Hinton et al. 2015). The values are numbers
 * of tags, types and labels in some vocabularies. */
#pragma once

#include "cky/tree_loss.h"

typedef struct SoftValue {
    int value;
    float p;
} SoftValue;

/* A distribution for each word: v[start[w]] .. v[start[w + 1] - 1], at least one value. The first value is what the
 * teacher decided. start [n_words + 1]; NULL: there are none. */
typedef struct SoftRows {
    const int *start;
    const SoftValue *v;
} SoftRows;

typedef struct SoftTargets {
    SoftRows tags, heads; /* heads: 1-based, 0 = root */
    SoftRows types;       /* types of the arc to the first of heads; only with heads */
    SoftTree tree;        /* n_spans 0: none. n_words is set in any case */
} SoftTargets;

/* The head of word `word` (0-based) that the teacher decided, -1 without heads. */
static inline int soft_head(const SoftTargets *targets, int word)
{
    return targets->heads.start ? targets->heads.v[targets->heads.start[word]].value : -1;
}
