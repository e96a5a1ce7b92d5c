/* What is left of a text with markup, and where its tokens stand. In the tables tokens are separated by blanks, or by
 * "_" without white space, and sentences by " | "; `covered` are the pieces of the text that they cover. */
#include <string.h>

#include "language/markup/entity.h"
#include "tests/support/check.h"
#include "tests/support/marked.h"

/* Appends sentences, and with `places` what the tokens cover. */
static void append(StrBuf *out, const SegmentedText *t, const char *text, bool places)
{
    for (int s = 0; s < t->n_sentences; s++)
        for (int k = 0; k < t->sentences[s].n; k++) {
            const Token *x = &t->tokens[t->sentences[s].first + k];
            const char *between = !out->len ? "" : k == 0 ? " | " : x->glued && !places ? "_" : " ";
            if (places) strbuf_printf(out, "%s%.*s", between, (int)(x->end - x->begin), text + x->begin);
            else strbuf_printf(out, "%s%s", between, x->form);
        }
}

static void assert_left(Markup kind, const char *text, const char *want, const char *covered)
{
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    FREED(strbuf_fini) StrBuf out = { 0 }, pieces = { 0 };
    Marked how = { { .markup = kind }, .hyphens = true, .ends = true };
    assert_ok(marked_segment(&t, text_block(view(text), "f"), how, test_arena(), test_error()));
    append(&out, &t, text, false);
    append(&pieces, &t, text, true);
    assert_string_equal(out.ptr ? out.ptr : "", want);
    if (covered) assert_string_equal(pieces.ptr ? pieces.ptr : "", covered);
    size_t at = 0, characters = 0;
    long line = 1;
    for (int s = 0; s < t.n_sentences; s++)
        for (int k = t.sentences[s].first; k < t.sentences[s].first + t.sentences[s].n; k++) {
            const Token *x = &t.tokens[k];
            assert_true(x->begin >= at && x->end > x->begin && x->end <= strlen(text));
            for (; at < x->begin; at++) {
                characters += ((unsigned char)text[at] & 0xC0) != 0x80;
                line += text[at] == '\n';
            }
            assert_int_equal(x->begin_char, characters);
            if (k == t.sentences[s].first) assert_int_equal(t.sentences[s].line, line);
            bool same = x->len == x->end - x->begin && memcmp(text + x->begin, x->form, x->len) == 0;
            assert_true(same || x->cut); /* writers copy a form that is the text */
        }
}

typedef struct Left {
    const char *text, *want, *covered; /* covered: if it is not the same as want */
} Left;

TEST(entities_of_plain_text_are_read_and_stay_as_they_are_written)
{
    static const Left rows[] = {
        { "Tom &amp; Ann sang.", "Tom &amp; Ann sang_.", NULL },
        { "It&#39;s late.", "It_&#39;s late_.", NULL },
        { "I don&rsquo;t; he isn&#x2019;t", "I do_n&rsquo;t_; he is_n&#x2019;t", NULL },
        { "She said &quot;no.&quot; He left.", "She said &quot;_no_._&quot; | He left_.", NULL },
        { "R&amp;D at AT&amp;T and B&B", "R&amp;D at AT&amp;T and B&B", NULL },
        { "A&nbsp;b&#160;c", "A b c", NULL },
        { "the caf&eacute;s &copy 2020", "the caf&eacute;s &copy 2020", NULL },
        { "&lt;b&gt;x&lt;/b&gt;", "&lt;b&gt;_x_&lt;/b&gt;", NULL },
        { "&#8220;Go&#8221;&mdash;he did&hellip;", "&#8220;_Go_&#8221;_&mdash;_he did_&hellip;", NULL },
        { "a well-known&#39;s end", "a well_-_known_&#39;s end", NULL },
        { "1 &lt; 2 &amp;amp; 3 &#x41;", "1 &lt; 2 &amp;amp; 3 &#x41;", NULL },
        { "&foo; &; && &copyx &amp=1 &#xZ; &#0; AT&T;", "&foo_; &_; && &copyx &amp=1 &#xZ_; &#0_; AT&T_;", NULL },
        { "http://a.org/?b=1&amp;c=2&copy=3", "http://a.org/?b=1&amp;c=2&copy=3", NULL },
        { "**R&amp;D** x", "R&amp;D x", NULL },
        { "Use <b>bold</b> text.", "Use <b>_bold_</b> text_.", NULL },
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) assert_left(MARKUP_AUTO, rows[k].text, rows[k].want, NULL);
    assert_left(MARKUP_MARKDOWN, "R&amp;D", "R&D", "R&amp;D");
    assert_left(MARKUP_NONE, "R&amp;D", "R&amp_;D", NULL);
}

TEST(names_and_numbers_are_entities)
{
    static const struct {
        const char *text;
        int32_t character;
        size_t end;
    } cases[] = {
        { "&amp;", '&', 5 },
        { "&AMP;", '&', 5 },
        { "&nbsp", 0xA0, 5 },
        { "&nbspx", 0, 0 },
        { "&#8217;", 0x2019, 7 },
        { "&#X2019;", 0x2019, 8 },
        { "&#150;", 0x2013, 6 },
        { "&#x80;", 0x20AC, 6 },
        { "&#129;", 0, 0 },
        { "&#xD800;", 0, 0 },
        { "&#x110000;", 0, 0 },
        { "&#9999999999;", 0, 0 },
        { "&#128514;", 0x1F602, 9 },
        { "&;", 0, 0 },
        { "&", 0, 0 },
        { "&#", 0, 0 },
        { "&#x", 0, 0 },
        { "&hellip", 0, 0 },
        { "&hellip;", 0x2026, 8 },
        { "&zwnj;", 0x200C, 6 },
        { "&AElig;", 0xC6, 7 },
        { "&frac12;", 0xBD, 8 },
        { "&ccaron;", 0x10D, 8 },
        { "&apos;", '\'', 6 },
        { "&amp;nbsp;", 0xA0, 10 },
        { "&amp;#39;", '\'', 9 },
        { "&amp;x;", '&', 5 },
        { "&thetasym;", 0x3D1, 10 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int32_t character = 0;
        size_t end = entity_end(view(cases[k].text), 0, &character);
        if (end != cases[k].end || (end && character != cases[k].character))
            fail_msg("%s: U+%04X, %zu bytes", cases[k].text, (unsigned)character, end);
    }
    assert_int_equal(entity_named(view("alpha")), 0x3B1);
}

TEST(tags_and_what_is_not_shown_of_pages_are_left_out)
{
    static const Left rows[] = {
        { "<p>It&#8217;s <b>un</b>believ<i>able</i>.</p>", "It_\u2019s unbelievable_.",
          "It &#8217;s un</b>believ<i>able ." },
        { "<html><head><title>My page</title><meta a='>'></head><body>Hi</body>", "My page | Hi", "My page | Hi" },
        { "a<!-- <p> b --> c <!--> d", "a c d", "a c d" },
        { "<script>if (a<b) '<p>';</script>x<STYLE>p > a {}</style >y", "xy", "x<STYLE>p > a {}</style >y" },
        { "<ul><li>One<li>Two</ul>three", "One | Two | three", "One | Two | three" },
        { "<table><tr><th>A<td>B<tr><td>C</table>", "A | B | C", "A | B | C" },
        { "One line<br>Another line<br/>A third\nline", "One line | Another line | A third line",
          "One line | Another line | A third line" },
        { "<p>A sentence on\n\nseveral\r\n lines.\n<p>B.", "A sentence on several lines_. | B.",
          "A sentence on several lines . | B." },
        { "<pre>Rose red\nSky blue</pre>", "Rose red | Sky blue", "Rose red | Sky blue" },
        { "a < b and c > d <3 <y and <b>z</b> <>", "a < b and c > d <3 <_y and z <_>",
          "a < b and c > d <3 < y and z < >" },
        { "<a title=\"x > y\" href=b>link</a> <a title='\">'>two</a>", "link two", "link two" },
        { "<a href=\"b>one</a> and <a href=\"c\">two</a>.", "one and two_.", "one and two ." },
        { "R&amp;D &lt;b&gt; AT&T & &nbsp;x&copy;", "R&D <b> AT&T & x\u00a9", "R&amp;D &lt;b&gt; AT&T & x&copy;" },
        { "<?xml version=\"1.0\"?><!DOCTYPE html><p>a<br />b", "a | b", "a | b" },
        { "<![CDATA[1 <b> &amp; 2]]> three", "1 <b> &amp_; 2 three", "1 <b> &amp ; 2 three" },
        { "word <noscript><p>no</p></noscript><svg><title>t</title></svg>more", "word more", "word more" },
        { "<script src=a />word <svg/>more", "word more", "word more" },
        { "Mail <ann@b.org> and </> <1> << a", "Mail <ann@b.org> and <_/_> <_1_> << a", NULL },
        { "well-<b>known</b>, caf&eacute;-bar", "well_-_known_, caf\u00e9_-_bar", "well - known , caf&eacute; - bar" },
        { "super<wbr>cali &shy;fra&shy;gil", "supercali fragil", "super<wbr>cali fra&shy;gil" },
        { "end <b", "end <_b", "end < b" },
        { "end <b class='x", "end <_b class='x", NULL },
        { "a <!-- b", "a <_!_-- b", NULL },
        { "a <!-- b > c", "a c", "a c" },
        { "a <script> b", "a", "a" },
        { "a <svg> b", "a b", "a b" },
        { "<p>A.<x-y>b</x-y> <o:p>c</o:p>", "A.b c", "A.<x-y>b c" },
        { "", "", "" },
        { "<", "<", "<" },
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_left(MARKUP_HTML, rows[k].text, rows[k].want, rows[k].covered);
}

TEST(cues_of_subtitles_follow_each_other)
{
#define T(n) "\n00:00:0" n ",000 --> 00:00:0" n ",900\n"
    static const Left rows[] = {
        { "1" T("1") "I saw Mr.\n\n2" T("2") "Smith when\nI came.\n", "I saw Mr. Smith when I came_.", NULL },
        { "1" T("1") "- Yes.\n- No.\n", "- Yes_. | - No_.", NULL },
        { "1" T("1") "{\\an8}<i>It</i> <font color=\"a\">is</font>.\n", "It is_.", NULL },
        { "1" T("1") "We left.\n\n2" T("5") "they stayed.", "We left_. | they stayed_.", NULL },
        { "1" T("1") "EPISODE ONE\n\n2" T("5") "We left.", "EPISODE ONE | We left_.", NULL },
        { "1" T("1") "[door opens]\n\n2" T("2") "Who is\nit?", "[_door opens_] | Who is it_?", NULL },
        { "1" T("1") "ANN: Hi,\n\n2" T("2") "Tom.\nBOB: Hi.", "ANN_: Hi_, Tom_. | BOB_: Hi_.", NULL },
        { "1" T("1") "I was born in\n1980\n\n2" T("2") "in Rome.", "I was born in 1980 in Rome_.", NULL },
        { "\xEF\xBB\xBF"
          "1\r" T("1") "It&#39;s &lt;b\\Nok.\r\n\r\n",
          "It_'s <_b ok_.", NULL },
        { "1" T("1") "\u266a La la \u266a\n2" T("2") "He sang.", "\u266a La la \u266a | He sang_.", NULL },
        { "WEBVTT - a\nb\n\nNOTE c\nd\n\nSTYLE\n::cue {}\n\nid\n00:01.000 --> 00:02.000 align:start\n<v Ann>Go "
          "<00:01.500><c>on</c>\n",
          "Go on", NULL },
        { "Plain text. 1 < 2 {a}\nNOTES are here.", "Plain text_. | 1 < 2 {_a_} NOTES are here_.", NULL },
        { "1" T("1") ">> Hi.\n>> Ho.", ">> Hi_. | >> Ho_.", NULL },
    };
#undef T
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_left(MARKUP_SRT, rows[k].text, rows[k].want, rows[k].covered);
}

TEST(commands_and_formulas_of_latex_are_left_out)
{
    static const Left rows[] = {
        { "\\emph{One} \\textbf{wo}rd, {\\bf un}done.", "One word_, undone_.", "One wo}rd , un}done ." },
        { "caf\\'e M\\\"{u}ller na\\\"{\\i}ve \\v{S}koda \\c ca \\o re \\ss",
          "caf\u00e9 M\u00fcller na\u00efve \u0160koda \u00e7a \u00f8re \u00df",
          "caf\\'e M\\\"{u}ller na\\\"{\\i}ve \\v{S}koda \\c ca \\o re \\ss" },
        { "``Go'' -- he --- `s' 1--2", "\u201c_Go_\u201d \u2013 he \u2014 \u2018_s_' 1_\u2013_2",
          "`` Go '' -- he --- ` s ' 1 -- 2" },
        { "seen~\\cite[p. 2]{a,b}, see [1] and Fig.~\\ref{x}.", "seen , see [_1_] and Fig. .",
          "seen , see [ 1 ] and Fig. ." },
        { "Let $x_i + 1$ be $5$, $\\alpha$-rays, $n$th, 20$^{\\circ}$C.",
          "Let $x_i+1$ be 5_, \u03b1_-_rays_, $n$th_, 20_\u00b0_C_.",
          "Let $x_i + 1$ be 5 , $\\alpha$ - rays , $n$th , 20 $^{\\circ}$ C ." },
        { "So \\[ x = 1. \\] We \\begin{align*}y\\\\z,\\end{align*} go.", "So . | We , go_.", "So . | We , go ." },
        { "\\section*{One thing}\\label{a}\nText\n% no\nhere.\n\nNew.", "One thing | Text here_. | New_.",
          "One thing | Text here . | New ." },
        { "A\\begin{figure}[h] no \\end{figure}\\begin{itemize}\\item B \\item[C] d\\end{itemize}", "A | B | C d",
          "A | B | C d" },
        { "A % no\n% more\n  word%\nend\\%", "A wordend_%", "A word%\nend %" },
        { "% c\n\\documentclass{a}\n\n\\title{b}\n\\begin{document}\nGo.\n\\end{document} no", "Go_.", "Go ." },
        { "\\verb|a_b| \\url{http://a.org/x_y%20}, \\LaTeX{} 10\\,000 5\\,kg \\ldots{} \\& x",
          "a_b http://a.org/x_y%20_, LaTeX 10000 5 kg \u2026 & x",
          "a_b http://a.org/x_y%20 , \\LaTeX{} 10\\,000 5 kg \\ldots{} & x" },
        { "A\\footnote{No.} \\newcommand{\\x}[1]{no #1} \\def\\y#1{no} \\href{u}{b} \\textcolor{red}{c}.", "A b c.",
          "A b c}." },
        { "It costs $5, \\[ \\cite{a and x", "It costs $_5_, \\_[ a and x", NULL },
        { "Line \\\\[2pt] Two\\\\*", "Line | Two", "Line | Two" },
        { "\\begin{verbatim}\n%$\\x\n\\end{verbatim}\nGo.", "Go_.", "Go ." },
        { "well-\\emph{known} \\", "well_-_known", "well - known" },
        { "\\author*{Ann}{Oslo} {\\my{One}{two}}", "Ann | Oslo One two", "Ann | Oslo One two" },
        { "don't ''", "do_n't \u201d", "do n't ''" },
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_left(MARKUP_LATEX, rows[k].text, rows[k].want, rows[k].covered);
}

TEST(a_kind_is_guessed_only_where_nothing_else_is_possible)
{
    static const struct {
        const char *text;
        Markup kind;
    } cases[] = {
        { "<!DOCTYPE html>\n<html>", MARKUP_HTML },
        { "\xEF\xBB\xBF\n <!doctype HTML PUBLIC \"-//W3C\">", MARKUP_HTML },
        { "<html lang=\"en\">", MARKUP_HTML },
        { "<?xml version=\"1.0\"?>\n<!-- a --><html>", MARKUP_HTML },
        { "<!DOCTYPE svg>", MARKUP_AUTO },
        { "<htmlish> is a word", MARKUP_AUTO },
        { "<?xml version=\"1.0\"?><doc>", MARKUP_AUTO },
        { "<!-- never closed", MARKUP_AUTO },
        { "The <html> tag", MARKUP_AUTO },
        { "<p>a</p>", MARKUP_AUTO },
        { "1\n00:00:01,000 --> 00:00:02,000\nHi", MARKUP_SRT },
        { "\xEF\xBB\xBF"
          "1\r\n00:00:01,000 --> 00:00:02,000\r\n",
          MARKUP_SRT },
        { "WEBVTT\n\n", MARKUP_SRT },
        { "WEBVTTs are files", MARKUP_AUTO },
        { "1\n00:00:01,000 is a time", MARKUP_AUTO },
        { "1 00:00:01,000 --> 00:00:02,000", MARKUP_AUTO },
        { "\\documentclass{article}", MARKUP_LATEX },
        { "%% a\n% b\n\n\\documentclass[11pt]{article}", MARKUP_LATEX },
        { "\\section{One}", MARKUP_AUTO },
        { "The \\documentclass command", MARKUP_AUTO },
        { "", MARKUP_AUTO },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (markup_guess(view(cases[k].text), NULL) != cases[k].kind) fail_msg("%s", cases[k].text);
    assert_int_equal(markup_guess(view("a"), "b/README.md"), MARKUP_MARKDOWN);
    assert_int_equal(markup_guess(view("a"), "a.HTM.gz"), MARKUP_HTML);
    assert_int_equal(markup_guess(view("WEBVTT\n"), "a.md.txt"), MARKUP_SRT);
    assert_int_equal(markup_guess(view("a"), ".md"), MARKUP_AUTO);
}

/* Long inputs of each kind, also such as never close what they open, are read in time that grows as they do. */
TEST(long_markup_takes_linear_time)
{
    static const char *const units[] = { "<",
                                         "<a",
                                         "<a b=\"",
                                         "<a b='>",
                                         "<!--",
                                         "<!-- >",
                                         "<svg>",
                                         "<script>",
                                         "<![CDATA[",
                                         "<?",
                                         "&amp;",
                                         "&",
                                         "<p>a",
                                         "<a b=\"\"c",
                                         "<a b=\">\"c",
                                         "1\n00:00:01,000 --> 00:00:02,000\na\n\n",
                                         "<i>",
                                         "{\\a",
                                         "<v ",
                                         "00:",
                                         "9",
                                         "\\cite{",
                                         "\\[",
                                         "$",
                                         "$$ ",
                                         "\\begin{equation}",
                                         "\\begin{verbatim}",
                                         "{",
                                         "\\section{",
                                         "\\'",
                                         "\\verb|a",
                                         "\\item[",
                                         "%\n",
                                         "\\label",
                                         "\\def\\x",
                                         "\\",
                                         "a$x$ ",
                                         "\\(" };
    enum { N = 300000 };
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        for (int kind = MARKUP_HTML; kind < MARKUP_KINDS; kind++) {
            MADE(Arena, arena_init, arena_fini, a, 1 << 20);
            FREED(strbuf_fini) StrBuf text = { 0 };
            while (text.len < N) strbuf_puts(&text, units[k]);
            MarkupText left = { .block = text_block((StrView){ text.ptr, text.len }, "f") };
            assert_true(markup_leave_out(&left, (MarkupOptions){ (Markup)kind, false, true }, &a));
            markup_fini(&left);
        }
}

TEST(running_out_of_memory_is_an_error)
{
    static const char *const texts[] = { "<p>It&#8217;s <b>un</b>done.",
                                         "1\n00:00:01,000 --> 00:00:02,000\n<i>a</i>&amp;",
                                         "\\emph{a}\\'e $x_1$ \\section{b} \\[c.\\]" };
    for (int kind = MARKUP_HTML; kind < MARKUP_KINDS; kind++)
        for (long n = 0; allocation_fails(n); n++) {
            FREED(segmented_text_fini) SegmentedText t = { 0 };
            MADE(Arena, arena_init, arena_fini, a, 16);
            Marked how = { { .markup = (Markup)kind }, .hyphens = true, .ends = true };
            mem_fail_after(n);
            assert_ok_or_no_memory(
                marked_segment(&t, text_block(view(texts[kind - MARKUP_HTML]), "f"), how, &a, test_error()));
        }
}
