/* Parses all sentences, then scores them one by one in their order. */
#include "parser/parse/evaluate.h"

#include "parser/parse/parser.h"

Status evaluation_add(Evaluation *ev, int k, const Sentence *gold, const Sentence *pred, Error *error)
{
    Status status = score_add(&ev->sum, gold, pred, ev->punct, error);
    if (status == OK && ev->each) status = score_add(&ev->each[k], gold, pred, ev->punct, error);
    return status == OK && ev->report ? report_add(ev->report, gold, pred, error) : status;
}

/* How sure the model is of a sentence, and what is wrong in it. */
static Status set_risk(RiskSentence *x, const Parsed *p, const Sentence *gold, const Sentence *pred, PunctSet punct,
                       Error *e)
{
    const Confidence *c = p->confidence;
    Scores scores = { 0 };
    double arcs = 0;
    *x = (RiskSentence){ .sure = { -1, -1, -1, -1, -p->n_words, -1 }, .grammar = p->grammar };
    if (c) {
        for (int w = 0; w < p->n_words && p->heads && p->arc_prob; w++) arcs += (double)p->arc_prob[w];
        x->sure[RISK_BY_F1] = c->expected_f1;
        x->sure[RISK_BY_MAP] = c->calibrated_f1;
        x->sure[RISK_BY_LAS] = c->expected_las;
        x->sure[RISK_BY_TREE] = c->p_tree;
        x->sure[RISK_BY_ARCS] = p->heads ? arcs / p->n_words : -1;
    }
    if (score_add(&scores, gold, pred, punct, e) == OK) risk_set(x, &scores);
    return e->code;
}

typedef struct Taken {
    const EvaluateOptions *o;
    int n;
} Taken;

static Status take(void *context, int from, int to, Error *e)
{
    const Taken *t = context;
    (void)from, (void)e;
    t->o->progress(t->o->context, to, t->n);
    return OK;
}

/* The parse of sentence k that the masks of the model read; NULL: not needed, or made by the parser in a first pass. */
static const Sentence *parse_of(const Model *m, const Treebank *gold, const EvaluateOptions *o, int k)
{
    SyntaxSource source = encoder_options_source(&m->options);
    return source == SYNTAX_GOLD ? &gold->s[k] : source == SYNTAX_FILE ? &o->parses[k] : NULL;
}

/* A parser, and the sentences as it takes them, to be freed in any case. */
static Status start(const Model *m, const Treebank *gold, const EvaluateOptions *o, Parser *p, ParseInput **in,
                    Error *e)
{
    const Device *d = o->device ? o->device : device_default();
    Status s = model_check_parses(m, true, o->parses != NULL, e);
    if (s != OK) return s;
    *in = mem_calloc((size_t)gold->n, sizeof **in);
    s = *in ? parser_init(p, m, d, o->n_threads, e) : error_set(e, ERR_NOMEM, "out of memory evaluating");
    for (int k = 0; k < gold->n && s == OK; k++)
        (*in)[k] = (ParseInput){ .n_words = gold->s[k].n_words,
                                 .words = gold->s[k].words,
                                 .tags = o->given_tags ? gold->s[k].tags : NULL,
                                 .parse = parse_of(m, gold, o, k) };
    p->o = o->parse;
    return s;
}

Status evaluate_need(const Model *model, const Treebank *gold, const EvaluateOptions *options, size_t *bytes,
                     Error *error)
{
    ParseInput *in = NULL;
    Parser p = { 0 };
    Status s = start(model, gold, options, &p, &in, error);
    if (s == OK) s = parse_pool_need(&p.pool, in, gold->n, &p.o, bytes, error);
    parser_fini(&p);
    mem_free(in);
    return s;
}

Status evaluate_model(const Model *model, const Treebank *gold, const EvaluateOptions *options, Evaluation *ev,
                      Error *error)
{
    Arena arena; /* of one sentence */
    ParseInput *in = NULL;
    Parser p = { 0 };
    Taken taken = { options, gold->n };
    const PunctSet punct = ev->punct;
    ev->punct = punct_set_of(punct, gold);
    arena_init(&arena, 1 << 12);
    Status status = start(model, gold, options, &p, &in, error);
    if (status == OK) status = parser_run(&p, in, gold->n, options->progress ? take : NULL, &taken, error);
    for (int k = 0; k < gold->n && status == OK; k++) {
        arena_reset(&arena);
        const Sentence *pred = parsed_sentence(&p.result[k], &arena);
        status = pred ? evaluation_add(ev, k, &gold->s[k], pred, error)
                      : error_set(error, ERR_NOMEM, "out of memory evaluating");
        if (status == OK && ev->risk)
            status = set_risk(&ev->risk[k], &p.result[k], &gold->s[k], pred, ev->punct, error);
        if (status == OK && options->parsed) options->parsed(options->context, k, pred);
    }
    ev->punct = punct;
    parser_fini(&p);
    arena_fini(&arena);
    mem_free(in);
    return status;
}
