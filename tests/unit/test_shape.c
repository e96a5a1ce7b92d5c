/* Shapes of tokens and their tags. */
#include <string.h>

#include "language/address.h"
#include "language/english/text/shape.h"
#include "tests/support/check.h"

TEST(whole_words_have_the_tag_of_their_shape)
{
    static const char *const cases[][2] = {
        { "https://example.org/a_(b)", "ADD" },
        { "www.example.co.uk", "ADD" },
        { "a.b-c@example.org", "ADD" },
        { "<a@example.org>", "ADD" },
        { "example.com", "ADD" },
        { "t.co/x", "ADD" },
        { "doi:10.1000/1", "ADD" },
        { "~/.bashrc", "ADD" },
        { "/etc/hosts", "ADD" },
        { "C:\\a\\b.txt", "ADD" },
        { "#caf\xc3\xa9", "NNP" },
        { "@ann_lee", "NNP" },
        { "$AAPL", "NNP" },
        { "#12", "CD" },
        { "+44", "CD" },
        { "4.2(b)(iii)", "CD" },
        { "1e-9", "CD" },
        { "2.5E+10", "CD" },
        { "\xf0\x9f\x98\x82", "NFP" },
        { "\xe2\x9d\xa4\xef\xb8\x8f", "NFP" },
        { ":-)", "NFP" },
        { ":(((", "NFP" },
        { ";P", "NFP" },
        { "*****", "NFP" },
        { "=====", "NFP" },
        { "^^^", "NFP" },
        { "!!!", "." },
        { "?!", "." },
        { "<=", "SYM" },
        { "->", "SYM" },
        { "'n'", "CC" },
        { "\xe2\x80\x99n\xe2\x80\x99", "CC" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Shape shape = shape_of(cases[k][0]);
        if (shape == SHAPE_NONE) fail_msg("%s has no shape", cases[k][0]);
        if (strcmp(shape_tag(shape), cases[k][1])) fail_msg("%s: %s", cases[k][0], shape_tag(shape));
    }
}

/* The tags of these come from treebanks, which have them, or from the model. */
TEST(words_of_treebanks_have_no_shape)
{
    char words[] = "a word don't 1999 1,000 3.5 U.S. e.g. Mr. . ! ? , ; : - -- --- +++ ... \xe2\x80\xa6 ( ) [ "
                   "-LRB- -RRB- `` '' \" ' % $ # @ * + = < > / ~ ^ | << >> and/or 9/11 s/he AT&T Q&A C++ C# "
                   "well-known IL-2 -CD3 NF-kB (-) + +/+ x=y +/- ** ## 10:30 1:2 's '90s n't file.doc Node.js 1e9 "
                   "1e- 1e-9/2 3e-4-thick $5 $$$ US$ -v --help friend(s) 12(3) \u00b0C \xc2\xa9 "
                   "\xe4\xb8\xad\xe6\x96\x87 8D \xc3\xa9t\xc3\xa9";
    assert_int_equal(shape_of(""), SHAPE_NONE);
    for (const char *w = strtok(words, " "); w; w = strtok(NULL, " "))
        if (shape_of(w) != SHAPE_NONE) fail_msg("%s has shape %d", w, (int)shape_of(w));
}

TEST(an_address_ends_before_the_marks_of_the_sentence)
{
    static const struct {
        const char *text;
        size_t len;
    } cases[] = {
        { "https://example.org.", 19 },
        { "https://example.org/a).", 21 },
        { "https://example.org/(a)).", 23 },
        { "a@example.org,b@x.org", 13 },
        { "a@example.org>", 13 },
        { "example.com!", 11 },
        { "example.come", 0 },
        { "https://", 0 },
        { "a@b", 0 },
        { "www.example.org\xe2\x80\x9d", 15 },
        { "mailto:a@b.org\"x", 14 },
        { "git@example.org:a/b.git", 23 },
        { "a@example.org: x", 13 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (address_length(view(cases[k].text)) != cases[k].len)
            fail_msg("%s: %zu", cases[k].text, address_length(view(cases[k].text)));
}

TEST(an_emoji_is_all_of_its_code_points)
{
    static const char *const emoji[] = {
        "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd",                                         /* skin tone */
        "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7", /* family */
        "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa",                                         /* flag */
        "1\xef\xb8\x8f\xe2\x83\xa3",                                                /* key */
        "\xc2\xa9\xef\xb8\x8f",                                                     /* sign as emoji */
        ("\xf0\x9f\x8f\xb4\xf3\xa0\x81\xa7\xf3\xa0\x81\xa2\xf3\xa0\x81\xb3\xf3\xa0\x81\xa3\xf3\xa0\x81\xb4\xf3\xa0\x81"
         "\xbf"), /* flag of Scotland */
    };
    for (size_t k = 0; k < sizeof emoji / sizeof *emoji; k++) {
        char text[64];
        snprintf(text, sizeof text, "%s%s", emoji[k], k % 2 ? "\xf0\x9f\x98\x82" : "x");
        assert_int_equal(utf8_emoji(text, strlen(text)), strlen(emoji[k]));
    }
    assert_int_equal(utf8_emoji("1", 1), 0);
    assert_int_equal(utf8_emoji("\xc2\xa9 2020", 7), 0);
    assert_int_equal(utf8_emoji("\xf0\x9f", 2), 0);
}

TEST(options_after_one_hyphen_are_no_words_after_a_dash)
{
    static const struct {
        const char *text;
        size_t len;
    } cases[] = { { "-rf", 3 },       { "-xzvf,", 5 }, { "-j4)", 3 },   { "-O2", 3 },         { "-la.", 3 },
                  { "-std=c11;", 8 }, { "-or", 0 },    { "-so", 0 },    { "-for", 0 },        { "-hmm", 0 },
                  { "-btw", 0 },      { "-by", 0 },    { "-Mr", 0 },    { "-TV", 0 },         { "-CD34+", 0 },
                  { "-kB", 0 },       { "-rf-", 0 },   { "-j4x", 0 },   { "-strngth", 0 },    { "-", 0 },
                  { "-=", 0 },        { "-a=", 0 },    { "-beta1", 0 }, { "-independent", 0 } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        size_t n = shape_options((StrView){ cases[k].text, strlen(cases[k].text) });
        if (n != cases[k].len) fail_msg("%s: %zu", cases[k].text, n);
    }
}
