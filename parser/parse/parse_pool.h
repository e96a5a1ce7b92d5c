/* Parses with several threads. Results do not depend on their number. */
#pragma once

#include <pthread.h>

#include "base/thread.h"
#include "parser/parse/parse.h"

typedef struct ParsePool {
    int n_threads;
    Worker *workers; /* [n_threads], as is the next */
    Arena *arenas;   /* memory of results */
    ThreadTeam *team;
    Arena joined; /* memory of sentences that were parsed in pieces */
    const Device *device;
    Worker measuring; /* where the device knows what memory it has */
    pthread_mutex_t lock;
} ParsePool;

/* Starts the kernels for the threads; the pool keeps these from run to run. ERR_NOMEM, and errors of Device.start. */
Status parse_pool_init(ParsePool *pool, const Model *model, const Device *device, int n_threads, Error *error);
/* Frees what a pool has; a pool of zeros has nothing. */
void parse_pool_fini(ParsePool *pool);

/* Receives sentences from .. to - 1 as soon as these and all before them are parsed: in order, one call at a time, from
 * any thread, while the others continue. After an error it is not called again, and the run ends with that error. */
typedef Status (*ParseTake)(void *context, int from, int to, Error *e);

/* Bytes of the device's memory that n sentences need, all threads together; 0 where the device does not know what it
 * has. ERR_NOMEM. */
Status parse_pool_need(ParsePool *pool, const ParseInput *in, int n, const ParseOptions *options, size_t *bytes,
                       Error *error);

/* Parses n sentences, the pieces of long ones by several threads; result [n] in the order of the input. The trees stay
 * until the pool parses again or ends. take may be NULL. The error is the first one in the order of sentences; take has
 * received the sentences before it. Where the device knows what memory it has (Device.available), the memory for the
 * largest batch is taken before the first batch. ERR_NUMERIC, ERR_NOMEM, errors of take; with ParseOptions.keep_going,
 * memory and numbers of a single sentence are no error: its tree is flat, and Parsed.failed says why. */
Status parse_pool_run(ParsePool *pool, const ParseInput *in, int n, const ParseOptions *options, Parsed *result,
                      ParseTake take, void *context, Error *error);
