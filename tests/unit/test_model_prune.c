/* tests/unit/test_model_prune.c: a model without its closed heads, in memory and from its file, is the model with
 * gates: vectors and parses. Encoders alone: test_encoder_prune.c. */
#define _POSIX_C_SOURCE 200809L
#include "parser/prune.h"
#include "tests/support/toy.h"
#include "tests/support/toy_options.h"

/* A model of two layers of two heads with these options, trained for a moment. */
static void trained(Bench *b, Model *m, const char *options)
{
    Arena a;
    arena_init(&a, 1024);
    EncoderOptions o = toy_options(options, &a);
    TrainArgs args = toy(b, in(b, "a"), NULL, 2);
    args.model.n_layers = 2;
    args.train.epochs = 1;
    args.options = &o;
    train_ok(&args);
    load_ok(m, args.out);
    arena_fini(&a);
}

static void assert_equal(const Bench *b, const Model *x, const Model *y)
{
    enum { N = 20 };
    ParseInput in[N];
    ModelDifference d;
    Error e = { 0 };
    for (int k = 0; k < N; k++) {
        const Sentence *s = &b->dev.trees.s[k];
        in[k] = (ParseInput){ .n_words = s->n_words, .words = (const char *const *)s->words };
    }
    if (model_difference(x, y, in, N, &d, &e) != OK) fail_msg("%s", e.message);
    assert_int_equal(d.sentences, N);
    assert_int_equal(d.parsed_otherwise, 0);
    if (!(d.numbers <= (sizeof(Real) < 8 ? 1e-5 : 1e-12))) fail_msg("numbers differ by %g", d.numbers);
}

/* Constant gates close heads of one layer, of all layers, and none; hard-concrete ones that are between 0 and 1 close
 * none and are multiplied into the weights. */
TEST(a_pruned_model_is_the_gated_one_in_memory_and_after_saving_and_loading)
{
    UNUSED_STATE;
    static const struct {
        const char *options;
        int kept[2];
    } cases[] = {
        { "{'gates': {'kind': 'constant', 'constant': [1, 0, 0, 0]},"
          " 'heads': [{'heads': [0], 'layers': [0], 'pattern': 'rel_pos', 'use': 'mask'}]}",
          { 1, 0 } },
        { "{'gates': {'kind': 'constant', 'constant': [0, 0, 0, 0]}}", { 0, 0 } },
        { "{'gates': {'kind': 'constant', 'constant': [1, 1, 1, 1]}}", { 2, 2 } },
        { "{'gates': {'kind': 'hard_concrete', 'log_alpha_init': 0.5, 'lambda': 0}}", { 2, 2 } },
        { "{'gates': {'kind': 'constant', 'stacks': ['self', 'label'], 'constant': [1, 0, 0, 1, 1, 0, 1, 0, 0, 1]}}",
          { 1, 1 } }, /* three label heads are left */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Bench b;
        Model gated, small, again;
        Error e = { 0 };
        bench_init(&b, 45);
        trained(&b, &gated, cases[k].options);
        model_init(&small);
        if (model_prune(&gated, &small, &e) != OK) fail_msg("%s", e.message);
        assert_int_equal(params_upload(&small.ps, device_default(), &e), OK);
        for (int l = 0; l < 2; l++) assert_int_equal(small.net.encoder.attn[l].heads, cases[k].kept[l]);
        assert_equal(&b, &gated, &small);
        assert_int_equal(model_save(&small, in(&b, "c"), DT_F32, NULL, 0, NULL, &e), OK);
        load_ok(&again, in(&b, "c"));
        for (int l = 0; l < 2; l++) assert_int_equal(again.net.encoder.attn[l].heads, cases[k].kept[l]);
        assert_equal(&b, &gated, &again);
        assert_int_equal(again.ps.size, small.ps.size);
        assert_memory_equal(again.ps.values, small.ps.values, small.ps.size * sizeof(Real));
        model_fini(&again);
        model_fini(&small);
        model_fini(&gated);
        bench_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pruned_model_is_the_gated_one_in_memory_and_after_saving_and_loading),
    };
    return cmocka_run_group_tests_name("pruned models", tests, NULL, NULL);
}
