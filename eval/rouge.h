/* ROUGE (Lin 2004) of summaries: words and pairs of words that output and reference have in common (ROUGE-1, ROUGE-2),
 * and ROUGE-Lsum, from longest common subsequences of their sentences. Words are not stemmed. Scores are equal to
 * Google's rouge_score 0.1.2. */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "eval/compare.h"

typedef enum RougeMeasure { ROUGE_1, ROUGE_2, ROUGE_LSUM, ROUGE_MEASURES } RougeMeasure;

typedef struct RougeScore {
    double precision, recall, f; /* 0 .. 1; 0 where there is nothing to divide by */
} RougeScore;

/* Appends the words of a text, with one blank between two of them and after what out has: letters a to z, after
 * lower-casing, and digits 0 to 9; every other character separates words. */
void rouge_words(StrView text, StrBuf *out);

/* From numbers of n-grams or words: matched ones, of the output, of the reference. */
RougeScore rouge_of_counts(long matched, long output, long reference);

/* output, reference: sentences. N-grams run over their joined words. ROUGE-Lsum: of each sentence of the reference, the
 * words in the union of one longest common subsequence with each sentence of the output are matched, but a word only as
 * often as both texts have it. Among several longest subsequences it is the one found from the ends: equal words are
 * taken; otherwise the last word of the output is left out if the rest has the longer subsequence, else the last word
 * of the reference. Precision and recall are shares of all words. Time and memory grow with the product of the words
 * of two sentences. ERR_NOMEM. */
Status rouge_score(const StrView *output, int n_output, const StrView *reference, int n_reference,
                   RougeScore scores[ROUGE_MEASURES], Error *error);

/* The scores of a document as numbers that compare_sums adds up; their means, 0 .. 1; and the mean of F, in percent, of
 * each measure. */
enum { ROUGE_NUMBERS = 1 + 3 * ROUGE_MEASURES };
void rouge_numbers(const RougeScore scores[ROUGE_MEASURES], double numbers[ROUGE_NUMBERS]);
RougeScore rouge_mean(const double sums[ROUGE_NUMBERS], RougeMeasure measure);
extern const SumScore ROUGE_OF_SUMS[ROUGE_MEASURES];
