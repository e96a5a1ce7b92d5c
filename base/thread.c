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

void thread_team_run(ThreadTeam *team, int n_items, void (*work)(void *, int, int), void *context)
{
    int n = !team ? 1 : n_items < team->n_threads ? n_items : team->n_threads;
    if (n > 1 && team->process != getpid()) begin(team); /* the threads are the parent's */
    if (n > 1 && team->started < n) start(team, n);
    if (n > 1 && team->started < n) n = team->started;
    if (n <= 1) {
        for (int k = 0; k < n_items; k++) work(context, 0, k);
        return;
    }
    pthread_mutex_lock(&team->lock);
    team->work = work;
    team->context = context;
    team->n_items = n_items;
    atomic_store(&team->next, 0);
    team->n = n;
    team->working = n - 1;
    team->round++;
    pthread_cond_broadcast(&team->begins);
    pthread_mutex_unlock(&team->lock);
    take_items(team, 0);
    pthread_mutex_lock(&team->lock);
    while (team->working > 0) pthread_cond_wait(&team->done, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

void thread_team_rest(ThreadTeam *team)
{
    if (!team || team->process != getpid()) return;
    pthread_mutex_lock(&team->lock);
    team->ends = true;
    pthread_cond_broadcast(&team->begins);
    pthread_mutex_unlock(&team->lock);
    for (; team->started > 1; team->started--) pthread_join(team->member[team->started - 1].thread, NULL);
    team->ends = false;
}

void thread_team_free(ThreadTeam *team)
{
    if (!team) return;
    thread_team_rest(team);
    if (team->process == getpid()) { /* else nobody waits, but the condition has the parent's threads as waiting */
        pthread_cond_destroy(&team->done);
        pthread_cond_destroy(&team->begins);
        pthread_mutex_destroy(&team->lock);
    }
    mem_free(team);
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

void turn_free(Turn *turn)
{
    if (!turn) return;
    pthread_mutex_destroy(&turn->lock);
    pthread_cond_destroy(&turn->moved);
    mem_free(turn);
}

void turn_reset(Turn *turn)
{
    for (int k = 0; k < turn->n; k++) turn->now[k] = 0;
}

void turn_wait(Turn *turn, int queue, int item)
{
    pthread_mutex_lock(&turn->lock);
    while (turn->now[queue] < item) pthread_cond_wait(&turn->moved, &turn->lock);
    pthread_mutex_unlock(&turn->lock);
}

void turn_done(Turn *turn, int queue)
{
    pthread_mutex_lock(&turn->lock);
    turn->now[queue]++;
    pthread_cond_broadcast(&turn->moved);
    pthread_mutex_unlock(&turn->lock);
}

double clock_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}
