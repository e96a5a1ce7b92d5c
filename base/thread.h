/* Work split over threads: items 0..n-1 are assigned one at a time, so results must not depend on the assignment. */
#pragma once

/* Threads that are started once and wait for work. They receive no signals. */
typedef struct ThreadTeam ThreadTeam;

/* The caller and n_threads - 1 more, which the first run that needs them starts. NULL: out of memory. */
ThreadTeam *thread_team_new(int n_threads);
void thread_team_free(ThreadTeam *team); /* takes NULL */
/* Calls work(context, worker, item) once for every item, worker below n_threads and n_items; returns when all are done.
 * The caller is worker 0. If threads cannot be started, there are fewer workers; team NULL: the caller works alone. One
 * run at a time. In a process that was forked since the last one, threads are started again. */
void thread_team_run(ThreadTeam *team, int n_items, void (*work)(void *context, int worker, int item), void *context);
/* Ends the threads, until the next run: others will work for a while, and each has memory. */
void thread_team_rest(ThreadTeam *team); /* takes NULL */

/* thread_team_run by a team of its own; the caller works alone when memory is out. */
void parallel_for(int n_threads, int n_items, void (*work)(void *context, int worker, int item), void *context);

/* Serialises items of several threads in the order of their numbers, in each of n queues. */
typedef struct Turn Turn;
Turn *turn_new(int n); /* NULL: out of memory */
void turn_free(Turn *turn);
/* The next item of every queue is 0 again; no thread may be waiting. */
void turn_reset(Turn *turn);
/* Waits until items 0..item-1 have called turn_done in the queue. */
void turn_wait(Turn *turn, int queue, int item);
void turn_done(Turn *turn, int queue);

/* Seconds of a monotonic clock. */
double clock_seconds(void);
