/* tensor/cuda/cuda_off.c: the empty seat of a build without CUDA. */
#include <stddef.h>

#include "tensor/kernels.h"

const Kernels *kernels_cuda(void) { return NULL; }
