/* Features of the spelling of a word: hashed prefixes, suffixes and shape. */
#pragma once

#include <stddef.h>

enum { N_AFFIXES = 7 }; /* lower-cased prefixes of 2, 3 and 5, suffixes of 2, 3 and 4 characters, shape */

/* Bucket of each feature, in 2 .. buckets-1 (0 and 1 are START and STOP). The shape maps letters to X or x, digits to
 * d, other characters to themselves, with runs cut at four. Deterministic across machines. buckets >= 3. */
void token_features_affixes(const char *word, size_t len, int buckets, int out[N_AFFIXES]);
