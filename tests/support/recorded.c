#include "tests/support/recorded.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "tensor/tensor.h"

static int passed, failed, skipped;
static StrMap marks; /* addresses of JSON values, as text */

void recorded_stop(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

cJSON *recorded_open(const char *dir, const char *name)
{
    char path[600];
    StrBuf text = { 0 };
    Error e = { 0 };
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (file_read(path, &text, &e) != OK) {
        printf("       %s is not there: its measures are not checked\n", name);
        return NULL;
    }
    cJSON *j = cJSON_ParseWithLength(text.ptr, text.len);
    strbuf_fini(&text);
    if (!j) recorded_stop("%s: cannot be read as JSON", path);
    return j;
}

/* ---- marks */

static size_t address(const cJSON *j, char *text, size_t size)
{
    return (size_t)snprintf(text, size, "%p", (void *)(uintptr_t)j);
}

void recorded_mark(const cJSON *j)
{
    char text[40];
    if (!j) return;
    if (!marks.n) map_init(&marks);
    if (map_add(&marks, text, address(j, text, sizeof text)) < 0) recorded_stop("out of memory");
}

static bool marked(const cJSON *j)
{
    char text[40];
    return marks.n && map_find(&marks, text, address(j, text, sizeof text)) >= 0;
}

void recorded_leave_out(const cJSON *j, const char *name) { recorded_mark(cJSON_GetObjectItemCaseSensitive(j, name)); }

bool recorded_unread(const cJSON *j, char *path, size_t size)
{
    if (marked(j)) return false;
    if (!recorded_length(j)) {
        snprintf(path, size, "%s", "");
        return true;
    }
    int k = 0;
    for (const cJSON *x = j->child; x; x = x->next, k++) {
        char below[200];
        if (!recorded_unread(x, below, sizeof below)) continue;
        const char *dot = below[0] && below[0] != '[' ? "." : "";
        if (x->string) snprintf(path, size, "%s%s%s", x->string, dot, below);
        else snprintf(path, size, "[%d]%s%s", k, dot, below);
        return true;
    }
    return false;
}

/* ---- values */

const cJSON *recorded_item(const cJSON *j, const char *name)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(j, name);
    if (!x) recorded_stop("no %s", name);
    return x;
}

int recorded_length(const cJSON *j) { return cJSON_GetArraySize(j); }

double recorded_number(const cJSON *j, const char *name)
{
    const cJSON *x = recorded_item(j, name);
    if (!cJSON_IsNumber(x)) recorded_stop("%s: expected a number", name);
    recorded_mark(x);
    return x->valuedouble;
}

static const char *string(const cJSON *x)
{
    if (!cJSON_IsString(x)) recorded_stop("expected a string");
    recorded_mark(x);
    return x->valuestring;
}

const char *recorded_text(const cJSON *j, const char *name) { return string(recorded_item(j, name)); }

const char *recorded_string(const cJSON *j, int k) { return string(cJSON_GetArrayItem(j, k)); }

double *recorded_numbers(const cJSON *j, int *n)
{
    double *all = malloc(sizeof *all);
    *n = 0;
    if (!all) recorded_stop("out of memory");
    recorded_mark(j);
    if (cJSON_IsNumber(j)) {
        all[(*n)++] = j->valuedouble;
        return all;
    }
    if (cJSON_IsString(j)) {
        if (strcmp(j->valuestring, "-inf") != 0) recorded_stop("found '%s', expected a number", j->valuestring);
        all[(*n)++] = -INFINITY;
        return all;
    }
    const cJSON *x;
    cJSON_ArrayForEach(x, j)
    {
        int k;
        double *part = recorded_numbers(x, &k), *more = realloc(all, (size_t)(*n + k + 1) * sizeof *all);
        if (!more) recorded_stop("out of memory");
        all = more;
        for (int i = 0; i < k; i++) all[(*n)++] = part[i];
        free(part);
    }
    return all;
}

double *recorded_exactly(const cJSON *j, int expected)
{
    int n;
    double *all = recorded_numbers(j, &n);
    if (n != expected) recorded_stop("found %d numbers, expected %d", n, expected);
    return all;
}

/* ---- checks */

void recorded_verdict(bool ok, const char *format, ...)
{
    va_list args;
    *(ok ? &passed : &failed) += 1;
    fputs(ok ? "ok     " : "FAILED ", stdout);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

void recorded_check(const char *name, const double *found, const double *expected, int n)
{
    double worst = 0, largest = 0, tolerance = sizeof(Real) == sizeof(double) ? 1e-9 : 1e-4;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(expected[i]));
        if (!(fabs(found[i] - expected[i]) <= worst)) worst = fabs(found[i] - expected[i]);
    }
    bool ok = n > 0 && worst <= tolerance * fmax(largest, 1);
    recorded_verdict(ok, "%s (%d numbers, off by %.1e)", name, n, worst);
}

void recorded_compare(const char *name, const double *found, int n, const cJSON *j)
{
    int k;
    double *expected = recorded_numbers(j, &k);
    if (k != n) recorded_verdict(false, "%s: %d numbers, expected %d", name, n, k);
    else recorded_check(name, found, expected, n);
    free(expected);
}

void recorded_skip(const char *format, ...)
{
    va_list args;
    skipped++;
    fputs("skip   ", stdout);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

int recorded_summary_skips(void)
{
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed || !(passed + skipped);
}

int recorded_summary(void)
{
    if (marks.n) map_fini(&marks);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}

void *recorded_room(size_t count, size_t size)
{
    void *room = calloc(count + !count, size);
    if (!room) recorded_stop("out of memory");
    return room;
}
