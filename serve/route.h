/* A path of the server: who answers it, and what is said of it. */
#pragma once

#include "base/options.h"
#include "serve/answer.h"

/* What a body may be. */
typedef enum RouteBody {
    BODY_NONE, /* nothing */
    BODY_TEXT, /* text */
    BODY_OWN,  /* text, or JSON with the parameters */
    BODY_FORM, /* a form with the parameters */
} RouteBody;

/* What GET /openapi.json says of a path. */
typedef struct RouteText {
    const char *summary;
    const Option *const *tables; /* parameters; NULL: none */
    RouteBody body;              /* of POST */
    const char *answers[4][2];   /* Content-Types, each with the name of a schema or NULL: any text */
} RouteText;

typedef enum RouteKind {
    ROUTE_QUICK,   /* answered by the thread of connections */
    ROUTE_WORK,    /* by a worker */
    ROUTE_REFUSED, /* 501: CoreNLP has it */
} RouteKind;

typedef struct Route {
    const char *path;
    const char *methods; /* separated by ", ", as the header Allow has them */
    RouteKind kind;
    void (*run)(const Job *j, Answer *a); /* NULL: the server's own (request.c) */
    bool open;                            /* needs no password */
    const RouteText *about;
} Route;
