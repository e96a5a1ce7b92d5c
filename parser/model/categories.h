/* The categories of phrases: NP of the labels NP and S::NP. With lal_linked each has a label head of its own,
 * as far as there are heads. */
#pragma once

#include "parser/model/model.h"

typedef struct Categories {
    int n;
    const char **name; /* [n] in the order in which labels have them first */
    const int *first;  /* [labels + 1]: label l has the categories of[first[l]] .. of[first[l + 1] - 1] */
    const int *of;
} Categories;

/* The first `most` categories, in the arena. ERR_NOMEM. */
Status categories_find(const Model *model, int most, Arena *arena, Categories *categories, Error *error);
