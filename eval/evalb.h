/* eval/evalb.h
 * Bracket scoring line by line, with output that equals that of EVALB (Sekine and Collins; version of 2008-07-01) byte
 * by byte, for any parameter file, but without EVALB's limits on words, brackets and lines. docs/FORMATS.md lists the
 * intended differences. */
#ifndef LAL_EVAL_EVALB_H
#define LAL_EVAL_EVALB_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct EvalbList {
    const char **items; /* [n] strings in EvalbParams.arena */
    int n, cap;
} EvalbList;

/* Settings from parameter files and options. */
typedef struct EvalbParams {
    int debug;      /* DEBUG: 1: a table of words and brackets after each sentence; 2 and more: also every comparison */
    int max_error;  /* MAX_ERROR: error number max_error + 2 ends the run; if negative, the first error does */
    int cutoff_len; /* CUTOFF_LEN: largest length of sentences in the second summary */
    bool labeled;   /* LABELED: brackets over one span match only if their labels are equal */
    EvalbList delete_label, delete_length, quote_label; /* DELETE_LABEL, DELETE_LABEL_FOR_LENGTH, QUOTE_LABEL */
    EvalbList eq_label, eq_word; /* EQ_LABEL, EQ_WORD: items 2 k and 2 k + 1 are equal; not transitive */
    Arena arena;
} EvalbParams;

/* Sets the defaults of EVALB: no debugging, max_error 10, cutoff_len 40, labelled, empty lists. */
void evalb_params_init(EvalbParams *p);
void evalb_params_fini(EvalbParams *p);

/* Reads a parameter file: its numbers replace those of p, its lists are appended. EVALB's messages about lines (an
 * unknown keyword, one value instead of two) are written to err; reading continues. If the file cannot be opened,
 * writes EVALB's message to err, sets *stopped and returns OK. ERR_IO if reading fails, ERR_NOMEM. */
Status evalb_params_read(EvalbParams *p, const char *path, FILE *err, bool *stopped, Error *e);

enum { EVALB_MAX_LINE = 1 << 29 }; /* bytes */

/* Scores the file `test` against the file `gold`, with one tree per line. Writes EVALB's standard output to out and its
 * standard error to err, the same in every locale. *stopped is set if EVALB would end with status 1, after its message
 * on err: a file that cannot be opened (or a NULL path), or more errors than max_error allows; then no summary is
 * written. Memory is bounded by the longest pair of lines. ERR_IO (reading, writing), ERR_LIMIT (a line of more than
 * EVALB_MAX_LINE bytes), ERR_NOMEM. e must not be NULL or hold an error. */
Status evalb_run(const EvalbParams *p, const char *gold, const char *test, FILE *out, FILE *err, bool *stopped,
                 Error *e);

#endif
