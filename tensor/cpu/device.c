/* tensor/cpu/device.c: the host itself as a device, and the profile of its matrix products. */
#include <string.h>

#include "base/arena.h"
#include "base/thread.h"
#include "tensor/cpu/cpu.h"
#include "tensor/cpu/packed.h"
#include "tensor/stored.h"

static _Thread_local GemmProfile *profile;

void device_cpu_profile(GemmProfile *p) { profile = p; }

static void count(double start, int m, int n, int k)
{
    profile->seconds += clock_seconds() - start;
    profile->flops += 2.0 * m * n * k;
}

void cpu_gemm(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
              Real beta, Real *c, int ldc)
{
    if (m == 0 || n == 0) return;
    double start = profile ? clock_seconds() : 0;
    cpu_product(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (profile) count(start, m, n, k);
}

void cpu_block_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b,
                       int ldb, bool add, Real *c, int ldc)
{
    double start = profile ? clock_seconds() : 0;
    if (!cpu_small_product(ta, tb, m, n, k, alpha, a, lda, b, ldb, add, c, ldc))
        cpu_gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, add, c, ldc);
    else if (profile) count(start, m, n, k);
}

void cpu_linear(Real *y, int ldy, const Real *x, int ldx, int rows, Weight w, const Real *bias, bool relu)
{
    double start = profile ? clock_seconds() : 0;
    if (cpu_packed_product(y, ldy, x, ldx, rows, &w, bias, relu)) {
        if (profile) count(start, rows, w.cols, w.rows);
        return;
    }
    cpu_gemm(false, false, rows, w.cols, w.rows, 1, x, ldx, weight_values(&w), w.ld, 0, y, ldy);
    cpu_bias_act(y, ldy, bias, rows, w.cols, relu);
}

void cpu_weight_product(Real *y, int ldy, Weight a, Weight b)
{
    cpu_linear(y, ldy, weight_values(&a), a.ld, a.rows, b, NULL, false);
}

void device_cpu_libraries(CpuLibraries *out)
{
    cpu_blas_name(out);
    cpu_onednn_name(out);
    out->bfloat = device_cpu_bfloat();
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

static Status set_products(Products p, Error *e)
{
    if (p == PRODUCTS_TF32) return error_set(e, ERR_CONFIG, "products in tf32: the CPU has none, a GPU has");
    Error why = { 0 };
    if (p == PRODUCTS_INT8 && cpu_onednn(&why) != OK)
        return error_set(e, why.code, "products in int8: %s", why.message);
    Status s = cpu_bfloat(p == PRODUCTS_BF16, e);
    if (s == OK) cpu_packed_operands(p);
    return s;
}

static Products parse_products(void) { return device_cpu_bfloat() ? PRODUCTS_BF16 : PRODUCTS_REAL; }

const Device *device_cpu(void)
{
    static const Kernels kernels = {
#define KERNEL(name, arguments) .name = cpu_##name,
#include "tensor/kernels.def"
#undef KERNEL
    };
    static const Device cpu = { .name = "cpu",
                                .kernels = &kernels,
                                .host_memory = true,
                                .start = cpu_start,
                                .alloc = alloc,
                                .free = mem_free,
                                .upload = copy,
                                .download = copy,
                                .fetch = copy,
                                .synchronise = synchronise,
                                .set_products = set_products,
                                .parse_products = parse_products,
                                .packed = cpu_packed_new,
                                .unpack = cpu_packed_free };
    return &cpu;
}

static Status choose(int n, const Device **out, Error *e)
{
    (void)n;
    (void)e;
    *out = device_cpu();
    return OK;
}

const DeviceKind DEVICE_KIND_CPU = { "cpu", false, choose };
