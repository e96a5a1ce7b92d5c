/* eval/evalb.h
 * Bracket scoring line by line, with the output of EVALB (Sekine and Collins; version of 2008-07-01) to the byte, for any
 * parameter file, without its limits on words, brackets and lines. */
#ifndef LAL_EVAL_EVALB_H
#define LAL_EVAL_EVALB_H

#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

/* A parameter file. Labels are compared as they stand; EQ_LABEL and EQ_WORD name pairs that count as equal. */
typedef struct EvalbParams {
    int debug;      /* DEBUG: 0 nothing; 1 a table of words and brackets behind each sentence; 2 every comparison too */
    int max_error;  /* MAX_ERROR: with so many errors and two more the run ends, as EVALB counts */
    int cutoff_len; /* CUTOFF_LEN of the second summary */
    bool labeled;   /* LABELED */
    const char **delete_label, **delete_length, **quote_label;                 /* DELETE_LABEL, DELETE_LABEL_FOR_LENGTH, QUOTE_LABEL */
    const char **eq_label, **eq_word;                                          /* pairs: EQ_LABEL, EQ_WORD */
    int n_delete_label, n_delete_length, n_quote_label, n_eq_label, n_eq_word; /* entries; of pairs, both sides count */
    int cap[5];
    Arena arena;
} EvalbParams;

/* What EVALB does without a parameter file: no debugging, 10 errors, cut-off 40, labelled, nothing deleted. */
void evalb_params_init(EvalbParams *p);
void evalb_params_fini(EvalbParams *p);
/* Reads a parameter file over what p holds. ERR_IO, ERR_NOMEM, ERR_FORMAT with line on an unknown keyword or a bad value. */
Status evalb_params_read(EvalbParams *p, const char *path, Error *e);

/* Scores `test` against `gold`, one tree a line, writing what EVALB writes to out and its warnings to err. *stopped is set when there were
 * max_error + 2 sentences that could not be scored: EVALB ends there with status 1, without a line for the last one and without a summary.
 * ERR_IO, ERR_NOMEM; ERR_FORMAT with line on brackets that do not match and on a NUL byte. *e is fresh. */
Status evalb_run(const EvalbParams *p, const char *gold, const char *test, FILE *out, FILE *err, bool *stopped, Error *e);

#endif
