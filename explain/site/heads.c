/* Heads.html, the measures of attention heads */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/locale.h"
#include "explain/head_summary.h"
#include "explain/site/site_internal.h"

enum { CELL = 14 };

static void put_svg(StrBuf *out, int width, int height, const char *title)
{
    strbuf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"map\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                  "height=\"%d\" role=\"img\"><title>%s</title>\n",
                  width, height, width, height, title);
}

/* The head with the largest value in layers from .. to-1, and the steps of colour for that value. */
static int largest_of(const HeadReport *r, const double *value, int from, int to, double *steps)
{
    static const double shares[LEVELS] = { 0.1, 0.25, 0.45, 0.65, 0.85 };
    int largest = r->first[from] + head_summary_next_largest(value + r->first[from], r->first[to] - r->first[from], -1);
    for (int l = 0; l < LEVELS; l++) steps[l] = fmax(1e-12, shares[l] * value[largest]);
    return largest;
}

enum { ROW = 16 }; /* label heads of a row of a map, so that it fits a phone */

/* A row of cells, and its name; a head that was pruned, whose value is NAN, has a cross. */
static void put_map_row(StrBuf *out, const char *name, const double *value, int n, const double *steps, int left,
                        int top)
{
    strbuf_printf(out, "<text class=\"row\" x=\"%d\" y=\"%d\">%s</text>", left - 6, top + CELL - 3, name);
    page_cells(out, value, 1, n, steps, (CellPlaces){ left, top, CELL, CELL });
    for (int k = 0; k < n; k++)
        if (isnan(value[k]))
            strbuf_printf(out, "<path class=\"gone\" d=\"M%d %dl6 6m0-6l-6 6\"><title>pruned</title></path>",
                          left + k * CELL + 4, top + 4);
}

/* Layers from .. to - 1, whose values have a scale of their own; rows are called after it. */
typedef struct MapGroup {
    const char *name;
    int from, to;
} MapGroup;

/* The encoder's layers, its label heads, a pretrained encoder; or the stacks of a model that translates. How many. */
static int find_groups(const HeadReport *r, MapGroup out[REPORT_STACKS])
{
    const int self = r->m->net.encoder.c.n_layers;
    int own = self;
    if (r->n_stacks == 1) {
        while (own < r->n_layers && head_report_layer(r, own).kind == HEADS_LABEL) own++;
        out[0] = (MapGroup){ "layer", 0, self };
        out[1] = (MapGroup){ "label", self, own };
        out[2] = (MapGroup){ "pretrained", own, r->n_layers };
        return own < r->n_layers ? 3 : 2;
    }
    for (int k = 0; k < r->n_stacks; k++)
        out[k] = (MapGroup){ head_report_stack_name(r, k), r->stack_layer[k], r->stack_layer[k + 1] };
    return r->n_stacks;
}

static bool is_label(const HeadReport *r, const MapGroup *g)
{
    return g->from < g->to && head_report_layer(r, g->from).kind == HEADS_LABEL;
}

/* The steps of colour of a group, and the largest value for a caption. */
static void find_steps(const HeadReport *r, const MapGroup *g, const double *value, bool percent, double steps[LEVELS],
                       char caption[160])
{
    char name[HEAD_NAME];
    for (int l = 0; l < LEVELS; l++) steps[l] = (double)INFINITY;
    if (g->from >= g->to || r->first[g->from] == r->first[g->to]) return;
    int largest = largest_of(r, value, g->from, g->to, steps);
    size_t used = strlen(caption);
    head_report_name(r, largest, name);
    locale_snprintf(caption + used, 160 - used, percent ? "%s%.1f %% at %s" : "%s%.3f at %s", used ? ", " : "largest ",
                    (percent ? 100 : 1) * value[largest], name);
}

/* The rows of a map: of each layer, or of ROW label heads. */
static int map_rows(const HeadReport *r, const MapGroup *g)
{
    if (g->from == g->to) return 0;
    return is_label(r, g) ? (head_report_by_number(r, g->from, NULL, NULL) + ROW - 1) / ROW : g->to - g->from;
}

/* The rows of a group from `top` on; its end. row [heads of a layer] is scratch. */
static int put_group(StrBuf *out, const HeadReport *r, const MapGroup *g, const double *value, const double *steps,
                     double *row, int left, int top)
{
    char name[40];
    int n = 0;
    for (int k = 0; k < map_rows(r, g); k++, top += CELL) {
        int from = is_label(r, g) ? k * ROW : 0;
        if (k == 0 || !is_label(r, g)) n = head_report_by_number(r, is_label(r, g) ? g->from : g->from + k, value, row);
        int to = is_label(r, g) && n - from > ROW ? from + ROW : n;
        if (is_label(r, g)) snprintf(name, sizeof name, "%s %d-%d", g->name, from + 1, to);
        else snprintf(name, sizeof name, "%s %d", g->name, k + 1);
        put_map_row(out, name, row + from, to - from, steps, left, top);
    }
    return top;
}

/* Layers x heads, darker for larger value [n_heads]. */
static void put_layers(StrBuf *out, const HeadReport *r, const char *title, const double *value, bool percent)
{
    enum { LEFT = 76, TOP = 18, GAP = 4 };
    MapGroup group[REPORT_STACKS];
    double steps[REPORT_STACKS][LEVELS];
    int n = find_groups(r, group), rows = 0, most = 0, widest = 0;
    char caption[160] = "", text[320];
    for (int k = 0; k < n; k++) {
        int heads = group[k].from < group[k].to ? head_report_by_number(r, group[k].from, NULL, NULL) : 0,
            shown = is_label(r, &group[k]) && heads > ROW ? ROW : heads;
        rows += map_rows(r, &group[k]);
        if (heads > most) most = heads;
        if (shown > widest) widest = shown;
        find_steps(r, &group[k], value, percent, steps[k], caption);
    }
    double *row = mem_alloc((size_t)most, sizeof *row);
    if (!row) {
        out->failed = true;
        return;
    }
    strbuf_printf(out,
                  "<figure><figcaption>%s (%s)</figcaption><div class=\"scroll\" role=\"region\" aria-label=\"%s\" "
                  "tabindex=\"0\">",
                  title, caption, title);
    snprintf(text, sizeof text, "%s by layer and head, %s; the table below has the numbers", title, caption);
    put_svg(out, LEFT + widest * CELL + 4, TOP + rows * CELL + (n - 1) * GAP + 2, text);
    for (int k = 0; k < widest; k += k ? 4 : 3)
        strbuf_printf(out, "<text x=\"%d\" y=\"%d\">%d</text>", LEFT + k * CELL + CELL / 2, TOP - 5, k + 1);
    for (int k = 0, top = TOP; k < n; k++, top += GAP)
        top = put_group(out, r, &group[k], value, steps[k], row, LEFT, top);
    strbuf_puts(out, "</svg></div></figure>\n");
    mem_free(row);
}

/* What decisions `what` are called for people. */
static const char *decisions(const HeadReport *r, int what)
{
    return what == 0 && r->explained_name[1] ? "phrases" : r->explained_name[what]; /* NULL: none */
}

static void put_maps(StrBuf *out, const HeadReport *r, const double *importance, const char *name)
{
    double *value = mem_calloc((size_t)r->n_heads, sizeof *value);
    char title[80];
    if (!value) {
        out->failed = true;
        return;
    }
    strbuf_puts(out, "<section id=\"layers\"><h2>Layers and heads</h2>\n<p>The <a "
                     "href=\"glossary.html#importance\">importance</a> of "
                     "each head for the training loss, its <a href=\"glossary.html#relevance\">relevance share</a> in "
                     "its layer, and its <a href=\"glossary.html#confidence\">confidence</a>. The more a cell "
                     "stands out, the larger the value; the steps begin at 10, 25, 45, 65 and 85 % of the largest "
                     "value. ");
    strbuf_puts(out, r->n_stacks > 1 ? "The encoder, the decoder and its attention to the source have separate scales."
                     : r->own_heads < r->n_heads
                         ? "Label heads and those of the pretrained encoder have separate scales."
                         : "Label heads have a separate scale.");
    strbuf_puts(out, r->m->kept ? " A cross is in the place of a head that was <a "
                                  "href=\"glossary.html#pruned\">pruned</a>.</p>\n"
                                : "</p>\n");
    snprintf(title, sizeof title, "Importance, %s", name);
    if (r->importance) put_layers(out, r, title, importance, false);
    for (int k = 0; k < EXPLAINED; k++) {
        if (!r->explain[k]) continue;
        for (int h = 0; h < r->n_heads; h++) value[h] = head_summary_ratio(r->share[k][h], (double)r->explained[k]);
        snprintf(title, sizeof title, "Relevance share for predicted %s", decisions(r, k));
        put_layers(out, r, title, value, true);
    }
    for (int h = 0; h < r->n_heads; h++) {
        int row;
        const HeadFunctions *x = head_report_functions(r, h, &row);
        value[h] = head_summary_ratio(x->confidence[row], (double)x->queries);
    }
    put_layers(out, r, "Confidence", value, false);
    strbuf_puts(out, "</section>\n");
    mem_free(value);
}

/* The head's number and what it does. */
static void put_name(StrBuf *out, const HeadReport *r, const HeadNames *names, int h)
{
    StrBuf name = { 0 };
    head_names_put_named(&name, names, r, h);
    if (name.ptr) strbuf_xml(out, name.ptr);
    out->failed = out->failed || name.failed;
    strbuf_fini(&name);
}

static void put_table(StrBuf *out, const HeadReport *r, const HeadNames *names, const double *importance,
                      const char *name)
{
    const char *unit = r->n_stacks > 1 ? "piece" : "word", *second = decisions(r, 1);
    char explained[80];
    snprintf(explained, sizeof explained, second ? "%s and %s" : "%s", r->explained_name[0] ? decisions(r, 0) : "",
             second);
    strbuf_puts(out, "<section id=\"heads\"><h2>Heads</h2>\n<p>In percent: ");
    if (r->explained_name[0])
        strbuf_printf(out, "%s: <a href=\"glossary.html#relevance\">relevance share</a> for the predicted %s; ",
                      explained, explained);
    strbuf_printf(
        out,
        "<a "
        "href=\"glossary.html#previous-next\">previous, next and rarest</a>: share of the queries that attend most to "
        "the previous, the next or the rarest %s%s. <a href=\"glossary.html#functions\">Functions</a> are listed "
        "where they are regular.</p>\n",
        unit, r->functions[0].rare_queries ? "" : " (the rarest is not known without --train)");
    page_table(out, "Heads", "list", "head|confidence");
    page_columns(out, name);
    for (int k = 0; k < EXPLAINED && r->explained_name[k]; k++) page_columns(out, decisions(r, k));
    page_columns(out, "previous|next|rarest|functions");
    strbuf_puts(out, PAGE_ROWS);
    for (int h = 0; h < r->n_heads; h++) {
        int row;
        const HeadFunctions *x = head_report_functions(r, h, &row);
        strbuf_puts(out, "<tr><td class=\"name\"><span class=\"who\">");
        put_name(out, r, names, h);
        strbuf_printf(out, "</span></td><td>%.3f</td>", head_summary_ratio(x->confidence[row], (double)x->queries));
        page_cell(out, r->importance, "%.4f", importance[h]);
        for (int k = 0; k < EXPLAINED && r->explained_name[k]; k++)
            page_cell(out, r->explained[k] > 0, "%.1f",
                      100 * head_summary_ratio(r->share[k][h], (double)r->explained[k]));
        for (int d = 0; d < 2; d++)
            page_cell(out, x->positional_queries[d] > 0, "%.1f", 100 * head_positional_share(x, d, row));
        page_cell(out, x->rare_queries > 0, "%.1f",
                  100 * head_summary_ratio((double)x->rare_one[row], (double)x->rare_queries));
        strbuf_puts(out, "<td class=\"word\">");
        StrBuf functions = { 0 }, options = { 0 };
        head_options_text(&options, r, h);
        if (options.len) strbuf_printf(&functions, "[%s] ", options.ptr);
        if (options.failed) out->failed = true;
        strbuf_fini(&options);
        head_functions_text(&functions, r, h);
        if (functions.ptr) strbuf_xml(out, functions.ptr);
        if (functions.failed) out->failed = true;
        strbuf_fini(&functions);
        strbuf_puts(out, "</td></tr>\n");
    }
    strbuf_puts(out, "</tbody></table></div>\n</section>\n");
}

static void put_patterns(StrBuf *out, const HeadReport *r, const HeadNames *names, int g)
{
    const PatternGroup group = head_report_group(r, g);
    double *gr = mem_calloc((size_t)r->functions[0].heads, sizeof *gr);
    if (!gr) {
        out->failed = true;
        return;
    }
    strbuf_printf(
        out,
        "<section id=\"patterns%s\"><h2>Global relevance of patterns</h2>\n<p>The share of the attention of a head%s "
        "that falls inside a <a href=\"glossary.html#pattern\">pattern</a>, averaged over sentences; uniform attention "
        "would give the first number. Listed are the heads more than <a href=\"glossary.html#sigma\">three standard "
        "deviations</a> above the mean of all heads, with their share and, in brackets, this distance in standard "
        "deviations.</p>\n",
        g ? "-pretrained" : "",
        g                 ? " of the pretrained encoder"
        : r->n_stacks > 1 ? " of the encoder, between words,"
                          : "");
    page_table(out, "Global relevance of patterns", "", "pattern|attention to|uniform attention|mean|threshold|heads");
    strbuf_puts(out, PAGE_ROWS);
    for (int k = 0; k < r->n_patterns; k++) {
        ThreeSigma t;
        const char *comma = "";
        strbuf_puts(out, "<tr><th scope=\"row\">");
        strbuf_xml(out, r->pattern_text[k]);
        strbuf_printf(out, "</th><td>%s</td>", pattern_about(r->pattern[k].kind));
        if (!head_report_pattern(r, k, group, gr, &t)) {
            strbuf_printf(out,
                          "<td class=\"wide\" colspan=\"4\">not measured: no sentence has what it needs%s</td></tr>\n",
                          r->pattern[k].kind == PATTERN_RARE_W && !r->counts ? " (--train)" : "");
            continue;
        }
        strbuf_printf(out, "<td>%.3f</td><td>%.3f</td><td>%.3f</td><td class=\"wide\">",
                      r->gr[k].uniform / (double)r->gr[k].sentences, t.mean, t.threshold);
        for (int h = group.from; h < group.to; h++) {
            if (gr[h] <= t.threshold) continue;
            strbuf_puts(out, comma);
            put_name(out, r, names, h);
            strbuf_printf(out, "&#160;%.3f&#160;(%.1f)", gr[h], head_summary_ratio(gr[h] - t.mean, t.deviation));
            comma = "; ";
        }
        strbuf_puts(out, "</td></tr>\n");
    }
    strbuf_puts(
        out, group.to - group.from > THREE_SIGMA_HEADS
                 ? "</tbody></table></div>\n</section>\n"
                 : "</tbody></table></div>\n<p>Of 10 heads or fewer none can exceed the threshold.</p>\n</section>\n");
    mem_free(gr);
}

void heads_page_begin(StrBuf *out, const HeadReport *r, const HeadNames *names, const char *model,
                      const double *importance, const char *name, bool index)
{
    page_begin(out, "What the attention heads do", "", index ? "" : NULL);
    strbuf_puts(out, "<dl class=\"counts\"><div><dt>model</dt><dd>");
    strbuf_xml(out, model);
    strbuf_printf(out,
                  "</dd></div><div><dt>%s</dt><dd>%ld</dd></div><div><dt>%s</dt><dd>%ld</dd></"
                  "div><div><dt>heads</dt><dd>%d</dd></div><div><dt><a "
                  "href=\"glossary.html#conservation\">conservation error</a></dt><dd>%.1e</dd></div></dl>\n",
                  r->n_stacks > 1 ? "pairs" : "sentences", r->sentences, r->n_stacks > 1 ? "pieces" : "words",
                  r->functions[0].queries, r->n_heads, r->worst);
    if (encoder_options_oracle(&r->m->options))
        strbuf_puts(out, "<p><strong>ORACLE</strong>: the masks of this model read gold parses, so these are not the "
                         "measures of a parser.</p>\n");
    if (names) page_names_known(out, names, "");
    put_maps(out, r, importance, name);
    put_table(out, r, names, importance, name);
    for (int g = 0; g < PATTERN_GROUPS; g++)
        if (head_report_group(r, g).from < head_report_group(r, g).to) put_patterns(out, r, names, g);
    strbuf_printf(
        out,
        "<section id=\"attention\"><h2>Attention</h2>\n<p>Rows are queries, columns the tokens they attend to, "
        "from START to STOP; the steps begin at 2, 5, 10, 20 and 40 %% of a row's attention. %s</p>\n",
        r->n_stacks > 1 ? "A row of attention to the source is the place that its piece is written at."
                        : "A label head has one row.");
}

void heads_page_head(StrBuf *out, const HeadReport *r, const HeadNames *names, int h)
{
    if (h < 0) {
        strbuf_puts(out, "</section>\n");
        page_end(out);
        return;
    }
    strbuf_puts(out, "<h3>Head ");
    put_name(out, r, names, h);
    strbuf_puts(out, "</h3>\n");
}

/* The first words of a sentence, or pieces. */
static void put_beginning(StrBuf *out, const AttentionNames *of)
{
    enum { MOST = 12 };
    for (int k = 0; k < of->n_queries && k < MOST; k++) {
        if (k) strbuf_putc(out, ' ');
        strbuf_xml(out, of->query[k]);
    }
    if (of->n_queries > MOST) strbuf_puts(out, " ...");
}

static void put_labels(StrBuf *out, const AttentionNames *of, int rows, int m, int left, int top)
{
    for (int j = 0; j < m; j++) {
        strbuf_printf(out, "<text class=\"up\" transform=\"translate(%d %d)rotate(-60)\">", left + j * CELL + 10,
                      top - 5);
        strbuf_xml(out, j == 0 ? "START" : j > of->n_keys ? "STOP" : of->key[j - 1]);
        strbuf_puts(out, "</text>");
    }
    for (int i = 0; i < rows; i++) {
        strbuf_printf(out, "<text class=\"row\" x=\"%d\" y=\"%d\">", left - 6, top + i * CELL + CELL - 3);
        strbuf_xml(out, of->query[i]);
        strbuf_puts(out, "</text>");
    }
}

void heads_page_attention(StrBuf *out, const HeadReport *r, const HeadNames *names, int h, const AttentionNames *of,
                          long number, const HeadWeights *w)
{
    enum { LEFT = 96, TOP = 86 };
    (void)names;
    int m = of->n_keys + (of->causal ? 1 : 2), queries = w->row ? of->n_queries : 0, rows = queries ? queries : 1;
    double *value = mem_alloc((size_t)rows * (size_t)m, sizeof *value);
    char name[HEAD_NAME], title[200];
    if (!value) {
        out->failed = true;
        return;
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < m; j++)
            value[i * m + j] = (double)w->a[(queries ? of->first + i : 0) * w->row + j * w->column];
    head_report_name(r, h, name);
    snprintf(title, sizeof title, "Attention of head %s in sentence %ld; lal inspect heads --show %s has the words",
             name, number, name);
    strbuf_printf(out, "<details><summary>sentence %ld: ", number);
    put_beginning(out, of);
    strbuf_printf(out,
                  "</summary><div class=\"scroll\" role=\"region\" aria-label=\"Attention of head %s in sentence %ld\" "
                  "tabindex=\"0\">",
                  name, number);
    put_svg(out, LEFT + m * CELL + 60, TOP + rows * CELL + 2, title);
    put_labels(out, of, queries, m, LEFT, TOP);
    page_cells(out, value, rows, m, PAGE_ATTENTION_STEPS, (CellPlaces){ LEFT, TOP, CELL, CELL });
    strbuf_puts(out, "</svg></div></details>\n");
    mem_free(value);
}
