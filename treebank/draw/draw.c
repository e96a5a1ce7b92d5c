/* Pictures of sentences */
#include "treebank/draw/draw.h"

#include "treebank/draw/draw_internal.h"

static void put_title(StrBuf *out, const Drawing *d)
{
    strbuf_puts(out, d->tree     ? d->n_arcs ? "<title>Tree and dependencies:" : "<title>Tree:"
                     : d->n_arcs ? "<title>Dependencies:"
                                 : "<title>Words:");
    for (int w = 0; w < d->sent->n_words; w++) {
        strbuf_putc(out, ' ');
        strbuf_xml(out, d->sent->words[w]);
    }
    strbuf_puts(out, "</title>\n");
}

static DrawSize scaled(int width, int height, int most)
{
    DrawSize s = { width, height, width, height };
    if (most > 0 && width > most) {
        s.shown_width = most;
        s.shown_height = (int)((double)height * most / width + 0.999);
    }
    return s;
}

static void begin(StrBuf *out, const Drawing *d, DrawSize s)
{
    const DrawOptions *o = d->o;
    strbuf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                  "height=\"%d\"",
                  s.width, s.height, s.shown_width, s.shown_height);
    if (o->top) strbuf_printf(out, " y=\"%d\"", o->top);
    strbuf_puts(out, " role=\"img\">\n");
    put_title(out, d);
    if (o->style) {
        strbuf_puts(out, "<style>");
        draw_style(out);
        strbuf_puts(out, "</style>\n");
    }
    strbuf_puts(out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
}

void draw_sentence(StrBuf *out, const Sentence *sent, const DrawOptions *options, DrawSize *size)
{
    Arena a;
    arena_init(&a, 4096);
    Drawing d = { .sent = sent, .o = options, .a = &a };
    DrawAcross across;
    DrawDown down;
    DrawSize s = { 0 };
    bool ok = draw_structure(&d), row = options->layout != DRAW_DOWN;
    if (ok && row) ok = draw_across_place(&d, &across);
    if (ok && row && options->layout == DRAW_AUTO && options->width)
        row = across.total_width * DRAW_LEAST_SCALE <= options->width;
    if (ok && !row) ok = draw_down_place(&d, options->width, &down);
    if (ok) {
        s = row ? scaled(across.total_width, across.total_height, options->width)
                : scaled(down.total_width, down.total_height, options->width);
        begin(out, &d, s);
        if (row) draw_across_write(out, &d, &across);
        else draw_down_write(out, &d, &down);
        strbuf_puts(out, "</svg>\n");
    } else out->failed = true;
    if (size) *size = s;
    arena_fini(&a);
}
