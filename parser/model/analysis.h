/* What CoNLL-U says of a word besides its tag and its arc, as columns that a model predicts each for itself: its
 * universal part of speech ("upos"), each feature ("Number"), and the script that makes its lemma ("lemma",
 * lemma_script.h), unless the word had another one in training (seen_lemmas.h). A vocabulary has the values of all
 * columns, column after column: "upos=NOUN", "Number=" (the word has none), "Number=Sing". */
#pragma once

#include "tensor/tensor.h"
#include "treebank/tree.h"
#include "treebank/vocab.h"

enum { ANALYSIS_COLUMNS = 64 }; /* at most; features beyond that are not predicted */

typedef struct AnalysisColumn {
    const char *name; /* in front of the "=" of its values, name_len bytes */
    size_t name_len;
    int first, n; /* its values */
} AnalysisColumn;

/* Features that a word of a part of speech had in training. */
typedef struct AnalysisBundle {
    int upos;          /* number of the value, or -1 */
    const char *feats; /* "Case=Nom|Number=Sing", "_": none; in the vocabulary of bundles */
    int *value, n;     /* [n] numbers of their values */
} AnalysisBundle;

typedef struct Analysis {
    const Vocab *values, *lemmas; /* lemmas: seen_lemmas.h */
    AnalysisColumn column[ANALYSIS_COLUMNS];
    int n, upos, lemma;     /* columns, and the numbers of two of them; -1: absent */
    int *column_of;         /* [values] */
    AnalysisBundle *bundle; /* [n_bundles] */
    int n_bundles;
} Analysis;

/* Counts what a sentence has, if it has upos, feats and lemmas: values in any order, for each word a bundle
 * "UPOS FEATS", and its lemma. false when out of memory. */
bool analysis_count(Vocab *values, Vocab *bundles, Vocab *lemmas, const Sentence *sent);
/* Puts the values of columns next to each other, the empty one of features first, and leaves scripts out that were seen
 * once. Lemmas come in their order. false when out of memory. */
bool analysis_sort(Vocab *values, Vocab *lemmas);
/* Reads the columns of sorted values, bundles and lemmas; what is made of them lies in the arena. Without values
 * analysis->n is 0. ERR_FORMAT: they are not sorted, there are too many columns, or a bundle has no blank;
 * ERR_NOMEM. */
Status analysis_read(Analysis *analysis, const Vocab *values, const Vocab *bundles, const Vocab *lemmas, Arena *arena,
                     Error *error);

/* Sets *out to the numbers of what a sentence has, [n_words][analysis->n], each counted from the first value of its
 * column; -1: not known. NULL: the sentence has none. false when out of memory. */
bool analysis_gold(const Analysis *analysis, const Sentence *sent, Arena *arena, const int **out);

/* What was decided of a word; strings lie in the arena or in the vocabularies. */
typedef struct AnalysedWord {
    const char *upos, *feats, *lemma;
} AnalysedWord;
/* Decides from the scores of all values: the best part of speech, the lemma of the best script, or one that the word
 * had in training, and those features of a word of this part of speech in training whose scores have the largest sum.
 * NULL in *out: there is no such column. false when out of memory. */
bool analysis_choose(const Analysis *analysis, const char *word, const Real *scores, Arena *arena, AnalysedWord *out);
