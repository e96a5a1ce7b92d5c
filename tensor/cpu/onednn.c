/* tensor/cpu/onednn.c */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "tensor/cpu/onednn.h"
#include "base/arena.h"
#include "tensor/cpu/cpu.h"

#ifndef HAS_ONEDNN

Status cpu_onednn(Error *e) { return error_set(e, ERR_CONFIG, "this program was built without oneDNN 2"); }

void cpu_onednn_name(CpuLibraries *out) { out->onednn[0] = 0; }

bool device_cpu_bfloat(void) { return false; }

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Address space that loading takes, with the libraries it needs, and that compiling a kernel takes at most. */
static const size_t LIBRARY = (size_t)64 << 20, KERNEL = (size_t)16 << 20;

static struct {
    pthread_once_t once;
    OneDnn d;
    Status status;
    Error error;
    void *library;
    void (*set_threads)(int); /* of the OpenMP that it uses; NULL: another one */
    pthread_key_t key;
} onednn = { .once = PTHREAD_ONCE_INIT };

/* ISO C has no cast from a data pointer to a function pointer; POSIX gives both the same representation. */
static bool find(const char *name, void *function)
{
    void *p = dlsym(onednn.library, name);
    memcpy(function, &p, sizeof p);
    return p != NULL;
}

/* Workers of threads that have ended, for those that begin: what is in them takes milliseconds to make. */
static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static OneDnnWorker *idle;

static void worker_leave(void *p)
{
    OneDnnWorker *w = p;
    pthread_mutex_lock(&idle_lock);
    w->next = idle;
    idle = w;
    pthread_mutex_unlock(&idle_lock);
}

static OneDnnWorker *worker_take(void)
{
    pthread_mutex_lock(&idle_lock);
    OneDnnWorker *w = idle;
    if (w) idle = w->next;
    pthread_mutex_unlock(&idle_lock);
    return w;
}

static bool is_room(size_t size)
{
    size += cpu_spare();
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p != MAP_FAILED && munmap(p, size) == 0;
}

bool onednn_room(void) { return is_room(KERNEL); }

static void load(void)
{
    static const char path[] = "libdnnl.so.2";
    OneDnn *d = &onednn.d;
    if (!is_room(LIBRARY)) {
        onednn.status =
            error_set(&onednn.error, ERR_NOMEM, "out of memory: expected at least %zu MiB of address space for oneDNN",
                      LIBRARY >> 20);
        return;
    }
    onednn.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!onednn.library) {
        const char *why = dlerror();
        onednn.status = error_set(&onednn.error, ERR_IO, "cannot load oneDNN: %s", why ? why : path);
        return;
    }
    bool ok = true;
#define FIND(name) ok = ok && find(#name, &d->name);
    ONEDNN_FUNCTIONS(FIND)
#undef FIND
    find("omp_set_num_threads", &onednn.set_threads);
    dnnl_post_ops_t sum = NULL;
    ok = ok && d->dnnl_engine_create(&d->engine, dnnl_cpu, 0) == dnnl_success &&
         d->dnnl_primitive_attr_create(&d->adding) == dnnl_success && d->dnnl_post_ops_create(&sum) == dnnl_success &&
         d->dnnl_post_ops_append_sum(sum, 1) == dnnl_success &&
         d->dnnl_primitive_attr_set_post_ops(d->adding, sum) == dnnl_success &&
         d->dnnl_primitive_attr_create(&d->own) == dnnl_success &&
         d->dnnl_primitive_attr_set_scratchpad_mode(d->own, dnnl_scratchpad_mode_user) == dnnl_success &&
         pthread_key_create(&onednn.key, worker_leave) == 0;
    if (sum) d->dnnl_post_ops_destroy(sum);
    if (!ok) onednn.status = error_set(&onednn.error, ERR_IO, "%s cannot be used", path);
}

const OneDnn *onednn_get(Error *e)
{
    pthread_once(&onednn.once, load);
    if (onednn.status == OK) return &onednn.d;
    error_set(e, onednn.status, "%s", onednn.error.message);
    return NULL;
}

Status cpu_onednn(Error *e)
{
    Error why = { 0 };
    return onednn_get(&why) ? OK : error_set(e, why.code, "%s", why.message);
}

void cpu_onednn_name(CpuLibraries *out)
{
    const OneDnn *d = onednn_get(NULL);
    const dnnl_version_t *v = d ? d->dnnl_version() : NULL;
    out->onednn[0] = 0;
    if (v) snprintf(out->onednn, sizeof out->onednn, "%d.%d.%d", v->major, v->minor, v->patch);
}

bool device_cpu_bfloat(void)
{
    static const int isa = dnnl_cpu_isa_avx512_core_bf16;
    const OneDnn *d = onednn_get(NULL);
    return d && ((int)d->dnnl_get_effective_cpu_isa() & isa) == isa;
}

bool onednn_matrix(const OneDnn *d, dnnl_memory_desc_t *desc, int rows, int cols, int row, int column,
                   dnnl_data_type_t type)
{
    const dnnl_dims_t dims = { rows, cols }, strides = { row, column };
    return d->dnnl_memory_desc_init_by_strides(desc, 2, dims, type, strides) == dnnl_success;
}

OneDnnWorker *onednn_worker(const OneDnn *d)
{
    OneDnnWorker *w = pthread_getspecific(onednn.key);
    if (w) return w;
    if (!onednn_room()) return NULL;
    if (onednn.set_threads) onednn.set_threads(1); /* of this thread's products: the program has threads of its own */
    w = worker_take();
    if (!w) w = mem_calloc(1, sizeof *w);
    if (!w) return NULL;
    bool ok = w->stream || d->dnnl_stream_create(&w->stream, d->engine, dnnl_stream_default_flags) == dnnl_success;
    if (ok && pthread_setspecific(onednn.key, w) == 0) return w;
    worker_leave(w);
    return NULL;
}

void *onednn_scratch(OneDnnWorker *w, int which, size_t bytes)
{
    void **p = &w->scratch[which];
    if (bytes <= w->cap[which]) return *p;
    mem_free(*p);
    *p = mem_aligned(bytes, 1);
    w->cap[which] = *p ? bytes : 0;
    return *p;
}

#endif
