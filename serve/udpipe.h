/* The protocol of UDPipe's service, as far as lal has what it asks for (docs/SERVER.md). */
#pragma once

#include "serve/answer.h"

/* GET and POST /process: parameters in the query, in a form or in multipart/form-data. */
void udpipe_process(const Job *job, Answer *answer);
/* The parameters of /process: tables that end with NULL. */
extern const Option *const UDPIPE_TABLES[];
/* GET and POST /models. */
void udpipe_models(const Job *job, Answer *answer);
