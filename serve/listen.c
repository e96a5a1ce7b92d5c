/* A socket from systemd is taken first, else a path or an address is bound; an old socket is removed
 * only if nobody listens on it. */
#include "serve/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "serve/systemd.h"

enum { BACKLOG = 511, PORT_MOST = 65535 };

static bool is_unix(const char *where) { return strncmp(where, "unix:", 5) == 0; }

static Status failed(const char *where, const char *what, Error *e)
{
    return error_set(e, ERR_IO, "--listen %s: cannot %s: %s", where, what, strerror(errno));
}

/* Binds and listens; closes the socket if that fails. */
static Status bind_to(const char *where, int s, const struct sockaddr *a, socklen_t size, ListenSocket *l, Error *e)
{
    if (s < 0) return failed(where, "make a socket", e);
    if (bind(s, a, size) == 0 && listen(s, BACKLOG) == 0) {
        l->socket = s;
        return OK;
    }
    failed(where, "listen", e);
    close(s);
    return ERR_IO;
}

/* ---- unix sockets */

/* Does a server listen there? If not, errno is ECONNREFUSED, or it cannot be known. */
static bool is_served(const struct sockaddr_un *a)
{
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0) return false;
    bool served = connect(s, (const struct sockaddr *)a, sizeof *a) == 0 || errno == EAGAIN; /* its queue is full */
    int code = errno;
    close(s);
    errno = code;
    return served;
}

/* Makes room for a socket: removes one that a killed server has left. */
static Status clear_place(const char *where, const struct sockaddr_un *a, Error *e)
{
    struct stat st;
    if (lstat(a->sun_path, &st) != 0) return OK; /* bind says what is wrong, if anything is */
    if (!S_ISSOCK(st.st_mode))
        return error_set(e, ERR_IO, "--listen %s: found a file that is no socket, expected none", where);
    if (is_served(a)) return error_set(e, ERR_IO, "--listen %s: found a server that listens there", where);
    if (errno != ECONNREFUSED) return failed(where, "ask whether a server listens there", e);
    return unlink(a->sun_path) == 0 || errno == ENOENT ? OK : failed(where, "remove the old socket", e);
}

/* Locks the folder of a path: two servers that start at once must not both remove an old socket. -1: no lock. */
static int lock_folder(const char *path)
{
    char folder[sizeof((struct sockaddr_un *)0)->sun_path + 1];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash > path ? (int)(slash - path) : 1, slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) flock(fd, LOCK_EX);
    return fd;
}

static Status open_unix(const char *where, ListenSocket *l, Error *e)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    struct stat st;
    const char *path = where + 5;
    if (!*path || strlen(path) >= sizeof a.sun_path)
        return error_set(e, ERR_USAGE, "--listen: found '%s', expected a path of 1 to %zu bytes", where,
                         sizeof a.sun_path - 1);
    memcpy(a.sun_path, path, strlen(path));
    int folder = lock_folder(path);
    Status s = clear_place(where, &a, e);
    if (s == OK)
        s = bind_to(where, socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), (struct sockaddr *)&a, sizeof a, l, e);
    if (s == OK && lstat(path, &st) == 0) {
        l->file = path;
        l->device = st.st_dev;
        l->number = st.st_ino;
    }
    if (folder >= 0) close(folder);
    return s;
}

/* ---- addresses */

static bool is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET) return (ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24) == 127;
    return a->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

static Status open_address(const char *where, const char *host, const char *port, ListenSocket *l, Error *e)
{
    struct addrinfo want = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM }, *found = NULL;
    int number = 0, one = 1;
    if (!text_number((StrView){ port, strlen(port) }, &number) || number > PORT_MOST)
        return error_set(e, ERR_USAGE, "--listen: found the port '%s', expected 0 to %d", port, PORT_MOST);
    int code = getaddrinfo(host, port, &want, &found);
    if (code != 0) return error_set(e, ERR_USAGE, "--listen: found '%s': %s", where, gai_strerror(code));
    int s = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s >= 0) setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    l->local = is_loopback(found->ai_addr);
    Status status = bind_to(where, s, found->ai_addr, found->ai_addrlen, l, e);
    freeaddrinfo(found);
    return status;
}

Status listen_open(const char *where, ListenSocket *socket, Error *error)
{
    char host[256] = "127.0.0.1";
    const char *colon = strrchr(where, ':');
    *socket = (ListenSocket){ .socket = systemd_socket() };
    if (socket->socket >= 0) {
        struct sockaddr_storage a = { 0 };
        socklen_t size = sizeof a;
        getsockname(socket->socket, (struct sockaddr *)&a, &size);
        socket->local = a.ss_family == AF_UNIX || is_loopback((struct sockaddr *)&a);
        return OK;
    }
    socket->local = is_unix(where);
    if (socket->local) return open_unix(where, socket, error);
    size_t n = colon ? (size_t)(colon - where) : 0, skip = n > 1 && *where == '[' && where[n - 1] == ']';
    if (n >= sizeof host || (colon && n == 0))
        return error_set(error, ERR_USAGE, "--listen: found '%s', expected ADDRESS:PORT, PORT or unix:PATH", where);
    if (colon) snprintf(host, sizeof host, "%.*s", (int)(n - 2 * skip), where + skip);
    return open_address(where, host, colon ? colon + 1 : where, socket, error);
}

void listen_name(const ListenSocket *socket, const char *where, StrBuf *out)
{
    struct sockaddr_storage a = { 0 };
    socklen_t size = sizeof a;
    char host[64], port[16];
    if (getsockname(socket->socket, (struct sockaddr *)&a, &size) == 0 && a.ss_family != AF_UNIX &&
        getnameinfo((struct sockaddr *)&a, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        strbuf_printf(out, strchr(host, ':') ? "http://[%s]:%s/" : "http://%s:%s/", host, port);
    else if (a.ss_family == AF_UNIX) strbuf_printf(out, "unix:%s", ((const struct sockaddr_un *)&a)->sun_path);
    else strbuf_puts(out, where);
}

void listen_refuse(const ListenSocket *socket)
{
    if (systemd_socket() < 0) shutdown(socket->socket, SHUT_RDWR);
}

void listen_unlink(ListenSocket *socket)
{
    struct stat st;
    if (socket->file && lstat(socket->file, &st) == 0 && st.st_dev == socket->device && st.st_ino == socket->number)
        unlink(socket->file);
    socket->file = NULL;
}

void listen_close(ListenSocket *socket)
{
    listen_unlink(socket);
    if (socket->socket >= 0) close(socket->socket);
    socket->socket = -1;
}
