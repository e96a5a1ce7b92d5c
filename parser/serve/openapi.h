/* parser/serve/openapi.h
 * GET /openapi.json: all paths of the server for programs that make or check requests (OpenAPI 3.1). Parameters come
 * from the tables that read them, sentences from docs/parse.schema.json, other answers from openapi.json. */
#pragma once

#include "base/options.h"
#include "parser/serve/answer.h"

/* What a body may be. */
typedef enum RouteBody {
    BODY_NONE, /* nothing */
    BODY_TEXT, /* text */
    BODY_OWN,  /* text, or JSON with the parameters */
    BODY_FORM, /* a form with the parameters */
} RouteBody;

/* What is said of a path. */
typedef struct RouteText {
    const char *summary;
    const Option *const *tables; /* parameters; NULL: none */
    RouteBody body;              /* of POST */
    const char *answers[4][2];   /* Content-Types, each with the name of a schema or NULL: any text */
} RouteText;

extern const RouteText ABOUT_CORENLP, ABOUT_PAGE, ABOUT_HEALTH, ABOUT_METRICS, ABOUT_REFUSED, ABOUT_UDPIPE_MODELS,
    ABOUT_PROCESS, ABOUT_MODELS, ABOUT_PARSE, ABOUT_TOKENIZE, ABOUT_OPENAPI;

void openapi_answer(const Job *j, Answer *a);
