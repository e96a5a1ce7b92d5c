/* Which nodes of parsed sentences match a pattern? A pattern comes from a client: what it may take is limited here, for
 * /tregex, /semgrex and /v1/search. */
#pragma once

#include "serve/answer.h"

typedef struct Matches {
    const Job *j;
    Answer *a;
    LalPattern *pattern;
    size_t held; /* bytes that the request counts for */
} Matches;

/* Compiles a pattern; what options say of steps and matches is replaced by the server's limits. false: *answer is
 * refused, with 400 where the pattern is wrong. matches_fini also then. */
bool matches_init(Matches *matches, const Job *job, const char *pattern, LalPatternOptions options, Answer *answer);
void matches_fini(Matches *matches);

/* The next sentence of what lal_search_sentences or lal_search_text began to search. NULL: there is no other one, or
 * the answer is refused: 408, a sentence took too long, or the request has no time left; 413, too many matches. */
const LalFound *matches_next(Matches *matches);
/* Is there room and time to go on, after `bytes` of the answer? To be asked after each match. false: the
 * answer is refused. */
bool matches_go_on(Matches *matches, size_t bytes);
/* Refuses the answer by the error of a function of patterns. Returns false. */
bool matches_error(Matches *matches, const LalError *error);
