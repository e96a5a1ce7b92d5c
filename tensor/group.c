/* tensor/group.c */
#define _XOPEN_SOURCE 700
#include "tensor/group.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/thread.h"

enum { STEPS_MOST = 8, PORT = 29500 }; /* 1 << STEPS_MOST = GROUP_MOST */

struct Group {
    GroupPlace place;
    int steps;            /* 1 << steps = size */
    int peer[STEPS_MOST]; /* the socket to rank XOR 1 << k; -1: none yet */
    int listener;
};

int group_rank(const Group *g) { return g ? g->place.rank : 0; }
int group_size(const Group *g) { return g ? g->place.size : 1; }

/* ---- the place of this process */

static Status read_number(const char *name, int least, int most, int *to, Error *e)
{
    const char *text = getenv(name);
    int value;
    if (!text_number((StrView){ text, strlen(text) }, &value) || value < least || value > most)
        return error_set(e, ERR_USAGE, "the environment variable %s: found '%s', expected a number from %d to %d", name,
                         text, least, most);
    *to = value;
    return OK;
}

/* The first host of Slurm's list: "node07" of "node[07-09,12],other". */
static void first_host(const char *list, char *to, size_t size)
{
    size_t plain = strcspn(list, "[,"), digits = list[plain] == '[' ? strcspn(list + plain + 1, "-,]") : 0;
    snprintf(to, size, "%.*s%.*s", (int)plain, list, (int)digits, digits ? list + plain + 1 : "");
}

Status group_place(GroupPlace *p, Error *e)
{
    static const char *const kinds[][2] = { { "RANK", "WORLD_SIZE" },
                                            { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
                                            { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" } };
    const char *host = getenv("MASTER_ADDR"), *nodes = NULL;
    int kind = 0;
    p->rank = 0;
    p->size = 1;
    p->port = PORT;
    while (kind < 3 && !(getenv(kinds[kind][0]) && getenv(kinds[kind][1]))) kind++;
    if (kind == 3) return OK;
    Status s = read_number(kinds[kind][1], 1, GROUP_MOST, &p->size, e);
    if (s == OK) s = read_number(kinds[kind][0], 0, p->size - 1, &p->rank, e);
    if (s == OK && getenv("MASTER_PORT")) s = read_number("MASTER_PORT", 1, 65535, &p->port, e);
    if (s == OK && (p->size & (p->size - 1)))
        s = error_set(e, ERR_USAGE, "the environment variable %s: found %d processes, expected a power of two",
                      kinds[kind][1], p->size);
    if (kind == 1) nodes = getenv("SLURM_STEP_NODELIST");
    snprintf(p->host, sizeof p->host, "%s", host ? host : "127.0.0.1");
    if (!host && nodes) first_host(nodes, p->host, sizeof p->host);
    return s;
}

/* ---- sending and receiving at once */

static Status lost(const Group *g, int rank, const char *why, Error *e)
{
    if (rank < 0) return error_set(e, ERR_IO, "rank %d lost one that had just come: %s", g->place.rank, why);
    return error_set(e, ERR_IO, "rank %d lost rank %d of %d: %s", g->place.rank, rank, g->place.size, why);
}

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
static Status exchange(const Group *g, int fd, int rank, const void *out, size_t n_out, void *in, size_t n_in, Error *e)
{
    char *from = (char *)(uintptr_t)out, *to = in;
    while (n_out || n_in) {
        struct pollfd p = { .fd = fd, .events = (short)((n_out ? POLLOUT : 0) | (n_in ? POLLIN : 0)) };
        int ready = poll(&p, 1, (int)(g->place.timeout * 1000));
        if (ready < 0 && errno == EINTR) continue;
        errno = ready < 0 ? errno : 0;
        if (ready == 0) return lost(g, rank, "nothing came from it in time", e);
        bool good = ready > 0;
        if (good && n_in && (p.revents & (POLLIN | POLLHUP | POLLERR))) good = move(fd, false, &to, &n_in);
        if (good && n_out && (p.revents & (POLLOUT | POLLHUP | POLLERR))) good = move(fd, true, &from, &n_out);
        if (!good)
            return lost(g, rank, errno && errno != ECONNRESET && errno != EPIPE ? strerror(errno) : "it ended", e);
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
static Status connect_to(const Group *g, int rank, const char *host, const char *port, int *fd, Error *e)
{
    const double end = clock_seconds() + g->place.timeout;
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
    if (*fd < 0) return error_set(e, ERR_IO, "%s:%s: rank %d found no rank %d there", host, port, g->place.rank, rank);
    prepare(*fd);
    return OK;
}

static Status accept_one(const Group *g, int *fd, Error *e)
{
    struct pollfd p = { .fd = g->listener, .events = POLLIN };
    int ready = poll(&p, 1, (int)(g->place.timeout * 1000));
    *fd = ready > 0 ? accept(g->listener, NULL, NULL) : -1;
    if (*fd < 0)
        return error_set(e, ERR_IO, "rank %d of %d waited for the others in vain", g->place.rank, g->place.size);
    prepare(*fd);
    return OK;
}

/* Does the process belong to this group? */
static Status check_hello(const Group *g, const Hello *h, Error *e)
{
    if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0 || h->rank < 0 || h->rank >= g->place.size)
        return error_set(e, ERR_CONFIG, "rank %d: found a stranger, expected one of %d ranks", g->place.rank,
                         g->place.size);
    if (h->size != g->place.size || h->real != (int32_t)sizeof(Real))
        return error_set(e, ERR_CONFIG, "rank %d: found %d ranks with numbers of %d bytes, expected %d with %d",
                         h->rank, h->size, h->real, g->place.size, (int)sizeof(Real));
    return OK;
}

/* Keeps the socket if it leads to one of the ranks that this one sends to, else closes it. */
static void keep_peer(Group *g, int rank, int fd)
{
    int k = 0;
    while (k < g->steps && (g->place.rank ^ rank) != 1 << k) k++;
    if (k < g->steps && g->peer[k] < 0) g->peer[k] = fd;
    else close(fd);
}

/* Rank 0: hears of all, then tells all. */
static Status gather_hellos(Group *g, Hello *all, Error *e)
{
    int fds[GROUP_MOST];
    Status s = OK;
    for (int k = 0; k < g->place.size; k++) fds[k] = -1;
    for (int n = 1; n < g->place.size && s == OK; n++) {
        Hello h = { .rank = -1 };
        int fd;
        if ((s = accept_one(g, &fd, e)) != OK) break;
        s = exchange(g, fd, -1, NULL, 0, &h, sizeof h, e);
        if (s == OK) s = check_hello(g, &h, e);
        if (s == OK && fds[h.rank] >= 0) s = error_set(e, ERR_CONFIG, "found rank %d twice", h.rank);
        if (s != OK) {
            close(fd);
            break;
        }
        fds[h.rank] = fd;
        all[h.rank] = h;
    }
    for (int k = 1; k < g->place.size; k++) {
        if (s == OK) s = exchange(g, fds[k], k, all, (size_t)g->place.size * sizeof *all, NULL, 0, e);
        if (fds[k] >= 0) keep_peer(g, k, fds[k]);
    }
    return s;
}

/* Another rank: says where it listens, hears of all. */
static Status send_hello(Group *g, const char *port, Hello *all, Error *e)
{
    Hello h = { .rank = g->place.rank, .size = g->place.size, .real = (int32_t)sizeof(Real) };
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int fd;
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    Status s = connect_to(g, 0, g->place.host, port, &fd, e);
    if (s != OK) return s;
    getsockname(fd, (struct sockaddr *)&address, &size);
    if (address.ss_family == AF_INET6) ((struct sockaddr_in6 *)&address)->sin6_port = 0;
    else ((struct sockaddr_in *)&address)->sin_port = 0;
    g->listener = listen_on((struct sockaddr *)&address, size);
    if (g->listener < 0 || getsockname(g->listener, (struct sockaddr *)&address, &size) != 0)
        s = error_set(e, ERR_IO, "rank %d cannot listen: %s", g->place.rank, strerror(errno));
    put_address(&address, size, &h);
    if (s == OK) s = exchange(g, fd, 0, &h, sizeof h, NULL, 0, e);
    if (s == OK) s = exchange(g, fd, 0, NULL, 0, all, (size_t)g->place.size * sizeof *all, e);
    keep_peer(g, 0, fd);
    return s;
}

/* The ranks above connect to those below, apart from rank 0, which is connected. */
static Status meet_peers(Group *g, const Hello *all, Error *e)
{
    int above = 0, fd, rank = g->place.rank;
    Status s = OK;
    for (int k = 0; k < g->steps && s == OK; k++) {
        int other = rank ^ 1 << k;
        above += other > rank && rank > 0;
        if (other > rank || other == 0) continue;
        s = connect_to(g, other, all[other].host, all[other].port, &fd, e);
        if (s == OK) s = exchange(g, g->peer[k] = fd, other, &all[rank], sizeof *all, NULL, 0, e);
    }
    for (; above && s == OK; above--) {
        Hello h = { .rank = -1 };
        if ((s = accept_one(g, &fd, e)) != OK) break;
        s = exchange(g, fd, -1, NULL, 0, &h, sizeof h, e);
        if (s == OK) s = check_hello(g, &h, e);
        if (s == OK) keep_peer(g, h.rank, fd);
        else close(fd);
    }
    for (int k = 0; k < g->steps && s == OK; k++)
        if (g->peer[k] < 0) s = lost(g, rank ^ 1 << k, "it did not come", e);
    return s;
}

static Status listen_as_first(Group *g, const char *port, Error *e)
{
    struct addrinfo *list;
    Status s = resolve(g->place.host, port, &list, e);
    if (s != OK) return s;
    for (const struct addrinfo *a = list; a && g->listener < 0; a = a->ai_next)
        g->listener = listen_on(a->ai_addr, a->ai_addrlen);
    if (g->listener < 0)
        s = error_set(e, ERR_IO, "%s:%s: rank 0 cannot listen: %s", g->place.host, port, strerror(errno));
    freeaddrinfo(list);
    return s;
}

Status group_open(Group **g, const GroupPlace *p, Error *e)
{
    char port[16];
    Hello *all = NULL;
    *g = NULL;
    if (p->size == 1) return OK;
    Group *x = *g = mem_calloc(1, sizeof *x);
    if (x) *x = (Group){ .place = *p, .listener = -1 };
    for (int k = 0; x && k < STEPS_MOST; k++) x->peer[k] = -1;
    if (!x || !(all = mem_calloc((size_t)p->size, sizeof *all)))
        return error_set(e, ERR_NOMEM, "out of memory for a group");
    while (1 << x->steps < p->size) x->steps++;
    snprintf(port, sizeof port, "%d", p->port);
    Status s = p->rank ? send_hello(x, port, all, e) : listen_as_first(x, port, e);
    if (s == OK && p->rank == 0) s = gather_hellos(x, all, e);
    if (s == OK) s = meet_peers(x, all, e);
    mem_free(all);
    return s;
}

void group_close(Group *g)
{
    if (!g) return;
    for (int k = 0; k < STEPS_MOST; k++)
        if (g->peer[k] >= 0) close(g->peer[k]);
    if (g->listener >= 0) close(g->listener);
    mem_free(g);
}

/* ---- together */

Status group_sum(Group *g, Real *x, Real *scratch, size_t n, Error *e)
{
    size_t from[STEPS_MOST + 1] = { 0 }, to[STEPS_MOST + 1] = { n };
    Status s = OK;
    for (int k = 0; g && k < g->steps && s == OK; k++) { /* each of a pair keeps half of what they have */
        size_t middle = from[k] + (to[k] - from[k]) / 2;
        bool low = !(g->place.rank >> k & 1);
        from[k + 1] = low ? from[k] : middle;
        to[k + 1] = low ? middle : to[k];
        Real *own = x + from[k + 1], *other = x + (low ? middle : from[k]);
        size_t n_own = to[k + 1] - from[k + 1], n_other = to[k] - from[k] - n_own;
        s = exchange(g, g->peer[k], g->place.rank ^ 1 << k, other, n_other * sizeof *x, scratch, n_own * sizeof *x, e);
        for (size_t i = 0; s == OK && i < n_own; i++) own[i] += scratch[i];
    }
    for (int k = g ? g->steps - 1 : -1; k >= 0 && s == OK; k--) {
        bool low = !(g->place.rank >> k & 1);
        Real *own = x + from[k + 1], *other = x + (low ? to[k + 1] : from[k]);
        size_t n_own = to[k + 1] - from[k + 1], n_other = to[k] - from[k] - n_own;
        s = exchange(g, g->peer[k], g->place.rank ^ 1 << k, own, n_own * sizeof *x, other, n_other * sizeof *x, e);
    }
    return s;
}

Status group_gather(Group *g, void *blocks, size_t size, Error *e)
{
    Status s = OK;
    for (int k = 0; g && k < g->steps && s == OK; k++) {
        int own = g->place.rank >> k << k, other = own ^ 1 << k;
        s = exchange(g, g->peer[k], g->place.rank ^ 1 << k, (char *)blocks + (size_t)own * size, size << k,
                     (char *)blocks + (size_t)other * size, size << k, e);
    }
    return s;
}
