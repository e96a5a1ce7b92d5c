/* Every tensor of a file that is accepted can be read, numbers that are read are finite,
 * and header and tensors have the size of the file. */
#include "tensor/safetensors.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate_safetensors.h"

static void check_tensor(const SafeTensors *st, const StTensor *t)
{
    Error e = { 0 };
    FREED(free_pointer) Real *x = mem_alloc(t->count, sizeof *x);
    require(x != NULL);
    require(safetensors_reals(st, t, x, &e) != OK || reals_finite(x, t->count) == t->count);
    require(safetensors_find(st, t->name) == t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FREED(fuzz_unlink) FuzzFile file = fuzz_file(data, size, 0);
    SafeTensors st;
    Error e = { 0 };
    if (safetensors_open(&st, file.path, &e) != OK) return 0;
    size_t bytes = st.header_size;
    for (int k = 0; k < st.names.n; k++) {
        check_tensor(&st, &st.t[k]);
        bytes += st.t[k].count * dtype_size(st.t[k].dtype);
    }
    require(bytes == size);
    for (int k = 0; k < st.keys.n; k++) require(strlen(safetensors_metadata(&st, st.keys.keys[k])) <= size);
    safetensors_close(&st);
    return 0;
}
