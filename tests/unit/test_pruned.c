/* A model without closed heads, of self-attention and label heads, through training,
 * files, parsing, explanations and further training. The encoder alone: test_encoder_prune.c; the command:
 * tests/cli/prune.sh. */
#define _POSIX_C_SOURCE 200809L
#include "explain/fast/why.h"
#include "parser/model/prune.h"
#include "parser/parse/parse_difference.h"
#include "tests/support/edit_model.h"
#include "tests/support/explained.h"
#include "tests/support/parsing.h"

/* What differs of label attention. */
typedef struct Form {
    bool pwff, matrix, combined;
    const char *options;
    int layers; /* 0: 1 */
} Form;

#define CLOSED(more) \
    "{'gates': {'kind': 'constant', 'stacks': ['self', 'label'], 'constant': [0, 1, 1, 0, 1, 1, 0, 1]" more "}}"

static const Form FORMS[] = {
    { .options = CLOSED("") },
    { .options = CLOSED(""), .pwff = true },
    { .options = CLOSED(", 'label_at': 'output'") },
    { .options = CLOSED(""), .matrix = true },
    { .options = CLOSED(""), .combined = true },
};
enum { EXPLAINED_FORMS = 3 };

/* A trained model with gates, in s. */
static void train_form(Setup *s, const Form *form)
{
    static EncoderOptions o;
    memset(s, 0, sizeof *s);
    bench_init(&s->b, 60);
    arena_init(&s->arena, 4096);
    o = toy_options(form->options, test_arena());
    TrainArgs args = toy(&s->b, in(&s->b, "a"), NULL, 2);
    args.train.epochs = 1;
    args.model.n_layers = form->layers ? form->layers : 1;
    args.model.lal_pwff = form->pwff;
    args.model.lal_q_as_matrix = form->matrix;
    args.model.lal_combine_as_self = form->combined;
    args.options = &o;
    train_and_load(&s->m, &args);
}

/* The worker of a model that explains. */
static void look_at(Setup *s, const Model *m)
{
    worker_init(&s->w, m, device_cpu());
    s->o = parse_defaults(m);
    s->o.record = true;
}

static void pruned_ok(Model *to, const Model *from)
{
    model_init(to);
    assert_ok(model_prune(from, to, test_error()));
    assert_ok(params_upload(&to->ps, device_default(), test_error()));
}

static void assert_equal(Bench *b, const Model *x, const Model *y)
{
    enum { SENTENCES = 20 };
    ModelDifference d;
    assert_ok(parse_difference(x, y, parse_inputs(&b->dev.trees, SENTENCES), SENTENCES, &d, test_error()));
    assert_int_equal(d.sentences, SENTENCES);
    assert_int_equal(d.decided_otherwise, 0);
    if (!(d.numbers <= MODEL_ROUNDING)) fail_msg("off by %g", d.numbers);
}

static void finish(Setup *s)
{
    model_fini(&s->m);
    arena_fini(&s->arena);
    bench_fini(&s->b);
}

/* Both are the model with gates. */
static void saved_and_loaded(Model *again, Setup *s, const Model *small)
{
    assert_equal(&s->b, &s->m, small);
    assert_ok(model_save(small, in(&s->b, "b"), DT_F32, NULL, 0, NULL, test_error()));
    load_ok(again, in(&s->b, "b"));
    assert_same_params(&again->ps, &small->ps);
    assert_true(again->shared_block == small->shared_block);
    assert_equal(&s->b, &s->m, again);
}

TEST(a_pruned_model_parses_alike_also_after_saving_and_loading)
{
    for (size_t k = 0; k < sizeof FORMS / sizeof *FORMS; k++) {
        MADE(Setup, train_form, finish, s, &FORMS[k]);
        MADE(Model, pruned_ok, model_fini, small, &s.m);
        assert_true(params_total(&small.ps) < params_total(&s.m.ps));
        assert_int_equal(small.kept[0].n, 1);
        assert_int_equal(small.kept[1].n, 4);
        assert_int_equal(small.kept[1].item[1], 2);
        assert_true(encoder_options_plain(&small.options));
        assert_int_equal(model_format(&small), 2);
        MADE(Model, saved_and_loaded, model_fini, again, &s, &small);
        MADE(Model, model_init, model_fini, twice);
        assert_fails_with(model_prune(&again, &twice, test_error()), ERR_CONFIG, "no gates on its heads");
    }
}

/* Constant gates close heads of one layer, of all layers, and none; hard-concrete ones that are between 0 and 1 close
 * none and are multiplied into the weights. */
TEST(layers_without_heads_and_gates_between_0_and_1)
{
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
        { "{'gates': {'kind': 'hard_concrete', 'stacks': ['self', 'label'], 'log_alpha_init': 0.5, 'lambda': 0}}",
          { 2, 2 } },
        { "{'pal': {'layers': 'all', 'width': 8, 'heads': 4}, 'heads': ["
          "{'stack': 'pal', 'heads': [3], 'pattern': 'prev', 'use': 'fixed'}], 'gates': {'kind': 'constant', "
          "'stacks': ['self', 'pal'], 'constant': [1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0]}}",
          { 1, 2 } },
        { "{'pal': {'layers': [1], 'width': 8, 'heads': 4, 'at': 'attention'}, 'gates': {'kind': 'hard_concrete', "
          "'stacks': ['pal'], 'log_alpha_init': 0.5, 'lambda': 0}}",
          { 2, 2 } },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Form form = { .options = cases[k].options, .pwff = k % 2, .layers = 2 };
        MADE(Setup, train_form, finish, s, &form);
        MADE(Model, pruned_ok, model_fini, small, &s.m);
        MADE(Model, saved_and_loaded, model_fini, again, &s, &small);
        for (int l = 0; l < 2; l++) {
            assert_int_equal(small.net.encoder.attn[l].heads, cases[k].kept[l]);
            assert_int_equal(again.net.encoder.attn[l].heads, cases[k].kept[l]);
        }
    }
}

/* Gates that training has closed, not all of them. */
TEST(heads_that_training_has_closed_are_removed)
{
    FREED(finish) Setup s = { .o = { 0 } };
    GateCounts n;
    bench_init(&s.b, 80);
    arena_init(&s.arena, 4096);
    EncoderOptions o = toy_options("{'gates': {'kind': 'hard_concrete', 'stacks': ['self', 'label'], 'lambda': 0.1, "
                                   "'lr_scale': 30, 'log_alpha_init': 0.5}}",
                                   test_arena());
    TrainArgs args = toy(&s.b, in(&s.b, "a"), NULL, 2);
    args.model.lal_pwff = false;
    args.train.lr = 0.005;
    args.train.average = 0;
    args.train.epochs = 9;
    args.options = &o;
    train_and_load(&s.m, &args);
    assert_ok(model_gates(&s.m, &n, test_error()));
    MADE(Model, pruned_ok, model_fini, small, &s.m);
    int left = small.kept[0].n + small.kept[1].n;
    if (small.kept[1].all || small.kept[1].n < 1 || left != n.open || n.heads != 8)
        fail_msg("%d of %d heads are left, %d open", left, n.heads, n.open);
    assert_true(small.shared_block);
    assert_equal(&s.b, &s.m, &small);
}

static void parse_one(Setup *s, int k)
{
    const Sentence *sent = &s->b.dev.trees.s[k];
    ParseInput in = { .n_words = sent->n_words, .words = (const char *const *)sent->words };
    assert_ok(parse_batch(&s->w, &in, 1, &s->o, &s->arena, &s->p, test_error()));
}

static void assert_close_to(double found, double expected)
{
    assert_within(found, expected, (sizeof(Real) < 8 ? 3e-4 : 1e-9) * fmax(1, fabs(expected)));
}

/* The decision by both models, and without a tape by the pruned one. */
static void compare_explanations(Setup *big, Setup *small, const Why *why, const Decision *d)
{
    HeadAttribution a, b;
    double closed = 0;
    Standing p[2];
    assert_ok(explain_decision(&big->w, d, true, &big->arena, &a, &p[0], test_error()));
    assert_ok(explain_decision(&small->w, d, true, &small->arena, &b, &p[1], test_error()));
    assert_int_equal(a.heads, b.heads);
    assert_int_equal(attribution_left(&b), 4);
    assert_close_to(b.score, a.score);
    assert_close_to(b.bias, a.bias);
    assert_close_to(p[1].p, p[0].p);
    assert_close_to(p[1].rival_score, p[0].rival_score);
    assert_true(attribution_error(&a) < 1e-5 && attribution_error(&b) < 1e-5);
    for (int h = 0; h < a.heads; h++) {
        if (!attribution_has(&b, h)) {
            closed += a.head[h];
            assert_true(b.head[h] == 0 && explain_focus(&small->w, h, 0, 0).word == -1);
            continue;
        }
        assert_close_to(b.head[h], a.head[h]);
        assert_close_to(b.own[h], a.own[h]);
        assert_close_to(b.view[h], a.view[h]);
        assert_close_to(b.norm[h], a.norm[h]);
        assert_close_to(explain_focus(&small->w, h, 0, 2).inside, explain_focus(&big->w, h, 0, 2).inside);
        for (int t = 0; t < a.tokens; t++) assert_close_to(b.word[h * a.tokens + t], a.word[h * a.tokens + t]);
    }
    assert_close_to(b.rest, closed);
    if (d->kind == EXPLAIN_TYPE) return;
    WhyItem item = { .at = d->at, .head = arena_alloc(&small->arena, (size_t)b.heads, sizeof(Real)) };
    assert_ok(why_explain(why, &small->w, &item, 1, test_error()));
    assert_close_to(item.score, b.score);
    assert_close_to(item.rest, b.rest);
    for (int h = 0; h < b.heads; h++) assert_close_to((double)item.head[h], b.head[h]);
    if (d->kind != EXPLAIN_SPAN) return;
    bool removed[6] = { false, false, true }; /* head 2, which both have */
    double score[2];
    assert_ok(explain_score_without(&big->w, d, removed, &score[0], test_error()));
    assert_ok(explain_score_without(&small->w, d, removed, &score[1], test_error()));
    assert_close_to(score[1], score[0]);
}

TEST(explanations_of_a_pruned_model_are_those_of_the_gated_one)
{
    for (int k = 0; k < EXPLAINED_FORMS; k++) {
        FREED(why_fini) Why why;
        int checked = 0;
        MADE(Setup, train_form, finish, big, &FORMS[k]);
        MADE(Model, pruned_ok, model_fini, m, &big.m);
        look_at(&big, &big.m);
        Setup small = big;
        arena_init(&small.arena, 4096);
        look_at(&small, &m);
        assert_ok(why_init(&why, &m, true, true, test_error()));
        for (int i = 0; i < 4; i++) {
            parse_one(&big, i);
            parse_one(&small, i);
            for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_TYPE; kind++) {
                Decision *d;
                int n;
                assert_ok(explain_decisions(&big.m, &big.p, (ExplainKind)kind, &big.arena, &d, &n, test_error()));
                for (int j = 0; j < n; j++, checked++) compare_explanations(&big, &small, &why, &d[j]);
            }
        }
        assert_true(checked > 50);
        worker_fini(&big.w);
        worker_fini(&small.w);
        arena_fini(&small.arena);
    }
}

/* Head 1 of self-attention and label heads 0, 2, 3 and 5 are left. */
TEST(numbers_of_pruned_heads_are_checked)
{
    static const struct {
        const char *key, *value;
        Status status;
        const char *message;
    } cases[] = {
        { "encoder.attn_0.heads", "[2]", ERR_FORMAT,
          "found [2] as encoder.attn_0.heads, expected rising numbers of heads from 0 to 1" },
        { "encoder.attn_0.heads", "x", ERR_FORMAT,
          "found x as encoder.attn_0.heads, expected rising numbers of heads from 0 to 1" },
        { "encoder.attn_1.heads", "[0, 3, 2, 5]", ERR_FORMAT,
          "found [0, 3, 2, 5] as encoder.attn_1.heads, expected rising numbers of heads from 0 to 5" },
        { "encoder.attn_1.heads", "[0, 2, 3, 6]", ERR_FORMAT,
          "found [0, 2, 3, 6] as encoder.attn_1.heads, expected rising numbers of heads from 0 to 5" },
        { "encoder.attn_1.heads", "[0, 2, 3]", ERR_CONFIG,
          "tensor encoder.attn_1.w_qs1: found shape [4, 4], expected [3, 4] by the configuration" },
        { "encoder.attn_1.shared_block", "false", ERR_FORMAT,
          "found false as encoder.attn_1.shared_block, expected true, and encoder.attn_1.heads beside it" },
    };
    MADE(Setup, train_form, finish, s, &FORMS[0]);
    MADE(Model, pruned_ok, model_fini, small, &s.m);
    assert_ok(model_save(&small, in(&s.b, "b"), DT_F32, NULL, 0, NULL, test_error()));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        edit_model_metadata(in(&s.b, "b"), in(&s.b, "c"), cases[k].key, NULL, cases[k].value);
        assert_refused(in(&s.b, "c"), cases[k].status, cases[k].message);
    }
    small.shared_block = false; /* the vectors would be narrower than the weights that read them */
    assert_ok(model_save(&small, in(&s.b, "c"), DT_F32, NULL, 0, NULL, test_error()));
    assert_refused(in(&s.b, "c"), ERR_CONFIG,
                   "tensor f_label.0.weight: found shape [40, 24], expected [32, 24] by the configuration");
}

/* Training that begins with a pruned model has its shape, and its options name its heads. */
TEST(training_goes_on_with_a_pruned_model)
{
    static const char *const options[] = { NULL, "{'gates': {'kind': 'hard_concrete', 'stacks': ['self', 'label']}}" };
    for (int k = 0; k < 4; k++) {
        EncoderOptions o;
        MADE(Setup, train_form, finish, s, &FORMS[k % 2]);
        MADE(Model, pruned_ok, model_fini, small, &s.m);
        assert_ok(model_save(&small, in(&s.b, "b"), DT_F32, NULL, 0, NULL, test_error()));
        TrainArgs args = toy(&s.b, in(&s.b, "c"), in(&s.b, "c.ckpt"), 2);
        args.model.lal_pwff = FORMS[k % 2].pwff;
        args.start_from = in(&s.b, "b");
        args.train.lr = 0;
        args.train.average = 0;
        if (k >= 2) {
            o = toy_options(options[1], test_arena());
            args.options = &o;
        }
        MADE(Model, train_and_load, model_fini, next, &args);
        assert_equal(&s.b, &small, &next);
        assert_true(next.shared_block == small.shared_block && next.kept[1].n == 4 && next.kept[0].item[0] == 1);
        if (k >= 2) assert_int_equal(next.net.encoder.gate[1].heads, 4);
        args.train.lr = 0.003;
        args.stop_at_step = 2;
        assert_int_equal(trainer_run(&args, test_error()), ERR_INTERRUPTED);
        args.resume = args.checkpoint;
        args.start_from = NULL;
        args.stop_at_step = 0;
        MADE(Model, train_and_load, model_fini, last, &args);
        assert_int_equal(last.kept[1].n, 4);
        assert_true(memcmp(params_values(&last.ps), params_values(&small.ps), sizeof(Real) * 64) != 0);
        args.resume = NULL;
        args.start_from = in(&s.b, "b");
        args.model.n_label_heads = 7;
        assert_fails_with(trainer_run(&args, test_error()), ERR_CONFIG,
                          "found a pruned model that had 1 layers of 2 heads and 6 label heads, "
                          "expected the 1 of 2 and 7 of the run");
    }
}
