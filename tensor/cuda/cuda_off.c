/* tensor/cuda/cuda_off.c: a build without CUDA has no such device. */
#include <stddef.h>

#include "tensor/device.h"

const Device *device_cuda(void) { return NULL; }

Status device_cuda_select(int n, Error *e)
{
    (void)n;
    return error_set(e, ERR_CONFIG, "this program was built without CUDA (make CUDA=1)");
}

void device_cuda_poison(void) {}

void device_cuda_profile(GpuProfile *p) { (void)p; }

Status device_cuda_list(GpuInfo *list, int most, int *n, Error *e)
{
    (void)list, (void)most;
    *n = 0;
    return device_cuda_select(0, e);
}
