/* What the files of the emulator and its test have in common. */
#pragma once

#include "tests/cuda/emulator.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

/* Ends the program with this message. */
[[noreturn]] void emulator_stop(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The error that cudaGetLastError gives next; returns false. */
bool emulator_fail(cudaError_t code);
/* Shared memory that cudaFuncSetAttribute has allowed the kernel. */
size_t emulator_shared_allowed(const void *function);
/* ---- NCCL (emulator_nccl.cpp) */

/* A function of the library; NULL: it has none of this name. */
void *emulator_nccl_function(const char *name);
/* Does a message of the stream wait for its other side? */
bool emulator_nccl_waits(cudaStream_t stream);
