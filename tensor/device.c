/* tensor/device.c */
#include "tensor/device.h"

const Device *device_default(void) { return device_cpu(); }

Real *device_zeros(const Device *d, size_t count)
{
    Real *p = count <= SIZE_MAX / 2 / sizeof *p ? d->alloc(count * sizeof *p) : NULL;
    if (p) d->kernels->fill(p, count, 0);
    if (p && d->synchronise(NULL) != OK) {
        d->free(p);
        return NULL;
    }
    return p;
}
