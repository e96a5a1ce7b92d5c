/* Three tries: pieces that begin a word, pieces that continue one, and added pieces, which
 * are found before the text is cut. */
#include "embeddings/wordpiece.h"

#include <string.h>
#include <utf8proc.h>

/* ---- building */

void wordpiece_init(WordPiece *pieces)
{
    *pieces = (WordPiece){ .unknown = -1, .max_chars = 100 };
    arena_init(&pieces->arena, 1 << 16);
}

void wordpiece_fini(WordPiece *pieces)
{
    piece_trie_fini(&pieces->pieces);
    piece_trie_fini(&pieces->plain);
    piece_trie_fini(&pieces->normal);
    mem_free_each(pieces->piece, pieces->added);
    arena_fini(&pieces->arena);
    *pieces = (WordPiece){ 0 };
}

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory for a vocabulary of pieces"); }

Status wordpiece_set_piece(WordPiece *pieces, int id, const char *text, size_t len, Error *error)
{
    if (id < 0 || id >= PIECES_MOST) return ERR_RANGE;
    const char *copy = arena_strndup(&pieces->arena, text, len);
    if (!copy || !mem_reserve(pieces->piece, &pieces->cap, id + 1)) return no_memory(error);
    while (pieces->n <= id) pieces->piece[pieces->n++] = (StrView){ NULL, 0 };
    pieces->piece[id] = (StrView){ copy, len };
    return OK;
}

Status wordpiece_add(WordPiece *pieces, AddedPiece piece, Error *error)
{
    if (piece.text.len > WORDPIECE_MOST_ADDED_BYTES)
        return error_set(error, ERR_LIMIT, "found an added piece of %zu bytes, expected at most %d", piece.text.len,
                         WORDPIECE_MOST_ADDED_BYTES);
    const char *copy = arena_strndup(&pieces->arena, piece.text.ptr, piece.text.len);
    if (!copy) return no_memory(error);
    piece.text.ptr = copy;
    for (int k = 0; k < pieces->n_added; k++)
        if (pieces->added[k].text.len == piece.text.len &&
            memcmp(pieces->added[k].text.ptr, copy, piece.text.len) == 0) {
            pieces->added[k] = piece;
            return OK;
        }
    if (pieces->n_added == WORDPIECE_MOST_ADDED)
        return error_set(error, ERR_LIMIT, "found more than %d added pieces", WORDPIECE_MOST_ADDED);
    if (!mem_reserve(pieces->added, &pieces->cap_added, pieces->n_added + 1)) return no_memory(error);
    pieces->added[pieces->n_added++] = piece;
    return OK;
}

Status wordpiece_index(WordPiece *pieces, const char *prefix, int *twice, Error *error)
{
    TrieKey *key = mem_alloc((size_t)pieces->n + 1, sizeof *key);
    int n = 0;
    if (!key) return no_memory(error);
    for (int id = 0; id < pieces->n; id++)
        if (pieces->piece[id].ptr) key[n++] = (TrieKey){ pieces->piece[id], id };
    Status s = piece_trie_init(&pieces->pieces, key, n, twice, error);
    mem_free(key);
    if (s != OK) return s;
    pieces->prefix = arena_strndup(&pieces->arena, prefix, strlen(prefix));
    if (!pieces->prefix) return no_memory(error);
    pieces->inside = piece_trie_start(&pieces->pieces);
    for (; *prefix; prefix++)
        if (!piece_trie_step(&pieces->pieces, &pieces->inside, (unsigned char)*prefix)) {
            pieces->inside = (TrieState){ 0, 0, 1 }; /* no piece continues a word */
            break;
        }
    return OK;
}

static Status make_added(WordPiece *w, bool normalized, PieceTrie *t, Error *e)
{
    TrieKey *key = mem_alloc((size_t)w->n_added + 1, sizeof *key);
    PlacedText text = { 0 };
    int n = 0;
    Status s = key ? OK : no_memory(e);
    for (int k = 0; k < w->n_added && s == OK; k++) {
        const AddedPiece *a = &w->added[k];
        if (a->normalized != normalized) continue;
        key[n] = (TrieKey){ a->text, k };
        if (normalized) { /* sought as the text is normalised */
            s = bert_text_normalize(&w->rules, a->text, 0, a->text.len, &text, e);
            if (s != OK || text.text.len == 0) continue;
            key[n].text.len = text.text.len;
            key[n].text.ptr = arena_strndup(&w->arena, text.text.ptr, text.text.len);
            if (!key[n].text.ptr) s = no_memory(e);
        }
        n++;
    }
    if (s == OK) s = piece_trie_init(t, key, n, NULL, e);
    placed_text_fini(&text);
    mem_free(key);
    return s;
}

Status wordpiece_index_added(WordPiece *pieces, Error *error)
{
    Status s = make_added(pieces, false, &pieces->plain, error);
    return s == OK ? make_added(pieces, true, &pieces->normal, error) : s;
}

/* ---- a word */

static bool longer_than(StrView word, int chars)
{
    for (size_t i = 0; i < word.len; i++) chars -= (word.ptr[i] & 0xC0) != 0x80;
    return chars < 0;
}

/* `word` is inside the normalised text t. */
static Status encode_word(const WordPiece *w, const PlacedText *t, StrView word, Pieces *out, Error *e)
{
    const int *begin = t->begin + (word.ptr - t->text.ptr), *end = t->end + (word.ptr - t->text.ptr);
    int before = out->n;
    size_t text_before = out->text.len, used = 0;
    bool known = !longer_than(word, w->max_chars);
    for (size_t at = 0; at < word.len && known; at += used) {
        StrView rest = { word.ptr + at, word.len - at };
        int id = piece_trie_longest(&w->pieces, at ? w->inside : piece_trie_start(&w->pieces), rest, &used);
        known = id >= 0;
        Status s = known ? pieces_add(out, id, begin[at], end[at + used - 1], w->piece[id], e) : OK;
        if (s != OK) return s;
    }
    if (known) return OK;
    out->n = before;
    strbuf_cut(&out->text, text_before);
    return pieces_add(out, w->unknown, begin[0], end[word.len - 1], w->piece[w->unknown], e);
}

/* ---- added pieces */

/* A character of a word for single_word: letters, marks, digits, connectors (UTS #18, \w). */
static bool is_word_char(int32_t cp)
{
    switch (utf8proc_category(cp)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC: return true;
    default: /* joiners; letters in circles and squares */
        return cp == 0x200C || cp == 0x200D || (cp >= 0x24B6 && cp <= 0x24E9) || (cp >= 0x1F130 && cp <= 0x1F149) ||
               (cp >= 0x1F150 && cp <= 0x1F169) || (cp >= 0x1F170 && cp <= 0x1F189);
    }
}

/* The beginning of the character that ends at `at` > 0. */
static size_t char_before(StrView text, size_t at)
{
    for (at--; at > 0 && (text.ptr[at] & 0xC0) == 0x80;) at--;
    return at;
}

static bool alone(StrView text, size_t begin, size_t end)
{
    size_t before = begin ? char_before(text, begin) : 0, after = end;
    if (begin && is_word_char(utf8_next(text.ptr, text.len, &before))) return false;
    return end == text.len || !is_word_char(utf8_next(text.ptr, text.len, &after));
}

/* An added piece found in a text: bytes [begin .. end), with the white space that it takes. */
typedef struct Found {
    const AddedPiece *piece;
    size_t begin, end;
} Found;

/* The first added piece at or after `at`, the longest one there. `free_from`: the end of the one before. */
static bool next_added(const WordPiece *w, const PieceTrie *t, StrView text, size_t free_from, Found *f)
{
    for (size_t at = free_from, used; at < text.len; at++) {
        if (t->first[(unsigned char)text.ptr[at]] == t->first[(unsigned char)text.ptr[at] + 1]) continue;
        int k = piece_trie_longest(t, piece_trie_start(t), (StrView){ text.ptr + at, text.len - at }, &used);
        if (k < 0) continue;
        *f = (Found){ &w->added[k], at, at + used };
        if (f->piece->single_word && !alone(text, at, at + used)) {
            at += used - 1; /* what it covers is not searched again */
            continue;
        }
        for (size_t i; f->piece->lstrip && f->begin > free_from; f->begin = i) {
            size_t next = i = char_before(text, f->begin);
            if (!bert_text_is_space(utf8_next(text.ptr, text.len, &next))) break;
        }
        for (size_t next = f->end; f->piece->rstrip && f->end < text.len; f->end = next)
            if (!bert_text_is_space(utf8_next(text.ptr, text.len, &next))) break;
        return true;
    }
    return false;
}

/* f, without white space at both ends if places do not count it. */
static Found place_of(const WordPiece *w, StrView text, const Found *f)
{
    Found p = *f;
    for (size_t next = p.begin; w->trim && p.begin < p.end; p.begin = next)
        if (!bert_text_is_space(utf8_next(text.ptr, text.len, &next))) break;
    for (size_t i; w->trim && p.begin < p.end; p.end = i) {
        size_t next = i = char_before(text, p.end);
        if (!bert_text_is_space(utf8_next(text.ptr, text.len, &next))) break;
    }
    return p.begin < p.end ? p : *f;
}

static Status add_found(const Found *f, StrView text, int begin, int end, Pieces *out, Error *e)
{
    return pieces_add(out, f->piece->id, begin, end, (StrView){ text.ptr + f->begin, f->end - f->begin }, e);
}

/* ---- a text */

static Status encode_words(const WordPiece *w, const PlacedText *t, size_t from, size_t to, Pieces *out, Error *e)
{
    StrView word, part = { t->text.ptr, to };
    Status s = OK;
    while (s == OK && bert_text_word(part, &from, &word)) s = encode_word(w, t, word, out, e);
    return s;
}

/* Bytes [from .. to) of `text`, which have no added piece of the text as it is. */
static Status encode_part(const WordPiece *w, StrView text, size_t from, size_t to, PlacedText *t, Pieces *out,
                          Error *e)
{
    Status s = bert_text_normalize(&w->rules, text, from, to, t, e);
    size_t at = 0;
    StrView normal = { t->text.ptr, t->text.len };
    for (Found f; s == OK && w->normal.n && next_added(w, &w->normal, normal, at, &f); at = f.end) {
        s = encode_words(w, t, at, f.begin, out, e);
        Found p = place_of(w, normal, &f);
        if (s == OK) s = add_found(&f, normal, t->begin[p.begin], t->end[p.end - 1], out, e);
    }
    return s == OK ? encode_words(w, t, at, normal.len, out, e) : s;
}

Status wordpiece_encode(const WordPiece *pieces, StrView text, Pieces *out, Error *error)
{
    PlacedText t = { 0 };
    Status s = OK;
    size_t at = 0;
    if (text.len > PIECES_MOST_TEXT)
        return error_set(error, ERR_LIMIT, "found a text of %zu bytes, expected at most %d", text.len,
                         PIECES_MOST_TEXT);
    for (Found f; s == OK && pieces->plain.n && next_added(pieces, &pieces->plain, text, at, &f); at = f.end) {
        s = encode_part(pieces, text, at, f.begin, &t, out, error);
        Found p = place_of(pieces, text, &f);
        if (s == OK) s = add_found(&f, text, (int)p.begin, (int)p.end, out, error);
    }
    if (s == OK) s = encode_part(pieces, text, at, text.len, &t, out, error);
    placed_text_fini(&t);
    return s;
}
