/* The main function of programs of tests */
#define _XOPEN_SOURCE 700
#include "tests/support/check.h"

#include <ftw.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tensor/tensor.h"

enum { TESTS_MOST = 100, PATHS_MOST = 64 };

static struct {
    int line;
    struct CMUnitTest test;
} tests[TESTS_MOST];
static size_t n_tests;
static char folder[64], paths[PATHS_MOST][256];
static int n_paths;
static bool left; /* was a file in the folder that test_path did not name? */

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *place)
{
    (void)s, (void)type;
    int k = 0;
    while (k < n_paths && strcmp(paths[k], path) != 0) k++;
    if (place->level == 1 && k == n_paths) {
        print_error("%s is left\n", path);
        left = true;
    }
    return remove(path);
}

static Arena arena;
static StrBuf written;

Arena *test_arena(void)
{
    if (!arena.block_size) arena_init(&arena, 1 << 14);
    return &arena;
}

char *test_format(const char *format, ...)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    va_list arguments;
    va_start(arguments, format);
    strbuf_vprintf(&text, format, arguments);
    va_end(arguments);
    assert_false(text.failed);
    return arena_strndup(test_arena(), text.ptr ? text.ptr : "", text.len);
}

StrBuf *test_out(void)
{
    strbuf_clear(&written);
    return &written;
}

const char *test_written(void) { return written.ptr ? written.ptr : ""; }

void test_take_note(Notes *notes, const Error *note)
{
    TestNotes *taken = (TestNotes *)notes;
    char text[1400];
    Error here = *note;
    size_t len = strlen(taken->text);
    here.path[0] = 0;
    taken->n++;
    snprintf(taken->text + len, sizeof taken->text - len, "%s; ", error_text(&here, text, sizeof text));
}

/* Frees and removes what a test has made. */
static int end_test(void **state)
{
    (void)state;
    strbuf_fini(&written);
    arena_fini(&arena);
    arena = (Arena){ 0 };
    left = false;
    int status = *folder ? nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS) : 0;
    *folder = 0;
    n_paths = 0;
    setlocale(LC_ALL, "C");
    return status || left;
}

const char *test_folder(void)
{
    if (!*folder) {
        snprintf(folder, sizeof folder, "/tmp/lal-test-XXXXXX");
        assert_non_null(mkdtemp(folder));
    }
    return folder;
}

const char *test_path(const char *name)
{
    int k = 0;
    test_folder();
    while (k < n_paths && strcmp(paths[k] + strlen(folder) + 1, name) != 0) k++;
    assert_in_range(k, 0, PATHS_MOST - 1);
    if (k == n_paths) snprintf(paths[n_paths++], sizeof *paths, "%s/%s", folder, name);
    return paths[k];
}

const char *test_file(const char *name, const char *bytes, size_t n)
{
    const char *path = test_path(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    if (n) assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return path;
}

const char *test_text(const char *name, const char *text) { return test_file(name, text, strlen(text)); }

bool test_comma_locale(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8", "es_ES.UTF-8", "pt_BR.UTF-8" };
    char command[400], text[8];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (setlocale(LC_ALL, names[k])) return true;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s >/dev/null 2>&1", test_path(names[0]));
    if (system(command) != 0 || setenv("LOCPATH", test_folder(), 1) != 0 || !setlocale(LC_ALL, names[0])) {
        print_message("skipped: no locale with a decimal comma, and localedef cannot create one\n");
        return false;
    }
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
    return true;
}

static _Thread_local Error error;

Error *test_error(void)
{
    error = (Error){ 0 };
    return &error;
}

void test_ok(Status status, const char *file, int line)
{
    if (status == OK) return;
    char found[1400];
    print_error("%s\n", error_text(&error, found, sizeof found));
    _assert_int_equal(status, OK, file, line);
}

void test_fails(Status status, Status code, const char *text, const char *file, int line)
{
    char found[1400];
    _assert_string_equal(error_text(&error, found, sizeof found), text, file, line);
    _assert_int_equal(error.code, code, file, line);
    _assert_int_equal(status, code, file, line);
}

void test_fails_with(Status status, Status code, const char *part, const char *file, int line)
{
    char found[1400];
    if (strstr(error_text(&error, found, sizeof found), part)) part = found;
    test_fails(status, code, part, file, line);
}

static long allocation = -1; /* that fails; -1: none does any more */

bool allocation_fails(long n)
{
    if (n && allocation < 0) return false;
    assert_in_range(n, 0, 20000);
    allocation = n;
    return true;
}

bool test_allocated(Status status, const char *file, int line)
{
    mem_fail_after(-1);
    if (status != error.code || (status != OK && (status != ERR_NOMEM || !*error.message))) {
        print_error("allocation %ld: %s\n", allocation, error.message);
        _assert_int_equal(status, ERR_NOMEM, file, line);
        _assert_int_equal(error.code, status, file, line);
    }
    if (status == OK) {
        _assert_true(allocation > 0, "an allocation failed", file, line);
        allocation = -1;
    }
    return status == OK;
}

void test_add(int line, const char *name, void (*test)(void **))
{
    size_t k = n_tests++;
    if (n_tests > TESTS_MOST) abort();
    for (; k && tests[k - 1].line > line; k--) tests[k] = tests[k - 1];
    tests[k].line = line;
    tests[k].test = (struct CMUnitTest){ .name = name, .test_func = test, .teardown_func = end_test };
}

int main(int argc, char **argv)
{
    struct CMUnitTest list[TESTS_MOST];
    const char *only = getenv("TEST_ONLY"), *name = argc && strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : "tests";
    char title[128];
    for (size_t k = 0; k < n_tests; k++) list[k] = tests[k].test;
    if (only) cmocka_set_test_filter(only);
    snprintf(title, sizeof title, "%s %s", name, REAL_NAME);
    return _cmocka_run_group_tests(title, list, n_tests, NULL, NULL);
}
