/* A chunk of sentences is an item of work with sums of its own; sentences above the limits
 * of parsing are left out and counted. */
#include "parser/parse/gold_pass.h"

#include <string.h>

#include "base/thread.h"
#include "parser/parse/long_sentence.h"

enum { CHUNK = 32 }; /* sentences whose sums are added by one thread */

typedef struct Run {
    const GoldPass *pass;
    ParseOptions options;
    Worker *workers; /* [threads] */
    char *sums;      /* [chunks] of pass->size bytes */
    int *left_out;   /* [chunks] */
} Run;

static Status add_sentence(const Run *r, int chunk, Worker *w, const Sentence *gold, Arena *a, Error *e)
{
    const GoldPass *x = r->pass;
    const ParseInput in = { .n_words = gold->n_words, .words = gold->words, .space_before = gold->space_before };
    Parsed p;
    if (gold->n_words == 0) return OK;
    if (long_sentence_exceeds(&in, &r->options)) {
        r->left_out[chunk]++;
        return OK;
    }
    Status s = parse_batch(w, &in, 1, &r->options, a, &p, e);
    return s == OK ? x->add(x->context, r->sums + (size_t)chunk * x->size, w, gold, &p, e) : s;
}

static void work(void *context, int worker, int item)
{
    Run *r = context;
    Worker *w = &r->workers[worker];
    const Treebank *gold = r->pass->gold;
    Arena a;
    arena_init(&a, 1 << 12);
    for (int k = item * CHUNK; k < (item + 1) * CHUNK && k < gold->n && w->error.code == OK; k++) {
        arena_reset(&a);
        add_sentence(r, item, w, &gold->s[k], &a, &w->error);
    }
    arena_fini(&a);
}

/* Runs all chunks; the error of a thread. */
static Status run_chunks(Run *r, int chunks, Error *e)
{
    int n = r->pass->n_threads;
    Status s = device_default()->start(n, false, e);
    if (s != OK) return s;
    for (int k = 0; k < n; k++) worker_init(&r->workers[k], r->pass->m, device_default());
    parallel_for(n, chunks, work, r);
    for (int k = n; k-- > 0; worker_fini(&r->workers[k]))
        if (r->workers[k].error.code != OK) {
            *e = r->workers[k].error;
            s = e->code;
        }
    return s;
}

Status gold_pass(const GoldPass *pass, void *sums, int *left_out, Error *error)
{
    int chunks = (pass->gold->n + CHUNK - 1) / CHUNK;
    Run r = { .pass = pass,
              .options = *pass->o,
              .workers = mem_calloc((size_t)pass->n_threads, sizeof *r.workers),
              .sums = mem_calloc((size_t)chunks, pass->size),
              .left_out = mem_calloc((size_t)chunks, sizeof *r.left_out) };
    r.options.shape_tags = false; /* they are rules, without a probability */
    Status s = r.workers && r.sums && r.left_out ? run_chunks(&r, chunks, error)
                                                 : error_set(error, ERR_NOMEM, "out of memory for probabilities");
    memset(sums, 0, pass->size);
    *left_out = 0;
    for (int k = 0; k < chunks && s == OK; k++) {
        pass->merge(sums, r.sums + (size_t)k * pass->size);
        *left_out += r.left_out[k];
    }
    mem_free_each(r.workers, r.sums, r.left_out);
    return s;
}
