/* Host code and device memory, weights as operands, kernels a device lacks. */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>

#include "parser/parse/parse_network.h"
#include "tensor/params.h"
#include "tensor/cuda/gpu.h"
#include "tests/support/checking_device.h"
#include "tests/support/trained.h"

/* ---- faults, each in a process of its own */

/* Runs `fault` on the checking device; it must end the process with this message. */
static void stops(void (*fault)(Tape *), const char *message)
{
    int ends[2], status;
    char said[400] = "";
    size_t n = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        Tape t;
        dup2(ends[1], 2);
        close(ends[0]);
        tape_init(&t, device_checking());
        tape_reset(&t, false, false, 0);
        fault(&t);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got; n + 1 < sizeof said && (got = read(ends[0], said + n, sizeof said - 1 - n)) > 0;)
        n += (size_t)got;
    said[n] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!strstr(said, message)) fail_msg("found '%s', expected '%s'", said, message);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), CHECKING_STATUS);
}

static void host_reads(Tape *t)
{
    volatile Real x = tape_new(t, 2, 2)->data[3];
    (void)x;
}

static void host_writes(Tape *t) { *(volatile Real *)&tape_new(t, 2, 2)->data[3] = 1; }

static void host_writes_indices(Tape *t)
{
    volatile int *index = tape_scratch(t, 3, sizeof *index);
    index[0] = 1;
}

static void host_indices_reach_a_kernel(Tape *t)
{
    static const int spans[2] = { 0, 1 };
    const Tensor *g = tape_new(t, 2, 4), *y = tape_new(t, 1, 4);
    tape_run(t, "test", span_diff_fwd, y->data, g->data, g->ld, spans, NULL, 1, 4);
}

static void host_numbers_in_a_struct_reach_a_kernel(Tape *t)
{
    static const Real table[4];
    EmbedArgs a = { .n = 1, .term = { { .table = table, .ld = 4 } } };
    tape_run(t, "test", embed_fwd, tape_new(t, 1, 4)->data, 4, 1, 4, &a);
}

static void host_numbers_reach_a_product(Tape *t)
{
    static const Real values[4];
    const Tensor *x = tape_new(t, 1, 2), *y = tape_new(t, 1, 2);
    tape_run(t, "test", linear, y->data, 2, x->data, 2, 1, (Weight){ .values = values, .rows = 2, .cols = 2, .ld = 2 },
             NULL, false);
}

static void freed_memory_reaches_a_kernel(Tape *t)
{
    Real *p = device_zeros(t->device, 4);
    t->device->free(p);
    tape_run(t, "test", fill, p, 4, 1);
}

TEST(the_checking_device_finds_each_kind_of_fault)
{
    stops(host_reads, "host code touched device memory");
    stops(host_writes, "host code touched device memory");
    stops(host_writes_indices, "host code touched device memory");
    stops(host_indices_reach_a_kernel, "span_diff_fwd: spans is not device memory");
    stops(host_numbers_in_a_struct_reach_a_kernel, "embed_fwd: term[k].table is not device memory");
    stops(host_numbers_reach_a_product, "linear: values is not device memory");
    stops(freed_memory_reaches_a_kernel, "fill: x is freed device memory");
}

/* ---- numbers */

TEST(numbers_go_to_a_device_and_come_back)
{
    Real x[12], back[8];
    for (int i = 0; i < 12; i++) x[i] = (Real)i;
    for (int way = 0; way < 2; way++) {
        MADE(Tape, tape_init, tape_fini, t, way ? device_checking() : device_cpu());
        tape_reset(&t, true, false, 0);
        Tensor *y = tape_constant(&t, x, 3, 4), *view = tape_rows(&t, tape_columns(&t, y, 1, 2), 1, 2);
        assert_true(tensor_download(&t, view, back)); /* a view becomes dense */
        for (int i = 0; i < 4; i++) assert_true(back[i] == x[(1 + i / 2) * 4 + 1 + i % 2]);
        HostMatrix m = tensor_host(&t, view, test_arena());
        for (int r = 0; r < 2; r++)
            for (int c = 0; c < 2; c++) assert_true(host_row(&m, r)[c] == x[(1 + r) * 4 + 1 + c]);
        assert_null(tensor_host_grad(&t, view, test_arena()).data);
        assert_true(tape_number(&t, tape_rows(&t, tape_columns(&t, y, 2, 1), 2, 1)) == 10);
        assert_true(isnan(tape_number(&t, NULL)));
        assert_int_equal(tape_status(&t), OK);
    }
}

/* ---- kernels */

TEST(a_kernel_that_a_device_lacks_is_an_error_of_the_op)
{
    static const Real x[4] = { 1, 2, 3, 4 };
    static const int start[2] = { 0, 2 };
    Batch b = { 1, start, 2, 2 };
    Kernels fewer = *device_cpu()->kernels;
    Device lame = *device_cpu();
    fewer.segment_softmax_fwd = NULL;
    fewer.column_sum = NULL;
    lame.name = "a device";
    lame.kernels = &fewer;
    MADE(Tape, tape_init, tape_fini, t, &lame);
    tape_reset(&t, true, false, 0);
    Tensor *y = tape_constant(&t, x, 2, 2);
    assert_null(op_label_attention(&t, y, y, &(LabelAttentionSpec){ .scale = 1 }, &b, NULL));
    assert_error(&t.error, ERR_CONFIG, "label_weights: no segment_softmax_fwd kernel on a device");
    tape_reset(&t, true, false, 0);
    y = tape_constant(&t, x, 2, 2);
    Tensor *bias = tape_new(&t, 1, 2), *z = op_linear(&t, y, tape_constant(&t, x, 2, 2), bias, false);
    static const int at[1] = { 0 };
    static const Real one[1] = { 1 };
    assert_non_null(z);
    assert_int_equal(tape_backward(&t, op_pick(&t, z, at, at, one, 1, 0)), ERR_CONFIG);
    assert_error(&t.error, ERR_CONFIG, "linear: no column_sum kernel on a device");
}

/* In a build with CUDA on a machine without a GPU, and on the emulated device. */
TEST(cuda_is_there_or_says_what_is_missing)
{
    Error e = { 0 };
    void *p = NULL;
    assert_non_null(device_cuda());
    if (device_cuda()->start(1, false, &e) == OK) assert_non_null(p = device_cuda()->alloc(100));
    else assert_true(strncmp(e.message, "CUDA: ", 6) == 0 || strncmp(e.message, "cannot load cuBLAS: ", 20) == 0);
    device_cuda()->free(p);
}

/* ---- weights */

static const ParamSet *watched; /* of the model that is run */
static long raw_weights, handles;

static void watch(const Real *p) { raw_weights += p >= watched->slab && p < watched->slab + watched->size; }
static void watch_weight(Weight w) { handles += w.values >= watched->slab && w.values < watched->slab + watched->size; }

static void watched_gemm(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b,
                         int ldb, bool add, Real *c, int ldc)
{
    watch(a);
    watch(b);
    device_cpu()->kernels->gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, add, c, ldc);
}

static void watched_linear(Real *y, int ldy, const Real *x, int ldx, int rows, Weight w, const Real *bias, bool relu)
{
    watch(x);
    watch_weight(w);
    device_cpu()->kernels->linear(y, ldy, x, ldx, rows, w, bias, relu);
}

static void watched_weight_product(Real *y, int ldy, Weight a, Weight b)
{
    watch_weight(a);
    watch_weight(b);
    device_cpu()->kernels->weight_product(y, ldy, a, b);
}

static void watched_head_linear(Real *y, int ldy, const Real *z, int ldz, int rows, int heads, Weight v)
{
    watch(z);
    watch_weight(v);
    device_cpu()->kernels->head_linear(y, ldy, z, ldz, rows, heads, v);
}

static void watched_label_query(Real *u, int ldu, Weight k, Weight q)
{
    watch_weight(k);
    watch_weight(q);
    device_cpu()->kernels->label_query_fwd(u, ldu, k, q);
}

static void watched_bilinear(Real *s, int lds, const Real *a, int lda, const Real *b, int ldb, Weight u, int rows,
                             Real *scratch)
{
    watch(a);
    watch(b);
    watch_weight(u);
    device_cpu()->kernels->bilinear_fwd(s, lds, a, lda, b, ldb, u, rows, scratch);
}

static void watched_lstm(const LstmArgs *a)
{
    watch(a->x);
    watch_weight(a->w_ih);
    watch_weight(a->w_hh);
    device_cpu()->kernels->lstm_fwd(a);
}

static void watched_attention(const AttentionArgs *a)
{
    for (int p = 0; p < a->n_parts; p++) {
        watch(a->q[p]);
        watch(a->kv[p]);
    }
    device_cpu()->kernels->attention_fwd(a);
}

static void watched_arcs(const ArcArgs *a)
{
    watch(a->x);
    watch(a->b);
    device_cpu()->kernels->arc_scores_fwd(a);
}

TEST(weights_reach_products_through_handles_only)
{
    MADE(Trained, trained_init, trained_fini, x);
    Kernels kernels = *device_cpu()->kernels;
    kernels.gemm = watched_gemm;
    kernels.linear = watched_linear;
    kernels.weight_product = watched_weight_product;
    kernels.head_linear = watched_head_linear;
    kernels.label_query_fwd = watched_label_query;
    kernels.bilinear_fwd = watched_bilinear;
    kernels.lstm_fwd = watched_lstm;
    kernels.attention_fwd = watched_attention;
    kernels.arc_scores_fwd = watched_arcs;
    Device d = *device_cpu();
    d.kernels = &kernels;
    watched = &x.m.ps;
    raw_weights = handles = 0;
    trained_parse(&x, &d, 1, test_out());
    assert_true(handles > 20);
    assert_int_equal(raw_weights, 0);
    MADE(Tape, tape_init, tape_fini, t, device_cpu());
    tape_reset(&t, false, false, 0);
    const Param *p = &x.m.ps.p[parse_network(&x.m.net)->span.w1];
    const Weight *w =
        param_rows(&t, &x.m.ps, parse_network(&x.m.net)->span.w1, NULL, 2, 3)->weight; /* parts are asked for by name */
    assert_ptr_equal(w->values, params_values(&x.m.ps) + p->offset + (size_t)(2 * p->cols));
    assert_true(w->first_row == 2 && w->rows == 3 && w->cols == p->cols && w->ld == p->cols);
    assert_ptr_equal(w->packed, param_tensor(&t, &x.m.ps, parse_network(&x.m.net)->span.w1, NULL)->weight->packed);
    assert_null(tape_rows(&t, param_tensor(&t, &x.m.ps, parse_network(&x.m.net)->span.w1, NULL), 2, 3));
    assert_error(&t.error, ERR_RANGE, "a view of a parameter");
    tape_reset(&t, false, false, 0);
    assert_null(param_rows(&t, &x.m.ps, parse_network(&x.m.net)->span.w1, NULL, p->rows - 1, 2));
}

TEST(devices_are_chosen_by_their_names)
{
    static const char *const wrong[] = { "",        "gpu",     "CPU",     "cuda:",    "cuda:x",
                                         "cuda:1x", "cuda:-1", "cuda: 1", "cuda:9999" };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_fails_with(device_choose(wrong[k], test_error()), ERR_USAGE, "expected cpu, cuda, cuda:N or auto");
    assert_ptr_equal(device_default(), device_cpu());
    Status s = device_choose("cuda", test_error());
    if (device_cuda()) assert_true(s == OK ? device_default() == device_cuda() : s == ERR_IO);
    else assert_int_equal(s, ERR_CONFIG);
    assert_ok(device_choose("cpu", test_error()));
    assert_ptr_equal(device_default(), device_cpu());
    assert_fails(device_cpu()->set_products(PRODUCTS_TF32, test_error()), ERR_CONFIG,
                 "products in tf32: the CPU has none, a GPU has");
}
