/* One function for each task turns a document into the numbers of its metric. */
#include "eval/document_score.h"

#include <string.h>

#include "eval/boundaries.h"
#include "eval/rouge.h"

Status document_rouge(const DocumentLine *gold, const DocumentLine *pred, double *numbers, Error *error)
{
    RougeScore s[ROUGE_MEASURES] = { 0 };
    const TextList *output = &pred->summary, *reference = &gold->summary;
    Status status = rouge_score(output->text, output->n, reference->text, reference->n, s, error);
    rouge_numbers(s, numbers);
    return status;
}

static void set_bits(const DocumentLine *d, bool *bits)
{
    for (int k = 1; k < d->n_segments; k++) bits[d->begin[k] - 1] = true;
}

Status document_boundaries(const DocumentLine *gold, const DocumentLine *pred, double *numbers, Error *error)
{
    size_t n = (size_t)gold->sentences.n + 1;
    BoundaryCounts c = { 0 };
    bool *reference = mem_calloc(n, sizeof *reference), *output = mem_calloc(n, sizeof *output);
    bool ok = reference && output;
    if (ok) {
        set_bits(gold, reference);
        set_bits(pred, output);
        boundaries_count(reference, output, gold->sentences.n, &c);
    }
    boundaries_numbers(&c, numbers);
    mem_free_each(reference, output);
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory for boundaries");
}

Status document_classes(const DocumentLine *gold, const DocumentLine *pred, double *numbers, Error *error)
{
    (void)error;
    numbers[0] = 0;
    numbers[1] = gold->classes.n;
    for (int k = 0; k < gold->classes.n; k++)
        numbers[0] += strcmp(gold->classes.text[k].ptr, pred->classes.text[k].ptr) == 0;
    return OK;
}

static double accuracy(const double *sums) { return COMPARE_RATIO.value(sums); }

const SumScore DOCUMENT_CLASSES_OF_SUMS[1] = { { CLASS_NUMBERS, accuracy } };
