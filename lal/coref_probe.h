/* Coreference by single heads (Clark et al. 2019, section 4.2; Deshpande and Narasimhan 2020, table 8): of each mention
 * with an antecedent, where does the attention from its head word go? Beside it, baselines without attention. */
#pragma once

#include "lal/head_measures.h"
#include "treebank/coref_lines.h"

/* WORDS: the largest weight on a word outside the mention is right if the word is in an antecedent. CANDIDATES: the
 * largest weight on the head of a candidate is right if it is the head of an antecedent; candidates are the mentions
 * with their heads before the mention's that do not overlap with it. Of equal weights the first one counts. */
typedef enum CorefMeasure { COREF_WORDS, COREF_CANDIDATES, COREF_MEASURES } CorefMeasure;
extern const char *const COREF_MEASURE_NAMES[COREF_MEASURES];

/* NEAREST: the last candidate. SAME_HEAD: the last one with the same head word, without case, else NEAREST. RULES: the
 * last one with the same words, else with the same head word, else without another number, gender or person, else
 * NEAREST. PREVIOUS_WORD: as WORDS, the word before the head. */
typedef enum CorefBaseline {
    COREF_NEAREST,
    COREF_SAME_HEAD,
    COREF_RULES,
    COREF_PREVIOUS_WORD,
    COREF_BASELINES
} CorefBaseline;
extern const char *const COREF_BASELINE_NAMES[COREF_BASELINES];

/* Columns: mentions of each type (MentionType), and all. */
enum { COREF_ALL = MENTION_TYPES, COREF_COLUMNS };

/* What was found of the mentions with an antecedent so far. */
typedef struct CorefProbe {
    int heads;
    int mentions[COREF_COLUMNS];
    int baseline[COREF_BASELINES][COREF_COLUMNS]; /* right answers */
    int *right;                                   /* [COREF_MEASURES][heads][COREF_COLUMNS] right answers */
    uint8_t *type;                                /* [mentions] MentionType */
    uint8_t *found;                               /* [mentions][COREF_MEASURES][heads] 1: the answer is right */
    int cap_type, cap_found;
} CorefProbe;

/* heads: 0 or more. *p is for coref_probe_fini in any case. ERR_NOMEM. */
Status coref_probe_init(CorefProbe *p, int heads, Error *e);
/* Leaves *p zero; a zero one may be freed, too. */
void coref_probe_fini(CorefProbe *p);
/* w [heads]: attention in the piece, tokens START, the words, STOP. ERR_NOMEM. */
Status coref_probe_add(CorefProbe *p, const CorefPiece *piece, const HeadWeights *w, Error *e);
static inline int coref_probe_right(const CorefProbe *p, CorefMeasure measure, int head, int column)
{
    return p->right[((ptrdiff_t)measure * p->heads + head) * COREF_COLUMNS + column];
}
/* The head with most right answers in a column, the first of equal ones; -1 without heads. */
int coref_probe_best(const CorefProbe *p, CorefMeasure measure, int column);
/* Is mention k, one of p->mentions[COREF_ALL], answered right? */
static inline bool coref_probe_found(const CorefProbe *p, int k, CorefMeasure measure, int head)
{
    return p->found[((ptrdiff_t)k * COREF_MEASURES + measure) * p->heads + head];
}
