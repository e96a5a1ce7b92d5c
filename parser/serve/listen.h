/* parser/serve/listen.h
 * The socket a server listens on. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* Opens "ADDRESS:PORT", "[ADDRESS]:PORT", "PORT" of 127.0.0.1, or "unix:PATH"; port 0: any. A socket of systemd is
 * taken instead. *local: only this machine can connect. A socket file that nobody listens on is replaced. ERR_USAGE,
 * ERR_IO. */
Status listen_open(const char *where, int *socket, bool *local, Error *e);
/* Says on standard error where the server listens; guarded: only this machine can connect, or there is a password. */
void listen_report(int socket, const char *where, bool guarded);
/* Connections are refused from now on; with a socket of systemd they wait for the next server. */
void listen_refuse(int socket);
/* Removes the file of a unix socket. */
void listen_close(const char *where);
