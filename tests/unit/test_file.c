/* Files read and replaced, and a host program with a locale of its own. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/filemap.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/temporary.h"
#include "tests/support/check.h"

TEST(a_file_is_replaced_whole_or_not_at_all)
{
    const char *path = test_path("f");
    FileWriter w;
    assert_ok(filewriter_open(&w, path, test_error()));
    filewriter_write(&w, "old", 3);
    assert_int_equal(access(path, F_OK), -1); /* not there before it is complete */
    assert_ok(filewriter_close(&w, true, test_error()));
    assert_ok(filewriter_open(&w, path, test_error()));
    filewriter_write(&w, "new and longer", 14);
    char temporary[128];
    snprintf(temporary, sizeof temporary, "%s", w.temporary);
    assert_int_equal(access(temporary, F_OK), 0);
    assert_ok(filewriter_close(&w, false, test_error())); /* not committed */
    assert_int_equal(access(temporary, F_OK), -1);
    assert_ok(file_read(path, test_out(), test_error()));
    assert_string_equal(test_written(), "old");
    assert_ok(filewriter_open(&w, "/dev/full", test_error()));
    filewriter_write(&w, "x", 1);
    assert_fails(filewriter_close(&w, true, test_error()), ERR_IO, "/dev/full: cannot write: No space left on device");
}

/* ---- files in the folder of the test */

static void write_text(const char *path, const char *text)
{
    FileWriter w;
    assert_ok(filewriter_open(&w, path, test_error()));
    filewriter_write(&w, text, strlen(text));
    assert_ok(filewriter_close(&w, true, test_error()));
}

static void assert_text(const char *path, const char *text)
{
    assert_ok(file_read(path, test_out(), test_error()));
    assert_string_equal(test_written(), text);
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode;
}

TEST(a_planted_link_at_the_temporary_name_is_not_followed)
{
    const char *victim = test_path("victim"), *path = test_path("out"), *fifo = test_path("out.tmp-lal01");
    write_text(victim, "mine");
    assert_int_equal(symlink(victim, test_path("out.tmp-lal00")), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    write_text(path, "new");
    assert_text(victim, "mine");
    assert_text(path, "new");
    assert_true(S_ISREG(mode_of(path)) && S_ISFIFO(mode_of(fifo)));
}

/* ---- other processes */

/* A process that does `work`, says so, and waits until it is killed or let go; then `end` gives its exit status. */
typedef struct Child {
    pid_t pid;
    int from, to; /* ends of pipes */
} Child;

static Child child_start(void (*work)(const char *), int (*end)(void), const char *path)
{
    int up[2], down[2];
    char byte = 'x';
    assert_int_equal(pipe(up) + pipe(down), 0);
    Child c = { .pid = fork(), .from = up[0], .to = down[1] };
    assert_true(c.pid >= 0);
    if (c.pid == 0) {
        close(down[1]);
        work(path);
        bool sent = write(up[1], &byte, 1) == 1 && read(down[0], &byte, 1) == 1;
        _exit(sent ? end() : 2);
    }
    close(up[1]);
    close(down[0]);
    assert_int_equal(read(c.from, &byte, 1), 1);
    return c;
}

/* Its exit status, or -1 after SIGKILL. */
static int child_end(const Child *c, bool kill_it)
{
    int status;
    if (kill_it) assert_int_equal(kill(c->pid, SIGKILL), 0);
    else assert_int_equal(write(c->to, "x", 1), 1);
    assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
    close(c->from);
    close(c->to);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int files_in_folder(void)
{
    int n = 0;
    DIR *dir = opendir(test_folder());
    assert_non_null(dir);
    for (struct dirent *x; (x = readdir(dir));) n += strcmp(x->d_name, ".") != 0 && strcmp(x->d_name, "..") != 0;
    closedir(dir);
    return n;
}

static FileWriter written[3];

static void begin_writing(const char *path)
{
    for (int k = 0; k < 3; k++) {
        filewriter_open(&written[k], path, NULL);
        filewriter_write(&written[k], "of the child", 12);
        fflush(written[k].f);
    }
}

static int end_writing(void)
{
    Status s = filewriter_close(&written[0], true, NULL);
    for (int k = 1; k < 3; k++) filewriter_close(&written[k], false, NULL);
    return s != OK;
}

TEST(what_a_killed_process_left_is_removed_by_the_next_writer)
{
    const char *path = test_path("out"), *other = test_path("out.tmp-lal0"), *more = test_path("out.tmp-lal000");
    write_text(path, "old");
    write_text(other, "of the user");
    write_text(more, "of the user");
    for (int k = 0; k < 3; k++) {
        Child c = child_start(begin_writing, end_writing, path);
        assert_int_equal(files_in_folder(), 6);
        assert_int_equal(child_end(&c, true), -1);
    }
    assert_int_equal(files_in_folder(), 6);
    assert_text(path, "old");
    write_text(path, "new");
    assert_int_equal(files_in_folder(), 3);
}

TEST(what_another_process_is_writing_stays)
{
    const char *path = test_path("out");
    Child c = child_start(begin_writing, end_writing, path);
    write_text(path, "of the parent");
    assert_int_equal(files_in_folder(), 4);
    assert_int_equal(child_end(&c, false), 0);
    assert_text(path, "of the child");
}

static Lock taken;

static void begin_lock(const char *path) { lock_take(&taken, path, NULL); }

static int end_lock(void)
{
    lock_release(&taken);
    return 0;
}

/* A lock that another process holds; after SIGKILL, and after it ended by itself, it is free. */
static void check_lock(const char *path, const char *same, int others)
{
    Lock l;
    char who[32];
    for (int end = 0; end < 2; end++) {
        Error e = { 0 };
        Child c = child_start(begin_lock, end_lock, path);
        snprintf(who, sizeof who, "process %ld on ", (long)c.pid);
        assert_int_equal(lock_take(&l, same, &e), ERR_IO);
        assert_string_equal(e.path, same);
        assert_non_null(strstr(e.message, who));
        assert_non_null(strstr(e.message, ", since 20"));
        assert_int_equal(child_end(&c, end == 0), end == 0 ? -1 : 0);
        assert_int_equal(files_in_folder(), others + (end == 0)); /* SIGKILL leaves the file, which locks nothing */
        assert_int_equal(lock_take(&l, same, &(Error){ 0 }), OK);
        assert_int_equal(files_in_folder(), others + 1);
        assert_int_equal(lock_take(&taken, path, &(Error){ 0 }), ERR_IO);
        lock_release(&l);
        assert_int_equal(files_in_folder(), others);
    }
}

TEST(a_lock_is_held_by_one_process_and_ends_with_it)
{
    Lock l;
    const char *path = test_path("model"), *link = test_path("link");
    check_lock(path, path, 0); /* a file that is not there */
    check_lock(test_folder(), test_folder(), 0);
    write_text(path, "x");
    assert_int_equal(symlink("model", link), 0);
    check_lock(path, link, 2);
    assert_int_equal(lock_take(&l, path, &(Error){ 0 }), OK);
    temporary_remove_all(); /* as a signal handler does */
    assert_int_equal(files_in_folder(), 2);
    lock_release(&l);
}

TEST(what_cannot_be_locked_is_written_without_a_lock)
{
    const char *const paths[] = { "/dev/null", "-", "/proc/self/fd/1", "/nowhere/at/all", "/proc/version" };
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        Lock l;
        assert_int_equal(lock_take(&l, paths[k], &(Error){ 0 }), OK);
        assert_int_equal(l.place, 0);
        lock_release(&l);
    }
}

/* Takes the lock and writes the file again and again; the status is 0 if nobody else had the lock meanwhile. */
static int compete(const char *path, const char *witness)
{
    int had = 0;
    for (int k = 0; k < 3000 || !had; k++) {
        Lock l;
        FileWriter w;
        if (k % 300 == 0 && (filewriter_open(&w, path, NULL) != OK || filewriter_close(&w, true, NULL) != OK)) return 1;
        if (lock_take(&l, path, NULL) != OK) continue;
        int fd = open(witness, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (fd < 0 || close(fd) != 0 || unlink(witness) != 0) return 1;
        lock_release(&l);
        had++;
    }
    return 0;
}

TEST(processes_that_compete_never_have_a_lock_or_a_temporary_file_together)
{
    enum { N = 4 };
    const char *path = test_path("out"), *witness = test_path("witness");
    pid_t pid[N];
    for (int k = 0; k < N; k++)
        if ((pid[k] = fork()) == 0) _exit(compete(path, witness));
    for (int k = 0; k < N; k++) {
        int status = -1;
        assert_int_equal(waitpid(pid[k], &status, 0), pid[k]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(files_in_folder(), 1);
}

TEST(two_writers_of_one_file_do_not_interfere)
{
    FileWriter a, b;
    const char *path = test_path("out");
    assert_ok(filewriter_open(&a, path, test_error()));
    assert_ok(filewriter_open(&b, path, test_error()));
    assert_string_not_equal(a.temporary, b.temporary);
    filewriter_write(&a, "first", 5);
    filewriter_write(&b, "second", 6);
    assert_ok(filewriter_close(&b, true, test_error()));
    assert_text(path, "second");
    assert_ok(filewriter_close(&a, true, test_error()));
    assert_text(path, "first");
}

TEST(permissions_stay_those_of_the_file_replaced)
{
    const char *path = test_path("out"), *fresh = test_path("fresh");
    mode_t mask = umask(027);
    write_text(path, "old");
    assert_int_equal(mode_of(path) & 0777, 0640);
    assert_int_equal(chmod(path, 0604), 0);
    write_text(path, "new");
    assert_int_equal(mode_of(path) & 0777, 0604);
    umask(0);
    write_text(fresh, "x");
    assert_int_equal(mode_of(fresh) & 0777, 0666);
    umask(mask);
}

TEST(a_link_given_as_output_is_written_through)
{
    FileWriter w;
    const char *target = test_path("target"), *link = test_path("link"), *chain = test_path("chain"),
               *dangling = test_path("dangling"), *made = test_path("made");
    const char *loop = test_path("loop");
    write_text(target, "old");
    assert_int_equal(symlink("target", link), 0);
    assert_int_equal(symlink(link, chain), 0);
    write_text(chain, "new");
    assert_text(target, "new");
    assert_true(S_ISLNK(mode_of(link)) && S_ISLNK(mode_of(chain)) && S_ISREG(mode_of(target)));
    assert_int_equal(symlink("made", dangling), 0);
    write_text(dangling, "x");
    assert_text(made, "x");
    assert_true(S_ISLNK(mode_of(dangling)));
    assert_int_equal(symlink("loop", loop), 0);
    assert_int_equal(filewriter_open(&w, loop, test_error()), ERR_IO);
}

TEST(devices_and_pipes_are_written_in_place)
{
    char back[8] = { 0 };
    const char *null = test_path("null"), *fifo = test_path("fifo");
    assert_int_equal(symlink("/dev/null", null), 0);
    write_text(null, "x");
    assert_true(S_ISLNK(mode_of(null)) && S_ISCHR(mode_of("/dev/null")));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    int fd = open(fifo, O_RDWR);
    assert_true(fd >= 0);
    write_text(fifo, "y");
    assert_int_equal(read(fd, back, sizeof back), 1);
    assert_string_equal(back, "y");
    assert_true(S_ISFIFO(mode_of(fifo)));
    close(fd);
}

TEST(paths_are_not_cut)
{
    enum { DEEP = 12, NAME = 60 };
    FREED(strbuf_fini) StrBuf path = { 0 };
    Error e = { 0 };
    FileWriter w;
    strbuf_puts(&path, test_folder());
    for (int k = 0; k < DEEP; k++) {
        strbuf_puts(&path, "/");
        for (int i = 0; i < NAME; i++) strbuf_putc(&path, 'x');
        assert_int_equal(mkdir(path.ptr, 0777), 0);
    }
    size_t folders = path.len;
    strbuf_putc(&path, '/');
    for (int i = 0; i < 255; i++) strbuf_putc(&path, 'f'); /* as long as a name may be */
    write_text(path.ptr, "deep");
    assert_text(path.ptr, "deep");
    assert_int_equal(unlink(path.ptr), 0);
    strbuf_putc(&path, 'f');
    assert_int_equal(filewriter_open(&w, path.ptr, &e), ERR_IO);
    assert_string_equal(e.message, "cannot write: File name too long");
    assert_int_equal(strncmp(e.path, "...", 3), 0); /* the message shows that the path is truncated */
    assert_string_equal(e.path + 3, path.ptr + path.len - (sizeof e.path - 4));
    for (int k = 0; k < DEEP; k++, folders -= NAME + 1) {
        path.ptr[folders] = 0;
        assert_int_equal(rmdir(path.ptr), 0);
    }
}

TEST(abandoned_writers_leave_no_file)
{
    FileWriter w[TEMPORARIES_MOST], more;
    const char *path = test_path("out");
    write_text(path, "old");
    for (int k = 0; k < TEMPORARIES_MOST; k++) {
        assert_ok(filewriter_open(&w[k], path, test_error()));
        filewriter_write(&w[k], "half", 4);
    }
    assert_fails_with(filewriter_open(&more, path, test_error()), ERR_LIMIT, test_format("%d files", TEMPORARIES_MOST));
    temporary_remove_all();
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(test_folder()), 0); /* nothing is left */
    assert_int_equal(mkdir(test_folder(), 0700), 0);
    for (int k = 0; k < TEMPORARIES_MOST; k++) filewriter_close(&w[k], false, NULL);
}

TEST(only_regular_files_are_read_where_a_file_is_needed)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    const char *fifo = test_path("fifo"), *link = test_path("link"), *file = test_path("file");
    const struct {
        const char *path, *message;
    } cases[] = { { fifo, "found a pipe, expected a regular file" },
                  { link, "found a device, expected a regular file" },
                  { test_folder(), "found a folder, expected a regular file" },
                  { "/dev/zero", "found a device, expected a regular file" },
                  { "/nonexistent", "cannot open: No such file or directory" } };
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(symlink("/dev/zero", link), 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FileMap m;
        const char *said = test_format("%s: %s", cases[k].path, cases[k].message);
        assert_fails(file_read(cases[k].path, &text, test_error()), ERR_IO, said);
        assert_fails(filemap_open(&m, cases[k].path, 0, test_error()), ERR_IO, said);
    }
    write_text(file, "twelve bytes");
    assert_ok(file_read_most(file, 12, &text, test_error()));
    assert_string_equal(text.ptr, "twelve bytes");
    assert_fails_with(file_read_most(file, 11, &text, test_error()), ERR_LIMIT,
                      ": found more than 11 bytes, expected at most that");
    strbuf_fini(&text);
    mem_fail_after(0);
    assert_int_equal(file_read(file, &text, &(Error){ 0 }), ERR_NOMEM);
    mem_fail_after(-1);
}

TEST(texts_come_through_pipes_and_end_where_they_are_no_text)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "a\nb\n", 4), 4);
    close(ends[1]);
    /* as a shell writes <(...) */
    assert_ok(file_read_text(test_format("/dev/fd/%d", ends[0]), &text, test_error()));
    assert_string_equal(text.ptr, "a\nb\n");
    close(ends[0]);
    assert_fails(file_read_text("/dev/zero", &text, test_error()), ERR_FORMAT,
                 "/dev/zero:1:1: found a NUL byte, expected text");
}

/* ---- a host program with a locale of its own */

static void check_numbers(void)
{
    static const Option real = { "x", OPT_REAL, 0, NULL, 0, 10, NULL, "" };
    double x = 0;
    FREED(strbuf_fini) StrBuf out = { 0 };
    assert_ok(option_set(&real, &x, "0.25", test_error()));
    assert_true(x == 0.25);
    assert_int_equal(option_set(&real, &x, "0,25", test_error()), ERR_USAGE);
    assert_int_equal(option_set(&real, &x, "10.5", &(Error){ 0 }), ERR_USAGE);
    strbuf_printf(&out, "%.2f %g ", 1234.5, 0.1);
    strbuf_fixed(&out, 1e12, 1);
    assert_string_equal(out.ptr, "1234.50 0.1 1000000000000.0");
    Error range = { 0 };
    error_set(&range, ERR_RANGE, "%.1f", 0.5);
    assert_string_equal(range.message, "0.5");
    cJSON *j;
    assert_ok(json_parse("[1.5e1, 0.25]", 13, &j, test_error()));
    assert_true(cJSON_GetArrayItem(j, 0)->valuedouble == 15 && cJSON_GetArrayItem(j, 1)->valuedouble == 0.25);
    char *text = json_print(j);
    assert_string_equal(text, "[15,0.25]");
    cJSON_free(text);
    cJSON_Delete(j);
}

TEST(numbers_have_a_point_in_every_locale)
{
    if (test_comma_locale()) {
        check_numbers();
        char text[8];
        snprintf(text, sizeof text, "%.1f", 0.5);
        assert_string_equal(text, "0,5"); /* the host's locale is unchanged */
    }
    setlocale(LC_ALL, "C");
    check_numbers();
}
