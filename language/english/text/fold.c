/* Characters inside words by one table; then quotes, whose direction is taken from the
 * tag, the blanks, or the quotes before. */
#include "language/english/text/fold.h"

#include <string.h>

#include "base/text.h"

enum {
    APOSTROPHE = '\'',
    QUOTE = '"',
    SOFT_HYPHEN = 0xAD,
    LEFT_GUILLEMET = 0xAB,
    RIGHT_GUILLEMET = 0xBB,
    MODIFIER_APOSTROPHE = 0x2BC,
    ZERO_WIDTH_SPACE = 0x200B,
    HYPHEN = 0x2010,
    NO_BREAK_HYPHEN = 0x2011,
    LEFT_SINGLE = 0x2018,
    RIGHT_SINGLE = 0x2019,
    LOW_SINGLE = 0x201A,
    LEFT_DOUBLE = 0x201C,
    RIGHT_DOUBLE = 0x201D,
    LOW_DOUBLE = 0x201E,
    REVERSED_DOUBLE = 0x201F,
    ELLIPSIS = 0x2026,
    LEFT_ANGLE = 0x2039,
    RIGHT_ANGLE = 0x203A,
    BYTE_ORDER_MARK = 0xFEFF
};

/* ---- words of one character */

/* The only character of a word; -1 if the word has none or several. */
static int32_t only_character(const char *word)
{
    size_t len = strlen(word), i = 0;
    int32_t cp = len ? utf8_next(word, len, &i) : -1;
    return i == len ? cp : -1;
}

/* The spelling of a quote whose direction its character shows; NULL: something else. */
static const char *directed(int32_t cp)
{
    switch (cp) {
    case LEFT_DOUBLE:
    case LOW_DOUBLE:
    case REVERSED_DOUBLE:
    case LEFT_GUILLEMET: return "``";
    case RIGHT_DOUBLE:
    case RIGHT_GUILLEMET: return "''";
    case LEFT_SINGLE:
    case LOW_SINGLE:
    case LEFT_ANGLE: return "`";
    case RIGHT_SINGLE:
    case RIGHT_ANGLE: return "'";
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

/* The spelling of a character inside a word; NULL: it stays. */
static const char *inside(int32_t cp)
{
    switch (cp) {
    case RIGHT_SINGLE:
    case LEFT_SINGLE:
    case MODIFIER_APOSTROPHE: return "'";
    case HYPHEN:
    case NO_BREAK_HYPHEN: return "-";
    case ELLIPSIS: return "...";
    case SOFT_HYPHEN:
    case ZERO_WIDTH_SPACE:
    case BYTE_ORDER_MARK: return "";
    default: return NULL;
    }
}

static bool is_ascii(const char *word)
{
    while (*word && (unsigned char)*word < 128) word++;
    return !*word;
}

/* NULL when out of memory. */
static const char *fold_characters(const char *word, Arena *a)
{
    size_t len = strlen(word), n = 0;
    char *out = arena_alloc(a, len + 1, 1); /* no spelling is longer than its character in UTF-8 */
    if (!out) return NULL;
    for (size_t i = 0; i < len;) {
        size_t from = i;
        const char *spelling = inside(utf8_next(word, len, &i));
        size_t bytes = spelling ? strlen(spelling) : i - from;
        memcpy(out + n, spelling ? spelling : word + from, bytes);
        n += bytes;
    }
    out[n] = 0;
    return n ? out : word; /* nothing but what is dropped */
}

const char **fold_words(const char *const *words, const char *const *tags, const bool *space_before, int n,
                        Arena *arena)
{
    Line x = { words, tags, space_before, n };
    const char **out = arena_alloc(arena, (size_t)n, sizeof *out);
    bool open = false;
    for (int w = 0; out && w < n; w++) {
        int32_t cp = only_character(words[w]);
        const char *quote = directed(cp);
        if (cp == QUOTE) quote = (open = quote_opens(&x, w, open)) ? "``" : "''";
        else if (cp == APOSTROPHE) quote = quote_opens(&x, w, true) ? "`" : "'";
        out[w] = quote ? quote : is_ascii(words[w]) ? words[w] : fold_characters(words[w], arena);
        if (!out[w]) return NULL;
    }
    return out;
}
