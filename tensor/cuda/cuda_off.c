/* tensor/cuda/cuda_off.c: a build without CUDA has no such device. */
#include <stddef.h>

#include "tensor/device.h"

const Device *device_cuda(void) { return NULL; }
