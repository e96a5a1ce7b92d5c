/* The bytes of a file. Numbers are little endian.
 *
 *     MAGIC, bits, habits, filter_bits, longest: a byte each; weights; filter; three lists of pairs, each a
 *     number of pairs (4 bytes) and for each pair `from` and `to`, each its length (2 bytes) and its bytes; the number
 *     of variants (4 bytes), and of each both characters (3 bytes each); if words are read as others, one more list
 *     of pairs.
 *
 * Habits: 1 for blanks, 2 if letters have capitals and there are no blanks, or none and there are, and 4 times the
 * dates. */
#include <string.h>

#include "language/trained/trained_internal.h"

static const char MAGIC[] = "lal segmenter 2\n";
enum { MAGIC_LENGTH = sizeof MAGIC - 1, BITS_LEAST = 8, BITS_MOST = 24, FILTER_LEAST = 6, FILTER_MOST = 30 };

static void put_number(StrBuf *out, size_t value, int bytes)
{
    for (int k = 0; k < bytes; k++) strbuf_putc(out, (char)(value >> (8 * k) & 255));
}

static void put_pairs(StrBuf *out, const TrainedPairs *p)
{
    put_number(out, (size_t)p->n, 4);
    for (int k = 0; k < p->n; k++) {
        const char *text[] = { p->pair[k].from, p->pair[k].to };
        for (int i = 0; i < 2; i++) {
            put_number(out, strlen(text[i]), 2);
            strbuf_puts(out, text[i]);
        }
    }
}

static size_t habits_of(const TrainedText *t)
{
    size_t cased = t->cased != t->blanks, dates = t->dates;
    return (size_t)t->blanks | cased << 1 | dates << 2;
}

void trained_text_save(const TrainedText *trained, StrBuf *out)
{
    strbuf_add(out, MAGIC, MAGIC_LENGTH);
    put_number(out, (size_t)trained->bits, 1);
    put_number(out, habits_of(trained), 1);
    put_number(out, (size_t)trained->filter_bits, 1);
    put_number(out, (size_t)trained->longest, 1);
    strbuf_add(out, (const char *)trained->weights, (size_t)1 << trained->bits);
    if (trained->filter) strbuf_add(out, (const char *)trained->filter, (size_t)1 << (trained->filter_bits - 3));
    put_pairs(out, &trained->whole);
    put_pairs(out, &trained->ends);
    put_pairs(out, &trained->begins);
    put_number(out, (size_t)trained->n_variants, 4);
    for (int k = 0; k < trained->n_variants; k++) {
        put_number(out, (size_t)trained->variant[k].from, 3);
        put_number(out, (size_t)trained->variant[k].to, 3);
    }
    if (trained->variant_words.n) put_pairs(out, &trained->variant_words);
}

typedef struct Input {
    StrView in;
    size_t at;
    const char *name;
    Error *e;
} Input;

static Status fault(const Input *x, const char *expected)
{
    return error_at(x->e, ERR_FORMAT, x->name, 0, 0, "found other bytes at byte %zu, expected %s", x->at, expected);
}

static Status no_memory(const Input *x) { return error_set(x->e, ERR_NOMEM, "out of memory reading %s", x->name); }

static bool get_number(Input *x, int bytes, size_t *value)
{
    if (x->in.len - x->at < (size_t)bytes) return false;
    *value = 0;
    for (int k = 0; k < bytes; k++) *value |= (size_t)(unsigned char)x->in.ptr[x->at + (size_t)k] << (8 * k);
    x->at += (size_t)bytes;
    return true;
}

static Status get_bytes(Input *x, size_t n, void *to)
{
    void **bytes = to;
    if (x->in.len - x->at < n) return fault(x, "the end of the file later");
    *bytes = mem_alloc(n, 1);
    if (!*bytes) return no_memory(x);
    memcpy(*bytes, x->in.ptr + x->at, n);
    x->at += n;
    return OK;
}

static Status get_text(Input *x, Arena *a, const char **text)
{
    size_t n;
    const char *found;
    if (!get_number(x, 2, &n) || x->in.len - x->at < n) return fault(x, "a text that ends in the file");
    StrView v = { x->in.ptr + x->at, n };
    if (text_fault(v, &found) < n) return fault(x, "text in UTF-8");
    *text = arena_strndup(a, v.ptr, n);
    x->at += n;
    return *text ? OK : no_memory(x);
}

/* Can `to` be words, or a part of them? */
static bool is_words(const char *to)
{
    for (const char *p = to; *p; p++)
        if (*p == '\t' || *p == '\r') return false;
    return true;
}

static Status get_pairs(Input *x, TrainedText *t, TrainedPairs *p)
{
    size_t n;
    if (!get_number(x, 4, &n)) return fault(x, "a number of pairs");
    for (size_t k = 0; k < n; k++) {
        const char *from, *to, *last = p->n ? p->pair[p->n - 1].from : "";
        Status s = get_text(x, &t->arena, &from);
        if (s == OK) s = get_text(x, &t->arena, &to);
        if (s != OK) return s;
        if (strcmp(last, from) >= 0 || !is_words(to)) return fault(x, "pairs of texts in ascending order");
        if (!trained_pairs_add(p, from, to)) return no_memory(x);
    }
    return OK;
}

static Status get_variants(Input *x, TrainedText *t)
{
    size_t n, from, to, last = 0;
    if (!get_number(x, 4, &n) || n > (x->in.len - x->at) / 6) return fault(x, "a number of variants");
    if (n && !(t->variant = mem_alloc(n, sizeof *t->variant))) return no_memory(x);
    for (; (size_t)t->n_variants < n; last = from) {
        if (!get_number(x, 3, &from) || !get_number(x, 3, &to) || from <= last || from > 0x10FFFF || to > 0x10FFFF)
            return fault(x, "variants in ascending order");
        t->variant[t->n_variants++] = (TrainedVariant){ (int32_t)from, (int32_t)to };
    }
    return OK;
}

static Status get_variant_words(Input *x, TrainedText *t)
{
    const TrainedPairs *words = &t->variant_words;
    Status s = get_pairs(x, t, &t->variant_words);
    bool fit = words->n > 0;
    for (int k = 0; k < words->n && fit; k++) fit = trained_is_variant_word(words->pair[k].from, words->pair[k].to);
    return s != OK || fit ? s : fault(x, "words of as many characters as those that they are read as");
}

static Status get_head(Input *x, TrainedText *t)
{
    size_t bits, habits, filter, longest;
    if (x->in.len < MAGIC_LENGTH || memcmp(x->in.ptr, MAGIC, MAGIC_LENGTH) != 0) return fault(x, "a segmenter");
    x->at = MAGIC_LENGTH;
    if (!get_number(x, 1, &bits) || !get_number(x, 1, &habits) || !get_number(x, 1, &filter) ||
        !get_number(x, 1, &longest) || bits < BITS_LEAST || bits > BITS_MOST || habits >> 2 > TRAINED_DATES_APART ||
        (filter ? filter < FILTER_LEAST || filter > FILTER_MOST || longest < 2 || longest > TRAINED_WORD : longest))
        return fault(x, "the sizes of a segmenter");
    t->bits = (int)bits;
    t->blanks = habits & 1;
    t->cased = t->blanks != (habits >> 1 & 1);
    t->dates = (TrainedDates)(habits >> 2);
    t->filter_bits = (int)filter;
    t->longest = (int)longest;
    return OK;
}

Status trained_text_load(TrainedText *trained, StrView bytes, const char *name, Error *error)
{
    Input x = { .in = bytes, .name = name, .e = error };
    *trained = (TrainedText){ 0 };
    Status s = get_head(&x, trained);
    if (trained->bits) arena_init(&trained->arena, 1 << 12);
    if (s == OK) s = get_bytes(&x, (size_t)1 << trained->bits, &trained->weights);
    if (s == OK && trained->filter_bits) s = get_bytes(&x, (size_t)1 << (trained->filter_bits - 3), &trained->filter);
    if (s == OK) s = get_pairs(&x, trained, &trained->whole);
    if (s == OK) s = get_pairs(&x, trained, &trained->ends);
    if (s == OK) s = get_pairs(&x, trained, &trained->begins);
    if (s == OK) s = get_variants(&x, trained);
    if (s == OK && x.at < bytes.len) s = get_variant_words(&x, trained);
    if (s == OK && x.at < bytes.len) s = fault(&x, "the end of the file");
    return s;
}
