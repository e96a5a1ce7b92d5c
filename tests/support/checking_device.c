#define _GNU_SOURCE
#include "tests/support/checking_device.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "tensor/cuda/gpu.h"

/* ---- memory */

enum { PAGE = 4096, MOST_BLOCKS = 1 << 16 };
static const size_t REGION = (size_t)16 << 30; /* sparse: only what is written takes memory */

typedef struct Block {
    size_t start, size; /* in the region, in whole pages: a view of nothing may point a little past its base */
    bool live;
} Block;

static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    unsigned char *seen, *real; /* the two mappings: of the program, without rights, and of kernels */
    size_t used;
    Block block[MOST_BLOCKS]; /* by start */
    int n_blocks;
} memory = { .once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER };

static _Noreturn void stop(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(CHECKING_STATUS + 1);
    _exit(CHECKING_STATUS);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    const unsigned char *at = info->si_addr;
    char text[120];
    (void)context;
    if (at < memory.seen || at >= memory.seen + REGION) {
        signal(number, SIG_DFL); /* not ours: happens again, and ends the program as usual */
        return;
    }
    snprintf(text, sizeof text, "host code touched device memory at %p\n", (const void *)at);
    stop(text);
}

/* Again at every allocation: cmocka sets handlers of its own before each test. */
static void watch(void)
{
    struct sigaction a = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
    sigemptyset(&a.sa_mask);
    sigaction(SIGSEGV, &a, NULL);
    sigaction(SIGBUS, &a, NULL);
}

static void map_region(void)
{
    int fd = memfd_create("device", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)REGION) != 0) stop("checking device: no memory file\n");
    memory.seen = mmap(NULL, REGION, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    memory.real = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    close(fd);
    if (memory.seen == MAP_FAILED || memory.real == MAP_FAILED) stop("checking device: no address space\n");
}

static void *device_alloc(size_t bytes)
{
    void *counted = mem_alloc(1, 1); /* so that tests can make the n-th allocation fail */
    if (!counted) return NULL;
    mem_free(counted);
    pthread_once(&memory.once, map_region);
    watch();
    unsigned char *p = NULL;
    pthread_mutex_lock(&memory.lock);
    if (bytes < REGION - memory.used - 3 * PAGE && memory.n_blocks < MOST_BLOCKS) {
        size_t whole = (bytes / PAGE + 1) * PAGE;
        memory.block[memory.n_blocks++] = (Block){ memory.used, whole, true };
        p = memory.seen + memory.used;
        memory.used += whole + PAGE; /* a page between blocks belongs to none */
    }
    pthread_mutex_unlock(&memory.lock);
    return p;
}

/* The block that holds the address; NULL: none. */
static Block *block_of(const unsigned char *p)
{
    int from = 0, to = memory.n_blocks;
    if (!memory.seen || p < memory.seen || p >= memory.seen + REGION) return NULL;
    size_t at = (size_t)(p - memory.seen);
    while (to - from > 1) {
        int middle = from + (to - from) / 2;
        if (memory.block[middle].start <= at) from = middle;
        else to = middle;
    }
    Block *b = &memory.block[from];
    return to > 0 && at - b->start < b->size ? b : NULL;
}

static void device_free(void *p)
{
    if (!p) return;
    pthread_mutex_lock(&memory.lock);
    Block *b = block_of(p);
    if (!b || !b->live || memory.seen + b->start != p) stop("checking device: freed what was not allocated\n");
    b->live = false;
    madvise(memory.real + b->start, b->size, MADV_REMOVE); /* gives the memory back, not the addresses */
    pthread_mutex_unlock(&memory.lock);
}

/* Where a kernel finds what the program knows as p, the argument whose name has `len` bytes. */
static void *checked_named(const char *kernel, const char *argument, size_t len, const void *p)
{
    char text[160];
    if (!p) return NULL;
    pthread_mutex_lock(&memory.lock);
    const Block *b = block_of(p);
    bool live = b && b->live;
    pthread_mutex_unlock(&memory.lock);
    if (!live) {
        snprintf(text, sizeof text, "%s: %.*s is %s device memory\n", kernel, (int)len, argument, b ? "freed" : "not");
        stop(text);
    }
    return memory.real + ((const unsigned char *)p - memory.seen);
}

static void *checked(const char *kernel, const char *argument, const void *p)
{
    return checked_named(kernel, argument, strlen(argument), p);
}

static Status start(int threads, bool trains, Error *e) { return device_cpu()->start(threads, trains, e); }

static Status upload(void *to, const void *from, size_t bytes, Error *e)
{
    (void)e;
    void *real = checked("upload", "to", to);
    if (bytes) memcpy(real, from, bytes);
    return OK;
}

/* Copies that have not been waited for: the bytes lie here until then. */
typedef struct Fetched {
    void *to, *bytes;
    size_t size;
    struct Fetched *next;
} Fetched;
static _Thread_local Fetched *fetched;

static Status fetch(void *to, const void *from, size_t bytes, Error *e)
{
    const void *real = checked("fetch", "from", from);
    if (!bytes) return OK;
    Fetched *x = mem_calloc(1, sizeof *x);
    if (x) *x = (Fetched){ to, mem_alloc(bytes, 1), bytes, fetched };
    if (!x || !x->bytes) {
        mem_free(x);
        return error_set(e, ERR_NOMEM, "out of memory for a copy");
    }
    memcpy(x->bytes, real, bytes);
    memset(to, 0xff, bytes);
    fetched = x;
    return OK;
}

static Status synchronise(Error *e)
{
    (void)e;
    for (Fetched *x = fetched, *next; x; x = next) {
        next = x->next;
        memcpy(x->to, x->bytes, x->size);
        mem_free(x->bytes);
        mem_free(x);
    }
    fetched = NULL;
    return OK;
}

static Status download(void *to, const void *from, size_t bytes, Error *e)
{
    const void *real = checked("download", "from", from);
    if (bytes) memcpy(to, real, bytes);
    return synchronise(e);
}

/* ---- kernels */

#define AT(kernel, argument) checked(kernel, #argument, argument)

/* names: "&x.start, &x.probs" and so on, of the pointers that `field` has the places of. */
static void check_fields(const char *kernel, const char *names, void *const *field, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const char *name = names + strlen("&x.");
        size_t len = strcspn(name, ",");
        void *p;
        memcpy(&p, field[k], sizeof p);
        p = checked_named(kernel, name, len, p);
        memcpy(field[k], &p, sizeof p);
        names = name + len + strspn(name + len, ", ");
    }
}
#define FIELDS(...) \
    check_fields(kernel, #__VA_ARGS__, (void *[]){ __VA_ARGS__ }, sizeof((void *[]){ __VA_ARGS__ }) / sizeof(void *))

static Weight checked_Weight(const char *kernel, Weight x)
{
    FIELDS(&x.values, &x.packed);
    return x;
}

static Drop checked_Drop(const char *kernel, Drop x)
{
    FIELDS(&x.group);
    return x;
}

static AttentionArgs checked_AttentionArgs(const char *kernel, AttentionArgs x)
{
    FIELDS(&x.start, &x.key_start, &x.pair_start, &x.probs, &x.bias, &x.slot_of_head, &x.mask, &x.mask_start,
           &x.mask_of_head, &x.fixed, &x.gates, &x.scratch, &x.dprobs, &x.dbias, &x.dgates);
    x.drop = checked_Drop(kernel, x.drop);
    for (int p = 0; p < MAX_PARTS; p++) FIELDS(&x.q[p], &x.kv[p], &x.ctx[p], &x.dq[p], &x.dkv[p], &x.dctx[p]);
    return x;
}

static EmbedArgs checked_EmbedArgs(const char *kernel, EmbedArgs x)
{
    for (int k = 0; k < x.n; k++) {
        FIELDS(&x.term[k].table, &x.term[k].dtable, &x.term[k].index);
        x.term[k].drop = checked_Drop(kernel, x.term[k].drop);
    }
    return x;
}

static LstmArgs checked_LstmArgs(const char *kernel, LstmArgs x)
{
    FIELDS(&x.order, &x.source, &x.x);
    x.w_ih = checked_Weight(kernel, x.w_ih);
    x.w_hh = checked_Weight(kernel, x.w_hh);
    FIELDS(&x.b_ih, &x.b_hh, &x.gates, &x.cell, &x.hidden, &x.last, &x.dlast, &x.dx, &x.dw_ih, &x.dw_hh, &x.db_ih,
           &x.db_hh, &x.scratch);
    return x;
}

static RelativeArgs checked_RelativeArgs(const char *kernel, RelativeArgs x)
{
    FIELDS(&x.start, &x.pair_start, &x.qkv, &x.r, &x.u, &x.v, &x.y, &x.scratch, &x.dy, &x.dqkv, &x.dr, &x.du, &x.dv);
    return x;
}

static ArcArgs checked_ArcArgs(const char *kernel, ArcArgs x)
{
    FIELDS(&x.start, &x.pair_start, &x.x, &x.b, &x.last, &x.s, &x.scratch, &x.ds, &x.dx, &x.db, &x.dlast, &x.part);
    return x;
}

static SumArgs checked_SumArgs(const char *kernel, SumArgs x)
{
    for (int k = 0; k < x.n; k++) FIELDS(&x.x[k], &x.dx[k]);
    return x;
}

#include "check_kernels.h" /* generated from tensor/kernels.def: the wrappers and their table CHECKED */

const Device *device_checking(void)
{
    static const Device checking = { .name = "the checking device",
                                     .kernels = &CHECKED,
                                     .start = start,
                                     .alloc = device_alloc,
                                     .free = device_free,
                                     .upload = upload,
                                     .download = download,
                                     .fetch = fetch,
                                     .synchronise = synchronise };
    return &checking;
}

const char *device_lacks(const Device *d)
{
#define KERNEL(name, arguments) \
    if (!d->kernels->name) return #name;
#include "tensor/kernels.def"
#undef KERNEL
    return NULL;
}

/* tests/cuda/emulator.h; NULL in a build with CUDA=1. */
extern void emulator_seed(uint64_t seed) __attribute__((weak));

void test_device_order(uint64_t seed)
{
    if (emulator_seed) emulator_seed(seed);
}

const Device *test_device_any(void)
{
    const char *name = getenv("TEST_DEVICE");
    if (name && strcmp(name, "checking") == 0) return device_checking();
    if (!name || strcmp(name, "cuda") != 0) return device_cpu();
    device_cuda_poison();
    return device_cuda();
}

const Device *test_device(void)
{
    const Device *d = test_device_any();
    const char *lacks = device_lacks(d);
    if (!lacks) return d;
    printf("skipped: no %s kernel on %s\n", lacks, d->name);
    exit(0);
}
