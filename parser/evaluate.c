/* parser/evaluate.c */
#include "parser/evaluate.h"

#include "parser/parser.h"

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
    Parser p = { 0 };
    Status s = in ? parser_init(&p, m, o->n_threads, e) : error_set(e, ERR_NOMEM, "out of memory evaluating");
    if (s == OK) {
        for (int k = 0; k < gold->n; k++)
            in[k] = (ParseInput){ gold->s[k].n_words, gold->s[k].words, o->given_tags ? gold->s[k].tags : NULL };
        p.o = o->parse;
        s = parser_run(&p, in, gold->n, NULL, NULL, e);
        for (int k = 0; k < gold->n && s == OK; k++) s = evaluation_add(ev, k, &gold->s[k], &p.result[k].s, e);
    }
    parser_fini(&p);
    mem_free(in);
    return s;
}
