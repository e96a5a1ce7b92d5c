#include "tests/support/fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "tests/support/whole_numbers.h"

static StrMap read_names; /* of the current case */
static bool noted;        /* whether there is one */
static bool all;

bool fixture_all(void) { return all; }

cJSON *fixture_manifest(const char *dir)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/manifest.json", dir);
    FREED(strbuf_fini) StrBuf text = { 0 };
    Error e = { 0 };
    char msg[1024];
    cJSON *j = NULL;
    if (file_read(path, &text, &e) != OK) fprintf(stderr, "%s\n", error_text(&e, msg, sizeof msg));
    else if (!(j = cJSON_Parse(text.ptr))) fprintf(stderr, "%s: not JSON\n", path);
    return j;
}

bool fixture_open(SafeTensors *st, const char *dir, const char *name)
{
    char path[1024], msg[1024];
    Error e = { 0 };
    snprintf(path, sizeof path, "%s/%s.safetensors", dir, name);
    if (safetensors_open(st, path, &e) == OK) return true;
    fprintf(stderr, "%s\n", error_text(&e, msg, sizeof msg));
    return false;
}

/* Numbers of a tensor if they could be read, whose name is kept. */
static void *read_or_free(void *numbers, Status status, const StTensor *t, const char *name, size_t *n)
{
    if (numbers && status == OK) {
        if (n) *n = t->count;
        if (noted) map_add(&read_names, name, strlen(name));
        return numbers;
    }
    mem_free(numbers);
    return NULL;
}

Real *fixture_reals(const SafeTensors *st, const char *name, size_t *n)
{
    const StTensor *t = safetensors_find(st, name);
    Real *x = t ? mem_alloc(t->count + 1, sizeof *x) : NULL;
    return read_or_free(x, x ? safetensors_reals(st, t, x, NULL) : OK, t, name, n);
}

int32_t *fixture_ints(const SafeTensors *st, const char *name, size_t *n)
{
    const StTensor *t = safetensors_find(st, name);
    int32_t *x = t ? mem_alloc(t->count + 1, sizeof *x) : NULL;
    return read_or_free(x, x && !whole_numbers(t, x) ? ERR_FORMAT : OK, t, name, n);
}

const char *fixture_unread(const SafeTensors *st, const char *prefix)
{
    for (int k = 0; k < st->names.n; k++)
        if (strncmp(st->names.keys[k], prefix, strlen(prefix)) == 0 &&
            map_find(&read_names, st->names.keys[k], strlen(st->names.keys[k])) < 0)
            return st->names.keys[k];
    return NULL;
}

void fixture_leave_out(const char *name) { map_add(&read_names, name, strlen(name)); }

double relative_difference(const Real *a, const Real *b, size_t n, double floor)
{
    double diff = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs((double)a[i] - (double)b[i]);
        if (d != d) return INFINITY;
        diff = fmax(diff, d);
        size = fmax(size, fabs((double)b[i]));
    }
    return diff / (size > floor ? size : 1);
}

int fixture_check_all(int argc, char **argv, FixtureCheck *check)
{
    all = argc == 3 && strcmp(argv[1], "--all") == 0;
    const char *dir = argv[argc - 1];
    if (argc != 2 && !all) {
        fprintf(stderr, "usage: %s [--all] DIR\n", argv[0]);
        return 2;
    }
    cJSON *manifest = fixture_manifest(dir);
    if (!manifest) return 1;
    int passed = 0, failed = 0;
    const cJSON *json;
    cJSON_ArrayForEach(json, cJSON_GetObjectItem(manifest, "cases"))
    {
        const cJSON *name = cJSON_GetObjectItem(json, "name");
        SafeTensors st = { 0 };
        map_init(&read_names);
        noted = true;
        bool ok =
            cJSON_IsString(name) && fixture_open(&st, dir, name->valuestring) && check(&st, json, name->valuestring);
        safetensors_close(&st);
        map_fini(&read_names);
        noted = false;
        if (ok) passed++;
        else failed++;
    }
    cJSON_Delete(manifest);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed ? 1 : 0;
}
