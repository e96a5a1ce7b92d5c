/* Viterbi search over places of the text, forward for the scores, backward for the pieces. */
#include "embeddings/unigram.h"

int unigram_find(const Unigram *unigram, StrView piece)
{
    int id = piece_trie_find(&unigram->reserved, piece);
    if (id < 0) id = piece_trie_find(&unigram->match, piece);
    return id < 0 ? unigram->unknown : id;
}

/* ---- the best pieces */

/* The best way to the end of a prefix of the text. */
typedef struct Best {
    float score;
    int id, from; /* its last piece, and where that begins; from -1: no way yet */
} Best;

static void better(Best *b, double score, int id, int from)
{
    if (b->from >= 0 && !(score > (double)b->score)) return;
    *b = (Best){ (float)score, id, from };
}

/* Bytes of the character at the beginning of s. */
static size_t char_length(StrView s)
{
    static const unsigned char by_bits[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4 };
    size_t n = by_bits[(unsigned char)s.ptr[0] >> 4];
    return n < s.len ? n : s.len;
}

/* All pieces that begin at `from`. A user-defined piece is preferred to any pieces of the same length. */
static void extend(const Unigram *u, StrView text, int from, Best *best)
{
    StrView rest = { text.ptr + from, text.len - (size_t)from };
    size_t one = char_length(rest);
    TrieState s = piece_trie_start(&u->match);
    bool single = false;
    for (size_t n = 1; n <= rest.len && piece_trie_step(&u->match, &s, (unsigned char)rest.ptr[n - 1]); n++) {
        int id = piece_trie_value(&u->match, s);
        if (id < 0 || u->piece[id].type == UNIGRAM_UNUSED) continue;
        float before = best[from].score;
        double score = u->piece[id].type == UNIGRAM_USER ? (double)((float)n * u->max_score) - 0.1 + (double)before
                                                         : (double)u->piece[id].score + (double)before;
        better(&best[from + (int)n], score, id, from);
        single |= n == one;
    }
    if (!single) better(&best[from + (int)one], (double)(u->unknown_score + best[from].score), u->unknown, from);
}

/* Fills best [text.len + 1], and turns it around: best[from].id is the piece that begins at `from` on the best way,
 * and best[from].from where it ends. */
static void viterbi(const Unigram *u, StrView text, Best *best)
{
    for (size_t k = 0; k <= text.len; k++) best[k] = (Best){ 0, -1, -1 };
    for (size_t from = 0; from < text.len; from += char_length((StrView){ text.ptr + from, text.len - from }))
        extend(u, text, (int)from, best);
    Best next = best[text.len];
    for (int end = (int)text.len; end > 0;) {
        int from = next.from;
        Best here = best[from];
        best[from] = (Best){ 0, next.id, end };
        next = here;
        end = from;
    }
}

/* ---- pieces */

static Status add_bytes(const Unigram *u, StrView text, int begin, int end, Pieces *out, Error *e)
{
    Status s = OK;
    for (size_t k = 0; k < text.len && s == OK; k++) {
        int id = u->byte_id[(unsigned char)text.ptr[k]];
        s = pieces_add(out, id, begin, k + 1 < text.len ? begin : end, u->piece[id].text, e);
    }
    return s;
}

static Status add_pieces(const Unigram *u, const UnigramText *t, const Best *best, Pieces *out, Error *e)
{
    Status s = OK;
    bool after_unknown = false;
    int size = (int)t->text.len;
    for (int from = 0, end; from < size && s == OK; from = end) {
        end = best[from].from;
        StrView text = { t->text.ptr + from, (size_t)(end - from) };
        bool unknown = best[from].id == u->unknown;
        if (unknown && u->byte_fallback) s = add_bytes(u, text, t->place[from], t->place[end], out, e);
        else if (unknown && after_unknown) { /* the text of the last piece is at the end of out->text */
            Piece *last = &out->p[out->n - 1];
            strbuf_add(&out->text, text.ptr, text.len);
            if (out->text.failed) s = error_set(e, ERR_NOMEM, "out of memory for pieces of words");
            last->text_len += (int)text.len;
            last->end = t->place[end];
        } else s = pieces_add(out, best[from].id, t->place[from], t->place[end], text, e);
        after_unknown = unknown;
    }
    return s;
}

static Status encode(const Unigram *u, const UnigramNormalizer *z, StrView text, Pieces *out, Error *e)
{
    UnigramText t = { 0 };
    Best *best = NULL;
    Status s = unigram_normalize(z, text, &t, e);
    if (s == OK && t.text.len) {
        best = mem_alloc(t.text.len + 1, sizeof *best);
        if (!best) s = error_set(e, ERR_NOMEM, "out of memory for pieces of words");
        if (best) viterbi(u, (StrView){ t.text.ptr, t.text.len }, best);
        if (best) s = add_pieces(u, &t, best, out, e);
    }
    mem_free(best);
    unigram_text_fini(&t);
    return s;
}

Status unigram_encode(const Unigram *unigram, StrView text, Pieces *out, Error *error)
{
    return encode(unigram, &unigram->normalizer, text, out, error);
}

Status unigram_encode_glued(const Unigram *unigram, StrView text, Pieces *out, Error *error)
{
    UnigramNormalizer glued = unigram->normalizer; /* borrows */
    glued.prefix = false;
    return encode(unigram, &glued, text, out, error);
}
