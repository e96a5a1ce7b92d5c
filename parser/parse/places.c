/* Viterbi's algorithm: the sums of scores of places that may follow each other. */
#include "parser/parse/places.h"

#include <float.h>

#define UNKNOWN (-1e6) /* the score of a place that the model does not know */

const char *const PLACES_TAG[4] = { "<M>", "<B>", "<E>", "<S>" };

bool places_find(const Model *model, int number[4])
{
    bool any = false;
    for (int k = 0; k < 4; k++) any = (number[k] = vocab_find(&model->tags, PLACES_TAG[k])) >= 0 || any;
    return any;
}

bool places_choose(const int number[4], const Real *scores, int cols, int n, const bool *apart, Arena *scratch,
                   const char **tags)
{
    double sum[4] = { 0 }, last[4];
    unsigned char(*before)[4] = arena_alloc(scratch, (size_t)n, sizeof *before);
    if (!before) return false;
    for (int c = 0; c < n; c++) {
        const Real *x = scores + (size_t)c * (size_t)cols;
        for (int k = 0; k < 4; k++) last[k] = sum[k];
        for (int k = 0; k < 4; k++) {
            bool begins = k & PLACES_BEGINS;
            sum[k] = -DBL_MAX;
            for (int b = 0; b < 4; b++) {
                bool ended = c == 0 || b & PLACES_ENDS;
                if (begins != ended || (!begins && apart && apart[c]) || last[b] == -DBL_MAX || last[b] <= sum[k])
                    continue;
                sum[k] = last[b];
                before[c][k] = (unsigned char)b;
            }
            if (sum[k] > -DBL_MAX) sum[k] += number[k] < 0 ? UNKNOWN : (double)x[number[k]];
        }
    }
    int best = sum[PLACES_ENDS] > sum[PLACES_BEGINS | PLACES_ENDS] ? PLACES_ENDS : PLACES_BEGINS | PLACES_ENDS;
    for (int c = n - 1; c >= 0; c--) {
        tags[c] = PLACES_TAG[best];
        best = before[c][best];
    }
    return true;
}
