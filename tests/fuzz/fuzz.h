/* Shared by the fuzz targets: inputs as texts and files, and what must hold of them. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "tests/support/freed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, which is a finding, unless the condition holds. */
static inline void require(int holds)
{
    if (!holds) abort();
}

/* Was the input accepted? If not, there must be a message. */
static inline int accepted(Status s, const Error *e)
{
    require(s == OK || e->message[0]);
    return s == OK;
}

static inline void require_equal(const StrBuf *a, const StrBuf *b)
{
    require(a->len == b->len && (a->len == 0 || memcmp(a->ptr, b->ptr, a->len) == 0));
}

static inline StrView fuzz_text(const void *data, size_t size) { return (StrView){ data, size }; }

/* Cuts the text before the first line "=", and sets `rest` to what follows it; all of it and "" if there is none. */
static inline StrView fuzz_cut(StrView text, StrView *rest)
{
    for (size_t k = 0; k + 3 <= text.len; k++)
        if (memcmp(text.ptr + k, "\n=\n", 3) == 0) {
            *rest = (StrView){ text.ptr + k + 3, text.len - k - 3 };
            return (StrView){ text.ptr, k + 1 };
        }
    *rest = (StrView){ text.ptr + text.len, 0 };
    return text;
}

typedef struct FuzzFile {
    char path[64];
} FuzzFile;

/* Writes the bytes to a file in memory, named after the process and `number`. */
static inline FuzzFile fuzz_file(const void *data, size_t size, int number)
{
    FuzzFile file;
    snprintf(file.path, sizeof file.path, "/dev/shm/lal-fuzz-%ld-%d", (long)getpid(), number);
    FILE *f = fopen(file.path, "wb");
    require(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
    return file;
}

static inline void fuzz_unlink(FuzzFile *file) { unlink(file->path); }
