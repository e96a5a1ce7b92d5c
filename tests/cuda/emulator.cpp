/* Blocks and threads of the emulator; emulator_runtime.cpp has its libraries. */
#include "tests/cuda/emulator.h"

#include <atomic>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/cuda/emulator_parts.h"

#ifdef WITH_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

/* Bytes after shared memory that must not be written; AddressSanitizer has its own. */
#ifdef WITH_ASAN
static const size_t MARGIN = 0;
#else
static const size_t MARGIN = 256;
#endif

enum { MOST_THREADS = 1024, MOST_Z = 64, WARP = 32, PAGE = 4096, LINE = 64, NORMAL_SHARED = 48 << 10 };
/* An odd number of pages, and each stack begins at another line of its page: else all stacks compete for the same few
 * places in caches, and most of the time goes to that. */
enum { STACK = 65 * PAGE };

__thread EmulatorPlace emulator_place;

static std::atomic<uint64_t> seed{ (uint64_t)-1 };

void emulator_seed(uint64_t s) { seed = s; }

static uint64_t seed_now()
{
    uint64_t s = seed;
    if (s != (uint64_t)-1) return s;
    const char *given = getenv("EMULATOR_SEED");
    seed = s = given ? strtoull(given, NULL, 10) : 1;
    return s;
}

void emulator_stop(const char *format, ...)
{
    char text[600];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(text, sizeof text - 1, format, ap);
    va_end(ap);
    size_t size = n < 0 ? 0 : (size_t)n < sizeof text - 1 ? (size_t)n : sizeof text - 2;
    text[size++] = '\n';
    if (write(STDERR_FILENO, text, size) < 0) _exit(EMULATOR_STATUS + 1);
    _exit(EMULATOR_STATUS);
}

/* ---- fibres: a stack of its own each. A started fibre is continued by the compiler's longjmp, which takes a few
 * instructions (swapcontext makes system calls); AddressSanitizer is told of each change of stacks. */

struct Fibre {
    ucontext_t first;
    void *at[5];
    bool started;
    void *stack; /* NULL: the host thread's own */
    void *fake;  /* of AddressSanitizer */
    const void *bottom;
    size_t size;
    Fibre *next; /* free one */
};

enum State { FRESH, READY, AT_BARRIER, AT_EXCHANGE, ENDED };

struct Thread {
    State state;
    Fibre *fibre;
    const char *file; /* the barrier */
    int line;
    int what; /* the exchange */
    unsigned mask, source;
    uint64_t bits;
};

/* What a host thread runs: one block at a time. */
struct Engine {
    Fibre own;
    Fibre *free;
    Thread thread[MOST_THREADS];
    unsigned waiting[MOST_THREADS / WARP]; /* the lanes of each warp that wait for an exchange */
    int n, n_ended, n_stacks, current;
    int left, turn, step; /* of a turn of all threads: turn, turn + step, ..., modulo n */
    uint64_t draws;
    const char *kernel;
    void (*body)(void *);
    void *arguments;

    ~Engine()
    {
        for (Fibre *f = free, *next; f; f = next) {
            next = f->next;
            munmap(f->stack, STACK);
            delete f;
        }
    }
};

static thread_local Engine engine_of_thread;

static void arrived(Fibre *f, Fibre *from)
{
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(f->fake, from ? &from->bottom : NULL, from ? &from->size : NULL);
#else
    (void)f, (void)from;
#endif
}

/* AddressSanitizer forgets the bounds of all variables on a stack that an instrumented function leaves by longjmp. */
static __attribute__((noinline, no_sanitize_address)) void change(Fibre *from, Fibre *to)
{
#ifdef WITH_ASAN
    if (to->stack) to->bottom = to->stack, to->size = STACK;
    __sanitizer_start_switch_fiber(&from->fake, to->bottom, to->size);
#endif
    if (__builtin_setjmp(from->at) == 0) {
        if (to->started) __builtin_longjmp(to->at, 1);
        to->started = true;
        setcontext(&to->first);
    }
    arrived(from, NULL);
}

static void place_thread(Engine *g, int number)
{
    EmulatorDim d = emulator_place.threads;
    unsigned k = (unsigned)number;
    g->current = number;
    emulator_place.thread = EmulatorDim{ k % d.x, k / d.x % d.y, k / d.x / d.y };
}

/* The next thread of the turn. */
static int take_turn(Engine *g)
{
    int k = g->turn;
    g->left--;
    g->turn += g->step;
    if (g->turn >= g->n) g->turn -= g->n;
    return k;
}

/* The next thread of the turn that can go on, which is then the current one; NULL: none. */
static Thread *next_thread(Engine *g)
{
    while (g->left > 0) {
        int k = take_turn(g);
        if (g->thread[k].state != FRESH && g->thread[k].state != READY) continue;
        place_thread(g, k);
        return &g->thread[k];
    }
    return NULL;
}

/* A fibre runs threads from their beginning until one of them waits, and then that one alone. */
static void fibre_main()
{
    Engine *g = &engine_of_thread;
    Fibre *self = g->thread[g->current].fibre;
    arrived(self, g->own.bottom ? NULL : &g->own);
    for (;;) {
        g->body(g->arguments);
        g->thread[g->current].state = ENDED;
        g->n_ended++;
        Thread *next = next_thread(g);
        if (next && next->state == FRESH) {
            next->state = READY;
            next->fibre = self;
            continue;
        }
        self->next = g->free;
        g->free = self;
        change(self, next ? next->fibre : &g->own);
    }
}

static void make_stack(Engine *g, Fibre *f)
{
    f->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (f->stack == MAP_FAILED) emulator_stop("%s: no memory for the stack of a thread", g->kernel);
    getcontext(&f->first);
    f->first.uc_stack.ss_sp = f->stack;
    f->first.uc_stack.ss_size = STACK - (size_t)(g->n_stacks++ * 7 * LINE % PAGE);
    f->first.uc_link = NULL;
    makecontext(&f->first, fibre_main, 0);
}

static Fibre *take_fibre(Engine *g)
{
    Fibre *f = g->free;
    if (f) g->free = f->next;
    else make_stack(g, f = new Fibre());
    return f;
}

/* Continues the next thread of the turn, after the last one what began it; returns false if there was none. */
static bool go_on(Engine *g, Fibre *from)
{
    Thread *t = next_thread(g);
    if (t && t->state == FRESH) {
        t->fibre = take_fibre(g);
        t->state = READY;
    }
    Fibre *to = t ? t->fibre : &g->own;
    if (to != from) change(from, to);
    return t != NULL;
}

static void wait_here(Engine *g, Thread *t, State state)
{
    t->state = state;
    go_on(g, t->fibre);
}

/* ---- a block */

static uint64_t draw(Engine *g)
{
    uint64_t x = seed_now() * 0x9e3779b97f4a7c15u + ++g->draws * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t common_divisor(uint64_t a, uint64_t b) { return b ? common_divisor(b, a % b) : a; }

/* An order of n things: first, first + step, ..., modulo n. */
static void choose_order(Engine *g, uint64_t n, uint64_t *first, uint64_t *step)
{
    *first = 0;
    *step = 1;
    if (seed_now() == 0) return;
    *first = draw(g) % n;
    do *step = draw(g) % n;
    while (common_divisor(*step, n) != 1);
}

static void begin_turn(Engine *g)
{
    uint64_t first, step;
    choose_order(g, (uint64_t)g->n, &first, &step);
    g->left = g->n;
    g->turn = (int)first;
    g->step = (int)step;
}

static const char *state_text(const Thread *t, char *text, size_t size)
{
    if (t->state == AT_BARRIER) snprintf(text, size, "waits at the barrier %s:%d", t->file, t->line);
    else if (t->state == AT_EXCHANGE) snprintf(text, size, "waits for the lanes %08x of its warp", t->mask);
    else snprintf(text, size, "has ended");
    return text;
}

/* No thread can go on: two of them that do not wait for the same. */
static void stop_block(const Engine *g)
{
    char a[200], b[200];
    int other = 0;
    const Thread *t = g->thread;
    for (int k = 1; k < g->n && !other; k++)
        if (t[k].state != t[0].state || t[k].file != t[0].file || t[k].line != t[0].line) other = k;
    EmulatorDim at = emulator_place.block;
    emulator_stop("%s: block (%u, %u, %u): thread 0 %s, thread %d %s", g->kernel, at.x, at.y, at.z,
                  state_text(&t[0], a, sizeof a), other, state_text(&t[other], b, sizeof b));
}

/* All threads wait at the same barrier: they may go on. */
static bool pass_barrier(Engine *g)
{
    for (int k = 0; k < g->n; k++)
        if (g->thread[k].state != AT_BARRIER || g->thread[k].line != g->thread[0].line ||
            strcmp(g->thread[k].file, g->thread[0].file) != 0)
            return false;
    for (int k = 0; k < g->n; k++) g->thread[k].state = READY;
    return true;
}

static void run_block(Engine *g)
{
    for (int k = 0; k < g->n; k++) g->thread[k].state = FRESH;
    for (int w = 0; w * WARP < g->n; w++) g->waiting[w] = 0;
    g->n_ended = 0;
    while (g->n_ended < g->n) {
        begin_turn(g);
        if (!go_on(g, &g->own) && !pass_barrier(g)) stop_block(g);
    }
}

static void run_one_block(Engine *g, EmulatorDim at, size_t shared)
{
    unsigned char *p = (unsigned char *)malloc(shared + MARGIN);
    if (shared + MARGIN) memset(p, 0xff, shared + MARGIN);
    emulator_place.block = at;
    emulator_place.shared = p;
    run_block(g);
    for (size_t k = shared; k < shared + MARGIN; k++)
        if (p[k] != 0xff)
            emulator_stop("%s: block (%u, %u, %u) wrote beyond its %zu bytes of shared memory", g->kernel, at.x, at.y,
                          at.z, shared);
    free(p);
}

static void run_blocks(Engine *g, size_t shared)
{
    EmulatorDim d = emulator_place.blocks;
    uint64_t n = (uint64_t)d.x * d.y * d.z, first, step;
    choose_order(g, n, &first, &step);
    for (uint64_t k = 0, at = first; k < n; k++, at = (at + step) % n)
        run_one_block(g, EmulatorDim{ (unsigned)(at % d.x), (unsigned)(at / d.x % d.y), (unsigned)(at / d.x / d.y) },
                      shared);
}

bool emulator_run(const char *kernel, const void *function, EmulatorDim blocks, EmulatorDim threads, size_t shared,
                  void (*body)(void *), void *arguments)
{
    uint64_t n = (uint64_t)threads.x * threads.y * threads.z;
    if (n == 0 || n > MOST_THREADS || threads.z > MOST_Z || blocks.x == 0 || blocks.x > 0x7fffffffu || blocks.y == 0 ||
        blocks.y > 65535 || blocks.z == 0 || blocks.z > 65535)
        return emulator_fail(cudaErrorInvalidConfiguration);
    if (shared > NORMAL_SHARED && shared > emulator_shared_allowed(function))
        return emulator_fail(cudaErrorInvalidValue);
    Engine *g = &engine_of_thread;
    EmulatorPlace before = emulator_place;
    emulator_place = EmulatorPlace{ {}, {}, threads, blocks, NULL };
    g->n = (int)n;
    g->kernel = kernel;
    g->body = body;
    g->arguments = arguments;
    g->own.started = true;
    run_blocks(g, shared);
    emulator_place = before;
    return true;
}

/* ---- what threads wait for */

void emulator_barrier(const char *file, int line)
{
    Engine *g = &engine_of_thread;
    Thread *t = &g->thread[g->current];
    t->file = file;
    t->line = line;
    wait_here(g, t, AT_BARRIER);
}

unsigned emulator_lane() { return (unsigned)engine_of_thread.current % WARP; }

/* All lanes of the mask have arrived: each gets its number. */
static void give(Thread *warp, unsigned mask)
{
    uint64_t bits[WARP], ballot = 0;
    memset(bits, 0xff, sizeof bits);
    for (unsigned k = 0; k < WARP; k++)
        if (mask >> k & 1) {
            bits[k] = warp[k].bits;
            ballot |= (uint64_t)(warp[k].bits & 1) << k;
        }
    for (unsigned k = 0; k < WARP; k++)
        if (mask >> k & 1) {
            warp[k].bits = warp[k].what == EMULATOR_SHUFFLE ? bits[warp[k].source] : ballot;
            warp[k].state = READY;
        }
}

/* Whether all lanes of the mask wait for the same exchange. */
static bool all_wait(const Thread *warp, unsigned mask, int what)
{
    for (int k = 0; k < WARP; k++)
        if ((mask >> k & 1) && (warp[k].mask != mask || warp[k].what != what)) return false;
    return true;
}

uint64_t emulator_exchange(int what, unsigned mask, uint64_t bits, unsigned source)
{
    Engine *g = &engine_of_thread;
    unsigned lane = (unsigned)g->current % WARP, *waiting = &g->waiting[g->current / WARP];
    int first = g->current - (int)lane, lanes = g->n - first < WARP ? g->n - first : WARP;
    Thread *warp = g->thread + first, *t = &g->thread[g->current];
    if (!(mask >> lane & 1) || (lanes < WARP && mask >> lanes))
        emulator_stop("%s: lane %u of %d exchanges with the lanes %08x", g->kernel, lane, lanes, mask);
    t->what = what;
    t->mask = mask;
    t->bits = bits;
    t->source = source;
    *waiting |= 1u << lane;
    if ((*waiting & mask) == mask && all_wait(warp, mask, what)) {
        give(warp, mask);
        *waiting &= ~mask;
    } else wait_here(g, t, AT_EXCHANGE);
    return t->bits;
}
