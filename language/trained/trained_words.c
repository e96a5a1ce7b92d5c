/* The words of multiword tokens. */
#include <stdlib.h>
#include <string.h>

#include "language/trained/trained_internal.h"

enum { CONTEXT = 3 }; /* characters next to what a rule replaces, at most */

bool trained_pairs_add(TrainedPairs *pairs, const char *from, const char *to)
{
    if (!from || !to || !mem_reserve(pairs->pair, &pairs->cap, pairs->n + 1)) return false;
    pairs->pair[pairs->n++] = (TrainedPair){ from, to };
    return true;
}

/* ---- learning */

static int by_from_and_to(const void *a, const void *b)
{
    const TrainedPair *x = a, *y = b;
    int order = strcmp(x->from, y->from);
    return order ? order : strcmp(x->to, y->to);
}

/* Sorts the pairs and keeps for each `from` the most frequent `to`, the first of several. */
static void keep_most_frequent(TrainedPairs *p)
{
    int n = 0, most = 0;
    if (p->n) qsort(p->pair, (size_t)p->n, sizeof *p->pair, by_from_and_to);
    for (int k = 0, end; k < p->n; k = end) {
        TrainedPair x = p->pair[k];
        for (end = k; end < p->n && by_from_and_to(&p->pair[end], &x) == 0;) end++;
        bool same = n && strcmp(p->pair[n - 1].from, x.from) == 0;
        if (same && end - k <= most) continue;
        n += !same;
        p->pair[n - 1] = x;
        most = end - k;
    }
    p->n = n;
}

static bool inside_char(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

static size_t char_after(const char *s, size_t at)
{
    for (at++; inside_char(s[at]);) at++;
    return at;
}

static size_t char_before(const char *s, size_t at)
{
    for (at--; inside_char(s[at]);) at--;
    return at;
}

/* Rules that replace the end of `from` and leave at least one character before it. */
static bool learn_ends(TrainedText *t, const char *from, const char *to)
{
    size_t same = 0, first = char_after(from, 0);
    while (from[same] && from[same] == to[same]) same++;
    while (inside_char(from[same])) same--;
    for (int i = 0; i <= CONTEXT && same >= first; i++, same = char_before(from, same)) {
        if (from[same] && !trained_pairs_add(&t->ends, from + same, to + same)) return false;
        if (same == first) break;
    }
    return true;
}

/* Rules that replace the beginning of `from` and leave at least one character after it. */
static bool learn_begins(TrainedText *t, const char *from, const char *to)
{
    size_t n = strlen(from), m = strlen(to), same = 0;
    while (same < n && same < m && from[n - 1 - same] == to[m - 1 - same]) same++;
    while (same && inside_char(from[n - same])) same--;
    for (int i = 0; i <= CONTEXT && same > 0; i++) {
        char *left = arena_strndup(&t->arena, from, n - same), *right = arena_strndup(&t->arena, to, m - same);
        if (!left || !right || (*left && !trained_pairs_add(&t->begins, left, right))) return false;
        same = n - char_after(from, n - same);
    }
    return true;
}

static bool lower_words(StrBuf *out, const TrainedGoldToken *x)
{
    strbuf_clear(out);
    for (int k = 0; k < x->n_words; k++) {
        if (k) strbuf_putc(out, '\n');
        text_lower(out, x->words[k], strlen(x->words[k]));
    }
    return !out->failed;
}

bool trained_words_learn(TrainedText *trained, const TrainedGold *gold)
{
    StrBuf from = { 0 }, to = { 0 };
    bool ok = true;
    for (int k = 0; k < gold->n && ok; k++) {
        const TrainedGoldToken *x = &gold->token[k];
        if (!x->multiword) continue;
        strbuf_clear(&from);
        text_lower(&from, x->form, strlen(x->form));
        ok = !from.failed && lower_words(&to, x) &&
             trained_pairs_add(&trained->whole, arena_strndup(&trained->arena, from.ptr, from.len),
                               arena_strndup(&trained->arena, to.ptr, to.len));
    }
    keep_most_frequent(&trained->whole);
    for (int k = 0; k < trained->whole.n && ok; k++) {
        const TrainedPair *x = &trained->whole.pair[k];
        ok = learn_ends(trained, x->from, x->to) && learn_begins(trained, x->from, x->to);
    }
    keep_most_frequent(&trained->ends);
    keep_most_frequent(&trained->begins);
    strbuf_fini(&from);
    strbuf_fini(&to);
    return ok;
}

/* ---- use */

static int compare(const char *key, StrView from)
{
    int order = strncmp(key, from.ptr, from.len);
    return order ? order : key[from.len] != 0;
}

/* The pair with this key, or NULL. */
static const TrainedPair *find_pair(const TrainedPairs *p, StrView from)
{
    for (int low = 0, high = p->n; low < high;) {
        int middle = low + (high - low) / 2, order = compare(p->pair[middle].from, from);
        if (order == 0) return &p->pair[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

/* The words of a token in lower case, by the rule for its longest end or beginning. Nothing if there is no rule. */
static void apply_rule(const TrainedText *t, StrBuf *out, StrView token)
{
    for (size_t n = token.len - 1; n > 0; n--) {
        const TrainedPair *end = find_pair(&t->ends, (StrView){ token.ptr + token.len - n, n });
        const TrainedPair *begin = end ? NULL : find_pair(&t->begins, (StrView){ token.ptr, n });
        if (end) strbuf_add(out, token.ptr, token.len - n);
        if (end || begin) strbuf_puts(out, end ? end->to : begin->to);
        if (begin) strbuf_add(out, token.ptr + n, token.len - n);
        if (end || begin) return;
    }
}

/* What of a token is in capitals: nothing, its first letter, all of several letters. */
static int case_of(StrView form)
{
    int upper = 0, lower = 0;
    bool first = false;
    for (size_t i = 0; i < form.len;) {
        bool begin = i == 0;
        int32_t c = utf8_next(form.ptr, form.len, &i);
        upper += utf8_is_upper(c);
        lower += utf8_is_lower(c);
        if (begin) first = utf8_is_upper(c);
    }
    return upper > 1 && !lower ? 2 : first;
}

static void put_cased(StrBuf *out, StrView word, int upper)
{
    for (size_t i = 0; i < word.len;) {
        bool begin = i == 0;
        int32_t c = utf8_next(word.ptr, word.len, &i);
        strbuf_utf8(out, upper == 2 || (upper && begin) ? utf8_upper(c) : c);
    }
}

static size_t count_chars(StrView v)
{
    size_t n = 0;
    for (size_t i = 0; i < v.len; i++) n += !inside_char(v.ptr[i]);
    return n;
}

/* Is the text of the words, without what separates them, the token? Then its characters are theirs. */
static bool is_cut(StrView words, StrView token)
{
    size_t at = 0;
    for (size_t i = 0; i < words.len; i++) {
        if (words.ptr[i] == '\n') continue;
        if (at == token.len || words.ptr[i] != token.ptr[at++]) return false;
    }
    return at == token.len;
}

/* Splits the words, in lower case, and gives them the capitals of the form. */
static bool split_words(StrView all, StrView lower, StrView form, Arena *a, const char ***words, int *n)
{
    StrBuf word = { 0 };
    StrView line;
    size_t used = 0;
    bool cut = is_cut(all, lower), ok = true;
    int upper = case_of(form), count = 1;
    for (size_t i = 0; i < all.len; i++) count += all.ptr[i] == '\n';
    *words = arena_alloc(a, (size_t)count, sizeof **words);
    *n = 0;
    for (size_t at = 0; ok && *words && *n < count && text_line(all, &at, &line); ++*n) {
        strbuf_clear(&word);
        size_t from = used;
        for (size_t k = count_chars(line); cut && k > 0; k--) utf8_next(form.ptr, form.len, &used);
        if (cut) strbuf_add(&word, form.ptr + from, used - from);
        else put_cased(&word, line, upper == 2 ? 2 : upper && *n == 0);
        ok = !word.failed && ((*words)[*n] = arena_strndup(a, word.ptr ? word.ptr : "", word.len));
    }
    strbuf_fini(&word);
    for (int k = 0; ok && *words && k < *n; k++)
        if (!tree_is_word((StrView){ (*words)[k], strlen((*words)[k]) })) *n = 0;
    return ok && *words;
}

bool trained_words(const TrainedText *trained, StrView form, Arena *arena, const char ***words, int *n)
{
    StrBuf lower = { 0 }, all = { 0 };
    bool ok = true;
    *n = 0;
    text_lower(&lower, form.ptr, form.len);
    StrView token = { lower.ptr, lower.len };
    const TrainedPair *whole = lower.failed ? NULL : find_pair(&trained->whole, token);
    if (whole) strbuf_puts(&all, whole->to);
    else if (!lower.failed && token.len) apply_rule(trained, &all, token);
    if (all.len) ok = split_words((StrView){ all.ptr, all.len }, token, form, arena, words, n);
    if (*n == 1) *n = 0;
    ok = ok && !lower.failed && !all.failed;
    strbuf_fini(&lower);
    strbuf_fini(&all);
    return ok;
}
