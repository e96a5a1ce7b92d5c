/* parser/output_json.c: parsed sentences as JSON lines */
#include <math.h>
#include <string.h>

#include "parser/output_internal.h"

static void put_number(StrBuf *out, const char *before, long value)
{
    strbuf_puts(out, before);
    strbuf_long(out, value);
}

/* A number of JSON, null where it is not finite. */
static void put_real(StrBuf *out, double value, int digits)
{
    if (isfinite(value)) strbuf_fixed(out, value, digits);
    else strbuf_puts(out, "null");
}

/* ", "why": [[57, 1.888], ...]" */
static void put_why(StrBuf *out, const WhyNote *x)
{
    strbuf_puts(out, ", \"why\": [");
    for (int k = 0; k < x->n; k++) {
        strbuf_puts(out, k ? ", [" : "[");
        strbuf_long(out, x->head[k] + 1);
        strbuf_puts(out, ", ");
        put_real(out, x->part[k], 4);
        strbuf_putc(out, ']');
    }
    strbuf_putc(out, ']');
}

/* The phrases with their scores; words from 1. */
static void put_constituents(StrBuf *out, const Model *m, const Parsed *p)
{
    const char *comma = "";
    strbuf_puts(out, ", \"constituents\": [");
    for (int k = 0; k < p->n_why; k++) {
        const WhyNote *x = &p->why[k];
        if (x->at.label == LABEL_NONE) continue;
        const char *label = vocab_text(&m->labels, x->at.label);
        strbuf_puts(out, comma);
        put_number(out, "{\"begin\": ", x->at.begin + 1);
        put_number(out, ", \"end\": ", x->at.end);
        strbuf_puts(out, ", \"label\": ");
        strbuf_json(out, label, strlen(label));
        strbuf_puts(out, ", \"score\": ");
        put_real(out, x->score, 4);
        put_why(out, x);
        strbuf_putc(out, '}');
        comma = ", ";
    }
    strbuf_putc(out, ']');
}

static void put_token(StrBuf *out, const Written *x, int w, const WhyNote *note)
{
    const Sentence *sent = x->s;
    const Origin *o = x->o;
    strbuf_puts(out, "{\"form\": ");
    strbuf_json(out, sent->words[w], strlen(sent->words[w]));
    if (o->tokens) {
        const Token *t = &o->tokens[w];
        put_number(out, ", \"begin\": ", (long)t->begin_char);
        put_number(out, ", \"end\": ", (long)t->end_char);
        put_number(out, ", \"bytes\": [", (long)t->begin);
        put_number(out, ", ", (long)t->end);
        strbuf_putc(out, ']');
    }
    if (sent->tags && sent->tags[w]) {
        strbuf_puts(out, ", \"tag\": ");
        strbuf_json(out, sent->tags[w], strlen(sent->tags[w]));
    }
    if (sent->heads) {
        put_number(out, ", \"head\": ", sent->heads[w]);
        strbuf_puts(out, ", \"type\": ");
        strbuf_json(out, sent->types[w], strlen(sent->types[w]));
        if (x->p->arc_prob) {
            strbuf_puts(out, ", \"p\": ");
            put_real(out, (double)x->p->arc_prob[w], 4);
        }
        if (note) put_why(out, note);
    }
    strbuf_putc(out, '}');
}

void output_json(StrBuf *out, const Written *x)
{
    const Sentence *sent = x->s;
    const Parsed *p = x->p;
    const Origin *o = x->o;
    strbuf_printf(out, "{\"id\": %ld, ", o->id);
    if (o->document) {
        strbuf_puts(out, "\"document\": ");
        strbuf_json(out, o->document, strlen(o->document));
        strbuf_puts(out, ", ");
    }
    strbuf_printf(out, "\"line\": %ld, \"paragraph\": %s", o->line, o->new_paragraph ? "true" : "false");
    if (p->pieces > 1) strbuf_printf(out, ", \"pieces\": %d", p->pieces);
    strbuf_puts(out, ", \"tokens\": [");
    const WhyNote **note = output_arc_notes(p);
    if (!note) out->failed = true;
    for (int w = 0; note && w < sent->n_words; w++) {
        if (w) strbuf_puts(out, ", ");
        put_token(out, x, w, note[w]);
    }
    mem_free(note);
    strbuf_putc(out, ']');
    if (sent->has_tree && sent->n_words) {
        StrBuf tree = { 0 };
        tree_write(&tree, sent);
        strbuf_puts(out, ", \"score\": ");
        strbuf_json_number(out, "%.3f", p->score);
        strbuf_puts(out, ", \"tree\": ");
        if (tree.ptr) strbuf_json(out, tree.ptr, tree.len);
        else out->failed = true;
        strbuf_fini(&tree);
    }
    if (p->why) put_constituents(out, x->m, p);
    strbuf_puts(out, "}\n");
}
