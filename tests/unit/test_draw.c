/* tests/unit/test_draw.c: pictures are well-formed XML with every label, tag, word and type, and arcs are nested by
 * length. */
#include <expat.h>

#include "tests/support/check.h"
#include "tests/support/grammar.h"
#include "treebank/bracket.h"
#include "treebank/draw.h"

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

TEST(pictures_hold_everything)
{
    UNUSED_STATE;
    Treebank tb;
    treebank_init(&tb);
    assert_true(grammar_sentences(&tb, 60, 3));
    for (int k = 0; k < tb.n; k++) {
        StrBuf tree = { 0 }, arcs = { 0 };
        const Sentence *s = &tb.s[k];
        draw_tree(&tree, s, NULL);
        draw_arcs(&arcs, s, NULL);
        Seen t = seen_in(&tree), a = seen_in(&arcs);
        assert_int_equal(t.texts, s->n_phrases + 2 * s->n_words);
        assert_int_equal(t.paths, s->n_phrases - 1 + s->n_words);
        assert_int_equal(a.texts, 3 * s->n_words);
        assert_int_equal(a.paths, 2 * s->n_words); /* a line and an arrowhead */
        assert_int_equal(t.titles + a.titles, 2);
        strbuf_fini(&tree);
        strbuf_fini(&arcs);
    }
    treebank_fini(&tb);
}

TEST(what_xml_forbids_is_escaped)
{
    UNUSED_STATE;
    Treebank tb;
    Error e = { 0 };
    StrBuf out = { 0 };
    treebank_init(&tb);
    assert_int_equal(bracket_read(&tb, text_block(view("(TOP (<X> (\"T\" a<b) (& R&D) (N 友情\x01)))"), "f"),
                                  (BracketOptions){ .strip_functions = false }, &e),
                     OK);
    draw_tree(&out, &tb.s[0], NULL);
    assert_int_equal(seen_in(&out).texts, 7);
    assert_non_null(strstr(out.ptr, ">R&amp;D<"));
    assert_non_null(strstr(out.ptr, ">&lt;X&gt;<"));
    strbuf_clear(&out);
    draw_arcs(&out, &tb.s[0], NULL); /* no heads: only the words are drawn */
    assert_int_equal(seen_in(&out).texts, 6);
    assert_int_equal(seen_in(&out).paths, 0);
    strbuf_fini(&out);
    treebank_fini(&tb);
}

TEST(short_arcs_lie_below_the_long_ones_over_them)
{
    UNUSED_STATE;
    static const char *words[] = { "a", "b", "c", "d" }, *types[] = { "x", "root", "y", "z" };
    static int heads[] = { 4, 0, 4, 2 };
    Sentence s = { .n_words = 4, .words = words, .heads = heads, .types = types };
    StrBuf out = { 0 };
    draw_arcs(&out, &s, NULL);
    /* heights of the control points: c-d, over one gap, is lowest, b-d is above it, and a-d above both */
    int y[3] = { 0 }, n = 0;
    for (const char *p = out.ptr; (p = strstr(p, "C")) && n < 3; p++) {
        int x;
        if (sscanf(p, "C%d %d", &x, &y[n]) == 2) n++;
    }
    assert_int_equal(n, 3); /* in the order of the words: a, c, d */
    assert_true(y[1] > y[2] && y[2] > y[0]);
    strbuf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_hold_everything),
        cmocka_unit_test(what_xml_forbids_is_escaped),
        cmocka_unit_test(short_arcs_lie_below_the_long_ones_over_them),
    };
    return cmocka_run_group_tests_name("draw", tests, NULL, NULL);
}
