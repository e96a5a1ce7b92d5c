/* Processes that train together, here threads of one: places, sums, blocks, lost ranks; on the
 * CPU, and on emulated GPUs with NCCL and without. */
#define _POSIX_C_SOURCE 200809L
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/rng.h"
#include "tensor/cuda/gpu.h"
#include "tensor/group_link.h"
#include "tests/support/check.h"

/* tests/cuda/emulator.h; NULL in a build with CUDA=1. */
extern void emulator_nccl(bool found) __attribute__((weak));
extern long emulator_messages(void) __attribute__((weak));

static const char *const NAMES[] = { "RANK",
                                     "WORLD_SIZE",
                                     "MASTER_ADDR",
                                     "MASTER_PORT",
                                     "SLURM_PROCID",
                                     "SLURM_STEP_NUM_TASKS",
                                     "SLURM_STEP_NODELIST",
                                     "OMPI_COMM_WORLD_RANK",
                                     "OMPI_COMM_WORLD_SIZE",
                                     "LOCAL_RANK",
                                     "SLURM_LOCALID",
                                     "OMPI_COMM_WORLD_LOCAL_RANK",
                                     "TORCHELASTIC_RUN_ID",
                                     "SLURM_JOB_ID",
                                     "SLURM_STEP_ID",
                                     "PMIX_NAMESPACE" };
enum { N_NAMES = sizeof NAMES / sizeof *NAMES };

/* Sets the environment to "NAME=VALUE ...". */
static void set_environment(const char *text)
{
    char copy[256], *save;
    for (int k = 0; k < N_NAMES; k++) unsetenv(NAMES[k]);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *x = strtok_r(copy, " ", &save); x; x = strtok_r(NULL, " ", &save)) {
        char *value = strchr(x, '=');
        *value++ = '\0';
        setenv(x, value, 1);
    }
}

TEST(the_environment_says_the_place)
{
    static const struct {
        const char *environment;
        int rank, size;
        const char *host;
        int port, local;
    } rows[] = {
        { "", 0, 1, "", 0, 0 },
        { "RANK=3 WORLD_SIZE=4", 3, 4, "127.0.0.1", 29500, 0 },
        { "RANK=0 WORLD_SIZE=2 MASTER_ADDR=host7 MASTER_PORT=1234", 0, 2, "host7", 1234, 0 },
        { "SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=8 SLURM_STEP_NODELIST=node[07-09,12],x", 1, 8, "node07", 29500, 0 },
        { "SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 SLURM_STEP_NODELIST=a1,b2", 1, 2, "a1", 29500, 0 },
        { "SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 SLURM_STEP_NODELIST=a1 MASTER_ADDR=b SLURM_LOCALID=3", 1, 2, "b",
          29500, 3 },
        { "OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=8 MASTER_ADDR=::1 OMPI_COMM_WORLD_LOCAL_RANK=1", 5, 8, "::1",
          29500, 1 },
        { "RANK=5 WORLD_SIZE=8 MASTER_ADDR=::1 LOCAL_RANK=2", 5, 8, "::1", 29500, 2 },
        { "SLURM_PROCID=1", 0, 1, "", 0, 0 },
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        GroupPlace p = { .timeout = 7 };
        set_environment(rows[k].environment);
        assert_ok(group_place(&p, test_error()));
        assert_true(p.rank == rows[k].rank && p.size == rows[k].size && p.timeout == 7 && p.local == rows[k].local);
        if (p.size == 1) continue;
        assert_string_equal(p.host, rows[k].host);
        assert_int_equal(p.port, rows[k].port);
    }
    static const char *const runs[][2] = {
        { "RANK=0 WORLD_SIZE=2 TORCHELASTIC_RUN_ID=x7 PMIX_NAMESPACE=y", "x7" },
        { "SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 SLURM_JOB_ID=71 SLURM_STEP_ID=3", "71.3" },
        { "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=4711", "4711" },
        { "RANK=0 WORLD_SIZE=2 SLURM_JOB_ID=71", "" },
        { "TORCHELASTIC_RUN_ID=x7", "" },
    };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        GroupPlace p = { .timeout = 7 };
        set_environment(runs[k][0]);
        assert_ok(group_place(&p, test_error()));
        assert_string_equal(p.run, runs[k][1]);
    }
    static const char *const wrong[][2] = {
        { "RANK=0 WORLD_SIZE=3", "the environment variable WORLD_SIZE: found 3 processes, expected a power of two" },
        { "RANK=4 WORLD_SIZE=4", "the environment variable RANK: found '4', expected a number from 0 to 3" },
        { "RANK=x WORLD_SIZE=4", "the environment variable RANK: found 'x', expected a number from 0 to 3" },
        { "RANK=0 WORLD_SIZE=512",
          "the environment variable WORLD_SIZE: found '512', expected a number from 1 to 256" },
        { "RANK=0 WORLD_SIZE=2 MASTER_PORT=0",
          "the environment variable MASTER_PORT: found '0', expected a number from 1 to 65535" },
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        GroupPlace p = { .timeout = 1 };
        set_environment(wrong[k][0]);
        assert_fails(group_place(&p, test_error()), ERR_USAGE, wrong[k][1]);
    }
    set_environment("");
}

/* ---- ranks as threads */

typedef struct Rank Rank;
struct Rank {
    GroupPlace place;
    void (*run)(Rank *r, Group *g);
    const Device *device;
    size_t n;
    Real *x; /* [n] */
    Error error;
    Status status;
};

/* A socket that others cannot connect to yet; *port becomes that of it. */
static int bound(int *port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&address, size) == 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

static int free_port(void)
{
    int port;
    close(bound(&port));
    return port;
}

static void *start(void *context)
{
    Rank *r = context;
    Group *g;
    r->status = group_open(&g, &r->place, &r->error);
    if (r->status == OK) r->run(r, g);
    group_close(g, r->status != OK);
    return NULL;
}

static void run_ranks(Rank *r, int size, double timeout, void (*run)(Rank *r, Group *g))
{
    pthread_t thread[16];
    int port = free_port();
    for (int k = 0; k < size; k++) {
        r[k].place = (GroupPlace){ .rank = k,
                                   .size = r[k].place.size ? r[k].place.size : size,
                                   .host = "127.0.0.1",
                                   .port = port,
                                   .timeout = timeout };
        r[k].run = run;
        assert_int_equal(pthread_create(&thread[k], NULL, start, &r[k]), 0);
    }
    for (int k = 0; k < size; k++) pthread_join(thread[k], NULL);
}

static Real number(int rank, size_t i) { return (Real)(rng_normal(7 + (uint64_t)rank, i) * (i % 3 ? 1 : 1e6)); }

/* The sum over ranks [from, from + size) as a balanced tree. */
static Real tree(int from, int size, size_t i)
{
    return size == 1 ? number(from, i) : tree(from, size / 2, i) + tree(from + size / 2, size / 2, i);
}

/* The sum of x, in the memory of the device. */
static void add_on_device(Rank *r, Group *g)
{
    const Device *d = r->device;
    Real *x = device_zeros(d, r->n), *scratch = device_zeros(d, r->n / 2 + 1);
    r->status = d->upload(x, r->x, r->n * sizeof *x, &r->error);
    if (r->status == OK) r->status = group_sum(g, d, x, scratch, r->n, &r->error);
    if (r->status == OK) r->status = d->download(r->x, x, r->n * sizeof *x, &r->error);
    d->free(x);
    d->free(scratch);
}

static void add_up(Rank *r, Group *g)
{
    int seen[16] = { 0 };
    seen[group_rank(g)] = 100 + group_rank(g);
    add_on_device(r, g);
    if (r->status == OK) r->status = group_gather(g, seen, sizeof *seen, &r->error);
    for (int k = 0; k < group_size(g) && r->status == OK; k++)
        if (seen[k] != 100 + k) r->status = error_set(&r->error, ERR_RANGE, "block %d is wrong", k);
}

static void check_sums(const Device *d, int size, size_t n)
{
    Rank r[16] = { { .n = 0 } };
    for (int k = 0; k < size; k++) {
        r[k].device = d;
        r[k].n = n;
        r[k].x = mem_alloc(n, sizeof *r[k].x);
        for (size_t i = 0; i < n; i++) r[k].x[i] = number(k, i);
    }
    run_ranks(r, size, 20, add_up);
    for (int k = 0; k < size; k++) {
        if (r[k].status != OK) fail_msg("%s", r[k].error.message);
        assert_memory_equal(r[k].x, r[0].x, n * sizeof *r[k].x);
    }
    for (size_t i = 0; i<n; i += n> 1000 ? 97 : 1) assert_true(r[0].x[i] == tree(0, size, i));
    for (int k = 0; k < size; k++) mem_free(r[k].x);
}

TEST(sums_are_those_of_a_balanced_tree_on_every_rank)
{
    static const size_t sizes[] = { 1, 2, 3, 37, 200003 };
    for (int size = 1; size <= 16; size *= 2)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) check_sums(device_cpu(), size, sizes[s]);
}

/* Rank 1 does not add up, and stays for a while. */
static void add_alone(Rank *r, Group *g)
{
    Real x[3] = { 0 };
    GroupLink link = { 0 };
    r->x = x;
    if (r->place.rank == 0) add_on_device(r, g);
    else r->status = r->device->link(&link, g, &r->error);
    nanosleep(&(struct timespec){ .tv_nsec = 400000000 }, NULL);
    if (link.of) link.close(link.of, true);
}

TEST(gpus_add_up_by_nccl_or_through_the_host)
{
    const Device *d = NULL;
    if (!emulator_nccl) skip();
    assert_ok(DEVICE_KIND_CUDA.choose(0, &d, test_error()));
    for (int nccl = 0; nccl < 2; nccl++) {
        static const size_t sizes[] = { 1, 37, 20003 };
        long before = emulator_messages();
        emulator_nccl(nccl);
        for (int size = 2; size <= 8; size *= 2)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) check_sums(d, size, sizes[s]);
        assert_int_equal(emulator_messages() > before, nccl);
    }
    Rank silent[2] = { { .n = 3, .device = d }, { .n = 3, .device = d } };
    run_ranks(silent, 2, 0.2, add_alone);
    assert_int_equal(silent[0].status, ERR_IO);
    assert_string_equal(silent[0].error.message, "rank 0 lost rank 1 of 2: nothing came from it in time");
    emulator_nccl(false);
}

/* Rank 1 goes. */
static void leave(Rank *r, Group *g)
{
    int blocks[2] = { 0 };
    if (r->place.rank == 0) r->status = group_gather(g, blocks, sizeof *blocks, &r->error);
}

/* Rank 1 stays, and says nothing for a while. */
static void wait_long(Rank *r, Group *g)
{
    if (r->place.rank == 0) leave(r, g);
    else nanosleep(&(struct timespec){ .tv_nsec = 400000000 }, NULL);
}

TEST(a_lost_rank_is_named)
{
    Rank gone[2] = { { .n = 0 } }, silent[2] = { { .n = 0 } }, many[4] = { { .n = 0 } };
    run_ranks(gone, 2, 20, leave);
    assert_int_equal(gone[0].status, ERR_IO);
    assert_string_equal(gone[0].error.message, "rank 0 lost rank 1 of 2: it ended");
    run_ranks(silent, 2, 0.1, wait_long);
    assert_int_equal(silent[0].status, ERR_IO);
    assert_string_equal(silent[0].error.message, "rank 0 lost rank 1 of 2: nothing came from it in time");
    many[2].place.size = 2; /* the others expect 4: its rank is outside its own group's */
    run_ranks(many, 4, 0.3, leave);
    assert_int_equal(many[0].status, ERR_IO);
    assert_int_equal(many[2].status, ERR_CONFIG);
    const int bytes = sizeof(Real);
    assert_string_equal(many[0].error.message,
                        test_format("rank 0 of 4 waited for the others in vain; it refused 127.0.0.1: found rank 2 of "
                                    "2 with numbers of %d bytes, expected 4 with %d",
                                    bytes, bytes));
    assert_non_null(strstr(many[2].error.message, ": rank 0 refused rank 2: found rank 2 of 2 with numbers of"));
}

/* ---- who is no rank */

enum { HELLO_MOST = 512, HELLO_RANK = 8, HELLO_SIZE = 12, HELLO_REAL = 16, HELLO_RUN = 20 };

static int connect_to(int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                   .sin_port = htons((uint16_t)port) };
    for (int k = 0; k < 2000; k++) { /* until rank 0 listens */
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        assert_true(fd >= 0);
        assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ 20, 0 }, sizeof(struct timeval)),
                         0);
        if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
        close(fd);
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    }
    fail_msg("nobody listens");
    return -1;
}

static void say(int fd, const void *bytes, size_t n) { assert_int_equal(send(fd, bytes, n, MSG_NOSIGNAL), (ssize_t)n); }

static pthread_t begin(Rank *r, int rank, int size, int port, double timeout)
{
    pthread_t thread;
    r->place = (GroupPlace){ .rank = rank, .size = size, .host = "127.0.0.1", .port = port, .timeout = timeout };
    assert_int_equal(pthread_create(&thread, NULL, start, r), 0);
    return thread;
}

/* What rank 1 of a group says when it comes; its size. */
static size_t record_hello(int size, char hello[HELLO_MOST])
{
    int port, listener = bound(&port);
    Rank r = { .n = 0 };
    assert_int_equal(listen(listener, 1), 0);
    pthread_t thread = begin(&r, 1, size, port, 5);
    int fd = accept(listener, NULL, NULL);
    ssize_t n = recv(fd, hello, HELLO_MOST, 0);
    assert_true(n > HELLO_RUN);
    close(fd);
    close(listener);
    pthread_join(thread, NULL);
    assert_non_null(strstr(r.error.message, "another program may listen there"));
    return (size_t)n;
}

/* Says something as a stranger, and returns what it hears until the connection is closed. */
static const char *hears(int port, const void *bytes, size_t n, char heard[HELLO_MOST])
{
    int fd = connect_to(port);
    size_t len = 0;
    say(fd, bytes, n);
    shutdown(fd, SHUT_WR);
    memset(heard, 0, HELLO_MOST);
    for (ssize_t more = 1; more > 0; len += more > 0 ? (size_t)more : 0)
        more = recv(fd, heard + len, HELLO_MOST - 1 - len, 0);
    close(fd);
    return len > HELLO_RANK ? heard + HELLO_RANK : "";
}

/* Rank 0 of a group of two meets strangers, and then rank 1. */
TEST(strangers_are_refused)
{
    char hello[HELLO_MOST], heard[HELLO_MOST];
    size_t n = record_hello(2, hello);
    static const char *const others[] = { "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                                          "SSH-2.0-OpenSSH_9.2\r\n",
                                          "\x16\x03\x01\x02\x00\x01",
                                          "",
                                          "l",
                                          "lal grp",
                                          "lal grp1",
                                          "*1\r\n$4\r\nPING\r\n",
                                          "\xff\xfe\xfd" };
    static const struct {
        size_t at;
        int32_t number;
        const char *why;
    } rows[] = {
        { HELLO_RANK, -1, "found rank -1, expected one of 2" },
        { HELLO_RANK, 2, "found rank 2, expected one of 2" },
        { HELLO_RANK, 1 << 30, "found rank 1073741824, expected one of 2" },
        { HELLO_RANK, 0, "found rank 0 once more, expected each once" },
        { HELLO_SIZE, 4, "found rank 1 of 4 with numbers of" },
        { HELLO_SIZE, -2, "found rank 1 of -2 with numbers of" },
        { HELLO_REAL, 2, "found rank 1 of 2 with numbers of 2 bytes" },
        { HELLO_RUN, 0x21626d61, "found the run 'amb!', expected ''" },
    };
    Rank r[2] = { { .run = leave }, { .run = leave } };
    int port = free_port();
    pthread_t first = begin(&r[0], 0, 2, port, 20);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        assert_string_equal(hears(port, others[k], strlen(others[k]), heard), "");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char changed[HELLO_MOST];
        memcpy(changed, hello, n);
        memcpy(changed + rows[k].at, &rows[k].number, sizeof rows[k].number);
        const char *why = hears(port, changed, n, heard);
        if (strncmp(why, rows[k].why, strlen(rows[k].why)) != 0) fail_msg("'%s' in place of '%s'", why, rows[k].why);
        assert_string_equal(hears(port, changed, n - 1, heard), "it ended before all of its hello had come");
    }
    int reset = connect_to(port);
    setsockopt(reset, SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 }, sizeof(struct linger));
    close(reset);
    pthread_t second = begin(&r[1], 1, 2, port, 20);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert_string_equal(r[1].error.message, "");
    assert_string_equal(r[0].error.message, "rank 0 lost rank 1 of 2: it ended"); /* as leave does */
}

TEST(nobody_waits_for_those_who_say_nothing)
{
    enum { SILENT = 150 };
    Rank r[4] = { { .run = add_up }, { .run = add_up }, { .run = add_up }, { .run = add_up } };
    Real x[4][3] = { { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 } };
    pthread_t thread[4];
    int port = free_port(), fd[SILENT];
    for (int k = 0; k < 4; k++) {
        r[k].device = device_cpu();
        r[k].n = 3;
        r[k].x = x[k];
        thread[k] = begin(&r[k], k, 4, port, 20);
        for (int i = k * SILENT / 4; i < (k + 1) * SILENT / 4 && k < 3; i++) {
            fd[i] = connect_to(port);
            if (i % 3 == 0) say(fd[i], "lal grp2", 8); /* and no more */
        }
    }
    for (int k = 0; k < 4; k++) {
        pthread_join(thread[k], NULL);
        assert_string_equal(r[k].error.message, "");
        assert_true(x[k][0] == 4 && x[k][2] == 12);
    }
    for (int i = 0; i < SILENT * 3 / 4; i++) close(fd[i]);
}

TEST(a_trickle_has_two_seconds)
{
    char hello[HELLO_MOST];
    size_t n = record_hello(2, hello), at = 0;
    int port = free_port();
    Rank r = { .run = leave };
    pthread_t first = begin(&r, 0, 2, port, 3);
    int fd = connect_to(port);
    while (at < n && send(fd, hello + at, 1, MSG_NOSIGNAL) == 1) {
        at++;
        nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    }
    assert_true(at < n);
    close(fd);
    pthread_join(first, NULL);
    assert_string_equal(r.error.message, "rank 0 of 2 waited for the others in vain; it refused 127.0.0.1: its hello "
                                         "did not come within 2 seconds");
}

TEST(a_rank_that_went_may_come_again)
{
    char hello[HELLO_MOST], heard[HELLO_MOST];
    size_t n = record_hello(2, hello);
    int port = free_port();
    hello[HELLO_SIZE] = 4;
    Rank four[4] = { { .run = leave }, { .run = leave }, { .run = leave }, { .run = leave } };
    pthread_t thread[4];
    thread[0] = begin(&four[0], 0, 4, port, 20);
    int fd = connect_to(port);
    say(fd, hello, n);
    assert_true(recv(fd, heard, HELLO_RANK, MSG_WAITALL) == HELLO_RANK); /* it is welcome */
    assert_string_equal(hears(port, hello, n, heard), "found rank 1 once more, expected each once");
    close(fd);
    for (int k = 1; k < 4; k++) thread[k] = begin(&four[k], k, 4, port, 20);
    for (int k = 0; k < 4; k++) pthread_join(thread[k], NULL);
    for (int k = 1; k < 4; k++) assert_string_equal(four[k].error.message, "");
}

/* Listens in the place of rank 0, and says something; NULL: accepts nobody. */
static void check_answer(const char *says, const char *want)
{
    int port, listener = bound(&port), fd = -1;
    Rank r = { .run = leave };
    assert_int_equal(listen(listener, 4), 0);
    pthread_t thread = begin(&r, 1, 2, port, 0.3);
    if (says) {
        fd = accept(listener, NULL, NULL);
        say(fd, says, strlen(says));
        if (!says[0]) close(fd);
    }
    pthread_join(thread, NULL);
    if (says && says[0]) close(fd);
    close(listener);
    assert_int_equal(r.status, ERR_IO);
    assert_string_equal(r.error.message, test_format("127.0.0.1:%d: %s", port, want));
}

TEST(another_program_at_the_port_is_said)
{
    check_answer("HTTP/1.1 400 Bad Request\r\n\r\n", "found another program or version, expected rank 0 of 2");
    check_answer("SSH-2.0-OpenSSH_9.2\r\n", "found another program or version, expected rank 0 of 2");
    check_answer("", "another program may listen there: rank 1 lost rank 0 of 2: it ended");
    check_answer("lal", "another program may listen there: rank 1 lost rank 0 of 2: nothing came from it in time");
    check_answer("lal grp2", "another program may listen there: rank 1 lost rank 0 of 2: nothing came from it in time");
    check_answer(NULL, "another program may listen there: rank 1 lost rank 0 of 2: nothing came from it in time");
    int port, listener = bound(&port);
    Rank r = { .run = leave };
    assert_int_equal(listen(listener, 4), 0);
    pthread_join(begin(&r, 0, 2, port, 20), NULL);
    close(listener);
    assert_string_equal(r.error.message,
                        test_format("127.0.0.1:%d: rank 0 cannot listen: Address already in use", port));
}

TEST(a_group_needs_all_its_ranks)
{
    Rank r = { .place = { .size = 2 } };
    run_ranks(&r, 1, 0.1, leave);
    assert_int_equal(r.status, ERR_IO);
    assert_string_equal(r.error.message, "rank 0 of 2 waited for the others in vain");
    Group *g = NULL;
    Real x = 3;
    int block = 4;
    assert_ok(group_open(&g, &(GroupPlace){ .size = 1 }, test_error()));
    assert_null(g);
    assert_ok(group_sum(NULL, device_cpu(), &x, NULL, 1, test_error()));
    assert_ok(group_gather(NULL, &block, sizeof block, test_error()));
    assert_true(x == 3 && block == 4 && group_rank(NULL) == 0 && group_size(NULL) == 1);
}
