/* parser/output.c */
#include "parser/output.h"

#include <math.h>
#include <string.h>

#include "treebank/conll.h"

/* The text of the sentence with every run of white space replaced by a blank. */
static void put_text(StrBuf *out, const Origin *o, int n)
{
    for (int w = 0; w < n; w++) {
        if (w && o->tokens[w].begin > o->tokens[w - 1].end) strbuf_putc(out, ' ');
        strbuf_add(out, o->block.text.ptr + (o->tokens[w].begin - o->block.byte),
                   o->tokens[w].end - o->tokens[w].begin);
    }
}

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

/* A parsed sentence as it is written. */
typedef struct Written {
    const Model *m;
    const Parsed *p;
    const Sentence *s; /* the same with strings */
    const Origin *o;
} Written;

/* The note on each word's arc, [n_words] or NULL. */
static const WhyNote **arc_notes(const Parsed *p)
{
    const WhyNote **note = mem_calloc((size_t)p->n_words, sizeof *note);
    for (int k = 0; note && k < p->n_why; k++)
        if (p->why[k].at.label == LABEL_NONE) note[p->why[k].at.begin - 1] = &p->why[k];
    return note;
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

static void put_conllu(StrBuf *out, const Written *x)
{
    const Sentence *sent = x->s;
    const Origin *o = x->o;
    if (o->document && o->new_document) put_document(out, o->document);
    if (o->new_paragraph) strbuf_puts(out, "# newpar\n");
    strbuf_printf(out, "# sent_id = %ld\n", o->id);
    if (o->tokens) {
        strbuf_puts(out, "# text = ");
        put_text(out, o, sent->n_words);
        strbuf_putc(out, '\n');
    }
    StrBuf text = { 0 };
    size_t *at = mem_calloc((size_t)sent->n_words, sizeof *at);
    const char **misc = mem_calloc((size_t)sent->n_words, sizeof *misc);
    const WhyNote **note = arc_notes(x->p);
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

static void put_json(StrBuf *out, const Written *x)
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
    const WhyNote **note = arc_notes(p);
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

void output_sentence(StrBuf *out, const Model *m, const Parsed *p, const Origin *o, int format, Escapes escapes)
{
    Arena arena;
    arena_init(&arena, 1 << 12);
    Sentence *sent = parsed_sentence(m, p, &arena);
    Written x = { m, p, sent, o };
    if (sent) sent->spelled = o->spelled;
    if (!sent) out->failed = true;
    else if (format == OUTPUT_JSON) put_json(out, &x);
    else if (sent->n_words == 0) strbuf_putc(out, '\n');
    else if (format == OUTPUT_BRACKETS) {
        tree_write_as(out, sent, (TreeStyle){ .top = "TOP", .escapes = escapes });
        strbuf_putc(out, '\n');
    } else if (format == OUTPUT_CONLLX) conll_write(out, sent, (ConllStyle)escapes, NULL);
    else put_conllu(out, &x);
    arena_fini(&arena);
}
