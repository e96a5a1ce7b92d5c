/* Counts of labels, alone and as unary chains, of arcs, and of spans from which one arc leads. */
#include "treebank/stats.h"

#include <string.h>

enum { LONG_SENTENCE = 100 };

void stats_init(TreebankStats *s)
{
    *s = (TreebankStats){ 0 };
    vocab_init(&s->labels);
    vocab_init(&s->collapsed);
    vocab_init(&s->tags);
    vocab_init(&s->types);
}

void stats_fini(TreebankStats *s)
{
    vocab_fini(&s->labels);
    vocab_fini(&s->collapsed);
    vocab_fini(&s->tags);
    vocab_fini(&s->types);
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

bool stats_add(TreebankStats *s, const Sentence *x)
{
    bool ok = true;
    s->sentences++;
    s->words += x->n_words;
    s->long_sentences += x->n_words > LONG_SENTENCE;
    if (x->n_words > s->longest) s->longest = x->n_words;
    s->trees += x->has_tree;
    s->phrases += x->n_phrases;
    for (int w = 0; w < x->n_words && ok; w++) {
        if (x->tags && x->tags[w]) ok = count(&s->tags, x->tags[w]);
        if (ok && x->types && x->types[w]) ok = count(&s->types, x->types[w]);
    }
    if (ok && x->heads) ok = add_heads(s, x);
    return ok && add_labels(s, x);
}
