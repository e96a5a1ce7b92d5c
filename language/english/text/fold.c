/* Characters inside words by the table of signs; then quotes, whose direction is taken from the
 * tag, the blanks, or the quotes before. */
#include "language/english/text/fold.h"

#include <string.h>

#include "language/english/text/signs.h"

enum { APOSTROPHE = '\'', QUOTE = '"' };

/* ---- words of one character */

/* The only character of a word; -1 if the word has none or several. */
static int32_t only_character(const char *word)
{
    size_t len = strlen(word), i = 0;
    int32_t cp = len ? signs_next(word, len, &i) : -1;
    return i == len ? cp : -1;
}

/* The spelling of a quote whose direction its character shows; NULL: something else. */
static const char *directed(int32_t cp)
{
    switch (cp) {
    case 0x93:   /* U+0091 to U+0094 of Windows-1252 */
    case 0x201C: /* “ „ ‟ « 「 『 */
    case 0x201E:
    case 0x201F:
    case 0xAB:
    case 0x300C:
    case 0x300E: return "``";
    case 0x94:
    case 0x201D: /* ” » 」 』 */
    case 0xBB:
    case 0x300D:
    case 0x300F: return "''";
    case 0x91:
    case 0x2018: /* ‘ ‚ ‛ ‹ */
    case 0x201A:
    case 0x201B:
    case 0x2039: return "`";
    case 0x92:
    case 0x2019: /* ’ › */
    case 0x203A: return "'";
    default: return NULL;
    }
}

typedef struct Line { /* a sentence */
    const char *const *words, *const *tags;
    const bool *space_before;
    int n;
} Line;

static bool one_of(const char *word, const char *characters)
{
    return word[0] && !word[1] && strchr(characters, word[0]);
}

static bool starts_lower(const char *word)
{
    size_t i = 0;
    return word[0] && utf8_is_lower(utf8_next(word, strlen(word), &i));
}

/* Whether the straight quote at word w opens a quotation; open: one is open already. */
static bool quote_opens(const Line *x, int w, bool open)
{
    const char *tag = x->tags ? x->tags[w] : NULL;
    if (tag) return strcmp(tag, "``") == 0;
    if (x->space_before) {
        bool before = x->space_before[w] || (w > 0 && one_of(x->words[w - 1], "([{"));
        bool after = w + 1 == x->n || x->space_before[w + 1];
        if (before != after) return before;
    }
    if (w == 0) return true;
    if (w + 1 == x->n || open) return false;
    return !(one_of(x->words[w - 1], ",.!?") && starts_lower(x->words[w + 1]));
}

/* ---- any word */

/* NULL when out of memory. */
static const char *fold_characters(const char *word, StrBuf *scratch, Arena *a)
{
    strbuf_clear(scratch);
    signs_fold(scratch, word);
    if (scratch->failed) return NULL;
    return strcmp(scratch->ptr, word) == 0 ? word : arena_strndup(a, scratch->ptr, scratch->len);
}

const char **fold_words(const char *const *words, const char *const *tags, const bool *space_before, int n,
                        Arena *arena)
{
    Line x = { words, tags, space_before, n };
    StrBuf scratch = { 0 };
    const char **out = arena_alloc(arena, (size_t)n, sizeof *out);
    bool open = false;
    for (int w = 0; out && w < n; w++) {
        int32_t cp = only_character(words[w]);
        const char *quote = directed(cp);
        if (!quote) cp = signs_read(cp);
        if (cp == QUOTE) quote = (open = quote_opens(&x, w, open)) ? "``" : "''";
        else if (cp == APOSTROPHE) quote = quote_opens(&x, w, true) ? "`" : "'";
        out[w] = quote ? quote : signs_is_plain(words[w]) ? words[w] : fold_characters(words[w], &scratch, arena);
        if (!out[w]) out = NULL;
    }
    strbuf_fini(&scratch);
    return out;
}
