/* Encoder options: JSON and back, what an option that is left out means, what is
 * checked, and that a model keeps them. tests/golden/encoder_options.txt has more messages. */
#define _POSIX_C_SOURCE 200809L
#include "base/json.h"
#include "tests/support/api.h"
#include "tests/support/toy.h"

static const EncoderShape SHAPE = {
    .n_layers = 3, .n_heads = 8, .n_label_heads = 12, .lal_pwff = true, .parses = true
};

/* Reads the options over those that o has, and checks them. */
static Status take(EncoderOptions *o, const char *json, const EncoderShape *shape, const EncoderOrigin *from, Arena *a,
                   Error *e)
{
    cJSON *j;
    Status s = json_parse(json, strlen(json), &j, e);
    if (s == ERR_FORMAT) fail_msg("%s is not JSON", json);
    if (s == OK) s = encoder_options_read(o, j, from, a, e);
    if (s == OK) s = encoder_options_check(o, shape, from, a, e);
    cJSON_Delete(j);
    return s;
}

static void take_ok(EncoderOptions *o, const char *json, Arena *a)
{
    assert_ok(take(o, json, &SHAPE, NULL, a, test_error()));
}

/* Every option with a value that is not its default, but for pal.at and gates.kind, which go with others. */
static const char ALL[] =
    "{\"heads\": ["
    "{\"stack\": \"self\", \"layers\": \"all\", \"heads\": [0, 7], \"pattern\": \"next\", \"use\": \"guide\"}, "
    "{\"stack\": \"self\", \"layers\": [2, 0], \"heads\": \"all\", \"pattern\": [\"rel_pos/window=5\", \"seprat\"], "
    "\"use\": \"mask\"}, "
    "{\"stack\": \"label\", \"heads\": [5, 3], \"pattern\": \"label_span\", \"use\": \"guide\", \"source\": \"gold\", "
    "\"labels\": [\"NP\", \"V \\\"P\"]}, "
    "{\"stack\": \"pal\", \"layers\": [1], \"heads\": [1], \"pattern\": \"prev\", \"use\": \"fixed\"}], "
    "\"patterns\": {\"rel_pos\": {\"window\": 7}, \"period\": {\"forms\": [\".\", \"。\"]}, \"seprat\": "
    "{\"forms\": []}, "
    "\"rare_w\": {\"percent\": 20, \"min\": 1, \"unknown\": \"never\"}, \"maj_rel\": {\"types\": [\"nsubj:pass\"], "
    "\"children\": false}, \"match_token\": {\"key\": \"form\", \"self\": true}, \"intra_span\": {\"source\": "
    "\"tree\", "
    "\"max_len\": 4}}, "
    "\"syntax\": {\"source\": \"first_pass\", \"model\": \"a.lal\", \"train_file\": \"b\", \"dev_file\": \"c\", "
    "\"test_file\": \"d\", \"dropout\": 0.25}, "
    "\"guidance\": {\"alpha0\": 3.5, \"hold\": 20, \"norm\": \"mean\", \"empty_row\": \"skip\"}, "
    "\"gates\": {\"kind\": \"constant\", \"stacks\": [\"pal\", \"label\"], \"label_at\": \"context\", \"eval\": "
    "\"binary\", "
    "\"lambda\": 0.5, \"beta\": 0.5, \"gamma\": -0.25, \"zeta\": 1.5, \"log_alpha_init\": -1, \"lr_scale\": 2, "
    "\"start_from\": \"e.lal\", \"freeze_after\": false, \"patience\": 3, "
    "\"constant\": [1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1]}, "
    "\"pal\": {\"width\": 64, \"heads\": 2, \"at\": \"attention\", \"share\": true, \"init_std\": 0.01, \"layers\": "
    "[1]}}";

TEST(options_are_written_as_they_were_read)
{
    EncoderOptions o, again, plain;
    FREED(strbuf_fini) StrBuf first = { 0 }, defaults = { 0 };
    encoder_options_defaults(&plain);
    encoder_options_to_json(&plain, &defaults);
    encoder_options_defaults(&o);
    /* entry 1 masks head 0, which entry 0 guides: next is inside rel_pos */
    take_ok(&o, ALL, test_arena());
    encoder_options_to_json(&o, &first);
    assert_string_equal(first.ptr, ALL);
    encoder_options_defaults(&again);
    take_ok(&again, first.ptr, test_arena());
    encoder_options_to_json(&again, test_out());
    assert_string_equal(test_written(), first.ptr);
    take_ok(&again, "null", test_arena()); /* back to the defaults */
    encoder_options_to_json(&again, test_out());
    assert_string_equal(test_written(), defaults.ptr);
    take_ok(&plain, defaults.ptr, test_arena()); /* which are options, too */
}

TEST(what_is_left_out_has_its_default_or_stays)
{
    EncoderOptions o;
    MADE(Arena, arena_init, arena_fini, a, 4096);
    encoder_options_defaults(&o);
    assert_true(encoder_options_plain(&o));
    assert_int_equal(o.patterns.rel_pos_window, 3);
    assert_string_equal(o.patterns.seprat_forms, ", ; . ? !");
    assert_string_equal(o.patterns.maj_rel_types, "nsubj dobj obj amod advmod");
    assert_true(o.gates.gamma == -0.1 && o.gates.zeta == 1.1 && o.gates.beta == 0.33 && o.gates.lambda == 0.03);
    assert_true(o.gates.log_alpha_init == 2.5 && o.gates.freeze_after && o.guidance.alpha0 == 10);
    assert_true(o.pal.width == 256 && o.pal.heads == 4 && o.pal.init_std == 0.02);
    take_ok(&o,
            "{\"heads\": [{\"heads\": [1], \"pattern\": \"next\", \"use\": \"mask\"}], \"gates\": {\"kind\": \"free\", "
            "\"lambda\": 1}, \"patterns\": {\"rel_pos\": {\"window\": 5}, \"rare_w\": {\"min\": 1}}}",
            &a);
    assert_int_equal(o.heads[0].stack, STACK_SELF);
    assert_true(o.heads[0].layers.all);
    assert_int_equal(o.heads[0].syntax, SYNTAX_NONE);
    assert_false(encoder_options_plain(&o));
    take_ok(&o, "{\"gates\": {\"beta\": 0.5}, \"patterns\": {\"rare_w\": {\"percent\": 5}, \"rel_pos\": null}}", &a);
    assert_int_equal(o.n_heads, 1);
    assert_true(o.gates.lambda == 1 && o.gates.beta == 0.5 && o.gates.kind == GATES_FREE);
    assert_true(o.patterns.rare_w_min == 1 && o.patterns.rare_w_percent == 5 && o.patterns.rel_pos_window == 3);
    take_ok(&o, "{\"heads\": [], \"gates\": {\"kind\": null}}", &a);
    assert_int_equal(o.n_heads, 0);
    assert_true(encoder_options_plain(&o));
    take_ok(&o, "{\"pal\": {\"layers\": \"all\"}}", &a);
    assert_false(encoder_options_plain(&o));
    take_ok(&o, "{\"pal\": null}", &a);
    assert_true(encoder_options_plain(&o));
}

/* Patterns have the parameters of "patterns", whichever comes first, unless the entry has its own; a source of an entry
 * is that of its parse. */
TEST(checked_entries_have_their_patterns)
{
    EncoderOptions o;
    encoder_options_defaults(&o);
    take_ok(&o,
            "{\"heads\": [{\"heads\": [0], \"pattern\": [\"rel_pos\", \"rel_pos/window=9\"], \"use\": \"mask\"},"
            "{\"heads\": [1], \"pattern\": \"intra_span\", \"use\": \"guide\", \"source\": \"self\"},"
            "{\"heads\": [2], \"pattern\": \"intra_span\", \"use\": \"mask\"},"
            "{\"heads\": [3], \"pattern\": [\"intra_span/source=tree\", \"dep_syn\"], \"use\": \"mask\"},"
            "{\"heads\": [4], \"pattern\": \"dep_head\", \"use\": \"guide\"},"
            "{\"heads\": [5], \"pattern\": \"dep_head\", \"use\": \"guide\", \"source\": \"gold\"}],"
            "\"syntax\": {\"source\": \"file\", \"train_file\": \"a\", \"dev_file\": \"b\"},"
            "\"patterns\": {\"rel_pos\": {\"window\": 5}}}",
            test_arena());
    assert_int_equal(o.heads[0].patterns.n, 2);
    assert_int_equal(o.heads[0].patterns.item[0].o.rel_pos_window, 5);
    assert_int_equal(o.heads[0].patterns.item[1].o.rel_pos_window, 9);
    static const SyntaxSource want[] = { SYNTAX_NONE, SYNTAX_SELF, SYNTAX_NONE, SYNTAX_FILE, SYNTAX_FILE, SYNTAX_GOLD };
    for (int k = 0; k < o.n_heads; k++) assert_int_equal(o.heads[k].syntax, want[k]);
    assert_int_equal(o.heads[1].patterns.item[0].o.intra_span_source, SYNTAX_SELF);
    assert_false(encoder_options_oracle(&o)); /* gold is a target */
    take_ok(&o, "{\"syntax\": {\"source\": \"gold\"}}", test_arena());
    assert_true(encoder_options_oracle(&o));
    encoder_options_warnings(&o, test_out());
    assert_string_equal(test_written(),
                        "ORACLE run: masks read gold syntax (heads[3]): scores are an upper bound, and the "
                        "model cannot parse text\n");
    take_ok(&o, "{\"syntax\": null, \"heads\": [{\"heads\": [4], \"pattern\": \"dep_head\", \"use\": \"guide\"}]}",
            test_arena());
    assert_int_equal(o.heads[0].syntax, SYNTAX_GOLD); /* the default of a target */
}

static void assert_refused(const char *json, const EncoderShape *shape, const char *message)
{
    EncoderOptions o;
    encoder_options_defaults(&o);
    assert_fails(take(&o, json, shape, NULL, test_arena(), test_error()), ERR_CONFIG, message);
}

TEST(heads_that_pruning_removed_are_refused)
{
    const HeadNumbers kept[] = { { .all = true }, { .n = 3, .item = (const int[]){ 0, 2, 5 } }, { .n = 0 } };
    EncoderShape pruned = SHAPE;
    pruned.kept = kept;
    assert_refused("{\"heads\": [{\"heads\": [3], \"pattern\": \"next\", \"use\": \"mask\"}]}", &pruned,
                   "encoder_options.heads[0].heads: layer 1 head 3 was pruned from this model; kept: 0, 2, 5");
    assert_refused("{\"heads\": [{\"layers\": [2], \"heads\": [0], \"pattern\": \"next\", \"use\": \"mask\"}]}",
                   &pruned, "encoder_options.heads[0].heads: layer 2 head 0 was pruned from this model; kept: none");
    EncoderOptions o;
    encoder_options_defaults(&o);
    assert_ok(take(&o, "{\"heads\": [{\"layers\": [0, 1], \"heads\": [5], \"pattern\": \"next\", \"use\": \"mask\"}]}",
                   &pruned, NULL, test_arena(), test_error()));
}

/* Entries of a decoder: stack, heads and the rest. */
#define WRITTEN(stack, heads, rest) "{\"heads\": [{\"stack\": \"" stack "\", \"heads\": " heads ", " rest "}]}"

TEST(heads_of_a_decoder_take_what_it_knows_when_it_writes)
{
    static const char *const unknown[] = { "next", "delim", "period", "seprat", "rare_w", "dep_syn", "intra_span" },
                             *const known[] = { "self", "prev", "rel_pos/window=5", "first", "match_token" },
                             *const uses[] = { "mask", "fixed", "guide" };
    EncoderShape shape = SHAPE;
    char json[300], message[300];
    shape.n_decoder_layers = 2;
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
        snprintf(json, sizeof json, WRITTEN("decoder", "[0]", "\"pattern\": \"%s\", \"use\": \"mask\""), unknown[k]);
        snprintf(message, sizeof message,
                 "encoder_options.heads[0].pattern: pattern \"%s\" would look at words that are not yet written; heads "
                 "of stack \"decoder\" take self, prev, rel_pos, first, match_token, gauss",
                 unknown[k]);
        assert_refused(json, &shape, message);
    }
    for (size_t k = 0; k < 15; k++) {
        EncoderOptions o;
        encoder_options_defaults(&o);
        snprintf(json, sizeof json, WRITTEN("decoder", "[0, 7]", "\"pattern\": \"%s\", \"use\": \"%s\""), known[k % 5],
                 uses[k / 5]);
        assert_ok(take(&o, json, &shape, NULL, test_arena(), test_error()));
        assert_int_equal(o.heads[0].stack, STACK_DECODER);
    }
    assert_refused(WRITTEN("cross", "[0]", "\"pattern\": \"gauss\", \"use\": \"fixed\""), &shape,
                   "encoder_options.heads[0].pattern: heads with \"gauss\" belong to stack self, pal or decoder");
    assert_refused(WRITTEN("decoder", "[0]", "\"layers\": [2], \"pattern\": \"prev\", \"use\": \"mask\""), &shape,
                   "encoder_options.heads[0].layers: layer 2 does not exist: the decoder has layers 0..1");
    assert_refused(WRITTEN("cross", "[8]", "\"pattern\": \"seprat\", \"use\": \"mask\""), &shape,
                   "encoder_options.heads[0].heads: head 8 does not exist: layer 0 of the decoder has heads 0..7");
    assert_refused(WRITTEN("cross", "[0]", "\"pattern\": \"prev\", \"use\": \"mask\""), &shape,
                   "encoder_options.heads[0].pattern: pattern \"prev\" is of the query's own text; heads of stack "
                   "\"cross\" take first, delim, period, seprat, rare_w, maj_rel of the source");
    const HeadNumbers kept[] = { { .all = true }, { .n = 1, .item = (const int[]){ 4 } }, { .n = 0 }, { .all = true } };
    shape.decoder_kept = kept;
    assert_refused(WRITTEN("decoder", "[3]", "\"pattern\": \"prev\", \"use\": \"mask\""), &shape,
                   "encoder_options.heads[0].heads: decoder layer 1 head 3 was pruned from this model; kept: 4");
    assert_refused(WRITTEN("cross", "[3]", "\"pattern\": \"delim\", \"use\": \"mask\""), &shape,
                   "encoder_options.heads[0].heads: cross layer 0 head 3 was pruned from this model; kept: none");
}

TEST(long_and_odd_values_are_refused)
{
    FREED(strbuf_fini) StrBuf many = { 0 };
    strbuf_puts(&many, "{\"heads\": [");
    for (int k = 0; k <= HEAD_ENTRIES_MOST; k++) strbuf_printf(&many, "%s{}", k ? "," : "");
    strbuf_puts(&many, "]}");
    assert_refused(many.ptr, &SHAPE, "encoder_options.heads: found 257 entries, expected at most 256");
    strbuf_clear(&many);
    strbuf_puts(&many, "{\"heads\": [{\"heads\": [");
    for (int k = 0; k <= HEAD_NUMBERS_MOST; k++) strbuf_printf(&many, "%s%d", k ? "," : "", k);
    strbuf_puts(&many, "]}]}");
    assert_refused(many.ptr, &SHAPE, "encoder_options.heads[0].heads: found 4097 numbers, expected at most 4096");
    assert_refused("{\"\": 1}", &SHAPE, "encoder_options: unknown key \"\"");
}

TEST(options_return_every_failed_allocation)
{
    for (long n = 0; allocation_fails(n); n++) {
        EncoderOptions o;
        MADE(Arena, arena_init, arena_fini, a, 64);
        encoder_options_defaults(&o);
        mem_fail_after(n);
        assert_ok_or_no_memory(take(&o, ALL, &SHAPE, NULL, &a, test_error()));
    }
}

/* A model with options is of format 2 and has the same ones after loading; a plain one is of format 1. One whose masks
 * read gold parses parses no text. */
TEST(a_model_keeps_its_options)
{
    TOY_MODEL(b, m, 40);
    assert_int_equal(model_format(&m), 1);
    assert_true(encoder_options_plain(&m.options));
    static const char *const sources[] = { "self", "gold" };
    for (int k = 0; k < 2; k++) {
        char json[200];
        FREED(strbuf_fini) StrBuf was = { 0 };
        const EncoderShape shape = config_shape(&m.c, &TASK_PARSE, NULL);
        snprintf(json, sizeof json,
                 "{\"heads\": [{\"heads\": [1], \"pattern\": \"dep_syn\", \"use\": \"mask\"}], \"syntax\": "
                 "{\"source\": \"%s\"}}",
                 sources[k]);
        assert_ok(take(&m.options, json, &shape, NULL, &m.strings, test_error()));
        assert_int_equal(model_format(&m), 2);
        assert_ok(model_save(&m, in(&b, "b"), DT_F32, NULL, 0, NULL, test_error()));
        MADE(Model, load_ok, model_fini, again, in(&b, "b"));
        encoder_options_to_json(&m.options, &was);
        encoder_options_to_json(&again.options, test_out());
        assert_string_equal(test_written(), was.ptr);
        assert_int_equal(again.options.heads[0].syntax, k ? SYNTAX_GOLD : SYNTAX_SELF);
        LalError error;
        FREED(lal_model_free_at) LalModel *loaded = lal_model_load(in(&b, "b"), &error);
        assert_int_equal(loaded != NULL, k == 0);
        if (k) assert_non_null(strstr(error.message, "b: this model reads gold syntax (oracle) and cannot parse text"));
    }
    /* options that do not fit the model */
    m.options.heads[0].heads = (HeadNumbers){ .n = 1, .item = (const int[]){ 2 } };
    assert_ok(model_save(&m, in(&b, "b"), DT_F32, NULL, 0, NULL, test_error()));
    MADE(Model, model_init, model_fini, again);
    assert_fails_with(model_load(&again, in(&b, "b"), NULL, test_error()), ERR_CONFIG,
                      ": encoder_options.heads[0].heads: head 2 does not exist: layer 0 has heads 0..1");
}
