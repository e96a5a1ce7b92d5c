/* parser/program/cmd_bench.c: lal bench, a JSON object on each line. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/rng.h"
#include "base/thread.h"
#include "parser/lab/insight/fast/why.h"
#include "parser/model/model_file.h"
#include "parser/output/output.h"
#include "parser/parse/document.h"
#include "parser/program/bench_gpu.h"
#include "parser/program/bench_train.h"
#include "parser/program/program.h"
#include "tensor/cpu/libraries.h"
#include "tensor/cuda/gpu.h"

enum { ONLY_ALL, ONLY_LOAD, ONLY_SHIPPED, ONLY_WHY, ONLY_PAPER, ONLY_TRAIN, ONLY_DECODE, ONLY_SGEMM };

typedef struct Fields {
    const char *model, *text, *device, *preset, *train, *train_deps;
    RawTextFields raw;
    double seconds;
    int only, threads, products;
} Fields;

static const Option BENCH_OPTIONS[] = {
    { "model", OPT_STRING, offsetof(Fields, model), NULL, 0, 0, "MODEL",
      "model to measure (default: as for lal parse)" },
    { "text", OPT_STRING, offsetof(Fields, text), "examples/declaration.txt", 0, 0, "FILE",
      "raw text to parse; the default comes with the program" },
    RAW_TEXT_OPTIONS(Fields, raw),
    { "only", OPT_ENUM, offsetof(Fields, only), "all", 0, 0,
      "all|load|parse-shipped|why|parse-paper|train|decode|sgemm", "make one of the measurements" },
    { "seconds", OPT_REAL, offsetof(Fields, seconds), "3", 0.01, 3600, NULL, "least duration of each measurement" },
    { "threads", OPT_INT, offsetof(Fields, threads), "2", 1, 256, NULL,
      "measure parse-shipped, parse-paper and train with one thread and with N" },
    { "preset", OPT_STRING, offsetof(Fields, preset), "small", 0, 0, "NAME|FILE.json",
      "what train trains: a built-in preset, or a file" },
    { "train", OPT_STRING, offsetof(Fields, train), "examples/news.trees", 0, 0, "FILE",
      "trees that train repeats; the default comes with the program" },
    { "train_deps", OPT_STRING, offsetof(Fields, train_deps), "english.rules", 0, 0, "FILE",
      "their dependencies, or a table of head rules" },
    DEVICE_OPTION(Fields, device),
    { "products", OPT_ENUM, offsetof(Fields, products), "auto", 0, 0, PARSE_PRODUCTS_CHOICES,
      PARSE_PRODUCTS_ABOUT "; training in f32 unless they are bf16 or tf32" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static double peak_mib(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1024;
}

/* What a GPU does during a measurement, where one computes. */
static GpuProfile gpu;

static bool on_gpu(void) { return device_default() != device_cpu(); }

static StrBuf line_begin(const char *name)
{
    StrBuf out = { 0 };
    json_object(&out, NULL);
    json_string(&out, "name", name);
    return out;
}

static Status line_print(StrBuf *out, Error *e)
{
    json_object_end(out);
    strbuf_putc(out, '\n');
    Status s = program_print(out, e);
    strbuf_fini(out);
    return s;
}

/* ---- the rate of products, [500 x 1024] x [1024 x 2048], and of larger ones on a GPU */

/* count numbers on the device; NULL when it is out of memory. */
static Real *numbers(const Device *d, size_t count, Error *e)
{
    Real *x = mem_aligned(count, sizeof *x), *y = d->alloc(count * sizeof *y);
    for (size_t i = 0; x && i < count; i++) x[i] = (Real)((int)(i % 7) - 3);
    Status s =
        x && y ? d->upload(y, x, count * sizeof *x, e) : error_set(e, ERR_NOMEM, "out of memory in the benchmark");
    mem_free(x);
    if (s == OK) return y;
    d->free(y);
    return NULL;
}

static Status sgemm_rate(double seconds, double *rate, Error *e)
{
    const Device *d = device_default();
    const int m = on_gpu() ? 4096 : 500, k = on_gpu() ? 4096 : 1024, n = on_gpu() ? 4096 : 2048;
    *rate = 0;
    Status s = d->start(1, e);
    if (s != OK) return s;
    Real *a = numbers(d, (size_t)m * (size_t)k, e), *b = a ? numbers(d, (size_t)k * (size_t)n, e) : NULL,
         *c = b ? numbers(d, (size_t)m * (size_t)n, e) : NULL;
    if (!c) s = e->code;
    double start = clock_seconds(), best = 1e9;
    while (s == OK && (clock_seconds() - start < seconds || best > 1e8)) {
        double t = clock_seconds();
        d->kernels->gemm(false, false, m, n, k, 1, a, k, b, n, 0, c, n);
        s = d->synchronise(e);
        t = clock_seconds() - t;
        if (t < best) best = t;
    }
    *rate = 2.0 * m * n * k / best;
    d->free(a);
    d->free(b);
    d->free(c);
    return s;
}

/* ---- parsing from raw text to brackets */

/* What is parsed. */
typedef struct BenchText {
    StrView text;
    const char *path;
    const RawTextFields *raw;
} BenchText;

typedef struct Speed {
    double seconds;
    double profiled; /* seconds of the round that `gpu` is of */
    long words, sentences, rounds;
    GemmProfile gemm; /* one thread on the CPU only */
} Speed;

typedef struct Written {
    StrBuf out;
    const Model *m;
    const OutputFormat *format;
    long words, sentences;
} Written;

static Status write_sentences(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    Written *w = context;
    for (int k = from; k < to; k++) {
        output_sentence(&w->out, w->m, &result[k], &(Origin){ .id = w->sentences++ },
                        (OutputStyle){ .format = w->format, .why = true });
        w->words += d->in[k].n_words;
    }
    return w->out.failed ? error_set(e, ERR_NOMEM, "out of memory in the benchmark") : OK;
}

static Status parse_once(Parser *p, const BenchText *t, const OutputFormat *format, Speed *sp, Error *e)
{
    Written w = { .m = p->m, .format = format };
    DocumentOptions o = { .large_windows = true, .raw = program_raw_text(t->raw, &p->m->c) };
    Status s = document_parse(p, t->text, t->path, o, write_sentences, &w, e);
    sp->words += w.words;
    sp->sentences += w.sentences;
    sp->rounds++;
    strbuf_fini(&w.out);
    return s;
}

static Status parse_speed(const Model *m, const BenchText *t, int threads, double seconds, Speed *sp, Error *e)
{
    Parser p;
    Speed warm = { 0 };
    *sp = (Speed){ 0 };
    Status s = parser_init(&p, m, device_default(), threads, e);
    if (s != OK) return s;
    s = parse_once(&p, t, &OUTPUT_BRACKETS, &warm, e);
    double start = clock_seconds();
    if (threads == 1 && !on_gpu()) device_cpu_profile(&sp->gemm);
    while (s == OK && (sp->rounds == 0 || clock_seconds() - start < seconds))
        s = parse_once(&p, t, &OUTPUT_BRACKETS, sp, e);
    device_cpu_profile(NULL);
    sp->seconds = clock_seconds() - start;
    if (on_gpu()) device_cuda_profile(&gpu); /* of one round more, since it takes time itself */
    start = clock_seconds();
    if (s == OK && on_gpu()) s = parse_once(&p, t, &OUTPUT_BRACKETS, &warm, e);
    sp->profiled = clock_seconds() - start;
    if (on_gpu()) device_cuda_profile(NULL);
    parser_fini(&p);
    return s;
}

static Status put_speed(const char *name, int threads, const Speed *sp, double rate, Error *e)
{
    StrBuf out = line_begin(name);
    json_members(&out,
                 "threads: %d, words_per_s: %.0f, sentences_per_s: %.1f, words: %ld, sentences: %ld, seconds: %.2f",
                 threads, (double)sp->words / sp->seconds, (double)sp->sentences / sp->seconds, sp->words,
                 sp->sentences, sp->seconds);
    if (on_gpu()) bench_put_gpu(&out, &gpu, sp->profiled);
    else if (threads == 1)
        json_members(&out, "gemm_share: %.3f, gemm_gflops: %.1f, gemm_of_sgemm: %.3f", sp->gemm.seconds / sp->seconds,
                     sp->gemm.flops / sp->gemm.seconds / 1e9, sp->gemm.flops / sp->gemm.seconds / rate);
    json_real(&out, "peak_mib", "%.0f", peak_mib());
    return line_print(&out, e);
}

/* ---- the cost of explanations, from raw text to JSON: in turn without, of phrases, of arcs, and of both */

enum { WHY_NONE, WHY_PHRASES, WHY_ARCS, WHY_ALL, WHY_WAYS, WHY_ROUNDS = 1000 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static Status why_speed(const Model *m, const BenchText *t, double seconds, Error *e)
{
    double(*ratio)[WHY_ROUNDS] = mem_calloc(WHY_WAYS, sizeof *ratio);
    Parser p;
    Speed sp = { 0 };
    Why why[WHY_WAYS];
    ParseOptions o[WHY_WAYS];
    int rounds = 0;
    Status s =
        ratio ? parser_init(&p, m, device_default(), 1, e) : error_set(e, ERR_NOMEM, "out of memory in the benchmark");
    if (s != OK) {
        mem_free(ratio);
        return s;
    }
    for (int way = 0; way < WHY_WAYS; way++) {
        Status made =
            why_init(&why[way], m, way != WHY_ARCS, way == WHY_ARCS || way == WHY_ALL, s == OK ? e : &(Error){ 0 });
        if (s == OK) s = made;
        o[way] = parse_defaults(m);
        o[way].arc_probability = true;
        if (way != WHY_NONE) o[way].observe = why_observer(&why[way]);
        p.o = o[way];
        if (s == OK) s = parse_once(&p, t, &OUTPUT_JSON, &sp, e); /* warm */
    }
    double start = clock_seconds();
    for (; s == OK && rounds < WHY_ROUNDS && (rounds < 3 || clock_seconds() - start < seconds); rounds++) {
        double none = 0;
        for (int way = 0; way < WHY_WAYS && s == OK; way++) {
            double began = clock_seconds();
            p.o = o[way];
            s = parse_once(&p, t, &OUTPUT_JSON, &sp, e);
            double took = clock_seconds() - began;
            if (way == WHY_NONE) none = took;
            ratio[way][rounds] = took / none;
        }
    }
    for (int way = 0; way < WHY_WAYS; way++) {
        qsort(ratio[way], (size_t)rounds, sizeof(double), by_size);
        why_fini(&why[way]);
    }
    parser_fini(&p);
    if (s == OK) {
        StrBuf out = line_begin("why");
        json_members(&out, "phrases: %.3f, arcs: %.3f, phrases_and_arcs: %.3f, rounds: %d",
                     ratio[WHY_PHRASES][rounds / 2], ratio[WHY_ARCS][rounds / 2], ratio[WHY_ALL][rounds / 2], rounds);
        s = line_print(&out, e);
    }
    mem_free(ratio);
    return s;
}

/* ---- the paper's configuration: random weights, the vocabularies of the shipped model */

static Status paper_model(const Model *shipped, Model *m, Error *e)
{
    TrainConfig t;
    EncoderOrigin origin;
    Status s = config_preset("paper", &m->c, &t, &m->options, &origin, &m->strings, e);
    const Vocab *from[] = { &shipped->words, &shipped->tags,  &shipped->labels,
                            &shipped->types, &shipped->chars, &shipped->treebanks };
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
    return s == OK ? params_constant(&m->ps, device_default(), e) : s;
}

/* ---- training */

static Status train_speed(const Fields *f, int threads, Error *e)
{
    BenchTrain b = { f->preset, f->train, f->train_deps, threads, f->seconds };
    BenchTrained trained, profiled;
    bool trains = f->products == PARSE_BF16 || f->products == PARSE_TF32;
    Status s = trains ? OK : device_default()->set_products(PRODUCTS_REAL, e);
    if (s == OK) s = device_default()->start(threads, e);
    if (s == OK) s = bench_train(&b, &trained, NULL, e);
    if (s == OK && on_gpu()) s = bench_train(&b, &profiled, &gpu, e);
    if (s != OK) return s;
    StrBuf out = line_begin("train");
    json_members(&out, "preset: %s, threads: %d, words_per_s: %.0f, words: %.0f, batch_size: %d, seconds: %.2f",
                 f->preset, threads, trained.words / trained.seconds, trained.words, trained.batch_size,
                 trained.seconds);
    if (on_gpu()) bench_put_gpu(&out, &gpu, profiled.seconds);
    json_real(&out, "peak_mib", "%.0f", peak_mib());
    return line_print(&out, e);
}

/* ---- decoding random charts */

static Status decode_speed(int n, double seconds, Error *e)
{
    Arena a;
    arena_init(&a, (size_t)1 << 20);
    SpanBest *s = arena_alloc(&a, (size_t)chart_size(n), sizeof *s);
    Real *t = arena_alloc(&a, (size_t)(n + 1) * (size_t)(n + 1), sizeof *t);
    Status status = s && t ? OK : error_set(e, ERR_NOMEM, "out of memory in the benchmark");
    for (long k = 0; status == OK && k < chart_size(n); k++) {
        double x = rng_normal(1, (uint64_t)k) * 2 - 4;
        s[k] = (SpanBest){ (Real)x, (Real)x, 2, 2 };
    }
    for (long k = 0; status == OK && k < (long)(n + 1) * (n + 1); k++) t[k] = (Real)(rng_normal(2, (uint64_t)k) * 3);
    double start = clock_seconds(), best = 1e9;
    long rounds = 0;
    while (status == OK && (rounds < 3 || clock_seconds() - start < seconds)) {
        ArenaMark mark = arena_mark(&a);
        double at = clock_seconds();
        if (!joint_decode(s, t, n, &a, &a, e)) status = e->code;
        at = clock_seconds() - at;
        if (at < best) best = at;
        rounds++;
        arena_rewind(&a, mark);
    }
    if (status == OK) {
        StrBuf out = line_begin("decode");
        json_members(&out, "n: %d, ms: %.4f, mean_ms: %.4f, mib: %.1f", n, 1e3 * best,
                     1e3 * (clock_seconds() - start) / (double)rounds, joint_decode_bytes(n) / 1048576);
        status = line_print(&out, e);
    }
    arena_fini(&a);
    return status;
}

static bool wanted(const Fields *f, int what) { return f->only == ONLY_ALL || f->only == what; }

static Status bench_models(const Fields *f, const char *path, double rate, Error *e)
{
    Model m, paper;
    StrBuf text = { 0 };
    Speed sp;
    model_init(&m);
    model_init(&paper);
    m.map_above = 0; /* as lal parse does */
    double start = clock_seconds();
    Status s = model_load(&m, path, NULL, e);
    if (s == OK) s = model_check_text(&m, e);
    if (s == OK && wanted(f, ONLY_LOAD)) {
        StrBuf out = line_begin("load");
        json_members(&out, "seconds: %.4f, parameters: %ld, peak_mib: %.0f", clock_seconds() - start,
                     (long)params_total(&m.ps), peak_mib());
        s = line_print(&out, e);
    }
    if (s == OK && (wanted(f, ONLY_SHIPPED) || wanted(f, ONLY_PAPER) || wanted(f, ONLY_WHY)))
        s = file_read_text(f->text, &text, e);
    BenchText t = { { text.ptr, text.len }, f->text, &f->raw };
    for (int threads = 1; s == OK && wanted(f, ONLY_SHIPPED) && threads <= f->threads;
         threads = threads == 1 && f->threads > 1 ? f->threads : f->threads + 1) {
        s = parse_speed(&m, &t, threads, f->seconds, &sp, e);
        if (s == OK) s = put_speed("parse-shipped", threads, &sp, rate, e);
    }
    if (s == OK && wanted(f, ONLY_WHY) && encoder_has_label_heads(&m.net.encoder)) s = why_speed(&m, &t, f->seconds, e);
    if (s == OK && wanted(f, ONLY_PAPER)) {
        s = paper_model(&m, &paper, e);
        for (int threads = 1; s == OK && threads <= f->threads;
             threads = threads == 1 && f->threads > 1 ? f->threads : f->threads + 1) {
            s = parse_speed(&paper, &t, threads, f->seconds, &sp, e);
            if (s == OK) s = put_speed("parse-paper", threads, &sp, rate, e);
        }
    }
    strbuf_fini(&text);
    model_fini(&m);
    model_fini(&paper);
    return s;
}

static Status run_bench(int argc, char **argv, Error *e)
{
    Fields f;
    int none;
    Status s = program_options(BENCH_OPTIONS, &f, argc, argv, 0, &none, e);
    if (s != OK) return s;
    char place[DATA_PATH_MAX], text[DATA_PATH_MAX];
    double rate = 0;
    s = program_device(f.device, e);
    if (s == OK && on_gpu()) s = program_parse_products(f.products, false, e); /* for its rate, too */
    if (s != OK) return s;
    f.text = program_file(f.text, text, sizeof text);
    const char *path = program_model_path(f.model, place, sizeof place);
    if (wanted(&f, ONLY_SGEMM) || (!on_gpu() && (wanted(&f, ONLY_SHIPPED) || wanted(&f, ONLY_PAPER))))
        s = sgemm_rate(f.seconds < 1 ? f.seconds : 1, &rate, e);
    if (s == OK && !on_gpu()) s = program_parse_products(f.products, false, e);
    /* models first, so that the peak memory of `load` and `parse-shipped` counts the models alone */
    if (s != OK) return s;
    if (wanted(&f, ONLY_LOAD) || wanted(&f, ONLY_SHIPPED) || wanted(&f, ONLY_PAPER) || wanted(&f, ONLY_WHY))
        s = bench_models(&f, path, rate, e);
    for (int threads = 1; s == OK && wanted(&f, ONLY_TRAIN) && threads <= f.threads;
         threads = threads == 1 && f.threads > 1 ? f.threads : f.threads + 1)
        s = train_speed(&f, threads, e);
    if (s == OK && wanted(&f, ONLY_SGEMM)) {
        StrBuf out = line_begin("sgemm");
        json_real(&out, "gflops", "%.1f", rate / 1e9);
        s = line_print(&out, e);
    }
    static const int lengths[] = { 24, 40, 100, 200 };
    for (int k = 0; k < 4 && s == OK && wanted(&f, ONLY_DECODE); k++) s = decode_speed(lengths[k], f.seconds / 4, e);
    return s;
}

static const Option *const BENCH_TABLES[] = { BENCH_OPTIONS, NULL };
const Command CMD_BENCH = { "bench", "[OPTIONS]", "measure speed and memory", NULL, BENCH_TABLES, run_bench };
