/* tests/fuzz/fuzz_safetensors.c: every tensor of a file that is accepted can be read, numbers that are read are finite,
 * and header and tensors have the size of the file. */
#define _POSIX_C_SOURCE 200809L
#include "tensor/safetensors.h"
#include "tests/fuzz/file.h"
#include "tests/fuzz/mutate_safetensors.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    return mutate_safetensors(data, size, max_size, seed);
}

static void check_tensor(const SafeTensors *st, const StTensor *t)
{
    Error e = { 0 };
    Real *x = mem_alloc(t->count, sizeof *x);
    int32_t *whole = mem_alloc(t->count, sizeof *whole);
    if (!x || !whole) abort();
    if (safetensors_reals(st, t, x, &e) == OK && reals_finite(x, t->count) < t->count) abort();
    (void)safetensors_ints(st, t, whole, &e);
    if (safetensors_find(st, t->name) != t) abort();
    mem_free(x);
    mem_free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FuzzFile file = fuzz_file(data, size, 0);
    SafeTensors st;
    Error e = { 0 };
    if (safetensors_open(&st, file.path, &e) == OK) {
        size_t bytes = st.header_size;
        for (int k = 0; k < st.names.n; k++) {
            check_tensor(&st, &st.t[k]);
            bytes += st.t[k].count * dtype_size(st.t[k].dtype);
        }
        if (bytes != size) abort();
        for (int k = 0; k < st.keys.n; k++)
            if (strlen(safetensors_metadata(&st, st.keys.keys[k])) > size) abort();
        safetensors_close(&st);
    }
    unlink(file.path);
    return 0;
}
