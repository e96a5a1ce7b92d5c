/* treebank/stats.h
 * What a treebank holds, in numbers. */
#ifndef LAL_TREEBANK_STATS_H
#define LAL_TREEBANK_STATS_H

#include "treebank/tree.h"
#include "treebank/vocab.h"

typedef struct TreebankStats {
    long sentences, words, long_sentences, trees, phrases; /* long: more than 100 words */
    int longest;
    long wide_spans,
        one_head; /* spans of phrases, of two words and more; those with exactly one word whose head lies outside */
    long with_heads, projective; /* sentences with dependencies; those whose arcs do not cross */
    Vocab labels, collapsed, tags,
        types; /* distinct values: phrase labels, the same with unary chains joined by "::" */
} TreebankStats;

void stats_init(TreebankStats *s);
void stats_fini(TreebankStats *s);
/* Adds a sentence. false: memory is out. */
bool stats_add(TreebankStats *s, const Sentence *x);

#endif
