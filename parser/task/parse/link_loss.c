/* Computes the slopes of the hidden units on the host, then contributions and their cross-entropy on the tape. */
#include "parser/task/parse/link_loss.h"

#include <math.h>

#include "parser/parse/parse_network.h"

static const double SHARPNESS = 10; /* contributions are below 1 */

/* Gold phrases, as rows of fenceposts, and their labels. */
typedef struct Phrases {
    int *span, *label; /* [n][2], [n] */
    int n;
} Phrases;

static bool find_phrases(const Batch *b, const GoldTree *trees, Phrases *p, Arena *a)
{
    size_t most = 0;
    for (int s = 0; s < b->n_sent; s++) most += (size_t)trees[s].n_nodes;
    *p = (Phrases){ arena_alloc(a, 2 * most, sizeof *p->span), arena_alloc(a, most, sizeof *p->label), 0 };
    if (!p->span || !p->label) return false;
    for (int s = 0; s < b->n_sent; s++)
        for (int k = 0; k < trees[s].n_nodes; k++) {
            const Span *at = &trees[s].nodes[k];
            if (at->label <= CHART_GROUP) continue;
            p->span[2 * (ptrdiff_t)p->n] = batch_fencepost(b, s) + at->begin;
            p->span[2 * (ptrdiff_t)p->n + 1] = batch_fencepost(b, s) + at->end;
            p->label[p->n++] = at->label;
        }
    return true;
}

/* How the score of a label depends on the hidden units of a span before its norm, slope [hidden]. */
static void slopes_of(const Real *gi, const Real *gj, const HostMatrix *b1, const HostMatrix *a, const HostMatrix *b,
                      const HostMatrix *w2, int label, double eps, Real *slope)
{
    int n = b1->cols;
    double mean = 0, square = 0, sum = 0;
    for (int k = 0; k < n; k++) mean += (double)(gj[k] - gi[k] + b1->data[k]) / n;
    for (int k = 0; k < n; k++) square += pow((double)(gj[k] - gi[k] + b1->data[k]) - mean, 2);
    double inverse = 1 / (sqrt(square / (n - 1)) + eps);
    for (int k = 0; k < n; k++) {
        double x = (double)(gj[k] - gi[k] + b1->data[k]) - mean;
        bool active = (double)a->data[k] * x * inverse + (double)b->data[k] > 0;
        double by = active ? (double)host_row(w2, k)[label - 1] * (double)a->data[k] * inverse : 0;
        slope[k] = (Real)by;
        sum += by / n;
    }
    for (int k = 0; k < n; k++) slope[k] -= (Real)sum; /* the norm takes the mean off */
}

/* The slopes of all phrases, [n, hidden]. */
static Tensor *slopes(const Forward *f, const SpanScorer *s, Tensor *g, const Phrases *p, Arena *a)
{
    Tape *t = f->t;
    int hidden = g->cols;
    Real *slope = arena_calloc(a, (size_t)p->n * (size_t)hidden, sizeof *slope);
    if (!slope) return tape_fail(t, ERR_NOMEM, "link_loss: out of memory");
    if (!t->device->measures) {
        HostMatrix x = tensor_host(t, g, a), b1 = tensor_host(t, forward_param(f, s->b1), a),
                   scale = tensor_host(t, forward_param(f, s->norm.a), a),
                   shift = tensor_host(t, forward_param(f, s->norm.b), a),
                   w2 = tensor_host(t, forward_param(f, s->w2), a);
        for (int k = 0; tape_status(t) == OK && k < p->n; k++)
            slopes_of(host_row(&x, p->span[2 * (ptrdiff_t)k]), host_row(&x, p->span[2 * (ptrdiff_t)k + 1]), &b1, &scale,
                      &shift, &w2, p->label[k], s->norm.spec.eps, slope + (ptrdiff_t)k * hidden);
    }
    return tape_status(t) == OK ? tape_constant(t, slope, p->n, hidden) : NULL;
}

Tensor *link_loss(const Forward *forward, const Network *net, Tensor *g, Tensor *sums, const GoldTree *trees,
                  Arena *scratch)
{
    Tape *t = forward->t;
    const ParseNetwork *own = parse_network(net);
    const Categories *c = &own->c.categories;
    Phrases p;
    int heads = net->encoder.phrase.heads, used = 0;
    if (!g || !sums) return NULL;
    if (!find_phrases(forward->batch, trees, &p, scratch)) return tape_fail(t, ERR_NOMEM, "link_loss: out of memory");
    if (!p.n) return NULL;
    size_t n = (size_t)p.n, most = n * (size_t)c->n;
    int *len = arena_alloc(scratch, n, sizeof *len), *first = arena_alloc(scratch, n + 1, sizeof *first),
        *head = arena_alloc(scratch, most, sizeof *head);
    long *row = arena_alloc(scratch, n, sizeof *row);
    Real *share = arena_alloc(scratch, most, sizeof *share);
    if (!len || !first || !head || !row || !share) return tape_fail(t, ERR_NOMEM, "link_loss: out of memory");
    for (int k = 0; k < p.n; k++) {
        int from = c->first[p.label[k]], to = c->first[p.label[k] + 1];
        row[k] = (long)k * heads;
        len[k] = heads;
        first[k] = used;
        for (int i = from; i < to; i++) {
            head[used] = encoder_head_row(&net->encoder, layer_label(net->encoder.c.n_layers), c->of[i]);
            share[used] = (Real)(1.0 / (to - from));
            used += head[used] >= 0;
        }
    }
    first[p.n] = used;
    Tensor *weights = op_row_products(t, slopes(forward, &own->span, g, &p, scratch),
                                      forward_param(forward, own->span.phrase)),
           *inside = op_span_diff(t, sums, p.span, p.n, NULL);
    return op_soft_cross_entropy(t, op_head_dots(t, weights, inside, heads, SHARPNESS), row, len, first, head, share,
                                 p.n);
}
