/* What all levels share. */
#pragma once

#include "tensor/cpu/libraries.h"

/* `start` of the device; and the part of it that loads OpenBLAS. */
Status cpu_start(int threads, bool trains, Error *error);
Status cpu_blas_start(int threads, Error *error);
/* As the kernel gemm, by OpenBLAS; false, and C is unchanged: it was not started. */
bool cpu_blas_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
                      bool add, Real *c, int ldc);

/* For device_cpu_profile: the time now, or 0 if nobody asks; and the end of a product that began then. */
double cpu_profile_begin(void);
void cpu_profile_end(double start, int m, int n, int k);
