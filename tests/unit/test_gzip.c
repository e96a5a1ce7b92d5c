/* What is compressed is read as the text in it, by streams and as a whole. */
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/stream.h"
#include "tests/support/check.h"

/* Appends a member of gzip to the file; returns its path. */
static const char *add_member(const char *name, const char *text, size_t n)
{
    gzFile f = gzopen(test_path(name), "ab");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, text, (unsigned)n), n);
    assert_int_equal(gzclose(f), Z_OK);
    return test_path(name);
}

/* More than one read, compressed or not. */
static void make_text(StrBuf *out)
{
    for (unsigned k = 0, x = 1; k < 100000; k++, x = x * 1103515245 + 12345) strbuf_printf(out, "%u\n", x >> 8);
}

/* All blocks of a stream, of at least `want` bytes where there are more. */
static Status read_stream(const char *path, size_t want, StrBuf *out, double *share, Error *e)
{
    FREED(stream_close) TextStream s;
    TextBlock b = { .text = { "", 1 } };
    bool whole;
    strbuf_clear(out);
    Status status = stream_open(&s, path, (StreamOptions){ 0 }, stream_cut_lines, e);
    while (status == OK && b.text.len) {
        status = stream_next(&s, want, (size_t)1 << 20, &b, &whole, e);
        if (status == OK) strbuf_add(out, b.text.ptr, b.text.len);
        assert_true(s.buf.cap < (size_t)1 << 20);
    }
    *share = stream_share(&s);
    return status;
}

TEST(members_are_read_as_one_text)
{
    FREED(strbuf_fini) StrBuf text = { 0 }, found = { 0 }, file = { 0 };
    double share;
    make_text(&text);
    add_member("text.gz", text.ptr, 7);
    add_member("text.gz", "", 0);
    const char *path = add_member("text.gz", text.ptr + 7, text.len - 7);
    assert_ok(file_read(path, &file, test_error())); /* not as a text */
    assert_true(file.len > 1 << 17 && file.len < text.len);
    for (size_t want = 1; want < (size_t)1 << 22; want *= 64) {
        assert_ok(read_stream(path, want, &found, &share, test_error()));
        assert_equal_texts(&found, &text);
        assert_true(share == 1);
    }
    assert_ok(file_read_text(path, &found, test_error()));
    assert_equal_texts(&found, &text);
}

TEST(damaged_data_are_an_error_after_what_comes_before)
{
    FREED(strbuf_fini) StrBuf file = { 0 }, found = { 0 };
    static const char text[] = "one\ntwo\n";
    double share;
    assert_ok(file_read(add_member("whole.gz", text, sizeof text - 1), &file, test_error()));
    for (size_t n = 2; n < file.len; n++) {
        const char *path = test_file("cut.gz", file.ptr, n);
        assert_fails_with(read_stream(path, 1, &found, &share, test_error()), ERR_FORMAT,
                          "cut.gz: found the end of the file inside compressed data (gzip), expected the rest of them");
        assert_true(found.len < sizeof text && (!found.len || memcmp(found.ptr, text, found.len) == 0));
        assert_int_equal(file_read_text(path, &found, &(Error){ 0 }), ERR_FORMAT);
    }
    file.ptr[file.len - 6] ^= 1; /* of the checksum */
    assert_fails_with(read_stream(test_file("bad.gz", file.ptr, file.len), 1, &found, &share, test_error()), ERR_FORMAT,
                      "bad.gz: found damaged compressed data (gzip: incorrect data check), expected whole ones");
    assert_string_equal(found.ptr, text);
    file.ptr[file.len - 6] ^= 1;
    strbuf_puts(&file, "more");
    assert_fails_with(read_stream(test_file("more.gz", file.ptr, file.len), 1, &found, &share, test_error()),
                      ERR_FORMAT, "more.gz: found other bytes after compressed data (gzip), expected their end");
    assert_string_equal(found.ptr, text);
}

/* Appends what zlib makes of all bytes before an error. */
static void inflate_all(const StrBuf *file, StrBuf *out)
{
    z_stream z = { .next_in = (unsigned char *)file->ptr, .avail_in = (unsigned)file->len };
    unsigned char some[999];
    strbuf_clear(out);
    assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
    for (int result = Z_OK; result == Z_OK;) {
        z.next_out = some;
        z.avail_out = sizeof some;
        result = inflate(&z, Z_NO_FLUSH);
        strbuf_add(out, (const char *)some, sizeof some - z.avail_out);
    }
    inflateEnd(&z);
}

/* Cut or damaged anywhere, in blocks of any size: all lines that can be decompressed come before the error. */
TEST(no_line_before_damage_is_lost)
{
    FREED(strbuf_fini) StrBuf text = { 0 }, file = { 0 }, all = { 0 }, found = { 0 };
    double share;
    make_text(&text);
    assert_ok(file_read(add_member("long.gz", text.ptr, text.len), &file, test_error()));
    StrBuf part = file;
    for (size_t at = 20; at < file.len; at += file.len / 37)
        for (int damaged = 0; damaged < 2; damaged++) {
            char kept = file.ptr[at];
            part.len = damaged ? file.len : at;
            file.ptr[at] = (char)(kept ^ (damaged ? 0x5a : 0));
            inflate_all(&part, &all);
            size_t lines = all.len;
            while (lines && all.ptr[lines - 1] != '\n') lines--;
            for (size_t want = 1; want < (size_t)1 << 20; want <<= 8) {
                Status s = read_stream(test_file("part.gz", part.ptr, part.len), want, &found, &share, &(Error){ 0 });
                assert_true(s == ERR_FORMAT && found.len == lines &&
                            (!lines || memcmp(found.ptr, all.ptr, lines) == 0));
            }
            file.ptr[at] = kept;
        }
}

TEST(zeros_may_follow_members)
{
    FREED(strbuf_fini) StrBuf member = { 0 }, file = { 0 };
    static const char zeros[70000];
    double share;
    assert_ok(file_read(add_member("one.gz", "one\n", 4), &member, test_error()));
    for (size_t n = 1; n <= sizeof zeros; n = 3 * n + 7) {
        strbuf_clear(&file);
        strbuf_add(&file, member.ptr, member.len);
        strbuf_add(&file, zeros, n);
        assert_ok(read_stream(test_file("padded.gz", file.ptr, file.len), 1, test_out(), &share, test_error()));
        assert_string_equal(test_written(), "one\n");
        strbuf_add(&file, member.ptr, member.len);
        assert_ok(read_stream(test_file("padded.gz", file.ptr, file.len), 1, test_out(), &share, test_error()));
        assert_string_equal(test_written(), "one\none\n");
        strbuf_puts(&file, "x");
        assert_int_equal(read_stream(test_file("padded.gz", file.ptr, file.len), 1, test_out(), &share, &(Error){ 0 }),
                         ERR_FORMAT);
        assert_string_equal(test_written(), "one\none\n");
    }
}

TEST(other_files_are_passed_on_even_if_they_begin_alike)
{
    static const char *const texts[] = { "", "\x1f", "\x1f\n", "a", "ab\n" };
    FREED(strbuf_fini) StrBuf found = { 0 };
    double share;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        assert_ok(read_stream(test_text("text", texts[k]), 1, &found, &share, test_error()));
        assert_int_equal(found.len, strlen(texts[k]));
        assert_true(share == (found.len > 0));
        assert_true(!found.len || strcmp(found.ptr, texts[k]) == 0);
    }
}

TEST(a_few_bytes_at_a_time_may_be_asked_for)
{
    FREED(strbuf_fini) StrBuf file = { 0 };
    assert_ok(file_read(add_member("whole.gz", "one\n", 4), &file, test_error()));
    int ends[2];
    char out[64];
    size_t n;
    assert_int_equal(pipe(ends), 0);
    GzipReader r = { .fd = ends[0], .path = "pipe" };
    assert_int_equal(write(ends[1], file.ptr, file.len), file.len);
    close(ends[1]);
    assert_ok(gzip_read(&r, out, 2, &n, test_error()));
    assert_int_equal(n, 2);
    assert_ok(gzip_read(&r, out + 2, sizeof out - 2, &n, test_error()));
    assert_int_equal(n, 2);
    assert_memory_equal(out, "one\n", 4);
    assert_true(gzip_readable(&r, 0));
    assert_ok(gzip_read(&r, out, sizeof out, &n, test_error()));
    assert_int_equal(n, 0);
    gzip_end(&r);
    close(ends[0]);
}

TEST(files_whose_names_end_so_are_written_compressed)
{
    FREED(strbuf_fini) StrBuf text = { 0 }, file = { 0 }, found = { 0 };
    make_text(&text);
    const char *path = test_path("out.json.gz");
    assert_ok(file_write(path, &text, test_error()));
    assert_ok(file_read(path, &file, test_error()));
    assert_true(file.len < text.len && memcmp(file.ptr, "\x1f\x8b", 2) == 0);
    assert_ok(file_read_text(path, &found, test_error()));
    assert_equal_texts(&found, &text);
    FileWriter w; /* a run that fails leaves the old file, one that writes nothing an empty one */
    assert_ok(filewriter_open(&w, path, test_error()));
    filewriter_write(&w, text.ptr, 10);
    assert_ok(filewriter_close(&w, false, test_error()));
    assert_ok(file_read_text(path, &found, test_error()));
    assert_int_equal(found.len, text.len);
    assert_ok(filewriter_open(&w, path, test_error()));
    assert_ok(filewriter_close(&w, true, test_error()));
    assert_ok(file_read_text(path, &found, test_error()));
    assert_int_equal(found.len, 0);
    assert_int_equal(symlink("/dev/full", test_path("full.gz")), 0);
    assert_ok(filewriter_open(&w, test_path("full.gz"), test_error()));
    filewriter_write(&w, text.ptr, text.len);
    filewriter_flush(&w);
    assert_fails_with(filewriter_close(&w, true, test_error()), ERR_IO, "cannot write: No space left on device");
    assert_ok(filewriter_open_plain(&w, test_path("model.gz"), test_error()));
    filewriter_write(&w, "one", 3);
    assert_ok(filewriter_close(&w, true, test_error()));
    assert_ok(file_read(test_path("model.gz"), &found, test_error()));
    assert_string_equal(found.ptr, "one");
}

TEST(memory_may_run_out)
{
    const char *path = add_member("text.gz", "one\n", 4);
    for (long n = 0; allocation_fails(n); n++) {
        FREED(strbuf_fini) StrBuf found = { 0 };
        mem_fail_after(n);
        assert_ok_or_no_memory(file_read_text(path, &found, test_error()));
    }
}
