/* tests/fuzz/fuzz_safetensors.c: every tensor of a file that opens can be read. */
#define _POSIX_C_SOURCE 200809L
#include "tensor/safetensors.h"
#include "tests/fuzz/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FuzzFile file = fuzz_file(data, size, 0);
    SafeTensors st;
    Error e = { 0 };
    if (safetensors_open(&st, file.path, &e) == OK) {
        for (int k = 0; k < st.names.n; k++) {
            const StTensor *t = &st.t[k];
            Real *x = mem_alloc(t->count, sizeof *x);
            if (!x) abort();
            (void)safetensors_reals(&st, t, x, &e);
            mem_free(x);
        }
        safetensors_close(&st);
    }
    unlink(file.path);
    return 0;
}
