/* In which order does CoreNLP try words? The words of a match that ":: uniq" keeps are those that it tries first. */
#include "search/semgrex_internal.h"

/* Its place in Java's hash table of the words. */
static int place(const DepNodes *g, int w, int size)
{
    uint32_t hash = (uint32_t)(29 * g->sentence + g->node[w].number);
    if (g->node[w].copy) hash = 29 * hash + (uint32_t)g->node[w].copy;
    return (int)((hash ^ hash >> 16) & (uint32_t)(size - 1));
}

/* The next word below the one on top of the stack that is not finished, or -1. Empty nodes are looked at last. */
static int next_below(const DepNodes *g, int w, int *tried, const char *state)
{
    const DepNode *x = &g->node[w];
    while (*tried < 2 * x->n_down) {
        int k = (*tried)++, below = g->edge[g->down[x->first_down + k % x->n_down]].dependent;
        if ((g->node[below].copy != 0) == (k >= x->n_down) && state[below] != 2) return below;
    }
    return -1;
}

/* Sets `order` to the words of the table, each before what is below it. false: some are below themselves. */
static bool sort(const DepNodes *g, const int *table, int *order, int *stack, int *tried, char *state)
{
    int out = g->n;
    for (int k = 0, depth = 0; k < g->n; k++) {
        if (state[table[k]]) continue;
        stack[depth++] = table[k];
        while (depth) {
            int w = stack[depth - 1], below = next_below(g, w, &tried[w], state);
            state[w] = below < 0 ? 2 : 1;
            if (below >= 0 && state[below] == 1) return false;
            if (below >= 0) stack[depth++] = below;
            else order[--out] = stack[--depth];
        }
    }
    return true;
}

int *semgrex_order(const DepNodes *g)
{
    int size = 16;
    while (4 * (long)g->n > 3 * (long)size) size *= 2;
    int *all = mem_calloc(4 * (size_t)g->n + (size_t)size + 1, sizeof *all);
    char *state = mem_calloc((size_t)g->n + 1, 1);
    if (all && state) {
        int *table = all + g->n, *count = all + 4 * g->n;
        for (int w = 0; w < g->n; w++) count[place(g, w, size) + 1]++;
        for (int k = 0; k < size; k++) count[k + 1] += count[k];
        for (int w = 0; w < g->n; w++) table[count[place(g, w, size)]++] = w;
        if (!sort(g, table, all, table + g->n, table + 2 * g->n, state)) memcpy(all, table, (size_t)g->n * sizeof *all);
    } else {
        mem_free(all);
        all = NULL;
    }
    mem_free(state);
    return all;
}
