/* Summaries that are sentences of a document: the ones nearest to a given summary, which models learn from (the greedy
 * oracle of Nallapati et al. 2017), and the ones that scores prefer, without repetitions (trigram blocking, Paulus et
 * al. 2018). Words are taken as by ROUGE (eval/rouge.h). */
#pragma once

#include "base/error.h"
#include "base/text.h"

/* Sets chosen [n]: in each step the sentence with which the chosen ones, in the order of the document, have the highest
 * F of ROUGE-1 plus F of ROUGE-2 is added, the first of equal ones; until none raises it or `most` are chosen. value
 * (may be NULL): the sum reached, 0 .. 2. ERR_NOMEM. */
Status summary_oracle(const StrView *sentences, int n, const StrView *summary, int n_summary, int most, bool *chosen,
                      double *value, Error *error);

/* Sets chosen [n]: the `most` sentences with the highest scores [n], the earlier of equal ones; with `block` those are
 * left out that have three words in a row in common with a sentence chosen before. ERR_NOMEM. */
Status summary_choose(const StrView *sentences, const double *scores, int n, int most, bool block, bool *chosen,
                      Error *error);
