/* tests/fuzz/fuzz_genia.c: trees read from XML can be written and read back, and converted for training. */
#include "tests/fuzz/treebank.h"
#include "treebank/genia.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error e = { 0 };
    const BracketOptions o = { .strip_functions = size % 2, .keep_traces = size % 3 == 0 };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    if (genia_read(&tb, text_block(fuzz_text(data, size), "fuzz"), o, &e) == OK) check_sentences(&tb);
    return 0;
}
