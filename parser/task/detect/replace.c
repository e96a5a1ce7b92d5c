/* Words are drawn by binary search in running sums of their weights; what is shown for
 * a word is a function of the key and its place. */
#include "parser/task/detect/replace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

void replacer_init(Replacer *replacer, ReplaceOptions options)
{
    *replacer = (Replacer){ .o = options };
    vocab_init(&replacer->words);
}

void replacer_fini(Replacer *replacer)
{
    vocab_fini(&replacer->words);
    mem_free(replacer->upto);
    replacer->upto = NULL;
}

bool replacer_count(Replacer *replacer, const Sentence *sent)
{
    bool ok = true;
    for (int w = 0; w < sent->n_words && ok; w++)
        ok = vocab_count(&replacer->words, sent->words[w], strlen(sent->words[w]), 1) >= 0;
    return ok;
}

bool replacer_finish(Replacer *replacer)
{
    int n = vocab_size(&replacer->words);
    double sum = 0;
    replacer->upto = mem_alloc((size_t)n, sizeof *replacer->upto);
    for (int k = 0; replacer->upto && k < n; k++)
        replacer->upto[k] = sum += pow(replacer->words.counts[k], replacer->o.power);
    return replacer->upto != NULL;
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

typedef struct Frequent {
    int word, count;
} Frequent;

static int by_count(const void *a, const void *b)
{
    const Frequent *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : (x->word > y->word) - (x->word < y->word);
}

bool replacer_most_frequent(const Replacer *replacer, Vocab *to)
{
    int n = vocab_size(&replacer->words);
    Frequent *list = mem_alloc((size_t)n, sizeof *list);
    bool ok = list != NULL;
    for (int k = 0; ok && k < n; k++) list[k] = (Frequent){ k, replacer->words.counts[k] };
    if (ok) qsort(list, (size_t)n, sizeof *list, by_count);
    for (int k = 0; ok && k < n && k < replacer->o.most_words; k++) {
        const char *word = vocab_text(&replacer->words, list[k].word);
        ok = vocab_count(to, word, strlen(word), list[k].count) >= 0;
    }
    mem_free(list);
    return ok;
}

/* What is shown in the place of a hidden word, u in [0, 1). */
static const char *hide(const Replacer *r, const char *word, double u)
{
    if (u < 0.8) return MASK_WORD;
    return u < 0.9 ? draw(r, fmin(10 * (u - 0.8), 0x1.fffffep-1)) : word;
}

bool replacer_apply(const Replacer *replacer, uint64_t key, const Sentence *sent, Arena *arena, const char ***shown,
                    const int **label)
{
    int n = sent->n_words, *asked = arena_alloc(arena, (size_t)n, sizeof *asked);
    *shown = arena_alloc(arena, (size_t)n, sizeof **shown);
    *label = asked;
    if (!*shown || !asked) return false;
    for (int w = 0; w < n; w++) {
        const char *word = (*shown)[w] = sent->words[w];
        uint64_t counter = 2 * (uint64_t)w;
        bool chosen = rng_uniform(key, counter) < replacer->o.rate;
        double u = rng_uniform(key, counter + 1);
        asked[w] = !replacer->hidden ? 0 : chosen ? vocab_find(replacer->hidden, word) : -1;
        if (!chosen || asked[w] < 0) continue;
        (*shown)[w] = replacer->hidden ? hide(replacer, word, u) : draw(replacer, u);
        if (!replacer->hidden) asked[w] = strcmp((*shown)[w], word) != 0;
    }
    return true;
}
