/* Any tokenizer.json is read or refused with a message; what is read encodes the input
 * itself, and what is not is encoded by a small vocabulary. Pieces are of the vocabulary and inside the text. */
#include "embeddings/wordpiece.h"
#include "tests/fuzz/pieces.h"

static const char SMALL[] =
    "{\"added_tokens\": [{\"id\": 5, \"content\": \"[a]\", \"lstrip\": true, \"rstrip\": true, \"single_word\": true},"
    "{\"id\": 6, \"content\": \"<b>\", \"normalized\": true, \"lstrip\": true, \"rstrip\": true}],"
    "\"normalizer\": {\"type\": \"BertNormalizer\"}, \"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"},"
    "\"model\": {\"vocab\": {\"[UNK]\": 0, \"a\": 1, \"##a\": 2, \"##ab\": 3, \"o\": 4}}}";

static void encode(const WordPiece *w, StrView text)
{
    FREED(pieces_fini) Pieces p = { 0 };
    Error e = { 0 };
    require(wordpiece_encode(w, text, &p, &e) == OK);
    check_pieces(&p, w->n, text.len);
    for (int k = 1; k < p.n; k++) require(p.p[k].end >= p.p[k - 1].begin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FREED(wordpiece_fini) WordPiece w;
    Error e = { 0 };
    FREED(fuzz_unlink) FuzzFile file = fuzz_file(data, size, 0), small = fuzz_file(SMALL, sizeof SMALL - 1, 1);
    if (!accepted(wordpiece_read_json(&w, file.path, &e), &e)) {
        e = (Error){ 0 };
        require(wordpiece_read_json(&w, small.path, &e) == OK);
    }
    encode(&w, fuzz_text(data, size));
    return 0;
}
