/* Matrix products and the decoder, without a model. */
#include "base/arena.h"
#include "base/json_writer.h"
#include "base/rng.h"
#include "base/thread.h"
#include "cky/decode.h"
#include "cky/joint_marginals.h"
#include "program/bench.h"

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
    const int m = bench_on_gpu() ? 4096 : 500, k = bench_on_gpu() ? 4096 : 1024, n = bench_on_gpu() ? 4096 : 2048;
    Status s = d->start(1, true, e);
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

Status bench_sgemm(Bench *bench, Error *error)
{
    double rate;
    Status status = program_device(bench->device, error);
    if (!bench_on_gpu()) bench->products = PARSE_F32;
    if (status == OK) status = program_parse_products(bench->products, false, error);
    if (status == OK) status = sgemm_rate(bench->seconds < 1 ? bench->seconds : 1, &rate, error);
    if (status != OK) return status;
    StrBuf line = bench_line(bench);
    json_real(&line, "gflops", "%.1f", rate / 1e9);
    return bench_print(&line, error);
}

/* ---- decoding random charts */

/* Random scores of a sentence; one tree stands out, as it does in the scores of a parser. */
typedef struct Scores {
    SpanBest *best;
    Real *arcs;
    JointScores joint;
} Scores;

enum { LABELS = 112 };

static Status make_scores(Scores *s, int n, Arena *a, Error *e)
{
    long spans = chart_size(n), arcs = (long)(n + 1) * (n + 1);
    s->best = arena_alloc(a, (size_t)spans, sizeof *s->best);
    s->arcs = arena_alloc(a, (size_t)arcs, sizeof *s->arcs);
    Real *labels = arena_alloc(a, (size_t)spans * (LABELS - 1), sizeof *labels);
    if (!s->best || !s->arcs || !labels) return error_set(e, ERR_NOMEM, "out of memory in the benchmark");
    for (long k = 0; k < spans; k++) {
        double x = rng_normal(1, (uint64_t)k) * 2 - 4;
        s->best[k] = (SpanBest){ (Real)x, (Real)x, 2, 2 };
    }
    for (long k = 0; k < arcs; k++) s->arcs[k] = (Real)(rng_normal(2, (uint64_t)k) * 3);
    for (long k = 0; k < spans * (LABELS - 1); k++) labels[k] = (Real)(rng_normal(3, (uint64_t)k) * 2 - 4);
    JointTree *tree = joint_decode(s->best, s->arcs, n, a, a, e);
    if (!tree) return e->code;
    for (int k = 0; k < tree->n_nodes; k++) {
        SpanBest *b = &s->best[chart_span(n, tree->nodes[k].begin, tree->nodes[k].end)];
        b->any = b->proper += 8;
    }
    for (int w = 1; w <= n; w++) s->arcs[w * (n + 1) + tree->heads[w - 1]] += 8;
    s->joint = (JointScores){ n, LABELS, labels, s->arcs, NULL, 1, 1 };
    return OK;
}

static Status decode(const Scores *s, Arena *a, Error *e)
{
    return joint_decode(s->best, s->arcs, s->joint.n, a, a, e) ? OK : e->code;
}

static Status sum_up(const Scores *s, Arena *a, Error *e)
{
    JointMarginals m;
    return joint_marginals(&s->joint, a, a, &m, e);
}

/* The least and the mean milliseconds of a call, in `seconds` of them. */
static Status time_calls(Status (*call)(const Scores *s, Arena *a, Error *e), const Scores *s, Arena *a, double seconds,
                         double *least, double *mean, Error *e)
{
    Status status = OK;
    double start = clock_seconds(), now;
    long rounds = 0;
    *least = 1e9;
    for (; status == OK && (rounds < 3 || clock_seconds() - start < seconds); rounds++) {
        ArenaMark mark = arena_mark(a);
        double at = clock_seconds();
        status = call(s, a, e);
        now = 1e3 * (clock_seconds() - at);
        if (now < *least) *least = now;
        arena_rewind(a, mark);
    }
    *mean = 1e3 * (clock_seconds() - start) / (double)rounds;
    return status;
}

static Status decode_speed(const Bench *b, int n, double seconds, Error *e)
{
    Arena a;
    Scores s;
    double least, mean, sums = 0, mean_sums;
    arena_init(&a, (size_t)1 << 20);
    Status status = make_scores(&s, n, &a, e);
    if (status == OK) status = time_calls(decode, &s, &a, seconds, &least, &mean, e);
    if (status == OK) status = time_calls(sum_up, &s, &a, seconds, &sums, &mean_sums, e);
    if (status == OK) {
        StrBuf line = bench_line(b);
        json_members(&line, "n: %d, ms: %.4f, mean_ms: %.4f, mib: %.1f, marginals_ms: %.4f, mean_marginals_ms: %.4f", n,
                     least, mean, joint_decode_bytes(n) / 1048576, sums, mean_sums);
        status = bench_print(&line, e);
    }
    arena_fini(&a);
    return status;
}

Status bench_decode(Bench *bench, Error *error)
{
    static const int lengths[] = { 24, 40, 100, 200 };
    Status status = OK;
    for (int k = 0; k < 4 && status == OK; k++) status = decode_speed(bench, lengths[k], bench->seconds / 8, error);
    return status;
}
