/* tests/fuzz/fuzz_segment.c: the tokens of any text are in order, are pieces of the text, and leave out only white
 * space. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "language/english/text/segment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    SegmentedText t = { 0 };
    Arena a;
    Error e = { 0 };
    arena_init(&a, 4096);
    if (segment_text(&t, text_block((StrView){ text, size }, "fuzz"), NEWLINES_AUTO, &a, &e) == OK) {
        size_t at = 0;
        int k = 0;
        for (int s = 0; s < t.n_sentences; s++) {
            if (t.sentences[s].first != k || t.sentences[s].n < 1) abort();
            for (int end = k + t.sentences[s].n; k < end; k++) {
                const Token *x = &t.tokens[k];
                if (x->end <= x->begin || x->end > size || memcmp(x->form, text + x->begin, x->end - x->begin) != 0)
                    abort();
                while (at < x->begin)
                    if (!utf8_is_space(utf8_next(text, size, &at))) abort();
                at = x->end;
            }
        }
        while (at < size)
            if (!utf8_is_space(utf8_next(text, size, &at))) abort();
    }
    segmented_text_fini(&t);
    arena_fini(&a);
    return 0;
}
