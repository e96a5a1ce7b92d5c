/* eval/align.c */
#include "eval/align.h"

#include <string.h>

#include "base/map.h"
#include "eval/score.h"
#include "eval/subsequence.h"

/* One side as a string of characters without blanks, and its words. */
typedef struct Side {
    const Treebank *tb;
    StrBuf text;
    size_t *begin, *end; /* [n] bytes of text of the word, or of the token of several words that it is part of */
    bool *part;          /* [n] is part of a token of several words */
    int *sentence;       /* [n] */
    int *first;          /* [sentences + 1] first word */
    int *head;           /* [n] index of the head among all words; -1: root, or no head */
    int n;               /* words */
} Side;

static void add_text(Side *s, const char *form)
{
    for (const char *p = form; *p; p++)
        if (*p != ' ') strbuf_putc(&s->text, *p);
}

static bool side_init(Side *s, const Treebank *tb)
{
    *s = (Side){ .tb = tb };
    size_t words = 0;
    for (int k = 0; k < tb->n; k++) words += (size_t)tb->s[k].n_words;
    s->begin = mem_alloc(words + 1, sizeof *s->begin);
    s->end = mem_alloc(words + 1, sizeof *s->end);
    s->part = mem_alloc(words + 1, sizeof *s->part);
    s->sentence = mem_alloc(words + 1, sizeof *s->sentence);
    s->head = mem_alloc(words + 1, sizeof *s->head);
    s->first = mem_alloc((size_t)tb->n + 1, sizeof *s->first);
    if (!s->begin || !s->end || !s->part || !s->sentence || !s->head || !s->first) return false;
    for (int k = 0; k < tb->n; k++) {
        const Sentence *x = &tb->s[k];
        s->first[k] = s->n;
        int r = 0; /* the current range */
        for (int w = 0; w < x->n_words; w++, s->n++) {
            while (r < x->n_ranges && x->ranges[r].end <= w) r++;
            s->part[s->n] = r < x->n_ranges && x->ranges[r].begin <= w;
            bool later = s->part[s->n] && x->ranges[r].begin < w;
            s->begin[s->n] = later ? s->begin[s->n - 1] : s->text.len;
            if (!later) add_text(s, s->part[s->n] ? x->ranges[r].form : x->words[w]);
            s->end[s->n] = s->text.len;
            s->sentence[s->n] = k;
            s->head[s->n] = x->heads && x->heads[w] > 0 ? s->first[k] + x->heads[w] - 1 : -1;
        }
    }
    s->first[tb->n] = s->n;
    return !s->text.failed;
}

static void side_fini(Side *s)
{
    strbuf_fini(&s->text);
    mem_free(s->begin);
    mem_free(s->end);
    mem_free(s->part);
    mem_free(s->sentence);
    mem_free(s->head);
    mem_free(s->first);
}

/* The word that covers byte `at` of the text. */
static int word_at(const Side *s, size_t at)
{
    int w = 0;
    while (w + 1 < s->n && s->end[w] <= at) w++;
    return w;
}

static const char *word_text(const Side *s, int w)
{
    return s->tb->s[s->sentence[w]].words[w - s->first[s->sentence[w]]];
}

static Status texts_differ(const Side *g, const Side *p, const char *gold_path, const char *pred_path, Error *e)
{
    size_t at = 0;
    while (at < g->text.len && at < p->text.len && g->text.ptr[at] == p->text.ptr[at]) at++;
    if (g->n == 0 || p->n == 0)
        return error_at(e, ERR_FORMAT, pred_path, 0, 0, "found %d words, expected the text of %d words in %s", p->n,
                        g->n, gold_path);
    int a = word_at(g, at), b = word_at(p, at);
    const Sentence *x = &g->tb->s[g->sentence[a]], *y = &p->tb->s[p->sentence[b]];
    return error_at(e, ERR_FORMAT, pred_path, y->line + (b - p->first[p->sentence[b]]), 0,
                    "found other characters in '%s' than in '%s' at %s:%ld, expected the same text", word_text(p, b),
                    word_text(g, a), gold_path, x->line + (a - g->first[g->sentence[a]]));
}

static bool same_type(const char *a, const char *b)
{
    size_t n = strcspn(a, ":"), m = strcspn(b, ":");
    return n == m && memcmp(a, b, n) == 0;
}

static const char *value(const char **values, int w) { return values && values[w] ? values[w] : ""; }

/* Is word w after the region that ends at `end`? The words of one token are on the same side. */
static bool is_beyond(const Side *s, int w, size_t end)
{
    if (w >= s->n) return true;
    return s->part[w] ? s->begin[w] >= end : s->end[w] > end;
}

static size_t extend(const Side *s, int w, size_t end) { return s->part[w] && s->end[w] > end ? s->end[w] : end; }

/* Finds the stretch of both sides that overlapping tokens of several words cover, beginning with words *i and *j, of
 * which at least one is part of such a token. from: the first word of each side; *i and *j are moved past the
 * stretch. */
static void find_stretch(const Side *g, const Side *p, int from[2], int *i, int *j)
{
    size_t end;
    if (g->part[*i]) {
        end = g->end[*i];
        if (!p->part[*j] && p->begin[*j] < g->begin[*i]) ++*j;
    } else {
        end = p->end[*j];
        if (!g->part[*i] && g->begin[*i] < p->begin[*j]) ++*i;
    }
    from[0] = *i;
    from[1] = *j;
    while (!is_beyond(g, *i, end) || !is_beyond(p, *j, end)) {
        if (*i < g->n && (*j >= p->n || g->begin[*i] <= p->begin[*j])) end = extend(g, (*i)++, end);
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
static bool match_stretch(const Side *g, int a, int i, const Side *p, int b, int j, int *match)
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
static bool match_words(const Side *g, const Side *p, int *match, AlignScores *out)
{
    for (int i = 0; i < g->n; i++) match[i] = -1;
    for (int i = 0, j = 0; i < g->n && j < p->n;) {
        if (g->part[i] || p->part[j]) {
            int from[2];
            find_stretch(g, p, from, &i, &j);
            if (i > from[0] && j > from[1] && !match_stretch(g, from[0], i, p, from[1], j, match)) return false;
        } else if (g->begin[i] == p->begin[j] && g->end[i] == p->end[j]) match[i++] = j++;
        else if (g->begin[i] <= p->begin[j]) i++;
        else j++;
    }
    for (int i = 0; i < g->n; i++) out->words += match[i] >= 0;
    return true;
}

static void count_words(const Side *g, const Side *p, const int *match, AlignScores *out)
{
    for (int i = 0; i < g->n; i++) {
        int j = match[i];
        if (j < 0) continue;
        const Sentence *x = &g->tb->s[g->sentence[i]], *y = &p->tb->s[p->sentence[j]];
        int a = i - g->first[g->sentence[i]], b = j - p->first[p->sentence[j]];
        out->tags += strcmp(value(x->tags, a), value(y->tags, b)) == 0;
        bool head = g->head[i] < 0 ? p->head[j] < 0 : p->head[j] >= 0 && match[g->head[i]] == p->head[j];
        if (!x->heads || !y->heads || !head) continue;
        out->heads++;
        out->both += same_type(value(x->types, a), value(y->types, b));
    }
}

static void count_sentences(const Side *g, const Side *p, AlignScores *out)
{
    for (int i = 0, j = 0; i < g->tb->n; i++) {
        size_t begin = g->begin[g->first[i]], end = g->end[g->first[i + 1] - 1];
        while (j < p->tb->n && p->begin[p->first[j]] < begin) j++;
        out->sentences += j < p->tb->n && p->begin[p->first[j]] == begin && p->end[p->first[j + 1] - 1] == end;
    }
    out->gold_sentences = g->tb->n;
    out->pred_sentences = p->tb->n;
}

Status align_score(const Treebank *gold, const Treebank *pred, const char *gold_path, const char *pred_path,
                   AlignScores *out, Error *e)
{
    Side g, p;
    *out = (AlignScores){ 0 };
    bool ok = side_init(&g, gold), ok_pred = side_init(&p, pred);
    int *match = ok && ok_pred ? mem_alloc((size_t)g.n + 1, sizeof *match) : NULL;
    Status s = match ? OK : error_set(e, ERR_NOMEM, "out of memory aligning words");
    if (s == OK && (g.text.len != p.text.len || (g.text.len && memcmp(g.text.ptr, p.text.ptr, g.text.len) != 0)))
        s = texts_differ(&g, &p, gold_path, pred_path, e);
    if (s == OK) {
        out->gold_words = g.n;
        out->pred_words = p.n;
        if (match_words(&g, &p, match, out)) {
            count_words(&g, &p, match, out);
            count_sentences(&g, &p, out);
        } else s = error_set(e, ERR_NOMEM, "out of memory aligning words");
    }
    mem_free(match);
    side_fini(&g);
    side_fini(&p);
    return s;
}

double align_f1(long part, long gold, long pred) { return score_percent(2 * part, gold + pred); }
