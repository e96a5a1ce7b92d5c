/* tests/fuzz/fuzz_bracket.c: trees read in each dialect can be written, and read back as the same trees. */
#include "tests/fuzz/treebank.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Treebank tb;
    Error e = { 0 };
    BracketOptions o = { .strip_functions = size % 2,
                         .keep_traces = size % 3 == 0,
                         .keep_spelling = size % 2 == 0,
                         .dialect = (BracketDialect)(size / 6 % 3) };
    treebank_init(&tb);
    if (bracket_read(&tb, text_block((StrView){ (const char *)data, size }, "fuzz"), o, &e) == OK)
        check_trees(&tb, o.keep_traces);
    treebank_fini(&tb);
    return 0;
}
