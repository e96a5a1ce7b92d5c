/* Files that are mapped or copied, and changed meanwhile. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/support/mapped.h"

static const char *path, *other;

static void put(const char *name, const char *text)
{
    FileWriter w;
    assert_ok(filewriter_open(&w, name, test_error()));
    filewriter_write(&w, text, strlen(text));
    assert_ok(filewriter_close(&w, true, test_error()));
}

/* ---- files that are mapped */

static void mapped_file(FileMap *m)
{
    path = test_path("mapped");
    other = test_path("other");
    put(path, "the bytes");
    wait_mapped(path);
    assert_ok(filemap_open(m, path, 8, test_error()));
    assert_true(m->slot > 0 && m->size == 9);
}

/* What happens to a mapped file: is it unchanged, and touched? */
enum { NOTHING, CHANGED, SHORTER, LONGER, REPLACED, REMOVED, LINKED, MODE, SET_BACK, HAPPENINGS };

static void happen(int what)
{
    static const struct timespec past[2] = { { 1000, 5 }, { 1000, 5 } };
    if (what == CHANGED) change_byte(path, 3);
    if (what == SHORTER) assert_int_equal(truncate(path, 4), 0);
    if (what == LONGER) assert_int_equal(truncate(path, 10), 0);
    if (what == REPLACED) put(path, "otherwise");
    if (what == REMOVED) assert_int_equal(unlink(path), 0);
    if (what == LINKED) assert_int_equal(link(path, other), 0);
    if (what == MODE) assert_int_equal(chmod(path, 0600), 0);
    if (what == SET_BACK) {
        change_byte(path, 3);
        assert_int_equal(utimensat(AT_FDCWD, path, past, 0), 0);
    }
}

TEST(a_change_of_a_mapped_file_is_noticed)
{
    static const struct timespec past[2] = { { 1000, 5 }, { 1000, 5 } };
    for (int what = 0; what < HAPPENINGS; what++) {
        bool changed = what == CHANGED || what == SHORTER || what == LONGER;
        long long touched;
        MADE(FileMap, mapped_file, filemap_close, m);
        filemap_close(&m);
        assert_int_equal(utimensat(AT_FDCWD, path, past, 0), 0);
        wait_mapped(path);
        assert_int_equal(filemap_open(&m, path, 0, &(Error){ 0 }), OK);
        assert_true(filemap_unchanged(&m, &touched) && !touched);
        happen(what);
        assert_int_equal(filemap_unchanged(&m, NULL), !changed);
        assert_int_equal(filemap_unchanged(&m, &touched), !changed);
        assert_int_equal(touched != 0, !changed && what != NOTHING);
        if (touched) filemap_accept(&m, touched);
        assert_int_equal(filemap_unchanged(&m, &touched), !changed);
        assert_true(touched == 0);
        if (!changed && what != SET_BACK) assert_memory_equal(m.data, "the bytes", 9);
    }
}

TEST(a_copy_stays_as_it_is)
{
    long long touched;
    MADE(FileMap, mapped_file, filemap_close, m);
    filemap_close(&m);
    for (int k = 0; k < 3; k++) { /* it is not large enough; none are mapped; it has just been written */
        const size_t above[] = { 9, FILEMAP_NEVER, 0 };
        const char *of = k < 2 ? path : other;
        do { /* again if this thread had to wait between writing and opening */
            filemap_close(&m);
            if (k == 2) put(of, "the bytes");
            assert_int_equal(filemap_open(&m, of, above[k], &(Error){ 0 }), OK);
        } while (k == 2 && m.slot);
        assert_int_equal(m.slot, 0);
        assert_int_equal(truncate(of, 0), 0);
        assert_true(filemap_unchanged(&m, &touched) && !touched);
        assert_memory_equal(m.data, "the bytes", 9);
        assert_false(filemap_fill(m.data));
        filemap_close(&m);
        put(of, "the bytes");
    }
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(filemap_open(&m, path, 0, &(Error){ 0 }), OK);
    assert_true(m.data == NULL && m.size == 0);
}

static void fill(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if (!filemap_fill(info->si_addr)) abort();
}

TEST(a_mapped_file_that_became_shorter_reads_as_zeros)
{
    struct sigaction bus = { .sa_sigaction = fill, .sa_flags = SA_SIGINFO }, before;
    FileMap m;
    mapped_file(&m);
    assert_int_equal(sigaction(SIGBUS, &bus, &before), 0);
    assert_int_equal(truncate(path, 0), 0);
    unsigned sum = 0;
    for (size_t k = 0; k < m.size; k++) sum += ((const volatile unsigned char *)m.data)[k];
    assert_int_equal(sum, 0);
    assert_int_equal(sigaction(SIGBUS, &before, NULL), 0);
    put(path, "the bytes");
    assert_false(filemap_unchanged(&m, NULL)); /* whatever the file is now */
    assert_false(filemap_fill(&sum));
    assert_false(filemap_fill(m.data + m.size));
    const unsigned char *data = m.data;
    filemap_close(&m);
    assert_false(filemap_fill(data));
}

TEST(more_files_than_can_be_mapped_are_copied)
{
    enum { FILES = 70 };
    FileMap m[FILES];
    int mapped = 0;
    mapped_file(&m[0]);
    for (int k = 1; k < FILES; k++) assert_int_equal(filemap_open(&m[k], path, 0, &(Error){ 0 }), OK);
    for (int k = 0; k < FILES; k++) {
        assert_memory_equal(m[k].data, "the bytes", 9);
        mapped += m[k].slot > 0;
    }
    assert_int_equal(mapped, 64);
    for (int k = 0; k < FILES; k++) filemap_close(&m[k]);
    filemap_close(&m[0]);
}
