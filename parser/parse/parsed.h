/* What was decided about a sentence. */
#pragma once

#include "cky/constraint.h"
#include "parser/model/analysis.h"

/* The label of the phrase over a sentence that is parsed in pieces, or not parsed, and the type of arcs that no model
 * chose. */
#define LABEL_JOINED "FRAG"
#define TYPE_JOINED "dep"
#define TYPE_NONE "_" /* where the model has no types */

/* Something given that the tree does not have, or a ban that was lifted. */
typedef struct Freed {
    bool arc; /* at is its dependent, 1-based; else at is a phrase, an index of Given.phrases */
    bool ban; /* at is an index of Given.bans, and nothing else is set */
    int at;
    bool cut;       /* a sentence parsed in pieces: it goes across a cut */
    ArcFault fault; /* why, if it is an arc */
    int other; /* an arc: from constraint_fault; a phrase: the kept one that it crosses, -1: given arcs exclude it */
} Freed;

/* Of Parsed.probability and Confidence. */
#define PROBABILITY_UNKNOWN (-1.0)

/* How sure the model is of a parse, given what is given of it (confidence.h); each may be PROBABILITY_UNKNOWN. With
 * DECODE_MARKS p_tree and Parsed.probability are of the tree before the heads of marks are chosen. */
typedef struct Confidence {
    double p_tree;        /* probability of all its phrases and arcs together */
    double expected_f1;   /* mean probability of its phrases with their labels; a unary chain is one phrase */
    double calibrated_f1; /* expected_f1 and the length through the map of the model (F1Map), where nothing is given */
    double expected_las;  /* mean over words of the probability of the arc times the probability of its type */
    Real *arc;            /* [n_words] probabilities of arcs; NULL: a sentence in pieces */
    Real *phrase;         /* [n_phrases] and of phrases, where phrases and arcs are found together; else NULL */
} Confidence;

/* Arrays lie in the arena of the result; texts there, in the model or in the input. */
typedef struct Parsed {
    int n_words;
    const char *const *words;      /* [n_words] of the input, borrowed */
    const char *const *given_tags; /* [n_words] of the input, borrowed; NULL: none were given */
    /* [n_words] of m->tags, of a shape, or "XX" of what was not parsed; NULL: given ones stay, or there are none */
    const char *const *tags;
    const AnalysedWord *analysis; /* [n_words], or NULL: the model has none */
    bool has_tree;
    Phrase *phrases; /* [n_phrases] in pre-order, no two over the same words, with the label of a unary chain: S::VP */
    int n_phrases;
    Span *groups; /* [n_groups] nodes of the decoder's tree that are no phrases, in pre-order: a head and a part of its
                     dependents (<H>), which have a score as phrases have; not of a sentence in pieces */
    int n_groups;
    int *heads;         /* [n_words] 1-based, 0 = root; NULL: the model has no arcs */
    const char **types; /* [n_words]; counts only with heads */
    Real *arc_prob;     /* [n_words] softmax probability of each arc, or NULL */
    double score;       /* of phrases and arcs, as the decoder adds them up, and grammar */
    /* log P of the phrases by the model's grammar, times its weight; 0: it has none. Results that are not reranked
     * (decode.c) have a number here that keeps them in the order of the decoder */
    double grammar;
    const void *extra; /* what ParseOptions.observe made of it, or NULL: WhyNotes (why_notes.h), SoftTargets (soft.h) */
    const Freed *freed; /* [n_freed] what was given and is not in the tree: arcs, phrases, bans */
    int n_freed;
    int pieces; /* number of pieces it was parsed in, 1 unless it is too long */
    /* why the sentence, or a piece of it, has a flat tree instead of its own: memory, or scores that are not finite;
     * NULL: it was parsed */
    const char *failed;
    /* sequences in which the pretrained encoder read it (embeddings/piece_batch.h), 1 unless it has more word pieces
     * than the encoder takes; of several pieces the most; 0 without a pretrained encoder */
    int windows;
    /* the best results, this one first, which have neither best nor extra nor freed; n_best 0: they were not asked for
     * (ParseOptions.k_best), or the sentence was not parsed */
    struct Parsed *best;
    int n_best;
    double probability;     /* of this one among all results (cky/joint_marginals.h), where best are asked for */
    Confidence *confidence; /* NULL: not asked for, not the best one, or not parsed */
} Parsed;

/* The parse as a sentence, whose unary chains are phrases of their own; it borrows from parsed; without words it has no
 * tree. NULL when out of memory. */
Sentence *parsed_sentence(const Parsed *parsed, Arena *arena);

/* Makes a sentence of parsed_sentence independent of its Parsed, but for its words and the texts of types: it has
 * copies of heads and types, and no tags. false when out of memory. */
bool parsed_keep_arcs(Sentence *parse, Arena *arena);

/* Probability of a dependency of another scheme, between word `word` and head (1-based, 0 = root): the product of arc
 * [n_words], as arc_prob, over the arcs of the parse that lead from one to the other. Of an arc of the parse it is its
 * own; no arcs lead from a word to itself: 1. */
double parsed_arc_probability(const Parsed *parsed, const Real *arc, int word, int head);
