/* tests/fuzz/fuzz_sinica.c: trees read in the Sinica notation have valid dependencies with one head per phrase. */
#include "tests/fuzz/treebank.h"
#include "treebank/sinica.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error e = { 0 };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    if (sinica_read(&tb, text_block(fuzz_text(data, size), "fuzz"), &e) == OK)
        for (int k = 0; k < tb.n; k++) check_heads(&tb.s[k]);
    check_sentences(&tb);
    return 0;
}
