/* tests/fuzz/fuzz_safetensors.c: every tensor of a file that opens can be read. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tensor/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    if (!path[0]) snprintf(path, sizeof path, "/dev/shm/lal-fuzz-%ld", (long)getpid());
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size) abort();
    fclose(f);
    SafeTensors st;
    Error e = { 0 };
    if (safetensors_open(&st, path, &e) == OK) {
        for (int k = 0; k < st.names.n; k++) {
            const StTensor *t = &st.t[k];
            Real *x = mem_alloc(t->count, sizeof *x);
            if (!x) abort();
            (void)safetensors_reals(&st, t, x, &e);
            mem_free(x);
        }
        safetensors_close(&st);
    }
    unlink(path);
    return 0;
}
