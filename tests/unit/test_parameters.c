/* Property maps, forms, headers, and layouts of answers of lal serve. */
#include "base/arena.h"
#include "serve/corenlp.h"
#include "serve/proxy.h"
#include "tests/support/check.h"

/* The map as "name=value;name=value;", or the error's message. */
static const char *map_of(const char *text, Arena *a)
{
    Parameters p = { .arena = a };
    Error e = { 0 };
    StrBuf out = { 0 };
    if (parameters_map(&p, text, &e) != OK) strbuf_puts(&out, e.message);
    else
        for (int k = 0; k < p.n; k++) strbuf_printf(&out, "%s=%s;", p.item[k].name, p.item[k].value);
    const char *kept = arena_strndup(a, out.ptr ? out.ptr : "", out.len);
    strbuf_fini(&out);
    return kept;
}

TEST(property_maps_of_all_clients)
{
    static const char *const cases[][2] = {
        { "", "" },
        { "  {} ", "" },
        { "{\"a\": \"b\", \"n\": 5, \"t\": true}", "a=b;n=5;t=true;" }, /* JSON */
        { "{\"a\": \"\\u00e9\\n\"}", "a=\xc3\xa9\n;" },
        { "{'a': 'b, c', 'n': 5, 't': True}", "a=b, c;n=5;t=True;" }, /* repr of Python */
        { "{'a': \"it's\", 'b': 'it\\'s \\\\'}", "a=it's;b=it's \\;" },
        { "{'a': 'x\\u00e9'}", "a=x\\u00e9;" },                                    /* another backslash stays */
        { "annotators:tokenize,ssplit:true", "annotators=tokenize;ssplit=true;" }, /* by hand */
        { "a->b;c=>d\te:f\ng:h", "a=b;c=d;e=f;g=h;" },
        { "[url:http://x:1/]", "url=http://x:1/;" },
        { "a:\r b \r", "a=b;" },
        { "a:,b:", "a=;b=;" },
        { "{'a': 'b'", "properties: found no '}' at the end, expected one" },
        { "(a:b]", "properties: found no ')' at the end, expected one" },
        { "a:'b", "properties: found a quotation mark that does not close" },
        { "a, b:c", "properties: found the key 'a' without a value" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_string_equal(map_of(cases[k][0], test_arena()), cases[k][1]);
}

TEST(forms)
{
    Parameters p = { .arena = test_arena() };
    FREED(strbuf_fini) StrBuf out = { 0 };
    static const char *const bad[] = { "%", "a%4", "%zz", "%ff" };
    assert_true(parameters_decode(&out, (StrView){ "a+b%2B%C3%a9", 12 }));
    assert_string_equal(out.ptr, "a b+\xc3\xa9");
    for (int k = 0; k < 4; k++) assert_false(parameters_decode(&out, (StrView){ bad[k], strlen(bad[k]) }));
    assert_int_equal(out.len, 6);
    assert_ok(parameters_form(&p, (StrView){ "data=x%3Dy&tagger&model=&&data=z", 32 }, test_error()));
    assert_string_equal(parameters_get(&p, "data"), "z");
    assert_string_equal(parameters_get(&p, "tagger"), "");
    assert_string_equal(parameters_get(&p, "model"), "");
    assert_null(parameters_get(&p, "parser"));
    assert_int_equal(parameters_form(&p, (StrView){ "a=%00", 5 }, test_error()), ERR_FORMAT);
}

TEST(multipart)
{
    Parameters p = { .arena = test_arena() };
    static const char type[] = "multipart/form-data; boundary=\"x y\"";
    static const char body[] = "preamble\r\n--x y\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; "
                               "filename=\"a; name=b\"; name=\"data\"\r\n\r\none\r\n--x\r\n\r\n--x y\r\n"
                               "content-disposition: form-data; name=tagger\r\n\r\n\r\n--x y--\r\n";
    static const char *const bad[] = { "", "--x y", "--x y\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb",
                                       "--x y\r\nContent-Type: a\r\n\r\nb\r\n--x y--",
                                       "--x y\r\nContent-Disposition: form-data; name=\"a\"\r\n--x y--" };
    assert_ok(parameters_multipart(&p, type, (StrView){ body, sizeof body - 1 }, test_error()));
    assert_int_equal(p.n, 2);
    assert_string_equal(parameters_get(&p, "data"), "one\r\n--x\r\n");
    assert_string_equal(parameters_get(&p, "tagger"), "");
    for (int k = 0; k < 5; k++) {
        Error wrong = { 0 };
        assert_int_equal(parameters_multipart(&p, type, (StrView){ bad[k], strlen(bad[k]) }, &wrong), ERR_FORMAT);
    }
    assert_int_equal(parameters_multipart(&p, "multipart/form-data", (StrView){ body, 1 }, test_error()), ERR_FORMAT);
}

TEST(headers)
{
    StrView v;
    assert_true(parameters_type_is(" Text/Plain; charset=x", "text/plain"));
    assert_false(parameters_type_is("text/plainer", "text/plain"));
    assert_false(parameters_type_is(NULL, "text/plain"));
    assert_true(parameters_of_header("text/plain ; Charset = \"utf-8\" ; b=c", "charset", &v));
    assert_true(text_equal(v, "utf-8"));
    assert_true(parameters_of_header("a; x=\"; charset=no\"; charset=yes", "charset", &v));
    assert_true(text_equal(v, "yes"));
    assert_false(parameters_of_header("a; charset=\"open", "charset", &v));
    assert_false(parameters_of_header("charset=utf-8", "charset", &v));
    assert_false(parameters_of_header(NULL, "charset", &v));
}

TEST(json_layout)
{
    static const char compact[] = "{\"a\":[],\"b\":{\"c\":\"x{,:\\\"}\",\"d\":[1,2]}}";
    answer_indent(test_out(), compact, sizeof compact - 1);
    assert_string_equal(test_written(),
                        "{\n  \"a\": [],\n  \"b\": {\n    \"c\": \"x{,:\\\"}\",\n    \"d\": [\n      1,\n      2\n    "
                        "]\n  }\n}\n");
}

/* A tag with its word begins a line after a phrase and beside a CC. */
TEST(tree_layout)
{
    static const LalToken tokens[] = { { .form = "Dogs", .tag = "NNS" },
                                       { .form = "and", .tag = "CC" },
                                       { .form = "(", .tag = "-LRB-" },
                                       { .form = "cats", .tag = "NNS" },
                                       { .form = "bark", .tag = "VBP" } };
    static const LalPhrase phrases[] = { { 0, 5, "S", LAL_NONE, 1, LAL_NONE, -1, -1 },
                                         { 0, 4, "NP", 0, LAL_NONE, 2, -1, -1 },
                                         { 4, 5, "VP", 0, LAL_NONE, LAL_NONE, -1, -1 } };
    const LalSentence s = { .tokens = tokens, .n_tokens = 5, .phrases = phrases, .n_phrases = 3 };
    corenlp_tree(test_out(), &s, false);
    assert_string_equal(test_written(),
                        "(ROOT\n  (S\n    (NP (NNS Dogs)\n      (CC and)\n      (-LRB- -LRB-) (NNS cats))\n    "
                        "(VP (VBP bark))))");
    corenlp_tree(test_out(), &s, true);
    assert_string_equal(test_written(), "(ROOT (S (NP (NNS Dogs) (CC and) (-LRB- -LRB-) (NNS cats)) (VP (VBP bark))))");
}

TEST(networks_of_proxies)
{
    static const char *const good[] = { "unix", "127.0.0.1", "10.0.0.0/8", "0.0.0.0/0",      "1.2.3.4/32",
                                        "::1",  "::/0",      "fd00::/8",   "2001:db8::1/128" };
    static const char *const bad[] = { "",     "localhost",   "10.0.0.0/33", "10.0.0/8",  "10.0.0.0/",
                                       "/8",   "10.0.0.0/8x", "::1/129",     "[::1]",     "unix:/x",
                                       "Unix", "1.2.3.4:80",  "10.0.0.0/-1", " 10.0.0.1", "1.2.3.4/255.0.0.0" };
    ProxyNetwork p;
    Error e = { 0 };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) assert_ok(proxy_read(good[k], &p, test_error()));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++, e = (Error){ 0 })
        if (proxy_read(bad[k], &p, &e) != ERR_USAGE) fail_msg("'%s' was read", bad[k]);
}

/* Each trusts 127.0.0.1, 10.0.0.0/8, 192.168.4.0/22, fd00::/9 and, if the connection is "-", unix. */
TEST(the_client_behind_trusted_proxies)
{
    static const struct {
        const char *from, *forwarded, *client;
    } cases[] = {
        { "127.0.0.1", "", "127.0.0.1" },
        { "127.0.0.1", "203.0.113.9", "203.0.113.9" },
        { "-", "203.0.113.9", "203.0.113.9" },
        { "198.51.100.1", "203.0.113.9", "198.51.100.1" },            /* not trusted: its word counts nothing */
        { "127.0.0.1", "203.0.113.9, 198.51.100.1", "198.51.100.1" }, /* the first one is what the second says */
        { "127.0.0.1", "203.0.113.9,198.51.100.1 ,\t10.1.2.3", "198.51.100.1" }, /* a chain of proxies */
        { "127.0.0.1", "10.0.0.1, 10.0.0.2", "10.0.0.1" },                       /* all are trusted */
        { "127.0.0.1", "203.0.113.9, unknown", "127.0.0.1" },
        { "127.0.0.1", "203.0.113.9, _hidden, 10.0.0.2", "10.0.0.2" },
        { "127.0.0.1", "203.0.113.9, ", "127.0.0.1" },
        { "127.0.0.1", "203.0.113.9:4711", "203.0.113.9" },
        { "127.0.0.1", "2001:DB8:0::1", "2001:db8::1" },
        { "127.0.0.1", "[2001:db8::1]:443", "2001:db8::1" },
        { "127.0.0.1", "[2001:db8::1", "127.0.0.1" },
        { "127.0.0.1", "::ffff:203.0.113.9", "203.0.113.9" },
        { "::ffff:127.0.0.1", "203.0.113.9", "203.0.113.9" },
        { "fd7f::2", "203.0.113.9", "203.0.113.9" },
        { "fd80::2", "203.0.113.9", "fd80::2" },
        { "192.168.7.255", "203.0.113.9", "203.0.113.9" },
        { "192.168.8.0", "203.0.113.9", "192.168.8.0" },
        { "127.0.0.1", "203.0.113.9\" injected, 203.0.113.9 x", "127.0.0.1" },
        { "127.0.0.1", "11111111111111111111111111111111111111111111111111111111111111111111111", "127.0.0.1" },
        { "127.0.0.1", ",,,", "127.0.0.1" },
    };
    static const char *const trusted[] = { "127.0.0.1", "10.0.0.0/8", "192.168.4.0/22", "fd00::/9", "unix" };
    ProxyNetwork p[5];
    for (int k = 0; k < 5; k++) assert_ok(proxy_read(trusted[k], &p[k], test_error()));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char address[PROXY_ADDRESS];
        snprintf(address, sizeof address, "%s", cases[k].from);
        if (proxy_trusted(p, 5, address))
            proxy_client(p, 5, (StrView){ cases[k].forwarded, strlen(cases[k].forwarded) }, address);
        if (strcmp(address, cases[k].client) != 0)
            fail_msg("%s, %s: %s, expected %s", cases[k].from, cases[k].forwarded, address, cases[k].client);
    }
    assert_false(proxy_trusted(p, 4, "-"));
    assert_false(proxy_trusted(NULL, 0, "127.0.0.1"));
}
