/* tests/fuzz/treebank.h: shared by the fuzz targets of treebank readers. */
#ifndef LAL_TESTS_FUZZ_TREEBANK_H
#define LAL_TESTS_FUZZ_TREEBANK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/round_trip.h"
#include "treebank/oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The trees can be converted for training, and written in every format and read back as the same sentences. */
static inline void check_sentences(Treebank *tb)
{
    StrBuf shown = { 0 };
    for (int k = 0; k < tb->n; k++) {
        if (round_trip_from(&tb->s[k], false, &shown) >= 0) abort();
        if (tb->s[k].has_tree && !oracle_convert(&tb->s[k], &tb->arena)) abort();
    }
    strbuf_fini(&shown);
}

#endif
