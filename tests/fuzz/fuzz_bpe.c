/* Any vocabulary of subwords, before a line "=", is read or refused with a line; what is read
 * encodes the text after that line. Subwords can be learnt of any text, and bpe_check accepts them. Pieces cover all
 * but white space, and decoded they are the words of the text, unless it has unknown characters or U+2581. */
#include "embeddings/bpe.h"
#include "embeddings/token_embedding.h"
#include "tests/fuzz/pieces.h"

/* The first byte from `at` on that is no white space; *blank: it is not `at`. */
static size_t skip_space(StrView text, size_t at, bool *blank)
{
    *blank = false;
    for (size_t next = at; at < text.len; at = next) {
        if (!utf8_is_space(utf8_next(text.ptr, text.len, &next))) break;
        *blank = true;
    }
    return at;
}

/* Checks the places of pieces, and puts the text that they cover, with a blank for white space between two. */
static void put_covered(StrView text, const Pieces *p, StrBuf *out)
{
    size_t end = 0;
    bool blank;
    for (int k = 0; k < p->n; k++) {
        size_t begin = (size_t)p->p[k].begin;
        require(begin == skip_space(text, end, &blank));
        if (blank && out->len) strbuf_putc(out, ' ');
        end = (size_t)p->p[k].end;
        strbuf_add(out, text.ptr + begin, end - begin);
    }
    require(skip_space(text, end, &blank) == text.len);
}

static void encode(const Vocab *v, StrView text)
{
    FREED(pieces_fini) Pieces p = { 0 };
    FREED(strbuf_fini) StrBuf covered = { 0 }, decoded = { 0 };
    Error e = { 0 };
    require(bpe_encode(v, text, &p, &e) == OK);
    check_pieces(&p, vocab_size(v), text.len);
    put_covered(text, &p, &covered);
    FREED(free_pointer) int *ids = malloc(((size_t)p.n + 1) * sizeof *ids);
    bool known = !covered.ptr || !strstr(covered.ptr, "\u2581");
    for (int k = 0; k < p.n; k++) {
        ids[k] = p.p[k].id;
        known = known && ids[k] != TOKEN_UNKNOWN;
    }
    bpe_decode(v, ids, p.n, &decoded);
    if (known) require_equal(&decoded, &covered);
}

static void learn(StrView text)
{
    static const char *const reserved[N_RESERVED] = { "<START>", "<STOP>", "<UNK>" };
    MADE(Vocab, vocab_init, vocab_fini, units);
    MADE(Vocab, vocab_init, vocab_fini, v);
    Error e = { 0 };
    for (int k = 0; k < N_RESERVED; k++) require(vocab_count(&v, reserved[k], strlen(reserved[k]), 1) == k);
    require(bpe_count(text, &units, &e) == OK);
    require(bpe_learn(&units, 1000, &v, &e) == OK && bpe_check(&v, "learnt", &e) == OK);
    encode(&v, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    StrView text, file = fuzz_cut(fuzz_text(data, size), &text);
    MADE(Vocab, vocab_init, vocab_fini, v);
    Error e = { 0 };
    if (accepted(vocab_read(&v, file, "fuzz", &e), &e)) {
        Status s = bpe_check(&v, "fuzz", &e);
        require(s == OK || e.line > 0);
        if (accepted(s, &e)) encode(&v, text);
    }
    learn(text);
    return 0;
}
