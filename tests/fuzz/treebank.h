/* tests/fuzz/treebank.h: shared by the fuzz targets of treebank readers. */
#ifndef LAL_TESTS_FUZZ_TREEBANK_H
#define LAL_TESTS_FUZZ_TREEBANK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "treebank/bracket.h"
#include "treebank/oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Escapes of brackets are ambiguous in words such as "-RSB)", which is written as "-RSB-RRB-" (docs/FORMATS.md). */
static inline bool ambiguous(const Treebank *tb)
{
    for (int k = 0; k < tb->n; k++)
        for (int w = 0; w < tb->s[k].n_words; w++)
            if (strpbrk(tb->s[k].words[w], "()") && strchr(tb->s[k].words[w], '-')) return true;
    return false;
}

static inline void write_trees(StrBuf *out, const Treebank *tb, Escapes escapes)
{
    for (int k = 0; k < tb->n; k++) {
        tree_write_as(out, &tb->s[k], (TreeStyle){ .top = "TOP", .escapes = escapes });
        strbuf_putc(out, '\n');
    }
}

/* The trees can be written, and read back as the same trees. */
static inline void check_written(const Treebank *tb, bool keep_traces, Escapes escapes)
{
    Treebank again;
    Error e = { 0 };
    StrBuf first = { 0 }, second = { 0 };
    treebank_init(&again);
    write_trees(&first, tb, escapes);
    if (tb->n) {
        if (bracket_read(&again, text_block((StrView){ first.ptr, first.len }, "again"),
                         (BracketOptions){ .keep_traces = keep_traces }, &e) != OK)
            abort();
        write_trees(&second, &again, ESCAPE_ROUND);
        strbuf_clear(&first);
        write_trees(&first, tb, ESCAPE_ROUND);
        if (strcmp(first.ptr, second.ptr) != 0) abort();
    }
    strbuf_fini(&first);
    strbuf_fini(&second);
    treebank_fini(&again);
}

/* The trees can be converted for training. Unless words are ambiguous, the trees can be written and read back as the
 * same trees, with brackets escaped and with words as spelled in the file. */
static inline void check_trees(Treebank *tb, bool keep_traces)
{
    for (int k = 0; k < tb->n; k++)
        if (!oracle_convert(&tb->s[k], &tb->arena)) abort();
    if (ambiguous(tb)) return;
    check_written(tb, keep_traces, ESCAPE_ROUND);
    check_written(tb, keep_traces, ESCAPE_INPUT);
}

#endif
