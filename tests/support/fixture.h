/* Reads folders of recorded numbers, for the checkers of tests/golden. */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "tensor/safetensors.h"
#include "tests/support/freed.h"

/* Reads DIR/manifest.json; NULL, with a message on standard error, on failure. Freed with cJSON_Delete. */
cJSON *fixture_manifest(const char *dir);
/* Opens DIR/NAME.safetensors; false, with a message on standard error, on failure. */
bool fixture_open(SafeTensors *st, const char *dir, const char *name);
/* The numbers of a tensor on the heap and their number in *n; NULL if there is no such tensor. n may be NULL. */
Real *fixture_reals(const SafeTensors *st, const char *name, size_t *n);
int32_t *fixture_ints(const SafeTensors *st, const char *name, size_t *n);

/* Whether --all was given: then what is not compared fails. */
bool fixture_all(void);
/* The first tensor whose name begins with `prefix` and which was not read in this case; NULL: all were read. So no
 * recorded number is left out unnoticed. fixture_leave_out: one that is left out on purpose. */
const char *fixture_unread(const SafeTensors *st, const char *prefix);
void fixture_leave_out(const char *name);

/* The largest |a - b| divided by the largest |b|, or by 1 if that is at most `floor`. Infinity if a number is NaN. */
double relative_difference(const Real *a, const Real *b, size_t n, double floor);

/* Checks one case of a folder and prints one line. */
typedef bool FixtureCheck(const SafeTensors *st, const cJSON *json, const char *name);
/* The main function of a checker: PROGRAM [--all] DIR runs every case of DIR/manifest.json; the last line is "N passed,
 * N failed". Returns the exit status. */
int fixture_check_all(int argc, char **argv, FixtureCheck *check);
