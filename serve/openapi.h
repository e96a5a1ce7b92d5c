/* GET /openapi.json: all paths of the server for programs that make or check requests (OpenAPI 3.1). Parameters come
 * from the tables that read them, sentences from docs/parse.schema.json, other answers from openapi.json. */
#pragma once

#include "serve/route.h"

extern const RouteText OPENAPI_CORENLP, OPENAPI_PAGE, OPENAPI_HEALTH, OPENAPI_METRICS, OPENAPI_REFUSED,
    OPENAPI_UDPIPE_MODELS, OPENAPI_PROCESS, OPENAPI_MODELS, OPENAPI_PARSE, OPENAPI_INSPECT, OPENAPI_TOKENIZE,
    OPENAPI_OPENAPI, OPENAPI_TREGEX, OPENAPI_SEMGREX, OPENAPI_SEARCH;

void openapi_answer(const Job *job, Answer *answer);
