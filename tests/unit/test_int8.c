/* Numbers in 8 and in 4 bits, and models stored in them. */
#define _XOPEN_SOURCE 700
#include <float.h>

#include "base/rng.h"
#include "tensor/int4.h"
#include "tensor/int8.h"
#include "tests/support/edit_model.h"

/* ---- rows */

/* Encodes and decodes a row, and checks that each number is off by at most half a scale and the largest by less. */
static float round_trip(const Real *x, size_t n, int8_t *q, Real *back)
{
    float scale = int8_scale(x, n);
    assert_true(isfinite(scale));
    int8_encode(x, n, scale, q);
    int8_decode(q, n, (Real)scale, back);
    for (size_t i = 0; i < n; i++) {
        assert_within((double)back[i], (double)x[i], 0.50001 * (double)scale);
        assert_in_range(q[i] + INT8_MOST, 0, 2 * INT8_MOST);
        assert_true(back[i] == (Real)(q[i] * (double)scale)); /* the product is exact */
    }
    return scale;
}

TEST(a_row_comes_back_within_half_a_scale_and_then_exactly)
{
    enum { N = 100 };
    Real x[N], back[N], again[N];
    int8_t q[N], r[N];
    for (int k = 0; k < 20000; k++) {
        uint64_t key = rng_key(1, 2, (uint64_t)k, 0);
        size_t n = 1 + (size_t)(rng_uniform(key, 0) * N);
        double size = pow(10, 70 * rng_uniform(key, 1) - 35);
        for (size_t i = 0; i < n; i++) x[i] = (Real)(size * (2 * rng_uniform(key, 2 + i) - 1));
        float scale = round_trip(x, n, q, back);
        int most = 0;
        for (size_t i = 0; i < n; i++) most = abs(q[i]) > most ? abs(q[i]) : most;
        if (scale > 0) assert_int_equal(most, INT8_MOST);
        assert_true(int8_scale(back, n) == scale);
        round_trip(back, n, r, again);
        assert_memory_equal(r, q, n);
        assert_memory_equal(again, back, n * sizeof *back);
    }
}

TEST(numbers_are_rounded_to_nearest_even)
{
    const Real x[] = { 127, (Real)0.5, (Real)1.5, (Real)2.5, (Real)-0.5, (Real)-1.5, (Real)126.5, (Real)0.49, -127 };
    const int8_t expected[] = { 127, 0, 2, 2, 0, -2, 126, 0, -127 };
    int8_t q[9];
    Real back[9];
    assert_true(round_trip(x, 9, q, back) == 1);
    assert_memory_equal(q, expected, 9);
}

TEST(rows_of_zeros_of_one_number_and_with_a_huge_one)
{
    Real back[4];
    int8_t q[4];
    const Real zeros[4] = { 0, -(Real)0, 0, 0 }, tiny[2] = { (Real)1e-37, (Real)-1e-37 }, one[1] = { (Real)-0.3 },
               huge[4] = { (Real)1e30, 1, (Real)-3e27, -1000 };
    assert_true(round_trip(zeros, 4, q, back) == 0);
    for (int i = 0; i < 4; i++) assert_true(back[i] == 0 && !signbit(back[i]));
    assert_true(int8_scale(tiny, 2) == 0);
    round_trip(one, 1, q, back);
    assert_int_equal(q[0], -127);
    assert_within((double)back[0], -0.3, 0.3 / 65536);
    round_trip(huge, 4, q, back);
    const int8_t expected[] = { 127, 0, 0, 0 };
    assert_memory_equal(q, expected, 4);
}

TEST(rows_that_cannot_be_stored_have_no_scale)
{
    const double odd[] = { NAN, INFINITY, -INFINITY, 1e308, FLT_MAX };
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
        for (int at = 0; at < 3; at++) {
            Real x[3] = { 1, 1, 1 };
            x[at] = (Real)odd[k];
            float scale = int8_scale(x, 3);
            if (k < 4) assert_true(!isfinite(scale));
            else assert_true(!isfinite(scale) || (double)INT8_MOST * (double)scale <= FLT_MAX);
        }
}

/* ---- groups of 4 bits */

/* Encodes and decodes a group; the sum of squared errors. */
static double group_round_trip(const Real *x, size_t n, uint8_t *q, Real *back)
{
    double error = 0, scale = (double)int4_encode(x, n, q);
    assert_true(isfinite(scale));
    for (size_t i = 0; i < n; i++) {
        back[i] = (Real)((double)int4_number(q, i) * scale);
        assert_within((double)back[i], (double)x[i], 1.3 * fabs(scale) + 1e-6);
        error += ((double)back[i] - (double)x[i]) * ((double)back[i] - (double)x[i]);
    }
    return error;
}

/* The sum of squared errors with the scale that -8 stands for the largest number by. */
static double plain_error(const Real *x, size_t n)
{
    double largest = 0, error = 0;
    for (size_t i = 0; i < n; i++) largest = fabs((double)x[i]) > fabs(largest) ? (double)x[i] : largest;
    double scale = (double)dtype_half_to_float(dtype_float_to_half((float)(largest / -8)));
    for (size_t i = 0; i < n; i++) {
        double k = rint((double)x[i] / scale), d = (double)x[i] - (k > 7 ? 7 : k < -8 ? -8 : k) * scale;
        error += d * d;
    }
    return error;
}

TEST(a_group_of_4_bits_is_no_worse_than_by_its_largest_number_and_comes_back_exactly)
{
    double better = 0, plain = 0;
    for (int k = 0; k < 20000; k++) {
        Real x[INT4_GROUP], back[INT4_GROUP], again[INT4_GROUP];
        uint8_t q[INT4_GROUP / 2], r[INT4_GROUP / 2];
        uint64_t key = rng_key(1, 3, (uint64_t)k, 0);
        size_t n = 1 + (size_t)(rng_uniform(key, 0) * INT4_GROUP);
        double size = pow(10, 6 * rng_uniform(key, 1) - 3);
        for (size_t i = 0; i < n; i++) x[i] = (Real)(size * rng_normal(key, 2 + i));
        double error = group_round_trip(x, n, q, back);
        better += error / (size * size);
        plain += plain_error(x, n) / (size * size);
        assert_true(error <= plain_error(x, n) * (1 + 1e-6) + 1e-20);
        assert_true(group_round_trip(back, n, r, again) == 0);
        assert_memory_equal(r, q, int4_bytes(n));
        assert_memory_equal(again, back, n * sizeof *back);
    }
    assert_true(better < 0.95 * plain);
}

TEST(groups_of_zeros_of_tiny_numbers_and_of_those_that_cannot_be_stored)
{
    Real back[3];
    uint8_t q[2];
    const Real zeros[3] = { 0, -(Real)0, 0 }, tiny[3] = { (Real)1e-12, (Real)-1e-12, 0 },
               few[3] = { (Real)1.75, -2, (Real)0.25 };
    assert_true(group_round_trip(zeros, 3, q, back) == 0);
    assert_true(int4_encode(tiny, 3, q) == 0);
    assert_true(group_round_trip(few, 3, q, back) == 0);
    const uint8_t expected[] = { 0x0f, 0x09 }; /* 7 and -8, 1 and nothing, by 0.25 */
    assert_memory_equal(q, expected, 2);
    const double odd[] = { NAN, INFINITY, -INFINITY, 1e6 };
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
        for (int at = 0; at < 3; at++) {
            Real x[3] = { 1, 1, 1 };
            x[at] = (Real)odd[k];
            assert_true(int4_encode(x, 3, q) == INFINITY);
        }
}

/* ---- models */

/* A trained model as "a", and stored in 8 bits as "c". */
static void trained(Bench *b)
{
    bench_init(b, 40);
    MADE(Model, toy_model, model_fini, m, b);
    assert_ok(model_save(&m, in(b, "c"), DT_I8, NULL, 0, NULL, test_error()));
}

static void assert_same_bytes(const char *a, const char *b)
{
    FREED(strbuf_fini) StrBuf x = { 0 }, y = { 0 };
    file_bytes(&x, a);
    file_bytes(&y, b);
    assert_equal_texts(&x, &y);
}

/* The table x of p is in 4 bits in t and its scales, and read as y. */
static void assert_groups(const Param *p, const StTensor *t, const StTensor *scale, const Real *x, const Real *y)
{
    size_t rows = (size_t)p->dim[0], n = (size_t)p->dim[1], groups = (n + 31) / 32;
    assert_int_equal(t->dtype, DT_U8);
    assert_int_equal(t->count, rows * ((n + 1) / 2));
    assert_int_equal(scale->dtype, DT_F16);
    assert_int_equal(scale->count, rows * groups);
    for (size_t i = 0; i < rows * n; i++) {
        size_t r = i / n, c = i % n;
        unsigned char byte = t->data[r * ((n + 1) / 2) + c / 2];
        Real s;
        dtype_reals(DT_F16, scale->data + 2 * (r * groups + c / 32), 1, &s);
        assert_true(y[i] == (Real)((c % 2 ? byte >> 4 : byte & 15) - 8) * s);
        assert_within((double)y[i], (double)x[i], 1.3 * fabs((double)s) + 1e-6);
    }
}

TEST(a_model_in_8_bits_has_a_scale_for_each_row_and_is_stored_again_as_the_same_bytes)
{
    FREED(safetensors_close) SafeTensors st;
    MADE(Bench, trained, bench_fini, b);
    MADE(Model, load_ok, model_fini, m, in(&b, "a"));
    MADE(Model, load_ok, model_fini, narrow, in(&b, "c"));
    assert_ok(safetensors_open(&st, in(&b, "c"), test_error()));
    int tables = 0;
    for (int k = 0; k < m.ps.n; k++) {
        const Param *p = &m.ps.p[k];
        const Real *x = param_values(&m.ps, k), *y = param_values(&narrow.ps, k);
        const StTensor *t = safetensors_find(&st, p->name),
                       *scale = safetensors_find(&st, test_format("%s.scale", p->name));
        assert_true((t->data - st.map.data) % (t->dtype == DT_F16 ? 2 : 1) == 0);
        if (p->n_dims == 1 || p->dim[0] < 8) {
            assert_int_equal(t->dtype, DT_F16);
            assert_null(scale);
            assert_close(y, x, param_count(p), 0.0005, 1e-7);
            continue;
        }
        size_t rows = (size_t)p->dim[0], n = param_count(p) / rows;
        if (p->table) {
            assert_groups(p, t, scale, x, y);
            tables++;
            continue;
        }
        assert_int_equal(t->dtype, DT_I8);
        assert_int_equal(scale->dtype, DT_F32);
        assert_int_equal(scale->count, rows);
        assert_int_equal((scale->data - st.map.data) % 4, 0);
        for (size_t i = 0; i < rows * n; i++) {
            float s;
            memcpy(&s, scale->data + i / n * sizeof s, sizeof s);
            assert_true(y[i] == (Real)((int8_t)t->data[i] * (double)s));
            assert_within((double)y[i], (double)x[i], 0.50001 * (double)s);
        }
    }
    assert_true(tables > 1);
    assert_ok(model_save(&narrow, in(&b, "b"), DT_I8, NULL, 0, NULL, test_error()));
    assert_same_bytes(in(&b, "b"), in(&b, "c"));
    /* as exact numbers and back */
    assert_ok(model_save(&narrow, in(&b, "b"), DT_F32, NULL, 0, NULL, test_error()));
    assert_same_weights(in(&b, "b"), in(&b, "c"), &TASK_PARSE);
    MADE(Model, load_ok, model_fini, again, in(&b, "b"));
    assert_ok(model_save(&again, in(&b, "b"), DT_I8, NULL, 0, NULL, test_error()));
    assert_same_bytes(in(&b, "b"), in(&b, "c"));
}

TEST(weights_are_rounded_to_what_a_file_gives_back)
{
    static const DType types[] = { DT_I8, DT_U8, DT_F16, DT_BF16, DT_F32 };
    MADE(Bench, trained, bench_fini, b);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        MADE(Model, load_ok, model_fini, m, in(&b, "a"));
        assert_ok(model_save(&m, in(&b, "b"), types[t], NULL, 0, NULL, test_error()));
        MADE(Model, load_ok, model_fini, stored, in(&b, "b"));
        for (int k = 0; k < m.ps.n; k++) model_round(&m.ps.p[k], types[t], param_values(&m.ps, k));
        if (sizeof(Real) == 4 || types[t] != DT_F32) assert_same_params(&m.ps, &stored.ps);
    }
}

/* Copies `from` to `to` with another value of a tensor's entry in the header; a NULL member renames it. */
static void edit_entry(const char *from, const char *to, const char *name, const char *member, const char *value)
{
    FREED(strbuf_fini) StrBuf bytes = { 0 }, out = { 0 };
    FREED(stfile_free) StFile f;
    file_bytes(&bytes, from);
    assert_true(stfile_read(&f, (const uint8_t *)bytes.ptr, bytes.len));
    cJSON *entry = cJSON_GetObjectItemCaseSensitive(f.root, name);
    assert_non_null(entry);
    if (member) cJSON_ReplaceItemInObject(entry, member, cJSON_CreateRaw(value));
    else cJSON_AddItemToObject(f.root, value, cJSON_DetachItemViaPointer(f.root, entry));
    stfile_print(&f, &out);
    stfile_seal(out.ptr, out.len);
    write_bytes(to, out.ptr, out.len);
}

TEST(scales_that_are_missing_superfluous_or_of_another_shape_are_refused)
{
    static const struct {
        const char *name, *member, *value;
        Status status;
        const char *message;
    } cases[] = {
        { "f_label.0.weight.scale", NULL, "x", ERR_CONFIG,
          "found no tensor f_label.0.weight.scale, expected one of shape [48, 1] by the configuration" },
        { "f_label.0.weight.scale", "shape", "[48]", ERR_CONFIG,
          "tensor f_label.0.weight.scale: found shape [48], expected [48, 1] by the configuration" },
        { "f_label.0.weight.scale", "shape", "[1, 48]", ERR_CONFIG,
          "tensor f_label.0.weight.scale: found shape [1, 48], expected [48, 1] by the configuration" },
        { "f_label.0.weight", "shape", "[24, 48]", ERR_CONFIG,
          "tensor f_label.0.weight: found shape [24, 48], expected [48, 24] by the configuration" },
        { "f_label.0.weight", "dtype", "\"U8\"", ERR_CONFIG,
          "tensor f_label.0.weight: found shape [48, 24], expected [48, 12] by the configuration" },
        { "embedding.affix_0.weight", "dtype", "\"I8\"", ERR_CONFIG,
          "tensor embedding.affix_0.weight: found shape [50, 8], expected [50, 16] by the configuration" },
        { "embedding.affix_0.weight.scale", "shape", "[1, 50]", ERR_CONFIG,
          "tensor embedding.affix_0.weight.scale: found shape [1, 50], expected [50, 1] by the configuration" },
        { "dep_score.arc_h.weight.scale", NULL, "f_label.0.bias.scale", ERR_FORMAT,
          "tensor f_label.0.bias.scale: found scales of f_label.0.bias, which is F16, expected I8 or U8" },
        { "f_label.0.weight.scale", NULL, "f_label.0.bias.scale", ERR_CONFIG,
          "found no tensor f_label.0.weight.scale, expected one of shape [48, 1] by the configuration" },
        { "f_label.0.weight.scale", "dtype", "\"I32\"", ERR_FORMAT,
          "tensor f_label.0.weight.scale: found I32, expected numbers" },
        { "vocab.words", "dtype", "\"I8\"", ERR_FORMAT, "no vocabulary vocab.words" },
    };
    MADE(Bench, trained, bench_fini, b);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        edit_entry(in(&b, "c"), in(&b, "b"), cases[k].name, cases[k].member, cases[k].value);
        assert_refused(in(&b, "b"), cases[k].status, cases[k].message);
    }
}

TEST(scales_that_are_not_finite_or_negative_are_refused)
{
    static const struct {
        float value;
        Status status;
        const char *message;
    } cases[] = {
        { NAN, ERR_NUMERIC, "tensor f_label.0.weight.scale: found nan as number 2, expected finite numbers" },
        { INFINITY, ERR_NUMERIC, "tensor f_label.0.weight.scale: found inf as number 2, expected finite numbers" },
        { -1, ERR_FORMAT, "tensor f_label.0.weight.scale: found -1 as number 2, expected at least 0" },
        { 3e38f, ERR_NUMERIC,
          "tensor f_label.0.weight.scale: found 3e+38 as number 2, whose products exceed the range of numbers" },
    };
    MADE(Bench, trained, bench_fini, b);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        edit_bytes(in(&b, "c"), in(&b, "b"), "f_label.0.weight.scale", 2 * sizeof(float), &cases[k].value,
                   sizeof(float));
        if (k < 3 || sizeof(Real) == 4) assert_refused(in(&b, "b"), cases[k].status, cases[k].message);
    }
}

TEST(weights_that_8_bits_cannot_hold_are_not_saved)
{
    static const struct {
        const char *name;
        double value;
        const char *message;
    } cases[] = {
        { "f_label.0.weight", NAN, "f_label.0.weight holds nan as number 5, expected what is finite in I8" },
        { "f_label.0.weight", INFINITY, "f_label.0.weight holds inf as number 5, expected what is finite in I8" },
        { "f_label.0.bias", 70000, "f_label.0.bias holds 70000 as number 5, expected what is finite in F16" },
    };
    MADE(Bench, trained, bench_fini, b);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(Model, load_ok, model_fini, m, in(&b, "a"));
        param_values(&m.ps, params_find(&m.ps, cases[k].name))[5] = (Real)cases[k].value;
        assert_fails(model_save(&m, in(&b, "b"), DT_I8, NULL, 0, NULL, test_error()), ERR_NUMERIC,
                     test_format("%s: not saved: %s", in(&b, "b"), cases[k].message));
        assert_int_not_equal(access(in(&b, "b"), F_OK), 0);
    }
}

TEST(storage_is_counted)
{
    ModelStorage s;
    MADE(Bench, trained, bench_fini, b);
    MADE(Model, load_ok, model_fini, m, in(&b, "c"));
    assert_ok(model_storage(&s, &m, in(&b, "c"), test_error()));
    assert_int_equal(s.numbers[DT_I8] + s.numbers[DT_F16] + s.numbers[DT_U8], params_total(&m.ps));
    model_storage_text(&s, test_out());
    assert_string_equal(test_written(), test_format("%zu bytes, F16 %zu, I4 %zu, I8 %zu", s.bytes, s.numbers[DT_F16],
                                                    s.numbers[DT_U8], s.numbers[DT_I8]));
}
