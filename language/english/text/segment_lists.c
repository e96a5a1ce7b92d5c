/* Items of lists within a paragraph: 1. 1) (1) a. a) (a) A. i. I. and so on, and bullets. A single mark is ignored
 * (section 2. It ...). The marks of a list have the same kind of number, the same brackets and consecutive numbers;
 * each is followed by text, and none by a word that takes a number. */
#include <string.h>

#include "language/english/text/segment_internal.h"

enum Kind { DIGITS, LOWER_LETTER, UPPER_LETTER, LOWER_ROMAN, UPPER_ROMAN, KINDS };
enum Wrapper { PERIOD, BRACKET, BRACKETS, WRAPPERS }; /* 1. 1) (1) */

typedef struct Mark {
    int token, n_tokens; /* n_tokens = 2 before a period: number and period are to be joined */
    enum Wrapper wrapper;
    StrView number;
} Mark;

typedef struct List {   /* the current list of one kind and wrapper */
    Mark mark, before;  /* the last mark and the one before it */
    int value, step, n; /* value of the last mark; step to it (1 or -1) if n > 1; marks so far */
    bool lower;         /* the text of the first item begins in lower case */
    bool names;         /* A. X B. Y: the marks may be initials of names */
} List;

typedef struct Finder {
    const Segmenter *s;
    int first, end;
    List lists[KINDS][WRAPPERS];
    uint8_t *flags; /* [end - first], NULL until the first item */
    bool failed;
} Finder;

static const Token *token(const Finder *f, int k) { return &f->s->out->tokens[k]; }
static bool is(const Finder *f, int k, const char *form)
{
    if (k >= f->end || token(f, k)->form[0] != form[0]) return false; /* most tokens, without a call */
    return strcmp(token(f, k)->form, form) == 0;
}
static bool glued(const Finder *f, int k)
{
    return k > f->first && k < f->end && token(f, k)->begin == token(f, k - 1)->end;
}

static bool line_begins(const Finder *f, int k)
{
    if (k == f->first) return true;
    if (f->s->newlines == NEWLINES_SPACE) return false;
    size_t from = token(f, k - 1)->end, to = token(f, k)->begin;
    while (from < to && f->s->text.ptr[from] != '\n') from++; /* mostly one blank */
    return from < to;
}

/* ---- numbers */

static int roman(StrView v)
{
    static const char *const numbers[] = { "i",  "ii",  "iii",  "iv",  "v",  "vi",  "vii",  "viii",  "ix",  "x",
                                           "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii", "xix", "xx" };
    for (int i = 0; i < 20; i++)
        if (text_equal(v, numbers[i])) return i + 1;
    return 0;
}

/* The value of v as a number of this kind, 0 if it is not one. */
static int value_of(StrView v, enum Kind kind)
{
    char lower[8];
    int value;
    if (v.len == 0 || v.len >= sizeof lower) return 0;
    if (kind == DIGITS) return v.len <= 2 && text_number(v, &value) ? value : 0;
    bool upper = kind == UPPER_LETTER || kind == UPPER_ROMAN;
    for (size_t i = 0; i < v.len; i++) {
        if (v.ptr[i] < (upper ? 'A' : 'a') || v.ptr[i] > (upper ? 'Z' : 'z')) return 0;
        lower[i] = (char)(v.ptr[i] | 32);
    }
    if (kind == LOWER_ROMAN || kind == UPPER_ROMAN) return roman((StrView){ lower, v.len });
    return v.len == 1 ? lower[0] - 'a' + 1 : 0;
}

/* ---- marks */

/* Reads the mark that begins with token k, with white space on both sides. */
static bool read_mark(const Finder *f, int k, Mark *m)
{
    const Token *t = token(f, k);
    size_t len = t->len;
    int number = k;
    *m = (Mark){ .token = k, .n_tokens = 2 };
    if (glued(f, k) || len > 6) return false;
    if (is(f, k, "(")) {
        number = k + 1;
        m->wrapper = BRACKETS;
        m->n_tokens = 3;
        if (!glued(f, number) || !is(f, k + 2, ")")) return false;
    } else if (len > 1 && t->form[len - 1] == '.') {
        m->n_tokens = 1;
        len--;
    } else if (is(f, k + 1, ")")) m->wrapper = BRACKET;
    else if (!is(f, k + 1, ".")) return false;
    for (int q = number + 1; q < k + m->n_tokens; q++)
        if (!glued(f, q)) return false;
    t = token(f, number);
    m->number = (StrView){ t->form, number == k ? len : t->len };
    return k + m->n_tokens < f->end && !glued(f, k + m->n_tokens);
}

static void lower_form(const Finder *f, int k, char buf[16])
{
    const Token *t = token(f, k);
    segment_lower_word((StrView){ t->form, t->len }, 0, t->len, buf, 16);
}

/* Does the text of an item follow the mark, unlike in "a) and b)"? */
static bool text_follows(const Finder *f, const Mark *m)
{
    static const char none[] = "and or to through above below is are was were , . ; : ) ] & - ? ! 's % \xe2\x80\x93";
    char buf[16];
    lower_form(f, m->token + m->n_tokens, buf);
    return !text_among(token(f, m->token + m->n_tokens)->form, none) && !text_among(buf, none);
}

/* Is token k preceded by a final mark, a colon, a line break or the beginning of the paragraph? */
static bool is_clean(const Finder *f, int k)
{
    static const char marks[] = ". ? ! : ] ...";
    return line_begins(f, k) || text_among(token(f, k - 1)->form, marks);
}

/* Does the word before token k take a number (section 2.), or does the sentence continue after the mark (; b) and
 * b)? */
static bool takes_number(const Finder *f, int k)
{
    char buf[16];
    if (k == f->first || line_begins(f, k)) return false;
    lower_form(f, k - 1, buf);
    return segment_takes_number(buf);
}

static bool begins_lower(const Finder *f, const Mark *m)
{
    size_t i = 0;
    const Token *t = token(f, m->token + m->n_tokens);
    return utf8_is_lower(utf8_next(t->form, t->len, &i));
}

/* ---- lists */

static void set_flag(Finder *f, int k, uint8_t flag)
{
    if (!f->flags) f->flags = mem_calloc((size_t)(f->end - f->first), 1);
    if (f->flags) f->flags[k - f->first] |= flag;
    else f->failed = true;
}

static void accept(Finder *f, const Mark *m, bool new_sentence)
{
    if (new_sentence) set_flag(f, m->token, LIST_ITEM);
    for (int k = m->token + 1; k <= m->token + m->n_tokens; k++) set_flag(f, k, LIST_INSIDE);
    if (m->wrapper == PERIOD && m->n_tokens == 2) set_flag(f, m->token + 1, LIST_JOIN);
}

/* Is the mark, with this value, the next item of the list? */
static bool continues(const Finder *f, const List *l, const Mark *m, int value, enum Kind kind)
{
    if (l->n == 0 || m->token <= l->mark.token + l->mark.n_tokens) return false;
    int step = value - l->value;
    if (l->n > 1 ? step != l->step : step != 1 && (step != -1 || kind != DIGITS)) return false;
    return m->wrapper != PERIOD || begins_lower(f, m) == l->lower || line_begins(f, m->token);
}

/* May a list begin here? The first mark may be inside a sentence: "we need a) time b) money". */
static bool may_begin(const Finder *f, const Mark *m, int value, enum Kind kind)
{
    if (is_clean(f, m->token)) return true;
    if (value != 1) return false;
    return m->wrapper == BRACKET || (m->wrapper == PERIOD && kind == DIGITS); /* not (a), which is common in captions */
}

/* The marks of a list are accepted from the second one on, or from the third if they may be initials. */
static void accept_list(Finder *f, const List *l, const Mark *m)
{
    int least = l->names ? 3 : 2;
    if (l->n + 1 < least) return;
    if (l->n + 1 == least) {
        const Mark *first = least == 3 ? &l->before : &l->mark;
        accept(f, first, is_clean(f, first->token) || !l->lower);
        if (least == 3) accept(f, &l->mark, true);
    }
    accept(f, m, true);
}

static void take_mark(Finder *f, const Mark *m, enum Kind kind)
{
    List *l = &f->lists[kind][m->wrapper];
    int value = value_of(m->number, kind);
    if (value == 0) return;
    if (continues(f, l, m, value, kind)) {
        l->names = kind == UPPER_LETTER && m->wrapper == PERIOD && (l->names || (l->n == 1 && !is_clean(f, m->token)));
        accept_list(f, l, m);
        *l = (List){ *m, l->mark, value, value - l->value, l->n + 1, l->lower, l->names };
    } else if (may_begin(f, m, value, kind))
        *l = (List){ .mark = *m, .value = value, .n = 1, .lower = begins_lower(f, m) };
}

/* ---- bullets */

static bool is_round_bullet(int32_t c)
{
    return c == 0x2022 || c == 0x25CF || c == 0x25AA || c == 0x2023 || c == 0x2043;
}

/* A bullet is a token of one character: a round bullet anywhere, another or a dash at the beginning of a line. */
static int32_t bullet_at(const Finder *f, int k)
{
    const Token *t = token(f, k);
    size_t i = 0;
    int32_t c = utf8_next(t->form, t->len, &i);
    if (i < t->len || glued(f, k) || k + 1 >= f->end) return 0;
    if (is_round_bullet(c)) return c;
    if (glued(f, k + 1) || !line_begins(f, k)) return 0;
    return c == '-' || c == '*' || c == '+' || c == 0x2013 || c == 0xB7 ? c : 0;
}

/* Bullets are accepted when the second one of a kind is found. */
static void take_bullet(Finder *f, int k, int32_t *last, int *last_at)
{
    int32_t c = bullet_at(f, k);
    if (!c) return;
    if (c == *last) {
        if (*last_at >= 0) accept(f, &(Mark){ .token = *last_at, .n_tokens = 1, .wrapper = BRACKET }, true);
        accept(f, &(Mark){ .token = k, .n_tokens = 1, .wrapper = BRACKET }, true);
        *last_at = -1;
        return;
    }
    *last = c;
    *last_at = k;
}

/* ---- all */

/* Joins each number and its period to one token, in place. */
static void join_marks(Finder *f)
{
    SegmentedText *o = f->s->out;
    int to = f->first;
    for (int k = f->first; k < f->end; k++) {
        if (f->flags[k - f->first] & LIST_JOIN) {
            Token *t = &o->tokens[to - 1];
            t->end = o->tokens[k].end;
            t->end_char = o->tokens[k].end_char;
            t->len = (uint32_t)(t->end - t->begin);
            t->form = arena_strndup(f->s->a, f->s->text.ptr + t->begin, t->len);
            f->failed |= !t->form;
            continue;
        }
        o->tokens[to] = o->tokens[k];
        f->flags[to++ - f->first] = f->flags[k - f->first];
    }
    o->n_tokens = to;
}

/* version 2. 0: a number with a blank in it. */
static bool is_version(const Finder *f, int k)
{
    char buf[16];
    if (k - 3 < f->first || !is(f, k - 1, ".") || !glued(f, k - 1)) return false;
    if (!value_of((StrView){ token(f, k)->form, strlen(token(f, k)->form) }, DIGITS) && !is(f, k, "0")) return false;
    lower_form(f, k - 3, buf);
    return strcmp(buf, "version") == 0 &&
           value_of((StrView){ token(f, k - 2)->form, strlen(token(f, k - 2)->form) }, DIGITS);
}

/* Is token k a word of ASCII that is no mark, because neither it nor the next token has a period or bracket? */
static bool is_word(const Finder *f, int k)
{
    const Token *t = token(f, k);
    char first = t->form[0], last = t->form[t->len - 1], next = k + 1 < f->end ? t[1].form[0] : '.';
    bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
    return letter && last != '.' && next != '.' && next != ')';
}

uint8_t *segment_lists(Segmenter *segmenter, int first)
{
    Finder f = { .s = segmenter, .first = first, .end = segmenter->out->n_tokens };
    int32_t bullet = 0;
    int bullet_token = -1;
    for (int k = first; k < f.end && !f.failed; k++) {
        Mark m;
        if (is_word(&f, k)) continue; /* most tokens */
        take_bullet(&f, k, &bullet, &bullet_token);
        if (is_version(&f, k)) set_flag(&f, k, LIST_INSIDE);
        if (!read_mark(&f, k, &m) || takes_number(&f, k) || !text_follows(&f, &m)) continue;
        for (int kind = 0; kind < KINDS; kind++) take_mark(&f, &m, (enum Kind)kind);
    }
    if (f.flags && !f.failed) join_marks(&f);
    segmenter->failed |= f.failed;
    return f.flags;
}
