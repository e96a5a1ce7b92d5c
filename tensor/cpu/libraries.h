/* OpenBLAS, which multiplies on the CPU what is large and no product with constant weights, in a process that trains.
 * It takes 128 MiB of address space for each thread when the device starts. */
#pragma once

#include "tensor/device.h"

typedef struct CpuLibraries {
    char openblas[32], kernels[32]; /* version, and the processor its kernels are for; "" where it is another BLAS */
} CpuLibraries;
/* Loads the BLAS and says which it is. */
void device_cpu_libraries(CpuLibraries *out);
/* Time and work of the matrix products of one thread, for `lal bench`. */
typedef struct GemmProfile {
    double seconds, flops; /* one multiply-add is two */
} GemmProfile;
/* From now on the calling thread's products on the CPU are added to *gemm_profile; NULL ends that. */
void device_cpu_profile(GemmProfile *gemm_profile);
