/* NVIDIA GPUs: the device, the list of GPUs, and a profile of what they do. A build without CUDA has none. */
#pragma once

#include "tensor/device.h"

/* The GPU that DEVICE_KIND_CUDA chose, the first one without it. NULL in a build without CUDA. Its threads have a
 * stream, pinned memory and a handle of cuBLAS each. */
const Device *device_cuda(void);

/* For tests: from now on memory of the GPU is filled with bits 1 (NaN, -1) before it is given out. */
void device_cuda_poison(void);

typedef struct GpuInfo {
    char name[256];
    int major, minor; /* compute capability */
    size_t memory, free;
} GpuInfo;
/* The GPUs, at most `most` of them; *n is their number. Errors of DeviceKind.choose. */
Status device_cuda_list(GpuInfo *list, int most, int *n, Error *error);

/* What a GPU did while a profile was on, by all threads together, for `lal bench`. Times are those between two events
 * of CUDA, before and after a launch: of a kernel for which the GPU has to wait, they have the wait too. */
enum { GPU_PROFILE_KERNELS = 256 };
typedef struct GpuKernel {
    char name[64];
    bool product; /* a product of cuBLAS, named after the kernel of kernels.def that asked for it */
    long launches;
    double seconds, flops; /* flops: of products; one multiply-add is two */
} GpuKernel;

typedef struct GpuProfile {
    GpuKernel kernel[GPU_PROFILE_KERNELS];
    int n;
    size_t uploaded, downloaded; /* bytes */
    size_t peak, reserved;       /* most bytes in use at a time; bytes taken from CUDA, in all */
} GpuProfile;
/* From now on *gpu_profile, set to 0 first, counts what the GPU does; NULL ends that, after which the last one is
 * complete. No other thread may compute during the call, and each has synchronised. A profile costs some microseconds a
 * launch; without one nothing is measured. In a build without CUDA nothing is done. */
void device_cuda_profile(GpuProfile *gpu_profile);
