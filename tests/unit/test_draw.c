/* Pictures are well-formed XML with every label, tag, word and type, no text overlaps another
 * one, and arcs are nested by length. */
#include <expat.h>

#include "tests/support/grammar.h"
#include "tests/support/trees.h"
#include "treebank/draw/draw_internal.h"
#include "treebank/draw/tex.h"
#include "treebank/format.h"

typedef struct Seen {
    int texts, paths, titles;
} Seen;

static void XMLCALL begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
    Seen *s = user;
    (void)attributes;
    s->texts += strcmp(name, "text") == 0;
    s->paths += strcmp(name, "path") == 0;
    s->titles += strcmp(name, "title") == 0;
}

static Seen seen_in(const StrBuf *svg)
{
    Seen s = { 0, 0, 0 };
    XML_Parser p = XML_ParserCreate(NULL);
    XML_SetUserData(p, &s);
    XML_SetStartElementHandler(p, begin);
    if (XML_Parse(p, svg->ptr, (int)svg->len, 1) != XML_STATUS_OK)
        fail_msg("%s at byte %ld", XML_ErrorString(XML_GetErrorCode(p)), (long)XML_GetCurrentByteIndex(p));
    XML_ParserFree(p);
    return s;
}

static void draw(StrBuf *out, const Sentence *s, bool tree, bool arcs, DrawLayout layout)
{
    strbuf_clear(out);
    draw_sentence(out, s, &(DrawOptions){ .tree = tree, .arcs = arcs, .layout = layout }, NULL);
}

TEST(pictures_hold_everything)
{
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_true(grammar_sentences(&tb, 60, 3));
    FREED(strbuf_fini) StrBuf out = { 0 };
    for (int k = 0; k < tb.n; k++)
        for (int layout = DRAW_ACROSS; layout <= DRAW_DOWN; layout++) {
            const Sentence *s = &tb.s[k];
            draw(&out, s, true, false, (DrawLayout)layout);
            Seen t = seen_in(&out);
            draw(&out, s, false, true, (DrawLayout)layout);
            Seen a = seen_in(&out);
            draw(&out, s, true, true, (DrawLayout)layout);
            Seen both = seen_in(&out);
            assert_int_equal(t.texts, s->n_phrases + 2 * s->n_words);
            assert_in_range(t.paths, s->n_phrases - 1 + s->n_words, s->n_phrases - 1 + 2 * s->n_words);
            assert_int_equal(a.texts, 3 * s->n_words);
            assert_int_equal(a.paths, 2 * s->n_words); /* a line and an arrowhead */
            assert_int_equal(both.texts, t.texts + a.texts - 2 * s->n_words);
            assert_int_equal(both.paths, t.paths + a.paths);
            assert_int_equal(t.titles + a.titles + both.titles, 3);
        }
}

/* ---- places of texts */

typedef struct Box {
    double left, right, top, bottom;
} Box;

enum { BOXES = 2000 };

/* The boxes of all texts, from the attributes that draw_text.c writes and the widths it computes. */
static int text_boxes(const char *svg, Box *box)
{
    int n = 0, x, y;
    char font, colour, begins[3];
    for (const char *p = svg; (p = strstr(p, "<text x=")) && n < BOXES; p++) {
        assert_int_equal(sscanf(p, "<text x=\"%d\" y=\"%d\" class=\"%c f%c%2[ b\"]", &x, &y, &font, &colour, begins),
                         5);
        const char *from = strchr(p, '>') + 1, *to = strchr(from, '<');
        const char *text = test_format("%.*s", (int)(to - from), from);
        int width = draw_text_width(text, font == 'w' ? FONT_WORD : font == 'l' ? FONT_LABEL : FONT_TYPE);
        int size = font == 'w' ? 15 : font == 'l' ? 12 : 11, left = begins[0] == ' ' ? x : x - width / 2;
        box[n++] = (Box){ left, left + width, y - size * 0.8, y + size * 0.1 };
    }
    return n;
}

static void check_boxes(const StrBuf *svg, const Sentence *s, DrawSize size)
{
    static Box box[BOXES];
    int n = text_boxes(svg->ptr, box);
    assert_true(n >= s->n_words);
    for (int i = 0; i < n; i++) {
        assert_true(box[i].left >= 0 && box[i].right <= size.width && box[i].top >= 0 && box[i].bottom <= size.height);
        for (int k = 0; k < i; k++)
            if (box[i].left < box[k].right && box[k].left < box[i].right && box[i].top < box[k].bottom &&
                box[k].top < box[i].bottom)
                fail_msg("texts %d and %d overlap in %s", k, i, svg->ptr);
    }
}

TEST(no_labels_overlap_and_no_word_is_outside)
{
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_true(grammar_sentences(&tb, 60, 3));
    static const char hard[] =
        "1\tA\t_\tDT\tDT\t_\t5\textremely-long-relation:name\t_\t_\n2\tb\t_\tJJ\tJJ\t_\t4\tamod\t_\t_\n"
        "3\t,\t_\t,\t,\t_\t5\tpunct\t_\t_\n4\tc\t_\tNN\tNN\t_\t5\tcompound:prt\t_\t_\n"
        "5\tw\t_\tADD\tADDADDADD\t_\t0\troot\t_\t_\n6\ti\t_\tPRP\tPRP\t_\t7\tnsubj\t_\t_\n"
        "7\ti\t_\tNN\tNN\t_\t9\tnn\t_\t_\n8\ti\t_\tNN\tNN\t_\t6\tnn\t_\t_\n"
        "9\tmmmm\t_\tNN\tNN\t_\t5\tparataxis\t_\t_\n10\t.\t_\t.\t.\t_\t5\tpunct\t_\t_\n\n";
    assert_ok(format_read(&tb, text_block(view(hard), "f"), FORMAT_CONLL, (BracketOptions){ 0 }, test_error()));
    static const char trees[] = "(TOP (SBARQSBARQ (WHADJPWHADJP (X a)) (S::VPVPVP (NPNPNP (Y b)) (. .)) (UCPUCP (Z c) "
                                "(Z d)) (LONGLABEL (. ?))))\n"
                                "(S (NPNPNP (X \u05d4\u05d9\u05dc\u05d3)) (VP (Y \u05d0\u05db\u05dc) (NP (Z 2024) "
                                "(LONGTAG \u05d0))) (. .))";
    assert_ok(bracket_read(&tb, text_block(view(trees), "f"), (BracketOptions){ 0 }, test_error()));
    FREED(strbuf_fini) StrBuf out = { 0 };
    for (int k = 0; k < tb.n; k++)
        for (int layout = DRAW_ACROSS; layout <= DRAW_DOWN; layout++)
            for (int what = 1; what <= 3; what++)
                for (int narrow = 0; narrow < 2; narrow++) {
                    DrawSize size;
                    strbuf_clear(&out);
                    draw_sentence(&out, &tb.s[k],
                                  &(DrawOptions){ .tree = what & 1,
                                                  .arcs = what & 2,
                                                  .layout = (DrawLayout)layout,
                                                  .width = narrow ? 100 : 0 },
                                  &size);
                    check_boxes(&out, &tb.s[k], size);
                    assert_true(!narrow || size.shown_width <= 100);
                }
}

TEST(words_of_hebrew_and_arabic_go_to_the_left)
{
    static const char *const words[] = { "\u05d0\u05db\u05dc", "2024", "\u0627\u0628", "." };
    static int heads[] = { 0, 1, 1, 1 };
    static const char *types[] = { "root", "a", "b", "c" };
    Sentence s = { .n_words = 4, .words = (const char **)(uintptr_t)words, .heads = heads, .types = types };
    draw(test_out(), &s, false, true, DRAW_ACROSS);
    int x[4] = { 0 };
    for (int w = 0; w < 4; w++) {
        const char *at = strstr(test_written(), test_format(">%s</text>", words[w]));
        assert_non_null(at);
        while (strncmp(at, "<text x=\"", 9) != 0) at--;
        assert_int_equal(sscanf(at, "<text x=\"%d", &x[w]), 1);
        assert_true(w == 0 || x[w] < x[w - 1]);
    }
}

TEST(long_sentences_are_drawn_downwards)
{
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_true(grammar_sentences(&tb, 60, 3));
    FREED(strbuf_fini) StrBuf out = { 0 };
    int down = 0;
    for (int k = 0; k < tb.n; k++) {
        DrawSize row, fitted;
        draw_sentence(&out, &tb.s[k], &(DrawOptions){ .tree = true, .layout = DRAW_ACROSS }, &row);
        draw_sentence(&out, &tb.s[k], &(DrawOptions){ .tree = true, .width = 300 }, &fitted);
        assert_true(fitted.shown_width <= 300);
        assert_int_equal(fitted.width == row.width && fitted.height == row.height, row.width * DRAW_LEAST_SCALE <= 300);
        down += fitted.width != row.width;
    }
    assert_in_range(down, 1, tb.n - 1);
}

TEST(what_xml_forbids_is_escaped)
{
    FREED(strbuf_fini) StrBuf out = { 0 };
    MADE(Treebank, read_trees, treebank_fini, tb, "(TOP (<X> (\"T\" a<b) (& R&D) (N 友情\x01)))");
    draw(&out, &tb.s[0], true, true, DRAW_ACROSS);
    assert_int_equal(seen_in(&out).texts, 7);
    assert_non_null(strstr(out.ptr, ">R&amp;D<"));
    assert_non_null(strstr(out.ptr, ">&lt;X&gt;<"));
    draw(&out, &tb.s[0], false, true, DRAW_ACROSS); /* no heads: only the words are drawn */
    assert_int_equal(seen_in(&out).texts, 6);
    assert_int_equal(seen_in(&out).paths, 0);
}

/* Each character of these ranges, alone as a word and as a tag. */
TEST(what_xml_and_html_forbid_is_replaced)
{
    static const int32_t ranges[][2] = { { 0x1, 0x8 },         { 0xb, 0x1f },         { 0x7f, 0x9f },
                                         { 0xfdd0, 0xfdef },   { 0xfffe, 0xffff },    { 0x1fffe, 0x1ffff },
                                         { 0xafffe, 0xaffff }, { 0x10fffe, 0x10ffff } };
    FREED(strbuf_fini) StrBuf word = { 0 };
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        for (int32_t cp = ranges[k][0]; cp <= ranges[k][1]; cp++) {
            strbuf_clear(&word);
            strbuf_utf8(&word, cp);
            const char *text = word.ptr;
            draw_sentence(test_out(), &(Sentence){ .n_words = 1, .words = &text, .tags = &text },
                          &(DrawOptions){ .tree = true }, NULL);
            if (strstr(test_written(), text)) fail_msg("U+%04X is written", (unsigned)cp);
            assert_non_null(strstr(test_written(), ">\ufffd<"));
        }
    strbuf_xml(test_out(), "a\xed\xa0\x80\xff\ufdcf\ufffd\U0001fffd\u00a0"); /* a surrogate is not UTF-8 */
    assert_string_equal(test_written(), "a\ufffd\ufffd\ufffd\ufffd\ufdcf\ufffd\U0001fffd\u00a0");
}

TEST(trees_and_dependencies_are_written_for_latex)
{
    static const char *types[] = { "det", "nsubj", "root" };
    int heads[] = { 2, 3, 0 };
    MADE(Treebank, read_trees, treebank_fini, tb, "(TOP (S (NP (DT The) (NN dog)) (VP (VBZ barks))))");
    tex_forest(test_out(), &tb.s[0], "TOP");
    assert_string_equal(test_written(),
                        "\\begin{forest}\n  [S\n    [NP [DT [The]] [NN [dog]]]\n    [VP [VBZ [barks]]]]\n"
                        "\\end{forest}\n");
    tb.s[0].n_phrases = 0; /* of words alone */
    tb.s[0].tags[1] = NULL;
    tex_forest(test_out(), &tb.s[0], "TOP");
    assert_string_equal(test_written(), "\\begin{forest}\n  [TOP [DT [The]] [dog] [VBZ [barks]]]\n\\end{forest}\n");
    tb.s[0].heads = heads;
    tb.s[0].types = types;
    tex_dependency(test_out(), &tb.s[0]);
    assert_string_equal(test_written(),
                        "\\begin{dependency}\n  \\begin{deptext}[column sep=0.8em]\n    The \\& dog \\& barks \\\\\n"
                        "    DT \\& {} \\& VBZ \\\\\n  \\end{deptext}\n  \\depedge{2}{1}{det}\n"
                        "  \\depedge{3}{2}{nsubj}\n  \\deproot{3}{root}\n\\end{dependency}\n");
}

/* Signs of TeX, of the packages, and those that its fonts join. */
TEST(words_for_latex_print_as_they_are)
{
    static const char *const cases[][2] = { { "a1\u00e9\u4e2d", "a1\u00e9\u4e2d" },
                                            { "#$%_{}", "{\\#\\$\\%\\_\\{\\}}" },
                                            { "R&D", "{R\\symbol{38}D}" },
                                            { "\\~^", "{\\textbackslash{}\\textasciitilde{}\\textasciicircum{}}" },
                                            { "<|>", "{\\textless{}\\textbar{}\\textgreater{}}" },
                                            { "[a,b=c]", "{[a,b=c]}" },
                                            { "---", "{-{}-{}-}" },
                                            { "``", "{`{}`}" },
                                            { "''", "{'{}'}" },
                                            { ",,", "{,{},}" },
                                            { "?`", "{?{}`}" },
                                            { "\x01", "{\ufffd}" } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(strbuf_fini) StrBuf want = { 0 };
        tex_forest(test_out(), &(Sentence){ .n_words = 1, .words = (const char *[]){ cases[k][0] } }, "X");
        strbuf_printf(&want, "\\begin{forest}\n  [X [%s]]\n\\end{forest}\n", cases[k][1]);
        assert_string_equal(test_written(), want.ptr);
    }
}

/* Not every program that shows SVG paints the outline of a text before the text. */
TEST(types_hide_the_lines_below_them_without_outlines)
{
    static const char *words[] = { "a", "b" }, *types[] = { "x", "root" };
    static int heads[] = { 2, 0 };
    draw_style(test_out());
    assert_null(strstr(test_written(), "paint-order"));
    assert_null(strstr(test_written(), ".t{stroke"));
    draw(test_out(), &(Sentence){ .n_words = 2, .words = words, .heads = heads, .types = types }, false, true,
         DRAW_ACROSS);
    const char *line = strstr(test_written(), "<path class=\"sv\""),
               *paper = strstr(test_written(), "<rect class=\"paper\" x="), *type = strstr(test_written(), ">x</text>");
    assert_true(line && paper && type && line < paper && paper < type);
}

TEST(short_arcs_lie_below_the_long_ones_over_them)
{
    static const char *words[] = { "a", "b", "c", "d" }, *types[] = { "x", "root", "y", "z" };
    static int heads[] = { 4, 0, 4, 2 };
    Sentence s = { .n_words = 4, .words = words, .heads = heads, .types = types };
    draw(test_out(), &s, false, true, DRAW_ACROSS);
    /* heights of the horizontal parts: c-d, over one gap, is lowest, b-d is above it, and a-d above both */
    int y[3] = { 0 }, n = 0;
    for (const char *p = test_written(); (p = strstr(p, "Q")) && n < 3; p = strchr(p + 1, 'Q') + 1) {
        int x;
        if (sscanf(p, "Q%d %d", &x, &y[n]) == 2) n++;
    }
    assert_int_equal(n, 3); /* the longest first */
    assert_true(y[0] < y[1] && y[1] < y[2]);
}
