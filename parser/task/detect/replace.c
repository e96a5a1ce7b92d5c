/* parser/task/detect/replace.c */
#include "parser/task/detect/replace.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

void replacer_init(Replacer *r, ReplaceOptions o)
{
    *r = (Replacer){ .o = o };
    vocab_init(&r->words);
}

void replacer_fini(Replacer *r)
{
    vocab_fini(&r->words);
    mem_free(r->upto);
    r->upto = NULL;
}

bool replacer_count(Replacer *r, const Sentence *sent)
{
    bool ok = true;
    for (int w = 0; w < sent->n_words && ok; w++)
        ok = vocab_count(&r->words, sent->words[w], strlen(sent->words[w]), 1) >= 0;
    return ok;
}

bool replacer_finish(Replacer *r)
{
    int n = vocab_size(&r->words);
    double sum = 0;
    r->upto = mem_alloc((size_t)n, sizeof *r->upto);
    for (int k = 0; r->upto && k < n; k++) r->upto[k] = sum += pow(r->words.counts[k], r->o.power);
    return r->upto != NULL;
}

/* The first word whose sum exceeds u of the whole sum, u in [0, 1). */
static const char *draw(const Replacer *r, double u)
{
    int low = 0, high = vocab_size(&r->words) - 1;
    double at = u * r->upto[high];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (r->upto[middle] > at) high = middle;
        else low = middle + 1;
    }
    return vocab_text(&r->words, low);
}

bool replacer_apply(const Replacer *r, uint64_t key, const Sentence *sent, Arena *a, const char ***shown,
                    const int **replaced)
{
    int n = sent->n_words, *label = arena_calloc(a, (size_t)n, sizeof *label);
    *shown = arena_alloc(a, (size_t)n, sizeof **shown);
    *replaced = label;
    if (!*shown || !label) return false;
    for (int w = 0; w < n; w++) {
        uint64_t counter = 2 * (uint64_t)w;
        (*shown)[w] = sent->words[w];
        if (rng_uniform(key, counter) >= r->o.rate) continue;
        (*shown)[w] = draw(r, rng_uniform(key, counter + 1));
        label[w] = strcmp((*shown)[w], sent->words[w]) != 0;
    }
    return true;
}
