/* tests/fuzz/fuzz_evalb.c: a parameter file, the gold line and the test line of an input (parted by lines "=") never crash, and counts stay within bounds. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eval/evalb.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[FILES][64];
    const char *at = (const char *)data, *end = at + size;
    for (int k = 0; k < FILES; k++) {
        const char *cut = NULL;
        for (const char *p = at; k + 1 < FILES && p + 3 <= end && !cut; p++)
            if (memcmp(p, "\n=\n", 3) == 0) cut = p;
        if (!path[k][0]) snprintf(path[k], sizeof path[k], "/dev/shm/lal-fuzz-evalb%d-%ld", k, (long)getpid());
        FILE *f = fopen(path[k], "wb");
        size_t n = (size_t)((cut ? cut + 1 : end) - at);
        if (!f || fwrite(at, 1, n, f) != n) abort();
        fclose(f);
        at = cut ? cut + 3 : end;
    }
    EvalbParams p;
    Error e = { 0 };
    bool stopped;
    evalb_params_init(&p);
    FILE *out = fopen("/dev/null", "w");
    if (!out) abort();
    if (evalb_params_read(&p, path[0], &e) == OK) (void)evalb_run(&p, path[1], path[2], out, out, &stopped, &e);
    fclose(out);
    evalb_params_fini(&p);
    for (int k = 0; k < FILES; k++) unlink(path[k]);
    return 0;
}
