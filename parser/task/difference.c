/* The largest difference between two matrices, by the size of their numbers. */
#include "parser/task/difference.h"

#include <math.h>

/* Notes how far two matrices are apart; columns that the second one lacks are 0. */
static void compare_matrices(const HostMatrix y[2], ModelDifference *d)
{
    double most = 0, apart = 0;
    for (int r = 0; r < y[0].rows; r++)
        for (int c = 0; c < y[0].cols; c++) {
            double u = (double)host_row(&y[0], r)[c], v = fabs(u - (c < y[1].cols ? (double)host_row(&y[1], r)[c] : 0));
            most = fmax(most, fabs(u));
            if (!(v <= apart)) apart = v; /* NaN too, which stays */
        }
    apart /= 1 + most;
    if (!(apart <= d->numbers)) d->numbers = apart;
}

bool model_difference_words(const Encoder *a, const Encoder *b)
{
    return a->width == b->width &&
           (a->label_row == b->label_row || a->c.lal_pwff || a->c.lal.combine_as_self || a->c.phrases_alone);
}

Status model_difference_note(ModelDifference *difference, Tape *const tape[2], const Tensor *const x[2], Arena *arena,
                             Error *error)
{
    if (!x[0]) return OK;
    const HostMatrix y[2] = { tensor_host(tape[0], x[0], arena), tensor_host(tape[1], x[1], arena) };
    for (int k = 0; k < 2; k++)
        if (tape_status(tape[k]) != OK) {
            *error = tape[k]->error;
            return error->code;
        }
    compare_matrices(y, difference);
    return OK;
}
