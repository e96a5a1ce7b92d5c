/* tensor/cpu/bfloat.c: matrix products with operands rounded to bfloat16 and sums in float, by oneDNN, which is loaded
 * when they are asked for: several times as fast as float where the processor has AMX or AVX512-BF16. To build them,
 * the header of oneDNN 2 is enough; without it, and in double, they are refused. */
#include "tensor/cpu/cpu.h"
#include "tensor/device.h"

#if !defined LAL_REAL_DOUBLE && defined __has_include
#if __has_include(<oneapi/dnnl/dnnl_version.h>)
#include <oneapi/dnnl/dnnl_version.h>
#if DNNL_VERSION_MAJOR == 2
#define HAS_ONEDNN
#endif
#endif
#endif

#ifndef HAS_ONEDNN

Status device_cpu_bfloat(bool on, Error *e)
{
    return on ? error_set(e, ERR_CONFIG, "products in bf16: this program was built without oneDNN 2") : OK;
}

bool cpu_bfloat_product(bool ta, bool tb, int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                        bool accumulate, Real *c, int ldc)
{
    (void)ta, (void)tb, (void)m, (void)n, (void)k, (void)a, (void)lda, (void)b, (void)ldb, (void)accumulate, (void)c;
    (void)ldc;
    return false;
}

#else

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/arena.h"

/* Smaller products stay in float: rounding and starting a primitive would take longer. */
enum { LEAST_WIDTH = 16, LEAST_WORK = 1 << 20 /* multiply-adds */ };

/* The functions that are used, by their names in the library. */
#define FUNCTIONS(F)                    \
    F(dnnl_engine_create)               \
    F(dnnl_stream_create)               \
    F(dnnl_stream_destroy)              \
    F(dnnl_stream_wait)                 \
    F(dnnl_memory_desc_init_by_strides) \
    F(dnnl_matmul_desc_init)            \
    F(dnnl_primitive_desc_create)       \
    F(dnnl_primitive_desc_destroy)      \
    F(dnnl_primitive_attr_create)       \
    F(dnnl_primitive_attr_destroy)      \
    F(dnnl_primitive_attr_set_post_ops) \
    F(dnnl_post_ops_create)             \
    F(dnnl_post_ops_destroy)            \
    F(dnnl_post_ops_append_sum)         \
    F(dnnl_primitive_create)            \
    F(dnnl_primitive_destroy)           \
    F(dnnl_primitive_execute)           \
    F(dnnl_memory_create)               \
    F(dnnl_memory_destroy)

static struct {
    pthread_mutex_t lock;
    void *library;
#define MEMBER(name) __typeof__(name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
    void (*set_threads)(int); /* of the OpenMP that it uses; NULL: another one */
    dnnl_engine_t engine;
    dnnl_primitive_attr_t adding; /* C += A B */
    pthread_key_t key;
    atomic_bool on;
} onednn = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Of a thread, freed when it ends. */
typedef struct Worker {
    dnnl_stream_t stream;
    uint16_t *scratch; /* the operands */
    size_t cap;
} Worker;

static void worker_free(void *p)
{
    Worker *w = p;
    onednn.dnnl_stream_destroy(w->stream);
    mem_free(w->scratch);
    mem_free(w);
}

static Worker *worker(void)
{
    Worker *w = pthread_getspecific(onednn.key);
    if (w) return w;
    w = mem_calloc(1, sizeof *w);
    if (!w) return NULL;
    if (onednn.set_threads) onednn.set_threads(1); /* of this thread's products: the program has threads of its own */
    if (onednn.dnnl_stream_create(&w->stream, onednn.engine, dnnl_stream_default_flags) == dnnl_success) {
        if (pthread_setspecific(onednn.key, w) == 0) return w;
        onednn.dnnl_stream_destroy(w->stream);
    }
    mem_free(w);
    return NULL;
}

/* ISO C has no cast from a data pointer to a function pointer; POSIX gives both the same representation. */
static bool find(const char *name, void *function)
{
    void *p = dlsym(onednn.library, name);
    memcpy(function, &p, sizeof p);
    return p != NULL;
}

static Status load(Error *e)
{
    static const char path[] = "libdnnl.so.2";
    onednn.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!onednn.library) {
        const char *why = dlerror();
        return error_set(e, ERR_IO, "products in bf16: cannot load oneDNN: %s", why ? why : path);
    }
    bool ok = true;
#define FIND(name) ok = ok && find(#name, &onednn.name);
    FUNCTIONS(FIND)
#undef FIND
    find("omp_set_num_threads", &onednn.set_threads);
    dnnl_post_ops_t sum = NULL;
    ok = ok && onednn.dnnl_engine_create(&onednn.engine, dnnl_cpu, 0) == dnnl_success &&
         onednn.dnnl_primitive_attr_create(&onednn.adding) == dnnl_success &&
         onednn.dnnl_post_ops_create(&sum) == dnnl_success && onednn.dnnl_post_ops_append_sum(sum, 1) == dnnl_success &&
         onednn.dnnl_primitive_attr_set_post_ops(onednn.adding, sum) == dnnl_success &&
         pthread_key_create(&onednn.key, worker_free) == 0;
    if (sum) onednn.dnnl_post_ops_destroy(sum);
    return ok ? OK : error_set(e, ERR_IO, "products in bf16: %s cannot be used", path);
}

Status device_cpu_bfloat(bool on, Error *e)
{
    pthread_mutex_lock(&onednn.lock);
    Status s = on && !onednn.library ? load(e) : OK;
    if (s == OK) atomic_store(&onednn.on, on);
    pthread_mutex_unlock(&onednn.lock);
    return s;
}

/* Dense, rounded to nearest even; what is not finite stays so. */
static void round_matrix(uint16_t *to, const float *from, int ld, int rows, int cols)
{
    for (ptrdiff_t r = 0; r < rows; r++)
        for (ptrdiff_t c = 0; c < cols; c++) {
            uint32_t u;
            memcpy(&u, from + r * ld + c, sizeof u);
            uint32_t rounded = (u + 0x7fff + ((u >> 16) & 1)) >> 16, nan = (u >> 16) | 0x40;
            to[r * cols + c] = (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? nan : rounded);
        }
}

static bool describe(dnnl_memory_desc_t *d, int rows, int cols, int ld, bool transposed, dnnl_data_type_t type)
{
    const dnnl_dims_t dims = { rows, cols }, strides = { transposed ? 1 : ld, transposed ? ld : 1 };
    return onednn.dnnl_memory_desc_init_by_strides(d, 2, dims, type, strides) == dnnl_success;
}

/* C = A B or C += A B with these operands and layouts. */
static bool multiply(const Worker *w, const dnnl_memory_desc_t desc[3], void *const data[3], bool accumulate)
{
    static const int names[3] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST };
    dnnl_matmul_desc_t product;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_exec_arg_t args[3] = { { 0, NULL }, { 0, NULL }, { 0, NULL } };
    bool ok = onednn.dnnl_matmul_desc_init(&product, &desc[0], &desc[1], NULL, &desc[2]) == dnnl_success &&
              onednn.dnnl_primitive_desc_create(&pd, &product, accumulate ? onednn.adding : NULL, onednn.engine,
                                                NULL) == dnnl_success &&
              onednn.dnnl_primitive_create(&primitive, pd) == dnnl_success;
    for (int k = 0; k < 3 && ok; k++) {
        args[k].arg = names[k];
        ok = onednn.dnnl_memory_create(&args[k].memory, &desc[k], onednn.engine, data[k]) == dnnl_success;
    }
    ok = ok && onednn.dnnl_primitive_execute(primitive, w->stream, 3, args) == dnnl_success &&
         onednn.dnnl_stream_wait(w->stream) == dnnl_success;
    for (int k = 0; k < 3; k++)
        if (args[k].memory) onednn.dnnl_memory_destroy(args[k].memory);
    if (primitive) onednn.dnnl_primitive_destroy(primitive);
    if (pd) onednn.dnnl_primitive_desc_destroy(pd);
    return ok;
}

bool cpu_bfloat_product(bool ta, bool tb, int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                        bool accumulate, Real *c, int ldc)
{
    if (!atomic_load_explicit(&onednn.on, memory_order_relaxed)) return false;
    if (m < LEAST_WIDTH || n < LEAST_WIDTH || k < LEAST_WIDTH || (double)m * n * k < LEAST_WORK) return false;
    Worker *w = worker();
    size_t of_a = ((size_t)m * (size_t)k + 31) / 32 * 32, of_b = (size_t)k * (size_t)n;
    if (!w) return false;
    if (of_a + of_b > w->cap) {
        mem_free(w->scratch);
        w->scratch = mem_aligned(of_a + of_b, sizeof *w->scratch);
        w->cap = w->scratch ? of_a + of_b : 0;
        if (!w->scratch) return false;
    }
    uint16_t *pa = w->scratch, *pb = pa + of_a;
    round_matrix(pa, a, lda, ta ? k : m, ta ? m : k);
    round_matrix(pb, b, ldb, tb ? n : k, tb ? k : n);
    dnnl_memory_desc_t desc[3];
    return describe(&desc[0], m, k, ta ? m : k, ta, dnnl_bf16) && describe(&desc[1], k, n, tb ? k : n, tb, dnnl_bf16) &&
           describe(&desc[2], m, n, ldc, false, dnnl_f32) &&
           multiply(w, desc, (void *const[]){ pa, pb, c }, accumulate);
}

#endif
