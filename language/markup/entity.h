/* Which character does &amp; or &#8217; stand for? Names: all of HTML 4, and the letters of Latin
 * Extended-A, the marks of ASCII and some signs of HTML 5. */
#pragma once

#include "base/text.h"

/* Reads the entity at text.ptr[i], an ampersand: returns its end and sets *character, or returns i. Names of
 * Latin-1 and numbers may lack the semicolon where no letter, digit or = follows; &amp;nbsp;, which is escaped
 * twice, is &nbsp;. Numbers 128 to 159 are read as in Windows-1252; numbers of no character and of
 * controls are not read. */
size_t entity_end(StrView text, size_t i, int32_t *character);
/* The character with this name ("alpha"), or 0. */
int32_t entity_named(StrView name);
