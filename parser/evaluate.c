/* parser/evaluate.c */
#include "parser/evaluate.h"

#include "parser/parse_pool.h"

Status evaluate_model(const Model *m, const Treebank *gold, const EvaluateOptions *o, Scores *scores, Error *e)
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
        for (int k = 0; k < gold->n && s == OK; k++) {
            s = score_add(scores, &gold->s[k], &result[k].s, o->punct, e);
            if (s == OK && o->each) s = score_add(&o->each[k], &gold->s[k], &result[k].s, o->punct, e);
            if (s == OK && o->report) s = report_add(o->report, &gold->s[k], &result[k].s, e);
        }
        parse_pool_fini(&pool);
    }
    mem_free(in);
    mem_free(result);
    return s;
}
