/* Evalb on a parameter file, gold lines and test lines (separated by lines "=") does not
 * crash, and the counts are equal with and without DEBUG 2, which compares all pairs of brackets. */
#define _POSIX_C_SOURCE 200809L

#include "eval/evalb.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_ERRORS = 1000 };

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
    require(out != NULL);
    require(evalb_run(p, gold, test, out, null, &stopped, &e) == OK);
    fclose(out);
    for (char *at = text; (found = strstr(at, "=== Summary ===\n\n-- All --\n")); at = found + 1)
        snprintf(s.text, sizeof s.text, "%s", found); /* the last occurrence, because words may contain the same text */
    free(text);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    StrView more, test, params = fuzz_cut(fuzz_text(data, size), &more), gold = fuzz_cut(more, &test);
    FREED(fuzz_unlink)
    FuzzFile p_file = fuzz_file(params.ptr, params.len, 0), g_file = fuzz_file(gold.ptr, gold.len, 1),
             t_file = fuzz_file(test.ptr, test.len, 2);
    Error e = { 0 };
    bool stopped = false;
    FILE *null = fopen("/dev/null", "w");
    require(null != NULL);
    MADE(EvalbParams, evalb_params_init, evalb_params_fini, p);
    if (evalb_params_read(&p, p_file.path, null, &stopped, &e) == OK) {
        if (p.max_error > MOST_ERRORS) p.max_error = MOST_ERRORS; /* text after a tree causes max_error errors */
        p.debug = 0;
        Summary plain = run(&p, g_file.path, t_file.path, null);
        p.debug = 2;
        Summary shown = run(&p, g_file.path, t_file.path, null);
        require(strcmp(plain.text, shown.text) == 0);
    }
    fclose(null);
    return 0;
}
