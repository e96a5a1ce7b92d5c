/* The emulator of the tests finds each kind of fault, and plays what is right. */
#include "tests/cuda/emulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cuda/emulator_parts.h"
#include "tests/support/test.h"

#define RUN(kernel, blocks, threads, shared, ...) CUDA_RUN(kernel, blocks, threads, shared, NULL, __VA_ARGS__)

constexpr int N = 64;
constexpr uint64_t SEEDS = 5;

/* Numbers of the device that are downloaded at the end. */
template <typename T> static T *device_numbers(int n)
{
    void *p = NULL;
    assert_int_equal(cudaMalloc(&p, (size_t)n * sizeof(T)), cudaSuccess);
    return (T *)p;
}

template <typename T> static void take(T *to, T *from, int n)
{
    assert_int_equal(cudaMemcpyAsync(to, from, (size_t)n * sizeof(T), cudaMemcpyDeviceToHost, NULL), cudaSuccess);
    assert_int_equal(cudaFree(from), cudaSuccess);
}

/* Runs `fault` in a process of its own, which must end with this message, and, if the emulator finds the fault, with
 * its status. */
static void stops(void (*fault)(), const char *message, bool by_emulator)
{
    int ends[2], status;
    char said[8000] = "";
    size_t n = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        fault();
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got; n + 1 < sizeof said && (got = read(ends[0], said + n, sizeof said - 1 - n)) > 0;)
        n += (size_t)got;
    close(ends[0]);
    said[n] = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!strstr(said, message)) fail_msg("found '%s', expected '%s'", said, message);
    assert_true(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
    if (by_emulator) assert_true(WIFEXITED(status) && WEXITSTATUS(status) == EMULATOR_STATUS);
}

/* ---- barriers */

/* y = x reversed, through shared memory. */
static void reverse(int *y, const int *x, bool with_barrier)
{
    int *s = (int *)CUDA_SHARED_BYTES;
    s[threadIdx.x] = x[threadIdx.x];
    if (with_barrier) __syncthreads();
    y[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

/* How many of the seeds give a wrong result. */
static int wrong_results(bool with_barrier)
{
    int wrong = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        int x[N], y[N], different = 0;
        int *dx = device_numbers<int>(N), *dy = device_numbers<int>(N);
        for (int k = 0; k < N; k++) x[k] = k;
        cudaMemcpyAsync(dx, x, sizeof x, cudaMemcpyHostToDevice, NULL);
        emulator_seed(seed);
        RUN(reverse, 1, N, N * sizeof(int), dy, dx, with_barrier);
        take(y, dy, N);
        for (int k = 0; k < N; k++) different += y[k] != N - 1 - k;
        wrong += different > 0;
        assert_int_equal(cudaFree(dx), cudaSuccess);
    }
    emulator_seed(1);
    return wrong;
}

TEST(a_missing_barrier_shows)
{
    assert_int_equal(wrong_results(true), 0);
    assert_true(wrong_results(false) > 0);
}

/* The last thread to run wins: the result depends on the order alone. */
static void race(int *y) { *y = (int)threadIdx.x; }
static void race_of_blocks(int *y) { *y = (int)(blockIdx.x + gridDim.x * blockIdx.y); }

TEST(the_order_depends_on_the_seed)
{
    for (int of_blocks = 0; of_blocks < 2; of_blocks++) {
        int found[SEEDS], different = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            int *y = device_numbers<int>(1);
            emulator_seed(seed);
            if (of_blocks) RUN(race_of_blocks, dim3(N / 4, 4), 1, 0, y);
            else RUN(race, 1, N, 0, y);
            take(&found[seed], y, 1);
            different += found[seed] != found[0];
        }
        assert_int_equal(found[0], N - 1); /* by number */
        assert_true(different > 0);
    }
    emulator_seed(1);
}

/* Each thread of each block runs once. */
static void counts(int *y) { y[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x]++; }

TEST(every_block_runs_once)
{
    for (unsigned n = 1; n < 8; n++) {
        const int blocks = (int)(n * 3 * (n + 1));
        int y[200] = {}, *d = device_numbers<int>(200);
        cudaMemcpyAsync(d, y, sizeof y, cudaMemcpyHostToDevice, NULL);
        RUN(counts, dim3(n, 3, n + 1), 5, 0, d);
        take(y, d, 200);
        for (int k = 0; k < 200; k++) assert_int_equal(y[k], k < blocks ? 5 : 0);
    }
}

static void half_waits(int *y)
{
    if (threadIdx.x < N / 2) __syncthreads();
    y[threadIdx.x] = 0;
}

static void other_barrier(int *y)
{
    if (threadIdx.x < N / 2) __syncthreads();
    else __syncthreads();
    y[threadIdx.x] = 0;
}

static void divergent_barrier()
{
    emulator_seed(0); /* block (0, 0, 0) runs first */
    RUN(half_waits, dim3(3, 2), N, 0, device_numbers<int>(N));
}
static void barriers_at_two_lines() { RUN(other_barrier, 1, N, 0, device_numbers<int>(N)); }

TEST(a_barrier_that_not_all_threads_reach_ends_the_program)
{
    stops(divergent_barrier, "half_waits: block (0, 0, 0): thread 0 waits at the barrier tests/cuda/test_emulator.cpp",
          true);
    stops(divergent_barrier, "thread 32 has ended", true);
    stops(barriers_at_two_lines, "other_barrier: block (0, 0, 0): thread 0 waits at the barrier", true);
}

/* ---- warps */

static void sums(int *y)
{
    int x = (int)threadIdx.x;
    for (int by = 16; by > 0; by /= 2) x += __shfl_xor_sync(0xffffffffu, x, by);
    y[threadIdx.x] = x;
    y[blockDim.x + threadIdx.x] = __shfl_down_sync(0xffffffffu, (int)threadIdx.x, 1u);
    y[2 * blockDim.x + threadIdx.x] = (int)__ballot_sync(0xffffffffu, threadIdx.x % 3 == 0);
    if (threadIdx.x % 32 < 16) x = __shfl_sync(0xffffu, (int)threadIdx.x, 5);
    else x = __shfl_up_sync(0xffff0000u, (int)threadIdx.x, 3u);
    y[3 * blockDim.x + threadIdx.x] = x;
}

TEST(lanes_exchange_numbers)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        int y[4][N], *d = device_numbers<int>(4 * N);
        emulator_seed(seed);
        RUN(sums, 1, N, 0, d);
        take(&y[0][0], d, 4 * N);
        for (int k = 0; k < N; k++) {
            int lane = k % 32, warp = k - lane, thirds = 0;
            for (int l = 0; l < 32; l++) thirds |= (int)((unsigned)((warp + l) % 3 == 0) << l);
            assert_int_equal(y[0][k], 32 * warp + 31 * 16);
            assert_int_equal(y[1][k], lane < 31 ? k + 1 : k);
            assert_int_equal(y[2][k], thirds);
            if (lane < 16) assert_int_equal(y[3][k], warp + 5);
            else assert_int_equal(y[3][k], lane < 19 ? -1 : k - 3); /* of a lane that takes no part: poison */
        }
    }
    emulator_seed(1);
}

static void half_exchanges(int *y)
{
    if (threadIdx.x % 32 < 16) y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1, 1);
}
static void exchange_of_a_half() { RUN(half_exchanges, 1, N, 0, device_numbers<int>(N)); }
static void exchange_of_too_few() { RUN(sums, 1, 20, 0, device_numbers<int>(4 * N)); }

TEST(an_exchange_without_all_its_lanes_ends_the_program)
{
    stops(exchange_of_a_half, "half_exchanges: block (0, 0, 0): thread 0 waits for the lanes ffffffff", true);
    stops(exchange_of_too_few, "sums: lane", true);
}

/* ---- memory */

static void reads_what_is_not_written(float *y)
{
    const float *s = (const float *)CUDA_SHARED_BYTES;
    y[threadIdx.x] = s[threadIdx.x] + 1;
}

static void adds_one(float *y, const float *x) { y[threadIdx.x] = x[threadIdx.x] + 1; }

TEST(memory_that_was_not_written_is_no_number)
{
    float y[N];
    for (int of_device = 0; of_device < 2; of_device++) {
        float *d = device_numbers<float>(N), *x = device_numbers<float>(N);
        if (of_device) RUN(adds_one, 1, N, 0, d, x);
        else RUN(reads_what_is_not_written, 1, N, N * sizeof(float), d);
        take(y, d, N);
        for (int k = 0; k < N; k++) assert_true(isnan(y[k]));
    }
}

/* A block does not see what another one left in shared memory. */
static void counts_blocks(float *y)
{
    float *s = (float *)CUDA_SHARED_BYTES;
    y[blockIdx.x] = *s;
    *s = 1;
}

TEST(each_block_has_shared_memory_of_its_own)
{
    float y[3], *d = device_numbers<float>(3);
    RUN(counts_blocks, 3, 1, sizeof(float), d);
    take(y, d, 3);
    for (int k = 0; k < 3; k++) assert_true(isnan(y[k]));
}

static void writes_beyond_shared(float *y, int beyond)
{
    float *s = (float *)CUDA_SHARED_BYTES;
    s[(int)threadIdx.x + beyond] = 1;
    y[threadIdx.x] = s[threadIdx.x];
}

static void overrun() { RUN(writes_beyond_shared, 1, N, N * sizeof(float), device_numbers<float>(N), 1); }

TEST(an_overrun_of_shared_memory_ends_the_program)
{
#ifdef WITH_ASAN
    stops(overrun, "heap-buffer-overflow", false);
#else
    stops(overrun, "writes_beyond_shared: block (0, 0, 0) wrote beyond its 256 bytes of shared memory", true);
#endif
}

#ifdef WITH_ASAN
static void writes_beyond_local(float *y, int beyond)
{
    float s[4] = {}, *volatile p = s; /* volatile: so that only AddressSanitizer knows the bounds */
    __syncthreads();
    p[beyond] = 1;
    y[threadIdx.x] = *p;
}

static void overrun_after_a_barrier() { RUN(writes_beyond_local, 1, N, 0, device_numbers<float>(N), 4); }

TEST(the_bounds_of_variables_are_known_after_a_barrier)
{
    stops(overrun_after_a_barrier, "stack-buffer-overflow", false);
}
#endif

static void host_reads()
{
    volatile float x = *device_numbers<float>(4);
    (void)x;
}
static void host_writes() { *(volatile float *)device_numbers<float>(4) = 1; }
static void host_copies()
{
    float x[4] = {};
    memcpy(device_numbers<float>(4), x, sizeof x);
}

TEST(host_code_that_touches_the_memory_ends_the_program)
{
    stops(host_reads, "host code touched CUDA memory", true);
    stops(host_writes, "host code touched CUDA memory", true);
    stops(host_copies, "host code touched CUDA memory", true);
}

typedef struct Holder {
    int n;
    const float *x;
} Holder;
static void adds_held(float *y, Holder h) { y[threadIdx.x] = h.x[threadIdx.x] + (float)h.n; }

static const float host_numbers[N] = {};
static void host_pointer() { RUN(adds_one, 1, N, 0, device_numbers<float>(N), host_numbers); }
static void host_pointer_in_struct() { RUN(adds_held, 1, N, 0, device_numbers<float>(N), Holder{ 1, host_numbers }); }
static void stack_pointer_in_struct()
{
    float x[N] = {};
    RUN(adds_held, 1, N, 0, device_numbers<float>(N), Holder{ 1, x });
}
static void freed_pointer()
{
    float *x = device_numbers<float>(N);
    cudaFree(x);
    RUN(adds_one, 1, N, 0, device_numbers<float>(N), x);
}
static void freed_twice()
{
    float *x = device_numbers<float>(N);
    cudaFree(x);
    cudaFree(x);
}

TEST(pointers_to_other_memory_end_the_program)
{
    stops(host_pointer, "adds_one: an argument is not CUDA memory", true);
    stops(host_pointer_in_struct, "adds_held: an argument holds a pointer to host memory, at byte 8", true);
    stops(stack_pointer_in_struct, "adds_held: an argument holds a pointer to host memory, at byte 8", true);
    stops(freed_pointer, "adds_one: an argument is freed CUDA memory", true);
    stops(freed_twice, "cudaFree: freed what was not allocated", true);
}

TEST(pointers_in_structs_are_followed)
{
    float y[N], *d = device_numbers<float>(N), *x = device_numbers<float>(N);
    cudaMemcpyAsync(x, host_numbers, sizeof host_numbers, cudaMemcpyHostToDevice, NULL);
    RUN(adds_held, 1, N, 0, d, Holder{ 3, x });
    take(y, d, N);
    for (int k = 0; k < N; k++) assert_true(y[k] == 3);
}

/* ---- launches and copies */

static void nothing(int) {}

/* How a launch of `nothing` ends. */
static cudaError_t launched(dim3 blocks, dim3 threads, size_t shared)
{
    RUN(nothing, blocks, threads, shared, 0);
    return cudaGetLastError();
}

TEST(launches_that_cuda_refuses_fail)
{
    const void *kernel = (const void *)nothing;
    assert_int_equal(launched(1, 1024, 48 << 10), cudaSuccess);
    assert_int_equal(launched(0, N, 0), cudaErrorInvalidConfiguration);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    assert_int_equal(launched(dim3(1, 0), N, 0), cudaErrorInvalidConfiguration);
    assert_int_equal(launched(dim3(1, 65536), N, 0), cudaErrorInvalidConfiguration);
    assert_int_equal(launched(1, 0, 0), cudaErrorInvalidConfiguration);
    assert_int_equal(launched(1, dim3(32, 33), 0), cudaErrorInvalidConfiguration);
    assert_int_equal(launched(1, 1, (48 << 10) + 1), cudaErrorInvalidValue); /* more must be asked for */
    assert_int_equal(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10), cudaSuccess);
    assert_int_equal(launched(1, 1, 100 << 10), cudaSuccess);
    assert_int_equal(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
}

/* A stream, an event, a number in pinned memory and one of the device. */
struct Pinned {
    cudaStream_t stream;
    cudaEvent_t done;
    float *pinned, *d;
    Pinned() : d(device_numbers<float>(1))
    {
        assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
        assert_int_equal(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), cudaSuccess);
        assert_int_equal(cudaHostAlloc((void **)&pinned, sizeof *pinned, cudaHostAllocDefault), cudaSuccess);
    }
    ~Pinned()
    {
        cudaEventDestroy(done);
        cudaStreamDestroy(stream);
        cudaFreeHost(pinned);
        cudaFree(d);
    }
    void to_device(const float *from) { cudaMemcpyAsync(d, from, sizeof *d, cudaMemcpyHostToDevice, stream); }
    void to_host(float *to) { cudaMemcpyAsync(to, d, sizeof *d, cudaMemcpyDeviceToHost, stream); }
    void wait()
    {
        assert_int_equal(cudaEventRecord(done, stream), cudaSuccess);
        assert_int_equal(cudaEventSynchronize(done), cudaSuccess);
    }
};

TEST(copies_from_pinned_memory_are_done_late)
{
    Pinned p;
    float found;
    *p.pinned = 1;
    p.to_device(p.pinned);
    *p.pinned = 2; /* too early: the copy is not done */
    p.to_host(&found);
    assert_true(found == 2);
    p.to_device(p.pinned);
    p.wait();
    *p.pinned = 3;
    p.to_host(&found);
    assert_true(found == 2);
}

TEST(copies_to_pinned_memory_are_there_when_they_are_waited_for)
{
    Pinned p;
    float x = 5;
    p.to_device(&x);
    *p.pinned = 1;
    p.to_host(p.pinned);
    assert_true(isnan(*p.pinned)); /* too early */
    x = 6;
    p.to_device(&x); /* after it, in the order of the stream */
    assert_int_equal(cudaStreamSynchronize(p.stream), cudaSuccess);
    assert_true(*p.pinned == 5);
    p.to_host(p.pinned);
    p.wait();
    assert_true(*p.pinned == 6);
}

TEST(out_of_memory_is_an_error)
{
    void *p = NULL;
    emulator_memory(1 << 20);
    assert_int_equal(cudaMalloc(&p, (1 << 20) + 1), cudaErrorMemoryAllocation);
    assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
    assert_int_equal(cudaMalloc(&p, 1 << 19), cudaSuccess);
    cudaFree(p);
    emulator_memory((size_t)1 << 30);
}
