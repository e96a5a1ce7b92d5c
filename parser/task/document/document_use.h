/* Measures of texts, of files of them and of what models of documents say. */
#pragma once

#include "parser/task/eval_report.h"
#include "parser/task/predict.h"
#include "treebank/document_lines.h"

extern const PredictTask DOCUMENT_PREDICT;

typedef enum EvalMeasure { EVAL_BLEU, EVAL_ROUGE, EVAL_BOUNDARIES, EVAL_CLASSES } EvalMeasure;

/* How documents are scored. For BLEU, a line is a document of one sentence. */
typedef struct DocumentMeasure {
    EvalTask task;         /* Eval.task, the first member */
    const SumScore *score; /* [task.n_metrics], all of one width, at most NUMBERS_MOST */
    const char *of;        /* what is predicted of a document, for messages: "a translation" */
    /* Sets the numbers of a document. ERR_NOMEM. */
    Status (*count)(const DocumentLine *gold, const DocumentLine *pred, double *numbers, Error *e);
    /* NAN: there is nothing to score. Of one document, or of the sums over all. */
    double (*value)(const double *sums, int metric, bool one);
    void (*put)(const Eval *x, const double *sums, bool json, StrBuf *out); /* all but the metrics */
} DocumentMeasure;

/* A file that lacks what the gold file has is ERR_FORMAT, with the line. */
extern const DocumentMeasure DOCUMENT_MEASURES[]; /* by EvalMeasure */
