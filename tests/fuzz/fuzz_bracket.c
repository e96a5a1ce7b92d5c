/* tests/fuzz/fuzz_bracket.c: what is read as trees can be written, and reads back as the same trees. */
#include "tests/fuzz/treebank.h"
#include "treebank/bracket.h"
#include "treebank/oracle.h"

static void write_all(StrBuf *out, const Treebank *tb)
{
    for (int k = 0; k < tb->n; k++) {
        tree_write(out, &tb->s[k]);
        strbuf_putc(out, '\n');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Treebank tb, again;
    Error e = { 0 };
    StrBuf first = { 0 }, second = { 0 };
    treebank_init(&tb);
    treebank_init(&again);
    if (bracket_read(&tb, (StrView){ (const char *)data, size }, "fuzz", (BracketOptions){ size % 2, size % 3 == 0 }, &e) == OK && tb.n &&
        !ambiguous(&tb)) {
        for (int k = 0; k < tb.n; k++)
            if (!oracle_convert(&tb.s[k], &tb.arena)) abort();
        write_all(&first, &tb);
        if (bracket_read(&again, (StrView){ first.ptr, first.len }, "again", (BracketOptions){ .keep_traces = size % 3 == 0 }, &e) != OK) abort();
        write_all(&second, &again);
        if (strcmp(first.ptr, second.ptr) != 0) abort();
    }
    strbuf_fini(&first);
    strbuf_fini(&second);
    treebank_fini(&tb);
    treebank_fini(&again);
    return 0;
}
