#include "program/ablate/measure.h"

#include <string.h>

#include "eval/bleu.h"
#include "eval/boundaries.h"
#include "eval/document_score.h"
#include "eval/rouge.h"

/* ---- scores of sums */

static double mean(const double *sums) { return sums[0] != 0 ? sums[1] / sums[0] : 0; }
static double share(const double *sums) { return 100 * mean(sums); }

static double f1(const double *sums)
{
    double both = sums[0] + sums[1];
    return both != 0 ? 100 * (2 * sums[2]) / both : 0;
}

/* MEAN reads a count and a sum, SHARE a count and how many are right, F1 gold, predicted and matched brackets. */
static const SumScore MEAN = { 2, mean }, SHARE = { 2, share }, F1 = { 3, f1 };

/* ---- tasks */

#define BIT(k) (1u << (k))
#define BITS(n) (BIT(n) - 1)
#define WORDS_DATA "train|dev|test|vectors|input|newline|markup|hyphens|replace|replace_power"

static const char DOCUMENTS_DATA[] = "train|dev|test|pretrained|vectors";

static const AblateMeasure MEASURES[] = {
    { .task = &TASK_PARSE,
      .unit = "sentence",
      .data = "train|train_deps|dev|dev_deps|test|test_deps|name|dev_name|test_name|pretrained|vectors",
      .losses = "span|arc|type|tag",
      .n_numbers = 8,
      .number = { "words", "trees", "gold_brackets", "pred_brackets", "matched_brackets", "words_nopunct",
                  "heads_nopunct", "types_nopunct" },
      .n_metrics = 3,
      .metric = { { "f1", "F1", 2, BIT(2) | BIT(3) | BIT(4), 1, &F1 },
                  { "uas", "UAS", 2, BIT(5) | BIT(6), 5, &SHARE },
                  { "las", "LAS", 2, BIT(5) | BIT(7), 5, &SHARE } } },
    { .task = &TASK_CLASSIFY,
      .unit = "sentence",
      .data = "train|dev|test|train_classes|dev_classes|test_classes|pretrained|vectors",
      .losses = "class",
      .n_numbers = 2,
      .number = { "sentences", "right" },
      .n_metrics = 1,
      .metric = { { "accuracy", "accuracy", 2, BITS(2), 0, &SHARE } } },
    { .task = &TASK_CLASSES,
      .unit = "document",
      .data = DOCUMENTS_DATA,
      .losses = "class",
      .n_numbers = CLASS_NUMBERS,
      .number = { "right", "sentences" },
      .n_metrics = 1,
      .metric = { { "accuracy", "accuracy", 2, BITS(CLASS_NUMBERS), 1, &DOCUMENT_CLASSES_OF_SUMS[0] } } },
    { .task = &TASK_SUMMARY,
      .unit = "document",
      .data = DOCUMENTS_DATA,
      .losses = "class",
      .n_numbers = ROUGE_NUMBERS,
      .number = { "documents", "precision1", "recall1", "f1", "precision2", "recall2", "f2", "precision_lsum",
                  "recall_lsum", "f_lsum" },
      .n_metrics = ROUGE_MEASURES,
      .metric = { { "rouge1", "ROUGE-1", 2, BITS(ROUGE_NUMBERS), 0, &ROUGE_OF_SUMS[ROUGE_1] },
                  { "rouge2", "ROUGE-2", 2, BITS(ROUGE_NUMBERS), 0, &ROUGE_OF_SUMS[ROUGE_2] },
                  { "rouge_lsum", "ROUGE-Lsum", 2, BITS(ROUGE_NUMBERS), 0, &ROUGE_OF_SUMS[ROUGE_LSUM] } } },
    { .task = &TASK_SEGMENTS,
      .unit = "document",
      .data = DOCUMENTS_DATA,
      .losses = "class",
      .n_numbers = BOUNDARY_NUMBERS,
      .number = { "right", "found", "expected", "p_k", "window_diff", "windowed" },
      .n_metrics = BOUNDARY_COMPARED,
      .metric = { { "f1", "F1", 2, BITS(BOUNDARY_NUMBERS), 2, &BOUNDARIES_OF_SUMS[BOUNDARY_F1] },
                  { "p_k", "P_k", 2, BITS(BOUNDARY_NUMBERS), 5, &BOUNDARIES_OF_SUMS[BOUNDARY_P_K] },
                  { "window_diff", "WindowDiff", 2, BITS(BOUNDARY_NUMBERS), 5,
                    &BOUNDARIES_OF_SUMS[BOUNDARY_WINDOW_DIFF] } } },
    { .task = &TASK_DETECT,
      .unit = "sentence",
      .data = WORDS_DATA,
      .losses = "replaced",
      .n_numbers = 3,
      .number = { "words", "right", "loss" },
      .n_metrics = 2,
      .metric = { { "accuracy", "accuracy", 2, BITS(2), 0, &SHARE }, { "nll", "nll", 4, BIT(0) | BIT(2), 0, &MEAN } } },
    { .task = &TASK_MASK,
      .unit = "sentence",
      .data = WORDS_DATA "|most_words",
      .losses = "masked",
      .n_numbers = 3,
      .number = { "words", "right", "loss" },
      .n_metrics = 2,
      .metric = { { "accuracy", "accuracy", 2, BITS(2), 0, &SHARE }, { "nll", "nll", 4, BIT(0) | BIT(2), 0, &MEAN } } },
    { .task = &TASK_TRANSLATE,
      .unit = "pair",
      .data = "train|target|dev|dev_target|test|test_target",
      .preset = "translate",
      .losses = "nll",
      .n_numbers = BLEU_NUMBERS + 2,
      .number = { "matched1", "matched2", "matched3", "matched4", "total1", "total2", "total3", "total4", "words",
                  "gold_words", "pieces", "nll" },
      .n_metrics = 2,
      .metric = { { "bleu", "BLEU", 2, BITS(BLEU_NUMBERS), BLEU_NUMBERS - 1, &BLEU_OF_SUMS },
                  { "nll", "nll", 4, BIT(BLEU_NUMBERS) | BIT(BLEU_NUMBERS + 1), BLEU_NUMBERS, &MEAN } } },
};
enum { MEASURES_N = sizeof MEASURES / sizeof *MEASURES };
_Static_assert((int)BLEU_NUMBERS + 2 <= (int)ABLATE_NUMBERS_MOST && (int)ROUGE_NUMBERS <= (int)ABLATE_NUMBERS_MOST,
               "a unit has room");

const AblateMeasure *ablate_measure(const char *task, StrBuf *expected)
{
    for (int k = 0; k < MEASURES_N; k++)
        if (strcmp(MEASURES[k].task->name, task) == 0) return &MEASURES[k];
    for (int k = 0; k < MEASURES_N; k++) strbuf_printf(expected, "%s%s", k ? "|" : "", MEASURES[k].task->name);
    return NULL;
}

void ablate_measure_take(const AblateMeasure *x, int metric, const double *each, int n, double *out)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < x->n_numbers; i++)
            if (x->metric[metric].columns & BIT(i)) *out++ = each[(size_t)k * (size_t)x->n_numbers + (size_t)i];
}

double ablate_measure_score(const AblateMeasure *x, int metric, const double *sums, bool *known)
{
    double numbers[ABLATE_NUMBERS_MOST];
    ablate_measure_take(x, metric, sums, 1, numbers);
    *known = sums[x->metric[metric].known] > 0;
    return x->metric[metric].score->value(numbers);
}
