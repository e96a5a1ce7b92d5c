/* Trees read in each dialect can be written in every format, and read
 * back as the same sentences. */
#include "tests/fuzz/treebank.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error e = { 0 };
    const BracketOptions o = { .strip_functions = size % 2,
                               .keep_traces = size % 3 == 0,
                               .keep_spelling = size % 2 == 0,
                               .dialect = (BracketDialect)(size / 6 % 3) };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    if (bracket_read(&tb, text_block(fuzz_text(data, size), "fuzz"), o, &e) == OK) check_sentences(&tb);
    return 0;
}
