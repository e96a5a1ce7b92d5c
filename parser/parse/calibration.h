/* How far the probabilities of a model can be believed (Guo et al. 2017): of tags, of arcs, and of labelled spans (each
 * phrase with its unary chain), at several temperatures. */
#pragma once

#include "parser/parse/parse.h"

typedef enum CalibrationKind { CALIBRATE_TAGS, CALIBRATE_ARCS, CALIBRATE_SPANS, CALIBRATION_KINDS } CalibrationKind;

enum { CALIBRATION_BINS = 10, CALIBRATION_TEMPERATURES = 15 };

/* Sums of one kind at one temperature. */
typedef struct CalibrationSums {
    double loss; /* -log of the probabilities of what gold has */
    long gold;   /* decisions that are counted: those whose right value the model knows */
    double p[CALIBRATION_BINS];
    long n[CALIBRATION_BINS], right[CALIBRATION_BINS]; /* decisions by their probability: [0, 0.1), [0.1, 0.2) ... */
} CalibrationSums;

typedef struct Calibration {
    CalibrationSums sums[CALIBRATION_KINDS][CALIBRATION_TEMPERATURES];
    int left_out; /* sentences above the limits of parsing, which are parsed in pieces */
} Calibration;

/* Parses gold sentences one by one with several threads; the sums do not depend on their number. *calibration is
 * overwritten. Tags are predicted; what gold lacks is not counted. Masks that read parses of files are off. ERR_NOMEM,
 * ERR_NUMERIC. */
Status calibration_run(Calibration *calibration, const Model *model, const Treebank *gold, const ParseOptions *options,
                       int n_threads, Error *error);

/* Appends a table with a row for each temperature and a mark at the lowest loss of each kind, or an object of JSON. */
void calibration_text(const Calibration *calibration, StrBuf *out);
void calibration_json(const Calibration *calibration, StrBuf *out);
