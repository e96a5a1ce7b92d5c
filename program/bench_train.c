/* The rate of training a new model of a preset. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/json_writer.h"
#include "base/thread.h"
#include "program/bench.h"
#include "parser/train/run/train.h"

/* An epoch, at whose end a model is written, has at least this many sentences. */
enum { EPOCH_SENTENCES = 20000 };

typedef struct Trained {
    double words, seconds; /* between the ends of two updates: without the start, or the time to write a model */
    int batch_size;        /* sentences of an update */
} Trained;

typedef struct Clock {
    double least, epoch_words; /* seconds to measure; words of an epoch */
    double from, epoch_from;   /* of the first report */
    Trained *out;
    GpuProfile *gpu;
    volatile sig_atomic_t stop;
} Clock;

/* Reports come between updates, when no other thread computes. */
static void on_event(void *context, const TrainEvent *event)
{
    Clock *c = context;
    double now = clock_seconds();
    if (event->kind == TRAIN_CHECKED) c->stop = 1;
    if (event->kind != TRAIN_PROGRESS || c->stop) return;
    if (c->from == 0) {
        if (c->gpu) device_cuda_profile(c->gpu);
        c->from = clock_seconds();
        c->epoch_from = event->progress.epoch;
        return;
    }
    c->out->seconds = now - c->from;
    c->out->words = (event->progress.epoch - c->epoch_from) * c->epoch_words;
    if (c->out->seconds < c->least) return;
    if (c->gpu) device_cuda_profile(NULL);
    c->gpu = NULL;
    c->stop = 1;
}

/* The sentences n times, in the arena; NULL when out of memory. */
static Corpus *repeated(const Corpus *corpus, int n, Arena *arena)
{
    Corpus *many = arena_alloc(arena, (size_t)n, sizeof *many);
    for (int k = 0; many && k < n; k++) many[k] = *corpus;
    return many;
}

static double words_of(const Corpus *corpus, int most)
{
    double words = 0;
    for (int k = 0; k < corpus->trees.n; k++)
        if (corpus->trees.s[k].n_words <= most) words += corpus->trees.s[k].n_words;
    return words;
}

/* Trains until the clock says stop, with the model, if one is written, in a folder that is removed. */
static Status train(TrainArgs *a, Clock *clock, Error *e)
{
    char folder[512], path[600];
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/lal-bench-XXXXXX", temporary && strlen(temporary) < 400 ? temporary : "/tmp");
    if (!mkdtemp(folder)) return error_set(e, ERR_IO, "%s: cannot be made", folder);
    snprintf(path, sizeof path, "%s/model", folder);
    a->out = path;
    a->observer = (TrainObserver){ on_event, clock };
    a->interrupted = &clock->stop;
    Error why = { 0 };
    Status s = trainer_run(a, &why);
    if (clock->gpu) device_cuda_profile(NULL);
    unlink(path);
    rmdir(folder);
    if (s != OK && s != ERR_INTERRUPTED) return error_set(e, s, "%s", why.message);
    if (clock->out->seconds > 0) return OK;
    return error_set(e, ERR_RANGE, "training ended before two updates could be measured");
}

/* Trains on the trees with their dependencies, repeated until they are enough sentences. gpu: what the GPU does in the
 * seconds that are measured; NULL: no profile. */
static Status train_for(const Bench *b, int threads, Trained *out, GpuProfile *gpu, Error *e)
{
    TrainArgs a = { .task = &TASK_PARSE, .n_threads = threads, .store = DT_F32 };
    EncoderOptions options;
    EncoderOrigin origin;
    Arena arena;
    Corpus corpus = { .rules = NULL };
    arena_init(&arena, 4096);
    *out = (Trained){ 0 };
    Status s = config_preset(b->preset, &a.model, &a.train, &options, &origin, &arena, e);
    if (s == OK) s = program_corpus(&corpus, b->train, b->train_deps, "bench", e);
    if (s == OK) {
        int times = 1 + EPOCH_SENTENCES / corpus.trees.n;
        a.options = &options;
        a.n_corpora = times;
        a.corpora = repeated(&corpus, times, &arena);
        Clock clock = { .least = b->seconds,
                        .epoch_words = times * words_of(&corpus, a.train.max_train_words),
                        .out = out,
                        .gpu = gpu };
        s = a.corpora ? train(&a, &clock, e) : error_set(e, ERR_NOMEM, "out of memory in the benchmark");
        out->batch_size = a.train.batch_size;
        corpus_fini(&corpus);
    }
    arena_fini(&arena);
    return s;
}

static Status measure(const Bench *b, int threads, Error *e)
{
    Trained trained, profiled;
    GpuProfile gpu;
    Status status = device_default()->start(threads, true, e);
    if (status == OK) status = train_for(b, threads, &trained, NULL, e);
    if (status == OK && bench_on_gpu()) status = train_for(b, threads, &profiled, &gpu, e);
    if (status != OK) return status;
    StrBuf line = bench_line(b);
    json_members(&line, "preset: %s, threads: %d, words_per_s: %.0f, words: %.0f, batch_size: %d, seconds: %.2f",
                 b->preset, threads, trained.words / trained.seconds, trained.words, trained.batch_size,
                 trained.seconds);
    if (bench_on_gpu()) bench_put_gpu(&line, &gpu, profiled.seconds);
    return bench_print(&line, e);
}

Status bench_train(Bench *bench, Error *error)
{
    if (bench->products != PARSE_BF16 && bench->products != PARSE_TF32) bench->products = PARSE_F32;
    Status status = bench_device(bench, error);
    for (int threads = 1; threads && status == OK; threads = threads < bench->threads ? bench->threads : 0)
        status = measure(bench, threads, error);
    return status;
}
