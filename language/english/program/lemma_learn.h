/* Rules for endings of words (ud/lemma_table.h) learnt from words with labels: the rules of least cost,
 * where a word that the rules give a wrong label costs its weight, and a rule costs LEARN_WORD if it is for a whole
 * word, else LEARN_ENDING. The minimum is exact, by dynamic programming over the tree of all endings. */
#pragma once

#include <stdbool.h>

#define LEARN_WORD 0.6
#define LEARN_ENDING 1.5

typedef struct LearnWord {
    const char *key; /* begins with a blank */
    int label;       /* 0 .. n_labels - 1 */
    double weight;
} LearnWord;

typedef struct LearnRule {
    const char *end; /* a part of the key of one of the words */
    int label;
} LearnRule;

/* Learns from n words; a key may occur with several labels. other: the label of the empty ending, and all other
 * rules are for whole words; -1: learnt, too. *rules is an array of *n_rules, not in order, the first of them for
 * the empty ending, freed with mem_free. false when out of memory. */
bool lemma_learn(const LearnWord *words, int n, int n_labels, int other, LearnRule **rules, int *n_rules);
