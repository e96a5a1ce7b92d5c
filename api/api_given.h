/* What is given of a sentence, as include/lalparser.h has it, for the parser. */
#pragma once

#include "include/lalparser.h"
#include "parser/parse/parse.h"

/* Sets in->given of sentence k. Arrays lie in the arena, strings are borrowed. ERR_RANGE with the sentence and what was
 * expected, ERR_FORMAT (not UTF-8), ERR_NOMEM. */
Status api_given(const Model *model, const LalGiven *given, int k, ParseInput *in, Arena *arena, Error *error);
