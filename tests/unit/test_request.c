/* What lal serve checks of a request before anything else, its password, and its log. */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "serve/http.h"
#include "serve/log.h"
#include "serve/password.h"
#include "tests/support/check.h"

/* ---- HTTP */

TEST(names_of_methods_and_headers)
{
    static const char *const good[] = { "GET", "x", "M-SEARCH", "a!#$%&'*+-.^_`|~9" };
    static const char *const bad[] = {
        "", " ", "A B", "A:", "A\t", "\x1b[m", "(A)", "A\"", "\xc3\xa9", "A\x7f", "A/B"
    };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) assert_true(http_is_token(good[k]));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) assert_false(http_is_token(bad[k]));
}

/* The status for headers NAME=VALUE that "|" separates. */
static int fault_of(const char *headers, const char *version)
{
    HttpFraming f = { 0 };
    const char *why;
    char text[256];
    snprintf(text, sizeof text, "%s", headers);
    for (char *at = text, *next; at && *at; at = next) {
        next = strchr(at, '|');
        if (next) *next++ = 0;
        char *value = strchr(at, '=');
        if (value) *value++ = 0;
        http_framing_add(&f, at, value);
    }
    int fault = http_framing_fault(&f, version, &why);
    assert_int_equal(fault == 0, *why == 0);
    return fault;
}

TEST(one_way_alone_to_read_where_a_request_ends)
{
    static const struct {
        const char *headers;
        int fault;
    } cases[] = {
        { "", 0 },
        { "Host=x|Content-Length=3", 0 },
        { "transfer-encoding=CHUNKED", 0 },
        { "X-Content-Length=3|Content-Type=x", 0 },
        { "Content-Length=3|content-length=3", 400 },
        { "Content-Length=3|Transfer-Encoding=chunked", 400 },
        { "Transfer-Encoding=chunked|Transfer-Encoding=chunked", 400 },
        { "Host=x|host=y", 400 },
        { "Transfer-Encoding =chunked", 400 },
        { "Transfer-Encoding\t=chunked", 400 },
        { "Transfer-Encodingchunked=", 400 },
        { "content-length3=", 400 },
        { "X: y", 400 },
        { "Transfer-Encoding=gzip", 501 },
        { "Transfer-Encoding=gzip, chunked", 501 },
        { "Transfer-Encoding", 501 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (fault_of(cases[k].headers, "HTTP/1.1") != cases[k].fault)
            fail_msg("'%s': found %d, expected %d", cases[k].headers, fault_of(cases[k].headers, "HTTP/1.1"),
                     cases[k].fault);
    assert_int_equal(fault_of("Transfer-Encoding=chunked", "HTTP/1.0"), 400);
    assert_int_equal(fault_of("Content-Length=3", "HTTP/1.0"), 0);
}

TEST(targets_of_both_forms)
{
    static const char *const cases[][2] = { { "/a/b", "/a/b" },           { "http://h:1/a", "/a" },
                                            { "HTTPS://h", "/" },         { "http://[::1]:2/", "/" },
                                            { "http:/a", "http:/a" },     { "*", "*" },
                                            { "ftp://h/a", "ftp://h/a" }, { "http://", "/" } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) assert_string_equal(http_path(cases[k][0]), cases[k][1]);
}

TEST(hosts_of_this_machine)
{
    static const char *const good[] = { "localhost",   "LocalHost:9000", "localhost.", "a.b.localhost",
                                        "127.0.0.1:1", "127.255.0.9",    "[::1]",      "[::1]:80" };
    static const char *const bad[] = { "",      ":",         "x",        "xlocalhost", "localhost.x", "127.0.0.1.x",
                                       "127.1", "0.0.0.0",   "10.0.0.1", "[::2]:80",   "[",           "[]",
                                       ".",     "[127.0.0.1" };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        if (!http_host_is_loopback(view(good[k]))) fail_msg("%s", good[k]);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        if (http_host_is_loopback(view(bad[k]))) fail_msg("%s", bad[k]);
}

/* ---- passwords */

TEST(passwords_of_headers)
{
    static const char *const good[] = { "Basic bWU6YTpi", "basic  bWU6YTpi", "BASIC bWU6YTpi=", "Basic bWU6YTpi " };
    static const char *const bad[] = { "",
                                       "Basic",
                                       "Basic ",
                                       "Digest bWU6YTpi",
                                       "Basic bWU6YTp",      /* me:a: */
                                       "Basic bWU6YTpiYg==", /* me:a:bb */
                                       "Basic bWU6YTpiAA==", /* me:a:b and a NUL */
                                       "Basic TWU6YTpi",     /* Me:a:b */
                                       "Basic bWU",          /* me */
                                       "Basic bWU6YTp\xff",
                                       "Basic bWU6YTpi x",
                                       "Basic bWU6YTpib" };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        if (!password_matches(good[k], "me", view("a:b"))) fail_msg("%s", good[k]);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        if (password_matches(bad[k], "me", view("a:b"))) fail_msg("%s", bad[k]);
    assert_false(password_matches(NULL, "me", view("a:b")));
    assert_true(password_matches("Basic bWU6", "me", view("")));
}

/* What password_read takes of these bytes, or its message. */
static const char *password_of(const char *bytes, size_t n, char text[200])
{
    char path[] = "/tmp/lal-test-XXXXXX";
    Error e = { 0 };
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    close(fd);
    Status s = password_read(path, "me", test_out(), &e);
    unlink(path);
    snprintf(text, 200, "%.199s", s == OK ? test_written() : e.message);
    return text;
}

TEST(passwords_of_files)
{
    char text[200];
    assert_string_equal(password_of(" a:b \r\nc", 8, text), " a:b ");
    assert_string_equal(password_of("\xef\xbb\xbfx", 4, text), "x");
    assert_string_equal(password_of("me", 2, text), "me");
    assert_string_equal(password_of("", 0, text), "found no line, expected a password");
    assert_string_equal(password_of("\r\nx", 3, text), "found an empty line, expected a password");
    assert_string_equal(password_of("a\0b", 3, text), "found a NUL byte, expected a password");
    assert_string_equal(password_of("me:x", 4, text), "found 'me:' before the password, expected the password alone");
}

/* ---- the log */

static void say_lost(StrBuf *out, long n) { strbuf_printf(out, "lost %ld\n", n); }

/* All of the pipe until its end. */
static void read_all(int fd, StrBuf *out)
{
    char part[4096];
    for (ssize_t n; (n = read(fd, part, sizeof part)) > 0;) strbuf_add(out, part, (size_t)n);
}

TEST(lines_of_a_log_that_nobody_reads_are_counted_and_the_count_is_said)
{
    enum { LINES = 4000, SIZE = 1000 };
    int ends[2];
    char line[SIZE + 1];
    FREED(strbuf_fini) StrBuf found = { 0 };
    assert_int_equal(pipe(ends), 0);
    Log *l = log_new(ends[1], say_lost, test_error());
    memset(line, 'x', SIZE);
    line[SIZE - 1] = '\n';
    line[SIZE] = 0;
    for (int k = 0; k < LINES; k++) log_add(l, (StrView){ line, SIZE }); /* waits for nobody */
    long lost = log_lost(l), whole = 0, said = 0, n;
    assert_in_range(lost, LINES - 2 * (LOG_MOST / SIZE) - 100, LINES - LOG_MOST / SIZE);
    while ((long)found.len < (LINES - lost) * SIZE) { /* its reader is back */
        char part[4096];
        ssize_t size = read(ends[0], part, sizeof part);
        assert_true(size > 0);
        strbuf_add(&found, part, (size_t)size);
    }
    log_add(l, (StrView){ "end\n", 4 });
    log_free(l, 10);
    close(ends[1]);
    read_all(ends[0], &found);
    close(ends[0]);
    StrView at = { found.ptr, found.len }, text;
    for (size_t k = 0; text_line(at, &k, &text);) {
        whole += text.len == SIZE - 1 && memcmp(text.ptr, line, SIZE - 1) == 0;
        if (sscanf(text.ptr, "lost %ld", &n) == 1) said += n;
    }
    assert_int_equal(whole, LINES - lost);
    assert_int_equal(said, lost);
    assert_string_equal(found.ptr + found.len - 5, "\nend\n");
}

TEST(a_log_ends_while_nobody_reads_it)
{
    int ends[2];
    char line[1000];
    assert_int_equal(pipe(ends), 0);
    Log *l = log_new(ends[1], say_lost, test_error());
    memset(line, '\n', sizeof line);
    for (int k = 0; k < 200; k++) log_add(l, (StrView){ line, sizeof line });
    log_free(l, 0);
    close(ends[0]);
    close(ends[1]);
    log_free(NULL, 0);
}

TEST(lines_that_cannot_be_written_are_counted)
{
    int fd = open("/dev/full", O_WRONLY);
    Log *l = log_new(fd, say_lost, test_error());
    log_add(l, (StrView){ "a\nb\n", 4 });
    while (log_lost(l) < 2) poll(NULL, 0, 1);
    log_add(l, (StrView){ "c\n", 2 });
    while (log_lost(l) < 3) poll(NULL, 0, 1);
    log_free(l, 10);
    close(fd);
}
