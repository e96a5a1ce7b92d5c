/* Bracket scoring line by line, with output that equals EVALB's (Sekine and Collins; version of 2008-07-01) byte by
 * byte, for any parameter file, but without EVALB's limits on words, brackets and lines.
 *
 * Intended differences, where EVALB reads or writes outside its arrays, or reports nothing:
 * - More than 200 words or brackets, or a line of 5,000 bytes or more: EVALB's arrays overflow, and it reads a long
 * line as several. Here the sentence is scored in full, with a note on standard error.
 * - Words of 100 bytes, labels of 30, 20 quotes, parameter lines of 500 bytes, 100 labels in a list, and with DEBUG 2
 *   brackets of 1,000 bytes: the same, without a note.
 * - A line that ends in a label, or in a word without a newline: EVALB continues with what an earlier line has left in
 *   its buffer. Here the line ends there, which is an error of the sentence.
 * - A surplus ')' closes the bracket whose index is below the bottom of EVALB's stack; evalb_tree.c has that value as
 *   in EVALB compiled by gcc. With DEBUG 2 a bracket that is never closed has the text up to where one with the same
 *   index ended in an earlier line, as in EVALB; where there was none, EVALB crashes.
 * - A keyword without a value: EVALB uses the value that an earlier line has left. Here a message is written (for
 *   keywords with one value), a number becomes 0, and a list stays as it is.
 * - Files that cannot be read to the end, and output that cannot be written: EVALB reports nothing, or is ended by
 *   SIGPIPE. Here they are errors.
 * - Without any matching bracket the F measure is 0 / 0. It is "-nan" here on every machine, as EVALB prints it on x86.
 */
#pragma once

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
void evalb_params_init(EvalbParams *params);
void evalb_params_fini(EvalbParams *params);

/* Reads a parameter file: its numbers replace numbers of params, its lists are appended. EVALB's messages about lines
 * (an unknown keyword, one value instead of two) are written to err; reading continues. If the file cannot be opened,
 * writes EVALB's message to err, sets *stopped and returns OK. ERR_IO if reading fails, ERR_NOMEM. */
Status evalb_params_read(EvalbParams *params, const char *path, FILE *err, bool *stopped, Error *error);

enum { EVALB_MAX_LINE = 1 << 29 }; /* bytes */

/* Scores the file `test` against the file `gold`, with one tree per line. Writes EVALB's standard output to out and its
 * standard error to err, the same in every locale. *stopped is set if EVALB would end with status 1, after its message
 * on err: a file that cannot be opened (or a NULL path), or more errors than max_error allows; then no summary is
 * written. Memory is bounded by the longest pair of lines. ERR_IO (reading, writing), ERR_LIMIT (a line of more than
 * EVALB_MAX_LINE bytes), ERR_NOMEM. e must not be NULL or hold an error. */
Status evalb_run(const EvalbParams *params, const char *gold, const char *test, FILE *out, FILE *err, bool *stopped,
                 Error *error);
