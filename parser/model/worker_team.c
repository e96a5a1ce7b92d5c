/* parser/model/worker_team.c */
#include "parser/model/worker_team.h"

Status worker_team_init(WorkerTeam *t, const Model *m, const Device *d, int n_threads, Error *e)
{
    *t = (WorkerTeam){ .n = 0 };
    Status s = d->start(n_threads, false, e);
    if (s != OK) return s;
    t->worker = mem_calloc((size_t)n_threads, sizeof *t->worker);
    t->team = thread_team_new(n_threads);
    if (!t->worker || !t->team) return error_set(e, ERR_NOMEM, "out of memory for %d threads", n_threads);
    t->n = n_threads;
    for (int k = 0; k < n_threads; k++) worker_init(&t->worker[k], m, d);
    return OK;
}

void worker_team_fini(WorkerTeam *t)
{
    for (int k = 0; k < t->n; k++) worker_fini(&t->worker[k]);
    mem_free(t->worker);
    thread_team_free(t->team);
    *t = (WorkerTeam){ .n = 0 };
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

Status worker_team_run(WorkerTeam *t, int n_items, void (*work)(void *context, int worker, int item), void *context,
                       Error *e)
{
    TeamJob j = { t, work, context };
    for (int k = 0; k < t->n; k++) t->worker[k].error = (Error){ 0 };
    thread_team_run(t->team, n_items, work_unless_failed, &j);
    for (int k = 0; k < t->n; k++)
        if (t->worker[k].error.code != OK) {
            *e = t->worker[k].error;
            return e->code;
        }
    return OK;
}
