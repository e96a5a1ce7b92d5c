/* tests/fuzz/fuzz_vocab.c: a vocabulary that is read, written and read again is written as the same bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "treebank/vocab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Vocab v, w;
    Error e = { 0 };
    StrBuf first = { 0 }, second = { 0 };
    vocab_init(&v);
    vocab_init(&w);
    if (vocab_read(&v, (StrView){ (const char *)data, size }, "fuzz", &e) == OK && vocab_size(&v)) {
        vocab_write(&v, &first); /* not compared with the input, whose counts may have leading zeros */
        if (vocab_read(&w, (StrView){ first.ptr, first.len }, "again", &e) != OK) abort();
        vocab_write(&w, &second);
        if (strcmp(first.ptr, second.ptr) != 0) abort();
    }
    strbuf_fini(&first);
    strbuf_fini(&second);
    vocab_fini(&v);
    vocab_fini(&w);
    return 0;
}
