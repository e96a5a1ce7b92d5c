/* A tree on each line; an empty line after the best trees of a sentence */
#include "parser/output/output_internal.h"

static void put_brackets(StrBuf *out, const Written *x)
{
    tree_write_as(out, x->s, (TreeStyle){ .top = "TOP", .escapes = x->style->escapes });
    strbuf_putc(out, '\n');
}

const OutputFormat OUTPUT_BRACKETS = { OUTPUT_EMPTY_LINES | OUTPUT_TAKES_BEST | OUTPUT_LINE_AFTER_BEST, put_brackets };
