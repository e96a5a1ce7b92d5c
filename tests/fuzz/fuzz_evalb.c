/* tests/fuzz/fuzz_evalb.c: evalb on a parameter file, gold lines and test lines (separated by lines "=") does not
 * crash, and the counts are equal with and without DEBUG 2, which compares all pairs of brackets. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "eval/evalb.h"
#include "tests/fuzz/file.h"

enum { FILES = 3, MOST_ERRORS = 1000 };

/* The summary at the end of the output. */
typedef struct Summary {
    char text[2000];
} Summary;

static Summary run(const EvalbParams *p, const char *gold, const char *test, FILE *null)
{
    Summary s = { "" };
    char *text = NULL, *found;
    size_t size = 0;
    Error e = { 0 };
    bool stopped;
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    if (evalb_run(p, gold, test, out, null, &stopped, &e) != OK) abort();
    fclose(out);
    for (char *at = text; (found = strstr(at, "=== Summary ===\n\n-- All --\n")); at = found + 1)
        snprintf(s.text, sizeof s.text, "%s", found); /* the last occurrence, because words may contain the same text */
    free(text);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FuzzFile file[FILES];
    const char *at = (const char *)data, *end = at + size;
    for (int k = 0; k < FILES; k++) {
        const char *cut = NULL;
        for (const char *p = at; k + 1 < FILES && p + 3 <= end && !cut; p++)
            if (memcmp(p, "\n=\n", 3) == 0) cut = p;
        file[k] = fuzz_file(at, (size_t)((cut ? cut + 1 : end) - at), k);
        at = cut ? cut + 3 : end;
    }
    EvalbParams p;
    Error e = { 0 };
    bool stopped = false;
    FILE *null = fopen("/dev/null", "w");
    if (!null) abort();
    evalb_params_init(&p);
    if (evalb_params_read(&p, file[0].path, null, &stopped, &e) == OK) {
        if (p.max_error > MOST_ERRORS) p.max_error = MOST_ERRORS; /* text after a tree causes max_error errors */
        p.debug = 0;
        Summary plain = run(&p, file[1].path, file[2].path, null);
        p.debug = 2;
        Summary shown = run(&p, file[1].path, file[2].path, null);
        if (strcmp(plain.text, shown.text) != 0) abort();
    }
    fclose(null);
    evalb_params_fini(&p);
    for (int k = 0; k < FILES; k++) unlink(file[k].path);
    return 0;
}
