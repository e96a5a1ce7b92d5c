/* The parser, its interpreters and its training on a device whose memory is not the
 * host's. The checking device (tests/support/checking_device.h) has the kernels of the CPU, so it gives the same bytes.
 * With TEST_DEVICE=cuda it is CUDA, whose sums are formed in another order: trees, heads, types and tags are the same,
 * other numbers within a tolerance; and two runs on CUDA give the same bytes, whatever the order of threads. */
#define _POSIX_C_SOURCE 200809L
#include "explain/explain.h"
#include "explain/fast/why.h"
#include "parser/task/parse/parse_heads.h"
#include "parser/model/batch.h"
#include "parser/task/parse/parse_loss.h"
#include "tensor/optimizer.h"
#include "tests/support/checking_device.h"
#include "tests/support/trained.h"

/* The tolerances of CUDA, relative to 1 + |x| of a number x: of scores and probabilities of arcs, of what interpreters
 * say, of losses and of weights. Differences are about 1e-7, 1e-5, 1e-7 and 1e-5. */
#define SCORES 1e-5
#define EXPLAINED 1e-4
#define LOSSES 1e-5
#define WEIGHTS 1e-4

static const Device *other(void)
{
    const Device *d = test_device();
    return d == device_cpu() ? device_checking() : d;
}
static bool exact(void) { return other() == device_checking(); }
/* Emulation is slow. */
static int how_many(int sentences) { return exact() ? sentences : sentences / 5; }

/* Words are the same in both texts; numbers, too, or on CUDA within the tolerance. */
static void assert_alike(const StrBuf *here, const StrBuf *there, double tolerance)
{
    const char *a = here->ptr, *b = there->ptr, *space = " \n";
    if (exact()) {
        assert_string_equal(a, b);
        return;
    }
    while (*a && *b) {
        size_t n = strcspn(a, space), m = strcspn(b, space);
        if (n != m || memcmp(a, b, n) != 0) {
            char *a_end, *b_end;
            double x = strtod(a, &a_end), y = strtod(b, &b_end);
            if (a_end != a + n || b_end != b + m || !(fabs(x - y) <= tolerance * (1 + fabs(x))))
                fail_msg("found '%.*s' on %s, expected '%.*s'", (int)m, b, other()->name, (int)n, a);
        }
        a += n + (a[n] != 0);
        b += m + (b[m] != 0);
    }
    assert_int_equal(*a, *b);
}

TEST(another_device_parses_alike)
{
    FREED(strbuf_fini) StrBuf here = { 0 }, there = { 0 };
    Worker w;
    Parsed p;
    MADE(Trained, trained_init, trained_fini, x);
    x.b.dev.trees.n = how_many(60);
    ParseInput first = { x.b.dev.trees.s[0].n_words, x.b.dev.trees.s[0].words, NULL, NULL, NULL, NULL };
    ParseOptions o = parse_defaults(&x.m);
    worker_init(&w, &x.m, other());
    assert_fails(parse_batch(&w, &first, 1, &o, test_arena(), &p, test_error()), ERR_CONFIG,
                 test_format("the parameters are not on %s", other()->name));
    worker_fini(&w);
    assert_int_equal(params_upload(&x.m.ps, other(), NULL), OK);
    trained_parse(&x, device_cpu(), 1, &here);
    trained_parse(&x, other(), 3, &there);
    assert_alike(&here, &there, SCORES);
}

/* With every kind of option: parsed here, on the other device, and in both places by the model that is saved and loaded
 * again. */
TEST(a_model_with_options_parses_alike_after_loading_and_on_another_device)
{
    FREED(strbuf_fini) StrBuf here = { 0 }, there = { 0 };
    MADE(Trained, trained_init_options, trained_fini, x, TOY_EVERYTHING);
    x.b.dev.trees.n = how_many(60);
    trained_parse(&x, device_cpu(), 2, &here);
    assert_int_equal(params_upload(&x.m.ps, other(), NULL), OK);
    trained_parse(&x, other(), 2, &there);
    assert_alike(&here, &there, SCORES);
    assert_int_equal(params_upload(&x.m.ps, device_cpu(), NULL), OK);
    assert_ok(model_save(&x.m, in(&x.b, "c"), DT_F32, NULL, 0, NULL, test_error()));
    model_fini(&x.m);
    load_ok(&x.m, in(&x.b, "c"));
    trained_unpack(&x);
    trained_parse(&x, device_cpu(), 2, test_out());
    assert_string_equal(here.ptr, test_written());
    assert_int_equal(params_upload(&x.m.ps, other(), NULL), OK);
    test_device_order(2);
    trained_parse(&x, other(), 1, test_out());
    assert_string_equal(there.ptr, test_written());
    encoder_options_to_json(&x.m.options, test_out());
    assert_non_null(strstr(test_written(), "\"pattern\": [\"seprat\", \"rel_pos\"], \"use\": \"mask\""));
}

/* As `lal parse --device cuda` does it: the device is chosen, then the model is loaded. On the other one, which no name
 * chooses, this is the CPU. */
TEST(a_model_is_loaded_onto_the_device_that_was_chosen)
{
    FREED(strbuf_fini) StrBuf after = { 0 };
    const Device *d = exact() ? device_cpu() : other();
    MADE(Trained, trained_init_options, trained_fini, x, TOY_EVERYTHING);
    x.b.dev.trees.n = how_many(30);
    assert_int_equal(params_upload(&x.m.ps, d, NULL), OK);
    trained_parse(&x, d, 1, test_out());
    model_fini(&x.m);
    assert_ok(device_choose(d == device_cpu() ? "cpu" : "cuda", test_error()));
    assert_ptr_equal(device_default(), d);
    load_ok(&x.m, in(&x.b, "a"));
    if (!d->host_memory) assert_ptr_equal(x.m.ps.device, d);
    if (d == device_cpu()) trained_unpack(&x);
    trained_parse(&x, device_default(), 1, &after);
    assert_string_equal(test_written(), after.ptr);
    assert_ok(device_choose("cpu", test_error()));
}

/* What interpreters say of a few sentences. */
static void explain_all(const Trained *x, const Device *d, StrBuf *out)
{
    FREED(why_fini) Why why;
    FREED(head_report_fini) HeadReport r;
    ParseOptions o = parse_defaults(&x->m);
    o.record = true;
    MADE(Worker, worker_init, worker_fini, w, &x->m, d);
    assert_ok(why_init(&why, &x->m, true, true, test_error()));
    assert_ok(head_report_init(&r, &x->m, NULL, NULL, 0, true, test_error()));
    r.masked_most = 2;
    o.observe = why_observer(&why);
    int heads = x->m.net.encoder.c.lal.heads;
    for (int k = 0; k < how_many(5); k++) {
        const Sentence *s = &x->b.dev.trees.s[k];
        ParseInput one = { s->n_words, s->words, NULL, NULL, NULL, NULL };
        Parsed p;
        assert_ok(parse_batch(&w, &one, 1, &o, test_arena(), &p, test_error()));
        const WhyNotes *notes = p.extra;
        for (int n = 0; n < notes->n; n++)
            strbuf_printf(out, "%d %.9g ", notes->note[n].head[0], notes->note[n].part[0]);
        for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_TYPE; kind++) {
            Decision *decision;
            int n;
            assert_ok(explain_decisions(w.m, &p, (ExplainKind)kind, test_arena(), &decision, &n, test_error()));
            for (int i = 0; i < n; i++) {
                HeadAttribution h;
                Standing standing;
                assert_ok(explain_decision(&w, &decision[i], true, test_arena(), &h, &standing, test_error()));
                assert_true(attribution_error(&h) < 1e-3);
                strbuf_printf(out, "%.17g %.17g %.9g %.9g ", h.score, standing.p, h.bias, h.word[h.tokens + 1]);
                if (kind != EXPLAIN_SPAN) continue;
                bool removed[64] = { true };
                double score, share[64];
                assert_ok(explain_score_without(&w, &decision[i], removed, &score, test_error()));
                assert_ok(explain_paper_share(&w, decision[i].at.begin, decision[i].at.end, share, test_error()));
                strbuf_printf(out, "%.9g %.9g %.9g ", score, share[heads - 1],
                              explain_focus(&w, 1, decision[i].at.begin, decision[i].at.end).inside);
            }
        }
        assert_ok(parse_heads_add(&r, &w, s, &o, test_error()));
    }
    assert_ok(head_report_finish(&r, test_error()));
    for (int h = 0; h < r.n_heads; h++)
        strbuf_printf(out, "%.9g %.9g %.9g %.9g %.9g ", r.gate[h], r.taylor_param[h], r.masked[h], r.share[0][h],
                      r.functions[0].confidence[h]);
}

TEST(another_device_is_explained_alike)
{
    for (int form = LAL_WORDS; form <= LAL_BOTH; form++) {
        FREED(strbuf_fini) StrBuf here = { 0 }, there = { 0 };
        MADE(Trained, trained_init_form, trained_fini, x, NULL, form);
        assert_int_equal(params_upload(&x.m.ps, other(), NULL), OK);
        explain_all(&x, device_cpu(), &here);
        explain_all(&x, other(), &there);
        assert_alike(&here, &there, EXPLAINED);
    }
}

/* A few updates on the first sentences, with dropout; the losses, and the values afterwards. */
enum { UPDATES = 12 };
static const double RATE = 0.001;

static void update(Trained *x, const Device *d, Real *values, double *losses)
{
    enum { SENTENCES = 2 };
    const Treebank *tb = &x->b.train.trees;
    /* Adam divides gradients by their size + eps: those that are rounding alone, as of the biases of keys, must be
     * small beside it, or they move their weights any way. */
    OptimizerConfig c = { .n_threads = 1, .beta1 = 0.9, .beta2 = 0.98, .eps = 1e-6, .clip = 1, .average = 0.9 };
    ParamSet *ps = &x->m.ps;
    FREED(optimizer_fini) Optimizer o;
    BatchSentence sentences[SENTENCES];
    Gold gold[SENTENCES];
    MADE(Worker, worker_init, worker_fini, w, &x->m, d);
    memcpy(values, params_values(ps), ps->size * sizeof *values);
    for (int k = 0; k < SENTENCES; k++) {
        const Sentence *s = &tb->s[k];
        sentences[k] = (BatchSentence){ .n = s->n_words, .words = s->words, .unknown_key = (uint64_t)k + 1 };
        assert_true(gold_make(&x->m, s, oracle_convert(s, &w.scratch), &w.scratch, &gold[k]));
    }
    assert_ok(worker_pack(&w, sentences, NULL, SENTENCES, 1, test_error()));
    assert_ok(optimizer_init(&o, ps, d, c, test_error()));
    for (long step = 1; step <= UPDATES; step++) {
        optimizer_begin(&o, (const int[]){ 1 });
        tape_reset(&w.tape, true, true, (uint64_t)step);
        LossParts parts;
        LossWeights weights = parse_loss_weights(1, 1);
        weights.part[LOSS_LINK] = x->m.c.lal_linked;
        assert_ok(worker_forward(&w, optimizer_gradients(&o, 0), test_error()));
        Tensor *loss = network_loss(&w.forward, &x->m.net, &w.net, gold, &weights, &w.scratch, &parts);
        assert_int_equal(tape_backward(&w.tape, loss), OK);
        Real value;
        assert_true(tape_download(&w.tape, &value, loss->data, sizeof value));
        losses[step - 1] = value;
        optimizer_add(&o, 0, 0);
        double norm = optimizer_norm(&o);
        assert_true(norm > 0 && isfinite(norm));
        optimizer_step(&o, RATE, step, norm);
    }
    Real *m = optimizer_map(&o, OPTIMIZER_M);
    assert_true(m && reals_finite(m, ps->trained) == ps->trained);
    optimizer_unmap(&o, OPTIMIZER_M, true);
    optimizer_swap_average(&o);
    optimizer_swap_average(&o);
    assert_ok(params_download(ps, test_error()));
    for (size_t i = 0; i < ps->size; i++) { /* what they are, and what they were */
        Real before = values[i];
        values[i] = params_values(ps)[i];
        params_values(ps)[i] = before;
    }
}

/* The numbers of the updates on the CPU and on CUDA. A weight may move by RATE UPDATES. */
static void assert_updates_alike(const double *here, const Real *weights_here, const double *there,
                                 const Real *weights_there, size_t n)
{
    for (int k = 0; k < UPDATES; k++)
        if (!(fabs(here[k] - there[k]) <= LOSSES * (1 + fabs(here[k]))))
            fail_msg("update %d: found a loss of %.9g, expected %.9g", k + 1, there[k], here[k]);
    for (size_t k = 0; k < n; k++)
        if (!(fabs((double)(weights_here[k] - weights_there[k])) <= WEIGHTS * (1 + fabs((double)weights_here[k]))))
            fail_msg("weight %zu: found %.9g, expected %.9g", k, (double)weights_there[k], (double)weights_here[k]);
}

static void check_updates(int form)
{
    MADE(Trained, trained_init_form, trained_fini, x, NULL, form);
    size_t n = x.m.ps.size;
    double losses[3][UPDATES];
    FREED(free_pointer)
    Real *here = mem_alloc(n, sizeof *here), *there = mem_alloc(n, sizeof *there), *again = mem_alloc(n, sizeof *again);
    update(&x, device_cpu(), here, losses[0]);
    assert_memory_not_equal(here, params_values(&x.m.ps), n * sizeof *here);
    update(&x, other(), there, losses[1]);
    test_device_order(2);
    update(&x, other(), again, losses[2]);
    assert_memory_equal(there, again, n * sizeof *there);
    assert_memory_equal(losses[1], losses[2], sizeof losses[1]);
    if (exact()) {
        assert_memory_equal(here, there, n * sizeof *here);
        assert_memory_equal(losses[0], losses[1], sizeof losses[0]);
    } else assert_updates_alike(losses[0], here, losses[1], there, n);
}

TEST(another_device_trains_alike)
{
    for (int form = LAL_WORDS; form <= LAL_PHRASES; form++) check_updates(form);
}

/* With options. Stopped and resumed, with other threads, it writes the weights of the CPU's run; on CUDA, of one on
 * CUDA. */
TEST(another_device_runs_a_whole_training_alike)
{
    MADE(Bench, bench_init, bench_fini, b, how_many(60));
    b.dev.trees.n = how_many(60);
    TrainArgs a = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    EncoderOptions options = toy_options(TOY_EVERYTHING, &b.train.trees.arena);
    a.options = &options;
    a.train.batch_size = how_many(20);
    a.train.subbatch_tokens = how_many(90);
    a.device = exact() ? device_cpu() : other();
    train_ok(&a);
    a.out = in(&b, "b");
    a.checkpoint = in(&b, "b.ckpt");
    a.device = other();
    a.n_threads = 3;
    test_device_order(3);
    train_until(&a, 4);
    train_ok(&a);
    assert_same_weights(in(&b, "a"), in(&b, "b"), &TASK_PARSE);
    assert_same_weights(in(&b, "a.ckpt"), in(&b, "b.ckpt"), &TASK_PARSE);
}
