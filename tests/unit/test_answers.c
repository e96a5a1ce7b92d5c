/* tests/unit/test_answers.c: answers of lal serve when memory runs out, whatever allocation fails. */
#include "parser/serve/corenlp.h"
#include "parser/serve/own.h"
#include "parser/serve/udpipe.h"
#include "tests/support/api.h"

typedef struct Ask {
    void (*run)(const Job *j, Answer *a);
    const char *name, *value; /* a parameter of the query, or NULL */
    const char *type, *body;
} Ask;

#define FORM "application/x-www-form-urlencoded"
static const Ask ASKS[] = {
    { corenlp_answer, "properties", "{'annotators': 'tokenize,ssplit,pos,lemma,parse,depparse'}", "text/plain", TEXT },
    { corenlp_answer, "properties", "{'outputFormat': 'serialized', 'annotators': 'parse'}", "text/plain", TEXT },
    { corenlp_answer, "properties", "{'outputFormat': 'serialized', 'parse.kbest': '3'}", "text/plain", TEXT },
    { corenlp_answer, "properties", "{'parse.kbest': 3, 'confidence': True}", "text/plain", TEXT },
    { corenlp_answer, "properties", "{'outputFormat': 'conllu'}", "text/plain; charset=iso-8859-1", "A dog \xe9." },
    { corenlp_answer, "properties", "{'outputFormat': 'conll'}", NULL, "A+dog." },
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
    { udpipe_process, NULL, NULL, FORM, "tagger=&parser=&data=1.1%09a%09_%09_%09_%09_%09_%09_%09_%09_%0A%0A" },
    { udpipe_process, NULL, NULL, FORM,
      "tagger=&data=1%09a%09_%09_%09_%09_%09_%09_%09_%09_%0A%0A1-2%09a%09_%09_%09_%09_%09_%09_%09_%09_%0A%0A" },
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
    { own_models, NULL, NULL, NULL, "" },
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
    ServiceOptions o = { .max_chars = 10000, .generator = "lal" };
    ServedModel model = { "toy", "english-toy", "no terms", f->model };
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
