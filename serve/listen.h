/* The socket a server listens on. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"

typedef struct ListenSocket {
    int socket;       /* -1: none */
    bool local;       /* only this machine can connect */
    const char *file; /* of a unix socket that this process has made, borrowed; or NULL */
    dev_t device;     /* of the file */
    ino_t number;
} ListenSocket;

/* Opens "ADDRESS:PORT", "[ADDRESS]:PORT", "PORT" of 127.0.0.1, or "unix:PATH"; port 0: any. `where` stays as long as
 * the socket. A socket of systemd is taken instead. The file of a unix socket is replaced if nobody listens on it; what
 * is no socket, or has a server, is an error. ERR_USAGE, ERR_IO; then nothing is open. */
Status listen_open(const char *where, ListenSocket *socket, Error *error);
/* Appends where the server listens, as "http://127.0.0.1:9000/". */
void listen_name(const ListenSocket *socket, const char *where, StrBuf *out);
/* Removes the file of a unix socket, if it is still this socket's. As long as the socket listens, no other server takes
 * its place. */
void listen_unlink(ListenSocket *socket);
/* Connections are refused from now on; with a socket of systemd they wait for the next server. */
void listen_refuse(const ListenSocket *socket);
/* Unlinks and closes what is open. */
void listen_close(ListenSocket *socket);
