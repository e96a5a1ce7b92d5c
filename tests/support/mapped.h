/* Files that are mapped, and changed while they are. */
#pragma once

#include <time.h>

#include "base/filemap.h"
#include "tests/support/check.h"

/* Waits until the file was not changed a moment ago, so that it is mapped. */
static inline void wait_mapped(const char *path)
{
    for (bool mapped = false; !mapped;) {
        FileMap m;
        assert_ok(filemap_open(&m, path, 0, test_error()));
        mapped = m.slot != 0;
        filemap_close(&m);
        if (!mapped) nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    }
}

/* Changes a byte of the file in place. */
static inline void change_byte(const char *path, long at)
{
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    int c = fgetc(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    assert_int_equal(fputc(c ^ 1, f), c ^ 1);
    assert_int_equal(fclose(f), 0);
}
