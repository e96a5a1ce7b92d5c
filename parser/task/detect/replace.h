/* parser/task/detect/replace.h
 * Sentences some of whose words are replaced by others, which a model learns to find: replaced token detection (Clark
 * et al. 2020, ELECTRA, section 2) with the simplest generator, the distribution of single words (Deshpande and
 * Narasimhan 2020, section 5.4). */
#pragma once

#include "treebank/tree.h"
#include "treebank/vocab.h"

typedef struct ReplaceOptions {
    double rate; /* the probability that a word is replaced, 0 to 1; usually 0.15 */
    double
        power; /* a word with c occurrences is drawn with a weight of c^power: 1 as often as it occurs, 0 all alike */
} ReplaceOptions;

/* What words are replaced by. Once it is finished it is read-only, so threads share it. */
typedef struct Replacer {
    ReplaceOptions o;
    Vocab words;
    double *upto; /* [words] sums of weights, up to each word */
} Replacer;

void replacer_init(Replacer *r, ReplaceOptions o);
void replacer_fini(Replacer *r);
/* Counts the words of a sentence. false when out of memory. */
bool replacer_count(Replacer *r, const Sentence *sent);
/* After all sentences, of which one at least has a word. false when out of memory. */
bool replacer_finish(Replacer *r);

/* The words of a sentence with some of them replaced, *shown [n], and for each whether it is another one than in the
 * sentence, *replaced [n]: a word may be replaced by itself, which is no replacement. A function of the key and the
 * words that were counted. Arrays are in the arena; words are borrowed. false when out of memory. */
bool replacer_apply(const Replacer *r, uint64_t key, const Sentence *sent, Arena *a, const char ***shown,
                    const int **replaced);
