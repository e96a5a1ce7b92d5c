/* Rules of a user's own for raw text. In the tables tokens are separated by blanks, sentences by |. */
#include "language/text_rules.h"

#include "language/english/text/segment.h"
#include "tests/support/check.h"

static const TextRulesUse ALL = { .tokens = true, .sentences = true };

static TextRules *rules_of(const char *text)
{
    TextRules *rules;
    assert_ok(text_rules_parse(&rules, view(text), "r", test_error()));
    return rules;
}

/* The tokens of a text, whose places are checked. The block begins within a file. */
static const char *applied(const char *rules, const char *text, TextRulesUse use)
{
    TextRules *r = rules_of(rules);
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    TextBlock block = text_block(view(text), "t");
    block.byte = 100;
    block.character = 90;
    assert_ok(segment_text(&t, block, (SegmentOptions){ 0 }, test_arena(), test_error()));
    assert_true(text_rules_apply(r, &t, block, use, test_arena()));
    text_rules_free(r);
    StrBuf *out = test_out();
    int next = 0;
    long line = 1;
    for (int s = 0; s < t.n_sentences; s++) {
        const TextSentence *x = &t.sentences[s];
        assert_int_equal(x->first, next);
        assert_true(x->n > 0);
        next += x->n;
        for (int k = x->first; k < next; k++) {
            const Token *w = &t.tokens[k];
            size_t from = w->begin - 100, chars = 90;
            if (!w->cut) assert_memory_equal(w->form, text + from, w->len);
            if (!w->cut) assert_int_equal(w->end - w->begin, strlen(w->form));
            for (size_t i = 0; i < from; i++) chars += ((unsigned char)text[i] & 0xC0) != 0x80;
            assert_int_equal(w->begin_char, chars);
            for (size_t i = from; i < w->end - 100; i++) chars += ((unsigned char)text[i] & 0xC0) != 0x80;
            assert_int_equal(w->end_char, chars);
            if (k) assert_int_equal(w->glued, w[-1].end == w->begin);
            strbuf_printf(out, "%s%s", !k ? "" : k == x->first ? " | " : " ", w->form);
        }
        line = 1;
        for (const char *p = text; p < text + (t.tokens[x->first].begin - 100); p++) line += *p == '\n';
        assert_int_equal(x->line, line);
    }
    assert_int_equal(next, t.n_tokens);
    return test_written();
}

static const struct {
    const char *rules, *text, *want;
} CASES[] = {
    { "", "One. Two.", "One . | Two ." },
    { "# one\n\n \t# two\r\n", "One. Two.", "One . | Two ." },
    /* abbreviations */
    { "abbreviation Brouwn.", "By Brouwn. Ann. She sang.", "By Brouwn. Ann . | She sang ." },
    { "abbreviation brouwn.", "Brouwn. Ann sang. By brouwn. Bob.", "Brouwn. Ann sang . | By brouwn. Bob ." },
    { "abbreviation Brouwn.", "So brouwn. Ann sang.", "So brouwn . | Ann sang ." },
    { "abbreviation et al.", "Fox et al. Dogs ran. By Al. Dogs ran.", "Fox et al. Dogs ran . | By Al. | Dogs ran ." },
    { "abbreviation et al.", "Fox et\nal. Dogs ran.", "Fox et al. Dogs ran ." },
    { "abbreviation sc\nabbreviation sc.", "Words sc. Dogs ran.", "Words sc. Dogs ran ." },
    { "abbreviation Brouwn.", "It ends with Brouwn.\n\nAnn sang.", "It ends with Brouwn. | Ann sang ." },
    { "abbreviation Prod.", "We all went and saw what he had made, Prod.\nAnn sang it well for us on that day.",
      "We all went and saw what he had made , Prod. Ann sang it well for us on that day ." },
    { "abbreviation No.x", "By No.x3 and No.x.", "By No.x3 and No.x ." },
    { "abbreviation art.", "A smart. B is heart. Art.7 is void.", "A smart . | B is heart . | Art. 7 is void ." },
    { "abbreviation \xc3\xa9"
      "d.",
      "La \xc3\x89"
      "d. Fox. The \xc3\xa9"
      "d. Fox.",
      "La \xc3\x89"
      "d. Fox . | The \xc3\xa9"
      "d. Fox ." },
    /* tokens */
    { "token red!blue", "A red!blue, red!blues.", "A red!blue , red ! | blues ." },
    { "token Yahoo!", "He sold Yahoo! shares. I use Yahoo! It works.",
      "He sold Yahoo! shares . | I use Yahoo! | It works ." },
    { "token don't", "I don't. You don't know.", "I don't . | You don't know ." },
    { "token a.b\ntoken a.b.c", "See a.b.c and a.b now.", "See a.b.c and a.b now ." },
    { "token ar", "The car is far, ar!", "The car is far , ar !" },
    { "token $HOME", "cd $HOME/x now", "cd $HOME /x now" },
    { "token <b>x</b>", "A <b>x</b> here.", "A <b>x</b> here ." },
    { "token \xe5\xa4\xa9\xe5\xae\x89", "\xe5\x8c\x97\xe5\xa4\xa9\xe5\xae\x89\xe9\x97\xa8",
      "\xe5\x8c\x97 \xe5\xa4\xa9\xe5\xae\x89 \xe9\x97\xa8" },
    { "token ab\ntoken bc", "abc ab-bc", "abc ab - bc" },
    { "token 1,2", "It is 11,2 or 1,23 or 1,2.", "It is 11 , 2 or 1 , 23 or 1,2 ." },
    { "token world", "A re-\nnewed wor-\nld.", "A renewed world ." },
    { "token U.S.A", "The U.S.A. won. The U.S.A won.", "The U.S.A . won . | The U.S.A won ." },
    /* beginnings and ends */
    { "begin Article", "All agree Article 5 holds Articles do.", "All agree | Article 5 holds Articles do ." },
    { "begin \xc2\xa7",
      "Laws \xc2\xa7"
      "5 hold \xc2\xa7 6.",
      "Laws | \xc2\xa7"
      "5 hold | \xc2\xa7 6 ." },
    { "begin now therefore", "We agree now\ntherefore we sign.", "We agree | now therefore we sign ." },
    { "begin We", "We agree. We sign.", "We agree . | We sign ." },
    { "end ;", "We agree; we sign; we go.", "We agree ; | we sign ; | we go ." },
    { "end STOP",
      "He said \xe2\x80\x9c"
      "come STOP\xe2\x80\x9d and went STOP",
      "He said \xe2\x80\x9c come STOP \xe2\x80\x9d | "
      "and went STOP" },
    { "end |\ntoken |", "one | two || three", "one | | two | | | | three" },
    { "begin a", "Words a.b a", "Words | a.b | a" },
};

TEST(rules_decide_what_is_a_token_and_where_sentences_are)
{
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++)
        assert_string_equal(applied(CASES[k].rules, CASES[k].text, ALL), CASES[k].want);
}

TEST(rules_change_no_more_than_they_may)
{
    static const char rules[] = "abbreviation Brouwn.\ntoken Mixed!Up\nbegin we\n",
                      text[] = "By Brouwn. Ann Mixed!Up we go.";
    TextRulesUse use = ALL;
    use.sentences = false;
    assert_string_equal(applied(rules, text, use), "By Brouwn. | Ann Mixed!Up we go .");
    use.tokens = false;
    assert_string_equal(applied(rules, text, use), "By Brouwn . | Ann Mixed ! | Up we go .");
    use.sentences = true;
    assert_string_equal(applied(rules, text, use), "By Brouwn . | Ann Mixed ! | Up | we go .");
    static const char lines[] = "We all went to see what he had made, Brouwn.\nAnn.";
    use = ALL;
    use.lines = true;
    assert_string_equal(applied("abbreviation Brouwn.", lines, use),
                        "We all went to see what he had made , Brouwn. | Ann .");
    static const char narrow[] = "By Brouwn.\nAnn sang.";
    use = ALL;
    assert_string_equal(applied("abbreviation Brouwn.", narrow, use), "By Brouwn. | Ann sang .");
    use.spaces = true;
    assert_string_equal(applied("abbreviation Brouwn.", narrow, use), "By Brouwn. Ann sang .");
}

TEST(what_is_no_rule_is_named_with_its_place)
{
    static const struct {
        const char *rules, *message;
    } wrong[] = {
        { "\n abbr x.", "r:2:2: found 'abbr', expected abbreviation|token|begin|end; did you mean 'abbreviation'?" },
        { "token", "r:1:6: found the end of the line, expected a word after 'token'" },
        { "begin \t", "r:1:8: found the end of the line, expected words after 'begin'" },
        { "token a b", "r:1:10: found several words, expected a word after 'token'" },
        { "abbreviations x.", "r:1:1: found 'abbreviations', expected abbreviation|token|begin|end; did you mean "
                              "'abbreviation'?" },
        { "token a\nb\xff", "r:2:2: found bytes that are not UTF-8" },
        { "{}", "r:1:1: found '{}', expected abbreviation|token|begin|end" },
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        TextRules *rules;
        assert_fails_with(text_rules_parse(&rules, view(wrong[k].rules), "r", test_error()), ERR_FORMAT,
                          wrong[k].message);
        assert_null(rules);
    }
    TextRules *none;
    assert_fails_with(text_rules_read(&none, "nothing/here", test_error()), ERR_IO, "nothing/here: cannot open");
}

TEST(running_out_of_memory_with_rules_is_an_error)
{
    StrView text = view("By Brouwn. Ann don't we go; it is C++/CLI.");
    for (long n = 0; allocation_fails(n); n++) {
        FREED(segmented_text_fini) SegmentedText t = { 0 };
        MADE(Arena, arena_init, arena_fini, a, 16);
        TextRules *rules;
        assert_ok(segment_text(&t, text_block(text, "f"), (SegmentOptions){ 0 }, &a, test_error()));
        mem_fail_after(n);
        Status status =
            text_rules_parse(&rules, view("abbreviation brouwn.\ntoken don't\nbegin we\nend ;\n"), "r", test_error());
        assert_ok_or_no_memory(status);
        if (status == OK && text_rules_apply(rules, &t, text_block(text, "f"), ALL, &a))
            assert_int_equal(t.n_sentences, 3);
        text_rules_free(rules);
    }
}
