/* Any SentencePiece model is read or refused with a message; what is read encodes the input
 * itself, as a text and as a word of XLNet and of XLM-R. Pieces are of the vocabulary and inside the text. */
#include "embeddings/xlmr_words.h"
#include "embeddings/xlnet_words.h"
#include "tests/fuzz/pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Unigram u;
    Error e = { 0 };
    FREED(pieces_fini) Pieces p = { 0 };
    StrView text = fuzz_text(data, size);
    if (!accepted(unigram_parse(&u, text, "fuzz", &e), &e)) return 0;
    require(unigram_encode(&u, text, &p, &e) == OK);
    check_pieces(&p, u.n, size);
    pieces_clear(&p);
    require(xlnet_words_encode(&u, text, &p, &e) == OK);
    check_pieces(&p, u.n, size);
    pieces_clear(&p);
    if (accepted(xlmr_words_check(&u, "fuzz", &e), &e)) {
        require(xlmr_words_encode(&u, text, &p, &e) == OK);
        check_pieces(&p, xlmr_words_size(&u), size);
    }
    unigram_fini(&u);
    return 0;
}
