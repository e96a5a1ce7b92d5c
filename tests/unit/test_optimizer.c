/* Parameter groups, sums of gradients and updates. */
#include "base/arena.h"
#include "base/rng.h"
#include "tensor/optimizer.h"
#include "tests/support/check.h"

static const OptimizerConfig PLAIN = { .n_threads = 1, .beta1 = 0.9, .beta2 = 0.98, .eps = 1e-9 };

/* matrices a.w, b.w and c.w [rows, 4] and vectors a.b and b.b [4], in the order a.w a.b b.w b.b c.w; rules come first
 */
enum { A_W, A_B, B_W, B_B, C_W, N_PARAMS };

static void declare(ParamSet *ps, int rows)
{
    static const char *const names[N_PARAMS] = { "a.w", "a.b", "b.w", "b.b", "c.w" };
    int k;
    for (int i = 0; i < N_PARAMS; i++) {
        bool vector = i == A_B || i == B_B;
        assert_ok(
            params_add(ps, names[i], vector ? 1 : 2, vector ? (int[]){ 4 } : (int[]){ rows, 4 }, &k, test_error()));
        assert_int_equal(k, i);
    }
    assert_ok(params_finish(ps, test_error()));
    for (int i = 0; i < N_PARAMS; i++) param_init_normal(ps, i, 1, 7);
}

/* A gradient that is a function of (seed, number), added to g [trained]. Not inlined: a product and the sum of the
 * caller could become one operation with one rounding. */
__attribute__((noinline)) static void put_gradient(const ParamSet *ps, int item, uint64_t seed, Real *g)
{
    for (int k = 0; k < ps->n; k++)
        for (size_t i = 0; i < param_count(&ps->p[k]) && !ps->p[k].frozen; i++)
            g[ps->p[k].offset + i] += (Real)rng_normal(rng_key(seed, (uint64_t)k, (uint64_t)item, 0), i);
}

static void add_gradient(Optimizer *o, int thread, int item, uint64_t seed)
{
    put_gradient(o->ps, item, seed, optimizer_gradients(o, thread));
    optimizer_add(o, thread, item);
}

/* Updates with gradients that depend on the parameter alone, not on its place. */
static void train(ParamSet *ps, OptimizerConfig c, double lr, int updates)
{
    FREED(optimizer_fini) Optimizer o;
    assert_ok(optimizer_init(&o, ps, device_cpu(), c, test_error()));
    for (int t = 1; t <= updates; t++) {
        optimizer_begin(&o, (const int[]){ 3 });
        for (int item = 0; item < 3; item++) add_gradient(&o, 0, item, (uint64_t)t);
        optimizer_step(&o, lr, t, optimizer_norm(&o));
    }
}

TEST(without_rules_there_is_one_group_in_the_order_of_declaration)
{
    MADE(ParamSet, params_init, params_fini, ps);
    declare(&ps, 5);
    static const size_t offsets[] = { 0, 32, 48, 80, 96 };
    for (int k = 0; k < N_PARAMS; k++) assert_int_equal(ps.p[k].offset, offsets[k]);
    assert_int_equal(ps.n_groups, 1);
    assert_int_equal(ps.trained, 128);
    assert_true(ps.group[0].rate == 1 && ps.group[0].decay == 0 && !ps.group[0].frozen);
}

TEST(a_group_is_one_range_and_the_last_rule_counts)
{
    MADE(ParamSet, params_init, params_fini, ps);
    assert_ok(params_group(&ps, "", 1, 0.1, 0, false, test_error()));
    assert_ok(params_group(&ps, "b", 0.5, 0.1, 0, false, test_error()));
    assert_ok(params_group(&ps, "a.w", 1, 0, 0, true, test_error()));
    declare(&ps, 5);
    static const struct {
        int param;
        double rate, decay;
        bool frozen;
        size_t offset;
    } want[] = { { A_B, 1, 0, false, 0 },
                 { B_W, 0.5, 0.1, false, 16 },
                 { B_B, 0.5, 0, false, 48 },
                 { C_W, 1, 0.1, false, 64 },
                 { A_W, 0, 0, true, 96 } };
    assert_int_equal(ps.n_groups, 5);
    for (int k = 0; k < 5; k++) {
        const Param *p = &ps.p[want[k].param];
        assert_int_equal(p->offset, want[k].offset);
        assert_int_equal(p->frozen, want[k].frozen);
        assert_int_equal(ps.group[k].offset, p->offset);
        assert_true(ps.group[k].rate == want[k].rate && ps.group[k].decay == want[k].decay);
        assert_int_equal(ps.group[k].frozen, want[k].frozen);
    }
    assert_int_equal(ps.trained, 96);
    assert_int_equal(ps.size, 128);
    assert_int_equal(params_matching(&ps, "b."), 2);
    assert_int_equal(params_matching(&ps, "d"), 0);
    assert_int_equal(params_group(&ps, "x", -1, 0, 0, false, test_error()), ERR_RANGE);
    assert_int_equal(params_group(&ps, "x", 1, (double)NAN, 0, false, test_error()), ERR_RANGE);
}

TEST(frozen_parameters_keep_their_bytes_and_have_no_gradient)
{
    Real before[20];
    OptimizerConfig c = PLAIN;
    c.average = 0.9;
    MADE(ParamSet, params_init, params_fini, ps);
    assert_ok(params_group(&ps, "b.w", 1, 0, 0, true, test_error()));
    declare(&ps, 5);
    memcpy(before, param_values(&ps, B_W), sizeof before);
    assert_int_equal(ps.trained, 96); /* which all slabs but that of the values have */
    train(&ps, c, 0.1, 5);
    assert_memory_equal(before, param_values(&ps, B_W), sizeof before);
    MADE(ParamSet, params_init, params_fini, none);
    assert_ok(params_group(&none, "", 1, 0, 0, true, test_error()));
    declare(&none, 5);
    FREED(optimizer_fini) Optimizer o;
    assert_int_equal(none.trained, 0);
    assert_fails(optimizer_init(&o, &none, device_cpu(), c, test_error()), ERR_CONFIG,
                 "found only frozen parameters, expected some to train");
}

TEST(a_factor_of_a_half_is_half_a_step)
{
    Real start[20];
    MADE(ParamSet, params_init, params_fini, whole);
    MADE(ParamSet, params_init, params_fini, half);
    assert_ok(params_group(&half, "b.w", 0.5, 0, 0, false, test_error()));
    declare(&whole, 5);
    declare(&half, 5);
    memcpy(start, param_values(&whole, B_W), sizeof start);
    train(&whole, PLAIN, 0.25, 4);
    train(&half, PLAIN, 0.25, 4);
    for (size_t i = 0; i < 20; i++) {
        double step = (double)(param_values(&whole, B_W)[i] - start[i]),
               halved = (double)(param_values(&half, B_W)[i] - start[i]);
        assert_true(fabs(step) > 1e-3 && fabs(halved - step / 2) < 1e-6);
    }
    assert_memory_equal(param_values(&whole, A_W), param_values(&half, A_W), sizeof start);
    assert_memory_equal(param_values(&whole, C_W), param_values(&half, C_W), sizeof start);
}

TEST(decay_shrinks_matrices_by_rate_times_decay)
{
    FREED(optimizer_fini) Optimizer o;
    Real w[2][20], bias[4];
    MADE(ParamSet, params_init, params_fini, ps);
    assert_ok(params_group(&ps, "", 1, 0.5, 0, false, test_error()));
    assert_ok(params_group(&ps, "b", 0.5, 0.5, 0, false, test_error()));
    declare(&ps, 5);
    memcpy(w[0], param_values(&ps, A_W), sizeof w[0]);
    memcpy(w[1], param_values(&ps, B_W), sizeof w[1]);
    memcpy(bias, param_values(&ps, A_B), sizeof bias);
    assert_ok(optimizer_init(&o, &ps, device_cpu(), PLAIN, test_error()));
    optimizer_begin(&o, (const int[]){ 1 });
    optimizer_add(&o, 0, 0); /* a gradient of zero: decay alone moves the weights */
    optimizer_step(&o, 0.25, 1, 0);
    for (size_t i = 0; i < 20; i++) {
        w[0][i] *= (Real)(1 - 0.25 * 0.5);
        w[1][i] *= (Real)(1 - 0.25 * 0.5 * 0.5);
    }
    assert_memory_equal(param_values(&ps, A_W), w[0], sizeof w[0]);
    assert_memory_equal(param_values(&ps, B_W), w[1], sizeof w[1]);
    assert_memory_equal(param_values(&ps, A_B), bias, sizeof bias);
}

TEST(updates_are_those_of_the_formulas)
{
    enum { N = 20, UPDATES = 6 };
    FREED(optimizer_fini) Optimizer o;
    OptimizerConfig c = PLAIN;
    double w[N], average[N], m[N] = { 0 }, v[N] = { 0 }, lr = 0.02, decay = 0.3;
    c.clip = 3;
    c.average = 0.4;
    MADE(ParamSet, params_init, params_fini, ps);
    assert_ok(params_group(&ps, "c", 2, decay, 0, false, test_error()));
    declare(&ps, 5);
    for (size_t i = 0; i < N; i++) w[i] = average[i] = (double)param_values(&ps, C_W)[i];
    assert_ok(optimizer_init(&o, &ps, device_cpu(), c, test_error()));
    for (int t = 1; t <= UPDATES; t++) {
        optimizer_begin(&o, (const int[]){ 2 });
        for (int item = 0; item < 2; item++) add_gradient(&o, 0, item, (uint64_t)t);
        double squares = 0, sum[N], a = fmin((1.0 + t) / (10 + t), c.average);
        for (size_t i = 0; i < ps.trained; i++) squares += (double)o.sum[i] * (double)o.sum[i];
        for (size_t i = 0; i < N; i++) sum[i] = (double)o.sum[ps.p[C_W].offset + i];
        assert_true(fabs(optimizer_norm(&o) - sqrt(squares)) < 1e-9 * sqrt(squares));
        assert_true(sqrt(squares) > c.clip);
        optimizer_step(&o, lr, t, optimizer_norm(&o));
        for (size_t i = 0; i < N; i++) {
            double g = sum[i] * c.clip / sqrt(squares);
            m[i] = c.beta1 * m[i] + (1 - c.beta1) * g;
            v[i] = c.beta2 * v[i] + (1 - c.beta2) * g * g;
            double step = m[i] / (1 - pow(c.beta1, t)) / (sqrt(v[i] / (1 - pow(c.beta2, t))) + c.eps);
            w[i] -= 2 * lr * (step + decay * w[i]);
            average[i] = a * average[i] + (1 - a) * w[i];
        }
    }
    Real got[N], mean[N];
    for (size_t i = 0; i < N; i++) {
        got[i] = (Real)w[i];
        mean[i] = (Real)average[i];
    }
    assert_close(param_values(&ps, C_W), got, N, 1e-5, 1e-6);
    optimizer_swap_average(&o);
    assert_close(param_values(&ps, C_W), mean, N, 1e-5, 1e-6);
    assert_close(optimizer_map(&o, OPTIMIZER_AVERAGE) + ps.p[C_W].offset, got, N, 1e-5, 1e-6);
    optimizer_unmap(&o, OPTIMIZER_AVERAGE, false);
    optimizer_swap_average(&o);
    assert_close(param_values(&ps, C_W), got, N, 1e-5, 1e-6);
}

/* The sum of the gradients of items 0, 1, ...; mem_free ends it. */
static Real *sum_in_order(const ParamSet *ps, int n_items)
{
    Real *sum = mem_calloc(ps->trained, sizeof *sum), *g = mem_calloc(ps->trained, sizeof *g);
    assert_true(sum && g);
    for (int item = 0; item < n_items; item++) {
        memset(g, 0, ps->trained * sizeof *g);
        put_gradient(ps, item, 5, g);
        for (size_t i = 0; i < ps->trained; i++) sum[i] += g[i];
    }
    mem_free(g);
    return sum;
}

static void add_item(void *context, int worker, int item) { add_gradient(context, worker, item, 5); }

TEST(sums_are_bit_equal_for_any_number_of_threads)
{
    enum { ROWS = 30000, ITEMS = 7 }; /* 23 ranges, the last one shorter */
    FREED(free_pointer) Real *first = NULL;
    for (int threads = 1; threads <= 5; threads++) {
        FREED(optimizer_fini) Optimizer o;
        OptimizerConfig c = PLAIN;
        c.n_threads = threads;
        MADE(ParamSet, params_init, params_fini, ps);
        declare(&ps, ROWS);
        assert_ok(optimizer_init(&o, &ps, device_cpu(), c, test_error()));
        assert_true(o.n_ranges > 20);
        for (int again = 0; again < 2; again++) { /* the second sum does not see the first */
            optimizer_begin(&o, (const int[]){ ITEMS });
            parallel_for(threads, ITEMS, add_item, &o);
        }
        if (!first) first = sum_in_order(&ps, ITEMS);
        assert_memory_equal(o.sum, first, ps.trained * sizeof *first);
        for (int k = 0; k < threads; k++)
            for (size_t i = 0; i < ps.trained; i++) assert_true(optimizer_gradients(&o, k)[i] == 0);
    }
}

/* Number i of the sum over lanes [from, from + n), each of its sub-batches in order, as a balanced tree. */
static Real sum_as_tree(Real *const *g, const int *lane_items, int from, int n, size_t i)
{
    Real sum = 0;
    int first = 0;
    if (n > 1) return sum_as_tree(g, lane_items, from, n / 2, i) + sum_as_tree(g, lane_items, from + n / 2, n / 2, i);
    for (int k = 0; k < from; k++) first += lane_items[k];
    for (int k = 0; k < lane_items[from]; k++) sum = k ? sum + g[first + k][i] : g[first + k][i];
    return sum;
}

TEST(lanes_are_added_as_a_balanced_tree)
{
    enum { MOST = 11 };
    MADE(ParamSet, params_init, params_fini, ps);
    declare(&ps, 5000); /* two ranges */
    Real *g[MOST];
    for (int k = 0; k < MOST; k++) {
        g[k] = mem_calloc(ps.trained, sizeof **g);
        put_gradient(&ps, k, 5, g[k]);
    }
    for (int lanes = 1; lanes <= 8; lanes *= 2)
        for (int items = 0; items <= MOST; items++) {
            FREED(optimizer_fini) Optimizer o;
            OptimizerConfig c = PLAIN;
            int lane_items[8];
            for (int k = 0; k < lanes; k++) lane_items[k] = (items + lanes - 1 - k) / lanes;
            c.n_threads = 3;
            c.lanes = lanes;
            assert_ok(optimizer_init(&o, &ps, device_cpu(), c, test_error()));
            for (int again = 0; again < 2; again++) {
                optimizer_begin(&o, lane_items);
                parallel_for(3, items, add_item, &o);
            }
            for (size_t i = 0; i < ps.trained; i++) assert_true(o.sum[i] == sum_as_tree(g, lane_items, 0, lanes, i));
        }
    for (int k = 0; k < MOST; k++) mem_free(g[k]);
}

static void add_or_skip(void *context, int worker, int item)
{
    if (item == 2) {
        optimizer_gradients(context, worker)[0] = 1;
        optimizer_skip(context, worker, item);
    } else optimizer_add(context, worker, item);
}

TEST(a_sub_batch_that_fails_holds_nobody_up)
{
    FREED(optimizer_fini) Optimizer o;
    OptimizerConfig c = PLAIN;
    c.n_threads = 3;
    MADE(ParamSet, params_init, params_fini, ps);
    declare(&ps, 5);
    assert_ok(optimizer_init(&o, &ps, device_cpu(), c, test_error()));
    optimizer_begin(&o, (const int[]){ 9 });
    parallel_for(3, 9, add_or_skip, &o);
    for (int k = 0; k < 3; k++) assert_true(optimizer_gradients(&o, k)[0] == 0);
}

TEST(failed_allocations_are_reported)
{
    for (long n = 0; allocation_fails(n); n++) {
        FREED(optimizer_fini) Optimizer o = { 0 };
        OptimizerConfig c = PLAIN;
        int k;
        c.n_threads = 2;
        c.average = 0.9;
        MADE(ParamSet, params_init, params_fini, ps);
        mem_fail_after(n);
        Status s = params_group(&ps, "a", 1, 0, 0, false, test_error());
        if (s == OK) s = params_add(&ps, "a", 1, (int[]){ 3 }, &k, test_error());
        if (s == OK) s = params_finish(&ps, test_error());
        assert_ok_or_no_memory(s == OK ? optimizer_init(&o, &ps, device_cpu(), c, test_error()) : s);
    }
}
