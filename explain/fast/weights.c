/* Products of a model's weights, computed once, in the layout that why.c reads */
#include <string.h>

#include "explain/fast/layout.h"
#include "parser/parse/parse_network.h"

/* rows x cols, cols padded to whole blocks by zeros. */
static bool blocks_init(WhyBlocks *b, int rows, int cols)
{
    *b = (WhyBlocks){ .rows = rows, .blocks = padded(cols, WHY_BLOCK) / WHY_BLOCK };
    size_t size = (size_t)b->blocks * (size_t)rows * WHY_BLOCK;
    b->v = mem_aligned(size + 1, sizeof *b->v);
    if (b->v) memset(b->v, 0, size * sizeof *b->v);
    return b->v != NULL;
}

/* W2 of the feed-forward over the columns of fenceposts. */
typedef struct Second {
    Real *w;   /* [units, D]; a unit has weights for the columns of its own part, the others are 0 */
    Real *sum; /* [units] over all columns */
    int from[MAX_PARTS], to[MAX_PARTS]; /* range of each half that holds the part's columns */
} Second;

static bool second_init(Second *x, const Why *y)
{
    const FeedForward *ff = &y->m->net.encoder.lal_ff;
    const int *source = y->m->net.encoder.fence_source;
    int half = y->d / 2;
    *x = (Second){ .w = mem_calloc((size_t)y->units * (size_t)y->d + 1, sizeof *x->w),
                   .sum = mem_calloc((size_t)y->units + 1, sizeof *x->sum) };
    if (!x->w || !x->sum) return false;
    for (int part = 0; part < MAX_PARTS && y->units; part++) {
        int width = y->first_column[part + 1] - y->first_column[part];
        x->from[part] = half;
        for (int j = 0; j < y->d; j++) {
            if (source[j] < y->first_column[part] || source[j] >= y->first_column[part + 1]) continue;
            if (j % half < x->from[part]) x->from[part] = j % half;
            if (j % half >= x->to[part]) x->to[part] = j % half + 1;
        }
        for (int k = y->first_unit[part]; k < y->first_unit[part + 1]; k++) {
            const Real *w2 = values(y->m, ff->w2[part]) + (ptrdiff_t)(k - y->first_unit[part]) * width;
            Real *to = x->w + (ptrdiff_t)k * y->d;
            for (int j = 0; j < y->d; j++)
                if (source[j] >= y->first_column[part] && source[j] < y->first_column[part + 1])
                    to[j] = w2[source[j] - y->first_column[part]];
            double sum = 0;
            for (int c = 0; c < width; c++) sum += (double)w2[c];
            x->sum[k] = (Real)sum;
        }
    }
    return true;
}

static void second_fini(Second *x)
{
    mem_free(x->w);
    mem_free(x->sum);
}

/* Sets the last row to the sum of the others. */
static void add_sum_row(WhyBlocks *b)
{
    for (int block = 0; block < b->blocks; block++) {
        Real *sum = b->v + ((ptrdiff_t)block * b->rows + b->rows - 1) * WHY_BLOCK;
        for (int row = 0; row + 1 < b->rows; row++)
            for (int i = 0; i < WHY_BLOCK; i++) sum[i] += blocks_row(b, block, row)[i];
    }
}

/* units [width, units] = w' second', for one half of the columns. */
static void multiply(const Why *y, const Second *second, int side, const Real *w, int width, Real *units)
{
    for (int part = 0; part < MAX_PARTS; part++) {
        int first = y->first_unit[part], n = y->first_unit[part + 1] - first,
            from = side * (y->d / 2) + second->from[part], rows = second->to[part] - second->from[part];
        if (n > 0 && rows > 0)
            device_cpu()->kernels->gemm(true, true, width, n, rows, 1, w + (ptrdiff_t)from * width, width,
                                        second->w + (ptrdiff_t)first * y->d + from, y->d, 0, units + first, y->units);
    }
}

/* Column `at` of the projection, of `side`, from weights [width]; d > 0: and its share of the mean over d columns. */
static void column_init(WhyProjection *p, int at, const Real *weights, int d, int side)
{
    Real *to = blocks_at(&p->columns, 0, at);
    for (int x = 0; x < p->width; x++) {
        to[(ptrdiff_t)x * WHY_BLOCK] = weights[x];
        if (d > 0) p->mean[x * 2 + side] += weights[x] / (Real)d;
    }
}

/* sum: add a row for the sum of all units. */
static Status projection_init(Why *y, WhyProjection *p, int weight, bool sum, const Second *second, Error *e)
{
    const Encoder *enc = &y->m->net.encoder;
    const Param *param = &y->m->ps.p[weight];
    const Real *a = enc->c.lal_pwff ? values(y->m, enc->lal_ff.norm.a) : NULL;
    int d = y->d, u = y->units, width = p->width = param->cols, rows = width + sum;
    p->mean = mem_calloc((size_t)rows * 2, sizeof *p->mean);
    Real *w = mem_alloc((size_t)d * (size_t)width, sizeof *w),
         *units = mem_calloc((size_t)width * (size_t)u + 1, sizeof *units);
    bool ok =
        blocks_init(&p->columns, rows, row_length(y)) && blocks_init(&p->units, rows, 2 * u) && p->mean && w && units;
    for (int side = 0; ok && side < 2; side++)
        for (int h = 0; h < y->heads; h++)
            for (int k = 0; k < enc->c.lal.d_proj / 2; k++) {
                int j = encoder_fence_column(enc, side, h, k);
                Real scale = a ? a[enc->fence_source[j]] : 1, *row = w + (ptrdiff_t)j * width;
                const Real *from = values(y->m, weight) + (ptrdiff_t)j * width;
                for (int x = 0; x < width; x++) row[x] = from[x] * scale;
                column_init(p, block_column(y, side, h, k), row, a ? d : 0, side);
            }
    for (int side = 0; ok && side < 2 && u; side++) {
        multiply(y, second, side, w, width, units);
        for (int x = 0; x < width; x++)
            for (int k = 0; k < u; k++)
                *blocks_at(&p->units, x, side * u + k) =
                    units[(ptrdiff_t)x * u + k] - second->sum[k] * p->mean[x * 2 + side];
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

/* Omega [d, d] without its bias row and column, transposed: row k holds the weights of dependent unit k for the units
 * of the head. */
static bool omega_init(Why *y)
{
    const ArcScorer *arc = &parse_network(&y->m->net)->arc;
    const Real *omega = values(y->m, arc->weight);
    int d = arc->c.d_arc;
    y->linear[0] = mem_alloc((size_t)d, sizeof *y->linear[0]);
    y->linear[1] = mem_alloc((size_t)d, sizeof *y->linear[1]);
    if (!y->linear[0] || !y->linear[1] || !blocks_init(&y->omega, d, d)) return false;
    for (int r = 0; r < d; r++) {
        y->linear[0][r] = omega[(ptrdiff_t)r * (d + 1) + d];
        y->linear[1][r] = omega[(ptrdiff_t)d * (d + 1) + r];
        for (int c = 0; c < d; c++) *blocks_at(&y->omega, c, r) = omega[(ptrdiff_t)r * (d + 1) + c];
    }
    return true;
}

static bool span_init(Why *y)
{
    const Param *w = &y->m->ps.p[parse_network(&y->m->net)->span.w2];
    y->span_w2 = mem_alloc((size_t)w->rows * (size_t)w->cols + 1, sizeof *y->span_w2);
    for (int r = 0; y->span_w2 && r < w->rows; r++)
        for (int c = 0; c < w->cols; c++)
            y->span_w2[(ptrdiff_t)c * w->rows + r] =
                values(y->m, parse_network(&y->m->net)->span.w2)[(ptrdiff_t)r * w->cols + c];
    return y->span_w2 != NULL;
}

/* The weights of the sums of attention inside phrases, and their sum over all units. */
static bool phrase_init(Why *y)
{
    const Param *w = &y->m->ps.p[parse_network(&y->m->net)->span.phrase];
    const Real *from = values(y->m, parse_network(&y->m->net)->span.phrase);
    if (!blocks_init(&y->phrase, w->cols + 1, w->rows)) return false;
    for (int c = 0; c < w->rows; c++)
        for (int k = 0; k < w->cols; k++) *blocks_at(&y->phrase, k, c) = from[(ptrdiff_t)c * w->cols + k];
    add_sum_row(&y->phrase);
    return true;
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
        for (int k = 0; k < w->cols; k++)
            to[((ptrdiff_t)(at / step) * w->cols + k) * step + at % step] = from[(ptrdiff_t)c * w->cols + k];
    }
    return true;
}

Status why_init(Why *why, const Model *model, bool phrases, bool arcs, Error *error)
{
    const Encoder *enc = &model->net.encoder;
    const FeedForward *ff = &enc->lal_ff;
    *why = (Why){ .m = model, .phrases = phrases, .arcs = arcs, .all = enc->c.lal.heads, .d = enc->width };
    if (!encoder_has_label_heads(enc)) return error_set(error, ERR_CONFIG, NO_LABEL_HEADS);
    if (enc->c.lal_pwff && ff->activation != ACTIVATION_RELU)
        return error_set(error, ERR_CONFIG, "found another activation after the label heads, expected ReLU");
    why->heads = encoder_has_blocks(enc) ? label_attention_blocks(&enc->lal.c) : 0;
    why->half = why->heads ? padded(why->d / why->heads / 2, REGISTERS) : 0;
    why->sums = enc->phrase.heads;
    why->values = enc->phrase.values;
    why->first_column[1] = why->first_column[2] = why->d;
    bool ok = true;
    for (int p = 0; p < ff->parts && enc->c.lal_pwff; p++) {
        why->first_unit[p + 1] = why->first_unit[p] + model->ps.p[ff->w1[p]].cols;
        why->first_column[p + 1] = why->first_column[p] + model->ps.p[ff->w1[p]].rows;
        why->units = why->first_unit[p + 1];
    }
    if (ff->parts == 1) why->first_unit[2] = why->units;
    for (int p = 0; p < ff->parts && enc->c.lal_pwff; p++) ok = ok && first_weights_init(why, p);
    Second second = { .w = NULL };
    Status s = second_init(&second, why) && ok && (!arcs || omega_init(why)) && (!phrases || span_init(why)) &&
                       (!phrases || !why->sums || phrase_init(why))
                   ? OK
                   : error_set(error, ERR_NOMEM, "out of memory explaining");
    if (s == OK && phrases)
        s = projection_init(why, &why->span, parse_network(&model->net)->span.w1, true, &second, error);
    if (s == OK && arcs)
        s = projection_init(why, &why->arc_head, parse_network(&model->net)->arc.arc_h, false, &second, error);
    if (s == OK && arcs)
        s = projection_init(why, &why->arc_dependent, parse_network(&model->net)->arc.arc_c, false, &second, error);
    second_fini(&second);
    return s;
}

static void projection_fini(WhyProjection *p)
{
    mem_free(p->columns.v);
    mem_free(p->units.v);
    mem_free(p->mean);
}

void why_fini(Why *why)
{
    for (int p = 0; p < MAX_PARTS; p++) mem_free(why->w1[p]);
    mem_free(why->span_w2);
    mem_free(why->linear[0]);
    mem_free(why->linear[1]);
    mem_free(why->omega.v);
    mem_free(why->phrase.v);
    projection_fini(&why->span);
    projection_fini(&why->arc_head);
    projection_fini(&why->arc_dependent);
    *why = (Why){ .m = NULL };
}
