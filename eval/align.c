/* eval/align.c */
#include "eval/align.h"

#include <string.h>

#include "eval/score.h"

/* One side as a string of characters without blanks, and the words on it. */
typedef struct Side {
    const Treebank *tb;
    StrBuf text;
    size_t *begin; /* [words + 1] */
    int *sentence; /* [words] */
    int *first;    /* [sentences + 1] first word */
    int *head;     /* [words] number of the head among all words, -1: root or none */
    int n;
} Side;

static bool side_init(Side *s, const Treebank *tb)
{
    *s = (Side){ .tb = tb };
    size_t words = 0;
    for (int k = 0; k < tb->n; k++) words += (size_t)tb->s[k].n_words;
    s->begin = mem_alloc(words + 1, sizeof *s->begin);
    s->sentence = mem_alloc(words + 1, sizeof *s->sentence);
    s->head = mem_alloc(words + 1, sizeof *s->head);
    s->first = mem_alloc((size_t)tb->n + 1, sizeof *s->first);
    if (!s->begin || !s->sentence || !s->head || !s->first) return false;
    for (int k = 0; k < tb->n; k++) {
        const Sentence *x = &tb->s[k];
        s->first[k] = s->n;
        for (int w = 0; w < x->n_words; w++, s->n++) {
            s->begin[s->n] = s->text.len;
            s->sentence[s->n] = k;
            s->head[s->n] = x->heads && x->heads[w] > 0 ? s->first[k] + x->heads[w] - 1 : -1;
            for (const char *p = x->words[w]; *p; p++)
                if (*p != ' ') strbuf_putc(&s->text, *p);
        }
    }
    s->first[tb->n] = s->n;
    s->begin[s->n] = s->text.len;
    return !s->text.failed;
}

static void side_fini(Side *s)
{
    strbuf_fini(&s->text);
    mem_free(s->begin);
    mem_free(s->sentence);
    mem_free(s->head);
    mem_free(s->first);
}

/* The word that covers character `at`. */
static int word_at(const Side *s, size_t at)
{
    int w = 0;
    while (w + 1 < s->n && s->begin[w + 1] <= at) w++;
    return w;
}

static const char *word_text(const Side *s, int w) { return s->tb->s[s->sentence[w]].words[w - s->first[s->sentence[w]]]; }

static Status texts_differ(const Side *g, const Side *p, const char *gold_path, const char *pred_path, Error *e)
{
    size_t at = 0;
    while (at < g->text.len && at < p->text.len && g->text.ptr[at] == p->text.ptr[at]) at++;
    if (g->n == 0 || p->n == 0)
        return error_at(e, ERR_FORMAT, pred_path, 0, 0, "found %d words, expected the text of %d words in %s", p->n, g->n, gold_path);
    int a = word_at(g, at), b = word_at(p, at);
    const Sentence *x = &g->tb->s[g->sentence[a]], *y = &p->tb->s[p->sentence[b]];
    return error_at(e, ERR_FORMAT, pred_path, y->line + (b - p->first[p->sentence[b]]), 0,
                    "found other characters in '%s' than in '%s' at %s:%ld, expected the same text", word_text(p, b), word_text(g, a), gold_path,
                    x->line + (a - g->first[g->sentence[a]]));
}

static bool same_type(const char *a, const char *b)
{
    size_t n = strcspn(a, ":"), m = strcspn(b, ":");
    return n == m && memcmp(a, b, n) == 0;
}

static const char *value(const char **values, int w) { return values && values[w] ? values[w] : ""; }

/* match[i]: the word of p that is word i of g, or -1. */
static void match_words(const Side *g, const Side *p, int *match, AlignScores *out)
{
    for (int i = 0, j = 0; i < g->n; i++) {
        while (j < p->n && p->begin[j] < g->begin[i]) j++;
        match[i] = j < p->n && p->begin[j] == g->begin[i] && p->begin[j + 1] == g->begin[i + 1] ? j : -1;
        out->words += match[i] >= 0;
    }
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
        size_t begin = g->begin[g->first[i]], end = g->begin[g->first[i + 1]];
        while (j < p->tb->n && p->begin[p->first[j]] < begin) j++;
        out->sentences += j < p->tb->n && p->begin[p->first[j]] == begin && p->begin[p->first[j + 1]] == end;
    }
    out->gold_sentences = g->tb->n;
    out->pred_sentences = p->tb->n;
}

Status align_score(const Treebank *gold, const Treebank *pred, const char *gold_path, const char *pred_path, AlignScores *out, Error *e)
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
        match_words(&g, &p, match, out);
        count_words(&g, &p, match, out);
        count_sentences(&g, &p, out);
    }
    mem_free(match);
    side_fini(&g);
    side_fini(&p);
    return s;
}

double align_f1(long part, long gold, long pred) { return score_percent(2 * part, gold + pred); }
