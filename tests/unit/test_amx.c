/* The level of AMX: its instructions in plain C (tests/support/amx_model.h), by which test_packed and test_bfloat
 * compute on every x86-64; and how a thread comes to tiles and leaves them, where the processor has them. */
#include <pthread.h>

#include "tensor/cpu/level.h"
#include "tests/support/check.h"

#ifdef __x86_64__
#include "tests/support/amx_model.h"

/* Tiles 0, 1 and 2 for sums [rows, 2] of a [rows, groups] and b. */
static void shape(int rows, int groups)
{
    uint8_t config[64] = { 1 };
    config[16] = config[20] = 8;
    config[18] = (uint8_t)(4 * groups);
    config[48] = config[49] = (uint8_t)rows;
    config[50] = (uint8_t)groups;
    _tile_loadconfig(config);
}

TEST(rows_of_tiles_are_as_long_as_the_configuration_says)
{
    uint8_t from[MODEL_ROWS * MODEL_BYTES], to[MODEL_ROWS * MODEL_BYTES] = { 0 };
    for (size_t k = 0; k < sizeof from; k++) from[k] = (uint8_t)(k % 251);
    shape(3, 5);
    _tile_loadd(1, from, 32);
    _tile_stored(1, to, 64);
    _tile_release();
    for (int r = 0; r < MODEL_ROWS; r++)
        for (int c = 0; c < MODEL_BYTES; c++) assert_int_equal(to[r * 64 + c], r < 3 && c < 20 ? from[r * 32 + c] : 0);
}

TEST(bytes_of_a_have_no_sign_and_those_of_b_have_one)
{
    const uint8_t a[2][8] = { { 255, 255, 255, 255, 1, 2, 3, 4 }, { 0, 0, 0, 200, 0, 0, 0, 0 } };
    const int8_t b[2][8] = { { -128, -128, -128, -128, 127, 0, 0, -1 }, { 1, 1, 1, 1, 0, 0, 0, 5 } };
    int32_t sum[2][2] = { { 7, 0 }, { 0, 0 } };
    shape(2, 2);
    _tile_loadd(0, sum, 8);
    _tile_loadd(1, a, 8);
    _tile_loadd(2, b, 8);
    _tile_dpbusd(0, 1, 2);
    _tile_stored(0, sum, 8);
    _tile_release();
    assert_int_equal(sum[0][0], 7 - 4 * 255 * 128 + 10);
    assert_int_equal(sum[0][1], 255 * 127 - 255 + 20);
    assert_int_equal(sum[1][0], -200 * 128);
    assert_int_equal(sum[1][1], -200);
}

/* The upper halves of numbers in float. */
static uint16_t half(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)(bits >> 16);
}

TEST(pairs_of_bfloat_have_two_sums_without_denormals)
{
    const uint16_t a[1][4] = { { half(1), half(0x1p-24F), half(1), half(0x1p-24F) } },
                   b[2][4] = { { half(1), half(1), half(0x1p-130F), half(0x1p-127F) }, { half(0), half(1), 0, 0 } };
    float sum[1][2] = { { 0, 0x1p-130F } };
    shape(1, 2);
    _tile_loadd(0, sum, 8);
    _tile_loadd(1, a, 8);
    _tile_loadd(2, b, 8);
    _tile_dpbf16ps(0, 1, 2);
    _tile_stored(0, sum, 8);
    _tile_release();
    assert_true(sum[0][0] == 1 + 0x1p-23F); /* 1 + 2^-24, twice, is 1 */
    assert_true(sum[0][1] == 0);
}
#endif

#ifndef LAL_REAL_DOUBLE
/* ---- what needs the processor */

enum { K = 96, N = 80, ROWS = 50 };
static Real x[ROWS * K], y[ROWS * N];

/* A product in bytes; has the thread no tiles after it? False on other levels. */
static bool computes(const CpuLevel *level)
{
    if (strcmp(level->name, "x86-64-v4-amx") != 0) return false;
    bool ok = false;
    int number;
    ParamSet ps;
    Tape t;
    params_init(&ps);
    tape_init(&t, &level->device);
    if (params_add(&ps, "w", 2, (int[]){ K, N }, &number, NULL) == OK && params_finish(&ps, NULL) == OK) {
        param_init_normal(&ps, 0, 1, 3);
        ok = params_constant(&ps, &level->device, NULL) == OK;
    }
    tape_reset(&t, false, false, 0);
    for (int k = 0; k < ROWS * K; k++) x[k] = (Real)(k % 17);
    ok = ok && level->device.set_products(PRODUCTS_INT8, NULL) == OK &&
         level->packed(y, N, x, K, ROWS, param_tensor(&t, &ps, 0, NULL)->weight, NULL, false);
#ifdef __x86_64__
    unsigned low, high; /* of the parts of its state that a thread uses */
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    ok = ok && (low & 3U << 17) == 0;
#endif
    tape_fini(&t);
    params_fini(&ps);
    return ok;
}

static pthread_mutex_t before = PTHREAD_MUTEX_INITIALIZER;

static void *in_thread(void *ok)
{
    pthread_mutex_lock(&before);
    pthread_mutex_unlock(&before);
    *(bool *)ok = computes(cpu_level_at(0));
    return NULL;
}

TEST(a_thread_that_was_there_before_multiplies_by_tiles_and_leaves_none)
{
    pthread_t thread;
    bool ok = false;
    pthread_mutex_lock(&before);
    assert_int_equal(pthread_create(&thread, NULL, in_thread, &ok), 0);
    const CpuLevel *level = cpu_level_at(0); /* asks for the tiles */
    pthread_mutex_unlock(&before);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (strcmp(level->name, "x86-64-v4-amx") != 0) {
        print_message("skipped: the level is %s%s\n", level->name, cpu_amx_refused() ? ", tiles were refused" : "");
        skip();
    }
    assert_true(ok && computes(level));
}
#endif
