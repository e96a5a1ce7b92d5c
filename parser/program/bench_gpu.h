/* parser/program/bench_gpu.h: what a GPU did during a measurement of lal bench. */
#pragma once

#include "tensor/device.h"
#include "tensor/cuda/gpu.h"

/* Prints the member "gpu" of a measurement's object, after a comma: the seconds for which the profile was on, the
 * seconds of kernels (in all threads, products among them), launches, products and their share of the kernels' time and
 * rate, bytes copied, the most memory in use and what was taken from CUDA, and the kernels that took longest. */
void bench_put_gpu(StrBuf *out, const GpuProfile *p, double seconds);
