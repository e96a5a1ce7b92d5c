/* Numbers recorded in JSON files, compared with computed ones; for the parts of tests/golden/options_parity. A value
 * that a function of this header reads is marked, so that values which no check has read are found. A file that lacks a
 * member or has the wrong number of values ends the program: status 2, with a message on standard error. */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/* DIR/NAME. NULL, with a line on standard output, if it does not exist. Marks are kept by address: free it, with
 * cJSON_Delete, after the last call of recorded_unread. */
cJSON *recorded_open(const char *dir, const char *name);
/* The member of an object; it is not marked. */
const cJSON *recorded_item(const cJSON *j, const char *name);
/* The number of elements of an array or of members of an object. */
int recorded_length(const cJSON *j);
/* A member that is a number or a string; element k of a list of strings. Strings are borrowed from the file. */
double recorded_number(const cJSON *j, const char *name);
const char *recorded_text(const cJSON *j, const char *name);
const char *recorded_string(const cJSON *j, int k);
/* All numbers of j, row by row, on the heap; n is how many. The string "-inf" is a number, too. */
double *recorded_numbers(const cJSON *j, int *n);
/* The same, which must be `expected`. */
double *recorded_exactly(const cJSON *j, int expected);

/* Marks j and all of it. j may be NULL. */
void recorded_mark(const cJSON *j);
/* Marks a member that is left out on purpose, if there is one. */
void recorded_leave_out(const cJSON *j, const char *name);
/* The first value, or empty list, of j that is not marked: its path, such as patterns.next.gr[2], in `path`. False: all
 * are marked. */
bool recorded_unread(const cJSON *j, char *path, size_t size);

/* A check: one line "ok NAME" or "FAILED NAME". */
__attribute__((format(printf, 2, 3))) void recorded_verdict(bool ok, const char *format, ...);
/* n numbers: |found - expected| at most 1e-4 (double: 1e-9) of the largest |expected|, or of 1 if that is larger. */
void recorded_check(const char *name, const double *found, const double *expected, int n);
/* The same with the numbers of j, which must be n. */
void recorded_compare(const char *name, const double *found, int n, const cJSON *j);
/* A check that cannot be made: one line "skip NAME". */
__attribute__((format(printf, 1, 2))) void recorded_skip(const char *format, ...);
/* Prints "N passed, N failed" and returns the exit status. */
int recorded_summary(void);
/* Prints "N passed, N failed, N skipped" and returns the exit status, which skipped checks do not change. */
int recorded_summary_skips(void);

/* Memory on the heap, zeroed; ends the program if there is none. */
void *recorded_room(size_t count, size_t size);
/* Ends the program because a file is not as expected. */
_Noreturn __attribute__((format(printf, 1, 2))) void recorded_stop(const char *format, ...);
