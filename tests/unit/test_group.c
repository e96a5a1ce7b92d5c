/* tests/unit/test_group.c: processes that train together, here threads of one: places, sums, blocks, lost ranks; on the
 * CPU, and on emulated GPUs with NCCL and without. */
#define _POSIX_C_SOURCE 200809L
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
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
                                     "OMPI_COMM_WORLD_LOCAL_RANK" };
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
        Error e = { 0 };
        set_environment(wrong[k][0]);
        assert_int_equal(group_place(&p, &e), ERR_USAGE);
        assert_string_equal(e.message, wrong[k][1]);
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

static int free_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&address, size) == 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
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
    assert_int_equal(many[0].status, ERR_CONFIG);
    char want[120];
    snprintf(want, sizeof want, "rank 2: found 2 ranks with numbers of %d bytes, expected 4 with %d", (int)sizeof(Real),
             (int)sizeof(Real));
    assert_string_equal(many[0].error.message, want);
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
