/* The sources of the level's products, compiled with a model of its instructions. */
#include <pthread.h>

#include "tests/support/amx_level.h"

#if defined __x86_64__ && !defined LAL_REAL_DOUBLE

#define AMX_MODEL
#define CPU_LEVEL "amx-model"
#include "tests/support/amx_model.h"

#include "tensor/cpu/level/product.c"

#include "tensor/cpu/level/packed.c"

static void gemm(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
                 bool add, Real *c, int ldc)
{
    if (!(alpha == 1 && packed_bf16(ta, tb, m, n, k, a, lda, b, ldb, add, c, ldc)))
        cpu_level()->device.kernels->gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, add, c, ldc);
}

static Kernels kernels;
static CpuLevel level;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_level(void)
{
    level = *cpu_level();
    kernels = *level.device.kernels;
    kernels.gemm = gemm;
    level.name = CPU_LEVEL;
    level.packed = packed_product;
    level.device.kernels = &kernels;
    level.device.set_products = packed_operands;
    level.device.packed = packed_new;
    level.device.unpack = packed_free;
}

const CpuLevel *amx_level(void)
{
    pthread_once(&once, make_level);
    return &level;
}

#else
const CpuLevel *amx_level(void) { return NULL; }
#endif

const CpuLevel *tested_level(int n)
{
    int k = 0;
    while (k < n && cpu_level_at(k)) k++;
    return k < n ? NULL : cpu_level_at(k) ? cpu_level_at(k) : amx_level();
}
