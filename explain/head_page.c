/* The measures of attention heads, and their attention, for a page */
#include "explain/head_page.h"

#include <math.h>

#include "base/json_writer.h"
#include "explain/pages.h"

/* What is said of each head in words: its name, what encoder options do with it, and its functions. */
static void put_words(StrBuf *out, const HeadReport *r, const HeadNames *names)
{
    json_array(out, "functions");
    for (int h = 0; h < r->n_heads; h++) {
        StrBuf text = { 0 };
        head_functions_text(&text, r, h);
        json_take(out, NULL, &text);
    }
    json_array_end(out);
    if (names) head_names_json(out, names);
}

/* The rows of maps: for each layer what it is, its number there, and its heads before pruning. */
static void put_layers(StrBuf *out, const HeadReport *r)
{
    static const char *const kinds[] = { "layer", "label", "pretrained", "decoder", "cross" };
    json_array(out, "layers");
    for (int l = 0; l < r->n_layers; l++) {
        const HeadLayer at = head_report_layer(r, l);
        int stack = head_report_stack(r, r->first[l]);
        json_record(out, NULL, "group: %s, heads: %d, first: %d",
                    r->n_stacks > 1 ? head_report_stack_name(r, stack) : kinds[at.kind], head_report_heads_before(r, l),
                    r->first[l]);
    }
    json_array_end(out);
}

/* Each pattern with the threshold over each group of heads; without `uniform` it was not measured. */
static void put_patterns(StrBuf *out, const HeadReport *r)
{
    double *gr = mem_alloc((size_t)r->functions[0].heads, sizeof *gr);
    ThreeSigma t;
    if (!gr) out->failed = true;
    json_array(out, "patterns");
    for (int k = 0; k < r->n_patterns && gr; k++) {
        json_object(out, NULL);
        json_string(out, "pattern", r->pattern_text[k]);
        json_string(out, "about", pattern_about(r->pattern[k].kind));
        if (r->gr[k].sentences) json_real(out, "uniform", "%.6g", r->gr[k].uniform / (double)r->gr[k].sentences);
        else if (r->pattern[k].kind == PATTERN_RARE_W && !r->counts) json_string(out, "needs", "--train");
        json_array(out, "groups");
        for (int g = 0; g < PATTERN_GROUPS; g++) {
            const PatternGroup group = head_report_group(r, g);
            if (group.from < group.to && head_report_pattern(r, k, group, gr, &t))
                json_record(out, NULL, "from: %d, to: %d, mean: %.6g, threshold: %.6g", group.from, group.to, t.mean,
                            t.threshold);
        }
        json_array_end(out);
        json_object_end(out);
    }
    json_array_end(out);
    mem_free(gr);
}

void head_page_begin(StrBuf *out, const HeadReport *report, const HeadNames *names, const char *model,
                     const double *importance, const char *name)
{
    out->compact = true;
    json_object(out, NULL);
    json_string(out, "model", model);
    json_bool(out, "oracle", encoder_options_oracle(&report->m->options));
    put_words(out, report, names);
    put_layers(out, report);
    put_patterns(out, report);
    json_string(out, "importance", report->importance ? name : NULL);
    json_array(out, "shown");
    for (int h = 0; h < report->n_heads && report->importance; h++) json_real(out, NULL, "%.6g", importance[h]);
    json_array_end(out);
    json_array(out, "attention");
}

void head_page_attention(StrBuf *out, const HeadReport *r, const HeadNames *names, int h, const AttentionNames *of,
                         long number, const HeadWeights *w)
{
    int m = of->n_keys + (of->causal ? 1 : 2), queries = w->row ? of->n_queries : 0, rows = queries ? queries : 1;
    (void)r;
    (void)names;
    json_line(out);
    json_object(out, NULL);
    json_members(out, "head: %d, number: %ld", h, number);
    json_strings(out, "queries", of->query, queries);
    json_strings(out, "text", of->query, of->n_queries);
    json_strings(out, "keys", of->key, of->n_keys);
    json_array(out, "weights");
    for (int i = 0; i < rows; i++) {
        json_array(out, NULL);
        for (int j = 0; j < m; j++)
            json_real(out, NULL, "%.6g",
                      round(1000 * (double)w->a[(queries ? of->first + i : 0) * w->row + j * w->column]) / 1000);
        json_array_end(out);
    }
    json_array_end(out);
    json_object_end(out);
}

Status head_page_write(const char *path, StrBuf *page, const HeadReport *report, Error *error)
{
    Pages pages;
    json_array_end(page);
    json_key(page, "report");
    head_report_json(page, report);
    json_object_end(page);
    Status status = pages_open(&pages, path, error);
    if (status != OK) {
        strbuf_fini(page);
        return status;
    }
    status = pages_put(&pages, "heads", page, error);
    Status closed = pages_close(&pages, status == OK, error);
    return status == OK ? closed : status;
}
