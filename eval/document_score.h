/* What is predicted of a document against gold, as numbers that compare_sums adds up (eval/compare.h): the summary
 * (eval/rouge.h), the boundaries of segments (eval/boundaries.h), the classes of sentences. */
#pragma once

#include "eval/compare.h"
#include "treebank/document_lines.h"

enum { CLASS_NUMBERS = 2 };
/* The share of right classes. */
extern const SumScore DOCUMENT_CLASSES_OF_SUMS[1];

/* Scores the summary of pred against gold's: numbers [ROUGE_NUMBERS]. ERR_NOMEM. */
Status document_rouge(const DocumentLine *gold, const DocumentLine *pred, double *numbers, Error *error);
/* Scores the segments of pred against gold's, of the same sentences: numbers [BOUNDARY_NUMBERS]. ERR_NOMEM. */
Status document_boundaries(const DocumentLine *gold, const DocumentLine *pred, double *numbers, Error *error);
/* Scores the classes of pred, as many as gold has: numbers [CLASS_NUMBERS]. ERR_NOMEM. */
Status document_classes(const DocumentLine *gold, const DocumentLine *pred, double *numbers, Error *error);
