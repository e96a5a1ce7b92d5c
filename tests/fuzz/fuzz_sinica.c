/* tests/fuzz/fuzz_sinica.c: trees read in the Sinica notation have valid dependencies with one head per phrase. */
#include "tests/fuzz/treebank.h"
#include "treebank/sinica.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Treebank tb;
    Error e = { 0 };
    treebank_init(&tb);
    if (sinica_read(&tb, text_block((StrView){ (const char *)data, size }, "fuzz"), &e) == OK)
        for (int k = 0; k < tb.n; k++) {
            const Sentence *s = &tb.s[k];
            int word;
            const char *what;
            if (!tree_heads_valid(s->heads, s->n_words, &word, &what)) abort();
            for (int p = 0; p < s->n_phrases; p++)
                if (phrase_outside_heads(s, &s->phrases[p]) != 1) abort();
        }
    check_sentences(&tb);
    treebank_fini(&tb);
    return 0;
}
