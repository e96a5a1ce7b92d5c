/* Units, encoding and decoding; bpe_learn.c learns. */
#include "embeddings/bpe.h"

#include <utf8proc.h>

#include "embeddings/bpe_symbols.h"
#include "embeddings/token_embedding.h"

static const char WORD_MARK[] = "\xE2\x96\x81", UNKNOWN_MARK[] = "\xE2\x81\x87"; /* U+2581, U+2047 */
enum { WORD_MARK_LEN = 3 };

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory for subwords"); }

/* ---- units */

/* Unicode's categories L and N. */
static bool is_letter_or_number(int32_t cp)
{
    if (cp < 128) return utf8_is_letter(cp) || utf8_is_digit(cp);
    utf8proc_category_t c = utf8proc_category(cp);
    return utf8_wide_is_letter(cp) || (c >= UTF8PROC_CATEGORY_ND && c <= UTF8PROC_CATEGORY_NO);
}

static size_t unit_end(StrView text, size_t at)
{
    bool run = is_letter_or_number(utf8_next(text.ptr, text.len, &at));
    for (size_t next = at; run && at < text.len; at = next)
        if (!is_letter_or_number(utf8_next(text.ptr, text.len, &next))) break;
    return at;
}

Status bpe_units(StrView line, Pieces *out, Error *error)
{
    if (line.len > PIECES_MOST_TEXT)
        return error_set(error, ERR_LIMIT, "found a text of %zu bytes, expected at most %d", line.len,
                         PIECES_MOST_TEXT);
    StrBuf text = { 0 };
    Status s = OK;
    bool first = true;
    for (size_t at = 0, end; at < line.len && s == OK; at = end) {
        end = at;
        if (utf8_is_space(utf8_next(line.ptr, line.len, &end))) {
            first = true;
            continue;
        }
        end = unit_end(line, at);
        strbuf_clear(&text);
        strbuf_puts(&text, first ? WORD_MARK : "");
        strbuf_add(&text, line.ptr + at, end - at);
        s = text.failed ? no_memory(error)
                        : pieces_add(out, -1, (int)at, (int)end, (StrView){ text.ptr, text.len }, error);
        first = false;
    }
    strbuf_fini(&text);
    return s;
}

Status bpe_count(StrView line, Vocab *units, Error *error)
{
    Pieces p = { 0 };
    Status s = bpe_units(line, &p, error);
    for (int k = 0; k < p.n && s == OK; k++) {
        StrView unit = pieces_text(&p, k);
        const char *fault;
        if (text_fault(unit, &fault) < unit.len) continue;
        if (vocab_count(units, unit.ptr, unit.len, 1) < 0) s = no_memory(error);
    }
    pieces_fini(&p);
    return s;
}

/* ---- encoding */

typedef struct Encoder {
    const Vocab *pieces;
    int limit;       /* pieces from this one on are not used */
    Symbols symbols; /* of one unit */
    SymbolHeap heap; /* of the symbols that make a piece with the next one, by -piece, the earlier place first */
} Encoder;

static void encoder_fini(Encoder *x) { mem_free_each(x->symbols.p, x->heap.p); }

/* The piece with this text, or NO_PAIR. */
static int piece_of(const Encoder *x, StrView text)
{
    int k = map_find(&x->pieces->map, text.ptr, text.len);
    return k >= N_RESERVED && k < x->limit ? k : NO_PAIR;
}

/* Finds the piece that a symbol makes with the next one. false: out of memory. */
static bool offer_pair(Encoder *x, StrView unit, int k)
{
    if (k < 0) return true;
    Symbol *symbol = &x->symbols.p[k];
    symbol->pair = symbol->next < 0 ? NO_PAIR : piece_of(x, symbols_pair_text(&x->symbols, unit, k));
    return symbol->pair == NO_PAIR || symbol_heap_push(&x->heap, (SymbolHeapItem){ -(int64_t)symbol->pair, k });
}

/* Leaves the pieces of a unit as symbols, each reached from the one before it, the first is 0. false: out of memory. */
static bool encode_unit(Encoder *x, StrView unit)
{
    Symbols *s = &x->symbols;
    s->n = x->heap.n = 0;
    if (!symbols_add(s, unit)) return false;
    for (int k = 0; k < s->n; k++)
        if (!offer_pair(x, unit, k)) return false;
    while (x->heap.n) {
        SymbolHeapItem first = symbol_heap_pop(&x->heap);
        int k = first.value;
        if (s->p[k].pair != -first.key) continue; /* one of the two has become part of another symbol */
        symbols_join(s, k);
        if (!offer_pair(x, unit, k) || !offer_pair(x, unit, s->p[k].previous)) return false;
    }
    return true;
}

static int less_mark(int place, int mark) { return place < mark ? 0 : place - mark; }

/* The pieces of unit k. */
static Status add_pieces(Encoder *x, const Pieces *units, int k, Pieces *out, Error *e)
{
    StrView unit = pieces_text(units, k);
    int begin = units->p[k].begin, mark = (int)unit.len - (units->p[k].end - begin);
    Status s = encode_unit(x, unit) ? OK : no_memory(e);
    for (int i = 0; i >= 0 && s == OK; i = x->symbols.p[i].next) {
        const Symbol *symbol = &x->symbols.p[i];
        int id = piece_of(x, (StrView){ unit.ptr + symbol->begin, (size_t)(symbol->end - symbol->begin) });
        if (id == NO_PAIR) id = TOKEN_UNKNOWN;
        const char *text = vocab_text(x->pieces, id);
        s = pieces_add(out, id, begin + less_mark(symbol->begin, mark), begin + less_mark(symbol->end, mark),
                       (StrView){ text, strlen(text) }, e);
    }
    return s;
}

Status bpe_encode(const Vocab *pieces, StrView line, Pieces *out, Error *error)
{
    Encoder x = { .pieces = pieces, .limit = vocab_size(pieces) };
    Pieces units = { 0 };
    Status s = bpe_units(line, &units, error);
    for (int k = 0; k < units.n && s == OK; k++) s = add_pieces(&x, &units, k, out, error);
    pieces_fini(&units);
    encoder_fini(&x);
    return s;
}

/* ---- decoding */

void bpe_decode(const Vocab *pieces, const int *ids, int n, StrBuf *out)
{
    bool begins = true;
    for (int k = 0; k < n; k++) {
        const char *text = ids[k] == TOKEN_UNKNOWN ? UNKNOWN_MARK : vocab_text(pieces, ids[k]);
        if (ids[k] == TOKEN_START || ids[k] == TOKEN_STOP) continue;
        for (bool mark; *text; text += mark ? WORD_MARK_LEN : 1, begins = false) {
            mark = strncmp(text, WORD_MARK, WORD_MARK_LEN) == 0;
            if (!mark || !begins) strbuf_putc(out, mark ? ' ' : *text);
        }
    }
}

/* ---- vocabularies of files */

/* What is wrong with the text of a piece; NULL: it may be of one unit. */
static const char *text_wrong(StrView text)
{
    const char *fault;
    size_t from = text.len > WORD_MARK_LEN && memcmp(text.ptr, WORD_MARK, WORD_MARK_LEN) == 0 ? WORD_MARK_LEN : 0;
    if (!text.len) return "a piece";
    if (text_fault(text, &fault) < text.len) return "UTF-8";
    for (size_t at = 0; at < text.len;)
        if (utf8_is_space(utf8_next(text.ptr, text.len, &at))) return "a piece without blanks";
    return unit_end(text, from) < text.len ? "letters and digits, or one other character" : NULL;
}

/* Checks value k, which follows only characters if `characters`; this becomes false at the first pair. */
static Status check_piece(Encoder *x, int k, bool *characters, const char *path, Error *e)
{
    StrView text = { vocab_text(x->pieces, k), strlen(vocab_text(x->pieces, k)) };
    int shown = utf8_first(text.ptr, 40);
    const char *wrong = text_wrong(text);
    if (wrong) return error_at(e, ERR_FORMAT, path, k + 1, 0, "found '%.*s', expected %s", shown, text.ptr, wrong);
    x->limit = k;
    if (!encode_unit(x, text)) return no_memory(e);
    const Symbol *first = x->symbols.p;
    if (first->next < 0) {
        const char *before = vocab_text(x->pieces, k - 1);
        if (*characters && (k == N_RESERVED || strcmp(before, text.ptr) < 0)) return OK;
        return error_at(e, ERR_FORMAT, path, k + 1, 0, "found '%.*s' after '%.*s', expected %s", shown, text.ptr,
                        utf8_first(before, 40), before, "characters by code point, before pairs");
    }
    *characters = false;
    StrView left = { text.ptr, (size_t)first->end }, right = { text.ptr + first->end, text.len - (size_t)first->end };
    if (piece_of(x, left) != NO_PAIR && piece_of(x, right) != NO_PAIR) return OK;
    return error_at(e, ERR_FORMAT, path, k + 1, 0, "found '%.*s', expected two of the pieces before it", shown,
                    text.ptr);
}

Status bpe_check(const Vocab *pieces, const char *path, Error *error)
{
    Encoder x = { .pieces = pieces };
    int n = vocab_size(pieces);
    bool characters = true;
    Status s = OK;
    if (n > PIECES_MOST)
        return error_at(error, ERR_LIMIT, path, 0, 0, "found %d pieces, expected at most %d", n, PIECES_MOST);
    if (n < N_RESERVED)
        return error_at(error, ERR_FORMAT, path, n + 1, 0, "found the end, expected %d reserved values", N_RESERVED);
    for (int k = N_RESERVED; k < n && s == OK; k++) s = check_piece(&x, k, &characters, path, error);
    encoder_fini(&x);
    return s;
}
