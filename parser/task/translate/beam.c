/* Outputs are chains of nodes that share their beginnings; a step keeps the best
 * continuations of all live outputs. */
#include "parser/task/translate/beam.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static Status out_of_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory for beam search"); }

Status beam_init(Beam *beam, BeamOptions options, Error *error)
{
    *beam = (Beam){ .o = options };
    if (!mem_reserve(beam->live, &beam->live_cap, 1) || !mem_reserve(beam->parent, &beam->parent_cap, 1))
        return out_of_memory(error);
    beam->live[beam->n_live++] = (BeamOutput){ .node = -1 };
    beam->parent[0] = 0;
    return OK;
}

void beam_fini(Beam *beam)
{
    mem_free(beam->node);
    mem_free(beam->live);
    mem_free(beam->parent);
    mem_free(beam->finished);
    *beam = (Beam){ 0 };
}

int beam_last(const Beam *beam, int k)
{
    int node = beam->live[k].node;
    return node < 0 ? beam->o.start : beam->node[node].piece;
}

static double score_of(const Beam *b, double log_p, int length)
{
    return log_p / pow((5.0 + length) / 6, b->o.penalty);
}

/* ---- continuations */

typedef struct Continuation {
    double log_p;
    int output, piece;
} Continuation;

/* The first ones in order: best [n], n <= most. */
typedef struct Best {
    Continuation *best;
    int n, most;
} Best;

/* Continuations come by rising output and piece, so that one goes after those with the same probability. */
static void add(Best *b, Continuation x)
{
    int low = 0, high = b->n;
    if (b->n == b->most && x.log_p <= b->best[b->n - 1].log_p) return;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (b->best[middle].log_p >= x.log_p) low = middle + 1;
        else high = middle;
    }
    if (b->n < b->most) b->n++;
    memmove(b->best + low + 1, b->best + low, (size_t)(b->n - 1 - low) * sizeof *b->best);
    b->best[low] = x;
}

static double log_sum(const Real *x, int n)
{
    double most = (double)x[0], sum = 0;
    for (int k = 1; k < n; k++)
        if ((double)x[k] > most) most = (double)x[k];
    for (int k = 0; k < n; k++) sum += exp((double)x[k] - most);
    return most + log(sum);
}

static Status find_best(const Beam *b, const Real *score, int ld, int pieces, Best *best, Error *e)
{
    for (int k = 0; k < b->n_live; k++) {
        const Real *x = score + (ptrdiff_t)k * ld;
        double all = log_sum(x, pieces);
        if (!isfinite(all)) return error_set(e, ERR_NUMERIC, "the scores of the next pieces are not finite");
        for (int p = 0; p < pieces; p++)
            if (p != b->o.start) add(best, (Continuation){ b->live[k].log_p + ((double)x[p] - all), k, p });
    }
    return OK;
}

/* ---- a step */

static bool add_node(Beam *b, const Continuation *c, int *node)
{
    if (!mem_reserve(b->node, &b->node_cap, b->n_nodes + 1)) return false;
    b->node[b->n_nodes] = (BeamNode){ c->piece, b->steps, b->live[c->output].node };
    *node = b->n_nodes++;
    return true;
}

static bool finish(Beam *b, int node, double log_p)
{
    if (!mem_reserve(b->finished, &b->finished_cap, b->n_finished + 1)) return false;
    b->finished[b->n_finished++] = (BeamOutput){ node, log_p, score_of(b, log_p, b->node[node].length) };
    return true;
}

/* Can no live output get a score above the best finished one? */
static bool is_decided(const Beam *b)
{
    double best = -INFINITY;
    for (int k = 0; k < b->n_finished; k++) best = fmax(best, b->finished[k].score);
    return b->n_live == 0 || score_of(b, b->live[0].log_p, b->o.most) <= best;
}

/* The live outputs become the continuations that live on; the others end. */
static bool take(Beam *b, const Best *best)
{
    int beam = b->o.beam, n = 0;
    BeamOutput *live = mem_alloc((size_t)best->n, sizeof *live);
    int *parent = mem_alloc((size_t)best->n, sizeof *parent);
    bool ok = live && parent;
    for (int k = 0; k < best->n && ok; k++) {
        const Continuation *c = &best->best[k];
        bool ends = c->piece == b->o.stop;
        int node = 0;
        if ((ends && k >= beam) || (!ends && n == beam)) continue;
        ok = add_node(b, c, &node);
        if (ok && ends) ok = finish(b, node, c->log_p);
        if (!ok || ends) continue;
        parent[n] = c->output;
        live[n++] = (BeamOutput){ .node = node, .log_p = c->log_p };
    }
    mem_free(b->live);
    mem_free(b->parent);
    b->live = live;
    b->parent = parent;
    b->live_cap = b->parent_cap = best->n;
    b->n_live = n;
    return ok;
}

Status beam_advance(Beam *beam, const Real *score, int ld, int pieces, Error *error)
{
    long all = (long)beam->n_live * pieces, most = beam->o.beam > INT_MAX / 2 ? INT_MAX : 2L * beam->o.beam;
    Best best = { .most = (int)(all < most ? all : most) };
    best.best = mem_alloc((size_t)best.most, sizeof *best.best);
    Status s = best.best ? find_best(beam, score, ld, pieces, &best, error) : out_of_memory(error);
    beam->steps++;
    if (s == OK && !take(beam, &best)) s = out_of_memory(error);
    mem_free(best.best);
    if (s != OK) return s;
    beam->done = is_decided(beam);
    if (beam->done || beam->steps < beam->o.most) return OK;
    for (int k = 0; k < beam->n_live && s == OK; k++)
        if (!finish(beam, beam->live[k].node, beam->live[k].log_p)) s = out_of_memory(error);
    beam->n_live = 0;
    beam->done = true;
    return s;
}

/* ---- outputs */

/* Equal scores stay in the order of their nodes, which is the order in which outputs were found. */
static int by_score(const void *a, const void *b)
{
    const BeamOutput *x = a, *y = b;
    return x->score != y->score ? (x->score < y->score ? 1 : -1) : (x->node > y->node) - (x->node < y->node);
}

void beam_sort(Beam *beam)
{
    if (beam->n_finished) qsort(beam->finished, (size_t)beam->n_finished, sizeof *beam->finished, by_score);
}

int beam_pieces(const Beam *beam, const BeamOutput *output, int *piece)
{
    int n = output->node < 0 ? 0 : beam->node[output->node].length;
    for (int k = output->node, i = n; k >= 0; k = beam->node[k].before) piece[--i] = beam->node[k].piece;
    return n;
}
