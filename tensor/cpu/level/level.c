/* The device of a level, and products by whichever way is fast. The Makefile defines
 * CPU_LEVEL, the level's name, and CPU_LEVEL_SYMBOL, the name of its table. */
#include <string.h>

#include "base/arena.h"
#include "tensor/cpu/level.h"
#include "tensor/cpu/level/kernels.h"
#include "tensor/cpu/level/max_plus.h"
#include "tensor/cpu/level/sum_product.h"
#include "tensor/cpu/level/packed.h"
#include "tensor/cpu/level/small.h"
#include "tensor/stored.h"

void cpu_gemm(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
              bool add, Real *c, int ldc)
{
    if (m == 0 || n == 0) return;
    double start = cpu_profile_begin();
    if (!(alpha == 1 && packed_bf16(ta, tb, m, n, k, a, lda, b, ldb, add, c, ldc)) &&
        (small_fits(n, k) || !cpu_blas_product(ta, tb, m, n, k, alpha, a, lda, b, ldb, add, c, ldc)))
        small_pieces(ta, tb, m, n, k, alpha, a, lda, b, ldb, add, c, ldc);
    cpu_profile_end(start, m, n, k);
}

void cpu_linear(Real *y, int ldy, const Real *x, int ldx, int rows, Weight w, const Real *bias, bool relu)
{
    double start = cpu_profile_begin();
    if (packed_product(y, ldy, x, ldx, rows, &w, bias, relu)) {
        cpu_profile_end(start, rows, w.cols, w.rows);
        return;
    }
    cpu_gemm(false, false, rows, w.cols, w.rows, 1, x, ldx, weight_values(&w), w.ld, 0, y, ldy);
    cpu_bias_act(y, ldy, bias, rows, w.cols, relu);
}

void cpu_weight_product(Real *y, int ldy, Weight a, Weight b)
{
    cpu_linear(y, ldy, weight_values(&a), a.ld, a.rows, b, NULL, false);
}

static void *alloc(size_t bytes) { return mem_aligned(bytes, 1); }

static Status copy(void *to, const void *from, size_t bytes, Error *e)
{
    (void)e;
    if (bytes) memcpy(to, from, bytes);
    return OK;
}

static Status synchronise(Error *e)
{
    (void)e;
    return OK;
}

static Products parse_products(void) { return PRODUCTS_AUTO; }

static const Kernels KERNELS = {
#define KERNEL(name, arguments) .name = cpu_##name,
#include "tensor/kernels.def"
#undef KERNEL
};

extern const CpuLevel CPU_LEVEL_SYMBOL;
const CpuLevel CPU_LEVEL_SYMBOL = { .name = CPU_LEVEL,
                                    .device = { .name = "cpu",
                                                .kernels = &KERNELS,
                                                .host_memory = true,
                                                .start = cpu_start,
                                                .alloc = alloc,
                                                .free = mem_free,
                                                .upload = copy,
                                                .download = copy,
                                                .fetch = copy,
                                                .synchronise = synchronise,
                                                .set_products = packed_operands,
                                                .parse_products = parse_products,
                                                .packed = packed_new,
                                                .unpack = packed_free },
                                    .max_plus_pairs = max_plus_pairs,
                                    .max_plus_rows = max_plus_rows,
                                    .sum_products = sum_products,
                                    .sum_tiles = sum_tiles,
                                    .sum_rows = sum_rows,
                                    .sum_exponentials = sum_exponentials,
                                    .packed = packed_product };
