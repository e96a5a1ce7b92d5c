/* Does a label match a regular expression? PCRE2, as far as its expressions and Java's, which users of CoreNLP write,
 * are the same; \uHHHH is read, and a class with && is refused. */
#pragma once

#include "base/error.h"
#include "base/text.h"

typedef struct Regex Regex; /* for one thread */

typedef struct RegexOptions {
    bool whole; /* the whole string, not a part of it */
    bool caseless;
} RegexOptions;

/* NULL with ERR_FORMAT, whose column counts from the first byte of text, or ERR_NOMEM. */
Regex *regex_compile(StrView text, RegexOptions options, Error *error);
void regex_free(Regex *regex);
int regex_groups(const Regex *regex);

/* Looks for the first place in subject. 1: found; 0: not; -1: the limits of work or memory were reached. */
int regex_find(Regex *regex, StrView subject);
int regex_cost(const Regex *regex); /* 1, or 1000 where the last search took long */
/* The text of a group, 0 the whole, of the last string that was found; ptr NULL: the group took no part. */
StrView regex_group(const Regex *regex, StrView subject, int group);
/* Appends subject with all that is found replaced, as Java's replaceAll does: in `with`, $1 is the text of a group,
 * $0 all of it, and a character after \ is itself. ERR_FORMAT, whose column counts from the first byte of `with`;
 * ERR_LIMIT if the result has over REGEX_MOST_REPLACED bytes, or beyond the limits of work; ERR_NOMEM. */
enum { REGEX_MOST_REPLACED = 65535 };
Status regex_replace(Regex *regex, StrView subject, StrView with, StrBuf *out, Error *error);
