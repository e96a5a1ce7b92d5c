/* Rounding, packing into panels and products, for each number type of an operand; a
 * weight is packed when it is first multiplied. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "tensor/cpu/level/packed.h"
#include "tensor/cpu/level/product.h"
#include "tensor/int8.h"
#include "tensor/stored.h"

/* Number types of a product, and what a group (tensor/cpu/level/product.h) of each holds. */
typedef enum Kind { REAL, BF16, INT16, INT8, N_KINDS } Kind;
static const int NUMBERS[N_KINDS] = { 1, 2, 2, 4 * INT8_WORDS }, WORDS[N_KINDS] = { 1, 1, 1, INT8_WORDS };
#define GROUP_BYTES(kind) ((kind) == REAL ? sizeof(Real) : (size_t)WORDS[kind] * sizeof(uint32_t))

/* Groups of k numbers: more than they fill, where tiles multiply them. */
static int groups_of(Kind kind, int k)
{
    int n = (k + NUMBERS[kind] - 1) / NUMBERS[kind], part = equal_part(n, AMX_ROWS);
    return HAS_AMX && (kind == BF16 || kind == INT8) ? (n + part - 1) / part * part : n;
}

/* The rows first .. first + rows - 1 of a weight, for the products `asked`: panels of PANEL columns, [groups] rows of
 * TILE_VECTORS vectors, WORDS[kind] for each, zeros beyond the weight. */
typedef struct Block {
    struct Block *next;
    int first, rows, groups;
    Products asked;
    Kind kind;
    void *panels;
    Real *scale;     /* [rows] of whole numbers */
    Real steps;      /* of activations in whole numbers */
    int32_t *column; /* [cols + WIDTH] sums of the whole numbers of each column in int8 */
} Block;

struct PackedWeight {
    _Atomic(Block *) blocks;
};

static atomic_int operands = PRODUCTS_REAL;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#ifdef PRODUCT_BF16
enum { HAS_BF16 = 1 };
#else
enum { HAS_BF16 = 0 };
#endif
#ifdef PRODUCT_INT16
enum { HAS_INT16 = 1 };
#else
enum { HAS_INT16 = 0 };
#endif
#ifdef PRODUCT_INT8
enum { HAS_INT8 = 1, LEAST_INT8 = PRODUCT_INT8 };
#else
enum { HAS_INT8 = 0, LEAST_INT8 = 0 };
#endif

Status packed_operands(Products products, Error *error)
{
    if (products == PRODUCTS_TF32) return error_set(error, ERR_CONFIG, "products in tf32: the CPU has none, a GPU has");
    if (products == PRODUCTS_BF16 && !HAS_BF16)
        return error_set(error, ERR_CONFIG,
                         "products in bf16: found " CPU_LEVEL
                         ", expected x86-64-v4-bf16 or a GPU; --products f32 needs neither");
    if ((products == PRODUCTS_INT16 || products == PRODUCTS_INT8) && !HAS_INT16)
        return error_set(error, ERR_CONFIG, "products of whole numbers: found " CPU_LEVEL ", which has none");
    atomic_store(&operands, (int)products);
    return OK;
}

/* ---- rounding */

static inline uint16_t bf16_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    uint32_t up = (u + 0x7fff + ((u >> 16) & 1)) >> 16, nan = (u >> 16) | 0x40;
    return (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? nan : up);
}

/* to[c] = the pair of x[c] and y[c], c < n; y NULL: 0. */
static void pairs_down(uint32_t *restrict to, const Real *restrict x, const Real *restrict y, int n)
{
    for (int c = 0; y && c < n; c++) to[c] = bf16_of((float)x[c]) | (uint32_t)bf16_of((float)y[c]) << 16;
    for (int c = 0; !y && c < n; c++) to[c] = bf16_of((float)x[c]);
}

/* to [groups] = the pairs of x [k], and 0 after the last number. */
static void pairs_along(uint32_t *restrict to, int groups, const Real *restrict x, int k)
{
    for (int g = 0; g < k / 2; g++) to[g] = bf16_of((float)x[2 * g]) | (uint32_t)bf16_of((float)x[2 * g + 1]) << 16;
    for (int g = k / 2; g < groups; g++) to[g] = g == k / 2 && k % 2 ? bf16_of((float)x[k - 1]) : 0;
}

static const float ROUND = 12582912; /* added to a small number, it leaves the number rounded in the low bits */

/* Steps of an activation in 8 bits: one of 255 is left for the rounding of zero. */
enum { STEPS = 254 };

/* Rows of smaller numbers become 0: 32767 over one is no float. */
#define LEAST_SIZE ((Real)1e-30)

static inline uint32_t rounded_bits(float y)
{
    uint32_t bits;
    y += ROUND;
    memcpy(&bits, &y, sizeof bits);
    return bits;
}

/* An activation's row before rounding: the least and the largest of its numbers and 0, where NaN does not count, and
 * 0, or NaN if one of them or their sum is not finite. */
typedef struct Range {
    Real least, most, nan;
} Range;

/* The range of x scale [k]. */
static Range range_of(const Real *x, const Real *scale, int k)
{
    Vector least[2] = { { 0 } }, most[2] = { { 0 } }, sum[2] = { { 0 } }; /* of two vectors: no sum waits for another */
    int c = 0;
#pragma GCC unroll 2
    for (; c + 2 * WIDTH <= k; c += 2 * WIDTH)
        for (int v = 0; v < 2; v++) {
            Vector y = vector_at(x + c + v * WIDTH) * vector_at(scale + c + v * WIDTH);
            sum[v] += y;
            least[v] = vector_min(y, least[v]);
            most[v] = vector_max(y, most[v]);
        }
    Range r = { -vector_largest(vector_max(-least[0], -least[1])), vector_largest(vector_max(most[0], most[1])),
                vector_sum(sum[0] + sum[1]) };
    for (; c < k; c++) {
        Real z = x[c] * scale[c];
        r.nan += z;
        r.least = z < r.least ? z : r.least;
        r.most = z > r.most ? z : r.most;
    }
    r.nan *= 0;
    return r;
}

/* The largest whole number of an activation, so that no sum of k products with weights, down to -128 in a file, reaches
 * 2^31. */
static Real limit_of_int16(int k)
{
    int limit = INT32_MAX / -INT8_MIN / k;
    return (Real)(limit < INT16_MAX ? limit : INT16_MAX);
}

/* What a row is multiplied by, and what is added then: x scale up + raise, rounded, are whole numbers, and by is what
 * one of them stands for, NaN where they are not finite. */
typedef struct Rounding {
    Real up, raise, by;
} Rounding;

/* In 8 bits all are raised, so that none is less than LEAST_INT8. */
static Rounding rounding_of(Kind kind, Real steps, Range r)
{
    Real size = r.most - r.least;
    if (kind == INT16) size = r.most > -r.least ? r.most : -r.least;
    Rounding out = { .up = size > LEAST_SIZE ? steps / size : 0, .by = size / steps + r.nan };
    if (kind == INT8 && out.up > 0) out.raise = (Real)((int32_t)(-r.least * out.up + (Real)0.5) + LEAST_INT8);
    return out; /* up is 0 beside an infinity */
}

#if defined PRODUCT_INT8 && defined __AVX512BW__ && !defined PLAIN_VECTORS
static inline __m512i rounded_ints(const Real *x, const Real *scale, Rounding r)
{
    return _mm512_cvtps_epi32((__m512)(vector_at(x) * vector_at(scale) * r.up + r.raise));
}
#elif defined PRODUCT_INT8 && defined __AVX2__ && !defined PLAIN_VECTORS
static inline __m256i rounded_ints(const Real *x, const Real *scale, Rounding r)
{
    return _mm256_cvtps_epi32((__m256)(vector_at(x) * vector_at(scale) * r.up + r.raise));
}
#endif

static void round_bytes(uint8_t *restrict out, const Real *restrict x, const Real *restrict scale, int k, Rounding r)
{
    int c = 0;
#if defined PRODUCT_INT8 && defined __AVX512BW__ && !defined PLAIN_VECTORS
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    for (; c + 4 * WIDTH <= k; c += 4 * WIDTH) {
        __m512i y[4];
        for (int v = 0; v < 4; v++) y[v] = rounded_ints(x + c + v * WIDTH, scale + c + v * WIDTH, r);
        __m512i bytes = _mm512_packus_epi16(_mm512_packs_epi32(y[0], y[1]), _mm512_packs_epi32(y[2], y[3]));
        _mm512_storeu_si512(out + c, _mm512_permutexvar_epi32(order, bytes));
    }
    for (; c + WIDTH <= k; c += WIDTH)
        _mm_storeu_si128((__m128i *)(void *)(out + c), _mm512_cvtepi32_epi8(rounded_ints(x + c, scale + c, r)));
#elif defined PRODUCT_INT8 && defined __AVX2__ && !defined PLAIN_VECTORS
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    for (; c + 4 * WIDTH <= k; c += 4 * WIDTH) {
        __m256i y[4];
        for (int v = 0; v < 4; v++) y[v] = rounded_ints(x + c + v * WIDTH, scale + c + v * WIDTH, r);
        __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(y[0], y[1]), _mm256_packs_epi32(y[2], y[3]));
        _mm256_storeu_si256((__m256i *)(void *)(out + c), _mm256_permutevar8x32_epi32(bytes, order));
    }
#endif
    for (; c < k; c++) out[c] = (uint8_t)rounded_bits((float)(x[c] * scale[c] * r.up + r.raise));
}

static void round_words(int16_t *restrict out, const Real *restrict x, const Real *restrict scale, int k, Real up)
{
    for (int c = 0; c < k; c++) out[c] = (int16_t)(uint16_t)rounded_bits((float)(x[c] * scale[c] * up));
}

/* Rows that are rounded together: a division of one waits while others are computed. */
enum { TOGETHER = 4 };

/* to [n] groups = x [n, ldx] in whole numbers of the block's kind; by [n] and zero [n] are what ProductEnd has. */
static void round_whole(const Block *b, uint32_t *to, Real *by, int32_t *zero, const Real *x, int ldx, int n)
{
    ptrdiff_t words = (ptrdiff_t)b->groups * WORDS[b->kind], full = b->rows / NUMBERS[b->kind] * WORDS[b->kind];
    for (int i = 0; i < n; i += TOGETHER) {
        Rounding r[TOGETHER];
        int now = n - i < TOGETHER ? n - i : TOGETHER;
        for (int j = 0; j < now; j++)
            r[j] = rounding_of(b->kind, b->steps, range_of(x + (ptrdiff_t)(i + j) * ldx, b->scale, b->rows));
        for (int j = 0; j < now; j++) {
            uint32_t *row = to + (ptrdiff_t)(i + j) * words;
            const Real *from = x + (ptrdiff_t)(i + j) * ldx;
            by[i + j] = r[j].by;
            zero[i + j] = (int32_t)r[j].raise;
            memset(row + full, 0, (size_t)(words - full) * sizeof *row);
            if (b->kind == INT8) round_bytes((uint8_t *)row, from, b->scale, b->rows, r[j]);
            else round_words((int16_t *)row, from, b->scale, b->rows, r[j].up);
        }
    }
}

/* ---- packing */

static size_t panels_size(Kind kind, int groups, int cols)
{
    return ((size_t)cols + PANEL - 1) / PANEL * PANEL * (size_t)groups * GROUP_BYTES(kind);
}

/* r [n] = the rows of a group of whole numbers: those that q has, `rows` of them at most n, then zeros. */
static void rows_of_group(const int8_t **r, int n, const int8_t *q, size_t ld, int rows)
{
    static const int8_t none[PANEL];
    for (int k = 0; k < n; k++) r[k] = k < rows ? q + (size_t)k * ld : none;
}

/* Word w of the group of column c of a panel. */
#ifdef PRODUCT_INT8_PAIRS
#define INT8_PLACE(c, w) ((c)*INT8_WORDS + (w))
#else
#define INT8_PLACE(c, w) (((c) / WIDTH * INT8_WORDS + (w)) * WIDTH + (c) % WIDTH)
#endif

/* to [n groups] = the groups of whole numbers q[c], q[c + ld], ..., c < n <= PANEL. */
static void whole_down(uint32_t *restrict to, Kind kind, const int8_t *restrict q, size_t ld, int rows, int n)
{
    const int8_t *r[4 * INT8_WORDS];
    rows_of_group(r, 4 * INT8_WORDS, q, ld, rows);
#ifdef PRODUCT_INT16_APART
    for (int c = 0; kind == INT16 && c < n; c++) {
        int16_t *at = (int16_t *)(to + c / WIDTH * WIDTH) + c % WIDTH;
        at[0] = r[0][c];
        at[WIDTH] = r[1][c];
    }
#else
    for (int c = 0; kind == INT16 && c < n; c++) to[c] = (uint16_t)r[0][c] | (uint32_t)(uint16_t)r[1][c] << 16;
#endif
    for (int w = 0; kind == INT8 && w < INT8_WORDS; w++)
        for (int c = 0; c < n; c++)
            to[INT8_PLACE(c, w)] = (uint8_t)r[4 * w][c] | (uint32_t)(uint8_t)r[4 * w + 1][c] << 8 |
                                   (uint32_t)(uint8_t)r[4 * w + 2][c] << 16 | (uint32_t)(uint8_t)r[4 * w + 3][c] << 24;
}

#ifdef PRODUCT_INT8_QUADS
/* The largest sum of the weights of one sign of a column whose products are added in 16 bits. */
static int largest_quad(const int8_t *q, int rows, int cols)
{
    int most = 1;
    for (int from = 0; from < rows; from += 8)
        for (int c = 0; c < cols; c += PANEL) {
            const int8_t *r[8];
            int n = cols - c < PANEL ? cols - c : PANEL;
            rows_of_group(r, 8, q + (size_t)from * (size_t)cols + c, (size_t)cols, rows - from);
            for (int k = 0; k < 4; k += 2)
                for (int i = 0; i < n; i++) {
                    int w0 = r[k][i], w1 = r[k + 1][i], w2 = r[k + 4][i], w3 = r[k + 5][i];
                    int up = (w0 > 0 ? w0 : 0) + (w1 > 0 ? w1 : 0) + (w2 > 0 ? w2 : 0) + (w3 > 0 ? w3 : 0);
                    int down = up - w0 - w1 - w2 - w3;
                    most = up > most ? up : most;
                    most = down > most ? down : most;
                }
        }
    return most;
}

/* Rounds weights again, to steps b times as broad, and gives activations as many steps as four products in 16 bits
 * allow: b 2^15 / largest quad. With a deviation d of the weights, and a ninth of their range for activations, rounding
 * adds (b / d)^2 + (9 / steps)^2 to the square of a sum, by that square and over 12: least for
 * b^2 = 9 d largest quad / 2^15. */
static void fit_quads(Block *b, int8_t *q, int cols)
{
    size_t n = (size_t)b->rows * (size_t)cols;
    int64_t squares = 0;
    int8_t rounded[UINT8_MAX + 1]; /* of q + 128 */
    for (size_t i = 0; i < n; i++) squares += q[i] * q[i];
    double broader = sqrt(9 * sqrt((double)squares / (double)n) * largest_quad(q, b->rows, cols) / INT16_MAX);
    if (broader < 1) broader = 1;
    for (int k = 0; k <= UINT8_MAX; k++) rounded[k] = (int8_t)lrint((k + INT8_MIN) / broader);
    for (size_t i = 0; i < n; i++) q[i] = rounded[q[i] - INT8_MIN];
    for (int r = 0; r < b->rows; r++) b->scale[r] *= (Real)broader;
    int steps = INT16_MAX / largest_quad(q, b->rows, cols) - 1;
    if (steps < STEPS) b->steps = (Real)steps;
}
#endif

/* Packs group g of all columns: this number of rows from x on or, of whole numbers, from q on. */
static void pack_group(Block *b, int g, int rows, const Real *x, const int8_t *q, int cols)
{
    for (int c = 0; c < cols; c += PANEL) {
        int n = cols - c < PANEL ? cols - c : PANEL;
        char *to = (char *)b->panels + ((size_t)c * (size_t)b->groups + (size_t)g * PANEL) * GROUP_BYTES(b->kind);
        if (b->kind == REAL) memcpy(to, x + c, (size_t)n * sizeof *x);
        else if (b->kind == BF16) pairs_down((uint32_t *)(void *)to, x + c, rows > 1 ? x + cols + c : NULL, n);
        else whole_down((uint32_t *)(void *)to, b->kind, q + c, (size_t)cols, rows, n);
    }
}

/* q [rows, cols] and scale [rows]: the weight as tensor/int8.h stores it. Rows that cannot be stored so make products
 * that are not finite, as they would be in Real. x [cols] is scratch memory. */
static void encode(const Weight *of, int8_t *q, Real *scale, Real *x)
{
    size_t n = (size_t)of->cols;
    for (int r = 0; r < of->rows; r++, q += n) {
        const int8_t *has = weight_int8(of, r, &scale[r]);
        if (has) {
            memcpy(q, has, n);
            continue;
        }
        weight_read(of, (size_t)r * (size_t)of->ld, n, x);
        float s = int8_scale(x, n);
        scale[r] = s;
        int8_encode(x, n, isfinite(s) ? s : 0, q);
    }
}

/* What a weight is multiplied in. */
static Kind kind_of(const Weight *w, Products asked)
{
    bool bytes = HAS_INT8 && !w->fine && w->rows <= INT32_MAX / UINT8_MAX / -INT8_MIN; /* no sum reaches 2^31 */
    switch (asked) {
    case PRODUCTS_BF16: return BF16;
    case PRODUCTS_INT16: return INT16;
    case PRODUCTS_INT8: return bytes ? INT8 : INT16;
    case PRODUCTS_AUTO:
        if (HAS_INT16 && weight_narrow(w)) return bytes ? INT8 : INT16;
        return HAS_BF16 ? BF16 : REAL;
    default: return REAL;
    }
}

/* Fills the block; false when out of memory. */
static bool pack(Block *b, const Weight *of)
{
    size_t cols = (size_t)of->cols, rows = (size_t)of->rows, bytes = panels_size(b->kind, b->groups, of->cols);
    bool whole = b->kind == INT16 || b->kind == INT8;
    int step = NUMBERS[b->kind];
    Real *x = mem_alloc(2 * cols, sizeof *x);
    int8_t *q = whole ? mem_alloc(rows * cols, 1) : NULL;
    b->panels = mem_aligned(bytes, 1);
    if (whole) b->scale = mem_alloc(rows, sizeof *b->scale);
    if (b->kind == INT8) b->column = mem_calloc(cols + WIDTH, sizeof *b->column);
    bool ok = x && b->panels && (!whole || (q && b->scale)) && (b->kind != INT8 || b->column);
    if (ok) memset(b->panels, 0, bytes); /* beyond the rows and the columns */
    if (ok && whole) encode(of, q, b->scale, x);
    b->steps = b->kind == INT8 ? STEPS : limit_of_int16(of->rows);
#ifdef PRODUCT_INT8_QUADS
    if (ok && b->kind == INT8) fit_quads(b, q, of->cols);
#endif
    for (int g = 0; ok && g * step < of->rows; g++) {
        int from = g * step, now = of->rows - from < step ? of->rows - from : step;
        for (int r = 0; !whole && r < now; r++)
            weight_read(of, (size_t)(from + r) * (size_t)of->ld, cols, x + (size_t)r * cols);
        pack_group(b, g, now, x, q ? q + (size_t)from * cols : NULL, of->cols);
    }
    for (size_t r = 0; ok && b->column && r < rows; r++)
        for (size_t c = 0; c < cols; c++) b->column[c] += q[r * cols + c];
    mem_free_each(q, x);
    return ok;
}

static void block_free(Block *b) { mem_free_each(b->panels, b->scale, b->column, b); }

static Block *block_make(const Weight *of, Products asked)
{
    Block *b = mem_calloc(1, sizeof *b);
    if (!b) return NULL;
    b->first = of->first_row;
    b->rows = of->rows;
    b->asked = asked;
    b->kind = kind_of(of, asked);
    b->groups = groups_of(b->kind, of->rows);
    if (pack(b, of)) return b;
    block_free(b);
    return NULL;
}

PackedWeight *packed_new(void) { return mem_calloc(1, sizeof(PackedWeight)); }

void packed_free(PackedWeight *weight)
{
    for (Block *b = weight ? atomic_load(&weight->blocks) : NULL, *next; b; b = next) {
        next = b->next;
        block_free(b);
    }
    mem_free(weight);
}

static Block *find(const Weight *w, Products asked)
{
    Block *b = atomic_load_explicit(&w->packed->blocks, memory_order_acquire);
    while (b && (b->first != w->first_row || b->rows != w->rows || b->asked != asked)) b = b->next;
    return b;
}

static const Block *block_of(const Weight *w, Products asked)
{
    Block *b = find(w, asked);
    if (b) return b;
    pthread_mutex_lock(&lock);
    b = find(w, asked);
    if (!b && (b = block_make(w, asked))) {
        b->next = atomic_load(&w->packed->blocks);
        atomic_store_explicit(&w->packed->blocks, b, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return b;
}

/* ---- products */

/* Bytes of rounded rows, which stay in the cache while all columns pass by; tiles, which take each row for
 * 32 columns, have the cache of the second level. Rows of a wide matrix are on the heap. */
enum { SPACE = 24 << 10, AMX_SPACE = 512 << 10 };

static void multiply(Kind kind, int m, int n, int groups, const void *a, ptrdiff_t row, ptrdiff_t step,
                     const void *panels, const ProductEnd *end)
{
    int stride = TILE_VECTORS * WORDS[kind];
    ptrdiff_t panel = (ptrdiff_t)groups * stride;
    if (kind == REAL) product_real(m, n, groups, a, row, step, panels, stride, panel, end);
#ifdef PRODUCT_BF16
    if (kind == BF16) product_bf16(m, n, groups, a, row, step, panels, stride, panel, end);
#endif
#ifdef PRODUCT_INT16
    if (kind == INT16) product_int16(m, n, groups, a, row, step, panels, stride, panel, end);
#endif
#ifdef PRODUCT_INT8
    if (kind == INT8) product_int8(m, n, groups, a, row, step, panels, stride, panel, end);
#endif
}

enum { TOGETHER_ROWS = HAS_AMX ? 2 * AMX_ROWS : TILE_ROWS, MOST_ROWS = HAS_AMX ? 512 : 240 };

/* Rows that are computed at once, a multiple of TOGETHER_ROWS, where a row needs `each` of `space` bytes; TOGETHER_ROWS
 * if there is no room. */
static int rows_at_once(size_t space, size_t each)
{
    size_t fit = space / each;
    int rows = fit < MOST_ROWS ? (int)fit : MOST_ROWS;
    return rows < TOGETHER_ROWS ? TOGETHER_ROWS : rows / TOGETHER_ROWS * TOGETHER_ROWS;
}

static void real_product(const Block *b, const Real *x, int ldx, int rows, int n, ProductEnd end)
{
    int step = rows_at_once(SPACE, (size_t)b->groups * sizeof *x);
    for (int r = 0; r < rows; r += step) {
        int now = rows - r < step ? rows - r : step;
        multiply(REAL, now, n, b->groups, x + (ptrdiff_t)r * ldx, ldx, 1, b->panels, &end);
        end.c += (ptrdiff_t)now * end.ldc;
    }
}

static bool rounded_product(const Block *b, const Real *x, int ldx, int rows, int n, ProductEnd end)
{
    _Alignas(64) char here[SPACE];
    Real by[MOST_ROWS];
    int32_t zero[MOST_ROWS];
    ptrdiff_t words = (ptrdiff_t)b->groups * WORDS[b->kind];
    size_t each = (size_t)words * sizeof(uint32_t);
    int step = rows_at_once(HAS_AMX && b->kind != INT16 ? AMX_SPACE : SPACE, each);
    if (step > rows) step = rows;
    char *space = each * (size_t)step <= sizeof here ? here : mem_aligned(each * (size_t)step, 1);
    if (!space) return false;
    uint32_t *groups = (uint32_t *)(void *)space;
    if (b->kind != BF16) end.by = by;
    if (b->kind == INT8) end.zero = zero, end.column = b->column;
    for (int r = 0; r < rows; r += step) {
        int now = rows - r < step ? rows - r : step;
        const Real *from = x + (ptrdiff_t)r * ldx;
        if (b->kind != BF16) round_whole(b, groups, by, zero, from, ldx, now);
        for (ptrdiff_t i = 0; b->kind == BF16 && i < now; i++)
            pairs_along(groups + i * b->groups, b->groups, from + i * ldx, b->rows);
        multiply(b->kind, now, n, b->groups, groups, words, WORDS[b->kind], b->panels, &end);
        end.c += (ptrdiff_t)now * end.ldc;
    }
    if (space != here) mem_free(space);
    return true;
}

bool packed_product(Real *y, int ldy, const Real *x, int ldx, int rows, const Weight *weight, const Real *bias,
                    bool relu)
{
    const Block *b = weight->packed && weight->rows > 0 ? block_of(weight, (Products)atomic_load(&operands)) : NULL;
    if (!b) return false;
    const ProductEnd end = { .alpha = 1, .relu = relu, .bias = bias, .c = y, .ldc = ldy };
    if (b->kind != REAL) return rounded_product(b, x, ldx, rows, weight->cols, end);
    real_product(b, x, ldx, rows, weight->cols, end);
    return true;
}

/* ---- bfloat16 of what is no constant weight */

/* Smaller products stay in Real: rounding takes longer than it saves. */
enum { LEAST_WIDTH = 16, LEAST_WORK = 1 << 21 /* multiply-adds */ };

/* B [k, n], or of its transpose [n, k], in panels, whose groups beyond k stay; line [groups] is scratch memory. */
static void pack_pairs(uint32_t *panels, const Real *b, int ldb, bool transposed, int n, int k, int groups,
                       uint32_t *line)
{
    for (ptrdiff_t g = 0; !transposed && 2 * g < k; g++)
        for (int c = 0; c < n; c += PANEL) {
            const Real *x = b + 2 * g * ldb + c;
            pairs_down(panels + (ptrdiff_t)c * groups + g * PANEL, x, 2 * g + 1 < k ? x + ldb : NULL,
                       n - c < PANEL ? n - c : PANEL);
        }
    for (ptrdiff_t c = 0; transposed && c < n; c++) {
        uint32_t *to = panels + c / PANEL * PANEL * groups + c % PANEL;
        pairs_along(line, groups, b + c * ldb, k);
        for (int g = 0; g < groups; g++, to += PANEL) *to = line[g];
    }
}

/* Rows [m, groups] of the pairs of A, or of its transpose [k, m]. */
static void pack_rows(uint32_t *rows, const Real *a, int lda, bool transposed, int m, int k, int groups)
{
    for (ptrdiff_t r = 0; !transposed && r < m; r++) pairs_along(rows + r * groups, groups, a + r * lda, k);
    for (ptrdiff_t r = 0; transposed && r < m; r += PANEL, a += PANEL)
        for (ptrdiff_t g = 0; g < groups; g++) {
            uint32_t line[PANEL] = { 0 };
            int n = m - r < PANEL ? (int)(m - r) : PANEL;
            if (2 * g < k) pairs_down(line, a + 2 * g * lda, 2 * g + 1 < k ? a + (2 * g + 1) * lda : NULL, n);
            for (int i = 0; i < n; i++) rows[(r + i) * groups + g] = line[i];
        }
}

bool packed_bf16(bool ta, bool tb, int m, int n, int k, const Real *a, int lda, const Real *b, int ldb, bool add,
                 Real *c, int ldc)
{
    if (atomic_load_explicit(&operands, memory_order_relaxed) != PRODUCTS_BF16) return false;
    if (m < LEAST_WIDTH || n < LEAST_WIDTH || k < LEAST_WIDTH || (double)m * n * k < LEAST_WORK) return false;
    int groups = groups_of(BF16, k);
    bool down = ta && !HAS_AMX; /* the groups of a row of A */
    size_t of_b = panels_size(BF16, groups, n), of_a = (size_t)m * (size_t)groups * sizeof(uint32_t);
    uint32_t *panels = mem_aligned(of_b + of_a + (size_t)groups * sizeof(uint32_t), 1);
    if (!panels) return false;
    uint32_t *rows = panels + of_b / sizeof *panels, *line = rows + of_a / sizeof *rows;
    if (n % PANEL || groups > (k + 1) / 2) memset(panels, 0, of_b);
    pack_pairs(panels, b, ldb, tb, n, k, groups, line);
    for (ptrdiff_t g = 0; down && g < groups; g++) /* [groups, m] */
        pairs_down(rows + g * m, a + 2 * g * lda, 2 * g + 1 < k ? a + (2 * g + 1) * lda : NULL, m);
    if (!down) pack_rows(rows, a, lda, ta, m, k, groups);
    ProductEnd end = { .alpha = 1, .add = add, .c = c, .ldc = ldc };
    int step = HAS_AMX ? rows_at_once(AMX_SPACE, (size_t)groups * sizeof *rows) : m;
    for (int r = 0; r < m; r += step, end.c += (ptrdiff_t)step * ldc)
        multiply(BF16, m - r < step ? m - r : step, n, groups, rows + (ptrdiff_t)r * groups, down ? 1 : groups,
                 down ? m : 1, panels, &end);
    mem_free(panels);
    return true;
}
