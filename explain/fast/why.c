/* A scorer computes hidden units f w from a fencepost f with its first weights w. A decision has a vector e of their
 * coefficients in its score (Vector.e); a unit that a ReLU switched off has 0. So the outputs y of the label heads at a
 * token have the coefficients c = w e, on the half of the columns that the fencepost takes from that token. If a
 * feed-forward follows the label heads, y becomes a (z - mean(z)) / divisor + b with z = y + W2 relu(W1 y), and its
 * coefficients are (1 / divisor) (1 + W1' diag(active) W2') (a c - mean(a c)). weights.c computes the products of
 * weights (WhyProjection), units.c multiplies W1 and y once for each token and active unit, summed within heads. */
#include "explain/fast/why.h"

#include <math.h>
#include <string.h>

#include "explain/fast/pass.h"
#include "parser/parse/parse_network.h"

/* ---- a batch */

/* The outputs of the label heads at a token in the layout of `columns`, times 1 / divisor. */
static void fill_row(const Pass *pass, int t, Real *out)
{
    const Why *y = pass->y;
    const Encoder *enc = &y->m->net.encoder;
    int half = enc->c.lal.d_proj / 2;
    ptrdiff_t step = enc->c.lal.d_proj; /* from head to head */
    const Real *row = host_row(&pass->lal, t);
    Real scale = pass->inverse ? pass->inverse[t] : 1;
    for (int h = 0; h < y->heads; h += LANES)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < half; k++) {
                const Real *in = row + encoder_token_column(enc, side, h, k);
                Real lane[LANES] = { 0 }, *to = out + block_column(y, side, h, k);
                if (h + LANES <= y->heads)
                    for (int l = 0; l < LANES; l++)
                        lane[l] = in[l * step]; /* a constant number of iterations: twice as fast */
                else
                    for (int l = 0; h + l < y->heads; l++) lane[l] = in[l * step];
                for (int l = 0; l < LANES; l++) to[l] = scale * lane[l];
            }
}

static bool fill_rows(Pass *pass)
{
    const Why *y = pass->y;
    size_t width = (size_t)row_length(y);
    bool padding = y->half * y->heads * 2 != y->d;
    pass->row = arena_calloc(pass->a, (size_t)pass->w->packed.batch.n_tokens, sizeof *pass->row);
    if (!pass->row) return false;
    for (int k = 0; k < pass->n; k++)
        for (int use = 0; use < pass->vector[k].n; use++)
            for (int side = 0; side < 2; side++) {
                int t = token_of(pass, &pass->vector[k], use, side);
                if (pass->row[t]) continue;
                Real *row = pass->row[t] = arena_alloc(pass->a, width, sizeof *row);
                if (!row) return false;
                if (padding) memset(row, 0, width * sizeof *row);
                fill_row(pass, t, row);
            }
    return true;
}

static const WhyLanes *block_of(const Pass *pass, const Vector *v, int use, int block)
{
    return (const WhyLanes *)(pass->row[token_of(pass, v, use, block_side(pass->y, block))] +
                              (ptrdiff_t)block * WHY_BLOCK);
}

static WhyLanes *heads_of(const Pass *pass, const Vector *v, int block)
{
    return (WhyLanes *)(head_of(pass, v->item) + block_head(pass->y, block));
}

/* The direct term: coefficients times outputs of the label heads, summed within heads. */
static void add_block(const Pass *pass, const WhyProjection *p, const Vector *v, int block)
{
    WhyLanes c[REGISTERS], sum = { 0 };
    times_block(&v->e, &p->columns, block, c);
    for (int use = 0; use < v->n; use++) sum += v->sign[use] * products(c, block_of(pass, v, use, block));
    *heads_of(pass, v, block) += sum;
}

static void add_columns(const Pass *pass, const WhyProjection *p, int from, int to)
{
    for (int block = 0; block < p->columns.blocks; block++)
        for (int i = from; i < to; i++) add_block(pass, p, &pass->vector[i], block);
}

/* add_columns for vectors of one use. Vectors of one row (arcs of one head) have the same active units, so the product
 * of each unit with the outputs is computed once for all of them. */
static bool add_columns_by_row(const Pass *pass, const WhyProjection *p, int from, int to)
{
    enum { NONE = -1 };
    int n_rows = pass->w->packed.batch.n_tokens, *first = arena_alloc(pass->a, (size_t)n_rows, sizeof *first),
        *next = arena_alloc(pass->a, (size_t)(to - from) + 1, sizeof *next);
    WhyLanes *parts = arena_alloc(pass->a, (size_t)p->width, sizeof *parts);
    if (!first || !next || !parts) return false;
    for (int r = 0; r < n_rows; r++) first[r] = NONE;
    for (int i = to - 1; i >= from; i--) {
        int *at = &first[pass->vector[i].row[0]];
        next[i - from] = *at;
        *at = i;
    }
    for (int block = 0; block < p->columns.blocks; block++)
        for (int r = 0; r < n_rows; r++) {
            int i = first[r];
            if (i == NONE) continue;
            const Vector *v = &pass->vector[i];
            if (next[i - from] == NONE) {
                add_block(pass, p, v, block);
                continue;
            }
            WhyLanes out[REGISTERS];
            memcpy(out, block_of(pass, v, 0, block), sizeof out);
            for (int k = 0; k < v->e.n; k++)
                parts[k] = products((const WhyLanes *)blocks_row(&p->columns, block, v->e.row[k]), out);
            while (i != NONE) {
                const Vector *of[TOGETHER];
                const Real *by[TOGETHER];
                WhyLanes sum[TOGETHER];
                int n = 0;
                for (; n < TOGETHER && i != NONE; i = next[i - from]) of[n++] = &pass->vector[i];
                for (int j = 0; j < TOGETHER; j++) by[j] = of[j < n ? j : 0]->e.value;
                times_parts(by, parts, v->e.n, sum);
                for (int j = 0; j < n; j++) *heads_of(pass, of[j], block) += of[j]->sign[0] * sum[j];
            }
        }
    return true;
}

/* ---- decisions */

/* x y, in several independent sums */
static double dot(const Real *x, const Real *y, int n)
{
    enum { CHAINS = 8 };
    double sum[CHAINS] = { 0 }, all = 0;
    int k = 0;
    for (; k + CHAINS <= n; k += CHAINS)
        for (int i = 0; i < CHAINS; i++) sum[i] += (double)x[k + i] * (double)y[k + i];
    for (; k < n; k++) all += (double)x[k] * (double)y[k];
    for (int i = 0; i < CHAINS; i++) all += sum[i];
    return all;
}

/* Scratch memory for span_vector, [width] each. */
typedef struct SpanRoom {
    Real *hidden, *out, *slope, *ones;
} SpanRoom;

/* Computes the score of a label for a span, and e: how the score depends on the scorer's hidden units, with the active
 * units and the norm as they are at this span. */
static bool span_vector(const Why *y, const Real *gi, const Real *gj, int label, const SpanRoom *room, Arena *arena,
                        Sparse *e, double *score)
{
    const Model *m = y->m;
    const SpanScorer *s = &parse_network(&m->net)->span;
    int n = y->span.width;
    const Real *b1 = values(m, s->b1), *a = values(m, s->norm.a), *b = values(m, s->norm.b),
               *w2 = y->span_w2 + (ptrdiff_t)(label - 1) * n;
    Real *restrict hidden = room->hidden, *restrict out = room->out, *restrict slope = room->slope;
    for (int k = 0; k < n; k++) hidden[k] = gj[k] - gi[k] + b1[k];
    Real mean = (Real)(dot(hidden, room->ones, n) / n);
    for (int k = 0; k < n; k++) hidden[k] -= mean;
    Real inverse = (Real)(1 / (sqrt(dot(hidden, hidden, n) / (n - 1)) + s->norm.spec.eps));
    for (int k = 0; k < n; k++) {
        Real v = a[k] * hidden[k] * inverse + b[k];
        out[k] = v > 0 ? v : 0;
        slope[k] = v > 0 ? w2[k] * a[k] * inverse : 0;
    }
    Active active;
    if (!active_units(out, n, &active, arena)) return false;
    *e = (Sparse){ active.n + 1, active.unit, arena_alloc(arena, (size_t)active.n + 1, sizeof *e->value) };
    if (!e->value) return false;
    for (int k = 0; k < active.n; k++) e->value[k] = slope[active.unit[k]];
    e->row[active.n] = n; /* the row with the sum of all units */
    e->value[active.n] = (Real)(-dot(slope, room->ones, n) / n);
    *score = (double)values(m, s->b2)[label - 1] + dot(out, w2, n);
    return true;
}

static bool is_arc(const WhyItem *x) { return x->at.label == LABEL_NONE; }

static bool span_vectors(Pass *pass, WhyItem *items, int n)
{
    const Why *y = pass->y;
    const Batch *b = &pass->w->packed.batch;
    ptrdiff_t width = y->span.width;
    Real *room = arena_alloc(pass->a, 4 * (size_t)width, sizeof *room);
    if (!room) return false;
    SpanRoom r = { room, room + width, room + 2 * width, room + 3 * width };
    for (int k = 0; k < width; k++) r.ones[k] = 1;
    for (int k = 0; k < n; k++) {
        if (is_arc(&items[k])) continue;
        const Span *at = &items[k].at;
        int first = batch_fencepost(b, items[k].sentence), i = first + at->begin, j = first + at->end;
        Vector *v = &pass->vector[pass->n++];
        *v = (Vector){ .item = k, .n = 2, .row = { j, i }, .sign = { 1, -1 } };
        if (!span_vector(y, host_row(&pass->g, i), host_row(&pass->g, j), at->label, &r, pass->a, &v->e,
                         &items[k].score))
            return false;
    }
    return true;
}

/* The rows of an arc's head and of its dependent. */
static void arc_rows(const Pass *pass, const WhyItem *x, int *head, int *dependent)
{
    int first = batch_fencepost(&pass->w->packed.batch, x->sentence);
    *head = first + x->at.end;
    *dependent = first + x->at.begin;
}

/* Adds the vector of one side of arc `item`, at `row`: for each active unit, half of the bilinear term with the other
 * side (`met` = Omega times the other side's layer) and the linear term. */
static bool add_arc(Pass *pass, int item, int row, const Active *own, const Real *met, const Real *linear)
{
    Vector *v = &pass->vector[pass->n++];
    Real *value = arena_alloc(pass->a, (size_t)own->n, sizeof *value);
    *v = (Vector){ .e = { own->n, own->unit, value }, .item = item, .n = 1, .row = { row }, .sign = { 1 } };
    for (int k = 0; value && k < own->n; k++) value[k] = met[own->unit[k]] / 2 + linear[own->unit[k]];
    return value != NULL;
}

/* met [padded d_arc] = Omega times a dependent's layer; room [d_arc] */
static void times_omega(const WhyBlocks *omega, const Real *dependent, const Active *active, Real *room, Real *met)
{
    Sparse x = { active->n, active->unit, room };
    for (int k = 0; k < active->n; k++) room[k] = dependent[active->unit[k]];
    for (int block = 0; block < omega->blocks; block++)
        times_block(&x, omega, block, (WhyLanes *)(met + (ptrdiff_t)block * WHY_BLOCK));
}

/* Adds a vector for the head of each arc, up to *end_heads, then one for each dependent. */
static bool arc_vectors(Pass *pass, const WhyItem *items, int n, int *end_heads)
{
    const Why *y = pass->y;
    int d = parse_network(&y->m->net)->arc.c.d_arc, g, c;
    size_t rows = (size_t)pass->w->packed.batch.n_tokens;
    Active *head = arena_calloc(pass->a, rows, sizeof *head),
           *dependent = arena_calloc(pass->a, rows, sizeof *dependent);
    Real *met = arena_alloc(pass->a, (size_t)y->omega.blocks * WHY_BLOCK, sizeof *met),
         *room = arena_alloc(pass->a, (size_t)d, sizeof *room);
    if (!head || !dependent || !met || !room) return false;
    for (int k = 0; k < n; k++) {
        if (!is_arc(&items[k])) continue;
        arc_rows(pass, &items[k], &g, &c);
        if (!head[g].unit && !active_units(host_row(&pass->arc_head, g), d, &head[g], pass->a)) return false;
        if (!dependent[c].unit && !active_units(host_row(&pass->arc_dependent, c), d, &dependent[c], pass->a))
            return false;
        times_omega(&y->omega, host_row(&pass->arc_dependent, c), &dependent[c], room, met);
        if (!add_arc(pass, k, g, &head[g], met, y->linear[0])) return false;
    }
    *end_heads = pass->n;
    for (int k = 0; k < n; k++) {
        if (!is_arc(&items[k])) continue;
        arc_rows(pass, &items[k], &g, &c); /* the forward pass has computed Omega times the head's layer */
        if (!add_arc(pass, k, c, &dependent[c], host_row(&pass->arc_weighed, g), y->linear[1])) return false;
    }
    return true;
}

/* Sets the scores of arcs, which the forward pass has computed. */
static bool arc_scores(const Pass *pass, WhyItem *items, int n)
{
    const Batch *b = &pass->w->packed.batch;
    /* the scores of each sentence: [fenceposts, fenceposts], row = dependent, column = head */
    const Real **of = arena_alloc(pass->a, (size_t)b->n_sent + 1, sizeof *of);
    if (!of) return false;
    of[0] = pass->arcs.data;
    for (int k = 0; k < b->n_sent; k++) of[k + 1] = of[k] + batch_arcs(b, k);
    for (int k = 0; k < n; k++) {
        int sentence = items[k].sentence;
        ptrdiff_t fenceposts = batch_words(b, sentence) + 1;
        if (is_arc(&items[k])) items[k].score = (double)of[sentence][items[k].at.begin * fenceposts + items[k].at.end];
    }
    return true;
}

/* Copies what is needed of the forward pass to host memory. */
static bool read_forward(Pass *pass, Worker *w)
{
    Tape *t = &w->tape;
    const EncoderOutput *x = &w->net.encoder;
    const ArcFeatures *f = &parse_scores(&w->net)->arc;
    pass->lal = tensor_host(t, x->lal, pass->a);
    pass->sums = tensor_host(t, x->phrase, pass->a);
    pass->between_c = tensor_host(t, f->between_c, pass->a);
    pass->between_h = tensor_host(t, f->between_h, pass->a);
    for (int p = 0; p < MAX_PARTS; p++) pass->hidden[p] = tensor_host(t, x->lal_hidden[p], pass->a);
    if (pass->y->units) pass->inverse = op_norm_inverse(t, x->word, pass->a).data;
    pass->g = tensor_host(t, parse_scores(&w->net)->g, pass->a);
    pass->arcs = tensor_host(t, f->arcs, pass->a);
    pass->arc_head = tensor_host(t, f->head, pass->a);
    pass->arc_dependent = tensor_host(t, f->dependent, pass->a);
    pass->arc_weighed = tensor_host(t, f->weighed, pass->a);
    return tape_status(t) == OK;
}

static bool explain_all(Pass *pass, WhyItem *items, int n)
{
    const Why *y = pass->y;
    const WhyProjection *const by[] = { &y->span, &y->arc_head, &y->arc_dependent };
    int end[4] = { 0 };
    size_t vectors = 0;
    for (int k = 0; k < n; k++) vectors += is_arc(&items[k]) ? 2 : 1;
    pass->stride = y->heads + LANES;
    pass->head = arena_calloc(pass->a, (size_t)n * (size_t)pass->stride, sizeof *pass->head);
    pass->phrase = arena_calloc(pass->a, (size_t)n * (size_t)y->sums, sizeof *pass->phrase);
    pass->rest = arena_calloc(pass->a, (size_t)n, sizeof *pass->rest);
    pass->vector = arena_alloc(pass->a, vectors, sizeof *pass->vector);
    if (!pass->head || !pass->phrase || !pass->rest || !pass->vector || !span_vectors(pass, items, n)) return false;
    end[1] = pass->n;
    if (!arc_vectors(pass, items, n, &end[2]) || !arc_scores(pass, items, n)) return false;
    end[3] = pass->n;
    if (y->sums) why_add_phrases(pass, end + 1);
    if (!y->heads) return true;
    if (!fill_rows(pass)) return false;
    add_columns(pass, &y->span, 0, end[1]);
    if (end[2] > end[1] && !add_columns_by_row(pass, &y->arc_head, end[1], end[2])) return false;
    add_columns(pass, &y->arc_dependent, end[2], end[3]);
    return y->units == 0 || why_add_feed_forward(pass, by, end);
}

/* The parts of item k by heads, which have their numbers before pruning. */
static void put_parts(const Pass *pass, int item, WhyItem *to)
{
    const Why *y = pass->y;
    const Encoder *enc = &y->m->net.encoder;
    const int *number = enc->block_head, *left = enc->head[layer_label(enc->c.n_layers)];
    const Real *part = head_of(pass, item), *phrase = pass->phrase + (ptrdiff_t)item * y->sums;
    memset(to->head, 0, (size_t)y->all * sizeof *to->head);
    to->rest = y->heads ? 0 : pass->rest[item];
    for (int k = 0; k < y->sums; k++) to->head[left[k]] = phrase[k];
    for (int k = 0; k < y->heads; k++) {
        if (number[k] >= 0) to->head[number[k]] += part[k];
        else to->rest += (double)part[k];
    }
}

Status why_explain(const Why *why, Worker *worker, WhyItem *items, int n, Error *error)
{
    ArenaMark mark = arena_mark(&worker->scratch);
    Pass pass = { .y = why, .w = worker, .items = items, .a = &worker->scratch };
    bool ok = read_forward(&pass, worker) && explain_all(&pass, items, n);
    for (int k = 0; ok && k < n; k++) put_parts(&pass, k, &items[k]);
    arena_rewind(&worker->scratch, mark);
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory explaining");
}

/* ---- notes */

static void add_items(const Why *y, const Parsed *p, int sentence, WhyItem *items, int *n)
{
    for (int k = 0; k < p->n_phrases && y->phrases; k++) {
        Span at = model_span(y->m, &p->phrases[k]);
        if (at.label > 0) items[(*n)++] = (WhyItem){ .sentence = sentence, .at = at }; /* a label of the model */
    }
    for (int c = 0; c < p->n_words && p->heads && y->arcs; c++)
        items[(*n)++] = (WhyItem){ .sentence = sentence, .at = { c + 1, p->heads[c], LABEL_NONE } };
}

static void take_top(const Why *y, const WhyItem *x, WhyNote *to)
{
    *to = (WhyNote){ .arc = is_arc(x), .at = x->at, .score = x->score };
    for (int h = 0; h < y->all; h++) {
        double part = (double)x->head[h];
        if (part == 0 || (to->n == WHY_HEADS && fabs(part) <= fabs(to->part[WHY_HEADS - 1]))) continue;
        int at = to->n < WHY_HEADS ? to->n++ : WHY_HEADS - 1;
        for (; at > 0 && fabs(to->part[at - 1]) < fabs(part); at--) {
            to->part[at] = to->part[at - 1];
            to->head[at] = to->head[at - 1];
        }
        to->part[at] = part;
        to->head[at] = h;
    }
}

/* ParseObserver.batch: makes notes on the batch that the worker parsed last. */
static Status why_note(const void *context, Worker *w, Parsed *result, Arena *out, Error *e)
{
    const Why *y = context;
    int sentences = w->packed.batch.n_sent, n = 0;
    size_t most = 0;
    ArenaMark mark = arena_mark(&w->scratch);
    for (int k = 0; k < sentences; k++) most += (size_t)result[k].n_phrases + (size_t)result[k].n_words;
    WhyItem *items = arena_alloc(&w->scratch, most, sizeof *items);
    Real *parts = arena_alloc(&w->scratch, most * (size_t)y->all, sizeof *parts);
    Status s = items && parts ? OK : error_set(e, ERR_NOMEM, "out of memory explaining");
    for (int k = 0; k < sentences && s == OK; k++) add_items(y, &result[k], k, items, &n);
    for (int k = 0; k < n; k++) items[k].head = parts + (ptrdiff_t)k * y->all;
    if (s == OK) s = why_explain(y, w, items, n, e);
    for (int k = 0, i = 0, next = 0; k < sentences && s == OK; k++, i = next) {
        while (next < n && items[next].sentence == k) next++;
        WhyNotes *notes = why_notes_new(next - i, out);
        if (!notes) s = error_set(e, ERR_NOMEM, "out of memory explaining");
        for (int j = i; j < next && notes; j++) take_top(y, &items[j], &notes->note[j - i]);
        result[k].extra = notes;
    }
    arena_rewind(&w->scratch, mark);
    return s;
}

ParseObserver why_observer(const Why *why) { return (ParseObserver){ why_note, why, why_notes_join }; }
