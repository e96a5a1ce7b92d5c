/* False safetensors headers, models and checkpoints. Each is refused with a message that
 * says what was found and what was expected, before more memory than its own size is used. */
#define _XOPEN_SOURCE 700
#include <sys/resource.h>

#include "base/json_writer.h"
#include "tests/support/edit_model.h"

/* ---- safetensors */

/* A file of a header, which says that it has `more` bytes, and zeros. */
static Status open_header(Bench *b, const char *header, size_t more, size_t data)
{
    FREED(strbuf_fini) StrBuf out = { 0 };
    SafeTensors st;
    size_t len = strlen(header) + more;
    for (int i = 0; i < 8; i++) strbuf_putc(&out, (char)(len >> (8 * i) & 255));
    strbuf_puts(&out, header);
    for (size_t k = 0; k < data; k++) strbuf_putc(&out, 0);
    write_bytes(in(b, "a"), out.ptr, out.len);
    Status s = safetensors_open(&st, in(b, "a"), test_error());
    if (s == OK) safetensors_close(&st);
    return s;
}

#define TENSOR(name, dtype, shape, offsets) \
    "\"" name "\": {\"dtype\": \"" dtype "\", \"shape\": " shape ", \"data_offsets\": " offsets "}"

TEST(headers_that_are_not_sound_are_refused)
{
    static const struct {
        const char *header;
        size_t data;
        const char *message; /* NULL: the file is valid */
    } cases[] = {
        { "{\"__metadata__\": {\"k\": \"v\"}, " TENSOR("a", "F32", "[2]", "[0, 8]") "}   ", 8, NULL },
        { "{" TENSOR("b", "F16", "[]", "[0, 2]") ", " TENSOR("a", "U8", "[0, 1000000000]", "[2, 2]") "}", 2, NULL },
        { "{\"__metadata__\": {\"a\": \"1\", \"b\": \"2\"}, \"__metadata__\": {}}", 0, "found __metadata__ twice" },
        { "{\"__metadata__\": {}, \"__metadata__\": {\"a\": \"1\", \"b\": \"2\", \"c\": \"3\"}}", 0,
          "found __metadata__ twice" },
        { "{\"__metadata__\": [\"x\"]}", 0, "found no object as __metadata__" },
        { "{\"__metadata__\": \"x\"}", 0, "found no object as __metadata__" },
        { "{\"__metadata__\": {\"a\": \"1\", \"a\": \"2\"}}", 0, "found metadata a twice" },
        { "{\"__metadata__\": {\"a\\u001b[2J\": \"1\"}}", 0, "found a name with a control character, expected text" },
        { "{\"__metadata__\": {\"k\": 1}}", 0, "metadata k: found another value, expected a string" },
        { "{\"a\": []}", 0, "tensor a: expected an object of dtype, shape and data_offsets" },
        { "{\"a\": 1}", 8, "tensor a: expected an object of dtype, shape and data_offsets" },
        { "{" TENSOR("a", "F99", "[1]", "[0, 4]") "}", 4,
          "tensor a: found an unknown dtype, expected F32, F64, F16, BF16, I32, I64, U8 or I8" },
        { "{" TENSOR("a", "F32", "[2]", "[0, 4]") "}", 4, "tensor a: found 4 bytes of data, expected 8 by its shape" },
        { "{" TENSOR("a", "F32", "[2]", "[4, 12]") "}", 12,
          "tensor a: found its data at byte 4, expected 0, where the tensor before it ends" },
        { "{" TENSOR("a", "F32", "[-1]", "[0, 4]") "}", 4,
          "tensor a: found another shape, expected at most 4 whole numbers from 0 to 1000000000" },
        { "{" TENSOR("a", "F32", "[1, 1, 1, 1, 1]", "[0, 4]") "}", 4,
          "tensor a: found another shape, expected at most 4 whole numbers from 0 to 1000000000" },
        { "{" TENSOR("a", "F32", "[1]", "[-4, 0]") "}", 4,
          "tensor a: found other data_offsets, expected two whole numbers from 0 to 4" },
        { "{" TENSOR("a", "F32", "[1]", "[0, 4]") ", " TENSOR("a", "F32", "[1]", "[0, 4]") "}", 4,
          "found two tensors named a" },
        { "{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8], \"shape\": [1]}}", 8,
          "tensor a: expected an object of dtype, shape and data_offsets" },
        { "{" TENSOR("a", "F32", "{\"x\": 2}", "[0, 8]") "}", 8,
          "tensor a: found no dtype or no shape, expected both" },
        { "{" TENSOR("a", "F32", "[1.5]", "[0, 4]") "}", 4,
          "tensor a: found another shape, expected at most 4 whole numbers from 0 to 1000000000" },
        { "{" TENSOR("a", "F32", "[\"2\"]", "[0, 8]") "}", 8,
          "tensor a: found another shape, expected at most 4 whole numbers from 0 to 1000000000" },
        { "{" TENSOR("a", "F32", "[1000000000, 1000000000]", "[0, 8]") "}", 8,
          "tensor a: found 8 bytes of data, expected 4000000000000000000 by its shape" },
        { "{" TENSOR("a", "F32", "[1000000000, 1000000000, 1000000000]", "[0, 8]") "}", 8,
          "tensor a: found 8 bytes of data, expected 4000000000000000053150220288 by its shape" },
        { "{" TENSOR("a", "F32", "[0]", "{\"from\": 0, \"to\": 0}") "}", 0,
          "tensor a: found other data_offsets, expected two whole numbers from 0 to 0" },
        { "{" TENSOR("a", "F32", "[0]", "[true, false]") "}", 8,
          "tensor a: found other data_offsets, expected two whole numbers from 0 to 8" },
        { "{" TENSOR("a", "F32", "[1]", "[0.5, 4.5]") "}", 8,
          "tensor a: found other data_offsets, expected two whole numbers from 0 to 8" },
        { "{" TENSOR("a", "F32", "[1]", "[9007199254740992, 9007199254740996]") "}", 8,
          "tensor a: found other data_offsets, expected two whole numbers from 0 to 8" },
        { "{" TENSOR("a", "F32", "[1]", "[8, 4]") "}", 8,
          "tensor a: found other data_offsets, expected two whole numbers from 0 to 8" },
        { "{" TENSOR("a", "F32", "[1]", "[0, 4]") ", " TENSOR("b", "F32", "[1]", "[0, 4]") "}", 4,
          "tensor b: found its data at byte 0, expected 4, where the tensor before it ends" },
        { "{" TENSOR("a", "F32", "[1]", "[0, 4]") ", " TENSOR("b", "F32", "[1]", "[8, 12]") "}", 12,
          "tensor b: found its data at byte 8, expected 4, where the tensor before it ends" },
        { "{" TENSOR("a", "F32", "[1]", "[0, 4]") "}", 8, "found 4 bytes after the last tensor, expected none" },
        { "", 8, "found another header, expected one JSON object and blanks" },
        { "[]", 8, "found another header, expected one JSON object and blanks" },
        { "{", 8, "found another header, expected one JSON object and blanks" },
        { "{} {}", 0, "found another header, expected one JSON object and blanks" },
        { " {}", 0, "found another header, expected one JSON object and blanks" },
        { "null", 0, "found another header, expected one JSON object and blanks" },
    };
    MADE(Bench, bench_init, bench_fini, b, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Status s = open_header(&b, cases[k].header, 0, cases[k].data);
        if (!cases[k].message) assert_ok(s);
        else
            assert_fails(s, ERR_FORMAT,
                         test_format("%s: not a valid safetensors file: %s", in(&b, "a"), cases[k].message));
    }
    assert_fails_with(open_header(&b, "", 200, 8), ERR_FORMAT, "found a header of 200 bytes, expected at most 8");
}

TEST(deep_and_endless_headers_are_refused)
{
    enum { DEEP = 1000000 };
    FREED(strbuf_fini) StrBuf header = { 0 };
    MADE(Bench, bench_init, bench_fini, b, 1);
    for (int long_one = 0; long_one < 2; long_one++) {
        strbuf_clear(&header);
        strbuf_puts(&header, "{\"a\": ");
        for (int k = 0; k < (long_one ? ST_MAX_HEADER : DEEP); k++) strbuf_putc(&header, long_one ? ' ' : '[');
        assert_fails_with(open_header(&b, header.ptr, 0, 0), ERR_FORMAT,
                          long_one ? "found a header of 4194310 bytes, expected at most 4194304"
                                   : "found another header");
    }
}

/* ---- models */

/* The default number type of stored weights. */
#ifdef LAL_REAL_DOUBLE
#define EXACT "F64"
#else
#define EXACT "F32"
#endif

/* A trained model as "a", its checkpoint inside the third epoch as "a.ckpt"; three updates an epoch. */
static TrainArgs trained(Bench *b)
{
    bench_init(b, 60);
    TrainArgs a = toy(b, in(b, "a"), in(b, "a.ckpt"), 1);
    a.stop_at_step = 7;
    a.train.epochs = 4;
    a.train.average = 0;
    assert_int_equal(trainer_run(&a, test_error()), ERR_INTERRUPTED);
    a.stop_at_step = 0;
    return a;
}

/* Copies `from` to `to` with another number k of a tensor that is F64 in double builds, else F32; or BF16. */
static void edit_number(const char *from, const char *to, const char *name, size_t k, double value, bool bfloat)
{
    float single = (float)value;
    uint16_t half = dtype_float_to_bfloat(single);
    if (bfloat) edit_bytes(from, to, name, k * sizeof half, &half, sizeof half);
    else if (sizeof(Real) == 8) edit_bytes(from, to, name, k * sizeof value, &value, sizeof value);
    else edit_bytes(from, to, name, k * sizeof single, &single, sizeof single);
}

static long peak_kib(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

TEST(files_that_are_no_models_are_named)
{
    static const struct {
        const char *bytes, *found;
        size_t n;
    } cases[] = {
        { "", "an empty file", 0 },
        { "a", "a text", 1 },
        { "hello world\nand more\n", "a text", 21 },
        { "(TOP (S (A a)))\n", "a text", 16 },
        { "{\"a\": 1}", "a text", 8 },
        { "\u00e9t\u00e9 \u4e2d\u6587\n", "a text", 13 },
        { "<!DOCTYPE html>\n<html>", "a page of HTML or XML", 22 },
        { "version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS in place of the file", 43 },
        { "PK\x03\x04\x14\0\0\0\0\0", "a zip archive, such as PyTorch writes", 10 },
        { "\x1f\x8b\x08\0\0\0\0\0\0\x03", "a compressed file (gzip)", 10 },
        { "\xfd"
          "7zXZ\0\0\0\0\0",
          "a compressed file (xz)", 10 },
        { "\x28\xb5\x2f\xfd\0\0\0\0\0\0", "a compressed file (zstd)", 10 },
        { "\x80\x02}q\0.\0\0\0\0", "a pickle of Python, such as PyTorch writes", 10 },
        { "GGUF\x03\0\0\0\0\0", "a GGUF file", 10 },
        { "\0\0\0\0\0\0\0\0\0\0", "other data", 10 },
        { "\xff\xfe"
          "ab\x80",
          "other data", 5 },
        { "abc\0def", "other data", 7 },
    };
    MADE(Bench, bench_init, bench_fini, b, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char message[400];
        MADE(Model, model_init, model_fini, m);
        write_bytes(in(&b, "a"), cases[k].bytes, cases[k].n);
        snprintf(message, sizeof message, "%s: found %s, expected a model of this program", in(&b, "a"),
                 cases[k].found);
        assert_fails(model_load(&m, in(&b, "a"), NULL, test_error()), ERR_FORMAT, message);
        ModelTexts texts;
        assert_fails(model_texts_read(&texts, in(&b, "a"), NULL, test_error()), ERR_FORMAT, message);
        model_texts_fini(&texts);
    }
}

TEST(a_model_that_is_cut_or_longer_is_named)
{
    FREED(bench_fini) Bench b;
    trained(&b);
    FREED(strbuf_fini) StrBuf bytes = { 0 };
    file_bytes(&bytes, in(&b, "a"));
    for (size_t n = 0; n < bytes.len; n += n < 200 ? 1 : 997) {
        MADE(Model, model_init, model_fini, m);
        write_bytes(in(&b, "b"), bytes.ptr, n);
        assert_fails_with(model_load(&m, in(&b, "b"), NULL, test_error()), ERR_FORMAT,
                          n < 9    ? "expected a model of this program"
                          : n < 45 ? "not a valid safetensors file"
                                   : "the file is cut off");
    }
    MADE(Model, model_init, model_fini, m);
    strbuf_puts(&bytes, "more");
    write_bytes(in(&b, "b"), bytes.ptr, bytes.len);
    assert_fails_with(model_load(&m, in(&b, "b"), NULL, test_error()), ERR_FORMAT, "something follows the model");
}

TEST(a_configuration_that_claims_more_than_the_file_costs_no_memory)
{
    MADE(Bench, trained, bench_fini, b);
    /* seven tables of a million rows of 16 numbers: 470 MB */
    edit_model_metadata(in(&b, "a"), in(&b, "b"), "lal.config", "affix_buckets", "1048576");
    long before = peak_kib();
    assert_refused(
        in(&b, "b"), ERR_CONFIG,
        "tensor embedding.affix_0.weight: found shape [50, 16], expected [1048576, 16] by the configuration");
    if (peak_kib() - before > 100000) fail_msg("loading took %ld KiB", peak_kib() - before);
    edit_model_metadata(in(&b, "a"), in(&b, "b"), "lal.config", "n_layers", "47");
    assert_refused(in(&b, "b"), ERR_CONFIG,
                   "found no tensor encoder.attn_1.w_qkv1, expected one of shape [16, 48] by the configuration");
}

TEST(a_configuration_and_a_summary_are_json_objects)
{
    MADE(Bench, trained, bench_fini, b);
    static const char *const cases[] = { "", "{", "[]", "1", "{} x", "\"d_model\"" };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        edit_model_metadata(in(&b, "a"), in(&b, "b"), "lal.config", NULL, cases[k]);
        assert_refused(in(&b, "b"), ERR_FORMAT,
                       "found no configuration that can be read, expected a JSON object as lal.config");
        edit_model_metadata(in(&b, "a"), in(&b, "b"), "lal.summary", NULL, cases[k]);
        assert_refused(in(&b, "b"), ERR_FORMAT,
                       "found a summary that cannot be read, expected a JSON object as lal.summary");
    }
    static const char *const names[] = { "[]", "{}", "{\"words\": 5, \"names\": [\"a\"]}",
                                         "{\"words\": \"5\", \"names\": []}" };
    char what[8][MODEL_HEAD_NAME] = { "first", "", "third \302\267" };
    const ModelHeadNames given = { .what = what, .n = 8, .words = 1234 };
    assert_ok(model_file_annotate(in(&b, "a"), in(&b, "c"), &given, NULL, NULL, test_error()));
    {
        MADE(Model, load_ok, model_fini, m, in(&b, "c"));
        assert_int_equal(m.named.n, 8);
        assert_int_equal(m.named.words, 1234);
        assert_memory_equal(m.named.what, what, sizeof what);
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        edit_model_metadata(in(&b, "c"), in(&b, "b"), "lal.head_names", NULL, names[k]);
        assert_refused(in(&b, "b"), ERR_FORMAT,
                       "found names of heads that cannot be read, expected words and 8 names of less than 64 bytes as "
                       "lal.head_names");
    }
    edit_model_metadata(in(&b, "a"), in(&b, "b"), "lal.config", "d_vectors", "5");
    assert_refused(in(&b, "b"), ERR_CONFIG, "found 0 static vectors of width 5, expected both or neither");
}

TEST(fitted_weights_are_kept_and_numbers_that_cannot_be_are_refused)
{
    MADE(Bench, trained, bench_fini, b);
    const JointWeights given = { 0.7, 1.1, 60, { -0.4, 0.8, 0.2, 0.7, 50 } };
    static const char *const maps[] = { "[]", "7", "{\"bias\": 0, \"expected\": 1, \"sentences\": 5}",
                                        "{\"bias\": 0, \"expected\": 1e4, \"words\": 0, \"sentences\": 5}",
                                        "{\"bias\": 0, \"expected\": 1, \"words\": 0, \"sentences\": -5}" };
    {
        MADE(Model, load_ok, model_fini, m, in(&b, "a"));
        JointWeights own = given;
        own.span = 2.5;
        assert_true(model_set_joint(&m, 1, own));
        assert_true(m.joint.span == 2.5); /* until others are fitted */
        m.joint = given;
        assert_ok(model_file_annotate(in(&b, "a"), in(&b, "c"), NULL, &m, NULL, test_error()));
    }
    {
        MADE(Model, load_ok, model_fini, m, in(&b, "c"));
        assert_true(model_joint(&m, 0)->span == given.span && model_joint(&m, 1)->span == 2.5);
        assert_true(model_joint(&m, 2)->span == given.span && model_joint(&m, 1)->f1.sentences == 50);
        assert_true(m.joint.span == given.span && m.joint.arc == given.arc && m.joint.sentences == 60);
        const F1Map *f1 = &m.joint.f1;
        assert_true(f1->bias == -0.4 && f1->expected == 0.8 && f1->words == 0.2 && f1->grammar == 0.7 &&
                    f1->sentences == 50);
    }
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
        edit_model_metadata(in(&b, "c"), in(&b, "b"), "lal.joint_weights", "f1", maps[k]);
        assert_refused(in(&b, "b"), ERR_FORMAT,
                       "found weights that cannot be read, expected span, arc, sentences and f1 as lal.joint_weights");
    }
    edit_model_metadata(in(&b, "c"), in(&b, "b"), "lal.joint_weights", "f1", NULL); /* of an older program */
    {
        MADE(Model, load_ok, model_fini, m, in(&b, "b"));
        assert_true(m.joint.span == given.span && m.joint.f1.sentences == 0);
    }
    static const char *const owners[] = { "{\"other\": {\"span\": 1}}", "[{\"span\": 1}]", "7" };
    for (size_t k = 0; k < sizeof owners / sizeof *owners; k++) {
        edit_model_metadata(in(&b, "c"), in(&b, "b"), "lal.joint_weights", "treebanks", owners[k]);
        assert_refused(in(&b, "b"), ERR_FORMAT,
                       "found weights that cannot be read, expected span, arc, sentences and f1 as lal.joint_weights");
    }
    edit_model_metadata(in(&b, "c"), in(&b, "b"), "lal.joint_weights", "arc", "0");
    assert_refused(in(&b, "b"), ERR_FORMAT,
                   "found weights that cannot be read, expected span, arc, sentences and f1 as lal.joint_weights");
}

TEST(steps_of_a_grammar_are_replaced)
{
    MADE(Bench, trained, bench_fini, b);
    static const char *const step[] = { "TOP S NP VP a", " TOP  S" };
    MADE(Model, load_ok, model_fini, before, in(&b, "a"));
    for (int k = 0; k < 2; k++) {
        MADE(Vocab, vocab_init, vocab_fini, steps);
        assert_true(vocab_count(&steps, step[k], strlen(step[k]), 5 + k) == 0);
        assert_ok(model_file_annotate(in(&b, k ? "b" : "a"), in(&b, k ? "c" : "b"), NULL, NULL, &steps, test_error()));
        MADE(Model, load_ok, model_fini, m, in(&b, k ? "c" : "b"));
        assert_int_equal(vocab_size(&m.steps), 1);
        assert_string_equal(vocab_text(&m.steps, 0), step[k]);
        assert_int_equal(m.steps.counts[0], 5 + k);
        assert_int_equal(vocab_size(&m.words), vocab_size(&before.words));
        assert_memory_equal(params_values(&m.ps), params_values(&before.ps), params_total(&m.ps) * sizeof(Real));
    }
}

TEST(vocabularies_keep_their_reserved_values)
{
    MADE(Bench, trained, bench_fini, b);
    edit_bytes(in(&b, "a"), in(&b, "b"), "vocab.words", 1, "Z", 1);
    assert_refused(in(&b, "b"), ERR_FORMAT, "vocabulary vocab.words: found '<ZTART>' as value 0, expected '<START>'");
    edit_bytes(in(&b, "a"), in(&b, "b"), "vocab.labels", 4, "X", 1); /* after "\t0\n" and '<' */
    assert_refused(in(&b, "b"), ERR_FORMAT, "vocabulary vocab.labels: found '<X>' as value 1, expected '<H>'");
    for (const char *c = " ()"; *c; c++) { /* no reader takes a tree with such a label */
        char message[160];
        edit_bytes(in(&b, "a"), in(&b, "b"), "vocab.labels", 10, c, 1); /* after "\t0\n", "<H>" and its count */
        snprintf(message, sizeof message,
                 "vocabulary vocab.labels: found '%c' as value 2, expected a text without blanks, round brackets and "
                 "empty parts",
                 *c);
        assert_refused(in(&b, "b"), ERR_FORMAT, message);
    }
    edit_bytes(in(&b, "a"), in(&b, "b"), "vocab.types", 0, " ", 1);
    assert_refused(in(&b, "b"), ERR_FORMAT,
                   "vocabulary vocab.types: found ' et' as value 0, expected a text without blanks");
    edit_bytes(in(&b, "a"), in(&b, "b"), "vocab.labels", 1, "x", 1);
    assert_refused(in(&b, "b"), ERR_FORMAT, "vocabulary vocab.labels: bad count in line 1");
    edit_bytes(in(&b, "a"), in(&b, "b"), "vocab.types", 0, "\xff", 1);
    assert_refused(in(&b, "b"), ERR_FORMAT, "vocabulary vocab.types: found bytes that are not UTF-8 in value 0");
}

TEST(weights_that_are_not_finite_are_refused)
{
    static const double odd[] = { (double)NAN, -(double)NAN, (double)INFINITY, -(double)INFINITY };
    static const char *const names[] = { "nan", "-nan", "inf", "-inf" };
    MADE(Bench, trained, bench_fini, b);
    MADE(Model, load_ok, model_fini, m, in(&b, "a"));
    assert_ok(model_save(&m, in(&b, "c"), DT_BF16, NULL, 0, NULL, test_error()));
    for (size_t k = 0; k < 2 * sizeof odd / sizeof *odd; k++) {
        edit_number(in(&b, k % 2 ? "c" : "a"), in(&b, "b"), "f_label.0.weight", 17, odd[k / 2], k % 2);
        assert_refused(
            in(&b, "b"), ERR_NUMERIC,
            test_format("tensor f_label.0.weight: found %s as number 17, expected finite numbers", names[k / 2]));
    }
}

static void assert_unchanged(const char *path, const StrBuf *before)
{
    FREED(strbuf_fini) StrBuf after = { 0 };
    file_bytes(&after, path);
    assert_equal_texts(&after, before);
}

/* Saving fails with this message and leaves the file unchanged. */
static void assert_not_saved(const Model *m, const char *path, DType dtype, const ExtraSlab *extra, const char *message)
{
    FREED(strbuf_fini) StrBuf before = { 0 };
    file_bytes(&before, path);
    assert_fails(model_save(m, path, dtype, extra, extra != NULL, NULL, test_error()), ERR_NUMERIC,
                 test_format("%s: %s", path, message));
    assert_unchanged(path, &before);
}

TEST(numbers_that_could_not_be_loaded_are_not_saved)
{
    MADE(Bench, trained, bench_fini, b);
    MADE(Model, load_ok, model_fini, m, in(&b, "a"));
    Real *w = param_values(&m.ps, params_find(&m.ps, "f_label.0.weight")), was = w[3];
    FREED(free_pointer) Real *moments = mem_calloc(m.ps.trained, sizeof *moments);
    const ExtraSlab slab = { "adam.m/", moments };
    assert_non_null(moments);
    w[3] = (Real)NAN;
    assert_not_saved(&m, in(&b, "a"), DT_F32, NULL,
                     "not saved: f_label.0.weight holds nan as number 3, expected what is finite in " EXACT);
    w[3] = 70000;
    assert_not_saved(&m, in(&b, "a"), DT_F16, NULL,
                     "not saved: f_label.0.weight holds 70000 as number 3, expected what is finite in F16");
    w[3] = was;
    moments[m.ps.p[params_find(&m.ps, "f_label.0.weight")].offset] = (Real)INFINITY;
    assert_not_saved(&m, in(&b, "a"), DT_F32, &slab,
                     "not saved: adam.m/f_label.0.weight holds inf as number 0, expected what is finite in " EXACT);
}

/* ---- checkpoints */

static void assert_not_resumed(TrainArgs a, Bench *b, Status status, const char *message)
{
    a.resume = in(b, "b.ckpt");
    a.stop_at_step = 9; /* whatever the state says */
    assert_fails(trainer_run(&a, test_error()), status, test_format("%s: %s", in(b, "b.ckpt"), message));
}

TEST(a_training_state_out_of_range_is_refused)
{
    static const struct {
        const char *field, *value, *message;
    } cases[] = {
        { "batch", "-1", "training state: found batch -1, expected a whole number from 0 to 2147483647" },
        { "batch", "4", "training state: found batch 4, expected 0 to 3 by the batches of an epoch" },
        { "batch", "0.5", "training state: found batch 0.5, expected a whole number from 0 to 2147483647" },
        { "epoch", "-2147483648", "training state: found epoch -2147483648, expected a whole number from 0 to 100000" },
        { "epoch", "1e300",
          "training state: found epoch 1.0000000000000001e+300, expected a whole number from 0 to 100000" },
        { "step", "-5", "training state: found step -5, expected a whole number from 0 to 10000000000000" },
        { "step", "2", "training state: found step 2, expected 3 to 140 by epochs and sentences done" },
        { "step", "1e13", "training state: found step 10000000000000, expected 3 to 140 by epochs and sentences done" },
        { "sentences", "1e18",
          "training state: found sentences 1000000000000000000, expected 7 to 700000 by the updates done" },
        { "sentences", "1e19", "training state: found sentences 1e+19, expected a whole number from 0 to 1e+18" },
        { "best", "1e999", "training state: found best inf, expected a number from -1 to 200" },
        { "last_score", "null", "training state: found no number last_score" },
        { "best_epoch", "3", "training state: found best_epoch 3, expected 0 to 2 by the epochs done" },
        { "plateau_epoch", "99", "training state: found plateau_epoch 99, expected 0 to 2 by the epochs done" },
        { "lr_factor", "-0.5", "training state: found lr_factor -0.5, expected a number from 0 to 1" },
        { "lr_factor", "1e999", "training state: found lr_factor inf, expected a number from 0 to 1" },
        { "seconds", "-1", "training state: found seconds -1, expected a number from 0 to 1000000000000" },
        { "done", "3", "training state: found done 3, expected a whole number from 0 to 2" },
        { "loss_words", "0.5", "training state: found loss_words 0.5, expected a whole number from 0 to 1e+18" },
        { "losses", "[1]",
          "training state: found other losses, expected 12 numbers and how many sentences had soft targets" },
        { "losses", "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5]",
          "training state: found other losses, expected 12 numbers and how many sentences had soft targets" },
        { "run", "\"0123456789abcde\"", "training state: found another run, expected 16 hexadecimal digits" },
        { "run", "\"0123456789abcde\\\"\"", "training state: found another run, expected 16 hexadecimal digits" },
        { "n", "\"60\"", "training state: found no number n" },
        { "n", NULL, "training state: found no number n" },
        { "train", "{\"batch_size\": 0}",
          "training state: found another train.batch_size, expected a whole number from 1 to 100000" },
    };
    FREED(bench_fini) Bench b;
    TrainArgs a = trained(&b);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        edit_model_metadata(in(&b, "a.ckpt"), in(&b, "b.ckpt"), "lal.state", cases[k].field, cases[k].value);
        assert_not_resumed(a, &b, ERR_FORMAT, cases[k].message);
    }
    edit_model_metadata(in(&b, "a.ckpt"), in(&b, "b.ckpt"), "lal.state", NULL, "[1]");
    assert_not_resumed(a, &b, ERR_FORMAT, "training state: found something else, expected a JSON object");
}

TEST(a_checkpoint_without_hashes_of_its_data_is_compared_by_their_number)
{
    FREED(bench_fini) Bench b;
    TrainArgs a = trained(&b);
    edit_model_metadata(in(&b, "a.ckpt"), in(&b, "b.ckpt"), "lal.state", "data", NULL);
    a.resume = in(&b, "b.ckpt");
    a.stop_at_step = 9;
    b.train.trees.n--;
    assert_fails_with(trainer_run(&a, test_error()), ERR_USAGE,
                      "--resume: found 59 training sentences, expected the 60 the run began with");
    b.train.trees.n++;
    assert_int_equal(trainer_run(&a, &(Error){ 0 }), ERR_INTERRUPTED);
    edit_model_metadata(in(&b, "a.ckpt"), in(&b, "b.ckpt"), "lal.state", "data", "{\"train\": [{\"hash\": 1}]}");
    assert_fails_with(trainer_run(&a, test_error()), ERR_USAGE,
                      "--resume: found other sentences in toy, expected those the run began with");
}

TEST(a_checkpoint_that_is_replaced_between_two_reads_is_noticed)
{
    FREED(bench_fini) Bench b;
    TrainArgs a = trained(&b);
    FREED(free_pointer) char *saved = NULL;
    MADE(Model, model_init, model_fini, m);
    assert_ok(model_load(&m, a.checkpoint, &saved, test_error()));
    FREED(free_pointer) Real *moments = mem_calloc(m.ps.trained, sizeof *moments);
    const ExtraSlab slab = { "adam.m/", moments };
    assert_ok(model_load_extra(&m, a.checkpoint, &slab, 1, test_error()));
    a.stop_at_step = 8;
    assert_int_equal(trainer_run(&a, test_error()), ERR_INTERRUPTED); /* writes another one */
    assert_fails_with(model_load_extra(&m, a.checkpoint, &slab, 1, test_error()), ERR_IO,
                      "the file was replaced while it was read, expected one file");
    a.resume = a.checkpoint;
    a.stop_at_step = 9;
    a.checksum = m.checksum; /* of the first one, whose options were read */
    assert_fails_with(trainer_run(&a, test_error()), ERR_IO, a.checkpoint);
}

TEST(moments_that_are_not_finite_or_negative_squares_are_refused)
{
    FREED(bench_fini) Bench b;
    TrainArgs a = trained(&b);
    edit_number(in(&b, "a.ckpt"), in(&b, "b.ckpt"), "adam.m/f_label.3.weight", 1, (double)NAN, false);
    assert_not_resumed(a, &b, ERR_NUMERIC,
                       "tensor adam.m/f_label.3.weight: found nan as number 1, expected finite numbers");
    edit_number(in(&b, "a.ckpt"), in(&b, "b.ckpt"), "adam.v/f_label.3.weight", 2, -1, false);
    assert_not_resumed(a, &b, ERR_FORMAT, "tensor adam.v/f_label.3.weight: found -1 as number 2, expected at least 0");
}

/* Makes all numbers of a weight of a checkpoint `value`. */
static void fill_weight(Bench *b, const char *from, const char *to, const char *name, double value)
{
    MADE(Model, load_ok, model_fini, m, in(b, "a"));
    size_t n = param_count(&m.ps.p[params_find(&m.ps, name)]);
    for (size_t k = 0; k < n; k++) edit_number(k ? to : from, to, name, k, value, false);
}

/* Span scores are 0, so the loss is small, but the inputs of their last layer are huge: its gradient or the norm
 * overflows. */
TEST(a_gradient_that_is_not_finite_stops_training_and_saves_nothing)
{
    FREED(bench_fini) Bench b;
    TrainArgs a = trained(&b);
    FREED(strbuf_fini) StrBuf model = { 0 }, checkpoint = { 0 };
    fill_weight(&b, a.checkpoint, in(&b, "b.ckpt"), "f_label.3.weight", 0);
    fill_weight(&b, in(&b, "b.ckpt"), in(&b, "b.ckpt"), "f_label.1.a_2", sizeof(Real) == 8 ? 1e160 : 6e37);
    file_bytes(&model, a.out);
    file_bytes(&checkpoint, a.checkpoint);
    a.resume = in(&b, "b.ckpt");
    a.stop_at_step = 8;
    assert_fails_with(trainer_run(&a, test_error()), ERR_NUMERIC,
                      "the gradient is not finite at update 8: lower lr or set clip");
    assert_unchanged(a.out, &model);
    assert_unchanged(a.checkpoint, &checkpoint);
}

TEST(numbers_that_json_has_not_are_null)
{
    FREED(strbuf_fini) StrBuf out = { 0 };
    json_real(&out, NULL, "%.3f", 1.5);
    json_fixed(&out, NULL, NAN, 3);
    json_real(&out, NULL, "%.3e", -INFINITY);
    assert_string_equal(out.ptr, "1.500, null, null");
    strbuf_clear(&out);
    ModelConfig c;
    options_defaults(CONFIG_MODEL_OPTIONS, &c);
    c.lambda = NAN;
    options_to_json(CONFIG_MODEL_OPTIONS, &c, &out);
    assert_non_null(strstr(out.ptr, "\"lambda\": null,"));
}
