/* Parsed sentences for a person who reads them */
#include <stdio.h>

#include "parser/output/output_internal.h"

/* The file where a new one begins, and the number, the score of one of several parses, and the text. */
static void put_header(StrBuf *out, const Written *x, TerminalStyle style)
{
    StrBuf text = { 0 };
    if (x->o->document && x->o->new_document && x->rank < 2) {
        terminal_text(out, "", x->o->document, style);
        strbuf_putc(out, '\n');
    }
    output_text(&text, x->o, x->s);
    char number[80];
    int n = snprintf(number, sizeof number, "%ld", x->o->id);
    if (x->rank) snprintf(number + n, sizeof number - (size_t)n, ".%d (%.3f)", x->rank, x->p->score);
    terminal_text(out, number, text.ptr ? text.ptr : "", style);
    out->failed |= text.failed;
    strbuf_fini(&text);
}

static void put_pretty(StrBuf *out, const Written *x)
{
    TerminalStyle terminal = x->style->terminal;
    if (x->s->n_words == 0) return;
    if (terminal.tree || terminal.arcs) {
        put_header(out, x, terminal);
        terminal_draw(out, x->s, terminal);
    } else terminal_brackets(out, x->s, x->style->escapes, terminal);
    strbuf_putc(out, '\n');
}

const OutputFormat OUTPUT_PRETTY = { OUTPUT_NEEDS_ARCS | OUTPUT_TAKES_DEPS | OUTPUT_TAKES_BEST | OUTPUT_CONTROLS,
                                     put_pretty };
