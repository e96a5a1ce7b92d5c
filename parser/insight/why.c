/* parser/insight/why.c
 * A decision has a vector e: coefficients on what its scorer reads of a fencepost, f w; most of them are 0, those of hidden units that a ReLU switched off. Behind the
 * feed-forward of the label heads, y' = a (z - mean) / d + b with z = y + W2 relu(W1 y), so the coefficient of y at a token is, with c = w e on the half of the columns
 * that the fencepost takes from it,
 *     (1 / d) (I + W1' diag(active) W2') (a c - mean(a c)).
 * `columns` is a w, `units` W2' of what stands right of it. W1 meets y once for a token and an active unit, summed up within heads (add_units). */
#include "parser/insight/why.h"

#include <math.h>
#include <string.h>

#include "parser/insight/why_layout.h"

/* ---- a batch */

/* A vector e and where it applies: fenceposts (rows of the batch) with a sign. */
typedef struct Vector {
    Sparse e;
    int item, n, row[2];
    Real sign[2];
    struct Half *half[2][2]; /* by use and side; with a feed-forward */
} Vector;

/* One token's half in a vector: side 0, the forward half, of the token before the fencepost; side 1 of the one behind it. */
typedef struct Half {
    Real scale;            /* sign times 1 / divisor */
    Real *head;            /* [heads] to be added to */
    Real *unit[MAX_PARTS]; /* coefficients of the token's active units */
} Half;

typedef struct Pass {
    const Why *y;
    const ParseWorker *w;
    const WhyItem *items;
    Arena *a;
    Vector *vector; /* [n] spans, then arcs as their heads and as their dependents see them */
    int n;
    Real *head;          /* [items, stride] sums so far */
    int stride;          /* heads and room for a whole register behind any of them */
    const Real *inverse; /* [tokens] 1 / divisor of the feed-forward's norm; NULL without one */
} Pass;

static Real *head_of(const Pass *pass, int item) { return pass->head + (ptrdiff_t)item * pass->stride; }

/* Fencepost row of a batch -> token: one more token than fenceposts in each sentence before. */
static int token_of(const Pass *pass, const Vector *v, int use, int side) { return v->row[use] + pass->items[v->item].sentence + side; }

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

static Real sum_of(const Real *x, int n)
{
    if (n == 8) return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
    if (n == 16) return sum_of(x, 8) + sum_of(x + 8, 8);
    Real sum = 0;
    for (int k = 0; k < n; k++) sum += x[k];
    return sum;
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

/* ---- the feed-forward */

/* A token's active units of a part. */
typedef struct Active {
    int n, *unit; /* [n] */
} Active;

static bool active_units(const Pass *pass, int t, int part, Active *x)
{
    const Real *hidden = tensor_row(pass->w->net.encoder.lal_hidden[part], t);
    int count = pass->y->first_unit[part + 1] - pass->y->first_unit[part];
    int *unit = x->unit = arena_alloc(pass->a, (size_t)count + 1, sizeof *unit), n = 0;
    if (!unit) return false;
    for (int u = 0; u < count; u++) { /* overwritten by the next one if it is not active */
        unit[n] = u;
        n += hidden[u] > 0;
    }
    x->n = n;
    return true;
}

/* What the feed-forward has for all vectors. */
typedef struct Units {
    Active *active[MAX_PARTS]; /* [tokens] */
    int *first;                /* [tokens + 1] halves of token t are half[first[t]] .. half[first[t + 1] - 1] */
    Half *half;
} Units;

/* The halves of all vectors by token. */
static bool halves_by_token(Pass *pass, Units *u)
{
    int tokens = pass->w->packed.batch.n_tokens;
    int *at = u->first = arena_calloc(pass->a, (size_t)tokens + 2, sizeof *at);
    if (!at) return false;
    at++; /* counts are put one further, so that filling leaves the starts */
    for (int fill = 0; fill < 2; fill++) {
        for (int k = 0; k < pass->n; k++)
            for (int use = 0; use < pass->vector[k].n; use++)
                for (int side = 0; side < 2; side++) {
                    Vector *v = &pass->vector[k];
                    int t = token_of(pass, v, use, side);
                    if (!fill) {
                        at[t + 1]++;
                        continue;
                    }
                    Half *h = v->half[use][side] = &u->half[at[t]++];
                    *h = (Half){ .scale = v->sign[use] * pass->inverse[t], .head = head_of(pass, v->item) };
                }
        if (fill) break;
        for (int t = 0; t < tokens; t++) at[t + 1] += at[t];
        if (!(u->half = arena_alloc(pass->a, (size_t)at[tokens], sizeof *u->half))) return false;
    }
    return true;
}

/* Active units of the tokens that some vector touches, and room for their coefficients, token by token. */
static bool units_init(Pass *pass, Units *u)
{
    const Why *y = pass->y;
    int tokens = pass->w->packed.batch.n_tokens;
    if (!halves_by_token(pass, u)) return false;
    for (int part = 0; part < MAX_PARTS; part++) {
        int count = y->first_unit[part + 1] - y->first_unit[part];
        u->active[part] = arena_alloc(pass->a, (size_t)tokens, sizeof *u->active[part]);
        if (!u->active[part]) return false;
        for (int t = 0; t < tokens && count > 0; t++) {
            if (u->first[t + 1] > u->first[t] && !active_units(pass, t, part, &u->active[part][t])) return false;
            for (int i = u->first[t]; i < u->first[t + 1]; i++) {
                if (!(u->half[i].unit[part] = arena_alloc(pass->a, (size_t)u->active[part][t].n, sizeof(Real)))) return false;
            }
        }
    }
    return true;
}

/* Coefficients of the active units, some vectors at a time, so that those of all units need not go far. */
static bool fill_units(Pass *pass, const WhyProjection *p, int from, int to, const Units *u)
{
    enum { VECTORS = 32 };
    const Why *y = pass->y;
    size_t width = (size_t)p->units.blocks * WHY_BLOCK;
    Real *all = arena_alloc(pass->a, VECTORS * width, sizeof *all);
    for (; all && from < to; from += VECTORS) {
        int n = to - from < VECTORS ? to - from : VECTORS;
        for (int block = 0; block < p->units.blocks; block++)
            for (int i = 0; i < n; i++)
                times_block(&pass->vector[from + i].e, &p->units, block, (Lanes *)(all + (size_t)i * width + (size_t)block * WHY_BLOCK));
        for (int i = 0; i < n; i++)
            for (int use = 0; use < pass->vector[from + i].n; use++)
                for (int side = 0; side < 2; side++)
                    for (int part = 0; part < MAX_PARTS; part++) {
                        const Vector *v = &pass->vector[from + i];
                        int count = y->first_unit[part + 1] - y->first_unit[part];
                        if (count <= 0) continue;
                        const Active *active = &u->active[part][token_of(pass, v, use, side)];
                        const Real *in = all + (size_t)i * width + (side ? y->units : 0) + y->first_unit[part];
                        Real *out = v->half[use][side]->unit[part];
                        for (int k = 0; k < active->n; k++) out[k] = in[active->unit[k]];
                    }
    }
    return all != NULL;
}

/* sum [n] = weights of a unit against the outputs of a token, [d_proj, LANES] each; several at once hold the outputs in registers. */
static inline void times_outputs(const Real *weights, const int *unit, int n, const Real *out, int p, Lanes *sum)
{
    enum { AT_ONCE = 8 };
    for (int i = 0; i < n; i++) sum[i] = (Lanes){ 0 };
    int k = 0;
    for (; k + AT_ONCE <= p; k += AT_ONCE) {
        Lanes o[AT_ONCE];
        for (int j = 0; j < AT_ONCE; j++) o[j] = ((const Lanes *)out)[k + j];
        for (int i = 0; i < n; i++) {
            const Lanes *w = (const Lanes *)(weights + (ptrdiff_t)unit[i] * p * LANES) + k;
            sum[i] += ((w[0] * o[0] + w[1] * o[1]) + (w[2] * o[2] + w[3] * o[3])) + ((w[4] * o[4] + w[5] * o[5]) + (w[6] * o[6] + w[7] * o[7]));
        }
    }
    for (; k < p; k++)
        for (int i = 0; i < n; i++) sum[i] += ((const Lanes *)(weights + (ptrdiff_t)unit[i] * p * LANES))[k] * ((const Lanes *)out)[k];
}

/* Adds what the units of a part bring to the heads first .. first + LANES - 1 of it, by way of tokens whose outputs are out [tokens] (NULL: none looks at it).
 * parts: room for all units. Weights for one register of heads stay in the cache for all tokens. */
static void add_register(const Pass *pass, int part, int first, const Units *u, Real *const *out, Lanes *parts)
{
    enum { TOGETHER = 4 };
    const Why *y = pass->y;
    int tokens = pass->w->packed.batch.n_tokens, units = y->first_unit[part + 1] - y->first_unit[part], p = y->d / y->heads;
    const Real *weights = y->w1[part] + (ptrdiff_t)first * units * p;
    for (int t = 0; t < tokens; t++) {
        if (!out[t]) continue;
        const Active *active = &u->active[part][t];
        times_outputs(weights, active->unit, active->n, out[t] + (ptrdiff_t)first * p, p, parts);
        for (int i = u->first[t], end = u->first[t + 1]; i < end; i += TOGETHER) { /* several, so that none waits for its own sums */
            const Real *by[TOGETHER];
            Lanes sum[TOGETHER] = { { 0 } };
            for (int j = 0; j < TOGETHER; j++) by[j] = u->half[i + j < end ? i + j : i].unit[part];
            for (int k = 0; k < active->n; k++)
                for (int j = 0; j < TOGETHER; j++) sum[j] += by[j][k] * parts[k];
            for (int j = 0; j < TOGETHER && i + j < end; j++)
                *(Lanes *)(u->half[i + j].head + first_head(y, part) + first) += u->half[i + j].scale * sum[j];
        }
    }
}

static bool add_units(Pass *pass, const Units *u)
{
    const Why *y = pass->y;
    int tokens = pass->w->packed.batch.n_tokens, p = y->d / y->heads;
    Real **out = arena_calloc(pass->a, (size_t)tokens, sizeof *out);
    Lanes *parts = arena_alloc(pass->a, (size_t)y->units, sizeof *parts);
    if (!out || !parts) return false;
    for (int part = 0; part < MAX_PARTS; part++) {
        if (y->first_unit[part + 1] <= y->first_unit[part] || end_head(y, part) <= first_head(y, part)) continue;
        for (int t = 0; t < tokens; t++) {
            if (u->first[t + 1] == u->first[t]) continue;
            if (!(out[t] = arena_calloc(pass->a, (size_t)part_heads(y, part) * (size_t)p, sizeof *out[t]))) return false;
            const Real *row = tensor_row(pass->w->net.encoder.lal, t);
            for (int h = first_head(y, part); h < end_head(y, part); h++) {
                Real *to = out[t] + part_column(y, part, h, 0);
                for (int k = 0; k < p; k++) to[k * LANES] = row[h * p + k];
            }
        }
        for (int h = 0; h < part_heads(y, part); h += LANES) add_register(pass, part, h, u, out, parts);
    }
    return true;
}

/* Sums over the columns of each head, times 1 / divisor, of tokens that some vector touches: [tokens, heads]. */
static Real *token_sums(const Pass *pass)
{
    const Why *y = pass->y;
    int tokens = pass->w->packed.batch.n_tokens, width = y->d / y->heads;
    Real *sum = arena_alloc(pass->a, (size_t)tokens * (size_t)y->heads, sizeof *sum);
    for (int t = 0; sum && t < tokens; t++)
        for (int h = 0; h < y->heads; h++)
            sum[(ptrdiff_t)t * y->heads + h] = pass->inverse[t] * sum_of(tensor_row(pass->w->net.encoder.lal, t) + h * width, width);
    return sum;
}

/* What the mean of the feed-forward's norm takes off: the same of all columns of a token. */
static void add_mean(const Pass *pass, const WhyProjection *p, int from, int to, const Real *sums)
{
    const Why *y = pass->y;
    for (int i = from; i < to; i++) {
        const Vector *v = &pass->vector[i];
        Real *restrict head = head_of(pass, v->item), mean[2] = { 0 };
        for (int k = 0; k < v->e.n; k++) {
            mean[0] += v->e.value[k] * p->mean[2 * v->e.row[k]];
            mean[1] += v->e.value[k] * p->mean[2 * v->e.row[k] + 1];
        }
        for (int use = 0; use < v->n; use++)
            for (int side = 0; side < 2; side++) {
                const Real *row = sums + (ptrdiff_t)token_of(pass, v, use, side) * y->heads, scale = v->sign[use] * mean[side];
                for (int h = 0; h < y->heads; h++) head[h] -= scale * row[h];
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
    Real **fence = fenceposts(pass), *sums = y->units ? token_sums(pass) : NULL;
    Units u = { 0 };
    if (!fence || (y->units && (!sums || !units_init(pass, &u)))) return false;
    for (int k = 0; k < 3; k++) {
        add_columns(pass, by[k], end[k], end[k + 1], fence);
        if (!y->units) continue;
        if (!fill_units(pass, by[k], end[k], end[k + 1], &u)) return false;
        add_mean(pass, by[k], end[k], end[k + 1], sums);
    }
    return y->units == 0 || add_units(pass, &u);
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
