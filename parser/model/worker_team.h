/* Several threads that run one model, each with a worker that keeps its memory from run to run. */
#pragma once

#include "base/thread.h"
#include "parser/model/worker.h"

typedef struct WorkerTeam {
    int n;
    Worker *worker; /* [n] */
    ThreadTeam *team;
} WorkerTeam;

/* device: the device that computes; the model's parameters are on it. worker_team_fini is needed after failure too.
 * ERR_NOMEM, errors of Device.start. */
Status worker_team_init(WorkerTeam *team, const Model *model, const Device *device, int n_threads, Error *error);
void worker_team_fini(WorkerTeam *team);
/* thread_team_run; work sets Worker.error of the worker where it fails, and is not called for that worker again. The
 * error of the first worker that has one. */
Status worker_team_run(WorkerTeam *team, int n_items, void (*work)(void *context, int worker, int item), void *context,
                       Error *error);
