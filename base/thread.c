/* base/thread.c */
#define _POSIX_C_SOURCE 200809L
#include "base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "base/arena.h"

typedef struct Job {
    void (*work)(void *, int, int);
    void *context;
    int n_items;
    atomic_int next;
} Job;

typedef struct Worker {
    Job *job;
    int number;
    pthread_t thread;
} Worker;

static void *run(void *p)
{
    Worker *w = p;
    for (int k; (k = atomic_fetch_add(&w->job->next, 1)) < w->job->n_items;)
        w->job->work(w->job->context, w->number, k);
    return NULL;
}

/* Threads started after this receive no signal but those of their own faults and of their own writes to a closed pipe:
 * signals of the process go to the threads of the program. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPIPE };
    sigset_t all;
    sigfillset(&all);
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) sigdelset(&all, faults[k]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

enum { MAX_THREADS = 256 };

void parallel_for(int n_threads, int n_items, void (*work)(void *, int, int), void *context)
{
    Job job = { .work = work, .context = context, .n_items = n_items };
    atomic_init(&job.next, 0);
    Worker worker[MAX_THREADS];
    if (n_threads > MAX_THREADS) n_threads = MAX_THREADS;
    if (n_threads > n_items) n_threads = n_items;
    int started = 1;
    sigset_t before;
    if (n_threads > 1) block_signals(&before);
    for (; started < n_threads; started++) {
        worker[started] = (Worker){ .job = &job, .number = started };
        if (pthread_create(&worker[started].thread, NULL, run, &worker[started]) != 0) break;
    }
    if (n_threads > 1) pthread_sigmask(SIG_SETMASK, &before, NULL);
    worker[0] = (Worker){ .job = &job, .number = 0 };
    run(&worker[0]);
    for (int k = 1; k < started; k++) pthread_join(worker[k].thread, NULL);
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
