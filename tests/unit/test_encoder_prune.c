/* A model without its closed heads computes what the model with gates computes. */
#include "lal/encoder_prune.h"

#include "tests/support/encoder_net.h"

enum { READERS = 4, VALUES = 3, LAYERS = 3, ALL_LAYERS = 2 * LAYERS + 1, HEADS = 4, LABEL_HEADS = 5, COLS = 3 };
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
    bool own, phrases, both;   /* own projections; attention inside phrases, alone or beside views of words */
} Form;

typedef struct Net {
    Form form;
    EncoderNet e;
    int kept_head[ALL_LAYERS][LABEL_HEADS];
    HeadNumbers kept[ALL_LAYERS];
    EncoderReader reader[READERS]; /* in the order of EncoderReads */
    int readers;
    Tensor *read[READERS];
} Net;

/* The open heads of another model. */
static void keep(Net *y, const Net *from)
{
    for (int l = 0; l < ALL_LAYERS; l++) {
        y->kept[l].item = y->kept_head[l];
        assert_ok(encoder_prune_open(&from->e.enc, &from->e.ps, l, y->kept_head[l], &y->kept[l].n, test_error()));
    }
    y->kept[LAYERS].all = y->kept[LAYERS].n == LABEL_HEADS;
}

static void declare_readers(Net *y)
{
    static const char *const names[] = { "reader.tokens", "reader.fenceposts", "reader.phrases", "reader.meets" };
    int width = y->e.enc.width, sums = y->e.enc.phrase.heads * y->e.enc.phrase.values,
        rows[] = { width, width, sums, 1 }, cols[] = { COLS, COLS, COLS, 2 * sums };
    y->readers = sums ? READERS : 2;
    for (int k = 0; k < y->readers; k++) {
        y->reader[k].reads = (EncoderReads)k;
        assert_ok(param_declare(&y->reader[k].param, &y->e.ps, test_error(), 2, rows[k], cols[k], 0, "%s", names[k]));
    }
}

/* gates: names of stacks; from: NULL, or the model whose open heads this one has. */
static void net_init(Net *y, Form form, const char *gates, const Net *from)
{
    *y = (Net){ .form = form };
    encoder_net_init(&y->e);
    y->e.options.gates.kind = *gates ? GATES_HARD_CONCRETE : GATES_NONE;
    y->e.options.gates.stacks = gates;
    y->e.options.gates.label_at = form.outputs ? GATES_AT_OUTPUT : GATES_AT_CONTEXT;
    if (form.pal) y->e.options.pal.layers.all = true;
    y->e.options.pal.width = 12;
    y->e.options.pal.share = form.share;
    y->e.options.pal.at = form.share ? PAL_AT_ATTENTION : PAL_AT_FF;
    EncoderConfig c = encoder_net_config(&y->e, LAYERS, HEADS, LABEL_HEADS);
    c.lal_pwff = form.pwff;
    c.lal.q_as_matrix = form.matrix;
    c.lal.combine_as_self = form.combined;
    c.lal.own_reduce = form.own;
    c.phrases_alone = form.phrases;
    c.d_phrase = form.phrases || form.both ? VALUES : 0;
    c.kept = from ? y->kept : NULL;
    if (from) keep(y, from);
    if (from) c.shared_block = encoder_prune_shares(&from->e.enc, y->kept[LAYERS].n);
    assert_ok(encoder_declare(&y->e.enc, &y->e.ps, c, test_error()));
    declare_readers(y);
    assert_ok(params_finish(&y->e.ps, test_error()));
    encoder_net_plan(&y->e, "rel_pos", USE_MASK, 0, 2);
    encoder_net_plan(&y->e, "next", USE_FIXED, 2, 3);
    if (form.pal) encoder_net_plan(&y->e, "prev", USE_FIXED, layer_pal(LAYERS, 0), 3);
    if (form.pal) encoder_net_plan(&y->e, "rel_pos", USE_MASK, LAYERS + 3, 2);
    encoder_init(&y->e.enc, &y->e.ps, 5);
    for (int k = 0; k < y->e.ps.n; k++) /* and has an effect */
        if (strncmp(y->e.ps.p[k].name, "encoder.pal_", 12) == 0) param_init_normal(&y->e.ps, k, 0.5, 5);
    for (int k = 0; k < y->readers; k++) param_init_normal(&y->e.ps, y->reader[k].param, 1, 9);
    for (int k = 0; k < y->e.ps.n; k++) /* norms are not their start */
        if (strstr(y->e.ps.p[k].name, "layer_norm"))
            for (size_t i = 0; i < param_count(&y->e.ps.p[k]); i++)
                param_values(&y->e.ps, k)[i] += (Real)(0.2 * rng_normal((uint64_t)k, i));
}

static void prune(const Net *from, Net *to)
{
    assert_ok(
        encoder_prune(&from->e.enc, &from->e.ps, &to->e.enc, &to->e.ps, to->reader, to->readers, NULL, test_error()));
}

static void net_fini(Net *y) { encoder_net_fini(&y->e); }

/* A model with gates as in LOG_ALPHA. */
static void gated(Net *y, Form form)
{
    net_init(y, form, form.pal ? "self label pal" : "self label", NULL);
    for (int l = 0; l < (form.pal ? ALL_LAYERS : LAYERS + 1); l++)
        for (int h = 0; h < y->e.enc.gate[l].heads; h++)
            param_values(&y->e.ps, y->e.enc.gate[l].param)[h] =
                (Real)(l == LAYERS && form.open_label ? 3
                       : l == LAYERS && form.no_label ? -3
                                                      : LOG_ALPHA[l][h]);
}

static void forward(Net *y)
{
    const Forward f = encoder_net_forward(&y->e, false, NULL);
    Tape *t = &y->e.t;
    Real ones[TOKENS];
    for (int k = 0; k < TOKENS; k++) ones[k] = 1;
    Tensor *x[] = { y->e.out.word, y->e.out.fencepost, y->e.out.phrase, tape_constant(t, ones, TOKENS - 2, 1) };
    for (int k = 0; k < y->readers; k++)
        y->read[k] = op_linear(t, x[k], forward_param(&f, y->reader[k].param), NULL, false);
    if (y->readers == READERS)
        y->read[READERS - 1] = op_between(t, y->e.out.phrase, y->read[READERS - 1], y->read[READERS - 1], &BATCH);
    if (tape_status(t) != OK) fail_msg("%s", t->error.message);
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
    for (int l = 0; l < LAYERS; l++) assert_int_equal(small.e.enc.attn[l].heads, left[l]);
    assert_int_equal(encoder_head_row(&small.e.enc, 0, 2), 1);
    assert_int_equal(encoder_head_row(&small.e.enc, 0, 1), -1);
    assert_true(params_find(&small.e.ps, "encoder.attn_1.w_qkv1") < 0); /* a layer without heads */
    assert_true(params_total(&small.e.ps) < params_total(&big.e.ps));
    assert_null(small.e.enc.label_row);
    prune(&big, &small);
    forward(&big);
    forward(&small);
    for (int l = 0; l < LAYERS; l++) assert_equal(small.e.out.layer[l], big.e.out.layer[l]);
    assert_equal(small.e.out.fencepost, big.e.out.fencepost);
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
            assert_int_equal(encoder_heads(&small.e.enc, layer_pal(LAYERS, l)), left[share][l]);
        assert_int_equal(encoder_head_row(&small.e.enc, layer_pal(LAYERS, 0), 3), share ? 3 : 1);
        assert_int_equal(small.e.enc.gated[layer_pal(LAYERS, 0)], share);
        prune(&big, &small);
        assert_int_equal(small.e.ps.p[params_find(&small.e.ps, up)].rows, share ? 12 : 6);
        forward(&big);
        forward(&small);
        for (int l = 0; l < LAYERS; l++) assert_equal(small.e.out.layer[l], big.e.out.layer[l]);
        assert_equal(small.e.out.fencepost, big.e.out.fencepost);
        MADE(Net, net_init, net_fini, twice, big.form, share ? "pal" : "", &small);
        prune(&small, &twice);
        assert_same_params(&twice.e.ps, &small.e.ps);
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
        { { .own = true }, 3, 5, false },
        { { .own = true, .outputs = true }, 3, 5, false },
        { { .own = true, .matrix = true }, 3, 5, false },
        { { .phrases = true }, 3, 0, false },
        { { .phrases = true, .outputs = true }, 3, 0, false },
        { { .both = true }, 3, 4, true },
        { { .both = true, .outputs = true }, 3, 3, false },
        { { .phrases = true, .no_label = true }, 0, 0, false },
        { { .no_label = true }, 0, 1, true },
        { { .no_label = true, .pwff = true }, 0, 5, false },
        { { .no_label = true, .matrix = true }, 0, 1, true },
        { { .no_label = true, .combined = true }, 0, 0, false },
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        Form f = forms[k].form;
        MADE(Net, gated, net_fini, big, f);
        MADE(Net, net_init, net_fini, small, f, "", &big);
        assert_int_equal(small.e.enc.lal.c.heads, forms[k].heads);
        assert_int_equal(small.e.enc.width, f.combined || f.phrases ? D : forms[k].blocks * PROJ);
        assert_true(small.e.enc.c.shared_block == forms[k].shared);
        assert_true(params_total(&small.e.ps) < params_total(&big.e.ps));
        assert_int_equal(encoder_head_row(&small.e.enc, LAYERS, 2), forms[k].heads ? 1 : -1);
        assert_int_equal(encoder_head_row(&small.e.enc, LAYERS, 3), -1);
        assert_int_equal(encoder_has_label_heads(&small.e.enc), forms[k].heads && !f.matrix && !f.combined);
        prune(&big, &small);
        forward(&big);
        forward(&small);
        for (int r = 0; r < small.readers; r++) assert_equal(small.read[r], big.read[r]);
        if (f.pwff) assert_equal(small.e.out.word, big.e.out.word);
    }
}

TEST(without_a_label_head_at_its_output_nothing_is_left)
{
    Net small = { .form = { .outputs = true } };
    MADE(Net, gated, net_fini, big, (Form){ .outputs = true, .no_label = true });
    assert_false(encoder_prune_shares(&big.e.enc, 0));
    EncoderConfig c = big.e.enc.c;
    static const HeadNumbers kept[LAYERS + 1] = { { .all = true }, { .all = true }, { .all = true }, { .n = 0 } };
    c.kept = kept;
    c.options = NULL;
    params_init(&small.e.ps);
    assert_fails(encoder_declare(&small.e.enc, &small.e.ps, c, test_error()), ERR_CONFIG,
                 "all label heads were pruned at their outputs, expected one that is left");
    encoder_fini(&small.e.enc);
    params_fini(&small.e.ps);
}

/* Heads of a pruned model get gates, which close some more. */
TEST(a_pruned_model_can_be_pruned_further)
{
    for (int outputs = 0; outputs < 2; outputs++) {
        MADE(Net, gated, net_fini, big, (Form){ .pwff = false });
        MADE(Net, net_init, net_fini, small, big.form, "", &big);
        prune(&big, &small);
        MADE(Net, net_init, net_fini, again, (Form){ .outputs = outputs }, "label", &big); /* of the shape of `small` */
        for (int k = 0; k < again.e.ps.n; k++) {
            int j = params_find(&small.e.ps, again.e.ps.p[k].name);
            if (j >= 0)
                memcpy(param_values(&again.e.ps, k), param_values(&small.e.ps, j),
                       param_count(&small.e.ps.p[j]) * sizeof(Real));
        }
        static const Real log_alpha[] = { 0.3f, -4, 3 }; /* of heads 0, 2 and 4 */
        memcpy(param_values(&again.e.ps, again.e.enc.gate[LAYERS].param), log_alpha, sizeof log_alpha);
        MADE(Net, net_init, net_fini, smaller, again.form, "", &again);
        assert_int_equal(smaller.e.enc.lal.c.heads, 2);
        assert_int_equal(smaller.e.enc.width, 3 * PROJ); /* the shared block is still there */
        assert_int_equal(encoder_head_row(&smaller.e.enc, LAYERS, 4), 1);
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
    encoder_net_plan(&y->e, "next", USE_GUIDE, 0, 2);
    encoder_net_plan(&y->e, "next", USE_GUIDE, 1, 0);
    assert_ok(head_plan_targets(&y->e.enc.plan, SENTENCES, &BATCH, targets, &y->e.memory, test_error()));
    Forward f = { &y->e.t, &y->e.ps, NULL, &BATCH, SENTENCE, false };
    double loss =
        tape_number(&y->e.t, encoder_guidance(&f, &y->e.enc, &y->e.out, targets, GUIDANCE_ROW, EMPTY_SKIP, 2));
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
    HostMatrix a = tensor_host(&small.e.t, small.e.out.attention[0].probs, &small.e.t.host),
               b = tensor_host(&big.e.t, big.e.out.attention[0].probs, &big.e.t.host);
    assert_close(host_row(&a, 1), host_row(&b, 2), (size_t)a.cols, 1e-5, 1e-6); /* with its mask */
    assert_true(host_row(&a, 1)[2] == 0 && host_row(&a, 0)[2] != 0);
    Real factors[7 + LABEL_HEADS] = { 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }; /* heads that it has: 0, 2, 3 of layer 0 */
    EncoderControl control = { .factors = factors };
    Forward f = { &small.e.t, &small.e.ps, NULL, &BATCH, SENTENCE, false };
    encoder_forward(&f, &small.e.enc, small.e.out.layer[0], (Dropouts){ 0 }, &control, &small.e.out);
    const Tensor *context = small.e.out.attention[0].context;
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
    assert_same_params(&again.e.ps, &small.e.ps);
}

TEST(heads_and_gates_that_do_not_fit_are_errors)
{
    int head[HEADS], n;
    MADE(Net, gated, net_fini, big, (Form){ .pwff = false });
    MADE(Net, net_init, net_fini, small, big.form, "", &big);
    MADE(Net, net_init, net_fini, other, small.form, "", NULL); /* has all heads */
    prune(&big, &small);
    assert_fails(
        encoder_prune(&small.e.enc, &small.e.ps, &other.e.enc, &other.e.ps, other.reader, 2, NULL, test_error()),
        ERR_CONFIG, "layer 0 head 1 was pruned from this model");
    param_values(&big.e.ps, big.e.enc.gate[1].param)[2] = NAN;
    assert_fails_with(encoder_prune_open(&big.e.enc, &big.e.ps, 1, head, &n, test_error()), ERR_RANGE,
                      "encoder.attn_1.gate.log_alpha[2]");
    assert_fails(encoder_prune(&other.e.enc, &other.e.ps, &big.e.enc, &big.e.ps, big.reader, 2, NULL, test_error()),
                 ERR_CONFIG, "the model has no parameter encoder.attn_0.gate.log_alpha");
    for (long k = 0; k < 4; k++) {
        mem_fail_after(k);
        assert_int_equal(
            encoder_prune(&small.e.enc, &small.e.ps, &small.e.enc, &small.e.ps, small.reader, 2, NULL, test_error()),
            ERR_NOMEM);
        mem_fail_after(-1);
    }
}
