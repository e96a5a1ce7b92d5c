/* Counts of labels, alone and as unary chains, of arcs, and of spans from which one arc leads. */
#include "treebank/stats.h"

#include <string.h>

enum { LONG_SENTENCE = 100 };

void stats_init(TreebankStats *stats)
{
    *stats = (TreebankStats){ 0 };
    vocab_init(&stats->labels);
    vocab_init(&stats->collapsed);
    vocab_init(&stats->tags);
    vocab_init(&stats->types);
}

void stats_fini(TreebankStats *stats)
{
    vocab_fini(&stats->labels);
    vocab_fini(&stats->collapsed);
    vocab_fini(&stats->tags);
    vocab_fini(&stats->types);
}

static bool count(Vocab *v, const char *value) { return vocab_count(v, value, strlen(value), 1) >= 0; }

static bool add_labels(TreebankStats *s, const Sentence *x)
{
    StrBuf chain = { 0 };
    bool ok = true;
    for (int p = 0, next; p < x->n_phrases && ok; p = next) {
        next = tree_chain(x, p);
        for (int q = p; q < next && ok; q++) ok = count(&s->labels, x->phrases[q].label);
        strbuf_clear(&chain);
        tree_chain_label(&chain, x, p, next);
        ok = ok && !chain.failed && count(&s->collapsed, chain.ptr);
    }
    strbuf_fini(&chain);
    return ok;
}

static bool add_heads(TreebankStats *s, const Sentence *x)
{
    int *outside = mem_alloc((size_t)x->n_phrases, sizeof *outside);
    bool projective = false,
         ok = outside && tree_outside_heads(x, outside) && tree_heads_projective(x->heads, x->n_words, &projective);
    s->with_heads++;
    s->projective += projective;
    for (int p = 0; ok && p < x->n_phrases; p = tree_chain(x, p)) { /* a unary chain is one span */
        if (x->phrases[p].end - x->phrases[p].begin < 2) continue;
        s->wide_spans++;
        s->one_head += outside[p] == 1;
    }
    mem_free(outside);
    return ok;
}

bool stats_add(TreebankStats *stats, const Sentence *sentence)
{
    bool ok = true;
    stats->sentences++;
    stats->words += sentence->n_words;
    stats->long_sentences += sentence->n_words > LONG_SENTENCE;
    if (sentence->n_words > stats->longest) stats->longest = sentence->n_words;
    stats->trees += sentence->has_tree;
    stats->phrases += sentence->n_phrases;
    for (int w = 0; w < sentence->n_words && ok; w++) {
        if (sentence->tags && sentence->tags[w]) ok = count(&stats->tags, sentence->tags[w]);
        if (ok && sentence->types && sentence->types[w]) ok = count(&stats->types, sentence->types[w]);
    }
    if (ok && sentence->heads) ok = add_heads(stats, sentence);
    return ok && add_labels(stats, sentence);
}
