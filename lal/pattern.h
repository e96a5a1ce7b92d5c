/* lal/pattern.h
 * Attention patterns: for each token i of a sentence (START, words 1..n, STOP) a set S(i) of tokens that it may attend
 * to, computed from the words and, for some, from a parse. Roles of Wang et al. 2020 (rare_w, seprat, dep_syn, maj_rel,
 * rel_pos), regular patterns of Deshpande and Narasimhan 2020 (next, prev, first, delim, period), and of Li et al. 2022
 * (match_token, intra_span). */
#ifndef LAL_LAL_PATTERN_H
#define LAL_LAL_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

typedef enum PatternKind {
    PATTERN_SELF,    /* {i} */
    PATTERN_NEXT,    /* {i + 1}; STOP has none */
    PATTERN_PREV,    /* {i - 1}; START has none */
    PATTERN_REL_POS, /* |i - j| <= (window - 1) / 2 */
    PATTERN_FIRST,   /* START */
    PATTERN_DELIM,   /* START and STOP */
    PATTERN_PERIOD,  /* words "." */
    PATTERN_SEPRAT,  /* START, STOP and words , ; . ? ! */
    PATTERN_RARE_W,  /* the max(2, n / 10) words with a letter that the fewest training sentences have, the earlier of
                        equal ones */
    PATTERN_DEP_SYN, /* i, its head and its dependents; START and STOP themselves */
    PATTERN_MAJ_REL, /* START, STOP, and words of type nsubj dobj obj amod advmod with their heads (and dependents) */
    PATTERN_MATCH_TOKEN, /* other words equal to word i in lower case */
    PATTERN_INTRA_SPAN,  /* the segment of i: up to and with punctuation, or the largest constituent of at most max_len
                            words */
    PATTERN_DEP_HEAD,    /* the head of i, START for the root */
    PATTERN_KINDS
} PatternKind;

typedef struct Pattern {
    PatternKind kind;
    int window;          /* rel_pos: odd, default 3 */
    int max_len;         /* intra_span of a tree: default 10 */
    bool children;       /* maj_rel: default true */
    bool self;           /* match_token: i too, default false */
    bool unknown_rarest; /* rare_w: words unknown to the training text count as the rarest (default), else they are
                            never rare */
    bool tree;           /* intra_span: of the tree, not of punctuation (default) */
} Pattern;

/* "rel_pos", "rel_pos/window=5", "maj_rel/children=false", "match_token/self=true", "rare_w/unknown=never",
 * "intra_span/source=tree,max_len=4" ... ERR_USAGE. */
Status pattern_read(Pattern *p, const char *text, Error *e);
const char *pattern_name(PatternKind kind);

/* One sentence. heads [n] 1-based, 0 = root, types and df [n], spans [n_spans][2] fenceposts in pre-order; each NULL
 * when not known. */
typedef struct PatternSentence {
    int n;
    const char *const *words;
    const int *heads;
    const char *const *types;
    const int *df; /* training sentences that have the word in lower case */
    const int (*spans)[2];
    int n_spans;
} PatternSentence;

/* What the pattern needs in addition to the words: a parse, df, a tree; NULL if the sentence has it. */
const char *pattern_lacks(const Pattern *p, const PatternSentence *s);

/* allowed [m * m], m = n + 2: 1 where token j is in S(i), row i. An empty row is an empty set. Scratch comes from the
 * arena. ERR_NOMEM; ERR_RANGE when the sentence lacks what the pattern needs. */
Status pattern_fill(const Pattern *p, const PatternSentence *s, uint8_t *allowed, Arena *scratch, Error *e);

#endif
