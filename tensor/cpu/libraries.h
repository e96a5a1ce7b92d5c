/* tensor/cpu/libraries.h
 * What multiplies on the CPU: OpenBLAS, which takes 128 MiB of address space for each thread when the device starts. A
 * product before that loads it for one thread, and is a plain loop where that fails. PRODUCTS_BF16 and PRODUCTS_INT8
 * are computed by oneDNN, several times as fast where the processor has AMX, AVX512-BF16 or AVX512-VNNI. */
#pragma once

#include "tensor/device.h"

/* Loads both. */
typedef struct CpuLibraries {
    char openblas[32], kernels[32]; /* version, and the processor its kernels are for; "" where it is another BLAS */
    char onednn[32];                /* version; "" where it cannot be used */
    bool bfloat;                    /* device_cpu_bfloat */
} CpuLibraries;
void device_cpu_libraries(CpuLibraries *out);
/* Are products in bf16 faster than those in f32? Loads oneDNN. */
bool device_cpu_bfloat(void);
/* Time and work of the matrix products of one thread, for `lal bench`. */
typedef struct GemmProfile {
    double seconds, flops; /* one multiply-add is two */
} GemmProfile;
/* From now on the calling thread's products on the CPU are added to *p; NULL ends that. */
void device_cpu_profile(GemmProfile *p);
