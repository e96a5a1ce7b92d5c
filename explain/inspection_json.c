/* Explanations as JSON (docs/FORMATS.md): sentences, and the sums of a run */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "explain/inspection.h"
#include "explain/reason.h"
#include "parser/parse/parse_network.h"

/* ---- numbers */

static void put_numbers(StrBuf *out, const char *key, const char *format, const double *values, int n)
{
    json_array(out, key);
    for (int k = 0; k < n; k++) json_real(out, NULL, format, values[k]);
    json_array_end(out);
}

/* Numbers that pages draw, to three digits after the point; for pages (compact) in thousandths, which is shorter. */
static void put_rounded(StrBuf *out, const char *key, const double *values, int n)
{
    json_array(out, key);
    for (int k = 0; k < n; k++)
        if (out->compact) json_long(out, NULL, lround(1000 * values[k]));
        else json_real(out, NULL, "%.6g", round(1000 * values[k]) / 1000 + 0.0);
    json_array_end(out);
}

/* Weights and views over words. */
static void put_by_word(StrBuf *out, const char *key, const double *values, int n)
{
    if (out->compact) put_rounded(out, key, values, n);
    else put_numbers(out, key, "%.4g", values, n);
}

/* ---- a sentence */

typedef struct LabelHead {
    char text[24]; /* "label:12": head 11 */
} LabelHead;

static LabelHead label_head(int h)
{
    LabelHead name;
    snprintf(name.text, sizeof name.text, "label:%d", h + 1);
    return name;
}

static void put_category(StrBuf *out, const Model *m, int h)
{
    const char *category = parse_head_category(m, h);
    if (category) json_string(out, "category", category);
}

void inspection_annotation(StrBuf *out, const Sentence *sent)
{
    if (sent->tags) json_strings(out, "tags", sent->tags, sent->n_words);
    if (sent->has_tree && sent->n_words) {
        StrBuf tree = { 0 };
        tree_write(&tree, sent);
        json_take(out, "tree", &tree);
    }
    if (!sent->heads) return;
    json_array(out, "governors");
    for (int w = 0; w < sent->n_words; w++) json_long(out, NULL, sent->heads[w] - 1);
    json_array_end(out);
    if (sent->types) json_strings(out, "types", sent->types, sent->n_words);
}

/* What is no head's, of a model that has such a part. */
static void put_rest(StrBuf *out, const Model *m, const HeadAttribution *a)
{
    if (a->row || !encoder_has_blocks(&m->net.encoder)) json_real(out, "rest", "%.6g", a->rest);
}

/* Head h; word: its view over words [tokens], or NULL. Pages have its part and its attention elsewhere. */
static void put_head(StrBuf *out, const Worker *w, const Explained *x, const double *word, int h)
{
    const HeadAttribution *a = &x->a;
    bool span = x->d.kind == EXPLAIN_SPAN, blocks = encoder_has_blocks(&w->m->net.encoder);
    json_object(out, NULL);
    json_string(out, "head", label_head(h).text);
    if (!out->compact || x->d.kind == EXPLAIN_TYPE) json_real(out, "part", "%.5g", a->head[h]);
    if (!out->compact) {
        put_category(out, w->m, h);
        if (blocks) json_members(out, "own: %.5g, view: %.5g, norm: %.5g", a->own[h], a->view[h], a->norm[h]);
        HeadFocus f = span ? explain_focus(w, h, x->d.at.begin, x->d.at.end) : explain_focus(w, h, 0, 0);
        json_object(out, "attends");
        json_members(out, "word: %d, weight: %.4f", f.word, f.most);
        if (span) json_members(out, "inside: %.4f, outside: %.4f", f.inside, 1 - f.inside);
        json_object_end(out);
    }
    if (word) put_by_word(out, "words", word + 1, a->tokens - 2);
    json_object_end(out);
}

/* The heads with the largest parts, `top` of them (0: all). */
static void put_parts(StrBuf *out, const Model *m, const HeadAttribution *a, int top)
{
    json_array(out, "heads");
    for (int k = 0, h = -1; (!top || k < top) && (h = inspection_next_head(a, h)) >= 0; k++) {
        json_object(out, NULL);
        json_string(out, "head", label_head(h).text);
        put_category(out, m, h);
        json_real(out, "part", "%.5g", a->head[h]);
        json_object_end(out);
    }
    json_array_end(out);
}

void decision_json(StrBuf *out, const Model *model, const Decision *decision)
{
    static const char *const kinds[EXPLAIN_KINDS] = { "span", "arc", "type", "tag" };
    bool span = decision->kind == EXPLAIN_SPAN;
    const char *label = decision_label(model, decision->kind, decision->at.label);
    json_string(out, "kind", kinds[decision->kind]);
    json_long(out, span ? "begin" : "word", span ? decision->at.begin : decision->at.begin - 1);
    if (decision->kind != EXPLAIN_TAG)
        json_long(out, span ? "end" : "governor", span ? decision->at.end : decision->at.end - 1);
    if (label) json_string(out, "label", label);
}

/* The best alternative; its label is null for "no phrase". */
static void put_rival_of(StrBuf *out, const Model *m, const Explained *x)
{
    const Standing *s = &x->standing;
    if (!isfinite(s->rival_score)) return;
    json_object(out, "rival");
    if (x->d.kind == EXPLAIN_ARC) json_long(out, "governor", s->rival - 1);
    else json_string(out, "label", decision_label(m, x->d.kind, s->rival));
    json_real(out, "score", "%.6g", s->rival_score);
    json_object_end(out);
}

/* Why a wrong label leads over the gold one. */
static void put_lead(StrBuf *out, const Model *m, const HeadAttribution *a, int top, bool words)
{
    json_object(out, "lead");
    json_members(out, "score: %.6g, bias: %.6g", a->score, a->bias);
    put_rest(out, m, a);
    put_parts(out, m, a, top);
    if (words) put_numbers(out, "parts", "%.5g", a->head, a->heads); /* they are added up */
    json_object_end(out);
}

/* The changes after which the parser decides otherwise. */
static void put_flips(StrBuf *out, const Alternative *x)
{
    static const char *const kinds[] = { "tag", "comma", "comma", "case", "word" };
    if (!x->flip) return;
    json_array(out, "flips");
    for (int k = 0; k < x->n_flips; k++) {
        const Flip *f = &x->flip[k];
        json_object(out, NULL);
        json_string(out, "change", kinds[f->kind]);
        json_long(out, f->kind == FLIP_ADD_COMMA ? "before" : "word", f->word);
        json_string(out, "to", f->to);
        if (x->d.kind == EXPLAIN_SPAN) json_string(out, "label", f->label);
        else json_long(out, "governor", f->head - 1);
        json_object_end(out);
    }
    json_array_end(out);
}

/* Universal Dependencies of the parse. */
static void put_ud(StrBuf *out, const Sentence *ud)
{
    if (!ud || !ud->heads) return;
    json_object(out, "ud");
    json_array(out, "governors");
    for (int w = 0; w < ud->n_words; w++) json_long(out, NULL, ud->heads[w] - 1);
    json_array_end(out);
    json_strings(out, "types", ud->types, ud->n_words);
    json_object_end(out);
}

/* Those of another parse that differ. */
static void put_other_ud(StrBuf *out, const Sentence *ud, const Sentence *other)
{
    if (!ud || !other || !ud->heads || !other->heads) return;
    json_array(out, "ud");
    for (int w = 0; w < ud->n_words; w++)
        if (ud->heads[w] != other->heads[w] || strcmp(ud->types[w], other->types[w]) != 0) {
            json_object(out, NULL);
            json_members(out, "word: %d, governor: %d, type: %s", w, other->heads[w] - 1, other->types[w]);
            json_object_end(out);
        }
    json_array_end(out);
}

enum { CONTRAST_HEADS = 6 }; /* in pages */

/* What another parse has in place of what this one has, and the parts of the difference of their scores. */
static void put_contrast(StrBuf *out, const Model *m, const Contrast *c, int top)
{
    json_members(out, "margin: %.6g, phrases: %.6g, groups: %.6g, arcs: %.6g", c->difference, c->phrases, c->groups,
                 c->arcs);
    if (c->grammar != 0) json_real(out, "grammar", "%.6g", c->grammar);
    json_real(out, "completeness_error", "%.2e", contrast_error(c));
    for (int second = 0; second < 2; second++) {
        json_array(out, second ? "gained" : "lost");
        for (int k = 0; k < c->n; k++) {
            if (c->x[k].second != second || (c->x[k].d.kind == EXPLAIN_SPAN && c->x[k].d.at.label == CHART_GROUP))
                continue;
            json_object(out, NULL);
            decision_json(out, m, &c->x[k].d);
            json_real(out, "score", "%.6g", c->x[k].score);
            json_object_end(out);
        }
        json_array_end(out);
    }
    put_parts(out, m, &c->margin, out->compact ? CONTRAST_HEADS : top);
    put_rest(out, m, &c->margin);
    json_real(out, "bias", "%.5g", c->margin.bias);
    if (c->by_word) put_rounded(out, "words", c->by_word + 1, c->margin.tokens - 2);
}

/* The parse that decides otherwise, and what is to be said of it. */
static void put_other(StrBuf *out, const Inspected *i, const Explained *x, int top)
{
    StrBuf reason = { 0 };
    json_object(out, "contrast");
    json_bool(out, "with", x->other->with);
    decision_json(out, i->m, &x->other->d);
    bool missing = i->missed && x >= i->missed && x < i->missed + i->n_missed;
    if (!missing) json_real(out, "probability", "%.4f", inspection_certainty(i->p, x));
    reason_text(&reason, i, x, missing);
    json_take(out, "reason", &reason);
    put_contrast(out, i->m, &x->other->contrast, top);
    put_other_ud(out, i->ud, x->other->ud);
    put_flips(out, x->other);
    json_object_end(out);
}

/* The rest of a tag's object: the parts of what enters the encoder at each word, in its score and in its lead over
 * gold's tag or the next best one. */
static void put_tag(StrBuf *out, const Explained *x)
{
    put_by_word(out, "input", x->a.input + 1, x->a.tokens - 2);
    json_real(out, "limits", "%.6g", x->a.input[0] + x->a.input[x->a.tokens - 1]);
    if (x->lead.input) {
        json_object(out, "lead");
        json_members(out, "score: %.6g, bias: %.6g", x->lead.score, x->lead.bias);
        put_by_word(out, "input", x->lead.input + 1, x->lead.tokens - 2);
        json_real(out, "limits", "%.6g", x->lead.input[0] + x->lead.input[x->lead.tokens - 1]);
        json_object_end(out);
    }
    json_object_end(out);
}

static void put_decision(StrBuf *out, const Worker *w, const Inspected *i, const Explained *x, int top, bool words)
{
    const char *against = decision_label(w->m, x->d.kind, x->d.against);
    json_object(out, NULL);
    decision_json(out, w->m, &x->d);
    if (against) json_string(out, "against", against);
    if (x->in_gold >= 0) json_bool(out, "right", x->in_gold);
    if (x->gold) json_string(out, "gold", x->gold);
    json_members(out, "p: %.4f, score: %.6g, bias: %.6g", x->standing.p, x->a.score, x->a.bias);
    if (x->standing.rules != 0) json_real(out, "rules", "%.6g", x->standing.rules);
    put_rest(out, w->m, &x->a);
    if (!out->compact) json_real(out, "completeness_error", "%.2e", attribution_error(&x->a));
    if (!against) put_rival_of(out, w->m, x);
    if (x->d.kind == EXPLAIN_TAG) {
        put_tag(out, x);
        return;
    }
    /* arcs and types are many: pages have no views of single heads of them, and of types the first heads alone */
    bool span = x->d.kind == EXPLAIN_SPAN, brief = out->compact && x->d.kind == EXPLAIN_TYPE,
         named = !out->compact || span || brief;
    json_array(out, "heads");
    for (int k = 0, h = -1; named && (!top || k < top) && (h = inspection_next_head(&x->a, h)) >= 0; k++) {
        bool view = words && k < x->n_word_heads && (span || !out->compact);
        put_head(out, w, x, view ? x->word + (ptrdiff_t)k * x->a.tokens : NULL, h);
    }
    json_array_end(out);
    if (words && x->by_word && !brief) {
        put_rounded(out, "parts", x->a.head, x->a.heads);
        put_rounded(out, "words", x->by_word + 1, x->a.tokens - 2);
    }
    if (x->lead.heads) put_lead(out, w->m, &x->lead, top, words);
    if (x->other) put_other(out, i, x, top);
    json_object_end(out);
}

static void put_decisions(StrBuf *out, const char *name, const Worker *w, const Inspected *i, const Explained *x, int n,
                          int top, bool words)
{
    json_array(out, name);
    for (int k = 0; k < n; k++) {
        if (out->compact) json_line(out);
        put_decision(out, w, i, &x[k], top, words);
    }
    json_array_end(out);
}

/* Every head's weights over the words; the rest to 1 is on START and STOP. */
static void put_attention(StrBuf *out, const Worker *w, int n)
{
    const HostMatrix *probs = &w->attention;
    const Encoder *enc = &w->m->net.encoder;
    double *weight = mem_alloc((size_t)n, sizeof *weight);
    if (!weight) {
        out->failed = true;
        return;
    }
    json_object(out, "attention");
    for (int h = 0; h < probs->cols; h++) {
        for (int k = 0; k < n; k++) weight[k] = (double)host_row(probs, k + 1)[h];
        put_by_word(out, label_head(enc->head[layer_label(enc->c.n_layers)][h]).text, weight, n);
    }
    json_object_end(out);
    mem_free(weight);
}

/* The probability of the smallest phrase that word w is in; 1: it is in no phrase. */
static double phrase_probability(const Parsed *p, int w)
{
    double found = 1;
    for (int k = 0; k < p->n_phrases; k++) /* inner ones come later */
        if (p->phrases[k].begin <= w && w < p->phrases[k].end) found = (double)p->confidence->phrase[k];
    return found;
}

static void put_confidence(StrBuf *out, const Parsed *p)
{
    const Confidence *c = p->confidence;
    double *at = mem_alloc((size_t)p->n_words, sizeof *at);
    if (!at) {
        out->failed = true;
        return;
    }
    json_object(out, "confidence");
    if (c->expected_f1 >= 0) json_real(out, "expected_f1", "%.4f", c->expected_f1);
    if (c->calibrated_f1 >= 0) json_real(out, "calibrated_f1", "%.4f", c->calibrated_f1);
    if (c->expected_las >= 0) json_real(out, "expected_las", "%.4f", c->expected_las);
    if (c->p_tree >= 0) json_real(out, "p_tree", "%.4g", c->p_tree);
    for (int w = 0; w < p->n_words; w++) at[w] = (double)c->arc[w];
    put_rounded(out, "arcs", at, p->n_words);
    for (int w = 0; w < p->n_words && c->phrase; w++) at[w] = phrase_probability(p, w);
    if (c->phrase) put_rounded(out, "phrases", at, p->n_words);
    json_object_end(out);
    mem_free(at);
}

void inspection_json(StrBuf *out, const Inspected *inspected, const Worker *worker, int top, bool words)
{
    const Sentence *sent = inspected->s;
    json_object(out, NULL);
    json_members(out, "id: %ld, line: %ld", inspected->origin.id, inspected->origin.line);
    json_strings(out, "tokens", sent->words, sent->n_words);
    inspection_annotation(out, sent);
    put_ud(out, inspected->ud);
    if (inspected->p->pieces > 1) json_long(out, "pieces", inspected->p->pieces);
    if (inspected->gold) {
        json_object(out, "gold");
        inspection_annotation(out, inspected->gold);
        json_object_end(out);
    }
    if (inspected->p->confidence && inspected->p->confidence->arc) put_confidence(out, inspected->p);
    if (words && inspected->confidence) put_attention(out, worker, sent->n_words);
    put_decisions(out, "decisions", worker, inspected, inspected->x, inspected->n, top, words);
    if (inspected->second) {
        json_object(out, "second");
        inspection_annotation(out, inspected->second->s);
        put_contrast(out, inspected->m, &inspected->second->contrast, top);
        put_other_ud(out, inspected->ud, inspected->second->ud);
        json_object_end(out);
    }
    if (inspected->missed)
        put_decisions(out, "missed", worker, inspected, inspected->missed, inspected->n_missed, top, words);
    strbuf_puts(out, "}\n");
}

/* ---- sums */

/* Means over n decisions by head, null of a head that was pruned; nothing where n is 0. */
static void put_means(StrBuf *out, const char *key, const HeadSummary *s, const double *sum, double n)
{
    if (n == 0) return;
    json_array(out, key);
    for (int h = 0; h < s->heads; h++)
        if (head_summary_has(s, h)) json_real(out, NULL, "%.4g", sum[h] / n);
        else json_value(out, NULL, NULL);
    json_array_end(out);
}

static void put_counts(StrBuf *out, const char *key, const HeadSums *x, int heads)
{
    if (x->n == 0) return;
    json_array(out, key);
    for (int h = 0; h < heads; h++) json_long(out, NULL, x->top[h]);
    json_array_end(out);
}

/* Categories, the most frequent ones first, with the columns of TSV as lists by head. */
static void put_categories(StrBuf *out, const char *key, const HeadSummary *s)
{
    json_array(out, key);
    for (int k = -1; (k = head_summary_next(s, k)) >= 0;) {
        const Category *c = &s->c[k];
        const HeadSums *all = &c->by[SUM_ALL], *right = &c->by[SUM_RIGHT], *wrong = &c->by[SUM_WRONG];
        json_line(out);
        json_object(out, NULL);
        json_string(out, "category", c->name);
        json_members(out, "decisions: %ld, with_gold: %ld, right: %ld", all->n, right->n + wrong->n, right->n);
        put_counts(out, "leads", all, s->heads);
        put_counts(out, "leads_right", right, s->heads);
        put_counts(out, "leads_wrong", wrong, s->heads);
        put_means(out, "mean_share", s, all->share, (double)all->n);
        put_means(out, "mean_part", s, all->part, (double)all->n);
        put_means(out, "mean_part_right", s, right->part, (double)right->n);
        put_means(out, "mean_part_wrong", s, wrong->part, (double)wrong->n);
        json_object_end(out);
    }
    json_array_end(out);
}

void inspection_sums_json(StrBuf *out, const Inspection *inspection)
{
    static const char *const kinds[] = { "wrong", "right" };
    json_members(out, "sentences: %ld, words: %ld, in_pieces: %ld, explained: %ld, completeness_error: %.2e",
                 inspection->sentences, inspection->words, inspection->in_pieces, inspection->sum.explained,
                 inspection->sum.worst);
    put_categories(out, "categories", &inspection->sum);
    put_categories(out, "confused", &inspection->confused);
    json_object(out, "looks");
    for (int k = 1; k >= 0; k--)
        json_record(out, kinds[k], "phrases: %ld, inside: %ld, at_head: %ld, named: %ld", inspection->looks[k].n,
                    inspection->looks[k].inside, inspection->looks[k].at_head, inspection->looks[k].named);
    json_object_end(out);
    put_means(out, "confidence", &inspection->sum, inspection->confidence,
              inspection->explained ? (double)inspection->explained : 1);
}
