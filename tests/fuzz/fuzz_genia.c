/* tests/fuzz/fuzz_genia.c: trees read from XML can be written and read back, and converted for training. */
#include "tests/fuzz/treebank.h"
#include "treebank/genia.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Treebank tb;
    Error e = { 0 };
    treebank_init(&tb);
    if (genia_read(&tb, text_block((StrView){ (const char *)data, size }, "fuzz"),
                   (BracketOptions){ .strip_functions = size % 2, .keep_traces = size % 3 == 0 }, &e) == OK)
        check_sentences(&tb);
    treebank_fini(&tb);
    return 0;
}
