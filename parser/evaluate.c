/* parser/evaluate.c */
#include "parser/evaluate.h"

#include "base/thread.h"

typedef struct Run {
    const Treebank *gold;
    const EvaluateOptions *o;
    ParseInput *in;
    Parsed *result;
    ParseWorker *workers;
    Arena *arenas; /* of results, one a worker */
    int *batch;    /* first sentence of each batch, [n_batches + 1] */
    Error *errors; /* one a worker */
} Run;

static void work(void *context, int worker, int item)
{
    Run *r = context;
    int from = r->batch[item], to = r->batch[item + 1];
    if (r->errors[worker].code == OK)
        parse_batch(&r->workers[worker], r->in + from, to - from, &r->o->parse, &r->arenas[worker], r->result + from, &r->errors[worker]);
}

static Status run_all(Run *r, int n_batches, Scores *scores, void (*pred)(void *, const Parsed *), void *context, Error *e)
{
    parallel_for(r->o->n_threads, n_batches, work, r);
    for (int k = 0; k < r->o->n_threads; k++)
        if (r->errors[k].code != OK) {
            *e = r->errors[k];
            return e->code;
        }
    for (int k = 0; k < r->gold->n; k++) {
        Status s = score_add(scores, &r->gold->s[k], &r->result[k].s, e);
        if (s != OK) return s;
        if (pred) pred(context, &r->result[k]);
    }
    return OK;
}

Status evaluate(const Model *m, const Treebank *gold, const EvaluateOptions *o, Scores *scores, void (*pred)(void *, const Parsed *),
                void *context, Error *e)
{
    size_t n = (size_t)gold->n, threads = (size_t)o->n_threads;
    Run r = { .gold = gold, .o = o, .in = mem_calloc(n, sizeof *r.in), .result = mem_calloc(n, sizeof *r.result),
              .workers = mem_calloc(threads, sizeof *r.workers), .arenas = mem_calloc(threads, sizeof *r.arenas),
              .batch = mem_calloc(n + 1, sizeof *r.batch), .errors = mem_calloc(threads, sizeof *r.errors) };
    Status s = r.in && r.result && r.workers && r.arenas && r.batch && r.errors ? OK : error_set(e, ERR_NOMEM, "out of memory evaluating");
    if (s == OK) {
        for (int k = 0; k < gold->n; k++)
            r.in[k] = (ParseInput){ gold->s[k].n_words, gold->s[k].words, o->given_tags ? gold->s[k].tags : NULL };
        int n_batches = 0;
        for (int from = 0; from < gold->n; from = r.batch[n_batches]) r.batch[++n_batches] = parse_batch_end(r.in, gold->n, from, &o->parse);
        for (int k = 0; k < o->n_threads; k++) {
            parse_worker_init(&r.workers[k], m, kernels_cpu());
            arena_init(&r.arenas[k], (size_t)1 << 20);
        }
        s = run_all(&r, n_batches, scores, pred, context, e);
        for (int k = 0; k < o->n_threads; k++) {
            parse_worker_fini(&r.workers[k]);
            arena_fini(&r.arenas[k]);
        }
    }
    mem_free(r.in);
    mem_free(r.result);
    mem_free(r.workers);
    mem_free(r.arenas);
    mem_free(r.batch);
    mem_free(r.errors);
    return s;
}
