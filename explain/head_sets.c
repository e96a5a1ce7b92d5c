/* The places of a decision are mapped by the first weights of its scorer, column by column, each to the sum of
 * the head that the column belongs to; what follows the sums is computed for each set. */
#include "explain/head_sets.h"

#include <math.h>
#include <string.h>

#include "parser/parse/parse_network.h"

static const Real *weights_of(const HeadSets *x, int k) { return param_values(&x->m->ps, k); }

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory for sets of heads"); }

/* The arc scorer's weights of the sums, by the columns of the sums. What lies before a dependent lies after its
 * head. */
static void transpose_between(HeadSets *x, const ArcScorer *arc)
{
    int n = 2 * x->sums, d = arc->c.d_arc;
    const Real *c = weights_of(x, arc->between_c), *b = weights_of(x, arc->between_c_b),
               *h = weights_of(x, arc->between_h);
    for (int k = 0; k < n; k++) {
        Real *row = x->between_c + (ptrdiff_t)k * (d + 1);
        for (int i = 0; i < d; i++) {
            row[i] = c[(ptrdiff_t)i * n + k];
            x->between_h[(ptrdiff_t)k * d + i] = h[(ptrdiff_t)i * n + (k + x->sums) % n];
        }
        row[d] = b[k];
    }
}

Status head_sets_init(HeadSets *sets, const Model *model, Error *error)
{
    const Encoder *enc = &model->net.encoder;
    const ArcScorer *arc = &parse_network(&model->net)->arc;
    const int layer = layer_label(enc->c.n_layers), values = enc->phrase.values;
    *sets = (HeadSets){ .m = model };
    if (!encoder_has_label_heads(enc)) return error_set(error, ERR_CONFIG, NO_LABEL_HEADS);
    if (enc->c.lal_pwff)
        return error_set(error, ERR_CONFIG,
                         "found a feed-forward after the label heads (lal_pwff), whose outputs no head has, expected a "
                         "model without");
    sets->heads = enc->lal.c.heads;
    sets->number = enc->head[layer];
    sets->fence = enc->width;
    sets->sums = enc->c.d_phrase ? sets->heads * values : 0;
    sets->places[EXPLAIN_SPAN] = sets->fence + sets->sums;
    sets->places[EXPLAIN_ARC] = 3 * sets->fence + 4 * sets->sums;
    sets->places[EXPLAIN_TYPE] = 2 * sets->fence + 2 * sets->sums;
    sets->of_fence = mem_alloc((size_t)sets->fence, sizeof *sets->of_fence);
    sets->of_sums = mem_alloc(2 * (size_t)sets->sums, sizeof *sets->of_sums);
    if (!sets->of_fence || !sets->of_sums) return no_memory(error);
    for (int c = 0; c < sets->fence; c++) sets->of_fence[c] = -1;
    for (int c = 0; c < 2 * sets->sums; c++) sets->of_sums[c] = c % sets->sums / values;
    for (int b = 0; encoder_has_blocks(enc) && b < label_attention_blocks(&enc->lal.c); b++)
        for (int k = 0; k < enc->c.lal.d_proj && enc->block_head[b] >= 0; k++)
            sets->of_fence[encoder_fence_column(enc, k / (enc->c.lal.d_proj / 2), b, k % (enc->c.lal.d_proj / 2))] =
                encoder_head_row(enc, layer, enc->block_head[b]);
    if (arc->between_c < 0) return OK;
    sets->between_c = mem_alloc(2 * (size_t)sets->sums * ((size_t)arc->c.d_arc + 1), sizeof *sets->between_c);
    sets->between_h = mem_alloc(2 * (size_t)sets->sums * (size_t)arc->c.d_arc, sizeof *sets->between_h);
    if (!sets->between_c || !sets->between_h) return no_memory(error);
    transpose_between(sets, arc);
    return OK;
}

void head_sets_fini(HeadSets *sets)
{
    mem_free_each(sets->of_fence, sets->of_sums, sets->between_c, sets->between_h);
    *sets = (HeadSets){ 0 };
}

/* ---- places */

/* to [cols] += sign (row `to_row` of x minus row `from`); from -1: minus nothing. */
static void add_difference(const HostMatrix *x, int to_row, int from, Real sign, Real *to)
{
    const Real *a = host_row(x, to_row), *b = from < 0 ? NULL : host_row(x, from);
    for (int c = 0; c < x->cols; c++) to[c] += sign * (a[c] - (b ? b[c] : 0));
}

/* What lies between a dependent and its head, as op_between has it: to [2, sums], by the side of the head. */
static void add_between(const HostMatrix *sums, int dependent, int head, Real sign, Real *to)
{
    if (!sums->data || head == dependent) return;
    if (head < dependent) add_difference(sums, dependent - 1, head, sign, to);
    else add_difference(sums, head - 1, dependent, sign, to + sums->cols);
}

const Real *margin_places(const HeadSets *sets, Worker *worker, const Contest *contest, Arena *arena, Error *error)
{
    const Span at = contest->d.at;
    const ExplainKind kind = contest->d.kind;
    const ArcScorer *arc = &parse_network(&sets->m->net)->arc;
    Real *out = arena_calloc(arena, (size_t)sets->places[kind], sizeof *out), *to = out;
    HostMatrix f = tensor_host(&worker->tape, worker->net.encoder.fencepost, &worker->scratch), p = { .data = NULL };
    if (sets->sums) p = tensor_host(&worker->tape, worker->net.encoder.phrase, &worker->scratch);
    if (!out || !f.data || (sets->sums && !p.data)) {
        no_memory(error);
        return NULL;
    }
    if (kind == EXPLAIN_SPAN) {
        add_difference(&f, at.end, at.begin, 1, to);
        if (sets->sums) add_difference(&p, at.end, at.begin, 1, to + sets->fence);
        return out;
    }
    add_difference(&f, kind == EXPLAIN_ARC || arc->c.type_given_head ? at.end : at.begin, -1, 1, to);
    if (kind == EXPLAIN_ARC) add_difference(&f, contest->rival, -1, 1, to += sets->fence);
    add_difference(&f, at.begin, -1, 1, to += sets->fence);
    if (!sets->between_c) return out;
    add_between(&p, at.begin, at.end, 1, to += sets->fence);
    if (kind == EXPLAIN_ARC) add_between(&p, at.begin, contest->rival, -1, to + 2 * (ptrdiff_t)sets->sums);
    return out;
}

/* ---- margins */

/* n of the places, from `from` on, and the weights by which they go to numbers `to` .. `to + width - 1` of a sum. */
typedef struct Term {
    const int *head; /* [n] */
    int from, n;
    const Real *w; /* [n, width] */
    int width, to;
} Term;
enum { TERMS = 7 };

/* Hidden layers of an arc or type, one after the other: what the head and its rival (none of a type) make, the
 * dependent, and what is multiplied by the layers of head, rival and dependent. */
enum { HEAD, RIVAL, DEPENDENT, BY_HEAD, BY_RIVAL, BY_DEPENDENT, LAYERS };

/* The terms of a contest in the order of its places. Weights that depend on the labels lie in the arena. Returns their
 * number; 0 when out of memory. */
static int terms_of(const HeadSets *x, const Contest *c, Term terms[TERMS], Arena *arena)
{
    const ParseNetwork *own = parse_network(&x->m->net);
    const ArcScorer *arc = &own->arc;
    int a = c->d.at.label, b = c->rival, f = x->fence, n = 0, d;
    if (c->d.kind == EXPLAIN_SPAN) {
        d = x->m->ps.p[own->span.w1].cols;
        terms[n++] = (Term){ x->of_fence, 0, f, weights_of(x, own->span.w1), d, 0 };
        if (own->span.phrase < 0) return n;
        terms[n++] = (Term){ x->of_sums, f, x->sums, weights_of(x, own->span.phrase), d, 0 };
        return n;
    }
    if (c->d.kind == EXPLAIN_ARC) {
        d = arc->c.d_arc;
        terms[n++] = (Term){ x->of_fence, 0, f, weights_of(x, arc->arc_h), d, HEAD * d };
        terms[n++] = (Term){ x->of_fence, f, f, weights_of(x, arc->arc_h), d, RIVAL * d };
        terms[n++] = (Term){ x->of_fence, 2 * f, f, weights_of(x, arc->arc_c), d, DEPENDENT * d };
        for (int rival = 0; x->between_c && rival < 2; rival++) {
            int from = 3 * f + 2 * rival * x->sums;
            terms[n++] = (Term){ x->of_sums, from, 2 * x->sums, x->between_c, d + 1, BY_DEPENDENT * d };
            terms[n++] = (Term){ x->of_sums, from, 2 * x->sums, x->between_h, d, (rival ? BY_RIVAL : BY_HEAD) * d };
        }
        return n;
    }
    d = arc->c.d_type;
    terms[n++] = (Term){ x->of_fence, 0, f, weights_of(x, arc->type_h), d, HEAD * d };
    terms[n++] = (Term){ x->of_fence, f, f, weights_of(x, arc->type_c), d, DEPENDENT * d };
    if (!x->between_c) return n;
    const Real *between = weights_of(x, arc->type_between);
    Real *w = arena_alloc(arena, 2 * (size_t)x->sums, sizeof *w);
    for (int k = 0; w && k < 2 * x->sums; k++)
        w[k] = between[(ptrdiff_t)k * arc->c.n_types + a] - between[(ptrdiff_t)k * arc->c.n_types + b];
    terms[n++] = (Term){ x->of_sums, 2 * f, 2 * x->sums, w, 1, LAYERS * d };
    return w ? n : 0;
}

/* Adds the places to the sums of their heads, head [heads, n], and of what no head has, rest [n] or NULL. */
static void add_terms(const Term *terms, int n_terms, const Real *places, int n, Real *rest, Real *head)
{
    for (const Term *t = terms; t < terms + n_terms; t++)
        for (int c = 0; c < t->n; c++) {
            Real *to = t->head[c] < 0 ? rest : head + (ptrdiff_t)t->head[c] * n, by = places[t->from + c];
            const Real *w = t->w + (ptrdiff_t)c * t->width;
            if (!to || by == 0) continue;
            to += t->to;
            for (int k = 0; k < t->width; k++) to[k] += by * w[k];
        }
}

/* Numbers of a sum. */
static int sum_size(const HeadSets *x, ExplainKind kind)
{
    const ParseNetwork *own = parse_network(&x->m->net);
    return kind == EXPLAIN_SPAN ? x->m->ps.p[own->span.w1].cols + 1
                                : LAYERS * (kind == EXPLAIN_ARC ? own->arc.c.d_arc : own->arc.c.d_type) + 1;
}

static void add(Real *to, const Real *from, int n)
{
    for (int k = 0; k < n; k++) to[k] += from[k];
}

static Real positive(Real x) { return x > 0 ? x : 0; }

/* mixed [width + 1] = what the rows of the weights, times the layer of the head less the rival's, make of units. */
static void mix(const Margin *m, const Real *x)
{
    const int d = m->width;
    memset(m->mixed, 0, ((size_t)d + 1) * sizeof *m->mixed);
    for (int i = 0; i < d; i++) {
        Real by = positive(x[HEAD * d + i]) - positive(x[RIVAL * d + i]);
        const Real *row = m->weights + (ptrdiff_t)i * (d + 1);
        if (by != 0)
            for (int k = 0; k <= d; k++) m->mixed[k] += by * row[k];
    }
}

/* Reduces each head to the one number it adds to the margin of an arc or type: head [heads, sum_size] becomes [heads].
 * Only for models whose heads act between words alone, where no head changes the hidden layers `words`. */
static void make_numbers(const Margin *m, const Real *words, Real *head)
{
    const int d = m->width, n = LAYERS * d + 1;
    for (int h = 0; h < m->heads; h++) {
        const Real *x = head + (ptrdiff_t)h * n;
        double sum = (double)x[n - 1];
        for (int k = 0; k < 3 * d; k++) sum += (double)x[BY_HEAD * d + k] * (double)positive(words[k]);
        head[h] = (Real)sum; /* where this head or one before it was */
    }
}

static bool make_linear(Margin *m, Arena *arena)
{
    Real *rest = arena_alloc(arena, 1, sizeof *rest);
    if (!rest) return false;
    *rest = (Real)margin_value(m, m->rest);
    make_numbers(m, m->rest, m->head);
    m->words = m->rest;
    m->rest = rest;
    m->form = MARGIN_LINEAR;
    m->n = 1;
    return true;
}

/* The weights of the labels of a span, and biases. */
static bool span_weights(const HeadSets *x, const Contest *c, Arena *arena, Margin *m)
{
    const SpanScorer *s = &parse_network(&x->m->net)->span;
    const Real *w2 = weights_of(x, s->w2), *b2 = weights_of(x, s->b2);
    int labels = s->n_labels - 1, a = c->d.at.label - 1, b = c->rival - 1;
    Real *w = arena_alloc(arena, (size_t)m->width, sizeof *w);
    for (int k = 0; w && k < m->width; k++)
        w[k] = w2[(ptrdiff_t)k * labels + a] - (c->rival < 0 ? 0 : w2[(ptrdiff_t)k * labels + b]);
    m->form = MARGIN_NORM;
    m->weights = w;
    m->norm[0] = weights_of(x, s->norm.a);
    m->norm[1] = weights_of(x, s->norm.b);
    m->eps = s->norm.spec.eps;
    m->constant = (double)b2[a] - (c->rival < 0 ? 0 : (double)b2[b]);
    add(m->rest, weights_of(x, s->b1), m->width);
    return w != NULL;
}

static void arc_weights(const HeadSets *x, Margin *m)
{
    const ArcScorer *s = &parse_network(&x->m->net)->arc;
    int d = m->width;
    m->weights = weights_of(x, s->weight);
    add(m->rest + HEAD * d, weights_of(x, s->arc_h_b), d);
    add(m->rest + RIVAL * d, weights_of(x, s->arc_h_b), d);
    add(m->rest + DEPENDENT * d, weights_of(x, s->arc_c_b), d);
}

static bool type_weights(const HeadSets *x, const Contest *c, Arena *arena, Margin *m)
{
    const ArcScorer *s = &parse_network(&x->m->net)->arc;
    const Real *u = weights_of(x, s->u), *l = weights_of(x, s->w_l), *r = weights_of(x, s->w_r),
               *bias = weights_of(x, s->bias);
    int d = m->width, types = s->c.n_types, a = c->d.at.label, b = c->rival;
    Real *w = arena_alloc(arena, (size_t)d * ((size_t)d + 1), sizeof *w);
    m->weights = w;
    for (ptrdiff_t i = 0; w && i < d; i++) {
        for (int k = 0; k < d; k++) w[i * (d + 1) + k] = u[(i * types + a) * d + k] - u[(i * types + b) * d + k];
        w[i * (d + 1) + d] = l[i * types + a] - l[i * types + b];
        m->rest[BY_DEPENDENT * d + i] += r[i * types + a] - r[i * types + b];
    }
    m->constant = (double)bias[a] - (double)bias[b];
    add(m->rest + HEAD * d, weights_of(x, s->type_h_b), d);
    add(m->rest + DEPENDENT * d, weights_of(x, s->type_c_b), d);
    return w != NULL;
}

Status margin_new(const HeadSets *sets, const Contest *contest, const Real *places, Arena *arena, Margin *margin,
                  Error *error)
{
    Term terms[TERMS];
    const ExplainKind kind = contest->d.kind;
    int n = sum_size(sets, kind), n_terms = terms_of(sets, contest, terms, arena);
    *margin = (Margin){ .form = MARGIN_BILINEAR,
                        .heads = sets->heads,
                        .width = kind == EXPLAIN_SPAN ? n - 1 : n / LAYERS,
                        .n = n,
                        .rest = arena_calloc(arena, (size_t)n, sizeof(Real)),
                        .head = arena_calloc(arena, (size_t)sets->heads * (size_t)n, sizeof(Real)),
                        .mixed = arena_alloc(arena, (size_t)n, sizeof(Real)) };
    if (!n_terms || !margin->rest || !margin->head || !margin->mixed) return no_memory(error);
    add_terms(terms, n_terms, places, n, margin->rest, margin->head);
    if (kind == EXPLAIN_ARC) arc_weights(sets, margin);
    else if (!(kind == EXPLAIN_SPAN ? span_weights : type_weights)(sets, contest, arena, margin))
        return no_memory(error);
    bool linear = kind != EXPLAIN_SPAN && !encoder_has_blocks(&sets->m->net.encoder);
    return linear && !make_linear(margin, arena) ? no_memory(error) : OK;
}

Real *margin_exchange(const HeadSets *sets, const Contest *contest, const Margin *margin, const Real *places,
                      Arena *arena)
{
    Term terms[TERMS];
    int n = sum_size(sets, contest->d.kind), n_terms = terms_of(sets, contest, terms, arena);
    Real *head = arena_calloc(arena, (size_t)sets->heads * (size_t)n, sizeof *head);
    if (!n_terms || !head) return NULL;
    add_terms(terms, n_terms, places, n, NULL, head);
    if (margin->form == MARGIN_LINEAR) make_numbers(margin, margin->words, head);
    return head;
}

/* Mean and 1 / divisor of the norm of a span. */
static void norm_of(const Margin *m, const Real *x, Real *mean, Real *inverse)
{
    double sum = 0, squares = 0;
    for (int k = 0; k < m->width; k++) sum += (double)x[k];
    *mean = (Real)(sum / m->width);
    for (int k = 0; k < m->width; k++) squares += ((double)x[k] - (double)*mean) * ((double)x[k] - (double)*mean);
    *inverse = (Real)(1 / (sqrt(squares / (m->width - 1)) + m->eps));
}

double margin_value(const Margin *margin, const Real *x)
{
    const int d = margin->width;
    double sum = margin->constant + (double)x[margin->n - 1];
    if (margin->form == MARGIN_LINEAR) return (double)x[0];
    if (margin->form == MARGIN_NORM) {
        Real mean, inverse;
        norm_of(margin, x, &mean, &inverse);
        for (int k = 0; k < d; k++) {
            Real y = margin->norm[0][k] * ((x[k] - mean) * inverse) + margin->norm[1][k];
            sum += (double)(margin->weights[k] * positive(y));
        }
        return sum;
    }
    mix(margin, x);
    for (int k = 0; k < d; k++) sum += (double)(positive(x[DEPENDENT * d + k]) * margin->mixed[k]);
    for (int k = 0; k < 3 * d; k++) sum += (double)(positive(x[k]) * x[BY_HEAD * d + k]);
    return sum + (double)margin->mixed[d];
}

void margin_add(const Margin *margin, const Real *head, Real sign, Real *x)
{
    for (int k = 0; k < margin->n; k++) x[k] += sign * head[k];
}

void margin_all(const Margin *margin, Real *x)
{
    memcpy(x, margin->rest, (size_t)margin->n * sizeof *x);
    for (int h = 0; h < margin->heads; h++) margin_add(margin, margin->head + (ptrdiff_t)h * margin->n, 1, x);
}

/* ---- derivatives */

/* g [n] of a span, through the divisor of its norm too (tensor/cpu/level/elementwise.c, norm_bwd_row). */
static void norm_gradient(const Margin *m, const Real *x, Real *g)
{
    const int d = m->width;
    Real mean, inverse;
    double sum = 0, along = 0;
    norm_of(m, x, &mean, &inverse);
    for (int k = 0; k < d; k++) {
        Real y = m->norm[0][k] * ((x[k] - mean) * inverse) + m->norm[1][k];
        g[k] = y > 0 ? m->weights[k] * m->norm[0][k] : 0;
        sum += (double)g[k];
        along += (double)g[k] * (double)(x[k] - mean);
    }
    double divisor = 1 / (double)inverse, deviation = divisor - m->eps;
    double by = deviation > 0 ? along / (divisor * divisor * (d - 1) * deviation) : 0;
    for (int k = 0; k < d; k++) g[k] = (Real)(((double)g[k] - sum / d) * (double)inverse - (double)(x[k] - mean) * by);
}

static void bilinear_gradient(const Margin *m, const Real *x, Real *g)
{
    const int d = m->width;
    mix(m, x);
    for (int i = 0; i < d; i++) {
        const Real *row = m->weights + (ptrdiff_t)i * (d + 1);
        double sum = (double)row[d];
        for (int k = 0; k < d; k++) sum += (double)(row[k] * positive(x[DEPENDENT * d + k]));
        g[HEAD * d + i] = (Real)sum;
        g[RIVAL * d + i] = (Real)-sum;
        g[DEPENDENT * d + i] = m->mixed[i];
    }
    for (int k = 0; k < 3 * d; k++) {
        g[k] = x[k] > 0 ? g[k] + x[BY_HEAD * d + k] : 0;
        g[BY_HEAD * d + k] = positive(x[k]);
    }
}

bool margin_relevance(const Margin *margin, Arena *scratch, double *out)
{
    Real *x = arena_alloc(scratch, 2 * (size_t)margin->n, sizeof *x), *g = x + margin->n;
    if (!x) return false;
    margin_all(margin, x);
    g[margin->n - 1] = 1;
    if (margin->form == MARGIN_NORM) norm_gradient(margin, x, g);
    if (margin->form == MARGIN_BILINEAR) bilinear_gradient(margin, x, g);
    for (int h = 0; h < margin->heads; h++) {
        out[h] = 0;
        for (int k = 0; k < margin->n; k++) out[h] += (double)g[k] * (double)margin->head[(ptrdiff_t)h * margin->n + k];
    }
    return true;
}
