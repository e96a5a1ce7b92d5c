/* Each sentence says one thing, and is left out where there is nothing to say. */
#include "explain/reason.h"

#include <math.h>
#include <string.h>

#include "parser/parse/parse_network.h"

/* Parts of a difference that are smaller are not worth a word; words of a phrase that are quoted; changes named. */
#define WORTH 0.005
enum { QUOTED = 8, CHANGES = 2 };

typedef struct Say {
    StrBuf *out;
    const Inspected *i;
    const Explained *x;
    bool missing;
} Say;

static void quote(const Say *s, int begin, int end)
{
    const Sentence *sent = s->i->s;
    strbuf_puts(s->out, "“");
    for (int w = begin; w < end; w++) {
        if (end - begin > QUOTED && w == begin + QUOTED / 2) {
            strbuf_puts(s->out, " ...");
            w = end - QUOTED / 2;
        }
        if (w > begin) strbuf_puts(s->out, " ");
        strbuf_puts(s->out, sent->words[w]);
    }
    strbuf_puts(s->out, "”");
}

static void word(const Say *s, int number)
{
    if (number) quote(s, number - 1, number);
    else strbuf_puts(s->out, "no word");
}

/* ---- what is in doubt */

static void say_decision(const Say *s)
{
    const Decision *d = &s->x->d;
    StrBuf *out = s->out;
    const char *label = decision_label(s->i->m, d->kind, d->at.label);
    if (s->missing) {
        strbuf_puts(out, "Gold has ");
        quote(s, d->at.begin, d->at.end);
        strbuf_printf(out, " as %s.", label);
        return;
    }
    if (d->kind == EXPLAIN_ARC) {
        word(s, d->at.begin);
        strbuf_puts(out, " depends on ");
        word(s, d->at.end);
    } else {
        quote(s, d->at.begin, d->at.end);
        strbuf_printf(out, " is %s", label);
    }
    strbuf_printf(out, ", probability %.2f", inspection_certainty(s->i->p, s->x));
    if (s->x->in_gold == 0 && d->kind == EXPLAIN_ARC) {
        strbuf_puts(out, "; in gold it depends on ");
        word(s, s->i->gold->heads[d->at.begin - 1]);
    } else if (s->x->in_gold == 0) strbuf_printf(out, "; gold has %s", s->x->gold ? s->x->gold : "no such phrase");
    strbuf_puts(out, ".");
}

/* ---- the other parse */

/* Up to CHANGES phrases, or else arcs, that only the other parse (second) or only this one has. */
static int say_changes(const Say *s, bool second)
{
    const Contrast *c = &s->x->other->contrast;
    int said = 0;
    for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_ARC && !said; kind++)
        for (int k = 0; k < c->n && said < CHANGES; k++) {
            const Decision *d = &c->x[k].d;
            const Span *at = &d->at, *own = &s->x->other->d.at;
            bool asked = d->kind == s->x->other->d.kind && at->begin == own->begin && at->end == own->end &&
                         at->label == own->label;
            if ((int)d->kind != kind || c->x[k].second != second || asked) continue;
            if (kind == EXPLAIN_SPAN && at->label == CHART_GROUP) continue;
            strbuf_puts(s->out, said++ ? " and " : "");
            if (kind == EXPLAIN_SPAN) {
                quote(s, at->begin, at->end);
                strbuf_printf(s->out, " as %s", decision_label(s->i->m, EXPLAIN_SPAN, at->label));
            } else {
                word(s, at->begin);
                strbuf_puts(s->out, " under ");
                word(s, at->end);
            }
        }
    return said;
}

static void say_other(const Say *s)
{
    const Alternative *other = s->x->other;
    const Contrast *c = &other->contrast;
    bool arc = other->d.kind == EXPLAIN_ARC;
    StrBuf *out = s->out;
    if (other->with)
        strbuf_printf(out, " The best parse with %s", s->missing ? "it" : arc ? "gold's arc" : "gold's label");
    else if (!arc && contrast_takes_apart(&other->d.at, s->i->s->n_words))
        strbuf_puts(out, " The best parse in which these words are no phrase");
    else strbuf_printf(out, " The best parse without this %s", arc ? "arc" : "phrase");
    size_t before = out->len;
    strbuf_puts(out, " has ");
    if (!say_changes(s, true)) out->len = before;
    else strbuf_puts(out, " and");
    strbuf_printf(out, " scores %.2f %s", fabs(c->difference), c->difference < 0 ? "more" : "less");
    const struct {
        const char *name;
        double part;
    } parts[] = { { "phrases", c->phrases }, { "groups", c->groups }, { "arcs", c->arcs }, { "grammar", c->grammar } };
    int said = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (fabs(parts[k].part) >= WORTH)
            strbuf_printf(out, "%s%s %+.2f", said++ ? ", " : " (", parts[k].name, -parts[k].part);
    if (said) strbuf_puts(out, ")");
    if (c->difference < 0) strbuf_puts(out, ", but was not among the parses that the grammar chose from");
    strbuf_puts(out, ".");
}

/* The head and the word that are most for this parse (sign 1) or for the other one (-1). */
static void say_most(const Say *s, int sign)
{
    const Contrast *c = &s->x->other->contrast;
    const HeadAttribution *a = &c->margin;
    int head = -1, most = -1;
    for (int h = 0; h < a->heads; h++)
        if (sign * a->head[h] >= WORTH && (head < 0 || sign * a->head[h] > sign * a->head[head])) head = h;
    for (int t = 1; t < a->tokens - 1 && c->by_word; t++)
        if (sign * c->by_word[t] >= WORTH && (most < 0 || sign * c->by_word[t] > sign * c->by_word[most])) most = t;
    if (head < 0) return;
    const char *category = parse_head_category(s->i->m, head);
    strbuf_printf(s->out, "%s for %s: label head %d", sign > 0 ? " Most" : "; most",
                  sign > 0 ? "this parse" : "the other", head + 1);
    if (category) strbuf_printf(s->out, " (%s)", category);
    strbuf_printf(s->out, ", %.2f", sign * a->head[head]);
    if (most > 0) {
        strbuf_puts(s->out, ", and the word ");
        quote(s, most - 1, most);
        strbuf_printf(s->out, ", %.2f", sign * c->by_word[most]);
    }
}

/* ---- tags and changes */

/* Words whose tags are wrong or in doubt, in the phrase or at the ends of the arc. */
static void say_tags(const Say *s)
{
    const Decision *d = &s->x->d;
    for (int k = 0; k < s->i->n; k++) {
        const Explained *t = &s->i->x[k];
        if (t->d.kind != EXPLAIN_TAG) continue; /* those that are sure and right are not there */
        int at = t->d.at.begin;
        bool near = d->kind == EXPLAIN_ARC ? at == d->at.begin || at == d->at.end : at > d->at.begin && at <= d->at.end;
        if (!near) continue;
        strbuf_puts(s->out, " ");
        quote(s, at - 1, at);
        strbuf_printf(s->out, " is tagged %s, probability %.2f", decision_label(s->i->m, EXPLAIN_TAG, t->d.at.label),
                      t->standing.p);
        if (t->standing.rival >= 0)
            strbuf_printf(s->out, ", next %s, %.2f", decision_label(s->i->m, EXPLAIN_TAG, t->standing.rival),
                          t->standing.p * exp(t->standing.rival_score - t->a.score));
        if (t->in_gold == 0) strbuf_printf(s->out, "; gold has %s", t->gold);
        strbuf_puts(s->out, ".");
    }
}

static void say_change(const Say *s, const Flip *f)
{
    const Sentence *sent = s->i->s;
    StrBuf *out = s->out;
    const char *before = f->word < sent->n_words ? sent->words[f->word] : "";
    switch (f->kind) {
    case FLIP_TAG: strbuf_printf(out, "“%s” tagged %s", before, f->to); break;
    case FLIP_ADD_COMMA: strbuf_printf(out, "a comma before “%s”", before); break;
    case FLIP_DROP_COMMA: strbuf_printf(out, "no comma after “%s”", f->word ? sent->words[f->word - 1] : ""); break;
    default: strbuf_printf(out, "“%s” for “%s”", f->to, before);
    }
}

static bool same_outcome(const Flip *a, const Flip *b)
{
    bool labels = a->label && b->label ? strcmp(a->label, b->label) == 0 : a->label == b->label;
    return labels && a->head == b->head;
}

/* Changes with one outcome in one sentence. */
static void say_flips(const Say *s, const Flip *flip, int n)
{
    StrBuf *out = s->out;
    for (int k = 0, first = 0; k < n; k++) {
        strbuf_puts(out, k == first ? " With " : " or ");
        say_change(s, &flip[k]);
        if (k + 1 < n && same_outcome(&flip[k], &flip[k + 1])) continue;
        first = k + 1;
        strbuf_puts(out, ", ");
        if (s->x->d.kind == EXPLAIN_ARC) {
            word(s, s->x->d.at.begin);
            strbuf_puts(out, " depends on ");
            if (flip[k].head >= 0) word(s, flip[k].head);
            else strbuf_puts(out, "the comma");
            strbuf_puts(out, ".");
        } else if (flip[k].label) strbuf_printf(out, "these words are %s.", flip[k].label);
        else strbuf_puts(out, "these words are no phrase.");
    }
}

void reason_text(StrBuf *out, const Inspected *inspected, const Explained *x, bool missing)
{
    const Say s = { out, inspected, x, missing };
    say_decision(&s);
    say_other(&s);
    size_t before = out->len;
    say_most(&s, 1);
    if (out->len > before) {
        say_most(&s, -1);
        strbuf_puts(out, ".");
    }
    say_tags(&s);
    say_flips(&s, x->other->flip, x->other->n_flips);
}
