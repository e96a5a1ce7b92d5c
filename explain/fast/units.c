/* The feed-forward's term of the coefficients in why.c, (1 / divisor) (W1' diag(active) W2' (...) - mean(...)):
 * fill_units computes coefficients of the active units of each token, add_units multiplies them by the sums of W1 y
 * within heads. */
#include "explain/fast/pass.h"

/* The feed-forward's state for all vectors. */
typedef struct Units {
    Active *active[MAX_PARTS]; /* [tokens] for each part */
    int *first;                /* [tokens + 1] halves of token t are half[first[t]] .. half[first[t + 1] - 1] */
    Half *half;
} Units;

/* The halves of all vectors by token. */
static bool halves_by_token(Pass *pass, Units *u)
{
    int tokens = pass->w->packed.batch.n_tokens;
    int *at = u->first = arena_calloc(pass->a, (size_t)tokens + 2, sizeof *at);
    if (!at) return false;
    at++; /* shifted by one, so that after filling the starts are left */
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

/* Active units of the tokens that have a vector, and arrays for their coefficients. */
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
            if (u->first[t + 1] > u->first[t] &&
                !active_units(host_row(&pass->hidden[part], t), count, &u->active[part][t], pass->a))
                return false;
            for (int i = u->first[t]; i < u->first[t + 1]; i++) {
                if (!(u->half[i].unit[part] = arena_alloc(pass->a, (size_t)u->active[part][t].n, sizeof(Real))))
                    return false;
            }
        }
    }
    return true;
}

/* Computes coefficients of active units, for a few vectors at a time, so that the coefficients stay in the cache. */
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
                times_block(&pass->vector[from + i].e, &p->units, block,
                            (WhyLanes *)(all + (size_t)i * width + (size_t)block * WHY_BLOCK));
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

/* sum [n] = products of the weights of n units with the outputs of a token, [d_proj, LANES] each; several units at once
 * keep the outputs in registers. */
static inline void times_outputs(const Real *weights, const int *unit, int n, const Real *out, int p, WhyLanes *sum)
{
    for (int i = 0; i < n; i++) sum[i] = (WhyLanes){ 0 };
    int k = 0;
    for (; k + REGISTERS <= p; k += REGISTERS) {
        WhyLanes o[REGISTERS];
        for (int j = 0; j < REGISTERS; j++) o[j] = ((const WhyLanes *)out)[k + j];
        for (int i = 0; i < n; i++)
            sum[i] += products((const WhyLanes *)(weights + (ptrdiff_t)unit[i] * p * LANES) + k, o);
    }
    for (; k < p; k++)
        for (int i = 0; i < n; i++)
            sum[i] += ((const WhyLanes *)(weights + (ptrdiff_t)unit[i] * p * LANES))[k] * ((const WhyLanes *)out)[k];
}

/* Adds the contributions of the units of a part to its heads first .. first + LANES - 1, through tokens whose outputs
 * are out [tokens] (NULL: token without a vector). parts: scratch for all units. The weights of one register of heads
 * stay in the cache over all tokens. */
static void add_register(const Pass *pass, int part, int first, const Units *u, Real *const *out, WhyLanes *parts)
{
    const Why *y = pass->y;
    int tokens = pass->w->packed.batch.n_tokens, units = y->first_unit[part + 1] - y->first_unit[part],
        p = y->d / y->heads;
    const Real *weights = y->w1[part] + (ptrdiff_t)first * units * p;
    for (int t = 0; t < tokens; t++) {
        if (!out[t]) continue;
        const Active *active = &u->active[part][t];
        times_outputs(weights, active->unit, active->n, out[t] + (ptrdiff_t)first * p, p, parts);
        for (int i = u->first[t], end = u->first[t + 1]; i < end; i += TOGETHER) {
            const Real *by[TOGETHER];
            WhyLanes sum[TOGETHER];
            for (int j = 0; j < TOGETHER; j++) by[j] = u->half[i + j < end ? i + j : i].unit[part];
            times_parts(by, parts, active->n, sum);
            for (int j = 0; j < TOGETHER && i + j < end; j++)
                *(WhyLanes *)(u->half[i + j].head + first_head(y, part) + first) += u->half[i + j].scale * sum[j];
        }
    }
}

static bool add_units(Pass *pass, const Units *u)
{
    const Why *y = pass->y;
    int tokens = pass->w->packed.batch.n_tokens, p = y->d / y->heads;
    Real **out = arena_calloc(pass->a, (size_t)tokens, sizeof *out);
    WhyLanes *parts = arena_alloc(pass->a, (size_t)y->units, sizeof *parts);
    if (!out || !parts) return false;
    for (int part = 0; part < MAX_PARTS; part++) {
        if (y->first_unit[part + 1] <= y->first_unit[part] || end_head(y, part) <= first_head(y, part)) continue;
        for (int t = 0; t < tokens; t++) {
            if (u->first[t + 1] == u->first[t]) continue;
            if (!(out[t] = arena_calloc(pass->a, (size_t)part_heads(y, part) * (size_t)p, sizeof *out[t])))
                return false;
            const Real *row = host_row(&pass->lal, t);
            for (int h = first_head(y, part); h < end_head(y, part); h++) {
                Real *to = out[t] + part_column(y, part, h, 0);
                for (int k = 0; k < p; k++) to[(ptrdiff_t)k * LANES] = row[(ptrdiff_t)h * p + k];
            }
        }
        for (int h = 0; h < part_heads(y, part); h += LANES) add_register(pass, part, h, u, out, parts);
    }
    return true;
}

static Real sum_of(const Real *x, int n)
{
    if (n == 8) return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
    if (n == 16) return sum_of(x, 8) + sum_of(x + 8, 8);
    Real sum = 0;
    for (int k = 0; k < n; k++) sum += x[k];
    return sum;
}

/* Sums over the columns of each head, times 1 / divisor, of the tokens that have a vector: [tokens, heads]. */
static Real *token_sums(const Pass *pass)
{
    const Why *y = pass->y;
    int tokens = pass->w->packed.batch.n_tokens, width = y->d / y->heads;
    Real *sum = arena_alloc(pass->a, (size_t)tokens * (size_t)y->heads, sizeof *sum);
    for (int t = 0; sum && t < tokens; t++)
        for (int h = 0; h < y->heads; h++)
            sum[(ptrdiff_t)t * y->heads + h] =
                pass->inverse[t] * sum_of(host_row(&pass->lal, t) + (ptrdiff_t)h * width, width);
    return sum;
}

/* Subtracts the term of the mean in the feed-forward's norm, which is the same for all columns of a token. */
static void add_mean(const Pass *pass, const WhyProjection *p, int from, int to, const Real *sums)
{
    const Why *y = pass->y;
    for (int i = from; i < to; i++) {
        const Vector *v = &pass->vector[i];
        Real *restrict head = head_of(pass, v->item), mean[2] = { 0 };
        for (int k = 0; k < v->e.n; k++) {
            mean[0] += v->e.value[k] * p->mean[2 * (ptrdiff_t)v->e.row[k]];
            mean[1] += v->e.value[k] * p->mean[2 * (ptrdiff_t)v->e.row[k] + 1];
        }
        for (int use = 0; use < v->n; use++)
            for (int side = 0; side < 2; side++) {
                const Real *row = sums + (ptrdiff_t)token_of(pass, v, use, side) * y->heads,
                           scale = v->sign[use] * mean[side];
                for (int h = 0; h < y->heads; h++) head[h] -= scale * row[h];
            }
    }
}

bool why_add_feed_forward(Pass *pass, const WhyProjection *const by[3], const int end[4])
{
    Units u = { 0 };
    Real *sums = token_sums(pass);
    if (!sums || !units_init(pass, &u)) return false;
    for (int k = 0; k < 3; k++) {
        if (!fill_units(pass, by[k], end[k], end[k + 1], &u)) return false;
        add_mean(pass, by[k], end[k], end[k + 1], sums);
    }
    return add_units(pass, &u);
}
