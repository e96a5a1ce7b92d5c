/* tests/fuzz/fuzz_unigram.c: any SentencePiece model is read or refused with a message; what is read encodes the input
 * itself, as a text and as a word of XLNet. Pieces are of the vocabulary and inside the text. */
#include <stdint.h>
#include <stdlib.h>

#include "embeddings/xlnet_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const Unigram *u, const Pieces *p, size_t size)
{
    for (int k = 0; k < p->n; k++) {
        const Piece *x = &p->p[k];
        if (x->id < 0 || x->id >= u->n || x->begin < 0 || x->begin > x->end || (size_t)x->end > size) abort();
        (void)pieces_text(p, k);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Unigram u;
    Error e = { 0 };
    Pieces p = { 0 };
    StrView text = { (const char *)data, size };
    if (unigram_parse(&u, text, "fuzz", &e) != OK) {
        if (!e.message[0]) abort();
        return 0;
    }
    Status s = unigram_encode(&u, text, &p, &e);
    if (s != OK) abort();
    check(&u, &p, size);
    pieces_clear(&p);
    if (xlnet_words_encode(&u, text, &p, &e) != OK) abort();
    check(&u, &p, size);
    pieces_fini(&p);
    unigram_fini(&u);
    return 0;
}
