/* Processes that train one model together, on one machine or several (data parallel): each computes some of the
 * sub-batches of an update, and all get the sum of all gradients, with the same bits.
 *
 * Their number is a power of two. Rank r sends to the ranks r XOR 1, 2, 4, ..., over TCP or from GPU to GPU
 * (group_link.h): a sum is recursive halving and doubling (Thakur, Rabenseifner and Gropp 2005), in which (0 + 1),
 * (2 + 3), ... are added first, then pairs of pairs. Adding two numbers is commutative, so all ranks have the same
 * result, and any link gives the same bits. Machines must have the same byte order, and the network must be trusted:
 * what is sent is neither encrypted nor signed.
 *
 * A group of one process is NULL, and every function takes it. */
#pragma once

#include "tensor/device.h"

/* Processes; 1 << GROUP_STEPS is the most. */
enum { GROUP_STEPS = 8, GROUP_MOST = 1 << GROUP_STEPS, GROUP_RUN_MOST = 64 };

/* The place of this process. */
typedef struct GroupPlace {
    int rank, size; /* rank is below size */
    int local;      /* its number on its machine, from 0 on */
    char host[256]; /* of rank 0, name or address, which it listens on */
    int port;
    char run[GROUP_RUN_MOST]; /* what the ranks of a run have in common, and others have not; "": not known */
    double timeout;           /* seconds until a rank that does not come or is silent counts as lost */
} GroupPlace;

/* From the environment: RANK, WORLD_SIZE, MASTER_ADDR (default 127.0.0.1) and MASTER_PORT (default 29500), the names of
 * torchrun; within srun SLURM_PROCID, SLURM_STEP_NUM_TASKS and the first of SLURM_STEP_NODELIST; under mpirun
 * OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE. The first two of a kind choose it; MASTER_... hold for all. `local` is
 * LOCAL_RANK, SLURM_LOCALID or OMPI_COMM_WORLD_LOCAL_RANK, else 0; `run` is TORCHELASTIC_RUN_ID, SLURM_JOB_ID with
 * SLURM_STEP_ID, or PMIX_NAMESPACE. Nothing of these: size 1. timeout stays. ERR_USAGE for what is no number, a size
 * that is no power of two up to GROUP_MOST, a rank outside. */
Status group_place(GroupPlace *place, Error *error);

typedef struct Group Group;

/* Meets the other ranks, *group = NULL where size is 1. group_close in any case, by the thread that opened it;
 * `failed`: of an error that the others may not know. ERR_IO: a rank did not come in time or was lost, the port is in
 * use; ERR_CONFIG: rank 0 refused this one, which has another run, size or Real, or has come before. Whoever connects
 * and says nothing or something else is dropped after two seconds, and nobody waits for it. */
Status group_open(Group **group, const GroupPlace *place, Error *error);
void group_close(Group *group, bool failed);
int group_rank(const Group *group);
int group_size(const Group *group);
const GroupPlace *group_place_of(const Group *group); /* g is not NULL */

/* group_sum and group_gather are called by all ranks, in the same order, with the same sizes. ERR_IO with the rank that
 * was lost: then the group is of no use. */

/* x [count] becomes the sum over all ranks; scratch [count / 2 + 1]; both in the device's memory, and all ranks have
 * the same kind of device. Errors of the device, too. */
Status group_sum(Group *group, const Device *device, Real *x, Real *scratch, size_t count, Error *error);
/* Every rank has filled block number group_rank of blocks [group_size], each of `size` bytes, and gets the others. */
Status group_gather(Group *group, void *blocks, size_t size, Error *error);
