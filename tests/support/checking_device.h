/* A device that proves what host code may not do, without other hardware: the kernels of the CPU over memory that only
 * they can touch. The memory is mapped twice; the rest of the program has addresses of the mapping without rights, and
 * a kernel gets the same bytes at the other mapping. So a host read or write of device memory ends the program with
 * "host code touched device memory", and a kernel that gets a pointer to anything else with
 * "KERNEL: ARGUMENT is not device memory". Addresses are not used twice: what was freed stays so. What is fetched is
 * bits 1 (NaN, -1) until the thread waits. Thread safe. */
#pragma once

#include "tensor/device.h"

const Device *device_checking(void);

/* The device a test is to run on: the CPU, or what TEST_DEVICE of the environment names: checking, or cuda, which is
 * emulated (tests/cuda/emulator.h) except in a build with CUDA=1. On a device that lacks a kernel the program ends, and
 * its last line says so. */
const Device *test_device(void);
/* The same on any device. */
const Device *test_device_any(void);
/* From now on an emulated device runs its threads in another order (EMULATOR_SEED); nothing changes on others. */
void test_device_order(uint64_t seed);
/* The name of a kernel that the device does not have; NULL: it has all. */
const char *device_lacks(const Device *d);

/* Ends of what the program is stopped with: exit status 70. */
enum { CHECKING_STATUS = 70 };
