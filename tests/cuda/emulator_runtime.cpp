/* Memory, copies and libraries of the emulator. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/cuda/emulator_parts.h"

extern "C" {
#include "tensor/device.h"
}
#undef dlopen
#undef dlsym

/* The most shared memory of a block, of the oldest devices that the kernels are compiled for (sm_80). */
enum { PAGE = 4096, MOST_BLOCKS = 1 << 12, MOST_KERNELS = 64, MOST_SHARED = 163 << 10, PROCESSORS = 8 };
/* Sparse: only what is written takes memory. The lower halves of its addresses are negative as ints: a struct may hold
 * an old upper half between an int and a pointer, and the int and that half are no address then. */
static const size_t REGION = (size_t)2 << 30;

struct Block {
    size_t start, size, bytes; /* in the region, in whole pages; as asked for */
    bool live;
};

static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    unsigned char *seen = NULL, *real = NULL; /* the two mappings: of the program, without rights, and of kernels */
    size_t used = 0, bytes = 0, limit;
    Block block[MOST_BLOCKS] = {}; /* by start */
    int n_blocks = 0, devices, driver;
    bool blas, nccl;
    const void *kernel[MOST_KERNELS] = {}; /* with more shared memory */
    size_t shared[MOST_KERNELS] = {};
    int n_kernels = 0;
    long streams = 0;
} cuda = { .once = PTHREAD_ONCE_INIT,
           .lock = PTHREAD_MUTEX_INITIALIZER,
           .limit = 0,
           .devices = 1,
           .driver = EMULATOR_DRIVER,
           .blas = true,
           .nccl = false };

static __thread cudaError_t last_error;

bool emulator_fail(cudaError_t code)
{
    last_error = code;
    return false;
}

static cudaError_t result(cudaError_t code)
{
    if (code != cudaSuccess) last_error = code;
    return code;
}

void emulator_devices(int n, int driver)
{
    cuda.devices = n;
    cuda.driver = driver;
}
void emulator_memory(size_t bytes) { cuda.limit = bytes; }

static size_t limit()
{
    const char *given = getenv("EMULATOR_MEMORY");
    if (!cuda.limit) cuda.limit = (given ? strtoull(given, NULL, 10) : 1024) << 20;
    return cuda.limit;
}
long emulator_streams() { return cuda.streams; }
void emulator_blas(bool found) { cuda.blas = found; }
void emulator_nccl(bool found) { cuda.nccl = found; }

/* ---- addresses */

static void on_fault(int number, siginfo_t *info, void *context)
{
    const unsigned char *at = (const unsigned char *)info->si_addr;
    (void)context;
    if (at < cuda.seen || at >= cuda.seen + REGION) {
        signal(number, SIG_DFL); /* not ours: happens again, and ends the program as usual */
        return;
    }
    emulator_stop("host code touched CUDA memory at %p", (const void *)at);
}

/* Again at every allocation: cmocka sets handlers of its own before each test. */
static void watch()
{
    struct sigaction a = {};
    a.sa_sigaction = on_fault;
    a.sa_flags = SA_SIGINFO;
    sigemptyset(&a.sa_mask);
    sigaction(SIGSEGV, &a, NULL);
    sigaction(SIGBUS, &a, NULL);
}

static void map_region()
{
    int fd = memfd_create("cuda", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)REGION) != 0) emulator_stop("emulator: no memory file");
    void *room = mmap(NULL, 4 * REGION, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) emulator_stop("emulator: no address space");
    uintptr_t halves = ((uintptr_t)room + REGION - 1) / REGION;
    void *at = (void *)((halves % 2 ? halves : halves + 1) * REGION);
    void *seen = mmap(at, REGION, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0);
    void *real = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    close(fd);
    if (seen == MAP_FAILED || real == MAP_FAILED) emulator_stop("emulator: no address space");
    cuda.seen = (unsigned char *)seen;
    cuda.real = (unsigned char *)real;
}

/* The block that holds the address; NULL: none. Under the lock. */
static Block *block_of(const unsigned char *p)
{
    int from = 0, to = cuda.n_blocks;
    if (to == 0 || p < cuda.seen || p >= cuda.seen + REGION) return NULL;
    size_t at = (size_t)(p - cuda.seen);
    while (to - from > 1) {
        int middle = from + (to - from) / 2;
        if (cuda.block[middle].start <= at) from = middle;
        else to = middle;
    }
    Block *b = &cuda.block[from];
    return at - b->start < b->size ? b : NULL;
}

/* Where a kernel finds what the program knows as p. */
static unsigned char *readable(const char *kernel, const void *p)
{
    pthread_mutex_lock(&cuda.lock);
    const Block *b = block_of((const unsigned char *)p);
    bool live = b && b->live;
    pthread_mutex_unlock(&cuda.lock);
    if (!live) emulator_stop("%s: an argument is %s CUDA memory", kernel, b ? "freed" : "not");
    return cuda.real + ((const unsigned char *)p - cuda.seen);
}

void *emulator_pointer(const char *kernel, const void *p) { return p ? readable(kernel, p) : NULL; }

/* Words of a struct that are addresses. Of host addresses only those of the program's own data, of its heap and of the
 * stack are known as such. */
void emulator_struct(const char *kernel, void *p, size_t size)
{
    extern char __executable_start;
    const uintptr_t here = (uintptr_t)&size, near = 1 << 20;
    for (size_t at = 0; at + sizeof(void *) <= size; at += sizeof(void *)) {
        unsigned char *word;
        memcpy(&word, (char *)p + at, sizeof word);
        bool data = word >= (unsigned char *)&__executable_start && word < (unsigned char *)sbrk(0);
        bool stack = (uintptr_t)word - (here - near) < 2 * near;
        if (data || stack) emulator_stop("%s: an argument holds a pointer to host memory, at byte %zu", kernel, at);
        if (!cuda.seen || word < cuda.seen || word >= cuda.seen + REGION) continue;
        word = readable(kernel, word);
        memcpy((char *)p + at, &word, sizeof word);
    }
}

/* ---- devices and memory */

const char *cudaGetErrorString(cudaError_t code)
{
    switch (code) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInsufficientDriver: return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorNotReady: return "device not ready";
    }
    return "unknown error";
}

cudaError_t cudaGetLastError()
{
    cudaError_t code = last_error;
    last_error = cudaSuccess;
    return code;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = cuda.driver;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = EMULATOR_DRIVER;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *n)
{
    *n = 0;
    if (cuda.driver < EMULATOR_DRIVER) return result(cudaErrorInsufficientDriver);
    if (cuda.devices == 0) return result(cudaErrorNoDevice);
    *n = cuda.devices;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    int n;
    cudaError_t code = cudaGetDeviceCount(&n);
    if (code != cudaSuccess) return code;
    return device >= 0 && device < n ? cudaSuccess : result(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device)
{
    (void)device;
    *value = which == cudaDevAttrMultiProcessorCount ? PROCESSORS : MOST_SHARED;
    return cudaSuccess;
}

size_t emulator_shared_allowed(const void *function)
{
    size_t allowed = 0;
    pthread_mutex_lock(&cuda.lock);
    for (int k = 0; k < cuda.n_kernels; k++)
        if (cuda.kernel[k] == function) allowed = cuda.shared[k];
    pthread_mutex_unlock(&cuda.lock);
    return allowed;
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute which, int value)
{
    (void)which;
    if (value < 0 || value > MOST_SHARED) return result(cudaErrorInvalidValue);
    pthread_mutex_lock(&cuda.lock);
    int k = 0;
    while (k < cuda.n_kernels && cuda.kernel[k] != function) k++;
    if (k == MOST_KERNELS) emulator_stop("emulator: more than %d kernels with much shared memory", MOST_KERNELS);
    if (k == cuda.n_kernels) cuda.n_kernels++;
    cuda.kernel[k] = function;
    cuda.shared[k] = (size_t)value;
    pthread_mutex_unlock(&cuda.lock);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    int n = 0;
    cudaError_t code = cudaGetDeviceCount(&n);
    if (code == cudaSuccess && (device < 0 || device >= n)) code = cudaErrorInvalidDevice;
    *p = cudaDeviceProp{ "emulated", 9, 0 };
    return code;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    *total = limit();
    *free = *total > cuda.bytes ? *total - cuda.bytes : 0;
    return cudaSuccess;
}

static unsigned char *allocate(size_t bytes)
{
    unsigned char *p = NULL;
    size_t whole = (bytes / PAGE + 1) * PAGE;
    pthread_mutex_lock(&cuda.lock);
    if (whole < REGION - cuda.used && cuda.bytes + bytes <= limit() && cuda.n_blocks < MOST_BLOCKS) {
        cuda.block[cuda.n_blocks++] = Block{ cuda.used, whole, bytes, true };
        p = cuda.seen + cuda.used;
        cuda.used += whole + PAGE; /* a page between blocks belongs to none */
        cuda.bytes += bytes;
    }
    pthread_mutex_unlock(&cuda.lock);
    return p;
}

cudaError_t cudaMalloc(void **p, size_t bytes)
{
    int n;
    cudaError_t code = cudaGetDeviceCount(&n);
    if (code != cudaSuccess) return code;
    pthread_once(&cuda.once, map_region);
    watch();
    *p = allocate(bytes);
    if (!*p) return result(cudaErrorMemoryAllocation);
    emulator_poison(*p, bytes);
    return cudaSuccess;
}

void emulator_poison(void *p, size_t bytes) { memset(readable("cudaMalloc", p), 0xff, bytes); }

cudaError_t cudaFree(void *p)
{
    if (!p) return cudaSuccess;
    pthread_mutex_lock(&cuda.lock);
    Block *b = block_of((unsigned char *)p);
    if (!b || !b->live || cuda.seen + b->start != p) emulator_stop("cudaFree: freed what was not allocated");
    b->live = false;
    cuda.bytes -= b->bytes;
    madvise(cuda.real + b->start, b->size, MADV_REMOVE); /* gives the memory back, not the addresses */
    pthread_mutex_unlock(&cuda.lock);
    return cudaSuccess;
}

/* Pinned memory: an allocation with a header, so that copies from it are known. */
struct Pinned {
    unsigned char *bytes;
    size_t size;
    Pinned *next;
};
static Pinned *pinned;

cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags)
{
    (void)flags;
    Pinned *x = new Pinned{ new unsigned char[bytes], bytes, NULL };
    memset(x->bytes, 0xff, bytes);
    pthread_mutex_lock(&cuda.lock);
    x->next = pinned;
    pinned = x;
    pthread_mutex_unlock(&cuda.lock);
    *p = x->bytes;
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *p)
{
    pthread_mutex_lock(&cuda.lock);
    Pinned **at = &pinned;
    while (*at && (*at)->bytes != p) at = &(*at)->next;
    Pinned *x = *at;
    if (!x) emulator_stop("cudaFreeHost: freed what was not allocated");
    *at = x->next;
    pthread_mutex_unlock(&cuda.lock);
    delete[] x->bytes;
    delete x;
    return cudaSuccess;
}

static bool is_pinned(const void *p)
{
    pthread_mutex_lock(&cuda.lock);
    const Pinned *x = pinned;
    while (x && !((const unsigned char *)p >= x->bytes && (const unsigned char *)p < x->bytes + x->size)) x = x->next;
    pthread_mutex_unlock(&cuda.lock);
    return x != NULL;
}

/* ---- streams */

struct Copy {
    unsigned char *to;
    const void *from;
    size_t bytes;
    Copy *next;
};

/* A copy to pinned memory, as it will be found. */
struct Landing {
    unsigned char *to, *bytes;
    size_t size;
    Landing *next;
};

struct EmulatorStream {
    Copy *first, **last; /* copies from pinned memory that are not done yet */
    Landing *landing, **last_landing;
    long now; /* milliseconds: kernels and products so far */
};

struct EmulatorEvent {
    cudaStream_t stream;
    long at;
    bool timed;
};

void emulator_flush(cudaStream_t stream)
{
    if (!stream) return;
    for (Copy *c = stream->first, *next; c; c = next) {
        next = c->next;
        memcpy(c->to, c->from, c->bytes);
        delete c;
    }
    stream->first = NULL;
    stream->last = &stream->first;
}

/* The stream is waited for. */
static void land(cudaStream_t stream)
{
    emulator_flush(stream);
    if (!stream) return;
    for (Landing *x = stream->landing, *next; x; x = next) {
        next = x->next;
        memcpy(x->to, x->bytes, x->size);
        delete[] x->bytes;
        delete x;
    }
    stream->landing = NULL;
    stream->last_landing = &stream->landing;
}

void emulator_work(cudaStream_t stream)
{
    emulator_flush(stream);
    if (stream) stream->now++;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    *stream = new EmulatorStream();
    land(*stream);
    pthread_mutex_lock(&cuda.lock);
    cuda.streams++;
    pthread_mutex_unlock(&cuda.lock);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    land(stream);
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    land(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    emulator_flush(stream);
    return emulator_nccl_waits(stream) ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    *event = new EmulatorEvent();
    (*event)->timed = flags != cudaEventDisableTiming;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    event->stream = stream;
    event->at = stream ? stream->now : 0;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    if (!from->timed || !to->timed || !from->stream || from->stream != to->stream) return cudaErrorInvalidValue;
    *milliseconds = (float)(to->at - from->at);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    land(event->stream);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    if (bytes == 0) return cudaSuccess;
    if (kind == cudaMemcpyHostToDevice && stream && is_pinned(from)) {
        Copy *c = new Copy{ readable("cudaMemcpyAsync", to), from, bytes, NULL };
        *stream->last = c;
        stream->last = &c->next;
        return cudaSuccess;
    }
    emulator_flush(stream);
    if (kind != cudaMemcpyDeviceToHost) to = readable("cudaMemcpyAsync", to);
    if (kind != cudaMemcpyHostToDevice) from = readable("cudaMemcpyAsync", from);
    if (kind == cudaMemcpyDeviceToHost && stream && is_pinned(to)) {
        Landing *x = new Landing{ (unsigned char *)to, new unsigned char[bytes], bytes, NULL };
        memcpy(x->bytes, from, bytes);
        memset(to, 0xff, bytes);
        *stream->last_landing = x;
        stream->last_landing = &x->next;
        return cudaSuccess;
    }
    memmove(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    emulator_flush(stream);
    if (bytes) memset(readable("cudaMemsetAsync", to), value, bytes);
    return cudaSuccess;
}

/* ---- cuBLAS */

struct EmulatorBlas {
    cudaStream_t stream;
};

const char *cublasGetStatusString(cublasStatus_t code)
{
    return code == CUBLAS_STATUS_INVALID_VALUE ? "invalid value" : "not initialised";
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    *handle = new EmulatorBlas();
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    (void)handle;
    return workspace && bytes && (uintptr_t)workspace % 256 == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

static bool leading_ok(cublasOperation_t op, int rows, int cols, int ld)
{
    int least = op == CUBLAS_OP_N ? rows : cols;
    return ld >= (least > 1 ? least : 1);
}

/* A column-major product is the row-major one of the transposed matrices in the other order. */
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                                          int n, int k, const void *alpha, const void *a, cudaDataType type_a, int lda,
                                          long long step_a, const void *b, cudaDataType type_b, int ldb,
                                          long long step_b, const void *beta, void *c, cudaDataType type_c, int ldc,
                                          long long step_c, int batch, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm)
{
    cudaDataType want = sizeof(Real) == sizeof(double) ? CUDA_R_64F : CUDA_R_32F;
    (void)algorithm;
    if (type_a != want || type_b != want || type_c != want || (compute == CUBLAS_COMPUTE_64F) != (want == CUDA_R_64F) ||
        m < 0 || n < 0 || k < 0 || batch < 0 || !leading_ok(ta, m, k, lda) || !leading_ok(tb, k, n, ldb) ||
        !leading_ok(CUBLAS_OP_N, m, n, ldc) || (*(const Real *)beta != 0 && *(const Real *)beta != 1))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
    emulator_work(handle->stream);
    const Real *at = (const Real *)emulator_pointer("cuBLAS", a), *bt = (const Real *)emulator_pointer("cuBLAS", b);
    Real *ct = (Real *)emulator_pointer("cuBLAS", c);
    for (int i = 0; i < batch; i++)
        device_cpu()->kernels->gemm(tb == CUBLAS_OP_T, ta == CUBLAS_OP_T, n, m, k, *(const Real *)alpha,
                                    bt + i * step_b, ldb, at + i * step_a, lda, *(const Real *)beta != 0,
                                    ct + i * step_c, ldc);
    return CUBLAS_STATUS_SUCCESS;
}

void *emulator_dlopen(const char *name, int flags)
{
    if (strstr(name, "libcublas") && cuda.blas) return &cuda.blas;
    if (strstr(name, "libnccl") && cuda.nccl) return &cuda.nccl;
    return dlopen(strstr(name, "libcublas") || strstr(name, "libnccl") ? "/emulator/none.so" : name, flags);
}

void *emulator_dlsym(void *library, const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } known[] = { { "cublasCreate_v2", (void *)cublasCreate_v2 },
                  { "cublasDestroy_v2", (void *)cublasDestroy_v2 },
                  { "cublasGetStatusString", (void *)cublasGetStatusString },
                  { "cublasSetStream_v2", (void *)cublasSetStream_v2 },
                  { "cublasSetWorkspace_v2", (void *)cublasSetWorkspace_v2 },
                  { "cublasGemmStridedBatchedEx", (void *)cublasGemmStridedBatchedEx } };
    if (library == (void *)&cuda.nccl) return emulator_nccl_function(name);
    if (library != (void *)&cuda.blas) return dlsym(library, name);
    for (const auto &k : known)
        if (strcmp(k.name, name) == 0) return k.function;
    return NULL;
}
