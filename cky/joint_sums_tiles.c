/* The recurrences of joint_sums.h for a fixed head are products of triangular matrices over (i, k) and (k, j), and
 * are computed as such products are: spans that begin in one group of SIDE words and end in another one are a tile,
 * and the sums over what is between the groups are dense products of tiles, which the caches hold. A tile has BLOCK
 * heads next to each other, for vectors, in each of SIDE x SIDE cells, and so on for all heads. What is left of the
 * sums is done in waves: the spans of a tile that have one length, whose rows of heads are multiplied by T at once.
 *
 * One scale for each word keeps the numbers within double: T is taken less the best arc of the word, and a word
 * weighs exp(fence(i) - fence(i + 1)), so that a span's numbers are less by fence(j) - fence(i). The fences are
 * halfway between what the words before can score at most and what those after it leave, by the bounds of
 * joint_bound.c. In 169 sentences of 60 to 200 words, most of them joined from shorter ones, by en-small, en-base and
 * en-large, F' and raw' were below 2^50, and some of the other numbers below 2^-400. Where head, dependent, T, raw and
 * F are below 2^LIMIT, and 0 if they are below 2^-LIMIT, no product inside is lost or overflows; where F' and raw' are
 * below 2^LIMIT, too, what is lost outside is less than 2^-LIMIT of a probability. If a number was not 0 before, all
 * numbers, what bounds raw' Z, and 1 / Z must be below 2^CUT_LIMIT. A probability is the product of three numbers at
 * most, so a number that became 0 has a probability below 2^(2 CUT_LIMIT - LIMIT). */
#include <stdint.h>
#include <string.h>

#include "cky/joint_sums.h"
#include "tensor/cpu/level.h"
#include "tensor/cpu/level/sum_product.h"

enum { SIDE = SUM_SIDE, BLOCK = SUM_ALIGN, BLOCKS = SIDE / BLOCK, LIMIT = 340, CUT_LIMIT = 120 };

#define NEGLIGIBLE 1e-13 /* a probability of a node that is left out of sums */

typedef struct Chart {
    const JointWeights *w;
    int n, tiles, blocks, width; /* of all fences 0 .. n, of the heads 0 .. n; BLOCK blocks */
    double **f, **out;         /* [tiles, tiles] F, raw': blocks of tiles, raw' of those that have words of the tile */
    double *adjoint;           /* F' of one tile */
    double *arc, *arc_by_head; /* [width, width] T(d, g), rows are d; rows are g */
    double *arc_sum;           /* [width, width] sums of dependent raw(d) F'(g) */
    double *fence;             /* [n + 1] */
    double most_outside;       /* what bounds the logarithm of raw' Z */
    double *x, *y, *any, *z;   /* [SIDE, width] rows of a wave */
    SumPair *pair;             /* [tiles] */
    uint64_t lost, large;      /* the highest bit: a number is beyond 2^LIMIT, 2^CUT_LIMIT */
    bool cut;                  /* a number became 0 */
    const CpuLevel *level;
} Chart;

/* Spans of a tile with one length: they begin at first .. last. */
typedef struct Wave {
    int ti, tj, first, last, length;
} Wave;

static int least_of(int x, int y) { return x < y ? x : y; }
static int most_of(int x, int y) { return x > y ? x : y; }

/* ---- tiles, by the groups of the first and the last fence */

static double *tile(const Chart *c, double *const *table, int ti, int tj) { return table[ti * c->tiles + tj]; }
/* Where block b is, in numbers. */
static ptrdiff_t block(int b) { return (ptrdiff_t)b * SUM_TILE; }
/* A cell in the first block of a tile. */
static double *cell(double *first, int i, int j) { return first + (i % SIDE * SIDE + j % SIDE) * BLOCK; }
static int fences(const Chart *c, int t) { return least_of(SIDE, c->n + 1 - t * SIDE); }
static int first_block(int t) { return t * BLOCKS; }
static int end_block(const Chart *c, int t) { return least_of((t + 1) * BLOCKS, c->blocks); }

static SumTile plain(const double *m) { return (SumTile){ m, SIDE, 1 }; }
static SumTile transposed(const double *m) { return (SumTile){ m, 1, SIDE }; }

/* Blocks from .. to - 1 of a row of heads, which begin in a cell that many blocks of a tile later. */
static void get_row(const double *at, double *row, int from, int to)
{
    for (int b = from; b < to; b++) memcpy(row + b * BLOCK, at + block(b), BLOCK * sizeof *row);
}
static void put_row(double *at, const double *row, int from, int to)
{
    for (int b = from; b < to; b++) memcpy(at + block(b), row + b * BLOCK, BLOCK * sizeof *row);
}

/* Makes the numbers of a row 0 that are in its blocks from .. to - 1 but not at i .. j - 1. */
static void keep_words(double *row, int from, int to, int i, int j)
{
    for (int h = from * BLOCK; h < i; h++) row[h] = 0;
    for (int h = j; h < to * BLOCK; h++) row[h] = 0;
}

/* Looks for numbers above the limits, and NaN. Bits of numbers that are not negative are in their order. */
static void check(Chart *c, const double *row, int n)
{
    const uint64_t most = (uint64_t)(1023 + LIMIT) << 52, firm = (uint64_t)(1023 + CUT_LIMIT) << 52;
    uint64_t lost = 0, large = 0;
    for (int h = 0; h < n; h++) {
        uint64_t bits;
        memcpy(&bits, row + h, sizeof bits);
        lost |= bits | (most - bits);
        large |= firm - bits;
    }
    c->lost |= lost;
    c->large |= large;
}

#define LEAST 0x1p-340 /* 2^-LIMIT */

/* Numbers of inside sums become 0 below 2^-LIMIT. */
static void check_inside(Chart *c, double *row, int n)
{
    int cut = 0;
    check(c, row, n);
    for (int h = 0; h < n; h++) {
        cut |= (row[h] < LEAST) & (row[h] > 0);
        row[h] = row[h] < LEAST ? 0 : row[h];
    }
    c->cut |= cut;
}

/* exp, not 0 where the logarithm is finite, so that check_inside finds it. */
static double factor(double log) { return log > -INFINITY ? exp(fmax(log, -700)) : 0; }

static Wave wave_of(const Chart *c, int ti, int tj, int length)
{
    int last = least_of(ti * SIDE + SIDE - 1, least_of(tj * SIDE + SIDE - 1, c->n) - length);
    return (Wave){ ti, tj, most_of(ti * SIDE, tj * SIDE - length), last, length };
}

static int shortest(int ti, int tj) { return most_of(1, (tj - ti - 1) * SIDE + 1); }
static int longest(const Chart *c, int ti, int tj) { return least_of(c->n, tj * SIDE + SIDE - 1) - ti * SIDE; }

/* y += x z, for blocks of heads outside some span of the wave: those before, those after. */
static void multiply_heads(const Chart *c, Wave w, double *y, const double *x, ptrdiff_t row, ptrdiff_t column,
                           const double *z, int rows, int inner)
{
    int left = (w.last + BLOCK - 1) / BLOCK, right = (w.first + w.length) / BLOCK;
    if (left > right) left = right = 0;
    c->level->sum_rows(y, x, row, column, z, rows, inner, left * BLOCK, c->width);
    y += right * BLOCK;
    c->level->sum_rows(y, x, row, column, z + right * BLOCK, rows, inner, (c->blocks - right) * BLOCK, c->width);
}

/* ---- inside */

/* Sets x to raw(i, j, .), which the tile has but for what is split in its own groups. */
static void finish_raw(const Chart *c, Wave w, int i, int j, double *x)
{
    double *f = tile(c, c->f, w.ti, w.tj), *of_begin = tile(c, c->f, w.ti, w.ti), *of_end = tile(c, c->f, w.tj, w.tj);
    int from = i / BLOCK, to = (j - 1) / BLOCK + 1, k = w.tj * SIDE;
    ptrdiff_t at = block(from);
    const SumPair pairs[] = { { plain(cell(of_begin, i, i + 1) + at), plain(cell(f, i + 1, j) + at),
                                least_of(j, (w.ti + 1) * SIDE) - i - 1 },
                              { plain(cell(f, i, k) + at), plain(cell(of_end, k, j) + at), w.ti < w.tj ? j - k : 0 } };
    c->level->sum_tiles(cell(f, i, j) + at, pairs, 2, 1, 1, to - from);
    get_row(cell(f, i, j), x, from, to);
    if (w.length == 1) x[i] = exp(c->fence[i] - c->fence[j]);
    keep_words(x, w.first / BLOCK, (w.last + w.length - 1) / BLOCK + 1, i, j);
}

static void inside_wave(Chart *c, Wave w)
{
    int rows = w.last - w.first + 1;
    ptrdiff_t width = c->width;
    for (int r = 0; r < rows; r++) finish_raw(c, w, w.first + r, w.first + r + w.length, c->x + r * width);
    memset(c->y, 0, (size_t)(rows * width) * sizeof *c->y);
    multiply_heads(c, w, c->y, c->x + w.first, width, 1, c->arc + w.first * width, rows, w.last + w.length - w.first);
    for (int r = 0; r < rows; r++) {
        int i = w.first + r, j = i + w.length;
        long span = chart_span(c->n, i, j);
        double by[] = { factor(c->w->head[span]), factor(c->w->dependent[span]) };
        double *x = c->x + r * width, *y = c->y + r * width;
        check_inside(c, by, 2);
        check_inside(c, x + i, w.length);
        for (int h = 0; h < c->width; h++) y[h] *= by[1];
        for (int h = i; h < j; h++) y[h] = by[0] * x[h];
        check_inside(c, y, c->n + (w.length == c->n)); /* the root has only the whole sentence */
        put_row(cell(tile(c, c->f, w.ti, w.tj), i, j), y, 0, c->blocks);
    }
}

/* Sets raw of the words of a tile to the sum over what is between its groups. */
static void inside_tile(const Chart *c, int ti, int tj)
{
    int from = first_block(ti), blocks = end_block(c, tj) - from, pairs = 0;
    double *f = tile(c, c->f, ti, tj) + block(from);
    for (int tk = ti + 1; tk < tj; tk++)
        c->pair[pairs++] =
            (SumPair){ plain(tile(c, c->f, ti, tk) + block(from)), plain(tile(c, c->f, tk, tj) + block(from)), SIDE };
    memset(f, 0, (size_t)blocks * SUM_TILE * sizeof *f);
    c->level->sum_tiles(f, c->pair, pairs, SIDE, fences(c, tj), blocks);
}

/* Z, less what T and the fences are less. */
static double fill_inside(Chart *c)
{
    for (int apart = 0; apart < c->tiles; apart++)
        for (int ti = 0, tj = apart; tj < c->tiles; ti++, tj++) {
            inside_tile(c, ti, tj);
            for (int length = shortest(ti, tj); length <= longest(c, ti, tj); length++)
                inside_wave(c, wave_of(c, ti, tj, length));
        }
    return cell(tile(c, c->f, 0, c->tiles - 1), 0, c->n)[block(c->n / BLOCK) + c->n % BLOCK];
}

/* ---- outside */

/* A block of raw', 0 where the tile has no words. */
static const double *out_block(const Chart *c, int ti, int tj, int b)
{
    return tile(c, c->out, ti, tj) + block(b - first_block(ti));
}

/* Sets F' of a tile to the sum over spans that end after its last group or begin before its first one. */
static void outside_tile(const Chart *c, int ti, int tj)
{
    memset(c->adjoint, 0, (size_t)c->blocks * SUM_TILE * sizeof *c->adjoint);
    for (int words = 0; words < c->tiles; words++) { /* of one group */
        int b = first_block(words), pairs = 0;
        for (int tk = most_of(tj + 1, words); tk < c->tiles && words >= ti; tk++)
            c->pair[pairs++] = (SumPair){ plain(out_block(c, ti, tk, b)), transposed(tile(c, c->f, tj, tk) + block(b)),
                                          fences(c, tk) };
        for (int tk = 0; tk < ti && tk <= words && words <= tj; tk++)
            c->pair[pairs++] =
                (SumPair){ transposed(tile(c, c->f, tk, ti) + block(b)), plain(out_block(c, tk, tj, b)), SIDE };
        c->level->sum_tiles(c->adjoint + block(b), c->pair, pairs, fences(c, ti), fences(c, tj),
                            end_block(c, words) - b);
    }
}

/* Sets y to F'(i, j, .), which `adjoint` has but for the spans of its own tile. */
static void finish_adjoint(const Chart *c, Wave w, int i, int j, double *y)
{
    double *out = tile(c, c->out, w.ti, w.tj), *of_begin = tile(c, c->f, w.ti, w.ti),
           *of_end = tile(c, c->f, w.tj, w.tj);
    int from = first_block(w.ti), k = w.ti * SIDE;
    const SumPair pairs[] = { { plain(cell(out, i, j + 1)), transposed(cell(of_end, j, j + 1) + block(from)),
                                w.tj * SIDE + fences(c, w.tj) - j - 1 },
                              { transposed(cell(of_begin, k, i) + block(from)), plain(cell(out, k, j)), i - k } };
    c->level->sum_tiles(cell(c->adjoint, i, j) + block(from), pairs, 2, 1, 1, end_block(c, w.tj) - from);
    get_row(cell(c->adjoint, i, j), y, 0, c->blocks);
}

/* Rows of spans that are dependents stay in x and y, where they are F and F' of heads outside; `any` has F' of words.
 * Returns how many they are; row: where, or -1. */
static int take_adjoints(Chart *c, Wave w, double z, JointSums *sums, int *row)
{
    int kept = 0, from = first_block(w.ti), to = end_block(c, w.tj);
    for (int i = w.first, j = i + w.length; i <= w.last; i++, j++) {
        double *x = c->x + kept * c->width, *y = c->y + kept * c->width, *any = c->any + (i - w.first) * c->width;
        const double *f = cell(tile(c, c->f, w.ti, w.tj), i, j);
        double as_head = 0, as_dependent = 0;
        for (int b = 0; b < c->blocks; b++) __builtin_prefetch(f + block(b));
        finish_adjoint(c, w, i, j, y);
        if (w.length == c->n) y[c->n] = 1 / z;
        check(c, y, c->n + 1);
        get_row(f, x, 0, c->blocks);
        for (int h = 0; h < i; h++) as_dependent += x[h] * y[h];
        for (int h = i; h < j; h++) as_head += x[h] * y[h];
        for (int h = j; h <= c->n; h++) as_dependent += x[h] * y[h];
        sums->as_head[chart_span(c->n, i, j)] = as_head;
        sums->as_dependent[chart_span(c->n, i, j)] = as_dependent;
        memcpy(any + from * BLOCK, y + from * BLOCK, (size_t)((to - from) * BLOCK) * sizeof *any);
        memset(y + i, 0, (size_t)w.length * sizeof *y);
        row[i - w.first] = as_dependent < NEGLIGIBLE ? -1 : kept++;
    }
    return kept;
}

static void outside_wave(Chart *c, Wave w, double whole, JointSums *sums)
{
    int row[SIDE], kept = take_adjoints(c, w, whole, sums, row), from = first_block(w.ti), to = end_block(c, w.tj);
    ptrdiff_t width = c->width, columns = (to - from) * BLOCK;
    int before = w.last, after = w.first + w.length; /* heads are below, from there on */
    if (before > after) before = after = 0;
    double *z = c->z + from * BLOCK;
    const double *arc = c->arc_by_head + from * BLOCK;
    memset(c->z, 0, (size_t)(kept * width) * sizeof *c->z);
    c->level->sum_rows(z, c->y, width, 1, arc, kept, before, (int)columns, c->width);
    c->level->sum_rows(z, c->y + after, width, 1, arc + after * width, kept, c->n + 1 - after, (int)columns, c->width);
    for (int i = w.first, j = i + w.length; i <= w.last; i++, j++) {
        int k = row[i - w.first];
        long span = chart_span(c->n, i, j);
        double head = factor(c->w->head[span]), dependent = factor(c->w->dependent[span]);
        double *any = c->any + (i - w.first) * width, *x = c->x + k * width;
        for (int h = i; h < j; h++) any[h] = head * any[h] + (k < 0 ? 0 : dependent * c->z[k * width + h]);
        check(c, any + i, w.length);
        keep_words(any, from, to, i, j);
        put_row(cell(tile(c, c->out, w.ti, w.tj), i, j) - block(from), any, from, to);
        if (k < 0) continue;
        double ratio = head > 0 ? dependent / head : 0;
        for (int h = i; h < j; h++) x[h] *= ratio;
        keep_words(x, 0, c->blocks, i, j);
    }
    multiply_heads(c, w, c->arc_sum + w.first * width, c->x + w.first, 1, width, c->y, w.last + w.length - w.first,
                   kept);
}

static void fill_outside(Chart *c, double z, JointSums *sums)
{
    for (int apart = c->tiles - 1; apart >= 0; apart--)
        for (int ti = 0, tj = apart; tj < c->tiles; ti++, tj++) {
            outside_tile(c, ti, tj);
            for (int length = longest(c, ti, tj); length >= shortest(ti, tj); length--)
                outside_wave(c, wave_of(c, ti, tj, length), z, sums);
        }
    for (int d = 0; d < c->n; d++)
        for (int g = 0; g <= c->n; g++)
            sums->arc[(d + 1) * (c->n + 1) + (g + 1) % (c->n + 1)] =
                c->arc[(ptrdiff_t)d * c->width + g] * c->arc_sum[(ptrdiff_t)d * c->width + g];
}

/* ---- both */

/* Sets T, the fences and the bound of raw'; returns what T is less. */
static double set_scales(Chart *c, const JointBound *b)
{
    double arcs = 0;
    for (int d = 0; d < c->n; d++) {
        double most = (double)b->arc[d + 1];
        for (int g = 0; g <= c->n; g++) {
            double *t = &c->arc[(ptrdiff_t)d * c->width + g];
            *t = factor(joint_arc(c->w->s, d, g) - most);
            check_inside(c, t, 1);
            if (c->arc_by_head) c->arc_by_head[(ptrdiff_t)g * c->width + d] = *t;
        }
        arcs += most;
    }
    double all = (double)b->most - arcs, before = 0;
    c->fence[0] = 0;
    for (int i = 1; i < c->n; i++) {
        long left = chart_span(c->n, 0, i), right = chart_span(c->n, i, c->n);
        before += (double)b->arc[i];
        double x = (double)(b->of[left] - b->out[left]) - before;
        double y = (double)(b->of[right] - b->out[right]) - (arcs - before);
        c->fence[i] = (x + all - y) / 2;
        if (!isfinite(c->fence[i])) c->fence[i] = c->fence[i - 1];
    }
    c->fence[c->n] = all;
    c->most_outside = -INFINITY;
    for (int i = 0; i < c->n; i++) {
        double inside = 0;
        for (int j = i + 1; j <= c->n && j - i < c->n; j++) {
            inside += (double)b->arc[j];
            double x = (double)b->out[chart_span(c->n, i, j)] - (arcs - inside) - (all - c->fence[j] + c->fence[i]);
            c->most_outside = fmax(c->most_outside, x);
        }
    }
    return arcs;
}

/* The bounds of scores in which what a span may be is the sum of it. */
static bool bound(const Chart *c, JointBound *b, Arena *a)
{
    int n = c->n;
    SpanBest *best = arena_alloc(a, (size_t)chart_size(n), sizeof *best);
    Real *t = arena_alloc(a, (size_t)(n + 1) * (size_t)(n + 1), sizeof *t);
    if (!best || !t) return false;
    for (long k = 0; k < chart_size(n); k++) best[k].any = best[k].proper = (Real)c->w->label[k];
    for (int k = 0; k < (n + 1) * (n + 1); k++) t[k] = (Real)(c->w->s->arc_weight * (double)c->w->s->arcs[k]);
    const JointChart chart = { .n = n, .s = best, .state = c->w->s->state };
    return joint_bound(&chart, t, b, a);
}

/* Numbers of the tiles of F, or with `out` of raw'. */
static size_t cells_of(const Chart *c, int ti, int tj, bool out)
{
    return (size_t)(out ? end_block(c, tj) - first_block(ti) : c->blocks) * SUM_TILE;
}

static bool tiles_new(const Chart *c, double ***table, bool out, Arena *a)
{
    size_t numbers = 0;
    for (int ti = 0; ti < c->tiles; ti++)
        for (int tj = ti; tj < c->tiles; tj++) numbers += cells_of(c, ti, tj, out);
    double *m = arena_alloc(a, numbers, sizeof *m), **tables;
    *table = tables = arena_calloc(a, (size_t)(c->tiles * c->tiles), sizeof *tables);
    if (!m || !tables) return false;
    for (int ti = 0; ti < c->tiles; ti++)
        for (int tj = ti; tj < c->tiles; m += cells_of(c, ti, tj, out), tj++) tables[ti * c->tiles + tj] = m;
    return true;
}

static Chart sizes_of(int n)
{
    return (Chart){ .n = n, .tiles = n / SIDE + 1, .blocks = n / BLOCK + 1, .width = (n / BLOCK + 1) * BLOCK };
}

static bool chart_new(Chart *c, const JointWeights *w, bool outside, Arena *a)
{
    *c = sizes_of(w->s->n);
    c->w = w;
    c->level = cpu_level();
    size_t square = (size_t)(c->width * c->width), rows = (size_t)(SIDE * c->width);
    double *arcs = arena_calloc(a, (outside ? 3 : 1) * square, sizeof *arcs);
    double *all = arena_alloc(a, 4 * rows + (size_t)c->n + 1, sizeof *all);
    c->pair = arena_alloc(a, (size_t)c->tiles, sizeof *c->pair);
    if (!arcs || !all || !c->pair || !tiles_new(c, &c->f, false, a)) return false;
    c->arc = arcs;
    c->x = all;
    c->y = all + rows;
    c->any = all + 2 * rows;
    c->z = all + 3 * rows;
    c->fence = all + 4 * rows;
    if (!outside) return true;
    c->arc_by_head = arcs + square;
    c->arc_sum = arcs + 2 * square;
    c->adjoint = arena_alloc(a, (size_t)c->blocks * SUM_TILE, sizeof *c->adjoint);
    return c->adjoint && tiles_new(c, &c->out, true, a);
}

double joint_sums_in_tiles_bytes(int n)
{
    const Chart c = sizes_of(n);
    double width = c.width, numbers = (c.blocks + 1.0) * SUM_TILE + 3 * width * width + 5 * SIDE * width;
    for (int ti = 0; ti < c.tiles; ti++)
        for (int tj = ti; tj < c.tiles; tj++)
            numbers += (double)(cells_of(&c, ti, tj, false) + cells_of(&c, ti, tj, true));
    return numbers * (double)sizeof(double);
}

bool joint_sums_in_tiles(const JointWeights *weights, Arena *scratch, JointSums *sums, bool *held)
{
    Chart c;
    JointBound b;
    *held = false;
    if (!chart_new(&c, weights, sums->as_head, scratch)) return false;
    ArenaMark mark = arena_mark(scratch);
    if (!bound(&c, &b, scratch)) return false;
    double arcs = set_scales(&c, &b);
    arena_rewind(scratch, mark);
    double z = fill_inside(&c);
    if (c.cut) check(&c, (double[]){ 1 / z, exp(c.most_outside) }, 2);
    sums->log_z = z > 0 ? log(z) + c.fence[c.n] + arcs : -INFINITY;
    if (sums->as_head && z > 0) fill_outside(&c, z, sums);
    *held = !((c.cut ? c.lost | c.large : c.lost) >> 63);
    return true;
}
