/* tensor/device.c */
#include "tensor/device.h"

#include <stdlib.h>
#include <string.h>

static const Device *chosen;

const Device *device_default(void) { return chosen ? chosen : device_cpu(); }

Status device_choose(const char *name, Error *e)
{
    long n = 0;
    if (strcmp(name, "cpu") == 0) {
        chosen = device_cpu();
        return OK;
    }
    char *end = NULL;
    bool numbered = strncmp(name, "cuda:", 5) == 0 && name[5] >= '0' && name[5] <= '9';
    if (numbered) n = strtol(name + 5, &end, 10);
    if (strcmp(name, "cuda") != 0 && (!numbered || *end || n > 1023))
        return error_set(e, ERR_USAGE, "found '%s', expected cpu, cuda, cuda:N or auto", name);
    Status s = device_cuda_select((int)n, e);
    if (s == OK) chosen = device_cuda();
    return s;
}

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

Products device_parse_products(void)
{
    return device_default() == device_cpu() && device_cpu_bfloat() ? PRODUCTS_BF16 : PRODUCTS_REAL;
}
