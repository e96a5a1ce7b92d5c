/* tests/fuzz/fuzz_conll.c: dependencies that are read form trees, can be written, read back the same, and are aligned
 * with themselves word by word. */
#include "eval/align.h"
#include "tests/fuzz/treebank.h"
#include "treebank/conll.h"

/* With all columns, a file agrees with itself in every measure. */
static void check_alignment(const uint8_t *data, size_t size)
{
    Treebank tb;
    AlignScores a;
    Error e = { 0 };
    treebank_init(&tb);
    if (conll_read(&tb, text_block((StrView){ (const char *)data, size }, "fuzz"),
                   (ConllOptions){ .keep_columns = true }, &e) == OK &&
        tb.n && align_score(&tb, &tb, "fuzz", "fuzz", &a, &e) == OK)
        for (int m = 0; m < ALIGN_MEASURES; m++)
            if (a.of[m].matched != a.of[m].gold || a.of[m].matched != a.of[m].pred) abort();
    treebank_fini(&tb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Treebank tb, again;
    Error e = { 0 };
    StrBuf first = { 0 }, second = { 0 };
    treebank_init(&tb);
    treebank_init(&again);
    if (conll_read(&tb, text_block((StrView){ (const char *)data, size }, "fuzz"), (ConllOptions){ 0 }, &e) == OK &&
        tb.n && !ambiguous(&tb)) {
        for (int k = 0; k < tb.n; k++) {
            int word;
            const char *what;
            if (!tree_heads_valid(tb.s[k].heads, tb.s[k].n_words, &word, &what)) abort();
            conll_write(&first, &tb.s[k], CONLL_X, NULL);
        }
        if (conll_read(&again, text_block((StrView){ first.ptr, first.len }, "again"), (ConllOptions){ 0 }, &e) != OK)
            abort();
        for (int k = 0; k < again.n; k++) conll_write(&second, &again.s[k], CONLL_X, NULL);
        if (strcmp(first.ptr, second.ptr) != 0) abort();
    }
    check_alignment(data, size);
    strbuf_fini(&first);
    strbuf_fini(&second);
    treebank_fini(&tb);
    treebank_fini(&again);
    return 0;
}
