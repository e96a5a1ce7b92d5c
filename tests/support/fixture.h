/* tests/support/fixture.h: folders of recorded numbers, as tests/golden checkers read them. */
#ifndef LAL_TESTS_SUPPORT_FIXTURE_H
#define LAL_TESTS_SUPPORT_FIXTURE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "tensor/safetensors.h"

/* DIR/manifest.json; NULL with a message on standard error. Free with cJSON_Delete. */
cJSON *fixture_manifest(const char *dir);
/* DIR/NAME.safetensors. false with a message on standard error. */
bool fixture_open(SafeTensors *st, const char *dir, const char *name);
/* The numbers of a tensor on the heap, or NULL if there is none. n may be NULL. */
Real *fixture_reals(const SafeTensors *st, const char *name, size_t *n);
int32_t *fixture_ints(const SafeTensors *st, const char *name, size_t *n);

/* Largest |a - b|, divided by the largest |b| (or 1 if that is smaller than `floor`). Infinity when a number is NaN. */
double relative_difference(const Real *a, const Real *b, size_t n, double floor);

/* Checks one case of a folder and prints its line. */
typedef bool FixtureCheck(const SafeTensors *st, const cJSON *json, const char *name);
/* main of a checker: PROGRAM DIR runs every case of DIR/manifest.json; last line "N passed, N failed". Returns the exit
 * status. */
int fixture_check_all(int argc, char **argv, FixtureCheck *check);

#endif
