/* A test of each level that this processor has, and of the model of one: TEST_LEVELS(name) { ... level ... } */
#pragma once

#include "tensor/cpu/level.h"
#include "tests/support/check.h"
#include "tests/support/amx_level.h"

#define TEST_LEVELS(name)                                                 \
    static void name##_of(const CpuLevel *level);                         \
    TEST(name)                                                            \
    {                                                                     \
        const CpuLevel *level;                                            \
        for (int k = 0; (level = tested_level(k)); k++) name##_of(level); \
    }                                                                     \
    static void name##_of(const CpuLevel *level)
