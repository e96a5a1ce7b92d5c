/* Sentences of treebanks as text to learn from. */
#include <string.h>

#include "language/trained/trained_internal.h"

/* What the lines of a sentence say besides its words. */
typedef struct Spacing {
    const char *text; /* of "# text", or NULL */
    bool paragraph, any_glued;
    bool *glued; /* [n_words] after the word; after a range: at its last word */
} Spacing;

static bool begins_with(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

/* Has the last column of a row the item SpaceAfter=No? */
static bool is_glued(const char *row)
{
    const char *misc = strrchr(row, '\t');
    for (const char *p = misc; p && *p; p = strchr(p + 1, '|')) {
        const char *after = p + 1 + strlen("SpaceAfter=No");
        if (begins_with(p + 1, "SpaceAfter=No") && (!*after || *after == '|')) return true;
    }
    return false;
}

static void read_comment(Spacing *x, const char *line)
{
    if (begins_with(line, "# text = ")) x->text = line + strlen("# text = ");
    if (begins_with(line, "# newpar") || begins_with(line, "# newdoc")) x->paragraph = true;
}

static bool read_spacing(Spacing *x, const Sentence *s, Arena *a)
{
    int last = -1; /* of the range that is open */
    bool range_glued = false;
    *x = (Spacing){ .glued = arena_calloc(a, (size_t)s->n_words, sizeof *x->glued) };
    for (int k = 0; x->glued && k < s->n_lines; k++) {
        const char *line = s->lines[k].text;
        int w = s->lines[k].word, number;
        const char *dash = strchr(line, '-');
        size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
        if (line[0] == '#') read_comment(x, line);
        else if (w >= 0) {
            x->glued[w] = w == last ? range_glued : is_glued(line);
            x->any_glued |= x->glued[w];
        } else if (dash && strspn(line, "0123456789") == (size_t)(dash - line) &&
                   text_number((StrView){ dash + 1, digits }, &number)) {
            last = number - 1;
            range_glued = is_glued(line);
        }
    }
    return x->glued != NULL;
}

/* ---- tokens */

static bool add_token(TrainedGold *g, const char *form, const char *const *words, int n, bool multiword, bool blank)
{
    if (!form || !mem_reserve(g->token, &g->cap, g->n + 1)) return false;
    g->token[g->n++] = (TrainedGoldToken){ form, words, n, multiword, blank };
    return true;
}

/* Each word, or range, is a token. */
static bool add_words(TrainedGold *g, const Sentence *s, const Spacing *x)
{
    int r = 0;
    for (int w = 0; w < s->n_words;) {
        bool range = r < s->n_ranges && s->ranges[r].begin == w;
        int n = range ? s->ranges[r].end - w : 1;
        const char *form = range ? s->ranges[r++].form : s->words[w];
        if (!add_token(g, form, &s->words[w], n, n > 1, !x->glued[w + n - 1])) return false;
        w += n;
    }
    return true;
}

/* ---- tokens of "# text" that stand for several words */

enum { MOST_WORDS = 24, MOST_BYTES = 160, RANGE_WORDS = 4 };
enum { RANGE_COST = 100, WORD_COST = 10, UNKNOWN_COST = 1 << 20 };

static bool begins_with_letter(const char *word)
{
    size_t i = 0;
    return utf8_is_letter(utf8_next(word, strlen(word), &i));
}

/* The bytes of the character at `at` if it may be in a multiword token, else 0. */
static size_t range_char(StrView text, size_t at)
{
    size_t i = at;
    int32_t c = utf8_next(text.ptr, text.len, &i);
    return utf8_is_letter(c) || c == '-' || c == '\'' || c == 0x2019 ? i - at : 0;
}

typedef struct Cell { /* the cheapest way to read the first i words from the first j bytes */
    int cost, words;
    size_t bytes; /* of the last token */
} Cell;
typedef Cell Cells[MOST_WORDS + 1][MOST_BYTES + 1];

static void reach(Cells c, int i, size_t j, int words, size_t bytes, int cost)
{
    Cell *to = &c[i + words][j + bytes];
    if (c[i][j].cost + cost < to->cost) *to = (Cell){ c[i][j].cost + cost, words, bytes };
}

static void fill(Cells c, const char *const *words, int n, StrView text)
{
    for (int i = 0; i <= n; i++)
        for (size_t j = 0; j <= text.len; j++) c[i][j].cost = i || j ? UNKNOWN_COST : 0;
    for (int i = 0; i < n; i++)
        for (size_t j = 0; j < text.len; j++) {
            size_t len = strlen(words[i]), bytes = 0, more;
            if (c[i][j].cost >= UNKNOWN_COST) continue;
            if (len <= text.len - j && memcmp(words[i], text.ptr + j, len) == 0) reach(c, i, j, 1, len, 0);
            while (j + bytes < text.len && (more = range_char(text, j + bytes))) {
                bytes += more;
                for (int k = 1; k <= RANGE_WORDS && i + k <= n && begins_with_letter(words[i + k - 1]); k++)
                    if (k > 1) reach(c, i, j, k, bytes, RANGE_COST + WORD_COST * k + (int)bytes);
            }
        }
}

/* Adds the tokens of n glued words that are spelled otherwise in the text. *found: there is a way to read them. */
static bool add_spelled(TrainedGold *g, const char *const *words, int n, StrView text, bool blank, bool *found)
{
    *found = n <= MOST_WORDS && text.len <= MOST_BYTES;
    if (!*found) return true;
    Cell(*c)[MOST_BYTES + 1] = mem_alloc(sizeof(Cells), 1);
    if (!c) return false;
    fill(c, words, n, text);
    *found = c[n][text.len].cost < UNKNOWN_COST;
    int first = g->n, i = n;
    bool ok = true;
    for (size_t j = text.len; ok && *found && i > 0;) {
        Cell x = c[i][j];
        i -= x.words;
        j -= x.bytes;
        const char *form = arena_strndup(&g->arena, text.ptr + j, x.bytes);
        ok = add_token(g, form, words + i, x.words, x.words > 1, g->n == first && blank);
    }
    for (int a = first, b = g->n - 1; a < b; a++, b--) { /* they were added from the end */
        TrainedGoldToken t = g->token[a];
        g->token[a] = g->token[b];
        g->token[b] = t;
    }
    mem_free(c);
    return ok;
}

static size_t blanks_in(const char *word)
{
    size_t n = 0;
    for (; *word; word++) n += *word == ' ';
    return n;
}

/* The bytes until the white space after `blanks` blanks. */
static size_t chunk_length(const char *text, size_t blanks)
{
    size_t n = 0;
    while (text[n] && (text[n] != ' ' || blanks)) blanks -= text[n++] == ' ';
    return n;
}

/* Adds tokens of the text that words which no white space separates stand for; *found is false if they do not. */
static bool add_from_text(TrainedGold *g, const Sentence *s, const Spacing *x, bool *found)
{
    const char *text = x->text;
    bool ok = true;
    *found = true;
    for (int w = 0, end; ok && *found && w < s->n_words; w = end) {
        size_t blanks = 0, at = 0;
        for (end = w; end < s->n_words; end++) {
            blanks += blanks_in(s->words[end]);
            if (!x->glued[end]) break;
        }
        end += end < s->n_words;
        text += strspn(text, " ");
        size_t len = chunk_length(text, blanks);
        bool same = true;
        for (int k = w; k < end && same; k++) {
            size_t n = strlen(s->words[k]);
            same = n <= len - at && memcmp(s->words[k], text + at, n) == 0;
            at += n;
        }
        if (same && at == len)
            for (int k = w; k < end && ok; k++) ok = add_token(g, s->words[k], &s->words[k], 1, false, !x->glued[k]);
        else ok = add_spelled(g, &s->words[w], end - w, (StrView){ text, len }, !x->glued[end - 1], found);
        text += len;
    }
    *found = *found && !text[strspn(text, " ")];
    return ok;
}

static bool add_sentence(TrainedGold *g, const Sentence *s, const Spacing *x)
{
    int first = g->n;
    bool found = false;
    if (!mem_reserve(g->sentence, &g->sentence_cap, g->n_sentences + 2) ||
        !mem_reserve(g->paragraph, &g->paragraph_cap, g->n_sentences + 1))
        return false;
    if (x->text && !s->n_ranges && !add_from_text(g, s, x, &found)) return false;
    if (!found) g->n = first;
    if (!found && !add_words(g, s, x)) return false;
    g->sentence[g->n_sentences] = first;
    g->paragraph[g->n_sentences++] = x->paragraph;
    g->sentence[g->n_sentences] = g->n;
    return true;
}

/* ---- words alone */

static bool is_unspaced(int32_t c)
{
    bool southeast = (c >= 0x0E00 && c < 0x0F00) || (c >= 0x1000 && c < 0x10A0) || (c >= 0x1780 && c < 0x1800);
    return southeast || (c >= 0x2E80 && utf8_is_letter(c) && utf8_width(c) == 2 && !(c >= 0xAC00 && c < 0xD7B0));
}

static bool has_unspaced(const char *form, long *letters, long *unspaced)
{
    size_t len = strlen(form);
    bool any = false;
    for (size_t i = 0; i < len;) {
        int32_t c = utf8_next(form, len, &i);
        *letters += utf8_is_letter(c);
        *unspaced += is_unspaced(c);
        any |= is_unspaced(c);
    }
    return any;
}

static bool is_ascii_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/* Sets the blanks between words of which nothing is known. */
static void guess_blanks(TrainedGold *g)
{
    long letters = 0, unspaced = 0;
    for (int k = 0; k < g->n; k++) has_unspaced(g->token[k].form, &letters, &unspaced);
    bool none = 2 * unspaced > letters;
    for (int k = 0; k < g->n; k++) {
        const char *form = g->token[k].form;
        bool latin = k + 1 < g->n && is_ascii_word(form[strlen(form) - 1]) && is_ascii_word(g->token[k + 1].form[0]);
        g->token[k].blank = !none || latin;
    }
}

enum { SPACED_SHARE = 10 }; /* one sentence of ten has a blank: then blanks separate words */

static void look_at_blanks(TrainedGold *g)
{
    int spaced = 0, several = 0;
    for (int s = 0; s < g->n_sentences; s++) {
        int k = g->sentence[s], last = g->sentence[s + 1] - 1;
        several += k < last;
        while (k < last && !g->token[k].blank) k++;
        spaced += k < last;
    }
    g->blanks = !several || SPACED_SHARE * spaced > several;
    for (int s = 0; s < g->n_sentences && !g->blanks; s++) g->token[g->sentence[s + 1] - 1].blank = false;
}

static void look_at_letters(TrainedGold *g)
{
    long letters = 0, cased = 0;
    for (int k = 0; k < g->n; k++)
        for (size_t i = 0, len = strlen(g->token[k].form); i < len;) {
            int32_t c = utf8_next(g->token[k].form, len, &i);
            letters += utf8_is_letter(c);
            cased += utf8_is_upper(c) || utf8_is_lower(c);
        }
    g->cased = 2 * cased > letters;
}

Status trained_gold(TrainedGold *gold, const Sentence *sentences, int n, Error *error)
{
    *gold = (TrainedGold){ 0 };
    bool ok = true, known = false;
    arena_init(&gold->arena, 1 << 16);
    for (int k = 0; ok && k < n; k++) {
        Spacing x;
        if (!sentences[k].n_words) continue;
        ok = read_spacing(&x, &sentences[k], &gold->arena) && add_sentence(gold, &sentences[k], &x);
        known |= ok && (x.text || x.any_glued);
    }
    if (!ok) return error_set(error, ERR_NOMEM, "out of memory learning to segment text");
    if (!gold->n) return error_set(error, ERR_FORMAT, "found no word to learn from");
    if (!known) guess_blanks(gold);
    look_at_blanks(gold);
    look_at_letters(gold);
    return OK;
}

void trained_gold_fini(TrainedGold *gold)
{
    mem_free_each(gold->token, gold->sentence, gold->paragraph);
    arena_fini(&gold->arena);
    *gold = (TrainedGold){ 0 };
}
