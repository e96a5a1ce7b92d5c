/* N-grams of the text are numbered in a map; references are then read one after the other, and each
 * n-gram keeps its largest count. */
#include "eval/ngrams.h"

#include "base/map.h"

/* How often an n-gram of the text is in the text, in the reference that is being read, and at most in a reference. */
typedef struct Count {
    long text, reference, most;
} Count;

typedef struct Counts {
    StrMap ngrams; /* of the text */
    Count *count;  /* [ngrams.n] */
    int cap;
} Counts;

long ngrams_words(StrView text)
{
    long n = text.len > 0;
    for (size_t k = 0; k < text.len; k++) n += text.ptr[k] == ' ';
    return n;
}

static size_t word_end(StrView text, size_t at)
{
    while (at < text.len && text.ptr[at] != ' ') at++;
    return at;
}

bool ngrams_next(StrView text, size_t *at, int order, StrView *ngram)
{
    if (*at >= text.len) return false;
    size_t first = word_end(text, *at), end = first;
    for (int k = 1; k < order; k++) {
        if (end == text.len) return false;
        end = word_end(text, end + 1);
    }
    *ngram = (StrView){ text.ptr + *at, end - *at };
    *at = first + 1;
    return true;
}

static bool count_text(Counts *c, StrView text, int order, long *total)
{
    StrView ngram;
    for (size_t at = 0; ngrams_next(text, &at, order, &ngram); ++*total) {
        int n = c->ngrams.n, k = map_add(&c->ngrams, ngram.ptr, ngram.len);
        if (k < 0 || !mem_reserve(c->count, &c->cap, k + 1)) return false;
        if (k == n) c->count[k] = (Count){ 0 };
        c->count[k].text++;
    }
    return true;
}

static void count_reference(Counts *c, StrView reference, int order)
{
    StrView ngram;
    for (int k = 0; k < c->ngrams.n; k++) c->count[k].reference = 0;
    for (size_t at = 0; ngrams_next(reference, &at, order, &ngram);) {
        int k = map_find(&c->ngrams, ngram.ptr, ngram.len);
        if (k >= 0 && ++c->count[k].reference > c->count[k].most) c->count[k].most = c->count[k].reference;
    }
}

Status ngrams_match(StrView text, const StrView *references, int n, int order, NgramMatches *out, Error *error)
{
    Counts c = { 0 };
    map_init(&c.ngrams);
    *out = (NgramMatches){ 0 };
    bool ok = count_text(&c, text, order, &out->total);
    for (int r = 0; r < n && ok; r++) count_reference(&c, references[r], order);
    for (int k = 0; k < c.ngrams.n && ok; k++)
        out->matched += c.count[k].text < c.count[k].most ? c.count[k].text : c.count[k].most;
    map_fini(&c.ngrams);
    mem_free(c.count);
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory for n-grams");
}
