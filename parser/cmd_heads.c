/* parser/cmd_heads.c: lal heads, or lal inspect heads */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "parser/corpus.h"
#include "parser/insight/head_report.h"
#include "parser/model_file.h"
#include "parser/program.h"

enum { FORMAT_TEXT, FORMAT_TSV, FORMAT_JSON };
enum { SHOW_TAYLOR_PARAM, SHOW_TAYLOR_GROUP, SHOW_GATE, SHOW_GATE_TOKEN, SHOW_NONE };
enum { LEAST_QUERIES = 50 };                                /* a function of fewer is not named */
static const double POSITIONAL = 0.9, ABOVE_BASELINE = 0.1; /* shares that make a function */

typedef struct Fields {
    const char *model, *trees, *deps, *treebank, *output;
    OptionList train, train_deps, gr;
    int format, importance, normalise, max_words;
    long most, mask;
} Fields;

#define F(name) offsetof(Fields, name)

const Option HEADS_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, NULL, "model file (default: as for lal parse)" },
    { "trees", OPT_STRING, F(trees), NULL, 0, 0, NULL, "gold trees of the sentences to look at" },
    { "deps", OPT_STRING, F(deps), NULL, 0, 0, NULL, "gold dependencies of the same sentences, or head rules" },
    { "train", OPT_LIST, F(train), NULL, 0, 0, NULL, "trees the model was trained on: counts for rare words, baselines for syntactic functions" },
    { "train_deps", OPT_LIST, F(train_deps), NULL, 0, 0, NULL, "dependencies of the same sentences" },
    { "gr", OPT_LIST, F(gr), NULL, 0, 0, NULL,
      "pattern whose global relevance is measured, such as next or rel_pos/window=5 (default, or all: each of lal/pattern.h)" },
    { "importance", OPT_ENUM, F(importance), "taylor_param", 0, 0, "taylor_param|taylor_group|gate|gate_token|none",
      "importance for the training loss that text shows; none also saves its backward passes" },
    { "normalise", OPT_ENUM, F(normalise), "minmax", 0, 0, NORMALISE_CHOICES,
      "of the importance that text shows; json and tsv have all of them raw" },
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|tsv|json", "a table and the patterns; tsv: a line a head; json: everything" },
    { "most", OPT_LONG, F(most), "0", 0, 1e9, NULL, "look at so many sentences only; 0 is all" },
    { "mask", OPT_LONG, F(mask), "0", 0, 1e9, NULL,
      "take each head out of the model and measure the loss again, on the first so many sentences with gold; what importance and relevance say is "
      "compared with it" },
    { "max_words", OPT_INT, F(max_words), "400", 1, 100000, NULL, "longer sentences are parsed in pieces, and left out" },
    { "treebank", OPT_STRING, F(treebank), NULL, 0, 0, NULL, "follow the conventions of this training treebank" },
    { "output", OPT_STRING, F(output), "-", 0, 0, NULL, "output file" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static Status count_training(const Fields *f, TrainingCounts *t, Error *e)
{
    bool rules = f->train_deps.n == 1 && corpus_is_rules(f->train_deps.item[0]);
    if (f->train_deps.n && f->train.n && f->train_deps.n != f->train.n && !rules)
        return error_set(e, ERR_USAGE, "found %d --train and %d --train-deps files, expected as many", f->train.n, f->train_deps.n);
    int n = f->train.n ? f->train.n : f->train_deps.n;
    Status s = OK;
    for (int k = 0; k < n && s == OK; k++) {
        Corpus c;
        s = corpus_load(&c, f->train.n ? f->train.item[k] : NULL, f->train_deps.n ? f->train_deps.item[rules ? 0 : k] : NULL, NULL, e);
        if (s != OK) return s;
        for (int i = 0; i < c.trees.n && s == OK; i++) s = training_counts_add(t, &c.trees.s[i], e);
        corpus_fini(&c);
    }
    return s;
}

/* ---- output */

static double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

static void put_layer(StrBuf *out, const HeadReport *r, int h, const char *form)
{
    int l = 0;
    while (h >= r->first[l + 1]) l++;
    bool label = l == r->m->net.encoder.c.n_layers;
    char name[24];
    snprintf(name, sizeof name, label ? "label:%d" : "%d:%d", label ? h - r->first[l] + 1 : l + 1, h - r->first[l] + 1);
    strbuf_printf(out, form, name);
}

/* Names of the functions a head has, parted by ", ". */
static void put_functions(StrBuf *out, const HeadReport *r, int h)
{
    static const char *const arrows[] = { "%s to head %.0f %% (baseline %.0f %%)", "head to %s %.0f %% (baseline %.0f %%)" };
    const HeadFunctions *f = &r->functions;
    const char *comma = "";
    for (int d = 0; d < 2; d++) {
        double share = ratio((double)f->positional[d][h], (double)f->positional_queries[d]);
        if (f->positional_queries[d] < LEAST_QUERIES || share < POSITIONAL) continue;
        strbuf_printf(out, "%s%s word %.0f %%", comma, d ? "next" : "previous", 100 * share);
        comma = ", ";
    }
    for (int k = 0; k < HEAD_RELATIONS; k++)
        for (int d = 0; d < 2; d++) {
            double n = (double)f->relation_queries[k][d], share = ratio((double)f->relation[k][d][h], n), base = ratio((double)f->baseline[k][d], n);
            if (f->relation_queries[k][d] < LEAST_QUERIES || share < base + ABOVE_BASELINE || !r->counts) continue;
            strbuf_puts(out, comma);
            strbuf_printf(out, arrows[d], HEAD_RELATION_NAMES[k], 100 * share, 100 * base);
            comma = ", ";
        }
}

static void importance_of(const HeadReport *r, int what, double *out)
{
    double n = (double)r->losses, tokens = (double)r->loss_words;
    for (int h = 0; h < r->n_heads; h++)
        out[h] = what == SHOW_TAYLOR_PARAM   ? r->taylor_param[h]
                 : what == SHOW_TAYLOR_GROUP ? r->taylor_group[h]
                 : what == SHOW_GATE         ? ratio(r->gate[h], n)
                                             : ratio(r->gate_token[h], tokens);
}

static void put_text(const HeadReport *r, const Fields *f, const double *shown, StrBuf *out)
{
    const HeadFunctions *x = &r->functions;
    const int n = r->n_heads;
    double *gr = mem_alloc((size_t)n, sizeof *gr);
    if (!gr) {
        out->failed = true;
        return;
    }
    static const char *const names[] = { "taylor_param", "taylor_group", "gate", "gate_token", "importance" };
    strbuf_printf(out, "head       confidence  %12s  spans  arcs  previous  next  rarest  functions\n", names[f->importance]);
    for (int h = 0; h < r->n_heads; h++) {
        put_layer(out, r, h, "%-10s");
        strbuf_printf(out, " %10.3f", ratio(x->confidence[h], (double)x->queries));
        if (f->importance == SHOW_NONE) strbuf_printf(out, "  %12s", "-");
        else strbuf_printf(out, "  %12.4f", shown[h]);
        for (int k = 0; k < EXPLAINED; k++) strbuf_printf(out, "  %4.1f%%", 100 * ratio(r->share[k][h], (double)r->explained[k]));
        for (int d = 0; d < 2; d++) strbuf_printf(out, "  %5.1f%%", 100 * ratio((double)x->positional[d][h], (double)x->positional_queries[d]));
        if (x->rare_queries) strbuf_printf(out, "  %5.1f%%  ", 100 * ratio((double)x->rare_one[h], (double)x->rare_queries));
        else strbuf_puts(out, "       -  ");
        put_functions(out, r, h);
        strbuf_putc(out, '\n');
    }
    strbuf_puts(out, "\nglobal relevance of patterns: share of the attention that lies inside; heads above mean + 3 deviations with their z\n");
    for (int k = 0; k < r->n_patterns; k++) {
        const GlobalRelevance *g = &r->gr[k];
        if (!g->sentences) {
            strbuf_printf(out, "%-24s not measured: no sentence has what it needs\n", r->pattern_text[k]);
            continue;
        }
        for (int h = 0; h < n; h++) gr[h] = g->sum[h] / (double)g->sentences;
        ThreeSigma t = three_sigma(gr, n);
        strbuf_printf(out, "%-24s uniform %.3f  mean %.3f  threshold %.3f ", r->pattern_text[k], g->uniform / (double)g->sentences, t.mean,
                      t.threshold);
        if (n <= 10) strbuf_puts(out, " (of 10 heads or fewer none can pass)");
        int top = 0;
        for (int h = 0; h < n; h++) {
            if (gr[h] > gr[top]) top = h;
            if (gr[h] <= t.threshold) continue;
            put_layer(out, r, h, " %s");
            strbuf_printf(out, " %.3f (z %.1f)", gr[h], ratio(gr[h] - t.mean, t.deviation));
        }
        if (gr[top] <= t.threshold) {
            put_layer(out, r, top, " none; highest %s");
            strbuf_printf(out, " %.3f (z %.1f)", gr[top], ratio(gr[top] - t.mean, t.deviation));
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
    add_value(out, &n, "confidence", "", ratio(x->confidence[h], queries));
    add_value(out, &n, "previous", "", ratio((double)x->positional[0][h], (double)x->positional_queries[0]));
    add_value(out, &n, "next", "", ratio((double)x->positional[1][h], (double)x->positional_queries[1]));
    add_value(out, &n, "rarest", "", ratio((double)x->rare_one[h], rare));
    add_value(out, &n, "two_rarest", "", ratio((double)x->rare_two[h], rare));
    for (int k = 0; k < HEAD_RELATIONS; k++)
        for (int d = 0; d < 2; d++)
            add_value(out, &n, HEAD_RELATION_NAMES[k], ways[d], ratio((double)x->relation[k][d][h], (double)x->relation_queries[k][d]));
    add_value(out, &n, "taylor_param", "", r->taylor_param[h]);
    add_value(out, &n, "taylor_group", "", r->taylor_group[h]);
    add_value(out, &n, "gate", "", ratio(r->gate[h], losses));
    add_value(out, &n, "gate_token", "", ratio(r->gate_token[h], (double)r->loss_words));
    if (r->n_masked) add_value(out, &n, "masking", "", r->masked[h] / (double)r->n_masked);
    for (int k = 0; k < EXPLAINED; k++) {
        add_value(out, &n, "relevance_share_", explained[k], ratio(r->share[k][h], (double)r->explained[k]));
        add_value(out, &n, "relevance_", explained[k], ratio(r->part[k][h], (double)r->explained[k]));
    }
    for (int k = 0; k < r->n_patterns; k++)
        if (r->gr[k].sentences) add_value(out, &n, "gr:", r->pattern_text[k], r->gr[k].sum[h] / (double)r->gr[k].sentences);
    return n;
}

/* How each measure goes with what taking a head out does. */
static Status put_masking(const HeadReport *r, StrBuf *out, Error *e)
{
    double *a = mem_alloc((size_t)r->n_heads, sizeof *a), *b = mem_alloc((size_t)r->n_heads, sizeof *b);
    NamedValue v[VALUES_MOST];
    int n = r->n_masked && a && b ? values_of(r, 0, v) : 0, masking = -1;
    for (int k = 0; k < n; k++)
        if (strcmp(v[k].name, "masking") == 0) masking = k;
    if (masking >= 0)
        strbuf_printf(out,
                      "\ntaking heads out one by one (%ld sentences, mean loss %.3f): correlation of the growth of the loss with each measure "
                      "(Pearson, ranks)\n",
                      r->n_masked, r->masked_loss / (double)r->n_masked);
    for (int k = 0; k < n && masking >= 0; k++) {
        if (k == masking || strncmp(v[k].name, "gr:", 3) == 0) continue;
        double pearson, spearman;
        NamedValue x[VALUES_MOST];
        for (int h = 0; h < r->n_heads; h++) {
            values_of(r, h, x);
            a[h] = x[k].value;
            b[h] = x[masking].value;
        }
        head_correlation(a, b, r->n_heads, &pearson, &spearman);
        strbuf_printf(out, "  %-28s %+.3f  %+.3f\n", v[k].name, pearson, spearman);
    }
    Status s = a && b ? OK : error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    mem_free(a);
    mem_free(b);
    return s;
}

static void put_tsv(const HeadReport *r, StrBuf *out)
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

static void put_json(const HeadReport *r, StrBuf *out)
{
    const HeadFunctions *x = &r->functions;
    NamedValue v[VALUES_MOST];
    strbuf_printf(out, "{\"sentences\": %ld, \"words\": %ld, \"losses\": %ld, \"conservation_error\": %.2e, \"relations\": {", r->sentences,
                  x->queries, r->losses, r->worst);
    for (int k = 0; k < HEAD_RELATIONS; k++)
        for (int d = 0; d < 2; d++) {
            double n = (double)x->relation_queries[k][d];
            strbuf_printf(out, "%s\"%s_%s\": {\"queries\": %.0f, \"offset\": %d, \"baseline\": %.6g}", k + d ? ", " : "", HEAD_RELATION_NAMES[k],
                          d ? "to_dependent" : "to_head", n, x->offset[k][d], ratio((double)x->baseline[k][d], n));
        }
    strbuf_printf(out, "}, \"rare_queries\": %ld, \"heads\": [", x->rare_queries);
    for (int h = 0; h < r->n_heads; h++) {
        int n = values_of(r, h, v);
        put_layer(out, r, h, h ? ", {\"head\": \"%s\"" : "{\"head\": \"%s\"");
        for (int k = 0; k < n; k++) strbuf_printf(out, ", \"%s\": %.8g", v[k].name, v[k].value);
        strbuf_putc(out, '}');
    }
    strbuf_puts(out, "]}\n");
}

/* ---- run */

static Status report(const Fields *f, const Corpus *c, const Model *m, const TrainingCounts *counts, StrBuf *out, Error *e)
{
    HeadReport r;
    bool all = f->gr.n == 0 || (f->gr.n == 1 && strcmp(f->gr.item[0], "all") == 0);
    Status s = head_report_init(&r, m, counts, all ? NULL : f->gr.item, f->gr.n, f->importance != SHOW_NONE, e);
    ParseOptions o = parse_defaults(m);
    if (s == OK) r.masked_most = f->mask;
    ParseWorker w;
    parse_worker_init(&w, m, kernels_cpu());
    o.record = true;
    o.max_words = f->max_words;
    if (s == OK && f->treebank && (o.treebank = vocab_find(&m->treebanks, f->treebank)) < 0)
        s = error_set(e, ERR_USAGE, "--treebank: found '%s', which the model does not know; lal info lists the treebanks", f->treebank);
    for (int k = 0; k < c->trees.n && (f->most == 0 || k < f->most) && s == OK; k++) s = head_report_add(&r, &w, &c->trees.s[k], &o, e);
    parse_worker_fini(&w);
    double *shown = s == OK ? mem_calloc((size_t)r.n_heads, sizeof *shown) : NULL;
    if (s == OK && !shown) s = error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    if (s == OK) {
        head_report_finish(&r);
        int heads[MAX_LAYERS + 1];
        for (int l = 0; l < r.n_layers; l++) heads[l] = r.first[l + 1] - r.first[l];
        importance_of(&r, f->importance, shown);
        head_normalise(shown, heads, r.n_layers, (HeadNormalise)f->normalise);
        if (f->format == FORMAT_TSV) put_tsv(&r, out);
        else if (f->format == FORMAT_JSON) put_json(&r, out);
        else {
            put_text(&r, f, shown, out);
            s = put_masking(&r, out, e);
        }
        fprintf(stderr, "%ld sentences, %ld words, %d heads, conservation_error %.2e", r.sentences, r.functions.queries, r.n_heads, r.worst);
        if (r.in_pieces) fprintf(stderr, "; %ld sentences past --max-words left out", r.in_pieces);
        fputc('\n', stderr);
    }
    mem_free(shown);
    head_report_fini(&r);
    return s;
}

Status cmd_heads(int argc, char **argv, Error *e)
{
    Fields f;
    int none;
    Status s = program_options(HEADS_OPTIONS, &f, argc, argv, 0, &none, e);
    if (s == OK && !f.trees && !f.deps) s = error_set(e, ERR_USAGE, "found no --trees and no --deps, expected at least one");
    if (s != OK) return s;
    char path[512];
    Model m;
    Corpus c;
    TrainingCounts counts;
    StrBuf out = { 0 };
    FileWriter w = { 0 };
    model_init(&m);
    training_counts_init(&counts);
    s = corpus_load(&c, f.trees, f.deps, NULL, e);
    bool loaded = s == OK;
    if (s == OK) s = model_load(&m, program_model_path(f.model, path, sizeof path), NULL, e);
    if (s == OK) s = count_training(&f, &counts, e);
    if (s == OK) s = report(&f, &c, &m, counts.n_sentences ? &counts : NULL, &out, e);
    if (s == OK && out.failed) s = error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    if (s == OK) s = filewriter_open(&w, f.output, e);
    if (s == OK) {
        filewriter_write(&w, out.ptr, out.len);
        s = filewriter_close(&w, true, e);
    }
    strbuf_fini(&out);
    training_counts_fini(&counts);
    if (loaded) corpus_fini(&c);
    model_fini(&m);
    return s;
}
