/* parser/insight/why.c
 * A decision has a vector e: coefficients on what its scorer reads of a fencepost, f w; most of them are 0, those of hidden units that a ReLU switched off. Behind the
 * feed-forward of the label heads, y' = a (z - mean) / d + b with z = y + W2 relu(W1 y), so the coefficient of y at a token is, with c = w e on the half of the columns
 * that the fencepost takes from it,
 *     (1 / d) (I + W1' diag(active) W2') (a c - mean(a c)).
 * `columns` is a w, `units` W2' of what stands right of it. W1 meets y once for a token and an active unit, summed up within heads: that is why_units.c. */
#include "parser/insight/why.h"

#include <math.h>
#include <string.h>

#include "parser/insight/why_pass.h"

/* ---- a batch */

/* The outputs of the label heads at a fencepost as `columns` has them, times 1 / divisor. */
static void fill_fencepost(const Pass *pass, int first_token, Real *out)
{
    const Why *y = pass->y;
    int half = y->d / y->heads / 2;
    for (int side = 0; side < 2; side++) {
        const Real *row = tensor_row(pass->w->net.encoder.lal, first_token + side) + side * half;
        Real scale = pass->inverse ? pass->inverse[first_token + side] : 1;
        for (int h = 0; h < y->heads; h++) { /* halves lie in one piece, or in pieces of whole blocks */
            for (int k = 0; k < half; k += SIDE) {
                const Real *in = row + h * 2 * half + k;
                Real *to = out + block_column(y, side, h, k);
                int n = half - k < SIDE ? half - k : SIDE;
                for (int i = 0; i < n; i++) to[i] = scale * in[i];
            }
        }
    }
}

static Real **fenceposts(const Pass *pass)
{
    const Batch *b = &pass->w->packed.batch;
    size_t n = (size_t)b->n_tokens, width = 2 * (size_t)padded(pass->y->heads * pass->y->half, SIDE);
    bool padding = width != (size_t)pass->y->d;
    Real **row = arena_calloc(pass->a, n, sizeof *row);
    for (int k = 0; row && k < pass->n; k++)
        for (int use = 0; use < pass->vector[k].n; use++) {
            Real **to = &row[pass->vector[k].row[use]];
            if (*to) continue;
            if (!(*to = arena_alloc(pass->a, width, sizeof **to))) return NULL;
            if (padding) memset(*to, 0, width * sizeof **to);
            fill_fencepost(pass, token_of(pass, &pass->vector[k], use, 0), *to);
        }
    return row;
}

/* What the outputs of the label heads bring by themselves: coefficients against outputs, summed up within heads. */
static void add_columns(Pass *pass, const WhyProjection *p, int from, int to, Real *const *fence)
{
    const Why *y = pass->y;
    int step = y->half < SIDE ? y->half : SIDE;
    for (int block = 0; block < p->columns.blocks; block++) {
        int first = block * SIDE / y->half, count = (y->heads - first) * y->half < SIDE ? (y->heads - first) * y->half : SIDE;
        for (int i = from; i < to; i++) {
            const Vector *v = &pass->vector[i];
            Lanes c[2 * SIDE_LANES], sum[SIDE_LANES] = { { 0 } };
            times_block(&v->e, &p->columns, block, c);
            for (int use = 0; use < v->n; use++) {
                const Lanes *f = (const Lanes *)(fence[v->row[use]] + (ptrdiff_t)block * WHY_BLOCK);
                for (int l = 0; l < SIDE_LANES; l++) sum[l] += v->sign[use] * (c[l] * f[l] + c[SIDE_LANES + l] * f[SIDE_LANES + l]);
            }
            const Real *at = (const Real *)sum;
            Real *head = head_of(pass, v->item) + first;
            for (int k = 0; k < count; k += step) head[k / y->half] += sum_of(at + k, step);
        }
    }
}

/* ---- decisions */

/* Sum of (x - centre)^power, power 1 or 2, in several chains side by side. */
static double moment(const Real *x, int n, double centre, int power)
{
    enum { CHAINS = 8 };
    double sum[CHAINS] = { 0 }, all = 0;
    for (int k = 0; k + CHAINS <= n; k += CHAINS)
        for (int i = 0; i < CHAINS; i++) {
            double v = (double)x[k + i] - centre;
            sum[i] += power == 1 ? v : v * v;
        }
    for (int k = n / CHAINS * CHAINS; k < n; k++) {
        double v = (double)x[k] - centre;
        all += power == 1 ? v : v * v;
    }
    for (int i = 0; i < CHAINS; i++) all += sum[i];
    return all;
}

/* e of a span: through the hidden layer and its norm, both as they are for this span. hidden [width]: room. Returns its score. */
static double span_vector(const Why *y, const Real *gi, const Real *gj, int label, Real *hidden, Sparse *e)
{
    const Model *m = y->m;
    const SpanScorer *s = &m->net.span;
    int n = y->span.width;
    const Real *b1 = values(m, s->b1), *a = values(m, s->norm.a), *b = values(m, s->norm.b), *w2 = y->span_w2 + (ptrdiff_t)(label - 1) * n;
    for (int k = 0; k < n; k++) hidden[k] = gj[k] - gi[k] + b1[k];
    double mean = moment(hidden, n, 0, 1) / n, inverse = 1 / (sqrt(moment(hidden, n, mean, 2) / (n - 1)) + LAL_NORM_EPS);
    double score = (double)values(m, s->b2)[label - 1], centre = 0;
    int *row = e->row, found = 0;
    Real *value = e->value;
    for (int k = 0; k < n; k++) {
        double v = (double)a[k] * ((double)hidden[k] - mean) * inverse + (double)b[k], by = (double)w2[k] * (double)a[k];
        bool active = v > 0;
        row[found] = k; /* overwritten by the next one if this one is not active */
        value[found] = (Real)(by * inverse);
        found += active;
        score += active ? v * (double)w2[k] : 0;
        centre += active ? by : 0;
    }
    row[found] = n; /* of the sum of all units */
    value[found] = (Real)(-centre / n * inverse);
    e->n = found + 1;
    return score;
}

static bool span_vectors(Pass *pass, WhyItem *items, int n)
{
    const Why *y = pass->y;
    const int *start = pass->w->packed.batch.start;
    Real *hidden = arena_alloc(pass->a, (size_t)y->span.width, sizeof *hidden);
    if (!hidden) return false;
    for (int k = 0; k < n; k++) {
        if (!items[k].label) continue;
        int first = start[items[k].sentence] - items[k].sentence, i = first + items[k].begin, j = first + items[k].end;
        const Tensor *g = pass->w->net.g;
        Vector *v = &pass->vector[pass->n++];
        *v = (Vector){ .item = k, .n = 2, .row = { j, i }, .sign = { 1, -1 } };
        if (!sparse_init(&v->e, y->span.width + 2, pass->a)) return false;
        items[k].score = span_vector(y, tensor_row(g, i), tensor_row(g, j), items[k].label, hidden, &v->e);
    }
    return true;
}

/* One side of an arc: it takes half of the product of its layer with the other side's, and what is linear in it. omega: as it meets the other side; others: room.
 * Returns its share of the score. */
static double arc_vector(const WhyBlocks *omega, const Real *linear, const Real *own, const Real *other, int d, Sparse *others, Sparse *e)
{
    Lanes product[2 * SIDE_LANES];
    double score = 0;
    int *row = others->row, found = 0;
    Real *value = others->value;
    for (int k = 0; k < d; k++) { /* overwritten by the next one if this one is 0 */
        row[found] = k;
        value[found] = other[k];
        found += other[k] != 0;
    }
    others->n = found;
    row = e->row;
    value = e->value;
    found = 0;
    for (int block = 0; block < omega->blocks; block++) {
        int first = block * WHY_BLOCK, n = d - first < WHY_BLOCK ? d - first : WHY_BLOCK;
        times_block(others, omega, block, product);
        for (int k = 0; k < n; k++) {
            Real by = ((const Real *)product)[k] / 2 + linear[first + k];
            row[found] = first + k;
            value[found] = by;
            found += own[first + k] > 0;
            score += (double)own[first + k] * (double)by; /* own is 0 where it is not active */
        }
    }
    e->n = found;
    return score;
}

/* role 0: arcs as their heads see them, 1: as their dependents do. */
static bool arc_vectors(Pass *pass, WhyItem *items, int n, int role)
{
    const Why *y = pass->y;
    const ArcScorer *arc = &y->m->net.arc;
    const ArcFeatures *f = &pass->w->net.arc;
    const int *start = pass->w->packed.batch.start;
    int d = arc->c.d_arc;
    const Real *omega = values(y->m, arc->weight);
    Sparse others;
    if (!sparse_init(&others, d + 1, pass->a)) return false;
    for (int k = 0; k < n; k++) {
        if (items[k].label) continue;
        int first = start[items[k].sentence] - items[k].sentence, c = first + items[k].begin, g = first + items[k].end;
        const Real *head = tensor_row(f->head, g), *dependent = tensor_row(f->dependent, c);
        Vector *v = &pass->vector[pass->n++];
        *v = (Vector){ .item = k, .n = 1, .row = { role == 0 ? g : c }, .sign = { 1 } };
        if (!sparse_init(&v->e, d + 1, pass->a)) return false;
        if (role == 0) items[k].score = (double)omega[(ptrdiff_t)d * (d + 1) + d]; /* the constant of the last corner */
        items[k].score += arc_vector(&y->omega[role], y->linear[role], role == 0 ? head : dependent, role == 0 ? dependent : head, d, &others, &v->e);
    }
    return true;
}

static bool explain_all(Pass *pass, WhyItem *items, int n)
{
    const Why *y = pass->y;
    const WhyProjection *const by[] = { &y->span, &y->arc_head, &y->arc_dependent };
    int end[4] = { 0 };
    size_t vectors = 0;
    for (int k = 0; k < n; k++) vectors += items[k].label ? 1 : 2;
    pass->stride = y->heads + LANES;
    pass->head = arena_calloc(pass->a, (size_t)n * (size_t)pass->stride, sizeof *pass->head);
    pass->vector = arena_alloc(pass->a, vectors, sizeof *pass->vector);
    if (!pass->head || !pass->vector || !span_vectors(pass, items, n)) return false;
    end[1] = pass->n;
    if (!arc_vectors(pass, items, n, 0)) return false;
    end[2] = pass->n;
    if (!arc_vectors(pass, items, n, 1)) return false;
    end[3] = pass->n;
    Real **fence = fenceposts(pass);
    if (!fence) return false;
    for (int k = 0; k < 3; k++) add_columns(pass, by[k], end[k], end[k + 1], fence);
    return y->units == 0 || why_add_feed_forward(pass, by, end);
}

Status why_explain(const Why *y, ParseWorker *w, WhyItem *items, int n, Error *e)
{
    ArenaMark mark = arena_mark(&w->scratch);
    Pass pass = { .y = y, .w = w, .items = items, .a = &w->scratch };
    if (y->units) pass.inverse = norm_inverse(w->net.encoder.word);
    bool ok = explain_all(&pass, items, n);
    for (int k = 0; ok && k < n; k++) memcpy(items[k].head, head_of(&pass, k), (size_t)y->heads * sizeof *items[k].head);
    arena_rewind(&w->scratch, mark);
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory explaining");
}

/* ---- notes */

static Status add_items(const Why *y, const Parsed *p, int sentence, WhyItem *items, int *n, Arena *a, Error *e)
{
    const Sentence *s = &p->s;
    int n_chains = 0;
    const Phrase *chain = tree_chains(s, a, &n_chains);
    if (!chain) return error_set(e, ERR_NOMEM, "out of memory explaining");
    for (int k = 0; k < n_chains && y->phrases; k++) {
        int number = vocab_find(&y->m->labels, chain[k].label);
        if (number > 0) items[(*n)++] = (WhyItem){ sentence, chain[k].begin, chain[k].end, number, NULL, 0 };
    }
    for (int c = 0; c < s->n_words && s->heads && y->arcs; c++) items[(*n)++] = (WhyItem){ sentence, c + 1, s->heads[c], 0, NULL, 0 };
    return OK;
}

static void take_top(const Why *y, const WhyItem *x, WhyNote *to)
{
    *to = (WhyNote){ .begin = x->begin, .end = x->end, .label = x->label ? vocab_text(&y->m->labels, x->label) : NULL, .score = x->score };
    for (int h = 0; h < y->heads; h++) {
        double part = (double)x->head[h];
        if (to->n == WHY_HEADS && fabs(part) <= fabs(to->part[WHY_HEADS - 1])) continue;
        int at = to->n < WHY_HEADS ? to->n++ : WHY_HEADS - 1;
        for (; at > 0 && fabs(to->part[at - 1]) < fabs(part); at--) {
            to->part[at] = to->part[at - 1];
            to->head[at] = to->head[at - 1];
        }
        to->part[at] = part;
        to->head[at] = h;
    }
}

Status why_note(const Why *y, ParseWorker *w, Parsed *result, Arena *out, Error *e)
{
    int sentences = w->packed.batch.n_sent, n = 0;
    size_t most = 0;
    ArenaMark mark = arena_mark(&w->scratch);
    for (int k = 0; k < sentences; k++) most += (size_t)result[k].s.n_phrases + (size_t)result[k].s.n_words;
    WhyItem *items = arena_alloc(&w->scratch, most, sizeof *items);
    Real *parts = arena_alloc(&w->scratch, most * (size_t)y->heads, sizeof *parts);
    Status s = items && parts ? OK : error_set(e, ERR_NOMEM, "out of memory explaining");
    for (int k = 0; k < sentences && s == OK; k++) {
        int before = n;
        s = add_items(y, &result[k], k, items, &n, &w->scratch, e);
        result[k].n_why = n - before;
    }
    for (int k = 0; k < n; k++) items[k].head = parts + (ptrdiff_t)k * y->heads;
    if (s == OK) s = why_explain(y, w, items, n, e);
    for (int k = 0, i = 0; k < sentences && s == OK; k++) {
        result[k].why = arena_alloc(out, (size_t)result[k].n_why, sizeof *result[k].why);
        if (!result[k].why) s = error_set(e, ERR_NOMEM, "out of memory explaining");
        for (int j = 0; j < result[k].n_why && s == OK; j++) take_top(y, &items[i++], &result[k].why[j]);
    }
    arena_rewind(&w->scratch, mark);
    return s;
}
