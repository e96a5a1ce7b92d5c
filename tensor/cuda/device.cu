/* tensor/cuda/device.cu: a CUDA device, its memory, and the streams of threads. */
#include "tensor/cuda/cuda.h"

#include <algorithm>
#include <pthread.h>
#include <stdlib.h>

static const size_t ALIGNMENT = 256, STAGING = (size_t)1 << 20;
/* Memory is taken from CUDA, which is slow, in blocks of this part of all there is. */
static const size_t LEAST_BLOCK = (size_t)8 << 20, MOST_BLOCK = (size_t)256 << 20, BLOCKS = 256;

static int device_number; /* the device that is used */
static bool poison;       /* device_cuda_poison */

/* Whether there is a device of this number. */
static Status find_device(Error *e)
{
    int n = 0, driver = 0, runtime = 0;
    cudaError_t code = cudaGetDeviceCount(&n);
    cudaGetLastError();
    if (code == cudaErrorInsufficientDriver) {
        cudaDriverGetVersion(&driver);
        cudaRuntimeGetVersion(&runtime);
        if (driver == 0) return error_set(e, ERR_IO, "CUDA: found no NVIDIA driver");
        return error_set(e, ERR_IO, "CUDA: found an NVIDIA driver for CUDA %d.%d, expected %d.%d or later",
                         driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    }
    if (code == cudaErrorNoDevice) return error_set(e, ERR_IO, "CUDA: found no device");
    if (code != cudaSuccess) return error_set(e, ERR_IO, "CUDA: %s", cudaGetErrorString(code));
    if (device_number >= n)
        return error_set(e, ERR_RANGE, "CUDA: found %d device%s, expected one of number %d", n, n == 1 ? "" : "s",
                         device_number);
    return OK;
}

/* ---- what a thread has of the device */

/* Staging memory is pinned: a copy from it goes on while the thread does. It has two halves, of which one is filled
 * while the other one is copied. */
typedef struct CudaThread {
    bool made;
    cudaStream_t stream;
    CudaBlas blas;
    void *scratch;
    size_t scratch_size;
    unsigned char *staging[2]; /* NULL until the first upload */
    cudaEvent_t copied[2];     /* all copies from it are done */
    int half;
    size_t filled; /* bytes of the half */
    Error failed;  /* the first failure since the last download or synchronise that gave one */
} CudaThread;

static __thread CudaThread of_thread;
static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

static void device_free(void *p);

static void release_thread(void *p)
{
    CudaThread *t = (CudaThread *)p;
    cudaStreamSynchronize(t->stream);
    cuda_profile_release();
    cuda_blas_release(&t->blas);
    device_free(t->scratch);
    for (int k = 0; k < 2; k++) {
        if (t->staging[k]) cudaFreeHost(t->staging[k]);
        if (t->copied[k]) cudaEventDestroy(t->copied[k]);
    }
    cudaStreamDestroy(t->stream);
    memset(t, 0, sizeof *t);
}

static void make_key() { pthread_key_create(&thread_key, release_thread); }

void cuda_keep(const char *what, cudaError_t code)
{
    if (code == cudaSuccess) return;
    error_set(&of_thread.failed, code == cudaErrorMemoryAllocation ? ERR_NOMEM : ERR_IO, "CUDA: %s: %s", what,
              cudaGetErrorString(code));
}

void cuda_keep_error(const Error *e) { error_set(&of_thread.failed, e->code, "%s", e->message); }

static CudaThread *cuda_thread()
{
    CudaThread *t = &of_thread;
    if (t->made) return t;
    if (find_device(&t->failed) != OK) return t;
    cudaError_t code = cudaSetDevice(device_number);
    if (code == cudaSuccess) code = cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking);
    for (int k = 0; k < 2 && code == cudaSuccess; k++)
        code = cudaEventCreateWithFlags(&t->copied[k], cudaEventDisableTiming);
    cuda_keep("start of a thread", code);
    if (code != cudaSuccess) {
        cudaGetLastError();
        return t;
    }
    t->made = true;
    pthread_once(&thread_once, make_key);
    pthread_setspecific(thread_key, t);
    return t;
}

cudaStream_t cuda_stream() { return cuda_thread()->stream; }

CudaBlas *cuda_blas_of_thread() { return &cuda_thread()->blas; }

void cuda_allow_shared(const char *what, const void *kernel, size_t bytes)
{
    if (bytes <= (size_t)48 << 10) return;
    cuda_keep(what, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    cudaGetLastError();
}

/* What has failed since the last call, for the caller. Without `e` it is kept for one that has it. */
static Status failure(Error *e)
{
    Status s = of_thread.failed.code;
    if (s == OK || !e) return s;
    error_set(e, s, "%s", of_thread.failed.message);
    of_thread.failed.code = OK;
    return s;
}

static Status synchronise(Error *e)
{
    CudaThread *t = cuda_thread();
    if (t->made) cuda_keep("synchronise", cudaStreamSynchronize(t->stream));
    if (cuda_profiling) cuda_profile_collect();
    return failure(e);
}

/* ---- memory: ranges of large blocks, first fit */

typedef struct Range {
    unsigned char *at;
    size_t size;
    bool used, first; /* in its block */
    struct Range *next;
} Range;

static struct {
    pthread_mutex_t lock;
    Range *ranges; /* block by block, by address in each */
    size_t block;
    size_t used, most, reserved; /* bytes in use, the most of them since cuda_memory_restart, bytes of all blocks */
} memory = { PTHREAD_MUTEX_INITIALIZER, NULL, 0, 0, 0, 0 };

static Range *new_block(size_t size)
{
    size_t free, total;
    void *p = NULL;
    if (!memory.block) {
        if (cudaMemGetInfo(&free, &total) != cudaSuccess) total = 0;
        memory.block = std::min(std::max(total / BLOCKS, LEAST_BLOCK), MOST_BLOCK);
    }
    Range *r = (Range *)mem_alloc(1, sizeof *r);
    if (!r) return NULL;
    size_t whole = size > memory.block ? size : memory.block;
    if (cudaMalloc(&p, whole) != cudaSuccess && cudaMalloc(&p, whole = size) != cudaSuccess) {
        cudaGetLastError();
        mem_free(r);
        return NULL;
    }
    *r = Range{ (unsigned char *)p, whole, false, true, memory.ranges };
    memory.ranges = r;
    memory.reserved += whole;
    return r;
}

/* Cuts what is not needed off a range; without memory for its description it stays. */
static void cut(Range *r, size_t size)
{
    Range *rest = r->size - size >= ALIGNMENT ? (Range *)mem_alloc(1, sizeof *rest) : NULL;
    if (!rest) return;
    *rest = Range{ r->at + size, r->size - size, false, false, r->next };
    r->size = size;
    r->next = rest;
}

static void *device_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX / 2 || !cuda_thread()->made) return NULL;
    size_t size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size == 0) size = ALIGNMENT;
    pthread_mutex_lock(&memory.lock);
    Range *r = memory.ranges;
    while (r && (r->used || r->size < size)) r = r->next;
    if (!r) r = new_block(size);
    if (r) {
        cut(r, size);
        r->used = true;
        memory.used += r->size;
        memory.most = std::max(memory.most, memory.used);
    }
    pthread_mutex_unlock(&memory.lock);
    if (!r) return NULL;
    CUDA_ALLOCATED(r->at, r->size);
    if (poison) cuda_keep("poison", cudaMemsetAsync(r->at, 0xff, r->size, of_thread.stream));
    return r->at;
}

/* Joins a free range with the next one of its block. */
static void join(Range *r)
{
    Range *next = r->next;
    if (!next || r->used || next->used || next->first) return;
    r->size += next->size;
    r->next = next->next;
    mem_free(next);
}

static void device_free(void *p)
{
    if (!p) return;
    if (of_thread.made) cudaStreamSynchronize(of_thread.stream); /* it may be in use, and another thread's at once */
    pthread_mutex_lock(&memory.lock);
    Range *before = NULL, *r = memory.ranges;
    while (r && r->at != p) before = r, r = r->next;
    if (r) {
        r->used = false;
        memory.used -= r->size;
        join(r);
        if (before && !r->first) join(before);
    }
    pthread_mutex_unlock(&memory.lock);
}

void cuda_memory_used(size_t *most, size_t *reserved)
{
    pthread_mutex_lock(&memory.lock);
    *most = memory.most;
    *reserved = memory.reserved;
    pthread_mutex_unlock(&memory.lock);
}

void cuda_memory_restart()
{
    pthread_mutex_lock(&memory.lock);
    memory.most = memory.used;
    pthread_mutex_unlock(&memory.lock);
}

void *cuda_scratch(const char *what, size_t bytes)
{
    CudaThread *t = cuda_thread();
    if (bytes <= t->scratch_size) return t->scratch;
    device_free(t->scratch);
    t->scratch = device_alloc(bytes);
    t->scratch_size = t->scratch ? bytes : 0;
    if (!t->scratch) cuda_keep(what, cudaErrorMemoryAllocation);
    return t->scratch;
}

/* ---- copies */

/* Room for at least one byte in a half of the staging memory; false where there is none. */
static bool staging_room(CudaThread *t)
{
    if (t->staging[t->half] && t->filled < STAGING) return true;
    if (t->staging[t->half]) {
        cuda_keep("upload", cudaEventRecord(t->copied[t->half], t->stream));
        t->half = 1 - t->half;
        t->filled = 0;
    }
    if (t->staging[t->half]) {
        cuda_keep("upload", cudaEventSynchronize(t->copied[t->half]));
        return true;
    }
    cudaError_t code = cudaHostAlloc((void **)&t->staging[t->half], STAGING, cudaHostAllocDefault);
    cuda_keep("upload", code);
    return code == cudaSuccess;
}

static Status upload(void *to, const void *from, size_t bytes, Error *e)
{
    CudaThread *t = cuda_thread();
    if (cuda_profiling) cuda_profile_copied(bytes, 0);
    for (size_t n; bytes && t->made; bytes -= n) {
        if (!staging_room(t)) break;
        unsigned char *at = t->staging[t->half] + t->filled;
        n = bytes < STAGING - t->filled ? bytes : STAGING - t->filled;
        memcpy(at, from, n);
        cuda_keep("upload", cudaMemcpyAsync(to, at, n, cudaMemcpyHostToDevice, t->stream));
        t->filled += n;
        from = (const unsigned char *)from + n;
        to = (unsigned char *)to + n;
    }
    return failure(e);
}

static Status download(void *to, const void *from, size_t bytes, Error *e)
{
    CudaThread *t = cuda_thread();
    if (cuda_profiling) cuda_profile_copied(0, bytes);
    if (t->made && bytes) cuda_keep("download", cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, t->stream));
    return synchronise(e);
}

/* ---- the device */

Status device_cuda_select(int number, Error *e)
{
    if (number < 0) return error_set(e, ERR_RANGE, "CUDA: found device number %d, expected 0 or more", number);
    device_number = number;
    return find_device(e);
}

void device_cuda_poison(void) { poison = true; }

Status device_cuda_list(GpuInfo *list, int most, int *n, Error *e)
{
    *n = 0;
    int before = device_number, found = 0;
    device_number = 0;
    Status s = find_device(e);
    device_number = before;
    if (s != OK) return s;
    cudaGetDeviceCount(&found);
    for (; *n < found && *n < most; ++*n) {
        GpuInfo *g = &list[*n];
        cudaDeviceProp p;
        *g = GpuInfo{};
        cudaError_t code = cudaGetDeviceProperties(&p, *n);
        if (code == cudaSuccess) code = cudaSetDevice(*n);
        if (code == cudaSuccess) code = cudaMemGetInfo(&g->free, &g->memory);
        if (code != cudaSuccess) return error_set(e, ERR_IO, "CUDA: device %d: %s", *n, cudaGetErrorString(code));
        snprintf(g->name, sizeof g->name, "%s", p.name);
        g->major = p.major;
        g->minor = p.minor;
    }
    return OK;
}

static Status start(int threads, Error *e)
{
    (void)threads; /* each makes its stream when it first asks for something */
    Status s = find_device(e);
    if (s == OK) s = cuda_blas_load(e);
    if (s == OK) s = synchronise(e);
    return s;
}

const Device *device_cuda(void)
{
    static const Kernels kernels = {
#define KERNEL(name, arguments) .name = cuda_##name,
#include "tensor/kernels.def"
#undef KERNEL
    };
    static const Device cuda = { .name = "cuda",
                                 .kernels = &kernels,
                                 .host_memory = false,
                                 .start = start,
                                 .alloc = device_alloc,
                                 .free = device_free,
                                 .upload = upload,
                                 .download = download,
                                 .synchronise = synchronise,
                                 .set_products = cuda_set_products,
                                 .packed = NULL,
                                 .unpack = NULL };
    return &cuda;
}
