/* A language of which nothing is known: tokens are what white space separates, sentences end at line breaks, or with
 * NEWLINES_SPACE at the end of a paragraph. For text that another program has split, in any script. */
#pragma once

#include "language/language.h"

extern const Language PLAIN_LANGUAGE, PLAIN_TRAINED_LANGUAGE;
