/* tests/fuzz/fuzz_round_trip.c: whatever is written in a format is read back equal: sentences of nasty texts, which the
 * input chooses. */
#include <stdlib.h>

#include "tests/support/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Choices c = { data, data + size };
    StrBuf shown = { 0 };
    long refused = 0;
    Arena a;
    arena_init(&a, 1 << 12);
    Sentence s = nasty_sentence(&c, &a, &refused);
    if (round_trip_from(&s, true, &shown) >= 0) abort();
    strbuf_fini(&shown);
    arena_fini(&a);
    return 0;
}
