/* Probabilities as JSON lines (docs/FORMATS.md, "Soft targets") */
#include "base/json_writer.h"
#include "parser/model/soft.h"
#include "parser/output/output_internal.h"

enum { DIGITS = 4 };

/* 0.93: without zeros at the end, at least 0.0001. */
static void put_probability(StrBuf *out, double p)
{
    json_fixed(out, NULL, p < 0.0001 ? 0.0001 : p, DIGITS);
    while (!out->failed && out->ptr[out->len - 1] == '0') strbuf_cut(out, out->len - 1);
    if (!out->failed && out->ptr[out->len - 1] == '.') strbuf_cut(out, out->len - 1);
}

/* "key":[["NN",0.9,"JJ",0.1],...]; values are numbers where names is NULL. */
static void put_rows(StrBuf *out, const char *key, const SoftRows *rows, int n, const Vocab *names)
{
    if (!rows->start) return;
    json_array(out, key);
    for (int w = 0; w < n; w++) {
        json_array(out, NULL);
        for (int k = rows->start[w]; k < rows->start[w + 1]; k++) {
            if (names) json_string(out, NULL, vocab_text(names, rows->v[k].value));
            else json_long(out, NULL, rows->v[k].value);
            put_probability(out, (double)rows->v[k].p);
        }
        json_array_end(out);
    }
    json_array_end(out);
}

static void put_spans(StrBuf *out, const Model *m, const SoftTree *tree)
{
    if (!tree->n_spans) return;
    json_array(out, "spans");
    for (int k = 0; k < tree->n_spans; k++) {
        const SoftSpan *x = &tree->spans[k];
        json_array(out, NULL);
        json_long(out, NULL, x->at.begin);
        json_long(out, NULL, x->at.end);
        json_string(out, NULL, vocab_text(&m->labels, x->at.label));
        put_probability(out, (double)x->p);
        json_array_end(out);
    }
    json_array_end(out);
}

static void put_soft(StrBuf *out, const Written *x)
{
    const Parsed *p = x->p;
    const SoftTargets *soft = p->extra;
    if (!p->n_words || !soft) return;
    out->compact = true;
    json_object(out, NULL);
    if (x->style->treebank) json_string(out, "treebank", x->style->treebank);
    json_strings(out, "words", p->words, p->n_words);
    put_rows(out, "tags", &soft->tags, p->n_words, &x->m->tags);
    put_rows(out, "heads", &soft->heads, p->n_words, NULL);
    put_rows(out, "types", &soft->types, p->n_words, &x->m->types);
    put_spans(out, x->m, &soft->tree);
    strbuf_puts(out, "}\n");
    out->compact = false;
}

const OutputFormat OUTPUT_SOFT = { OUTPUT_NEEDS_SOFT, put_soft };
