/* The oracle takes one sentence after the other, as long as the sum of two ROUGE scores rises;
 * choosing by scores skips sentences with a trigram that is chosen already. */
#include "eval/summary.h"

#include "base/map.h"
#include "eval/ngrams.h"
#include "eval/rouge.h"

/* ---- the greedy oracle */

/* A sentence as numbers of the words and pairs of words that the summary has; -1: it does not have it. */
typedef struct Units {
    StrBuf words;
    int *word, *pair; /* [n] and [n - 1] */
    int n, cap_words, cap_pairs;
} Units;

typedef struct Oracle {
    Units *sentence; /* [n] */
    int n;
    StrMap ngrams; /* words and pairs of the summary, which cannot be equal */
    int *count;    /* [ngrams.n] of the summary */
    int *used;     /* [ngrams.n] of the sentences that are tried */
    int cap;
    long words; /* of the summary */
} Oracle;

static bool read_summary(Oracle *o, const StrView *summary, int n)
{
    StrBuf words = { 0 };
    for (int k = 0; k < n; k++) rouge_words(summary[k], &words);
    StrView text = { words.ptr ? words.ptr : "", words.len }, ngram;
    bool ok = !words.failed;
    o->words = ngrams_words(text);
    for (int order = 1; order <= 2; order++)
        for (size_t at = 0; ok && ngrams_next(text, &at, order, &ngram);) {
            int size = o->ngrams.n, id = map_add(&o->ngrams, ngram.ptr, ngram.len);
            ok = id >= 0 && mem_reserve(o->count, &o->cap, id + 1);
            if (ok && id == size) o->count[id] = 0;
            if (ok) o->count[id]++;
        }
    strbuf_fini(&words);
    o->used = mem_calloc((size_t)o->ngrams.n + 1, sizeof *o->used);
    return ok && o->used;
}

static bool read_sentence(const Oracle *o, StrView sentence, Units *u)
{
    rouge_words(sentence, &u->words);
    StrView text = { u->words.ptr ? u->words.ptr : "", u->words.len }, ngram;
    if (u->words.failed) return false;
    for (size_t at = 0; ngrams_next(text, &at, 1, &ngram); u->n++) {
        if (!mem_reserve(u->word, &u->cap_words, u->n + 1)) return false;
        u->word[u->n] = map_find(&o->ngrams, ngram.ptr, ngram.len);
    }
    int pairs = 0;
    for (size_t at = 0; ngrams_next(text, &at, 2, &ngram); pairs++) {
        if (!mem_reserve(u->pair, &u->cap_pairs, pairs + 1)) return false;
        u->pair[pairs] = map_find(&o->ngrams, ngram.ptr, ngram.len);
    }
    return true;
}

/* The pair of the last word of a sentence and the first word of another one; -1 if the summary does not have it. */
static int pair_between(const Oracle *o, const Units *a, const Units *b)
{
    int last = a->word[a->n - 1], first = b->word[0];
    if (last < 0 || first < 0) return -1;
    StrBuf pair = { 0 };
    strbuf_printf(&pair, "%s %s", o->ngrams.keys[last], o->ngrams.keys[first]);
    int id = pair.failed ? -2 : map_find(&o->ngrams, pair.ptr, pair.len);
    strbuf_fini(&pair);
    return id;
}

/* 1 if the summary has the n-gram more often than the sentences before. */
static int match(const Oracle *o, int id) { return id >= 0 && ++o->used[id] <= o->count[id]; }

/* F of ROUGE-1 plus F of ROUGE-2 of the chosen sentences and sentence `more`; -1 when out of memory. */
static double value_with(const Oracle *o, const bool *chosen, int more)
{
    const Units *before = NULL;
    long words = 0, matched[2] = { 0, 0 };
    memset(o->used, 0, (size_t)o->ngrams.n * sizeof *o->used);
    for (int k = 0; k < o->n; k++) {
        const Units *u = &o->sentence[k];
        if (!u->n || (!chosen[k] && k != more)) continue;
        int between = before ? pair_between(o, before, u) : -1;
        if (between == -2) return -1;
        matched[1] += match(o, between);
        for (int w = 0; w < u->n; w++) matched[0] += match(o, u->word[w]);
        for (int w = 0; w + 1 < u->n; w++) matched[1] += match(o, u->pair[w]);
        words += u->n;
        before = u;
    }
    long pairs = words > 1 ? words - 1 : 0, of_summary = o->words > 1 ? o->words - 1 : 0;
    return rouge_of_counts(matched[0], words, o->words).f + rouge_of_counts(matched[1], pairs, of_summary).f;
}

static bool choose_greedily(const Oracle *o, int most, bool *chosen, double *value)
{
    *value = 0;
    for (int picked = 0; picked < most; picked++) {
        int best = -1;
        for (int k = 0; k < o->n; k++) {
            double found = chosen[k] ? 0 : value_with(o, chosen, k);
            if (found < 0) return false;
            if (found <= *value) continue;
            best = k;
            *value = found;
        }
        if (best < 0) break;
        chosen[best] = true;
    }
    return true;
}

static void clear(bool *chosen, int n)
{
    for (int k = 0; k < n; k++) chosen[k] = false;
}

Status summary_oracle(const StrView *sentences, int n, const StrView *summary, int n_summary, int most, bool *chosen,
                      double *value, Error *error)
{
    Oracle o = { .n = n, .sentence = mem_calloc((size_t)n + 1, sizeof *o.sentence) };
    double reached;
    map_init(&o.ngrams);
    clear(chosen, n);
    bool ok = o.sentence && read_summary(&o, summary, n_summary);
    for (int k = 0; k < n && ok; k++) ok = read_sentence(&o, sentences[k], &o.sentence[k]);
    if (ok) ok = choose_greedily(&o, most, chosen, value ? value : &reached);
    for (int k = 0; k < n && o.sentence; k++) {
        strbuf_fini(&o.sentence[k].words);
        mem_free_each(o.sentence[k].word, o.sentence[k].pair);
    }
    mem_free_each(o.sentence, o.count, o.used);
    map_fini(&o.ngrams);
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory choosing sentences");
}

/* ---- by scores */

/* Has a sentence, as words, a trigram of the map? If not, its trigrams are added; *ok is set to false when out of
 * memory. */
static bool repeats(StrMap *trigrams, StrView words, bool *ok)
{
    StrView trigram;
    for (size_t at = 0; ngrams_next(words, &at, 3, &trigram);)
        if (map_find(trigrams, trigram.ptr, trigram.len) >= 0) return true;
    for (size_t at = 0; *ok && ngrams_next(words, &at, 3, &trigram);)
        *ok = map_add(trigrams, trigram.ptr, trigram.len) >= 0;
    return false;
}

/* The sentence with the highest score that has not been tried, the first of equal ones. */
static int next_best(const double *scores, const bool *tried, int n)
{
    int best = -1;
    for (int k = 0; k < n; k++)
        if (!tried[k] && (best < 0 || scores[k] > scores[best])) best = k;
    return best;
}

Status summary_choose(const StrView *sentences, const double *scores, int n, int most, bool block, bool *chosen,
                      Error *error)
{
    StrMap trigrams;
    StrBuf words = { 0 };
    bool *tried = mem_calloc((size_t)n + 1, sizeof *tried), ok = tried != NULL;
    map_init(&trigrams);
    clear(chosen, n);
    for (int picked = 0, k; ok && picked < most && (k = next_best(scores, tried, n)) >= 0;) {
        tried[k] = true;
        strbuf_clear(&words);
        if (block) rouge_words(sentences[k], &words);
        chosen[k] = !repeats(&trigrams, (StrView){ words.ptr ? words.ptr : "", words.len }, &ok);
        picked += chosen[k];
        ok = ok && !words.failed;
    }
    mem_free(tried);
    map_fini(&trigrams);
    strbuf_fini(&words);
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory choosing sentences");
}
