/* Whole words are looked up in one table, characters beyond ASCII in another; words
 * that need no change are not copied. */
#include "embeddings/piece_spelling.h"

#include <string.h>

/* A whole word and what it becomes. */
static const char *const WHOLE[][2] = {
    { "-LRB-", "(" }, { "-RRB-", ")" }, { "-LSB-", "[" }, { "-RSB-", "]" }, { "-LCB-", "{" },
    { "-RCB-", "}" }, { "``", "\"" },   { "''", "\"" },   { "`", "'" },
};
/* Characters anywhere in a word: “ ” „ ‟ « », ‘ ’ ‚ ‛, – — */
static const char *const CHARACTERS[][2] = {
    { "\xE2\x80\x9C", "\"" }, { "\xE2\x80\x9D", "\"" }, { "\xE2\x80\x9E", "\"" }, { "\xE2\x80\x9F", "\"" },
    { "\xC2\xAB", "\"" },     { "\xC2\xBB", "\"" },     { "\xE2\x80\x98", "'" },  { "\xE2\x80\x99", "'" },
    { "\xE2\x80\x9A", "'" },  { "\xE2\x80\x9B", "'" },  { "\xE2\x80\x93", "--" }, { "\xE2\x80\x94", "--" },
};
enum { N_WHOLE = sizeof WHOLE / sizeof *WHOLE, N_CHARACTERS = sizeof CHARACTERS / sizeof *CHARACTERS };

/* The replacement of the character at s, *used its bytes; NULL: it stays. */
static const char *replacement(const char *s, size_t *used)
{
    for (int k = 0; (unsigned char)s[0] >= 0x80 && k < N_CHARACTERS; k++) {
        *used = strlen(CHARACTERS[k][0]);
        if (strncmp(s, CHARACTERS[k][0], *used) == 0) return CHARACTERS[k][1];
    }
    *used = 1;
    return NULL;
}

/* NULL when out of memory. */
static const char *spell(const char *word, bool ascii, Arena *a)
{
    for (int k = 0; k < N_WHOLE; k++)
        if (strcmp(word, WHOLE[k][0]) == 0) return WHOLE[k][1];
    size_t used;
    bool changes = false;
    for (const char *s = word; ascii && *s && !changes; s += used) changes = replacement(s, &used) != NULL;
    if (!changes) return word;
    char *copy = arena_alloc(a, strlen(word) + 1, 1), *to = copy; /* no replacement is longer */
    for (const char *s = word; copy && *s; s += used) {
        const char *by = replacement(s, &used);
        size_t n = by ? strlen(by) : used;
        memcpy(to, by ? by : s, n);
        to += n;
    }
    if (copy) *to = 0;
    return copy;
}

const char **piece_spelling(const char *const *words, int n, bool ascii, Arena *arena)
{
    const char **out = arena_alloc(arena, (size_t)n + 1, sizeof *out);
    for (int w = 0; w < n && out; w++) {
        out[w] = spell(words[w], ascii, arena);
        if (!out[w]) return NULL;
    }
    return out;
}
