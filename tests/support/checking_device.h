/* tests/support/checking_device.h
 * A device that proves what host code may not do, without other hardware: the kernels of the CPU over memory that only
 * they can touch. The memory is mapped twice; the rest of the program has addresses of the mapping without rights, and
 * a kernel gets the same bytes at the other mapping. So a host read or write of device memory ends the program with
 * "host code touched device memory", and a kernel that gets a pointer to anything else with
 * "KERNEL: ARGUMENT is not device memory". Addresses are not used twice: what was freed stays so. Thread safe. */
#ifndef LAL_TESTS_SUPPORT_CHECKING_DEVICE_H
#define LAL_TESTS_SUPPORT_CHECKING_DEVICE_H

#include "tensor/device.h"

const Device *device_checking(void);

/* The device a test is to run on: the CPU, or the checking device where the environment has TEST_DEVICE=checking. */
const Device *test_device(void);

/* Ends of what the program is stopped with: exit status 70. */
enum { CHECKING_STATUS = 70 };

#endif
