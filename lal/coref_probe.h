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

/* heads: 0 or more. *probe is for coref_probe_fini in any case. ERR_NOMEM. */
Status coref_probe_init(CorefProbe *probe, int heads, Error *error);
/* Leaves *probe zero; a zero one may be freed, too. */
void coref_probe_fini(CorefProbe *probe);
/* weights [heads]: attention in the piece, tokens START, the words, STOP. ERR_NOMEM. */
Status coref_probe_add(CorefProbe *probe, const CorefPiece *piece, const HeadWeights *weights, Error *error);
static inline int coref_probe_right(const CorefProbe *probe, CorefMeasure measure, int head, int column)
{
    return probe->right[((ptrdiff_t)measure * probe->heads + head) * COREF_COLUMNS + column];
}
/* The head with most right answers in a column, the first of equal ones; -1 without heads. */
int coref_probe_best(const CorefProbe *probe, CorefMeasure measure, int column);
/* Is mention k, one of probe->mentions[COREF_ALL], answered right? */
static inline bool coref_probe_found(const CorefProbe *probe, int k, CorefMeasure measure, int head)
{
    return probe->found[((ptrdiff_t)k * COREF_MEASURES + measure) * probe->heads + head];
}
