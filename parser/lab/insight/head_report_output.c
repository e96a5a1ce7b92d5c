/* parser/lab/insight/head_report_output.c: what attention heads do, as a table and text, TSV and JSON */
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "parser/lab/insight/head_names.h"
#include "parser/lab/insight/head_summary.h"

const char *const HEAD_REPORT_IMPORTANCE_NAMES[] = { "taylor_param", "taylor_group", "gate", "gate_token",
                                                     "importance" };

/* The head's name, "2:8" or "label:12", in a form with one %s. */
static void put_layer(StrBuf *out, const HeadReport *r, int h, const char *form)
{
    char name[HEAD_NAME];
    head_report_name(r, h, name);
    strbuf_printf(out, form, name);
}

void head_functions_text(StrBuf *out, const HeadReport *r, int h)
{
    static const char *const arrows[] = { "%s to head %.0f %% (baseline %.0f %%)",
                                          "head to %s %.0f %% (baseline %.0f %%)" };
    const HeadFunctions *f = &r->functions;
    const char *comma = "";
    for (int d = 0; d < 2; d++) {
        double share = head_summary_ratio((double)f->positional[d][h], (double)f->positional_queries[d]);
        if (f->positional_queries[d] < FUNCTION_QUERIES || share < FUNCTION_POSITIONAL) continue;
        strbuf_printf(out, "%s%s word %.0f %%", comma, d ? "next" : "previous", 100 * share);
        comma = ", ";
    }
    for (int k = 0; k < HEAD_RELATIONS; k++)
        for (int d = 0; d < 2; d++) {
            double n = (double)f->relation_queries[k][d], share = head_summary_ratio((double)f->relation[k][d][h], n),
                   base = head_summary_ratio((double)f->baseline[k][d], n);
            if (f->relation_queries[k][d] < FUNCTION_QUERIES || share < base + FUNCTION_ABOVE_BASELINE || !r->counts)
                continue;
            strbuf_puts(out, comma);
            strbuf_printf(out, arrows[d], HEAD_RELATION_NAMES[k], 100 * share, 100 * base);
            comma = ", ";
        }
}

static void put_patterns_of(StrBuf *out, const char *what, const PatternList *l)
{
    strbuf_puts(out, out->len ? ", " : "");
    strbuf_puts(out, what);
    for (int k = 0; k < l->n; k++) {
        strbuf_printf(out, "%s %s", k ? " +" : "", pattern_name(l->item[k].kind));
        if (l->item[k].label) strbuf_printf(out, " %s", l->item[k].label);
    }
}

void head_options_text(StrBuf *out, const HeadReport *r, int h)
{
    const Encoder *enc = &r->m->net.encoder;
    const HeadPlan *p = &enc->plan;
    StrBuf text = { 0 };
    int l = 0;
    while (h >= r->first[l + 1]) l++;
    int number = enc->head[l][h - r->first[l]], slot = p->slot_of_head[l] ? p->slot_of_head[l][number] : -1;
    bool keys = l == layer_label(p->layers) && !p->label_rows;
    if (slot >= 0)
        put_patterns_of(&text, p->fixed[l] && p->fixed[l][number] ? "fixed" : "mask",
                        keys ? p->keys[slot] : p->slot[slot]);
    for (int g = 0; g < p->n_guides; g++)
        for (int k = 0; k < p->guide[g].n; k++)
            if (p->guide[g].layer[k] == l && p->guide[g].head[k] == number)
                put_patterns_of(&text, "guide", p->guide[g].patterns);
    strbuf_add(out, text.ptr ? text.ptr : "", text.len);
    out->failed = out->failed || text.failed;
    strbuf_fini(&text);
}

/* What acts on the head, in brackets, and its functions. */
static void put_marked_functions(StrBuf *out, const HeadReport *r, int h)
{
    StrBuf options = { 0 };
    head_options_text(&options, r, h);
    if (options.len) strbuf_printf(out, "[%s] ", options.ptr);
    out->failed = out->failed || options.failed;
    strbuf_fini(&options);
    head_functions_text(out, r, h);
}

void head_report_importance(const HeadReport *r, int importance, HeadNormalise normalise, double *out)
{
    double n = (double)r->losses, tokens = (double)r->loss_words;
    int heads[MAX_LAYERS + 1];
    for (int h = 0; h < r->n_heads; h++)
        out[h] = importance == IMPORTANCE_TAYLOR_PARAM   ? r->taylor_param[h]
                 : importance == IMPORTANCE_TAYLOR_GROUP ? r->taylor_group[h]
                 : importance == IMPORTANCE_GATE         ? head_summary_ratio(r->gate[h], n)
                                                         : head_summary_ratio(r->gate_token[h], tokens);
    for (int l = 0; l < r->n_layers; l++) heads[l] = r->first[l + 1] - r->first[l];
    head_normalise(out, heads, r->n_layers, normalise);
}

bool head_report_pattern(const HeadReport *r, int k, double *gr, ThreeSigma *t)
{
    const GlobalRelevance *g = &r->gr[k];
    for (int h = 0; h < r->n_heads && g->sentences; h++) gr[h] = g->sum[h] / (double)g->sentences;
    if (g->sentences) *t = three_sigma(gr, r->n_heads);
    return g->sentences > 0;
}

/* Pads a name that begins at byte `from` of out to the columns of the longest one. */
static void pad_name(StrBuf *out, const HeadNames *names, const HeadReport *r, size_t from)
{
    size_t widest = 10, own = out->len - from;
    for (int h = 0; h < r->n_heads; h++) {
        StrBuf name = { 0 };
        head_names_put_named(&name, names, r, h);
        if (name.len > widest) widest = name.len;
        strbuf_fini(&name);
    }
    /* the dot has two bytes */
    for (size_t k = own - (out->ptr && memchr(out->ptr + from, '\302', own)); k + 1 < widest; k++)
        strbuf_putc(out, ' ');
}

static void put_table(StrBuf *out, const HeadReport *r, const HeadNames *names, int importance, const double *shown)
{
    const HeadFunctions *x = &r->functions;
    size_t from = out->len;
    strbuf_puts(out, "head");
    pad_name(out, names, r, from);
    strbuf_printf(out, " confidence  %12s  spans  arcs  previous  next  rarest  functions\n",
                  HEAD_REPORT_IMPORTANCE_NAMES[importance]);
    for (int h = 0; h < r->n_heads; h++) {
        from = out->len;
        head_names_put_named(out, names, r, h);
        pad_name(out, names, r, from);
        strbuf_printf(out, " %10.3f", head_summary_ratio(x->confidence[h], (double)x->queries));
        if (importance == IMPORTANCE_NONE) strbuf_printf(out, "  %12s", "-");
        else strbuf_printf(out, "  %12.4f", shown[h]);
        for (int k = 0; k < EXPLAINED; k++)
            if (r->explain[k])
                strbuf_printf(out, "  %4.1f%%", 100 * head_summary_ratio(r->share[k][h], (double)r->explained[k]));
            else strbuf_puts(out, "      -");
        for (int d = 0; d < 2; d++)
            strbuf_printf(out, "  %5.1f%%",
                          100 * head_summary_ratio((double)x->positional[d][h], (double)x->positional_queries[d]));
        if (x->rare_queries)
            strbuf_printf(out, "  %5.1f%%  ",
                          100 * head_summary_ratio((double)x->rare_one[h], (double)x->rare_queries));
        else strbuf_puts(out, "       -  ");
        put_marked_functions(out, r, h);
        strbuf_putc(out, '\n');
    }
}

static void put_patterns(StrBuf *out, const HeadReport *r, const HeadNames *names)
{
    const int n = r->n_heads;
    double *gr = mem_alloc((size_t)n, sizeof *gr);
    if (!gr) {
        out->failed = true;
        return;
    }
    strbuf_puts(out, "\nglobal relevance of patterns: share of the attention inside the pattern; heads above mean + 3 "
                     "standard deviations with their z\n");
    for (int k = 0; k < r->n_patterns; k++) {
        ThreeSigma t;
        if (!head_report_pattern(r, k, gr, &t)) {
            strbuf_printf(out, "%-24s not measured: no sentence has what it needs\n", r->pattern_text[k]);
            continue;
        }
        strbuf_printf(out, "%-24s uniform %.3f  mean %.3f  threshold %.3f ", r->pattern_text[k],
                      r->gr[k].uniform / (double)r->gr[k].sentences, t.mean, t.threshold);
        if (n <= THREE_SIGMA_HEADS) strbuf_puts(out, " (of 10 heads or fewer none can exceed the threshold)");
        int top = 0;
        for (int h = 0; h < n; h++) {
            if (gr[h] > gr[top]) top = h;
            if (gr[h] <= t.threshold) continue;
            strbuf_puts(out, "  ");
            head_names_put_named(out, names, r, h);
            strbuf_printf(out, " %.3f (z %.1f)", gr[h], head_summary_ratio(gr[h] - t.mean, t.deviation));
        }
        if (gr[top] <= t.threshold) {
            strbuf_puts(out, " none; highest ");
            head_names_put_named(out, names, r, top);
            strbuf_printf(out, " %.3f (z %.1f)", gr[top], head_summary_ratio(gr[top] - t.mean, t.deviation));
        }
        strbuf_putc(out, '\n');
    }
    mem_free(gr);
}

/* ---- everything as numbers */

typedef struct NamedValue {
    char name[80];
    double value;
} NamedValue;

enum { VALUES_MOST = 6 + 2 * HEAD_RELATIONS + 4 + 2 * EXPLAINED + REPORT_PATTERNS };

static void add_value(NamedValue *out, int *n, const char *name, const char *suffix, double value)
{
    snprintf(out[*n].name, sizeof out[*n].name, "%s%s", name, suffix);
    out[(*n)++].value = value;
}

static int values_of(const HeadReport *r, int h, NamedValue *out)
{
    static const char *const explained[] = { "spans", "arcs" }, *const ways[] = { "_to_head", "_to_dependent" };
    const HeadFunctions *x = &r->functions;
    const double queries = (double)x->queries, rare = (double)x->rare_queries, losses = (double)r->losses;
    int n = 0;
    add_value(out, &n, "confidence", "", head_summary_ratio(x->confidence[h], queries));
    add_value(out, &n, "previous", "",
              head_summary_ratio((double)x->positional[0][h], (double)x->positional_queries[0]));
    add_value(out, &n, "next", "", head_summary_ratio((double)x->positional[1][h], (double)x->positional_queries[1]));
    add_value(out, &n, "rarest", "", head_summary_ratio((double)x->rare_one[h], rare));
    add_value(out, &n, "two_rarest", "", head_summary_ratio((double)x->rare_two[h], rare));
    for (int k = 0; k < HEAD_RELATIONS; k++)
        for (int d = 0; d < 2; d++)
            add_value(out, &n, HEAD_RELATION_NAMES[k], ways[d],
                      head_summary_ratio((double)x->relation[k][d][h], (double)x->relation_queries[k][d]));
    add_value(out, &n, "taylor_param", "", r->taylor_param[h]);
    add_value(out, &n, "taylor_group", "", r->taylor_group[h]);
    add_value(out, &n, "gate", "", head_summary_ratio(r->gate[h], losses));
    add_value(out, &n, "gate_token", "", head_summary_ratio(r->gate_token[h], (double)r->loss_words));
    if (r->n_masked) add_value(out, &n, "masking", "", r->masked[h] / (double)r->n_masked);
    for (int k = 0; k < EXPLAINED; k++) {
        if (!r->explain[k]) continue;
        add_value(out, &n, "relevance_share_", explained[k],
                  head_summary_ratio(r->share[k][h], (double)r->explained[k]));
        add_value(out, &n, "relevance_", explained[k], head_summary_ratio(r->part[k][h], (double)r->explained[k]));
    }
    for (int k = 0; k < r->n_patterns; k++)
        if (r->gr[k].sentences)
            add_value(out, &n, "gr:", r->pattern_text[k], r->gr[k].sum[h] / (double)r->gr[k].sentences);
    return n;
}

/* Correlation of each measure with the loss when the head is masked. */
static void put_masking(StrBuf *out, const HeadReport *r)
{
    size_t heads = (size_t)r->n_heads;
    NamedValue(*all)[VALUES_MOST] = mem_alloc(heads, sizeof *all); /* by head */
    double *a = mem_alloc(heads, sizeof *a), *b = mem_alloc(heads, sizeof *b);
    int n = 0, masking = -1;
    if (!all || !a || !b) out->failed = true;
    for (int h = 0; h < r->n_heads && !out->failed; h++) n = values_of(r, h, all[h]);
    for (int k = 0; k < n; k++)
        if (strcmp(all[0][k].name, "masking") == 0) masking = k;
    if (masking >= 0)
        strbuf_printf(
            out,
            "\nremoval of single heads (%ld sentences, mean loss %.3f): correlation of the growth of the loss "
            "with each measure (Pearson, Spearman)\n",
            r->n_masked, r->masked_loss / (double)r->n_masked);
    for (int k = 0; k < n && masking >= 0; k++) {
        double pearson, spearman;
        if (k == masking || strncmp(all[0][k].name, "gr:", 3) == 0) continue;
        for (size_t h = 0; h < heads; h++) {
            a[h] = all[h][k].value;
            b[h] = all[h][masking].value;
        }
        if (!head_correlation(a, b, r->n_heads, &pearson, &spearman)) out->failed = true;
        strbuf_printf(out, "  %-28s %+.3f  %+.3f\n", all[0][k].name, pearson, spearman);
    }
    mem_free(all);
    mem_free(a);
    mem_free(b);
}

void head_report_tsv(StrBuf *out, const HeadReport *r)
{
    NamedValue v[VALUES_MOST];
    for (int h = 0; h < r->n_heads; h++) {
        int n = values_of(r, h, v);
        for (int k = 0; k < n && h == 0; k++) strbuf_printf(out, "%s%s", k ? "\t" : "head\t", v[k].name);
        if (h == 0) strbuf_putc(out, '\n');
        put_layer(out, r, h, "%s");
        for (int k = 0; k < n; k++) strbuf_printf(out, "\t%.8g", v[k].value);
        strbuf_putc(out, '\n');
    }
}

static void put_relation(StrBuf *out, const HeadFunctions *x, int k, int d)
{
    double n = (double)x->relation_queries[k][d];
    char name[64];
    snprintf(name, sizeof name, "%s_%s", HEAD_RELATION_NAMES[k], d ? "to_dependent" : "to_head");
    json_record(out, name, "queries: %.0f, offset: %d, baseline: %.6g", n, x->offset[k][d],
                head_summary_ratio((double)x->baseline[k][d], n));
}

static void put_head_json(StrBuf *out, const HeadReport *r, int h)
{
    NamedValue v[VALUES_MOST];
    char name[HEAD_NAME];
    StrBuf options = { 0 };
    int n = values_of(r, h, v);
    json_object(out, NULL);
    head_report_name(r, h, name);
    json_string(out, "head", name);
    head_options_text(&options, r, h);
    out->failed |= options.failed;
    if (options.len) json_take(out, "options", &options);
    else strbuf_fini(&options);
    for (int k = 0; k < n; k++) json_real(out, v[k].name, "%.8g", v[k].value);
    json_object_end(out);
}

void head_report_json(StrBuf *out, const HeadReport *r)
{
    const HeadFunctions *x = &r->functions;
    json_object(out, NULL);
    json_members(out, "sentences: %ld, words: %ld, losses: %ld, conservation_error: %.2e", r->sentences, x->queries,
                 r->losses, r->worst);
    json_object(out, "relations");
    for (int k = 0; k < HEAD_RELATIONS; k++)
        for (int d = 0; d < 2; d++) put_relation(out, x, k, d);
    json_object_end(out);
    json_long(out, "rare_queries", x->rare_queries);
    json_array(out, "heads");
    for (int h = 0; h < r->n_heads; h++) put_head_json(out, r, h);
    strbuf_puts(out, "]}\n");
}

/* Queries Q B and keys K B^-T give the same model for any invertible B. */
static const char TAYLOR_PARAM_NOTE[] =
    "\ntaylor_param depends on the basis of queries and keys, which the model leaves open; gate and taylor_group do "
    "not.\n";

void head_report_text(StrBuf *out, const HeadReport *r, const HeadNames *names, int importance, const double *shown)
{
    put_table(out, r, names, importance, shown);
    if (importance == IMPORTANCE_TAYLOR_PARAM) strbuf_puts(out, TAYLOR_PARAM_NOTE);
    if (names && (names->kept || !head_names_given(names))) {
        strbuf_putc(out, '\n');
        head_names_note(out, names);
        strbuf_putc(out, '\n');
    }
    put_patterns(out, r, names);
    put_masking(out, r);
}

/* ---- attention */

/* The words with the largest weights of a query; START and STOP by these names. */
static void put_most(StrBuf *out, const Sentence *sent, const HeadWeights *w, int query, int most)
{
    int m = sent->n_words + 2;
    double *weight = mem_alloc((size_t)m, sizeof *weight);
    if (!weight) out->failed = true;
    for (int j = 0; weight && j < m; j++) weight[j] = (double)w->a[query * w->row + j * w->column];
    for (int i = 0, j = -1; weight && i < most && (j = head_summary_next_largest(weight, m, j)) >= 0; i++) {
        if (i && weight[j] < 0.05) break;
        strbuf_printf(out, "  %s %.2f", j == 0 ? "START" : j == m - 1 ? "STOP" : sent->words[j - 1], weight[j]);
    }
    strbuf_putc(out, '\n');
    mem_free(weight);
}

void head_attention_text(StrBuf *out, const HeadReport *r, const HeadNames *names, int h, const Sentence *sent,
                         long number, const HeadWeights *w)
{
    enum { LABEL_WORDS = 8, WORDS = 3 };
    strbuf_putc(out, '\n');
    head_names_put_named(out, names, r, h);
    strbuf_printf(out, " in sentence %ld:\n", number);
    if (w->row == 0) put_most(out, sent, w, 0, LABEL_WORDS); /* one query for all words */
    for (int q = 1; q <= sent->n_words && w->row; q++) {
        strbuf_printf(out, "  %-16s", sent->words[q - 1]);
        put_most(out, sent, w, q, WORDS);
    }
}
