/* The place of a process comes from the environment of torchrun, Slurm or Open MPI; then sums by
 * halving and doubling over any link. */
#define _XOPEN_SOURCE 700
#include "tensor/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "tensor/group_link.h"

enum { PORT = 29500, ADD_MOST = 1 << 30 };

struct Group {
    GroupPlace place;
    int steps;      /* 1 << steps = size */
    GroupLink link; /* of the host's memory */
    GroupLink own;  /* of the memory of the device that computes; none: numbers go through the host */
    bool asked;     /* the device was asked for `own` */
};

int group_rank(const Group *group) { return group ? group->place.rank : 0; }
int group_size(const Group *group) { return group ? group->place.size : 1; }
const GroupPlace *group_place_of(const Group *group) { return &group->place; }

/* ---- the place of this process */

static Status read_number(const char *name, int least, int most, int *to, Error *e)
{
    const char *text = getenv(name);
    int value;
    if (!text_number((StrView){ text, strlen(text) }, &value) || value < least || value > most)
        return error_set(e, ERR_USAGE, "the environment variable %s: found '%s', expected a number from %d to %d", name,
                         text, least, most);
    *to = value;
    return OK;
}

/* The first host of Slurm's list: "node07" of "node[07-09,12],other". */
static void first_host(const char *list, char *to, size_t size)
{
    size_t plain = strcspn(list, "[,"), digits = list[plain] == '[' ? strcspn(list + plain + 1, "-,]") : 0;
    snprintf(to, size, "%.*s%.*s", (int)plain, list, (int)digits, digits ? list + plain + 1 : "");
}

/* The values of one or two variables. */
static void name_run(const char *const names[2], char run[GROUP_RUN_MOST])
{
    const char *first = getenv(names[0]), *second = names[1] ? getenv(names[1]) : NULL;
    snprintf(run, GROUP_RUN_MOST, "%.40s%s%.20s", first ? first : "", second ? "." : "", second ? second : "");
}

Status group_place(GroupPlace *place, Error *error)
{
    static const char *const kinds[][3] = { { "RANK", "WORLD_SIZE", "LOCAL_RANK" },
                                            { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID" },
                                            { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                              "OMPI_COMM_WORLD_LOCAL_RANK" } };
    static const char *const runs[][2] = { { "TORCHELASTIC_RUN_ID" },
                                           { "SLURM_JOB_ID", "SLURM_STEP_ID" },
                                           { "PMIX_NAMESPACE" } };
    const char *host = getenv("MASTER_ADDR"), *nodes = NULL;
    int kind = 0;
    place->rank = place->local = 0;
    place->size = 1;
    place->run[0] = '\0';
    place->port = PORT;
    while (kind < 3 && !(getenv(kinds[kind][0]) && getenv(kinds[kind][1]))) kind++;
    if (kind == 3) return OK;
    Status s = read_number(kinds[kind][1], 1, GROUP_MOST, &place->size, error);
    if (s == OK) s = read_number(kinds[kind][0], 0, place->size - 1, &place->rank, error);
    if (s == OK && getenv(kinds[kind][2])) s = read_number(kinds[kind][2], 0, GROUP_MOST - 1, &place->local, error);
    if (s == OK && getenv("MASTER_PORT")) s = read_number("MASTER_PORT", 1, 65535, &place->port, error);
    if (s == OK && (place->size & (place->size - 1)))
        s = error_set(error, ERR_USAGE, "the environment variable %s: found %d processes, expected a power of two",
                      kinds[kind][1], place->size);
    name_run(runs[kind], place->run);
    if (kind == 1) nodes = getenv("SLURM_STEP_NODELIST");
    snprintf(place->host, sizeof place->host, "%s", host ? host : "127.0.0.1");
    if (!host && nodes) first_host(nodes, place->host, sizeof place->host);
    return s;
}

Status group_lost(const GroupPlace *place, int rank, const char *why, Error *error)
{
    if (rank < 0) return error_set(error, ERR_IO, "rank %d lost one that had just come: %s", place->rank, why);
    return error_set(error, ERR_IO, "rank %d lost rank %d of %d: %s", place->rank, rank, place->size, why);
}

Status group_open(Group **group, const GroupPlace *place, Error *error)
{
    *group = NULL;
    if (place->size == 1) return OK;
    Group *x = *group = mem_calloc(1, sizeof *x);
    if (!x) return error_set(error, ERR_NOMEM, "out of memory for a group");
    x->place = *place;
    while (1 << x->steps < place->size) x->steps++;
    return group_link_tcp(&x->link, place, error);
}

void group_close(Group *group, bool failed)
{
    if (!group) return;
    if (group->own.of) group->own.close(group->own.of, failed);
    if (group->link.of) group->link.close(group->link.of, failed);
    mem_free(group);
}

/* ---- together */

static void add_numbers(const Kernels *k, Real *y, const Real *x, size_t n)
{
    for (size_t at = 0, m; at < n; at += m) {
        m = n - at < ADD_MOST ? n - at : ADD_MOST;
        k->add(y + at, (int)m, x + at, (int)m, 1, (int)m);
    }
}

/* group_sum over a link of the memory in which x and scratch are, and k computes. */
static Status sum_over(const Group *g, const GroupLink *link, const Kernels *k, Real *x, Real *scratch, size_t n,
                       Error *e)
{
    size_t from[GROUP_STEPS + 1] = { 0 }, to[GROUP_STEPS + 1] = { n };
    Status s = OK;
    for (int i = 0; i < g->steps && s == OK; i++) { /* each of a pair keeps half of what they have */
        size_t middle = from[i] + (to[i] - from[i]) / 2;
        bool low = !(g->place.rank >> i & 1);
        from[i + 1] = low ? from[i] : middle;
        to[i + 1] = low ? middle : to[i];
        Real *own = x + from[i + 1], *other = x + (low ? middle : from[i]);
        size_t n_own = to[i + 1] - from[i + 1], n_other = to[i] - from[i] - n_own;
        s = link->exchange(link->of, g->place.rank ^ 1 << i, other, n_other * sizeof *x, scratch, n_own * sizeof *x, e);
        if (s == OK) add_numbers(k, own, scratch, n_own);
    }
    for (int i = g->steps - 1; i >= 0 && s == OK; i--) {
        bool low = !(g->place.rank >> i & 1);
        Real *own = x + from[i + 1], *other = x + (low ? to[i + 1] : from[i]);
        size_t n_own = to[i + 1] - from[i + 1], n_other = to[i] - from[i] - n_own;
        s = link->exchange(link->of, g->place.rank ^ 1 << i, own, n_own * sizeof *x, other, n_other * sizeof *x, e);
    }
    return s;
}

/* group_sum through a copy in the host's memory. */
static Status sum_copy(const Group *g, const Device *d, Real *x, size_t n, Error *e)
{
    Real *copy = mem_alloc(n + n / 2 + 1, sizeof *copy);
    Status s = copy ? d->download(copy, x, n * sizeof *copy, e)
                    : error_set(e, ERR_NOMEM, "out of memory for the gradients of a group");
    if (s == OK) s = sum_over(g, &g->link, device_cpu()->kernels, copy, copy + n, n, e);
    if (s == OK) s = d->upload(x, copy, n * sizeof *copy, e);
    mem_free(copy);
    return s;
}

Status group_sum(Group *group, const Device *device, Real *x, Real *scratch, size_t count, Error *error)
{
    if (!group) return OK;
    if (device->host_memory) return sum_over(group, &group->link, device->kernels, x, scratch, count, error);
    Status s = OK;
    if (!group->asked && device->link) s = device->link(&group->own, group, error);
    group->asked = true;
    if (s != OK) return s;
    return group->own.of ? sum_over(group, &group->own, device->kernels, x, scratch, count, error)
                         : sum_copy(group, device, x, count, error);
}

Status group_gather(Group *group, void *blocks, size_t size, Error *error)
{
    Status s = OK;
    for (int k = 0; group && k < group->steps && s == OK; k++) {
        int own = group->place.rank >> k << k, other = own ^ 1 << k;
        s = group->link.exchange(group->link.of, group->place.rank ^ 1 << k, (char *)blocks + (size_t)own * size,
                                 size << k, (char *)blocks + (size_t)other * size, size << k, error);
    }
    return s;
}
