/* tensor/device.h
 * A kind of machine that computes: its memory and its kernels. A tape, the parameters of a pass and everything on the
 * tape belong to one device. What a thread asks of a device is done in that order, but calls may return before it is
 * done; `download` and `synchronise` wait. A thread that leaves results to another one synchronises first. */
#ifndef LAL_TENSOR_DEVICE_H
#define LAL_TENSOR_DEVICE_H

#include "tensor/kernels.h"

typedef struct Device {
    const char *name;
    const Kernels *kernels;
    bool host_memory; /* its memory is the host's, so that the host may read it in place */
    /* Prepares for `threads` threads that compute at the same time; to be called before them, and again for more of
     * them. On the CPU it loads OpenBLAS and makes its buffers, 128 MiB of address space a thread: ERR_NOMEM where
     * there is no room for them, ERR_IO without the library. A product before it loads OpenBLAS for one thread, and is
     * a plain loop where that fails. Thread safe. */
    Status (*start)(int threads, Error *e);
    /* Memory of the device, 64-byte aligned, not zeroed; NULL when it is out. Thread safe. */
    void *(*alloc)(size_t bytes);
    void (*free)(void *p); /* NULL: nothing */
    /* Copies. `from` of an upload may be changed as soon as the call returns. */
    Status (*upload)(void *to, const void *from, size_t bytes, Error *e);
    Status (*download)(void *to, const void *from, size_t bytes, Error *e);
    /* Waits for all that the calling thread has asked for; returns what of it has failed. */
    Status (*synchronise)(Error *e);
} Device;

const Device *device_cpu(void);
/* NULL in a build without CUDA. */
const Device *device_cuda(void);
/* Whether the operands of large products on the CPU are rounded to bfloat16 (8 bits of precision), their sums in float:
 * by oneDNN, several times as fast where the processor has AMX or AVX512-BF16. Results depend neither on threads nor on
 * the order of calls, but on the processor. No product may run meanwhile. ERR_CONFIG in a program built without oneDNN
 * or with Real double, ERR_IO without the library. */
Status device_cpu_bfloat(bool on, Error *e);
/* The device that the programs use. */
const Device *device_default(void);

/* `count` numbers on the device, all 0; NULL when its memory is out. To be freed with d->free. */
Real *device_zeros(const Device *d, size_t count);

/* Time and work of the matrix products of one thread, for `lal bench`. */
typedef struct GemmProfile {
    double seconds, flops; /* one multiply-add is two */
} GemmProfile;
/* From now on the calling thread's products on the CPU are added to *p; NULL ends that. */
void device_cpu_profile(GemmProfile *p);

#endif
