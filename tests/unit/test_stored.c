/* Values that are made when they are first read. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "base/rng.h"
#include "base/thread.h"
#include "parser/parse/parse.h"
#include "tensor/int4.h"
#include "tensor/stored.h"
#include "tests/support/mapped.h"
#include "tests/support/toy.h"

/* Odd, and more than a group of numbers in 4 bits. */
enum { ROWS = 40, COLS = 33, COUNT = ROWS * COLS };

/* Numbers of one type as a file has them, and what they are. data is not aligned. */
typedef struct Case {
    unsigned char data[1 + 8 * COUNT], scales[1 + 4 * ROWS];
    StoredSource source;
    Real expected[COUNT];
} Case;

static void fill_int4(Case *c, unsigned char *p, unsigned char *q)
{
    c->source.scale_dtype = DT_F16;
    memset(p, 0, sizeof c->data - 1);
    for (int i = 0; i < COUNT; i++) {
        int r = i / COLS, col = i % COLS, group = 2 * r + col / INT4_GROUP, w = i * 7 % 16 - 8;
        Real scale = (Real)(group % 2 ? -3 : group + 1) / 64;
        uint16_t h = dtype_float_to_half((float)scale);
        memcpy(q + 2 * group, &h, 2);
        p[r * ((COLS + 1) / 2) + col / 2] |= (unsigned char)((w + 8) << (col % 2 ? 4 : 0));
        c->expected[i] = (Real)w * scale;
    }
}

static void fill(Case *c, DType dtype)
{
    unsigned char *p = c->data + 1, *q = c->scales + 1;
    c->source = (StoredSource){ .dtype = dtype, .scale_dtype = DT_F32, .data = p, .rows = ROWS, .cols = COLS };
    if (dtype == DT_I8 || dtype == DT_U8) c->source.scale = q;
    if (dtype == DT_U8) {
        fill_int4(c, p, q);
        return;
    }
    for (int i = 0; i < COUNT; i++) {
        double x = rng_normal(7, (uint64_t)i);
        float f = (float)x, scale = (float)(1 + i / COLS) / 64;
        uint16_t h = dtype == DT_F16 ? dtype_float_to_half(f) : dtype_float_to_bfloat(f);
        int8_t w = (int8_t)(i % 255 - 127);
        switch (dtype) {
        case DT_F64: memcpy(p + 8 * i, &x, 8), c->expected[i] = (Real)x; break;
        case DT_F32: memcpy(p + 4 * i, &f, 4), c->expected[i] = (Real)f; break;
        case DT_F16: memcpy(p + 2 * i, &h, 2), c->expected[i] = (Real)dtype_half_to_float(h); break;
        case DT_BF16: memcpy(p + 2 * i, &h, 2), c->expected[i] = (Real)dtype_bfloat_to_float(h); break;
        default:
            memcpy(p + i, &w, 1);
            memcpy(q + 4 * (i / COLS), &scale, 4);
            c->expected[i] = (Real)scale * w;
        }
    }
}

static const DType TYPES[] = { DT_F64, DT_F32, DT_F16, DT_BF16, DT_I8, DT_U8 };
enum { N_TYPES = sizeof TYPES / sizeof *TYPES };

TEST(numbers_of_every_type_are_read_from_any_place)
{
    Case c;
    Real out[COUNT], values[COUNT] = { 0 };
    for (int t = 0; t < N_TYPES; t++) {
        fill(&c, TYPES[t]);
        Stored *s = stored_new(&c.source, values);
        for (int from = 0; from < COUNT; from += 17)
            for (int n = 0; n <= COUNT - from; n += 13) {
                stored_source_read(&c.source, (size_t)from, (size_t)n, out);
                assert_memory_equal(out, c.expected + from, (size_t)n * sizeof *out);
            }
        stored_read(s, 3, 20, out);
        assert_memory_equal(out, c.expected + 3, 20 * sizeof *out);
        assert_false(stored_whole(s));
        stored_all(s);
        assert_true(stored_whole(s));
        assert_memory_equal(values, c.expected, sizeof values);
        values[4] = 77; /* from now on the place has the values */
        stored_read(s, 4, 1, out);
        assert_true(out[0] == 77);
        stored_free(s);
    }
}

TEST(rows_are_made_once_and_only_those_that_are_asked_for)
{
    Case c;
    Real values[COUNT];
    const int rows[] = { 5, 0, 5, ROWS - 1 };
    fill(&c, DT_I8);
    for (int i = 0; i < COUNT; i++) values[i] = -1000;
    Stored *s = stored_new(&c.source, values);
    stored_rows(s, rows, 0);
    assert_true(values[0] == -1000);
    stored_rows(s, rows, 4);
    for (int i = 0; i < COUNT; i++) {
        int r = i / COLS;
        bool made = r == 0 || r == 5 || r == ROWS - 1;
        assert_true(values[i] == (made ? c.expected[i] : -1000));
    }
    values[0] = 3;
    stored_rows(s, rows, 4);
    stored_all(s);
    stored_all(s);
    assert_true(values[0] == 3);
    assert_memory_equal(values + 1, c.expected + 1, sizeof values - sizeof *values);
    stored_free(s);
}

typedef struct Shared {
    Case c;
    Real values[COUNT];
    Stored *s;
    atomic_int wrong;
} Shared;

static void read_rows(void *context, int worker, int item)
{
    (void)worker;
    Shared *x = context;
    int row = (item * 7) % ROWS;
    if (item % 13 == 12) stored_all(x->s);
    else stored_rows(x->s, &row, 1);
    for (int k = row * COLS; k < (row + 1) * COLS; k++) x->wrong += x->values[k] != x->c.expected[k];
}

TEST(threads_that_read_at_the_same_time_find_what_they_asked_for)
{
    Shared x;
    fill(&x.c, DT_F16);
    for (int round = 0; round < 50; round++) {
        memset(x.values, 0xff, sizeof x.values);
        x.s = stored_new(&x.c.source, x.values);
        atomic_init(&x.wrong, 0);
        parallel_for(4, 2 * ROWS, read_rows, &x);
        assert_int_equal(x.wrong, 0);
        stored_free(x.s);
    }
}

TEST(a_weight_is_multiplied_looked_up_and_recorded_without_being_made_before)
{
    Case c;
    fill(&c, DT_BF16);
    for (int how = 0; how < 4; how++) { /* a product, a look-up, a sum of all rows, a product that is recorded */
        int k, dims[] = { ROWS, COLS }, index[] = { 3, 8, 3 }, start[] = { 0, 2, 3 };
        Real x[ROWS] = { 1, 2, 3 };
        MADE(ParamSet, params_init, params_fini, ps);
        ps.on_demand = true;
        assert_ok(params_add(&ps, "w", 2, dims, &k, test_error()));
        assert_ok(params_finish(&ps, test_error()));
        assert_int_equal((uintptr_t)ps.slab % 64, 0);
        for (int i = 0; i < COUNT; i++) ps.slab[i] = (Real)NAN;
        assert_ok(params_store(&ps, k, &c.source, test_error()));
        MADE(Tape, tape_init, tape_fini, t, device_cpu());
        tape_reset(&t, how == 3, false, 0);
        Tensor *w = param_operand(&t, &ps, k, NULL, 0, ROWS), *y = NULL;
        assert_true((w->data == NULL) == (how < 3));
        EmbedTerm rows = { w, index, 0, NULL }, all = { w, NULL, 0, NULL };
        if (how == 1) y = op_embed(&t, &rows, 1, 3, COLS);
        else if (how == 2) y = op_embed(&t, &all, 1, ROWS, COLS);
        else y = op_linear(&t, tape_constant(&t, x, 1, ROWS), w, NULL, false);
        assert_non_null(y);
        for (int i = 0; i < y->cols; i++) {
            double product = 0;
            for (int r = 0; r < ROWS; r++) product += (double)x[r] * (double)c.expected[r * COLS + i];
            assert_within((double)y->data[i],
                          how == 1   ? (double)c.expected[3 * COLS + i]
                          : how == 2 ? (double)c.expected[i]
                                     : product,
                          1e-5);
        }
        assert_true(isnan((double)ps.slab[0]) == (how == 1));
        if (how == 1) {
            Tensor *mean = op_embed_mean(&t, param_operand(&t, &ps, k, NULL, 0, ROWS), start, index, 2);
            for (int i = 0; i < COLS; i++)
                assert_within(2 * (double)mean->data[i], (double)(c.expected[3 * COLS + i] + c.expected[8 * COLS + i]),
                              1e-5);
        }
        assert_memory_equal(param_values(&ps, k), c.expected, sizeof c.expected);
        assert_non_null(param_operand(&t, &ps, k, NULL, 0, ROWS)->data);
    }
}

static bool is_whole(const ParamSet *ps, int k) { return !ps->stored || !ps->stored[k] || stored_whole(ps->stored[k]); }

static Status parse_one(Worker *w, const Treebank *tb, int k, Parsed *p, Arena *arena, Error *e)
{
    const ParseOptions o = parse_defaults(w->m);
    const ParseInput input = { .n_words = tb->s[k].n_words, .words = tb->s[k].words };
    return parse_batch(w, &input, 1, &o, arena, p, e);
}

/* Parses the dev sentences one by one; scores and heads to out. */
static void parse_all(const Model *m, const Treebank *tb, StrBuf *out)
{
    MADE(Worker, worker_init, worker_fini, w, m, device_cpu());
    for (int k = 0; k < tb->n && k < 20; k++) {
        Parsed p;
        assert_ok(parse_one(&w, tb, k, &p, test_arena(), test_error()));
        strbuf_printf(out, "%.9g", p.score);
        for (int i = 0; i < p.n_words; i++) strbuf_printf(out, " %d", p.heads[i]);
        strbuf_puts(out, "\n");
    }
}

/* A model whose values are not made reads none of them before they are: their places have NaN. */
TEST(a_model_parses_without_making_all_of_its_values)
{
    MADE(Bench, bench_init, bench_fini, b, 40);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.model.affix_buckets = 400;
    a.train.epochs = 1;
    MADE(Model, train_and_load, model_fini, trained, &a);
    for (size_t t = 1; t < N_TYPES; t++) {
        Model m[2];
        StrBuf out[2] = { { 0 }, { 0 } };
        assert_ok(model_save(&trained, in(&b, "c"), TYPES[t], NULL, 0, NULL, test_error()));
        for (int k = 0; k < 2; k++) {
            int waiting = 0;
            ParamSet *ps = &m[k].ps;
            load_ok(&m[k], in(&b, "c"));
            if (k == 0) params_values(ps);
            for (int i = 0; i < ps->n; i++) {
                size_t n = param_count(&ps->p[i]);
                if (is_whole(ps, i)) continue;
                for (size_t j = 0; j < n; j++) ps->slab[ps->p[i].offset + j] = (Real)NAN;
                waiting++;
            }
            assert_int_equal(waiting > 0, k == 1);
            parse_all(&m[k], &b.dev.trees, &out[k]);
        }
        assert_string_equal(out[0].ptr, out[1].ptr);
        int affix = params_find(&m[1].ps, "embedding.affix_0.weight");
        assert_true(affix >= 0 && !is_whole(&m[1].ps, affix)); /* a table of which few rows are looked up */
        assert_same_params(&m[0].ps, &m[1].ps);
        for (int k = 0; k < 2; k++) {
            strbuf_fini(&out[k]);
            model_fini(&m[k]);
        }
    }
}

/* ---- a model whose file changes while it is used */

static void load_from(Model *m, const char *path, size_t map_above)
{
    model_init(m);
    m->map_above = map_above;
    assert_ok(model_load(m, path, NULL, test_error()));
    assert_int_equal(m->ps.file.slot != 0, map_above == 0);
}

static void copy_file(const char *from, const char *to)
{
    FREED(strbuf_fini) StrBuf bytes = { 0 };
    assert_ok(file_read(from, &bytes, test_error()));
    assert_ok(file_write(to, &bytes, test_error()));
}

/* Changes of the file "c", of which one replaces it by another file. */
enum { OVERWRITTEN, SET_BACK, LONGER, RENAMED, PERMITTED, CHANGES };

static void change(Bench *b, int how)
{
    const char *path = in(b, "c");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    const struct timespec times[2] = { st.st_atim, st.st_mtim };
    if (how == OVERWRITTEN || how == SET_BACK) change_byte(path, (long)st.st_size / 2);
    if (how == SET_BACK) assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    if (how == LONGER) assert_int_equal(truncate(path, st.st_size + 1), 0);
    if (how == RENAMED) {
        copy_file(in(b, "a"), in(b, "b"));
        change_byte(in(b, "b"), (long)st.st_size / 2);
        assert_int_equal(rename(in(b, "b"), path), 0);
    }
    if (how == PERMITTED) assert_int_equal(chmod(path, 0600), 0);
}

TEST(a_model_file_that_is_changed_between_two_batches_ends_the_parse)
{
    Parsed p;
    MADE(Bench, bench_init, bench_fini, b, 40);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.train.epochs = 1;
    train_ok(&a);
    for (int how = 0; how < CHANGES; how++)
        for (int copied = 0; copied < 3; copied++) { /* not, the model, its first pass */
            Model m, other;
            Worker w;
            Error e = { 0 };
            bool harmless = copied == 1 || how == RENAMED || how == PERMITTED;
            copy_file(in(&b, "a"), in(&b, "c"));
            wait_mapped(in(&b, "c"));
            load_from(&m, in(&b, "c"), copied ? FILEMAP_NEVER : 0);
            if (copied == 2) load_from(&other, in(&b, "c"), 0);
            if (copied == 2) m.first = &other;
            worker_init(&w, &m, device_cpu());
            assert_int_equal(parse_one(&w, &b.dev.trees, 0, &p, test_arena(), &e), OK);
            double score = p.score;
            change(&b, how);
            for (int again = 0; again < 2; again++) {
                Status s = parse_one(&w, &b.dev.trees, 0, &p, test_arena(), &e);
                assert_int_equal(s, harmless ? OK : ERR_IO);
                if (harmless) assert_true(p.score == score);
                else assert_string_equal(e.message, "the model file was changed while it was read");
                if (!harmless) assert_string_equal(e.path, in(&b, "c"));
            }
            worker_fini(&w);
            m.first = NULL;
            model_fini(&m);
            if (copied == 2) model_fini(&other);
        }
}
