/* A team of threads that sleep between runs and take items from one counter, and turns, which put
 * what threads do in the order of the items. After a fork a team starts new threads. */
#include "base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"

typedef struct Member {
    ThreadTeam *team;
    pthread_t thread;
    int number;
    long round; /* the last one that it has seen */
} Member;

struct ThreadTeam {
    int n_threads, started; /* started: with the caller */
    pid_t process;          /* which the threads belong to */
    pthread_mutex_t lock;
    pthread_cond_t begins, done;
    /* under the lock */
    long round;     /* counts runs */
    int n, working; /* workers of the round, the caller too; threads that have not finished it */
    bool ends;
    /* of the round */
    void (*work)(void *, int, int);
    void *context;
    int n_items;
    atomic_int next;
    Member member[]; /* [n_threads] */
};

static void take_items(ThreadTeam *t, int worker)
{
    for (int k; (k = atomic_fetch_add(&t->next, 1)) < t->n_items;) t->work(t->context, worker, k);
}

static void *serve(void *p)
{
    Member *m = p;
    ThreadTeam *t = m->team;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (t->round == m->round && !t->ends) pthread_cond_wait(&t->begins, &t->lock);
        if (t->ends) break;
        m->round = t->round;
        if (m->number >= t->n) continue;
        pthread_mutex_unlock(&t->lock);
        take_items(t, m->number);
        pthread_mutex_lock(&t->lock);
        if (--t->working == 0) pthread_cond_signal(&t->done);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Threads started after this receive no signal but for their own faults and their own writes to a closed pipe: signals
 * of the process go to the threads of the program. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPIPE };
    sigset_t all;
    sigfillset(&all);
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) sigdelset(&all, faults[k]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

enum { MAX_THREADS = 256 };

static void begin(ThreadTeam *t)
{
    t->process = getpid();
    t->started = 1;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begins, NULL);
    pthread_cond_init(&t->done, NULL);
}

ThreadTeam *thread_team_new(int n_threads)
{
    size_t n = n_threads < 1 ? 1 : n_threads > MAX_THREADS ? MAX_THREADS : (size_t)n_threads;
    ThreadTeam *t = mem_calloc(1, sizeof *t + n * sizeof *t->member);
    if (!t) return NULL;
    t->n_threads = (int)n;
    begin(t);
    return t;
}

/* Threads up to n - 1, as far as they can be started. */
static void start(ThreadTeam *t, int n)
{
    sigset_t before;
    block_signals(&before);
    for (; t->started < n; t->started++) {
        Member *m = &t->member[t->started];
        *m = (Member){ .team = t, .number = t->started, .round = t->round };
        if (pthread_create(&m->thread, NULL, serve, m) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void thread_team_run(ThreadTeam *t, int n_items, void (*work)(void *, int, int), void *context)
{
    int n = !t ? 1 : n_items < t->n_threads ? n_items : t->n_threads;
    if (n > 1 && t->process != getpid()) begin(t); /* the threads are the parent's */
    if (n > 1 && t->started < n) start(t, n);
    if (n > 1 && t->started < n) n = t->started;
    if (n <= 1) {
        for (int k = 0; k < n_items; k++) work(context, 0, k);
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->work = work;
    t->context = context;
    t->n_items = n_items;
    atomic_store(&t->next, 0);
    t->n = n;
    t->working = n - 1;
    t->round++;
    pthread_cond_broadcast(&t->begins);
    pthread_mutex_unlock(&t->lock);
    take_items(t, 0);
    pthread_mutex_lock(&t->lock);
    while (t->working > 0) pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void thread_team_rest(ThreadTeam *t)
{
    if (!t || t->process != getpid()) return;
    pthread_mutex_lock(&t->lock);
    t->ends = true;
    pthread_cond_broadcast(&t->begins);
    pthread_mutex_unlock(&t->lock);
    for (; t->started > 1; t->started--) pthread_join(t->member[t->started - 1].thread, NULL);
    t->ends = false;
}

void thread_team_free(ThreadTeam *t)
{
    if (!t) return;
    thread_team_rest(t);
    if (t->process == getpid()) { /* else nobody waits, but the condition has the parent's threads as waiting */
        pthread_cond_destroy(&t->done);
        pthread_cond_destroy(&t->begins);
        pthread_mutex_destroy(&t->lock);
    }
    mem_free(t);
}

void parallel_for(int n_threads, int n_items, void (*work)(void *, int, int), void *context)
{
    ThreadTeam *t = n_threads > 1 && n_items > 1 ? thread_team_new(n_threads) : NULL;
    thread_team_run(t, n_items, work, context);
    thread_team_free(t);
}

struct Turn {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int n, now[]; /* [n] the next item of each queue */
};

Turn *turn_new(int n)
{
    Turn *t = mem_calloc(1, sizeof *t + (size_t)n * sizeof *t->now);
    if (!t) return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->moved, NULL);
    t->n = n;
    return t;
}

void turn_free(Turn *t)
{
    if (!t) return;
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->moved);
    mem_free(t);
}

void turn_reset(Turn *t)
{
    for (int k = 0; k < t->n; k++) t->now[k] = 0;
}

void turn_wait(Turn *t, int queue, int item)
{
    pthread_mutex_lock(&t->lock);
    while (t->now[queue] < item) pthread_cond_wait(&t->moved, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void turn_done(Turn *t, int queue)
{
    pthread_mutex_lock(&t->lock);
    t->now[queue]++;
    pthread_cond_broadcast(&t->moved);
    pthread_mutex_unlock(&t->lock);
}

double clock_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}
