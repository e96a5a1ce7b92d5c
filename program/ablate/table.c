/* Means over seeds, and significance */
#include "program/ablate/table.h"

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

static AblateMean score_of(const Ablation *a, int variant, int metric, bool test)
{
    Values x = { 0 };
    for (int k = 0; k < a->plan->n_seeds; k++) {
        const AblateRun *r = ablation_run(a, variant, k);
        bool known;
        double value = ablate_measure_score(a->plan->measure, metric, r->sums[test], &known);
        take(&x, value, known && r->state == ABLATE_FINISHED);
    }
    return mean_of(&x);
}

static void fill_row(AblateRow *row, const Ablation *a, int variant)
{
    row->name = a->plan->variants[variant].name;
    row->oracle = encoder_options_oracle(&a->plan->variants[variant].options);
    for (int m = 0; m < a->plan->measure->n_metrics; m++)
        for (int test = 0; test < 2; test++) row->score[test][m] = score_of(a, variant, m, test);
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

/* The numbers of a metric for each seed whose runs of the variant and of the reference are both finished:
 * [n_seeds][n * width] of n units of the variant, then of the reference. */
static double *paired_numbers(const Ablation *a, int variant, int metric, bool test, int *seeds)
{
    const AblateMeasure *x = a->plan->measure;
    int n = test ? a->n_test : a->n_dev, n_seeds = a->plan->n_seeds;
    const size_t size = (size_t)n * (size_t)x->metric[metric].score->width;
    double *out = mem_calloc(2 * (size_t)n_seeds * size + 1, sizeof *out);
    *seeds = 0;
    for (int k = 0; k < n_seeds && out; k++) {
        const AblateRun *r[] = { ablation_run(a, variant, k), ablation_run(a, a->plan->reference, k) };
        if (r[0]->state != ABLATE_FINISHED || r[1]->state != ABLATE_FINISHED) continue;
        for (int i = 0; i < 2; i++)
            ablate_measure_take(x, metric, r[i]->each + (test ? (size_t)a->n_dev * (size_t)x->n_numbers : 0), n,
                                out + (size_t)(i * n_seeds + *seeds) * size);
        ++*seeds;
    }
    return out;
}

/* Compares the seeds of which the variant and the reference are finished. */
static Status compare(AblateTable *t, int variant, int metric, Error *e)
{
    const Ablation *a = t->a;
    const SumScore *score = a->plan->measure->metric[metric].score;
    const double *of[2][ABLATE_SEEDS_MOST];
    AblateDifference *d = &t->rows[variant].against[metric];
    int n = t->on_test ? a->n_test : a->n_dev, seeds;
    double *numbers = paired_numbers(a, variant, metric, t->on_test, &seeds);
    if (!numbers) return error_set(e, ERR_NOMEM, "out of memory for a table");
    for (int k = 0; k < 2 * seeds; k++)
        of[k / seeds][k % seeds] =
            numbers + (size_t)(k / seeds * a->plan->n_seeds + k % seeds) * (size_t)n * (size_t)score->width;
    d->seeds = t->rows[variant].score[t->on_test][metric].n ? seeds : 0;
    Comparison c;
    Status s =
        d->seeds ? compare_randomised(score, of[0], of[1], seeds, n, a->plan->resamples, RESAMPLING_SEED, &c, e) : OK;
    mem_free(numbers);
    if (s != OK || !d->seeds) return s;
    d->difference = c.a - c.b;
    d->p = c.p_random;
    return OK;
}

static Status correct(AblateTable *t, int metric, double *p, Error *e)
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
    for (int m = 0; m < a->plan->measure->n_metrics && s == OK; m++) {
        for (int v = 0; v < n && s == OK; v++)
            if (v != a->plan->reference) s = compare(t, v, m, e);
        if (s == OK) s = correct(t, m, p, e);
    }
    mem_free(p);
    return s;
}

void ablate_table_fini(AblateTable *t)
{
    mem_free(t->rows);
    *t = (AblateTable){ 0 };
}
