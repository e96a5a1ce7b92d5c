/* A sentence of include/lalparser.h in a format, without the model that parsed it. */
#pragma once

#include "include/lalparser.h"
#include "parser/output/output.h"

/* Appends a sentence, its number from 1, as lal_sentence_as says. text: what was parsed, in the way of `how`; ptr is
 * NULL where it is not known. style: its format and ranges. ERR_RANGE: places outside of the text, or LAL_DEPS_UD of a
 * sentence without Universal Dependencies; ERR_NOMEM. */
Status api_write_sentence(StrBuf *out, const LalSentence *from, long number, StrView text, DocumentOptions how,
                          LalDeps deps, OutputStyle style, Error *error);

/* The numbers of a parse, and its Sentence as Parsed.extra, but not its best; ud: with Universal Dependencies, if it
 * has them. Arrays lie in the arena. ERR_RANGE as above, ERR_NOMEM. */
Status api_write_parsed(const LalSentence *from, bool ud, Arena *arena, Parsed *to, Error *error);
bool api_has_ud(const LalSentence *from);
