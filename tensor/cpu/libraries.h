/* tensor/cpu/libraries.h
 * OpenBLAS, which multiplies on the CPU what is not a product with constant weights and not small. It takes 128 MiB of
 * address space for each thread when the device starts. A product before that loads it for one thread, and is a plain
 * loop where that fails. */
#pragma once

#include "tensor/device.h"

typedef struct CpuLibraries {
    char openblas[32], kernels[32]; /* version, and the processor its kernels are for; "" where it is another BLAS */
} CpuLibraries;
/* Loads it. */
void device_cpu_libraries(CpuLibraries *out);
/* Time and work of the matrix products of one thread, for `lal bench`. */
typedef struct GemmProfile {
    double seconds, flops; /* one multiply-add is two */
} GemmProfile;
/* From now on the calling thread's products on the CPU are added to *p; NULL ends that. */
void device_cpu_profile(GemmProfile *p);
