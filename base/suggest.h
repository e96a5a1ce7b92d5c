/* "Did you mean": the known name that is nearest to one that was mistyped, for messages. */
#pragma once

#include "base/text.h"

typedef struct Suggestion {
    StrView typed, best; /* both borrowed */
    int distance;        /* of best, or one more than the largest that is suggested */
} Suggestion;

typedef struct SuggestionText {
    char text[96];
} SuggestionText;

/* Looks for a name near typed[0 .. len). */
Suggestion suggest_for(const char *typed, size_t len);

/* Considers a name. Its distance is the number of insertions, deletions, substitutions and swaps of neighbours
 * (Damerau 1964; no part is edited twice) that make one of the other, at most 1 if it begins with what was typed. Case
 * and - for _ count nothing. Up to four letters have one typing error, up to eight two, more three. Of names at the
 * same distance the first one counts. */
void suggest_name(Suggestion *suggestion, const char *name, size_t len);
/* Considers each of "a|b|c". */
void suggest_choices(Suggestion *suggestion, const char *choices);

/* "; did you mean 'NAME'?", with `before` in front of the name ("--"), or "" if no name is near. */
SuggestionText suggest_text(const Suggestion *suggestion, const char *before);
