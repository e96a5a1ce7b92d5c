/* Shared by the files of eval/align.h: align.c (text, tokens, matching), align_measure.c (what is counted of matched
 * words), align_output.c. */
#pragma once

#include "eval/align.h"

typedef struct AlignSpan {
    size_t begin, end;
} AlignSpan;

/* One side as a string of characters without blanks, and its words. Arrays of words run over all sentences. */
typedef struct AlignSide {
    const Treebank *tb;
    StrBuf text;
    int n;             /* words */
    AlignSpan *span;   /* [n] bytes of text of the word, or of the token of several words that it is part of */
    bool *part;        /* [n] is part of a token of several words */
    AlignSpan *tokens; /* [n_tokens] */
    int n_tokens;
    int *sentence; /* [n] */
    int *first;    /* [sentences + 1] first word */
    int *head;     /* [n] index of the head; -1: root, or no head */
} AlignSide;

/* The sentence of word `word`, and its number there. */
static inline const Sentence *align_sentence(const AlignSide *side, int word, int *at)
{
    *at = word - side->first[side->sentence[word]];
    return &side->tb->s[side->sentence[word]];
}

/* Counts ALIGN_EULAS and ALIGN_ELAS, and adds ALIGN_HAS_GRAPH to both sides. false when out of memory. */
bool align_count_graphs(const AlignSide *g, const AlignSide *p, const int *match, AlignScores *out);
/* Counts the measures from ALIGN_WORDS on. match [g->n]: the word of p matched with each word of g, or -1. false when
 * out of memory. */
bool align_count_words(const AlignSide *g, const AlignSide *p, const int *match, AlignScores *out);
