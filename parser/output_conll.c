/* parser/output_conll.c: parsed sentences as CoNLL-U and CoNLL-X */
#include <math.h>

#include "parser/output_internal.h"
#include "treebank/conll.h"

/* "57:+1.888,64:+1.703": heads from 1 and their contributions. */
static void put_heads(StrBuf *out, const WhyNote *x)
{
    for (int k = 0; k < x->n; k++) {
        if (k) strbuf_putc(out, ',');
        strbuf_long(out, x->head[k] + 1);
        strbuf_puts(out, signbit(x->part[k]) ? ":" : ":+");
        strbuf_fixed(out, x->part[k], 3);
    }
}

/* The last column: SpaceAfter=No, and Why= with the heads that contribute most to the word's arc. */
static void put_misc(StrBuf *out, const Origin *o, int n_words, int w, const WhyNote *note)
{
    size_t from = out->len;
    if (o->tokens && w + 1 < n_words && o->tokens[w].end == o->tokens[w + 1].begin) strbuf_puts(out, "SpaceAfter=No");
    if (note) {
        strbuf_puts(out, out->len > from ? "|Why=" : "Why=");
        put_heads(out, note);
    }
    if (out->len == from) strbuf_putc(out, '_');
    strbuf_putc(out, 0);
}

/* A comment is a line: control characters in the name become '?'. */
static void put_document(StrBuf *out, const char *name)
{
    strbuf_puts(out, "# newdoc id = ");
    for (; *name; name++) strbuf_putc(out, (unsigned char)*name < 0x20 ? '?' : *name);
    strbuf_putc(out, '\n');
}

void output_conllu(StrBuf *out, const Written *x)
{
    const Sentence *sent = x->s;
    const Origin *o = x->o;
    if (o->document && o->new_document) put_document(out, o->document);
    if (o->new_paragraph) strbuf_puts(out, "# newpar\n");
    strbuf_printf(out, "# sent_id = %ld\n", o->id);
    if (o->tokens) {
        strbuf_puts(out, "# text = ");
        output_text(out, o, sent->n_words);
        strbuf_putc(out, '\n');
    }
    StrBuf text = { 0 };
    size_t *at = mem_calloc((size_t)sent->n_words, sizeof *at);
    const char **misc = mem_calloc((size_t)sent->n_words, sizeof *misc);
    const WhyNote **note = output_arc_notes(x->p);
    for (int w = 0; at && note && w < sent->n_words; w++) {
        at[w] = text.len;
        put_misc(&text, o, sent->n_words, w, note[w]);
    }
    for (int w = 0; at && misc && note && !text.failed && w < sent->n_words; w++) misc[w] = text.ptr + at[w];
    if (!at || !misc || !note || text.failed) out->failed = true;
    else conll_write(out, sent, CONLL_U, misc);
    mem_free(note);
    mem_free(misc);
    mem_free(at);
    strbuf_fini(&text);
}

void output_conllx(StrBuf *out, const Written *x, Escapes escapes)
{
    conll_write(out, x->s, (ConllStyle)escapes, NULL);
}
