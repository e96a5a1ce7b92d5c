/* parser/lab/ablate/ablate_score.c: scores of the model of a run */
#include "base/thread.h"
#include "parser/lab/ablate/ablate_internal.h"
#include "parser/lab/prune.h"
#include "parser/parse/evaluate.h"
#include "parser/parse/syntax_file.h"

/* parses: the file of their parses, for masks that read one. */
static Status score_set(const AblateArgs *a, const Model *m, const Corpus *set, int n, const char *parses, Scores *sum,
                        Scores *each, Error *e)
{
    Treebank read;
    treebank_init(&read);
    Evaluation ev = { .each = each, .punct = PUNCT_AUTO };
    bool reads = encoder_options_source(&m->options) == SYNTAX_FILE && parses && n;
    Status status = reads ? syntax_file_corpora(&read, parses, m, set, n, e) : OK;
    const Sentence *parse = reads ? read.s : NULL;
    for (int k = 0; k < n && status == OK; k++) { /* as a check of training does */
        EvaluateOptions o = { .parse = parse_defaults(m), .device = a->device, .n_threads = a->n_threads };
        int id = vocab_find(&m->treebanks, set[k].name);
        o.parse.treebank = id < 0 ? 0 : id;
        o.parse.shape_tags = false;
        o.parses = parse;
        if (parse) parse += set[k].trees.n;
        status = evaluate_model(m, &set[k].trees, &o, &ev, e);
        ev.each += set[k].trees.n;
    }
    treebank_fini(&read);
    *sum = ev.sum;
    return status;
}

static Status score_model(const AblateArgs *a, const Model *m, AblateRun *r, Scores *test, Error *e)
{
    double start = clock_seconds();
    Status s = score_set(a, m, a->dev, a->n_dev, m->options.syntax.dev_file, &r->dev, r->each, e);
    if (s == OK) s = score_set(a, m, a->test, a->n_test, m->options.syntax.test_file, &r->test, test, e);
    r->scoring = clock_seconds() - start;
    return s == OK ? ablate_heads(a, m, r, e) : s;
}

/* Writes the model without its closed heads, and scores that. */
static Status score_pruned(const AblateArgs *a, const Model *m, const char *path, AblateRun *r, Scores *test, Error *e)
{
    Model small;
    model_init(&small);
    Status s = model_prune(m, &small, e);
    if (s == OK) s = model_save(&small, path, DT_F32, NULL, 0, NULL, e);
    model_fini(&small);
    model_init(&small);
    if (s == OK) s = model_load(&small, path, NULL, e);
    if (s == OK) s = score_model(a, &small, r, test, e);
    model_fini(&small);
    return s;
}

Status ablate_score(const AblateArgs *a, const Ablation *of, const AblateVariant *v, const AblateFolder *f,
                    const char *scored, AblateRun *r, Error *e)
{
    Model m;
    mem_free(r->each);
    r->each = mem_calloc((size_t)(of->n_dev + of->n_test) + 1, sizeof *r->each);
    if (!r->each) return error_set(e, ERR_NOMEM, "out of memory for scores");
    Scores *test = r->each + of->n_dev;
    model_init(&m);
    Status s = model_load(&m, f->model, NULL, e);
    if (s == OK) s = v->prune ? score_pruned(a, &m, f->pruned, r, test, e) : score_model(a, &m, r, test, e);
    model_fini(&m);
    if (s == OK) s = ablate_plan_checksum(f->model, r->model, e);
    if (s == OK) s = ablate_write_scores(f, r, of->n_dev, of->n_test, scored, e);
    if (s == OK) r->state = ABLATE_FINISHED;
    return s;
}
