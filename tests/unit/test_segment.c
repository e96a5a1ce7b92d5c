/* Raw text to sentences and tokens. In the tables tokens are separated by blanks, sentences
 * by " | ". */
#include <string.h>

#include "base/file.h"
#include "tests/support/check.h"
#include "tests/support/marked.h"

typedef Status Splitter(SegmentedText *, TextBlock, Arena *, Error *);

static Status split_text(SegmentedText *t, TextBlock block, Arena *a, Error *e)
{
    return marked_segment(t, block, (Marked){ .ends = true }, a, e);
}

static void assert_split(Splitter *split, const char *text, const char *want)
{
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    FREED(strbuf_fini) StrBuf out = { 0 };
    assert_ok(split(&t, text_block(view(text), "f"), test_arena(), test_error()));
    for (int s = 0; s < t.n_sentences; s++) {
        if (s) strbuf_puts(&out, " |");
        for (int k = 0; k < t.sentences[s].n; k++)
            strbuf_printf(&out, "%s%s", out.len ? " " : "", t.tokens[t.sentences[s].first + k].form);
    }
    assert_string_equal(out.ptr ? out.ptr : "", want);
    size_t at = 0, chars = 0, seen = 0; /* the text is restored from unchanged tokens and white space */
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
}

TEST(tokens_are_penn_treebank_tokens)
{
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
        { "one--two and three\u2014four", "one -- two and three \xe2\x80\x94 four" },
        { "Wait... what?!", "Wait ... what ?!" },
        { "See http://example.org/a?b=c, please.", "See http://example.org/a?b=c , please ." },
        { "Mail me@example.org.", "Mail me@example.org ." },
        { "I cannot say I'm gonna go.", "I can not say I 'm gon na go ." },
        { "You Shouldnt, and shouldnt; wouldnta couldntt shouldn’t",
          "You Should nt , and should nt ; wouldnta couldntt should n’t" },
        { "a->b and <<a file.txt>>", "a->b and << a file.txt >>" },
        { "^^^ see this ^^ :)))", "^^^ see this ^^ :)))" },
        { "``` it's dad`s", "``` it 's dad `s" },
        { "It\u00B4s he\u2032s she\uFF07s we\u201Bre", "It \u00B4s he \u2032s she \uFF07s we \u201Bre" },
        { "It\xC2\x92s \xC2\x93ours\xC2\x94.", "It \xC2\x92s \xC2\x93 ours \xC2\x94 ." },
        { "cafe\u0301s aren\u00B4t left\uFF0E", "cafe\u0301s are n\u00B4t left \uFF0E" },
        { "Bob,,Paris 1,,2 a;,b (hens),Dogs", "Bob , , Paris 1 , , 2 a ; , b ( hens ) , Dogs" },
        { "====", "====" },
        { "***", "***" },
        { "<me@example.org> wrote ***p*** and 5*", "<me@example.org> wrote *** p *** and 5 *" },
        { "It is 20km at 7:30pm, 1.5m or 10k; 3M and 5x stay.",
          "It is 20 km at 7:30 pm , 1.5 m or 10 k ; 3M and 5x stay ." },
        { "\xe2\x80\x98\xe2\x80\x98well\xe2\x80\x99\xe2\x80\x99",
          "\xe2\x80\x98\xe2\x80\x98 well \xe2\x80\x99\xe2\x80\x99" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) assert_split(split_text, cases[k][0], cases[k][1]);
}

TEST(sentences_end_where_expected)
{
    static const char *const cases[][2] = {
        { "It rains. We go home.", "It rains . | We go home ." },
        { "Mr. Smith met Dr. Jones at 5 p.m. yesterday.", "Mr. Smith met Dr. Jones at 5 p.m. yesterday ." },
        { "The U.S. Senate voted. It passed.", "The U.S. Senate voted . | It passed ." },
        { "\"Stop!\" he said. \"Why?\" she asked.", "\" Stop ! \" he said . | \" Why ? \" she asked ." },
        { "Cells grow, e.g. in Fig. 3 or Eq. 2. They divide.",
          "Cells grow , e.g. in Fig. 3 or Eq. 2 . | They divide ." },
        { "It took approx. 5 days. Messrs. Fox and Lee left.",
          "It took approx. 5 days . | Messrs. Fox and Lee left ." },
        { "A title\n\nA paragraph\nover two lines.", "A title | A paragraph over two lines ." },
        { "It was 3.5 long. Then it grew.", "It was 3.5 long . | Then it grew ." },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) assert_split(split_text, cases[k][0], cases[k][1]);
}

/* Replaces each `from` by a shorter `to`, in place. */
static void replace(char *text, const char *from, const char *to)
{
    for (char *p = text; (p = strstr(p, from)) != NULL; p += strlen(to)) {
        memmove(p + strlen(to), p + strlen(from), strlen(p + strlen(from)) + 1);
        memcpy(p, to, strlen(to));
    }
}

TEST(stops_belong_to_words_as_in_the_table)
{
    FREED(strbuf_fini) StrBuf file = { 0 };
    StrView line;
    int rows = 0;
    assert_ok(file_read_text("tests/english/stops.tsv", &file, test_error()));
    for (size_t at = 0; text_line((StrView){ file.ptr, file.len }, &at, &line);) {
        const char *tab = memchr(line.ptr, '\t', line.len);
        if (!line.len || line.ptr[0] == '#') continue;
        assert_non_null(tab);
        char *text = arena_strndup(test_arena(), line.ptr, (size_t)(tab - line.ptr));
        char *want = arena_strndup(test_arena(), tab + 1, line.len - (size_t)(tab + 1 - line.ptr));
        replace(text, "\\n", "\n");
        replace(want, "\u2016", "|");
        assert_split(split_text, text, want);
        rows++;
    }
    assert_true(rows > 150);
}

static void assert_cases(const char *const (*cases)[2], size_t n)
{
    for (size_t k = 0; k < n; k++) assert_split(split_text, cases[k][0], cases[k][1]);
}

TEST(items_of_a_list_are_sentences_with_and_without_line_breaks)
{
    static const char *const cases[][2] = {
        { "1. Saving files 2. Using folders 3. Shared work 4. Going back",
          "1. Saving files | 2. Using folders | 3. Shared work | 4. Going back" },
        { "Contents 1. Introduction 2. Results", "Contents | 1. Introduction | 2. Results" },
        { "My wishes: 1. a new car 2. a new house 3. peace", "My wishes : | 1. a new car | 2. a new house | 3. peace" },
        { "1) Heat the oven 2) Mix the flour 3) Bake it", "1 ) Heat the oven | 2 ) Mix the flour | 3 ) Bake it" },
        { "(1) Wash the rice (2) Boil the water", "( 1 ) Wash the rice | ( 2 ) Boil the water" },
        { "Topics: a) installing the program b) reading the manual c) writing",
          "Topics : | a ) installing the program | b ) reading the manual | c ) writing" },
        { "(a) the red house (b) the blue car", "( a ) the red house | ( b ) the blue car" },
        { "A. Apples B. Pears C. Plums", "A. Apples | B. Pears | C. Plums" },
        { "i. the red house ii. the blue car iii. the tree", "i. the red house | ii. the blue car | iii. the tree" },
        { "I. Introduction II. Methods III. Results", "I. Introduction | II. Methods | III. Results" },
        { "10. Mary Brown, teacher 9. John Black, baker 8. Everybody else",
          "10. Mary Brown , teacher | 9. John Black , baker | 8. Everybody else" },
        { "1. See section 2. It explains it. 2. Go home.", "1. See section 2 . | It explains it . | 2. Go home ." },
        { "1. Open the file\n2. Read it\n3. Close it", "1. Open the file | 2. Read it | 3. Close it" },
        { "Steps\na) open\nb) read", "Steps | a ) open | b ) read" },
        { "- milk and\n  butter\n- eggs\n- bread", "- milk and butter | - eggs | - bread" },
        { "* First point\n* Second point", "* First point | * Second point" },
        { "\xe2\x80\xa2 Speed \xe2\x80\xa2 Safety \xe2\x80\xa2 Comfort",
          "\xe2\x80\xa2 Speed | \xe2\x80\xa2 Safety | \xe2\x80\xa2 Comfort" },
        { "Shopping list\nmilk\neggs\nbread", "Shopping list | milk | eggs | bread" },
    };
    assert_cases(cases, sizeof cases / sizeof *cases);
}

TEST(numbers_and_letters_in_running_text_are_not_items)
{
    static const char *const cases[][2] = {
        { "See section 2. It explains the rest.", "See section 2 . | It explains the rest ." },
        { "Choose one of options a) and b) now.", "Choose one of options a ) and b ) now ." },
        { "We need a) more time, b) more money and c) luck.", "We need a ) more time , b ) more money and c ) luck ." },
        { "It ended in 1999. 2000 was better.", "It ended in 1999 . | 2000 was better ." },
        { "She wore No. 3 on p. 2 of the book.", "She wore No. 3 on p. 2 of the book ." },
        { "We use version 1. 5 and version 2. 0 here.", "We use version 1 . 5 and version 2 . 0 here ." },
        { "Read chapter 1. Then read chapter 2. Sleep.", "Read chapter 1 . | Then read chapter 2 . | Sleep ." },
        { "The rule has parts (1) and (2). See (3) too.", "The rule has parts ( 1 ) and ( 2 ) . | See ( 3 ) too ." },
        { "We show that: (1) cells grow; (2) they divide; (3) they die.",
          "We show that : ( 1 ) cells grow ; ( 2 ) they divide ; ( 3 ) they die ." },
        { "John A. Smith met Mary B. Jones in town.", "John A. Smith met Mary B. Jones in town ." },
    };
    assert_cases(cases, sizeof cases / sizeof *cases);
}

TEST(line_breaks_end_sentences_where_lines_are_not_wrapped)
{
    static const char *const cases[][2] = {
        { "Introduction\nThis text has been wrapped at some width so that all of\nits lines are about as long as one "
          "another and no break\nsays anything about it. It ends here.\nMethods\nWe looked at the lines of the text "
          "and found that they\nwere wrapped.",
          "Introduction | This text has been wrapped at some width so that all of its lines are about as long as one "
          "another and no break says anything about it . | It ends here . | Methods | We looked at the lines of the "
          "text and found that they were wrapped ." },
        { "Dear Anna,\nthank you for your letter.\nBest wishes,\nTom",
          "Dear Anna , | thank you for your letter . | Best wishes , | Tom" },
        { "It took approx. 5 days. Messrs. Fox and Lee left.",
          "It took approx. 5 days . | Messrs. Fox and Lee left ." },
        { "A title\n\nA paragraph\nover two lines.", "A title | A paragraph over two lines ." },
    };
    assert_cases(cases, sizeof cases / sizeof *cases);
}

/* The same text with each option; " | " between sentences, " || " between paragraphs. */
TEST(line_breaks_end_what_the_option_says)
{
    static const char text[] = "One two\nthree four. Five.\n\nsix\nseven eight";
    static const char *const want[] = {
        [NEWLINES_AUTO] = "One two three four . | Five . || six | seven eight",
        [NEWLINES_SENTENCE] = "One two | three four . | Five . || six | seven eight",
        [NEWLINES_PARAGRAPH] = "One two || three four . | Five . || six || seven eight",
        [NEWLINES_SPACE] = "One two three four . | Five . || six seven eight",
    };
    for (int newlines = NEWLINES_AUTO; newlines <= NEWLINES_SPACE; newlines++) {
        FREED(segmented_text_fini) SegmentedText t = { 0 };
        FREED(strbuf_fini) StrBuf out = { 0 };
        assert_ok(segment_text(&t, text_block(view(text), "f"), (SegmentOptions){ .newlines = (Newlines)newlines },
                               test_arena(), test_error()));
        for (int s = 0; s < t.n_sentences; s++) {
            if (s) strbuf_puts(&out, t.sentences[s].new_paragraph ? " ||" : " |");
            for (int k = 0; k < t.sentences[s].n; k++)
                strbuf_printf(&out, "%s%s", out.len ? " " : "", t.tokens[t.sentences[s].first + k].form);
        }
        assert_string_equal(out.ptr, want[newlines]);
    }
}

TEST(lines_of_chat_verse_and_lists_are_sentences)
{
    static const char *const cases[][2] = {
        { "ok cool\nbye", "ok cool | bye" },
        { "are you there?\nyes i am\nthe train was late.", "are you there ? | yes i am | the train was late ." },
        { "Ann: I was there on Monday, in the afternoon.\nTom: and what did you see? Anything\nnew?\nAnn: no",
          "Ann : I was there on Monday , in the afternoon . | Tom : and what did you see ? | Anything new ? | Ann : "
          "no" },
        { "I wandered lonely as a cloud\nThat floats on high o'er vales and hills,\nWhen all at once I saw a crowd,\nA "
          "host, of golden daffodils;",
          "I wandered lonely as a cloud | That floats on high o'er vales and hills , | When all at once I saw a crowd "
          ", "
          "| A host , of golden daffodils ;" },
        { "Red wine from France\nWhite wine\nBeer on tap, and in bottles of two sizes\nWater",
          "Red wine from France | White wine | Beer on tap , and in bottles of two sizes | Water" },
        { "Share\nFacebook Tweet This Pin It\nBP 142/88\nHR 80",
          "Share | Facebook Tweet This Pin It | BP 142/88 | HR 80" },
        /* not these */
        { "We met in New\nYork and talked.", "We met in New York and talked ." },
        { "The longest line is an address:\nhttps://example.org/a/very/long/address/that/is/no/line/of/prose and it "
          "is\n"
          "followed by prose that was wrapped at some column\nand ends here.",
          "The longest line is an address : | "
          "https://example.org/a/very/long/address/that/is/no/line/of/prose and it is followed by prose that was "
          "wrapped "
          "at some column and ends here ." },
    };
    assert_cases(cases, sizeof cases / sizeof *cases);
}

TEST(sentences_of_the_web_end_without_capitals_and_marks)
{
    static const char *const cases[][2] = {
        { "i like it here. it is warm and we swim a lot. do you like it too? tell me.",
          "i like it here . | it is warm and we swim a lot . | do you like it too ? | tell me ." },
        { "Thanks for your help! See you on Monday. Peter", "Thanks for your help ! | See you on Monday . | Peter" },
        { "It was great!!! We will come back... The food was good :) The room was clean.",
          "It was great !!! | We will come back ... | The food was good :) | The room was clean ." },
    };
    assert_cases(cases, sizeof cases / sizeof *cases);
}

TEST(other_languages_lose_no_characters)
{
    static const char *const cases[][2] = {
        { "Le chat dort. M. Dupont et Marie sont l\xc3\xa0. \xc2\xab Bonjour ! \xc2\xbb dit-il.",
          "Le chat dort . | M. Dupont et Marie sont l\xc3\xa0 . | \xc2\xab Bonjour ! \xc2\xbb dit-il ." },
        { "Die Frau sieht das Haus und den Garten. Das Buch kostet 20 Euro.",
          "Die Frau sieht das Haus und den Garten . | Das Buch kostet 20 Euro ." },
        { "\xe7\x8c\xab \xe3\x81\xaf \xe5\xba\xa7\xe3\x81\xa3\xe3\x81\x9f \xe3\x80\x82 "
          "\xe7\x8a\xac \xe3\x81\xaf \xe3\x80\x82",
          "\xe7\x8c\xab \xe3\x81\xaf \xe5\xba\xa7\xe3\x81\xa3\xe3\x81\x9f \xe3\x80\x82 | "
          "\xe7\x8a\xac \xe3\x81\xaf \xe3\x80\x82" },
        { "今天，我们去学校吗？好！他说：「不知道。」然后走了。",
          "今天 ， 我们去学校吗 ？ | 好 ！ | 他说 ： 「 不知道 。 」 | 然后走了 。" },
        { "\xd7\x96\xd7\x94 \xd7\xa1\xd7\xa4\xd7\xa8. \xd7\x94\xd7\x95\xd7\x90 \xd7\x98\xd7\x95\xd7\x91.",
          "\xd7\x96\xd7\x94 \xd7\xa1\xd7\xa4\xd7\xa8 . | \xd7\x94\xd7\x95\xd7\x90 \xd7\x98\xd7\x95\xd7\x91 ." },
    };
    assert_cases(cases, sizeof cases / sizeof *cases);
}

/* n bytes of repeated `unit`, after `head`. */
static char *repeated(const char *head, const char *unit, size_t n)
{
    char *text = mem_alloc(n + 1, 1);
    assert_non_null(text);
    size_t h = strlen(head), u = strlen(unit);
    for (size_t i = 0; i < n; i++) text[i] = i < h ? head[i] : unit[(i - h) % u];
    text[n] = 0;
    return text;
}

/* Chunks on which a search for the commas of a list of numbers, or for the partner of a bracket, would take quadratic
 * time (minutes for 1 MB) and exceed the time limit of this program. */
TEST(long_chunks_take_time_in_proportion)
{
    enum { N = 1 << 20 };
    static const struct {
        const char *head, *unit;
        int tokens;
    } cases[] = {
        { "", "1,", N },
        { "a", ")", N },
        { "", "a)", N },
        { "", "(", N },
        { "", "[1]", N },
        { "", "\"a", N },
        { "", ".", 1 },
        { "a", "-", 2 },
        { "", "<a", 2 },
        { "", ":(", N },
        { "", "a@b.cc:", N },
        { "", "--a", N },
        { "", "a.b", 1 },
        { "", "!a", N },
        { "", "$", 1 },
        { "1", "(a)", N },
        { "", "*", 1 },
        { "", "a:", 2 },
        { "", "\xf0\x9f\x98\x82", N },
        { "http://", "a/", 1 },
        { "", "1. ", N },
        { "", "'", N },
        { "", ". [1, ", N },
        { "", "```a\n", N },
        { "", "````a\n```\n", N },
        { "", "`a ", N },
        { "", "**a ", N },
        { "", "[a](", N },
        { "", "[a](b \"", N },
        { "", "[", N },
        { "", "> ", N },
        { "", "|-\n", N },
        { "", "# a\n", N },
        { "", "a-\n", N },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(Arena, arena_init, arena_fini, a, 1 << 20);
        FREED(free_pointer) char *text = repeated(cases[k].head, cases[k].unit, N);
        FREED(segmented_text_fini) SegmentedText t = { 0 };
        assert_ok(
            marked_segment(&t, text_block((StrView){ text, N }, "f"), (Marked){ .ends = true }, &a, test_error()));
        if (cases[k].tokens < N) assert_int_equal(t.n_tokens, cases[k].tokens);
        else assert_in_range(t.n_tokens, 4, N);
    }
}

TEST(running_out_of_memory_anywhere_is_an_error)
{
    static const char text[] = "Steps: 1. Open it 2 . Read it 2. Close it\n\nA first. A second.\n- one\n- two\n\n"
                               "# **A** recom-\nmendation";
    for (long n = 0; allocation_fails(n); n++) {
        FREED(segmented_text_fini) SegmentedText t = { 0 };
        MADE(Arena, arena_init, arena_fini, a, 16);
        mem_fail_after(n);
        assert_ok_or_no_memory(
            marked_segment(&t, text_block(view(text), "f"), (Marked){ .ends = true }, &a, test_error()));
    }
}

/* The tokens of a text, and sentences as in assert_split; then the pieces of the text that they cover. */
static void assert_covers(Newlines newlines, Markup markup, const char *text, const char *want, const char *covered)
{
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    FREED(strbuf_fini) StrBuf out = { 0 }, pieces = { 0 };
    Marked how = { { newlines, markup, false }, .hyphens = true, .ends = true };
    assert_ok(marked_segment(&t, text_block(view(text), "f"), how, test_arena(), test_error()));
    for (int s = 0; s < t.n_sentences; s++)
        for (int k = t.sentences[s].first; k < t.sentences[s].first + t.sentences[s].n; k++) {
            const Token *x = &t.tokens[k];
            bool first = k == t.sentences[s].first;
            strbuf_printf(&out, "%s%s", !k ? "" : first ? " | " : x->glued ? "_" : " ", x->form);
            strbuf_printf(&pieces, "%s%.*s", k ? " " : "", (int)(x->end - x->begin), text + x->begin);
        }
    assert_string_equal(out.ptr, want);
    if (covered) assert_string_equal(pieces.ptr, covered);
}

/* A token that the break is inside of has it; one that ends at the break does not. */
TEST(broken_words_are_joined_and_cover_the_break)
{
    assert_covers(NEWLINES_AUTO, MARKUP_NONE, "the recom-\r\n  mendations.", "the recommendations_.",
                  "the recom-\r\n  mendations .");
    assert_covers(NEWLINES_AUTO, MARKUP_NONE, "a \u00e9t\u00e9 (well-\nknown)", "a \u00e9t\u00e9 (_well_-_known_)",
                  "a \u00e9t\u00e9 ( well - known )");
    assert_covers(NEWLINES_SPACE, MARKUP_NONE, "mea\u00ad\nning. 14-\nyear", "meaning_. | 14_-_year",
                  "mea\u00ad\nning . 14 - year");
    assert_covers(NEWLINES_AUTO, MARKUP_NONE, "\u201crecom-\nmendations\u201d", "\u201c_recommendations_\u201d",
                  "\u201c recom-\nmendations \u201d");
    assert_covers(NEWLINES_AUTO, MARKUP_NONE, "we can-\nnot", "we can_not", "we can not");
    assert_covers(NEWLINES_AUTO, MARKUP_AUTO, "> the recom-\n> mendations", "the recommendations",
                  "the recom-\n> mendations");
    static const char *const apart[] = { "recom-\n\nmendations", "recom- mendations", "re-\nand",
                                         "a@b-\nc.org",          "com-\nmen-\n",      "th-\nthe" };
    for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
        FREED(segmented_text_fini) SegmentedText t = { 0 };
        assert_ok(segment_text(&t, text_block(view(apart[k]), "f"), (SegmentOptions){ .markup = MARKUP_NONE },
                               test_arena(), test_error()));
        if (t.n_tokens != 2) fail_msg("%s: %d tokens", apart[k], t.n_tokens);
    }
    for (int newlines = NEWLINES_SENTENCE; newlines <= NEWLINES_PARAGRAPH; newlines++)
        assert_covers((Newlines)newlines, MARKUP_NONE, "recom-\nmendations", "recom_- | mendations", NULL);
}

TEST(markup_is_left_out)
{
    static const struct {
        const char *text, *some, *all; /* what is left with MARKUP_AUTO, if not the same with MARKUP_MARKDOWN */
    } cases[] = {
        { "**Run** the \"**script**\".", NULL, "Run the \"_script_\"_." },
        { "un**believ**able 2**3 **a ** b", NULL, "un**believ**able 2**3 **_a ** b" },
        { "well-**known**, **a\nb**", NULL, "well_-_known_, a b" },
        { "*It* is _so_ ***good*** \\*a\\* a_b_c", "*_It_* is _so_ ***_good_*** \\*a\\_* a_b_c",
          "It is so good *_a_* a_b_c" },
        { "`a*b*` ``c`d`` `e", NULL, "a*b_* c_`d `_e" },
        { "[the *guide*](http://a.b/(c) \"d\"), ![e](f)[g] [h](i j)", "the *_guide_*_, [_g_] [_h_]_(_i j_)",
          "the guide_, [_g_] [_h_]_(_i j_)" },
        { "[a][b] and\n\n[b]: c.d 'e'\n[f]: g h", "[_a_]_[_b_] and | [_b_]_: c.d '_e_' | [_f_]_: g h",
          "a and | [_f_]_: g h" },
        { "[![a](b)](c) [![d][e]][f] ![g][h] [i ![j](k)](l) m", NULL, "i m" },
        { "a[^1]\n\n[^1]: b", "a_[_^1_] | [_^1_]_: b", "a | b" },
        { "a ~~b~~", "a ~~_b~~", "a b" },
        { "<p a=b>c<br>d <b>e</b>f <g> <h@i.j></p>k", "<_p a=b>c_<br>_d <b>_e_</b>_f <g> <h@i.j>_</p>_k",
          "c | d ef <g> <h@i.j> | k" },
        { "- a\n\n  b\n\n      c\n\n    d\n\ne\n\n    f\n\tg\nh", "- a | b | c | d | e | f g h", "a | b | d | e | h" },
        { "A b\n1. c\n2) d\n\nE f\n\n2. g", "A b | 1_. c | 2_) d | E f | 2. g", "A b | 1. c | 2_) d | E f | 2. g" },
        { "A\nb,  \nc\\\nd", "A b_, c\\ d", "A b_, | c | d" },
        { "# One #\ntwo\n####### three\n#four", "One | two | ####### three | #four", "One | two ####### three #four" },
        { "Title\n=====\nA b.\n\n* * *\n\nC d.", "Title | ===== | A b. | * * * | C d.", "Title | A b. | C d." },
        { "a <!-- b\nc --> d", "a <_!_-- b | c --> d", "a d" },
        { "- [x] one\n- two\n  three", "- [_x_] one | - two three", "one | two three" },
        { "a\n```\nb\n\nc\n```\nd", NULL, "a | d" },
        { "~~~~\na\n~~~\nb\n~~~~~\nc", NULL, "c" },
        { "a | b\n--|--\n1 | 2\nc", NULL, "c" },
        { "> a\n> > b\n>\n>c\nd", NULL, "a | b | c | d" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_covers(NEWLINES_AUTO, MARKUP_AUTO, cases[k].text, cases[k].some ? cases[k].some : cases[k].all, NULL);
        assert_covers(NEWLINES_AUTO, MARKUP_MARKDOWN, cases[k].text, cases[k].all, NULL);
    }
    assert_covers(NEWLINES_AUTO, MARKUP_AUTO, "# A **b c**.\n\u00e9 [d](e)f", "A b c. | \u00e9 df",
                  "A b c**. \u00e9 d](e)f");
    assert_covers(NEWLINES_AUTO, MARKUP_NONE, "# one\n> two", "# one | > two", NULL);
    static const char open[] = "```\na\n"; /* a fence that nothing closes is text */
    assert_covers(NEWLINES_AUTO, MARKUP_MARKDOWN, open, "``` a", NULL);
    assert_covers(NEWLINES_PARAGRAPH, MARKUP_MARKDOWN, "**a\nb**\n```\nc\n```", "**_a | b** | ``` | c | ```", NULL);
}

TEST(pretokenised_lines_are_not_changed)
{
    assert_split(segmented_text_lines, "I do n't know .\nMr. X. Y.", "I do n't know . | Mr. X. Y.");
    assert_split(segmented_text_lines, " \u00e9t\u00e9  \u00e0\u00a0la\r\n\u4e2d b\n\tc\r\nd ",
                 "\u00e9t\u00e9 \u00e0 la | \u4e2d b | c | d");
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    assert_ok(segmented_text_lines(&t, text_block(view("a b\n\nc"), "f"), test_arena(), test_error()));
    assert_int_equal(t.n_sentences, 3); /* the empty line is a sentence without words */
    assert_int_equal(t.sentences[1].n, 0);
    assert_int_equal(t.sentences[2].line, 3);
}

TEST(arrays_of_an_earlier_text_are_used_again)
{
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    assert_ok(segment_text(&t, text_block(view("One. Two. Three. Four."), "f"), (SegmentOptions){ 0 }, test_arena(),
                           test_error()));
    assert_int_equal(t.n_sentences, 4);
    const Token *tokens = t.tokens;
    assert_ok(segment_text(&t, text_block(view("It rains."), "f"), (SegmentOptions){ 0 }, test_arena(), test_error()));
    assert_ptr_equal(t.tokens, tokens);
    assert_int_equal(t.n_tokens, 3);
    assert_int_equal(t.n_sentences, 1);
    assert_string_equal(t.tokens[2].form, ".");
    assert_int_equal(
        segment_text(&t, text_block(view("a\xff"), "f"), (SegmentOptions){ 0 }, test_arena(), test_error()),
        ERR_FORMAT);
    assert_int_equal(t.n_tokens, 0);
    assert_int_equal(t.n_sentences, 0);
}

TEST(invalid_bytes_are_an_error_with_their_place)
{
    static const char nul[] = "one\ntw\0o";
    FREED(segmented_text_fini) SegmentedText t = { 0 }, u = { 0 };
    assert_fails_with(
        segment_text(&t, text_block(view("one\nt\377wo"), "f"), (SegmentOptions){ 0 }, test_arena(), test_error()),
        ERR_FORMAT, "f:2:2: ");
    const TextBlock block = text_block((StrView){ nul, sizeof nul - 1 }, "f");
    assert_fails_with(segment_text(&u, block, (SegmentOptions){ 0 }, test_arena(), test_error()), ERR_FORMAT,
                      "f:2:3: ");
}
