/* tensor/cpu/level/kernels.h
 * The kernels of a level, cpu_NAME for each line of tensor/kernels.def. Every level has functions of these names; none
 * of them is seen outside its level (tensor/cpu/level.h). */
#pragma once

#include "tensor/cpu/cpu.h"
#include "tensor/kernels.h"

#define KERNEL(name, arguments) void cpu_##name arguments;
#include "tensor/kernels.def"
#undef KERNEL

/* C = alpha op(A) op(B), or +=, where op(B) is small; false: it is not, C is unchanged. Whether it is depends on n and
 * k alone, and an element of C on its row of op(A) and column of op(B). */
bool cpu_small_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b,
                       int ldb, bool add, Real *c, int ldc);
/* The product by whichever way is fast, for blocks of one sentence. The profile counts it, but not products of short
 * sentences in cpu_attention_fwd. */
void cpu_block_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b,
                       int ldb, bool add, Real *c, int ldc);
