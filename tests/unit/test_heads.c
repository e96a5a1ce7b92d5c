/* Patterns, measures and importance of heads, against small examples computed by hand and
 * identities of every network. */
#define _POSIX_C_SOURCE 200809L
#include "base/rng.h"
#include "parser/task/classify/class_heads.h"
#include "parser/task/parse/parse_heads.h"
#include "parser/model/model_file.h"
#include "parser/task/classify/classify.h"
#include "parser/task/parse/parse_loss.h"
#include <strings.h>

#include "tests/support/toy.h"
#include "tests/support/toy_options.h"

static const double EXACT = sizeof(Real) == sizeof(double) ? 1e-9 : 2e-4;

static const char *const DOGS[] = { "Dogs", "bark", ",", "dogs", "run" };
static const int DOG_HEADS[] = { 2, 0, 2, 5, 2 };
static const char *const DOG_TYPES[] = { "nsubj", "root", "punct", "nsubj", "parataxis" };
static const int DOG_DF[] = { 3, 1, 5500, 3, 20 };
static const int DOG_SPANS[][2] = { { 0, 5 }, { 0, 2 }, { 0, 1 }, { 1, 2 }, { 3, 5 }, { 3, 4 }, { 4, 5 } };
static const PatternSentence DOG = {
    .n = 5, .words = DOGS, .heads = DOG_HEADS, .types = DOG_TYPES, .df = DOG_DF, .spans = DOG_SPANS, .n_spans = 7
};

TEST(global_relevance_is_a_share_of_attention)
{
    static const char *const words[] = { "a", "a" };
    const PatternSentence s = { .n = 2, .words = words };
    static const Real a[] = { 0,        0,        0,        0,        (Real).1, (Real).2, (Real).6, (Real).1,
                              (Real).1, (Real).5, (Real).3, (Real).1, 0,        0,        0,        0 };
    const HeadWeights w = { a, 4, 1 };
    static const struct {
        const char *name;
        double gr;
    } cases[] = {
        { "next", .35 }, { "prev", .30 }, { "match_token", .55 }, { "self", .25 }, { "rel_pos", .9 }
    }; /* rel_pos = self + next + prev */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(global_relevance_fini) GlobalRelevance g;
        Pattern p;
        uint8_t allowed[16];
        assert_ok(global_relevance_init(&g, 1, test_error()));
        assert_ok(pattern_read(&p, cases[k].name, NULL, test_arena(), test_error()));
        assert_ok(pattern_fill(&p, &s, allowed, test_arena(), test_error()));
        global_relevance_add(&g, allowed, 2, &w);
        assert_true(fabs(g.sum[0] - cases[k].gr) < 1e-6);
    }
    const uint8_t next[16] = { 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
    GlobalRelevance g;
    assert_int_equal(global_relevance_init(&g, 1, NULL), OK);
    g.tokens = true; /* START and STOP look nowhere */
    global_relevance_add(&g, next, 2, &w);
    assert_true(fabs(g.sum[0] - .7 / 4) < 1e-6 && fabs(g.uniform - 3. / 16) < 1e-12);
    global_relevance_fini(&g);
    double heads[16] = { 0 };
    heads[3] = 1;
    ThreeSigma t = three_sigma(heads, 16);
    assert_true(fabs((1 - t.mean) / t.deviation - sqrt(15)) < 1e-12);
    assert_true(heads[3] > t.threshold);
    t = three_sigma(heads, 10); /* an outlier of ten reaches three deviations, no more */
    assert_true(fabs((1 - t.mean) / t.deviation - 3) < 1e-12);
}

/* Weights of a matrix with `rows` rows of `keys` keys, a causal one without those after each row. */
static void draw_weights(Real *a, int rows, int keys, bool causal, uint64_t seed)
{
    for (int i = 0; i < rows; i++) {
        int last = causal ? i : keys - 1;
        double sum = 0;
        for (int j = 0; j < keys; j++) {
            double x = j <= last ? exp(4 * rng_uniform(rng_key(seed, (uint64_t)i, (uint64_t)j, 0), 0)) : 0;
            a[i * keys + j] = (Real)x;
            sum += x;
        }
        for (int j = 0; j < keys; j++) a[i * keys + j] = (Real)((double)a[i * keys + j] / sum);
    }
}

TEST(divergence_of_heads_is_that_of_their_rows)
{
    enum { N = 3, M = N + 2 };
    Real a[M * M], b[M * M], one[M * M] = { 0 }, other[M * M] = { 0 };
    draw_weights(a, M, M, false, 5);
    draw_weights(b, M, M, false, 6);
    double sum = 0;
    for (int i = 1; i <= N; i++) {
        double left = 0, right = 0;
        one[i * M + i] = other[i * M + i - 1] = 1;
        for (int j = 0; j < M; j++) {
            double p = (double)a[i * M + j], q = (double)b[i * M + j], mean = (p + q) / 2;
            left += p * log(p / mean) / log(2);
            right += q * log(q / mean) / log(2);
        }
        sum += (left + right) / 2 / N;
    }
    const HeadWeights x = { a, M, 1 }, y = { b, M, 1 }, u = { one, M, 1 }, v = { other, M, 1 }, label = { a + M, 0, 1 };
    assert_within(head_divergence(&x, &y, N), sum, 1e-9);
    assert_within(head_divergence(&y, &x, N), sum, 1e-9);
    assert_within(head_divergence(&x, &x, N), 0, 1e-12);
    assert_within(head_divergence(&u, &v, N), 1, 1e-12); /* no key in common */
    assert_within(head_divergence(&u, NULL, N), .5 * (log2(2 * 5. / 6) + log2(2. / 6) / 5 + .8), 1e-9);
    assert_within(head_divergence(&label, &label, N), 0, 1e-12);
    assert_true(head_divergence(&label, NULL, N) > 0);
    assert_true(head_divergence(&x, &y, 0) == 0);
}

TEST(one_hot_heads_have_their_function)
{
    enum { M = 7 };
    Real next[M * M] = { 0 }, head[M * M] = { 0 };
    for (int i = 0; i < M; i++) {
        next[i * M + (i + 1 < M ? i + 1 : i)] = 1;
        head[i * M + (i >= 1 && i <= 5 && DOG_HEADS[i - 1] ? DOG_HEADS[i - 1] : i)] = 1;
    }
    const Real label[M] = { 0, 0, (Real).6, 0, (Real).4, 0, 0 }; /* a label head: one row for all queries */
    const HeadWeights w[] = { { next, M, 1 }, { head, M, 1 }, { label, 0, 1 } };
    const int counts[] = { 30, 7, 900, 30, 7 };
    HeadFunctions f;
    assert_ok(head_functions_init(&f, 3, test_error()));
    f.rare_below = 10;
    f.offset[0][TO_HEAD] = 1;
    head_functions_add(&f, &DOG, counts, w);
    assert_int_equal(f.queries, 5);
    assert_int_equal(f.positional_queries[1], 4);
    assert_int_equal(f.positional[1][0], 4); /* the last word looks at STOP, which does not count */
    assert_int_equal(f.relation_queries[0][TO_HEAD], 2);
    assert_int_equal(f.relation[0][TO_HEAD][1], 2);
    assert_true(head_baseline(&f, 0, TO_HEAD) == 1);
    assert_true(isnan(head_baseline(&f, 0, TO_DEPENDENT)));   /* its offset is not known */
    assert_true(isnan(head_baseline(&f, 1, TO_HEAD)));        /* no query */
    assert_int_equal(f.relation_queries[0][TO_DEPENDENT], 2); /* bark and run have a subject */
    assert_true(fabs(f.confidence[2] - 5 * .6) < 1e-6);
    assert_int_equal(f.rare_queries, 5);
    assert_int_equal(f.rare_one[2], 5); /* bark has the least count, as run */
    head_functions_fini(&f);
    RelationOffsets o = { .count = { { { 0 } } } };
    relation_offsets_add(&o, &DOG);
    assert_int_equal(relation_offsets_best(&o, 0, TO_HEAD), 1);
    assert_int_equal(relation_offsets_best(&o, 0, TO_DEPENDENT), -1);
    assert_int_equal(relation_offsets_best(&o, 2, TO_HEAD), 0);
}

/* A head in the middle of 150 words, whose dependents are subjects: each distance occurs once, and the farthest arcs
 * are not counted. */
TEST(distances_of_dependents_are_counted_by_relation_and_side)
{
    enum { N = 150, HEAD = 75, COUNTED = 64 };
    int heads[N];
    const char *types[N];
    long count[RELATION_DISTANCES];
    RelationOffsets o = { .count = { { { 0 } } } };
    for (int c = 1; c <= N; c++) {
        heads[c - 1] = c == HEAD ? 0 : HEAD;
        types[c - 1] = c < HEAD ? "nsubj" : c == HEAD + 2 ? "obj" : "amod";
    }
    relation_offsets_add(&o, &(PatternSentence){ .n = N, .heads = heads, .types = types });
    assert_int_equal(relation_offsets_distances(&o, 0, count), COUNTED);
    for (int k = 0; k < RELATION_DISTANCES; k++)
        assert_int_equal(count[k], k == 0 ? COUNTED - HEAD_OFFSET_MOST : k <= HEAD_OFFSET_MOST);
    assert_int_equal(relation_offsets_distances(&o, 1, count), 1);
    assert_int_equal(count[HEAD_OFFSET_MOST + 1 + 2], 1);
    assert_int_equal(relation_offsets_distances(&o, 2, count), COUNTED - 1);
    assert_int_equal(count[RELATION_DISTANCES - 1], COUNTED - HEAD_OFFSET_MOST);
    assert_int_equal(count[HEAD_OFFSET_MOST + 1 + 2], 0);
    assert_int_equal(relation_offsets_distances(&o, 3, count), 0);
}

/* An attention from each word to its head, and to the next word: every relation to the head, and offset +1, in all
 * queries. */
TEST(an_attention_to_heads_has_all_syntactic_functions_and_one_to_the_next_word_is_positional)
{
    enum { M = 7, N = 5 };
    static const char *const words[] = { "Big", "dogs", "chase", "cats", "quickly" };
    static const char *const types[][N] = { { "amod", "nsubj", "root", "dobj", "advmod" },
                                            { "amod", "nsubj", "root", "obj", "advmod" } };
    static const int heads[N] = { 2, 3, 0, 3, 3 };
    Real next[M * M] = { 0 }, head[M * M] = { 0 };
    for (int i = 0; i < M; i++) {
        next[i * M + (i + 1) % M] = 1;
        head[i * M + (i >= 1 && i <= N ? heads[i - 1] : i)] = 1;
    }
    const HeadWeights w[] = { { next, M, 1 }, { head, M, 1 } };
    FREED(head_functions_fini) HeadFunctions f;
    assert_ok(head_functions_init(&f, 2, test_error()));
    for (int k = 0; k < 2; k++)
        head_functions_add(&f, &(PatternSentence){ .n = N, .words = words, .heads = heads, .types = types[k] }, NULL,
                           w);
    assert_int_equal(f.positional_queries[1], 2 * (N - 1));
    assert_int_equal(f.positional[1][0], 2 * (N - 1));
    assert_int_equal(f.positional[0][0], 0);
    for (int r = 0; r < HEAD_RELATIONS; r++) {
        assert_int_equal(f.relation_queries[r][TO_HEAD], 2);
        assert_int_equal(f.relation[r][TO_HEAD][1], 2);
    }
}

/* By plain loops: queries first .. last, of which query i sees the units 1 .. n, or 1 .. i of a causal matrix. */
static void assert_functions(const HeadFunctions *f, const HeadUnits *u, int h, const Real *a, int keys)
{
    double confidence = 0;
    long start = 0, positional[HEAD_OFFSETS] = { 0 }, queries[HEAD_OFFSETS] = { 0 };
    for (int i = u->first; i < u->first + u->n_queries; i++) {
        int best = 1, top = 0;
        const Real *row = a + (ptrdiff_t)i * keys;
        for (int j = 2; j <= u->n_keys; j++) best = row[j] > row[best] ? j : best;
        for (int j = 1; j < keys; j++) top = row[j] > row[top] ? j : top;
        confidence += (double)row[best];
        start += top == 0;
        for (int k = 0; k < HEAD_OFFSETS; k++) {
            int j = i + u->shift + HEAD_OFFSET[k];
            positional[k] += j == best;
            queries[k] += j >= 1 && j <= (u->causal ? i : u->n_keys);
        }
    }
    assert_within(f->confidence[h], confidence, 1e-5);
    assert_int_equal(f->start[h], start);
    for (int k = 0; k < HEAD_OFFSETS; k++) {
        assert_int_equal(f->positional[k][h], positional[k]);
        assert_int_equal(f->positional_queries[k], queries[k]);
    }
}

TEST(functions_of_other_matrices_are_those_of_plain_loops)
{
    enum { N = 9, M = 6, HEADS = 3, MOST = 16 };
    static const struct {
        HeadUnits units;
        int rows, keys;
    } cases[] = { { { .first = 1, .n_queries = N, .n_keys = N }, N + 2, N + 2 },
                  { { .first = 1, .n_queries = N, .n_keys = N, .causal = true }, N + 1, N + 1 },
                  { { .first = 0, .n_queries = N + 1, .n_keys = M, .shift = 1 }, N + 1, M + 2 },
                  { { .first = 0, .n_queries = M + 1, .n_keys = N, .shift = 1 }, M + 1, N + 2 } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Real a[HEADS][MOST * MOST];
        HeadWeights w[HEADS];
        FREED(head_functions_fini) HeadFunctions f;
        assert_ok(head_functions_init(&f, HEADS, test_error()));
        for (int h = 0; h < HEADS; h++) {
            draw_weights(a[h], cases[k].rows, cases[k].keys, cases[k].units.causal, 10 * k + (uint64_t)h);
            w[h] = (HeadWeights){ a[h], cases[k].keys, 1 };
        }
        head_functions_add_units(&f, &cases[k].units, w);
        assert_int_equal(f.queries, cases[k].units.n_queries);
        for (int h = 0; h < HEADS; h++) assert_functions(&f, &cases[k].units, h, a[h], cases[k].keys);
    }
}

TEST(importance_is_normalised_by_layer_or_over_all)
{
    const int heads[] = { 2, 1 };
    double l2[] = { 3, 4, 5 }, sum[] = { 3, 1, 5 }, minmax[] = { 3, 1, 5 }, equal[] = { 2, 2, 2 };
    head_normalise(l2, heads, 2, NORMALISE_LAYER_L2);
    assert_true(fabs(l2[0] - .6) < 1e-12 && fabs(l2[1] - .8) < 1e-12 && l2[2] == 1);
    head_normalise(sum, heads, 2, NORMALISE_LAYER_SUM);
    assert_true(sum[0] == .75 && sum[1] == .25 && sum[2] == 1);
    head_normalise(minmax, heads, 2, NORMALISE_MINMAX);
    assert_true(minmax[0] == .5 && minmax[1] == 0 && minmax[2] == 1);
    head_normalise(equal, heads, 2, NORMALISE_MINMAX);
    assert_true(equal[0] == 0 && equal[2] == 0);
}

/* In one sentence, without biases, a head has equal sums of w dL/dw over its values, of w dL/dw over its output
 * weights, and of o dL/do; and equal sums over queries and over keys. Shares of a layer add up to one. */
static void assert_sums_agree(const Model *m, const HeadReport *r, int explained)
{
    assert_int_equal(r->losses, 1);
    assert_int_equal(r->n_heads, 2 * 2 + 6);
    assert_true(r->worst < EXACT);
    double largest = 0;
    for (int h = 0; h < r->n_heads; h++) largest = fmax(largest, r->gate[h]);
    assert_true(largest > 0);
    for (int l = 0; l < 2; l++)
        for (int h = 0; h < 2; h++) {
            HeadSlice s[HEAD_SLICES];
            double part[4] = { 0 }, squares = 0;
            int n = head_slices(&m->net.encoder, l, h, s);
            assert_int_equal(n, 8);
            for (int k = 0; k < n; k++) {
                const Param *q = &m->ps.p[s[k].param];
                head_slice_products(params_values(&m->ps) + q->offset, r->grads + q->offset, q->cols, &s[k],
                                    &part[k % 4], &squares);
            }
            double gate = r->gate[r->first[l] + h], tolerance = EXACT * fmax(1, largest);
            assert_true(fabs(part[0] - part[1]) < tolerance); /* queries, keys */
            assert_true(fabs(part[2] - part[3]) < tolerance); /* values, output */
            assert_true(fabs(fabs(part[2]) - gate) < tolerance);
        }
    for (int what = 0; what < explained; what++) {
        assert_int_equal(r->explained[what], 1);
        for (int l = 0; l < r->n_layers; l++) {
            double sum = 0;
            for (int h = r->first[l]; h < r->first[l + 1]; h++) sum += r->share[what][h];
            assert_true(fabs(sum - 1) < 1e-9);
        }
    }
}

TEST(taylor_sums_of_a_head_agree_with_its_gate)
{
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs args = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    args.model.n_layers = 2;
    MADE(Model, train_and_load, model_fini, m, &args);
    FREED(head_report_fini) HeadReport r;
    ParseOptions o = parse_defaults(&m);
    o.record = true;
    MADE(Worker, worker_init, worker_fini, w, &m, device_cpu());
    assert_ok(head_report_init(&r, &m, NULL, NULL, 0, true, test_error()));
    assert_ok(parse_heads_add(&r, &w, &b.dev.trees.s[0], &o, test_error()));
    assert_sums_agree(&m, &r, EXPLAINED);
}

/* The absolute sum of relevance by layer-wise rules is kept down to the inputs: only the heads of layers have a
 * share. */
TEST(layer_wise_relevance_of_a_parser_is_kept)
{
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs args = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    args.model.n_layers = 2;
    MADE(Model, train_and_load, model_fini, m, &args);
    ParseOptions o = parse_defaults(&m);
    o.record = true;
    MADE(Worker, worker_init, worker_fini, w, &m, device_cpu());
    double share[2][EXPLAINED];
    for (int rule = 0; rule < 2; rule++) {
        FREED(head_report_fini) HeadReport r;
        assert_ok(head_report_init(&r, &m, NULL, NULL, 0, false, test_error()));
        r.rule = rule;
        for (int k = 0; k < 3; k++) assert_ok(parse_heads_add(&r, &w, &b.dev.trees.s[k], &o, test_error()));
        assert_true(r.worst < EXACT);
        for (int what = 0; what < EXPLAINED; what++) {
            share[rule][what] = r.share[what][0];
            for (int l = 0; l < r.n_layers; l++) {
                double sum = 0;
                for (int h = r.first[l]; h < r.first[l + 1]; h++) sum += r.share[what][h];
                assert_within(sum, (double)r.explained[what], 1e-6);
            }
        }
    }
    for (int what = 0; what < EXPLAINED; what++) assert_true(fabs(share[0][what] - share[1][what]) > 1e-4);
}

/* The same of a classifier, whose loss is -log of the probability of the gold class. */
TEST(heads_of_a_classifier_are_measured_by_its_loss)
{
    MADE(Bench, bench_init, bench_fini, b, 60);
    for (int k = 0; k < b.train.trees.n; k++) b.train.trees.s[k].target = k % 3 ? "odd" : "even";
    TrainArgs args = toy(&b, in(&b, "a"), NULL, 2);
    args.task = &TASK_CLASSIFY;
    args.n_dev = 0;
    args.model.n_layers = 2;
    MADE(Model, train_and_load, model_fini, m, &args);
    FREED(head_report_fini) HeadReport r;
    FREED(classifier_fini) Classifier c;
    MADE(Worker, worker_init, worker_fini, w, &m, device_cpu());
    Sentence *sent = &b.train.trees.s[0];
    ParseInput in = parse_input(sent);
    ClassText text, end;
    int best;
    Real p[2];
    assert_ok(head_report_init(&r, &m, NULL, NULL, 0, true, test_error()));
    r.masked_most = 1;
    assert_ok(class_heads_text(&m, &b.train, 0, 0, test_arena(), &text, test_error()));
    assert_ok(class_heads_text(&m, &b.train, 0, text.next, test_arena(), &end, test_error()));
    assert_null(end.labels); /* a sentence is one text */
    assert_ok(class_heads_add(&r, &w, &text, test_error()));
    assert_sums_agree(&m, &r, 1);
    assert_string_equal(r.explained_name[0], "classes");
    assert_null(r.explained_name[1]);
    assert_ok(classifier_init(&c, &m, device_cpu(), 1, test_error()));
    assert_ok(classifier_run(&c, &in, 1, &best, p, test_error()));
    assert_within(r.masked_loss, -log((double)p[text.labels[2]]), 1e-4);
    sent->target = "other";
    assert_fails_with(class_heads_text(&m, &b.train, 0, 0, test_arena(), &text, test_error()), ERR_FORMAT,
                      "found class 'other'");
}

/* A report on one sentence by a model over a pretrained encoder. */
typedef struct OnEncoder {
    Model m;
    Worker w;
    Arena a;
    HeadReport r;
} OnEncoder;

static void on_encoder(OnEncoder *x, const char *file)
{
    static const char *words[] = { "a", "dogs" };
    static int heads[] = { 2, 0 };
    ParseOptions o;
    model_init(&x->m);
    arena_init(&x->a, 1 << 16);
    assert_ok(device_default()->start(1, false, test_error()));
    assert_ok(model_load_any(&x->m, file, NULL, test_error()));
    const char *type = vocab_text(&x->m.types, vocab_size(&x->m.types) - 1), *types[] = { type, type };
    Sentence sent = { .n_words = 2, .words = words, .heads = heads, .types = types };
    o = parse_defaults(&x->m);
    o.record = true;
    worker_init(&x->w, &x->m, device_default());
    assert_ok(head_report_init(&x->r, &x->m, NULL, NULL, 0, true, test_error()));
    x->r.masked_most = 1;
    assert_ok(parse_heads_add(&x->r, &x->w, &sent, &o, test_error()));
}

static void on_encoder_fini(OnEncoder *x)
{
    head_report_fini(&x->r);
    worker_fini(&x->w);
    arena_fini(&x->a);
    model_fini(&x->m);
}

/* The gate of a head, <o, dL/do>, is the sum of w dL/dw over the weights that read its output. */
TEST(heads_of_a_pretrained_encoder_are_measured)
{
    static const char *const files[] = { "tests/fuzz/seeds/model/on-bert", "tests/fuzz/seeds/model/on-mpnet",
                                         "tests/fuzz/seeds/model/on-xlnet" };
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        MADE(OnEncoder, on_encoder, on_encoder_fini, x, files[f]);
        const HeadReport *r = &x.r;
        const PretrainedConfig *c = &x.m.pretrained;
        char name[HEAD_NAME];
        double largest = 0;
        assert_int_equal(r->losses, 1);
        assert_int_equal(r->n_heads - r->own_heads, c->n_layers * c->n_heads);
        assert_int_equal(r->functions[0].heads, r->n_heads);
        assert_true(r->loss_pieces >= 4 && r->worst < EXACT);
        head_report_name(r, r->n_heads - 1, name);
        assert_int_equal(head_of_name(r, name), r->n_heads - 1);
        assert_true(strncmp(name, "pretrained:", 11) == 0);
        for (int l = 0; l < r->n_layers; l++) {
            const HeadLayer at = head_report_layer(r, l);
            double sum = 0;
            for (int h = r->first[l]; h < r->first[l + 1]; h++) {
                sum += r->share[1][h];
                assert_true(isnan(r->masked[h]) == (at.kind == HEADS_PRETRAINED));
                if (at.kind != HEADS_PRETRAINED) continue;
                HeadSlice s[HEAD_SLICES];
                double out = 0, squares = 0;
                const SelfAttention *sa = &x.m.net.embedding.pretrained.encoder.attn[at.l];
                assert_int_equal(head_slices_self(sa, &c->d_head, h - r->first[l], s), 4);
                const Param *q = &x.m.ps.p[s[3].param];
                head_slice_products(params_values(&x.m.ps) + q->offset, r->grads + q->offset, q->cols, &s[3], &out,
                                    &squares);
                assert_within(r->gate[h], fabs(out), EXACT * fmax(1, fabs(out)));
                largest = fmax(largest, r->gate[h]);
            }
            assert_true(r->first[l] == r->first[l + 1] || fabs(sum - 1) < 1e-6);
        }
        assert_true(largest > 0);
    }
}

/* What a report says of the first n dev sentences; finished. */
static void report_on(HeadReport *r, const Model *m, const Bench *b, int n, const char *const *patterns, int n_patterns)
{
    ParseOptions o = parse_defaults(m);
    o.record = true;
    MADE(Worker, worker_init, worker_fini, w, m, device_cpu());
    assert_ok(head_report_init(r, m, NULL, patterns, n_patterns, true, test_error()));
    for (int k = 0; k < n; k++) assert_ok(parse_heads_add(r, &w, &b->dev.trees.s[k], &o, test_error()));
    assert_ok(head_report_finish(r, test_error()));
}

static void trained_with(Bench *b, Model *m, const char *options, double lr)
{
    EncoderOptions o;
    bench_init(b, 60);
    TrainArgs args = toy(b, in(b, "a"), NULL, 2);
    if (options) {
        o = toy_options(options, test_arena());
        args.options = &o;
    }
    args.train.lr = lr;
    args.train.epochs = 1;
    train_and_load(m, &args);
}

/* Queries Q B and keys K B^-T of head 0 of a layer give the same logits. B is diagonal, or a shear. */
static void change_basis(Model *m, int layer, bool diagonal)
{
    HeadSlice s[HEAD_SLICES];
    int n = head_slices(&m->net.encoder, layer, 0, s), of_half = n / 2;
    assert_true(n > 0 && n % 2 == 0);
    for (int half = 0; half < 2; half++)
        for (int side = 0; side < 2; side++) { /* queries, keys */
            const HeadSlice *x = &s[half * of_half + side];
            int cols = m->ps.p[x->param].cols;
            for (int r = x->row; r < x->row + x->rows; r++) {
                Real *w = param_values(&m->ps, x->param) + r * cols + x->col;
                if (diagonal) w[0] *= side ? (Real)0.25 : 4;
                else if (side) w[0] -= 2 * w[1];
                else w[1] += 2 * w[0];
            }
        }
}

static void assert_alike(const double *found, const double *expected, int n, bool alike)
{
    double largest = 0, worst = 0, tolerance = sizeof(Real) == sizeof(double) ? 1e-9 : 5e-3;
    for (int h = 0; h < n; h++) {
        largest = fmax(largest, fabs(expected[h]));
        worst = fmax(worst, fabs(found[h] - expected[h]));
    }
    assert_true(largest > 0);
    if (alike != (worst <= tolerance * largest)) fail_msg("off by %g of %g", worst, largest);
}

TEST(another_basis_of_queries_and_keys_leaves_gates_and_taylor_group_and_a_diagonal_one_taylor_param)
{
    FREED(model_fini) Model m;
    MADE(Bench, trained_with, bench_fini, b, &m, NULL, 0.003);
    MADE(HeadReport, report_on, head_report_fini, before, &m, &b, 3, NULL, 0);
    for (int diagonal = 1; diagonal >= 0; diagonal--) { /* the shear last: it is not taken back */
        for (int layer = 0; layer < 2; layer++) change_basis(&m, layer, diagonal); /* self-attention, label heads */
        MADE(HeadReport, report_on, head_report_fini, r, &m, &b, 3, NULL, 0);
        assert_alike(r.gate, before.gate, r.n_heads, true);
        assert_alike(r.taylor_group, before.taylor_group, r.n_heads, true);
        for (int layer = 0; layer < 2; layer++) {
            int h = r.first[layer];
            assert_alike(&r.taylor_param[h], &before.taylor_param[h], 1, diagonal);
        }
    }
}

TEST(a_closed_head_has_no_importance)
{
    FREED(model_fini) Model m;
    MADE(Bench, trained_with, bench_fini, b, &m, "{'gates': {'kind': 'constant', 'constant': [1, 0]}}", 0.003);
    MADE(HeadReport, report_on, head_report_fini, r, &m, &b, 2, NULL, 0);
    const double *const measures[] = { r.gate, r.gate_token, r.taylor_param, r.taylor_group };
    for (int k = 0; k < 4; k++) assert_true(measures[k][0] > 0 && measures[k][1] == 0);
}

/* The share of words that have a twin in their sentence, mean over sentences. */
static double share_of_twins(const Bench *b, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++) {
        const Sentence *s = &b->dev.trees.s[k];
        int twins = 0;
        for (int i = 0; i < s->n_words; i++) {
            bool twin = false;
            for (int j = 0; j < s->n_words; j++) twin |= j != i && strcasecmp(s->words[i], s->words[j]) == 0;
            twins += twin;
        }
        sum += (double)twins / s->n_words / n;
    }
    return sum;
}

TEST(all_keys_have_relevance_1_and_a_fixed_head_the_share_of_rows_with_a_key)
{
    enum { N = 20 };
    static const char *const patterns[] = { "rel_pos/window=999", "match_token", "prev", "self", "next", "rel_pos" };
    FREED(bench_fini) Bench b;
    FREED(model_fini) Model m;
    trained_with(&b, &m,
                 "{'heads': [{'heads': [0], 'pattern': 'match_token', 'use': 'fixed'},"
                 "{'heads': [1], 'pattern': 'prev', 'use': 'fixed'}]}",
                 0.003);
    MADE(HeadReport, report_on, head_report_fini, r, &m, &b, N, patterns, 6);
    double twins = share_of_twins(&b, N);
    assert_true(twins > 0.05 && twins < 0.95);
    for (int h = 0; h < r.n_heads; h++) {
        assert_true(fabs(r.gr[0].sum[h] / N - 1) < 1e-6);
        double sum = r.gr[2].sum[h] + r.gr[3].sum[h] + r.gr[4].sum[h]; /* disjoint patterns */
        assert_true(fabs(sum - r.gr[5].sum[h]) < 1e-6 * N);
    }
    assert_true(fabs(r.gr[0].uniform / N - 1) < 1e-6);
    assert_true(fabs(r.gr[1].sum[0] / N - twins) < 1e-6);
    assert_true(fabs(r.gr[2].sum[1] / N - 1) < 1e-6); /* every word has a token before it */
}

static double loss_with(Worker *w, const Model *m, const Gold *g, const Real *gates, Arena *a)
{
    LossParts parts;
    LossWeights weights = parse_loss_weights(1, 1);
    tape_reset(&w->tape, false, false, 0);
    w->packed.control = (EncoderControl){ .factors = gates };
    assert_ok(worker_forward(w, NULL, test_error()));
    return (double)network_loss(&w->forward, &m->net, &w->net, g, &weights, a, &parts)->data[0];
}

/* The derivative of the loss by a factor on a head's context equals the gate measure; factor 1 changes nothing. */
TEST(factors_on_heads_have_the_slope_of_their_gates)
{
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs args = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    MADE(Model, train_and_load, model_fini, m, &args);
    MADE(Arena, arena_init, arena_fini, a, 4096);
    FREED(head_report_fini) HeadReport r, one;
    ParseOptions o = parse_defaults(&m);
    o.record = true;
    MADE(Worker, worker_init, worker_fini, w, &m, device_cpu());
    assert_ok(head_report_init(&r, &m, NULL, (const char *const[]){ "next" }, 1, true, test_error()));
    r.masked_most = 1;
    const Sentence *s = &b.dev.trees.s[0];
    assert_ok(parse_heads_add(&r, &w, s, &o, test_error()));
    assert_ok(parse_heads_add(&r, &w, &b.dev.trees.s[1], &o, test_error()));
    assert_int_equal(r.n_masked, 1);
    assert_ok(head_report_init(&one, &m, NULL, (const char *const[]){ "next" }, 1, true, test_error()));
    assert_ok(parse_heads_add(&one, &w, s, &o, test_error())); /* the worker keeps this sentence */
    Gold g;
    assert_true(gold_make(&m, s, oracle_convert(s, &a), &a, &g));
    Real gates[8];
    for (int h = 0; h < 8; h++) gates[h] = 1;
    double whole = loss_with(&w, &m, &g, NULL, &a), step = sizeof(Real) == sizeof(double) ? 1e-5 : 1e-2, largest = 1;
    assert_true(fabs(loss_with(&w, &m, &g, gates, &a) - whole) < 1e-5 * fmax(1, whole));
    assert_true(fabs(r.masked_loss - whole) < 1e-4 * fmax(1, whole));
    for (int h = 0; h < 8; h++) largest = fmax(largest, one.gate[h]);
    for (int h = 0; h < 2; h++) { /* self-attention; a label head's gate is on its outputs, the factor on its context */
        gates[h] = (Real)(1 + step);
        double up = loss_with(&w, &m, &g, gates, &a);
        gates[h] = (Real)(1 - step);
        double down = loss_with(&w, &m, &g, gates, &a);
        gates[h] = 1;
        assert_true(fabs(fabs(up - down) / (2 * step) - one.gate[h]) < 0.05 * largest);
    }
    for (int h = 0; h < 8; h++) {
        gates[h] = 0;
        assert_true(fabs(loss_with(&w, &m, &g, gates, &a) - whole - r.masked[h]) < 1e-3 * fmax(1, whole));
        gates[h] = 1;
    }
}

/* A failed allocation is an error, or has no effect on the result: no measure is left out silently, nothing is freed
 * twice. */
TEST(reports_return_every_failed_allocation)
{
    TOY_MODEL(b, m, 30);
    const Sentence *gold = &b.dev.trees.s[0];
    ParseOptions o = parse_defaults(&m);
    o.record = true;
    for (long n = 0; allocation_fails(n); n++) {
        FREED(head_report_fini) HeadReport r;
        Error *e = test_error();
        MADE(TrainingCounts, training_counts_init, training_counts_fini, counts);
        MADE(Worker, worker_init, worker_fini, w, &m, device_cpu());
        mem_fail_after(n);
        Status s = training_counts_add(&counts, gold, e);
        Status i = head_report_init(&r, &m, &counts, NULL, 0, true, e);
        r.masked_most = 1;
        if (s == OK) s = i;
        if (s == OK) s = parse_heads_add(&r, &w, gold, &o, e);
        if (assert_ok_or_no_memory(s)) {
            assert_int_equal(r.functions[0].queries, gold->n_words);
            assert_true(r.explained[0] == 1 && r.explained[1] == 1 && r.losses == 1 && r.n_masked == 1);
            assert_true(r.functions[0].confidence[0] > 0 && r.gr[0].sentences == 1);
        }
    }
}

TEST(correlations_of_values_and_of_ranks)
{
    const double a[] = { 1, 2, 3, 4 }, square[] = { 1, 4, 9, 16 }, ties[] = { 4, 4, 2, 1 }, flat[] = { 5, 5, 5, 5 };
    double p, s;
    (void)head_correlation(a, square, 4, &p, &s);
    assert_true(fabs(p - 0.9843740387) < 1e-9 && fabs(s - 1) < 1e-12);
    (void)head_correlation(a, ties, 4, &p, &s);
    assert_true(fabs(s + 0.9486832981) < 1e-9); /* ranks 3.5 3.5 2 1 */
    (void)head_correlation(a, flat, 4, &p, &s);
    assert_true(p == 0 && s == 0);
}
