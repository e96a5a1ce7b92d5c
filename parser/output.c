/* parser/output.c */
#include "parser/output.h"

#include <string.h>

#include "treebank/conll.h"

/* The sentence's own text with every run of white space as one blank. */
static void put_text(StrBuf *out, const Origin *o, int n)
{
    for (int w = 0; w < n; w++) {
        if (w && o->tokens[w].begin > o->tokens[w - 1].end) strbuf_putc(out, ' ');
        strbuf_add(out, o->text.ptr + o->tokens[w].begin, o->tokens[w].end - o->tokens[w].begin);
    }
}

static void put_conllu(StrBuf *out, const Parsed *p, const Origin *o)
{
    const Sentence *s = &p->s;
    if (o->new_paragraph) strbuf_puts(out, "# newpar\n");
    strbuf_printf(out, "# sent_id = %ld\n", o->id);
    if (!o->tokens) {
        conll_write(out, s, CONLL_U, NULL);
        return;
    }
    strbuf_puts(out, "# text = ");
    put_text(out, o, s->n_words);
    strbuf_putc(out, '\n');
    const char **misc = mem_calloc((size_t)s->n_words, sizeof *misc);
    if (!misc) {
        out->failed = true;
        return;
    }
    for (int w = 0; w + 1 < s->n_words; w++)
        if (o->tokens[w].end == o->tokens[w + 1].begin) misc[w] = "SpaceAfter=No";
    conll_write(out, s, CONLL_U, misc);
    mem_free(misc);
}

static void put_token(StrBuf *out, const Parsed *p, const Origin *o, int w)
{
    const Sentence *s = &p->s;
    strbuf_puts(out, "{\"form\": ");
    strbuf_json(out, s->words[w], strlen(s->words[w]));
    if (o->tokens) {
        const Token *t = &o->tokens[w];
        strbuf_printf(out, ", \"begin\": %zu, \"end\": %zu, \"bytes\": [%zu, %zu]", t->begin_char, t->end_char, t->begin, t->end);
    }
    if (s->tags && s->tags[w]) {
        strbuf_puts(out, ", \"tag\": ");
        strbuf_json(out, s->tags[w], strlen(s->tags[w]));
    }
    if (s->heads) {
        strbuf_printf(out, ", \"head\": %d, \"type\": ", s->heads[w]);
        strbuf_json(out, s->types[w], strlen(s->types[w]));
        if (p->arc_prob) strbuf_printf(out, ", \"p\": %.4f", (double)p->arc_prob[w]);
    }
    strbuf_putc(out, '}');
}

static void put_json(StrBuf *out, const Parsed *p, const Origin *o)
{
    const Sentence *s = &p->s;
    strbuf_printf(out, "{\"id\": %ld, \"line\": %ld, \"paragraph\": %s", o->id, o->line, o->new_paragraph ? "true" : "false");
    if (p->pieces > 1) strbuf_printf(out, ", \"pieces\": %d", p->pieces);
    strbuf_puts(out, ", \"tokens\": [");
    for (int w = 0; w < s->n_words; w++) {
        if (w) strbuf_puts(out, ", ");
        put_token(out, p, o, w);
    }
    strbuf_putc(out, ']');
    if (s->has_tree && s->n_words) {
        StrBuf tree = { 0 };
        tree_write(&tree, s);
        strbuf_printf(out, ", \"score\": %.3f, \"tree\": ", p->score);
        if (tree.ptr) strbuf_json(out, tree.ptr, tree.len);
        else out->failed = true;
        strbuf_fini(&tree);
    }
    strbuf_puts(out, "}\n");
}

void output_sentence(StrBuf *out, const Parsed *p, const Origin *o, int format)
{
    if (format == OUTPUT_JSON) put_json(out, p, o);
    else if (p->s.n_words == 0) strbuf_putc(out, '\n');
    else if (format == OUTPUT_BRACKETS) {
        tree_write(out, &p->s);
        strbuf_putc(out, '\n');
    } else if (format == OUTPUT_CONLLX) conll_write(out, &p->s, CONLL_X, NULL);
    else put_conllu(out, p, o);
}
