/* lal's own paths (docs/SERVER.md): what `lal parse`, `lal inspect` and `lal tokenize` write, as it is written. */
#pragma once

#include "serve/answer.h"

/* POST /v1/parse, /v1/inspect and /v1/tokenize, whose options are parameters of the query; unknown ones are errors. */
void own_parse(const Job *job, Answer *answer);
void own_inspect(const Job *job, Answer *answer);
void own_tokenize(const Job *job, Answer *answer);
/* GET /v1/models: names, treebanks, terms. */
void own_models(const Job *job, Answer *answer);
