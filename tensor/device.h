/* tensor/device.h
 * A kind of machine that computes: its memory and its kernels. A tape, the parameters of a pass and everything on the
 * tape belong to one device. What a thread asks of a device is done in that order, but calls may return before it is
 * done; `download` and `synchronise` wait. A thread that leaves results to another one synchronises first. */
#ifndef LAL_TENSOR_DEVICE_H
#define LAL_TENSOR_DEVICE_H

#include "tensor/kernels.h"

/* How the operands of large products are rounded before they are multiplied; sums are in Real. bf16 has 8 bits of
 * precision, tf32 11. int8 is for products with weights that do not change (params_constant), other ones are in Real:
 * weights are whole numbers by a scale for each row, as tensor/int8.h stores them, so that the weights of a file in 8
 * bits are what it has; rows of activations, by the weights' scales, are whole numbers up to 127 by a scale of their
 * own; sums are exact and then rounded to Real. */
typedef enum Products { PRODUCTS_REAL, PRODUCTS_BF16, PRODUCTS_TF32, PRODUCTS_INT8 } Products;

typedef struct Device {
    const char *name;
    const Kernels *kernels;
    bool host_memory; /* its memory is the host's, so that the host may read it in place */
    bool measures;    /* counts memory and computes nothing: device_measuring */
    /* Prepares for `threads` threads that compute at the same time, the caller among them; to be called before them,
     * and again for more of them. On a GPU it makes the stream, pinned memory and cuBLAS handle of each; a thread that
     * it did not prepare for makes its own. On the CPU it loads OpenBLAS and makes its buffers, 128 MiB of address
     * space a thread: ERR_NOMEM where there is no room for them, ERR_IO without the library. A product before it loads
     * OpenBLAS for one thread, and is a plain loop where that fails. Thread safe. */
    Status (*start)(int threads, Error *e);
    /* Memory of the device, 64-byte aligned, not zeroed; NULL when it is out. Thread safe. */
    void *(*alloc)(size_t bytes);
    void (*free)(void *p); /* NULL: nothing */
    /* Bytes that alloc can still give, together; NULL: the device does not know. Thread safe. */
    size_t (*available)(void);
    /* Copies. `from` of an upload may be changed as soon as the call returns. */
    Status (*upload)(void *to, const void *from, size_t bytes, Error *e);
    Status (*download)(void *to, const void *from, size_t bytes, Error *e);
    /* A download that does not wait: `to` holds the bytes after the thread's next download or synchronise, and must
     * stay valid until then. Later kernels and copies of the thread may overwrite `from`. */
    Status (*fetch)(void *to, const void *from, size_t bytes, Error *e);
    /* Waits for all that the calling thread has asked for; returns what of it has failed. */
    Status (*synchronise)(Error *e);
    /* From now on products are these; PRODUCTS_REAL at first. No product may run meanwhile. ERR_CONFIG where the device
     * or this build has none such, ERR_IO without the library. On the CPU PRODUCTS_BF16 is computed by oneDNN, several
     * times as fast where the processor has AMX or AVX512-BF16, and so is PRODUCTS_INT8 (AMX or AVX512-VNNI); results
     * depend neither on threads nor on the order of calls, but on the processor. */
    Status (*set_products)(Products p, Error *e);
    /* A place for copies of a weight that does not change, which the first products with it make; NULL when out of
     * memory. Both may be NULL: this device needs no copies. */
    PackedWeight *(*packed)(void);
    void (*unpack)(PackedWeight *p);
} Device;

const Device *device_cpu(void);
/* The GPU that device_cuda_select chose, the first one without it. NULL in a build without CUDA. */
const Device *device_cuda(void);
/* Chooses GPU n, from 0, before anything uses device_cuda: ERR_CONFIG in a build without CUDA, ERR_IO where there is no
 * driver or no GPU, or the driver is too old, ERR_RANGE where there is no GPU n. */
Status device_cuda_select(int n, Error *e);

/* A device for dry runs: its addresses point to no memory, its kernels do nothing, and downloads give 0. A tape on it
 * counts the memory that the same pass needs on another device (tape_need). Host code checks `measures` where it would
 * search in scores for long, or where the size of a tape depends on scores, and assumes the largest size. */
const Device *device_measuring(void);

/* For tests: from now on memory of the GPU is filled with bits 1 (NaN, -1) before it is given out. */
void device_cuda_poison(void);

typedef struct GpuInfo {
    char name[256];
    int major, minor; /* compute capability */
    size_t memory, free;
} GpuInfo;
/* The GPUs, at most `most` of them; *n is their number. Errors as above. */
Status device_cuda_list(GpuInfo *list, int most, int *n, Error *e);

/* The device that programs use: the CPU, or what device_choose chose. */
const Device *device_default(void);
/* What multiplies on the CPU. Loads the libraries. */
typedef struct CpuLibraries {
    char openblas[32], kernels[32]; /* version, and the processor its kernels are for; "" where it is another BLAS */
    char onednn[32];                /* version; "" where it cannot be used */
    bool bfloat;                    /* device_cpu_bfloat */
} CpuLibraries;
void device_cpu_libraries(CpuLibraries *out);
/* Are products in bf16 faster than those in f32? Loads oneDNN. */
bool device_cpu_bfloat(void);
/* Products to parse with where nobody has chosen: bf16 where the default device is the CPU and is fast with them. */
Products device_parse_products(void);

/* Chooses "cpu", "cuda" (the first GPU) or "cuda:N", before anything computes or loads a model. ERR_USAGE for another
 * name, else the errors of device_cuda_select. */
Status device_choose(const char *name, Error *e);

/* `count` numbers on the device, all 0; NULL when its memory is out. To be freed with d->free. */
Real *device_zeros(const Device *d, size_t count);

/* What a GPU did while a profile was on, by all threads together, for `lal bench`. Times are those between two events
 * of CUDA, before and after a launch: of a kernel for which the GPU has to wait, they have the wait too. */
enum { GPU_PROFILE_KERNELS = 256 };
typedef struct GpuKernel {
    char name[64];
    bool product; /* of cuBLAS, named after the kernel of kernels.def that asked for it */
    long launches;
    double seconds, flops; /* flops: of products; one multiply-add is two */
} GpuKernel;

typedef struct GpuProfile {
    GpuKernel kernel[GPU_PROFILE_KERNELS];
    int n;
    size_t uploaded, downloaded; /* bytes */
    size_t peak, reserved;       /* most bytes in use at a time; bytes taken from CUDA, in all */
} GpuProfile;
/* From now on *p, set to 0 first, counts what the GPU does; NULL ends that, after which the last one is complete. No
 * other thread may compute during the call, and each has synchronised. A profile costs some microseconds a launch;
 * without one nothing is measured. In a build without CUDA nothing is done. */
void device_cuda_profile(GpuProfile *p);

/* Time and work of the matrix products of one thread, for `lal bench`. */
typedef struct GemmProfile {
    double seconds, flops; /* one multiply-add is two */
} GemmProfile;
/* From now on the calling thread's products on the CPU are added to *p; NULL ends that. */
void device_cpu_profile(GemmProfile *p);

#endif
