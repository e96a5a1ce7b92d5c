/* Connections: how long each may take, and whether its client is still there. */
#pragma once

#include "serve/mhd.h"
#include "serve/server.h"

/* MHD_NotifyConnectionCallback; cls is the Server. */
void connection_notify(void *cls, struct MHD_Connection *connection, void **context,
                       enum MHD_ConnectionNotificationCode code);
/* The connection of a request is in another state from now on. */
void connection_state(Exchange *exchange, ConnectionState state);
/* Ends connections that are slower than the limits; the library's own limit is one of silence alone. */
void connection_watch(Server *server, double now);
/* Has the client of a request in work left? Not if it only says that it sends no more. A connection by TCP says both in
 * the same way, until something is sent to it: a client that waits for a while gets "100 Continue", which has no
 * meaning at that point and to which the machine of one that has left objects. */
bool connection_left(Exchange *exchange);
/* The library goes on with the connection of a request. */
void connection_resume(Exchange *exchange);
