/* POST /v1/search: sentences of a text in which a pattern matches, as lal search writes them in JSON. */
#pragma once

#include "serve/answer.h"

/* Fills in *answer, with an error too. */
void own_search(const Job *job, Answer *answer);
