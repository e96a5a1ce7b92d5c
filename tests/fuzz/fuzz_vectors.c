/* tests/fuzz/fuzz_vectors.c: static word vectors that are read are finite; the pieces of any word are rows of the
 * table. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "embeddings/word_vectors.h"
#include "tests/fuzz/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FuzzFile file = fuzz_file(data, size, 0);
    WordVectors v;
    Vocab words;
    Error e = { 0 };
    vocab_init(&words);
    if (word_vectors_read(&v, &words, file.path, 0, &e) == OK) {
        for (long k = 0; k < (long)vocab_size(&words) * v.d; k++)
            if (!isfinite((double)v.values[k])) abort();
        int rows[MAX_PIECES], n = word_vectors_pieces(&words, (const char *)data, size < 200 ? size : 200, rows);
        for (int k = 0; k < n; k++)
            if (rows[k] < 0 || rows[k] >= vocab_size(&words)) abort();
    }
    word_vectors_fini(&v);
    vocab_fini(&words);
    unlink(file.path);
    return 0;
}
