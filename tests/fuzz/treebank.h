/* tests/fuzz/treebank.h: what the fuzz targets of treebank readers share. */
#ifndef LAL_TESTS_FUZZ_TREEBANK_H
#define LAL_TESTS_FUZZ_TREEBANK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "treebank/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The escapes of brackets cannot be undone in a word such as "-RSB)", which is written "-RSB-RRB-" (docs/FORMATS.md). */
static inline bool ambiguous(const Treebank *tb)
{
    for (int k = 0; k < tb->n; k++)
        for (int w = 0; w < tb->s[k].n_words; w++)
            if (strpbrk(tb->s[k].words[w], "()") && strchr(tb->s[k].words[w], '-')) return true;
    return false;
}

#endif
