/* Names are compared by edit distance: a swap of neighbours is one edit, capitals and the kind of
 * dash are none, and longer names may differ more. */
#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 48 }; /* longer names are not compared */

static char folded(char c) { return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* d[i][j] is the distance of the first i characters of a and the first j of b; three rows are kept. */
static int distance(StrView a, StrView b)
{
    int rows[3][NAME_MOST + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= b.len; j++) last[j] = (int)j;
    for (size_t i = 1; i <= a.len; i++) {
        now[0] = (int)i;
        for (size_t j = 1; j <= b.len; j++) {
            char x = folded(a.ptr[i - 1]), y = folded(b.ptr[j - 1]);
            int d = last[j - 1] + (x != y);
            if (last[j] + 1 < d) d = last[j] + 1;
            if (now[j - 1] + 1 < d) d = now[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && x == folded(b.ptr[j - 2]) && y == folded(a.ptr[i - 2]);
            if (swapped && before[j - 2] + 1 < d) d = before[j - 2] + 1;
            now[j] = d;
        }
        int *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[b.len];
}

static bool begins(StrView name, StrView with)
{
    if (with.len < 2 || name.len < with.len) return false;
    for (size_t k = 0; k < with.len; k++)
        if (folded(name.ptr[k]) != folded(with.ptr[k])) return false;
    return true;
}

Suggestion suggest_for(const char *typed, size_t len)
{
    int most = len < 2 ? 0 : len <= 4 ? 1 : len <= 8 ? 2 : 3;
    return (Suggestion){ .typed = { typed, len }, .distance = most + 1 };
}

void suggest_name(Suggestion *suggestion, const char *name, size_t len)
{
    StrView n = { name, len };
    if (suggestion->typed.len > NAME_MOST || len > NAME_MOST || !len) return;
    int d = distance(suggestion->typed, n);
    if (d > 1 && begins(n, suggestion->typed)) d = 1;
    if (d >= suggestion->distance || (size_t)d >= len) return;
    suggestion->distance = d;
    suggestion->best = n;
}

void suggest_choices(Suggestion *suggestion, const char *choices)
{
    for (const char *p = choices; *p;) {
        size_t len = strcspn(p, "|");
        suggest_name(suggestion, p, len);
        p += len + (p[len] == '|');
    }
}

SuggestionText suggest_text(const Suggestion *suggestion, const char *before)
{
    SuggestionText t = { "" };
    char name[NAME_MOST + 1];
    size_t n = suggestion->best.len;
    if (!n) return t;
    memcpy(name, suggestion->best.ptr, n);
    name[n] = 0;
    for (char *p = name; *before && *p; p++) /* an option, as it is written on the command line */
        if (*p == '_') *p = '-';
    snprintf(t.text, sizeof t.text, "; did you mean '%s%s'?", before, name);
    return t;
}
