/* tensor/cpu/packed.c */
#include "tensor/cpu/packed.h"
#include "base/arena.h"
#include "tensor/cpu/onednn.h"

#ifndef HAS_ONEDNN

bool cpu_packed_product(Real *y, int ldy, const Real *x, int ldx, int rows, const Weight *w, const Real *bias,
                        bool relu)
{
    (void)y, (void)ldy, (void)x, (void)ldx, (void)rows, (void)w, (void)bias, (void)relu;
    return false;
}

void cpu_packed_operands(Products p) { (void)p; }

struct PackedWeight {
    char nothing;
};

PackedWeight *cpu_packed_new(void) { return mem_calloc(1, sizeof(PackedWeight)); }

void cpu_packed_free(PackedWeight *w) { mem_free(w); }

#else

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tensor/cpu/bfloat.h"
#include "tensor/cpu/cpu.h"
#include "tensor/cpu/math.h"
#include "tensor/int8.h"
#include "tensor/stored.h"

/* A product of any number of rows is made of products of these; the last one takes rows of zeros too. So few kernels
 * are compiled, and each row goes through the same arithmetic whatever is around it. */
enum { N_CHUNKS = 3 };
static const int CHUNK[N_CHUNKS] = { 256, 64, 16 };

/* The rows first .. first + rows - 1 of a weight in oneDNN's order. */
typedef struct Block {
    struct Block *next;
    int first, rows;
    Products operands;
    Real *scale;  /* [rows], of weights in int8 */
    int n_chunks; /* sizes of CHUNK, from the first, that can be used; 0: this block cannot be used */
    dnnl_memory_desc_t desc;
    dnnl_memory_t memory;
    void *data;
} Block;

struct PackedWeight {
    _Atomic(Block *) blocks;
};

enum { FOR_X, FOR_Y, FOR_ROWS, FOR_WEIGHT }; /* scratch memory of a worker */

static atomic_int operands = PRODUCTS_REAL;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void cpu_packed_operands(Products p) { atomic_store(&operands, (int)p); }

static dnnl_data_type_t type_of(Products p)
{
    return p == PRODUCTS_BF16 ? dnnl_bf16 : p == PRODUCTS_INT8 ? dnnl_s8 : dnnl_f32;
}

static size_t size_of(Products p) { return p == PRODUCTS_BF16 ? 2 : p == PRODUCTS_INT8 ? 1 : sizeof(Real); }

/* ---- kernels */

/* A product of m rows, one of CHUNK; the operands are dense, as these kernels of oneDNN want it. */
typedef struct OneDnnPlan {
    int m, n, k; /* m 0: a free entry */
    Products operands;
    dnnl_primitive_t primitive;
    dnnl_memory_t a, c, scratch;
} Plan;

/* The product of [m, k] and a weight with the given description, which may leave its order open. NULL if oneDNN has no
 * fast kernel for it. */
static dnnl_primitive_desc_t product(const OneDnn *d, int m, int n, int k, const dnnl_memory_desc_t *weight, Products p)
{
    dnnl_memory_desc_t a, c;
    dnnl_matmul_desc_t op;
    dnnl_primitive_desc_t pd = NULL;
    const char *kind = NULL;
    if (!onednn_matrix(d, &a, m, k, k, 1, type_of(p)) || !onednn_matrix(d, &c, m, n, n, 1, dnnl_f32) ||
        d->dnnl_matmul_desc_init(&op, &a, weight, NULL, &c) != dnnl_success ||
        d->dnnl_primitive_desc_create(&pd, &op, d->own, d->engine, NULL) != dnnl_success)
        return NULL;
    bool fast = d->dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &kind) == dnnl_success && kind &&
                strncmp(kind, "brg:", 4) == 0;
    if (fast) return pd;
    d->dnnl_primitive_desc_destroy(pd);
    return NULL;
}

static bool plan_make(const OneDnn *d, Plan *p, const Block *b)
{
    if (!onednn_room()) return false;
    dnnl_primitive_desc_t pd = product(d, p->m, p->n, p->k, &b->desc, p->operands);
    if (!pd) return false;
    dnnl_memory_desc_t a, c;
    bool ok = onednn_matrix(d, &a, p->m, p->k, p->k, 1, type_of(p->operands)) &&
              onednn_matrix(d, &c, p->m, p->n, p->n, 1, dnnl_f32) &&
              d->dnnl_primitive_create(&p->primitive, pd) == dnnl_success &&
              d->dnnl_memory_create(&p->a, &a, d->engine, DNNL_MEMORY_NONE) == dnnl_success &&
              d->dnnl_memory_create(&p->c, &c, d->engine, DNNL_MEMORY_NONE) == dnnl_success;
    const dnnl_memory_desc_t *scratch = d->dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
    ok = ok && scratch && d->dnnl_memory_create(&p->scratch, scratch, d->engine, DNNL_MEMORY_ALLOCATE) == dnnl_success;
    d->dnnl_primitive_desc_destroy(pd);
    return ok;
}

static void plan_free(const OneDnn *d, Plan *p)
{
    if (p->a) d->dnnl_memory_destroy(p->a);
    if (p->c) d->dnnl_memory_destroy(p->c);
    if (p->scratch) d->dnnl_memory_destroy(p->scratch);
    if (p->primitive) d->dnnl_primitive_destroy(p->primitive);
    *p = (Plan){ 0 };
}

static size_t plan_place(const OneDnnWorker *w, const Plan *p)
{
    uint64_t h = (uint64_t)p->m;
    const int parts[] = { p->n, p->k, (int)p->operands };
    for (int i = 0; i < 3; i++) h = (h ^ (uint64_t)parts[i]) * 0x9e3779b97f4a7c15u;
    size_t mask = (size_t)w->cap_plans - 1, at = (size_t)(h >> 40) & mask;
    for (;; at = (at + 1) & mask) {
        const Plan *q = &w->plans[at];
        if (!q->m || (q->m == p->m && q->n == p->n && q->k == p->k && q->operands == p->operands)) return at;
    }
}

static bool plans_grow(OneDnnWorker *w)
{
    OneDnnWorker more = { .cap_plans = w->cap_plans ? 2 * w->cap_plans : 256, .n_plans = w->n_plans };
    more.plans = mem_calloc((size_t)more.cap_plans, sizeof *more.plans);
    if (!more.plans) return false;
    for (int k = 0; k < w->cap_plans; k++)
        if (w->plans[k].m) more.plans[plan_place(&more, &w->plans[k])] = w->plans[k];
    mem_free(w->plans);
    w->plans = more.plans;
    w->cap_plans = more.cap_plans;
    return true;
}

/* The plan of a worker, made if need be; NULL where it cannot be. */
static Plan *plan_of(const OneDnn *d, OneDnnWorker *w, const Plan *wanted, const Block *b)
{
    if (2 * w->n_plans >= w->cap_plans && !plans_grow(w)) return NULL;
    Plan *p = &w->plans[plan_place(w, wanted)];
    if (p->m) return p;
    *p = *wanted;
    if (!plan_make(d, p, b)) {
        plan_free(d, p);
        return NULL;
    }
    w->n_plans++;
    return p;
}

/* ---- packing */

/* The weights as whole numbers and a scale for each row, dense; NULL when out of memory. Rows that cannot be stored so
 * make products that are not finite, as they would be in Real. */
static int8_t *encoded(const Weight *of, Real *scale)
{
    int8_t *q = mem_alloc((size_t)of->rows * (size_t)of->cols, sizeof *q);
    Real *x = mem_alloc((size_t)of->cols, sizeof *x);
    for (size_t r = 0, n = (size_t)of->cols; q && x && r < (size_t)of->rows; r++) {
        weight_read(of, r * (size_t)of->ld, n, x);
        float s = int8_scale(x, n);
        scale[r] = s;
        int8_encode(x, n, isfinite(s) ? s : 0, q + r * n);
    }
    mem_free(x);
    if (x) return q;
    mem_free(q);
    return NULL;
}

/* The values, or a copy in scratch memory where they are not in their place; NULL when out of memory. */
static const Real *plain_values(OneDnnWorker *w, const Weight *of)
{
    if (!of->stored || stored_whole(of->stored)) return of->values;
    size_t n = (size_t)of->rows * (size_t)of->ld;
    Real *x = onednn_scratch(w, FOR_WEIGHT, n * sizeof *x);
    if (x) weight_read(of, 0, n, x);
    return x;
}

/* Copies the values, or what they are encoded as, into the order of desc. */
static bool reorder(const OneDnn *d, OneDnnWorker *w, const Block *b, const Weight *of)
{
    int8_t *q = b->operands == PRODUCTS_INT8 ? encoded(of, b->scale) : NULL;
    const Real *x = b->operands == PRODUCTS_INT8 ? NULL : plain_values(w, of);
    if (!q && !x) return false;
    dnnl_memory_desc_t plain;
    dnnl_memory_t from = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    union {
        const Real *values;
        void *data;
    } source = { x };
    bool ok =
        onednn_matrix(d, &plain, of->rows, of->cols, q ? of->cols : of->ld, 1, q ? dnnl_s8 : dnnl_f32) &&
        d->dnnl_memory_create(&from, &plain, d->engine, q ? (void *)q : source.data) == dnnl_success &&
        d->dnnl_reorder_primitive_desc_create(&pd, &plain, d->engine, &b->desc, d->engine, NULL) == dnnl_success &&
        onednn_room() && d->dnnl_primitive_create(&primitive, pd) == dnnl_success;
    dnnl_exec_arg_t args[2] = { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, b->memory } };
    ok = ok && d->dnnl_primitive_execute(primitive, w->stream, 2, args) == dnnl_success &&
         d->dnnl_stream_wait(w->stream) == dnnl_success;
    if (primitive) d->dnnl_primitive_destroy(primitive);
    if (pd) d->dnnl_primitive_desc_destroy(pd);
    if (from) d->dnnl_memory_destroy(from);
    mem_free(q);
    return ok;
}

/* How many of CHUNK, from the first, have fast kernels of one kind for this order: results of two kinds may differ in
 * their last bits. */
static int chunks_of(const OneDnn *d, const Weight *of, const Block *b)
{
    int n = 0;
    char first[64] = "";
    for (; n < N_CHUNKS; n++) {
        dnnl_primitive_desc_t pd = product(d, CHUNK[n], of->cols, of->rows, &b->desc, b->operands);
        const char *kind = "";
        if (!pd) break;
        d->dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &kind);
        if (n == 0) snprintf(first, sizeof first, "%s", kind);
        bool same = strcmp(first, kind) == 0;
        d->dnnl_primitive_desc_destroy(pd);
        if (!same) break;
    }
    return n;
}

static Block *block_make(const OneDnn *d, OneDnnWorker *w, const Weight *of, Products p)
{
    Block *b = mem_calloc(1, sizeof *b);
    if (!b) return NULL;
    b->first = of->first_row;
    b->rows = of->rows;
    b->operands = p;
    dnnl_memory_desc_t open;
    const dnnl_dims_t dims = { of->rows, of->cols };
    dnnl_primitive_desc_t pd = NULL;
    if (d->dnnl_memory_desc_init_by_tag(&open, 2, dims, type_of(p), dnnl_format_tag_any) == dnnl_success)
        pd = product(d, CHUNK[0], of->cols, of->rows, &open, p);
    if (!pd) return b;
    b->desc = *d->dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
    d->dnnl_primitive_desc_destroy(pd);
    b->data = mem_aligned(d->dnnl_memory_desc_get_size(&b->desc), 1);
    if (p == PRODUCTS_INT8) b->scale = mem_alloc((size_t)of->rows, sizeof *b->scale);
    if (b->data && (b->scale || p != PRODUCTS_INT8) &&
        d->dnnl_memory_create(&b->memory, &b->desc, d->engine, b->data) == dnnl_success && reorder(d, w, b, of))
        b->n_chunks = chunks_of(d, of, b);
    return b;
}

static void block_free(const OneDnn *d, Block *b)
{
    if (b->memory) d->dnnl_memory_destroy(b->memory);
    mem_free(b->data);
    mem_free(b->scale);
    mem_free(b);
}

PackedWeight *cpu_packed_new(void) { return mem_calloc(1, sizeof(PackedWeight)); }

void cpu_packed_free(PackedWeight *w)
{
    Block *b = w ? atomic_load(&w->blocks) : NULL;
    const OneDnn *d = b ? onednn_get(NULL) : NULL;
    while (d && b) {
        Block *next = b->next;
        block_free(d, b);
        b = next;
    }
    mem_free(w);
}

static Block *find(const Weight *w, Products p)
{
    Block *b = atomic_load_explicit(&w->packed->blocks, memory_order_acquire);
    while (b && (b->first != w->first_row || b->rows != w->rows || b->operands != p)) b = b->next;
    return b;
}

static const Block *block_of(const OneDnn *d, OneDnnWorker *worker, const Weight *w, Products p)
{
    Block *b = find(w, p);
    if (b) return b;
    pthread_mutex_lock(&lock);
    b = find(w, p);
    if (!b && (b = block_make(d, worker, w, p))) {
        b->next = atomic_load(&w->packed->blocks);
        atomic_store_explicit(&w->packed->blocks, b, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return b;
}

/* ---- products */

static bool multiply(const OneDnn *d, const OneDnnWorker *w, const Plan *p, const Block *b, const void *x, Real *y)
{
    union {
        const void *x;
        void *data;
    } from = { x };
    const dnnl_exec_arg_t args[4] = { { DNNL_ARG_SRC, p->a },
                                      { DNNL_ARG_WEIGHTS, b->memory },
                                      { DNNL_ARG_DST, p->c },
                                      { DNNL_ARG_SCRATCHPAD, p->scratch } };
    return d->dnnl_memory_set_data_handle(p->a, from.data) == dnnl_success &&
           d->dnnl_memory_set_data_handle(p->c, y) == dnnl_success &&
           d->dnnl_primitive_execute(p->primitive, w->stream, 4, args) == dnnl_success;
}

/* to [k] = x scale / *by, rounded, where *by is the largest of |x scale| over 127; NaN where they are not finite. */
static void quantise(int8_t *restrict to, Real *by, const Real *restrict x, const Real *restrict scale,
                     Real *restrict row, int k)
{
    const float round = 12582912; /* added to a small number, it leaves the number rounded in the low bits */
    for (int c = 0; c < k; c++) row[c] = x[c] * scale[c];
    Real most = largest_of(row, k), up = most > 0 ? INT8_MOST / most : 0;
    *by = most / INT8_MOST + (Real)(sum_of(row, k) * 0);
    for (int c = 0; c < k; c++) {
        float y = row[c] * up + round;
        uint32_t bits;
        memcpy(&bits, &y, sizeof bits);
        to[c] = (int8_t)(uint8_t)bits;
    }
}

/* Rows of x as a dense operand of m rows: x itself, or a copy in scratch memory with zeros after it. In int8, by [m]
 * gets what a row of the product is to be multiplied by. */
static const void *operand(OneDnnWorker *w, const Block *b, const Real *x, int ldx, int rows, int m, Real **by)
{
    int k = b->rows;
    if (b->operands == PRODUCTS_REAL && rows == m && ldx == k) return x;
    size_t row = (size_t)k * size_of(b->operands);
    char *to = onednn_scratch(w, FOR_X, (size_t)m * row);
    if (!to) return NULL;
    if (b->operands == PRODUCTS_INT8) {
        *by = onednn_scratch(w, FOR_ROWS, (size_t)(m + k) * sizeof **by);
        if (!*by) return NULL;
        for (int r = 0; r < rows; r++)
            quantise((int8_t *)to + (size_t)r * row, *by + r, x + (ptrdiff_t)r * ldx, b->scale, *by + m, k);
    } else if (b->operands == PRODUCTS_BF16) bfloat_round((uint16_t *)(void *)to, x, ldx, rows, k);
    else
        for (int r = 0; r < rows; r++) memcpy(to + (size_t)r * row, x + (ptrdiff_t)r * ldx, row);
    memset(to + (size_t)rows * row, 0, (size_t)(m - rows) * row);
    return to;
}

/* to [rows, n] = act(by from + bias), while the product is in the cache; from is dense, by [rows] or NULL: 1. */
static void finish(Real *to, int ldy, const Real *from, int n, int rows, const Real *by, const Real *bias, bool relu)
{
    if (!by && to != from)
        for (ptrdiff_t r = 0; r < rows; r++) memcpy(to + r * ldy, from + r * n, (size_t)n * sizeof *to);
    for (ptrdiff_t r = 0; by && r < rows; r++)
        for (int c = 0; c < n; c++) to[r * ldy + c] = by[r] * from[r * n + c];
    if (bias || relu) cpu_bias_act(to, ldy, bias, rows, n, relu);
}

bool cpu_packed_product(Real *y, int ldy, const Real *x, int ldx, int rows, const Weight *w, const Real *bias,
                        bool relu)
{
    const OneDnn *d = w->packed ? onednn_get(NULL) : NULL;
    OneDnnWorker *worker = d ? onednn_worker(d) : NULL;
    Products wanted = (Products)atomic_load_explicit(&operands, memory_order_relaxed);
    const Block *b = worker ? block_of(d, worker, w, wanted) : NULL;
    if (!b) return false;
    int chunk = 0, n = w->cols;
    for (int done = 0; done < rows && chunk < b->n_chunks;) {
        int left = rows - done, m = CHUNK[chunk], now = left < m ? left : m;
        if (left < m && chunk + 1 < b->n_chunks) {
            chunk++;
            continue;
        }
        const Plan *p = plan_of(d, worker, &(Plan){ .m = m, .n = n, .k = w->rows, .operands = wanted }, b);
        Real *to = y + (ptrdiff_t)done * ldy, *out = to, *by = NULL;
        const void *from = operand(worker, b, x + (ptrdiff_t)done * ldx, ldx, now, m, &by);
        if (now < m || ldy != n) out = onednn_scratch(worker, FOR_Y, (size_t)m * (size_t)n * sizeof *out);
        if (!p || !from || !out || !multiply(d, worker, p, b, from, out)) return false;
        finish(to, ldy, out, n, now, by, bias, relu);
        done += now;
    }
    return b->n_chunks > 0;
}

#endif
