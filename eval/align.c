/* Both sides become one text without blanks, in which tokens, words and sentences are ranges: equal
 * ranges match; words of multiword tokens match by their forms. */
#include "eval/align_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "eval/subsequence.h"

/* Appends the form without blanks (spaces of Unicode's category Zs). */
static void add_text(StrBuf *text, const char *form)
{
    size_t n = strlen(form);
    for (size_t i = 0, from = 0; i < n; from = i) {
        int32_t c = utf8_next(form, n, &i);
        bool blank = c == ' ' || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F ||
                     c == 0x205F || c == 0x3000;
        if (!blank) strbuf_add(text, form + from, i - from);
    }
}

/* Do the words of the range spell it? */
static bool is_spelled(const Sentence *sent, const WordRange *r)
{
    StrBuf whole = { 0 }, words = { 0 };
    add_text(&whole, r->form);
    for (int w = r->begin; w < r->end; w++) add_text(&words, sent->words[w]);
    bool same = !whole.failed && !words.failed && whole.len == words.len &&
                (whole.len == 0 || memcmp(whole.ptr, words.ptr, words.len) == 0);
    strbuf_fini(&whole);
    strbuf_fini(&words);
    return same;
}

static bool has_ranges(const Treebank *tb)
{
    for (int k = 0; k < tb->n; k++)
        if (tb->s[k].n_ranges) return true;
    return false;
}

static bool side_alloc(AlignSide *s)
{
    size_t words = 0;
    for (int k = 0; k < s->tb->n; k++) words += (size_t)s->tb->s[k].n_words;
    s->span = mem_alloc(words + 1, sizeof *s->span);
    s->part = mem_alloc(words + 1, sizeof *s->part);
    s->tokens = mem_alloc(words + 1, sizeof *s->tokens);
    s->sentence = mem_alloc(words + 1, sizeof *s->sentence);
    s->head = mem_alloc(words + 1, sizeof *s->head);
    s->first = mem_alloc((size_t)s->tb->n + 1, sizeof *s->first);
    return s->span && s->part && s->tokens && s->sentence && s->head && s->first;
}

/* Appends the words of sentence k. separate: ranges that their words spell count as none. */
static void add_sentence(AlignSide *s, int k, bool separate)
{
    const Sentence *sent = &s->tb->s[k];
    const WordRange *r = sent->ranges, *end = sent->n_ranges ? r + sent->n_ranges : r;
    bool in_range = false;
    for (int w = 0; w < sent->n_words; w++, s->n++) {
        while (r < end && r->end <= w) r++;
        if (r == end || r->begin > w) in_range = false;
        else if (r->begin == w) in_range = !(separate && is_spelled(sent, r));
        bool later = in_range && r->begin < w;
        if (!later) {
            size_t from = s->text.len;
            add_text(&s->text, in_range ? r->form : sent->words[w]);
            s->tokens[s->n_tokens++] = (AlignSpan){ from, s->text.len };
        }
        s->part[s->n] = in_range;
        s->span[s->n] = s->tokens[s->n_tokens - 1];
        s->sentence[s->n] = k;
        s->head[s->n] = sent->heads && sent->heads[w] > 0 ? s->first[k] + sent->heads[w] - 1 : -1;
    }
}

static bool side_init(AlignSide *s, const Treebank *tb, bool separate)
{
    *s = (AlignSide){ .tb = tb };
    if (!side_alloc(s)) return false;
    for (int k = 0; k < tb->n; k++) {
        s->first[k] = s->n;
        add_sentence(s, k, separate);
    }
    s->first[tb->n] = s->n;
    return !s->text.failed;
}

static void side_fini(AlignSide *s)
{
    strbuf_fini(&s->text);
    mem_free_each(s->span, s->part, s->tokens, s->sentence, s->first, s->head);
}

/* The word that covers byte `at` of the text. */
static int word_at(const AlignSide *s, size_t at)
{
    int w = 0;
    while (w + 1 < s->n && s->span[w].end <= at) w++;
    return w;
}

static const char *word_text(const AlignSide *s, int w)
{
    return s->tb->s[s->sentence[w]].words[w - s->first[s->sentence[w]]];
}

/* The row of the token of several words that word w is part of, or NULL. */
static const WordRange *range_of(const AlignSide *s, int w)
{
    int at;
    const Sentence *sent = align_sentence(s, w, &at);
    for (int r = 0; s->part[w] && r < sent->n_ranges; r++)
        if (sent->ranges[r].begin <= at && at < sent->ranges[r].end) return &sent->ranges[r];
    return NULL;
}

/* What is there in the text of a side, for a message. */
typedef struct TextPiece {
    StrView text;    /* from where a token of either side begins to the end of the token of this side */
    char token[200]; /* ", the token of the words 'de' 'le'," or "" */
    long line;
} TextPiece;

static TextPiece piece_at(const AlignSide *s, int w, size_t from)
{
    const WordRange *range = range_of(s, w);
    int at;
    const Sentence *sent = align_sentence(s, w, &at);
    TextPiece x = { .text = { s->text.ptr + from, s->span[w].end - from }, .line = sentence_word_line(sent, at) };
    if (!range) return x;
    if (range->line) x.line = range->line;
    int used = snprintf(x.token, sizeof x.token, ", the token of the words");
    for (int k = range->begin; k < range->end && (size_t)used < sizeof x.token / 2; k++)
        used += snprintf(x.token + used, sizeof x.token - (size_t)used, " '%.*s'", utf8_first(sent->words[k], 40),
                         sent->words[k]);
    snprintf(x.token + used, sizeof x.token - (size_t)used, ",");
    return x;
}

static Status texts_differ(const AlignSide *g, const AlignSide *p, const char *gold_path, const char *pred_path,
                           Error *e)
{
    size_t at = 0;
    while (at < g->text.len && at < p->text.len && g->text.ptr[at] == p->text.ptr[at]) at++;
    if (g->n == 0 || p->n == 0)
        return error_at(e, ERR_FORMAT, pred_path, 0, 0, "found %d words, expected the text of %d words in %s", p->n,
                        g->n, gold_path);
    int a = word_at(g, at), b = word_at(p, at);
    size_t from = g->span[a].begin < p->span[b].begin ? g->span[a].begin : p->span[b].begin;
    const TextPiece x = piece_at(g, a, from), y = piece_at(p, b, from);
    const TextContrast c = text_contrast(y.text, x.text);
    if (at == p->text.len || at == g->text.len)
        return error_at(e, ERR_FORMAT, pred_path, y.line, 0, "found %s%s%s, expected %s%s%s at %s:%ld",
                        at == p->text.len ? "the end of the text after " : "more text, ", c.found, y.token,
                        at == g->text.len ? "the end of the text after " : "more text, ", c.expected, x.token,
                        gold_path, x.line);
    return error_at(e, ERR_FORMAT, pred_path, y.line, 0, "found %s%s expected %s%s as at %s:%ld", c.found,
                    *y.token ? y.token : ",", c.expected, x.token, gold_path, x.line);
}

/* Is word w after the region that ends at `end`? The words of one token are on the same side. */
static bool is_beyond(const AlignSide *s, int w, size_t end)
{
    if (w >= s->n) return true;
    return s->part[w] ? s->span[w].begin >= end : s->span[w].end > end;
}

static size_t extend(const AlignSide *s, int w, size_t end)
{
    return s->part[w] && s->span[w].end > end ? s->span[w].end : end;
}

/* Finds the stretch of both sides that overlapping tokens of several words cover, beginning with words *i and *j, of
 * which at least one is part of such a token. from: the first word of each side; *i and *j are moved past the
 * stretch. */
static void find_stretch(const AlignSide *g, const AlignSide *p, int from[2], int *i, int *j)
{
    size_t end;
    if (g->part[*i]) {
        end = g->span[*i].end;
        if (!p->part[*j] && p->span[*j].begin < g->span[*i].begin) ++*j;
    } else {
        end = p->span[*j].end;
        if (!g->part[*i] && g->span[*i].begin < p->span[*j].begin) ++*i;
    }
    from[0] = *i;
    from[1] = *j;
    while (!is_beyond(g, *i, end) || !is_beyond(p, *j, end)) {
        if (*i < g->n && (*j >= p->n || g->span[*i].begin <= p->span[*j].begin)) end = extend(g, (*i)++, end);
        else end = extend(p, (*j)++, end);
    }
}

/* The number of the form in lower case; -1 when out of memory. */
static int form_number(StrMap *forms, const char *form, StrBuf *low)
{
    strbuf_clear(low);
    text_lower(low, form, strlen(form));
    return low->failed ? -1 : map_add(forms, low->ptr ? low->ptr : "", low->len);
}

/* Matches words [a, i) of g and [b, j) of p along a common subsequence of their forms in lower case. false when out of
 * memory. */
static bool match_stretch(const AlignSide *g, int a, int i, const AlignSide *p, int b, int j, int *match)
{
    int rows = i - a, columns = j - b, *x = mem_alloc((size_t)rows + (size_t)columns, sizeof *x),
        *y = x ? x + rows : NULL;
    StrMap forms;
    StrBuf low = { 0 };
    map_init(&forms);
    bool ok = x != NULL;
    for (int k = 0; ok && k < rows; k++) ok = (x[k] = form_number(&forms, word_text(g, a + k), &low)) >= 0;
    for (int k = 0; ok && k < columns; k++) ok = (y[k] = form_number(&forms, word_text(p, b + k), &low)) >= 0;
    ok = ok && subsequence_match(x, rows, y, columns, forms.n, match + a);
    for (int k = a; ok && k < i; k++)
        if (match[k] >= 0) match[k] += b;
    map_fini(&forms);
    strbuf_fini(&low);
    mem_free(x);
    return ok;
}

/* Sets match [g->n]: the word of p matched with each word of g, or -1. false when out of memory. */
static bool match_words(const AlignSide *g, const AlignSide *p, int *match)
{
    for (int i = 0; i < g->n; i++) match[i] = -1;
    for (int i = 0, j = 0; i < g->n && j < p->n;) {
        if (g->part[i] || p->part[j]) {
            int from[2];
            find_stretch(g, p, from, &i, &j);
            if (i > from[0] && j > from[1] && !match_stretch(g, from[0], i, p, from[1], j, match)) return false;
        } else if (g->span[i].begin == p->span[j].begin && g->span[i].end == p->span[j].end) match[i++] = j++;
        else if (g->span[i].begin <= p->span[j].begin) i++;
        else j++;
    }
    return true;
}

/* The bytes of sentence k. */
static AlignSpan sentence_span(const AlignSide *s, int k)
{
    return (AlignSpan){ s->span[s->first[k]].begin, s->span[s->first[k + 1] - 1].end };
}

static void count_spans(const AlignSide *g, const AlignSide *p, AlignScores *out)
{
    AlignCount *tokens = &out->of[ALIGN_TOKENS], *sentences = &out->of[ALIGN_SENTENCES];
    *tokens = (AlignCount){ .gold = g->n_tokens, .pred = p->n_tokens, .aligned = -1 };
    *sentences = (AlignCount){ .gold = g->tb->n, .pred = p->tb->n, .aligned = -1 };
    for (int i = 0, j = 0; i < g->n_tokens; i++) {
        while (j < p->n_tokens && p->tokens[j].begin < g->tokens[i].begin) j++;
        tokens->matched +=
            j < p->n_tokens && p->tokens[j].begin == g->tokens[i].begin && p->tokens[j].end == g->tokens[i].end;
    }
    for (int i = 0, j = 0; i < g->tb->n; i++) {
        AlignSpan span = sentence_span(g, i);
        while (j < p->tb->n && sentence_span(p, j).begin < span.begin) j++;
        sentences->matched +=
            j < p->tb->n && sentence_span(p, j).begin == span.begin && sentence_span(p, j).end == span.end;
    }
}

Status align_score(const Treebank *gold, const Treebank *pred, const char *gold_path, const char *pred_path,
                   AlignScores *out, Error *error)
{
    AlignSide g, p;
    *out = (AlignScores){ 0 };
    bool one = has_ranges(gold) != has_ranges(pred), ok = side_init(&g, gold, one), ok_pred = side_init(&p, pred, one);
    int *match = ok && ok_pred ? mem_alloc((size_t)g.n + 1, sizeof *match) : NULL;
    Status s = match ? OK : error_set(error, ERR_NOMEM, "out of memory aligning words");
    if (s == OK && (g.text.len != p.text.len || (g.text.len && memcmp(g.text.ptr, p.text.ptr, g.text.len) != 0)))
        s = texts_differ(&g, &p, gold_path, pred_path, error);
    if (s == OK) {
        count_spans(&g, &p, out);
        if (!match_words(&g, &p, match) || !align_count_words(&g, &p, match, out))
            s = error_set(error, ERR_NOMEM, "out of memory aligning words");
    }
    mem_free(match);
    side_fini(&g);
    side_fini(&p);
    return s;
}

Status align_add(AlignScores *scores, const Sentence *gold, const Sentence *pred, Error *error)
{
    const Treebank of_gold = { .s = (Sentence *)gold, .n = 1 }, of_pred = { .s = (Sentence *)pred, .n = 1 };
    AlignSide g, p;
    bool ok = side_init(&g, &of_gold, false), ok_pred = side_init(&p, &of_pred, false);
    int *match = ok && ok_pred ? mem_alloc((size_t)g.n + 1, sizeof *match) : NULL;
    for (int w = 0; match && w < g.n; w++) match[w] = w;
    bool counted = match && align_count_words(&g, &p, match, scores);
    mem_free(match);
    side_fini(&g);
    side_fini(&p);
    return counted ? OK : error_set(error, ERR_NOMEM, "out of memory comparing words");
}
