/* eval/evalb.h
 * Bracket scoring line by line, with the output of EVALB (Sekine and Collins; version of 2008-07-01) to the byte, for
 * any parameter file, without its limits on words, brackets and lines. docs/FORMATS.md lists where the two differ on
 * purpose. */
#ifndef LAL_EVAL_EVALB_H
#define LAL_EVAL_EVALB_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct EvalbList {
    const char **items; /* [n], strings in the parameters' arena */
    int n, cap;
} EvalbList;

/* What parameter files and options say. */
typedef struct EvalbParams {
    int debug;      /* DEBUG: 1 a table of words and brackets after each sentence; 2 and more: every comparison too */
    int max_error;  /* MAX_ERROR: the error after max_error + 1 others ends the run, the first one if it is negative */
    int cutoff_len; /* CUTOFF_LEN of the second summary */
    bool labeled;   /* LABELED: brackets of one span match only if their labels do */
    EvalbList delete_label, delete_length, quote_label; /* DELETE_LABEL, DELETE_LABEL_FOR_LENGTH, QUOTE_LABEL */
    EvalbList eq_label, eq_word; /* EQ_LABEL, EQ_WORD: items 2 k and 2 k + 1 count as equal; not transitive */
    Arena arena;
} EvalbParams;

/* What EVALB does without a parameter file: no debugging, 10 errors, cut-off 40, labelled, nothing deleted. */
void evalb_params_init(EvalbParams *p);
void evalb_params_fini(EvalbParams *p);

/* Reads a parameter file: its numbers replace those of p, its lists are appended. EVALB's messages about a line (an
 * unknown keyword, one value instead of two) go to err and do not end the reading. *stopped is set, with a message on
 * err, when the file cannot be opened. ERR_IO when reading fails, ERR_NOMEM. */
Status evalb_params_read(EvalbParams *p, const char *path, FILE *err, bool *stopped, Error *e);

/* Bytes of a line. */
enum { EVALB_MAX_LINE = 1 << 29 };

/* Scores the file `test` against the file `gold`, one tree a line, writing to out what EVALB writes to standard output
 * and to err what it writes to standard error, alike in every locale. *stopped is set when EVALB would end with status
 * 1, with its message on err: a file that cannot be opened (a NULL path too), or more errors than max_error allows; the
 * rest of the files is not read then, and no summary written. Memory is bounded by the longest pair of lines.
 * ERR_IO (reading, writing), ERR_LIMIT (a line of more than EVALB_MAX_LINE bytes), ERR_NOMEM. *e is fresh. */
Status evalb_run(const EvalbParams *p, const char *gold, const char *test, FILE *out, FILE *err, bool *stopped,
                 Error *e);

#endif
