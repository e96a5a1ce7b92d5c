/* Sentences some of whose words are replaced by others, which a model learns to find: replaced token detection (Clark
 * et al. 2020, ELECTRA, section 2) with the simplest generator, the distribution of single words (Deshpande and
 * Narasimhan 2020, section 5.4); or some of whose words are hidden, which it learns to guess: masked language modelling
 * (Devlin et al. 2019, BERT, section 3.1). */
#pragma once

#include "treebank/tree.h"
#include "treebank/vocab.h"

typedef struct ReplaceOptions {
    double rate; /* the probability that a word is replaced or hidden, 0 to 1; usually 0.15 */
    double
        power; /* a word with c occurrences is drawn with a weight of c^power: 1 as often as it occurs, 0 all alike */
    int most_words; /* the number of words that may be hidden, the most frequent ones */
} ReplaceOptions;

/* In the place of a hidden word. */
#define MASK_WORD "<mask>"

/* What words are replaced by. Once it is finished it is read-only, so threads share it. */
typedef struct Replacer {
    ReplaceOptions o;
    Vocab words;
    double *upto;        /* [words] sums of weights, up to each word */
    const Vocab *hidden; /* the words that may be hidden; NULL: words are replaced */
} Replacer;

void replacer_init(Replacer *replacer, ReplaceOptions options);
void replacer_fini(Replacer *replacer);
/* Counts the words of a sentence. false when out of memory. */
bool replacer_count(Replacer *replacer, const Sentence *sent);
/* After all sentences, of which one at least has a word. false when out of memory. */
bool replacer_finish(Replacer *replacer);
/* Adds the most frequent words to a vocabulary, at most o.most_words, the first of equally frequent ones before the
 * others. false when out of memory. */
bool replacer_most_frequent(const Replacer *replacer, Vocab *to);

/* The words of a sentence as the model sees them, *shown [n], and what it is asked of each, *label [n]. Replaced words:
 * whether it is another word than in the sentence, 0 or 1; a word may be replaced by itself, which is no replacement.
 * Hidden words: the number in replacer->hidden of the word in the sentence, -1 of one that is not hidden; of 10 hidden
 * words 8 are MASK_WORD, one is drawn and one is shown. A function of the key and the words that were counted. Arrays
 * are in the arena; words are borrowed. false when out of memory. */
bool replacer_apply(const Replacer *replacer, uint64_t key, const Sentence *sent, Arena *arena, const char ***shown,
                    const int **label);
