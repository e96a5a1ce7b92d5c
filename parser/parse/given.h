/* Arcs, types and phrases of a sentence that are given, or banned, before it is parsed (lal parse --arcs, --spans;
 * docs/ANNOTATE.md): the best tree that has the ones and not the others is found,
 * by cky/constraint.h. */
#pragma once

#include "parser/model/model.h"
#include "parser/parse/parsed.h"

#define GIVEN_ANY "_" /* a type or the label of a phrase that is not given */

typedef struct Given {
    const int *heads;         /* [n_words] 1-based, 0 = root, HEAD_FREE; NULL: none are given */
    const char *const *types; /* [n_words] or GIVEN_ANY; NULL: none */
    bool has_phrases;         /* those below are the phrases of the tree; off: none are given */
    bool more_phrases;        /* the tree may have others too */
    const Phrase *phrases;    /* [n_phrases] by begin, then longer ones first; a unary chain from outside; may cross */
    int n_phrases;
    /* [n_bans] words of a banned phrase are another phrase, or not the whole of what depends on a word outside;
     * label GIVEN_ANY: they are no phrase. All are lifted where no tree is left without what they name. The worker
     * has the scores of all labels, or n_bans is 0 */
    const Ban *bans;
    int n_bans;
} Given;

/* What partial annotation says of a sentence, which is borrowed: its phrases, if it has a tree, are all of the tree's
 * unless there may be more. */
Given given_of(const Sentence *sentence, bool more_phrases);

/* Sentences in pieces: parser/parse/given_pieces.h. */

/* The scores of a sentence before it is decoded. */
typedef struct GivenScores {
    const Model *m;
    const Forward *f;     /* the forward pass of the batch */
    Tensor *g;            /* span_scorer_project's output */
    int first;            /* the sentence's first row in it */
    Real lambda;          /* weight of label scores; already in best */
    const SpanBest *best; /* [chart_size(n)] */
    const Real *arcs;     /* [n + 1, n + 1] times 1 - lambda */
    const Real *labels;   /* [chart_size(n), n_labels - 1] of all labels, times lambda, -INFINITY: masked; or NULL */
} GivenScores;

/* What the decoder was given, in scratch, and texts of labels. */
typedef struct GivenSearch {
    const SpanBest *best;
    const Real *arcs, *labels; /* NULL as in GivenScores */
    const unsigned char *state;
    const char *const *own; /* a label that the model does not know is GIVEN_OWN - k in the nodes: own[k] */
} GivenSearch;

/* joint_decode under what is given. Sets parsed->freed and *found. A word that is not a given phrase has no label,
 * other spans only <H>, unless more phrases are allowed; the sentence is always a phrase. Results lie in `out`, the
 * tree in scratch. NULL with *error: ERR_NUMERIC (scores not finite), ERR_NOMEM, errors of the tape. */
enum { GIVEN_OWN = -2 };
JointTree *given_decode(const GivenScores *sc, const Given *given, Parsed *parsed, GivenSearch *found, Arena *scratch,
                        Arena *out, Error *error);

/* The given type of word c (0-based), if it is one of the model's and fits parsed->heads: "root" if and only if the
 * word is the root, and no type of an arc that was freed. Else NULL. */
const char *given_type(const Model *model, const Given *given, const Parsed *parsed, int c);

/* The index after the unary chain that begins with given phrase p. */
int given_chain(const Given *given, int p);
/* Sets text to the joined label of a unary chain, given phrases from .. to - 1; GIVEN_ANY beside other labels is left
 * out. false when out of memory. */
bool given_label(StrBuf *text, const Given *given, int from, int to);
