/* Lal bench, a JSON object on each line. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "program/bench.h"
#include "tensor/cpu/level.h"

/* The measurements in the order in which they are made: the name, whether each model has its own, and the function. */
#define MEASUREMENTS(ROW)                     \
    ROW("tokenize", false, bench_tokenize)    \
    ROW("load", true, bench_load)             \
    ROW("start", true, bench_start)           \
    ROW("sentence", true, bench_sentence)     \
    ROW("parse-shipped", true, bench_shipped) \
    ROW("why", true, bench_why)               \
    ROW("parse-paper", false, bench_paper)    \
    ROW("train", false, bench_train)          \
    ROW("sgemm", false, bench_sgemm)          \
    ROW("decode", false, bench_decode)

#define CHOICE(name, of_model, measure) "|" name
static const Option BENCH_OPTIONS[] = {
    { "model", OPT_STRING, offsetof(Bench, model), NULL, 0, 0, "MODEL",
      "model to measure (default: $LAL_MODEL, else each of the models that come with the program)" },
    { "text", OPT_STRING, offsetof(Bench, text), "examples/declaration.txt", 0, 0, "FILE",
      "raw text to parse; the default comes with the program" },
    RAW_TEXT_OPTIONS(Bench, raw),
    { "only", OPT_ENUM, offsetof(Bench, only), "all", 0, 0, "all" MEASUREMENTS(CHOICE),
      "make one of the measurements" },
    { "seconds", OPT_REAL, offsetof(Bench, seconds), "3", 0.01, 3600, NULL, "least duration of each measurement" },
    { "threads", OPT_INT, offsetof(Bench, threads), "2", 1, 256, NULL,
      "measure parse-shipped, parse-paper and train with one thread and with N, all else with one" },
    { "levels", OPT_BOOL, offsetof(Bench, levels), "false", 0, 0, NULL,
      "measure at each level of processors that this one has (lal model info --devices), the best one first, not only "
      "at the best one or that of $LAL_CPU" },
    { "preset", OPT_STRING, offsetof(Bench, preset), "small", 0, 0, "NAME|FILE.json",
      "what train trains: a built-in preset, or a file" },
    { "train", OPT_STRING, offsetof(Bench, train), "examples/news.trees", 0, 0, "FILE",
      "trees that train repeats; the default comes with the program" },
    { "train_deps", OPT_STRING, offsetof(Bench, train_deps), "english.rules", 0, 0, "FILE",
      "their dependencies, or a table of head rules" },
    DEVICE_OPTION(Bench, device),
    { "products", OPT_ENUM, offsetof(Bench, products), "auto", 0, 0, PARSE_PRODUCTS_CHOICES,
      PARSE_PRODUCTS_ABOUT "; training in f32 unless they are bf16 or tf32" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

typedef struct Measurement {
    const char *name;
    bool of_model;
    Status (*measure)(Bench *b, Error *e);
} Measurement;

#define ENTRY(name, of_model, measure) { name, of_model, measure },
static const Measurement MEASUREMENT[] = { MEASUREMENTS(ENTRY){ NULL, false, NULL } };

/* Runs lal bench in a process of its own, with the options of this one and after them `more`, which wins. */
static Status bench_again(int argc, char **argv, const char *const more[4], Error *e)
{
    const char **arguments = mem_alloc((size_t)argc + 6, sizeof *arguments);
    int n = 0;
    if (!arguments) return error_set(e, ERR_NOMEM, "out of memory in the benchmark");
    arguments[n++] = "lal";
    for (int k = 0; k < argc && strcmp(argv[k], "--") != 0; k++) arguments[n++] = argv[k];
    for (int k = 0; k < 4; k++) arguments[n++] = more[k];
    arguments[n] = NULL;
    Status status = bench_process(arguments, NULL, e);
    mem_free(arguments);
    return status;
}

static Status bench_levels(int argc, char **argv, Error *e)
{
    const CpuLevel *level;
    Status status = OK;
    for (int k = 0; status == OK && (level = cpu_level_at(k)); k++) {
        if (setenv("LAL_CPU", level->name, 1) != 0) return error_set(e, ERR_NOMEM, "out of memory in the benchmark");
        status = bench_again(argc, argv, (const char *const[4]){ "--no-levels" }, e);
    }
    return status;
}

static Status run_bench(int argc, char **argv, Error *e)
{
    Bench b = { 0 };
    int none;
    Status status = program_options(BENCH_OPTIONS, &b, argc, argv, 0, &none, e);
    if (status == OK && b.levels) return bench_levels(argc, argv, e);
    const LalShippedModel *m;
    const char *chosen = b.model ? b.model : getenv("LAL_MODEL");
    char place[DATA_PATH_MAX];
    for (const Measurement *at = MEASUREMENT; at->name && status == OK; at++) {
        if (b.only && at != &MEASUREMENT[b.only - 1]) continue;
        b.name = at->name;
        b.model = at->of_model ? chosen : NULL;
        if (b.only && (chosen || !at->of_model)) {
            status = program_rules_read(&b.raw, e);
            if (status == OK) status = at->measure(&b, e);
            text_rules_free(b.raw.rules);
            return status;
        }
        if (chosen || !at->of_model) status = bench_again(argc, argv, (const char *const[4]){ "--only", at->name }, e);
        else
            for (int k = 0; status == OK && (m = lal_models(k)); k++)
                if (strcmp(m->language, "en") == 0 && access(data_path(m->file, place, sizeof place), R_OK) == 0)
                    status =
                        bench_again(argc, argv, (const char *const[4]){ "--only", at->name, "--model", m->name }, e);
    }
    return status;
}

static const Option *const BENCH_TABLES[] = { BENCH_OPTIONS, NULL };
const Command CMD_BENCH = { "bench", "[OPTIONS]", "measure speed and memory", NULL, BENCH_TABLES, run_bench };
