/* Included by every cmocka program; a few shared comparisons. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "tensor/params.h"
#include "tensor/tape.h"
#include "tests/support/test.h"

static inline StrView view(const char *s)
{
    StrView v = { s, strlen(s) };
    return v;
}

/* Fails, and names the first i, unless |a[i] - b[i]| <= atol + rtol |b[i]| for all i. */
static inline void assert_close(const Real *a, const Real *b, size_t n, double rtol, double atol)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)a[i] - (double)b[i]) <= atol + rtol * fabs((double)b[i])))
            fail_msg("value %zu: found %.9g, expected %.9g", i, (double)a[i], (double)b[i]);
}

/* Fails unless |found - expected| <= tolerance. */
static inline void assert_within(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) fail_msg("found %.9g, expected %.9g", found, expected);
}

/* C = alpha op(A) op(B) or, with add, C +=, as the kernel gemm, in loops. */
static inline void plain_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda,
                                 const Real *b, int ldb, bool add, Real *c, int ldc)
{
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            double sum = 0;
            for (ptrdiff_t h = 0; h < k; h++)
                sum += (double)(ta ? a[h * lda + i] : a[i * lda + h]) * (double)(tb ? b[j * ldb + h] : b[h * ldb + j]);
            Real *to = c + i * ldc + j;
            *to = (Real)((double)alpha * sum + (add ? (double)*to : 0));
        }
}

static inline void assert_equal_texts(const StrBuf *a, const StrBuf *b)
{
    assert_int_equal(a->len, b->len);
    assert_memory_equal(a->ptr, b->ptr, a->len);
}

/* To the bit. */
static inline void assert_same_params(const ParamSet *a, const ParamSet *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(params_values(a), params_values(b), a->size * sizeof(Real));
}

/* Fails unless the error has this code and error_text gives `text`. */
static inline void assert_error(const Error *e, Status code, const char *text)
{
    char buf[1400];
    assert_string_equal(error_text(e, buf, sizeof buf), text);
    assert_int_equal(e->code, code);
}

/* An input that is wrong, and what is said of it. */
typedef struct Refused {
    const char *text, *message;
} Refused;

/* An error, empty, for a call that assert_ok or assert_fails checks: assert_ok(file_read(path, &text, test_error())).
 * Each thread has its own. */
Error *test_error(void);
/* Fails, with the message of test_error(), unless a call returned OK. */
#define assert_ok(call) test_ok(call, __FILE__, __LINE__)
void test_ok(Status status, const char *file, int line);
/* Fails unless a call returned this code and error_text gives `text` for test_error(). */
#define assert_fails(call, code, text) test_fails(call, code, text, __FILE__, __LINE__)
void test_fails(Status status, Status code, const char *text, const char *file, int line);
/* The same; the text contains `part`. */
#define assert_fails_with(call, code, part) test_fails_with(call, code, part, __FILE__, __LINE__)
void test_fails_with(Status status, Status code, const char *part, const char *file, int line);

/* An arena whose memory is freed after the test. The same one in all of a test: not for its threads. */
Arena *test_arena(void);
/* A text in it. */
char *test_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* An empty text, for what one call writes, and what was written: json_int(test_out(), NULL, 3);
 * assert_string_equal(test_written(), "3"). */
StrBuf *test_out(void);
const char *test_written(void);

/* Takes notes: TestNotes taken = { .notes = { test_take_note } }. */
typedef struct TestNotes {
    Notes notes;
    int n;
    char text[2000]; /* each without its file: "1:8: found bytes that are not UTF-8; " */
} TestNotes;
void test_take_note(Notes *notes, const Error *note);

/* The numbers of a tensor, in that arena. */
static inline Real *tensor_numbers(Tape *t, const Tensor *x)
{
    if (!x) fail_msg("%s", t->error.message);
    Real *out = (Real *)arena_alloc(test_arena(), tensor_size(x) + 1, sizeof *out);
    assert_true(tensor_download(t, x, out));
    return out;
}

/* A loop in which allocation 0, 1, 2, ... of a call fails, and all after it, until the call needs no more; at least one
 * must fail. The call returns ERR_NOMEM then, and test_error() says so:
 *     for (long n = 0; allocation_fails(n); n++) {
 *         mem_fail_after(n);
 *         assert_ok_or_no_memory(file_read(path, &text, test_error()));
 *     } */
bool allocation_fails(long n);
/* This loop, for a call that needs nothing to be made or freed beside it. */
#define assert_reports_no_memory(call)           \
    for (long n = 0; allocation_fails(n); n++) { \
        mem_fail_after(n);                       \
        assert_ok_or_no_memory(call);            \
    }
#define assert_ok_or_no_memory(call) test_allocated(call, __FILE__, __LINE__)
/* The same for a call that returns only whether there was memory. */
#define assert_done_or_no_memory(call) \
    test_allocated((call) ? test_error()->code : error_set(test_error(), ERR_NOMEM, "no memory"), __FILE__, __LINE__)
/* Whether it was OK. */
bool test_allocated(Status status, const char *file, int line);
