/* Intervals of all cells from the same samples of sentences, then tables and rows. */
#include <math.h>
#include <stdlib.h>

#include "base/json_writer.h"
#include "base/rng.h"
#include "explain/faithful.h"

static const char *const KINDS[FAITHFUL_KINDS] = { "spans", "arcs", "types", "parse" };
static const char *const MEASURES[FAITHFUL_MEASURES] = {
    "comprehensiveness", "sufficiency", "flips", "exchange", "exchange_flips", "aopc", "naopc", "aopc_sufficiency",
    "naopc_sufficiency", "margin",      "f1",    "uas"
};

/* ---- intervals */

enum { SAMPLES = 1000 };

typedef struct Sampled {
    int cells;
    double *sum, *n; /* [cells] of a sample */
    float *mean;     /* [cells, SAMPLES] NAN where a sample has no value */
    float *sorted;   /* [SAMPLES] */
} Sampled;

static bool sampled_new(Sampled *x, int cells)
{
    size_t n = (size_t)cells;
    *x = (Sampled){ cells, mem_alloc(n, sizeof *x->sum), mem_alloc(n, sizeof *x->n),
                    mem_alloc(n * SAMPLES, sizeof *x->mean), mem_alloc(SAMPLES, sizeof *x->sorted) };
    return x->sum && x->n && x->mean && x->sorted;
}

static void sampled_fini(Sampled *x) { mem_free_each(x->sum, x->n, x->mean, x->sorted); }

/* The means of the sentences first .. last - 1 of the sample, or of all sentences (key 0). */
static void add_up(const Faithful *f, Sampled *x, uint64_t key)
{
    for (int c = 0; c < x->cells; c++) x->sum[c] = x->n[c] = 0;
    for (int k = 0; k < f->sentences; k++) {
        uint64_t drawn = key ? (uint64_t)rng_bits32(key, (uint32_t)k) * (uint64_t)f->sentences >> 32 : (uint64_t)k;
        const FaithfulRatio *row = f->sums + drawn * (uint64_t)x->cells;
        for (int c = 0; c < x->cells; c++) {
            x->sum[c] += (double)row[c].sum;
            x->n[c] += (double)row[c].n;
        }
    }
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The 95 % interval of a cell's sample means; with a second cell, of the differences between the two cells. */
static void interval(Sampled *x, int cell, int less, double *low, double *high)
{
    int n = 0;
    for (int k = 0; k < SAMPLES; k++) {
        float value =
            x->mean[(size_t)cell * SAMPLES + (size_t)k] - (less < 0 ? 0 : x->mean[(size_t)less * SAMPLES + (size_t)k]);
        if (!isnan(value)) x->sorted[n++] = value;
    }
    qsort(x->sorted, (size_t)n, sizeof *x->sorted, ascending);
    *low = n ? (double)x->sorted[(int)(0.025 * (n - 1))] : NAN;
    *high = n ? (double)x->sorted[(int)ceil(0.975 * (n - 1))] : NAN;
}

Status faithful_values(const Faithful *faithful, FaithfulValue *values, Error *error)
{
    Sampled x;
    const int cells = faithful_cells(faithful), by_ranking = faithful_cell(faithful, 0, 1, 0, 0);
    bool ok = sampled_new(&x, cells);
    for (int k = 0; k < SAMPLES && ok; k++) {
        add_up(faithful, &x, rng_key(1, 0xb0, (uint64_t)k, 0));
        for (int c = 0; c < cells; c++) x.mean[(size_t)c * SAMPLES + (size_t)k] = (float)(x.sum[c] / x.n[c]);
    }
    if (ok) add_up(faithful, &x, 0);
    for (int c = 0; c < cells && ok; c++) {
        FaithfulValue *v = &values[c];
        int exact = c - c / by_ranking % RANKINGS * by_ranking;
        *v = (FaithfulValue){ .n = x.n[c] };
        if (x.n[c] <= 0) continue;
        v->value = x.sum[c] / x.n[c];
        v->above = v->value - x.sum[exact] / x.n[exact];
        interval(&x, c, -1, &v->low, &v->high);
        interval(&x, c, exact, &v->above_low, &v->above_high);
    }
    sampled_fini(&x);
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory for intervals");
}

/* ---- output */

/* Is the difference between this ranking and the exact one significant (its interval excludes 0)? */
static bool differs(const FaithfulValue *v) { return v->above_low > 0 || v->above_high < 0; }

typedef struct Columns {
    const char *title;
    int by_heads, mean, normalised; /* measures; -1: none */
} Columns;

static void put_cell(StrBuf *out, const FaithfulValue *v, double times, int digits)
{
    if (v->n <= 0) strbuf_printf(out, "%18s", "");
    else
        strbuf_printf(out, "%9.*f ±%-5.*f%c ", digits, times * v->value, digits, times * (v->high - v->low) / 2,
                      differs(v) ? '*' : ' ');
}

/* Ends a line of columns. */
static void end_line(StrBuf *out)
{
    while (out->len && out->ptr[out->len - 1] == ' ') out->len--;
    strbuf_putc(out, '\n');
}

/* A table of rankings: K heads, at most 16, the mean over all K, normalised. */
static void put_table(StrBuf *out, const Faithful *f, const FaithfulValue *v, int kind, const Columns *x, double times,
                      int digits)
{
    bool shown[FAITHFUL_STEPS] = { false };
    for (int s = 0; s < f->steps; s++)
        shown[s] = (f->step[s] == 1 || f->step[s] == 4 || f->step[s] == 16) &&
                   v[faithful_cell(f, kind, RANK_EXACT, x->by_heads, s)].n > 0;
    strbuf_printf(out, "\n  %s\n  %-10s", x->title, "K");
    for (int s = 0; s < f->steps; s++)
        if (shown[s]) strbuf_printf(out, "%9d%9s", f->step[s], "");
    if (x->mean >= 0) strbuf_printf(out, "%9s%9s%9s", "AOPC", "", "NAOPC");
    end_line(out);
    for (int r = 0; r < RANKINGS; r++) {
        strbuf_printf(out, "  %-10s", faithful_ranking_name(f, (FaithfulRanking)r));
        for (int s = 0; s < f->steps; s++)
            if (shown[s]) put_cell(out, &v[faithful_cell(f, kind, r, x->by_heads, s)], times, digits);
        if (x->mean >= 0) put_cell(out, &v[faithful_cell(f, kind, r, x->mean, 0)], times, digits);
        if (x->mean >= 0) put_cell(out, &v[faithful_cell(f, kind, r, x->normalised, 0)], 1, 3);
        end_line(out);
    }
}

void faithful_text(StrBuf *out, const Faithful *faithful, const FaithfulValue *values)
{
    static const struct {
        Columns columns;
        double times;
        int digits;
        bool parse;
    } tables[] = {
        { { "the margin falls by, without the first K heads (comprehensiveness)", FAITHFUL_COMPREHENSIVENESS,
            FAITHFUL_AOPC, FAITHFUL_NAOPC },
          1,
          3,
          false },
        { { "the margin falls by, with the first K heads alone (sufficiency; less is better)", FAITHFUL_SUFFICIENCY,
            FAITHFUL_AOPC_SUFFICIENCY, FAITHFUL_NAOPC_SUFFICIENCY },
          1,
          3,
          false },
        { { "decisions that are lost without the first K heads, %", FAITHFUL_FLIPS, -1, -1 }, 100, 1, false },
        { { "the margin falls by, where the first K heads have what they had in another sentence", FAITHFUL_EXCHANGE,
            -1, -1 },
          1,
          3,
          false },
        { { "decisions that are lost then, %", FAITHFUL_EXCHANGE_FLIPS, -1, -1 }, 100, 1, false },
        { { "F1 of the parse without the K heads that come first in all decisions of its sentence, %", FAITHFUL_F1, -1,
            -1 },
          1,
          1,
          true },
        { { "UAS of this parse, %", FAITHFUL_UAS, -1, -1 }, 1, 1, true }
    };
    if (!faithful->sentences) return;
    for (int kind = 0; kind < FAITHFUL_KINDS; kind++) {
        const FaithfulValue *margin = &values[faithful_cell(faithful, kind, RANK_EXACT, FAITHFUL_MARGIN, 0)];
        if (kind != FAITHFUL_PARSE && margin->n <= 0) continue;
        strbuf_printf(out, "%s: ", KINDS[kind]);
        if (margin->n > 0) strbuf_printf(out, "%.0f decisions, mean margin %.3f, ", margin->n, margin->value);
        strbuf_printf(out, "%d sentences\n", faithful->sentences);
        for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
            if (tables[k].parse == (kind == FAITHFUL_PARSE))
                put_table(out, faithful, values, kind, &tables[k].columns, tables[k].times, tables[k].digits);
        strbuf_putc(out, '\n');
    }
    strbuf_puts(out, "±: half of the 95 % interval (1,000 samples of the sentences); *: not as exact\n");
}

/* Calls put for each cell that has a value. */
static void each_value(StrBuf *out, const Faithful *f, const FaithfulValue *values,
                       void (*put)(StrBuf *out, const char *kind, const char *ranking, int measure, int heads,
                                   const FaithfulValue *v))
{
    for (int kind = 0; kind < FAITHFUL_KINDS; kind++)
        for (int r = 0; r < RANKINGS; r++)
            for (int m = 0; m < FAITHFUL_MEASURES; m++)
                for (int s = 0; s < f->steps; s++) {
                    const FaithfulValue *v = &values[faithful_cell(f, kind, r, m, s)];
                    bool by_heads = m < FAITHFUL_BY_HEADS || kind == FAITHFUL_PARSE;
                    if (v->n > 0)
                        put(out, KINDS[kind], faithful_ranking_name(f, (FaithfulRanking)r), m,
                            by_heads ? f->step[s] : 0, v);
                }
}

static void put_row(StrBuf *out, const char *kind, const char *ranking, int measure, int heads, const FaithfulValue *v)
{
    strbuf_printf(out, "%s\t%s\t%s\t", kind, ranking, MEASURES[measure]);
    if (heads) strbuf_printf(out, "%d", heads);
    strbuf_printf(out, "\t%.0f\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\n", v->n, v->value, v->low, v->high, v->above,
                  v->above_low, v->above_high);
}

void faithful_tsv(StrBuf *out, const Faithful *faithful, const FaithfulValue *values)
{
    strbuf_puts(out, "kind\tranking\tmeasure\theads\tn\tvalue\tlow\thigh\tabove_exact\tabove_low\tabove_high\n");
    each_value(out, faithful, values, put_row);
}

static void put_object(StrBuf *out, const char *kind, const char *ranking, int measure, int heads,
                       const FaithfulValue *v)
{
    json_line(out);
    json_object(out, NULL);
    json_members(out, "kind: %s, ranking: %s, measure: %s", kind, ranking, MEASURES[measure]);
    if (heads) json_members(out, "heads: %d", heads);
    json_members(out, "n: %.0f, value: %.6g, low: %.6g, high: %.6g", v->n, v->value, v->low, v->high);
    json_members(out, "above_exact: %.6g, above_low: %.6g, above_high: %.6g", v->above, v->above_low, v->above_high);
    json_object_end(out);
}

void faithful_json(StrBuf *out, const Faithful *faithful, const FaithfulValue *values)
{
    json_object(out, NULL);
    json_members(out, "sentences: %d, heads: %d", faithful->sentences, faithful->sets.heads);
    json_array(out, "values");
    each_value(out, faithful, values, put_object);
    json_array_end(out);
    json_object_end(out);
    strbuf_putc(out, '\n');
}
