/* What models of the tasks on documents say: classes of sentences; summaries that are sentences of the document, the
 * most probable ones in its order (Liu and Lapata 2019, section 3, without layers between sentences); the boundaries of
 * segments, gaps whose probability reaches a threshold (Lukasik et al. 2020, section 3.1, with words instead of BERT).
 * And baselines, which read no word. */
#pragma once

#include "parser/task/classify/classify.h"
#include "parser/task/document/document_data.h"
#include "parser/train/train_args.h"

/* How models of the tasks on documents are trained. */
extern const TaskTraining DOCUMENT_TRAINING;

/* The threshold of a gap is the one of the best F1, or of the best P_k, on the dev data of the model. */
enum { THRESHOLD_F1, THRESHOLD_P_K, THRESHOLDS };

/* The texts that a model reads of documents. */
typedef struct DocumentInputs {
    ParseInput *in; /* [n] whose .parse has the parts */
    int *unit;      /* [n] the row of the first unit of each: sentences of all documents are counted */
    int n, cap, cap_unit;
} DocumentInputs;

/* The texts, at most `most`, with memory in the arena; document_inputs_fini is needed after failure too. ERR_NOMEM. */
Status document_inputs(const Model *model, const Corpus *data, int most, Arena *arena, DocumentInputs *out,
                       Error *error);
void document_inputs_fini(DocumentInputs *inputs);

/* The probabilities of the classes of all units of documents. */
typedef struct DocumentUnits {
    int *first; /* [documents + 1] the row of the first sentence of each document */
    Real *p;    /* [rows * classes]; -1 of what is no unit or is not read */
    int classes;
} DocumentUnits;

/* A classifier for documents: classifier_init, and texts are not shortened. */
Status document_classifier(Classifier *classifier, const Model *model, const Device *device, int n_threads,
                           Error *error);
/* document_units_fini is needed after failure too. Errors of classifier_run. */
Status document_units(Classifier *classifier, const Corpus *data, DocumentUnits *out, Error *error);
void document_units_fini(DocumentUnits *units);

/* The thresholds of a model, from its summary; 0.5 where that has none. ERR_NOMEM. */
Status document_thresholds(const Model *model, double threshold[THRESHOLDS], Error *error);

/* What a model says of document k of the corpus, in the arena: a copy of its line with other classes, summary or
 * segments. ERR_NOMEM. */
Status document_predict(const Model *model, const DocumentChoice *choice, double threshold, const Corpus *data,
                        const DocumentUnits *units, int k, Arena *arena, DocumentLine *out, Error *error);

/* The numbers (eval/document_score.h) of what a model says of document k, which has gold; windows of gaps are counted
 * at the threshold of P_k, all else at the one of F1. ERR_NOMEM. */
Status document_numbers(const Model *model, const DocumentChoice *choice, const double threshold[THRESHOLDS],
                        const Corpus *data, const DocumentUnits *units, int k, double *numbers, Error *error);

/* The name of baseline k, NULL: the task has no more. Of summaries: the first 3 sentences, the first `most`, `most` at
 * random, and the oracle, of the sentences that a model would read. Of segments: none, one in every gap, and as many as
 * gold has, of equal length. */
const char *document_baseline_name(const Task *task, int k);
/* What baseline k says of a document, as document_predict does; key: of random choices. */
Status document_baseline(const Task *task, const ModelConfig *config, int k, const DocumentChoice *choice, uint64_t key,
                         const DocumentLine *line, Arena *arena, DocumentLine *out, Error *error);

/* Scores a model on the documents that have gold: figures for people and logs, and the score of a check, which is
 * accuracy, F of ROUGE-1 and ROUGE-2, or F1. threshold [THRESHOLDS]: the best ones of 0.05, 0.10 ... 0.95 for gaps,
 * which are found here where `find`, else read. Errors of document_units and document_gold. */
Status document_score(const Model *model, const Device *device, int n_threads, const Corpus *data, bool find,
                      double threshold[THRESHOLDS], DevScores *out, Error *error);
