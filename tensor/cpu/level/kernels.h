/* The kernels of a level, cpu_NAME for each line of tensor/kernels.def. Every level has functions of these names; in
 * its objects they end in the name of the level, so none of them is seen outside it (tensor/cpu/level.h). */
#pragma once

#include "tensor/cpu/cpu.h"
#include "tensor/kernels.h"

#define KERNEL(name, arguments) void cpu_##name arguments;
#include "tensor/kernels.def"
#undef KERNEL
