/* Every tensor of a file that is accepted lies in the file, and can be read. */
#include "tensor/torch_file.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FREED(fuzz_unlink) FuzzFile file = fuzz_file(data, size, 0);
    FREED(safetensors_close) SafeTensors st;
    Error e = { 0 };
    if (!accepted(torch_file_open(&st, file.path, &e), &e)) return 0;
    for (int k = 0; k < st.names.n; k++) {
        const StTensor *t = &st.t[k];
        size_t at = (size_t)(t->data - st.map.data);
        require(at <= size && t->count <= (size - at) / dtype_size(t->dtype));
        require(safetensors_find(&st, t->name) == t);
        safetensors_reals(&st, t, NULL, &e);
    }
    return 0;
}
