/* parser/output/output_soft.c: probabilities as JSON lines (docs/FORMATS.md, "Soft targets") */
#include <string.h>

#include "parser/output/output_internal.h"

enum { DIGITS = 4 };

static void put_string(StrBuf *out, const char *text) { strbuf_json(out, text, strlen(text)); }

/* ",0.93": without zeros at the end, at least 0.0001. */
static void put_probability(StrBuf *out, double p)
{
    strbuf_putc(out, ',');
    strbuf_fixed(out, p < 0.0001 ? 0.0001 : p, DIGITS);
    while (!out->failed && out->ptr[out->len - 1] == '0') strbuf_cut(out, out->len - 1);
    if (!out->failed && out->ptr[out->len - 1] == '.') strbuf_cut(out, out->len - 1);
}

/* ,"name":[["NN",0.9,"JJ",0.1],...]; values are numbers where names is NULL. */
static void put_rows(StrBuf *out, const char *name, const SoftRows *rows, int n, const Vocab *names)
{
    if (!rows->start) return;
    strbuf_printf(out, ",\"%s\":[", name);
    for (int w = 0; w < n; w++) {
        strbuf_puts(out, w ? ",[" : "[");
        for (int k = rows->start[w]; k < rows->start[w + 1]; k++) {
            if (k > rows->start[w]) strbuf_putc(out, ',');
            if (names) put_string(out, vocab_text(names, rows->v[k].value));
            else strbuf_long(out, rows->v[k].value);
            put_probability(out, (double)rows->v[k].p);
        }
        strbuf_putc(out, ']');
    }
    strbuf_putc(out, ']');
}

static void put_spans(StrBuf *out, const Model *m, const SoftTree *tree)
{
    if (!tree->n_spans) return;
    strbuf_puts(out, ",\"spans\":[");
    for (int k = 0; k < tree->n_spans; k++) {
        const SoftSpan *x = &tree->spans[k];
        strbuf_puts(out, k ? ",[" : "[");
        strbuf_long(out, x->at.begin);
        strbuf_putc(out, ',');
        strbuf_long(out, x->at.end);
        strbuf_putc(out, ',');
        put_string(out, vocab_text(&m->labels, x->at.label));
        put_probability(out, (double)x->p);
        strbuf_putc(out, ']');
    }
    strbuf_putc(out, ']');
}

void output_soft(StrBuf *out, const Model *m, const Parsed *p, const char *treebank)
{
    const SoftTargets *s = p->soft;
    strbuf_putc(out, '{');
    if (treebank) {
        strbuf_puts(out, "\"treebank\":");
        put_string(out, treebank);
        strbuf_putc(out, ',');
    }
    strbuf_puts(out, "\"words\":[");
    for (int w = 0; w < p->n_words; w++) {
        if (w) strbuf_putc(out, ',');
        put_string(out, p->words[w]);
    }
    strbuf_putc(out, ']');
    put_rows(out, "tags", &s->tags, p->n_words, &m->tags);
    put_rows(out, "heads", &s->heads, p->n_words, NULL);
    put_rows(out, "types", &s->types, p->n_words, &m->types);
    put_spans(out, m, &s->tree);
    strbuf_puts(out, "}\n");
}
