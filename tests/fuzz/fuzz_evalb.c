/* tests/fuzz/fuzz_evalb.c: a parameter file, the gold line and the test line of an input (parted by lines "=") never crash, and counts stay within bounds. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "eval/evalb.h"
#include "tests/fuzz/file.h"

enum { FILES = 3 };

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
    bool stopped;
    evalb_params_init(&p);
    FILE *out = fopen("/dev/null", "w");
    if (!out) abort();
    if (evalb_params_read(&p, file[0].path, &e) == OK) (void)evalb_run(&p, file[1].path, file[2].path, out, out, &stopped, &e);
    fclose(out);
    evalb_params_fini(&p);
    for (int k = 0; k < FILES; k++) unlink(file[k].path);
    return 0;
}
