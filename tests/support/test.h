/* Included by every program of tests, C or C++, most by tests/support/check.h. TEST(name) { ... }
 * registers a test: main (tests/support/test.c) runs the tests of a program in their order in the file, or only the
 * tests whose names match the pattern in the environment variable TEST_ONLY (*: any text). */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/freed.h"

#define TEST(name)                                                                                       \
    static void name(void **state);                                                                      \
    __attribute__((constructor)) static void name##_is_a_test(void) { test_add(__LINE__, #name, name); } \
    static void name(void **state __attribute__((unused)))

void test_add(int line, const char *name, void (*test)(void **));

/* A folder for files of the test, made on the first call, and removed with all that is in it after the test. The test
 * fails if something is left in it that test_path did not name. */
const char *test_folder(void);
/* The path of a file in it; valid as long. */
const char *test_path(const char *name);
/* Writes the file; returns its path. */
const char *test_file(const char *name, const char *bytes, size_t n);
const char *test_text(const char *name, const char *text);

/* Until the test's end, the locale is one with a decimal comma, which is made if none is installed; without localedef
 * it says so and returns false. */
bool test_comma_locale(void);

#ifdef __cplusplus
}
#endif
