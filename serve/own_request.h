/* What a request of /v1/parse, /v1/inspect, /v1/tokenize or /v1/search asks for: parameters of the query, or
 * members of a JSON body by the same names, and the text. */
#pragma once

#include "base/options.h"
#include "serve/answer.h"

typedef struct OwnRequest {
    LalOptions o;
    const char *model; /* NULL: the first one */
    int format;        /* of the path's choices */
    bool why, pretokenized, confidence, flips;
    bool sentences;            /* the text is lines of JSON, for lal_parse_json_as */
    LalInspectOptions inspect; /* of /v1/inspect */
    const char *decision;      /* its LalInspectOptions.chosen */
    /* of /v1/search */
    const char *pattern, *semgrex, *where, *heads;
    int kind, graph; /* a LalPatternKind, a LalGraph */
    bool ignore_case;
} OwnRequest;

/* The parameters of a path, of fields of OwnRequest: tables that end with NULL. */
extern const Option *const OWN_PARSE_TABLES[], *const OWN_INSPECT_TABLES[], *const OWN_TOKENIZE_TABLES[],
                                                                                *const OWN_SEARCH_TABLES[];
/* May a body have what is known of its sentences? */
bool own_takes_sentences(const Option *const *tables);

/* Sets *request to what a request without parameters asks for, of the path whose parameters `tables` are. */
void own_request_init(OwnRequest *request, const Option *const *tables, const LalOptions *parse);

/* Sets *request and *text, in UTF-8, which stay as long as job->arena and the body. A body of the type application/json
 * is an object, docs/SERVER.md; other types are 415 unless they are of text. A text of more than o->max_chars
 * characters, of all parses together, is 413. false: *a is refused. */
bool own_request_read(const Job *job, const Option *const *tables, OwnRequest *request, StrView *text, Answer *answer);
