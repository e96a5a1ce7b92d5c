/* The parts of attention inside phrases: sums at fenceposts with their coefficients in a score, added up within
 * heads. */
#include "explain/fast/pass.h"
#include "parser/parse/parse_network.h"

static void add_span(const Pass *pass, const Vector *v)
{
    const Why *y = pass->y;
    const Real *at_j = host_row(&pass->sums, v->row[0]), *at_i = host_row(&pass->sums, v->row[1]);
    Real *to = pass->phrase + (ptrdiff_t)v->item * y->sums;
    for (int block = 0, cols = y->sums * y->values; block < y->phrase.blocks; block++) {
        WhyLanes c[REGISTERS];
        times_block(&v->e, &y->phrase, block, c);
        for (int k = 0, at = block * WHY_BLOCK; k < WHY_BLOCK && at < cols; k++, at++)
            to[at / y->values] += c[k / LANES][k % LANES] * (at_j[at] - at_i[at]);
    }
}

static void add_arc(const Pass *pass, int item)
{
    const Why *y = pass->y;
    const Span *at = &pass->items[item].at;
    int first = batch_fencepost(&pass->w->packed.batch, pass->items[item].sentence), c = first + at->begin,
        g = first + at->end;
    const int after = y->sums * y->values; /* where the weights of what lies after a word begin */
    const Real *by_c = host_row(&pass->between_c, c) + (g > c ? after : 0),
               *by_g = host_row(&pass->between_h, g) + (g > c ? 0 : after),
               *from = host_row(&pass->sums, g > c ? c : g), *to = host_row(&pass->sums, g > c ? g - 1 : c - 1);
    Real *sum = pass->phrase + (ptrdiff_t)item * y->sums;
    for (int k = 0; k < y->sums * y->values; k++) sum[k / y->values] += (by_c[k] + by_g[k]) * (to[k] - from[k]);
}

/* The part of a span's hidden units that is not of the sums: what their first weights make of the words' own
 * vectors. */
static double own_of_span(const Pass *pass, const Vector *v)
{
    const Real *at_j = host_row(&pass->g, v->row[0]), *at_i = host_row(&pass->g, v->row[1]);
    double all = 0, sum = 0;
    for (int k = 0; k < pass->y->span.width; k++) all += (double)(at_j[k] - at_i[k]);
    for (int k = 0; k + 1 < v->e.n; k++) sum += (double)v->e.value[k] * (double)(at_j[v->e.row[k]] - at_i[v->e.row[k]]);
    sum += (double)v->e.value[v->e.n - 1] * all;
    for (int h = 0; h < pass->y->sums; h++) sum -= (double)pass->phrase[(ptrdiff_t)v->item * pass->y->sums + h];
    return sum;
}

/* Active units of one side of an arc times their coefficients, without what their biases add. */
static double own_of_side(const Vector *v, const HostMatrix *layer, const Real *bias)
{
    const Real *x = host_row(layer, v->row[0]);
    double sum = 0;
    for (int k = 0; k < v->e.n; k++) sum += (double)v->e.value[k] * (double)(x[v->e.row[k]] - bias[v->e.row[k]]);
    return sum;
}

void why_add_phrases(const Pass *pass, const int end[3])
{
    const ArcScorer *arc = &parse_network(&pass->y->m->net)->arc;
    const bool own = pass->y->heads == 0;
    for (int i = 0; i < pass->n; i++) {
        const Vector *v = &pass->vector[i];
        if (i < end[0]) add_span(pass, v);
        else if (i < end[1] && pass->between_c.data) add_arc(pass, v->item);
        if (own)
            pass->rest[v->item] += i < end[0] ? own_of_span(pass, v)
                                   : i < end[1]
                                       ? own_of_side(v, &pass->arc_head, values(pass->y->m, arc->arc_h_b))
                                       : own_of_side(v, &pass->arc_dependent, values(pass->y->m, arc->arc_c_b));
    }
}
