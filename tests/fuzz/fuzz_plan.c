/* A plan of lal ablate is refused with a message and its place, or its variants are ordered so
 * that each follows those it needs. */

#include "program/ablate/plan.h"
#include "tests/fuzz/fuzz.h"

static int position(const AblatePlan *p, int variant)
{
    int k = 0;
    while (k < p->n && p->order[k] != variant) k++;
    return k;
}

static void check(const AblatePlan *p)
{
    require(p->n >= 1 && p->n_seeds >= 1 && p->resamples >= 1 && p->reference >= 0 && p->reference < p->n);
    for (int v = 0; v < p->n; v++) {
        int needs[ABLATE_NEEDS];
        ablate_plan_needs(p, v, needs);
        require(position(p, v) < p->n);
        for (int k = 0; k < ABLATE_NEEDS; k++) require(needs[k] < 0 || position(p, needs[k]) < position(p, v));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FREED(fuzz_unlink) FuzzFile file = fuzz_file(data, size, 0);
    FREED(ablate_plan_fini) AblatePlan p;
    Error e = { 0 };
    Status s = ablate_plan_read(&p, file.path, NULL, &e);
    bool placed = strcmp(e.path, file.path) != 0 || (e.line >= 1 && e.column >= 1); /* or of a preset's file */
    if (accepted(s, &e)) check(&p);
    else require(s == ERR_IO || (s == ERR_USAGE && placed));
    return 0;
}
