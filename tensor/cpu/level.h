/* Levels of processors. The kernels in tensor/cpu/level/ are compiled once for each level, with the instructions
 * that its processors have, each of whose functions has a name of its own on each level (mk/levels.mk). The best one
 * that the processor has computes; LAL_CPU in the environment names another one. Results differ between levels by
 * rounding (docs/NUMERICS.md), and are the same bits on all processors of one level. */
#pragma once

#include "tensor/device.h"

struct SumTerm;
struct SumPair;

typedef struct CpuLevel {
    const char *name; /* as LAL_CPU has it: "x86-64-v3" */
    Device device;
    /* tensor/cpu/level/max_plus.h */
    void (*max_plus_pairs)(Real *a, const Real *const *x, const Real *const *y, int n, int from, int to);
    void (*max_plus_rows)(Real *a, const Real *x, Real plus, const Real *rows, int n, int width);
    /* tensor/cpu/level/sum_product.h */
    void (*sum_products)(double *m, double *e, const struct SumTerm *t, int n, int from, int to);
    double (*sum_exponentials)(double *y, const Real *x, double factor, int n, double *most);
    void (*sum_tiles)(double *y, const struct SumPair *pair, int n, int rows, int columns, int blocks);
    void (*sum_rows)(double *y, const double *x, ptrdiff_t row, ptrdiff_t column, const double *z, int rows, int inner,
                     int columns, int width);
    /* Tests call packed_product of each level here. */
    bool (*packed)(Real *y, int ldy, const Real *x, int ldx, int rows, const Weight *w, const Real *bias, bool relu);
} CpuLevel;

/* Level n, from 0, of those in this program that the processor has, the best one first; NULL: there are no more. */
const CpuLevel *cpu_level_at(int n);
/* The level in use, whose device is device_cpu(). */
const CpuLevel *cpu_level(void);
/* The processor has the instructions of level x86-64-v4-amx, and the system refused their registers. */
bool cpu_amx_refused(void);
