/* The page of one sentence. Decisions are articles #d0, #d1, ...: first what the parse
 * decided, then the gold phrases that it lacks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "explain/site/site_internal.h"

/* ---- pictures */

static int find_decision(const Explained *x, int n, ExplainKind kind, int begin, int end)
{
    for (int k = 0; k < n; k++)
        if (x[k].d.kind == kind && x[k].d.at.begin == begin && x[k].d.at.end == end) return k;
    return -1;
}

/* Marks of the phrases of a tree: links to the decisions x [n], numbered from `first`. Of a unary chain that is not in
 * the other tree, the phrases that are in it are not marked. */
static void mark_phrases(DrawMark *mark, const Sentence *sent, const Sentence *other, const Explained *x, int n,
                         int first, bool missed)
{
    for (int p = 0; p < sent->n_phrases; p++) {
        int k = find_decision(x, n, EXPLAIN_SPAN, sent->phrases[p].begin, sent->phrases[p].end);
        bool judged = k >= 0 && (missed || x[k].in_gold == 0) && other && !page_has_phrase(other, &sent->phrases[p]);
        mark[p] = (DrawMark){ k < 0 ? -1 : first + k,
                              !judged  ? DRAW_PLAIN
                              : missed ? DRAW_RIGHT
                                       : DRAW_WRONG,
                              judged && !missed ? x[k].gold : NULL };
    }
}

/* An arc links to the decision on its head, or on its type where only types are explained. */
static void mark_arcs(DrawMark *mark, const Inspected *x)
{
    const Sentence *sent = x->s, *gold = x->gold && x->gold->heads ? x->gold : NULL;
    for (int w = 0; w < sent->n_words; w++) {
        int arc = find_decision(x->x, x->n, EXPLAIN_ARC, w + 1, sent->heads[w]),
            type = find_decision(x->x, x->n, EXPLAIN_TYPE, w + 1, sent->heads[w]);
        bool arc_wrong = gold && gold->heads[w] != sent->heads[w];
        bool type_wrong = gold && !arc_wrong && strcmp(gold->types[w], sent->types[w]) != 0;
        mark[w] = (DrawMark){ arc >= 0 && (arc_wrong || type < 0 || !type_wrong) ? arc : type,
                              arc_wrong || type_wrong ? DRAW_WRONG : DRAW_PLAIN, type_wrong ? gold->types[w] : NULL };
    }
}

/* The parse: its tree, its arcs, and the gold arcs that differ. */
static void put_parse(StrBuf *out, const Inspected *x)
{
    const Sentence *sent = x->s;
    DrawMark *mark = mem_calloc((size_t)(sent->n_phrases + sent->n_words), sizeof *mark);
    if (!mark) {
        out->failed = true;
        return;
    }
    mark_phrases(mark, sent, x->gold, x->x, x->n, 0, false);
    if (sent->heads) mark_arcs(mark + sent->n_phrases, x);
    page_drawing(out, "Parse", sent,
                 (DrawOptions){ .tree = true,
                                .arcs = true,
                                .phrases = mark,
                                .words = sent->heads ? mark + sent->n_phrases : NULL,
                                .gold = x->gold });
    mem_free(mark);
}

static void put_gold_tree(StrBuf *out, const Inspected *x)
{
    DrawMark *mark = mem_calloc((size_t)x->gold->n_phrases, sizeof *mark);
    if (!mark) {
        out->failed = true;
        return;
    }
    mark_phrases(mark, x->gold, x->s, x->missed, x->n_missed, x->n, true);
    page_drawing(out, "Gold tree", x->gold, (DrawOptions){ .tree = true, .phrases = mark });
    mem_free(mark);
}

/* ---- attention */

/* Heads x words, darker for larger attention weights. */
static void put_heat_map(StrBuf *out, const Worker *w, const Sentence *sent, int heads)
{
    enum { CELL = 16, ROW = 12, LEFT = 34, TOP = 100 };
    int width = LEFT + sent->n_words * CELL + 70, height = TOP + heads * ROW + 4;
    strbuf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"heat\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                  "height=\"%d\" role=\"img\"><title>Attention of %d heads (rows) over %d words (columns); the table "
                  "below has the numbers</title>\n",
                  width, height, width, height, heads, sent->n_words);
    for (int k = 0; k < sent->n_words; k++) {
        strbuf_printf(out, "<text transform=\"translate(%d %d)rotate(-60)\">", LEFT + k * CELL + 11, TOP - 6);
        strbuf_xml(out, sent->words[k]);
        strbuf_puts(out, "</text>");
    }
    for (int h = 0; h < heads; h++)
        strbuf_printf(out, "<text class=\"row\" x=\"%d\" y=\"%d\">%d</text>", LEFT - 6, TOP + h * ROW + ROW - 2, h + 1);
    double *value = mem_alloc((size_t)heads * (size_t)sent->n_words, sizeof *value);
    if (!value) out->failed = true;
    for (int h = 0; value && h < heads; h++)
        for (int k = 0; k < sent->n_words; k++) value[h * sent->n_words + k] = explain_weight(w, h, k);
    if (value) page_cells(out, value, heads, sent->n_words, PAGE_ATTENTION_STEPS, (CellPlaces){ LEFT, TOP, CELL, ROW });
    mem_free(value);
    strbuf_puts(out, "<path class=\"chosen\" d=\"\"/></svg>\n");
}

/* A word among numbers, where a comma would not be seen as one. */
static void put_quoted(StrBuf *out, const char *word) { strbuf_xml_in(out, "<q>", word, "</q>"); }

static void put_attention(StrBuf *out, const Worker *w, const Sentence *sent, int heads)
{
    strbuf_puts(out, "<section id=\"attention\"><h2>What the heads attend to</h2>\n<p>A row for each label head, a "
                     "column for each word; the more a cell stands out, the larger the attention weight. The "
                     "attention of a head is the same for all decisions.</p>\n<p class=\"legend\">");
    for (int l = 0; l < LEVELS; l++)
        strbuf_printf(out, "<span class=\"key l%d\"></span> from %.0f %% ", l + 1, 100 * PAGE_ATTENTION_STEPS[l]);
    strbuf_puts(out, "<output id=\"cell\"></output></p>\n");
    page_scroll_begin(out, "Attention of heads over words");
    put_heat_map(out, w, sent, heads);
    strbuf_puts(out, "</div>\n<details><summary>As a table: the three words that each head attends to "
                     "most</summary>\n<table><thead><tr><th scope=\"col\">head</th><th scope=\"col\">words and "
                     "weights</th></tr></thead><tbody>\n");
    double *weights = mem_alloc((size_t)sent->n_words, sizeof *weights);
    if (!weights) out->failed = true;
    for (int h = 0; weights && h < heads; h++) {
        if (encoder_head_row(&w->m->net.encoder, layer_label(w->m->c.n_layers), h) < 0) continue;
        strbuf_puts(out, "<tr><th scope=\"row\">");
        page_head(out, h);
        strbuf_puts(out, "</th><td>");
        for (int k = 0; k < sent->n_words; k++) weights[k] = explain_weight(w, h, k);
        for (int i = 0, k = -1; i < 3 && (k = head_summary_next_largest(weights, sent->n_words, k)) >= 0; i++) {
            strbuf_puts(out, i ? ", " : "");
            put_quoted(out, sent->words[k]);
            strbuf_printf(out, " %.0f&#160;%%", 100 * weights[k]);
        }
        strbuf_puts(out, "</td></tr>\n");
    }
    mem_free(weights);
    strbuf_puts(out, "</tbody></table></details>\n</section>\n");
}

/* ---- decisions */

/* The words with the largest contributions through the views of all heads together. */
static void put_top_words(StrBuf *out, const Explained *x, const Sentence *sent)
{
    enum { MOST = 6 };
    double *size = mem_alloc((size_t)sent->n_words, sizeof *size);
    if (!size) out->failed = true;
    for (int k = 0; size && k < sent->n_words; k++) size[k] = fabs(x->by_word[k + 1]);
    strbuf_puts(out, "<p>Largest contributions of words, through the views of all heads: ");
    for (int i = 0, k = -1; size && i < MOST && (k = head_summary_next_largest(size, sent->n_words, k)) >= 0; i++) {
        strbuf_puts(out, i ? ", " : "");
        put_quoted(out, sent->words[k]);
        strbuf_printf(out, " %+.3f", x->by_word[k + 1]);
    }
    strbuf_puts(out, ".</p>\n");
    mem_free(size);
}

static int heads_shown(const Explained *x) { return x->d.kind == EXPLAIN_SPAN ? SITE_HEADS : SITE_HEADS / 2; }

static void put_heads(StrBuf *out, const Explained *x, const Sentence *sent, const Worker *w)
{
    const HeadAttribution *a = &x->a;
    bool span = x->d.kind == EXPLAIN_SPAN;
    page_table(out, "Heads with the largest contributions", "",
               "head|contribution|<a href=\"../glossary.html#own\">own words</a>|<a "
               "href=\"../glossary.html#view\">view</a>|attends most to");
    if (span) page_columns(out, "<a href=\"../glossary.html#inside\">inside</a>");
    strbuf_puts(out, PAGE_ROWS);
    for (int k = 0, h = -1; k < heads_shown(x) && (h = inspection_next_head(a, h)) >= 0; k++) {
        HeadFocus f = span ? explain_focus(w, h, x->d.at.begin, x->d.at.end) : explain_focus(w, h, 0, 0);
        strbuf_printf(out, "<tr><th scope=\"row\" data-head=\"%d\"><span class=\"who\">", h + 1);
        page_head(out, h);
        strbuf_printf(out, "</span></th><td>%+.3f</td><td>%+.3f</td><td>%+.3f</td><td class=\"word\">", a->head[h],
                      a->own[h], a->view[h]);
        if (f.word >= 0) put_quoted(out, sent->words[f.word]);
        strbuf_printf(out, " %.0f&#160;%%</td>", 100 * f.most);
        if (span) strbuf_printf(out, "<td>%.0f&#160;%%</td>", 100 * f.inside);
        strbuf_puts(out, "</tr>\n");
    }
    strbuf_puts(out, "</tbody></table></div>\n");
}

static void put_lead(StrBuf *out, const Explained *x)
{
    strbuf_printf(out, "<p>Score minus that of the gold label: %+.3f; largest contributions to this difference: heads",
                  x->lead.score);
    for (int k = 0, h = -1; k < SITE_HEADS / 2 && (h = inspection_next_head(&x->lead, h)) >= 0; k++) {
        strbuf_puts(out, k ? "; " : " ");
        page_head(out, h);
        strbuf_printf(out, " (%+.3f)", x->lead.head[h]);
    }
    strbuf_puts(out, ".</p>\n");
}

/* An arc links to the decision on its type, a type to its arc. */
static void put_relative(StrBuf *out, const Inspected *i, const Explained *x)
{
    if (x->d.kind == EXPLAIN_SPAN) return;
    bool arc = x->d.kind == EXPLAIN_ARC;
    int k = find_decision(i->x, i->n, arc ? EXPLAIN_TYPE : EXPLAIN_ARC, x->d.at.begin, x->d.at.end);
    if (k < 0) return;
    strbuf_printf(out, "<p><a href=\"#d%d\">%s", k, arc ? "Its type: " : "Its arc");
    if (arc) strbuf_xml(out, decision_label(i->m, EXPLAIN_TYPE, i->x[k].d.at.label));
    strbuf_puts(out, "</a></p>\n");
}

static void put_decision(StrBuf *out, const Inspected *i, const Explained *x, const Worker *w, int number, bool missed)
{
    enum { WORDS = 24 };
    const Sentence *sent = i->s;
    const HeadAttribution *a = &x->a;
    double sum = 0;
    for (int h = 0; h < a->heads; h++) sum += a->head[h];
    strbuf_printf(out, "<article id=\"d%d\"><h3>", number);
    page_decision_name(out, i->m, &x->d);
    strbuf_puts(out, " <q>");
    page_decision_words(out, &x->d, sent, WORDS);
    strbuf_puts(out, "</q></h3>\n<p class=\"verdict\">");
    if (missed) strbuf_puts(out, "<strong class=\"good\">Missing</strong>: gold has it, the parse does not.");
    else if (x->in_gold == 0) {
        strbuf_puts(out, "<strong class=\"bad\">Wrong</strong>: ");
        page_decision_gold(out, x, i->gold);
        strbuf_putc(out, '.');
    } else if (x->in_gold == 1) strbuf_puts(out, "Right.");
    strbuf_printf(out, " Score %+.3f = heads %+.3f", a->score, sum);
    if (a->row) strbuf_printf(out, " + <a href=\"../glossary.html#pruned\">pruned heads</a> %+.3f", a->pruned);
    strbuf_printf(out,
                  " + biases %+.3f; <a href=\"../glossary.html#probability\">probability</a> %.3f "
                  "among its alternatives.</p>\n",
                  a->bias, x->p);
    put_heads(out, x, sent, w);
    put_relative(out, i, x);
    if (x->lead.heads) put_lead(out, x);
    put_top_words(out, x, sent);
    strbuf_puts(out, "</article>\n");
}

/* ---- the page */

static void put_thousandths(StrBuf *out, const char *key, const double *values, int n)
{
    json_array(out, key);
    for (int k = 0; k < n; k++) json_real(out, NULL, "%.0f", 1000 * values[k]);
    json_array_end(out);
}

/* The contributions to a decision, and the views of the heads that its table shows. */
static void put_parts(StrBuf *out, const Explained *x, int heads, int n)
{
    char name[24];
    json_object(out, NULL);
    put_thousandths(out, "parts", x->a.head, heads);
    put_thousandths(out, "words", x->by_word + 1, n);
    json_object(out, "heads");
    for (int j = 0, h = -1; j < x->n_word_heads && j < heads_shown(x) && (h = inspection_next_head(&x->a, h)) >= 0;
         j++) {
        snprintf(name, sizeof name, "%d", h + 1);
        put_thousandths(out, name, x->word + (ptrdiff_t)j * x->a.tokens + 1, n);
    }
    json_object_end(out);
    json_object_end(out);
}

/* Thousandths, for the script: the contributions to each decision, the views over the words, and attention. Numbers
 * only, so that no text can end the element. */
static void put_data(StrBuf *out, const Inspected *i, const Worker *w, int heads)
{
    int n = i->p->n_words;
    strbuf_puts(out, "<script type=\"application/json\" id=\"data\">{");
    out->compact = true;
    json_array(out, "decisions");
    for (int k = 0; k < i->n + i->n_missed; k++) {
        if (k) json_line(out);
        put_parts(out, k < i->n ? &i->x[k] : &i->missed[k - i->n], heads, n);
    }
    json_array_end(out);
    json_line(out);
    json_array(out, "attention");
    for (int h = 0; h < heads; h++) {
        json_array(out, NULL);
        for (int k = 0; k < n; k++) json_real(out, NULL, "%.0f", 1000 * explain_weight(w, h, k));
        json_array_end(out);
    }
    out->compact = false;
    strbuf_puts(out, "]}</script>\n");
}

/* ---- doubt */

/* A word is doubtful below these probabilities of its arc, or of the smallest phrase that it is in. */
enum { DOUBTS = 3 };
static const double DOUBT[DOUBTS] = { 0.95, 0.8, 0.5 };

/* The probability of the smallest phrase that word w is in; 1: w is in no phrase, or probabilities are not known. */
static double phrase_probability(const Parsed *p, int w)
{
    double found = 1;
    for (int k = 0; k < p->n_phrases && p->confidence->phrase; k++) /* inner ones come later */
        if (p->phrases[k].begin <= w && w < p->phrases[k].end) found = (double)p->confidence->phrase[k];
    return found;
}

static void put_word(StrBuf *out, const Inspected *x, int w)
{
    const Confidence *c = x->p->confidence;
    strbuf_puts(out, w ? " <span" : "<span");
    if (c && c->arc) {
        double arc = (double)c->arc[w], phrase = phrase_probability(x->p, w), least = fmin(arc, phrase);
        int level = 0;
        while (level < DOUBTS && least < DOUBT[level]) level++;
        if (level)
            strbuf_printf(out, " data-doubt=\"%d\" title=\"arc %.0f %%, phrase %.0f %%\"", level, 100 * arc,
                          100 * phrase);
    }
    strbuf_putc(out, '>');
    strbuf_xml(out, x->s->words[w]);
    strbuf_puts(out, "</span>");
}

/* What a confidence says of the whole sentence, and what the colours of words mean. */
static void put_confidence(StrBuf *out, const Confidence *c)
{
    strbuf_puts(out, "<p class=\"legend\">");
    if (c->expected_f1 >= 0)
        strbuf_printf(out, "<a href=\"../glossary.html#doubt\">Expected F1</a> %.1f&#160;%%. ", 100 * c->expected_f1);
    if (c->expected_las >= 0) strbuf_printf(out, "Expected LAS %.1f&#160;%%. ", 100 * c->expected_las);
    if (c->p_tree >= 0) strbuf_printf(out, "Probability of the whole parse %.3g&#160;%%. ", 100 * c->p_tree);
    strbuf_puts(out, "Doubtful words, by the probability of the arc or of the smallest phrase:");
    for (int k = 0; k < DOUBTS; k++)
        strbuf_printf(out, " <span class=\"key\" data-doubt=\"%d\"></span> below %.0f&#160;%%", k + 1, 100 * DOUBT[k]);
    strbuf_puts(out, "</p>\n");
}

static void put_words(StrBuf *out, const Inspected *x)
{
    strbuf_puts(out, "<p id=\"words\">");
    for (int w = 0; w < x->s->n_words; w++) put_word(out, x, w);
    strbuf_puts(out, "</p>\n");
    if (x->p->confidence && x->p->confidence->arc) put_confidence(out, x->p->confidence);
}

/* ---- the second-best parse */

static bool is_changed(const Rival *r, ExplainKind kind, int begin, int end)
{
    for (int k = 0; k < r->n; k++) {
        const Decision *d = &r->x[k].d;
        if (r->x[k].second && d->kind == kind && d->at.begin == begin && d->at.end == end) return true;
    }
    return false;
}

/* The second parse, in which all that the first one lacks is marked. */
static void put_second_drawing(StrBuf *out, const Inspected *x)
{
    const Sentence *sent = x->second;
    DrawMark *mark = mem_calloc((size_t)(sent->n_phrases + sent->n_words), sizeof *mark);
    if (!mark) {
        out->failed = true;
        return;
    }
    for (int k = 0; k < sent->n_phrases; k++) {
        const Phrase *p = &sent->phrases[k];
        bool other = is_changed(x->rival, EXPLAIN_SPAN, p->begin, p->end) && !page_has_phrase(x->s, p);
        mark[k] = (DrawMark){ -1, other ? DRAW_OTHER : DRAW_PLAIN, NULL };
    }
    for (int w = 0; w < sent->n_words; w++) {
        bool other = sent->heads && is_changed(x->rival, EXPLAIN_ARC, w + 1, sent->heads[w]);
        mark[sent->n_phrases + w] = (DrawMark){ -1, other ? DRAW_OTHER : DRAW_PLAIN, NULL };
    }
    page_drawing(out, "Second-best parse", sent,
                 (DrawOptions){ .tree = true, .arcs = true, .phrases = mark, .words = mark + sent->n_phrases });
    mem_free(mark);
}

/* "for the parse: 12 (+0.31), 4 (+0.20)": the heads whose parts have this sign, the largest ones. */
static void put_favours(StrBuf *out, const HeadAttribution *margin, const char *whom, bool second)
{
    int shown = 0;
    for (int h = -1; shown < SITE_HEADS / 2 && (h = inspection_next_head(margin, h)) >= 0;) {
        if ((margin->head[h] < 0) != second || margin->head[h] == 0) continue;
        strbuf_puts(out, shown++ ? "; " : whom);
        page_head(out, h);
        strbuf_printf(out, " (%+.3f)", margin->head[h]);
    }
    if (shown) strbuf_puts(out, ". ");
}

static void put_second(StrBuf *out, const Inspected *x)
{
    enum { WORDS = 12 };
    const Rival *r = x->rival;
    strbuf_printf(out,
                  "<section id=\"second\"><h2>Second-best parse</h2>\n<p>Its <a href=\"../glossary.html#second\">score"
                  "</a> is %.3f lower. What differs:</p>\n",
                  r->margin.score + r->grammar);
    page_table(out, "What differs in the second-best parse", "", "only in|kind|decision|words|score");
    strbuf_puts(out, PAGE_ROWS);
    for (int k = 0; k < r->n; k++) {
        const Decision *d = &r->x[k].d;
        strbuf_printf(out, "<tr><td>the %s</td><td>%s</td><td>", r->x[k].second ? "second" : "parse",
                      PAGE_DECISION_KINDS[d->kind]);
        page_decision_name(out, x->m, d);
        strbuf_puts(out, "</td><td class=\"word\">");
        page_decision_words(out, d, x->s, WORDS);
        strbuf_printf(out, "</td><td>%+.3f</td></tr>\n", r->x[k].score);
    }
    strbuf_puts(out, "</tbody></table></div>\n<p>");
    put_favours(out, &r->margin, "Heads that are most for the parse: ", false);
    put_favours(out, &r->margin, "For the second one: ", true);
    if (r->grammar != 0) strbuf_printf(out, "The grammar of phrases: %+.3f. ", r->grammar);
    strbuf_printf(out, "Biases and nodes without a label: %+.3f.</p>\n<details><summary>Its tree and arcs</summary>\n",
                  r->margin.bias);
    put_second_drawing(out, x);
    strbuf_puts(out, "</details>\n</section>\n");
}

static void put_counts(StrBuf *out, const Inspected *x)
{
    double worst = 0;
    strbuf_puts(out, "<p>");
    for (int kind = 0; kind <= EXPLAIN_TYPE; kind++) {
        int n = 0, judged = 0, right = 0;
        for (int k = 0; k < x->n; k++) {
            if (x->x[k].d.kind != (ExplainKind)kind) continue;
            n++;
            judged += x->x[k].in_gold >= 0;
            right += x->x[k].in_gold == 1;
            worst = fmax(worst, attribution_error(&x->x[k].a));
        }
        if (!n) continue;
        strbuf_printf(out, "%d %s%s", n, PAGE_DECISION_KINDS[kind], n == 1 ? "" : "s");
        if (judged) strbuf_printf(out, " (%d wrong)", judged - right);
        strbuf_puts(out, ", ");
    }
    if (x->missed) strbuf_printf(out, "%d gold phrase%s missing, ", x->n_missed, x->n_missed == 1 ? "" : "s");
    strbuf_printf(out, "<a href=\"../glossary.html#completeness\">completeness error</a> %.1e.</p>\n", worst);
}

void site_sentence(StrBuf *out, const Inspected *x, const Worker *w)
{
    const Sentence *sent = x->s;
    int heads = w->m->net.encoder.c.lal.heads;
    char title[40], links[200] = NEXT_LINK;
    long id = x->origin.id;
    snprintf(title, sizeof title, "Sentence %ld", id);
    if (id > 1)
        snprintf(links, sizeof links, " <a rel=\"prev\" href=\"%ld.html\">Sentence %ld</a>" NEXT_LINK, id - 1, id - 1);
    page_begin(out, title, "../", links);
    put_words(out, x);
    if (!x->confidence) {
        strbuf_puts(out, sent->n_words ? "<p>This sentence was parsed in pieces and is not explained.</p>\n"
                                       : "<p>This sentence has no words.</p>\n");
        page_end(out);
        return;
    }
    put_counts(out, x);
    strbuf_puts(out, "<div class=\"columns\"><div>\n");
    strbuf_printf(out, "<section><h2>Parse</h2>\n<p>Select a label to see the contributions to its score.%s</p>\n",
                  x->gold ? " Red with a cross: not in gold, which is beside it in green; dashed: gold arcs." : "");
    put_parse(out, x);
    strbuf_puts(out, "</section>\n");
    if (x->n_missed) {
        strbuf_puts(out, "<section><h2>Gold tree</h2>\n<p>Green with a plus sign: phrases that the parse lacks.</p>\n");
        put_gold_tree(out, x);
        strbuf_puts(out, "</section>\n");
    }
    if (x->rival) put_second(out, x);
    put_attention(out, w, sent, heads);
    strbuf_puts(out, "</div>\n<section id=\"decisions\" aria-live=\"polite\"><h2>Decisions and contributions</h2>\n");
    page_names(out, "../");
    for (int k = 0; k < x->n; k++) put_decision(out, x, &x->x[k], w, k, false);
    for (int k = 0; k < x->n_missed; k++) put_decision(out, x, &x->missed[k], w, x->n + k, true);
    strbuf_puts(out, "</section></div>\n");
    put_data(out, x, w, heads);
    page_end(out);
}
