/* tests/unit/test_segment.c: raw text to sentences and tokens. In the tables tokens are parted by blanks, sentences by " | ". */
#include "tests/support/check.h"
#include "treebank/segment.h"

typedef Status Splitter(SegmentedText *, TextBlock, Arena *, Error *);

static void assert_split(Splitter *split, const char *text, const char *want)
{
    SegmentedText t = { 0 };
    Arena a;
    Error e = { 0 };
    StrBuf out = { 0 };
    arena_init(&a, 4096);
    if (split(&t, text_block(view(text), "f"), &a, &e) != OK) fail_msg("%s: %s", text, e.message);
    for (int s = 0; s < t.n_sentences; s++) {
        if (s) strbuf_puts(&out, " |");
        for (int k = 0; k < t.sentences[s].n; k++) strbuf_printf(&out, "%s%s", out.len ? " " : "", t.tokens[t.sentences[s].first + k].form);
    }
    assert_string_equal(out.ptr ? out.ptr : "", want);
    size_t at = 0, chars = 0, seen = 0; /* reversible: tokens and white space make up the text, each token as it stands there */
    for (int k = 0; k < t.n_tokens; k++) {
        const Token *x = &t.tokens[k];
        for (; at < x->begin;) assert_true(utf8_is_space(utf8_next(text, strlen(text), &at)));
        assert_int_equal(at, x->begin);
        while (seen < x->begin) utf8_next(text, strlen(text), &seen), chars++;
        assert_int_equal(x->begin_char, chars);
        assert_int_equal(strlen(x->form), x->end - x->begin);
        assert_memory_equal(x->form, text + x->begin, x->end - x->begin);
        at = x->end;
    }
    while (at < strlen(text)) assert_true(utf8_is_space(utf8_next(text, strlen(text), &at)));
    strbuf_fini(&out);
    segmented_fini(&t);
    arena_fini(&a);
}

TEST(tokens_are_penn_treebank_tokens)
{
    UNUSED_STATE;
    static const char *const cases[][2] = {
        { "", "" },
        { " \n\t\n", "" },
        { "Hello, world!", "Hello , world !" },
        { "I don't, can't and won't.", "I do n't , ca n't and wo n't ." },
        { "They'll say it's John's, we've heard.", "They 'll say it 's John 's , we 've heard ." },
        { "the kings' trees", "the kings ' trees" },
        { "(see \"this\") [1]", "( see \" this \" ) [ 1 ]" },
        { "It cost $3.50 or 3,000 euros (20%).", "It cost $ 3.50 or 3,000 euros ( 20 % ) ." },
        { "A well-known state-of-the-art parser", "A well-known state-of-the-art parser" },
        { "one--two and three\xe2\x80\x94"
          "four",
          "one -- two and three \xe2\x80\x94 four" },
        { "Wait... what?!", "Wait ... what ?!" },
        { "See http://example.org/a?b=c, please.", "See http://example.org/a?b=c , please ." },
        { "Mail me@example.org.", "Mail me@example.org ." },
        { "I cannot say I'm gonna go.", "I can not say I 'm gon na go ." },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) assert_split(segment_text, cases[k][0], cases[k][1]);
}

TEST(sentences_end_where_a_reader_would_end_them)
{
    UNUSED_STATE;
    static const char *const cases[][2] = {
        { "It rains. We go home.", "It rains . | We go home ." },
        { "Mr. Smith met Dr. Jones at 5 p.m. yesterday.", "Mr. Smith met Dr. Jones at 5 p.m. yesterday ." },
        { "The U.S. Senate voted. It passed.", "The U.S. Senate voted . | It passed ." },
        { "\"Stop!\" he said. \"Why?\" she asked.", "\" Stop ! \" he said . | \" Why ? \" she asked ." },
        { "Cells grow, e.g. in Fig. 3 or Eq. 2. They divide.", "Cells grow , e.g. in Fig. 3 or Eq. 2 . | They divide ." },
        { "A title\n\nA paragraph\nover two lines.", "A title | A paragraph over two lines ." },
        { "It was 3.5 long. Then it grew.", "It was 3.5 long . | Then it grew ." },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) assert_split(segment_text, cases[k][0], cases[k][1]);
}

TEST(pretokenised_lines_stay_as_they_are)
{
    UNUSED_STATE;
    assert_split(segment_pretokenized, "I do n't know .\nMr. X. Y.", "I do n't know . | Mr. X. Y.");
    SegmentedText t = { 0 };
    Arena a;
    Error e = { 0 };
    arena_init(&a, 4096);
    assert_int_equal(segment_pretokenized(&t, text_block(view("a b\n\nc"), "f"), &a, &e), OK);
    assert_int_equal(t.n_sentences, 3); /* the empty line is a sentence of no words */
    assert_int_equal(t.sentences[1].n, 0);
    assert_int_equal(t.sentences[2].line, 3);
    segmented_fini(&t);
    arena_fini(&a);
}

TEST(bytes_that_are_no_text_are_refused_with_their_place)
{
    UNUSED_STATE;
    static const char nul[] = "one\ntw\0o";
    SegmentedText t = { 0 };
    Arena a;
    Error e = { 0 }, f = { 0 };
    arena_init(&a, 4096);
    assert_int_equal(segment_text(&t, text_block(view("one\nt\xffwo"), "f"), &a, &e), ERR_FORMAT);
    assert_int_equal(e.line, 2);
    assert_int_equal(e.column, 2);
    segmented_fini(&t);
    t = (SegmentedText){ 0 };
    assert_int_equal(segment_text(&t, text_block((StrView){ nul, sizeof nul - 1 }, "f"), &a, &f), ERR_FORMAT);
    assert_int_equal(f.line, 2);
    assert_int_equal(f.column, 3);
    segmented_fini(&t);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_penn_treebank_tokens),
        cmocka_unit_test(sentences_end_where_a_reader_would_end_them),
        cmocka_unit_test(pretokenised_lines_stay_as_they_are),
        cmocka_unit_test(bytes_that_are_no_text_are_refused_with_their_place),
    };
    return cmocka_run_group_tests_name("segment", tests, NULL, NULL);
}
