/* The best labels of characters. */
#include <limits.h>
#include <string.h>

#include "language/trained/trained_internal.h"

enum { NEVER = INT_MIN / 2 };

/* May the label stand at this character, after the label before it (-1: at the beginning)? */
static bool may_follow(const TrainedChar *c, int before, int label)
{
    bool ended = before < 0 || before & TRAINED_ENDS || before == TRAINED_OUTSIDE;
    if (c->class == TRAINED_SPACE) return label == (ended ? TRAINED_OUTSIDE : TRAINED_INSIDE) && (ended || c->plain);
    if (c->bound != TRAINED_OPEN && ended != (c->bound == TRAINED_APART)) return false;
    return label != TRAINED_OUTSIDE && (label & TRAINED_BEGINS) == ended;
}

static void scores_of(const TrainedText *t, const TrainedScan *s, int k, int score[TRAINED_LABELS])
{
    uint32_t at[TRAINED_FEATURES];
    int n = trained_char_features(t, s, k, at);
    memset(score, 0, TRAINED_LABELS * sizeof *score);
    for (int i = 0; i < n; i++)
        for (uint32_t label = 0; label < TRAINED_OUTSIDE; label++) score[label] += trained_weight(t, at[i] + label);
}

/* Keeps sums small, which a long text would make too large: subtracts the largest one. */
static void level(int best[TRAINED_LABELS])
{
    int most = NEVER;
    for (int x = 0; x < TRAINED_LABELS; x++) most = best[x] > most ? best[x] : most;
    for (int x = 0; x < TRAINED_LABELS; x++)
        if (best[x] != NEVER) best[x] -= most;
}

bool trained_decode(const TrainedText *trained, const TrainedScan *scan, int from, int to, int cost,
                    const uint8_t *gold, uint8_t *label)
{
    uint8_t(*back)[TRAINED_LABELS] = mem_calloc((size_t)(to - from), sizeof *back);
    int best[TRAINED_LABELS], last[TRAINED_LABELS], transition[TRAINED_LABELS][TRAINED_LABELS] = { { 0 } };
    if (!back) return false;
    for (int b = 0; b < TRAINED_LABELS; b++)
        for (uint32_t x = 0; x < TRAINED_OUTSIDE; x++)
            transition[b][x] = trained_weight(trained, trained_transition(trained, b) + x);
    for (int k = from; k < to; k++) {
        int score[TRAINED_LABELS];
        scores_of(trained, scan, k, score);
        memcpy(last, best, sizeof last);
        for (int x = 0; x < TRAINED_LABELS; x++) {
            if (gold && x != gold[k]) score[x] += cost;
            best[x] = k == from && may_follow(&scan->c[k], -1, x) ? score[x] : NEVER;
            for (int b = 0; b < TRAINED_LABELS && k > from; b++) {
                if (last[b] == NEVER || !may_follow(&scan->c[k], b, x)) continue;
                int sum = last[b] + transition[b][x] + score[x];
                if (sum <= best[x]) continue;
                best[x] = sum;
                back[k - from][x] = (uint8_t)b;
            }
        }
        level(best);
    }
    uint8_t x = best[TRAINED_ENDS] > best[TRAINED_SINGLE] ? TRAINED_ENDS : TRAINED_SINGLE;
    for (int k = to - 1; k >= from; k--) {
        label[k] = x;
        x = back[k - from][x];
    }
    mem_free(back);
    return true;
}
