/* BLEU (Papineni et al. 2002) of translations, with the tokens of mteval-v13a and exponential smoothing (Chen and
 * Cherry 2014, method 3), so that scores are equal to sacrebleu's default (Post 2018). */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "eval/compare.h"

enum { BLEU_ORDER = 4 };

/* What BLEU is computed from; a text has the sums of the counts of its sentences. */
typedef struct BleuCounts {
    long matched[BLEU_ORDER], total[BLEU_ORDER]; /* n-grams of the output of 1 .. BLEU_ORDER words (eval/ngrams.h) */
    long output, reference;                      /* words; of several references the one nearest in length, if two are
                                                    equally near the shorter */
} BleuCounts;

/* All but brevity in percent. */
typedef struct Bleu {
    double bleu, precision[BLEU_ORDER]; /* precisions are smoothed; all are 0 if no word is matched */
    double brevity;                     /* the penalty, 0 .. 1 */
} Bleu;

/* Appends the tokens of a line, with one blank between two of them. Case is kept. */
void bleu_tokenize(StrView line, StrBuf *out);
/* Adds the counts of a line of output, which has n >= 1 references. Lines are texts without NUL bytes. ERR_NOMEM. */
Status bleu_count(StrView output, const StrView *references, int n, BleuCounts *counts, Error *error);
/* BLEU is 100 times the penalty times the geometric mean of the precisions. It is 0 where the output has no n-gram of
 * some order, unless `effective`: orders that the output is too short for are then left out, which single sentences
 * need. */
Bleu bleu_score(const BleuCounts *counts, bool effective);
/* Appends what tells scores from others, as sacrebleu writes it: "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp". */
void bleu_signature(int references, bool effective, StrBuf *out);

/* Counts as numbers that compare_sums adds up: matched, total, output, reference. The score is the one of bleu_score
 * without `effective`. */
enum { BLEU_NUMBERS = 2 * BLEU_ORDER + 2 };
void bleu_numbers(const BleuCounts *counts, double numbers[BLEU_NUMBERS]);
BleuCounts bleu_counts(const double numbers[BLEU_NUMBERS]);
extern const SumScore BLEU_OF_SUMS;
