/* What the instructions of AMX do, in plain C, as Intel's manual (volume 2, TDPBUSD, TDPBF16PS and those of tiles)
 * defines it, and two of VNNI, by the names of immintrin.h, which is not included beside it. What the processor would
 * refuse fails an assertion, as does a configuration that is loaded before the last one is released. */
#pragma once

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef __AVX512VNNI__
#define __AVX512VNNI__ 1
#endif

enum { MODEL_TILES = 8, MODEL_ROWS = 16, MODEL_BYTES = 64 };

typedef struct ModelTile {
    int rows, bytes; /* of a row */
    uint8_t at[MODEL_ROWS][MODEL_BYTES];
} ModelTile;

/* Of a thread. */
typedef struct ModelTiles {
    bool configured;
    ModelTile tile[MODEL_TILES];
} ModelTiles;

static _Thread_local ModelTiles model;

static inline void _tile_loadconfig(const void *config)
{
    const uint8_t *c = config; /* palette, first row, 14 zeros, 16 times bytes in 16 bits, 16 times rows */
    assert(!model.configured && c[0] == 1 && c[1] == 0);
    for (int k = 2; k < 64; k++) assert((k >= 16 && k < 32) || (k >= 48 && k < 56) || c[k] == 0);
    memset(&model, 0, sizeof model);
    model.configured = true;
    for (int t = 0; t < MODEL_TILES; t++) {
        model.tile[t].bytes = c[16 + 2 * t] | c[17 + 2 * t] << 8;
        model.tile[t].rows = c[48 + t];
        assert(model.tile[t].bytes <= MODEL_BYTES && model.tile[t].rows <= MODEL_ROWS);
        assert((model.tile[t].bytes == 0) == (model.tile[t].rows == 0));
    }
}

static inline void _tile_release(void) { model.configured = false; }

static inline ModelTile *model_tile(int t)
{
    assert(model.configured && t >= 0 && t < MODEL_TILES && model.tile[t].rows > 0);
    return &model.tile[t];
}

static inline void _tile_zero(int t) { memset(model_tile(t)->at, 0, sizeof model.tile[t].at); }

static inline void _tile_loadd(int t, const void *base, ptrdiff_t stride)
{
    _tile_zero(t);
    for (int r = 0; r < model.tile[t].rows; r++)
        memcpy(model.tile[t].at[r], (const char *)base + r * stride, (size_t)model.tile[t].bytes);
}

static inline void _tile_stored(int t, void *base, ptrdiff_t stride)
{
    const ModelTile *tile = model_tile(t);
    for (int r = 0; r < tile->rows; r++) memcpy((char *)base + r * stride, tile->at[r], (size_t)tile->bytes);
}

/* The operands of a product: sums [rows, columns] += a [rows, k] b [k, columns]. */
static inline ModelTile *model_product(int sum, int a, int b)
{
    ModelTile *s = model_tile(sum), *x = model_tile(a), *y = model_tile(b);
    assert(s != x && s != y && x != y && s->bytes % 4 == 0 && x->bytes % 4 == 0);
    assert(s->rows == x->rows && s->bytes == y->bytes && x->bytes == 4 * y->rows);
    return s;
}

static inline void _tile_dpbusd(int sum, int a, int b)
{
    ModelTile *s = model_product(sum, a, b);
    for (int m = 0; m < s->rows; m++) {
        uint32_t row[MODEL_BYTES / 4];
        memcpy(row, s->at[m], sizeof row);
        for (int k = 0; k < model.tile[b].rows; k++)
            for (int n = 0; n < s->bytes / 4; n++)
                for (int i = 0; i < 4; i++)
                    row[n] += (uint32_t)(model.tile[a].at[m][4 * k + i] * (int8_t)model.tile[b].at[k][4 * n + i]);
        memcpy(s->at[m], row, sizeof row);
    }
}

/* A denormal number is a zero. */
static inline float model_flushed(float x) { return fabsf(x) < FLT_MIN ? copysignf(0, x) : x; }

static inline float model_bf16(const uint8_t *at)
{
    uint32_t bits = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 24;
    float x;
    memcpy(&x, &bits, sizeof x);
    return model_flushed(x);
}

/* The first and the second products of pairs have sums of their own, from zero, which are added to each other, then to
 * what was there. */
static inline void _tile_dpbf16ps(int sum, int a, int b)
{
    ModelTile *s = model_product(sum, a, b);
    for (int m = 0; m < s->rows; m++) {
        float row[MODEL_BYTES / 4], of[MODEL_BYTES / 2] = { 0 };
        memcpy(row, s->at[m], sizeof row);
        for (int k = 0; k < model.tile[b].rows; k++)
            for (int n = 0; n < s->bytes / 2; n++)
                of[n] = model_flushed(fmaf(model_bf16(&model.tile[a].at[m][4 * k + 2 * (n % 2)]),
                                           model_bf16(&model.tile[b].at[k][2 * n]), of[n]));
        for (int n = 0; n < s->bytes / 4; n++)
            row[n] = model_flushed(model_flushed(row[n]) + model_flushed(of[2 * n] + of[2 * n + 1]));
        memcpy(s->at[m], row, sizeof row);
    }
}

/* ---- vectors of 64 bytes */

typedef int32_t __m512i __attribute__((vector_size(64)));

static inline __m512i _mm512_set1_epi32(int x) { return (__m512i){ 0 } + x; }

static inline __m512i _mm512_dpbusd_epi32(__m512i sum, __m512i a, __m512i b)
{
    uint8_t x[64];
    int8_t y[64];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int n = 0; n < 16; n++)
        for (int i = 0; i < 4; i++) sum[n] += x[4 * n + i] * y[4 * n + i];
    return sum;
}

static inline __m512i _mm512_dpwssd_epi32(__m512i sum, __m512i a, __m512i b)
{
    int16_t x[32], y[32];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int n = 0; n < 16; n++) sum[n] += x[2 * n] * y[2 * n] + x[2 * n + 1] * y[2 * n + 1];
    return sum;
}
