/* tests/unit/test_model_file.c: files that are not what they claim to be: safetensors headers, models, checkpoints.
 * Each is refused with a message that names what was found and what was expected, before it costs more than its own
 * size. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "tests/support/toy.h"

/* ---- safetensors */

static void write_bytes(const char *path, const char *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    fclose(f);
}

static Status open_header(Bench *b, const char *header, size_t data, Error *e)
{
    StrBuf out = { 0 };
    SafeTensors st;
    size_t len = strlen(header);
    for (int i = 0; i < 8; i++) strbuf_putc(&out, (char)(len >> (8 * i) & 255));
    strbuf_puts(&out, header);
    for (size_t k = 0; k < data; k++) strbuf_putc(&out, 0);
    write_bytes(in(b, "a"), out.ptr, out.len);
    strbuf_fini(&out);
    Status s = safetensors_open(&st, in(b, "a"), e);
    if (s == OK) safetensors_close(&st);
    return s;
}

#define TENSOR(name, dtype, shape, offsets) \
    "\"" name "\": {\"dtype\": \"" dtype "\", \"shape\": " shape ", \"data_offsets\": " offsets "}"

TEST(headers_that_are_not_sound_are_refused)
{
    UNUSED_STATE;
    static const struct {
        const char *header;
        size_t data;
        const char *message; /* NULL: the file is sound */
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
        { "{\"a\": []}", 0, "tensor a: expected an object of dtype, shape and data_offsets" },
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
        { "{} {}", 0, "found another header, expected one JSON object and blanks" },
        { " {}", 0, "found another header, expected one JSON object and blanks" },
        { "null", 0, "found another header, expected one JSON object and blanks" },
    };
    Bench b;
    bench_init(&b, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Error e = { 0 };
        char message[400];
        Status s = open_header(&b, cases[k].header, cases[k].data, &e);
        snprintf(message, sizeof message, "%s: not a sound safetensors file: %s", in(&b, "a"), cases[k].message);
        if (!cases[k].message && s != OK) fail_msg("%s: %s", cases[k].header, e.message);
        if (cases[k].message) assert_error(&e, ERR_FORMAT, message);
    }
    bench_fini(&b);
}

TEST(deep_and_endless_headers_are_refused)
{
    UNUSED_STATE;
    enum { DEEP = 1000000 };
    Bench b;
    StrBuf header = { 0 };
    bench_init(&b, 1);
    for (int long_one = 0; long_one < 2; long_one++) {
        Error e = { 0 };
        strbuf_clear(&header);
        strbuf_puts(&header, "{\"a\": ");
        for (int k = 0; k < (long_one ? ST_MAX_HEADER : DEEP); k++) strbuf_putc(&header, long_one ? ' ' : '[');
        assert_int_equal(open_header(&b, header.ptr, 0, &e), ERR_FORMAT);
        assert_non_null(strstr(e.message, long_one ? "found a header of 4194310 bytes, expected at most 4194304"
                                                   : "found another header"));
    }
    strbuf_fini(&header);
    bench_fini(&b);
}

TEST(numbers_that_json_has_not_are_null)
{
    UNUSED_STATE;
    StrBuf out = { 0 };
    strbuf_json_number(&out, "%.3f ", 1.5);
    strbuf_json_number(&out, "%.3f", NAN);
    strbuf_json_number(&out, "%.3e", -INFINITY);
    assert_string_equal(out.ptr, "1.500 nullnull");
    strbuf_clear(&out);
    ModelConfig c;
    options_defaults(MODEL_OPTIONS, &c);
    c.lambda = NAN;
    options_to_json(MODEL_OPTIONS, &c, &out);
    assert_non_null(strstr(out.ptr, "\"lambda\": null,"));
    strbuf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_that_are_not_sound_are_refused),
        cmocka_unit_test(deep_and_endless_headers_are_refused),
        cmocka_unit_test(numbers_that_json_has_not_are_null),
    };
    return cmocka_run_group_tests_name("model_file", tests, NULL, NULL);
}
