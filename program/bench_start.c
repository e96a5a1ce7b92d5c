/* How long does it take until a fresh process has parsed one sentence? (lal bench) */
#include <stdio.h>

#include "base/arena.h"
#include "base/json_writer.h"
#include "base/thread.h"
#include "program/bench.h"

enum { LEAST_STARTS = 5 };

Status bench_start(Bench *bench, Error *error)
{
    char products[16];
    StrView chosen = option_choice(PARSE_PRODUCTS_CHOICES, bench->products);
    snprintf(products, sizeof products, "%.*s", (int)chosen.len, chosen.ptr);
    const char *const parse[] = { "lal",        "parse",    "--quiet",     "--threads",  "1",      "--model",
                                  bench->model, "--device", bench->device, "--products", products, NULL };
    BenchSample starts = { 0 };
    Status status = OK;
    double start = clock_seconds();
    while (status == OK && (starts.n < LEAST_STARTS || clock_seconds() - start < bench->seconds)) {
        double began = clock_seconds();
        status = bench_process(parse, "The results were good.\n", error);
        if (status == OK) status = bench_sample_add(&starts, clock_seconds() - began, error);
    }
    if (status == OK) {
        StrBuf line = bench_line(bench);
        bench_put_times(&line, &starts);
        json_long(&line, "starts", starts.n);
        status = bench_print(&line, error);
    }
    mem_free(starts.value);
    return status;
}
