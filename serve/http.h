/* Checks on HTTP requests that libmicrohttpd accepts, but that are not safe behind or beside other servers. All
 * texts are the client's. */
#pragma once

#include <stdbool.h>

#include "base/text.h"

/* Is it a name of a method or header (RFC 9110, section 5.6.2)? */
bool http_is_token(const char *text);

/* The headers that say where a request ends (RFC 9112, section 6); all 0 at first. */
typedef struct HttpFraming {
    int lengths, codings, hosts;
    bool odd_name;     /* a name that others may read as another one */
    bool other_coding; /* than "chunked" */
} HttpFraming;
void http_framing_add(HttpFraming *framing, const char *name, const char *value);
/* 0: there is one way alone to read where the request ends. Else the status of the answer, after which the connection
 * must be closed, and *why. */
int http_framing_fault(const HttpFraming *framing, const char *version, const char **why);

/* The path of a request's target, also of the absolute form "http://host:80/path"; "/" if it has none. */
const char *http_path(const char *target);

/* Is the host of a header Host or of an authority, with or without a port, "localhost", a name below it, or an address
 * of this machine's loopback? */
bool http_host_is_loopback(StrView host);
