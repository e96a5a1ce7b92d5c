/* Whatever is written in a format is read back equal: sentences of nasty texts, which the
 * input chooses. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Choices c = { data, data + size };
    FREED(strbuf_fini) StrBuf shown = { 0 };
    long refused = 0;
    MADE(Arena, arena_init, arena_fini, a, 1 << 12);
    Sentence s = nasty_sentence(&c, &a, &refused);
    require(round_trip_from(&s, true, &shown) < 0);
    return 0;
}
