/* How the processes of a group reach each other: over TCP, and from GPU to GPU by NCCL (tensor/cuda/nccl.cu). A group
 * uses its link in one thread. */
#pragma once

#include "tensor/group.h"

typedef struct GroupLink {
    void *of; /* what the functions get; NULL: no link */
    /* Sends n_out bytes to a rank and receives n_in bytes from it, at the same time; returns when both are done. The
     * rank's number differs in one bit, and it does the same. ERR_IO, with the rank. */
    Status (*exchange)(void *of, int rank, const void *out, size_t n_out, void *in, size_t n_in, Error *e);
    void (*close)(void *of, bool failed); /* failed: the others may be in an exchange */
} GroupLink;

/* Meet the other ranks of a group of two or more; `of` may be set although they fail. Errors of group_open. */
Status group_link_tcp(GroupLink *link, const GroupPlace *place, Error *error);

/* Sets the error of a lost rank and returns ERR_IO; rank -1: it has not said which one it is. */
Status group_lost(const GroupPlace *place, int rank, const char *why, Error *error);
