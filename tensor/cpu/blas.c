/* Matrix products of OpenBLAS, which is loaded when a command trains. Linked in the usual way it
 * would be initialised before main: it maps 40 MiB and reserves a buffer for each processor, and without address space
 * for a buffer its allocator retries forever (blas_memory_alloc, OpenBLAS 0.3.21). So the address space is checked
 * first, and the buffers are allocated before the first product. */
#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "tensor/cpu/cpu.h"

#ifdef LAL_REAL_DOUBLE
#define PRODUCT "cblas_dgemm"
#else
#define PRODUCT "cblas_sgemm"
#endif
/* As cblas.h declares it, which is not needed to build. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };
typedef void (*Product)(int order, int trans_a, int trans_b, int m, int n, int k, Real alpha, const Real *a, int lda,
                        const Real *b, int ldb, Real beta, Real *c, int ldc);

/* Address space that OpenBLAS takes: a buffer for each thread that multiplies (BUFFER_SIZE of its common_x86_64.h;
 * /proc shows the same), and the library itself, once. */
static const size_t MIB = (size_t)1 << 20, BUFFER = (size_t)128 << 20, LIBRARY = (size_t)48 << 20;

/* The functions used. The allocator and its counterpart exist in OpenBLAS only; NULL in another BLAS. */
static struct {
    pthread_mutex_t lock;
    void *library;
    void *(*alloc)(int);
    void (*release)(void *);
    int threads;              /* buffers allocated */
    _Atomic(Product) product; /* NULL until the library is loaded */
} blas = { .lock = PTHREAD_MUTEX_INITIALIZER };

typedef void (*Function)(void);
typedef const char *(*Describe)(void);

/* ISO C has no cast from a data pointer to a function pointer; POSIX gives both the same representation. */
static Function find(const char *name)
{
    void *p = dlsym(blas.library, name);
    Function f;
    memcpy(&f, &p, sizeof f);
    return f;
}

static Status load(Error *e)
{
    if (blas.product) return OK;
    blas.library = dlopen(LAL_BLAS, RTLD_NOW | RTLD_LOCAL);
    if (!blas.library) {
        const char *why = dlerror();
        return error_set(e, ERR_IO, "cannot load OpenBLAS: %s", why ? why : LAL_BLAS);
    }
    void (*set_threads)(int) = (void (*)(int))find("openblas_set_num_threads");
    if (set_threads) set_threads(1); /* the program has threads of its own */
    blas.alloc = (void *(*)(int))find("blas_memory_alloc");
    blas.release = (void (*)(void *))find("blas_memory_free");
    Product product = (Product)find(PRODUCT);
    atomic_store(&blas.product, product);
    return product ? OK : error_set(e, ERR_IO, "%s: found no %s, expected OpenBLAS", LAL_BLAS, PRODUCT);
}

void device_cpu_libraries(CpuLibraries *out)
{
    out->openblas[0] = out->kernels[0] = 0;
    if (cpu_blas_start(1, NULL) != OK) return;
    Describe config = (Describe)find("openblas_get_config"), core = (Describe)find("openblas_get_corename");
    if (!config || !core) return;
    if (sscanf(config(), "OpenBLAS %31s", out->openblas) != 1) out->openblas[0] = 0;
    snprintf(out->kernels, sizeof out->kernels, "%s", core());
}

/* MiB that may still be mapped; -1: no limit. */
static long address_space_left(void)
{
    struct rlimit limit;
    long pages = 0;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld", &pages) != 1) pages = 0;
    if (f) fclose(f);
    size_t used = (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
    return used < limit.rlim_cur ? (long)((limit.rlim_cur - used) / MIB) : 0;
}

static size_t stack_size(void)
{
    pthread_attr_t attr;
    size_t size = 8 * MIB;
    if (pthread_attr_init(&attr) != 0) return size;
    pthread_attr_getstacksize(&attr, &size);
    pthread_attr_destroy(&attr);
    return size;
}

/* Address space that is held until OpenBLAS takes it: of the library first, then of each thread. */
typedef struct Room {
    char *at;
    size_t size;
} Room;

static void room_leave(Room *r, size_t size)
{
    if (size > r->size) size = r->size;
    if (size) munmap(r->at, size);
    r->at += size;
    r->size -= size;
}

static size_t library_size(void) { return blas.library ? 0 : LIBRARY; }

static size_t thread_size(void) { return BUFFER + stack_size(); }

/* Is there address space for the library, if it is not loaded, and for the threads' buffers and stacks? Buffers that
 * were allocated before may be in use. */
static Status room_find(Room *r, int threads, Error *e)
{
    size_t need = (size_t)threads * thread_size() + library_size();
    void *p = mmap(NULL, need, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) {
        *r = (Room){ p, need };
        return OK;
    }
    long left = address_space_left();
    const char *s = threads > 1 ? "s" : "";
    if (left < 0)
        return error_set(e, ERR_NOMEM,
                         "out of memory: expected at least %zu MiB of address space for %d thread%s of OpenBLAS",
                         need / MIB, threads, s);
    return error_set(e, ERR_NOMEM,
                     "out of memory: found %ld MiB of address space (ulimit -v), expected at least %zu MiB for %d "
                     "thread%s of OpenBLAS",
                     left, need / MIB, threads, s);
}

/* OpenBLAS keeps a freed buffer for the next product, so all are allocated now, while there is room. */
static Status make_buffers(Room *r, int threads, Error *e)
{
    if (!blas.alloc || !blas.release) return OK; /* another BLAS */
    void **buffer = mem_calloc((size_t)threads, sizeof *buffer);
    if (!buffer) return error_set(e, ERR_NOMEM, "out of memory for %d threads", threads);
    for (int k = 0; k < threads; k++) {
        room_leave(r, thread_size());
        buffer[k] = blas.alloc(0);
    }
    for (int k = 0; k < threads; k++) blas.release(buffer[k]);
    mem_free(buffer);
    return OK;
}

static Status start(int threads, Error *e)
{
    Room r = { NULL, 0 };
    Status s = room_find(&r, threads, e);
    if (s == OK) {
        room_leave(&r, library_size());
        s = load(e);
    }
    if (s == OK) s = make_buffers(&r, threads, e);
    if (s == OK) blas.threads = threads;
    room_leave(&r, r.size);
    return s;
}

Status cpu_blas_start(int threads, Error *error)
{
    pthread_mutex_lock(&blas.lock);
    Status s = threads > blas.threads ? start(threads, error) : OK;
    pthread_mutex_unlock(&blas.lock);
    return s;
}

bool cpu_blas_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
                      bool add, Real *c, int ldc)
{
    Product product = atomic_load_explicit(&blas.product, memory_order_acquire);
    if (product)
        product(ROW_MAJOR, ta ? TRANS : NO_TRANS, tb ? TRANS : NO_TRANS, m, n, k, alpha, a, lda, b, ldb, add, c, ldc);
    return product != NULL;
}
