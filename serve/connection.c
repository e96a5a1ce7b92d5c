/* A list of connections with the state of each and since when; a watch closes those that stay
 * too long, and workers ask it whether a client has left. */
#define _GNU_SOURCE /* POLLRDHUP */
#include "serve/connection.h"

#include <math.h>
#include <poll.h>
#include <string.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/thread.h"

/* ---- their list */

static void open_connection(Server *s, struct MHD_Connection *c, void **context)
{
    Connection *at = mem_calloc(1, sizeof *at);
    const union MHD_ConnectionInfo *info = mhd.MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    *context = at;
    if (!at) return;
    *at = (Connection){ .socket = info ? info->connect_fd : -1, .since = clock_seconds(), .state = WAITS_FIRST };
    pthread_mutex_lock(&s->lock);
    at->next = s->connections;
    if (at->next) at->next->before = at;
    s->connections = at;
    pthread_mutex_unlock(&s->lock);
    atomic_fetch_add(&s->count.connections, 1);
}

static void close_connection(Server *s, Connection *at)
{
    if (!at) return;
    pthread_mutex_lock(&s->lock);
    if (at->before) at->before->next = at->next;
    else s->connections = at->next;
    if (at->next) at->next->before = at->before;
    pthread_mutex_unlock(&s->lock);
    atomic_fetch_sub(&s->count.connections, 1);
    mem_free_each(at->query, at);
}

void connection_notify(void *cls, struct MHD_Connection *connection, void **context,
                       enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) open_connection(cls, connection, context);
    else close_connection(cls, *context);
}

void connection_resume(Exchange *exchange) { mhd.MHD_resume_connection(exchange->connection); }

/* ---- time */

void connection_state(Exchange *exchange, ConnectionState state)
{
    Server *s = exchange->server;
    pthread_mutex_lock(&s->lock);
    exchange->at->state = state;
    exchange->at->since = clock_seconds();
    pthread_mutex_unlock(&s->lock);
}

/* Seconds that a connection may stay in its state, or, with an answer, without progress. */
static double patience(const ServeOptions *o, const Connection *c)
{
    switch (c->state) {
    case WAITS_FIRST: return o->header_timeout;
    case WAITS: return o->idle_timeout + o->header_timeout;
    case READS_BODY:
    case ANSWERS: return o->body_timeout;
    default: return INFINITY;
    }
}

/* Has the client closed its end with a request that is not complete? Asked again and again: the library may be about to
 * read its last bytes. */
static bool ends_early(Connection *c)
{
    int unread = 0;
    struct pollfd p = { .fd = c->socket, .events = POLLRDHUP };
    bool before = c->half;
    c->half = c->state < WORKS && poll(&p, 1, 0) > 0 && (p.revents & POLLRDHUP) &&
              ioctl(c->socket, FIONREAD, &unread) == 0 && unread == 0;
    return c->half && before;
}

/* Does the client take its answer, or has it taken all that was sent so far? */
static bool progresses(Connection *c)
{
    int unread = 0;
    if (c->state != ANSWERS || ioctl(c->socket, SIOCOUTQ, &unread) != 0) return false;
    bool good = unread == 0 || unread != c->unread;
    c->unread = unread;
    return good;
}

void connection_watch(Server *server, double now)
{
    pthread_mutex_lock(&server->lock);
    for (Connection *c = server->connections; c; c = c->next) {
        if (c->socket < 0) continue;
        if (progresses(c)) c->since = server->sent_at = now;
        else if (now - c->since > patience(server->o, c) || ends_early(c)) {
            shutdown(c->socket, SHUT_RDWR);
            c->since = now;
        }
    }
    pthread_mutex_unlock(&server->lock);
}

/* ---- clients that leave */

/* Sends what makes the machine of a client that has left object. */
static void probe(Exchange *x, double now)
{
    enum { WAIT_MS = 250 };
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    const ssize_t size = sizeof text - 1;
    if (x->half_since <= 0) x->half_since = now;
    if (x->probed || !x->newer || x->phase != PHASE_WORKING || (now - x->half_since) * 1000 < WAIT_MS) return;
    x->probed = true;
    if (send(x->at->socket, text, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL) != size)
        shutdown(x->at->socket, SHUT_RDWR); /* half of it must not stay */
}

bool connection_left(Exchange *exchange)
{
    pthread_mutex_lock(&exchange->lock);
    if (!exchange->gone) { /* else x->at is freed */
        struct pollfd p = { .fd = exchange->at->socket, .events = POLLRDHUP };
        if (poll(&p, 1, 0) > 0) {
            exchange->left |= (p.revents & (POLLHUP | POLLERR)) != 0;
            if (!exchange->left && (p.revents & POLLRDHUP)) probe(exchange, clock_seconds());
        }
    }
    bool left = exchange->left |= exchange->gone;
    pthread_mutex_unlock(&exchange->lock);
    return left;
}
