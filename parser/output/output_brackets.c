/* parser/output/output_brackets.c: a tree on each line */
#include "parser/output/output_internal.h"

static void put_brackets(StrBuf *out, const Written *x)
{
    tree_write_as(out, x->s, (TreeStyle){ .top = "TOP", .escapes = x->style->escapes });
    strbuf_putc(out, '\n');
}

const OutputFormat OUTPUT_BRACKETS = { OUTPUT_EMPTY_LINES, put_brackets };
