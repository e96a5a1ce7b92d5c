/* Explanations as JSON lines, tables and text */
#include <math.h>
#include <stdio.h>

#include "base/json_writer.h"
#include "explain/head_names.h"
#include "explain/inspection.h"

/* ---- JSON */

typedef struct LabelHead {
    char text[24]; /* "label:12": head 11 */
} LabelHead;

static LabelHead label_head(int h)
{
    LabelHead name;
    snprintf(name.text, sizeof name.text, "label:%d", h + 1);
    return name;
}

/* Head h; word: its view over words [tokens], or NULL. */
static void put_head(StrBuf *out, const Worker *w, const Explained *x, const double *word, int h)
{
    const HeadAttribution *a = &x->a;
    bool span = x->d.kind == EXPLAIN_SPAN;
    HeadFocus f = span ? explain_focus(w, h, x->d.at.begin, x->d.at.end) : explain_focus(w, h, 0, 0);
    json_object(out, NULL);
    json_members(out, "head: %s, part: %.5g, own: %.5g, view: %.5g, norm: %.5g", label_head(h).text, a->head[h],
                 a->own[h], a->view[h], a->norm[h]);
    json_object(out, "attends");
    json_members(out, "word: %d, weight: %.4f", f.word, f.most);
    if (span) json_members(out, "inside: %.4f, outside: %.4f", f.inside, 1 - f.inside);
    json_object_end(out);
    if (word) {
        json_array(out, "words");
        for (int t = 1; t + 1 < a->tokens; t++) json_real(out, NULL, "%.4g", word[t]);
        json_array_end(out);
    }
    json_object_end(out);
}

/* What is decided: members of an object. */
static void put_what(StrBuf *out, const Model *m, const Decision *d)
{
    static const char *const kinds[] = { "span", "arc", "type" };
    bool span = d->kind == EXPLAIN_SPAN;
    const char *label = decision_label(m, d->kind, d->at.label);
    json_string(out, "kind", kinds[d->kind]);
    json_long(out, span ? "begin" : "word", span ? d->at.begin : d->at.begin - 1);
    json_long(out, span ? "end" : "governor", span ? d->at.end : d->at.end - 1);
    if (label) json_string(out, "label", label);
}

static void put_decision(StrBuf *out, const Worker *w, const Explained *x, int top, bool words)
{
    const char *against = decision_label(w->m, x->d.kind, x->d.against);
    json_object(out, NULL);
    put_what(out, w->m, &x->d);
    if (against) json_string(out, "against", against);
    if (x->in_gold >= 0) json_bool(out, "right", x->in_gold);
    json_members(out, "p: %.4f, score: %.6g, bias: %.6g", x->p, x->a.score, x->a.bias);
    if (x->a.row) json_real(out, "pruned", "%.6g", x->a.pruned);
    json_real(out, "completeness_error", "%.2e", attribution_error(&x->a));
    json_array(out, "heads");
    int left = attribution_left(&x->a), most = top && top < left ? top : left;
    for (int k = 0, h = -1; k < most && (h = inspection_next_head(&x->a, h)) >= 0; k++)
        put_head(out, w, x, words && k < x->n_word_heads ? x->word + (ptrdiff_t)k * x->a.tokens : NULL, h);
    json_array_end(out);
    json_object_end(out);
}

static void put_decisions(StrBuf *out, const char *name, const Worker *w, const Explained *x, int n, int top,
                          bool words)
{
    json_array(out, name);
    for (int k = 0; k < n; k++) put_decision(out, w, &x[k], top, words);
    json_array_end(out);
}

/* The second-best parse: its tree, what differs, and the heads that are for the parse or, with a negative part, for the
 * second one. */
static void put_rival(StrBuf *out, const Inspected *x, int top)
{
    const Rival *r = x->rival;
    const HeadAttribution *a = &r->margin;
    json_object(out, "second");
    json_real(out, "margin", "%.6g", a->score + r->grammar);
    if (x->second) {
        StrBuf tree = { 0 };
        tree_write(&tree, x->second);
        json_take(out, "tree", &tree);
    }
    for (int second = 0; second < 2; second++) {
        json_array(out, second ? "gained" : "lost");
        for (int k = 0; k < r->n; k++) {
            if (r->x[k].second != second) continue;
            json_object(out, NULL);
            put_what(out, x->m, &r->x[k].d);
            json_real(out, "score", "%.6g", r->x[k].score);
            json_object_end(out);
        }
        json_array_end(out);
    }
    json_array(out, "heads");
    int left = attribution_left(a), most = top && top < left ? top : left;
    for (int k = 0, h = -1; k < most && (h = inspection_next_head(a, h)) >= 0; k++)
        json_record(out, NULL, "head: %s, part: %.5g", label_head(h).text, a->head[h]);
    json_array_end(out);
    if (r->grammar != 0) json_real(out, "grammar", "%.5g", r->grammar);
    json_real(out, "rest", "%.5g", a->bias);
    json_object_end(out);
}

/* Every head's weights over the words; the rest to 1 is on START and STOP. */
static void put_attention(StrBuf *out, const Worker *w, int n)
{
    const HostMatrix *probs = &w->attention;
    const Encoder *enc = &w->m->net.encoder;
    json_object(out, "attention");
    for (int h = 0; h < probs->cols; h++) {
        json_array(out, label_head(enc->head[layer_label(enc->c.n_layers)][h]).text);
        for (int k = 0; k < n; k++) json_real(out, NULL, "%.4g", (double)host_row(probs, k + 1)[h]);
        json_array_end(out);
    }
    json_object_end(out);
}

void inspection_json(StrBuf *out, const Inspected *x, const Worker *w, int top, bool words)
{
    const Sentence *sent = x->s;
    json_object(out, NULL);
    json_members(out, "id: %ld, line: %ld", x->origin.id, x->origin.line);
    json_strings(out, "tokens", sent->words, sent->n_words);
    if (sent->tags) json_strings(out, "tags", sent->tags, sent->n_words);
    if (sent->has_tree && sent->n_words) {
        StrBuf tree = { 0 };
        tree_write(&tree, sent);
        json_take(out, "tree", &tree);
    }
    if (x->p->pieces > 1) json_long(out, "pieces", x->p->pieces);
    if (words && x->confidence) put_attention(out, w, sent->n_words);
    put_decisions(out, "decisions", w, x->x, x->n, top, words);
    if (x->rival) put_rival(out, x, top);
    if (x->missed) put_decisions(out, "missed", w, x->missed, x->n_missed, top, words);
    strbuf_puts(out, "}\n");
}

/* ---- tables */

static void put_tsv(StrBuf *out, const HeadSummary *s)
{
    for (int k = -1; (k = head_summary_next(s, k)) >= 0;) {
        const Category *c = &s->c[k];
        const HeadSums *all = &c->by[SUM_ALL], *right = &c->by[SUM_RIGHT], *wrong = &c->by[SUM_WRONG];
        for (int h = -1; (h = head_summary_next_largest(all->share, s->heads, h)) >= 0;) {
            if (!head_summary_has(s, h)) continue;
            strbuf_printf(out, "%s\t%ld\t%ld\t%ld\t%d\t%ld\t%ld\t%.5f\t%.5g", c->name, all->n, right->n + wrong->n,
                          right->n, h + 1, all->top[h], right->top[h],
                          head_summary_ratio(all->share[h], (double)all->n), all->part[h] / (double)all->n);
            for (int i = SUM_RIGHT; i <= SUM_WRONG; i++) {
                const HeadSums *x = &c->by[i];
                if (x->n)
                    strbuf_printf(out, "\t%.5f\t%.5g", head_summary_ratio(x->share[h], (double)x->n),
                                  x->part[h] / (double)x->n);
                else strbuf_puts(out, "\t\t");
            }
            strbuf_printf(out, "\t%.2e\n", c->worst);
        }
    }
}

void inspection_tsv(StrBuf *out, const Inspection *s)
{
    strbuf_puts(out, "category\tdecisions\twith_gold\tright\thead\tleads\tleads_right\tmean_share\tmean_part\tmean_"
                     "share_right\tmean_part_right\t"
                     "mean_share_wrong\tmean_part_wrong\tcompleteness_error\n");
    put_tsv(out, &s->sum);
    put_tsv(out, &s->confused);
}

/* Some lines for each category, the frequent ones first; at most `categories` of them. */
static void put_categories(StrBuf *out, const HeadSummary *s, const HeadNames *names, int categories, int top,
                           bool judged)
{
    for (int i = 0, k = -1; i < categories && (k = head_summary_next(s, k)) >= 0; i++) {
        const Category *c = &s->c[k];
        const HeadSums *all = &c->by[SUM_ALL], *right = &c->by[SUM_RIGHT], *wrong = &c->by[SUM_WRONG];
        double n = (double)all->n, gold = (double)(right->n + wrong->n);
        strbuf_printf(out, "%s: %ld", c->name, all->n);
        if (judged && gold > 0) strbuf_printf(out, ", %.1f %% right", 100 * head_summary_ratio((double)right->n, gold));
        strbuf_putc(out, '\n');
        for (int j = 0, h = -1; (!top || j < top) && (h = head_summary_next_largest(all->share, s->heads, h)) >= 0;
             j++) {
            if (!head_summary_has(s, h)) continue;
            strbuf_puts(out, "  head ");
            head_names_column(out, names, h);
            strbuf_printf(out, "  leads %5.1f %%  mean share %5.2f %%  mean contribution %+.3f",
                          100 * head_summary_ratio((double)all->top[h], n), 100 * all->share[h] / n, all->part[h] / n);
            if (judged && right->n && wrong->n)
                strbuf_printf(out, " (right %+.3f, wrong %+.3f)", right->part[h] / (double)right->n,
                              wrong->part[h] / (double)wrong->n);
            if (judged && gold > 0 && all->top[h])
                strbuf_printf(out, "  right where it leads %5.1f %%",
                              100 * head_summary_ratio((double)right->top[h], (double)(right->top[h] + wrong->top[h])));
            strbuf_putc(out, '\n');
        }
    }
}

/* Heads that are the most frequent leader of more than one category of at least LEAST_SHARED decisions. */
static void put_shared(StrBuf *out, const HeadSummary *s, const HeadNames *names)
{
    strbuf_printf(out, "\nheads that lead most often in several categories (of at least %d decisions):\n",
                  LEAST_SHARED);
    for (int h = 0; h < s->heads; h++) {
        if (head_summary_led(s, h) < 2) continue;
        strbuf_puts(out, "  head ");
        head_names_column(out, names, h);
        strbuf_putc(out, ' ');
        for (int k = -1; (k = head_summary_next(s, k)) >= 0;)
            if (head_summary_leads(s, k, h)) strbuf_printf(out, " %s", s->c[k].name);
        strbuf_putc(out, '\n');
    }
}

static void put_looks(StrBuf *out, const Inspection *s)
{
    static const char *const kinds[] = { "wrong", "right" };
    for (int k = 1; k >= 0; k--) {
        const Looks *l = &s->looks[k];
        if (l->n)
            strbuf_printf(
                out,
                "%s%ld %s phrases: the leading head attends most to a word inside in %.1f %%, to the head word "
                "in %.1f %%\n",
                k ? "\n" : "", l->n, kinds[k], 100 * head_summary_ratio((double)l->inside, (double)l->n),
                100 * head_summary_ratio((double)l->at_head, (double)l->n));
    }
}

void inspection_text(StrBuf *out, const Inspection *s, int top)
{
    enum { CONFUSIONS = 15 };
    HeadNames names;
    if (head_names_init(&names, s->sum.heads, s->words, &(Error){ 0 }) != OK) {
        out->failed = true;
        return;
    }
    head_names_of_labels(&names, s->m);
    head_names_of_sums(&names, 0, NULL, &s->sum);
    put_categories(out, &s->sum, &names, s->sum.names.n, top, true);
    if (s->confused.names.n)
        strbuf_puts(out, "\nconfused labels (predicted for gold), and the heads that lead the "
                         "difference of their scores:\n");
    put_categories(out, &s->confused, &names, CONFUSIONS, top, false);
    put_shared(out, &s->sum, &names);
    put_looks(out, s);
    strbuf_puts(out, "\nconfidence of the heads (largest attention weight on a word, averaged over sentences):\n");
    for (int h = 0; h < s->sum.heads; h++) {
        if (!head_summary_has(&s->sum, h)) continue;
        strbuf_puts(out, "  ");
        head_names_column(out, &names, h);
        strbuf_printf(out, "  %.3f\n", head_summary_ratio(s->confidence[h], (double)s->explained));
    }
    bool note = names.kept || !head_names_given(&names);
    if (note) strbuf_putc(out, '\n');
    head_names_note(out, &names);
    if (note) strbuf_putc(out, '\n');
    head_names_fini(&names);
    strbuf_printf(out, "\ncompleteness_error %.2e of %ld decisions\n", s->sum.worst, s->sum.explained);
}

void inspection_removal(StrBuf *out, const Inspection *s, int removed)
{
    const Removal *x = &s->removal;
    double n = (double)x->n, mean[2], half[2];
    if (x->n == 0 || removed == 0) return;
    for (int way = 0; way < 2; way++) {
        mean[way] = x->sum[way] / n;
        half[way] = 1.96 * sqrt(fmax(0, x->squares[way] / n - mean[way] * mean[way]) / n);
    }
    strbuf_printf(out,
                  "removal of %d heads from %ld spans: without those with the largest contributions the score falls by "
                  "%.4f +- %.4f, without random ones by %.4f +- %.4f (95 %%)\n",
                  removed, x->n, mean[0], half[0], mean[1], half[1]);
}
