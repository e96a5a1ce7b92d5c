/* parser/lab/ablate/table.c: means over seeds, and significance */
#include "parser/lab/ablate/table.h"

#include <math.h>

enum { RESAMPLING_SEED = 1 };

/* ---- means */

typedef struct Values {
    int n;
    double value[ABLATE_SEEDS_MOST];
} Values;

static void take(Values *x, double value, bool known)
{
    if (known) x->value[x->n++] = value;
}

static AblateMean mean_of(const Values *x)
{
    AblateMean m = { .n = x->n };
    double squares = 0;
    for (int k = 0; k < x->n; k++) m.mean += x->value[k] / x->n;
    for (int k = 0; k < x->n; k++) squares += (x->value[k] - m.mean) * (x->value[k] - m.mean);
    if (x->n > 1) m.deviation = sqrt(squares / (x->n - 1));
    return m;
}

typedef double (*Measure)(const Ablation *a, const AblateRun *r);

static double rho_of(const Ablation *a, const AblateRun *r) { return (void)a, r->rho; }
static double updates_of(const Ablation *a, const AblateRun *r) { return (void)a, (double)r->updates; }
static double early_loss_of(const Ablation *a, const AblateRun *r) { return (void)a, r->early_loss; }
static double loss_of(const Ablation *a, const AblateRun *r) { return (void)a, r->loss; }
static double seconds_of(const Ablation *a, const AblateRun *r) { return (void)a, r->seconds; }
static double training_speed_of(const Ablation *a, const AblateRun *r)
{
    return (void)a, r->seconds > 0 ? (double)r->trained_sentences / r->seconds : -1;
}
static double speed_of(const Ablation *a, const AblateRun *r)
{
    return r->scoring > 0 ? (a->n_dev + a->n_test) / r->scoring : -1;
}

/* Over the finished runs of a variant; a negative value is not known. */
static AblateMean measure(const Ablation *a, int variant, Measure of)
{
    Values x = { 0 };
    for (int k = 0; k < a->plan->n_seeds; k++) {
        const AblateRun *r = ablation_run(a, variant, k);
        double value = r->state == ABLATE_FINISHED ? of(a, r) : -1;
        take(&x, value, value >= 0);
    }
    return mean_of(&x);
}

static AblateMean score_of(const Ablation *a, int variant, CompareMetric metric, bool test)
{
    Values x = { 0 };
    for (int k = 0; k < a->plan->n_seeds; k++) {
        const AblateRun *r = ablation_run(a, variant, k);
        bool known;
        double value = compare_score(test ? &r->test : &r->dev, metric, &known);
        take(&x, value, known && r->state == ABLATE_FINISHED);
    }
    return mean_of(&x);
}

static void fill_row(AblateRow *row, const Ablation *a, int variant)
{
    row->name = a->plan->variants[variant].name;
    row->oracle = encoder_options_oracle(&a->plan->variants[variant].options);
    for (int m = 0; m < COMPARE_METRICS; m++) {
        row->dev[m] = score_of(a, variant, (CompareMetric)m, false);
        row->test[m] = score_of(a, variant, (CompareMetric)m, true);
    }
    double self = 0, label = 0;
    for (int k = 0; k < a->plan->n_seeds; k++) {
        const AblateRun *r = ablation_run(a, variant, k);
        if (r->state != ABLATE_FINISHED) continue;
        row->seeds++;
        self += r->self_heads;
        label += r->label_heads;
    }
    if (row->seeds) {
        row->self_heads = (int)lround(self / row->seeds);
        row->label_heads = (int)lround(label / row->seeds);
    }
    row->rho = measure(a, variant, rho_of);
    row->updates = measure(a, variant, updates_of);
    row->early_loss = measure(a, variant, early_loss_of);
    row->loss = measure(a, variant, loss_of);
    row->seconds = measure(a, variant, seconds_of);
    row->training_speed = measure(a, variant, training_speed_of);
    row->speed = measure(a, variant, speed_of);
}

/* ---- significance */

/* Compares the seeds of which the variant and the reference are finished. */
static Status compare(AblateTable *t, int variant, CompareMetric metric, Error *e)
{
    const Ablation *a = t->a;
    const Scores *of[2][ABLATE_SEEDS_MOST];
    AblateDifference *d = &t->rows[variant].against[metric];
    const AblateMean *known = t->on_test ? t->rows[variant].test : t->rows[variant].dev;
    for (int k = 0; k < a->plan->n_seeds; k++) {
        const AblateRun *r = ablation_run(a, variant, k), *s = ablation_run(a, a->plan->reference, k);
        if (r->state != ABLATE_FINISHED || s->state != ABLATE_FINISHED) continue;
        of[0][d->seeds] = r->each + (t->on_test ? a->n_dev : 0);
        of[1][d->seeds++] = s->each + (t->on_test ? a->n_dev : 0);
    }
    if (!known[metric].n) d->seeds = 0;
    if (!d->seeds) return OK;
    Comparison c;
    Status s = compare_runs(of[0], of[1], d->seeds, t->on_test ? a->n_test : a->n_dev, metric, a->plan->resamples,
                            RESAMPLING_SEED, &c, e);
    if (s != OK) return s;
    d->difference = c.a - c.b;
    d->p = c.p_random;
    return OK;
}

static Status correct(AblateTable *t, CompareMetric metric, double *p, Error *e)
{
    int n = 0;
    for (int v = 0; v < t->n; v++)
        if (t->rows[v].against[metric].seeds) p[n++] = t->rows[v].against[metric].p;
    if (!compare_holm(p, n, p)) return error_set(e, ERR_NOMEM, "out of memory for a table");
    n = 0;
    for (int v = 0; v < t->n; v++)
        if (t->rows[v].against[metric].seeds) t->rows[v].against[metric].holm = p[n++];
    return OK;
}

Status ablate_table(AblateTable *t, const Ablation *a, Error *e)
{
    int n = a->plan->n;
    *t = (AblateTable){ .a = a, .rows = mem_calloc((size_t)n, sizeof *t->rows), .n = n, .on_test = a->n_test > 0 };
    double *p = mem_calloc((size_t)n, sizeof *p);
    Status s = t->rows && p ? OK : error_set(e, ERR_NOMEM, "out of memory for a table");
    for (int v = 0; v < n && s == OK; v++) fill_row(&t->rows[v], a, v);
    for (int m = 0; m < COMPARE_METRICS && s == OK; m++) {
        for (int v = 0; v < n && s == OK; v++)
            if (v != a->plan->reference) s = compare(t, v, (CompareMetric)m, e);
        if (s == OK) s = correct(t, (CompareMetric)m, p, e);
    }
    mem_free(p);
    return s;
}

void ablate_table_fini(AblateTable *t)
{
    mem_free(t->rows);
    *t = (AblateTable){ 0 };
}
