/* tests/fuzz/file.h: writes an input to a file, for readers that take a path. */
#ifndef LAL_TESTS_FUZZ_FILE_H
#define LAL_TESTS_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct FuzzFile {
    char path[64];
} FuzzFile;

/* Writes the bytes to a file in memory, named after the process and `number`. The caller unlinks it. */
static inline FuzzFile fuzz_file(const void *data, size_t size, int number)
{
    FuzzFile file;
    snprintf(file.path, sizeof file.path, "/dev/shm/lal-fuzz-%ld-%d", (long)getpid(), number);
    FILE *f = fopen(file.path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) abort();
    return file;
}

#endif
