/* Maximum spanning arborescence of a dense graph */
#include <math.h>
#include <string.h>

#include "cky/decode.h"

/* Words and the components that cycles of them became are nodes: 1 .. n are words, later ones components, 0 the root. A
 * node that is no part of another one is live. */
typedef struct Graph {
    int n, n_nodes;
    double *score; /* [2 n][n + 1] of the best arc from a word into a live node, less those that it would replace */
    int *target;   /* [2 n][n + 1] the word of the node that this arc leads to */
    int *parent;   /* [2 n] the component that a node is part of; 0: it is live */
    int *node_of;  /* [n + 1] the live node of each word, and of the root */
    int *source;   /* [2 n] the word that the node's chosen arc comes from */
    int *next;     /* [2 n] the next member of the same cycle */
} Graph;

static double *scores_of(const Graph *g, int node) { return g->score + (ptrdiff_t)node * (g->n + 1); }
static int *targets_of(const Graph *g, int node) { return g->target + (ptrdiff_t)node * (g->n + 1); }

/* ---- scores */

/* What makes an arc of the root, and one that must not be, dearer than any others are together. */
typedef struct Prices {
    double root, forbidden;
} Prices;

static Prices prices_of(const Real *t, int n)
{
    double least = INFINITY, most = -INFINITY;
    for (int d = 1; d <= n; d++) {
        for (int h = 0; h <= n; h++) {
            double x = (double)t[(ptrdiff_t)d * (n + 1) + h];
            if (h == d || x == -INFINITY) continue;
            least = fmin(least, x);
            most = fmax(most, x);
        }
    }
    double root = most > least ? n * (most - least) + 1 : 1;
    return (Prices){ root, 2 * (n + 1) * root };
}

static void graph_fill(Graph *g, const Real *t)
{
    int n = g->n;
    Prices price = prices_of(t, n);
    g->n_nodes = n + 1;
    for (int d = 1; d <= n; d++) {
        double *to = scores_of(g, d);
        for (int h = 0; h <= n; h++) {
            double x = (double)t[(ptrdiff_t)d * (n + 1) + h];
            to[h] = (x == -INFINITY ? -price.forbidden : x) - (h == 0 ? price.root : 0);
            targets_of(g, d)[h] = d;
        }
        g->node_of[d] = d;
    }
}

/* ---- cycles become nodes */

/* Chooses the best arc into a live node from outside of it. */
static void choose(Graph *g, int node)
{
    const double *x = scores_of(g, node);
    int best = -1;
    for (int h = 0; h <= g->n; h++)
        if (g->node_of[h] != node && (best < 0 || x[h] > x[best])) best = h;
    g->source[node] = best;
}

/* Makes a node of the cycle of chosen arcs through `first`, and returns it. */
static int contract(Graph *g, int first)
{
    int new = g->n_nodes++, at = first;
    double *x = scores_of(g, new);
    int *target = targets_of(g, new);
    for (int h = 0; h <= g->n; h++) x[h] = -INFINITY;
    do {
        const double *y = scores_of(g, at);
        double replaced = y[g->source[at]];
        for (int h = 0; h <= g->n; h++) {
            if (!(y[h] - replaced > x[h])) continue;
            x[h] = y[h] - replaced;
            target[h] = targets_of(g, at)[h];
        }
        g->next[at] = g->node_of[g->source[at]];
        at = g->next[at];
    } while (at != first);
    do g->parent[at] = new;
    while ((at = g->next[at]) != first);
    for (int h = 1; h <= g->n; h++)
        if (g->parent[g->node_of[h]] == new) g->node_of[h] = new;
    return new;
}

/* Chooses arcs of all nodes until they have no cycle. seen [2 n]: 0, or the word whose path came to the node. */
static void grow(Graph *g, int *seen)
{
    for (int word = 1; word <= g->n; word++) {
        int at = g->node_of[word];
        while (at != 0 && !seen[at]) {
            seen[at] = word;
            choose(g, at);
            int above = g->node_of[g->source[at]];
            at = above != 0 && seen[above] == word ? contract(g, above) : above;
        }
    }
}

/* The arcs of words: the arc into a component becomes the arc of one word in it, and its other parts keep theirs. */
static void expand(const Graph *g, int *heads, int *done)
{
    for (int node = g->n_nodes - 1; node > 0; node--) {
        if (done[node]) continue;
        int word = targets_of(g, node)[g->source[node]];
        heads[word - 1] = g->source[node];
        for (int part = word; part != node; part = g->parent[part]) done[part] = 1;
    }
}

double arcs_decode(const Real *t, int n, Arena *scratch, int *heads)
{
    ArenaMark mark = arena_mark(scratch);
    size_t nodes = 2 * (size_t)n, row = (size_t)n + 1;
    Graph g = { n,
                0,
                arena_alloc(scratch, nodes * row, sizeof *g.score),
                arena_alloc(scratch, nodes * row, sizeof *g.target),
                arena_calloc(scratch, nodes, sizeof *g.parent),
                arena_calloc(scratch, row, sizeof *g.node_of),
                arena_calloc(scratch, nodes, sizeof *g.source),
                arena_calloc(scratch, nodes, sizeof *g.next) };
    int *seen = arena_calloc(scratch, nodes, sizeof *seen), *done = arena_calloc(scratch, nodes, sizeof *done);
    double sum = NAN;
    if (g.score && g.target && g.parent && g.node_of && g.source && g.next && seen && done) {
        graph_fill(&g, t);
        grow(&g, seen);
        expand(&g, heads, done);
        int roots = 0;
        sum = 0;
        for (int d = 1; d <= n; d++) {
            sum += (double)t[(ptrdiff_t)d * (n + 1) + heads[d - 1]];
            roots += heads[d - 1] == 0;
        }
        if (roots != 1) sum = -INFINITY;
    }
    arena_rewind(scratch, mark);
    return sum;
}
