/* Number formats, safetensors files, elementary functions, norms, dropout, the tape's memory. */
#include <stdlib.h>
#include <sys/resource.h>

#include "base/rng.h"
#include "tensor/cpu/cpu.h"
#include "tensor/cpu/level/math.h"
#include "tensor/ops.h"
#include "tensor/params.h"
#include "tensor/safetensors.h"
#include "tests/support/check.h"

TEST(half_floats_round_to_nearest_even)
{
    for (uint32_t h = 0; h < 65536; h++) { /* every half, through float and back */
        float x = dtype_half_to_float((uint16_t)h), y = dtype_bfloat_to_float((uint16_t)h);
        if (x == x) assert_int_equal(dtype_float_to_half(x), h);
        if (y == y) assert_int_equal(dtype_float_to_bfloat(y), h);
    }
    assert_int_equal(dtype_float_to_half(1.0f), 0x3c00);
    assert_int_equal(dtype_float_to_half(65504.0f), 0x7bff);
    assert_int_equal(dtype_float_to_half(65520.0f), 0x7c00);        /* infinity */
    assert_int_equal(dtype_float_to_half(1.0f + 0x1p-11f), 0x3c00); /* a tie, to even */
    assert_int_equal(dtype_float_to_half(1.0f + 3 * 0x1p-11f), 0x3c02);
    assert_int_equal(dtype_float_to_half(0x1p-25f), 0);
    assert_int_equal(dtype_float_to_bfloat(1.0f + 0x1p-8f), 0x3f80);
    assert_true(isnan(dtype_half_to_float(dtype_float_to_half(NAN))));
    assert_true(isnan(dtype_bfloat_to_float(dtype_float_to_bfloat(NAN))));
}

TEST(exp_sigmoid_and_tanh_are_exact_enough)
{
    double worst = 0;
    for (double x = -86; x < 87; x += 0.00137) {
        Real r = (Real)x;
        worst = fmax(worst, fabs((double)real_exp(r) / exp((double)r) - 1));
    }
    assert_true(worst < 2e-7);
    assert_true(real_exp((Real)-200) < 1e-37 && real_exp((Real)0) == 1);
    for (double x = -30; x < 30; x += 0.01)
        assert_true(fabs((double)real_tanh((Real)x) - tanh((double)(Real)x)) < 1e-6);
}

static void save(const char *path, const Real *x, int n)
{
    StWriter w;
    int dims[2] = { 2, n / 2 };
    stwriter_init(&w);
    stwriter_metadata(&w, "key", "a \"value\"");
    stwriter_declare(&w, "full", DT_F32, dims, 2);
    stwriter_declare(&w, "half", DT_F16, dims, 2);
    assert_ok(stwriter_begin(&w, path, test_error()));
    stwriter_reals(&w, DT_F32, x, (size_t)n);
    stwriter_reals(&w, DT_F16, x, (size_t)n);
    assert_ok(stwriter_end(&w, true, test_error()));
}

TEST(safetensors_come_back)
{
    const char *path = test_path("file");
    Real x[6] = { 1, -2, (Real)0.5, 1000, 0, (Real)-0.25 }, back[6];
    FREED(safetensors_close) SafeTensors st;
    save(path, x, 6);
    assert_ok(safetensors_open(&st, path, test_error()));
    assert_string_equal(safetensors_metadata(&st, "key"), "a \"value\"");
    assert_null(safetensors_find(&st, "none"));
    static const char *const names[] = { "full", "half" };
    for (int k = 0; k < 2; k++) {
        const StTensor *t = safetensors_find(&st, names[k]);
        assert_int_equal(t->dim[1], 3);
        assert_ok(safetensors_reals(&st, t, back, test_error()));
        assert_close(back, x, 6, 0, 0);
    }
}

TEST(the_norm_of_one_number_is_the_number)
{
    Real lone[1] = { 5 }, one[1] = { 1 }, zero[1] = { 0 };
    MADE(Tape, tape_init, tape_fini, t, device_cpu());
    tape_reset(&t, false, false, 0);
    Tensor *w = tape_wrap(&t, lone, NULL, 1, 1, false), *a = tape_wrap(&t, one, NULL, 1, 1, false),
           *b = tape_wrap(&t, zero, NULL, 1, 1, false);
    assert_ptr_equal(op_norm(&t, w, a, b, NORM_UNBIASED_STD, 1e-3), w); /* it has no deviation */
}

TEST(relu_keeps_what_is_not_a_number)
{
    static const Real odd[] = { (Real)NAN, -1, 2, (Real)INFINITY }, one[] = { 1 };
    MADE(Tape, tape_init, tape_fini, t, device_cpu());
    tape_reset(&t, false, false, 0);
    Tensor *x = tape_constant(&t, odd, 4, 1), *w = tape_constant(&t, one, 1, 1);
    const Tensor *y[] = { op_relu(&t, x), op_linear(&t, x, w, NULL, true) };
    for (int k = 0; k < 2; k++) {
        assert_non_null(y[k]);
        assert_true(isnan((double)y[k]->data[0]) && y[k]->data[1] == 0 && y[k]->data[2] == 2);
        assert_true(isinf((double)y[k]->data[3]));
    }
}

TEST(dropout_is_a_function_of_key_and_group)
{
    enum { ROWS = 40, COLS = 500 };
    static Real x[ROWS * COLS];
    int group[ROWS], kept = 0;
    for (int i = 0; i < ROWS * COLS; i++) x[i] = 1;
    for (int r = 0; r < ROWS; r++) group[r] = r / 10;
    MADE(Tape, tape_init, tape_fini, t, device_cpu());
    for (int again = 0; again < 2; again++) {
        tape_reset(&t, false, true, 42);
        Tensor *in = tape_wrap(&t, x, NULL, ROWS, COLS, false), *y = op_dropout(&t, in, 0.25, group),
               *z = op_dropout(&t, in, 0.25, NULL);
        static Real first[ROWS * COLS];
        if (again) assert_memory_equal(first, y->data, sizeof first);
        memcpy(first, y->data, sizeof first);
        for (int r = 1; r < ROWS; r++)
            if (group[r] == group[r - 1])
                assert_memory_equal(tensor_row(y, r), tensor_row(y, r - 1), COLS * sizeof(Real));
        assert_memory_not_equal(tensor_row(y, 0), tensor_row(y, 10), COLS * sizeof(Real));
        assert_memory_not_equal(tensor_row(z, 0), tensor_row(z, 1), COLS * sizeof(Real));
        kept = 0;
        for (int i = 0; i < ROWS * COLS; i++) {
            kept += z->data[i] != 0;
            assert_true(z->data[i] == 0 || fabs((double)z->data[i] - 1 / 0.75) < 1e-6);
        }
        assert_true(abs(kept - 15000) < 300);
    }
    tape_reset(&t, false, false, 42);
    Tensor *in = tape_wrap(&t, x, NULL, ROWS, COLS, false);
    assert_ptr_equal(op_dropout(&t, in, 0.25, group), in); /* off outside training */
}

TEST(a_second_step_needs_no_new_memory)
{
    static Real x[300 * 200], w[200 * 200], dx[300 * 200], dw[200 * 200];
    MADE(Tape, tape_init, tape_fini, t, device_cpu());
    for (int step = 0; step < 3; step++) {
        if (step) mem_fail_after(0);
        tape_reset(&t, true, true, (uint64_t)step);
        Tensor *y =
            op_linear(&t, tape_wrap(&t, x, dx, 300, 200, true), tape_wrap(&t, w, dw, 200, 200, true), NULL, true);
        static const int at[1] = { 7 };
        static const Real one[1] = { 1 };
        Tensor *loss = op_pick(&t, op_dropout(&t, y, 0.1, NULL), at, at, one, 1, 0);
        Status s = loss ? tape_backward(&t, loss) : ERR_NOMEM;
        mem_fail_after(-1);
        assert_int_equal(s, OK);
    }
}

TEST(frozen_parameters_lie_after_the_trained_ones)
{
    Real grads[64] = { 0 };
    MADE(ParamSet, params_init, params_fini, ps);
    int frozen, trained;
    assert_ok(params_add(&ps, "frozen", 2, (int[]){ 3, 5 }, &frozen, test_error()));
    assert_ok(params_add(&ps, "trained", 1, (int[]){ 20 }, &trained, test_error()));
    params_freeze(&ps, frozen);
    int none;
    assert_fails(params_add(&ps, "empty", 1, (int[]){ 0 }, &none, test_error()), ERR_CONFIG,
                 "parameter empty: found a dimension of 0, expected at least 1");
    assert_ok(params_finish(&ps, test_error()));
    assert_int_equal(ps.p[trained].offset, 0);
    assert_int_equal(ps.trained, 32);
    assert_int_equal(ps.p[frozen].offset, 32);
    assert_int_equal(ps.size, 48);
    MADE(Tape, tape_init, tape_fini, t, device_cpu());
    tape_reset(&t, true, true, 0);
    assert_true(param_tensor(&t, &ps, trained, grads)->needs_grad);
    assert_false(param_tensor(&t, &ps, frozen, grads)->needs_grad);
}

TEST(openblas_multiplies_as_loops_do)
{
    enum { M = 7, N = 90, K = 100, LD = 104, SIZE = LD * LD };
    static Real a[SIZE], b[SIZE], c[SIZE], plain[SIZE];
    assert_false(cpu_blas_product(false, false, M, N, K, 1, a, LD, b, LD, false, c, LD)); /* before it is started */
    assert_ok(device_cpu()->start(2, true, test_error()));
    for (int way = 0; way < 8; way++) {
        bool ta = way & 1, tb = way & 2, add = way & 4;
        for (int i = 0; i < SIZE; i++) {
            a[i] = (Real)(rng_uniform(1, (uint64_t)i) - 0.5);
            b[i] = (Real)(rng_uniform(2, (uint64_t)i) - 0.5);
            c[i] = plain[i] = add ? (Real)i : (Real)NAN; /* without add the old values have no effect */
        }
        assert_true(cpu_blas_product(ta, tb, M, N, K, (Real)1.5, a, LD, b, LD, add, c, LD));
        plain_product(ta, tb, M, N, K, (Real)1.5, a, LD, b, LD, add, plain, LD);
        for (int i = 0; i < M; i++) assert_close(c + i * LD, plain + i * LD, N, 1e-5, 1e-5);
        device_cpu()->kernels->gemm(ta, tb, M, N, K, (Real)1.5, a, LD, b, LD, false, plain, LD);
        cpu_blas_product(ta, tb, M, N, K, (Real)1.5, a, LD, b, LD, false, c, LD);
        for (int i = 0; i < M; i++) assert_memory_equal(c + i * LD, plain + i * LD, N * sizeof *c); /* it is used */
    }
}

/* Sanitizers need terabytes of address space for themselves. */
#if defined __has_feature
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || HAS_FEATURE(address_sanitizer) || \
    HAS_FEATURE(memory_sanitizer) || HAS_FEATURE(thread_sanitizer)
#define SANITIZED true
#else
#define SANITIZED false
#endif

TEST(a_start_without_room_says_what_is_missing)
{
    if (SANITIZED) {
        print_message("skipped: sanitizers need more room\n");
        skip();
    }
    struct rlimit before, little;
    Error e = { 0 };
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    little = before;
    little.rlim_cur = (rlim_t)1 << 30;
    assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
    assert_int_equal(getrlimit(RLIMIT_AS, &little), 0);
    if (little.rlim_cur == before.rlim_cur) {
        print_message("skipped: qemu has no limits of memory\n");
        skip();
    }
    Status s = device_cpu()->start(200, true, &e);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(s, ERR_NOMEM);
    assert_non_null(strstr(e.message, "MiB of address space (ulimit -v), expected at least"));
    assert_non_null(strstr(e.message, "for 200 threads of OpenBLAS"));
    assert_int_equal(device_cpu()->start(1, true, NULL), OK);
}
