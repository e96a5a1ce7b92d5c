/* A model without its closed heads computes what the model with gates computes. */
#include "lal/encoder_prune.h"

#include "base/rng.h"
#include "tests/support/check.h"

enum { LAYERS = 3, ALL_LAYERS = 2 * LAYERS + 1, HEADS = 4, LABEL_HEADS = 5, D = 16, PROJ = 4, TOKENS = 13, COLS = 3 };
static const int START[] = { 0, 6, 13 }, SENTENCE[TOKENS] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 };
static const Batch BATCH = { 2, START, TOKENS, 7 };
static const PatternSentence SENTENCES[] = { { .n = 4 }, { .n = 5 } };
/* Layer 0 keeps heads 0, 2 and 3, layer 1 none, layer 2 all. Label heads 1 and 3 are closed. Projected attention keeps
 * heads 1 and 3 beside layer 0, none beside layer 1, all beside layer 2. */
static const double LOG_ALPHA[ALL_LAYERS][LABEL_HEADS] = { { 2.5, -3, 0.2, 1.1 }, { -3, -2.5, -4, -9 },
                                                           { 3, 3, 3, 2.4 },      { 3, -3, 0.5, -5, 3 },
                                                           { -3, 0.2, -4, 3 },    { -3, -9, -4, -5 },
                                                           { 0.3, 3, 1, 3 } };

/* The label attention layer, and what is closed. */
typedef struct Form {
    bool pwff, matrix, combined, outputs;
    bool open_label, no_label; /* all label heads are open, or closed */
    bool pal, share;           /* projected attention, where self-attention is added with share */
} Form;

typedef struct Net {
    Form form;
    ParamSet ps;
    Encoder enc;
    EncoderOptions options;
    Arena memory;
    Pattern pattern[4];
    PatternList list[4];
    int kept_head[ALL_LAYERS][LABEL_HEADS];
    HeadNumbers kept[ALL_LAYERS];
    EncoderReader reader[2]; /* of fenceposts, of tokens: [D, COLS] */
    Tape t;
    EncoderOutput out;
    Tensor *read[2];
} Net;

static void add_plan(Net *y, int which, const char *pattern, HeadUse use, int layer, int head)
{
    assert_ok(pattern_read(&y->pattern[which], pattern, NULL, &y->memory, test_error()));
    y->list[which] = (PatternList){ 1, &y->pattern[which] };
    assert_ok(head_plan_add(&y->enc.plan, &y->list[which], use, 1, &layer, &head, test_error()));
}

/* The open heads of another model. */
static void keep(Net *y, const Net *from)
{
    for (int l = 0; l < ALL_LAYERS; l++) {
        y->kept[l].item = y->kept_head[l];
        assert_ok(encoder_prune_open(&from->enc, &from->ps, l, y->kept_head[l], &y->kept[l].n, test_error()));
    }
    y->kept[LAYERS].all = y->kept[LAYERS].n == LABEL_HEADS;
}

static void declare_readers(Net *y)
{
    static const char *const names[] = { "reader.fenceposts", "reader.tokens" };
    for (int k = 0; k < 2; k++) {
        y->reader[k].fencepost = k == 0;
        assert_ok(param_declare(&y->reader[k].param, &y->ps, test_error(), 2, y->enc.width, COLS, 0, "%s", names[k]));
    }
}

/* gates: names of stacks; from: NULL, or the model whose open heads this one has. */
static void net_init(Net *y, Form form, const char *gates, const Net *from)
{
    *y = (Net){ .form = form };
    arena_init(&y->memory, 4096);
    tape_init(&y->t, device_cpu());
    params_init(&y->ps);
    encoder_options_defaults(&y->options);
    y->options.gates.kind = *gates ? GATES_HARD_CONCRETE : GATES_NONE;
    y->options.gates.stacks = gates;
    y->options.gates.label_at = form.outputs ? GATES_AT_OUTPUT : GATES_AT_CONTEXT;
    if (form.pal) y->options.pal.layers.all = true;
    y->options.pal.width = 12;
    y->options.pal.share = form.share;
    y->options.pal.at = form.share ? PAL_AT_ATTENTION : PAL_AT_FF;
    EncoderConfig c = { .d_model = D,
                        .n_layers = LAYERS,
                        .n_heads = HEADS,
                        .d_kv = 8,
                        .d_ff = 24,
                        .partitioned = true,
                        .use_lal = true,
                        .lal_pwff = form.pwff,
                        .lal = { .heads = LABEL_HEADS,
                                 .d_kv = 6,
                                 .d_proj = PROJ,
                                 .partitioned = true,
                                 .q_as_matrix = form.matrix,
                                 .combine_as_self = form.combined },
                        .options = &y->options,
                        .kept = from ? y->kept : NULL };
    if (from) keep(y, from);
    if (from) c.shared_block = encoder_prune_shares(&from->enc, y->kept[LAYERS].n);
    assert_ok(encoder_declare(&y->enc, &y->ps, c, test_error()));
    declare_readers(y);
    assert_ok(params_finish(&y->ps, test_error()));
    add_plan(y, 0, "rel_pos", USE_MASK, 0, 2);
    add_plan(y, 1, "next", USE_FIXED, 2, 3);
    if (form.pal) add_plan(y, 2, "prev", USE_FIXED, layer_pal(LAYERS, 0), 3);
    if (form.pal) add_plan(y, 3, "rel_pos", USE_MASK, LAYERS + 3, 2);
    encoder_init(&y->enc, &y->ps, 5);
    for (int k = 0; k < y->ps.n; k++) /* and has an effect */
        if (strncmp(y->ps.p[k].name, "encoder.pal_", 12) == 0) param_init_normal(&y->ps, k, 0.5, 5);
    for (int k = 0; k < 2; k++) param_init_normal(&y->ps, y->reader[k].param, 1, 9);
    for (int k = 0; k < y->ps.n; k++) /* norms are not their start */
        if (strstr(y->ps.p[k].name, "layer_norm"))
            for (size_t i = 0; i < param_count(&y->ps.p[k]); i++)
                param_values(&y->ps, k)[i] += (Real)(0.2 * rng_normal((uint64_t)k, i));
}

static void prune(const Net *from, Net *to)
{
    assert_ok(encoder_prune(&from->enc, &from->ps, &to->enc, &to->ps, to->reader, 2, NULL, test_error()));
}

static void net_fini(Net *y)
{
    tape_fini(&y->t);
    encoder_fini(&y->enc);
    params_fini(&y->ps);
    arena_fini(&y->memory);
}

/* A model with gates as in LOG_ALPHA. */
static void gated(Net *y, Form form)
{
    net_init(y, form, form.pal ? "self label pal" : "self label", NULL);
    for (int l = 0; l < (form.pal ? ALL_LAYERS : LAYERS + 1); l++)
        for (int h = 0; h < y->enc.gate[l].heads; h++)
            param_values(&y->ps, y->enc.gate[l].param)[h] = (Real)(l == LAYERS && form.open_label ? 3
                                                                   : l == LAYERS && form.no_label ? -3
                                                                                                  : LOG_ALPHA[l][h]);
}

static void forward(Net *y)
{
    static Real x[TOKENS * D];
    EncoderControl control = { .layer = NULL };
    for (size_t i = 0; i < TOKENS * D; i++) x[i] = (Real)rng_normal(7, i);
    tape_reset(&y->t, true, false, 0);
    assert_ok(head_plan_control(&y->enc.plan, SENTENCES, &BATCH, &y->memory, &control.layer, test_error()));
    Forward f = { &y->t, &y->ps, NULL, &BATCH, SENTENCE, false };
    encoder_forward(&f, &y->enc, tape_constant(&y->t, x, TOKENS, D), (Dropouts){ 0 }, &control, &y->out);
    for (int k = 0; k < 2; k++)
        y->read[k] =
            op_linear(&y->t, k ? y->out.word : y->out.fencepost, forward_param(&f, y->reader[k].param), NULL, false);
    if (!y->read[1]) fail_msg("%s", y->t.error.message);
}

/* max |a - b| <= 1e-5 (1 + max |b|), in double 1e-12. */
static void assert_equal(const Tensor *a, const Tensor *b)
{
    double worst = 0, largest = 0, tolerance = sizeof(Real) < 8 ? 1e-5 : 1e-12;
    assert_true(a->rows == b->rows && a->cols == b->cols);
    for (int r = 0; r < a->rows; r++)
        for (int c = 0; c < a->cols; c++) {
            double x = (double)tensor_row(a, r)[c], y = (double)tensor_row(b, r)[c];
            worst = fmax(worst, fabs(x - y));
            largest = fmax(largest, fabs(y));
        }
    if (!(worst <= tolerance * (1 + largest))) fail_msg("off by %g", worst);
}

TEST(a_model_without_its_closed_heads_is_equal_to_the_one_with_gates)
{
    static const int left[] = { 3, 0, 4 };
    MADE(Net, gated, net_fini, big, (Form){ .open_label = true });
    MADE(Net, net_init, net_fini, small, big.form, "", &big);
    for (int l = 0; l < LAYERS; l++) assert_int_equal(small.enc.attn[l].heads, left[l]);
    assert_int_equal(encoder_head_row(&small.enc, 0, 2), 1);
    assert_int_equal(encoder_head_row(&small.enc, 0, 1), -1);
    assert_true(params_find(&small.ps, "encoder.attn_1.w_qkv1") < 0); /* a layer without heads */
    assert_true(params_total(&small.ps) < params_total(&big.ps));
    assert_null(small.enc.label_row);
    prune(&big, &small);
    forward(&big);
    forward(&small);
    for (int l = 0; l < LAYERS; l++) assert_equal(small.out.layer[l], big.out.layer[l]);
    assert_equal(small.out.fencepost, big.out.fencepost);
}

/* Heads of projected attention, of which a layer keeps one; with one projection for all they stay, with their gates. */
TEST(projected_attention_without_its_closed_heads_is_equal_to_that_with_gates)
{
    static const int left[2][LAYERS] = { { 2, 1, 4 }, { 4, 4, 4 } };
    static const char up[] = "encoder.pal_0.up.weight";
    for (int share = 0; share < 2; share++) {
        MADE(Net, gated, net_fini, big, (Form){ .open_label = true, .pal = true, .share = share });
        MADE(Net, net_init, net_fini, small, big.form, share ? "pal" : "", &big);
        for (int l = 0; l < LAYERS; l++)
            assert_int_equal(encoder_heads(&small.enc, layer_pal(LAYERS, l)), left[share][l]);
        assert_int_equal(encoder_head_row(&small.enc, layer_pal(LAYERS, 0), 3), share ? 3 : 1);
        assert_int_equal(small.enc.gated[layer_pal(LAYERS, 0)], share);
        prune(&big, &small);
        assert_int_equal(small.ps.p[params_find(&small.ps, up)].rows, share ? 12 : 6);
        forward(&big);
        forward(&small);
        for (int l = 0; l < LAYERS; l++) assert_equal(small.out.layer[l], big.out.layer[l]);
        assert_equal(small.out.fencepost, big.out.fencepost);
        MADE(Net, net_init, net_fini, twice, big.form, share ? "pal" : "", &small);
        prune(&small, &twice);
        assert_int_equal(twice.ps.size, small.ps.size);
        assert_memory_equal(params_values(&twice.ps), params_values(&small.ps), small.ps.size * sizeof(Real));
    }
}

/* Label heads 1 and 3 are left out, or all: what reads the vectors gets the same. */
TEST(collapsed_label_heads_are_equal_to_gated_ones)
{
    static const struct {
        Form form;
        int heads, blocks; /* of the smaller model; 0 blocks: its vectors have none */
        bool shared;
    } forms[] = {
        { { .pwff = false }, 3, 4, true },
        { { .pwff = true }, 3, 5, false },
        { { .outputs = true }, 3, 3, false },
        { { .matrix = true }, 3, 4, true },
        { { .matrix = true, .pwff = true }, 3, 5, false },
        { { .matrix = true, .outputs = true }, 3, 3, false },
        { { .combined = true }, 3, 0, false },
        { { .combined = true, .pwff = true }, 3, 0, false },
        { { .combined = true, .matrix = true }, 3, 0, false },
        { { .no_label = true }, 0, 1, true },
        { { .no_label = true, .pwff = true }, 0, 5, false },
        { { .no_label = true, .matrix = true }, 0, 1, true },
        { { .no_label = true, .combined = true }, 0, 0, false },
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        Form f = forms[k].form;
        MADE(Net, gated, net_fini, big, f);
        MADE(Net, net_init, net_fini, small, f, "", &big);
        assert_int_equal(small.enc.lal.c.heads, forms[k].heads);
        assert_int_equal(small.enc.width, f.combined ? D : forms[k].blocks * PROJ);
        assert_true(small.enc.c.shared_block == forms[k].shared);
        assert_true(params_total(&small.ps) < params_total(&big.ps));
        assert_int_equal(encoder_head_row(&small.enc, LAYERS, 2), forms[k].heads ? 1 : -1);
        assert_int_equal(encoder_head_row(&small.enc, LAYERS, 3), -1);
        assert_int_equal(encoder_has_label_heads(&small.enc), forms[k].heads && !f.matrix && !f.combined);
        prune(&big, &small);
        forward(&big);
        forward(&small);
        for (int r = 0; r < 2; r++) assert_equal(small.read[r], big.read[r]);
        if (f.pwff) assert_equal(small.out.word, big.out.word);
    }
}

TEST(without_a_label_head_at_its_output_nothing_is_left)
{
    Net small = { .form = { .outputs = true } };
    MADE(Net, gated, net_fini, big, (Form){ .outputs = true, .no_label = true });
    assert_false(encoder_prune_shares(&big.enc, 0));
    EncoderConfig c = big.enc.c;
    static const HeadNumbers kept[LAYERS + 1] = { { .all = true }, { .all = true }, { .all = true }, { .n = 0 } };
    c.kept = kept;
    c.options = NULL;
    params_init(&small.ps);
    assert_fails(encoder_declare(&small.enc, &small.ps, c, test_error()), ERR_CONFIG,
                 "all label heads were pruned at their outputs, expected one that is left");
    encoder_fini(&small.enc);
    params_fini(&small.ps);
}

/* Heads of a pruned model get gates, which close some more. */
TEST(a_pruned_model_can_be_pruned_further)
{
    for (int outputs = 0; outputs < 2; outputs++) {
        MADE(Net, gated, net_fini, big, (Form){ .pwff = false });
        MADE(Net, net_init, net_fini, small, big.form, "", &big);
        prune(&big, &small);
        MADE(Net, net_init, net_fini, again, (Form){ .outputs = outputs }, "label", &big); /* of the shape of `small` */
        for (int k = 0; k < again.ps.n; k++) {
            int j = params_find(&small.ps, again.ps.p[k].name);
            if (j >= 0)
                memcpy(param_values(&again.ps, k), param_values(&small.ps, j),
                       param_count(&small.ps.p[j]) * sizeof(Real));
        }
        static const Real log_alpha[] = { 0.3f, -4, 3 }; /* of heads 0, 2 and 4 */
        memcpy(param_values(&again.ps, again.enc.gate[LAYERS].param), log_alpha, sizeof log_alpha);
        MADE(Net, net_init, net_fini, smaller, again.form, "", &again);
        assert_int_equal(smaller.enc.lal.c.heads, 2);
        assert_int_equal(smaller.enc.width, 3 * PROJ); /* the shared block is still there */
        assert_int_equal(encoder_head_row(&smaller.enc, LAYERS, 4), 1);
        prune(&again, &smaller);
        forward(&again);
        forward(&smaller);
        for (int r = 0; r < 2; r++) assert_equal(smaller.read[r], again.read[r]);
    }
}

/* A sentence's next token is the target of heads 2 of layer 0 and 0 of layer 1, which was pruned. */
static double guidance(Net *y)
{
    GuidanceTargets targets[2] = { { 0 } };
    add_plan(y, 1, "next", USE_GUIDE, 0, 2);
    add_plan(y, 1, "next", USE_GUIDE, 1, 0);
    assert_ok(head_plan_targets(&y->enc.plan, SENTENCES, &BATCH, targets, &y->memory, test_error()));
    Forward f = { &y->t, &y->ps, NULL, &BATCH, SENTENCE, false };
    double loss = tape_number(&y->t, encoder_guidance(&f, &y->enc, &y->out, targets, GUIDANCE_ROW, EMPTY_SKIP, 2));
    for (int k = 0; k < 2; k++) guidance_targets_fini(&targets[k]);
    return loss;
}

TEST(options_name_heads_by_their_numbers_before_pruning)
{
    MADE(Net, gated, net_fini, big, (Form){ .pwff = false });
    MADE(Net, net_init, net_fini, small, big.form, "", &big);
    prune(&big, &small);
    forward(&big);
    forward(&small);
    HostMatrix a = tensor_host(&small.t, small.out.attention[0].probs, &small.t.host),
               b = tensor_host(&big.t, big.out.attention[0].probs, &big.t.host);
    assert_close(host_row(&a, 1), host_row(&b, 2), (size_t)a.cols, 1e-5, 1e-6); /* with its mask */
    assert_true(host_row(&a, 1)[2] == 0 && host_row(&a, 0)[2] != 0);
    Real factors[7 + LABEL_HEADS] = { 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }; /* heads that it has: 0, 2, 3 of layer 0 */
    EncoderControl control = { .factors = factors };
    Forward f = { &small.t, &small.ps, NULL, &BATCH, SENTENCE, false };
    encoder_forward(&f, &small.enc, small.out.layer[0], (Dropouts){ 0 }, &control, &small.out);
    const Tensor *context = small.out.attention[0].context;
    for (int c = 0; c < 12; c++) assert_true((tensor_row(context, 0)[c] == 0) == (c >= 4 && c < 8));
    forward(&small);
    double with_gates = guidance(&big), pruned = guidance(&small);
    assert_true(with_gates > pruned && pruned > 0); /* by what the head without a place in it adds */
}

TEST(pruning_twice_changes_nothing)
{
    MADE(Net, gated, net_fini, big, (Form){ .pwff = false });
    MADE(Net, net_init, net_fini, small, big.form, "", &big);
    prune(&big, &small);
    MADE(Net, net_init, net_fini, again, small.form, "", &small);
    prune(&small, &again);
    assert_int_equal(again.ps.size, small.ps.size);
    assert_memory_equal(params_values(&again.ps), params_values(&small.ps), small.ps.size * sizeof(Real));
}

TEST(heads_and_gates_that_do_not_fit_are_errors)
{
    int head[HEADS], n;
    MADE(Net, gated, net_fini, big, (Form){ .pwff = false });
    MADE(Net, net_init, net_fini, small, big.form, "", &big);
    MADE(Net, net_init, net_fini, other, small.form, "", NULL); /* has all heads */
    prune(&big, &small);
    assert_fails(encoder_prune(&small.enc, &small.ps, &other.enc, &other.ps, other.reader, 2, NULL, test_error()),
                 ERR_CONFIG, "layer 0 head 1 was pruned from this model");
    param_values(&big.ps, big.enc.gate[1].param)[2] = NAN;
    assert_fails_with(encoder_prune_open(&big.enc, &big.ps, 1, head, &n, test_error()), ERR_RANGE,
                      "encoder.attn_1.gate.log_alpha[2]");
    assert_fails(encoder_prune(&other.enc, &other.ps, &big.enc, &big.ps, big.reader, 2, NULL, test_error()), ERR_CONFIG,
                 "the model has no parameter encoder.attn_0.gate.log_alpha");
    for (long k = 0; k < 4; k++) {
        mem_fail_after(k);
        assert_int_equal(
            encoder_prune(&small.enc, &small.ps, &small.enc, &small.ps, small.reader, 2, NULL, test_error()),
            ERR_NOMEM);
        mem_fail_after(-1);
    }
}

