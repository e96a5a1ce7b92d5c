/* Each function returns the length in bytes of the address at the beginning of a text, or 0. */
#include "language/address.h"

#include "language/byte_set.h"

/* The length of a curly quote or ellipsis at byte i, else 0. */
static size_t quote_at(StrView v, size_t i)
{
    return in(v, i, "\xe2") && in(v, i + 1, "\x80") && in(v, i + 2, "\x98\x99\x9c\x9d\xa6") ? 3 : 0;
}

size_t address_trimmed(StrView v, size_t n)
{
    static const char open[] = "([{", close[] = ")]}";
    long depth[3] = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (!in(v, i, "([{)]}")) continue;
        const char *o = strchr(open, v.ptr[i]), *c = strchr(close, v.ptr[i]);
        if (o && *o) depth[o - open]++;
        if (c && *c) depth[c - close]--;
    }
    while (n > 0) {
        const char *c = strchr(close, v.ptr[n - 1]);
        if (c && *c) {
            if (depth[c - close]++ >= 0) break;
            n--;
        } else if (in(v, n - 1, ".,;:!?'*")) n--;
        else if (n >= 3 && quote_at(v, n - 3)) n -= 3;
        else break;
    }
    return n;
}

/* The end of an address that begins with v [n]. */
static size_t address_end(StrView v, size_t n)
{
    while (n < v.len && !in(v, n, "<>\"") && (!quote_at(v, n) || in(v, n + 2, "\x99"))) n++;
    return address_trimmed(v, n);
}

static size_t url(StrView v)
{
    static const char *const starts[] = { "http:", "https:", "www.", "mailto:", "doi:10.", "ftp:", NULL };
    size_t n = skip(v, 0, LETTERS DIGITS "+-"), end;
    bool scheme = n > 1 && begins(rest(v, n), "://");
    if (!scheme && !begins_one(v, starts)) return 0;
    end = address_end(v, n);
    return end > n + (scheme ? 3 : 1) ? end : 0;
}

static size_t mail(StrView v)
{
    size_t at = skip(v, 0, LETTERS DIGITS "._%+='~-");
    if (!in(v, 0, LETTERS DIGITS "_") || !in(v, at, "@")) return 0;
    size_t n = skip(v, at + 1, LETTERS DIGITS ".-");
    while (n > at && in(v, n - 1, ".-")) n--;
    if (n < at + 4 || !memchr(v.ptr + at, '.', n - at)) return 0;
    size_t end = in(v, n, ":") ? address_trimmed(v, skip(v, n, LETTERS DIGITS ":/._~-")) : n; /* git@example.org:a/b */
    return end > n && memchr(v.ptr + n, '/', end - n) ? end : n;
}

/* example.org, and example.ly where a path follows. */
static size_t domain(StrView v)
{
    static const char sure[] = "com org net edu gov mil";
    static const char second[] = "co com org net ac gov edu";
    size_t n = skip(v, 0, LETTERS DIGITS ".-"), dot, before;
    while (n > 0 && in(v, n - 1, ".-")) n--;
    for (dot = n; dot > 0 && v.ptr[dot - 1] != '.';) dot--;
    size_t len = n - dot;
    if (dot < 2 || len < 2 || len > 4 || !in(v, 0, LETTERS DIGITS) || skip(v, 0, DIGITS ".-") == n) return 0;
    bool path = in(v, n, "/") && (n + 1 == v.len || in(v, n + 1, LETTERS DIGITS "~?#"));
    char tld[8] = { 0 };
    for (size_t i = 0; i < len; i++) tld[i] = (char)(v.ptr[dot + i] | 32);
    bool lower = memcmp(tld, v.ptr + dot, len) == 0;
    for (before = dot - 1; before > 0 && v.ptr[before - 1] != '.';) before--;
    if (skip(v, dot, LETTERS) != n || (!lower && !in(v, 0, UPPER))) return 0;
    if (path && lower) return address_end(v, n);
    if (text_among(tld, sure)) return n;
    return lower && len == 2 && before > 0 && text_view_among((StrView){ v.ptr + before, dot - 1 - before }, second)
               ? n
               : 0;
}

/* Each address has . : or @ after other characters of addresses; most words have none. */
size_t address_length(StrView view)
{
    return in(view, skip(view, 0, LETTERS DIGITS "_%+='~-"), ".:@") ? address_search(view) : 0;
}

size_t address_search(StrView view)
{
    size_t n = url(view);
    if (!n) n = mail(view);
    return n ? n : domain(view);
}
