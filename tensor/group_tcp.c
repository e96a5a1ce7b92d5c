/* A link of sockets, one to each rank whose number differs in one bit. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
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
    int listener;          /* while ranks meet */
} Tcp;

/* ---- sending and receiving at once */

/* Is this error none of the connection? */
static bool is_passing(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

/* Sends or receives what is possible without waiting. false: the connection is over. */
static bool move(int fd, bool send_it, char **at, size_t *left)
{
    ssize_t n = send_it ? send(fd, *at, *left, MSG_NOSIGNAL) : recv(fd, *at, *left, 0);
    if (n < 0) return is_passing(errno);
    *at += n;
    *left -= (size_t)n;
    return n > 0 || send_it;
}

/* Sends `out` and receives `in` over a socket that does not wait; rank: of the other side, for messages; seconds: until
 * it counts as lost where nothing moves. */
static Status transfer(const Tcp *t, int fd, int rank, double seconds, const void *out, size_t n_out, void *in,
                       size_t n_in, Error *e)
{
    char *from = (char *)(uintptr_t)out, *to = in;
    while (n_out || n_in) {
        struct pollfd p = { .fd = fd, .events = (short)((n_out ? POLLOUT : 0) | (n_in ? POLLIN : 0)) };
        int ready = poll(&p, 1, (int)(seconds * 1000));
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

enum {
    HELLO_SECONDS = 2, /* in which whoever has connected says all of its hello */
    ANSWER_SECONDS = 10,
    STRANGERS_MOST = 64, /* who have not said it yet */
    GUESTS_MOST = GROUP_MOST + STRANGERS_MOST
};

/* What a process says of itself when it connects, and where it listens. The number at the end of MAGIC is that of this
 * layout. */
typedef struct Hello {
    char magic[8];
    int32_t rank, size, real;
    char run[GROUP_RUN_MOST], host[64], port[8];
} Hello;

/* What it hears at once. */
typedef struct Answer {
    char magic[8];
    char why[152]; /* it is refused; "": it is not */
} Answer;

static const char MAGIC[8] = { 'l', 'a', 'l', ' ', 'g', 'r', 'p', '2' };

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

/* Keeps the socket if it leads to one of the ranks that this one sends to, else closes it. */
static void keep_peer(Tcp *t, int rank, int fd)
{
    int k = 0;
    while (k < t->steps && (t->place.rank ^ rank) != 1 << k) k++;
    if (k < t->steps && t->peer[k] < 0) t->peer[k] = fd;
    else close(fd);
}

/* ---- who comes */

/* Somebody who has connected. A rank that is known stays a guest of rank 0, until all have come. */
typedef struct Guest {
    int fd;
    double end; /* when all of its hello must have come; clock_seconds */
    size_t n;   /* bytes of it that have come */
    Hello hello;
    char address[64];
} Guest;

typedef struct Lobby {
    Tcp *t;
    Hello all[GROUP_MOST];   /* what the ranks have said of themselves */
    bool wanted[GROUP_MOST]; /* ranks that are waited for */
    int n_wanted, n;
    Guest guest[GUESTS_MOST];
    char refused[240]; /* the last one who was, and why */
} Lobby;

static bool is_known(const Guest *g) { return g->n == sizeof g->hello; }

static void remove_guest(Lobby *l, int k) { l->guest[k] = l->guest[--l->n]; }

static void close_guest(Lobby *l, int k)
{
    close(l->guest[k].fd);
    remove_guest(l, k);
}

/* Closes the connection, with an answer if the other side is a process of this program. */
static void refuse(Lobby *l, int k, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void refuse(Lobby *l, int k, const char *fmt, ...)
{
    const Guest *g = &l->guest[k];
    Answer a = { .why = "" };
    va_list args;
    va_start(args, fmt);
    vsnprintf(a.why, sizeof a.why, fmt, args);
    va_end(args);
    memcpy(a.magic, MAGIC, sizeof MAGIC);
    snprintf(l->refused, sizeof l->refused, "; it refused %s: %s", g->address, a.why);
    if (g->n >= sizeof MAGIC && memcmp(g->hello.magic, MAGIC, sizeof MAGIC) == 0)
        send(g->fd, &a, sizeof a, MSG_NOSIGNAL);
    close_guest(l, k);
}

/* All of its hello is there. */
static void meet_guest(Lobby *l, int k)
{
    Guest *g = &l->guest[k];
    Hello *h = &g->hello;
    const GroupPlace *p = &l->t->place;
    Answer welcome = { .why = "" };
    memcpy(welcome.magic, MAGIC, sizeof MAGIC);
    h->run[sizeof h->run - 1] = h->host[sizeof h->host - 1] = h->port[sizeof h->port - 1] = '\0';
    if (strcmp(h->run, p->run) != 0) refuse(l, k, "found the run '%.40s', expected '%.40s'", h->run, p->run);
    else if (h->size != p->size || h->real != (int32_t)sizeof(Real))
        refuse(l, k, "found rank %d of %d with numbers of %d bytes, expected %d with %d", h->rank, h->size, h->real,
               p->size, (int)sizeof(Real));
    else if (h->rank < 0 || h->rank >= p->size) refuse(l, k, "found rank %d, expected one of %d", h->rank, p->size);
    else if (!l->wanted[h->rank]) refuse(l, k, "found rank %d once more, expected each once", h->rank);
    else if (send(g->fd, &welcome, sizeof welcome, MSG_NOSIGNAL) != (ssize_t)sizeof welcome)
        refuse(l, k, "rank %d cannot be answered", h->rank);
    else {
        l->wanted[h->rank] = false;
        l->n_wanted--;
        g->end = HUGE_VAL;
        if (p->rank == 0) l->all[h->rank] = *h;
        else {
            keep_peer(l->t, h->rank, g->fd);
            remove_guest(l, k);
        }
    }
}

/* Known ranks are silent until all have come, so one of which something comes has ended; it may come again. */
static void hear_known(Lobby *l, int k)
{
    const Guest *g = &l->guest[k];
    char byte;
    if (recv(g->fd, &byte, 1, 0) < 0 && is_passing(errno)) return;
    l->wanted[g->hello.rank] = true;
    l->n_wanted++;
    close_guest(l, k);
}

/* Takes what has come of a hello. */
static void hear_stranger(Lobby *l, int k)
{
    Guest *g = &l->guest[k];
    ssize_t n = recv(g->fd, (char *)&g->hello + g->n, sizeof g->hello - g->n, 0);
    bool waits = n < 0 && is_passing(errno);
    if (n > 0) g->n += (size_t)n;
    if (n <= 0 && !waits) refuse(l, k, "it ended before all of its hello had come");
    else if (memcmp(g->hello.magic, MAGIC, g->n < sizeof MAGIC ? g->n : sizeof MAGIC) != 0)
        refuse(l, k, "found another program or version, expected this one");
    else if (is_known(g)) meet_guest(l, k);
    else if (g->end <= clock_seconds()) refuse(l, k, "its hello did not come within %d seconds", HELLO_SECONDS);
}

/* Hears all of them, without waiting. Who is removed is replaced by the last one, who was heard before. */
static void hear_guests(Lobby *l)
{
    for (int k = l->n - 1; k >= 0; k--) /* first these: a rank may have ended and come again */
        if (is_known(&l->guest[k])) hear_known(l, k);
    for (int k = l->n - 1; k >= 0; k--)
        if (!is_known(&l->guest[k])) hear_stranger(l, k);
}

/* Refuses the connection that has waited longest without a hello; false: every connection has said hello. */
static bool make_room(Lobby *l)
{
    int longest = -1;
    for (int k = 0; k < l->n; k++)
        if (!is_known(&l->guest[k]) && (longest < 0 || l->guest[k].end < l->guest[longest].end)) longest = k;
    if (longest >= 0) refuse(l, longest, "too many others came");
    return longest >= 0;
}

/* Accepts who has connected; no more at once than there is room for, so that each is heard before it is refused. */
static Status accept_guests(Lobby *l, Error *e)
{
    for (int k = 0; k < STRANGERS_MOST; k++) {
        struct sockaddr_storage address;
        socklen_t size = sizeof address;
        int fd = accept(l->t->listener, (struct sockaddr *)&address, &size);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
            if (make_room(l)) continue;
            return error_set(e, ERR_IO, "rank %d cannot accept: %s", l->t->place.rank, strerror(errno));
        }
        if (fd < 0) break;
        if (l->n == GUESTS_MOST) make_room(l);
        Guest *g = &l->guest[l->n++];
        *g = (Guest){ .fd = fd, .end = clock_seconds() + HELLO_SECONDS, .address = "somebody" };
        getnameinfo((const struct sockaddr *)&address, size, g->address, sizeof g->address, NULL, 0, NI_NUMERICHOST);
        prepare(fd);
    }
    return OK;
}

/* Waits until the listener or a guest has something, or a time is over. */
static void wait_for_guests(const Lobby *l, double end)
{
    struct pollfd p[GUESTS_MOST + 1];
    double now = clock_seconds(), next = end;
    p[l->n] = (struct pollfd){ .fd = l->t->listener, .events = POLLIN };
    for (int k = 0; k < l->n; k++) {
        p[k] = (struct pollfd){ .fd = l->guest[k].fd, .events = POLLIN };
        if (l->guest[k].end < next) next = l->guest[k].end;
    }
    poll(p, (nfds_t)l->n + 1, next > now ? (int)((next - now) * 1000) + 1 : 0);
}

/* Waits for the ranks that are wanted. Who is none of them is refused; nobody keeps others waiting. */
static Status hear_ranks(Lobby *l, Error *e)
{
    const GroupPlace *p = &l->t->place;
    const double end = clock_seconds() + p->timeout;
    Status s = OK;
    while (l->n_wanted && s == OK) {
        wait_for_guests(l, end);
        hear_guests(l);
        if (l->n_wanted) s = accept_guests(l, e);
        if (l->n_wanted && s == OK && clock_seconds() >= end)
            s = error_set(e, ERR_IO, "rank %d of %d waited for the others in vain%s", p->rank, p->size, l->refused);
    }
    for (int k = l->n - 1; k >= 0; k--)
        if (s != OK || !is_known(&l->guest[k])) close_guest(l, k);
    return s;
}

/* ---- who meets whom */

/* Rank 0: hears of all, then says to all of them what it has heard. */
static Status gather_hellos(Lobby *l, Error *e)
{
    const GroupPlace *p = &l->t->place;
    for (int k = 1; k < p->size; k++) l->wanted[k] = true;
    l->n_wanted = p->size - 1;
    Status s = hear_ranks(l, e);
    for (; l->n; l->n--) {
        const Guest *g = &l->guest[l->n - 1];
        size_t size = (size_t)p->size * sizeof *l->all;
        if (s == OK) s = transfer(l->t, g->fd, g->hello.rank, p->timeout, l->all, size, NULL, 0, e);
        keep_peer(l->t, g->hello.rank, g->fd);
    }
    return s;
}

/* Says hello to a rank, which answers. */
static Status introduce(const Tcp *t, int rank, const char *host, const char *port, const Hello *own, int fd, Error *e)
{
    const double seconds = t->place.timeout < ANSWER_SECONDS ? t->place.timeout : ANSWER_SECONDS;
    Answer a;
    Error lost = { 0 };
    Status s = transfer(t, fd, rank, seconds, own, sizeof *own, NULL, 0, &lost);
    if (s == OK) s = transfer(t, fd, rank, seconds, NULL, 0, a.magic, sizeof a.magic, &lost);
    if (s == OK && memcmp(a.magic, MAGIC, sizeof MAGIC) != 0)
        return error_set(e, ERR_IO, "%s:%s: found another program or version, expected rank %d of %d", host, port, rank,
                         t->place.size);
    if (s == OK) s = transfer(t, fd, rank, seconds, NULL, 0, a.why, sizeof a.why, &lost);
    if (s != OK) return error_set(e, s, "%s:%s: another program may listen there: %s", host, port, lost.message);
    a.why[sizeof a.why - 1] = '\0';
    return a.why[0]
               ? error_set(e, ERR_CONFIG, "%s:%s: rank %d refused rank %d: %s", host, port, rank, t->place.rank, a.why)
               : OK;
}

/* A rank other than 0: tells rank 0 where it listens, and hears where all listen. */
static Status send_hello(Lobby *l, const char *port, Error *e)
{
    Tcp *t = l->t;
    const GroupPlace *p = &t->place;
    Hello h = { .rank = p->rank, .size = p->size, .real = (int32_t)sizeof(Real) };
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int fd;
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    snprintf(h.run, sizeof h.run, "%s", p->run);
    Status s = connect_to(t, 0, p->host, port, &fd, e);
    if (s != OK) return s;
    getsockname(fd, (struct sockaddr *)&address, &size);
    if (address.ss_family == AF_INET6) ((struct sockaddr_in6 *)&address)->sin6_port = 0;
    else ((struct sockaddr_in *)&address)->sin_port = 0;
    t->listener = listen_on((struct sockaddr *)&address, size);
    if (t->listener < 0 || getsockname(t->listener, (struct sockaddr *)&address, &size) != 0)
        s = error_set(e, ERR_IO, "rank %d cannot listen: %s", p->rank, strerror(errno));
    put_address(&address, size, &h);
    if (s == OK) s = introduce(t, 0, p->host, port, &h, fd, e);
    if (s == OK) s = transfer(t, fd, 0, p->timeout, NULL, 0, l->all, (size_t)p->size * sizeof *l->all, e);
    keep_peer(t, 0, fd);
    return s;
}

/* The ranks above connect to those below, apart from rank 0, which is connected. */
static Status meet_peers(Lobby *l, Error *e)
{
    Tcp *t = l->t;
    int rank = t->place.rank;
    Status s = OK;
    for (int k = 0; k < t->steps && s == OK; k++) {
        int other = rank ^ 1 << k, *fd = &t->peer[k];
        const Hello *to = &l->all[other];
        if (other > rank && rank > 0) {
            l->wanted[other] = true;
            l->n_wanted++;
        }
        if (other > rank || other == 0) continue;
        s = connect_to(t, other, to->host, to->port, fd, e);
        if (s == OK) s = introduce(t, other, to->host, to->port, &l->all[rank], *fd, e);
    }
    if (s == OK) s = hear_ranks(l, e);
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
    return transfer(t, t->peer[k], rank, t->place.timeout, out, n_out, in, n_in, e);
}

static void end(void *of, bool failed)
{
    Tcp *t = of;
    (void)failed;
    for (int k = 0; k < GROUP_STEPS; k++)
        if (t->peer[k] >= 0) close(t->peer[k]);
    mem_free(t);
}

Status group_link_tcp(GroupLink *link, const GroupPlace *place, Error *error)
{
    char port[16];
    Lobby *l = mem_calloc(1, sizeof *l);
    Tcp *t = mem_calloc(1, sizeof *t);
    if (!t || !l) {
        mem_free_each(l, t);
        return error_set(error, ERR_NOMEM, "out of memory for a group");
    }
    *t = (Tcp){ .place = *place, .listener = -1 };
    for (int k = 0; k < GROUP_STEPS; k++) t->peer[k] = -1;
    while (1 << t->steps < place->size) t->steps++;
    *link = (GroupLink){ t, exchange, end };
    l->t = t;
    snprintf(port, sizeof port, "%d", place->port);
    Status s = place->rank ? send_hello(l, port, error) : listen_as_first(t, port, error);
    if (s == OK && place->rank == 0) s = gather_hellos(l, error);
    if (s == OK) s = meet_peers(l, error);
    if (t->listener >= 0) close(t->listener); /* another run may have the port from now on */
    t->listener = -1;
    mem_free(l);
    return s;
}
