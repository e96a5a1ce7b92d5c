/* Addresses in a text of any language: URLs, mail addresses, domains. A view is a piece of text without white space, of
 * which no more than 256 bytes decide. */
#pragma once

#include "base/text.h"

/* Returns the length of the URL, mail address or domain at the beginning of view, or 0. */
size_t address_length(StrView view);
/* The same without the shortcut for words; tests compare them. */
size_t address_search(StrView view);
/* The length of the first `length` bytes of view without the marks of a sentence at their end and without closing
 * brackets that were not opened. */
size_t address_trimmed(StrView view, size_t length);
