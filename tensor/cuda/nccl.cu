/* A group's link from GPU to GPU by NCCL, which is loaded when a group first needs it; its
 * functions and types are declared as in nccl.h since NCCL 2.7. Each process has its own GPU. */
#include "tensor/cuda/cuda.h"

#include <dlfcn.h>
#include <sched.h>

extern "C" {
#include "base/thread.h"
#include "tensor/group_link.h"
}

enum { NCCL_SUCCESS = 0, NCCL_IN_PROGRESS = 7, NCCL_BYTES = 0 }; /* ncclResult_t, ncclDataType_t */

typedef struct NcclId {
    char bytes[128];
} NcclId;
typedef struct NcclState *NcclComm;

/* The functions used. */
static struct {
    int (*id)(NcclId *id);
    int (*init)(NcclComm *comm, int size, NcclId id, int rank);
    int (*abort)(NcclComm comm);
    int (*failed)(NcclComm comm, int *result);
    int (*begin)();
    int (*end)();
    int (*send)(const void *from, size_t n, int type, int rank, NcclComm comm, cudaStream_t stream);
    int (*receive)(void *to, size_t n, int type, int rank, NcclComm comm, cudaStream_t stream);
    const char *(*text)(int result);
} nccl;

/* Loads NCCL; false: it is not there. */
static bool load()
{
    void *library = dlopen(LAL_NCCL, RTLD_NOW | RTLD_LOCAL);
    const struct {
        const char *name;
        void *to;
    } wanted[] = { { "ncclGetUniqueId", &nccl.id },     { "ncclCommInitRank", &nccl.init },
                   { "ncclCommAbort", &nccl.abort },    { "ncclCommGetAsyncError", &nccl.failed },
                   { "ncclGroupStart", &nccl.begin },   { "ncclGroupEnd", &nccl.end },
                   { "ncclSend", &nccl.send },          { "ncclRecv", &nccl.receive },
                   { "ncclGetErrorString", &nccl.text } };
    for (const auto &w : wanted) {
        void *function = library ? dlsym(library, w.name) : NULL;
        if (!function) return false;
        memcpy(w.to, &function, sizeof function);
    }
    return true;
}

typedef struct Nccl {
    GroupPlace place;
    NcclComm comm;
} Nccl;

static Status lost(Nccl *n, int rank, const char *why, Error *e)
{
    nccl.abort(n->comm); /* else the stream would wait for ever */
    n->comm = NULL;
    return group_lost(&n->place, rank, why, e);
}

static Status exchange(void *of, int rank, const void *out, size_t n_out, void *in, size_t n_in, Error *e)
{
    Nccl *n = (Nccl *)of;
    cudaStream_t stream = cuda_stream();
    double until = clock_seconds() + n->place.timeout;
    if (!n->comm) return group_lost(&n->place, rank, "NCCL has failed", e);
    int code = nccl.begin();
    if (code == NCCL_SUCCESS && n_out) code = nccl.send(out, n_out, NCCL_BYTES, rank, n->comm, stream);
    if (code == NCCL_SUCCESS && n_in) code = nccl.receive(in, n_in, NCCL_BYTES, rank, n->comm, stream);
    int ended = nccl.end();
    if (code == NCCL_SUCCESS) code = ended;
    cudaError_t state = cudaErrorNotReady;
    while (code == NCCL_SUCCESS && (state = cudaStreamQuery(stream)) == cudaErrorNotReady) {
        if (clock_seconds() > until) return lost(n, rank, "nothing came from it in time", e);
        if (nccl.failed(n->comm, &code) != NCCL_SUCCESS || code == NCCL_IN_PROGRESS) code = NCCL_SUCCESS;
        sched_yield();
    }
    if (code != NCCL_SUCCESS) return lost(n, rank, nccl.text(code), e);
    return state == cudaSuccess ? OK : lost(n, rank, cudaGetErrorString(state), e);
}

static void close(void *of, bool)
{
    Nccl *n = (Nccl *)of;
    if (n->comm) nccl.abort(n->comm); /* no exchange is under way */
    mem_free(n);
}

/* What a rank says of itself. */
typedef struct Hello {
    NcclId id; /* of rank 0 */
    bool ready;
} Hello;

/* Is every rank ready? all [group_size] */
static Status agree(Group *g, Hello *all, bool *ready, Error *e)
{
    Status s = group_gather(g, all, sizeof *all, e);
    for (int k = 0; k < group_size(g) && s == OK; k++) *ready = *ready && all[k].ready;
    return s;
}

/* The communicator of all ranks; n->comm stays NULL where one of them cannot have it. */
static Status meet(Group *g, Nccl *n, Hello *all, Error *e)
{
    Hello *own = &all[group_rank(g)];
    bool ready = true;
    own->ready = load() && (group_rank(g) || nccl.id(&own->id) == NCCL_SUCCESS);
    Status s = agree(g, all, &ready, e);
    if (s != OK || !ready) return s;
    /* a GPU that two of them have is an error in all */
    own->ready = nccl.init(&n->comm, group_size(g), all[0].id, group_rank(g)) == NCCL_SUCCESS;
    s = agree(g, all, &ready, e);
    if (s == OK && ready) return OK;
    if (n->comm && all[group_rank(g)].ready) nccl.abort(n->comm);
    n->comm = NULL;
    return s;
}

Status cuda_nccl_link(GroupLink *link, Group *group, Error *error)
{
    Nccl *n = (Nccl *)mem_calloc(1, sizeof *n);
    Hello *all = (Hello *)mem_calloc((size_t)group_size(group), sizeof *all);
    Status s = n && all ? OK : error_set(error, ERR_NOMEM, "out of memory for a group");
    if (s == OK) s = meet(group, n, all, error);
    mem_free(all);
    if (s != OK || !n->comm) {
        mem_free(n);
        return s;
    }
    n->place = *group_place_of(group);
    *link = GroupLink{ n, exchange, close };
    return OK;
}
