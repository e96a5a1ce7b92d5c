/* parser/evaluate.c */
#include "parser/evaluate.h"

#include "parser/parse_pool.h"

Status evaluation_add(Evaluation *ev, int k, const Sentence *gold, const Sentence *pred, Error *e)
{
    Status s = score_add(&ev->sum, gold, pred, ev->punct, e);
    if (s == OK && ev->each) s = score_add(&ev->each[k], gold, pred, ev->punct, e);
    return s == OK && ev->report ? report_add(ev->report, gold, pred, e) : s;
}

Status evaluate_model(const Model *m, const Treebank *gold, const EvaluateOptions *o, Evaluation *ev, Error *e)
{
    size_t n = (size_t)gold->n;
    ParseInput *in = mem_calloc(n, sizeof *in);
    Parsed *result = mem_calloc(n, sizeof *result);
    ParsePool pool = { 0 };
    Status s = in && result ? OK : error_set(e, ERR_NOMEM, "out of memory evaluating");
    if (s == OK) s = parse_pool_init(&pool, m, kernels_cpu(), o->n_threads, e);
    if (s == OK) {
        for (int k = 0; k < gold->n; k++)
            in[k] = (ParseInput){ gold->s[k].n_words, gold->s[k].words, o->given_tags ? gold->s[k].tags : NULL };
        s = parse_pool_run(&pool, in, gold->n, &o->parse, result, NULL, NULL, e);
        for (int k = 0; k < gold->n && s == OK; k++) s = evaluation_add(ev, k, &gold->s[k], &result[k].s, e);
        parse_pool_fini(&pool);
    }
    mem_free(in);
    mem_free(result);
    return s;
}
