/* tensor/group_mpi_off.c: a build without MPI. */
#include "tensor/group_link.h"

bool group_has_mpi(void) { return false; }

Status group_link_mpi(GroupLink *link, const GroupPlace *p, Error *e)
{
    (void)link, (void)p;
    return error_set(e, ERR_CONFIG, "this program was built without MPI (make MPI=1)");
}
