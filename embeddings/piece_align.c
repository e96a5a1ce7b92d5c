/* embeddings/piece_align.c */
#include "embeddings/piece_align.h"

#include <string.h>

void piece_align_fini(PieceSentence *p)
{
    mem_free(p->id);
    mem_free(p->word);
    *p = (PieceSentence){ 0 };
}

static bool put(PieceSentence *p, int id)
{
    if (!mem_reserve(p->id, &p->cap_id, p->n + 1)) return false;
    p->id[p->n++] = id;
    return true;
}

Status piece_align_words(const PieceTokenizer *t, const char *const *words, int n_words, PieceSentence *out, Error *e)
{
    Pieces pieces = { 0 };
    Status s = OK;
    out->n = out->n_words = 0;
    bool fits = mem_reserve(out->word, &out->cap_word, n_words + 1) && put(out, t->first);
    for (int w = 0; w < n_words && fits && s == OK; w++) {
        out->word[w] = out->n;
        pieces_clear(&pieces);
        s = piece_tokenizer_encode_word(t, (StrView){ words[w], strlen(words[w]) }, &pieces, e);
        for (int k = 0; k < pieces.n && fits && s == OK; k++) fits = put(out, pieces.p[k].id);
    }
    if (fits && s == OK) {
        out->word[n_words] = out->n;
        out->n_words = n_words;
        fits = put(out, t->last);
    }
    pieces_fini(&pieces);
    return fits ? s : error_set(e, ERR_NOMEM, "out of memory for the pieces of a sentence");
}

void piece_align_places(const Pieces *p, const int *begin, const int *end, int n_words, int *first, int *past)
{
    int k = 0;
    for (int w = 0; w < n_words; w++) {
        while (k < p->n && (p->p[k].end <= begin[w] || p->p[k].begin == p->p[k].end)) k++;
        first[w] = k;
        past[w] = k;
        for (int i = k; i < p->n && p->p[i].begin < end[w]; i++)
            if (p->p[i].end > p->p[i].begin) past[w] = i + 1;
        if (past[w] > first[w]) k = past[w] - 1; /* the last one may belong to the next word, too */
    }
}

/* ---- spellings */

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
static const char *spell(const char *word, Arena *a)
{
    for (int k = 0; k < N_WHOLE; k++)
        if (strcmp(word, WHOLE[k][0]) == 0) return WHOLE[k][1];
    size_t used;
    bool changes = false;
    for (const char *s = word; *s && !changes; s += used) changes = replacement(s, &used) != NULL;
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

const char **piece_align_spell(const char *const *words, int n, Arena *a)
{
    const char **out = arena_alloc(a, (size_t)n + 1, sizeof *out);
    for (int w = 0; w < n && out; w++) {
        out[w] = spell(words[w], a);
        if (!out[w]) return NULL;
    }
    return out;
}
