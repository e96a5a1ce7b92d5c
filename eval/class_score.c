/* A table of confusions, measures made from its rows and columns, and a test that exchanges
 * predictions of two systems where they differ. */
#include "eval/class_score.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/json_writer.h"
#include "eval/randomisation.h"
#include "eval/score.h"

Status class_scores_init(ClassScores *scores, int n_classes, Error *error)
{
    size_t n = (size_t)n_classes;
    *scores = (ClassScores){ .n_classes = n_classes, .confusion = mem_calloc(n * n, sizeof(long)) };
    return scores->confusion ? OK
                             : error_set(error, ERR_NOMEM, "out of memory for the confusions of %d classes", n_classes);
}

void class_scores_fini(ClassScores *scores)
{
    mem_free(scores->confusion);
    *scores = (ClassScores){ 0 };
}

static long *confusion_at(const ClassScores *s, int gold, int pred)
{
    return &s->confusion[(size_t)gold * (size_t)s->n_classes + (size_t)pred];
}

void class_scores_add(ClassScores *scores, int gold, int pred)
{
    ++*confusion_at(scores, gold, pred);
    scores->n++;
}

/* ---- measures */

double class_row_precision(ClassRow row) { return score_percent(row.right, row.pred); }
double class_row_recall(ClassRow row) { return score_percent(row.right, row.gold); }
double class_row_f1(ClassRow row) { return score_percent(2 * row.right, row.gold + row.pred); }

ClassRow class_scores_row(const ClassScores *scores, int k)
{
    ClassRow r = { .right = *confusion_at(scores, k, k) };
    for (int i = 0; i < scores->n_classes; i++) {
        r.gold += *confusion_at(scores, k, i);
        r.pred += *confusion_at(scores, i, k);
    }
    return r;
}

typedef struct Sum { /* over classes */
    double f1;
    long right, n;
    int classes; /* that gold sentences have */
} Sum;

static void sum_row(Sum *sum, ClassRow r)
{
    sum->right += r.right;
    sum->n += r.gold;
    if (!r.gold) return;
    sum->f1 += class_row_f1(r);
    sum->classes++;
}

static double sum_value(const Sum *sum, ClassMetric metric)
{
    if (metric == CLASS_ACCURACY) return score_percent(sum->right, sum->n);
    return sum->classes ? sum->f1 / sum->classes : 0;
}

double class_scores_value(const ClassScores *scores, ClassMetric metric)
{
    Sum sum = { 0 };
    for (int k = 0; k < scores->n_classes; k++) sum_row(&sum, class_scores_row(scores, k));
    return sum_value(&sum, metric);
}

double class_scores_constant(const ClassScores *scores, int pred, ClassMetric metric)
{
    Sum sum = { 0 };
    for (int k = 0; k < scores->n_classes; k++) {
        long gold = class_scores_row(scores, k).gold;
        sum_row(&sum, (ClassRow){ gold, k == pred ? scores->n : 0, k == pred ? gold : 0 });
    }
    return sum_value(&sum, metric);
}

/* ---- tables */

/* The columns of a text, which has no control characters. */
static int columns_of(const char *text)
{
    int n = 0;
    for (size_t i = 0, len = strlen(text); i < len;) n += utf8_width(utf8_next(text, len, &i));
    return n;
}

static void put_padded(StrBuf *out, const char *text, int width)
{
    strbuf_puts(out, text);
    for (int k = columns_of(text); k < width; k++) strbuf_putc(out, ' ');
}

static int widest(const char *const *names, int n, int least)
{
    int most = least;
    for (int k = 0; k < n; k++)
        if (columns_of(names[k]) > most) most = columns_of(names[k]);
    return most;
}

void class_scores_table(const ClassScores *scores, const char *const *names, StrBuf *out)
{
    int width = widest(names, scores->n_classes, 5);
    put_padded(out, "class", width);
    strbuf_puts(out, "    gold  predicted   right  precision  recall      F1\n");
    for (int k = 0; k < scores->n_classes; k++) {
        ClassRow r = class_scores_row(scores, k);
        put_padded(out, names[k], width);
        strbuf_printf(out, " %7ld    %7ld %7ld     %6.2f  %6.2f  %6.2f\n", r.gold, r.pred, r.right,
                      class_row_precision(r), class_row_recall(r), class_row_f1(r));
    }
    strbuf_puts(out,
                "\nconfusions: a row for each gold class, a column for each predicted one, numbered as the rows\n");
    put_padded(out, "", width + 4);
    for (int k = 0; k < scores->n_classes; k++) strbuf_printf(out, " %5d", k + 1);
    strbuf_putc(out, '\n');
    for (int g = 0; g < scores->n_classes; g++) {
        put_padded(out, names[g], width);
        strbuf_printf(out, " %3d", g + 1);
        for (int p = 0; p < scores->n_classes; p++) {
            long count = *confusion_at(scores, g, p);
            if (count) strbuf_printf(out, " %5ld", count);
            else strbuf_puts(out, "     .");
        }
        strbuf_putc(out, '\n');
    }
}

void class_scores_members(const ClassScores *scores, const char *const *names, StrBuf *out)
{
    json_object(out, "classes");
    for (int k = 0; k < scores->n_classes; k++) {
        ClassRow r = class_scores_row(scores, k);
        json_record(out, names[k], "gold: %ld, predicted: %ld, right: %ld, precision: %.2f, recall: %.2f, f1: %.2f",
                    r.gold, r.pred, r.right, class_row_precision(r), class_row_recall(r), class_row_f1(r));
    }
    json_object_end(out);
    json_object(out, "confusion");
    for (int g = 0; g < scores->n_classes; g++) {
        json_object(out, names[g]);
        for (int p = 0; p < scores->n_classes; p++)
            if (*confusion_at(scores, g, p)) json_long(out, names[p], *confusion_at(scores, g, p));
        json_object_end(out);
    }
    json_object_end(out);
}

/* ---- comparison */

typedef struct Test {
    const int *gold, *const *a, *const *b; /* of class_scores_compare */
    int n, runs, n_classes;
    ClassMetric metric;
    RandomisationPair *pairs; /* [n_pairs] where the systems differ */
    int n_pairs;
    ClassRow *observed, *x; /* [runs][2][n_classes] counts of both systems; counts of a sample */
} Test;

static size_t rows_of_run(const Test *t) { return 2 * (size_t)t->n_classes; }

static double value_of(const Test *t, const ClassRow *rows)
{
    Sum sum = { 0 };
    for (int k = 0; k < t->n_classes; k++) sum_row(&sum, rows[k]);
    return sum_value(&sum, t->metric);
}

/* The mean over runs of the difference between the systems. */
static double mean_difference(void *context)
{
    const Test *t = context;
    double sum = 0;
    for (int r = 0; r < t->runs; r++) {
        const ClassRow *rows = t->x + (size_t)r * rows_of_run(t);
        sum += value_of(t, rows) - value_of(t, rows + t->n_classes);
    }
    return sum / t->runs;
}

static void start(void *context)
{
    const Test *t = context;
    memcpy(t->x, t->observed, (size_t)t->runs * rows_of_run(t) * sizeof *t->x);
}

/* Adds a sentence of a prediction, or with -1 takes it away. */
static void count(ClassRow *rows, int gold, int pred, int times)
{
    rows[gold].gold += times;
    rows[pred].pred += times;
    if (gold == pred) rows[gold].right += times;
}

static void exchange(void *context, int pair)
{
    const Test *t = context;
    int r = t->pairs[pair].run, k = t->pairs[pair].sentence;
    ClassRow *a = t->x + (size_t)r * rows_of_run(t), *b = a + t->n_classes;
    count(a, t->gold[k], t->a[r][k], -1);
    count(a, t->gold[k], t->b[r][k], 1);
    count(b, t->gold[k], t->b[r][k], -1);
    count(b, t->gold[k], t->a[r][k], 1);
}

/* The counts that were observed, and the pairs that differ. */
static bool collect(Test *t)
{
    int cap = 0;
    for (int r = 0; r < t->runs; r++) {
        ClassRow *a = t->observed + (size_t)r * rows_of_run(t), *b = a + t->n_classes;
        for (int k = 0; k < t->n; k++) {
            count(a, t->gold[k], t->a[r][k], 1);
            count(b, t->gold[k], t->b[r][k], 1);
            if (t->a[r][k] == t->b[r][k]) continue;
            if (!mem_reserve(t->pairs, &cap, t->n_pairs + 1)) return false;
            t->pairs[t->n_pairs++] = (RandomisationPair){ r, k };
        }
    }
    return true;
}

Status class_scores_compare(const int *gold, const int *const *a, const int *const *b, int runs, int n, int n_classes,
                            ClassMetric metric, long samples, uint64_t seed, Comparison *out, Error *error)
{
    Test t = { gold, a, b, n, runs, n_classes, metric, NULL, 0, NULL, NULL };
    size_t rows = (size_t)runs * rows_of_run(&t);
    t.observed = mem_calloc(rows, sizeof *t.observed);
    t.x = mem_calloc(rows, sizeof *t.x);
    bool ok = t.observed && t.x && collect(&t);
    if (ok) {
        const Randomisation r = { t.pairs, t.n_pairs, &t, start, exchange, mean_difference };
        *out =
            (Comparison){ .low = NAN, .high = NAN, .p_bootstrap = NAN, .p_random = randomisation_p(&r, samples, seed) };
        for (int k = 0; k < runs; k++) {
            const ClassRow *of_run = t.observed + (size_t)k * rows_of_run(&t);
            out->a += value_of(&t, of_run) / runs;
            out->b += value_of(&t, of_run + n_classes) / runs;
        }
    }
    mem_free_each(t.observed, t.x, t.pairs);
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory comparing");
}
