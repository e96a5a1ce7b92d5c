/* What a user's own rules change in a segmented text. */
#include "language/text_rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/suggest.h"

enum { LONG = 40 }; /* bytes of a line that may be wrapped */

typedef enum Kind { ABBREVIATION, TOKEN, BEGIN, END } Kind;
#define KIND_CHOICES "abbreviation|token|begin|end" /* in this order */
static const char KINDS[] = "abbreviation token begin end";

typedef struct Rule {
    Kind kind;
    StrView text; /* one blank where the text may have any white space */
} Rule;

struct TextRules {
    Arena arena;
    Rule *rules; /* by their first bytes, the longest first */
    int n, cap;
    int first[257]; /* of the rules that begin with each byte */
};

/* ---- reading */

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory reading rules"); }

static Status add_rule(TextRules *r, Kind kind, const char *text, size_t len, Error *e)
{
    if (!mem_reserve(r->rules, &r->cap, r->n + 1)) return no_memory(e);
    char *copy = arena_strndup(&r->arena, text, len);
    if (!copy) return no_memory(e);
    r->rules[r->n++] = (Rule){ kind, { copy, len } };
    return OK;
}

/* The rule with a capital, if it begins with a small letter. */
static Status add_capital(TextRules *r, Kind kind, StrView text, Error *e)
{
    size_t rest = 0;
    StrBuf b = { 0 };
    int32_t first = utf8_next(text.ptr, text.len, &rest);
    if (!utf8_is_lower(first)) return OK;
    strbuf_utf8(&b, utf8_upper(first));
    strbuf_add(&b, text.ptr + rest, text.len - rest);
    Status s = b.failed ? no_memory(e) : add_rule(r, kind, b.ptr, b.len, e);
    strbuf_fini(&b);
    return s;
}

static size_t skip_space(StrView text, size_t i)
{
    size_t next = i;
    while (next < text.len && utf8_is_space(utf8_next(text.ptr, text.len, &next))) i = next;
    return i;
}

static size_t skip_word(StrView text, size_t i)
{
    size_t next = i;
    while (next < text.len && !utf8_is_space(utf8_next(text.ptr, text.len, &next))) i = next;
    return i;
}

static Status read_line(TextRules *r, StrView line, const char *name, long number, Error *e)
{
    StrBuf words = { 0 };
    size_t at = skip_space(line, 0), end = skip_word(line, at);
    if (at == line.len || line.ptr[at] == '#') return OK;
    StrView kind = { line.ptr + at, end - at };
    int found = 0;
    for (const char *p = KINDS; *p; p += strcspn(p, " "), p += *p == ' ', found++)
        if (strcspn(p, " ") == kind.len && memcmp(p, kind.ptr, kind.len) == 0) break;
    if (found > END) {
        Suggestion near = suggest_for(kind.ptr, kind.len);
        suggest_choices(&near, KIND_CHOICES);
        return error_at(e, ERR_FORMAT, name, number, (long)at + 1, "found '%.*s', expected %s%s",
                        (int)utf8_cut(kind.ptr, kind.len, 40), kind.ptr, KIND_CHOICES, suggest_text(&near, "").text);
    }
    int n = 0;
    for (at = skip_space(line, end); at < line.len; at = skip_space(line, end), n++) {
        end = skip_word(line, at);
        if (n) strbuf_putc(&words, ' ');
        strbuf_add(&words, line.ptr + at, end - at);
    }
    Status s = words.failed ? no_memory(e) : OK;
    if (s == OK && (n == 0 || (n > 1 && found == TOKEN)))
        s = error_at(e, ERR_FORMAT, name, number, (long)line.len + 1, "found %s, expected %s after '%.*s'",
                     n ? "several words" : "the end of the line", found == TOKEN ? "a word" : "words", (int)kind.len,
                     kind.ptr);
    if (s == OK) s = add_rule(r, (Kind)found, words.ptr, words.len, e);
    if (s == OK && found == ABBREVIATION) s = add_capital(r, ABBREVIATION, (StrView){ words.ptr, words.len }, e);
    strbuf_fini(&words);
    return s;
}

static int by_first(const void *a, const void *b)
{
    const Rule *x = a, *y = b;
    unsigned char c = (unsigned char)x->text.ptr[0], d = (unsigned char)y->text.ptr[0];
    if (c != d) return c < d ? -1 : 1;
    if (x->text.len != y->text.len) return x->text.len > y->text.len ? -1 : 1;
    int order = memcmp(x->text.ptr, y->text.ptr, x->text.len);
    return order ? order : (int)x->kind - (int)y->kind;
}

Status text_rules_parse(TextRules **rules, StrView text, const char *name, Error *error)
{
    StrView line;
    size_t at = 0;
    long number = 1;
    TextRules *r = *rules = mem_calloc(1, sizeof *r);
    if (!r) return no_memory(error);
    arena_init(&r->arena, 1 << 12);
    Status s = segmented_text_check(text_block(text, name), error);
    for (; s == OK && text_line(text, &at, &line); number++) s = read_line(r, line, name, number, error);
    if (s != OK) {
        text_rules_free(r);
        *rules = NULL;
        return s;
    }
    if (r->n) qsort(r->rules, (size_t)r->n, sizeof *r->rules, by_first);
    for (int c = 0, k = 0; c <= 256; c++) {
        while (k < r->n && (unsigned char)r->rules[k].text.ptr[0] < c) k++;
        r->first[c] = k;
    }
    return OK;
}

Status text_rules_read(TextRules **rules, const char *path, Error *error)
{
    StrBuf text = { 0 };
    *rules = NULL;
    Status s = file_read_text(path, &text, error);
    if (s == OK) s = text_rules_parse(rules, (StrView){ text.ptr, text.len }, path, error);
    strbuf_fini(&text);
    return s;
}

void text_rules_free(TextRules *rules)
{
    if (!rules) return;
    mem_free(rules->rules);
    arena_fini(&rules->arena);
    mem_free(rules);
}

/* ---- where they are found; places are bytes of the file */

typedef struct Match { /* one token */
    size_t begin, end;
    bool abbreviation;
} Match;

typedef struct Apply {
    const TextRules *r;
    TextRulesUse use;
    TextBlock block;
    Arena *arena;
    Match *matches;
    size_t *begins, *ends; /* where sentences begin; after what they end */
    int n_matches, n_begins, n_ends, match_cap, begin_cap, end_cap;
    int match, begin, end; /* the next ones */
    bool ended;            /* before the next token was an end */
    const Match *last;     /* what the last token is, or NULL */
    SegmentedText out;
} Apply;

/* Part of a word of a script with blanks. */
static bool is_wordlike(int32_t c) { return c < 0x2E80 && (utf8_is_letter(c) || utf8_is_digit(c)); }

static int32_t char_before(StrView text, size_t i)
{
    size_t at = i;
    if (i == 0) return ' ';
    do at--;
    while (at > 0 && ((unsigned char)text.ptr[at] & 0xC0) == 0x80);
    return utf8_next(text.ptr, i, &at);
}

static int32_t char_at(StrView text, size_t i) { return i < text.len ? utf8_next(text.ptr, text.len, &i) : ' '; }

/* The end of the white space at byte i, or i if there is none or an empty line in it. */
static size_t space_end(StrView text, size_t i)
{
    size_t end = skip_space(text, i);
    const char *first = memchr(text.ptr + i, '\n', end - i);
    size_t rest = first ? (size_t)(first - text.ptr) + 1 : end;
    return memchr(text.ptr + rest, '\n', end - rest) ? i : end;
}

/* Where the rule that the text has at byte i ends, or i. *last: where its last word begins. */
static size_t match_end(StrView text, size_t i, StrView rule, size_t *last)
{
    size_t at = i;
    *last = i;
    for (size_t k = 0; k < rule.len; k++) {
        if (rule.ptr[k] == ' ') {
            size_t end = space_end(text, at);
            if (end == at) return i;
            *last = at = end;
        } else if (at == text.len || text.ptr[at++] != rule.ptr[k]) return i;
    }
    bool within = is_wordlike(char_before(text, i)) && is_wordlike(char_at(text, i));
    within |= is_wordlike(char_before(text, at)) && is_wordlike(char_at(text, at));
    return within ? i : at;
}

static bool add_place(size_t **at, int *n, int *cap, size_t place)
{
    if (!mem_reserve(*at, cap, *n + 1)) return false;
    (*at)[(*n)++] = place;
    return true;
}

/* Adds what is found at byte i, and moves past a token. */
static bool find_at(Apply *a, size_t *i)
{
    StrView text = a->block.text;
    size_t after = *i + 1, from = a->block.byte, last;
    unsigned char c = (unsigned char)text.ptr[*i];
    bool ok = true, token = false;
    for (int k = a->r->first[c]; ok && k < a->r->first[c + 1]; k++) {
        const Rule *rule = &a->r->rules[k];
        size_t end = match_end(text, *i, rule->text, &last);
        if (end == *i) continue;
        if (rule->kind == BEGIN) ok = add_place(&a->begins, &a->n_begins, &a->begin_cap, from + *i);
        else if (rule->kind == END) ok = add_place(&a->ends, &a->n_ends, &a->end_cap, from + end);
        else if (!token) { /* the longest */ token = true;
            after = end;
            ok = mem_reserve(a->matches, &a->match_cap, a->n_matches + 1);
            if (ok) a->matches[a->n_matches++] = (Match){ from + last, from + end, rule->kind == ABBREVIATION };
        }
    }
    *i = after;
    return ok;
}

static int by_place(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static bool find_all(Apply *a)
{
    StrView text = a->block.text;
    for (size_t i = 0; i < text.len;) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (a->r->first[c] == a->r->first[c + 1]) i++;
        else if (!find_at(a, &i)) return false;
    }
    if (a->n_ends) qsort(a->ends, (size_t)a->n_ends, sizeof *a->ends, by_place);
    return true;
}

/* ---- what they change */

static const char *text_at(const Apply *a, size_t byte) { return a->block.text.ptr + (byte - a->block.byte); }

static size_t count_chars(const Apply *a, size_t from, size_t to)
{
    const char *p = text_at(a, from);
    size_t n = 0;
    for (size_t k = 0; k < to - from; k++) n += ((unsigned char)p[k] & 0xC0) != 0x80;
    return n;
}

static long count_lines(const Apply *a, size_t from, size_t to)
{
    const char *p = text_at(a, from);
    long n = 0;
    for (size_t k = 0; k < to - from; k++) n += p[k] == '\n';
    return n;
}

/* Does the sentence go on after a match? After an abbreviation it does, after another token if lower case follows. */
static bool goes_on(const Apply *a, const Match *last, const Token *next)
{
    int32_t c = char_at(a->block.text, next->begin - a->block.byte);
    if (!last->abbreviation && !utf8_is_lower(c)) return false;
    if (!count_lines(a, last->end, next->begin)) return true;
    if (a->use.lines || a->use.spaces) return a->use.spaces;
    const char *end = text_at(a, last->end), *line = end;
    while (line > a->block.text.ptr && line[-1] != '\n') line--;
    return utf8_is_lower(c) || utf8_is_digit(c) || end - line >= LONG;
}

/* A closing quote or bracket right after the token before it. */
static bool closes(const Apply *a, const Token *t)
{
    int32_t c = char_at(a->block.text, t->begin - a->block.byte);
    TextMark mark = text_mark(c);
    return t->glued && (mark == TEXT_CLOSE || mark == TEXT_CLOSE_QUOTE || mark == TEXT_QUOTE);
}

/* Does a sentence begin with the token? was: the sentence that began with it, or NULL. */
static bool begins(Apply *a, const Token *t, const TextSentence *was)
{
    bool first = a->out.n_tokens == 0, here = false;
    while (a->begin < a->n_begins && a->begins[a->begin] <= t->begin) here = a->begins[a->begin++] == t->begin;
    for (; a->end < a->n_ends && a->ends[a->end] <= t->begin; a->end++) a->ended = true;
    bool ended = a->ended && !closes(a, t);
    const Match *last = a->last;
    a->ended = a->ended && !ended;
    a->last = NULL;
    if (first || (was && was->new_paragraph)) return true;
    if (!a->use.sentences) return was != NULL;
    if (here || ended) return true;
    return was && !(last && goes_on(a, last, t));
}

/* Puts a token; *was, the sentence that began with it or NULL, becomes NULL. */
static bool put(Apply *a, const Token *t, const TextSentence **was)
{
    SegmentedText *o = &a->out;
    if (begins(a, t, *was)) {
        const TextSentence *last = o->n_sentences ? &o->sentences[o->n_sentences - 1] : NULL;
        TextSentence new = { .first = o->n_tokens };
        if (*was) new.new_paragraph = (*was)->new_paragraph, new.line = (*was)->line;
        else if (last) new.line = last->line + count_lines(a, o->tokens[last->first].begin, t->begin);
        if (!segmented_text_add_sentence(o, new)) return false;
    }
    *was = NULL;
    if (!mem_reserve(o->tokens, &o->token_cap, o->n_tokens + 1)) return false;
    o->tokens[o->n_tokens++] = *t;
    o->sentences[o->n_sentences - 1].n++;
    return true;
}

/* *part is the file's bytes [begin, end) as a token; t: the token that they begin in or after. */
static bool cut_out(const Apply *a, const Token *t, size_t begin, size_t end, Token *part)
{
    Token x = { .begin = begin, .end = end, .len = (uint32_t)(end - begin), .glued = t->glued || begin > t->begin };
    x.begin_char = t->begin_char + count_chars(a, t->begin, begin);
    x.end_char = x.begin_char + count_chars(a, begin, end);
    x.form = arena_strndup(a->arena, text_at(a, begin), x.len);
    *part = x;
    return x.form != NULL;
}

/* The last of the tokens from number k on that the match covers, the first of which is t; -1 if it is to be passed
 * over, because they are not its bytes or have no places of their own. */
static int last_of(const Apply *a, const SegmentedText *old, int k, const Token *t, const Match *m)
{
    bool plain = !t->cut && !t->words && t->begin <= m->begin;
    for (; k + 1 < old->n_tokens && old->tokens[k + 1].begin < m->end; k++)
        plain = plain && !old->tokens[k + 1].cut && !old->tokens[k + 1].words;
    if (!a->use.tokens) plain = plain && t->begin == m->begin && t->end == m->end;
    return plain && old->tokens[k].end >= m->end ? k : -1;
}

static bool rebuild(Apply *a, const SegmentedText *old)
{
    for (int k = 0, s = 0; k < old->n_tokens; k++) {
        Token t = old->tokens[k], part;
        while (s + 1 < old->n_sentences && old->sentences[s + 1].first <= k) s++;
        const TextSentence *was = old->sentences[s].first == k ? &old->sentences[s] : NULL;
        for (; a->match < a->n_matches && a->matches[a->match].begin < t.end; a->match++) {
            const Match *m = &a->matches[a->match];
            int last = m->end > t.begin ? last_of(a, old, k, &t, m) : -1;
            if (last < 0) continue;
            bool left = t.begin < m->begin;
            if (left && !(cut_out(a, &t, t.begin, m->begin, &part) && put(a, &part, &was))) return false;
            if (!cut_out(a, &t, m->begin, m->end, &part) || !put(a, &part, &was)) return false;
            a->last = m;
            k = last;
            if (!cut_out(a, &part, m->end, old->tokens[last].end, &t)) return false; /* what is left */
        }
        if (t.end > t.begin && !put(a, &t, &was)) return false;
    }
    return true;
}

bool text_rules_apply(const TextRules *rules, SegmentedText *text, TextBlock block, TextRulesUse use, Arena *arena)
{
    Apply a = { .r = rules, .use = use, .block = block, .arena = arena };
    bool ok = text->n_tokens == 0 || find_all(&a);
    bool found = a.n_matches + a.n_begins + a.n_ends > 0;
    if (ok && found) ok = rebuild(&a, text);
    if (found || !ok) {
        segmented_text_fini(ok ? text : &a.out);
        if (ok) *text = a.out;
    }
    mem_free_each(a.matches, a.begins, a.ends);
    return ok;
}
