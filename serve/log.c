/* Two buffers change places: requests fill one while the thread writes the other; lines that find no
 * room are counted, and the log says so. */
#include "serve/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"

struct Log {
    int fd;
    void (*say_lost)(StrBuf *out, long n);
    pthread_t thread;
    atomic_long lost;
    StrBuf writing; /* of the thread */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t work, idle;
    StrBuf waiting;
    long unsaid; /* lost lines since the last line that says so */
    bool full;   /* a line was lost since the thread has taken what waits */
    bool busy, ending;
};

static long count_lines(StrView v)
{
    long n = 0;
    for (size_t k = 0; k < v.len; k++) n += v.ptr[k] == '\n';
    return n;
}

void log_add(Log *log, StrView lines)
{
    long n = count_lines(lines);
    pthread_mutex_lock(&log->lock);
    /* after a lost line all are lost until the thread takes what waits: it says so between the others */
    bool good = !log->full && log->waiting.len + lines.len <= LOG_MOST;
    if (good) {
        strbuf_add(&log->waiting, lines.ptr, lines.len);
        good = !log->waiting.failed;
        log->waiting.failed = false;
    }
    if (!good) {
        log->full = true;
        log->unsaid += n;
        atomic_fetch_add(&log->lost, n);
    }
    pthread_cond_signal(&log->work);
    pthread_mutex_unlock(&log->lock);
}

long log_lost(Log *log) { return atomic_load(&log->lost); }

/* Writes all of it. Returns the number of lines that were lost by an error. The only place where the thread can be
 * cancelled. */
static long write_all(int fd, const StrBuf *b)
{
    int before;
    size_t at = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    while (at < b->len) {
        ssize_t n = write(fd, b->ptr + at, b->len - at);
        if (n > 0) at += (size_t)n;
        else if (n < 0 && errno == EAGAIN) poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
        else if (n == 0 || errno != EINTR) break;
    }
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return count_lines((StrView){ b->len ? b->ptr + at : "", b->len - at });
}

/* Writes what waited, then how many lines were lost after it. Returns how many lines are lost now. */
static long write_block(Log *l, long unsaid)
{
    long lost = write_all(l->fd, &l->writing);
    atomic_fetch_add(&l->lost, lost);
    if (lost || !unsaid) return lost + unsaid;
    strbuf_clear(&l->writing);
    l->say_lost(&l->writing, unsaid);
    return write_all(l->fd, &l->writing) ? unsaid : 0;
}

static void *write_lines(void *context)
{
    Log *l = context;
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&l->lock);
    for (;;) {
        while (!l->waiting.len && !l->ending) pthread_cond_wait(&l->work, &l->lock);
        if (!l->waiting.len) break;
        StrBuf empty = l->writing;
        l->writing = l->waiting;
        strbuf_clear(&empty);
        l->waiting = empty;
        long unsaid = l->unsaid;
        l->unsaid = 0;
        l->full = false;
        l->busy = true;
        pthread_mutex_unlock(&l->lock);
        long lost = write_block(l, unsaid);
        pthread_mutex_lock(&l->lock);
        l->unsaid += lost;
        l->busy = false;
        pthread_cond_signal(&l->idle);
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

Log *log_new(int fd, void (*say_lost)(StrBuf *out, long n), Error *error)
{
    Log *l = mem_calloc(1, sizeof *l);
    if (l) {
        *l = (Log){ .fd = fd, .say_lost = say_lost };
        pthread_mutex_init(&l->lock, NULL);
        pthread_cond_init(&l->work, NULL);
        pthread_cond_init(&l->idle, NULL);
        if (pthread_create(&l->thread, NULL, write_lines, l) == 0) return l;
    }
    mem_free(l);
    error_set(error, ERR_NOMEM, "out of memory for the log");
    return NULL;
}

void log_free(Log *log, double seconds)
{
    struct timespec until;
    if (!log) return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    pthread_mutex_lock(&log->lock);
    log->ending = true;
    pthread_cond_signal(&log->work);
    int code = 0;
    while ((log->waiting.len || log->busy) && code == 0) code = pthread_cond_timedwait(&log->idle, &log->lock, &until);
    strbuf_clear(&log->waiting); /* what is left is lost */
    pthread_mutex_unlock(&log->lock);
    if (code) pthread_cancel(log->thread);
    pthread_join(log->thread, NULL);
    strbuf_fini(&log->waiting);
    strbuf_fini(&log->writing);
    pthread_mutex_destroy(&log->lock);
    pthread_cond_destroy(&log->work);
    pthread_cond_destroy(&log->idle);
    mem_free(log);
}
