/* Both texts become numbers of words; a table finds the longest common subsequence of each pair of
 * sentences, and their union counts. */
#include "eval/rouge.h"

#include "base/map.h"
#include "eval/ngrams.h"

/* ---- words */

void rouge_words(StrView text, StrBuf *out)
{
    bool inside = false, any = out->len > 0;
    for (size_t k = 0; k < text.len;) {
        int32_t given = utf8_next(text.ptr, text.len, &k), cp = utf8_lower(given);
        bool part = (cp >= 'a' && cp <= 'z') || (cp >= '0' && cp <= '9');
        if (part && !inside && any) strbuf_putc(out, ' ');
        if (part) strbuf_putc(out, (char)cp);
        any = any || part;
        inside = part && given != 0x130; /* in lower case it is i and a combining dot */
    }
}

/* A text as numbers of words. */
typedef struct Text {
    StrBuf words;          /* of all sentences, with one blank between two of them */
    int *id, n, cap;       /* [n] of the words */
    int *start, sentences; /* [sentences + 1] the first word of each sentence, and n */
} Text;

typedef struct Pair {
    Text output, reference;
    StrMap ids;
    int *left[2];   /* [ids.n] how often a word of each may still be matched */
    bool *in_union; /* [reference.n] */
} Pair;

static bool add_ids(Text *t, StrMap *ids, size_t at)
{
    while (at < t->words.len) {
        const char *word = t->words.ptr + at;
        size_t len = strcspn(word, " ");
        int id = len ? map_add(ids, word, len) : 0;
        if (id < 0 || !mem_reserve(t->id, &t->cap, t->n + 1)) return false;
        if (len) t->id[t->n++] = id;
        at += len + 1;
    }
    return true;
}

static bool fill(Text *t, const StrView *sentences, int n, StrMap *ids)
{
    t->start = mem_calloc((size_t)n + 1, sizeof *t->start);
    if (!t->start) return false;
    for (int k = 0; k < n; k++) {
        size_t at = t->words.len;
        rouge_words(sentences[k], &t->words);
        if (t->words.failed || !add_ids(t, ids, at)) return false;
        t->start[k + 1] = t->n;
    }
    t->sentences = n;
    return true;
}

static void text_free(Text *t)
{
    strbuf_fini(&t->words);
    mem_free_each(t->id, t->start);
}

/* ---- longest common subsequences */

/* The table of x [n] and y [m]: shorter [n * m] of the i-th and j-th number says whether the subsequence without the
 * last of y is longer than without the last of x. */
static bool fill_table(const int *x, int n, const int *y, int m, bool *shorter)
{
    int *length =
        mem_calloc((size_t)m + 1, sizeof *length); /* of a row; what is still to be set is of the row before */
    if (!length) return false;
    for (int i = 0; i < n; i++) {
        int diagonal = 0;
        for (int j = 0; j < m; j++) {
            int above = length[j + 1];
            shorter[(size_t)i * (size_t)m + (size_t)j] = length[j] > above;
            if (x[i] == y[j]) length[j + 1] = diagonal + 1;
            else if (length[j] > above) length[j + 1] = length[j];
            diagonal = above;
        }
    }
    mem_free(length);
    return true;
}

/* Marks the places of x that are in the subsequence with y. */
static bool mark(const int *x, int n, const int *y, int m, bool *marks)
{
    if (!n || !m) return true;
    bool *shorter = mem_alloc((size_t)n, (size_t)m), ok = shorter && fill_table(x, n, y, m, shorter);
    for (int i = n, j = m; ok && i && j;) {
        if (x[i - 1] == y[j - 1]) {
            marks[--i] = true;
            j--;
        } else if (shorter[(size_t)(i - 1) * (size_t)m + (size_t)(j - 1)]) j--;
        else i--;
    }
    mem_free(shorter);
    return ok;
}

static bool mark_all(Pair *p)
{
    const Text *r = &p->reference, *o = &p->output;
    for (int a = 0; a < r->sentences; a++)
        for (int b = 0; b < o->sentences; b++)
            if (r->start[a + 1] > r->start[a] && o->start[b + 1] > o->start[b] &&
                !mark(r->id + r->start[a], r->start[a + 1] - r->start[a], o->id + o->start[b],
                      o->start[b + 1] - o->start[b], p->in_union + r->start[a]))
                return false;
    return true;
}

static bool count_words(const Text *t, int n, int **count)
{
    if (!(*count = mem_calloc((size_t)n + 1, sizeof **count))) return false;
    for (int k = 0; k < t->n; k++) ++(*count)[t->id[k]];
    return true;
}

static bool match_sentences(Pair *p, long *matched)
{
    *matched = 0;
    p->in_union = mem_calloc((size_t)p->reference.n + 1, sizeof *p->in_union);
    if (!p->in_union || !count_words(&p->output, p->ids.n, &p->left[0]) ||
        !count_words(&p->reference, p->ids.n, &p->left[1]) || !mark_all(p))
        return false;
    for (int k = 0; k < p->reference.n; k++) {
        int id = p->reference.id[k];
        if (!p->in_union[k] || !p->left[0][id] || !p->left[1][id]) continue;
        p->left[0][id]--;
        p->left[1][id]--;
        ++*matched;
    }
    return true;
}

/* ---- scores */

RougeScore rouge_of_counts(long matched, long output, long reference)
{
    RougeScore s = { output ? (double)matched / (double)output : 0, reference ? (double)matched / (double)reference : 0,
                     0 };
    if (matched) s.f = 2 * s.precision * s.recall / (s.precision + s.recall);
    return s;
}

static StrView words_of(const Text *t) { return (StrView){ t->words.ptr ? t->words.ptr : "", t->words.len }; }

static Status score_pair(Pair *p, RougeScore *scores, Error *e)
{
    StrView reference = words_of(&p->reference);
    Status status = OK;
    for (int order = 1; order <= 2 && status == OK; order++) {
        NgramMatches m;
        int more = order - 1, n = p->reference.n;
        status = ngrams_match(words_of(&p->output), &reference, 1, order, &m, e);
        scores[order - 1] = rouge_of_counts(m.matched, m.total, n > more ? n - more : 0);
    }
    long matched;
    if (status == OK && !match_sentences(p, &matched)) status = error_set(e, ERR_NOMEM, "out of memory for ROUGE");
    if (status == OK) scores[ROUGE_LSUM] = rouge_of_counts(matched, p->output.n, p->reference.n);
    return status;
}

Status rouge_score(const StrView *output, int n_output, const StrView *reference, int n_reference,
                   RougeScore scores[ROUGE_MEASURES], Error *error)
{
    Pair p = { 0 };
    map_init(&p.ids);
    bool ok = fill(&p.output, output, n_output, &p.ids) && fill(&p.reference, reference, n_reference, &p.ids);
    Status status = ok ? score_pair(&p, scores, error) : error_set(error, ERR_NOMEM, "out of memory for ROUGE");
    text_free(&p.output);
    text_free(&p.reference);
    map_fini(&p.ids);
    mem_free_each(p.left[0], p.left[1], p.in_union);
    return status;
}

/* ---- sums: the number of documents, then precision, recall and F of each measure */

void rouge_numbers(const RougeScore scores[ROUGE_MEASURES], double numbers[ROUGE_NUMBERS])
{
    *numbers++ = 1;
    for (int m = 0; m < ROUGE_MEASURES; m++) {
        *numbers++ = scores[m].precision;
        *numbers++ = scores[m].recall;
        *numbers++ = scores[m].f;
    }
}

RougeScore rouge_mean(const double sums[ROUGE_NUMBERS], RougeMeasure measure)
{
    const double *of = sums + 1 + 3 * (int)measure;
    if (sums[0] <= 0) return (RougeScore){ 0 };
    return (RougeScore){ of[0] / sums[0], of[1] / sums[0], of[2] / sums[0] };
}

static double first(const double *sums) { return 100 * rouge_mean(sums, ROUGE_1).f; }
static double second(const double *sums) { return 100 * rouge_mean(sums, ROUGE_2).f; }
static double of_subsequences(const double *sums) { return 100 * rouge_mean(sums, ROUGE_LSUM).f; }

const SumScore ROUGE_OF_SUMS[ROUGE_MEASURES] = { [ROUGE_1] = { ROUGE_NUMBERS, first },
                                                 [ROUGE_2] = { ROUGE_NUMBERS, second },
                                                 [ROUGE_LSUM] = { ROUGE_NUMBERS, of_subsequences } };
