/* Scores of the model of a run */
#include "base/thread.h"
#include "program/ablate/ablate_internal.h"
#include "parser/model/prune.h"

static Status score_model(const AblateScored *x, AblateRun *r, double *test, Error *e)
{
    double start = clock_seconds();
    Status s = ablate_score_units(x, false, r->each, e);
    if (s == OK && x->a->n_test) s = ablate_score_units(x, true, test, e);
    r->scoring = clock_seconds() - start;
    return s == OK ? ablate_heads(x->a, x->m, r, e) : s;
}

/* Writes the model without its closed heads, and scores that. */
static Status score_pruned(AblateScored x, const char *path, AblateRun *r, double *test, Error *e)
{
    Model small;
    model_init(&small);
    Status s = model_prune(x.m, &small, e);
    if (s == OK) s = model_save(&small, path, DT_F32, NULL, 0, NULL, e);
    model_fini(&small);
    model_init(&small);
    small.task = x.m->task;
    if (s == OK) s = model_load(&small, path, NULL, e);
    x.m = &small;
    x.path = path;
    if (s == OK) s = score_model(&x, r, test, e);
    model_fini(&small);
    return s;
}

Status ablate_score(const AblateArgs *a, const Ablation *of, const AblateVariant *v, const AblateFolder *f,
                    const char *scored, AblateRun *r, Error *e)
{
    const AblateMeasure *measure = a->plan->measure;
    size_t width = (size_t)measure->n_numbers;
    Model m;
    mem_free(r->each);
    r->each = mem_calloc((size_t)(of->n_dev + of->n_test) * width + 1, sizeof *r->each);
    if (!r->each) return error_set(e, ERR_NOMEM, "out of memory for scores");
    double *test = r->each + (size_t)of->n_dev * width;
    const AblateScored x = { a, v, &m, f->model };
    model_init(&m);
    m.task = measure->task;
    Status s = model_load(&m, f->model, NULL, e);
    if (s == OK) s = v->prune ? score_pruned(x, f->pruned, r, test, e) : score_model(&x, r, test, e);
    model_fini(&m);
    ablate_add_up(measure, r, of->n_dev, of->n_test);
    if (s == OK) s = ablate_plan_checksum(f->model, r->model, e);
    if (s == OK) s = ablate_write_scores(f, measure, r, of->n_dev, of->n_test, scored, e);
    if (s == OK) r->state = ABLATE_FINISHED;
    return s;
}
