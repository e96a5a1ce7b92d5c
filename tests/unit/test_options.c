/* Options of the command line and of JSON, their help, and suggestions for mistyped
 * names. */
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/options.h"
#include "base/suggest.h"
#include "tests/support/check.h"

typedef struct Fields {
    bool flag, quiet;
    int number, choice, format, threads;
    double real;
    const char *text;
    OptionList list;
    const char *words;
} Fields;

static const Option TABLE[] = {
    { "flag", OPT_BOOL, offsetof(Fields, flag), "true", 0, 0, NULL, "a flag" },
    { "a_number", OPT_INT, offsetof(Fields, number), "3", 1, 9, NULL, "a number" },
    { "real", OPT_REAL, offsetof(Fields, real), "0.1", 0, 1, NULL, "a share" },
    { "choice", OPT_ENUM, offsetof(Fields, choice), "red", 0, 0, "red|green", "a colour" },
    { "text", OPT_STRING, offsetof(Fields, text), NULL, 0, 0, NULL, "a text" },
    { "format", OPT_ENUM, offsetof(Fields, format), "json", 0, 0, "json|text", "a format" },
    { "threads", OPT_INT, offsetof(Fields, threads), "0", 0, 9, NULL, "threads" },
    { "quiet", OPT_BOOL, offsetof(Fields, quiet), "false", 0, 0, NULL, "no messages" },
    { "list", OPT_LIST, offsetof(Fields, list), NULL, 0, 0, "FILE",
      "texts whose description is longer than the eighty columns that a line of help has" },
    { "words", OPT_WORDS, offsetof(Fields, words), ", ;", 0, 0, NULL, "separators" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static Status parse(Fields *f, int argc, const char **argv, char **rest, int *n_rest, Error *e)
{
    const Option *tables[] = { TABLE };
    void *fields[] = { f };
    options_defaults(TABLE, f);
    return options_parse(tables, fields, 1, argc, (char **)(uintptr_t)argv, rest, n_rest, e);
}

TEST(options_are_read_in_every_spelling)
{
    Fields f = { 0 };
    const char *argv[] = { "x",     "--no-flag", "--a-number", "7",        "file", "--real=0.25", "--choice",
                           "green", "--list",    "a",          "--list=b", "-",    "--",          "--text" };
    char *rest[20];
    int n;
    assert_ok(parse(&f, 14, argv, rest, &n, test_error()));
    assert_false(f.flag);
    assert_int_equal(f.number, 7);
    assert_true(f.real == 0.25);
    assert_int_equal(f.choice, 1);
    assert_null(f.text);
    assert_int_equal(f.list.n, 2);
    assert_string_equal(f.list.item[1], "b");
    assert_int_equal(n, 3);
    assert_string_equal(rest[0], "file");
    assert_string_equal(rest[1], "-");
    assert_string_equal(rest[2], "--text");
}

TEST(options_of_one_letter_take_a_value_or_stand_together)
{
    static const struct {
        const char *argv[4];
        int n, format, threads;
        bool quiet;
    } cases[] = {
        { { "x", "-f", "text" }, 3, 1, 0, false },
        { { "x", "-ftext" }, 2, 1, 0, false },
        { { "x", "-qj2" }, 2, 0, 2, true },
        { { "x", "-qf", "text", "-j3" }, 4, 1, 3, true },
        { { "x", "-j", "2", "-ftext" }, 4, 1, 2, false },
    };
    char *rest[4];
    int n;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Fields f = { 0 };
        const char *argv[4];
        memcpy(argv, cases[k].argv, sizeof argv);
        assert_int_equal(parse(&f, cases[k].n, argv, rest, &n, NULL), OK);
        assert_int_equal(f.format, cases[k].format);
        assert_int_equal(f.threads, cases[k].threads);
        assert_int_equal(f.quiet, cases[k].quiet);
        assert_int_equal(n, 0);
    }
}

static void assert_suggests(const char *typed, const char *choices, const char *want)
{
    Suggestion s = suggest_for(typed, strlen(typed));
    suggest_choices(&s, choices);
    char text[64] = "";
    if (want) snprintf(text, sizeof text, "; did you mean '%s'?", want);
    assert_string_equal(suggest_text(&s, "").text, text);
}

TEST(the_nearest_name_is_suggested_if_it_is_near)
{
    assert_suggests("jsno", "text|json|tsv", "json");                  /* swapped */
    assert_suggests("jon", "text|json|tsv", "json");                   /* left out */
    assert_suggests("conlllu", "brackets|conllu|conllx", "conllu");    /* added */
    assert_suggests("brakcest", "brackets|conllu|conllx", "brackets"); /* two errors in eight letters */
    assert_suggests("JSON", "text|json", "json");                      /* case */
    assert_suggests("gum_open", "genia|gum-open", "gum-open");         /* - and _ */
    assert_suggests("brack", "conllu|brackets", "brackets");           /* begun */
    assert_suggests("xml", "brackets|conllu|json", NULL);
    assert_suggests("", "a|b", NULL);
    assert_suggests("x", "y|z", NULL);
    assert_suggests("a_name_that_is_longer_than_all_the_names_that_are_compared", "a|name", NULL);
}

TEST(wrong_options_are_named)
{
    static const struct {
        const char *argument, *value, *message;
    } cases[] = {
        { "--nothing", NULL, "unknown option '--nothing'" },
        { "--nubmer", NULL, "unknown option '--nubmer'" },
        { "--a-nubmer", "3", "unknown option '--a-nubmer'; did you mean '--a-number'?" },
        { "--a-nubmer=3", NULL, "unknown option '--a-nubmer=3'; did you mean '--a-number'?" },
        { "--no-quite", NULL, "unknown option '--no-quite'; did you mean '--no-quiet'?" },
        { "--versoin", NULL, "unknown option '--versoin'; did you mean '--version'?" },
        { "--hlep", NULL, "unknown option '--hlep'; did you mean '--help'?" },
        { "-help", NULL, "unknown option '-help'; did you mean '--help'?" },
        { "-x", NULL, "unknown option '-x'" },
        { "-qx", NULL, "unknown option '-x'" },
        { "-j", NULL, "-j: found no value, expected one" },
        { "-fblue", NULL, "--format: found 'blue', expected one of json|text" },
        { "-format", "text", "unknown option '-format'; did you mean '--format'?" },
        { "--choice", "gren", "--choice: found 'gren', expected one of red|green; did you mean 'green'?" },
        { "--a-number", "12", "--a-number: found 12, expected a value from 1 to 9" },
        { "--a-number", "2.5", "--a-number: found '2.5', expected a whole number" },
        { "--a-number", "", "--a-number: found '', expected a whole number" },
        { "--real", "nan", "--real: found 'nan', expected a number" },
        { "--real", "1e999", "--real: found '1e999', expected a number" },
        { "--choice", "blue", "--choice: found 'blue', expected one of red|green" },
        { "--flag=maybe", NULL, "--flag: found 'maybe', expected true or false" },
        { "--no-a-number", NULL, "unknown option '--no-a-number'; did you mean '--a-number'?" },
        { "--text", NULL, "--text: found no value, expected one" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Fields f = { 0 };
        const char *argv[] = { "x", cases[k].argument, cases[k].value };
        char *rest[4];
        int n;
        assert_fails(parse(&f, cases[k].value ? 3 : 2, argv, rest, &n, test_error()), ERR_USAGE, cases[k].message);
    }
}

static Status from_json(Fields *f, const char *json)
{
    cJSON *j = cJSON_Parse(json);
    Status status = options_from_json(TABLE, f, j, test_arena(), "x.json", test_error());
    cJSON_Delete(j);
    return status;
}

TEST(options_go_through_json_and_back)
{
    Fields f = { 0 }, g = { 0 };
    options_defaults(TABLE, &f);
    f.real = 1.0 / 3;
    f.text = "a \"quoted\" text";
    f.list = (OptionList){ 2, { "one", "two \\ three" } };
    f.words = ". -LRB- \"";
    options_to_json(TABLE, &f, test_out());
    options_defaults(TABLE, &g);
    assert_ok(from_json(&g, test_written()));
    assert_true(g.real == f.real);
    assert_string_equal(g.text, f.text);
    assert_string_equal(g.words, f.words);
    assert_non_null(strstr(test_written(), "\"words\": [\".\", \"-LRB-\", \"\\\"\"]"));
    assert_int_equal(g.list.n, 2);
    for (int k = 0; k < 2; k++) assert_string_equal(g.list.item[k], f.list.item[k]);
    assert_ok(from_json(&g, "{\"list\": [\"x\", \"2.5\", \"z\"]}")); /* replaces */
    assert_int_equal(g.list.n, 3);
    assert_string_equal(g.list.item[1], "2.5");
    static const char no_list[] = "x.json: \"list\": expected an array of strings";
    static const char *const bad[][2] = {
        { "{\"list\": [[\"x\"]]}", no_list },
        { "{\"list\": [\"x\", 2.5]}", no_list },
        { "{\"list\": \"x\"}", no_list },
        { "{\"list\": null}", no_list },
        { "{\"words\": \", ;\"}", "x.json: \"words\": expected an array of strings" },
        { "{\"words\": [\",\", \"a b\"]}", "x.json: \"words\": found 'a b', expected a word without blanks" },
        { "{\"words\": [\"\"]}", "x.json: \"words\": found '', expected a word without blanks" },
        { "{\"real\": 7}", "x.json: \"real\": found 7, expected a value from 0 to 1" },
        { "{\"real\": [1]}", "x.json: \"real\": found a list or an object, expected one value" },
        { "{\"colour\": 1}", "x.json: unknown configuration key \"colour\"" },
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) assert_fails(from_json(&g, bad[k][0]), ERR_CONFIG, bad[k][1]);
    assert_ok(from_json(&g, "{\"words\": [], \"real\": null}"));
    assert_string_equal(g.words, "");
}

TEST(every_option_has_help_with_its_default)
{
    options_help(TABLE, NULL, test_out());
    assert_non_null(strstr(test_written(), "  -f, --format json|text\n      a format (default json)\n"));
    assert_non_null(strstr(test_written(), "  -q, --quiet\n"));
    assert_non_null(strstr(test_written(), "  --a-number N\n      a number (default 3)"));
    assert_non_null(strstr(test_written(), "--choice red|green\n"));
    assert_non_null(strstr(test_written(), "--[no-]flag\n      a flag\n"));
    assert_non_null(strstr(test_written(), "--text TEXT\n      a text\n"));
    assert_non_null(strstr(test_written(),
                           "--list FILE\n      texts whose description is longer than the eighty columns that a "
                           "line of\n      help has; may be given more than once\n"));
}

TEST(help_shows_the_values_of_a_preset_as_defaults)
{
    Fields f = { 0 };
    options_defaults(TABLE, &f);
    f = (Fields){ .number = 7, .real = 1e-9, .choice = 1, .text = "given", .format = 0 };
    options_help(TABLE, &f, test_out());
    assert_non_null(strstr(test_written(), "--a-number N\n      a number (default 7)"));
    assert_non_null(strstr(test_written(), "--real X\n      a share (default 1e-09)"));
    assert_non_null(strstr(test_written(), "--choice red|green\n      a colour (default green)"));
    assert_non_null(strstr(test_written(), "--text TEXT\n      a text (default given)\n"));
    assert_non_null(strstr(test_written(), "  --flag\n      a flag\n"));
}
