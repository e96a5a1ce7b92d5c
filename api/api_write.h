/* A sentence of include/lalparser.h in a format, without the model that parsed it. */
#pragma once

#include "include/lalparser.h"
#include "parser/output/output.h"

/* Appends a sentence, its number from 1, as lal_sentence_as says. text: what was parsed, in the way of `how`; ptr is
 * NULL where it is not known. style: its format and ranges. ERR_RANGE: places outside of the text, or LAL_DEPS_UD of a
 * sentence without Universal Dependencies; ERR_NOMEM. */
Status api_write_sentence(StrBuf *out, const LalSentence *from, long number, StrView text, DocumentOptions how,
                          LalDeps deps, OutputStyle style, Error *error);
