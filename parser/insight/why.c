/* parser/insight/why.c
 * A decision has a vector e: coefficients on what its scorer reads of a fencepost, f w; most of them are 0, those of hidden units that a ReLU switched off. Behind the
 * feed-forward of the label heads, y' = a (z - mean) / d + b with z = y + W2 relu(W1 y), so the coefficient of y at a token is, with c = w e on the half of the columns
 * that the fencepost takes from it,
 *     (1 / d) (I + W1' diag(active) W2') (a c - mean(a c)).
 * `columns` is a w, `units` W2' of what stands right of it. W1 meets y once for a token and an active unit, summed up within heads (add_units). */
#include "parser/insight/why.h"

#include <math.h>
#include <string.h>

/* A vector register (or two, on smaller machines), by an extension of gcc and clang: written as plain loops, what stands here is vectorised along the wrong dimension. */
typedef Real Lanes __attribute__((vector_size(64), aligned(sizeof(Real)), may_alias));
enum { LANES = sizeof(Lanes) / sizeof(Real), SIDE_LANES = 4, SIDE = SIDE_LANES * LANES, WHY_BLOCK = 2 * SIDE };

static int padded(int n, int to) { return (n + to - 1) / to * to; }

static const Real *values(const Model *m, int k) { return m->ps.values + m->ps.p[k].offset; }

/* ---- matrices and vectors with few entries */

/* rows x cols, cols padded to whole blocks by zeros. */
static bool blocks_init(WhyBlocks *b, int rows, int cols)
{
    *b = (WhyBlocks){ .rows = rows, .blocks = padded(cols, WHY_BLOCK) / WHY_BLOCK };
    size_t size = (size_t)b->blocks * (size_t)rows * WHY_BLOCK;
    b->v = mem_aligned(size + 1, sizeof *b->v);
    if (b->v) memset(b->v, 0, size * sizeof *b->v);
    return b->v != NULL;
}

static Real *blocks_at(const WhyBlocks *b, int row, int col)
{
    return b->v + ((ptrdiff_t)(col / WHY_BLOCK) * b->rows + row) * WHY_BLOCK + col % WHY_BLOCK;
}

static const Real *blocks_row(const WhyBlocks *b, int block, int row) { return b->v + ((ptrdiff_t)block * b->rows + row) * WHY_BLOCK; }

typedef struct Sparse {
    int n;
    int *row;    /* [n] */
    Real *value; /* [n] */
} Sparse;

static bool sparse_init(Sparse *x, int most, Arena *a)
{
    *x = (Sparse){ 0, arena_alloc(a, (size_t)most, sizeof *x->row), arena_alloc(a, (size_t)most, sizeof *x->value) };
    return x->row && x->value;
}

static void sparse_add(Sparse *x, int row, Real value)
{
    x->row[x->n] = row;
    x->value[x->n++] = value;
}

/* out [2 * SIDE_LANES] = x times one block */
static inline void times_block(const Sparse *x, const WhyBlocks *b, int block, Lanes *restrict out)
{
    Lanes sum[2 * SIDE_LANES] = { { 0 } };
    for (int k = 0; k < x->n; k++) {
        const Lanes *row = (const Lanes *)blocks_row(b, block, x->row[k]);
        for (int i = 0; i < 2 * SIDE_LANES; i++) sum[i] += x->value[k] * row[i];
    }
    for (int i = 0; i < 2 * SIDE_LANES; i++) out[i] = sum[i];
}

/* ---- a model */

/* Where column k of a half of head h lies in a row of blocks, of the forward (0) or backward half. */
static int block_column(const Why *y, int side, int h, int k)
{
    int at = h * y->half + k;
    return at / SIDE * WHY_BLOCK + side * SIDE + at % SIDE;
}

/* Heads that have columns in a part of the feed-forward: first_head .. end_head - 1. */
static int first_head(const Why *y, int part) { return y->first_column[part] / (y->d / y->heads); }
static int end_head(const Why *y, int part)
{
    int p = y->d / y->heads;
    return (y->first_column[part + 1] + p - 1) / p;
}
static int part_heads(const Why *y, int part) { return padded(end_head(y, part) - first_head(y, part), LANES); }

/* W2 of the feed-forward over the columns of fenceposts, [units, D]; a unit reaches the columns of its own part. */
static Real *second_weights(const Why *y)
{
    const FeedForward *ff = &y->m->net.encoder.lal_ff;
    Real *second = mem_calloc((size_t)y->units * (size_t)y->d + 1, sizeof *second);
    for (int j = 0; second && y->units && j < y->d; j++) {
        int c = y->m->net.encoder.fence_source[j], part = ff->parts > 1 && c >= y->first_column[1];
        int width = y->first_column[part + 1] - y->first_column[part];
        const Real *w2 = values(y->m, ff->w2[part]) + c - y->first_column[part];
        for (int k = y->first_unit[part]; k < y->first_unit[part + 1]; k++)
            second[(ptrdiff_t)k * y->d + j] = w2[(ptrdiff_t)(k - y->first_unit[part]) * width];
    }
    return second;
}

/* Makes the last row the sum of the others. */
static void add_sum_row(WhyBlocks *b)
{
    for (int block = 0; block < b->blocks; block++) {
        Real *sum = b->v + ((ptrdiff_t)block * b->rows + b->rows - 1) * WHY_BLOCK;
        for (int row = 0; row + 1 < b->rows; row++)
            for (int i = 0; i < WHY_BLOCK; i++) sum[i] += blocks_row(b, block, row)[i];
    }
}

/* sum: with a row for the sum of all units. */
static Status projection_init(Why *y, WhyProjection *p, int weight, bool sum, const Real *second, Error *e)
{
    const Encoder *enc = &y->m->net.encoder;
    const Param *param = &y->m->ps.p[weight];
    const Real *a = enc->c.lal_pwff ? values(y->m, enc->lal_ff.norm.a) : NULL;
    int d = y->d, half = d / 2, u = y->units, width = p->width = param->cols, rows = width + sum;
    p->mean = mem_calloc((size_t)rows * 2, sizeof *p->mean);
    Real *w = mem_alloc((size_t)d * (size_t)width, sizeof *w), *units = mem_alloc((size_t)width * (size_t)u + 1, sizeof *units);
    bool ok = blocks_init(&p->columns, rows, 2 * padded(y->heads * y->half, SIDE)) && blocks_init(&p->units, rows, 2 * u) && p->mean && w && units;
    for (int j = 0; ok && j < d; j++) { /* columns of fenceposts: all forward halves come first */
        int side = j / half, h = j % half / (half / y->heads), at = block_column(y, side, h, j % (half / y->heads));
        for (int k = 0; k < width; k++) {
            Real v = w[(ptrdiff_t)j * width + k] = values(y->m, weight)[(ptrdiff_t)j * width + k] * (a ? a[enc->fence_source[j]] : 1);
            *blocks_at(&p->columns, k, at) = v;
            if (a) p->mean[k * 2 + side] += v / (Real)d;
        }
    }
    for (int side = 0; ok && side < 2 && u; side++) { /* [width, units] = w' second', a half of the columns */
        kernels_cpu()->gemm(true, true, width, u, half, 1, w + (ptrdiff_t)side * half * width, width, second + side * half, d, 0, units, u);
        for (int k = 0; k < u; k++) {
            double all = 0;
            for (int j = 0; j < d; j++) all += (double)second[(ptrdiff_t)k * d + j];
            for (int x = 0; x < width; x++)
                *blocks_at(&p->units, x, side * u + k) = units[(ptrdiff_t)x * u + k] - (Real)(all * (double)p->mean[x * 2 + side]);
        }
    }
    if (ok && sum) {
        add_sum_row(&p->columns);
        add_sum_row(&p->units);
        for (int k = 0; k < 2 * width; k++) p->mean[2 * width + k % 2] += p->mean[k];
    }
    mem_free(w);
    mem_free(units);
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory explaining");
}

/* Omega [d, d] without its bias row and column: row k of the first is what dependent unit k brings to the head's, of the second the other way round. */
static bool omega_init(Why *y)
{
    const ArcScorer *arc = &y->m->net.arc;
    const Real *omega = values(y->m, arc->weight);
    int d = arc->c.d_arc;
    if (!blocks_init(&y->omega[0], d, d) || !blocks_init(&y->omega[1], d, d)) return false;
    for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++) {
            *blocks_at(&y->omega[0], c, r) = omega[(ptrdiff_t)r * (d + 1) + c];
            *blocks_at(&y->omega[1], r, c) = omega[(ptrdiff_t)r * (d + 1) + c];
        }
    return true;
}

/* Where what belongs to column k of head h lies in a row of a part: [heads of the part / LANES][d_proj][LANES]. */
static int part_column(const Why *y, int part, int h, int k)
{
    int at = h - first_head(y, part);
    return (at / LANES * (y->d / y->heads) + k) * LANES + at % LANES;
}

static bool first_weights_init(Why *y, int part)
{
    const Param *w = &y->m->ps.p[y->m->net.encoder.lal_ff.w1[part]];
    const Real *from = values(y->m, y->m->net.encoder.lal_ff.w1[part]);
    int p = y->d / y->heads, step = p * LANES;
    size_t size = (size_t)w->cols * (size_t)p * (size_t)part_heads(y, part);
    Real *to = y->w1[part] = mem_aligned(size + 1, sizeof *to);
    if (!to) return false;
    memset(to, 0, size * sizeof *to);
    for (int c = 0; c < w->rows; c++) {
        int column = y->first_column[part] + c, at = part_column(y, part, column / p, column % p);
        for (int k = 0; k < w->cols; k++) to[((ptrdiff_t)(at / step) * w->cols + k) * step + at % step] = from[(ptrdiff_t)c * w->cols + k];
    }
    return true;
}

Status why_init(Why *y, const Model *m, Error *e)
{
    const Encoder *enc = &m->net.encoder;
    const FeedForward *ff = &enc->lal_ff;
    *y = (Why){ .m = m, .phrases = true, .arcs = true, .heads = enc->c.lal.heads, .d = enc->width };
    if (!encoder_has_label_heads(&enc->c)) return error_set(e, ERR_CONFIG, NO_LABEL_HEADS);
    int half = y->d / y->heads / 2;
    for (y->half = 1; y->half < half && y->half < SIDE;) y->half *= 2; /* whole halves in a block, or whole blocks in a half */
    if (half > SIDE) y->half = padded(half, SIDE);
    y->first_column[1] = y->first_column[2] = y->d;
    bool ok = true;
    for (int p = 0; p < ff->parts && enc->c.lal_pwff; p++) {
        y->first_unit[p + 1] = y->first_unit[p] + m->ps.p[ff->w1[p]].cols;
        y->first_column[p + 1] = y->first_column[p] + m->ps.p[ff->w1[p]].rows;
        y->units = y->first_unit[p + 1];
    }
    if (ff->parts == 1) y->first_unit[2] = y->units;
    for (int p = 0; p < ff->parts && enc->c.lal_pwff; p++) ok = ok && first_weights_init(y, p);
    Real *second = second_weights(y);
    Status s = ok && second && omega_init(y) ? OK : error_set(e, ERR_NOMEM, "out of memory explaining");
    if (s == OK) s = projection_init(y, &y->span, m->net.span.w1, true, second, e);
    if (s == OK) s = projection_init(y, &y->arc_head, m->net.arc.arc_h, false, second, e);
    if (s == OK) s = projection_init(y, &y->arc_dependent, m->net.arc.arc_c, false, second, e);
    mem_free(second);
    return s;
}

static void projection_fini(WhyProjection *p)
{
    mem_free(p->columns.v);
    mem_free(p->units.v);
    mem_free(p->mean);
}

void why_fini(Why *y)
{
    for (int p = 0; p < MAX_PARTS; p++) mem_free(y->w1[p]);
    mem_free(y->omega[0].v);
    mem_free(y->omega[1].v);
    projection_fini(&y->span);
    projection_fini(&y->arc_head);
    projection_fini(&y->arc_dependent);
    *y = (Why){ .m = NULL };
}

/* ---- a batch */

/* A vector e and where it applies: fenceposts (rows of the batch) with a sign. */
typedef struct Vector {
    Sparse e;
    int item, n, row[2];
    Real sign[2];
} Vector;

/* One token's half in a vector: side 0, the forward half, of the token before the fencepost; side 1 of the one behind it. */
typedef struct Half {
    int vector, side;
    Real scale; /* sign times 1 / divisor */
    Real *head; /* [heads] to be added to */
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
    Real *units;         /* [n, stride of units] coefficients of the hidden units */
    const Real *inverse; /* [tokens] 1 / divisor of the feed-forward's norm; NULL without one */
} Pass;

static int units_stride(const Why *y) { return y->span.units.blocks * WHY_BLOCK; }

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
        for (int h = 0; h < y->heads; h++)
            for (int k = 0; k < half; k++) out[block_column(y, side, h, k)] = scale * row[h * 2 * half + k];
    }
}

static Real **fenceposts(const Pass *pass)
{
    const Batch *b = &pass->w->packed.batch;
    size_t n = (size_t)b->n_tokens, width = (size_t)pass->y->span.columns.blocks * WHY_BLOCK;
    Real **row = arena_calloc(pass->a, n, sizeof *row);
    for (int k = 0; row && k < pass->n; k++)
        for (int use = 0; use < pass->vector[k].n; use++) {
            Real **to = &row[pass->vector[k].row[use]];
            if (*to) continue;
            if (!(*to = arena_calloc(pass->a, width, sizeof **to))) return NULL;
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

static void fill_units(const Pass *pass, const WhyProjection *p, int from, int to)
{
    for (int block = 0; block < p->units.blocks; block++)
        for (int i = from; i < to; i++)
            times_block(&pass->vector[i].e, &p->units, block,
                        (Lanes *)(pass->units + (ptrdiff_t)i * units_stride(pass->y) + (ptrdiff_t)block * WHY_BLOCK));
}

/* The halves of all vectors by token: those of token t are half[first[t]] .. half[first[t + 1] - 1]. */
static bool halves_by_token(const Pass *pass, int **first, Half **half)
{
    int tokens = pass->w->packed.batch.n_tokens, n = 0;
    int *at = *first = arena_calloc(pass->a, (size_t)tokens + 2, sizeof **first);
    if (!at) return false;
    at++; /* counts are put one further, so that filling leaves the starts */
    for (int fill = 0; fill < 2; fill++) {
        for (int k = 0; k < pass->n; k++)
            for (int use = 0; use < pass->vector[k].n; use++)
                for (int side = 0; side < 2; side++) {
                    const Vector *v = &pass->vector[k];
                    int t = token_of(pass, v, use, side);
                    if (fill) (*half)[at[t]++] = (Half){ k, side, v->sign[use] * pass->inverse[t], head_of(pass, v->item) };
                    else at[t + 1]++;
                }
        if (fill) return true;
        for (int t = 0; t < tokens; t++) at[t + 1] += at[t];
        n = at[tokens];
        if (!(*half = arena_alloc(pass->a, (size_t)n, sizeof **half))) return false;
    }
    return true;
}

/* A token's active units of a part, by blocks of UNITS_AT_ONCE: those of block b are unit[first[b]] .. unit[first[b + 1] - 1]. */
enum { UNITS_AT_ONCE = 16 }; /* their weights for a register of heads stay in the fastest cache for all tokens */
typedef struct Active {
    int *first, *unit;
} Active;

static bool active_units(const Pass *pass, int t, int part, Active *x)
{
    const Real *hidden = tensor_row(pass->w->net.encoder.lal_hidden[part], t);
    int count = pass->y->first_unit[part + 1] - pass->y->first_unit[part], n = 0;
    for (int u = 0; u < count; u++) n += hidden[u] > 0;
    x->first = arena_alloc(pass->a, (size_t)(count / UNITS_AT_ONCE + 2), sizeof *x->first);
    x->unit = arena_alloc(pass->a, (size_t)n, sizeof *x->unit);
    if (!x->first || !x->unit) return false;
    n = 0;
    for (int u = 0; u < count; u++) {
        if (u % UNITS_AT_ONCE == 0) x->first[u / UNITS_AT_ONCE] = n;
        if (hidden[u] > 0) x->unit[n++] = u;
    }
    x->first[(count + UNITS_AT_ONCE - 1) / UNITS_AT_ONCE] = n;
    return true;
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

/* Adds what the units of a part bring to the heads first .. first + LANES - 1 of it, by way of tokens whose outputs are out [tokens] (NULL: none looks at it). */
static void add_register(const Pass *pass, int part, int first, const Active *active, Real *const *out, const int *first_half, const Half *half)
{
    const Why *y = pass->y;
    int tokens = pass->w->packed.batch.n_tokens, units = y->first_unit[part + 1] - y->first_unit[part], p = y->d / y->heads, stride = units_stride(y);
    const Real *weights = y->w1[part] + (ptrdiff_t)first * units * p;
    for (int block = 0; block * UNITS_AT_ONCE < units; block++)
        for (int t = 0; t < tokens; t++) {
            if (!out[t]) continue;
            const int *unit = active[t].unit + active[t].first[block], n = active[t].first[block + 1] - active[t].first[block];
            Lanes parts[UNITS_AT_ONCE];
            if (n == 0) continue;
            times_outputs(weights, unit, n, out[t] + (ptrdiff_t)first * p, p, parts);
            for (int i = first_half[t]; i < first_half[t + 1]; i++) {
                const Real *by = pass->units + (ptrdiff_t)half[i].vector * stride + (half[i].side ? y->units : 0) + y->first_unit[part];
                Lanes sum = { 0 }, *head = (Lanes *)(half[i].head + first_head(y, part) + first);
                for (int k = 0; k < n; k++) sum += by[unit[k]] * parts[k];
                *head += half[i].scale * sum;
            }
        }
}

static bool add_units(Pass *pass)
{
    const Why *y = pass->y;
    int tokens = pass->w->packed.batch.n_tokens, p = y->d / y->heads, *first;
    Half *half;
    Active *active = arena_alloc(pass->a, (size_t)tokens, sizeof *active);
    Real **out = arena_calloc(pass->a, (size_t)tokens, sizeof *out);
    if (!active || !out || !halves_by_token(pass, &first, &half)) return false;
    for (int part = 0; part < MAX_PARTS; part++) {
        if (y->first_unit[part + 1] <= y->first_unit[part] || end_head(y, part) <= first_head(y, part)) continue;
        for (int t = 0; t < tokens; t++) {
            if (first[t + 1] == first[t]) continue;
            if (!active_units(pass, t, part, &active[t])) return false;
            if (!(out[t] = arena_calloc(pass->a, (size_t)part_heads(y, part) * (size_t)p, sizeof *out[t]))) return false;
            const Real *row = tensor_row(pass->w->net.encoder.lal, t);
            for (int h = first_head(y, part); h < end_head(y, part); h++)
                for (int k = 0; k < p; k++) out[t][part_column(y, part, h, k)] = row[h * p + k];
        }
        for (int h = 0; h < part_heads(y, part); h += LANES) add_register(pass, part, h, active, out, first, half);
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

/* e of a span: through the hidden layer and its norm, both as they are for this span. Returns its score. */
static double span_vector(const Why *y, const Real *gi, const Real *gj, int label, Sparse *e)
{
    const Model *m = y->m;
    const SpanScorer *s = &m->net.span;
    int n = y->span.width, wide = s->n_labels - 1;
    const Real *b1 = values(m, s->b1), *a = values(m, s->norm.a), *b = values(m, s->norm.b), *w2 = values(m, s->w2) + label - 1;
    double mean = 0, squares = 0, centre = 0, score = (double)values(m, s->b2)[label - 1];
    for (int k = 0; k < n; k++) mean += (double)(gj[k] - gi[k] + b1[k]);
    mean /= n;
    for (int k = 0; k < n; k++) {
        double x = (double)(gj[k] - gi[k] + b1[k]) - mean;
        squares += x * x;
    }
    double inverse = 1 / (sqrt(squares / (n - 1)) + LAL_NORM_EPS);
    for (int k = 0; k < n; k++) {
        double v = (double)a[k] * ((double)(gj[k] - gi[k] + b1[k]) - mean) * inverse + (double)b[k], w = (double)w2[(ptrdiff_t)k * wide];
        if (!(v > 0)) continue;
        score += v * w;
        sparse_add(e, k, (Real)(w * (double)a[k] * inverse));
        centre += w * (double)a[k];
    }
    sparse_add(e, n, (Real)(-centre / n * inverse)); /* the row of their sum */
    return score;
}

static bool span_vectors(Pass *pass, WhyItem *items, int n)
{
    const Why *y = pass->y;
    const int *start = pass->w->packed.batch.start;
    for (int k = 0; k < n; k++) {
        if (!items[k].label) continue;
        int first = start[items[k].sentence] - items[k].sentence, i = first + items[k].begin, j = first + items[k].end;
        const Tensor *g = pass->w->net.g;
        Vector *v = &pass->vector[pass->n++];
        *v = (Vector){ .item = k, .n = 2, .row = { j, i }, .sign = { 1, -1 } };
        if (!sparse_init(&v->e, y->span.width + 1, pass->a)) return false;
        items[k].score = span_vector(y, tensor_row(g, i), tensor_row(g, j), items[k].label, &v->e);
    }
    return true;
}

/* One side of an arc: it takes half of the product of its layer with the other side's, and what is linear in it. omega: as it meets the other side; linear: by `step`.
 * Returns its share of the score. */
static double arc_vector(const WhyBlocks *omega, const Real *own, const Real *other, int d, const Real *linear, int step, Sparse *active, Sparse *e)
{
    Lanes product[2 * SIDE_LANES];
    double score = 0;
    active->n = 0;
    for (int k = 0; k < d; k++)
        if (other[k] != 0) sparse_add(active, k, other[k]);
    for (int block = 0; block < omega->blocks; block++) {
        times_block(active, omega, block, product);
        for (int k = block * WHY_BLOCK; k < d && k < (block + 1) * WHY_BLOCK; k++) {
            if (!(own[k] > 0)) continue;
            Real value = ((const Real *)product)[k % WHY_BLOCK] / 2 + linear[(ptrdiff_t)k * step];
            score += (double)own[k] * (double)value;
            sparse_add(e, k, value);
        }
    }
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
    Sparse active;
    if (!sparse_init(&active, d, pass->a)) return false;
    for (int k = 0; k < n; k++) {
        if (items[k].label) continue;
        int first = start[items[k].sentence] - items[k].sentence, c = first + items[k].begin, g = first + items[k].end;
        const Real *head = tensor_row(f->head, g), *dependent = tensor_row(f->dependent, c);
        Vector *v = &pass->vector[pass->n++];
        *v = (Vector){ .item = k, .n = 1, .row = { role == 0 ? g : c }, .sign = { 1 } };
        if (!sparse_init(&v->e, d, pass->a)) return false;
        if (role == 0)
            items[k].score =
                (double)omega[(ptrdiff_t)d * (d + 1) + d] + arc_vector(&y->omega[0], head, dependent, d, omega + d, d + 1, &active, &v->e);
        else items[k].score += arc_vector(&y->omega[1], dependent, head, d, omega + (ptrdiff_t)d * (d + 1), 1, &active, &v->e);
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
    pass->units = arena_alloc(pass->a, vectors * (size_t)units_stride(y), sizeof *pass->units);
    if (!pass->head || !pass->vector || !pass->units || !span_vectors(pass, items, n)) return false;
    end[1] = pass->n;
    if (!arc_vectors(pass, items, n, 0)) return false;
    end[2] = pass->n;
    if (!arc_vectors(pass, items, n, 1)) return false;
    end[3] = pass->n;
    Real **fence = fenceposts(pass), *sums = y->units ? token_sums(pass) : NULL;
    if (!fence || (y->units && !sums)) return false;
    for (int k = 0; k < 3; k++) {
        add_columns(pass, by[k], end[k], end[k + 1], fence);
        if (!y->units) continue;
        fill_units(pass, by[k], end[k], end[k + 1]);
        add_mean(pass, by[k], end[k], end[k + 1], sums);
    }
    return y->units == 0 || add_units(pass);
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
