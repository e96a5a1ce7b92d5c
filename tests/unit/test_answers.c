/* Answers of lal serve when memory runs out, whatever allocation fails. */
#include "serve/corenlp.h"
#include "serve/corenlp_search.h"
#include "serve/openapi.h"
#include "serve/own.h"
#include "serve/own_search.h"
#include "serve/udpipe.h"
#include "tests/support/api.h"

typedef struct Ask {
    void (*run)(const Job *j, Answer *a);
    const char *name, *value; /* a parameter of the query, or NULL */
    const char *type, *body;
} Ask;

#define DOGS "The dog sees it. It doesn't read."
/* Documents of CoreNLP.proto: a text; the words "the dog", "sees". */
#define DOCUMENT   \
    "\x0a\x0a\x08" \
    "Dogs see"
#define WORDS                                         \
    "\x1b\x12\x0f\x0a\x05\x0a\x03the\x0a\x06\x0a\x04" \
    "dogs\x12\x08\x0a\x06\x0a\x04sees"
/* A Document with the tree (X (Y b)) and the word. */
#define TREE                         \
    "\x16\x12\x14\x0a\x03\x0a\x01"   \
    "b:\x0d\x0a\x08\x0a\x03\x12\x01" \
    "b\x12\x01Y\x12\x01X"
#define FORM "application/x-www-form-urlencoded"
static const Ask ASKS[] = {
    { corenlp_answer, "properties", "{'annotators': 'tokenize,ssplit,pos,lemma,parse,depparse'}", "text/plain", TEXT },
    { corenlp_answer, "properties", "{'outputFormat': 'serialized', 'annotators': 'parse'}", "text/plain", TEXT },
    { corenlp_answer, "properties", "{'outputFormat': 'serialized', 'parse.kbest': '3'}", "text/plain", TEXT },
    { corenlp_answer, "properties", "{'parse.kbest': 3, 'confidence': True}", "text/plain", TEXT },
    { corenlp_answer, "properties", "{'outputFormat': 'conllu'}", "text/plain; charset=iso-8859-1", "A dog \xe9." },
    { corenlp_answer, "properties", "{'outputFormat': 'conll'}", NULL, "A+dog." },
    { corenlp_answer, "properties", "{'outputFormat': 'text', 'tokenize.codepoint': 'true'}", "text/plain", TEXT },
    { corenlp_answer, "properties", "{'outputFormat': 'xml', 'tokenize.codepoint': 'true'}", "text/plain", TEXT },
    { corenlp_answer, "properties", "{'outputFormat': 'text', 'ssplit.eolonly': 'true'}", "text/plain", "\n\na\n" },
    { corenlp_answer, "properties", "{'outputFormat': 'xml'}", "text/plain", "" },
    { corenlp_answer, "properties", "{'inputFormat': 'serialized', 'outputFormat': 'conllu'}", NULL, DOCUMENT },
    { corenlp_answer, "properties", "{'inputFormat': 'serialized', 'parse.kbest': 2}", NULL, WORDS },
    { corenlp_answer, "properties", "{'inputFormat': 'serialized', 'outputFormat': 'conllu'}", NULL, WORDS },
    { corenlp_answer, "properties", "{'inputFormat': 'serialized', 'annotators': 'ssplit'}", NULL, WORDS },
    { corenlp_search_tregex, "pattern", "NP=np < /^(.)N$/#1%x=n", "text/plain", TEXT },
    { corenlp_search_tregex, "properties", "{'inputFormat': 'serialized', 'pattern': 'X=x << Y=y'}", NULL, TREE },
    { corenlp_search_semgrex, "pattern", "{}=v >=e {}=n", "text/plain", TEXT },
    { corenlp_search_semgrex, "properties", "{'filter': 'true', 'pattern': '{} < {}'}", "text/plain", TEXT },
    { own_search, "pattern", "NP=np < /^(.)N$/#1%x=n", "text/plain", TEXT },
    { own_search, NULL, NULL, "application/json",
      "{\"tokens\": [[\"The\", \"dog\"], [\"sees\"]], \"pattern\": \"{} >=e {}=n\", \"where\": \"n.p > 0\"}" },
    { udpipe_process, NULL, NULL, FORM, "tokenizer=ranges&tagger=&parser=&data=The+dog+sees." },
    { udpipe_process, NULL, NULL, FORM, "input=vertical&tagger=&parser=&data=The%0Adog%0A%0AIt%0Asees" },
    { udpipe_process, NULL, NULL, "multipart/form-data; boundary=x",
      "--x\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\n# a = b\n1\tdogs\t_\t_\tNNS\t_\t_\t_\t_\t_\n\n"
      "\r\n--x\r\nContent-Disposition: form-data; name=\"parser\"\r\n\r\n\r\n--x--\r\n" },
    { udpipe_process, NULL, NULL, FORM, "data=&tokenizer=&tagger=&parser=" }, /* texts without words or rows */
    { udpipe_process, NULL, NULL, FORM, "data=&tagger=&parser=" },
    { udpipe_process, NULL, NULL, FORM, "data=&input=vertical" },
    { udpipe_process, NULL, NULL, FORM, "data=%0A%0A&input=horizontal&parser=" },
    { udpipe_process, NULL, NULL, FORM, "data=%23+a+%3D+b%0A%0A&tagger=" },
    { udpipe_process, NULL, NULL, FORM,
      "tagger=&parser=&data=0.1%09e%09_%09_%09_%09_%09_%09_%09_%09_%0A1%09a%09_%09_%09_%09_%09_%09_%09_%09_%0A" },
    { udpipe_process, NULL, NULL, FORM,
      "tagger=&data=1%09a%09_%09_%09_%09_%09_%09_%09_%09_%0A%0A1-1%09a%09_%09_%09_%09_%09_%09_%09_%09_%0A"
      "1%09a%09_%09_%09_%09_%09_%09_%09_%09_%0A%0A" },
    { udpipe_models, NULL, NULL, NULL, "" },
    { corenlp_answer, NULL, NULL, "text/plain", "" },
    { corenlp_answer, "properties", "{'outputFormat': 'serialized'}", "text/plain", "" },
    { corenlp_answer, "properties", "{'outputFormat': 'conll'}", NULL, "" },
    { corenlp_answer, "properties", "", "text/plain; charset=latin1", "" },
    { corenlp_answer, "properties", "{'ssplit.eolonly': True, 'tokenize.whitespace': True}", "text/plain", "\n\na\n" },
    { own_parse, "pretokenized", "true", "text/plain", "\n\n" },
    { own_parse, "format", "conllu", "text/plain; charset=us-ascii", "" },
    { own_tokenize, "format", "lines", "text/plain", "" },
    { own_parse, "format", "json", "text/plain", TEXT },
    { own_parse, "why", "true", "text/plain", TEXT },
    { own_tokenize, "format", "json", "text/plain", TEXT },
    { own_parse, "format", "conllu", "application/json", "{\"text\": \"" DOGS "\", \"format\": \"conllu\"}" },
    { own_parse, NULL, NULL, "application/json",
      "{\"tokens\": [[\"The\", \"dog\"], [\"sees\"]], \"treebank\": \"toy\"}" },
    { own_models, NULL, NULL, NULL, "" },
    { openapi_answer, NULL, NULL, NULL, "" },
};

static const Route ROUTES[] = {
    { "/", "GET, HEAD, POST", ROUTE_WORK, corenlp_answer, false, &OPENAPI_CORENLP },
    { "/ping", "GET, HEAD, POST", ROUTE_QUICK, NULL, true, &OPENAPI_HEALTH },
    { "/process", "GET, HEAD, POST", ROUTE_WORK, udpipe_process, false, &OPENAPI_PROCESS },
    { "/v1/parse", "POST", ROUTE_WORK, own_parse, false, &OPENAPI_PARSE },
};

static void nothing(void *context, long milliseconds)
{
    (void)context;
    (void)milliseconds;
}

static bool hold(void *context, int times, Answer *a)
{
    (void)context;
    (void)a;
    return times <= 3;
}

/* Keeps what is sent before the answer is complete. */
static int keep(void *context, Answer *a)
{
    StrBuf *sent = context;
    strbuf_add(sent, a->body.ptr, a->body.len);
    strbuf_clear(&a->body);
    return sent->failed;
}

/* Appends the answer to *out, empty before, with the allocation after `most` others failing; -1: none. The status. */
static int answer(const Fixture *f, const Ask *ask, long most, StrBuf *out)
{
    ServiceOptions o = {
        .max_chars = 10000, .generator = "lal", .routes = ROUTES, .n_routes = 4, .prefix = "/lal", .guarded = true
    };
    ServedModel model = { "toy", "english-toy", "en", lal_model_digest(f->model), "no terms", f->model };
    LalParser *parser = f->parser;
    MADE(Arena, arena_init, arena_fini, arena, 0);
    Parameters query = { .arena = &arena };
    Answer a = { 0 };
    lal_options_init(&o.parse, sizeof o.parse);
    if (ask->name) assert_ok(parameters_add(&query, ask->name, ask->value, strlen(ask->value), test_error()));
    Job j = { .o = &o,
              .models = &model,
              .n_models = 1,
              .parsers = &parser,
              .arena = &arena,
              .query = &query,
              .type = ask->type,
              .body = { ask->body, strlen(ask->body) },
              .limit = nothing,
              .hold = hold,
              .send = keep,
              .stop_context = out };
    mem_fail_after(most);
    ask->run(&j, &a);
    mem_fail_after(-1);
    strbuf_add(out, a.body.ptr, a.body.len);
    bool failed = a.body.failed;
    strbuf_fini(&a.body);
    strbuf_fini(&a.ignored);
    return failed ? 500 : a.status;
}

TEST(an_answer_is_whole_or_says_that_memory_is_short)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    for (size_t k = 0; k < sizeof ASKS / sizeof *ASKS; k++) {
        FREED(strbuf_fini) StrBuf whole = { 0 };
        int status = 0;
        assert_int_equal(answer(&f, &ASKS[k], -1, &whole), 200);
        for (long most = 0; status != 200; most++) {
            FREED(strbuf_fini) StrBuf got = { 0 };
            status = answer(&f, &ASKS[k], most, &got);
            if (status != 200) assert_int_equal(status, 500);
            else assert_string_equal(got.ptr, whole.ptr);
        }
    }
}

#define JSON "application/json"

/* Each JSON body beside the text that asks for the same. */
TEST(a_json_body_asks_as_the_query_does)
{
    static const Ask pairs[][2] = {
        { { own_parse, NULL, NULL, JSON, "{\"text\": \"" DOGS "\"}" }, { own_parse, NULL, NULL, "text/plain", DOGS } },
        { { own_parse, NULL, NULL, "Application/JSON ; charset=UTF-8", "\xef\xbb\xbf {\"text\": \"" DOGS "\"}\n" },
          { own_parse, NULL, NULL, NULL, DOGS } },
        { { own_parse, NULL, NULL, JSON, "{\"format\": \"conllu\", \"text\": \"A dog \\u00e9\\uD83D\\uDE00.\\n\"}" },
          { own_parse, "format", "conllu", "text/plain", "A dog \xc3\xa9\xf0\x9f\x98\x80.\n" } },
        { { own_parse, NULL, NULL, JSON "; charset=iso-8859-1", "{\"text\": \"A dog \xe9.\"}" },
          { own_parse, NULL, NULL, "text/plain; charset=latin1", "A dog \xe9." } },
        { { own_parse, NULL, NULL, JSON, "{\"text\": \"" DOGS "\", \"kbest\": 3.0}" },
          { own_parse, "kbest", "3", "text/plain", DOGS } },
        { { own_parse, "kbest", "3", JSON, "{\"text\": \"" DOGS "\"}" },
          { own_parse, "kbest", "3", "text/plain", DOGS } },
        { { own_parse, "kbest", "3", JSON, "{\"text\": \"" DOGS "\", \"kbest\": 3}" },
          { own_parse, "kbest", "3", "text/plain", DOGS } },
        { { own_parse, NULL, NULL, JSON, "{\"text\": \"" DOGS "\", \"why\": true}" },
          { own_parse, "why", "true", "text/plain", DOGS } },
        { { own_parse, NULL, NULL, JSON, "{\"text\": \"" DOGS "\", \"model\": \"english\", \"treebank\": \"toy\"}" },
          { own_parse, "treebank", "toy", "text/plain", DOGS } },
        { { own_parse, NULL, NULL, JSON, "{\"text\": \"The dog (\\nsees\", \"pretokenized\": true}" },
          { own_parse, "pretokenized", "true", "text/plain", "The dog (\nsees" } },
        { { own_parse, NULL, NULL, JSON, "{\"tokens\": [[\"The\", \"dog\", \"(\"], [], [\"sees\"]]}" },
          { own_parse, "pretokenized", "true", "text/plain", "The dog (\n\nsees\n" } },
        { { own_parse, NULL, NULL, JSON, "{\"tokens\": []}" },
          { own_parse, "pretokenized", "true", "text/plain", "" } },
        { { own_parse, NULL, NULL, JSON, "{\"text\": \"\"}" }, { own_parse, NULL, NULL, "text/plain", "" } },
        { { own_tokenize, NULL, NULL, JSON, "{\"text\": \"" DOGS "\", \"format\": \"lines\"}" },
          { own_tokenize, "format", "lines", "text/plain", DOGS } },
    };
    MADE(Fixture, fixture_init, fixture_fini, f);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        FREED(strbuf_fini) StrBuf json = { 0 }, text = { 0 };
        int status = answer(&f, &pairs[k][0], -1, &json);
        if (status != 200) fail_msg("%s: %d, %s", pairs[k][0].body, status, json.ptr);
        assert_int_equal(answer(&f, &pairs[k][1], -1, &text), 200);
        assert_int_equal(json.len, text.len);
        if (text.len) assert_string_equal(json.ptr, text.ptr);
    }
}

TEST(json_that_is_wrong_is_refused_with_its_place)
{
    static const struct {
        Ask ask;
        int status;
        const char *message;
    } cases[] = {
#define REFUSED(body, message) { { own_parse, NULL, NULL, JSON, body }, 400, message }
        REFUSED("", "body:1:1: found the end, expected more JSON"),
        REFUSED("It rains.", "body:1:1: found 'It rains.', expected JSON"),
        REFUSED("{\"text\": \"a\"", "body:1:13: found the end, expected more JSON"),
        REFUSED("{\"text\": \"a\"} x", "body:1:15: found 'x', expected JSON"),
        REFUSED("{'text': 'a'}", "body:1:3: found 'text': 'a'}', expected JSON"),
        REFUSED("[\"a\"]", "body:1:1: found an array, expected an object such as {\"text\": \"It rains.\"}"),
        REFUSED("\"a\"", "body:1:1: found a string, expected an object such as {\"text\": \"It rains.\"}"),
        REFUSED("null", "body:1:1: found null, expected an object such as {\"text\": \"It rains.\"}"),
        REFUSED("{}", "body:1:1: found no member 'text', expected the text"),
        REFUSED("{\"kbest\": 2}", "body:1:1: found no member 'text', expected the text"),
        REFUSED("{\"text\": null}", "body:1:10: text: found null, expected a string"),
        REFUSED("{\"text\": 5}", "body:1:10: text: found a number, expected a string"),
        REFUSED("{\"text\": [\"a\"]}", "body:1:10: text: found an array, expected a string"),
        REFUSED("{\"text\": {}}", "body:1:10: text: found an object, expected a string"),
        REFUSED("{\"text\": \"a\\u0000b\"}", "body:1:12: found \\u0000, a NUL character"),
        REFUSED("{\"text\\u0000\": \"a\"}", "body:1:7: found \\u0000, a NUL character"),
        REFUSED("{\"text\": \"\\ud83d\"}", "body:1:11: found half of a pair of surrogates"),
        REFUSED("{\"text\": \"\\ude00\\ud83d\"}", "body:1:11: found half of a pair of surrogates"),
        REFUSED("{\"text\": \"a\nb\"}", "body:1:12: found a control character in a string, expected it escaped"),
        REFUSED("{\"text\": \"\\x41\"}", "body:1:11: found a backslash that escapes nothing"),
        REFUSED("{\"text\": \"a\",\n \"text\": \"a\"}", "body:2:2: found 'text' a second time"),
        REFUSED("{\"kbest\": 1, \"text\": \"a\", \"k\\u0062est\": 1}", "body:1:27: found 'kbest' a second time"),
        REFUSED("{\"text\": \"a\", \"fromat\": \"json\"}", "body:1:15: found the parameter 'fromat', expected some of: "
                                                           "model newline markup invalid hyphens format deps "
                                                           "treebank why pretokenized kbest confidence"),
        REFUSED("{\"text\": \"a\", \"kbest\": \"3\"}", "body:1:24: kbest: found a string, expected a number"),
        REFUSED("{\"text\": \"a\", \"kbest\": true}", "body:1:24: kbest: found true or false, expected a number"),
        REFUSED("{\"text\": \"a\", \"kbest\": 1.5}", "body:1:24: kbest: found '1.5', expected a whole number"),
        REFUSED("{\"text\": \"a\", \"kbest\": 101}", "body:1:24: kbest: found 101, expected a value from 0 to 100"),
        REFUSED("{\"text\": \"a\", \"kbest\": 4294967299}",
                "body:1:24: kbest: found 4294967299, expected a value from 0 to 100"),
        REFUSED("{\"text\": \"a\", \"kbest\": 03}", "body:1:24: found a number that JSON does not have"),
        REFUSED("{\"text\": \"a\", \"kbest\": null}", "body:1:24: kbest: found null, expected a number"),
        REFUSED("{\"text\": \"a\", \"why\": \"true\"}", "body:1:22: why: found a string, expected true or false"),
        REFUSED("{\"text\": \"a\", \"why\": 1}", "body:1:22: why: found a number, expected true or false"),
        REFUSED("{\"text\": \"a\", \"format\": 1}", "body:1:25: format: found a number, expected a string"),
        REFUSED("{\"text\": \"a\", \"format\": \"xml\"}",
                "body:1:25: format: found 'xml', expected one of brackets|conllu|conllx|json|pretty|svg"),
        REFUSED("{\"text\": \"a\", \"deps\": [\"ud\"]}", "body:1:23: deps: found an array, expected a string"),
        REFUSED("{\"text\": \"a\", \"model\": \"none\"}", "model: found 'none', expected one of GET /v1/models"),
        REFUSED("{\"text\": \"a\", \"treebank\": \"none\"}", "treebank: found 'none', which the model does not know"),
        REFUSED("{\"text\": \"a\", \"tokens\": []}", "body:1:15: found 'tokens' beside 'text', expected one of them"),
        REFUSED("{\"tokens\": [], \"pretokenized\": false}", "body:1:2: found 'tokens', but pretokenized is false"),
        REFUSED("{\"tokens\": \"a b\"}", "body:1:12: tokens: found a string, expected an array of sentences"),
        REFUSED("{\"tokens\": [\"a\", \"b\"]}",
                "body:1:13: tokens: found a string, expected a sentence, which is an array of words"),
        REFUSED("{\"tokens\": [[\"a\", 5]]}", "body:1:19: tokens: found a number, expected a word"),
        REFUSED("{\"tokens\": [[\"a\", \"\"]]}", "body:1:19: tokens: found an empty string, expected a word"),
        REFUSED("{\"tokens\": [[\"New York\"]]}",
                "body:1:14: tokens: found white space in 'New York', expected a word"),
        REFUSED("{\"tokens\": [[\"a\\u00a0b\"]]}", "body:1:14: tokens: found white space in 'a\xc2\xa0"
                                                   "b', expected a word"),
        REFUSED("{\"text\": \"\xff\"}", "text: found bytes that are not UTF-8 at byte 10, expected text in UTF-8"),
        { { own_parse, "kbest", "3", JSON, "{\"text\": \"a\", \"kbest\": 2}" },
          400,
          "body:1:24: kbest: found another value than in the query, where it is '3'" },
        { { own_parse, "format", "conllu", JSON, "{\"text\": \"a\", \"format\": \"json\"}" },
          400,
          "body:1:25: format: found another value than in the query, where it is 'conllu'" },
        { { own_parse, "why", "false", JSON, "{\"text\": \"a\", \"why\": true}" },
          400,
          "body:1:22: why: found another value than in the query, where it is 'false'" },
        { { own_parse, "pretokenized", "false", JSON, "{\"tokens\": [[\"a\"]]}" },
          400,
          "body:1:2: found 'tokens', but pretokenized is false" },
        { { own_tokenize, NULL, NULL, JSON, "{\"text\": \"a\", \"kbest\": 2}" },
          400,
          "body:1:15: found the parameter 'kbest', expected some of: model newline markup invalid hyphens format" },
        { { own_tokenize, NULL, NULL, JSON, "{\"tokens\": [[\"a\"]]}" },
          400,
          "body:1:2: found the parameter 'tokens', expected some of: model newline markup invalid hyphens format" },
        { { own_parse, NULL, NULL, JSON "; charset=utf-16", "{\"text\": \"a\"}" },
          415,
          "charset: found utf-16, expected utf-8, us-ascii, iso-8859-1 or windows-1252" },
        { { own_parse, NULL, NULL, "text/json", "{\"text\": \"a\"}" },
          415,
          "Content-Type: found 'text/json', expected text/plain or application/json" },
        { { own_parse, NULL, NULL, "application/x-ndjson", "{\"text\": \"a\"}" },
          415,
          "Content-Type: found 'application/x-ndjson', expected text/plain or application/json" },
        { { own_tokenize, NULL, NULL, "application/ld+json", "{\"text\": \"a\"}" },
          415,
          "Content-Type: found 'application/ld+json', expected text/plain or application/json" },
        { { own_parse, NULL, NULL, "multipart/form-data; boundary=x", "--x--" },
          415,
          "Content-Type: found 'multipart/form-data; boundary=x', expected text/plain or application/json" },
        { { corenlp_answer, NULL, NULL, JSON, " {\"text\": \"a\"}" },
          400,
          "found JSON, expected a text; POST /v1/parse takes JSON" },
    };
    MADE(Fixture, fixture_init, fixture_fini, f);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(strbuf_fini) StrBuf got = { 0 };
        int status = answer(&f, &cases[k].ask, -1, &got);
        if (status != cases[k].status || !got.ptr || strcmp(got.ptr, cases[k].message) != 0)
            fail_msg("%s: %d, %s; expected %d, %s", cases[k].ask.body, status, got.ptr, cases[k].status,
                     cases[k].message);
    }
}

TEST(a_language_chooses_the_first_model_that_has_it)
{
    static const ServedModel models[] = {
        { .name = "en-small", .language = "en" }, { .name = "zh-mine", .language = "zh" },
        { .name = "en-base", .language = "en" },  { .name = "zh-base", .language = "zh" },
        { .name = "mine", .language = NULL },
    };
    static const struct {
        int n, named;
        const char *language;
        int expected;
        const char *message; /* where none has it */
    } cases[] = {
        { 4, -1, "en", 0, NULL },
        { 4, -1, "English", 0, NULL },
        { 4, -1, "zh", 1, NULL },
        { 4, -1, "chinese", 1, NULL },
        { 4, -1, "Chinese", 1, NULL },
        { 4, -1, "ZH", 1, NULL },
        { 4, 3, "zh", 3, NULL },
        { 4, 2, "ENGLISH", 2, NULL },
        { 4, 2, "zh", -1, "x: found 'zh', expected the language of the model en-base: en" },
        { 4, -1, "de", -1, "x: found 'de', expected the language of a model: en, zh" },
        { 1, -1, "zh", -1, "x: found 'zh', expected the language of a model: en" },
        { 4, -1, "e", -1, "x: found 'e', expected the language of a model: en, zh" },
        { 5, -1, "de", 4, NULL }, /* whose language is not known */
        { 5, -1, "chinese", 1, NULL },
        { 5, 4, "en", 4, NULL },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Job j = { .models = models, .n_models = cases[k].n };
        assert_int_equal(job_language(&j, cases[k].named, cases[k].language), cases[k].expected);
        if (cases[k].expected >= 0) continue;
        Answer a = { 0 };
        assert_false(answer_language(&j, cases[k].named, "x", cases[k].language, &a));
        assert_int_equal(a.status, 400);
        assert_string_equal(a.body.ptr, cases[k].message);
        strbuf_fini(&a.body);
    }
}

TEST(an_answer_names_its_model)
{
    Answer a = { 0 };
    answer_by(&a, &(ServedModel){ .name = "en-small", .digest = "0123456789abcdef" });
    assert_string_equal(a.model.text, "en-small; digest=0123456789abcdef");
    answer_by(&a, &(ServedModel){ .name = "my mod\xc3\xa9l;\r\nX: y", .digest = "0123456789abcdef" });
    assert_string_equal(a.model.text, "my_mod__l___X__y; digest=0123456789abcdef");
}
