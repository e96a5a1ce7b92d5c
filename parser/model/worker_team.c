#include "parser/model/worker_team.h"

Status worker_team_init(WorkerTeam *team, const Model *model, const Device *device, int n_threads, Error *error)
{
    *team = (WorkerTeam){ .n = 0 };
    Status s = device->start(n_threads, false, error);
    if (s != OK) return s;
    team->worker = mem_calloc((size_t)n_threads, sizeof *team->worker);
    team->team = thread_team_new(n_threads);
    if (!team->worker || !team->team) return error_set(error, ERR_NOMEM, "out of memory for %d threads", n_threads);
    team->n = n_threads;
    for (int k = 0; k < n_threads; k++) worker_init(&team->worker[k], model, device);
    return OK;
}

void worker_team_fini(WorkerTeam *team)
{
    for (int k = 0; k < team->n; k++) worker_fini(&team->worker[k]);
    mem_free(team->worker);
    thread_team_free(team->team);
    *team = (WorkerTeam){ .n = 0 };
}

typedef struct TeamJob {
    const WorkerTeam *team;
    void (*work)(void *context, int worker, int item);
    void *context;
} TeamJob;

static void work_unless_failed(void *context, int worker, int item)
{
    const TeamJob *j = context;
    if (j->team->worker[worker].error.code == OK) j->work(j->context, worker, item);
}

Status worker_team_run(WorkerTeam *team, int n_items, void (*work)(void *context, int worker, int item), void *context,
                       Error *error)
{
    TeamJob j = { team, work, context };
    for (int k = 0; k < team->n; k++) team->worker[k].error = (Error){ 0 };
    thread_team_run(team->team, n_items, work_unless_failed, &j);
    for (int k = 0; k < team->n; k++)
        if (team->worker[k].error.code != OK) {
            *error = team->worker[k].error;
            return error->code;
        }
    return OK;
}
