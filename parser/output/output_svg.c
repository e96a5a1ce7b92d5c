/* Parsed sentences as drawings */
#include "parser/output/output_internal.h"
#include "treebank/draw/draw.h"

enum { WIDTH = 1000 }; /* px; wider sentences are drawn downwards */

static void put_svg(StrBuf *out, const Written *x)
{
    if (x->s->n_words == 0) return;
    draw_sentence(out, x->s, &(DrawOptions){ .tree = true, .arcs = true, .width = WIDTH, .style = true }, NULL);
    strbuf_putc(out, '\n');
}

const OutputFormat OUTPUT_SVG = { OUTPUT_NEEDS_ARCS | OUTPUT_TAKES_DEPS | OUTPUT_TAKES_BEST, put_svg };
