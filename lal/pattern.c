/* lal/pattern.c */
#include "lal/pattern.h"

#include <string.h>

#include "base/text.h"

static const char *const NAMES[PATTERN_KINDS] = { "self",    "next",        "prev",       "rel_pos", "first",
                                                  "delim",   "period",      "seprat",     "rare_w",  "dep_syn",
                                                  "maj_rel", "match_token", "intra_span", "dep_head" };

const char *pattern_name(PatternKind kind) { return NAMES[kind]; }

static bool is_true(StrView v, bool *out)
{
    *out = text_equal(v, "true");
    return *out || text_equal(v, "false");
}

static bool setting(Pattern *p, StrView name, StrView value)
{
    if (p->kind == PATTERN_REL_POS && text_equal(name, "window"))
        return text_number(value, &p->window) && p->window % 2;
    if (p->kind == PATTERN_MAJ_REL && text_equal(name, "children")) return is_true(value, &p->children);
    if (p->kind == PATTERN_MATCH_TOKEN && text_equal(name, "self")) return is_true(value, &p->self);
    if (p->kind == PATTERN_RARE_W && text_equal(name, "unknown")) {
        p->unknown_rarest = text_equal(value, "rarest");
        return p->unknown_rarest || text_equal(value, "never");
    }
    if (p->kind != PATTERN_INTRA_SPAN) return false;
    if (text_equal(name, "max_len")) return text_number(value, &p->max_len) && p->max_len > 0;
    p->tree = text_equal(value, "tree");
    return text_equal(name, "source") && (p->tree || text_equal(value, "punct"));
}

static Status unknown_pattern(const char *text, Error *e)
{
    StrBuf known = { 0 };
    for (int k = 0; k < PATTERN_KINDS; k++) strbuf_printf(&known, "%s%s", k ? ", " : "", NAMES[k]);
    error_set(e, ERR_USAGE, "found pattern '%s', expected one of %s", text, known.ptr ? known.ptr : "lal/pattern.h");
    strbuf_fini(&known);
    return ERR_USAGE;
}

Status pattern_read(Pattern *p, const char *text, Error *e)
{
    const char *slash = strchr(text, '/'), *end = slash ? slash : text + strlen(text);
    *p = (Pattern){ .window = 3, .max_len = 10, .children = true, .unknown_rarest = true };
    int k = 0;
    while (k < PATTERN_KINDS && !text_equal((StrView){ text, (size_t)(end - text) }, NAMES[k])) k++;
    if (k == PATTERN_KINDS) return unknown_pattern(text, e);
    p->kind = (PatternKind)k;
    while (*end) {
        const char *from = end + 1, *equals = strchr(from, '=');
        end = from + strcspn(from, ",");
        if (!equals || equals > end ||
            !setting(p, (StrView){ from, (size_t)(equals - from) },
                     (StrView){ equals + 1, (size_t)(end - equals - 1) }))
            return error_set(e, ERR_USAGE, "found '%.*s' in pattern '%s', expected an option of this pattern",
                             (int)(end - from), from, text);
    }
    return OK;
}

const char *pattern_lacks(const Pattern *p, const PatternSentence *s)
{
    bool heads = p->kind == PATTERN_DEP_SYN || p->kind == PATTERN_MAJ_REL || p->kind == PATTERN_DEP_HEAD;
    if (heads && (!s->heads || !s->types)) return "dependencies";
    if (p->kind == PATTERN_RARE_W && !s->df) return "counts of training sentences";
    if (p->kind == PATTERN_INTRA_SPAN && p->tree && !s->spans) return "a tree";
    return NULL;
}

static bool one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0) list++;
    return *list != NULL;
}

static bool has_letter(const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i < len;)
        if (utf8_is_letter(utf8_next(word, len, &i))) return true;
    return false;
}

/* keys [m]: 1 for the words chosen. */
static void choose_rare(const Pattern *p, const PatternSentence *s, uint8_t *keys)
{
    int want = s->n / 10 > 2 ? s->n / 10 : 2;
    for (; want > 0; want--) {
        int best = -1;
        for (int w = 0; w < s->n; w++) {
            if (keys[w + 1] || !has_letter(s->words[w]) || (!p->unknown_rarest && s->df[w] == 0)) continue;
            if (best < 0 || s->df[w] < s->df[best]) best = w;
        }
        if (best < 0) return;
        keys[best + 1] = 1;
    }
}

static void choose_major(const Pattern *p, const PatternSentence *s, uint8_t *keys)
{
    static const char *const types[] = { "nsubj", "dobj", "obj", "amod", "advmod", NULL };
    keys[0] = keys[s->n + 1] = 1;
    for (int w = 1; w <= s->n; w++) {
        if (!one_of(s->types[w - 1], types)) continue;
        keys[w] = keys[s->heads[w - 1]] = 1;
        for (int c = 1; p->children && c <= s->n; c++)
            if (s->heads[c - 1] == w) keys[c] = 1;
    }
}

/* Patterns whose set is the same for every token. */
static bool fill_keys(const Pattern *p, const PatternSentence *s, uint8_t *keys)
{
    static const char *const separators[] = { ",", ";", ".", "?", "!", NULL };
    int n = s->n;
    switch (p->kind) {
    case PATTERN_FIRST: keys[0] = 1; return true;
    case PATTERN_DELIM: keys[0] = keys[n + 1] = 1; return true;
    case PATTERN_PERIOD:
        for (int w = 0; w < n; w++) keys[w + 1] = strcmp(s->words[w], ".") == 0;
        return true;
    case PATTERN_SEPRAT:
        keys[0] = keys[n + 1] = 1;
        for (int w = 0; w < n; w++) keys[w + 1] = one_of(s->words[w], separators);
        return true;
    case PATTERN_RARE_W: choose_rare(p, s, keys); return true;
    case PATTERN_MAJ_REL: choose_major(p, s, keys); return true;
    default: return false;
    }
}

/* segment [n]: numbers of segments, rising. */
static void segments_of(const Pattern *p, const PatternSentence *s, int *segment)
{
    static const char *const ends[] = { ",", ";",     ":",     ".", "?", "!", "--", "–",
                                        "—", "-LRB-", "-RRB-", "(", ")", "[", "]",  NULL };
    int now = 0;
    if (!p->tree) {
        for (int w = 0; w < s->n; w++) {
            if (w && !one_of(s->words[w], ends) && one_of(s->words[w - 1], ends)) now++;
            segment[w] = now;
        }
        return;
    }
    for (int w = 0; w < s->n; w++) segment[w] = -1;
    for (int k = 0; k < s->n_spans; k++) { /* pre-order: the largest of a word comes first */
        int begin = s->spans[k][0], end = s->spans[k][1];
        if (end - begin > p->max_len || segment[begin] >= 0) continue;
        for (int w = begin; w < end; w++) segment[w] = now;
        now++;
    }
    for (int w = 0; w < s->n; w++)
        if (segment[w] < 0) segment[w] = now++;
}

static void fill_segments(const PatternSentence *s, const int *segment, uint8_t *allowed)
{
    int m = s->n + 2;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            int a = i == 0 ? 0 : i > s->n ? s->n - 1 : i - 1, b = j == 0 ? 0 : j > s->n ? s->n - 1 : j - 1;
            allowed[(ptrdiff_t)i * m + j] = segment[a] == segment[b];
        }
}

/* Words in lower case, numbered so that equal ones have one number. */
static bool number_words(const PatternSentence *s, int *number, Arena *scratch)
{
    StrBuf low = { 0 };
    const char **seen = arena_alloc(scratch, (size_t)s->n, sizeof *seen);
    bool ok = seen != NULL;
    for (int w = 0, kinds = 0; ok && w < s->n; w++) {
        strbuf_clear(&low);
        text_lower(&low, s->words[w], strlen(s->words[w]));
        ok = !low.failed;
        int k = 0;
        while (ok && k < kinds && strcmp(seen[k], low.ptr ? low.ptr : "") != 0) k++;
        if (ok && k == kinds) ok = (seen[kinds++] = arena_strndup(scratch, low.ptr ? low.ptr : "", low.len)) != NULL;
        number[w] = k;
    }
    strbuf_fini(&low);
    return ok;
}

/* Is token j in S(i)? For the patterns that ask about pairs; extra is number_words's for match_token. */
static bool pair(const Pattern *p, const PatternSentence *s, const int *number, int i, int j)
{
    int n = s->n;
    bool wi = i >= 1 && i <= n, wj = j >= 1 && j <= n;
    switch (p->kind) {
    case PATTERN_SELF: return i == j;
    case PATTERN_NEXT: return j == i + 1;
    case PATTERN_PREV: return j == i - 1;
    case PATTERN_REL_POS: return (i > j ? i - j : j - i) <= (p->window - 1) / 2;
    case PATTERN_DEP_SYN: return i == j || (wi && wj && (s->heads[i - 1] == j || s->heads[j - 1] == i));
    case PATTERN_DEP_HEAD: return wi && s->heads[i - 1] == j;
    case PATTERN_MATCH_TOKEN: {
        if (!wi || !wj || number[i - 1] != number[j - 1]) return false;
        if (i != j) return true;
        bool twin = false; /* the word itself is included only together with another one */
        for (int w = 0; w < n; w++) twin |= w != i - 1 && number[w] == number[i - 1];
        return p->self && twin;
    }
    default: return false;
    }
}

Status pattern_fill(const Pattern *p, const PatternSentence *s, uint8_t *allowed, Arena *scratch, Error *e)
{
    int m = s->n + 2;
    const char *lacks = pattern_lacks(p, s);
    if (lacks) return error_set(e, ERR_RANGE, "pattern %s: found a sentence without %s", NAMES[p->kind], lacks);
    memset(allowed, 0, (size_t)m * (size_t)m);
    if (s->n == 0) return OK;
    int *number = arena_calloc(scratch, (size_t)m, sizeof *number);
    if (!number) return error_set(e, ERR_NOMEM, "out of memory for a pattern");
    if (fill_keys(p, s, allowed)) {
        for (int i = 1; i < m; i++) memcpy(allowed + (ptrdiff_t)i * m, allowed, (size_t)m);
        return OK;
    }
    if (p->kind == PATTERN_INTRA_SPAN) {
        segments_of(p, s, number);
        fill_segments(s, number, allowed);
        return OK;
    }
    if (p->kind == PATTERN_MATCH_TOKEN && !number_words(s, number, scratch))
        return error_set(e, ERR_NOMEM, "out of memory for a pattern");
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) allowed[(ptrdiff_t)i * m + j] = pair(p, s, number, i, j);
    return OK;
}
