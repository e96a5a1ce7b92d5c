/* Which sentences are right: when the least sure ones are left out, how much falls the mean risk of the others? Risk
 * against coverage, and the area under it (Geifman and El-Yaniv 2017, selective classification), for several orders of
 * the sentences; and how far the F1 that is expected of a sentence is from the one that is found, as an expected
 * calibration error (Guo et al. 2017). All are means over sentences, long and short ones alike. The other way round: if
 * the least sure ones are corrected by hand, how many words must be read until all brackets together have some F1? */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "eval/score.h"

/* By what sentences are sorted: the surest first. */
typedef enum RiskOrder {
    RISK_BY_F1,     /* expected F1 */
    RISK_BY_LAS,    /* expected LAS */
    RISK_BY_TREE,   /* probability of the whole tree */
    RISK_BY_ARCS,   /* mean softmax of the arcs */
    RISK_BY_LENGTH, /* short ones first */
    RISK_BY_MAP,    /* expected F1 through a map that is fitted to other sentences */
    RISK_ORDERS
} RiskOrder;

/* 1 - F1 of the brackets, 1 - LAS with punctuation, and 0 or 1: brackets and arcs are not all right. */
typedef enum RiskKind { RISK_F1, RISK_LAS, RISK_EXACT, RISK_KINDS } RiskKind;

typedef struct RiskSentence {
    double sure[RISK_ORDERS];        /* larger is surer; not known: -1 */
    double risk[RISK_KINDS];         /* 0 to 1; NAN: there is no gold, or nothing to find */
    long words, gold, pred, matched; /* words, and brackets of trees */
    double grammar;                  /* what a grammar says of the tree (Parsed.grammar) */
} RiskSentence;

/* Sets risk, words and brackets from the scores of the sentence alone. */
void risk_set(RiskSentence *sentence, const Scores *scores);

enum { RISK_SHARES = 6 }; /* 100, 90, 80, 70, 60 and 50 % of the sentences, rounded up */

typedef struct RiskCurve {
    double risk[RISK_SHARES]; /* mean risk of the share that is surest */
    double area;              /* mean over k = 1 .. n of the mean risk of the k surest */
} RiskCurve;

/* sure [n], risk [n], n >= 1. Each of several equally sure sentences counts with the mean of their risks, so no order
 * among them matters: all equally sure are the expectation of a random order. ERR_NOMEM. */
Status risk_curve(const double *sure, const double *risk, int n, RiskCurve *to, Error *error);

/* The share of the words, 0 to 1, in the sentences that must be corrected until the brackets of all sentences have the
 * F1 `target`, 0 to 1: the least sure ones first; of the last one, or of several equally sure ones together, a part
 * counts. sure [n]. ERR_NOMEM. */
Status risk_effort(const double *sure, const RiskSentence *sentence, int n, double target, double *share, Error *error);

/* The expected calibration error over ten bins of expected [n], values from 0 to 1; NAN without a sentence. */
double risk_error(const double *expected, const double *found, int n);

/* Appends a table for each kind of risk, with the random and the ideal order, the calibration error of expected F1, and
 * a table of what must be corrected, in percent, or the same as a JSON object. ERR_NOMEM. */
Status risk_text(const RiskSentence *sentence, int n, StrBuf *out, Error *error);
Status risk_json(const RiskSentence *sentence, int n, StrBuf *out, Error *error);
