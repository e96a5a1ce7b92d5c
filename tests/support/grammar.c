#include "tests/support/grammar.h"

#include <string.h>

#include "base/rng.h"

enum { MAX_RHS = 5, MAX_WORDS = 200, MAX_DEPTH = 7 };

/* lhs -> children. The child of type "*" is the head of the others, except that a child of type "advmod@2" depends on
 * child 2. The first rule of each lhs is the shortest and is used at MAX_DEPTH. */
typedef struct Rule {
    const char *lhs;
    const char *child[MAX_RHS + 1], *type[MAX_RHS];
} Rule;

static const Rule RULES[] = {
    { "S", { "NP", "VP", "." }, { "nsubj", "*", "punct" } },
    { "S", { "PP", ",", "NP", "VP", "." }, { "prep", "punct", "nsubj", "*", "punct" } },
    { "S", { "NP", "ADVP", "VP", "." }, { "nsubj", "advmod", "*", "punct" } },
    { "NP", { "NNS" }, { "*" } },
    { "NP", { "DT", "NN" }, { "det", "*" } },
    { "NP", { "DT", "JJ", "NN" }, { "det", "amod", "*" } },
    { "NP", { "DT", "RB", "JJ", "NN" }, { "det", "advmod@2", "amod", "*" } },
    { "NP", { "NP", "PP" }, { "*", "prep" } },
    { "NP", { "NP", "CC", "NP" }, { "*", "cc", "conj" } },
    { "NP", { "NP", "SBAR" }, { "*", "rcmod" } },
    { "VP", { "VBZ", "NP" }, { "*", "dobj" } },
    { "VP", { "VBZ", "NP", "PP" }, { "*", "dobj", "prep" } },
    { "VP", { "VBZ", "SBAR" }, { "*", "ccomp" } },
    { "VP", { "MD", "VPB" }, { "aux", "*" } },
    { "VPB", { "VB", "NP" }, { "*", "dobj" } },
    { "PP", { "IN", "NP" }, { "*", "pobj" } },
    { "SBAR", { "WDT", "SG" }, { "mark", "*" } },
    { "SG", { "NP", "VP" }, { "nsubj", "*" } },
    { "ADVP", { "RB" }, { "*" } },
};
enum { N_RULES = sizeof RULES / sizeof *RULES };

static const struct {
    const char *tag, *words[9];
} WORDS[] = {
    { "NN", { "parser", "tree", "head", "sentence", "river", "king", "cell", "protein" } },
    { "NNS", { "parsers", "trees", "heads", "rivers", "cells", "labels", "kings", "proteins" } },
    { "DT", { "the", "a", "every", "this" } },
    { "JJ", { "old", "small", "exact", "green", "long" } },
    { "VBZ", { "reads", "binds", "sees", "activates", "likes", "labels" } },
    { "VB", { "read", "bind", "see", "label" } },
    { "MD", { "can", "must", "will" } },
    { "IN", { "of", "in", "with", "near" } },
    { "WDT", { "that", "which" } },
    { "CC", { "and", "or" } },
    { "RB", { "often", "never", "really" } },
    { ".", { ".", "!" } },
    { ",", { "," } },
};
enum { N_TAGS = sizeof WORDS / sizeof *WORDS };

typedef struct Draw {
    Sentence *s;
    uint64_t key, counter;
    const char *words[MAX_WORDS], *tags[MAX_WORDS], *types[MAX_WORDS];
    int heads[MAX_WORDS];
    Phrase phrases[4 * MAX_WORDS];
    int n, n_phrases;
} Draw;

static int choose(Draw *d, int n) { return (int)(rng_uniform(d->key, d->counter++) * n); }

/* Draws a phrase or a word; returns its head word, 0-based. */
static int expand(Draw *d, const char *symbol, int depth)
{
    for (int t = 0; t < N_TAGS; t++)
        if (strcmp(WORDS[t].tag, symbol) == 0) {
            int n = 0;
            while (n < 9 && WORDS[t].words[n]) n++;
            d->tags[d->n] = symbol;
            d->words[d->n] = WORDS[t].words[choose(d, n)];
            return d->n++;
        }
    int first = 0, count = 0;
    while (strcmp(RULES[first].lhs, symbol) != 0) first++;
    while (first + count < N_RULES && strcmp(RULES[first + count].lhs, symbol) == 0) count++;
    const Rule *r = &RULES[first + (depth >= MAX_DEPTH ? 0 : choose(d, count))];
    int at = d->n_phrases++, begin = d->n, heads[MAX_RHS], head = -1, k = 0;
    for (; r->child[k]; k++) {
        heads[k] = expand(d, r->child[k], depth + 1);
        if (r->type[k][0] == '*') head = heads[k];
    }
    while (k-- > 0)
        if (heads[k] != head) {
            const char *at_child = strchr(r->type[k], '@');
            d->heads[heads[k]] = (at_child ? heads[at_child[1] - '0'] : head) + 1;
            d->types[heads[k]] = at_child ? "advmod" : r->type[k];
        }
    d->phrases[at] = (Phrase){ begin, d->n,
                               strcmp(symbol, "SG") == 0    ? "S"
                               : strcmp(symbol, "VPB") == 0 ? "VP"
                                                            : symbol };
    return head;
}

bool grammar_sentences(Treebank *tb, int n, uint64_t seed)
{
    for (int k = 0; k < n; k++) {
        Draw d = { .key = rng_key(seed, (uint64_t)k, 0, 0) };
        int root = expand(&d, "S", 0);
        d.heads[root] = 0;
        d.types[root] = "root";
        Sentence *s = treebank_add(tb);
        if (!s) return false;
        size_t words = (size_t)d.n, phrases = (size_t)d.n_phrases;
        *s = (Sentence){ .n_words = d.n, .n_phrases = d.n_phrases, .has_tree = true, .line = k + 1 };
        s->words = arena_alloc(&tb->arena, words, sizeof *s->words);
        s->tags = arena_alloc(&tb->arena, words, sizeof *s->tags);
        s->types = arena_alloc(&tb->arena, words, sizeof *s->types);
        s->heads = arena_alloc(&tb->arena, words, sizeof *s->heads);
        s->phrases = arena_alloc(&tb->arena, phrases, sizeof *s->phrases);
        if (!s->words || !s->tags || !s->types || !s->heads || !s->phrases) return false;
        memcpy(s->words, d.words, words * sizeof *s->words);
        memcpy(s->tags, d.tags, words * sizeof *s->tags);
        memcpy(s->types, d.types, words * sizeof *s->types);
        memcpy(s->heads, d.heads, words * sizeof *s->heads);
        memcpy(s->phrases, d.phrases, phrases * sizeof *s->phrases);
    }
    return true;
}
