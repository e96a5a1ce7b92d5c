/* A vocabulary that is read, written and read again is written as the same bytes. */
#include "tests/fuzz/fuzz.h"
#include "treebank/vocab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error e = { 0 };
    FREED(strbuf_fini) StrBuf first = { 0 }, second = { 0 };
    MADE(Vocab, vocab_init, vocab_fini, v);
    MADE(Vocab, vocab_init, vocab_fini, w);
    if (vocab_read(&v, fuzz_text(data, size), "fuzz", &e) == OK && vocab_size(&v)) {
        vocab_write(&v, &first); /* not compared with the input, whose counts may have leading zeros */
        require(vocab_read(&w, (StrView){ first.ptr, first.len }, "again", &e) == OK);
        vocab_write(&w, &second);
        require_equal(&first, &second);
    }
    return 0;
}
