/* Two tables: words that are joined to the one before, and the words before which
 * some of them are. */
#include "language/english/ud/ud_tokens.h"

#include <string.h>

#include "language/english/text/signs.h"

/* A word that never stands alone, with the tags it has then; tags NULL: any tag. */
static const struct {
    const char *word, *tags;
} CLITICS[] = {
    { "n't", NULL },    { "nt", "RB" },    { "'s", NULL },         { "'re", NULL }, { "'m", NULL },
    { "'ve", NULL },    { "'ll", NULL },   { "'d", NULL },         { "'", "POS" },  { "not", "RB" },
    { "na", "TO" },     { "ta", "TO IN" }, { "s", "POS VBZ PRP" }, { "m", "VBP" },  { "re", "VBP" },
    { "ve", "VBP VB" }, { "ll", "MD" },    { "d", "MD VBD" },      { "r", "VBP" },  { "'em", "PRP" },
    { "no", "VB RB" },  { "all", "DT" },   { "cha", "PRP" },       { "ya", "PRP" }, { "`s", NULL },
};

/* "not" and other whole words are clitics only after these: can-not, y'-all, d'-ye. */
static const struct {
    const char *word, *before;
} AFTER[] = {
    { "not", "can" }, { "all", "y'" }, { "all", "y" }, { "no", "n" }, { "ya", "d'" }, { "cha", "got" },
};

static bool listed(const char *tag, const char *tags)
{
    const char *p = strstr(tags, tag);
    size_t n = strlen(tag);
    return p && (p == tags || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0);
}

/* May `word` follow `before` in one token? */
static bool is_clitic(const char *before, const char *word, const char *tag)
{
    bool found = false, limited = false, allowed = false;
    for (size_t k = 0; k < sizeof CLITICS / sizeof *CLITICS && !found; k++)
        found = signs_same(word, CLITICS[k].word) && (!CLITICS[k].tags || !tag || listed(tag, CLITICS[k].tags));
    for (size_t k = 0; k < sizeof AFTER / sizeof *AFTER; k++)
        if (signs_same(word, AFTER[k].word)) {
            limited = true;
            allowed |= signs_same(before, AFTER[k].before);
        }
    return found && (!limited || allowed);
}

static bool has_letter(const char *s)
{
    for (; *s; s++)
        if ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (unsigned char)*s >= 0x80) return true;
    return false;
}

static const char *joined(const Sentence *sent, int begin, int end, Arena *arena)
{
    size_t len = 0;
    for (int w = begin; w < end; w++) len += strlen(sent->words[w]);
    char *form = arena_alloc(arena, len + 1, 1), *p = form;
    for (int w = begin; form && w < end; w++) {
        size_t n = strlen(sent->words[w]);
        memcpy(p, sent->words[w], n);
        p += n;
    }
    if (form) *p = 0;
    return form;
}

bool ud_tokens(const Sentence *sent, const bool *glued, Arena *arena, const WordRange **ranges, int *n)
{
    WordRange *found = NULL;
    *ranges = NULL;
    *n = 0;
    for (int w = 0; w + 1 < sent->n_words; w++) {
        int end = w + 1;
        while (end < sent->n_words && glued[end - 1] && (end > w + 1 || has_letter(sent->words[w])) &&
               is_clitic(sent->words[end - 1], sent->words[end], sent->tags ? sent->tags[end] : NULL))
            end++;
        if (end == w + 1) continue;
        if (!found) *ranges = found = arena_alloc(arena, (size_t)sent->n_words, sizeof *found);
        const char *form = joined(sent, w, end, arena);
        if (!found || !form) return false;
        found[(*n)++] = (WordRange){ w, end, form, 0 };
        w = end - 1;
    }
    return true;
}
