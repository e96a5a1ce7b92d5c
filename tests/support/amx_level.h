/* Level x86-64-v4-amx for tests on any x86-64: its products with packed weights and those in bfloat16 are compiled from
 * the sources of the level, with its instructions in plain C (tests/support/amx_model.h). */
#pragma once

#include "tensor/cpu/level.h"

/* Named "amx-model"; the other kernels are those of cpu_level(). NULL on ARM, and where Real is double. */
const CpuLevel *amx_level(void);

/* Level n of those that tests compare: first what the processor has (cpu_level_at), then amx_level; NULL: no more. */
const CpuLevel *tested_level(int n);
