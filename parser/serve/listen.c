/* parser/serve/listen.c */
#include "parser/serve/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "parser/serve/systemd.h"

enum { BACKLOG = 511 };

static bool is_unix(const char *where) { return strncmp(where, "unix:", 5) == 0; }

static Status failed(const char *where, const char *what, Error *e)
{
    return error_set(e, ERR_IO, "--listen %s: cannot %s: %s", where, what, strerror(errno));
}

/* Binds and listens; closes the socket if that fails. */
static Status bind_to(const char *where, int s, const struct sockaddr *a, socklen_t size, int *out, Error *e)
{
    if (s < 0) return failed(where, "make a socket", e);
    if (bind(s, a, size) == 0 && listen(s, BACKLOG) == 0) {
        *out = s;
        return OK;
    }
    failed(where, "listen", e);
    close(s);
    return ERR_IO;
}

static Status open_unix(const char *where, int *out, Error *e)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    struct stat st;
    const char *path = where + 5;
    if (!*path || strlen(path) >= sizeof a.sun_path)
        return error_set(e, ERR_USAGE, "--listen: found '%s', expected a path of 1 to %zu bytes", where,
                         sizeof a.sun_path - 1);
    memcpy(a.sun_path, path, strlen(path));
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s >= 0 && stat(path, &st) == 0 && S_ISSOCK(st.st_mode) && connect(s, (struct sockaddr *)&a, sizeof a) != 0 &&
        errno == ECONNREFUSED)
        unlink(path); /* of a server that was killed */
    if (s >= 0) close(s);
    return bind_to(where, socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), (struct sockaddr *)&a, sizeof a, out, e);
}

static bool is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET) return (ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24) == 127;
    return a->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

static Status open_address(const char *where, const char *host, const char *port, int *out, bool *local, Error *e)
{
    struct addrinfo want = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM }, *found = NULL;
    int code = getaddrinfo(host, port, &want, &found);
    if (code != 0) return error_set(e, ERR_USAGE, "--listen: found '%s': %s", where, gai_strerror(code));
    int s = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (s >= 0) setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    *local = is_loopback(found->ai_addr);
    Status status = bind_to(where, s, found->ai_addr, found->ai_addrlen, out, e);
    freeaddrinfo(found);
    return status;
}

Status listen_open(const char *where, int *out, bool *local, Error *e)
{
    char host[256] = "127.0.0.1";
    const char *colon = strrchr(where, ':');
    *out = systemd_socket();
    if (*out >= 0) {
        struct sockaddr_storage a = { 0 };
        socklen_t size = sizeof a;
        getsockname(*out, (struct sockaddr *)&a, &size);
        *local = a.ss_family == AF_UNIX || is_loopback((struct sockaddr *)&a);
        return OK;
    }
    *local = is_unix(where);
    if (*local) return open_unix(where, out, e);
    size_t n = colon ? (size_t)(colon - where) : 0, skip = n > 1 && *where == '[' && where[n - 1] == ']';
    if (n >= sizeof host || (colon && n == 0))
        return error_set(e, ERR_USAGE, "--listen: found '%s', expected ADDRESS:PORT, PORT or unix:PATH", where);
    if (colon) snprintf(host, sizeof host, "%.*s", (int)(n - 2 * skip), where + skip);
    return open_address(where, host, colon ? colon + 1 : where, out, local, e);
}

void listen_report(int socket, const char *where, bool guarded)
{
    struct sockaddr_storage a = { 0 };
    socklen_t size = sizeof a;
    char host[64], port[16];
    if (getsockname(socket, (struct sockaddr *)&a, &size) == 0 && a.ss_family != AF_UNIX &&
        getnameinfo((struct sockaddr *)&a, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        fprintf(stderr,
                strchr(host, ':') ? "lal serve: ready on http://[%s]:%s/\n" : "lal serve: ready on http://%s:%s/\n",
                host, port);
    else if (a.ss_family == AF_UNIX)
        fprintf(stderr, "lal serve: ready on unix:%s\n", ((const struct sockaddr_un *)&a)->sun_path);
    else fprintf(stderr, "lal serve: ready on %s\n", where);
    if (!guarded)
        fprintf(stderr, "lal serve: other machines can connect, and there is no password (--user, --password-file)\n");
}

void listen_refuse(int socket)
{
    if (systemd_socket() < 0) shutdown(socket, SHUT_RDWR);
}

void listen_close(const char *where)
{
    if (is_unix(where) && systemd_socket() < 0) unlink(where + 5);
}
