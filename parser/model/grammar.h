/* How likely the phrases of a tree are together; the scores of its spans know nothing of each other. A grammar whose
 * rules are Markov chains, with the label of the phrase around (Johnson 1998; Klein and Manning 2003: h = 1, v = 2):
 *   P(tree) = product over all steps of  P(next | label, around, before)
 * where next is a phrase's label, a word's tag or the end of the phrase, before is what comes before it in the
 * phrase, or its begin. Smoothed (Witten and Bell 1991): each context of n steps and k kinds of next trusts its
 * counts with n / (n + 2 k + 1), else the next one: (label, around, before) in the treebank whose conventions are
 * followed, with n / (n + 20 k + 10); the same in all of them; then (label, before), then none. Treebanks bracket in
 * other ways, so that counts of all of them alone draw a parse to what another one has.
 *
 * A model has it as a vocabulary of steps, "AROUND LABEL BEFORE NEXT TREEBANK", where the begin and the end are
 * empty, the whole sentence is a phrase GRAMMAR_ROOT, and nothing is around that. Without a TREEBANK, as in files of
 * earlier versions, a step counts for all of them together alone. */
#pragma once

#include "cky/decode.h"
#include "treebank/vocab.h"

#define GRAMMAR_ROOT "TOP"

/* Counts by context and step, open addressing. */
typedef struct GrammarTable {
    struct GrammarCell *cell; /* [n_cells], a power of 2; NULL: there are no steps */
    int n_cells;
    double steps; /* that were counted */
} GrammarTable;

typedef struct Grammar {
    StrMap symbols;         /* labels and tags */
    GrammarTable all, *own; /* own [n_treebanks] by the numbers of treebanks; own NULL: there is no grammar */
    int n_treebanks;
    int *chain, *at; /* symbols of the unary chain of label l: chain[at[l] .. at[l + 1]), outermost first */
    int n_labels;
} Grammar;

/* Counts the steps of a sentence with a tree and tags. treebank: its name, or NULL. false when out of memory. */
bool grammar_count(Vocab *steps, const Sentence *sent, const char *treebank);
/* Leaves out steps that were seen once, and more where there are many: they would make the file and its start slow, and
 * choices no better. false when out of memory. */
enum { GRAMMAR_STEPS_MOST = 16384 };
bool grammar_prune(Vocab *steps);
/* Reads the counts; labels: of the trees, unary chains joined; treebanks: those that have numbers. Without steps there
 * is no grammar. The vocabularies are not needed afterwards; grammar_fini frees it, also a zeroed one. ERR_FORMAT: a
 * step has another form, or there are too many symbols; ERR_NOMEM. */
Status grammar_read(Grammar *grammar, const Vocab *steps, const Vocab *labels, const Vocab *treebanks, Error *error);
void grammar_fini(Grammar *grammar);

/* The number of a tag, also of one that is unknown. */
int grammar_tag(const Grammar *grammar, const char *tag);
/* log P of the labelled nodes of a tree over n words with these tags [n], by the conventions of a treebank; labels
 * without a number in `labels` are unknown. NAN when out of memory. */
double grammar_log_p(const Grammar *grammar, int treebank, const JointTree *tree, const int *tag, int n,
                     Arena *scratch);
