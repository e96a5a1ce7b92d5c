/* tensor/cpu/bfloat.c: matrix products with operands rounded to bfloat16 and sums in float, by oneDNN, which is loaded
 * when they are asked for: several times as fast as float where the processor has AMX or AVX512-BF16. To build them,
 * the header of oneDNN 2 is enough; without it, and in double, they are refused. */
#include "tensor/cpu/bfloat.h"
#include "tensor/cpu/cpu.h"
#include "tensor/cpu/onednn.h"

#ifndef HAS_ONEDNN

Status cpu_bfloat(bool on, Error *e)
{
    return on ? error_set(e, ERR_CONFIG, "products in bf16: this program was built without oneDNN 2") : OK;
}

bool cpu_bfloat_product(bool ta, bool tb, int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                        bool accumulate, Real *c, int ldc)
{
    (void)ta, (void)tb, (void)m, (void)n, (void)k, (void)a, (void)lda, (void)b, (void)ldb, (void)accumulate, (void)c;
    (void)ldc;
    return false;
}

#else

#ifdef __AVX512BF16__
#include <immintrin.h>
#endif
#include <stdatomic.h>
#include <string.h>

/* Smaller products stay in float: rounding and starting a primitive would take longer, and oneDNN compiles a kernel for
 * each new shape, of which sentences have many. */
enum { LEAST_WIDTH = 16, LEAST_WORK = 1 << 23 /* multiply-adds */ };

static atomic_bool rounds;

Status cpu_bfloat(bool on, Error *e)
{
    Error why = { 0 };
    if (on && !onednn_get(&why)) return error_set(e, why.code, "products in bf16: %s", why.message);
    atomic_store(&rounds, on);
    return OK;
}

static uint16_t rounded(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    uint32_t up = (u + 0x7fff + ((u >> 16) & 1)) >> 16, nan = (u >> 16) | 0x40;
    return (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? nan : up);
}

void bfloat_round(uint16_t *to, const Real *from, int ld, int rows, int cols)
{
    for (ptrdiff_t r = 0; r < rows; r++, to += cols, from += ld) {
        int c = 0;
#ifdef __AVX512BF16__
        for (; c + 32 <= cols; c += 32)
            _mm512_storeu_si512(
                to + c, (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(from + c + 16), _mm512_loadu_ps(from + c)));
#endif
        for (; c < cols; c++) to[c] = rounded(from[c]);
    }
}

/* C = A B or C += A B with these operands and layouts. */
static bool multiply(const OneDnn *d, const OneDnnWorker *w, const dnnl_memory_desc_t desc[3], void *const data[3],
                     bool accumulate)
{
    static const int names[3] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST };
    dnnl_matmul_desc_t product;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_exec_arg_t args[3] = { { 0, NULL }, { 0, NULL }, { 0, NULL } };
    bool ok =
        d->dnnl_matmul_desc_init(&product, &desc[0], &desc[1], NULL, &desc[2]) == dnnl_success &&
        d->dnnl_primitive_desc_create(&pd, &product, accumulate ? d->adding : NULL, d->engine, NULL) == dnnl_success &&
        d->dnnl_primitive_create(&primitive, pd) == dnnl_success;
    for (int k = 0; k < 3 && ok; k++) {
        args[k].arg = names[k];
        ok = d->dnnl_memory_create(&args[k].memory, &desc[k], d->engine, data[k]) == dnnl_success;
    }
    ok = ok && d->dnnl_primitive_execute(primitive, w->stream, 3, args) == dnnl_success &&
         d->dnnl_stream_wait(w->stream) == dnnl_success;
    for (int k = 0; k < 3; k++)
        if (args[k].memory) d->dnnl_memory_destroy(args[k].memory);
    if (primitive) d->dnnl_primitive_destroy(primitive);
    if (pd) d->dnnl_primitive_desc_destroy(pd);
    return ok;
}

bool cpu_bfloat_product(bool ta, bool tb, int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                        bool accumulate, Real *c, int ldc)
{
    if (!atomic_load_explicit(&rounds, memory_order_relaxed)) return false;
    if (m < LEAST_WIDTH || n < LEAST_WIDTH || k < LEAST_WIDTH || (double)m * n * k < LEAST_WORK) return false;
    const OneDnn *d = onednn_get(NULL);
    OneDnnWorker *w = d ? onednn_worker(d) : NULL;
    uint16_t *pa = w ? onednn_scratch(w, 0, (size_t)m * (size_t)k * sizeof *pa) : NULL;
    uint16_t *pb = w ? onednn_scratch(w, 1, (size_t)k * (size_t)n * sizeof *pb) : NULL;
    if (!pa || !pb || !onednn_room()) return false;
    bfloat_round(pa, a, lda, ta ? k : m, ta ? m : k);
    bfloat_round(pb, b, ldb, tb ? n : k, tb ? k : n);
    dnnl_memory_desc_t desc[3];
    return onednn_matrix(d, &desc[0], m, k, ta ? 1 : k, ta ? m : 1, dnnl_bf16) &&
           onednn_matrix(d, &desc[1], k, n, tb ? 1 : n, tb ? k : 1, dnnl_bf16) &&
           onednn_matrix(d, &desc[2], m, n, ldc, 1, dnnl_f32) &&
           multiply(d, w, desc, (void *const[]){ pa, pb, c }, accumulate);
}

#endif
