/* What the tasks on documents differ in: what a model learns of a document, and what it then says of it. */
#pragma once

#include "eval/compare.h"
#include "parser/model/config.h"
#include "treebank/document_lines.h"
#include "treebank/vocab.h"

/* How a summary is chosen, and a boundary. */
typedef struct DocumentChoice {
    int most;      /* sentences of a summary, 1 or more */
    bool block;    /* trigram blocking (eval/summary.h) */
    int threshold; /* THRESHOLD_F1 or THRESHOLD_P_K */
} DocumentChoice;

/* What a model says of the units of a document: p [sentences * classes], -1 of what is no unit or is not read. */
typedef struct DocumentSaid {
    const DocumentLine *d;
    const Vocab *classes;
    const Real *p;
    double threshold;
} DocumentSaid;

/* Sentences of the summary that a model learns, and that is scored on dev data. */
enum { DOCUMENT_CHOSEN = 6 };
enum { DOCUMENT_BASELINES = 4, DOCUMENT_FIGURES = 3 };

typedef struct DocumentKind {
    const char *gold;      /* what is learnt, for messages: "a summary" */
    bool gaps;             /* what has a class is the gap before a sentence but the first; else a sentence */
    bool beginning;        /* the model reads the first sentences alone */
    bool named;            /* classes have the names that documents say; else there are 0 and 1 */
    const SumScore *score; /* of the numbers of documents, for each of `figure` */
    const char *figure[DOCUMENT_FIGURES][2]; /* names in logs and for people */
    const char *baseline[DOCUMENT_BASELINES + 1];
    bool (*has_gold)(const DocumentLine *d);
    /* The class of each unit that has one, gold [sentences], where sentences 0 .. read - 1 are read; else -1. */
    Status (*number)(const DocumentLine *d, int read, const Vocab *classes, const char *path, int *gold, Error *e);
    /* Sets in a copy of its line what is said of a document, in the arena; of a baseline, where the first n sentences
     * are read and random numbers come from the key. ERR_NOMEM. */
    Status (*say)(const DocumentSaid *said, const DocumentChoice *o, Arena *a, DocumentLine *out, Error *e);
    Status (*say_baseline)(const DocumentLine *d, int n, int k, const DocumentChoice *o, uint64_t key, Arena *a,
                           DocumentLine *out, Error *e);
    /* The numbers of what is said against gold (eval/document_score.h). ERR_NOMEM. */
    Status (*count)(const DocumentLine *gold, const DocumentLine *pred, double *numbers, Error *e);
    /* Appends what is said as a member of a JSON object, and as text. */
    void (*put_json)(const DocumentLine *d, StrBuf *out);
    void (*put_text)(const DocumentLine *d, StrBuf *out);
} DocumentKind;

extern const DocumentKind DOCUMENT_CLASSES, DOCUMENT_SUMMARY, DOCUMENT_SEGMENTS;
