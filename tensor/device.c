/* The list of kinds of devices, and the one that is chosen for the process. */
#include "tensor/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { DEVICE_NUMBER_MOST = 1023 };

static const Device *chosen;

const Device *device_default(void) { return chosen ? chosen : device_cpu(); }

static const DeviceKind *const KINDS[] = { &DEVICE_KIND_CPU, &DEVICE_KIND_CUDA };

Status device_choose(const char *name, Error *error)
{
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        size_t len = strlen(KINDS[k]->name);
        const char *number = name + len + 1;
        char *end = NULL;
        if (strcmp(name, KINDS[k]->name) == 0) return KINDS[k]->choose(0, &chosen, error);
        if (!KINDS[k]->numbered || strncmp(name, KINDS[k]->name, len) != 0 || name[len] != ':') continue;
        long n = *number >= '0' && *number <= '9' ? strtol(number, &end, 10) : 0;
        if (end && !*end && n <= DEVICE_NUMBER_MOST) return KINDS[k]->choose((int)n, &chosen, error);
    }
    StrBuf names = { 0 };
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        strbuf_printf(&names, "%s, ", KINDS[k]->name);
        if (KINDS[k]->numbered) strbuf_printf(&names, "%s:N ", KINDS[k]->name);
    }
    error_set(error, ERR_USAGE, "found '%s', expected %sor auto", name, names.failed ? "cpu " : names.ptr);
    strbuf_fini(&names);
    return ERR_USAGE;
}

Real *device_zeros(const Device *device, size_t count)
{
    Real *p = count <= SIZE_MAX / 2 / sizeof *p ? device->alloc(count * sizeof *p) : NULL;
    if (p) device->kernels->fill(p, count, 0);
    if (p && device->synchronise(NULL) != OK) {
        device->free(p);
        return NULL;
    }
    return p;
}

Products device_parse_products(void)
{
    const Device *d = device_default();
    return d->parse_products ? d->parse_products() : PRODUCTS_REAL;
}
