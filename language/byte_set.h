/* Sets of bytes, for the readers of shapes: which bytes of a text stand there? */
#pragma once

#include "base/text.h"

enum { LONGEST = 256 }; /* bytes of a shape that are looked at */

/* A set of bytes is a string; these control characters stand for the letters and digits of ASCII. */
#define LOWER "\1"
#define UPPER "\2"
#define DIGITS "\3"
#define LETTERS LOWER UPPER

/* Is c in the set? A set that the compiler knows becomes a few comparisons. */
static inline bool is_in(char c, const char *set)
{
    for (; *set; set++) {
        bool found = *set == LOWER[0]    ? c >= 'a' && c <= 'z'
                     : *set == UPPER[0]  ? c >= 'A' && c <= 'Z'
                     : *set == DIGITS[0] ? c >= '0' && c <= '9'
                                         : c == *set;
        if (found) return true;
    }
    return false;
}

static inline bool in(StrView v, size_t i, const char *set) { return i < v.len && is_in(v.ptr[i], set); }

/* The first byte from i on that is not in the set, or byte LONGEST. */
static inline size_t skip(StrView v, size_t i, const char *set)
{
    size_t most = v.len < LONGEST ? v.len : LONGEST;
    while (i < most && in(v, i, set)) i++;
    return i;
}

static inline bool begins(StrView v, const char *s)
{
    if (v.len == 0 || v.ptr[0] != s[0]) return false; /* most texts, without a call */
    return v.len >= strlen(s) && memcmp(v.ptr, s, strlen(s)) == 0;
}

static inline StrView rest(StrView v, size_t i) { return (StrView){ v.ptr + i, v.len - i }; }

/* The length of the first text of the list that v begins with; 0: with none. */
static inline size_t begins_one(StrView v, const char *const *list)
{
    while (*list && !begins(v, *list)) list++;
    return *list ? strlen(*list) : 0;
}
