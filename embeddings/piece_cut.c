/* Counts the pieces that the words of a text have, keeps those with enough, single
 * characters and special pieces, and builds the smaller tokenizer of them. */
#include "embeddings/piece_cut.h"

#include <limits.h>
#include <utf8proc.h>

#include "base/protobuf.h"
#include "embeddings/xlmr_words.h"

static Status no_memory(Error *e)
{
    return error_set(e, ERR_NOMEM, "out of memory for a smaller vocabulary of pieces");
}

/* ---- which pieces a text has */

typedef struct Counter {
    const PieceTokenizer *tokenizer;
    int *times; /* [piece_tokenizer_size] */
    Pieces scratch;
} Counter;

static Status count(Counter *c, StrView word, Error *e)
{
    pieces_clear(&c->scratch);
    Status s = piece_tokenizer_encode_word(c->tokenizer, word, &c->scratch, e);
    for (int k = 0; k < c->scratch.n && s == OK; k++) {
        int *times = &c->times[c->scratch.p[k].id];
        *times += *times < INT_MAX;
    }
    return s;
}

/* Letters, marks and digits. */
static bool is_word_char(int32_t cp)
{
    utf8proc_category_t c = utf8proc_category(cp);
    return c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_NO;
}

/* The parts of a word, unless it is one. */
static Status count_parts(Counter *c, StrView word, Error *e)
{
    Status s = OK;
    for (size_t from = 0, at = 0; from < word.len && s == OK; from = at) {
        bool run = is_word_char(utf8_next(word.ptr, word.len, &at));
        for (size_t next = at; run && at < word.len; at = next)
            if (!is_word_char(utf8_next(word.ptr, word.len, &next))) break;
        if (at - from < word.len) s = count(c, (StrView){ word.ptr + from, at - from }, e);
    }
    return s;
}

static Status count_words(Counter *c, StrView text, Error *e)
{
    Status s = OK;
    for (size_t at = 0, end, next; at < text.len && s == OK; at = next) {
        for (end = next = at; next < text.len; end = next)
            if (utf8_is_space(utf8_next(text.ptr, text.len, &next))) break;
        StrView word = { text.ptr + at, end - at };
        if (word.len) s = count(c, word, e);
        if (s == OK && c->tokenizer->kind != TOKENIZER_WORDPIECE) s = count_parts(c, word, e);
    }
    return s;
}

/* ---- pieces that are kept in any case */

/* A single character that a text can have there. */
static bool is_character(const PieceTokenizer *t, StrView piece)
{
    const WordPiece *w = t->kind == TOKENIZER_WORDPIECE ? &t->wordpiece : NULL;
    const char *prefix = w ? w->prefix : "\xE2\x96\x81";
    size_t n = strlen(prefix), at = 0;
    bool after = piece.len > n && memcmp(piece.ptr, prefix, n) == 0;
    if (after) piece = (StrView){ piece.ptr + n, piece.len - n };
    int32_t cp = utf8_next(piece.ptr, piece.len, &at);
    return at == piece.len && !(w && after && w->rules.chinese && bert_text_is_ideograph(cp));
}

static void keep_wordpiece(const WordPiece *w, bool *keep)
{
    for (int k = 0; k < w->n_added; k++) keep[w->added[k].id] = true;
}

/* The id of piece `index` of a SentencePiece model. */
static int unigram_id(const PieceTokenizer *t, int index)
{
    return t->kind == TOKENIZER_XLMR ? xlmr_words_id(index) : index;
}

static void keep_unigram(const PieceTokenizer *t, bool *keep)
{
    const Unigram *u = &t->unigram;
    int low = u->unknown, high = u->unknown;
    for (int k = 0; k < u->n; k++) {
        const UnigramPiece *p = &u->piece[k];
        if (p->type != UNIGRAM_NORMAL && p->type != UNIGRAM_UNUSED) keep[unigram_id(t, k)] = true;
        if (p->type != UNIGRAM_NORMAL) continue;
        if (low == u->unknown || p->score < u->piece[low].score) low = k;
        if (high == u->unknown || p->score > u->piece[high].score) high = k;
    }
    keep[unigram_id(t, low)] = keep[unigram_id(t, high)] = true;
    for (int id = 0; t->kind == TOKENIZER_XLMR && id < xlmr_words_size(u); id++) /* <pad>, <mask> */
        keep[id] |= xlmr_words_index(u, id) < 0;
}

/* Fills cut->kept. keep [piece_tokenizer_size] is false at first. */
static void choose(const PieceTokenizer *t, const int *times, int least, bool *keep, PieceCut *cut)
{
    keep[t->first] = keep[t->last] = keep[t->unknown] = true;
    if (t->kind == TOKENIZER_WORDPIECE) keep_wordpiece(&t->wordpiece, keep);
    else keep_unigram(t, keep);
    for (int id = 0; id < piece_tokenizer_size(t); id++) {
        StrView piece = piece_tokenizer_piece(t, id);
        if (piece.ptr && (keep[id] || times[id] >= least || is_character(t, piece))) cut->kept[cut->n++] = id;
    }
}

Status piece_cut_choose(const PieceTokenizer *tokenizer, StrView text, int least, PieceCut *cut, Error *error)
{
    size_t n = (size_t)piece_tokenizer_size(tokenizer);
    Counter c = { .tokenizer = tokenizer, .times = mem_calloc(n, sizeof *c.times) };
    bool *keep = mem_calloc(n, sizeof *keep);
    *cut = (PieceCut){ .kept = mem_alloc(n, sizeof *cut->kept) };
    Status s;
    if (c.times && keep && cut->kept) {
        s = count_words(&c, text, error);
        if (s == OK) choose(tokenizer, c.times, least, keep, cut);
    } else s = no_memory(error);
    pieces_fini(&c.scratch);
    mem_free_each(c.times, keep);
    return s;
}

void piece_cut_fini(PieceCut *cut)
{
    mem_free(cut->kept);
    *cut = (PieceCut){ 0 };
}

/* ---- the smaller tokenizer */

static int new_id(const PieceCut *cut, int id)
{
    int low = 0;
    for (int high = cut->n; low < high;) {
        int middle = low + (high - low) / 2;
        if (cut->kept[middle] < id) low = middle + 1;
        else high = middle;
    }
    return low < cut->n && cut->kept[low] == id ? low : -1;
}

static Status cut_wordpiece(const WordPiece *from, const PieceCut *cut, WordPiece *to, Error *e)
{
    wordpiece_init(to);
    to->rules = from->rules;
    to->max_chars = from->max_chars;
    to->trim = from->trim;
    to->unknown = new_id(cut, from->unknown);
    Status s = OK;
    for (int later = 0; later < 2 && s == OK; later++) { /* added pieces that are no pieces of words are set later */
        for (int k = 0; k < cut->n && s == OK; k++) {
            StrView piece = from->piece[cut->kept[k]];
            if ((piece_trie_find(&from->pieces, piece) < 0) == later)
                s = wordpiece_set_piece(to, k, piece.ptr, piece.len, e);
        }
        if (s == OK && !later) s = wordpiece_index(to, from->prefix, NULL, e);
    }
    for (int k = 0; k < from->n_added && s == OK; k++) {
        AddedPiece added = from->added[k];
        added.id = new_id(cut, added.id);
        s = wordpiece_add(to, added, e);
    }
    return s == OK ? wordpiece_index_added(to, e) : s;
}

/* The model file without the pieces that are not kept. */
static Status cut_unigram(const PieceTokenizer *from, const PieceCut *cut, PieceTokenizer *to, Error *e)
{
    const Unigram *u = &from->unigram;
    Protobuf p = protobuf_file((StrView){ u->file.ptr, u->file.len }, "tokenizer");
    ProtobufField f;
    StrBuf file = { 0 };
    bool more;
    int index = 0;
    size_t begin = 0;
    Status s = protobuf_next(&p, &f, &more, e);
    for (; s == OK && more; begin = p.at, s = protobuf_next(&p, &f, &more, e)) {
        int id = f.number == 1 ? unigram_id(from, index++) : -1;
        if (id < 0 || new_id(cut, id) >= 0) strbuf_add(&file, u->file.ptr + begin, p.at - begin);
    }
    if (s == OK && file.failed) s = no_memory(e);
    if (s == OK) s = unigram_parse(&to->unigram, (StrView){ file.ptr, file.len }, "tokenizer", e);
    strbuf_fini(&file);
    return s;
}

Status piece_cut_tokenizer(const PieceTokenizer *from, const PieceCut *cut, PieceTokenizer *to, Error *error)
{
    *to = (PieceTokenizer){ .kind = from->kind,
                            .first = new_id(cut, from->first),
                            .last = new_id(cut, from->last),
                            .unknown = new_id(cut, from->unknown) };
    Status s = from->kind == TOKENIZER_WORDPIECE ? cut_wordpiece(&from->wordpiece, cut, &to->wordpiece, error)
                                                 : cut_unigram(from, cut, to, error);
    if (s != OK) piece_tokenizer_close(to);
    return s;
}
