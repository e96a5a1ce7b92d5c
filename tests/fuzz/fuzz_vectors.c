/* Static word vectors that are read are finite; the pieces of any word are rows of the
 * table. */
#include <math.h>

#include "embeddings/word_vectors.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FREED(fuzz_unlink) FuzzFile file = fuzz_file(data, size, 0);
    FREED(word_vectors_fini) WordVectors v;
    Error e = { 0 };
    MADE(Vocab, vocab_init, vocab_fini, words);
    if (word_vectors_read(&v, &words, file.path, 0, &e) == OK) {
        for (long k = 0; k < (long)vocab_size(&words) * v.d; k++) require(isfinite((double)v.values[k]));
        int rows[MAX_PIECES], n = word_vectors_pieces(&words, (const char *)data, size < 200 ? size : 200, rows);
        for (int k = 0; k < n; k++) require(rows[k] >= 0 && rows[k] < vocab_size(&words));
    }
    return 0;
}
