/* Requests as they come: called by the thread of connections. */
#pragma once

#include "serve/mhd.h"
#include "serve/server.h"

enum { REQUEST_ROUTES = 17 };
extern const Route REQUEST_ROUTE[REQUEST_ROUTES];

/* Called with the target of a request before the library reads it; cls is the Server. */
void *request_target(void *cls, const char *target, struct MHD_Connection *connection);
/* MHD_AccessHandlerCallback: first for the headers, then for parts of the body, then for the whole, and again when an
 * answer is there. cls is the Server. */
enum MHD_Result request_take(void *cls, struct MHD_Connection *connection, const char *target, const char *method,
                             const char *version, const char *bytes, size_t *size, void **state);
/* MHD_RequestCompletedCallback; cls is the Server. */
void request_completed(void *cls, struct MHD_Connection *connection, void **state,
                       enum MHD_RequestTerminationCode code);
