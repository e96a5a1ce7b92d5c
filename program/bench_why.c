/* Raw text to JSON, in turn without explanations and with explanations of phrases, of arcs,
 * and of both. */
#include "base/arena.h"
#include "base/json_writer.h"
#include "base/thread.h"
#include "explain/fast/why.h"
#include "program/bench.h"

enum { NONE, PHRASES, ARCS, BOTH, WAYS, LEAST_ROUNDS = 3 };

static ParseOptions options(const Model *m, const Why *why, int way)
{
    ParseOptions o = parse_defaults(m);
    o.arc_probability = true;
    if (way != NONE) o.observe = why_observer(why);
    return o;
}

/* Parses the text in all ways; adds to each sample how long that took, as a multiple of the time without. */
static Status parse_in_turn(const Bench *b, Parser *p, const Why *why, StrView text, BenchSample *ratio, Error *e)
{
    BenchWritten written = { .format = &OUTPUT_JSON };
    Status status = OK;
    double none = 0;
    for (int way = NONE; way < WAYS && status == OK; way++) {
        double start = clock_seconds();
        p->o = options(p->m, &why[way], way);
        status = bench_parse(b, p, text, &written, e);
        double seconds = clock_seconds() - start;
        if (way == NONE) none = seconds;
        if (status == OK) status = bench_sample_add(&ratio[way], seconds / none, e);
    }
    strbuf_fini(&written.out);
    return status;
}

static Status measure(const Bench *b, Parser *p, const Why *why, StrView text, BenchSample *ratio, Error *e)
{
    Status status = parse_in_turn(b, p, why, text, ratio, e); /* warm */
    for (int way = 0; way < WAYS; way++) ratio[way].n = 0;
    double start = clock_seconds();
    while (status == OK && (ratio->n < LEAST_ROUNDS || clock_seconds() - start < b->seconds))
        status = parse_in_turn(b, p, why, text, ratio, e);
    if (status != OK) return status;
    StrBuf line = bench_line(b);
    json_members(&line, "phrases: %.3f, arcs: %.3f, phrases_and_arcs: %.3f, rounds: %d",
                 bench_sample_quantile(&ratio[PHRASES], 0.5), bench_sample_quantile(&ratio[ARCS], 0.5),
                 bench_sample_quantile(&ratio[BOTH], 0.5), ratio->n);
    return bench_print(&line, e);
}

Status bench_why(Bench *bench, Error *error)
{
    BenchInput input;
    Parser p = { .m = NULL };
    Why why[WAYS] = { { .m = NULL } };
    BenchSample ratio[WAYS] = { { 0 } };
    Status status = bench_input_open(&input, bench, error);
    bool explains = status == OK && encoder_has_label_heads(&input.m.net.encoder);
    if (explains) status = parser_init(&p, &input.m, device_default(), 1, error);
    for (int way = 0; way < WAYS && explains && status == OK; way++)
        status = why_init(&why[way], &input.m, way != ARCS, way == ARCS || way == BOTH, error);
    if (explains && status == OK)
        status = measure(bench, &p, why, (StrView){ input.text.ptr, input.text.len }, ratio, error);
    for (int way = 0; way < WAYS; way++) {
        why_fini(&why[way]);
        mem_free(ratio[way].value);
    }
    parser_fini(&p);
    bench_input_close(&input);
    return status;
}
