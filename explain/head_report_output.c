/* What attention heads do, as a table and text, TSV and JSON */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "lal/decoder.h"
#include "explain/head_names.h"
#include "explain/head_summary.h"

const char *const HEAD_REPORT_IMPORTANCE_NAMES[] = { "taylor_param", "taylor_group", "gate", "gate_token",
                                                     "importance" };

/* The head's name, "2:8" or "label:12", in a form with one %s. */
static void put_layer(StrBuf *out, const HeadReport *r, int h, const char *form)
{
    char name[HEAD_NAME];
    head_report_name(r, h, name);
    strbuf_printf(out, form, name);
}

double head_positional_share(const HeadFunctions *functions, int k, int h)
{
    return head_summary_ratio((double)functions->positional[k][h], (double)functions->positional_queries[k]);
}

/* What the queries of a stack attend to. */
static const char *unit_of(const HeadReport *r, int h)
{
    static const char *const units[REPORT_STACKS] = { "piece", "piece", "place" };
    return r->n_stacks > 1 ? units[head_report_stack(r, h)] : "word";
}

/* Positions, each preceded by *comma. */
static void put_positions(StrBuf *out, const HeadReport *r, int h, const char **comma)
{
    static const char *const names[HEAD_OFFSETS_NAMED] = { "previous", "next", "same", "second previous",
                                                           "second next" };
    int row;
    const HeadFunctions *f = head_report_functions(r, h, &row);
    for (int k = 0; k < HEAD_OFFSETS_NAMED; k++) {
        double share = head_positional_share(f, k, row);
        if (f->positional_queries[k] < FUNCTION_QUERIES || share < FUNCTION_POSITIONAL) continue;
        strbuf_printf(out, "%s%s %s %.0f %%", *comma, names[k], unit_of(r, h), 100 * share);
        *comma = ", ";
    }
    double share = head_summary_ratio((double)f->start[row], (double)f->queries);
    if (f->queries < FUNCTION_QUERIES || share < FUNCTION_POSITIONAL) return;
    strbuf_printf(out, "%sSTART %.0f %%", *comma, 100 * share);
    *comma = ", ";
}

void head_functions_text(StrBuf *out, const HeadReport *report, int head)
{
    static const char *const arrows[] = { "%s to head %.0f %% (baseline %.0f %%)",
                                          "head to %s %.0f %% (baseline %.0f %%)" };
    int row;
    const HeadFunctions *f = head_report_functions(report, head, &row);
    const char *comma = "";
    put_positions(out, report, head, &comma);
    for (int k = 0; k < HEAD_RELATIONS; k++)
        for (int d = 0; d < 2; d++) {
            double n = (double)f->relation_queries[k][d], share = head_summary_ratio((double)f->relation[k][d][row], n),
                   base = head_baseline(f, k, d);
            if (f->relation_queries[k][d] < FUNCTION_QUERIES || !(share >= base + FUNCTION_ABOVE_BASELINE)) continue;
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

void head_options_text(StrBuf *out, const HeadReport *report, int head)
{
    const Encoder *enc = &report->m->net.encoder;
    const Decoder *dec = network_decoder(&report->m->net);
    StrBuf text = { 0 };
    int layer = 0;
    while (head >= report->first[layer + 1]) layer++;
    const HeadLayer at = head_report_layer(report, layer);
    const HeadPlan *p = at.kind == HEADS_DECODER ? &dec->plan[DECODER_SELF]
                        : at.kind == HEADS_CROSS ? &dec->plan[DECODER_CROSS]
                                                 : &enc->plan;
    const LayerId l = at.kind == HEADS_PRETRAINED ? layer_piece(p->layers, at.l) : at.l;
    int number = head_report_number(report, at, head - report->first[layer]),
        slot = p->slot_of_head && p->slot_of_head[l] ? p->slot_of_head[l][number] : -1;
    bool keys = at.kind == HEADS_LABEL && !p->label_rows;
    if (slot >= 0)
        put_patterns_of(&text, p->fixed[l] && p->fixed[l][number] ? "fixed" : "mask",
                        keys                          ? p->keys[slot]
                        : at.kind == HEADS_PRETRAINED ? p->piece_slot[slot]
                                                      : p->slot[slot]);
    for (int g = 0; g < p->n_guides; g++)
        for (int k = 0; k < p->guide[g].n; k++)
            if (p->guide[g].layer[k] == l && p->guide[g].head[k] == number)
                put_patterns_of(&text, "guide", p->guide[g].patterns);
    strbuf_add(out, text.ptr ? text.ptr : "", text.len);
    out->failed = out->failed || text.failed;
    strbuf_fini(&text);
}

/* What acts on the head, in brackets, its gate, and its functions. */
static void put_marked_functions(StrBuf *out, const HeadReport *r, int h)
{
    StrBuf options = { 0 };
    head_options_text(&options, r, h);
    if (options.len) strbuf_printf(out, "[%s] ", options.ptr);
    if (r->has_gates && isfinite(r->gate_value[h])) strbuf_printf(out, "gate %.3g  ", r->gate_value[h]);
    out->failed = out->failed || options.failed;
    strbuf_fini(&options);
    head_functions_text(out, r, h);
}

static double token_share(const HeadReport *r, int h)
{
    long tokens = h >= r->own_heads ? r->loss_pieces : r->loss_tokens[head_report_stack(r, h)];
    return head_summary_ratio(r->gate_token[h], (double)tokens);
}

void head_report_importance(const HeadReport *report, int importance, HeadNormalise normalise, double *out)
{
    double n = (double)report->losses;
    int heads[REPORT_LAYERS];
    for (int h = 0; h < report->n_heads; h++)
        out[h] = importance == IMPORTANCE_TAYLOR_PARAM   ? report->taylor_param[h]
                 : importance == IMPORTANCE_TAYLOR_GROUP ? report->taylor_group[h]
                 : importance == IMPORTANCE_GATE         ? head_summary_ratio(report->gate[h], n)
                                                         : token_share(report, h);
    for (int l = 0; l < report->n_layers; l++) heads[l] = report->first[l + 1] - report->first[l];
    head_normalise(out, heads, report->n_layers, normalise);
}

PatternGroup head_report_group(const HeadReport *report, int group)
{
    int all = report->functions[0].heads, own = report->own_heads < all ? report->own_heads : all;
    return group == 0 ? (PatternGroup){ 0, own } : (PatternGroup){ own, all };
}

bool head_report_pattern(const HeadReport *report, int k, PatternGroup group, double *gr, ThreeSigma *sigma)
{
    const GlobalRelevance *g = &report->gr[k];
    for (int h = 0; h < g->heads && g->sentences; h++) gr[h] = g->sum[h] / (double)g->sentences;
    if (g->sentences) *sigma = three_sigma(gr + group.from, group.to - group.from);
    return g->sentences > 0;
}

/* The columns of a name: its dot has two bytes. */
static size_t columns_of(const char *name, size_t len) { return len - (name && memchr(name, '\302', len)); }

/* Pads a name that begins at byte `from` of out to the columns of the longest one. */
static void pad_name(StrBuf *out, const HeadNames *names, const HeadReport *r, size_t from)
{
    size_t widest = 9;
    for (int h = 0; h < r->n_heads; h++) {
        StrBuf name = { 0 };
        head_names_put_named(&name, names, r, h);
        size_t columns = columns_of(name.ptr, name.len);
        if (columns > widest) widest = columns;
        strbuf_fini(&name);
    }
    for (size_t k = out->ptr ? columns_of(out->ptr + from, out->len - from) : widest; k < widest; k++)
        strbuf_putc(out, ' ');
}

static void put_row(StrBuf *out, const HeadReport *r, int h)
{
    int row;
    const HeadFunctions *x = head_report_functions(r, h, &row);
    for (int k = 0; k < EXPLAINED; k++)
        if (r->explain[k])
            strbuf_printf(out, "  %4.1f%%", 100 * head_summary_ratio(r->share[k][h], (double)r->explained[k]));
        else if (r->explained_name[k]) strbuf_puts(out, "      -");
    for (int k = 0; k < 2; k++)
        if (x->positional_queries[k]) strbuf_printf(out, "  %5.1f%%", 100 * head_positional_share(x, k, row));
        else strbuf_puts(out, "       -");
    if (x->rare_queries)
        strbuf_printf(out, "  %5.1f%%  ", 100 * head_summary_ratio((double)x->rare_one[row], (double)x->rare_queries));
    else strbuf_puts(out, "       -  ");
    put_marked_functions(out, r, h);
    strbuf_putc(out, '\n');
}

static void put_table(StrBuf *out, const HeadReport *r, const HeadNames *names, int importance, const double *shown)
{
    size_t from = out->len;
    strbuf_puts(out, "head");
    pad_name(out, names, r, from);
    strbuf_printf(out, " confidence  %12s", HEAD_REPORT_IMPORTANCE_NAMES[importance]);
    for (int k = 0; k < EXPLAINED && r->explained_name[k]; k++) strbuf_printf(out, "  %s", r->explained_name[k]);
    strbuf_puts(out, "  previous  next  rarest  functions\n");
    for (int h = 0; h < r->n_heads; h++) {
        int row;
        const HeadFunctions *x = head_report_functions(r, h, &row);
        from = out->len;
        head_names_put_named(out, names, r, h);
        pad_name(out, names, r, from);
        strbuf_printf(out, " %10.3f", head_summary_ratio(x->confidence[row], (double)x->queries));
        if (importance == IMPORTANCE_NONE) strbuf_printf(out, "  %12s", "-");
        else strbuf_printf(out, "  %12.4f", shown[h]);
        put_row(out, r, h);
    }
}

/* The heads of a group that are above the threshold of a pattern, or the one with most of it. */
static void put_significant(StrBuf *out, const HeadReport *r, const HeadNames *names, PatternGroup group,
                            const double *gr, const ThreeSigma *t)
{
    int top = group.from;
    if (group.to - group.from <= THREE_SIGMA_HEADS)
        strbuf_puts(out, " (of 10 heads or fewer none can exceed the threshold)");
    for (int h = group.from; h < group.to; h++) {
        if (gr[h] > gr[top]) top = h;
        if (gr[h] <= t->threshold) continue;
        strbuf_puts(out, "  ");
        head_names_put_named(out, names, r, h);
        strbuf_printf(out, " %.3f (z %.1f)", gr[h], head_summary_ratio(gr[h] - t->mean, t->deviation));
    }
    if (gr[top] > t->threshold) return;
    strbuf_puts(out, " none; highest ");
    head_names_put_named(out, names, r, top);
    strbuf_printf(out, " %.3f (z %.1f)", gr[top], head_summary_ratio(gr[top] - t->mean, t->deviation));
}

static void put_patterns(StrBuf *out, const HeadReport *r, const HeadNames *names, int g)
{
    const PatternGroup group = head_report_group(r, g);
    double *gr = mem_alloc((size_t)r->functions[0].heads, sizeof *gr);
    if (!gr) {
        out->failed = true;
        return;
    }
    strbuf_printf(out,
                  "\nglobal relevance of patterns%s: share of the attention inside the pattern; heads above mean + 3 "
                  "standard deviations with their z\n",
                  g                 ? ", heads of the pretrained encoder"
                  : r->n_stacks > 1 ? ", heads of the encoder, between words"
                                    : "");
    for (int k = 0; k < r->n_patterns; k++) {
        ThreeSigma t;
        if (!head_report_pattern(r, k, group, gr, &t)) {
            strbuf_printf(out, "%-24s not measured: no sentence has what it needs\n", r->pattern_text[k]);
            continue;
        }
        strbuf_printf(out, "%-24s uniform %.3f  mean %.3f  threshold %.3f ", r->pattern_text[k],
                      r->gr[k].uniform / (double)r->gr[k].sentences, t.mean, t.threshold);
        put_significant(out, r, names, group, gr, &t);
        strbuf_putc(out, '\n');
    }
    mem_free(gr);
}

static void put_distance_names(StrBuf *out)
{
    strbuf_puts(out, "\ndistances of dependents from their heads in these sentences, % of the arcs (-1: the "
                     "word before the head)\n            arcs");
    for (int i = 0; i < RELATION_DISTANCES; i++) {
        int last = RELATION_DISTANCES - 1, offset = i - HEAD_OFFSET_MOST - 1;
        const char *beyond = i == 0 ? "<" : i == last ? ">" : " ";
        if (offset) strbuf_printf(out, "   %s%+d", beyond, i == 0 ? offset + 1 : i == last ? offset - 1 : offset);
    }
    strbuf_putc(out, '\n');
}

/* Distances of dependents from their heads; nothing without arcs. */
static void put_distances(StrBuf *out, const HeadReport *r)
{
    long count[RELATION_DISTANCES], arcs, rows = 0;
    for (int k = 0; k < HEAD_RELATIONS; k++) {
        if ((arcs = relation_offsets_distances(&r->arcs, k, count)) == 0) continue;
        if (rows++ == 0) put_distance_names(out);
        strbuf_printf(out, "%-8s%8ld", HEAD_RELATION_NAMES[k], arcs);
        for (int i = 0; i < RELATION_DISTANCES; i++)
            if (i != HEAD_OFFSET_MOST + 1) strbuf_printf(out, "  %4.1f", 100 * (double)count[i] / (double)arcs);
        strbuf_putc(out, '\n');
    }
}

/* ---- everything as numbers */

typedef struct NamedValue {
    char name[80];
    double value;
} NamedValue;

enum { VALUES_MOST = 10 + HEAD_OFFSETS_NAMED + 2 * HEAD_RELATIONS + 2 * EXPLAINED + REPORT_PATTERNS };

static void add_value(NamedValue *out, int *n, const char *name, const char *suffix, double value)
{
    snprintf(out[*n].name, sizeof out[*n].name, "%s%s", name, suffix);
    out[(*n)++].value = value;
}

/* NAN where nothing was counted. */
static double measured(double part, double whole) { return whole > 0 ? part / whole : NAN; }

/* Functions of a head; relations are NaN in stacks that they are not measured in. */
static void add_functions(const HeadReport *r, int h, NamedValue *out, int *n)
{
    static const char *const ways[] = { "_to_head", "_to_dependent" };
    int row;
    const HeadFunctions *x = head_report_functions(r, h, &row);
    const double queries = (double)x->queries, rare = (double)x->rare_queries;
    bool words = head_report_stack(r, h) == 0; /* and not of pieces */
    add_value(out, n, "confidence", "", measured(x->confidence[row], queries));
    for (int k = 0; k < HEAD_OFFSETS_NAMED; k++)
        add_value(out, n, HEAD_OFFSET_NAMES[k], "",
                  measured((double)x->positional[k][row], (double)x->positional_queries[k]));
    add_value(out, n, "start", "", measured((double)x->start[row], queries));
    add_value(out, n, "rarest", "", measured((double)x->rare_one[row], rare));
    add_value(out, n, "two_rarest", "", measured((double)x->rare_two[row], rare));
    for (int k = 0; k < HEAD_RELATIONS; k++)
        for (int d = 0; d < 2; d++)
            add_value(out, n, HEAD_RELATION_NAMES[k], ways[d],
                      words ? measured((double)x->relation[k][d][row], (double)x->relation_queries[k][d]) : NAN);
}

static int values_of(const HeadReport *r, int h, NamedValue *out)
{
    int n = 0;
    add_functions(r, h, out, &n);
    add_value(out, &n, "taylor_param", "", r->losses ? r->taylor_param[h] : NAN);
    add_value(out, &n, "taylor_group", "", r->losses ? r->taylor_group[h] : NAN);
    add_value(out, &n, "gate", "", measured(r->gate[h], (double)r->losses));
    add_value(out, &n, "gate_token", "", r->losses ? token_share(r, h) : NAN);
    if (r->n_masked) add_value(out, &n, "masking", "", r->masked[h] / (double)r->n_masked);
    for (int k = 0; k < EXPLAINED; k++) {
        if (!r->explain[k]) continue;
        add_value(out, &n, "relevance_share_", r->explained_name[k], measured(r->share[k][h], (double)r->explained[k]));
        add_value(out, &n, "relevance_", r->explained_name[k], measured(r->part[k][h], (double)r->explained[k]));
    }
    if (r->has_gates) add_value(out, &n, "gate_value", "", r->gate_value[h]);
    for (int k = 0; k < r->n_patterns; k++)
        if (r->gr[k].sentences)
            add_value(out, &n, "gr:", r->pattern_text[k],
                      h < r->gr[k].heads ? r->gr[k].sum[h] / (double)r->gr[k].sentences : NAN);
    return n;
}

/* Correlation of each measure with the loss when the head is masked. */
static void put_masking(StrBuf *out, const HeadReport *r)
{
    size_t heads = (size_t)r->own_heads;                           /* others cannot be removed */
    NamedValue(*all)[VALUES_MOST] = mem_alloc(heads, sizeof *all); /* by head */
    double *a = mem_alloc(heads, sizeof *a), *b = mem_alloc(heads, sizeof *b);
    int n = 0, masking = -1;
    if (!all || !a || !b) out->failed = true;
    for (int h = 0; h < r->own_heads && !out->failed; h++) n = values_of(r, h, all[h]);
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
        bool everywhere = true; /* is it measured in all stacks? */
        for (size_t h = 0; h < heads; h++) {
            a[h] = all[h][k].value;
            b[h] = all[h][masking].value;
            everywhere = everywhere && !isnan(a[h]);
        }
        if (k == masking || strncmp(all[0][k].name, "gr:", 3) == 0 || !everywhere) continue;
        if (!head_correlation(a, b, r->own_heads, &pearson, &spearman)) out->failed = true;
        strbuf_printf(out, "  %-28s %+.3f  %+.3f\n", all[0][k].name, pearson, spearman);
    }
    mem_free(all);
    mem_free(a);
    mem_free(b);
}

void head_report_tsv(StrBuf *out, const HeadReport *report)
{
    NamedValue v[VALUES_MOST];
    for (int h = 0; h < report->n_heads; h++) {
        int n = values_of(report, h, v);
        for (int k = 0; k < n && h == 0; k++) strbuf_printf(out, "%s%s", k ? "\t" : "head\t", v[k].name);
        if (h == 0) strbuf_putc(out, '\n');
        put_layer(out, report, h, "%s");
        for (int k = 0; k < n; k++) strbuf_printf(out, "\t%.8g", v[k].value);
        strbuf_putc(out, '\n');
    }
}

static void put_relation(StrBuf *out, const HeadFunctions *x, int k, int d)
{
    double n = (double)x->relation_queries[k][d];
    char name[64];
    snprintf(name, sizeof name, "%s_%s", HEAD_RELATION_NAMES[k], d ? "to_dependent" : "to_head");
    json_record(out, name, "queries: %.0f, offset: %.0f, baseline: %.6g", n,
                x->offset[k][d] ? (double)x->offset[k][d] : NAN, head_baseline(x, k, d));
}

static void put_distances_json(StrBuf *out, const HeadReport *r)
{
    json_object(out, "distances");
    for (int k = 0; k < HEAD_RELATIONS; k++) {
        long count[RELATION_DISTANCES], arcs = relation_offsets_distances(&r->arcs, k, count);
        json_array(out, HEAD_RELATION_NAMES[k]);
        for (int i = 0; i < RELATION_DISTANCES && arcs; i++) json_long(out, NULL, count[i]);
        json_array_end(out);
    }
    json_object_end(out);
}

/* The share of queries whose argmax is at each offset, -HEAD_OFFSET_MOST .. HEAD_OFFSET_MOST. */
static void put_offsets(StrBuf *out, const HeadReport *r, int h)
{
    int row;
    const HeadFunctions *f = head_report_functions(r, h, &row);
    double share[2 * HEAD_OFFSET_MOST + 1];
    for (int k = 0; k < HEAD_OFFSETS; k++)
        share[HEAD_OFFSET[k] + HEAD_OFFSET_MOST] =
            head_summary_ratio((double)f->positional[k][row], (double)f->queries);
    json_array(out, "offsets");
    for (int k = 0; k < HEAD_OFFSETS; k++) json_real(out, NULL, "%.4f", share[k]);
    json_array_end(out);
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
    const char *category = head_report_category(r, h);
    if (category) json_string(out, "category", category);
    if (r->n_stacks > 1) json_string(out, "stack", head_report_stack_name(r, head_report_stack(r, h)));
    head_options_text(&options, r, h);
    out->failed |= options.failed;
    if (options.len) json_take(out, "options", &options);
    else strbuf_fini(&options);
    for (int k = 0; k < n; k++) json_real(out, v[k].name, "%.8g", v[k].value);
    put_offsets(out, r, h);
    json_object_end(out);
}

static void put_stacks(StrBuf *out, const HeadReport *r)
{
    json_array(out, "stacks");
    for (int k = 0; k < r->n_stacks; k++) {
        const HeadFunctions *x = &r->functions[k];
        json_object(out, NULL);
        json_string(out, "stack", head_report_stack_name(r, k));
        json_members(out, "heads: %d, layers: %d, queries: %ld, rare_queries: %ld", x->heads,
                     r->stack_layer[k + 1] - r->stack_layer[k], x->queries, x->rare_queries);
        json_object_end(out);
    }
    json_array_end(out);
}

void head_report_json(StrBuf *out, const HeadReport *report)
{
    const HeadFunctions *x = &report->functions[0];
    json_object(out, NULL);
    json_long(out, "sentences", report->sentences);
    if (report->n_stacks > 1) put_stacks(out, report);
    else json_long(out, "words", x->queries);
    json_members(out, "losses: %ld, conservation_error: %.2e", report->losses, report->worst);
    put_distances_json(out, report);
    json_object(out, "relations");
    for (int k = 0; k < HEAD_RELATIONS; k++)
        for (int d = 0; d < 2; d++) put_relation(out, x, k, d);
    json_object_end(out);
    if (report->n_stacks == 1) json_long(out, "rare_queries", x->rare_queries);
    json_array(out, "heads");
    for (int h = 0; h < report->n_heads; h++) put_head_json(out, report, h);
    strbuf_puts(out, "]}\n");
}

/* Queries Q B and keys K B^-T give the same model for any invertible B. */
static const char TAYLOR_PARAM_NOTE[] =
    "\ntaylor_param depends on the basis of queries and keys, which the model leaves open; gate and taylor_group do "
    "not.\n";

void head_report_text(StrBuf *out, const HeadReport *report, const HeadNames *names, int importance,
                      const double *shown)
{
    put_table(out, report, names, importance, shown);
    if (importance == IMPORTANCE_TAYLOR_PARAM) strbuf_puts(out, TAYLOR_PARAM_NOTE);
    if (report->own_baselines)
        strbuf_puts(out, "\nBaselines of syntactic functions are those of these sentences, not of training "
                         "(--train-deps).\n");
    if (names && (names->kept || !head_names_given(names))) {
        strbuf_putc(out, '\n');
        head_names_note(out, names);
        strbuf_putc(out, '\n');
    }
    for (int g = 0; g < PATTERN_GROUPS; g++)
        if (head_report_group(report, g).from < head_report_group(report, g).to) put_patterns(out, report, names, g);
    put_distances(out, report);
    put_masking(out, report);
}

/* ---- attention */

/* The keys with the largest weights of a row; START and STOP by these names. */
static void put_most(StrBuf *out, const AttentionNames *of, const HeadWeights *w, int row, int most)
{
    int m = of->causal ? row + 1 : of->n_keys + 2;
    double *weight = mem_alloc((size_t)m, sizeof *weight);
    if (!weight) out->failed = true;
    for (int j = 0; weight && j < m; j++) weight[j] = (double)w->a[row * w->row + j * w->column];
    for (int i = 0, j = -1; weight && i < most && (j = head_summary_next_largest(weight, m, j)) >= 0; i++) {
        if (i && weight[j] < 0.05) break;
        strbuf_printf(out, "  %s %.2f", j == 0 ? "START" : j > of->n_keys ? "STOP" : of->key[j - 1], weight[j]);
    }
    strbuf_putc(out, '\n');
    mem_free(weight);
}

void head_attention_text(StrBuf *out, const HeadReport *r, const HeadNames *names, int h, const AttentionNames *of,
                         long number, const HeadWeights *w)
{
    enum { LABEL_WORDS = 8, WORDS = 3 };
    strbuf_putc(out, '\n');
    head_names_put_named(out, names, r, h);
    strbuf_printf(out, " in sentence %ld:\n", number);
    if (w->row == 0) put_most(out, of, w, 0, LABEL_WORDS); /* one query for all words */
    for (int q = 0; q < of->n_queries && w->row; q++) {
        strbuf_printf(out, "  %-16s", of->query[q]);
        put_most(out, of, w, of->first + q, WORDS);
    }
}
