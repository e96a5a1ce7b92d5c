/* tensor/group_tcp.c: a link of sockets, one to each rank whose number differs in one bit. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"
#include "tensor/group_link.h"

typedef struct Tcp {
    GroupPlace place;
    int steps;             /* 1 << steps = size */
    int peer[GROUP_STEPS]; /* the socket to rank XOR 1 << k; -1: none yet */
    int listener;
} Tcp;

/* ---- sending and receiving at once */

/* Sends or receives what is possible without waiting. false: the connection is over. */
static bool move(int fd, bool send_it, char **at, size_t *left)
{
    ssize_t n = send_it ? send(fd, *at, *left, MSG_NOSIGNAL) : recv(fd, *at, *left, 0);
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    *at += n;
    *left -= (size_t)n;
    return n > 0 || send_it;
}

/* Sends `out` and receives `in` over a socket that does not wait; rank: of the other side, for messages. */
static Status transfer(const Tcp *t, int fd, int rank, const void *out, size_t n_out, void *in, size_t n_in, Error *e)
{
    char *from = (char *)(uintptr_t)out, *to = in;
    while (n_out || n_in) {
        struct pollfd p = { .fd = fd, .events = (short)((n_out ? POLLOUT : 0) | (n_in ? POLLIN : 0)) };
        int ready = poll(&p, 1, (int)(t->place.timeout * 1000));
        if (ready < 0 && errno == EINTR) continue;
        errno = ready < 0 ? errno : 0;
        if (ready == 0) return group_lost(&t->place, rank, "nothing came from it in time", e);
        bool good = ready > 0;
        if (good && n_in && (p.revents & (POLLIN | POLLHUP | POLLERR))) good = move(fd, false, &to, &n_in);
        if (good && n_out && (p.revents & (POLLOUT | POLLHUP | POLLERR))) good = move(fd, true, &from, &n_out);
        if (!good)
            return group_lost(&t->place, rank,
                              errno && errno != ECONNRESET && errno != EPIPE ? strerror(errno) : "it ended", e);
    }
    return OK;
}

/* ---- meeting */

/* What a process says of itself when it connects, and where it listens. */
typedef struct Hello {
    char magic[8];
    int32_t rank, size, real;
    char host[64], port[8];
} Hello;

static const char MAGIC[8] = "lal grp";

static void prepare(int fd)
{
    int one = 1;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static Status resolve(const char *host, const char *port, struct addrinfo **to, Error *e)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    int bad = getaddrinfo(host, port, &hints, to);
    return bad ? error_set(e, ERR_IO, "%s: no address of rank 0: %s", host, gai_strerror(bad)) : OK;
}

/* Listens on an address; port 0: any. */
static int listen_on(const struct sockaddr *address, socklen_t size)
{
    int one = 1, fd = socket(address->sa_family, SOCK_STREAM, 0);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, address, size) == 0 && listen(fd, GROUP_MOST) == 0) {
        prepare(fd);
        return fd;
    }
    close(fd);
    return -1;
}

static void put_address(const struct sockaddr_storage *address, socklen_t size, Hello *to)
{
    if (getnameinfo((const struct sockaddr *)address, size, to->host, sizeof to->host, to->port, sizeof to->port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        to->host[0] = '\0';
}

/* Connects to a host, again and again until the time is over. */
static Status connect_to(const Tcp *t, int rank, const char *host, const char *port, int *fd, Error *e)
{
    const double end = clock_seconds() + t->place.timeout;
    struct addrinfo *list;
    Status s = resolve(host, port, &list, e);
    if (s != OK) return s;
    for (*fd = -1; *fd < 0;) {
        for (const struct addrinfo *a = list; a && *fd < 0; a = a->ai_next) {
            int x = socket(a->ai_family, a->ai_socktype, 0);
            if (x >= 0 && connect(x, a->ai_addr, a->ai_addrlen) == 0) *fd = x;
            else if (x >= 0) close(x);
        }
        if (*fd >= 0 || clock_seconds() > end) break;
        poll(NULL, 0, 50);
    }
    freeaddrinfo(list);
    if (*fd < 0) return error_set(e, ERR_IO, "%s:%s: rank %d found no rank %d there", host, port, t->place.rank, rank);
    prepare(*fd);
    return OK;
}

static Status accept_one(const Tcp *t, int *fd, Error *e)
{
    struct pollfd p = { .fd = t->listener, .events = POLLIN };
    int ready = poll(&p, 1, (int)(t->place.timeout * 1000));
    *fd = ready > 0 ? accept(t->listener, NULL, NULL) : -1;
    if (*fd < 0)
        return error_set(e, ERR_IO, "rank %d of %d waited for the others in vain", t->place.rank, t->place.size);
    prepare(*fd);
    return OK;
}

/* Does the process belong to this group? */
static Status check_hello(const Tcp *t, const Hello *h, Error *e)
{
    if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0 || h->rank < 0 || h->rank >= t->place.size)
        return error_set(e, ERR_CONFIG, "rank %d: found a stranger, expected one of %d ranks", t->place.rank,
                         t->place.size);
    if (h->size != t->place.size || h->real != (int32_t)sizeof(Real))
        return error_set(e, ERR_CONFIG, "rank %d: found %d ranks with numbers of %d bytes, expected %d with %d",
                         h->rank, h->size, h->real, t->place.size, (int)sizeof(Real));
    return OK;
}

/* Keeps the socket if it leads to one of the ranks that this one sends to, else closes it. */
static void keep_peer(Tcp *t, int rank, int fd)
{
    int k = 0;
    while (k < t->steps && (t->place.rank ^ rank) != 1 << k) k++;
    if (k < t->steps && t->peer[k] < 0) t->peer[k] = fd;
    else close(fd);
}

/* Rank 0: hears of all, then tells all. */
static Status gather_hellos(Tcp *t, Hello *all, Error *e)
{
    int fds[GROUP_MOST];
    Status s = OK;
    for (int k = 0; k < t->place.size; k++) fds[k] = -1;
    for (int n = 1; n < t->place.size && s == OK; n++) {
        Hello h = { .rank = -1 };
        int fd;
        if ((s = accept_one(t, &fd, e)) != OK) break;
        s = transfer(t, fd, -1, NULL, 0, &h, sizeof h, e);
        if (s == OK) s = check_hello(t, &h, e);
        if (s == OK && fds[h.rank] >= 0) s = error_set(e, ERR_CONFIG, "found rank %d twice", h.rank);
        if (s != OK) {
            close(fd);
            break;
        }
        fds[h.rank] = fd;
        all[h.rank] = h;
    }
    for (int k = 1; k < t->place.size; k++) {
        if (s == OK) s = transfer(t, fds[k], k, all, (size_t)t->place.size * sizeof *all, NULL, 0, e);
        if (fds[k] >= 0) keep_peer(t, k, fds[k]);
    }
    return s;
}

/* Another rank: says where it listens, hears of all. */
static Status send_hello(Tcp *t, const char *port, Hello *all, Error *e)
{
    Hello h = { .rank = t->place.rank, .size = t->place.size, .real = (int32_t)sizeof(Real) };
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int fd;
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    Status s = connect_to(t, 0, t->place.host, port, &fd, e);
    if (s != OK) return s;
    getsockname(fd, (struct sockaddr *)&address, &size);
    if (address.ss_family == AF_INET6) ((struct sockaddr_in6 *)&address)->sin6_port = 0;
    else ((struct sockaddr_in *)&address)->sin_port = 0;
    t->listener = listen_on((struct sockaddr *)&address, size);
    if (t->listener < 0 || getsockname(t->listener, (struct sockaddr *)&address, &size) != 0)
        s = error_set(e, ERR_IO, "rank %d cannot listen: %s", t->place.rank, strerror(errno));
    put_address(&address, size, &h);
    if (s == OK) s = transfer(t, fd, 0, &h, sizeof h, NULL, 0, e);
    if (s == OK) s = transfer(t, fd, 0, NULL, 0, all, (size_t)t->place.size * sizeof *all, e);
    keep_peer(t, 0, fd);
    return s;
}

/* The ranks above connect to those below, apart from rank 0, which is connected. */
static Status meet_peers(Tcp *t, const Hello *all, Error *e)
{
    int above = 0, fd, rank = t->place.rank;
    Status s = OK;
    for (int k = 0; k < t->steps && s == OK; k++) {
        int other = rank ^ 1 << k;
        above += other > rank && rank > 0;
        if (other > rank || other == 0) continue;
        s = connect_to(t, other, all[other].host, all[other].port, &fd, e);
        if (s == OK) s = transfer(t, t->peer[k] = fd, other, &all[rank], sizeof *all, NULL, 0, e);
    }
    for (; above && s == OK; above--) {
        Hello h = { .rank = -1 };
        if ((s = accept_one(t, &fd, e)) != OK) break;
        s = transfer(t, fd, -1, NULL, 0, &h, sizeof h, e);
        if (s == OK) s = check_hello(t, &h, e);
        if (s == OK) keep_peer(t, h.rank, fd);
        else close(fd);
    }
    for (int k = 0; k < t->steps && s == OK; k++)
        if (t->peer[k] < 0) s = group_lost(&t->place, rank ^ 1 << k, "it did not come", e);
    return s;
}

static Status listen_as_first(Tcp *t, const char *port, Error *e)
{
    struct addrinfo *list;
    Status s = resolve(t->place.host, port, &list, e);
    if (s != OK) return s;
    for (const struct addrinfo *a = list; a && t->listener < 0; a = a->ai_next)
        t->listener = listen_on(a->ai_addr, a->ai_addrlen);
    if (t->listener < 0)
        s = error_set(e, ERR_IO, "%s:%s: rank 0 cannot listen: %s", t->place.host, port, strerror(errno));
    freeaddrinfo(list);
    return s;
}

static Status exchange(void *of, int rank, const void *out, size_t n_out, void *in, size_t n_in, Error *e)
{
    const Tcp *t = of;
    int k = 0;
    while ((t->place.rank ^ rank) != 1 << k) k++;
    return transfer(t, t->peer[k], rank, out, n_out, in, n_in, e);
}

static void end(void *of, bool failed)
{
    Tcp *t = of;
    (void)failed;
    for (int k = 0; k < GROUP_STEPS; k++)
        if (t->peer[k] >= 0) close(t->peer[k]);
    if (t->listener >= 0) close(t->listener);
    mem_free(t);
}

Status group_link_tcp(GroupLink *link, const GroupPlace *p, Error *e)
{
    char port[16];
    Hello *all = mem_calloc((size_t)p->size, sizeof *all);
    Tcp *t = mem_calloc(1, sizeof *t);
    if (!t || !all) {
        mem_free(all);
        mem_free(t);
        return error_set(e, ERR_NOMEM, "out of memory for a group");
    }
    *t = (Tcp){ .place = *p, .listener = -1 };
    for (int k = 0; k < GROUP_STEPS; k++) t->peer[k] = -1;
    while (1 << t->steps < p->size) t->steps++;
    *link = (GroupLink){ t, exchange, end };
    snprintf(port, sizeof port, "%d", p->port);
    Status s = p->rank ? send_hello(t, port, all, e) : listen_as_first(t, port, e);
    if (s == OK && p->rank == 0) s = gather_hellos(t, all, e);
    if (s == OK) s = meet_peers(t, all, e);
    mem_free(all);
    return s;
}
