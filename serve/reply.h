/* Answers on their way to clients; called by the thread of connections. */
#pragma once

#include "serve/mhd.h"
#include "serve/server.h"

/* The whole of exchange->answer, which stays until the exchange is freed. */
enum MHD_Result reply_whole(Exchange *exchange);
/* exchange->answer as its worker makes it. */
enum MHD_Result reply_stream(Exchange *exchange);
