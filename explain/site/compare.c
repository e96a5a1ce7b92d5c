/* A sentence parsed by two models */
#include "explain/site/compare.h"

#include <stdio.h>
#include <string.h>

#include "explain/site/compare_internal.h"

/* ---- what differs */

static bool same_arc(const Sentence *a, const Sentence *b, int w)
{
    return a->heads[w] == b->heads[w] && strcmp(a->types[w], b->types[w]) == 0;
}

/* A difference is right, wrong, or not judged by gold. */
static DrawJudgement judge(bool judged, bool right) { return !judged ? DRAW_OTHER : right ? DRAW_RIGHT : DRAW_WRONG; }

/* Marks [n_phrases + n_words] of what `other` lacks; counts it, and what of it gold has. */
static void mark(DrawMark *m, const Sentence *sent, const Sentence *other, const Sentence *gold, int *differ,
                 int *right)
{
    bool trees = sent->has_tree && other->has_tree, arcs = sent->heads && other->heads;
    bool gold_tree = gold && gold->has_tree, gold_arcs = gold && gold->heads;
    for (int k = 0; k < sent->n_phrases; k++) {
        const Phrase *p = &sent->phrases[k];
        m[k] = (DrawMark){ -1, DRAW_PLAIN, NULL };
        if (!trees || page_has_phrase(other, p)) continue;
        m[k].judgement = judge(gold_tree, gold_tree && page_has_phrase(gold, p));
        *differ += 1;
        *right += m[k].judgement == DRAW_RIGHT;
    }
    for (int w = 0; w < sent->n_words; w++) {
        DrawMark *arc = &m[sent->n_phrases + w];
        *arc = (DrawMark){ -1, DRAW_PLAIN, NULL };
        if (!arcs || same_arc(sent, other, w)) continue;
        arc->judgement = judge(gold_arcs, gold_arcs && same_arc(sent, gold, w));
        *right += arc->judgement == DRAW_RIGHT;
    }
}

static int arcs_that_differ(const Sentence *a, const Sentence *b)
{
    int n = 0;
    for (int w = 0; w < a->n_words && a->heads && b->heads; w++) n += !same_arc(a, b, w);
    return n;
}

static const Explained *find_same(const Inspected *in, const Inspected *of, const Explained *x)
{
    const char *label = decision_label(of->m, x->d.kind, x->d.at.label);
    for (int k = 0; k < in->n; k++) {
        const Explained *y = &in->x[k];
        if (y->d.kind != x->d.kind || y->d.at.begin != x->d.at.begin || y->d.at.end != x->d.at.end) continue;
        const char *other = decision_label(in->m, y->d.kind, y->d.at.label);
        if ((!label && !other) || (label && other && strcmp(label, other) == 0)) return y;
    }
    return NULL;
}

/* ---- the table of decisions that differ */

/* The score and probability that a model gives to a decision of another model; false: it does not know the label. */
static Status score_by(Worker *w, const Model *of, const Explained *x, Arena *arena, double *score, double *p,
                       bool *known, Error *e)
{
    Decision d = x->d;
    HeadAttribution a;
    const char *label = decision_label(of, d.kind, d.at.label);
    *known = !label || decision_find(w->m, d.kind, label, &d.at.label, &(Error){ 0 }) == OK;
    if (!*known) return OK;
    Status s = explain_decision(w, &d, false, arena, &a, p, e);
    if (s == OK) *score = a.score;
    return s;
}

static void put_score(StrBuf *out, bool known, double score, double p)
{
    if (known) strbuf_printf(out, "<td>%+.3f</td><td>%.3f</td>", score, p);
    else strbuf_puts(out, "<td></td><td></td>");
}

static Status put_row(StrBuf *out, const Inspected *in[2], int which, const Explained *x, Worker *w[2],
                      const char *const *names, Arena *arena, Error *e)
{
    enum { WORDS = 14 };
    const Inspected *i = in[which];
    double score = 0, p = 0;
    bool known = false;
    Status s = score_by(w[!which], i->m, x, arena, &score, &p, &known, e);
    if (s != OK) return s;
    strbuf_printf(out, "<tr><td>%s</td><td>", PAGE_DECISION_KINDS[x->d.kind]);
    if (which == 0) strbuf_printf(out, "<a href=\"../s/%ld.html#d%d\">", i->origin.id, (int)(x - i->x));
    page_decision_name(out, i->m, &x->d);
    strbuf_puts(out, which == 0 ? "</a></td><td class=\"word\">" : "</td><td class=\"word\">");
    page_decision_words(out, &x->d, i->s, WORDS);
    strbuf_puts(out, "</td><td class=\"word\">");
    strbuf_xml(out, names[which]);
    strbuf_puts(out, x->in_gold > 0    ? "</td><td class=\"good\">right</td>"
                     : x->in_gold == 0 ? "</td><td class=\"bad\">wrong</td>"
                                       : "</td><td></td>");
    if (which == 0) put_score(out, true, x->a.score, x->p);
    put_score(out, known, score, p);
    if (which == 1) put_score(out, true, x->a.score, x->p);
    strbuf_puts(out, "</tr>\n");
    return OK;
}

/* A type is not listed where the arcs differ. */
static bool is_listed(const Inspected *in, const Inspected *of, const Explained *x)
{
    if (find_same(in, of, x)) return false;
    return x->d.kind != EXPLAIN_TYPE || (in->s->heads && in->s->heads[x->d.at.begin - 1] == x->d.at.end);
}

static Status put_decisions(StrBuf *out, const Inspected *in[2], Worker *w[2], const char *const *names, Arena *arena,
                            Error *e)
{
    Status s = OK;
    strbuf_puts(out, "<section id=\"differences\"><h2>Decisions that differ</h2>\n<p>The <a "
                     "href=\"../glossary.html#score\">scores</a> and <a "
                     "href=\"../glossary.html#probability\">probabilities</a> that both models give to each. Scores of "
                     "different models have different scales; probabilities can be compared.</p>\n");
    page_table(out, "Decisions that differ", "list", "kind|decision|words|in the parse of|gold");
    for (int k = 0; k < 2; k++) {
        strbuf_xml_in(out, "<th scope=\"col\">score, ", names[k], "</th>");
        strbuf_xml_in(out, "<th scope=\"col\">probability, ", names[k], "</th>");
    }
    strbuf_puts(out, PAGE_ROWS);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < in[k]->n && s == OK; i++)
            if (is_listed(in[!k], in[k], &in[k]->x[i])) s = put_row(out, in, k, &in[k]->x[i], w, names, arena, e);
    strbuf_puts(out, "</tbody></table></div>\n</section>\n");
    return s;
}

/* ---- the page */

static void put_scores(StrBuf *out, const Scores *s)
{
    page_cell(out, s->trees > 0, "%.1f", score_f1(s));
    page_cell(out, s->dep.nopunct.words > 0, "%.1f", score_percent(s->dep.nopunct.heads, s->dep.nopunct.words));
    page_cell(out, s->dep.nopunct.words > 0, "%.1f", score_percent(s->dep.nopunct.both, s->dep.nopunct.words));
}

void compare_table(StrBuf *out, const char *const *names, const Scores *scores, const int *right, bool gold)
{
    page_table(out, "Scores of both models", "", "model|F1|UAS|LAS|right only here");
    strbuf_puts(out, PAGE_ROWS);
    for (int k = 0; k < 2; k++) {
        strbuf_xml_in(out, "<tr><th scope=\"row\">", names[k], "</th>");
        put_scores(out, &scores[k]);
        page_cell(out, gold, "%.0f", right[k]);
        strbuf_puts(out, "</tr>\n");
    }
    strbuf_puts(out, "</tbody></table></div>\n");
}

static bool put_sides(StrBuf *out, const Inspected *in[2], const char *const *names, Difference *d)
{
    int phrases = 0;
    strbuf_puts(out, "<div class=\"sides\">\n");
    for (int k = 0; k < 2; k++) {
        const Sentence *sent = in[k]->s, *other = in[!k]->s;
        DrawMark *m = mem_calloc((size_t)(sent->n_phrases + sent->n_words), sizeof *m);
        if (!m) return false;
        mark(m, sent, other, in[0]->gold, &phrases, &d->right[k]);
        strbuf_xml_in(out, "<section><h2>", names[k], "</h2>\n");
        page_drawing(out, names[k], sent,
                     (DrawOptions){ .tree = true, .arcs = true, .phrases = m, .words = m + sent->n_phrases });
        strbuf_puts(out, "</section>\n");
        mem_free(m);
    }
    strbuf_puts(out, "</div>\n");
    d->differences = phrases + arcs_that_differ(in[0]->s, in[1]->s);
    return true;
}

static Status score_both(Difference *d, const Inspected *in[2], PunctSet punct, Error *e)
{
    Status s = OK;
    for (int k = 0; k < 2 && s == OK; k++) {
        d->scores[k] = (Scores){ 0 };
        if (in[k]->gold) s = score_add(&d->scores[k], in[k]->gold, in[k]->s, punct, e);
    }
    return s;
}

Status compare_sentence(const Compare *c, Difference *d, const Inspected *a, const Inspected *b, Worker *w[2],
                        Arena *arena, Error *e)
{
    enum { WORDS = 30 };
    const Inspected *in[2] = { a, b };
    StrBuf sides = { 0 };
    char title[60];
    const Sentence *gold = a->gold;
    d->id = a->origin.id;
    d->gold = gold && (gold->has_tree || gold->heads);
    d->gold_sent = gold;
    d->sent[0] = a->s;
    d->sent[1] = b->s;
    d->right[0] = d->right[1] = d->differences = 0;
    strbuf_clear(&d->page);
    strbuf_clear(&d->text);
    Decision all = { EXPLAIN_SPAN, { 0, a->p->n_words, LABEL_NONE }, LABEL_NONE };
    page_decision_words(&d->text, &all, a->s, WORDS);
    Status status = score_both(d, in, model_is_ud(w[0]->m) ? PUNCT_UD : PUNCT_AUTO, e);
    if (!put_sides(&sides, in, c->name, d)) sides.failed = true;
    snprintf(title, sizeof title, "Sentence %ld by two models", d->id);
    page_begin(&d->page, title, "../", "");
    strbuf_printf(&d->page, "<p><a href=\"../s/%ld.html\">Explanations of the first parse</a></p>\n<p id=\"sentence\">",
                  d->id);
    all.at.end = a->p->n_words;
    page_decision_words(&d->page, &all, a->s, a->p->n_words + 1);
    strbuf_printf(&d->page, "</p>\n<p>%d difference%s.%s</p>\n", d->differences, d->differences == 1 ? "" : "s",
                  !d->differences ? ""
                  : d->gold       ? " Green with a plus sign: right; red with a cross: wrong; the other parse lacks it."
                                  : " Orange: what the other parse lacks.");
    if (d->gold) compare_table(&d->page, c->name, d->scores, d->right, true);
    if (sides.ptr) strbuf_puts(&d->page, sides.ptr);
    if (status == OK && d->differences && a->confidence && b->confidence)
        status = put_decisions(&d->page, in, w, c->name, arena, e);
    page_end(&d->page);
    bool failed = sides.failed || d->page.failed || d->text.failed;
    strbuf_fini(&sides);
    return status == OK && failed ? error_set(e, ERR_NOMEM, "out of memory comparing") : status;
}
