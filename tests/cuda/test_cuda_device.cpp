/* The CUDA device on the emulator: memory, copies, errors, and kernels whose numbers
 * must be exactly those of the CPU, or the same for every order of threads. */
#include "tests/cuda/emulator.h"

#include <pthread.h>
#include <stdlib.h>

extern "C" {
#include "base/arena.h"
#include "tensor/cuda/gpu.h"
#include "tests/grad/case_run.h"
#include "tests/support/check.h"
#include "tests/support/checking_device.h"
}

static const Device *device() { return device_cuda(); }

static Status choose(int number, Error *e)
{
    const Device *chosen = NULL;
    Status s = DEVICE_KIND_CUDA.choose(number, &chosen, e);
    assert_ptr_equal(chosen, s == OK ? device() : NULL);
    return s;
}

static const Kernels *kernels() { return device_cuda()->kernels; }

/* Numbers of the host on the device; a new block of them. */
static Real *on_device(const Real *x, size_t n)
{
    Real *d = (Real *)device()->alloc(n * sizeof *d);
    assert_non_null(d);
    assert_ok(device()->upload(d, x, n * sizeof *d, test_error()));
    return d;
}

static void to_host(Real *x, Real *d, size_t n)
{
    assert_ok(device()->download(x, d, n * sizeof *d, test_error()));
    device()->free(d);
}

static void fill_random(Real *x, int n, uint64_t seed)
{
    uint64_t s = seed * 0x9e3779b97f4a7c15u + 1;
    for (int k = 0; k < n; k++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        x[k] = (Real)((double)(s >> 33) / (double)(1u << 30) - 1);
    }
}

/* ---- memory */

typedef struct Piece {
    unsigned char *at;
    size_t bytes;
} Piece;

TEST(pieces_of_memory_do_not_overlap_and_are_used_again)
{
    enum { PIECES = 60, TURNS = 600 };
    Piece p[PIECES] = {};
    uint64_t s = 7;
    size_t most = 0;
    unsigned char *lowest = NULL, *highest = NULL;
    for (int turn = 0; turn < TURNS; turn++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        Piece *x = &p[(s >> 40) % PIECES];
        device()->free(x->at);
        x->bytes = (s >> 20) % 5 ? (s >> 30) % 70000 : (s >> 30) % 3000000;
        x->at = (unsigned char *)device()->alloc(x->bytes);
        assert_non_null(x->at);
        assert_int_equal((uintptr_t)x->at % 256, 0);
        for (int k = 0; k < PIECES; k++)
            if (p[k].at && &p[k] != x) assert_true(x->at + x->bytes <= p[k].at || p[k].at + p[k].bytes <= x->at);
        if (turn < TURNS / 2) {
            lowest = !lowest || x->at < lowest ? x->at : lowest;
            highest = x->at + x->bytes > highest ? x->at + x->bytes : highest;
        }
        most = std::max(most, (size_t)(x->at + x->bytes - lowest));
    }
    assert_true(most < (size_t)256 << 20); /* 600 pieces of up to 3 MB did not need new memory each */
    for (int k = 0; k < PIECES; k++) device()->free(p[k].at);
    assert_non_null(highest);
}

TEST(memory_that_is_used_again_holds_no_numbers)
{
    Real x[8] = {}, *d = on_device(x, 8), *other = NULL;
    device()->free(d);
    other = (Real *)device()->alloc(sizeof x);
    assert_ptr_equal(other, d);
    to_host(x, other, 8);
    for (Real v : x) assert_true(isnan(v));
}

TEST(no_memory_left_gives_null)
{
    emulator_memory((size_t)64 << 20);
    assert_null(device()->alloc((size_t)1 << 31));
    assert_null(device()->alloc(SIZE_MAX - 5));
    assert_null(device_zeros(device(), SIZE_MAX / 4));
    emulator_memory((size_t)1 << 30);
    assert_ok(device()->synchronise(test_error())); /* it is no error of the thread */
}

/* What is left is less than a usual block: the attempt to take one leaves no error for the next kernel. */
TEST(the_last_memory_is_given_out)
{
    enum { EACH = 1 << 19, MOST = 2000 };
    static void *held[MOST];
    size_t free, total, was = device()->available();
    int n = 0;
    assert_int_equal(cudaMemGetInfo(&free, &total), cudaSuccess);
    emulator_memory(total - free + 3 * EACH);
    size_t left = device()->available();
    assert_true(left < was && left >= 3 * EACH);
    while (n < MOST && (held[n] = device()->alloc(EACH))) kernels()->fill((Real *)held[n++], EACH / sizeof(Real), 1);
    assert_true(n >= 3 && n < MOST);
    assert_true(device()->available() <= left - (size_t)n * EACH);
    assert_ok(device()->synchronise(test_error()));
    while (n > 0) device()->free(held[--n]);
    emulator_memory((size_t)1 << 30);
}

TEST(numbers_may_change_as_soon_as_upload_returns)
{
    enum { ALL = 1 << 20, EACH = 50001 }; /* several times the staging memory */
    static Real x[ALL], y[ALL];
    Real part[EACH];
    Real *d = (Real *)device()->alloc(ALL * sizeof *d);
    fill_random(x, ALL, 3);
    for (int from = 0; from < ALL; from += EACH) {
        int n = ALL - from < EACH ? ALL - from : EACH;
        memcpy(part, x + from, (size_t)n * sizeof *part);
        assert_ok(device()->upload(d + from, part, (size_t)n * sizeof *part, test_error()));
        memset(part, 0, sizeof part);
    }
    to_host(y, d, ALL);
    assert_memory_equal(x, y, sizeof x);
    d = on_device(x, ALL); /* at once */
    to_host(y, d, ALL);
    assert_memory_equal(x, y, sizeof x);
}

/* More copies than there is room for, small and large; all are there after one wait. */
TEST(what_is_fetched_is_there_after_a_wait)
{
    enum { ALL = 1 << 20, MOST = 300000 };
    static Real x[ALL], y[ALL];
    Real zero[64] = {};
    fill_random(x, ALL, 11);
    for (int way = 0; way < 3; way++) {
        int each = way == 0 ? 1000 : way == 1 ? MOST : 64, all = way == 2 ? 1000 * 64 : ALL;
        Real *d = on_device(x, ALL);
        memset(y, 0, sizeof y);
        for (int from = 0, n; from < all; from += n) {
            n = all - from < each ? all - from : each;
            assert_ok(device()->fetch(y + from, d + from, (size_t)n * sizeof *y, test_error()));
        }
        kernels()->fill(d, ALL, 0); /* too late to be found */
        if (way == 1) assert_ok(device()->download(zero, d, sizeof zero, test_error()));
        else assert_ok(device()->synchronise(test_error()));
        assert_memory_equal(x, y, (size_t)all * sizeof *x);
        device()->free(d);
    }
    for (Real v : zero) assert_true(v == 0);
}

/* ---- errors */

TEST(start_says_what_is_missing)
{
    static const struct {
        int devices, driver, number;
        bool blas;
        Status code;
        const char *text;
    } cases[] = {
        { 1, 0, 0, true, ERR_IO, "CUDA: found no NVIDIA driver" },
        { 1, 12040, 0, true, ERR_IO, "CUDA: found an NVIDIA driver for CUDA 12.4, expected 13.0 or later" },
        { 0, EMULATOR_DRIVER, 0, true, ERR_IO, "CUDA: found no device" },
        { 1, EMULATOR_DRIVER, 3, true, ERR_RANGE, "CUDA: found 1 device, expected one of number 3" },
        { 2, EMULATOR_DRIVER, 2, true, ERR_RANGE, "CUDA: found 2 devices, expected one of number 2" },
        { 1, EMULATOR_DRIVER, 0, false, ERR_IO, "cannot load cuBLAS: " },
    };
    for (const auto &c : cases) {
        emulator_devices(c.devices, c.driver);
        emulator_blas(c.blas);
        Status s = choose(c.number, test_error());
        if (!c.blas) assert_ok(s); /* start loads cuBLAS */
        assert_fails_with(c.blas ? s : device()->start(1, false, test_error()), c.code, c.text);
    }
    assert_fails(choose(-1, test_error()), ERR_RANGE, "CUDA: found device number -1, expected 0 or more");
    emulator_devices(1, EMULATOR_DRIVER);
    emulator_blas(true);
    choose(0, NULL);
    assert_ok(device()->start(2, false, test_error()));
}

TEST(devices_are_listed)
{
    GpuInfo list[4];
    int n = 7;
    emulator_devices(2, EMULATOR_DRIVER);
    assert_ok(device_cuda_list(list, 4, &n, test_error()));
    assert_int_equal(n, 2);
    for (int k = 0; k < 2; k++) {
        assert_string_equal(list[k].name, "emulated");
        assert_true(list[k].major == 9 && list[k].minor == 0 && list[k].memory > 0 && list[k].free <= list[k].memory);
    }
    assert_ok(device_cuda_list(list, 1, &n, test_error()));
    assert_int_equal(n, 1);
    emulator_devices(1, 0);
    assert_int_equal(device_cuda_list(list, 4, &n, test_error()), ERR_IO);
    assert_int_equal(n, 0);
    emulator_devices(1, EMULATOR_DRIVER);
}

static void *uses_no_device(void *)
{
    Real x = 1;
    assert_null(device()->alloc(100));
    assert_fails(device()->upload(NULL, &x, sizeof x, test_error()), ERR_IO, "CUDA: found no device");
    return NULL;
}

TEST(without_a_device_nothing_is_touched)
{
    pthread_t t;
    emulator_devices(0, EMULATOR_DRIVER);
    assert_int_equal(pthread_create(&t, NULL, uses_no_device, NULL), 0);
    pthread_join(t, NULL);
    emulator_devices(1, EMULATOR_DRIVER);
}

/* A gradient of more columns than CUDA has blocks for is refused at the launch. */
TEST(a_failed_launch_is_an_error_of_the_next_download)
{
    static const int zero = 0;
    const int cols = 65536 * 32;
    Real x = 0, *d = on_device(&x, 1);
    int *index = (int *)device()->alloc(sizeof *index);
    EmbedArgs a = {};
    assert_ok(device()->upload(index, &zero, sizeof zero, test_error()));
    a.n = 1;
    a.term[0].dtable = d;
    a.term[0].ld = cols;
    a.term[0].index = index;
    kernels()->embed_bwd(d, cols, 1, cols, &a);
    kernels()->fill(d, 1, 0);                              /* what succeeds does not hide it */
    assert_int_equal(device()->synchronise(NULL), ERR_IO); /* nor does a caller that takes no message */
    assert_fails(device()->download(&x, d, sizeof x, test_error()), ERR_IO,
                 "CUDA: rows_of_index: invalid configuration argument");
    assert_ok(device()->download(&x, d, sizeof x, test_error()));
    device()->free(d);
    device()->free(index);
}

/* ---- numbers */

TEST(masks_are_those_of_the_cpu)
{
    enum { ROWS = 37, COLS = 300, N = ROWS * COLS };
    static Real x[N], found[N], expected[N];
    static int group[ROWS];
    fill_random(x, N, 5);
    for (int r = 0; r < ROWS; r++) group[r] = r / 5 * 100003 - 7;
    for (int way = 0; way < 4; way++) {
        Drop d = { .p = 0.1 + 0.2 * way, .key = 0x123456789abcdef0u + (uint64_t)way, .group = way % 2 ? group : NULL };
        memcpy(expected, x, sizeof x);
        device_cpu()->kernels->drop(expected, COLS, x, COLS, ROWS, COLS, d, way > 1);
        Real *dx = on_device(x, N), *dy = on_device(x, N);
        int *dg = (int *)device()->alloc(sizeof group);
        device()->upload(dg, group, sizeof group, NULL);
        d.group = d.group ? dg : NULL;
        kernels()->drop(dy, COLS, dx, COLS, ROWS, COLS, d, way > 1);
        to_host(found, dy, N);
        if (way > 1) assert_close(found, expected, N, 1e-6, 1e-6); /* compilers may round a sum of a product once */
        else assert_memory_equal(found, expected, sizeof found);
        device()->free(dx);
        device()->free(dg);
    }
}

/* ---- a profile */

static const GpuKernel *profiled(const GpuProfile *p, const char *name)
{
    for (int k = 0; k < p->n; k++)
        if (strcmp(p->kernel[k].name, name) == 0) return &p->kernel[k];
    fail_msg("%s was not counted", name);
    return NULL;
}

/* 3 products of [5, 7] by [7, 4] and one of [6, 2] by [2, 9], 1500 fills, an addition. */
static void *is_profiled(void *)
{
    enum { FILLS = 1500 }; /* more than are pending at a time */
    static const Real x[64] = {};
    Real y[64], *a = on_device(x, 64), *b = on_device(x, 64), *c = (Real *)device()->alloc(sizeof y);
    for (int k = 0; k < 3; k++) kernels()->gemm(false, false, 5, 4, 7, 1, a, 7, b, 4, 0, c, 4);
    kernels()->gemm(false, true, 6, 9, 2, 1, a, 2, b, 2, 0, c, 9);
    for (int k = 0; k < FILLS; k++) kernels()->fill(c, 64, 1);
    kernels()->add(c, 8, a, 8, 8, 8);
    to_host(y, c, 64);
    device()->free(a);
    device()->free(b);
    return NULL;
}

TEST(a_profile_counts_what_was_done)
{
    static GpuProfile p;
    enum { THREADS = 2 };
    pthread_t t[THREADS];
    is_profiled(NULL); /* nothing is counted before */
    device_cuda_profile(&p);
    for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_create(&t[k], NULL, is_profiled, NULL), 0);
    for (int k = 0; k < THREADS; k++) pthread_join(t[k], NULL);
    is_profiled(NULL);
    Real *held = (Real *)device()->alloc(1 << 22);
    kernels()->fill(held, 1 << 10, 0); /* not synchronised by the thread itself */
    device_cuda_profile(NULL);
    is_profiled(NULL); /* nor after */
    device()->free(held);

    const int runs = THREADS + 1;
    const GpuKernel *gemm = profiled(&p, "gemm"), *fill = profiled(&p, "fill");
    long launches = 0;
    assert_true(gemm->product && !fill->product);
    assert_int_equal(gemm->launches, 4 * runs);
    assert_true(gemm->flops == runs * 2.0 * (3 * 5 * 4 * 7 + 6 * 9 * 2));
    assert_true(fill->flops == 0);
    for (int k = 0; k < p.n; k++) { /* the emulator's kernels take a millisecond each */
        launches += p.kernel[k].launches;
        assert_within(p.kernel[k].seconds, 1e-3 * (double)p.kernel[k].launches, 1e-9);
    }
    assert_int_equal(launches, runs * (4 + 1500 + 1) + 1);
    assert_int_equal(p.uploaded, (size_t)runs * 2 * 64 * sizeof(Real));
    assert_int_equal(p.downloaded, (size_t)runs * 64 * sizeof(Real));
    assert_true(p.peak >= ((size_t)1 << 22) && p.peak <= p.reserved);

    device_cuda_profile(&p);
    device_cuda_profile(NULL);
    assert_int_equal(p.n, 0);
    assert_int_equal(p.uploaded + p.downloaded, 0);
}

/* One step of training on slabs of n numbers, by the device's kernels. */
static void train(const Device *d, Real *w, Real *g, Real *m, Real *v, Real *average, double *squares, size_t n)
{
    d->kernels->squares(squares, g, n);
    d->kernels->adam(w, g, m, v, n, 1e-3, 0.01, 0.9, 0.98, 1e-9, 1 - 0.9, 1 - 0.98, 0.5);
    d->kernels->average(average, w, n, (Real)0.75);
    d->kernels->exchange(average, w, n);
}

TEST(kernels_of_training_agree_with_the_cpu)
{
    enum { MOST = 300000, SLABS = 5 };
    static const size_t sizes[] = { 0, 1, 31, 1000, MOST };
    static Real x[SLABS][MOST], found[MOST];
    for (size_t n : sizes) {
        Real *d[SLABS];
        double sum = 0, expected = 0, *dsum = (double *)device()->alloc(sizeof sum);
        for (int k = 0; k < SLABS; k++) {
            fill_random(x[k], (int)n, (uint64_t)k);
            for (size_t i = 0; k == 3 && i < n; i++) x[k][i] = (Real)fabs(x[k][i]);
            d[k] = on_device(x[k], n);
        }
        train(device_cpu(), x[0], x[1], x[2], x[3], x[4], &expected, n);
        train(device(), d[0], d[1], d[2], d[3], d[4], dsum, n);
        assert_ok(device()->download(&sum, dsum, sizeof sum, test_error()));
        assert_within(sum, expected, 1e-12 * (1 + expected));
        for (int k = 0; k < SLABS; k++) {
            to_host(found, d[k], n);
            assert_close(found, x[k], n, 1e-5, 1e-7);
        }
        device()->free(dsum);
    }
}

/* The gradients of a case under a seed, in one block. */
static bool gradients(const GradCase *c, const Dims *d, uint64_t seed, Real *out, size_t *n)
{
    FREED(case_params_free) CaseParams p;
    emulator_seed(seed);
    MADE(Tape, tape_init, tape_fini, t, device());
    case_params_make(c, d, &p, device());
    out[0] = (Real)case_run(c, &t, &p, d, CASE_BACKWARD);
    *n = 1;
    for (int k = 0; k < p.n; k++) {
        memcpy(out + *n, p.grad[k], case_size_of(&p, k) * sizeof *out);
        *n += case_size_of(&p, k);
    }
    emulator_seed(1);
    return tape_status(&t) == OK;
}

TEST(no_case_depends_on_the_order_of_threads)
{
    enum { MOST = 1 << 20 };
    static Real first[MOST], other[MOST];
    static const int start[] = { 0, 37, 38, 71, 75 };
    Batch b = { 4, start, 75, 37 };
    Dims d = { &b, 36, 20, 3, 5, 70, 0 };
    for (const GradCase *c = GRAD_CASES; c->name; c++) {
        size_t n, m;
        if (!gradients(c, &d, 0, first, &n)) continue; /* skipped and listed by test_gradients */
        for (uint64_t seed = 1; seed <= 2; seed++) {
            assert_true(gradients(c, &d, seed, other, &m) && m == n && n < MOST);
            if (memcmp(first, other, n * sizeof *first) != 0) fail_msg("%s: other numbers in another order", c->name);
        }
    }
}

/* Threads work on streams of their own. */
static void *computes(void *arg)
{
    enum { N = 5000 };
    static const Real one = 1;
    Real *found = (Real *)arg, x[N], *d;
    fill_random(x, N, 9);
    for (int k = 0; k < 20; k++) {
        d = on_device(x, N);
        Real *w = on_device(&one, 1), *y = (Real *)device()->alloc(N * sizeof *y);
        kernels()->gemm(false, false, N, 1, 1, 1, d, 1, w, 1, 0, y, 1);
        kernels()->add(y, 1, d, 1, N, 1);
        to_host(x, y, N);
        kernels()->fill(d, N, 0);
        device()->free(d);
        device()->free(w);
    }
    memcpy(found, x, sizeof x);
    return NULL;
}

TEST(threads_compute_at_the_same_time)
{
    enum { N = 5000, THREADS = 4 };
    static Real found[THREADS][N], x[N];
    pthread_t t[THREADS];
    long streams = 0;
    assert_ok(device()->start(THREADS + 1, false, test_error()));
    for (int turn = 0; turn < 3; turn++) { /* what the first ones had, the next ones have */
        if (turn) assert_int_equal(emulator_streams(), streams);
        streams = emulator_streams();
        for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_create(&t[k], NULL, computes, found[k]), 0);
        for (int k = 0; k < THREADS; k++) pthread_join(t[k], NULL);
    }
    fill_random(x, N, 9);
    for (int i = 0; i < N; i++) x[i] *= (Real)(1 << 20);
    for (int k = 0; k < THREADS; k++) assert_memory_equal(found[k], x, sizeof x);
}
