/* A table as text, TSV and JSON */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "program/ablate/table.h"

static const double SIGNIFICANT = 0.05;

/* ---- text: columns padded by characters, because ± has two bytes */

static void pad(StrBuf *out, size_t from, int width)
{
    int columns = 0;
    for (size_t at = from; at < out->len;) columns += utf8_width(utf8_next(out->ptr, out->len, &at));
    for (; columns < width; columns++) strbuf_putc(out, ' ');
}

static void put_mean(StrBuf *out, const AblateMean *m, int digits, int width)
{
    size_t from = out->len;
    if (!m->n) strbuf_putc(out, '-');
    else if (m->mean < 1e6) strbuf_fixed(out, m->mean, digits);
    else strbuf_printf(out, "%.2e", m->mean);
    if (m->n > 1) {
        strbuf_puts(out, " ± ");
        strbuf_fixed(out, m->deviation, digits);
    }
    strbuf_puts(out, "  ");
    pad(out, from, width);
}

static void put_text(StrBuf *out, const char *text, int width)
{
    size_t from = out->len;
    strbuf_puts(out, text);
    strbuf_puts(out, "  ");
    pad(out, from, width);
}

static void end_line(StrBuf *out)
{
    while (out->len && out->ptr[out->len - 1] == ' ') strbuf_cut(out, out->len - 1);
    strbuf_putc(out, '\n');
}

static const char ORACLE[] = "ORACLE ";

static void put_name(StrBuf *out, const AblateRow *r, int width)
{
    size_t from = out->len;
    if (r->oracle) strbuf_puts(out, ORACLE);
    put_text(out, r->name, 0);
    pad(out, from, width);
}

static int name_width(const AblateTable *t)
{
    size_t width = strlen("variant");
    for (int v = 0; v < t->n; v++) {
        size_t n = strlen(t->rows[v].name) + (t->rows[v].oracle ? strlen(ORACLE) : 0);
        if (n > width) width = n;
    }
    return (int)width + 2;
}

static const AblateMeasure *measure_of(const AblateTable *t) { return t->a->plan->measure; }

static bool any_known(const AblateTable *t, bool test, int metric)
{
    bool any = false;
    for (int v = 0; v < t->n; v++) any = any || t->rows[v].score[test][metric].n;
    return any;
}

/* Room for the title after "test ", and two blanks. */
static int column_width(const AblateTable *t, int metric, int least)
{
    int width = (int)strlen(measure_of(t)->metric[metric].title) + 7;
    return width > least ? width : least;
}

static void put_scores(const AblateTable *t, StrBuf *out)
{
    const AblateMeasure *x = measure_of(t);
    int width = name_width(t), column = t->a->plan->n_seeds > 1 ? 15 : 10;
    put_text(out, "variant", width);
    strbuf_puts(out, "seeds  ");
    for (int k = 0; k < 2 * x->n_metrics; k++) {
        char title[32];
        int m = k % x->n_metrics;
        bool test = k >= x->n_metrics;
        snprintf(title, sizeof title, "%s %s", test ? "test" : "dev", x->metric[m].title);
        if (any_known(t, test, m)) put_text(out, title, column_width(t, m, column));
    }
    end_line(out);
    for (int v = 0; v < t->n; v++) {
        const AblateRow *r = &t->rows[v];
        put_name(out, r, width);
        strbuf_printf(out, "%5d  ", r->seeds);
        for (int k = 0; k < 2 * x->n_metrics; k++) {
            int m = k % x->n_metrics;
            bool test = k >= x->n_metrics;
            if (any_known(t, test, m))
                put_mean(out, &r->score[test][m], x->metric[m].digits, column_width(t, m, column));
        }
        end_line(out);
    }
}

static void put_models(const AblateTable *t, StrBuf *out)
{
    int width = name_width(t);
    put_text(out, "variant", width);
    strbuf_puts(out, "heads     rho    updates  early loss  training      trained/s  scored/s\n");
    for (int v = 0; v < t->n; v++) {
        const AblateRow *r = &t->rows[v];
        char heads[32] = "-";
        put_name(out, r, width);
        if (r->label_heads) snprintf(heads, sizeof heads, "%d + %d", r->self_heads, r->label_heads);
        else if (r->seeds) snprintf(heads, sizeof heads, "%d", r->self_heads);
        put_text(out, heads, 10);
        const struct {
            const AblateMean *mean;
            int digits, width;
        } columns[] = { { &r->rho, 3, 7 },      { &r->updates, 0, 9 },         { &r->early_loss, 3, 12 },
                        { &r->seconds, 1, 12 }, { &r->training_speed, 0, 11 }, { &r->speed, 0, 0 } };
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            AblateMean mean = *columns[k].mean; /* without its deviation */
            if (mean.n > 1) mean.n = 1;
            if (columns[k].mean == &r->seconds && mean.n) {
                char time[32];
                snprintf(time, sizeof time, "%.1f min", mean.mean / 60);
                put_text(out, time, 14);
            } else if (columns[k].mean == &r->seconds) put_text(out, "-", 14);
            else put_mean(out, &mean, columns[k].digits, columns[k].width);
        }
        end_line(out);
    }
}

static int compared(const AblateTable *t)
{
    int n = 0;
    for (int v = 0; v < t->n; v++) {
        bool any = false;
        for (int m = 0; m < measure_of(t)->n_metrics; m++) any = any || t->rows[v].against[m].seeds;
        n += any;
    }
    return n;
}

static int difference_width(const AblateTable *t, int metric)
{
    int title = (int)strlen(measure_of(t)->metric[metric].title), number = 4 + measure_of(t)->metric[metric].digits;
    return title > number ? title : number;
}

static void put_differences(const AblateTable *t, StrBuf *out)
{
    const AblatePlan *plan = t->a->plan;
    const AblateMeasure *x = plan->measure;
    int width = name_width(t), n = compared(t);
    if (!n) return;
    strbuf_printf(out,
                  "\ndifference to %s on %s, in points; p: paired randomisation over %d %ss of each seed that both "
                  "have,\n%ld samples; Holm: p corrected for %d variant%s; * marks a corrected p below .05\n",
                  plan->variants[plan->reference].name, t->on_test ? "test" : "dev",
                  t->on_test ? t->a->n_test : t->a->n_dev, x->unit, plan->resamples, n, n > 1 ? "s" : "");
    put_text(out, "variant", width);
    for (int m = 0; m < x->n_metrics; m++)
        if (any_known(t, t->on_test, m))
            strbuf_printf(out, "%*s  p       Holm      ", difference_width(t, m), x->metric[m].title);
    end_line(out);
    for (int v = 0; v < t->n; v++) {
        if (v == plan->reference) continue;
        put_name(out, &t->rows[v], width);
        for (int m = 0; m < x->n_metrics; m++) {
            const AblateDifference *d = &t->rows[v].against[m];
            if (!any_known(t, t->on_test, m)) continue;
            if (d->seeds)
                strbuf_printf(out, "%+*.*f  %.4f  %.4f %s  ", difference_width(t, m), x->metric[m].digits,
                              d->difference, d->p, d->holm, d->holm < SIGNIFICANT ? "*" : " ");
            else strbuf_printf(out, "%*s  %-6s  %-6s    ", difference_width(t, m), "-", "-", "-");
        }
        end_line(out);
    }
}

/* ---- runs that are not in the table */

static const char *why_missing(const AblateTable *t, int variant, int seed)
{
    const AblateRun *r = ablation_run(t->a, variant, seed);
    int needs[ABLATE_NEEDS];
    if (r->state == ABLATE_FAILED) return r->failed;
    ablate_plan_needs(t->a->plan, variant, needs);
    for (int k = 0; k < ABLATE_NEEDS; k++)
        if (needs[k] >= 0 && ablation_run(t->a, needs[k], seed)->state != ABLATE_FINISHED)
            return "needs a run that is missing";
    return "not run";
}

static int missing(const AblateTable *t)
{
    int n = 0;
    for (int k = 0; k < t->n * t->a->plan->n_seeds; k++) n += t->a->runs[k].state != ABLATE_FINISHED;
    return n;
}

static void put_missing(const AblateTable *t, StrBuf *out)
{
    const AblatePlan *plan = t->a->plan;
    if (!missing(t)) return;
    strbuf_printf(out, "\nmissing runs%s:\n", t->a->out_of_time ? ", because of max_hours" : "");
    for (int v = 0; v < t->n; v++)
        for (int k = 0; k < plan->n_seeds; k++)
            if (ablation_run(t->a, v, k)->state != ABLATE_FINISHED)
                strbuf_printf(out, "  %s, seed %ld: %s\n", plan->variants[v].name, plan->seeds[k],
                              why_missing(t, v, k));
}

static void write_text(const AblateTable *t, StrBuf *out)
{
    const AblatePlan *plan = t->a->plan;
    if (plan->n_seeds > 1) strbuf_puts(out, "mean ± standard deviation over seeds; models are chosen on dev\n");
    else strbuf_puts(out, "models are chosen on dev\n");
    put_scores(t, out);
    strbuf_putc(out, '\n');
    put_models(t, out);
    put_differences(t, out);
    put_missing(t, out);
}

/* ---- TSV and JSON: the same columns */

typedef struct Cell {
    char name[64];
    double value;
    int digits;
    bool known;
} Cell;

enum { CELLS_MOST = 40 };

static void add(Cell *cells, int *n, const char *before, const char *name, double value, int digits, bool known)
{
    Cell *c = &cells[(*n)++];
    *c = (Cell){ .value = value, .digits = digits, .known = known };
    snprintf(c->name, sizeof c->name, "%s%s", before, name);
}

static void add_mean(Cell *cells, int *n, const char *before, const char *name, const AblateMean *m, int digits)
{
    char deviation[32];
    snprintf(deviation, sizeof deviation, "%s_deviation", name);
    add(cells, n, before, name, m->mean, digits, m->n > 0);
    add(cells, n, before, deviation, m->deviation, digits, m->n > 1);
}

static int fill_cells(const AblateMeasure *x, const AblateRow *r, Cell *cells)
{
    int n = 0;
    add(cells, &n, "", "seeds", r->seeds, 0, true);
    add(cells, &n, "", "oracle", r->oracle, 0, true);
    for (int k = 0; k < 2 * x->n_metrics; k++) {
        int test = k >= x->n_metrics, m = k % x->n_metrics;
        add_mean(cells, &n, test ? "test_" : "dev_", x->metric[m].key, &r->score[test][m], 4);
    }
    for (int m = 0; m < x->n_metrics; m++) {
        const AblateDifference *d = &r->against[m];
        add(cells, &n, "difference_", x->metric[m].key, d->difference, 4, d->seeds > 0);
        add(cells, &n, "p_", x->metric[m].key, d->p, 6, d->seeds > 0);
        add(cells, &n, "holm_", x->metric[m].key, d->holm, 6, d->seeds > 0);
    }
    add(cells, &n, "", "self_heads", r->self_heads, 0, r->seeds > 0);
    add(cells, &n, "", "label_heads", r->label_heads, 0, r->seeds > 0);
    add(cells, &n, "", "rho", r->rho.mean, 4, r->rho.n > 0);
    add(cells, &n, "", "updates", r->updates.mean, 0, r->updates.n > 0);
    add(cells, &n, "", "early_loss", r->early_loss.mean, 4, r->early_loss.n > 0);
    add(cells, &n, "", "loss", r->loss.mean, 4, r->loss.n > 0);
    add(cells, &n, "", "training_seconds", r->seconds.mean, 1, r->seconds.n > 0);
    add(cells, &n, "", "training_sentences_per_s", r->training_speed.mean, 1, r->training_speed.n > 0);
    add(cells, &n, "", "sentences_per_s", r->speed.mean, 1, r->speed.n > 0);
    return n;
}

static void write_tsv(const AblateTable *t, StrBuf *out)
{
    Cell cells[CELLS_MOST];
    for (int v = -1; v < t->n; v++) { /* the names first */
        int n = fill_cells(measure_of(t), &t->rows[v < 0 ? 0 : v], cells);
        strbuf_puts(out, v < 0 ? "variant" : t->rows[v].name);
        for (int k = 0; k < n; k++) {
            strbuf_putc(out, '\t');
            if (v < 0) strbuf_puts(out, cells[k].name);
            else if (cells[k].known) strbuf_fixed(out, cells[k].value, cells[k].digits);
        }
        strbuf_putc(out, '\n');
    }
}

static void put_variant(const AblateTable *t, int v, StrBuf *out)
{
    Cell cells[CELLS_MOST];
    int n = fill_cells(measure_of(t), &t->rows[v], cells);
    json_line(out);
    strbuf_putc(out, ' ');
    json_object(out, NULL);
    json_string(out, "variant", t->rows[v].name);
    for (int k = 0; k < n; k++) json_fixed(out, cells[k].name, cells[k].known ? cells[k].value : NAN, cells[k].digits);
    json_object_end(out);
}

static void write_json(const AblateTable *t, StrBuf *out)
{
    const AblatePlan *plan = t->a->plan;
    json_object(out, NULL);
    json_members(out, "reference: %s, differences_on: %s, dev_sentences: %d, test_sentences: %d, resamples: %ld",
                 plan->variants[plan->reference].name, t->on_test ? "test" : "dev", t->a->n_dev, t->a->n_test,
                 plan->resamples);
    json_array(out, "variants");
    for (int v = 0; v < t->n; v++) put_variant(t, v, out);
    json_array_end(out);
    json_line(out);
    strbuf_putc(out, ' ');
    json_array(out, "missing");
    for (int v = 0; v < t->n; v++)
        for (int k = 0; k < plan->n_seeds; k++)
            if (ablation_run(t->a, v, k)->state != ABLATE_FINISHED)
                json_record(out, NULL, "variant: %s, seed: %ld, why: %s", plan->variants[v].name, plan->seeds[k],
                            why_missing(t, v, k));
    strbuf_puts(out, "]}\n");
}

void ablate_table_write(const AblateTable *t, AblateFormat format, StrBuf *out)
{
    if (format == ABLATE_TEXT) write_text(t, out);
    else if (format == ABLATE_TSV) write_tsv(t, out);
    else write_json(t, out);
}
