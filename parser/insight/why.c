/* parser/insight/why.c
 * A decision has a vector e: coefficients on what its scorer reads of a fencepost, f w. Behind the feed-forward of the label heads, y' = a (z - mean) / d + b with
 * z = y + W2 relu(W1 y), so the coefficient of y at a token is, with c = w e on the half of the columns that the fencepost takes from it,
 *     (1 / d) (I + W1' diag(active) W2') (a c - mean(a c)).
 * a w and W2' of it (`units`) are formed once. Of W1' only active units are needed, and only summed up within heads against y: P below, once a token. */
#include "parser/insight/why.h"

#include <math.h>
#include <string.h>

/* Loops over heads run in blocks of LANES, with sums in registers; rows of parts are padded to whole blocks, and arrays read in blocks have so many
 * numbers to spare. */
enum { LANES = 16 };

static int padded(int heads) { return (heads + LANES - 1) / LANES * LANES; }

/* Columns lie head by head in the model; here heads lie side by side, so that loops over heads are vector loops: column c of head h at c * heads + h. */
static int column_of(const Why *y, int at) { return at % y->heads * (y->d / y->heads) + at / y->heads; }

/* Column j of a fencepost vector in that order (all forward halves, then all backward halves): where the model's order has it. */
static int fence_column(const Why *y, int j)
{
    int half = y->d / 2, side = j / half, k = j % half / y->heads, h = j % half % y->heads;
    return side * half + h * (y->d / y->heads / 2) + k;
}

static const Real *values(const Model *m, int k) { return m->ps.values + m->ps.p[k].offset; }

/* W2 of the feed-forward as unit k sees column c of a token. */
static Real second_weight(const Why *y, int k, int c)
{
    const FeedForward *ff = &y->m->net.encoder.lal_ff;
    int part = k >= y->first_unit[1] && ff->parts > 1;
    if (c < y->first_column[part] || c >= y->first_column[part + 1]) return 0;
    int width = y->first_column[part + 1] - y->first_column[part];
    return values(y->m, ff->w2[part])[(ptrdiff_t)(k - y->first_unit[part]) * width + c - y->first_column[part]];
}

/* [units, D]: the second weights of the feed-forward over the columns of fenceposts. */
static Real *second_weights(const Why *y)
{
    Real *second = mem_alloc((size_t)y->units * (size_t)y->d + 1, sizeof *second);
    for (int j = 0; second && j < y->d; j++) {
        int c = y->m->net.encoder.fence_source[fence_column(y, j)];
        for (int k = 0; k < y->units; k++) second[(ptrdiff_t)k * y->d + j] = second_weight(y, k, c);
    }
    return second;
}

static Status projection_init(Why *y, WhyProjection *p, int weight, const Real *second, Error *e)
{
    const Encoder *enc = &y->m->net.encoder;
    const Param *w = &y->m->ps.p[weight];
    int d = y->d, half = d / 2, u = y->units;
    p->width = w->cols;
    size_t width = (size_t)p->width;
    p->w = mem_alloc((size_t)d * width, sizeof *p->w);
    p->units = mem_calloc(width * 2 * (size_t)u + 1, sizeof *p->units);
    p->mean = mem_calloc(width * 2, sizeof *p->mean);
    if (!p->w || !p->units || !p->mean) return error_set(e, ERR_NOMEM, "out of memory explaining");
    const Real *a = enc->c.lal_pwff ? values(y->m, enc->lal_ff.norm.a) : NULL;
    for (int j = 0; j < d; j++) {
        int column = fence_column(y, j);
        for (int k = 0; k < p->width; k++) {
            Real v = values(y->m, weight)[(ptrdiff_t)column * w->cols + k] * (a ? a[enc->fence_source[column]] : 1);
            p->w[(ptrdiff_t)j * p->width + k] = v;
            if (a) p->mean[k * 2 + (j >= half)] += v / (Real)d;
        }
    }
    const Kernels *kernels = kernels_cpu();
    for (int side = 0; side < 2 && u; side++) { /* [width, units] = w' second', a half of the columns */
        Real *to = p->units + side * u;
        kernels->gemm(true, true, p->width, u, half, 1, p->w + (ptrdiff_t)side * half * p->width, p->width, second + side * half, d, 0, to, 2 * u);
        for (int k = 0; k < u; k++) {
            double sum = 0;
            for (int j = 0; j < d; j++) sum += (double)second[(ptrdiff_t)k * d + j];
            for (int x = 0; x < p->width; x++) to[(ptrdiff_t)x * 2 * u + k] -= (Real)(sum * (double)p->mean[x * 2 + side]);
        }
    }
    return OK;
}

Status why_init(Why *y, const Model *m, Error *e)
{
    const Encoder *enc = &m->net.encoder;
    const FeedForward *ff = &enc->lal_ff;
    *y = (Why){ .m = m, .heads = enc->c.lal.heads, .d = enc->width };
    if (!encoder_has_label_heads(&enc->c)) return error_set(e, ERR_CONFIG, NO_LABEL_HEADS);
    y->first_column[1] = y->first_column[2] = y->d;
    for (int p = 0; p < ff->parts && enc->c.lal_pwff; p++) {
        y->first_unit[p + 1] = y->first_unit[p] + m->ps.p[ff->w1[p]].cols;
        y->first_column[p + 1] = y->first_column[p] + m->ps.p[ff->w1[p]].rows;
        y->units = y->first_unit[p + 1];
    }
    if (ff->parts == 1) y->first_unit[2] = y->units;
    y->w1 = mem_calloc((size_t)y->units * (size_t)y->d + LANES, sizeof *y->w1);
    if (!y->w1) return error_set(e, ERR_NOMEM, "out of memory explaining");
    for (int p = 0; p < ff->parts && enc->c.lal_pwff; p++) {
        const Param *w = &m->ps.p[ff->w1[p]];
        for (int at = 0; at < y->d; at++) {
            int c = column_of(y, at) - y->first_column[p];
            if (c < 0 || c >= w->rows) continue;
            for (int k = 0; k < w->cols; k++) y->w1[(ptrdiff_t)(y->first_unit[p] + k) * y->d + at] = values(m, ff->w1[p])[(ptrdiff_t)c * w->cols + k];
        }
    }
    Real *second = second_weights(y);
    Status s = second ? projection_init(y, &y->span, m->net.span.w1, second, e) : error_set(e, ERR_NOMEM, "out of memory explaining");
    if (s == OK) s = projection_init(y, &y->arc_head, m->net.arc.arc_h, second, e);
    if (s == OK) s = projection_init(y, &y->arc_dependent, m->net.arc.arc_c, second, e);
    mem_free(second);
    return s;
}

static void projection_fini(WhyProjection *p)
{
    mem_free(p->w);
    mem_free(p->units);
    mem_free(p->mean);
}

void why_fini(Why *y)
{
    mem_free(y->w1);
    projection_fini(&y->span);
    projection_fini(&y->arc_head);
    projection_fini(&y->arc_dependent);
    *y = (Why){ .m = NULL };
}

/* ---- tokens */

/* What a token has for all decisions that touch it. */
typedef struct TokenParts {
    int n[MAX_PARTS];      /* active units */
    int *unit[MAX_PARTS];  /* [n] */
    Real *part[MAX_PARTS]; /* [n, padded heads of the part] the unit's weights against y, head by head */
    Real *y;               /* [D] the token's outputs of the label heads, heads side by side */
    Real *sum;             /* [heads] of y */
    Real inverse;          /* 1 / divisor of the feed-forward's norm */
} TokenParts;

typedef struct Pass {
    const Why *y;
    const ParseWorker *w;
    Arena *a;
    TokenParts **token;  /* [tokens] or NULL: not asked for yet */
    const Real *inverse; /* [tokens] */
} Pass;

/* Heads that have columns in a part of the feed-forward: first_head .. end_head - 1. */
static int first_head(const Why *y, int part) { return y->first_column[part] / (y->d / y->heads); }
static int end_head(const Why *y, int part)
{
    int p = y->d / y->heads;
    return (y->first_column[part + 1] + p - 1) / p;
}

static bool active_units(Pass *pass, int t, int part, TokenParts *x)
{
    const Why *y = pass->y;
    int count = y->first_unit[part + 1] - y->first_unit[part], from = first_head(y, part), n_heads = end_head(y, part) - from, p = y->d / y->heads,
        active = 0;
    if (count <= 0 || n_heads <= 0) return true;
    const Real *hidden = tensor_row(pass->w->net.encoder.lal_hidden[part], t);
    for (int k = 0; k < count; k++) active += hidden[k] > 0;
    x->unit[part] = arena_alloc(pass->a, (size_t)active, sizeof *x->unit[part]);
    x->part[part] = arena_alloc(pass->a, (size_t)active * (size_t)padded(n_heads), sizeof *x->part[part]);
    if (!x->unit[part] || !x->part[part]) return false;
    for (int k = 0; k < count; k++) {
        if (!(hidden[k] > 0)) continue;
        const Real *weights = y->w1 + (ptrdiff_t)(y->first_unit[part] + k) * y->d + from, *row = x->y + from;
        Real *to = x->part[part] + (ptrdiff_t)x->n[part] * padded(n_heads);
        for (int h = 0; h < n_heads; h += LANES) {
            Real sum[LANES] = { 0 };
            for (int c = 0; c < p; c++)
                for (int l = 0; l < LANES; l++) sum[l] += weights[c * y->heads + h + l] * row[c * y->heads + h + l];
            memcpy(to + h, sum, sizeof sum);
        }
        x->unit[part][x->n[part]++] = y->first_unit[part] + k;
    }
    return true;
}

static TokenParts *token_parts(Pass *pass, int t)
{
    if (pass->token[t]) return pass->token[t];
    const Why *y = pass->y;
    const NetworkOutput *net = &pass->w->net;
    const Real *row = tensor_row(net->encoder.lal, t);
    int p = y->d / y->heads;
    TokenParts *x = arena_alloc(pass->a, 1, sizeof *x);
    if (!x) return NULL;
    *x = (TokenParts){ .inverse = pass->inverse ? pass->inverse[t] : 1,
                       .y = arena_calloc(pass->a, (size_t)y->d + LANES, sizeof *x->y),
                       .sum = arena_calloc(pass->a, (size_t)y->heads, sizeof *x->sum) };
    if (!x->y || !x->sum) return NULL;
    for (int h = 0; h < y->heads; h++)
        for (int c = 0; c < p; c++) x->y[c * y->heads + h] = row[h * p + c];
    for (int c = 0; c < p; c++)
        for (int h = 0; h < y->heads; h++) x->sum[h] += x->y[c * y->heads + h];
    for (int part = 0; part < MAX_PARTS && y->units; part++)
        if (!active_units(pass, t, part, x)) return NULL;
    return pass->token[t] = x;
}

/* Adds one token's half: columns [D / 2] of the decision's c on it, units [units] on its hidden layer, mean that the norm takes off. */
static void add_half(const Why *y, const TokenParts *x, int side, const Real *columns, const Real *units, Real mean, Real sign, Real *restrict head)
{
    int half = y->d / y->heads / 2;
    Real scale = sign * x->inverse;
    const Real *at = x->y + (ptrdiff_t)side * half * y->heads;
    for (int h = 0; h < y->heads; h++) head[h] -= scale * mean * x->sum[h];
    for (int k = 0; k < half; k++, at += y->heads, columns += y->heads)
        for (int h = 0; h < y->heads; h++) head[h] += scale * at[h] * columns[h];
    for (int part = 0; part < MAX_PARTS; part++) {
        int from = first_head(y, part), n_heads = end_head(y, part) - from, pad = padded(n_heads);
        for (int h = 0; h < n_heads; h += LANES) {
            Real sum[LANES] = { 0 };
            for (int k = 0; k < x->n[part]; k++) {
                Real by = units[x->unit[part][k]];
                const Real *p = x->part[part] + (ptrdiff_t)k * pad + h;
                for (int l = 0; l < LANES; l++) sum[l] += by * p[l];
            }
            for (int l = 0; l < LANES && h + l < n_heads; l++) head[from + h + l] += scale * sum[l];
        }
    }
}

/* ---- decisions */

/* Where a vector e applies: fencepost rows of the batch with a sign, and the decision it belongs to. */
typedef struct Use {
    int item, row[2];
    Real sign[2];
    int n;
} Use;

/* Adds the parts of n vectors e [n, width] through a projection. */
static bool apply(Pass *pass, const WhyProjection *p, const Real *e, const Use *use, int n, WhyItem *items)
{
    const Why *y = pass->y;
    const Kernels *k = pass->w->tape.k;
    int d = y->d, u = 2 * y->units;
    Real *columns = arena_alloc(pass->a, (size_t)n * (size_t)d, sizeof *columns), *units = arena_alloc(pass->a, (size_t)n * (size_t)u, sizeof *units);
    Real *mean = arena_alloc(pass->a, (size_t)n * 2, sizeof *mean);
    if (!columns || !units || !mean) return false;
    k->gemm(false, true, n, d, p->width, 1, e, p->width, p->w, p->width, 0, columns, d);
    if (u) k->gemm(false, false, n, u, p->width, 1, e, p->width, p->units, u, 0, units, u);
    k->gemm(false, false, n, 2, p->width, 1, e, p->width, p->mean, 2, 0, mean, 2);
    for (int i = 0; i < n; i++)
        for (int r = 0; r < use[i].n; r++)
            for (int side = 0; side < 2; side++) {
                /* fencepost row of a batch -> token: one more token than fenceposts in each sentence before */
                int t = use[i].row[r] + items[use[i].item].sentence + side;
                const TokenParts *x = token_parts(pass, t);
                if (!x) return false;
                add_half(y, x, side, columns + (ptrdiff_t)i * d + side * (d / 2), units + (ptrdiff_t)i * u + side * y->units, mean[i * 2 + side],
                         use[i].sign[r], items[use[i].item].head);
            }
    return true;
}

/* e of a span: through the hidden layer and its norm, both as they are for this span. Returns its score. */
static double span_vector(const Why *y, const Real *gi, const Real *gj, int label, Real *e)
{
    const Model *m = y->m;
    const SpanScorer *s = &m->net.span;
    int n = y->span.width, wide = s->n_labels - 1;
    const Real *b1 = values(m, s->b1), *a = values(m, s->norm.a), *b = values(m, s->norm.b), *w2 = values(m, s->w2) + label - 1;
    double mean = 0, squares = 0, centre = 0, score = (double)values(m, s->b2)[label - 1];
    for (int k = 0; k < n; k++) {
        e[k] = gj[k] - gi[k] + b1[k];
        mean += (double)e[k];
    }
    mean /= n;
    for (int k = 0; k < n; k++) squares += ((double)e[k] - mean) * ((double)e[k] - mean);
    double inverse = 1 / (sqrt(squares / (n - 1)) + LAL_NORM_EPS);
    for (int k = 0; k < n; k++) {
        double v = (double)a[k] * ((double)e[k] - mean) * inverse + (double)b[k], w = v > 0 ? (double)w2[(ptrdiff_t)k * wide] : 0;
        score += v > 0 ? v * w : 0;
        e[k] = (Real)(w * (double)a[k]);
        centre += (double)e[k];
    }
    centre /= n;
    for (int k = 0; k < n; k++) e[k] = (Real)(((double)e[k] - centre) * inverse);
    return score;
}

static Status explain_spans(Pass *pass, WhyItem *items, int n, Error *e)
{
    const Why *y = pass->y;
    const int *start = pass->w->packed.batch.start;
    int count = 0, width = y->span.width;
    Real *vector = arena_alloc(pass->a, (size_t)n * (size_t)width, sizeof *vector);
    Use *use = arena_alloc(pass->a, (size_t)n, sizeof *use);
    if (!vector || !use) return error_set(e, ERR_NOMEM, "out of memory explaining");
    for (int k = 0; k < n; k++) {
        if (!items[k].label) continue;
        int first = start[items[k].sentence] - items[k].sentence, i = first + items[k].begin, j = first + items[k].end;
        const Tensor *g = pass->w->net.g;
        items[k].score = span_vector(y, tensor_row(g, i), tensor_row(g, j), items[k].label, vector + (ptrdiff_t)count * width);
        use[count++] = (Use){ k, { j, i }, { 1, -1 }, 2 };
    }
    return apply(pass, &y->span, vector, use, count, items) ? OK : error_set(e, ERR_NOMEM, "out of memory explaining");
}

/* Arcs: each side takes half of the product of its layer with the other side's, and what is linear in it. */
static Status explain_arcs(Pass *pass, WhyItem *items, int n, Error *e)
{
    const Why *y = pass->y;
    const ArcScorer *arc = &y->m->net.arc;
    const ArcFeatures *f = &pass->w->net.arc;
    const int *start = pass->w->packed.batch.start;
    int count = 0, d = arc->c.d_arc;
    size_t size = (size_t)n * (size_t)d;
    Real *head = arena_alloc(pass->a, size, sizeof *head), *dependent = arena_alloc(pass->a, size, sizeof *dependent),
         *product = arena_alloc(pass->a, size, sizeof *product), *other = arena_alloc(pass->a, size, sizeof *other);
    Use *up = arena_alloc(pass->a, (size_t)n, sizeof *up), *down = arena_alloc(pass->a, (size_t)n, sizeof *down);
    if (!head || !dependent || !product || !other || !up || !down) return error_set(e, ERR_NOMEM, "out of memory explaining");
    const Real *omega = values(y->m, arc->weight);
    for (int k = 0; k < n; k++) {
        if (items[k].label) continue;
        int first = start[items[k].sentence] - items[k].sentence, c = first + items[k].begin, g = first + items[k].end;
        memcpy(head + (ptrdiff_t)count * d, tensor_row(f->head, g), (size_t)d * sizeof *head);
        memcpy(dependent + (ptrdiff_t)count * d, tensor_row(f->dependent, c), (size_t)d * sizeof *dependent);
        up[count] = (Use){ k, { g, 0 }, { 1, 0 }, 1 };
        down[count++] = (Use){ k, { c, 0 }, { 1, 0 }, 1 };
    }
    const Kernels *kernels = pass->w->tape.k;
    kernels->gemm(false, true, count, d, d, 1, dependent, d, omega, d + 1, 0, product, d); /* Omega b */
    kernels->gemm(false, false, count, d, d, 1, head, d, omega, d + 1, 0, other, d);       /* a Omega */
    for (int i = 0; i < count; i++) {
        Real *a = head + (ptrdiff_t)i * d, *b = dependent + (ptrdiff_t)i * d, *pa = product + (ptrdiff_t)i * d, *pb = other + (ptrdiff_t)i * d;
        double score = (double)omega[(ptrdiff_t)d * (d + 1) + d];
        for (int k = 0; k < d; k++) {
            Real column = omega[(ptrdiff_t)k * (d + 1) + d], row = omega[(ptrdiff_t)d * (d + 1) + k];
            score += (double)a[k] * ((double)pa[k] + (double)column) + (double)row * (double)b[k];
            Real on_head = a[k] > 0 ? pa[k] / 2 + column : 0, on_dependent = b[k] > 0 ? pb[k] / 2 + row : 0;
            pa[k] = on_head;
            pb[k] = on_dependent;
        }
        items[up[i].item].score = score;
    }
    bool ok = apply(pass, &y->arc_head, product, up, count, items) && apply(pass, &y->arc_dependent, other, down, count, items);
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory explaining");
}

Status why_explain(const Why *y, ParseWorker *w, WhyItem *items, int n, Error *e)
{
    ArenaMark mark = arena_mark(&w->scratch);
    Pass pass = { y, w, &w->scratch, arena_calloc(&w->scratch, (size_t)w->packed.batch.n_tokens, sizeof *pass.token), NULL };
    if (y->units) pass.inverse = norm_inverse(w->net.encoder.word);
    Status s = pass.token ? OK : error_set(e, ERR_NOMEM, "out of memory explaining");
    for (int k = 0; k < n; k++) memset(items[k].head, 0, (size_t)y->heads * sizeof *items[k].head);
    if (s == OK) s = explain_spans(&pass, items, n, e);
    if (s == OK) s = explain_arcs(&pass, items, n, e);
    arena_rewind(&w->scratch, mark);
    return s;
}

/* ---- notes */

static Status add_items(const Why *y, const Parsed *p, int sentence, WhyItem *items, int *n, Arena *a, Error *e)
{
    const Sentence *s = &p->s;
    int n_chains;
    const Phrase *chain = tree_chains(s, a, &n_chains);
    if (!chain) return error_set(e, ERR_NOMEM, "out of memory explaining");
    for (int k = 0; k < n_chains; k++) {
        int number = vocab_find(&y->m->labels, chain[k].label);
        if (number > 0) items[(*n)++] = (WhyItem){ sentence, chain[k].begin, chain[k].end, number, NULL, 0 };
    }
    for (int c = 0; c < s->n_words && s->heads; c++) items[(*n)++] = (WhyItem){ sentence, c + 1, s->heads[c], 0, NULL, 0 };
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
