/* The public library: what results hold, and errors as values. */
#define _POSIX_C_SOURCE 200809L
#include <cjson/cJSON.h>

#include "language/english/ud/ud_sentence.h"
#include "parser/parse/document.h"
#include "tests/support/api.h"

/* ---- results */

TEST(a_result_has_the_text_and_its_trees)
{
    Fixture f;
    LalError error;
    fixture_init(&f);
    FREED(lal_result_free_at) LalResult *r = lal_parse_text(f.parser, TEXT, sizeof TEXT - 1, &error);
    assert_non_null(r);
    assert_int_equal(error.code, LAL_OK);
    assert_int_equal(r->n_sentences, 3);
    size_t tokens = 0;
    for (size_t k = 0; k < r->n_sentences; tokens += (size_t)r->sentences[k++].n_tokens)
        assert_sentence(&r->sentences[k], TEXT, tokens);
    assert_int_equal(r->n_tokens, tokens);
    assert_int_equal(r->sentences[2].line, 3);
    assert_true(r->sentences[0].new_paragraph && !r->sentences[1].new_paragraph && r->sentences[2].new_paragraph);
    assert_string_equal(r->sentences[0].tokens[4].form, "caf\xc3\xa9");
    assert_int_equal(r->sentences[1].n_multiwords, 1);
    assert_string_equal(r->sentences[1].multiwords[0].form, "doesn't");
    assert_string_equal(r->sentences[1].tokens[2].form, "n't");
    LalResult *none = lal_parse_text(f.parser, NULL, 0, &error), *blank = lal_parse_text(f.parser, " \n\n\t", 4, NULL);
    assert_true(none && none->n_sentences == 0 && none->n_tokens == 0 && blank && blank->n_sentences == 0);
    lal_result_free(none);
    lal_result_free(blank);
    fixture_fini(&f); /* the result stays */
    assert_sentence(&r->sentences[1], TEXT, (size_t)r->sentences[0].n_tokens);
}

/* What ud_sentence makes of the sentence. */
static void compare_ud(const LalSentence *x, const Sentence *sent, const Token *place, Arena *a)
{
    Sentence ud = *sent;
    bool *glued = arena_calloc(a, (size_t)ud.n_words, sizeof *glued);
    for (int w = 0; w + 1 < ud.n_words; w++) glued[w] = place[w].end == place[w + 1].begin;
    assert_true(ud_sentence(&ud, glued, a));
    for (int w = 0; w < ud.n_words; w++) {
        assert_string_equal(x->tokens[w].lemma ? x->tokens[w].lemma : "_", ud.lemmas[w] ? ud.lemmas[w] : "_");
        assert_string_equal(x->tokens[w].upos, ud.upos[w]);
        assert_string_equal(x->tokens[w].feats[0] ? x->tokens[w].feats : "_", ud.feats[w]);
        assert_int_equal(x->tokens[w].ud_head, ud.heads[w] - 1);
        assert_string_equal(x->tokens[w].ud_relation, ud.types[w]);
    }
    assert_int_equal(x->n_multiwords, ud.n_ranges);
    for (int k = 0; k < ud.n_ranges; k++) assert_string_equal(x->multiwords[k].form, ud.ranges[k].form);
}

/* The same trees and arcs as document_parse has; context: the library's parser. */
static Status compare(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    FREED(lal_result_free_at) LalResult *r = lal_parse_text(context, TEXT, sizeof TEXT - 1, NULL);
    (void)d, (void)e;
    for (int k = from; k < to; k++) {
        const Sentence *s = parsed_sentence(&result[k], test_arena());
        const LalSentence *x = &r->sentences[k];
        assert_int_equal(x->n_phrases, s->n_phrases);
        for (int p = 0; p < s->n_phrases; p++) {
            assert_true(x->phrases[p].begin == s->phrases[p].begin && x->phrases[p].end == s->phrases[p].end);
            assert_string_equal(x->phrases[p].label, s->phrases[p].label);
        }
        for (int w = 0; w < s->n_words; w++) {
            assert_int_equal(x->tokens[w].head, s->heads[w] - 1);
            assert_string_equal(x->tokens[w].type, s->types[w]);
            assert_string_equal(x->tokens[w].tag, s->tags[w]);
        }
        compare_ud(x, s, d->seg.tokens + d->seg.sentences[k].first, test_arena());
    }
    return OK;
}

TEST(a_result_has_the_decisions_of_the_parser)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    MADE(Model, load_ok, model_fini, m, in(&f.b, "a"));
    MADE(Parser, parser_ready, parser_fini, p, &m, 1);
    DocumentOptions o = { .large_windows = true };
    assert_ok(document_parse(&p, (StrView){ TEXT, sizeof TEXT - 1 }, "", o, compare, f.parser, test_error()));
}

TEST(tokens_are_parsed_as_text_of_the_same_tokens)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    static const char *const one[] = { "the", "dog", "(", "sleeps", ")" }, *const two[] = { "it", "sees", "n't" };
    static const char *const tags[] = { "A", "B", "C" };
    const LalWords sentences[] = { { one, NULL, 5 }, { NULL, NULL, 0 }, { two, tags, 3 }, { two, NULL, 3 } };
    LalResult *r = lal_parse_tokens(f.parser, sentences, 4, &f.e);
    assert_non_null(r);
    assert_int_equal(r->n_sentences, 4);
    assert_int_equal(r->n_tokens, 11);
    assert_sentence(&r->sentences[0], NULL, 0);
    assert_sentence(&r->sentences[1], NULL, 5);
    assert_sentence(&r->sentences[3], NULL, 8);
    assert_int_equal(r->sentences[1].n_tokens, 0);
    assert_string_equal(r->sentences[0].tokens[2].form, "(");
    assert_string_equal(r->sentences[2].tokens[1].tag, "B");
    assert_string_equal(r->sentences[2].tokens[1].lemma, "sees"); /* a tag that no rule knows */
    assert_int_equal(r->sentences[3].n_multiwords, 0);            /* nobody knows what is written as one */
    assert_true(r->sentences[0].tokens[1].begin == 0 && r->sentences[0].tokens[1].end == 0);
    lal_result_free(r);
    f.o.tokens = LAL_TOKENS_SPACE;
    f.o.sentences = LAL_SENTENCES_LINE;
    FREED(lal_parser_free_at) LalParser *p = lal_parser_new(f.model, &f.o, &f.e);
    static const char text[] = "the dog ( sleeps )\n\nit sees n't";
    FREED(lal_result_free_at) LalResult *lines = lal_parse_text(p, text, sizeof text - 1, &f.e);
    r = lal_parse_tokens(p, sentences, 4, &f.e);
    assert_int_equal(lines->n_sentences, 3);
    for (int w = 0; w < 5; w++) assert_int_equal(lines->sentences[0].tokens[w].head, r->sentences[0].tokens[w].head);
    for (int w = 0; w < 3; w++) assert_string_equal(lines->sentences[2].tokens[w].type, r->sentences[3].tokens[w].type);
    lal_result_free(r);
}

TEST(the_best_parses_are_in_the_result)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    static const char text[] = "the old dog sleeps and it sees a tree";
    f.o.k_best = 4;
    FREED(lal_parser_free_at) LalParser *p = lal_parser_new(f.model, &f.o, &f.e);
    FREED(lal_result_free_at) LalResult *r = lal_parse_text(p, text, sizeof text - 1, &f.e);
    FREED(lal_result_free_at) LalResult *alone = lal_parse_text(f.parser, text, sizeof text - 1, &f.e);
    const LalSentence *s = &r->sentences[0], *one = &alone->sentences[0];
    assert_true(one->n_best == 0 && !one->best && one->probability < 0);
    assert_true(s->n_best == 4 && s->score == one->score && s->best[0].score == one->score);
    assert_true(s->probability == s->best[0].probability && s->probability > s->best[1].probability);
    for (int k = 0; k < 4; k++) {
        const LalSentence *x = &s->best[k];
        assert_int_equal(x->n_tokens, s->n_tokens);
        assert_true(x->n_phrases > 0 && x->n_best == 0 && (k == 0 || x->score <= s->best[k - 1].score));
        for (int w = 0; w < x->n_tokens; w++) {
            assert_string_equal(x->tokens[w].form, s->tokens[w].form);
            if (k == 0) assert_int_equal(x->tokens[w].head, one->tokens[w].head);
        }
    }
}

TEST(confidence_is_in_the_result_where_it_is_asked_for)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    static const char text[] = "the old dog sleeps and it sees a tree";
    assert_int_equal(f.o.confidence, 0);
    f.o.confidence = 1;
    f.o.k_best = 2;
    FREED(lal_parser_free_at) LalParser *p = lal_parser_new(f.model, &f.o, &f.e);
    FREED(lal_result_free_at) LalResult *r = lal_parse_text(p, text, sizeof text - 1, &f.e);
    FREED(lal_result_free_at) LalResult *alone = lal_parse_text(f.parser, text, sizeof text - 1, &f.e);
    FREED(lal_result_free_at) LalResult *split = lal_split_text(f.model, NULL, text, sizeof text - 1, &f.e);
    const LalSentence *s = &r->sentences[0], *none[] = { &alone->sentences[0], &split->sentences[0], &s->best[1] };
    assert_true(s->p_tree > 0 && s->p_tree <= s->expected_f1 && s->expected_f1 <= 1);
    assert_true(s->expected_las > 0 && s->expected_las <= 1);
    assert_within(s->p_tree, s->probability, 1e-9);
    for (int w = 0; w < s->n_tokens; w++) {
        assert_true(s->tokens[w].joint_probability >= s->p_tree - 1e-6 && s->tokens[w].joint_probability <= 1);
        assert_true(alone->sentences[0].tokens[w].joint_probability == -1);
    }
    for (int k = 0; k < 3; k++)
        assert_true(none[k]->p_tree == -1 && none[k]->expected_f1 == -1 && none[k]->calibrated_f1 == -1 &&
                    none[k]->expected_las == -1);
}

static void assert_status(const LalError *e, LalStatus code, const char *message)
{
    assert_int_equal(e->code, code);
    if (!strstr(e->message, message)) fail_msg("found '%s', expected '%s'", e->message, message);
}

/* A call that fills `f.e` returns NULL, with an error that has this in its message. */
#define assert_refuses(call, code, message) \
    assert_null(call);                      \
    assert_status(&f.e, code, message)

TEST(given_heads_and_phrases_are_in_the_result)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    static const char *const words[] = { "the", "dog", "sees", "it" }, *const types[] = { "det", "_", "root", "_" };
    static const int heads[] = { 1, LAL_FREE, LAL_NONE, 2 }, range[] = { 4, 0, 0, 0 };
    static const LalPhrase phrases[] = { { .begin = 0, .end = 4, .label = "S" },
                                         { .begin = 1, .end = 3, .label = "NEW" } },
                           order[] = { { .begin = 1, .end = 2, .label = "S" }, { .begin = 0, .end = 2, .label = "S" } },
                           outside[] = { { .begin = 1, .end = 5, .label = "S" } },
                           bare[] = { { .begin = 1, .end = 2 } };
    const LalWords sentences[] = { { words, NULL, 4 }, { words, NULL, 4 }, { words, NULL, 4 }, { NULL, NULL, 0 } };
    const LalGiven given[] = { { .heads = heads, .types = types },
                               { .phrases = phrases, .n_phrases = 2 },
                               { .phrases = phrases, .n_phrases = 2, .more_phrases = 1 },
                               { 0 } };
    LalResult *r = lal_parse_given(f.parser, sentences, given, 4, &f.e), *plain;
    assert_non_null(r);
    lal_result_free(lal_parse_tokens(f.parser, sentences, 4, &f.e)); /* the result has labels of its own */
    for (int w = 0; w < 4; w++)
        if (heads[w] != LAL_FREE) assert_int_equal(r->sentences[0].tokens[w].head, heads[w]);
    assert_string_equal(r->sentences[0].tokens[0].type, "det");
    assert_string_equal(r->sentences[0].tokens[2].type, "root");
    assert_int_equal(r->sentences[1].n_phrases, 2);
    assert_string_equal(r->sentences[1].phrases[1].label, "NEW");
    assert_int_equal(r->sentences[1].phrases[1].parent, 0);
    int found = 0;
    for (int k = 0; k < r->sentences[2].n_phrases; k++) found += strcmp(r->sentences[2].phrases[k].label, "NEW") == 0;
    assert_int_equal(found, 1);
    lal_result_free(r);
    r = lal_parse_given(f.parser, sentences, NULL, 4, &f.e);
    plain = lal_parse_tokens(f.parser, sentences, 4, &f.e);
    assert_true(r && plain && r->sentences[0].score == plain->sentences[0].score);
    lal_result_free(r);
    lal_result_free(plain);
    const struct {
        LalGiven given;
        const char *message;
    } bad[] = {
        { { .heads = range }, "sentence 0: the head of token 0 is 4, expected -2 to 3" },
        { { .phrases = order, .n_phrases = 2 }, "sentence 0: phrase 1 is out of order" },
        { { .phrases = outside, .n_phrases = 1 }, "sentence 0: phrase 0 is 1 to 5, expected a range of 4 tokens" },
        { { .phrases = bare, .n_phrases = 1 }, "sentence 0: found no label of phrase 0" },
        { { .phrases = bare, .n_phrases = -1 }, "sentence 0: found -1 phrases" },
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_refuses(lal_parse_given(f.parser, sentences, &bad[k].given, 1, &f.e), LAL_ERROR_ARGUMENT,
                       bad[k].message);
    }
}

static int append(void *out, const char *bytes, size_t size)
{
    strbuf_add(out, bytes, size);
    return 0;
}

static LalStatus inspected(LalParser *p, const char *json, const LalInspectOptions *o, StrBuf *out, LalError *e)
{
    strbuf_clear(out);
    return lal_inspect_json(p, json, strlen(json), o, append, out, e);
}

#define FOUR "\"tokens\": [{\"form\": \"the\"}, {\"form\": \"dog\"}, {\"form\": \"sees\"}, {\"form\": \"it\"}]"

/* Sentences in JSON are parsed under what they have, in every format, and explained so. */
TEST(sentences_in_json_are_parsed_and_explained_under_what_they_have)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    FREED(strbuf_fini) StrBuf out = { 0 }, page = { 0 };
    static const char given[] = "{" FOUR ", \"constituents\": [{\"begin\": 1, \"end\": 3, \"label\": \"NEW\"}], "
                                "\"not\": [{\"token\": 3, \"head\": 2}]}\n{" FOUR "}\n",
                      one[] = "{" FOUR ", \"constituents\": [{\"begin\": 1, \"end\": 3, \"label\": \"NEW\"}]}",
                      bad[] = "{" FOUR "}\n{}";
    assert_int_equal(lal_parse_json_as(f.parser, given, strlen(given), "brackets", append, &out, &f.e), LAL_OK);
    assert_true(strstr(out.ptr, "(NEW (") && strstr(strchr(out.ptr, '\n'), "(TOP "));
    strbuf_clear(&out);
    LalOptions o;
    lal_options_init(&o, sizeof o);
    o.deps = LAL_DEPS_MODEL;
    assert_int_equal(lal_parser_set_options(f.parser, &o, &f.e), LAL_OK);
    assert_int_equal(lal_parse_json_as(f.parser, given, strlen(given), "conllx", append, &out, &f.e), LAL_OK);
    char *row = strstr(out.ptr, "\n4\tit\t");
    assert_non_null(row);
    *strchr(row + 1, '\n') = '\0';
    assert_null(strstr(row, "\t3\t"));
    assert_int_equal(inspected(f.parser, one, NULL, &out, &f.e), LAL_OK);
    assert_true(strstr(out.ptr, "(NEW (") && strstr(out.ptr, "\"decisions\": [") && strstr(out.ptr, "\"contrast\": {"));
    LalInspectOptions how = { .size = sizeof how, .page = 1, .chosen = LAL_CHOSEN_ARC, .begin = 0, .end = 1 };
    assert_int_equal(inspected(f.parser, given, &how, &page, &f.e), LAL_OK);
    assert_memory_equal(page.ptr, "{\"overview\":{", 12);
    assert_non_null(strstr(page.ptr, "\"labels\":{\"phrase\":["));
    assert_ptr_equal(strchr(strchr(page.ptr, '\n') + 1, '\n'), page.ptr + page.len - 1); /* a line each */
    const char *arc = strstr(page.ptr, "{\"kind\":\"arc\",\"word\":0,\"governor\":1");
    if (arc) assert_true(strstr(arc, "\"contrast\"") < strstr(arc + 1, "{\"kind\":\"arc\",\"word\":"));
    assert_int_equal(inspected(f.parser, bad, NULL, &out, &f.e), LAL_ERROR_FORMAT);
    assert_int_equal(f.e.line, 2);
    how.chosen = 7;
    assert_int_equal(inspected(f.parser, one, &how, &out, &f.e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_inspect_json(f.parser, one, strlen(one), NULL, NULL, NULL, &f.e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_json_as(f.parser, bad, strlen(bad), "json", append, &out, &f.e), LAL_ERROR_FORMAT);
    assert_int_equal(lal_parse_json_as(f.parser, one, strlen(one), "none", append, &out, &f.e), LAL_ERROR_ARGUMENT);
}

/* A model of other dependencies has lemmas alone. */
TEST(rules_for_stanford_dependencies_are_not_used_for_others)
{
    LalError error;
    MADE(Bench, bench_init, bench_fini, b, 40);
    for (int k = 0; k < b.train.trees.n; k++)
        for (int w = 0; w < b.train.trees.s[k].n_words; w++) b.train.trees.s[k].types[w] = w % 2 ? "odd" : "even";
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.train.epochs = 1;
    a.dev = NULL;
    a.n_dev = 0;
    train_ok(&a);
    FREED(lal_model_free_at) LalModel *m = lal_model_load(in(&b, "a"), &error);
    FREED(lal_parser_free_at) LalParser *p = lal_parser_new(m, NULL, &error);
    FREED(lal_result_free_at) LalResult *r = lal_parse_text(p, TEXT, sizeof TEXT - 1, &error);
    assert_non_null(r);
    for (size_t k = 0; k < r->n_sentences; k++) {
        const LalSentence *s = &r->sentences[k];
        assert_int_equal(s->n_multiwords, 0);
        for (int w = 0; w < s->n_tokens; w++) {
            const LalToken *x = &s->tokens[w];
            assert_true(x->lemma && x->tag && (strcmp(x->type, "odd") == 0 || strcmp(x->type, "even") == 0));
            assert_true(!x->upos && !x->feats && !x->ud_relation);
            assert_true(x->ud_head == LAL_NONE && x->multiword == LAL_NONE);
        }
    }
}

/* ---- errors */

TEST(errors_of_models_are_values)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    assert_refuses(lal_model_load("/nowhere/model.lal", &f.e), LAL_ERROR_IO, "/nowhere/model.lal: cannot open");
    assert_refuses(lal_model_load(NULL, &f.e), LAL_ERROR_ARGUMENT, "found NULL");
    assert_null(lal_model_load(NULL, NULL));
    write_bytes(in(&f.b, "b"), "not a model", 11);
    assert_null(lal_model_load(in(&f.b, "b"), &f.e));
    assert_int_equal(f.e.code, LAL_ERROR_FORMAT);
    assert_non_null(strstr(f.e.message, "/b"));
    assert_string_equal(lal_model_treebank(f.model, 0), "toy");
    assert_null(lal_model_treebank(f.model, 1));
    assert_null(lal_model_treebank(f.model, -1));
    assert_null(lal_model_treebank(NULL, 0));
    assert_null(lal_model_language(NULL));
    assert_string_equal(lal_model_digest(NULL), "");
    assert_int_equal(strspn(lal_model_digest(f.model), "0123456789abcdef"), 16);
    assert_string_equal(lal_version(), LAL_VERSION);
    lal_model_free(NULL);
    lal_parser_free(NULL);
    lal_result_free(NULL);
}

TEST(shipped_models_are_listed_with_their_languages)
{
    LalError e;
    LalModel *zh = lal_model_load("models/zh-base.lal", &e), *en = lal_model_load("models/en-small.lal", &e);
    assert_null(lal_models(-1));
    int n = 0;
    for (const LalShippedModel *m; (m = lal_models(n)); n++) {
        const LalModel *shipped = strcmp(m->file, "zh-base.lal") == 0    ? zh
                                  : strcmp(m->file, "en-small.lal") == 0 ? en
                                                                         : NULL;
        if (shipped) assert_string_equal(lal_model_language(shipped), m->language);
        assert_non_null(strstr(m->terms, "CC BY-SA"));
    }
    assert_true(n >= 4);
    assert_string_equal(lal_models(0)->name, "small");
    lal_model_free(zh);
    lal_model_free(en);
}

static int count_bytes(void *context, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
    return 0;
}

TEST(names_of_files_say_what_markup_they_have)
{
    assert_int_equal(lal_markup_of("a/README.md"), LAL_MARKUP_MARKDOWN);
    assert_int_equal(lal_markup_of("page.html.gz"), LAL_MARKUP_HTML);
    assert_int_equal(lal_markup_of("a.txt"), LAL_MARKUP_AUTO);
    assert_int_equal(lal_markup_of(NULL), LAL_MARKUP_AUTO);
}

TEST(each_listed_format_is_written_and_no_other_one)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    int n = 0;
    for (const char *name; (name = lal_formats(n)); n++) {
        size_t written = 0;
        LalStatus code = lal_parse_text_as(f.parser, TEXT, sizeof TEXT - 1, name, count_bytes, &written, &f.e);
        assert_int_equal(code, LAL_OK);
        assert_true(written > sizeof TEXT);
    }
    assert_true(n >= 6);
    assert_null(lal_formats(-1));
    assert_int_equal(lal_parse_text_as(f.parser, "", 0, "soft", count_bytes, &n, &f.e), LAL_ERROR_ARGUMENT);
    assert_non_null(strstr(f.e.message, "brackets, conllu, conllx, json, pretty or svg"));
}

static double first_score(LalParser *p)
{
    FREED(lal_result_free_at) LalResult *r = lal_parse_text(p, TEXT, sizeof TEXT - 1, NULL);
    assert_non_null(r);
    return r->sentences[0].score;
}

TEST(products_are_those_of_the_process)
{
    static const LalProducts narrow[] = { LAL_PRODUCTS_BF16, LAL_PRODUCTS_INT16, LAL_PRODUCTS_INT8 };
    MADE(Fixture, fixture_init, fixture_fini, f);
    double first = first_score(f.parser);
    assert_int_equal(lal_set_products(LAL_PRODUCTS_F32, &f.e), LAL_OK);
    double exact = first_score(f.parser);
    for (int k = 0; k < 3; k++) {
        LalStatus s = lal_set_products(narrow[k], &f.e);
        if (s != LAL_OK) {
            assert_status(&f.e, LAL_ERROR_MODEL, "products ");
            assert_true(k > 0 || first == exact); /* AUTO */
            continue;
        }
        double score = first_score(f.parser);
        assert_true(fabs(score - exact) < 0.05 * (1 + fabs(exact)));
        assert_true(score != exact);
        if (k == 0) assert_true(score == first); /* AUTO: no weight of this model is in 8 bits */
    }
    assert_int_equal(lal_set_products((LalProducts)9, &f.e), LAL_ERROR_ARGUMENT);
    assert_status(&f.e, LAL_ERROR_ARGUMENT, "lal_set_products: found 9");
    assert_int_equal(lal_set_products(LAL_PRODUCTS_F32, NULL), LAL_OK);
    assert_true(first_score(f.parser) == exact);
    assert_int_equal(lal_set_products(LAL_PRODUCTS_AUTO, NULL), LAL_OK);
    assert_true(first_score(f.parser) == first);
}

static void assert_accepted(LalModel *m, const LalOptions *o)
{
    FREED(lal_parser_free_at) LalParser *p = lal_parser_new(m, o, NULL);
    assert_non_null(p);
}

TEST(errors_of_options_are_values)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    LalOptions o;
    lal_options_init(&o, sizeof o);
    assert_refuses(lal_parser_new(NULL, &o, &f.e), LAL_ERROR_ARGUMENT, "expected a model");
    enum { BAD = 10 };
    LalOptions bad[BAD];
    static const char *const messages[BAD] = { "LalOptions.threads: found 0, expected 1 to 256",
                                               "LalOptions.max_words: found -1",
                                               "batch_tokens",
                                               "batch_tokens: found 1000001, expected 1 to 1000000",
                                               "max_memory",
                                               "LalOptions.newlines: found 4, expected 0 to 3",
                                               "found 'klingon'",
                                               "found size 0",
                                               "LalOptions.markup: found 6, expected 0 to 5",
                                               "LalOptions.k_best: found 1001, expected 0 to 1000" };
    for (int k = 0; k < BAD; k++) lal_options_init(&bad[k], sizeof o);
    bad[0].threads = 0;
    bad[1].max_words = -1;
    bad[2].batch_tokens = 0;
    bad[3].batch_tokens = 1000001;
    bad[4].max_memory = NAN;
    bad[5].newlines = LAL_NEWLINES_SPACE + 1;
    bad[6].treebank = "klingon";
    bad[7] = (LalOptions){ .threads = 1 };
    bad[8].markup = LAL_MARKUP_LATEX + 1;
    bad[9].k_best = 1001;
    for (int k = 0; k < BAD; k++) {
        assert_refuses(lal_parser_new(f.model, &bad[k], &f.e), LAL_ERROR_ARGUMENT, messages[k]);
    }
    /* of an older and of a newer program */
    struct {
        LalOptions o;
        int more;
    } newer;
    lal_options_init(&newer.o, sizeof newer);
    assert_int_equal(newer.more, 0);
    assert_accepted(f.model, &newer.o);
    newer.more = 1;
    assert_refuses(lal_parser_new(f.model, &newer.o, &f.e), LAL_ERROR_ARGUMENT, "later version");
    lal_options_init(&o, offsetof(LalOptions, max_words));
    o.treebank = (const char *)&o; /* beyond what it knows */
    assert_accepted(f.model, &o);
    lal_options_init(&o, sizeof o);
    o.treebank = "toy";
    assert_accepted(f.model, &o);
}

TEST(errors_of_texts_are_values)
{
    static const char bad[] = "One.\n\nTwo \xff.", nul[] = "a\0b";
    static const char *const empty[] = { "a", "" }, *const none[] = { "a", NULL }, *const invalid[] = { "\xff" },
                             *const fine[] = { "a" };
    int n = 0;
    MADE(Fixture, fixture_init, fixture_fini, f);
    LalParser *p = f.parser;
    assert_refuses(lal_parse_text(p, bad, sizeof bad - 1, &f.e), LAL_ERROR_FORMAT,
                   "text:3:5: found bytes that are not UTF-8");
    assert_true(f.e.line == 3 && f.e.column == 5);
    assert_refuses(lal_parse_text(p, nul, sizeof nul - 1, &f.e), LAL_ERROR_FORMAT, "NUL byte");
    assert_refuses(lal_parse_text(p, NULL, 1, &f.e), LAL_ERROR_ARGUMENT, "found NULL, expected a text of 1 bytes");
    assert_refuses(lal_parse_text(NULL, "a", 1, &f.e), LAL_ERROR_ARGUMENT, "expected a parser");
    assert_null(lal_parse_text(NULL, "a", 1, NULL));
    assert_int_equal(lal_parse_text_each(p, bad, sizeof bad - 1, count, &n, &f.e), LAL_ERROR_FORMAT);
    assert_int_equal(n, 1); /* the paragraph before */
    assert_int_equal(lal_parse_text_each(p, "a", 1, NULL, &n, &f.e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_text_each(p, NULL, 1, count, &n, NULL), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_text_each(NULL, "a", 1, count, &n, NULL), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_file_each(p, "/nowhere", count, &n, &f.e), LAL_ERROR_IO);
    assert_status(&f.e, LAL_ERROR_IO, "/nowhere: cannot open");
    assert_int_equal(lal_parse_file_each(p, NULL, count, &n, &f.e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_file_each(NULL, "/nowhere", count, &n, &f.e), LAL_ERROR_ARGUMENT);
    assert_null(lal_parse_tokens(p, NULL, 1, &f.e));
    assert_null(lal_parse_tokens(p, NULL, -1, &f.e));
    assert_refuses(lal_parse_tokens(p, &(LalWords){ NULL, NULL, 1 }, 1, &f.e), LAL_ERROR_ARGUMENT,
                   "sentence 0: found NULL, expected 1 words");
    assert_refuses(lal_parse_tokens(p, &(LalWords){ empty, NULL, 2 }, 1, &f.e), LAL_ERROR_ARGUMENT,
                   "sentence 0: word 1 is empty");
    assert_refuses(lal_parse_tokens(p, &(LalWords){ none, NULL, 2 }, 1, &f.e), LAL_ERROR_ARGUMENT,
                   "sentence 0: word 1 is NULL");
    assert_refuses(lal_parse_tokens(p, &(LalWords){ invalid, NULL, 1 }, 1, &f.e), LAL_ERROR_FORMAT,
                   "sentence 0: word 0 has bytes that are not UTF-8");
    assert_refuses(lal_parse_tokens(p, &(LalWords){ fine, invalid, 1 }, 1, &f.e), LAL_ERROR_FORMAT,
                   "sentence 0: tag 0");
    assert_int_equal(lal_parse_text_each(p, "a", 1, count, &n, &f.e), LAL_OK); /* none of these left it in use */
}

/* Every allocation fails once, with all after it. */
TEST(lack_of_memory_is_a_value)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    bool done = false;
    for (long n = 0; !done; n++) {
        static const char *const words[] = { "the", "dog" };
        LalError e = { .code = LAL_OK };
        int taken = 0;
        mem_fail_after(n);
        FREED(lal_model_free_at) LalModel *m = lal_model_load(in(&f.b, "a"), &e);
        FREED(lal_parser_free_at) LalParser *p = m ? lal_parser_new(m, NULL, &e) : NULL;
        FREED(lal_result_free_at) LalResult *r = p ? lal_parse_text(p, TEXT, sizeof TEXT - 1, &e) : NULL;
        FREED(lal_result_free_at) LalResult *t = r ? lal_parse_tokens(p, &(LalWords){ words, NULL, 2 }, 1, &e) : NULL;
        const LalText text = { TEXT, sizeof TEXT - 1 };
        FREED(lal_result_free_at) LalResult *many = NULL;
        LalStatus s = t ? lal_parse_texts(p, &text, 1, &many, &e) : e.code;
        if (s == LAL_OK) {
            char *json = lal_sentence_as(many->sentences, 1, TEXT, sizeof TEXT - 1, "json", NULL, &e);
            lal_string_free(json);
            s = e.code;
        }
        if (s == LAL_OK) s = lal_parse_text_each(p, TEXT, sizeof TEXT - 1, count, &taken, &e);
        mem_fail_after(-1);
        done = s == LAL_OK;
        assert_int_equal(s, e.code);
        if (!done && s != LAL_ERROR_MEMORY) fail_msg("allocation %ld: status %d: %s", n, s, e.message);
        if (done) assert_int_equal(taken, 3);
        assert_true(n < 20000);
    }
}

static long host_allocations; /* that are left to the host's allocator */

static void *host_alloc(size_t size) { return host_allocations-- > 0 ? malloc(size) : NULL; }

/* cJSON has the allocator of the program that uses the library. */
TEST(lack_of_memory_of_the_host_is_a_value)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    LalStatus s = LAL_ERROR_MEMORY;
    cJSON_InitHooks(&(cJSON_Hooks){ .malloc_fn = host_alloc, .free_fn = free });
    for (long n = 0; s == LAL_ERROR_MEMORY; n++) {
        LalError e;
        host_allocations = n;
        lal_model_free(lal_model_load(in(&f.b, "a"), &e));
        s = e.code;
        if (s != LAL_OK && s != LAL_ERROR_MEMORY) fail_msg("allocation %ld: status %d: %s", n, s, e.message);
        assert_true(s != LAL_OK || n > 50);
    }
    cJSON_InitHooks(NULL);
}

TEST(a_model_of_conllu_says_what_it_has_learnt)
{
    MADE(Bench, bench_init, bench_fini, b, 40);
    for (int k = 0; k < b.train.trees.n; k++) {
        Sentence *s = &b.train.trees.s[k];
        s->upos = s->tags;
        s->lemmas = s->words;
        s->feats = arena_alloc(&b.train.trees.arena, (size_t)s->n_words, sizeof *s->feats);
        assert_non_null(s->feats);
        for (int w = 0; w < s->n_words; w++) s->feats[w] = "_";
    }
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.train.epochs = 1;
    train_ok(&a);
    LalError e;
    FREED(lal_model_free_at) LalModel *m = lal_model_load(in(&b, "a"), &e);
    FREED(lal_parser_free_at) LalParser *p = lal_parser_new(m, NULL, &e);
    FREED(lal_result_free_at) LalResult *r = lal_parse_text(p, TEXT, sizeof TEXT - 1, &e);
    assert_non_null(r);
    for (size_t k = 0; k < r->n_sentences; k++) {
        for (int w = 0; w < r->sentences[k].n_tokens; w++) {
            const LalToken *x = &r->sentences[k].tokens[w];
            assert_true(x->ud_head == x->head && x->ud_probability == x->probability);
            assert_string_equal(x->ud_relation, x->type);
            assert_true(x->upos && *x->upos && x->lemma && *x->lemma);
            assert_string_equal(x->feats, "");
        }
    }
}
