/* Loading a model and parsing with it. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/json_writer.h"
#include "base/thread.h"
#include "program/bench.h"
#include "parser/task/task.h"
#include "tensor/cpu/libraries.h"

Status bench_load(Bench *bench, Error *error)
{
    Model m;
    model_init(&m);
    Status status = bench_device(bench, error);
    double start = clock_seconds();
    if (status == OK) status = bench_model(bench, &m, error);
    double seconds = clock_seconds() - start;
    if (status == OK) {
        StrBuf line = bench_line(bench);
        json_members(&line, "seconds: %.4f, parameters: %ld", seconds, (long)params_total(&m.ps));
        status = bench_print(&line, error);
    }
    model_fini(&m);
    return status;
}

/* ---- one sentence at a time */

/* Parses each sentence of the text alone, and adds how long that took. */
static Status parse_each(const Bench *b, Parser *p, StrView text, BenchSample *seconds, Error *e)
{
    Document d;
    BenchWritten written = { .format = &OUTPUT_BRACKETS, .m = p->m };
    document_open_text(&d, text, b->text, bench_document(b, p->m));
    Status status = document_next(&d, e);
    for (; status == OK && d.n; status = document_next(&d, e))
        for (int k = 0; k < d.n && status == OK; k++) {
            double start = clock_seconds();
            status = parser_run(p, &d.in[k], 1, NULL, NULL, e);
            if (status == OK) status = bench_write(&written, p->result, e);
            if (status == OK) status = bench_sample_add(seconds, clock_seconds() - start, e);
            strbuf_clear(&written.out);
        }
    strbuf_fini(&written.out);
    document_close(&d);
    return status;
}

Status bench_sentence(Bench *bench, Error *error)
{
    BenchInput input;
    Parser p = { .m = NULL };
    BenchSample times = { 0 };
    Status status = bench_input_open(&input, bench, error);
    StrView text = { input.text.ptr, input.text.len };
    if (status == OK) status = parser_init(&p, &input.m, device_default(), 1, error);
    if (status == OK) status = parse_each(bench, &p, text, &times, error); /* warm */
    if (status == OK && times.n == 0) status = error_at(error, ERR_RANGE, bench->text, 0, 0, "found no sentence");
    times.n = 0;
    double start = clock_seconds();
    while (status == OK && (times.n == 0 || clock_seconds() - start < bench->seconds))
        status = parse_each(bench, &p, text, &times, error);
    if (status == OK) {
        StrBuf line = bench_line(bench);
        bench_put_times(&line, &times);
        json_long(&line, "sentences", times.n);
        status = bench_print(&line, error);
    }
    mem_free(times.value);
    parser_fini(&p);
    bench_input_close(&input);
    return status;
}

/* ---- the whole text */

typedef struct Speed {
    BenchWritten written;
    double seconds;
    GemmProfile gemm; /* one thread on the CPU only */
    GpuProfile gpu;   /* on a GPU only, of one round more, since it takes time itself */
    double gpu_seconds;
} Speed;

static Status measure_rounds(const Bench *b, Parser *p, int threads, StrView text, Speed *speed, Error *e)
{
    BenchWritten *written = &speed->written;
    Status status = bench_parse(b, p, text, written, e); /* warm */
    written->words = written->sentences = 0;
    double start = clock_seconds();
    if (threads == 1 && !bench_on_gpu()) device_cpu_profile(&speed->gemm);
    do {
        if (status == OK) status = bench_parse(b, p, text, written, e);
        speed->seconds = clock_seconds() - start;
    } while (status == OK && speed->seconds < b->seconds);
    device_cpu_profile(NULL);
    if (status != OK || !bench_on_gpu()) return status;
    BenchWritten other = { .format = written->format };
    device_cuda_profile(&speed->gpu);
    start = clock_seconds();
    status = bench_parse(b, p, text, &other, e);
    speed->gpu_seconds = clock_seconds() - start;
    device_cuda_profile(NULL);
    strbuf_fini(&other.out);
    return status;
}

static Status put_speed(const Bench *b, int threads, const Speed *speed, Error *e)
{
    const BenchWritten *written = &speed->written;
    StrBuf line = bench_line(b);
    json_members(&line,
                 "threads: %d, words_per_s: %.0f, sentences_per_s: %.1f, words: %ld, sentences: %ld, seconds: %.2f",
                 threads, (double)written->words / speed->seconds, (double)written->sentences / speed->seconds,
                 written->words, written->sentences, speed->seconds);
    if (bench_on_gpu()) bench_put_gpu(&line, &speed->gpu, speed->gpu_seconds);
    else if (threads == 1)
        json_members(&line, "gemm_share: %.3f, gemm_gflops: %.1f", speed->gemm.seconds / speed->seconds,
                     speed->gemm.flops / speed->gemm.seconds / 1e9);
    return bench_print(&line, e);
}

/* With one thread and with b->threads. */
static Status measure_text(const Bench *b, const Model *m, StrView text, Error *e)
{
    Status status = OK;
    for (int threads = 1; threads && status == OK; threads = threads < b->threads ? b->threads : 0) {
        Parser p;
        Speed speed = { .written = { .format = &OUTPUT_BRACKETS } };
        status = parser_init(&p, m, device_default(), threads, e);
        if (status != OK) break;
        status = measure_rounds(b, &p, threads, text, &speed, e);
        if (status == OK) status = put_speed(b, threads, &speed, e);
        strbuf_fini(&speed.written.out);
        parser_fini(&p);
    }
    return status;
}

Status bench_shipped(Bench *bench, Error *error)
{
    BenchInput input;
    Status status = bench_input_open(&input, bench, error);
    if (status == OK) status = measure_text(bench, &input.m, (StrView){ input.text.ptr, input.text.len }, error);
    bench_input_close(&input);
    return status;
}

/* ---- the paper's configuration */

/* Random weights, with the vocabularies of another model. */
static Status paper_model(const Model *other, Model *m, Error *e)
{
    TrainConfig t;
    EncoderOrigin origin;
    Status s = config_preset("paper", &m->c, &t, &m->options, &origin, &m->strings, e);
    const Vocab *from[] = {
        &other->words, &other->tags, &other->labels, &other->types, &other->chars, &other->treebanks
    };
    Vocab *to[] = { &m->words, &m->tags, &m->labels, &m->types, &m->chars, &m->treebanks };
    for (int v = 0; v < 6 && s == OK; v++)
        for (int k = 0; k < vocab_size(from[v]) && s == OK; k++)
            if (vocab_count(to[v], vocab_text(from[v], k), strlen(vocab_text(from[v], k)), from[v]->counts[k]) < 0)
                s = error_set(e, ERR_NOMEM, "out of memory in the benchmark");
    if (s == OK) s = model_build(m, e);
    for (int k = 0; s == OK && k < m->ps.n; k++) {
        const Param *p = &m->ps.p[k];
        if (strstr(p->name, ".a_2")) param_init_constant(&m->ps, k, 1);
        else param_init_uniform(&m->ps, k, p->n_dims == 1 ? 0.01 : 1.7 / sqrt((double)p->rows), 1);
    }
    if (s == OK) s = params_upload(&m->ps, device_default(), e);
    return s == OK ? params_constant(&m->ps, device_default(), e) : s;
}

Status bench_paper(Bench *bench, Error *error)
{
    BenchInput input;
    Model paper;
    model_init(&paper);
    Status status = bench_input_open(&input, bench, error);
    if (status == OK) status = paper_model(&input.m, &paper, error);
    if (status == OK) status = measure_text(bench, &paper, (StrView){ input.text.ptr, input.text.len }, error);
    bench_input_close(&input);
    model_fini(&paper);
    return status;
}
