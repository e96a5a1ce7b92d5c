/* A word is folded, the rule for its longest known ending is found by binary search in
 * the table of its tag, and the letters get their case back. */
#include "language/english/ud/lemma.h"

#include <stdlib.h>
#include <string.h>

#include "language/english/text/signs.h"
#include "language/english/ud/lemma_table.h"

/* ---- what lemma-train shares */

void lemma_fold(StrBuf *out, const char *form)
{
    if (strstr(form, "\xE2\x80\xA6")) strbuf_puts(out, form); /* U+2026 is its own lemma */
    else signs_fold(out, form);
}

LemmaShape lemma_shape(const char *folded)
{
    size_t len = strlen(folded);
    int upper = 0, lower = 0;
    bool first = false;
    for (size_t i = 0, from = 0; i < len; from = i) {
        int32_t c = utf8_next(folded, len, &i);
        bool capital = utf8_lower(c) != c;
        if (from == 0) first = capital;
        upper += capital;
        lower += utf8_is_lower(c);
    }
    if (upper == 0) return LEMMA_SMALL;
    if (lower == 0) return upper <= LEMMA_FEW ? LEMMA_FEW_CAPITALS : LEMMA_CAPITALS;
    return first && upper == 1 ? LEMMA_INITIAL : LEMMA_MIXED;
}

const char *lemma_edit_tag(const char *tag)
{
    return strcmp(tag, "VBN") == 0 ? "VBD" : strcmp(tag, "VBP") == 0 ? "VB" : tag;
}

static size_t digits(const char *p)
{
    size_t n = 0;
    while (p[n] >= '0' && p[n] <= '9') n++;
    return n;
}

bool lemma_is_number(const char *folded)
{
    size_t n = digits(folded), groups = 0;
    const char *p = folded + n;
    if (n < 1 || n > 3) return false;
    for (; *p == ','; p += 4, groups++)
        if (digits(p + 1) != 3) return false;
    if (*p == '.') p += 1 + digits(p + 1);
    return groups && *p == 0;
}

/* Appends the code point as a capital if it is a letter of ASCII, which what rules append is. */
static void add_upper(StrBuf *out, int32_t c) { strbuf_utf8(out, c >= 'a' && c <= 'z' ? c - 32 : c); }

void lemma_add_case(StrBuf *out, const char *folded, const char *lower, LemmaCase how)
{
    size_t n = strlen(lower), len = strlen(folded), i = 0, j = 0;
    LemmaShape shape = lemma_shape(folded);
    bool capitals = shape == LEMMA_FEW_CAPITALS || shape == LEMMA_CAPITALS, same = true;
    if (how == LEMMA_LOWER) {
        strbuf_puts(out, lower);
        return;
    }
    for (bool first = true; j < n; first = false) {
        int32_t c = utf8_next(lower, n, &j), written = i < len ? utf8_next(folded, len, &i) : 0;
        same = same && utf8_lower(written) == c;
        if (how == LEMMA_TITLE) {
            if (first && same && written != c) strbuf_utf8(out, written);
            else if (first) add_upper(out, c);
            else strbuf_utf8(out, c);
        } else if (same) strbuf_utf8(out, written);
        else if (capitals) add_upper(out, c);
        else strbuf_utf8(out, c);
    }
}

/* ---- lemmas */

/* strcmp, but most pairs differ in the first byte, which needs no call. */
static int compare(const char *a, const char *b)
{
    return *a != *b ? (unsigned char)*a - (unsigned char)*b : strcmp(a, b);
}

static int by_tag(const void *a, const void *b)
{
    const LemmaTable *x = a, *y = b;
    int order = compare(x->tag, y->tag);
    return order ? order : x->kind - y->kind;
}

static const LemmaTable *table_of(const char *tag, int kind)
{
    LemmaTable wanted = { .tag = tag, .kind = kind };
    return bsearch(&wanted, lemma_tables, (size_t)lemma_n_tables, sizeof wanted, by_tag);
}

static int by_end(const void *a, const void *b)
{
    const LemmaRule *x = a, *y = b;
    return compare(x->end, y->end);
}

/* The rule for the longest known ending of key. A table has a rule for the empty ending. */
static const LemmaRule *rule_of(const LemmaTable *t, const char *key)
{
    for (;; key++) {
        LemmaRule wanted = { .end = key };
        const LemmaRule *r = bsearch(&wanted, lemma_rules + t->first, (size_t)t->n, sizeof wanted, by_end);
        if (r || !*key) return r;
    }
}

/* Replaces the key of a word by its lemma in lower case, without the blank. A rule that would leave nothing, or a
 * part of a character, does nothing. */
static void edit(StrBuf *key, const LemmaTable *t)
{
    const LemmaRule *r = rule_of(t, key->ptr);
    size_t n = key->len - 1, cut = r ? (size_t)r->value : 0;
    if (r && cut <= n && (cut < n || *r->add) && ((unsigned char)key->ptr[key->len - cut] & 0xC0) != 0x80) {
        strbuf_cut(key, key->len - cut);
        strbuf_puts(key, r->add);
    }
    if (key->failed) return;
    memmove(key->ptr, key->ptr + 1, key->len);
    strbuf_cut(key, key->len - 1);
}

/* Appends the lemma. t: the edits of the tag. */
static void put_lemma(StrBuf *out, const char *folded, const LemmaTable *t, const char *tag)
{
    StrBuf lower = { 0 };
    const LemmaTable *cases = table_of(tag, (int)lemma_shape(folded));
    strbuf_putc(&lower, ' ');
    text_lower(&lower, folded, strlen(folded));
    if (!lower.failed) {
        const LemmaRule *how = cases ? rule_of(cases, lower.ptr) : NULL;
        edit(&lower, t);
        if (!lower.failed) lemma_add_case(out, folded, lower.ptr, how ? (LemmaCase)how->value : LEMMA_LOWER);
    }
    out->failed = out->failed || lower.failed;
    strbuf_fini(&lower);
}

const char *lemma_find(const char *form, const char *tag, Arena *arena)
{
    const LemmaTable *t = tag ? table_of(lemma_edit_tag(tag), LEMMA_EDITS) : NULL;
    if (!t) return form;
    StrBuf folded = { 0 }, out = { 0 };
    strbuf_puts(&folded, "");
    strbuf_puts(&out, "");
    lemma_fold(&folded, form);
    if (!folded.failed && lemma_is_number(folded.ptr)) {
        for (const char *p = folded.ptr; *p; p++)
            if (*p != ',') strbuf_putc(&out, *p);
    } else if (!folded.failed) put_lemma(&out, folded.ptr, t, tag);
    bool failed = folded.failed || out.failed;
    const char *lemma = failed ? NULL : strcmp(out.ptr, form) == 0 ? form : arena_strndup(arena, out.ptr, out.len);
    strbuf_fini(&folded);
    strbuf_fini(&out);
    return lemma;
}

bool lemma_knows_tags(const char *const *tags, int n)
{
    int known = 0;
    for (int k = 0; k < n; k++) known += table_of(lemma_edit_tag(tags[k]), LEMMA_EDITS) != NULL;
    return 2 * known >= n;
}

/* Is word w "'s" in "he's gone"? Its type is aux in Universal and in Stanford dependencies, in "it's called"
 * aux:pass or auxpass. */
static bool is_perfect(const Sentence *sent, int w)
{
    const char *form = sent->words[w];
    if (strcmp(sent->tags[w], "VBZ") != 0 || !sent->heads || !sent->types || !sent->types[w]) return false;
    size_t n = strlen(form);
    bool letter = (form[0] >= 'A' && form[0] <= 'Z') || (form[0] >= 'a' && form[0] <= 'z');
    if (n < 1 || (n > 1 && letter) || (form[n - 1] != 's' && form[n - 1] != 'S')) return false;
    int head = sent->heads[w] - 1;
    return strcmp(sent->types[w], "aux") == 0 && head >= 0 && sent->tags[head] && strcmp(sent->tags[head], "VBN") == 0;
}

const char **lemma_sentence(const Sentence *sent, Arena *arena)
{
    const char **lemmas = arena_alloc(arena, (size_t)sent->n_words, sizeof *lemmas);
    for (int w = 0; lemmas && w < sent->n_words; w++) {
        lemmas[w] = lemma_find(sent->words[w], sent->tags[w], arena);
        if (!lemmas[w]) return NULL;
        if (strcmp(lemmas[w], "be") == 0 && sent->tags[w] && is_perfect(sent, w)) lemmas[w] = "have";
    }
    return lemmas;
}
