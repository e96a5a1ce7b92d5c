/* The table, in the order of the numbers that ModelConfig.language has. */
#include "language/all/languages.h"

#include "language/english/english.h"
#include "language/plain/plain.h"

const Language *const LANGUAGES[] = { &ENGLISH_LANGUAGE, &PLAIN_LANGUAGE, &PLAIN_TRAINED_LANGUAGE };
_Static_assert(sizeof LANGUAGES / sizeof *LANGUAGES == N_LANGUAGES, "as many as the header says");
