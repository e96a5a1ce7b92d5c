/* Trees in brackets over several lines, and drawings with line characters. */
#include "tests/support/grammar.h"
#include "tests/support/trees.h"
#include "treebank/draw/terminal.h"

static const TerminalStyle DRAWN = { .width = 80, .tree = true, .arcs = true };

static void expect_brackets(const char *tree, int width, const char *want)
{
    FREED(strbuf_fini) StrBuf out = { 0 };
    MADE(Treebank, read_one, treebank_fini, tb, tree);
    terminal_brackets(&out, &tb.s[0], ESCAPE_ROUND, (TerminalStyle){ .width = width });
    assert_false(out.failed);
    assert_string_equal(out.ptr, want);
}

TEST(brackets_break_where_they_do_not_fit)
{
    const char *tree = "(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sees) (RB now) (NP (DT a) (NN dog))) (. .)))";
    expect_brackets(tree, 80,
                    "(TOP\n  (S\n    (NP (DT the) (NN cat))\n    (VP (VBZ sees) (RB now) (NP (DT a) (NN dog)))\n"
                    "    (. .)))\n");
    expect_brackets(tree, 100,
                    "(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sees) (RB now) (NP (DT a) (NN dog))) (. .)))\n");
    expect_brackets(tree, 84, "(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sees) (RB now) (NP (DT a) (NN dog))) (. .)))\n");
    expect_brackets(tree, 32,
                    "(TOP\n  (S\n    (NP (DT the) (NN cat))\n    (VP (VBZ sees) (RB now)\n      (NP (DT a) (NN dog)))\n"
                    "    (. .)))\n");
    expect_brackets("(TOP (NN \xe4\xb8\x96\xe7\x95\x8c))", 15, "(TOP (NN \xe4\xb8\x96\xe7\x95\x8c))\n");
    expect_brackets("(TOP (NN \xe4\xb8\x96\xe7\x95\x8c))", 14, "(TOP\n  (NN \xe4\xb8\x96\xe7\x95\x8c))\n");
}

/* A file's characters must not reach the terminal as they are. */
TEST(brackets_on_a_terminal_have_no_control_characters)
{
    MADE(Treebank, read_one, treebank_fini, tb, "(TOP (S\x07 (N\x7f a\x1b[31m) (X \xe2\x80\xae\xc2\x9b)))");
    terminal_brackets(test_out(), &tb.s[0], ESCAPE_ROUND, (TerminalStyle){ .width = 100, .visible = true });
    assert_string_equal(test_written(), "(TOP (S<U+0007> (N<U+007F> a<U+001B>[31m) (X <U+202E><U+009B>)))\n");
    terminal_brackets(test_out(), &tb.s[0], ESCAPE_ROUND, (TerminalStyle){ .width = 100 });
    assert_string_equal(test_written(), "(TOP (S\x07 (N\x7f a\x1b[31m) (X \xe2\x80\xae\xc2\x9b)))\n"); /* of a file */
}

static int longest_line(const StrBuf *b)
{
    int longest = 0;
    StrView text = { b->ptr, b->len }, line;
    for (size_t at = 0; text_line(text, &at, &line);) longest = (int)line.len > longest ? (int)line.len : longest;
    return longest;
}

TEST(brackets_read_back_at_every_width)
{
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_true(grammar_sentences(&tb, 60, 5));
    for (int width = 1; width < 130; width += 8)
        for (int k = 0; k < tb.n; k++) {
            FREED(strbuf_fini) StrBuf out = { 0 }, plain = { 0 };
            terminal_brackets(&out, &tb.s[k], ESCAPE_ROUND, (TerminalStyle){ .width = width });
            MADE(Treebank, read_one, treebank_fini, back, out.ptr);
            tree_write(&plain, &tb.s[k]);
            tree_write(test_out(), &back.s[0]);
            assert_string_equal(test_written(), plain.ptr);
            if (width > 60) assert_true(longest_line(&out) <= width);
        }
}

static Sentence cat_sentence(Treebank *tb)
{
    static const char *types[] = { "det", "nsubj", "root", "punct" };
    static int heads[] = { 2, 3, 0, 3 };
    read_one(tb, "(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sleeps)) (. .)))");
    Sentence sent = tb->s[0];
    sent.heads = heads;
    sent.types = types;
    return sent;
}

static void expect_drawing(const Sentence *sent, TerminalStyle style, const char *want)
{
    FREED(strbuf_fini) StrBuf out = { 0 };
    terminal_draw(&out, sent, style);
    assert_false(out.failed);
    assert_string_equal(out.ptr, want);
}

TEST(a_tree_stands_above_its_words_and_arcs_below)
{
    FREED(treebank_fini) Treebank tb;
    Sentence sent = cat_sentence(&tb);
    TerminalStyle style = DRAWN;
    expect_drawing(&sent, style,
                   "   ╭────── S┬──────╮\n"
                   " ╭ NP ╮     VP     │\n"
                   "the  cat  sleeps   .\n"
                   " DT   NN   VBZ     .\n"
                   "det nsubj  root  punct\n"
                   " ▲  │ ▲    │  │    ▲\n"
                   " ╰──╯ ╰────╯  ╰────╯\n");
    style.ascii = true;
    expect_drawing(&sent, style,
                   "   .------ S+------.\n"
                   " . NP .     VP     |\n"
                   "the  cat  sleeps   .\n"
                   " DT   NN   VBZ     .\n"
                   "det nsubj  root  punct\n"
                   " ^  | ^    |  |    ^\n"
                   " '--' '----'  '----'\n");
    style.width = 12;
    expect_drawing(&sent, style,
                   "   S ------\n"
                   " . NP .\n"
                   "the  cat\n"
                   " DT   NN\n"
                   "det nsubj\n"
                   " ^  | ^\n"
                   " '--' '----\n"
                   "\n"
                   "-- ..S ---\n"
                   "    VP\n"
                   "  sleeps\n"
                   "   VBZ\n"
                   "   root\n"
                   "   |  |\n"
                   "---'  '- .\n"
                   "\n"
                   "-- ..S\n"
                   "    .\n"
                   "    .\n"
                   "  punct\n"
                   "    ^\n"
                   "----'\n");
}

TEST(what_a_sentence_lacks_is_left_out)
{
    FREED(treebank_fini) Treebank tb;
    Sentence sent = cat_sentence(&tb);
    TerminalStyle style = DRAWN;
    style.ascii = true;
    style.arcs = false;
    expect_drawing(&sent, style, "   .---- S+----.\n . NP.    VP   |\nthe cat sleeps .\n DT  NN  VBZ   .\n");
    style.arcs = true;
    sent.heads = NULL;
    expect_drawing(&sent, style, "   .---- S+----.\n . NP.    VP   |\nthe cat sleeps .\n DT  NN  VBZ   .\n");
    sent.tags = NULL;
    sent.has_tree = false;
    expect_drawing(&sent, style, "the cat sleeps .\n");
}

/* Arcs that cross: 1 from 3 and 2 from 4. */
TEST(crossing_arcs_cross)
{
    const char *words[] = { "aaa", "bbb", "ccc", "ddd" }, *types[] = { "x", "y", "z", "root" };
    int heads[] = { 3, 4, 4, 0 };
    Sentence sent = { .n_words = 4, .words = words, .heads = heads, .types = types };
    expect_drawing(&sent, DRAWN,
                   "aaa bbb ccc ddd\n"
                   " x   y   z  root\n"
                   " ▲   ▲  │▲  │\n"
                   " ╰───┼──╯│  │\n"
                   "     ╰───┴──╯\n");
}

TEST(strange_characters_keep_their_columns)
{
    /* an escape sequence, a combining accent, a wide character, a mark of direction, a C1 control character */
    const char *words[] = { "\033[1m", "e\xcc\x81", "\xe4\xb8\x96", "\u202ea", "\xc2\x9b", "\xe2\x80\xae" };
    Sentence sent = { .n_words = 6, .words = words };
    expect_drawing(&sent, DRAWN, "\xef\xbf\xbd[1m e\xcc\x81 \xe4\xb8\x96 a \xef\xbf\xbd\n");
    terminal_text(test_out(), "1", "a\033b cc", (TerminalStyle){ .width = 5 });
    assert_string_equal(test_written(), "1  a\ufffdb\n   cc\n");
}

TEST(colours_end_with_each_line)
{
    FREED(treebank_fini) Treebank tb;
    FREED(strbuf_fini) StrBuf out = { 0 };
    Sentence sent = cat_sentence(&tb);
    TerminalStyle style = DRAWN;
    terminal_draw(test_out(), &sent, style);
    style.color = true;
    terminal_draw(&out, &sent, style);
    StrView text = { out.ptr, out.len }, line;
    for (size_t at = 0; text_line(text, &at, &line);)
        assert_true(line.len > 4 && memcmp(line.ptr + line.len - 4, "\033[0m", 4) == 0);
    char *to = out.ptr; /* without the colours it is the same */
    for (const char *from = out.ptr; *from; from++)
        if (*from == '\033') from = strchr(from, 'm');
        else *to++ = *from;
    *to = 0;
    assert_string_equal(out.ptr, test_written());
}

static void draw_in_both_ways(const StrBuf *text, int width)
{
    FREED(strbuf_fini) StrBuf out = { 0 };
    TerminalStyle style = DRAWN;
    style.width = width;
    MADE(Treebank, read_one, treebank_fini, tb, text->ptr);
    terminal_draw(&out, &tb.s[0], style);
    terminal_brackets(&out, &tb.s[0], ESCAPE_ROUND, style);
    assert_false(out.failed);
}

/* As deep and as long as a reader allows, in little time. */
TEST(deep_and_long_sentences)
{
    enum { DEPTH = 1990, WORDS = 20000 };
    FREED(strbuf_fini) StrBuf left = { 0 }, right = { 0 }, flat = { 0 };
    for (int k = 0; k < DEPTH; k++) strbuf_puts(&right, "(SBAR (IN that) ");
    strbuf_puts(&right, "(NN x)");
    for (int k = 0; k < DEPTH; k++) strbuf_putc(&right, ')');
    draw_in_both_ways(&right, 80);
    for (int k = 0; k < DEPTH; k++) strbuf_puts(&left, "(SBAR ");
    strbuf_puts(&left, "(NN x)");
    for (int k = 0; k < DEPTH; k++) strbuf_puts(&left, " (IN that))");
    draw_in_both_ways(&left, 80);
    strbuf_puts(&flat, "(TOP (S");
    for (int k = 0; k < WORDS; k++) strbuf_puts(&flat, " (NP (NN word))");
    strbuf_puts(&flat, "))");
    draw_in_both_ways(&flat, 80);
    draw_in_both_ways(&flat, 1000000);
}

TEST(out_of_memory_is_reported)
{
    FREED(treebank_fini) Treebank tb;
    Sentence sent = cat_sentence(&tb);
    bool failed = true;
    for (int n = 0; failed; n++) {
        FREED(strbuf_fini) StrBuf out = { 0 };
        mem_fail_after(n);
        terminal_draw(&out, &sent, DRAWN);
        terminal_brackets(&out, &sent, ESCAPE_ROUND, DRAWN);
        mem_fail_after(-1);
        failed = out.failed;
        assert_true(n > 4 || failed);
    }
}
