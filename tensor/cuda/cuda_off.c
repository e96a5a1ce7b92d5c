/* A build without CUDA has no such device. */
#include "tensor/cuda/gpu.h"

const Device *device_cuda(void) { return NULL; }

static Status choose(int n, const Device **out, Error *e)
{
    (void)n, (void)out;
    return error_set(e, ERR_CONFIG, "this program was built without CUDA (make CUDA=1)");
}

const DeviceKind DEVICE_KIND_CUDA = { "cuda", true, choose };

void device_cuda_poison(void) {}

void device_cuda_profile(GpuProfile *gpu_profile) { (void)gpu_profile; }

Status device_cuda_list(GpuInfo *list, int most, int *n, Error *error)
{
    (void)list, (void)most;
    *n = 0;
    return choose(0, NULL, error);
}
