/* parser/lab/calibration.h
 * How far the probabilities of a model can be believed (Guo et al. 2017): of tags, of arcs, and of labelled spans (each
 * phrase with its unary chain), at several temperatures. */
#ifndef LAL_PARSER_LAB_CALIBRATION_H
#define LAL_PARSER_LAB_CALIBRATION_H

#include "parser/parse/parse.h"

typedef enum CalibrationKind { CALIBRATE_TAGS, CALIBRATE_ARCS, CALIBRATE_SPANS, CALIBRATION_KINDS } CalibrationKind;

enum { CALIBRATION_BINS = 10, CALIBRATION_TEMPERATURES = 15 };
extern const double CALIBRATION_TEMPERATURE[CALIBRATION_TEMPERATURES]; /* ascending */

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

/* Parses gold sentences from .. to - 1 one by one and adds them; w is a worker of the model. Tags are predicted; what
 * gold lacks is not counted. Masks that read parses of files are off. ERR_NOMEM, ERR_NUMERIC. */
Status calibration_add(Calibration *c, Worker *w, const Treebank *gold, int from, int to, const ParseOptions *o,
                       Error *e);
/* calibration_add for all sentences, with several threads; the sums do not depend on their number. *c is overwritten.
 */
Status calibration_run(Calibration *c, const Model *m, const Treebank *gold, const ParseOptions *o, int n_threads,
                       Error *e);

/* The mean loss, in nats; NAN without gold. */
double calibration_loss(const CalibrationSums *s);
/* The expected calibration error in percent: the mean over decisions of the distance between the share of right ones in
 * their bin and the mean probability there; NAN without a decision. */
double calibration_error(const CalibrationSums *s);

/* Appends a table with a row for each temperature and a mark at the lowest loss of each kind, or an object of JSON. */
void calibration_text(const Calibration *c, StrBuf *out);
void calibration_json(const Calibration *c, StrBuf *out);

#endif
