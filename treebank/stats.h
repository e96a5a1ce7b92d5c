/* Statistics of a treebank. */
#pragma once

#include "treebank/tree.h"
#include "treebank/vocab.h"

typedef struct TreebankStats {
    long sentences, words, trees, phrases;
    long long_sentences;         /* sentences of more than 100 words */
    int longest;                 /* words of the longest sentence */
    long wide_spans;             /* spans of phrases of two words and more */
    long one_head;               /* those in which exactly one word has its head outside */
    long with_heads, projective; /* sentences with dependencies; those whose arcs do not cross */
    Vocab labels, collapsed;     /* labels of phrases, and of unary chains joined by LABEL_JOIN, with counts */
    Vocab tags, types;           /* tags, and dependency types, with counts */
} TreebankStats;

void stats_init(TreebankStats *stats);
void stats_fini(TreebankStats *stats);
/* Adds a sentence. false when out of memory. */
bool stats_add(TreebankStats *stats, const Sentence *sentence);
