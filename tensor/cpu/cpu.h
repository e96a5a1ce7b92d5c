/* tensor/cpu/cpu.h: the kernels of the CPU, cpu_NAME for each line of tensor/kernels.def. */
#pragma once

#include "tensor/cpu/libraries.h"
#include "tensor/kernels.h"

#define KERNEL(name, arguments) void cpu_##name arguments;
#include "tensor/kernels.def"
#undef KERNEL

Status cpu_start(int threads, Error *e);
/* Bytes of address space that other threads of the process might take at any moment; 0 without a limit. */
size_t cpu_spare(void);
/* Loads oneDNN, if it is not loaded. ERR_CONFIG: built without it; ERR_IO, ERR_NOMEM. */
Status cpu_onednn(Error *e);
/* The parts of device_cpu_libraries. */
void cpu_blas_name(CpuLibraries *out);
void cpu_onednn_name(CpuLibraries *out);
void cpu_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
                 Real beta, Real *c, int ldc);
/* cpu_product in plain loops, for when OpenBLAS cannot be loaded and `start` was not called or its error ignored. */
void cpu_plain_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b,
                       int ldb, Real beta, Real *c, int ldc);

/* C = alpha op(A) op(B), or +=, where op(B) is small; false: it is not, C is unchanged. Whether it is depends on n and
 * k alone, and an element of C on its row of op(A) and column of op(B). */
bool cpu_small_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b,
                       int ldb, bool add, Real *c, int ldc);
/* The product by whichever way is fast, for blocks of one sentence. The profile counts it, but not products of short
 * sentences in cpu_attention_fwd. */
void cpu_block_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b,
                       int ldb, bool add, Real *c, int ldc);

/* Switches products in bfloat16 on or off, as set_products of the device. */
Status cpu_bfloat(bool on, Error *e);
/* C = op(A) op(B), or C +=, with operands rounded to bfloat16, if cpu_bfloat has switched that on and the product is
 * large enough; false: C is unchanged. */
bool cpu_bfloat_product(bool ta, bool tb, int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                        bool accumulate, Real *c, int ldc);
