/* Plans of lal ablate and their messages, and tables. Runs: tests/cli/ablate.sh. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "program/ablate/ablate_internal.h"
#include "program/ablate/table.h"
#include "tests/support/check.h"
#include "tests/support/tiny.h"

FREES(cJSON, cJSON_Delete)

static void read_ok(AblatePlan *p, const char *text)
{
    assert_ok(ablate_plan_read(p, test_text("plan.json", text), NULL, test_error()));
}

/* The message begins with the place in the text, "LINE:COLUMN: "; NULL: any message. */
static void assert_refused(const char *text, const char *message)
{
    FREED(ablate_plan_fini) AblatePlan p;
    Error e = { 0 };
    char found[1400];
    assert_int_equal(ablate_plan_read(&p, test_text("plan.json", text), NULL, &e), ERR_USAGE);
    assert_int_equal(e.code, ERR_USAGE);
    const char *after_path = strchr(error_text(&e, found, sizeof found), ':') + 1;
    if (message && strcmp(after_path, message) != 0)
        fail_msg("%s\n  gives    %s\n  expected %s", text, after_path, message);
}

TEST(variants_are_merge_patches_on_the_base)
{
    FREED(ablate_plan_fini) AblatePlan p;
    read_ok(
        &p,
        "{\"about\": \"x\", \"base\": {\"preset\": \"small\", \"train\": {\"epochs\": 7, \"freeze\": [\"f_tag.\"]}},\n"
        "\"seeds\": [3, 1], \"resamples\": 50, \"max_hours\": 1.5, \"reference\": \"b\",\n"
        "\"data\": {\"train\": \"t\", \"dev\": [\"d\", \"e\"], \"name\": [\"n\"]},\n"
        "\"variants\": {\"c\": {\"start_from\": \"b\", \"train\": {\"epochs\": 2}}, \"a\": {\"model\": {\"n_layers\": "
        "1}, \"encoder_options\": {}}, \"b\": {\"train\": {\"freeze\": null, \"lr\": 0.5}}}}");
    assert_int_equal(p.n, 3);
    assert_int_equal(p.n_seeds, 2);
    assert_int_equal(p.seeds[0], 3);
    assert_int_equal(p.resamples, 50);
    assert_true(p.max_hours == 1.5 && p.equal_updates);
    assert_int_equal(p.reference, 2);
    static const int order[] = { 1, 2, 0 };
    assert_memory_equal(p.order, order, sizeof order);
    const AblateVariant *c = &p.variants[0], *a = &p.variants[1], *b = &p.variants[2];
    assert_int_equal(c->start_from, 2);
    assert_int_equal(a->start_from, -1);
    assert_int_equal(a->model.n_layers, 1);
    assert_int_equal(b->model.n_layers, 5);  /* of the preset */
    assert_int_equal(a->model.d_model, 320); /* of the preset */
    assert_true(a->train.lr == 0.001 && b->train.lr == 0.5);
    assert_int_equal(a->train.epochs, 7);
    assert_int_equal(c->train.epochs, 2);
    assert_int_equal(a->train.freeze.n, 1);
    assert_int_equal(b->train.freeze.n, 0);
    assert_int_equal(p.data.dev.n, 2);
    ablate_plan_fini(&p);
    AblateData given = { .dev = { 1, { "other" } } };
    const char *path =
        test_text("plan.json", "{\"data\": {\"train\": \"t\", \"dev\": [\"a\", \"b\"]}, \"variants\": {\"one\": {}}}");
    assert_ok(ablate_plan_read(&p, path, &given, test_error()));
    assert_int_equal(p.data.dev.n, 1);
    assert_string_equal(p.data.train.item[0], "t");
    ablate_plan_fini(&p);
    read_ok(&p, "{\"base\": \"paper\", \"variants\": {\"one\": {}}}");
    assert_int_equal(p.variants[0].model.d_model, 1024);
    assert_int_equal(p.seeds[0], 1);
    assert_int_equal(p.resamples, 10000);
}

TEST(an_error_in_a_plan_has_its_place)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "[]", "1:1: expected an object" },
        { "{\"variants\": 1,}", "1:16: found '}', expected JSON" },
        { "{}", "1:1: found no \"variants\", expected them" },
        { "{\n \"varients\": {}}",
          "2:2: unknown key \"varients\", expected one of "
          "about|task|base|data|seeds|variants|reference|resamples|max_hours|equal_updates|first_pass; did you "
          "mean 'variants'?" },
        { "{\"variants\": {}}", "1:2: variants: expected an object of names and merge patches" },
        { "{\"variants\": {\"a\": 1}}", "1:15: variants: a: expected an object" },
        { "{\"variants\": {\"a\": {},\n\"a\": {}}}", "2:1: variants: found the name \"a\" twice" },
        { "{\"variants\": {\"../a\": {}}}",
          "1:15: variants: found the name \"../a\", expected 1 to 60 characters without "
          "blanks and /, the first of them not a period, other than first-pass" },
        { "{\"variants\": {\"a\": {}}, \"reference\": \"plane\"}",
          "1:25: reference: found \"plane\", expected the name of a variant" },
        { "{\"variants\": {\"plain\": {}}, \"reference\": \"plane\"}",
          "1:29: reference: found \"plane\", expected the name of a variant; did you mean 'plain'?" },
        { "{\"seeds\": [], \"variants\": {\"a\": {}}}", "1:2: seeds: expected an array of 1 to 100 whole numbers" },
        { "{\"seeds\": [1, 1.5], \"variants\": {\"a\": {}}}",
          "1:15: seeds: expected a whole number from 0 to 1000000000000000" },
        { "{\"seeds\": [1, 2, 1], \"variants\": {\"a\": {}}}", "1:18: seeds: found 1 twice" },
        { "{\"resamples\": 0, \"variants\": {\"a\": {}}}",
          "1:2: resamples: expected a whole number from 1 to 100000000" },
        { "{\"max_hours\": -1, \"variants\": {\"a\": {}}}",
          "1:2: max_hours: expected a number above 0, or null for no limit" },
        { "{\"equal_updates\": 1, \"variants\": {\"a\": {}}}", "1:2: equal_updates: expected true or false" },
        { "{\"data\": {\"tain\": []}, \"variants\": {\"a\": {}}}",
          "1:11: data: unknown key \"tain\"; did you mean 'train'?" },
        { "{\"task\": \"classify\", \"data\": {\"target\": []}, \"variants\": {\"a\": {}}}",
          "1:31: data: found \"target\" in a plan of the task classify, expected "
          "train|dev|test|train_classes|dev_classes|test_classes|pretrained|vectors" },
        { "{\"task\": 3, \"variants\": {\"a\": {}}}",
          "1:2: task: found \"\", expected parse|classify|classes|summary|segments|detect|mask|translate" },
        { "{\"task\": \"translate\", \"variants\": {\"a\": {},\n\"b\": {\"model\": {\"layers\": \"lal\"}}}}",
          "2:7: b: model: layers: found lal, expected plain, which models that translate have" },
        { "{\"task\": \"translate\", \"base\": {\"preset\": \"small\"}, \"variants\": {\"a\": {}}}",
          "1:65: a: model: layers: found lal, expected plain, which models that translate have" },
        { "{\"task\": \"translate\", \"variants\": {\"a\": {\"encoder_options\": {\n\"heads\": [{\"heads\": [0], "
          "\"pattern\": \"dep_syn\", \"use\": \"mask\"}], \"syntax\": {\"source\": \"gold\"}}}}}",
          "2:37: a: encoder_options.heads[0].pattern: a model that translates reads parses of source \"first_pass\" "
          "alone, those of another model" },
        { "{\"task\": \"translate\", \"variants\": {\"a\": {\"encoder_options\": {\n\"heads\": [{\"stack\": "
          "\"decoder\", "
          "\"heads\": [0], \"pattern\": \"next\", \"use\": \"mask\"}]}}}}",
          "2:57: a: encoder_options.heads[0].pattern: pattern \"next\" would look at words that are not yet written; "
          "heads of stack \"decoder\" take self, prev, rel_pos, first, match_token" },
        { "{\"task\": \"translate\", \"variants\": {\"a\": {\n\"train\": {\"vary_case\": 0.5}}}}",
          "2:1: a: train: --vary-case: found --task translate, expected a task on words" },
        { "{\"task\": \"summary\", \"variants\": {\"a\": {\n\"train\": {\"vary_quotes\": 0.5}}}}",
          "2:1: a: train: --vary-quotes: found --task summary, expected a task on sentences" },
        { "{\"task\": \"mask\", \"first_pass\": {\"variant\": \"a\", \"folds\": 2}, \"variants\": {\"a\": {}}}",
          "1:18: first_pass: found the task mask, expected parse" },
        { "{\"data\": {\"train\": [\"a\", 2]}, \"variants\": {\"a\": {}}}", "1:26: data: train: expected a string" },
        { "{\"data\": {\"train\": 2}, \"variants\": {\"a\": {}}}", "1:11: data: expected an array of strings" },
        { "{\"base\": \"smal\", \"variants\": {\"a\": {}}}",
          "1:2: base: found the preset \"smal\", expected a built-in one or a path ending in .json; did you mean "
          "'small'?" },
        { "{\"base\": [], \"variants\": {\"a\": {}}}", "1:2: base: expected the name of a preset or an object" },
        { "{\"base\": {\"modle\": {}}, \"variants\": {\"a\": {}}}",
          "1:11: base: unknown key \"modle\", expected one of "
          "about|preset|model|train|encoder_options|start_from|heads_of|prune; did you mean 'model'?" },
        { "{\"base\": {\"model\": {\"d_model\": \"x\"}}, \"variants\": {\"a\": {}}}",
          "1:21: base: model: \"d_model\": found 'x', expected a whole number" },
        { "{\"base\": {\"model\": {\"d_model\": 33}}, \"variants\": {\"a\": {}}}", NULL },
        { "{\"variants\": {\"b\": {},\n\"a\": {\"train\": {\"lr\": 1,\n \"beta\": 2}}}}",
          "3:2: a: train: unknown configuration key \"beta\"; did you mean 'beta1'?" },
        { "{\"variants\": {\"a\": {\"model\": []}}}", "1:21: a: model: expected an object" },
        { "{\"variants\": {\"a\": {\"preset\": \"small\"}}}", "1:21: a: found a preset, expected it in the base" },
        { "{\"variants\": {\"a\": {\"train\": {\"seed\": 4}}}}", "1:31: a: train: found a seed, expected \"seeds\"" },
        { "{\"variants\": {\"a\": {\"train\": {\"epochs\": 4}}}}",
          "1:31: a: train: epochs is 4, but 100 in the base: the runs have equal updates, unless the plan has "
          "\"equal_updates\": false" },
        { "{\"base\": {\"train\": {\"stop_after\": 4}}, \"variants\": {\"a\": {}}}",
          "1:21: a: train: stop_after is 4, expected 0: the runs have equal updates, unless the plan has "
          "\"equal_updates\": false" },
        { "{\"variants\": {\"a\": {\"train\": {\"group\": [\"encoder\"]}}}}",
          "1:21: a: train: --group: found 'encoder', expected PREFIX=FACTOR with a factor from 0 to 1000" },
        { "{\"variants\": {\"a\": {\"start_from\": \"b\"}}}",
          "1:21: a: start_from: found \"b\", expected the name of a variant" },
        { "{\"variants\": {\"a\": {\"start_from\": \"b\"}, \"b\": {\"start_from\": \"a\"}}}",
          "1:15: a: needs the model of a variant that needs its own model" },
        { "{\"variants\": {\"a\": {\"prune\": 1}}}", "1:21: a: prune: expected true or false" },
        { "{\"variants\": {\"a\": {\"prune\": true}}}", "1:21: a: prune: expected gates" },
        { "{\"base\": {\"start_from\": \"a\"}, \"variants\": {\"a\": {}}}",
          "1:11: base: found start_from, expected it in a variant" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) assert_refused(cases[k].text, cases[k].message);
    FREED(ablate_plan_fini) AblatePlan p; /* updates that differ are allowed where the plan says so */
    read_ok(&p, "{\"equal_updates\": false, \"variants\": {\"a\": {\"train\": {\"epochs\": 4, \"stop_after\": 2}}}}");
}

TEST(a_plan_survives_failed_allocations)
{
    const char *text =
        "{\"base\": {\"preset\": \"small\", \"model\": {\"n_layers\": 1}}, \"data\": {\"train\": \"a\"},"
        "\"variants\": {\"a\": {\"train\": {\"freeze\": [\"f_tag.\"]}}, \"b\": {\"start_from\": \"a\"}}}";
    const char *path = test_text("plan.json", text);
    for (long n = 0; allocation_fails(n); n += 1 + n / 20) {
        FREED(ablate_plan_fini) AblatePlan p;
        mem_fail_after(n);
        assert_ok_or_no_memory(ablate_plan_read(&p, path, NULL, test_error()));
    }
}

/* ---- encoder options */

#define MASKED                                                                                                      \
    "\"encoder_options\": {\"heads\": [{\"stack\": \"self\", \"layers\": \"all\", \"heads\": [2],\n  \"pattern\": " \
    "\"dep_syn\","                                                                                                  \
    " \"use\": \"mask\"}], \"syntax\": {\"source\": \"first_pass\"}}"

TEST(encoder_options_are_those_of_the_variant_over_the_base)
{
    FREED(ablate_plan_fini) AblatePlan p;
    read_ok(&p,
            "{\"base\": {\"encoder_options\": {\"gates\": {\"lambda\": 3, \"patience\": 7}}},\n"
            "\"first_pass\": {\"variant\": \"plain\", \"folds\": 4},\n\"variants\": {\"roles\": {" MASKED "},\n"
            "\"plain\": {\"encoder_options\": {\"gates\": {\"patience\": null}}},\n"
            "\"gates\": {\"start_from\": \"plain\", \"encoder_options\": {\"gates\": {\"kind\": \"hard_concrete\"}}},\n"
            "\"again\": {\"heads_of\": \"gates\", \"encoder_options\": {\"gates\": {\"kind\": \"constant\"}}}}}");
    const AblateVariant *roles = &p.variants[0], *plain = &p.variants[1], *gates = &p.variants[2],
                        *again = &p.variants[3];
    assert_true(roles->options.gates.lambda == 3 && plain->options.gates.lambda == 3);
    assert_int_equal(roles->options.gates.patience, 7);
    assert_int_equal(plain->options.gates.patience, 8);
    assert_int_equal(roles->options.n_heads, 1);
    assert_true(roles->first_pass && !plain->first_pass);
    assert_int_equal(p.first_pass, 1);
    assert_int_equal(gates->start_from, 1);
    assert_int_equal(again->heads_of, 2);
    assert_int_equal(again->options.gates.constant.n, again->model.n_layers * again->model.n_heads);
    static const int order[] = { 1, 2, 3, 0 };
    assert_memory_equal(p.order, order, sizeof order);
}

TEST(an_error_in_encoder_options_has_its_place)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "{\"variants\": {\"a\": {" MASKED "}}}", "2:14: a: encoder_options.heads[0].pattern: syntax.source "
                                                   "\"first_pass\" needs \"model\" and \"train_file\"" },
        { "{\"base\": {\"encoder_options\":\n {\"guidance\": {\"alpa0\": 3}}}, \"variants\": {\"a\": {}}}",
          "2:16: base: encoder_options.guidance: unknown key \"alpa0\"; did you mean \"alpha0\"?" },
        { "{\"base\": {\"encoder_options\": {\"guidance\": {\"alpha0\": 3}}},\n \"variants\": {\"a}{\\\"\": "
          "{\"encoder_options\":\n"
          "  {\"guidance\": {\"alpha0\": -1}}}}}",
          "3:27: a}{\": encoder_options.guidance.alpha0: guidance.alpha0 is -1; expected 0 or more" },
        { "{\"base\": {\"encoder_options\": {\"pal\": {\"width\": 250}}},\n"
          " \"variants\": {\"a\": {\"encoder_options\": {\"pal\": {\"layers\": \"all\"}}}}}",
          "1:48: a: encoder_options.pal.width: pal.width 250 is not a multiple of pal.heads 4" },
        { "{\"first_pass\": {\"folds\": 1, \"variant\": \"a\"}, \"variants\": {\"a\": {}}}",
          "1:17: first_pass: folds: expected a whole number from 2 to 100" },
        { "{\"first_pass\": {\"folds\": 2}, \"variants\": {\"a\": {}}}",
          "1:2: first_pass: expected {\"variant\": NAME, \"folds\": N}" },
        { "{\"first_pass\": {\"folds\": 2, \"variant\": \"b\"}, \"variants\": {\"a\": {}}}",
          "1:29: first_pass: found \"b\", expected the name of a variant" },
        { "{\"first_pass\": {\"folds\": 2, \"variant\": \"b\"}, \"variants\": {\"a\": {}, \"b\": {\"start_from\": "
          "\"a\"}}}",
          "1:2: first_pass: b needs the model of another variant, expected one that does not" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) assert_refused(cases[k].text, cases[k].message);
}

TEST(the_shipped_plans_can_be_read)
{
    static const struct {
        const char *name;
        int variants, seeds;
    } plans[] = { { "roles", 13, 3 },
                  { "guidance", 8, 3 },
                  { "guided", 2, 3 },
                  { "patterns", 8, 3 },
                  { "pal", 3, 3 },
                  { "gates", 9, 1 },
                  { "reduced", 6, 1 },
                  { "label-attention", 12, 3 },
                  { "roles-classify", 8, 3 },
                  { "translate-roles", 7, 3 },
                  { "translate-guidance", 4, 3 },
                  { "translate-gates", 11, 1 },
                  { "summaries", 9, 3 },
                  { "topics", 9, 3 },
                  { "pretrain-guidance", 6, 3 } };
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
        char path[64];
        FREED(ablate_plan_fini) AblatePlan p;
        snprintf(path, sizeof path, "models/plans/%s.json", plans[k].name);
        assert_ok(ablate_plan_read(&p, path, NULL, test_error()));
        assert_int_equal(p.n, plans[k].variants);
        assert_int_equal(p.n_seeds, plans[k].seeds);
        assert_string_equal(p.variants[p.reference].name, "plain");
        assert_true(encoder_options_plain(&p.variants[p.reference].options));
    }
}

/* ---- the first pass */

/* Three blocks of one sentence each: sentence k is parsed by a model of the other two. */
TEST(the_first_pass_parses_each_sentence_by_a_model_of_the_others)
{
    FREED(ablate_plan_fini) AblatePlan p;
    FREED(corpus_fini) Corpus c;
    Ablation out;
    const char *folder = test_path("out");
    char path[96];
    assert_true(tiny_corpus(&c));
    read_ok(&p,
            "{\"first_pass\": {\"variant\": \"plain\", \"folds\": 3}, \"seeds\": [5], \"variants\": {\"plain\": {}, "
            "\"a\": {}}}");
    for (int v = 0; v < p.n; v++) {
        TrainArgs tiny = tiny_args(&c);
        p.variants[v].model = tiny.model;
        p.variants[v].train = tiny.train;
    }
    p.variants[1].first_pass = true; /* this version trains no masks, which would ask for it */
    AblateArgs a = { .plan = &p, .train = &c, .dev = &c, .n_train = 1, .n_dev = 1, .out = folder, .n_threads = 1 };
    for (int pass = 0; pass < 2; pass++) { /* the second one repeats nothing */
        assert_ok(ablate_run(&a, &out, test_error()));
        assert_int_equal(ablation_run(&out, 1, 0)->state, ABLATE_FINISHED);
        ablation_fini(&out);
    }
    MADE(Treebank, treebank_init, treebank_fini, parses);
    snprintf(path, sizeof path, "%s/first-pass/train.jsonl", folder);
    assert_ok(treebank_load(&parses, path, (ReaderOptions){ .format = FORMAT_JSON_LINES }, test_error()));
    assert_int_equal(parses.n, c.trees.n);
    for (int k = 0; k < parses.n; k++) {
        assert_true(parses.s[k].has_tree && parses.s[k].heads);
        assert_int_equal(parses.s[k].n_words, c.trees.s[k].n_words);
        for (int w = 0; w < parses.s[k].n_words; w++) assert_string_equal(parses.s[k].words[w], c.trees.s[k].words[w]);
    }
    static const int counts[3][3] = { { 1, 1, 2 }, { 2, 1, 2 }, { 1, 2, 2 } }; /* of a, b, c outside the block */
    for (int fold = 0; fold < 3; fold++) {
        MADE(Model, model_init, model_fini, m);
        snprintf(path, sizeof path, "%s/first-pass/seed-%d/model.lal", folder, 5 + fold);
        assert_ok(model_load(&m, path, NULL, test_error()));
        for (int k = 0; k < 3; k++) {
            const char word[] = { (char)('a' + k), 0 };
            assert_int_equal(m.words.counts[vocab_find(&m.words, word)], counts[fold][k]);
        }
    }
}

/* ---- records */

TEST(a_change_of_a_run_is_named)
{
    FREED(ablate_plan_fini) AblatePlan p;
    read_ok(&p, "{\"variants\": {\"a\": {}, \"b\": {\"model\": {\"d_ff\": 6}, \"train\": {\"freeze\": [\"f_label.\"]},"
                "\"encoder_options\": {\"heads\": [{\"heads\": [0], \"pattern\": \"self\", \"use\": \"guide\"},"
                "{\"stack\": \"label\", \"heads\": [0], \"pattern\": \"seprat\", \"use\": \"mask\"}],"
                "\"gates\": {\"lambda\": 1}, \"patterns\": {\"rel_pos\": {\"window\": 5}}}}}}");
    AblateArgs args = { .plan = &p };
    FREED(strbuf_fini) StrBuf what = { 0 };
    static const char *const none[ABLATE_NEEDS] = { NULL }, *const one[ABLATE_NEEDS] = { "0123" };
    FREED(cJSON_Delete_at)
    cJSON *a = ablate_record(&args, &p.variants[0], 1, none), *b = ablate_record(&args, &p.variants[1], 2, one);
    assert_ok(ablate_record_change(a, a, &what, test_error()));
    assert_int_equal(what.len, 0);
    assert_ok(ablate_record_change(a, b, &what, test_error()));
    assert_string_equal(what.ptr,
                        "model.d_ff was 512, is 6; train.freeze was [], is [\"f_label.\"]; train.seed was 1, is 2; "
                        "encoder_options.heads changed; encoder_options.patterns.rel_pos.window was 3, is 5; "
                        "encoder_options.gates.lambda was 0.03, is 1; a model that it needs changed");
}

/* A record by a program that had fewer options, or other ones. */
TEST(an_option_that_came_later_had_its_default)
{
    FREED(ablate_plan_fini) AblatePlan p;
    read_ok(&p, "{\"variants\": {\"a\": {}, \"b\": {\"model\": {\"d_arc\": 6},"
                "\"encoder_options\": {\"gates\": {\"patience\": 3}}}}}");
    AblateArgs args = { .plan = &p };
    FREED(strbuf_fini) StrBuf what = { 0 };
    static const char *const none[ABLATE_NEEDS] = { NULL };
    FREED(cJSON_Delete_at)
    cJSON *a = ablate_record(&args, &p.variants[0], 1, none), *b = ablate_record(&args, &p.variants[1], 1, none),
          *saved = ablate_record(&args, &p.variants[0], 1, none);
    cJSON *options = cJSON_GetObjectItem(saved, "encoder_options");
    cJSON_DeleteItemFromObject(cJSON_GetObjectItem(saved, "model"), "d_arc");
    cJSON_AddNumberToObject(cJSON_GetObjectItem(saved, "train"), "removed", 3);
    cJSON_DeleteItemFromObject(cJSON_GetObjectItem(options, "gates"), "patience");
    cJSON_DeleteItemFromObject(options, "pal");
    cJSON_DeleteItemFromArray(cJSON_GetObjectItem(saved, "models"), 0);
    cJSON_DeleteItemFromObject(saved, "folds");
    assert_ok(ablate_record_change(saved, a, &what, test_error()));
    assert_int_equal(what.len, 0);
    assert_ok(ablate_record_change(saved, b, &what, test_error()));
    assert_string_equal(what.ptr, "model.d_arc was 1024, is 6; encoder_options.gates.patience was 8, is 3");
    strbuf_clear(&what);
    for (long n = 0; allocation_fails(n); n++) {
        mem_fail_after(n);
        assert_ok_or_no_memory(ablate_record_change(saved, a, &what, test_error()));
        assert_int_equal(what.len, 0);
        strbuf_fini(&what);
    }
}

/* ---- tables */

enum { SENTENCES = 12, SEEDS = 2 };

/* Variant v is better than variant 0 in every sentence by v brackets; heads differ by chance only. */
static void fill_run(AblateRun *r, const AblateMeasure *x, double *each, int v, int seed)
{
    *r = (AblateRun){ .state = ABLATE_FINISHED,
                      .seconds = 60 * (v + 1),
                      .scoring = 2,
                      .updates = 100,
                      .trained_sentences = 600,
                      .early_loss = 3.5 - v,
                      .loss = 2 - 0.5 * v,
                      .self_heads = 16,
                      .label_heads = v == 1 ? 0 : 8,
                      .rho = v == 2 ? 0.25 : -1,
                      .each = each };
    for (int k = 0; k < 2 * SENTENCES; k++) { /* words, trees, brackets, words without punctuation, heads, types */
        const double sentence[] = { 10,       1, 8, 8, 4 + v + (seed && k % 3 == 0), 10, 7 + (k * (v + 1) + seed) % 3,
                                    6 + k % 2 };
        memcpy(each + k * x->n_numbers, sentence, sizeof sentence);
    }
    ablate_add_up(x, r, SENTENCES, SENTENCES);
}

/* The table must be that of the file tests/golden/ablate/NAME; with LAL_RECORD set, the file is written. */
static void assert_table(const Ablation *a, AblateFormat format, const char *name)
{
    FREED(ablate_table_fini) AblateTable t;
    FREED(strbuf_fini) StrBuf out = { 0 }, expected = { 0 };
    char path[96];
    snprintf(path, sizeof path, "tests/golden/ablate/%s", name);
    assert_ok(ablate_table(&t, a, test_error()));
    ablate_table_write(&t, format, &out);
    if (getenv("LAL_RECORD")) assert_ok(file_write(path, &out, test_error()));
    assert_ok(file_read(path, &expected, test_error()));
    assert_string_equal(out.ptr, expected.ptr);
}

TEST(a_table_has_means_deviations_and_corrected_p)
{
    static double each[4][SEEDS][2 * SENTENCES * ABLATE_NUMBERS_MOST];
    AblateRun runs[4][SEEDS] = { 0 };
    FREED(ablate_plan_fini) AblatePlan p;
    read_ok(&p, "{\"seeds\": [1, 7], \"resamples\": 1000, \"variants\": {\"plain\": {}, \"roles\": {}, \"gätes\": {}, "
                "\"late\": {\"start_from\": \"gätes\"}}}");
    for (int v = 0; v < 3; v++)
        for (int seed = 0; seed < SEEDS; seed++) fill_run(&runs[v][seed], p.measure, each[v][seed], v, seed);
    runs[2][1] = (AblateRun){ .state = ABLATE_FAILED, .failed = "the loss is not finite" };
    fill_run(&runs[3][0], p.measure, each[3][0], 0, 0);
    Ablation a = { .plan = &p, .runs = runs[0], .n_dev = SENTENCES, .n_test = SENTENCES };
    assert_table(&a, ABLATE_TEXT, "table.txt");
    assert_table(&a, ABLATE_TSV, "table.tsv");
    assert_table(&a, ABLATE_JSON, "table.json");
}

/* Every metric of every task reads its numbers, and is not known without units. */
TEST(metrics_are_scores_of_sums)
{
    static const struct {
        const char *task;
        double sums[ABLATE_NUMBERS_MOST], scores[ABLATE_METRICS_MOST];
    } cases[] = { { "parse", { 50, 5, 10, 30, 15, 40, 30, 20 }, { 75, 75, 50 } },
                  { "classify", { 8, 2 }, { 25 } },
                  { "classes", { 2, 8 }, { 25 } },
                  { "summary", { 2, 0, 0, 1, 0, 0, 0.5, 0, 0, 0.25 }, { 50, 25, 12.5 } },
                  { "segments", { 3, 6, 6, 1, 2, 4 }, { 50, 25, 50 } },
                  { "detect", { 8, 6, 4 }, { 75, 0.5 } },
                  { "mask", { 8, 6, 4 }, { 75, 0.5 } },
                  { "translate", { 8, 7, 6, 5, 8, 7, 6, 5, 8, 8, 10, 15 }, { 100, 1.5 } } };
    static const double nothing[ABLATE_NUMBERS_MOST] = { 0 };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const AblateMeasure *x = ablate_measure(cases[k].task, NULL);
        assert_non_null(x);
        for (int m = 0; m < x->n_metrics; m++) {
            bool known;
            double value = ablate_measure_score(x, m, cases[k].sums, &known);
            assert_true(known && fabs(value - cases[k].scores[m]) < 1e-9);
            ablate_measure_score(x, m, nothing, &known);
            assert_false(known);
        }
    }
}

/* The columns of a metric, of two units. */
TEST(a_metric_takes_its_numbers_of_each_unit)
{
    const AblateMeasure *x = ablate_measure("parse", NULL);
    const double each[] = { 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18 }, f1[] = { 3, 4, 5, 13, 14, 15 },
                 las[] = { 6, 8, 16, 18 };
    double taken[6];
    ablate_measure_take(x, 0, each, 2, taken);
    assert_memory_equal(taken, f1, sizeof f1);
    ablate_measure_take(x, 2, each, 2, taken);
    assert_memory_equal(taken, las, sizeof las);
}
