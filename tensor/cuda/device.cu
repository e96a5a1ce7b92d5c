/* A CUDA device, its memory, and the streams of threads. */
#include "tensor/cuda/cuda.h"

#include <algorithm>
#include <pthread.h>
#include <stdlib.h>

static const size_t ALIGNMENT = 256, STAGING = (size_t)1 << 20, LANDING = (size_t)2 << 20;
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

/* Making one takes a while, and freeing pinned memory waits for the whole device: a thread that ends leaves its part
 * to the next one. Staging memory is pinned: a copy from it goes on while the thread does. It has two halves, of which
 * one is filled while the other one is copied. What is fetched lands in pinned memory, too, and goes where it was asked
 * for once the thread waits. */
enum { MOST_FETCHED = 256 };
typedef struct CudaFetched {
    void *to;
    size_t at, bytes; /* in the landing memory */
} CudaFetched;

typedef struct CudaPart {
    cudaStream_t stream;
    CudaBlas blas;
    void *scratch;
    size_t scratch_size;
    unsigned char *staging[2];
    cudaEvent_t copied[2]; /* all copies from it are done */
    int half;
    size_t filled; /* bytes of the half */
    unsigned char *landing;
    size_t landed; /* bytes */
    int n_fetched;
    CudaFetched fetched[MOST_FETCHED];
    struct CudaPart *next;
} CudaPart;

static struct {
    pthread_mutex_t lock;
    CudaPart *unused;
    int made;
} parts = { PTHREAD_MUTEX_INITIALIZER, NULL, 0 };

static __thread CudaPart *part_of_thread;
static __thread Error failed; /* the thread's first failure since the last download or synchronise that gave one */
static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

static void put_part(CudaPart *p)
{
    pthread_mutex_lock(&parts.lock);
    p->next = parts.unused;
    parts.unused = p;
    pthread_mutex_unlock(&parts.lock);
}

static void leave_part(void *p)
{
    CudaPart *part = (CudaPart *)p;
    cudaStreamSynchronize(part->stream);
    part->n_fetched = 0;
    part->landed = 0;
    cuda_profile_release();
    put_part(part);
    part_of_thread = NULL;
}

static void make_key() { pthread_key_create(&thread_key, leave_part); }

void cuda_keep(const char *what, cudaError_t code)
{
    if (code == cudaSuccess) return;
    error_set(&failed, code == cudaErrorMemoryAllocation ? ERR_NOMEM : ERR_IO, "CUDA: %s: %s", what,
              cudaGetErrorString(code));
}

void cuda_keep_error(const Error *error) { error_set(&failed, error->code, "%s", error->message); }

/* A part for one more thread; NULL, and the failure is kept, where it cannot be made. */
static CudaPart *new_part()
{
    CudaPart *p = (CudaPart *)mem_calloc(1, sizeof *p);
    if (!p) {
        cuda_keep("start of a thread", cudaErrorMemoryAllocation);
        return NULL;
    }
    cudaError_t code = cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking);
    for (int k = 0; k < 2 && code == cudaSuccess; k++) {
        code = cudaEventCreateWithFlags(&p->copied[k], cudaEventDisableTiming);
        if (code == cudaSuccess) code = cudaHostAlloc((void **)&p->staging[k], STAGING, cudaHostAllocDefault);
    }
    if (code == cudaSuccess) code = cudaHostAlloc((void **)&p->landing, LANDING, cudaHostAllocDefault);
    cuda_keep("start of a thread", code);
    if (code == cudaSuccess) {
        pthread_mutex_lock(&parts.lock);
        parts.made++;
        pthread_mutex_unlock(&parts.lock);
        return p;
    }
    cudaGetLastError();
    for (int k = 0; k < 2; k++) {
        if (p->staging[k]) cudaFreeHost(p->staging[k]);
        if (p->copied[k]) cudaEventDestroy(p->copied[k]);
    }
    if (p->stream) cudaStreamDestroy(p->stream);
    mem_free(p);
    return NULL;
}

/* The part of the calling thread: its stream, and its memory for copies. NULL where it cannot be made; the failure is
 * kept. */
static CudaPart *cuda_part()
{
    if (part_of_thread) return part_of_thread;
    if (find_device(&failed) != OK) return NULL;
    cudaError_t code = cudaSetDevice(device_number);
    cuda_keep("start of a thread", code);
    if (code != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    pthread_mutex_lock(&parts.lock);
    CudaPart *p = parts.unused;
    if (p) parts.unused = p->next;
    pthread_mutex_unlock(&parts.lock);
    if (!p) p = new_part();
    if (!p) return NULL;
    pthread_once(&thread_once, make_key);
    pthread_setspecific(thread_key, p);
    return part_of_thread = p;
}

cudaStream_t cuda_stream()
{
    const CudaPart *p = cuda_part();
    return p ? p->stream : NULL;
}

CudaBlas *cuda_blas_of_thread()
{
    CudaPart *p = cuda_part();
    return p ? &p->blas : NULL;
}

void cuda_allow_shared(const char *what, const void *kernel, size_t bytes)
{
    if (bytes <= (size_t)48 << 10) return;
    cuda_keep(what, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    cudaGetLastError();
}

/* What has failed since the last call, for the caller. Without `e` it is kept for one that has it. */
static Status failure(Error *e)
{
    Status s = failed.code;
    if (s == OK || !e) return s;
    error_set(e, s, "%s", failed.message);
    failed.code = OK;
    return s;
}

/* Until all is done; what was fetched is there then. */
static void wait(const char *what, CudaPart *p)
{
    cuda_keep(what, cudaStreamSynchronize(p->stream));
    for (int k = 0; k < p->n_fetched; k++) memcpy(p->fetched[k].to, p->landing + p->fetched[k].at, p->fetched[k].bytes);
    p->n_fetched = 0;
    p->landed = 0;
}

static Status synchronise(Error *e)
{
    CudaPart *p = cuda_part();
    if (p) wait("synchronise", p);
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
    bool ok = cudaMalloc(&p, whole) == cudaSuccess || cudaMalloc(&p, whole = size) == cudaSuccess;
    cudaGetLastError(); /* a failure is no launch's */
    if (!ok) {
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
    if (bytes > SIZE_MAX / 2 || !cuda_part()) return NULL;
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
    if (poison) cuda_keep("poison", cudaMemsetAsync(r->at, 0xff, r->size, cuda_stream()));
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
    /* Kernels of this thread may still use the memory, and another thread may get it at once. */
    if (part_of_thread) cudaStreamSynchronize(part_of_thread->stream);
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

/* What CUDA has and what is free of its blocks. */
static size_t available()
{
    size_t free = 0, total = 0;
    if (!cuda_part() || cudaMemGetInfo(&free, &total) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    pthread_mutex_lock(&memory.lock);
    free += memory.reserved - memory.used;
    pthread_mutex_unlock(&memory.lock);
    return free;
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
    CudaPart *p = cuda_part();
    if (!p) return NULL;
    if (bytes <= p->scratch_size) return p->scratch;
    device_free(p->scratch);
    p->scratch = device_alloc(bytes);
    p->scratch_size = p->scratch ? bytes : 0;
    if (!p->scratch) cuda_keep(what, cudaErrorMemoryAllocation);
    return p->scratch;
}

/* ---- copies */

/* Room for at least one byte in a half of the staging memory: when one is full, the other one, once it is copied. */
static void staging_room(CudaPart *p)
{
    if (p->filled < STAGING) return;
    cuda_keep("upload", cudaEventRecord(p->copied[p->half], p->stream));
    p->half = 1 - p->half;
    p->filled = 0;
    cuda_keep("upload", cudaEventSynchronize(p->copied[p->half]));
}

static Status upload(void *to, const void *from, size_t bytes, Error *e)
{
    CudaPart *p = cuda_part();
    if (cuda_profiling) cuda_profile_copied(bytes, 0);
    for (size_t n; bytes && p; bytes -= n) {
        staging_room(p);
        unsigned char *at = p->staging[p->half] + p->filled;
        n = bytes < STAGING - p->filled ? bytes : STAGING - p->filled;
        memcpy(at, from, n);
        cuda_keep("upload", cudaMemcpyAsync(to, at, n, cudaMemcpyHostToDevice, p->stream));
        p->filled += n;
        from = (const unsigned char *)from + n;
        to = (unsigned char *)to + n;
    }
    return failure(e);
}

static Status download(void *to, const void *from, size_t bytes, Error *e)
{
    const CudaPart *p = cuda_part();
    if (cuda_profiling) cuda_profile_copied(0, bytes);
    if (p && bytes) cuda_keep("download", cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, p->stream));
    return synchronise(e);
}

static Status fetch(void *to, const void *from, size_t bytes, Error *e)
{
    CudaPart *p = cuda_part();
    if (cuda_profiling) cuda_profile_copied(0, bytes);
    for (size_t n; bytes && p; bytes -= n) {
        if (p->landed == LANDING || p->n_fetched == MOST_FETCHED) wait("fetch", p);
        n = bytes < LANDING - p->landed ? bytes : LANDING - p->landed;
        cuda_keep("fetch", cudaMemcpyAsync(p->landing + p->landed, from, n, cudaMemcpyDeviceToHost, p->stream));
        p->fetched[p->n_fetched++] = CudaFetched{ to, p->landed, n };
        p->landed += n;
        from = (const unsigned char *)from + n;
        to = (unsigned char *)to + n;
    }
    return failure(e);
}

/* ---- the device */

void device_cuda_poison(void) { poison = true; }

Status device_cuda_list(GpuInfo *list, int most, int *n, Error *error)
{
    *n = 0;
    int before = device_number, found = 0;
    device_number = 0;
    Status s = find_device(error);
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
        if (code != cudaSuccess) return error_set(error, ERR_IO, "CUDA: device %d: %s", *n, cudaGetErrorString(code));
        snprintf(g->name, sizeof g->name, "%s", p.name);
        g->major = p.major;
        g->minor = p.minor;
    }
    return OK;
}

static int parts_made()
{
    pthread_mutex_lock(&parts.lock);
    int n = parts.made;
    pthread_mutex_unlock(&parts.lock);
    return n;
}

static Status start(int threads, bool trains, Error *e)
{
    (void)trains;
    Status s = find_device(e);
    if (s == OK) s = cuda_blas_load(e);
    if (s == OK) s = synchronise(e);
    if (s == OK) s = cuda_blas_make(cuda_blas_of_thread(), cuda_stream(), e);
    while (s == OK && parts_made() < threads) {
        CudaPart *p = new_part();
        s = p ? cuda_blas_make(&p->blas, p->stream, e) : failure(e);
        if (p) put_part(p);
    }
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
                                 .measures = false,
                                 .start = start,
                                 .alloc = device_alloc,
                                 .free = device_free,
                                 .available = available,
                                 .upload = upload,
                                 .download = download,
                                 .fetch = fetch,
                                 .synchronise = synchronise,
                                 .set_products = cuda_set_products,
                                 .parse_products = NULL,
                                 .packed = NULL,
                                 .unpack = NULL,
                                 .link = cuda_nccl_link };
    return &cuda;
}

static Status choose(int number, const Device **out, Error *e)
{
    if (number < 0) return error_set(e, ERR_RANGE, "CUDA: found device number %d, expected 0 or more", number);
    device_number = number;
    Status s = find_device(e);
    if (s == OK) *out = device_cuda();
    return s;
}

const DeviceKind DEVICE_KIND_CUDA = { "cuda", true, choose };
