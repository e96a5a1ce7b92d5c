/* Plays a CUDA device on the CPU, so that the files of tensor/cuda run in tests without one. It is included before a
 * .cu file, which is then compiled as C++ (-include tests/cuda/emulator.h -x c++). Blocks run one after the other. The
 * threads of a block are fibres, which switch at barriers and at exchanges between the lanes of a warp; between two
 * barriers they run one after the other. The orders of threads and of blocks are shuffled (emulator_seed). Kernels and
 * copies are done when the call returns, except copies from pinned memory, which are done as late as the order of the
 * stream allows, and copies to it, whose bytes are 1 bits until the stream, or a later event of it, is waited for.
 *
 * What it finds:
 * - Memory that cudaMalloc gave and that host code touches. It is mapped twice, and the host has the addresses without
 *   rights; a launch replaces them by the readable ones, in pointers and in structs, and so do copies and cuBLAS.
 * - Pointers to host memory among the arguments of a kernel.
 * - Memory and shared memory that are read before they are written: both are filled with bits 1 (NaN, -1) at first.
 * - Writes beyond the end of shared memory, and with AddressSanitizer all accesses: each block has its own allocation.
 * - A barrier that only a part of the threads reaches, at which they wait at different lines, and an exchange whose
 *   mask names a lane that does not take part.
 * - Results that depend on the order of threads or blocks, such as those of a missing barrier: under several seeds they
 *   differ.
 * - Launches with no block, too many threads or too much shared memory: these fail as CUDA's do (cudaGetLastError).
 * The others end the program with a message that names the kernel, and with exit status EMULATOR_STATUS.
 *
 * Not found: races between blocks that no order of whole blocks shows, and anything about time. */
#pragma once

#include <algorithm>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tuple>
#include <type_traits>

enum { EMULATOR_STATUS = 71 };

/* The order of threads and blocks from now on, of all host threads; 0: by number. At first EMULATOR_SEED of the
 * environment, else 1. */
extern "C" void emulator_seed(uint64_t seed);
/* How many devices there are from now on, and what the driver's version is (13000: 13.0; 0: there is no driver). At
 * first one, of EMULATOR_DRIVER. */
enum { EMULATOR_DRIVER = 13000 };
void emulator_devices(int n, int driver);
/* cudaMalloc fails beyond this many bytes, all blocks together. At first EMULATOR_MEMORY MiB of the environment, else
 * 1024. */
void emulator_memory(size_t bytes);
/* Streams that were made so far. */
long emulator_streams();
/* Whether cuBLAS, NCCL can be loaded from now on; at first the first one alone. */
void emulator_blas(bool found);
extern "C" void emulator_nccl(bool found);
/* Messages that NCCL has carried so far. */
extern "C" long emulator_messages();

/* ---- the language */

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

typedef struct EmulatorDim {
    unsigned x, y, z;
} EmulatorDim;

struct dim3 : EmulatorDim {
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : EmulatorDim{ a, b, c } {}
};

/* Of the device thread that runs now. */
typedef struct EmulatorPlace {
    EmulatorDim thread, block, threads, blocks;
    unsigned char *shared;
} EmulatorPlace;
extern __thread EmulatorPlace emulator_place;
#define threadIdx emulator_place.thread
#define blockIdx emulator_place.block
#define blockDim emulator_place.threads
#define gridDim emulator_place.blocks
/* Of tensor/cuda/cuda.h. */
#define CUDA_SHARED_BYTES emulator_place.shared

void emulator_barrier(const char *file, int line);
#define __syncthreads() emulator_barrier(__FILE__, __LINE__)

/* What the lanes of a warp exchange: a lane gives `bits` and gets those of `source`, in a ballot a bit of each lane. */
enum { EMULATOR_WAIT, EMULATOR_SHUFFLE, EMULATOR_BALLOT };
uint64_t emulator_exchange(int what, unsigned mask, uint64_t bits, unsigned source);
unsigned emulator_lane();

static inline void __syncwarp(unsigned mask = 0xffffffffu) { emulator_exchange(EMULATOR_WAIT, mask, 0, 0); }
static inline unsigned __ballot_sync(unsigned mask, int yes)
{
    return (unsigned)emulator_exchange(EMULATOR_BALLOT, mask, yes != 0, 0);
}
static inline int __any_sync(unsigned mask, int yes) { return __ballot_sync(mask, yes) != 0; }
static inline int __all_sync(unsigned mask, int yes) { return __ballot_sync(mask, !yes) == 0; }

template <typename T> T emulator_shuffle(unsigned mask, T x, unsigned source)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "one number a lane");
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof x);
    bits = emulator_exchange(EMULATOR_SHUFFLE, mask, bits, source);
    memcpy(&x, &bits, sizeof x);
    return x;
}

template <typename T> T __shfl_sync(unsigned mask, T x, int source)
{
    return emulator_shuffle(mask, x, (unsigned)source % 32);
}
template <typename T> T __shfl_xor_sync(unsigned mask, T x, int by)
{
    return emulator_shuffle(mask, x, (emulator_lane() ^ (unsigned)by) % 32);
}
template <typename T> T __shfl_down_sync(unsigned mask, T x, unsigned by)
{
    return emulator_shuffle(mask, x, emulator_lane() + by < 32 ? emulator_lane() + by : emulator_lane());
}
template <typename T> T __shfl_up_sync(unsigned mask, T x, unsigned by)
{
    return emulator_shuffle(mask, x, emulator_lane() >= by ? emulator_lane() - by : emulator_lane());
}

/* Threads switch nowhere else, so these are plain. */
template <typename T> T atomicAdd(T *to, T by)
{
    T old = *to;
    *to = old + by;
    return old;
}

static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float rsqrt(float x) { return 1 / sqrtf(x); }
using std::max;
using std::min;

/* ---- launches */

/* An argument as the kernel gets it: addresses of device memory become readable ones. */
void *emulator_pointer(const char *kernel, const void *p);
void emulator_struct(const char *kernel, void *p, size_t size);

/* Padding between members could hold stale bytes that look like a part of an address. clang-tidy reads this, too. */
#ifndef __clang__
#define EMULATOR_CLEAR(x) __builtin_clear_padding(&x)
#else
#define EMULATOR_CLEAR(x) ((void)0)
#endif

template <typename T> T emulator_argument(const char *kernel, T x)
{
    if constexpr (std::is_pointer<T>::value) x = (T)emulator_pointer(kernel, (const void *)x);
    else if constexpr (std::is_class<T>::value) {
        EMULATOR_CLEAR(x);
        emulator_struct(kernel, &x, sizeof x);
    } else (void)kernel;
    return x;
}

/* Runs `body` once for each thread; false, with cudaGetLastError, if the launch is refused. */
bool emulator_run(const char *kernel, const void *function, EmulatorDim blocks, EmulatorDim threads, size_t shared,
                  void (*body)(void *), void *arguments);

template <typename... P, typename... A>
void emulator_launch(const char *kernel, void (*function)(P...), dim3 blocks, dim3 threads, size_t shared, A... a)
{
    struct Call {
        void (*function)(P...);
        std::tuple<P...> arguments;
    } call = { function, std::tuple<P...>(emulator_argument<P>(kernel, (P)a)...) };
    emulator_run(
        kernel, (const void *)function, blocks, threads, shared,
        [](void *p) {
            const Call *c = (const Call *)p;
            std::apply(c->function, c->arguments);
        },
        &call);
}

/* Memory that is handed out again is as if it were new. Of tensor/cuda/cuda.h. */
void emulator_poison(void *p, size_t bytes);
#define CUDA_ALLOCATED(p, bytes) emulator_poison(p, bytes)

typedef struct EmulatorStream *cudaStream_t;
/* Does the copies that wait; the second one says that a kernel or a product follows, which takes a millisecond by the
 * clock of events. */
void emulator_flush(cudaStream_t stream);
void emulator_work(cudaStream_t stream);

/* Of tensor/cuda/cuda.h. */
#define CUDA_RUN(kernel, blocks, threads, shared, stream, ...) \
    (emulator_work(stream), emulator_launch(#kernel, kernel, blocks, threads, shared, __VA_ARGS__))

/* ---- the runtime library, as far as tensor/cuda uses it */

typedef enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorNotReady = 600
} cudaError_t;

typedef struct EmulatorEvent *cudaEvent_t;
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
enum { cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaEventDisableTiming = 2, cudaHostAllocDefault = 0 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97 };

cudaError_t cudaGetLastError();
const char *cudaGetErrorString(cudaError_t code);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetDeviceCount(int *n);
cudaError_t cudaSetDevice(int n);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device);
cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute which, int value);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
typedef struct cudaDeviceProp {
    char name[256];
    int major, minor;
} cudaDeviceProp;
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);
cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
/* cudaErrorInvalidValue for events that were not recorded, or not in the same stream. */
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);

/* ---- cuBLAS, as far as tensor/cuda uses it, by the CPU's products, and NCCL (emulator_nccl.cpp), whose ranks are
 * threads of the process. They are loaded, not linked: */

void *emulator_dlopen(const char *name, int flags);
void *emulator_dlsym(void *library, const char *name);
#include <dlfcn.h>
#define dlopen emulator_dlopen
#define dlsym emulator_dlsym

typedef struct EmulatorBlas *cublasHandle_t;
typedef enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_INVALID_VALUE = 7
} cublasStatus_t;
typedef enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 } cublasOperation_t;
typedef enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_64F = 1 } cudaDataType;
typedef enum cublasComputeType_t {
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_64F = 70
} cublasComputeType_t;
typedef enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1 } cublasGemmAlgo_t;
const char *cublasGetStatusString(cublasStatus_t code);

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                                          int n, int k, const void *alpha, const void *a, cudaDataType type_a, int lda,
                                          long long step_a, const void *b, cudaDataType type_b, int ldb,
                                          long long step_b, const void *beta, void *c, cudaDataType type_c, int ldc,
                                          long long step_c, int batch, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm);
