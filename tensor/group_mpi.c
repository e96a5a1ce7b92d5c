/* tensor/group_mpi.c: a link by MPI (make MPI=1), which started the processes and knows where they are. */
#include <mpi.h>

#include "tensor/group_link.h"

enum { MOST = 1 << 30 }; /* bytes of a message, which MPI counts in int */

static GroupPlace place; /* MPI is one for the process */

bool group_has_mpi(void) { return true; }

static Status lost(int rank, int code, Error *e)
{
    char text[MPI_MAX_ERROR_STRING];
    int n;
    MPI_Error_string(code, text, &n);
    return group_lost(&place, rank, text, e);
}

static Status exchange(void *of, int rank, const void *out, size_t n_out, void *in, size_t n_in, Error *e)
{
    const char *from = out;
    char *to = in;
    (void)of;
    do { /* both sides have the same number of messages */
        size_t sent = n_out < MOST ? n_out : MOST, received = n_in < MOST ? n_in : MOST;
        int code = MPI_Sendrecv(from, (int)sent, MPI_BYTE, rank, 0, to, (int)received, MPI_BYTE, rank, 0,
                                MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) return lost(rank, code, e);
        if ((n_out -= sent) > 0) from += sent;
        if ((n_in -= received) > 0) to += received;
    } while (n_out || n_in);
    return OK;
}

/* A process that ends with an error and without MPI_Finalize ends the others: mpirun sees to it. */
static void end(void *of, bool failed)
{
    (void)of;
    if (!failed) MPI_Finalize();
}

/* Do all have numbers of the same size? */
static Status check_numbers(Error *e)
{
    int own[2] = { (int)sizeof(Real), -(int)sizeof(Real) }, most[2];
    int code = MPI_Allreduce(own, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (code != MPI_SUCCESS) return lost(place.rank, code, e);
    if (most[0] == -most[1]) return OK;
    return error_set(e, ERR_CONFIG, "found ranks with numbers of %d and of %d bytes, expected the same", -most[1],
                     most[0]);
}

Status group_link_mpi(GroupLink *link, const GroupPlace *p, Error *e)
{
    int threads, rank = -1, size = 0, code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads);
    if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS) code = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (code == MPI_SUCCESS) code = MPI_Comm_size(MPI_COMM_WORLD, &size);
    place = *p;
    if (code != MPI_SUCCESS) return lost(p->rank, code, e);
    *link = (GroupLink){ &place, exchange, end };
    if (threads < MPI_THREAD_FUNNELED || rank != p->rank || size != p->size)
        return error_set(e, ERR_CONFIG, "MPI: found rank %d of %d, expected rank %d of %d", rank, size, p->rank,
                         p->size);
    return check_numbers(e);
}
