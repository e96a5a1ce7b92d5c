/* /tregex and /semgrex of CoreNLP's server: matches of a pattern in a text, or in trees that the client sends, as JSON.
 */
#pragma once

#include "serve/answer.h"

/* Fill in *answer, with an error too. */
void corenlp_search_tregex(const Job *job, Answer *answer);
void corenlp_search_semgrex(const Job *job, Answer *answer);
