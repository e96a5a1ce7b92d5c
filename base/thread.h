/* base/thread.h
 * Work split over threads: items 0..n-1 are assigned one at a time, so results must not depend on the assignment. */
#ifndef LAL_BASE_THREAD_H
#define LAL_BASE_THREAD_H

/* Calls work(context, worker, item) once for every item, worker in 0..n_threads-1; returns when all are done. The
 * caller is worker 0. If threads cannot be started, there are fewer workers. They
 * receive no signals. */
void parallel_for(int n_threads, int n_items, void (*work)(void *context, int worker, int item), void *context);

/* Serialises items of several threads in the order of their numbers, in each of n queues. */
typedef struct Turn Turn;
Turn *turn_new(int n); /* NULL: out of memory */
void turn_free(Turn *t);
/* The next item of every queue is 0 again; no thread may be waiting. */
void turn_reset(Turn *t);
/* Waits until items 0..item-1 have called turn_done in the queue. */
void turn_wait(Turn *t, int queue, int item);
void turn_done(Turn *t, int queue);

/* Seconds of a monotonic clock. */
double clock_seconds(void);

#endif
