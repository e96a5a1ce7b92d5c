/* Tokens are cut out of the text one ahead; the readers copy what they keep. */
#include "search/scan.h"

#include <stdarg.h>
#include <string.h>

enum { MOST_DEPTH = 200, MOST_TOGETHER = 1000 }; /* what is read and what is matched recurse */

void scan_fail(Scan *s, size_t at, Status code, const char *fmt, ...)
{
    va_list ap;
    if (s->failed) return;
    va_start(ap, fmt);
    error_vset(s->error, code, code == ERR_NOMEM ? NULL : "pattern", code == ERR_NOMEM ? 0 : 1, (long)at + 1, fmt, ap);
    va_end(ap);
    s->failed = true;
}

void *scan_no_memory(Scan *s)
{
    scan_fail(s, 0, ERR_NOMEM, "out of memory");
    return NULL;
}

void scan_expected(Scan *s, const char *what)
{
    StrView text = s->token.text;
    if (s->token.kind == TOKEN_END)
        scan_fail(s, scan_here(s), ERR_FORMAT, "found the end of the pattern, expected %s", what);
    else
        scan_fail(s, scan_here(s), ERR_FORMAT, "found '%.*s', expected %s", (int)utf8_cut(text.ptr, text.len, 60),
                  text.ptr, what);
}

/* The length of /.../, where \/ is no end; 0: failed. */
static size_t regex_length(Scan *s, StrView text)
{
    size_t n = 1;
    for (; n < text.len && text.ptr[n] != '/' && text.ptr[n] != '\n'; n++)
        if (text.ptr[n] == '\\' && n + 1 < text.len && text.ptr[n + 1] == '/') n++;
    if (n < text.len && text.ptr[n] == '/') return n + 1;
    scan_fail(s, s->after, ERR_FORMAT, "found '/', expected another one that closes the regular expression");
    return 0;
}

void scan_next(Scan *s)
{
    const char *relation;
    size_t n = 0;
    while (s->after < s->text.len && memchr(" \t\r", s->text.ptr[s->after], 3)) s->after++;
    StrView rest = { s->text.ptr + s->after, s->text.len - s->after };
    s->token = (Token){ .kind = TOKEN_END, .text = { rest.ptr, 0 } };
    if (!rest.len || rest.ptr[0] == '\n') return;
    s->token.kind = s->begins(rest, &n);
    if (!s->token.kind && rest.ptr[0] == '/') {
        n = regex_length(s, rest);
        if (!n) return;
        s->token.kind = TOKEN_REGEX;
    }
    for (int k = 0; !s->token.kind && (relation = s->relation(k)); k++) {
        n = strlen(relation);
        if (rest.len < n || memcmp(rest.ptr, relation, n) != 0) continue;
        s->token.kind = TOKEN_RELATION;
        s->token.relation = k;
    }
    if (!s->token.kind) {
        n = 1;
        s->token.kind = (unsigned char)rest.ptr[0];
    }
    s->token.text.len = n;
    s->after += n;
}

bool scan_take(Scan *s, int kind, const char *what)
{
    if (s->failed || s->token.kind != kind) {
        if (what) scan_expected(s, what);
        return false;
    }
    scan_next(s);
    return !s->failed;
}

int scan_name(Scan *s, StrMap *names)
{
    StrView text = s->token.text;
    if (names->n == SCAN_MOST_NAMES && map_find(names, text.ptr, text.len) < 0) scan_expected(s, "at most 512 names");
    int k = s->failed ? -1 : map_add(names, text.ptr, text.len);
    if (k < 0) scan_no_memory(s);
    scan_next(s);
    return s->failed ? -1 : k;
}

Regex *scan_regex(Scan *s, RegexOptions options)
{
    StrView text = { s->token.text.ptr + 1, s->token.text.len - 2 };
    Error error = { 0 };
    Regex *regex = s->failed ? NULL : regex_compile(text, options, &error);
    if (!regex) scan_fail(s, scan_here(s) + (size_t)error.column, error.code, "%s", error.message);
    return regex;
}

void scan_deepen(Scan *s)
{
    if (++s->depth > MOST_DEPTH)
        scan_fail(s, scan_here(s), ERR_LIMIT, "found %d brackets and negations in each other, expected at most %d",
                  MOST_DEPTH + 1, MOST_DEPTH);
}

void *scan_allot(Scan *s, size_t count, size_t size)
{
    void *p = s->failed ? NULL : arena_calloc(s->arena, count, size);
    return p || s->failed ? p : scan_no_memory(s);
}

void *scan_grow(Scan *s, void *items, int n, size_t size)
{
    if (n & (n - 1)) return items; /* the room is a power of two */
    void *more = scan_allot(s, (size_t)n * 2 + 1, size);
    if (more && n) memcpy(more, items, (size_t)n * size);
    return more;
}

static void check_depth(Scan *s, const Condition *condition)
{
    if (condition->depth > MOST_TOGETHER)
        scan_fail(s, scan_here(s), ERR_LIMIT, "found more relations that are to hold together, expected at most %d",
                  MOST_TOGETHER);
}

Condition *scan_join(Scan *s, ConditionKind kind, Condition *to, Condition *member)
{
    if (s->failed) return NULL;
    to = condition_join(kind, to, member, s->arena);
    if (!to) return scan_no_memory(s);
    check_depth(s, to);
    return to;
}

void scan_relate(Scan *s, Condition *condition, Condition *more)
{
    for (int k = 0; k < condition->n && !s->failed; k++) {
        scan_relate(s, condition->kid[k], more);
        if (condition->depth <= condition->kid[k]->depth) condition->depth = condition->kid[k]->depth + 1;
    }
    if (condition->kind != CONDITION_NODE || s->failed) return;
    condition->below = scan_join(s, CONDITION_AND, condition->below, more);
    if (s->failed) return;
    condition->depth = condition->below->depth + 1;
    more->shared = true;
    check_depth(s, condition);
}

bool scan_read(Scan *s, void (*read)(Scan *s))
{
    const char *found;
    size_t fault = text_fault(s->text, &found);
    if (fault < s->text.len) scan_fail(s, fault, ERR_FORMAT, "%s", found);
    else scan_next(s);
    if (!s->failed) read(s);
    if (!s->failed && s->token.kind != TOKEN_END) scan_expected(s, "a relation or the end of the pattern");
    return !s->failed;
}
