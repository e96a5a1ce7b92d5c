/* parser/program/bench_train.h: the rate of training of lal bench. */
#pragma once

#include "base/error.h"
#include "tensor/cuda/gpu.h"
#include "tensor/device.h"

/* What is trained: a new model of a preset, on trees with their dependencies as program_corpus reads them, which are
 * repeated until they are enough sentences. */
typedef struct BenchTrain {
    const char *preset, *trees, *deps;
    int threads;
    double seconds; /* least duration */
} BenchTrain;

typedef struct BenchTrained {
    double words, seconds; /* between the ends of two updates: without the start, or the time to write a model */
    int batch_size;        /* sentences of an update */
} BenchTrained;

/* Trains on device_default(), which is started. gpu: what the GPU does in these seconds; NULL: no profile. Errors of
 * config_preset, program_corpus, trainer_run. */
Status bench_train(const BenchTrain *b, BenchTrained *out, GpuProfile *gpu, Error *e);
