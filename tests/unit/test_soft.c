/* Probabilities that a model writes, the file of them, and training on them. */
#define _XOPEN_SOURCE 700

#include "base/rng.h"
#include "parser/parse/parse_network.h"
#include "parser/task/parse/parse_loss.h"
#include "parser/output/output.h"
#include "parser/parse/soft_parse.h"
#include "tests/support/counting_device.h"
#include "tests/support/trained.h"

enum { SENTENCES = 3, N_PARTS = 4 };

static const ParseLoss SOFT[N_PARTS] = { LOSS_SOFT_HEAD, LOSS_SOFT_TYPE, LOSS_SOFT_TAG, LOSS_SOFT_SPAN },
                       HARD[N_PARTS] = { LOSS_HEAD, LOSS_TYPE, LOSS_TAG, LOSS_SPAN };

/* A small model that was trained for a moment, and a batch of its training sentences. */
typedef struct Batched {
    Trained x;
    ParseInput in[SENTENCES];
    Parsed parsed[SENTENCES];
    Worker w;
    Gold gold[SENTENCES];
    Arena a;
    LossParts parts;
} Batched;

static const SoftOptions OPTIONS = { .min = 0.01, .temperature = 0.5, .span_temperature = 0.3 };

static void batched_init(Batched *b)
{
    trained_init(&b->x);
    arena_init(&b->a, 4096);
    worker_init(&b->w, &b->x.m, device_cpu());
    ParseOptions o = parse_defaults(&b->x.m);
    o.observe = soft_observer(&OPTIONS);
    for (int k = 0; k < SENTENCES; k++) {
        const Sentence *sent = &b->x.b.train.trees.s[k];
        b->in[k] = parse_input(sent);
        assert_true(gold_make(&b->x.m, sent, oracle_convert(sent, &b->a), &b->a, &b->gold[k]));
    }
    assert_ok(parse_batch(&b->w, b->in, SENTENCES, &o, &b->a, b->parsed, test_error()));
}

static void batched_fini(Batched *b)
{
    worker_fini(&b->w);
    arena_fini(&b->a);
    trained_fini(&b->x);
}

/* The loss of the batch with these weights, recorded where there are gradients. */
static Tensor *loss_of(Batched *b, const LossWeights *weights, Real *grads)
{
    ArenaMark mark = arena_mark(&b->a);
    tape_reset(&b->w.tape, grads != NULL, false, 0);
    assert_ok(worker_forward(&b->w, grads, test_error()));
    Tensor *loss = network_loss(&b->w.forward, &b->x.m.net, &b->w.net, b->gold, weights, &b->a, &b->parts);
    if (!loss) fail_msg("%s", b->w.tape.error.message);
    arena_rewind(&b->a, mark);
    return loss;
}

static double part_of(Batched *b, ParseLoss part)
{
    LossWeights weights = parse_loss_weights(1, 1);
    loss_of(b, &weights, NULL);
    return b->parts.part[part];
}

/* ---- what a model writes */

TEST(distributions_begin_with_the_decision_and_sum_to_at_most_1)
{
    MADE(Batched, batched_init, batched_fini, b);
    for (int k = 0; k < SENTENCES; k++) {
        const SoftTargets *s = b.parsed[k].extra;
        const SoftRows *rows[] = { &s->tags, &s->heads, &s->types };
        const Vocab *names[] = { &b.x.m.tags, NULL, &b.x.m.types };
        const char *const *decided[] = { b.parsed[k].tags, NULL, b.parsed[k].types };
        assert_int_equal(s->tree.n_words, b.parsed[k].n_words);
        for (int r = 0; r < 3; r++)
            for (int w = 0; w < s->tree.n_words; w++) {
                double sum = 0;
                int first = rows[r]->start[w], end = rows[r]->start[w + 1];
                if (!names[r]) assert_int_equal(rows[r]->v[first].value, b.parsed[k].heads[w]);
                else assert_string_equal(vocab_text(names[r], rows[r]->v[first].value), decided[r][w]);
                for (int v = first; v < end; v++) {
                    sum += (double)rows[r]->v[v].p;
                    if (v > first) assert_true((double)rows[r]->v[v].p >= OPTIONS.min);
                    if (v > first + 1) assert_true(rows[r]->v[v].p <= rows[r]->v[v - 1].p);
                }
                assert_true(sum > 0.5 && sum < 1 + 1e-5);
            }
        assert_true(s->tree.spans[0].at.begin == 0 && s->tree.spans[0].at.end == s->tree.n_words);
    }
}

/* Trees are decoded from such scores, but their sums differ by less than a double can hold. */
TEST(probabilities_of_spans_that_are_lost_in_rounding_are_refused)
{
    MADE(Batched, batched_init, batched_fini, b);
    Model *m = &b.x.m;
    ParseOptions o = parse_defaults(m);
    Real *bias = param_values(&m->ps, parse_network(&m->net)->span.b2);
    for (int k = 0; k < parse_network(&m->net)->span.n_labels - 1; k++) bias[k] = (Real)(k % 2 ? 1e25 : -1e25);
    assert_ok(params_upload(&m->ps, device_cpu(), test_error()));
    MADE(Worker, worker_init, worker_fini, w, m, device_cpu());
    assert_ok(parse_batch(&w, b.in, SENTENCES, &o, &b.a, b.parsed, test_error()));
    o.observe = soft_observer(&OPTIONS);
    assert_fails_with(parse_batch(&w, b.in, SENTENCES, &o, &b.a, b.parsed, test_error()), ERR_NUMERIC,
                      "found probabilities of spans that are not finite");
}

/* ---- the loss */

/* Gold of sentence k, of n words. */
static void give_soft(Batched *b, int k, int n, const SoftTargets *s)
{
    ParseGold *gold = arena_calloc(&b->a, 1, sizeof *gold);
    *gold = (ParseGold){ .tree = { .n_words = n }, .soft = s };
    b->gold[k] = (Gold){ gold };
}

/* Soft targets that give the gold values probability 1. */
static void make_certain(Batched *b)
{
    for (int k = 0; k < SENTENCES; k++) {
        const ParseGold *g = parse_gold(&b->gold[k]);
        int n = g->tree.n_words;
        SoftTargets *s = arena_calloc(&b->a, 1, sizeof *s);
        const int *values[] = { g->heads, g->types, g->tags };
        SoftRows *rows[] = { &s->heads, &s->types, &s->tags };
        int *start = arena_alloc(&b->a, (size_t)n + 1, sizeof *start);
        for (int w = 0; w <= n; w++) start[w] = w;
        for (int r = 0; r < 3; r++) {
            SoftValue *v = arena_alloc(&b->a, (size_t)n, sizeof *v);
            for (int w = 0; w < n; w++) v[w] = (SoftValue){ values[r][w], 1 };
            *rows[r] = (SoftRows){ start, v };
        }
        SoftSpan *spans = arena_alloc(&b->a, (size_t)g->tree.n_nodes, sizeof *spans);
        for (int j = 0; j < g->tree.n_nodes; j++) spans[j] = (SoftSpan){ g->tree.nodes[j], 1 };
        s->tree = (SoftTree){ n, g->tree.n_nodes, spans };
        give_soft(b, k, n, s);
    }
}

TEST(targets_of_one_value_have_the_loss_of_gold)
{
    MADE(Batched, batched_init, batched_fini, b);
    double gold[N_PARTS];
    for (int p = 0; p < N_PARTS; p++) gold[p] = part_of(&b, HARD[p]);
    assert_int_equal(b.parts.soft, 0);
    make_certain(&b);
    for (int p = 0; p < N_PARTS - 1; p++) {
        double soft = part_of(&b, SOFT[p]);
        assert_true(gold[p] > 1);
        assert_within(soft, gold[p], 1e-6 * gold[p]);
        assert_true(b.parts.part[HARD[p]] == 0);
    }
    /* -log of the probability of the tree, but for the number of its binary forms: at least that much less */
    assert_true(part_of(&b, LOSS_SOFT_SPAN) > 0);
    assert_int_equal(b.parts.soft, SENTENCES);
}

/* One sentence has gold, the others the probabilities of the model itself, sharpened. */
static void make_mixed(Batched *b)
{
    for (int k = 1; k < SENTENCES; k++) give_soft(b, k, b->in[k].n_words, b->parsed[k].extra);
}

/* The relative error of the gradient g by differences, at some values of each parameter. */
static double gradient_error(Batched *b, const LossWeights *weights, const Real *g, double h)
{
    ParamSet *ps = &b->x.m.ps;
    double diff = 0, size = 0;
    for (int k = 0; k < ps->n; k++)
        for (size_t i = 0; i < 3 && ps->p[k].offset < ps->trained; i++) {
            size_t at = (size_t)(rng_uniform(9, (uint64_t)(3 * k) + i) * (double)param_count(&ps->p[k]));
            Real *value = param_values(ps, k) + at, keep = *value;
            *value = (Real)((double)keep + h);
            double up = tape_number(&b->w.tape, loss_of(b, weights, NULL));
            *value = (Real)((double)keep - h);
            double want = (up - tape_number(&b->w.tape, loss_of(b, weights, NULL))) / 2 / h,
                   found = (double)g[ps->p[k].offset + at];
            *value = keep;
            diff += (want - found) * (want - found);
            size += want * want;
        }
    assert_true(size > 1e-6);
    return sqrt(diff / size);
}

TEST(gradients_of_each_part_agree_with_finite_differences)
{
    double h = sizeof(Real) < 8 ? 1e-2 : 1e-5, tolerance = sizeof(Real) < 8 ? 0.1 : 1e-6;
    MADE(Batched, batched_init, batched_fini, b);
    make_mixed(&b);
    for (int p = 0; p < N_PARTS; p++) {
        LossWeights weights = { .part = { [LOSS_SPAN] = 0 } };
        weights.part[SOFT[p]] = 1;
        FREED(free_pointer) Real *g = mem_calloc(b.x.m.ps.trained, sizeof *g);
        assert_int_equal(tape_backward(&b.w.tape, loss_of(&b, &weights, g)), OK);
        double error = gradient_error(&b, &weights, g, h);
        if (error > tolerance) fail_msg("part %d: relative error %.2e", p, error);
    }
}

TEST(the_cut_changes_no_loss_and_little_of_the_gradient)
{
    MADE(Batched, batched_init, batched_fini, b);
    make_mixed(&b);
    LossWeights all = { .part = { [LOSS_SOFT_SPAN] = 1 } }, cut = all, most = all;
    cut.soft_cut = 1e-3;
    most.soft_cut = 1e9;
    size_t n = b.x.m.ps.trained;
    FREED(free_pointer) Real *g = mem_calloc(n, sizeof *g), *c = mem_calloc(n, sizeof *c);
    assert_int_equal(tape_backward(&b.w.tape, loss_of(&b, &all, g)), OK);
    double whole = b.parts.part[LOSS_SOFT_SPAN];
    assert_int_equal(tape_backward(&b.w.tape, loss_of(&b, &cut, c)), OK);
    assert_within(b.parts.part[LOSS_SOFT_SPAN], whole, 1e-5 * whole);
    double diff = 0, size = 0;
    for (size_t k = 0; k < n; k++) {
        diff += ((double)g[k] - (double)c[k]) * ((double)g[k] - (double)c[k]);
        size += (double)g[k] * (double)g[k];
    }
    assert_true(sqrt(diff) < 1e-2 * sqrt(size));
    loss_of(&b, &most, NULL);
    assert_within(b.parts.part[LOSS_SOFT_SPAN], whole, 1e-5 * whole);
}

/* ---- the file, and training on it */

/* What a model decides of the dev sentences, and its probabilities as lines. */
static void parse_dev(const Bench *b, const char *path, StrBuf *lines, int **heads, Arena *a)
{
    const Treebank *tb = &b->dev.trees;
    FREED(parser_fini) Parser p;
    MADE(Model, load_ok, model_fini, m, path);
    parser_ready(&p, &m, 2);
    p.o.observe = soft_observer(&OPTIONS);
    parse_all(&p, tb);
    OutputStyle style = { .format = &OUTPUT_SOFT, .treebank = "toy" };
    for (int k = 0; k < tb->n; k++) {
        if (lines) output_sentence(lines, &m, &p.result[k], &(Origin){ .id = 0 }, style);
        size_t size = (size_t)tb->s[k].n_words * sizeof **heads;
        heads[k] = memcpy(arena_alloc(a, size, 1), p.result[k].heads, size);
    }
}

enum { DEV = 60 };

/* The share of the heads of dev that are those of the teacher. */
static double agreement(const Bench *b, int *const *teacher, const char *pupil, Arena *a)
{
    int *heads[DEV];
    long same = 0, words = 0;
    parse_dev(b, pupil, NULL, heads, a);
    for (int k = 0; k < DEV; k++)
        for (int w = 0; w < b->dev.trees.s[k].n_words; w++, words++) same += heads[k][w] == teacher[k][w];
    return (double)same / (double)words;
}

/* Writes what a teacher says of dev to the file v. */
static void teach(Bench *b, int **heads, Arena *a)
{
    FREED(strbuf_fini) StrBuf lines = { 0 };
    bench_init(b, 200);
    TrainArgs teacher = toy(b, in(b, "c"), NULL, 2);
    teacher.train.epochs = 12;
    teacher.train.lr = 0.01;
    train_ok(&teacher);
    parse_dev(b, in(b, "c"), &lines, heads, a);
    write_bytes(in(b, "v"), lines.ptr, lines.len);
}

typedef struct Losses {
    double first, last;
    long asked; /* how often for memory before the first update */
} Losses;

static void note_loss(void *context, const TrainEvent *event)
{
    Losses *l = context;
    if (event->kind == TRAIN_STARTED) l->asked = counted.allocations;
    if (event->kind != TRAIN_PROGRESS) return;
    assert_int_equal(counted.allocations, l->asked);
    const TrainProgress *p = &event->progress;
    int k = 0;
    while (k < p->n_losses && strcmp(p->loss[k].label, "soft") != 0) k++;
    assert_true(k < p->n_losses);
    if (l->first == 0) l->first = p->loss[k].value;
    l->last = p->loss[k].value;
}

TEST(a_pupil_learns_what_its_teacher_says)
{
    FREED(corpus_fini) Corpus soft;
    int *heads[DEV];
    MADE(Bench, teach, bench_fini, b, heads, test_arena());
    assert_ok(corpus_load_soft(&soft, in(&b, "v"), "soft", test_error()));
    assert_int_equal(soft.trees.n, DEV);
    TrainArgs pupil = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    Losses losses = { 0, 0, 0 };
    pupil.corpora = &soft;
    pupil.n_dev = 0;
    pupil.train.lr = 0.01;
    pupil.train.max_updates = 1;
    train_ok(&pupil);
    double start = agreement(&b, heads, in(&b, "a"), test_arena());
    pupil.out = in(&b, "b");
    pupil.train.max_updates = 0;
    pupil.train.epochs = 40;
    pupil.observer = (TrainObserver){ note_loss, &losses };
    pupil.device = counting_device(device_cpu(), SIZE_MAX);
    train_ok(&pupil);
    double end = agreement(&b, heads, in(&b, "b"), test_arena());
    if (end < start + 0.2) fail_msg("%.3f of the heads at the start, %.3f at the end", start, end);
    if (losses.last > 0 && !(losses.last <= losses.first)) fail_msg("loss %.3f, then %.3f", losses.first, losses.last);
}

TEST(a_run_with_gold_and_soft_targets_resumes_bit_equal)
{
    Corpus both[2];
    int *heads[DEV];
    MADE(Bench, teach, bench_fini, b, heads, test_arena());
    both[0] = b.train;
    assert_ok(corpus_load_soft(&both[1], in(&b, "v"), "soft", test_error()));
    TrainArgs args = toy(&b, NULL, in(&b, "a.ckpt"), 1);
    args.corpora = both;
    args.n_corpora = 2;
    args.train.mix = (OptionList){ 2, { "toy=0.5", "soft=1.5" } };
    args.train.vary_case = args.train.vary_final = args.train.vary_quotes = 0.3;
    args.train.soft_weight = 0.7;
    Losses losses = { 0, 0, 0 };
    args.observer = (TrainObserver){ note_loss, &losses };
    args.device = counting_device(device_cpu(), SIZE_MAX);
    assert_resumes_bit_equal(&b, args);
    corpus_fini(&both[1]);
}

/* ---- reading */

static Status load(const char *text, Corpus *c, Error *e)
{
    Status s = corpus_load_soft(c, test_text("soft", text), "x", e);
    snprintf(e->path, sizeof e->path, "%s", e->path[0] ? "soft" : "");
    return s;
}

TEST(what_is_read_sums_to_1)
{
    FREED(corpus_fini) Corpus c;
    const char *text = "\n{\"words\": [\"a\", \"b\"], \"tags\": [[\"X\", 0.6, \"Y\", 0.2], [\"Y\", 1]], "
                       "\"heads\": [[2, 0.5], [0, 1]], \"types\": [[\"t\", 1], [\"root\", 1]], "
                       "\"spans\": [[0, 2, \"S\", 0.4], [0, 2, \"NP\", 0.4], [0, 1, \"NP\", 0.3]]}\n";
    assert_ok(load(text, &c, test_error()));
    const SoftTargets *s = &c.soft->each[0];
    assert_int_equal(c.trees.s[0].line, 2);
    assert_string_equal(c.trees.s[0].tags[0], "X");
    assert_int_equal(c.trees.s[0].heads[0], 2);
    assert_within((double)s->tags.v[0].p, 0.75, 1e-6);
    assert_within((double)s->heads.v[0].p, 1, 1e-6);
    assert_within((double)s->tree.spans[1].p, 0.5, 1e-6);
    assert_within((double)s->tree.spans[2].p, 0.3, 1e-6);
}

TEST(faults_are_refused_with_their_places)
{
    static const Refused cases[] = {
        { "", "soft:1:1: found no sentence, expected soft targets" },
        { "{\"words\": [\"a\"]\n", "soft:1:16: found the end, expected more JSON" },
        { "[1]\n", "soft:1:1: found another JSON value, expected an object" },
        { "{\"words\": [\"a\"]}\n", "soft:1:1: found no probabilities, expected tags, heads or spans" },
        { "\n{\"words\": [\"a\"], \"tag\": 1}\n",
          "soft:2:18: unknown key \"tag\", expected treebank, words, tags, heads, types or spans" },
        { "{\"words\": [\"a\"], \"words\": [\"a\"]}\n", "soft:1:27: found \"words\" twice or null" },
        { "{\"words\": []}\n", "soft:1:11: found no words, expected an array \"words\" of strings" },
        { "{\"words\": [\"a\", \"\"]}\n", "soft:1:17: found no word, expected a text on one line" },
        { "{\"words\": [\"a\"], \"tags\": [[\"X\", 1], [\"X\", 1]]}\n",
          "soft:1:26: found 2 tags, expected 1, one for each word" },
        { "{\"words\": [\"a\"], \"tags\": [[\"X\"]]}\n",
          "soft:1:27: found another value, expected an array of values and their probabilities" },
        { "{\"words\": [\"a\"], \"tags\": [[\"X\", 1.5]]}\n",
          "soft:1:33: found 1.5, expected a probability from 0.0001 to 1" },
        { "{\"words\": [\"a\"], \"tags\": [[\"X\", -0.5]]}\n",
          "soft:1:33: found -0.5, expected a probability from 0.0001 to 1" },
        { "{\"words\": [\"a\"], \"tags\": [[\"X\", 0.7, \"Y\", 0.6]]}\n",
          "soft:1:43: found probabilities that sum to 1.3, expected at most 1" },
        { "{\"words\": [\"a\"], \"tags\": [[\"X\", 0.7, \"X\", 0.1]]}\n", "soft:1:38: found the same tag twice" },
        { "{\"words\": [\"a\"], \"tags\": [[3, 0.7]]}\n", "soft:1:28: found no tag, expected a text without blanks" },
        { "{\"words\": [\"a\"], \"heads\": [[2, 1]]}\n", "soft:1:29: found 2, expected a head from 0 to 1" },
        { "{\"words\": [\"a\"], \"heads\": [[1, 1]]}\n", "soft:1:29: found 1, the word itself, expected another head" },
        { "{\"words\": [\"a\", \"b\"], \"heads\": [[2, 1], [1, 1]]}\n",
          "soft:1:33: found first heads with a cycle, expected those of a tree" },
        { "{\"words\": [\"a\"], \"types\": [[\"root\", 1]]}\n", "soft:1:27: found types without heads, expected both" },
        { "{\"words\": [\"a\"], \"spans\": [[0, 2, \"S\", 1]]}\n", "soft:1:32: found 2, expected an end from 1 to 1" },
        { "{\"words\": [\"a\"], \"spans\": [[0, 1, \"<H>\", 1]]}\n",
          "soft:1:35: found <H> on a single word or the whole sentence, expected another label" },
        { "{\"words\": [\"a\", \"b\"], \"spans\": [[0, 1, \"S\", 1]]}\n",
          "soft:1:32: found no label of the whole sentence, expected one at least" },
        { "{\"words\": [\"a\", \"b\"], \"spans\": [[0, 1, \"S\", 1], [0, 2, \"S\", 1]]}\n",
          "soft:1:49: found spans out of order, expected them by begin, longer ones first" },
        { "{\"words\": [\"a\"], \"spans\": [[0, 1, \"S\", 0.4], [0, 1, \"S\", 0.3]]}\n",
          "soft:1:53: found the same label twice" },
        { "{\"words\": [\"a\"], \"spans\": [[0, 1, \"S\", 0.4], [0, 1, \"T\", 0.8]]}\n",
          "soft:1:58: found probabilities that sum to 1.2, expected at most 1" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Corpus c;
        assert_fails_with(load(cases[k].text, &c, test_error()), ERR_FORMAT, cases[k].message);
    }
}
