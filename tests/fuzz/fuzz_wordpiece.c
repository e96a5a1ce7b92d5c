/* tests/fuzz/fuzz_wordpiece.c: any tokenizer.json is read or refused with a message; what is read encodes the input
 * itself, and what is not is encoded by a small vocabulary. Pieces are of the vocabulary and inside the text. */
#define _POSIX_C_SOURCE 200809L
#include "embeddings/wordpiece.h"
#include "tests/fuzz/file.h"

static const char SMALL[] =
    "{\"added_tokens\": [{\"id\": 5, \"content\": \"[a]\", \"lstrip\": true, \"rstrip\": true, \"single_word\": true},"
    "{\"id\": 6, \"content\": \"<b>\", \"normalized\": true, \"lstrip\": true, \"rstrip\": true}],"
    "\"normalizer\": {\"type\": \"BertNormalizer\"}, \"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"},"
    "\"model\": {\"vocab\": {\"[UNK]\": 0, \"a\": 1, \"##a\": 2, \"##ab\": 3, \"o\": 4}}}";

static void encode(const WordPiece *w, const uint8_t *data, size_t size)
{
    Pieces p = { 0 };
    Error e = { 0 };
    int before = 0;
    if (wordpiece_encode(w, (StrView){ (const char *)data, size }, &p, &e) != OK) abort();
    for (int k = 0; k < p.n; k++) {
        const Piece *x = &p.p[k];
        if (x->id < 0 || x->id >= w->n || x->begin < 0 || x->begin > x->end || (size_t)x->end > size) abort();
        if (x->end < before) abort();
        before = x->begin;
        (void)pieces_text(&p, k);
    }
    pieces_fini(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    WordPiece w;
    Error e = { 0 };
    FuzzFile file = fuzz_file(data, size, 0);
    Status s = wordpiece_read_json(&w, file.path, &e);
    unlink(file.path);
    if (s != OK) {
        if (!e.message[0]) abort();
        e = (Error){ 0 };
        file = fuzz_file(SMALL, sizeof SMALL - 1, 1);
        if (wordpiece_read_json(&w, file.path, &e) != OK) abort();
        unlink(file.path);
    }
    encode(&w, data, size);
    wordpiece_fini(&w);
    return 0;
}
