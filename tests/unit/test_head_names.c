/* Heads are named after the categories that they contribute to most. */
#include "explain/head_names.h"
#include "tests/support/check.h"

enum { HEADS = 4 };

/* n decisions of a category with these contributions. */
static void add(HeadSummary *s, const char *category, int n, double a, double b, double c, double d)
{
    double head[HEADS] = { a, b, c, d };
    HeadAttribution x = { .heads = HEADS, .score = a + b + c + d, .head = head };
    for (int k = 0; k < n; k++) assert_ok(head_summary_add(s, category, &x, NULL, -1, test_error()));
}

static void setup_names(HeadNames *x, HeadSummary *s)
{
    head_summary_init(s, HEADS);
    add(s, "PRT", 5, 8, 1, -4, 0);
    add(s, "prt", 5, 7, 1, -4, 0); /* the same words: named once */
    add(s, "ADVP", 5, 4, 3, -4, 0);
    add(s, "arc", 9, 0, 9, 0, 0);
    add(s, "XYZ", 5, 1, 4, -4, 1);
    add(s, "QP", 2, 0, 0, 9, 9); /* too few */
    assert_ok(head_names_init(x, HEADS + 1, HEAD_NAMES_WORDS, test_error()));
    head_names_of_sums(x, 1, NULL, s);
}

TEST(heads_are_named_by_their_largest_shares)
{
    FREED(head_summary_fini) HeadSummary s;
    MADE(HeadNames, setup_names, head_names_fini, x, &s);
    assert_string_equal(x.what[0], ""); /* before the label heads */
    assert_string_equal(x.what[1], "particles, adverbs");
    assert_string_equal(x.what[2], "XYZ, adverbs");
    assert_string_equal(x.what[3], "small contributions"); /* negative ones only */
    assert_string_equal(x.what[4], "small contributions");
}

TEST(the_category_that_a_head_is_linked_to_comes_first)
{
    FREED(head_names_fini) HeadNames x;
    FREED(head_summary_fini) HeadSummary s;
    setup_names(&x, &s);
    for (int h = 1; h <= HEADS; h++) snprintf(x.what[h], HEAD_WHAT, "%s", h == 2 ? "ADVP" : "PRT");
    x.linked = true;
    head_names_of_sums(&x, 1, NULL, &s);
    assert_string_equal(x.what[1], "PRT, adverbs");
    assert_string_equal(x.what[2], "ADVP, XYZ");
    assert_string_equal(x.what[3], "PRT");
}

TEST(few_words_give_no_names)
{
    FREED(head_names_fini) HeadNames x, few;
    FREED(head_summary_fini) HeadSummary s;
    FREED(strbuf_fini) StrBuf out = { 0 };
    setup_names(&x, &s);
    head_names_note(&out, &x);
    assert_int_equal(out.len, 0);
    assert_ok(head_names_init(&few, HEADS + 1, HEAD_NAMES_WORDS - 1, test_error()));
    head_names_of_sums(&few, 1, NULL, &s);
    head_names_put(&out, &few, 1, "23");
    assert_string_equal(out.ptr, "23");
    strbuf_clear(&out);
    head_names_note(&out, &few);
    assert_non_null(strstr(out.ptr, "these sentences have 999 words"));
}

TEST(numbers_are_written_with_names)
{
    FREED(head_summary_fini) HeadSummary s;
    FREED(strbuf_fini) StrBuf out = { 0 };
    MADE(HeadNames, setup_names, head_names_fini, x, &s);
    head_names_put(&out, &x, 1, "23");
    head_names_put(&out, &x, 0, "|7");
    head_names_put(&out, NULL, 1, "|8|");
    head_names_column(&out, &x, 1);
    strbuf_putc(&out, '|');
    assert_string_equal(out.ptr, "23 \302\267 particles, adverbs|7|8|  2 \302\267 particles, adverbs |");
}

TEST(long_categories_are_cut_between_characters)
{
    FREED(head_names_fini) HeadNames x;
    static const char
        a[] = "xa\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303"
              "\251\303\251\303\251\303\251\303\251",
        b[] = "b\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303"
              "\251\303\251\303\251\303\251\303\251";
    MADE(HeadSummary, head_summary_init, head_summary_fini, s, HEADS);
    add(&s, a, 5, 4, 1, 0, 0);
    add(&s, b, 5, 4, 1, 0, 0);
    assert_ok(head_names_init(&x, HEADS, HEAD_NAMES_WORDS, test_error()));
    head_names_of_sums(&x, 0, NULL, &s);
    assert_true(strlen(x.what[0]) > 40);
    assert_int_equal(utf8_invalid(x.what[0], strlen(x.what[0])), strlen(x.what[0]));
}
