/* tests/unit/test_inspect.c: parts of scores add up, whatever the model, and mean what they say. */
#define _POSIX_C_SOURCE 200809L
#include "parser/inspect.h"
#include "parser/why.h"
#include "tests/support/toy.h"

static const double EXACT = sizeof(Real) == sizeof(double) ? 1e-9 : 1e-4;

typedef struct Setup {
    Bench b;
    Model m;
    ParseWorker w;
    ParseOptions o;
    Arena arena;
    Parsed p;
} Setup;

static void setup(Setup *s, bool pwff, bool partitioned, bool given_head)
{
    bench_init(&s->b, 60);
    TrainArgs a = toy(&s->b, in(&s->b, "a"), in(&s->b, "a.ckpt"), 2);
    a.model.lal_pwff = pwff;
    a.model.lal_partitioned = a.model.partitioned = partitioned;
    a.model.type_given_head = given_head;
    a.train.epochs = 1;
    train_ok(&a);
    load_ok(&s->m, in(&s->b, "a"));
    parse_worker_init(&s->w, &s->m, kernels_cpu());
    s->o = parse_defaults(&s->m);
    s->o.record = true;
    arena_init(&s->arena, 4096);
}

static void teardown(Setup *s)
{
    arena_fini(&s->arena);
    parse_worker_fini(&s->w);
    model_fini(&s->m);
    bench_fini(&s->b);
}

static void parse_one(Setup *s, int k)
{
    Error e = { 0 };
    const Sentence *x = &s->b.dev.trees.s[k];
    ParseInput in = { x->n_words, x->words, NULL };
    assert_int_equal(parse_batch(&s->w, &in, 1, &s->o, &s->arena, &s->p, &e), OK);
}

static HeadAttribution explained(Setup *s, const Decision *d, bool words)
{
    Error e = { 0 };
    HeadAttribution a;
    if (explain(&s->w, d, words, &s->arena, &a, &e) != OK) fail_msg("%s", e.message);
    return a;
}

static void assert_near(double a, double b) { assert_true(fabs(a - b) <= EXACT * fmax(1, fabs(b))); }

static void assert_adds_up(Setup *s, const Decision *d)
{
    HeadAttribution a = explained(s, d, true);
    assert_true(attribution_error(&a) < EXACT);
    for (int h = 0; h < a.heads; h++) {
        double words = 0;
        for (int t = 0; t < a.tokens; t++) words += a.word[h * a.tokens + t];
        assert_near(words, a.view[h]);
        assert_near(a.own[h] + a.view[h] + a.norm[h], a.head[h]);
    }
    if (d->kind == EXPLAIN_SPAN) { /* what is explained is what the decoder saw */
        int n = s->p.s.n_words, label = vocab_find(&s->m.labels, d->label), spans[2] = { d->begin, d->end };
        const Tensor *scores = span_scores(&s->w.forward, &s->m.net.span, s->w.net.g, spans, 1);
        assert_true(d->end <= n);
        assert_near(a.score, (double)scores->data[label - 1]);
    } else if (d->kind == EXPLAIN_ARC) assert_near(a.score, (double)s->w.net.arc.arcs->data[d->begin * (s->p.s.n_words + 1) + d->end]);
}

TEST(parts_add_up_to_the_score_with_and_without_feed_forward)
{
    UNUSED_STATE;
    for (int k = 0; k < 4; k++) {
        Setup s;
        setup(&s, k % 2, k / 2, k % 2);
        long checked = 0;
        for (int i = 0; i < 12; i++) {
            parse_one(&s, i);
            for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_TYPE; kind++) {
                Decision *d;
                int n;
                Error e = { 0 };
                assert_int_equal(decisions_of(&s.p, (ExplainKind)kind, &s.arena, &d, &n, &e), OK);
                for (int j = 0; j < n; j++, checked++) assert_adds_up(&s, &d[j]);
            }
        }
        assert_true(checked > 100);
        teardown(&s);
    }
}

/* Several sentences at once, without a tape, against one decision after another through it. */
TEST(the_fast_way_gives_the_same_parts)
{
    UNUSED_STATE;
    for (int k = 0; k < 4; k++) {
        Setup s;
        Why y;
        Error e = { 0 };
        enum { SENTENCES = 5, MOST = 400 };
        static WhyItem items[MOST];
        ParseInput in[SENTENCES];
        Parsed p[SENTENCES];
        int n = 0;
        setup(&s, k % 2, k / 2, true);
        assert_int_equal(why_init(&y, &s.m, &e), OK);
        for (int i = 0; i < SENTENCES; i++) in[i] = (ParseInput){ s.b.dev.trees.s[i].n_words, s.b.dev.trees.s[i].words, NULL };
        s.o.record = false;
        assert_int_equal(parse_batch(&s.w, in, SENTENCES, &s.o, &s.arena, p, &e), OK);
        for (int i = 0; i < SENTENCES; i++)
            for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_ARC; kind++) {
                Decision *d;
                int count;
                assert_int_equal(decisions_of(&p[i], (ExplainKind)kind, &s.arena, &d, &count, &e), OK);
                for (int j = 0; j < count && n < MOST; j++)
                    items[n++] = (WhyItem){ i,
                                            d[j].begin,
                                            d[j].end,
                                            kind == EXPLAIN_SPAN ? vocab_find(&s.m.labels, d[j].label) : 0,
                                            arena_alloc(&s.arena, 6, sizeof(Real)),
                                            0 };
            }
        assert_int_equal(why_explain(&y, &s.w, items, n, &e), OK);
        s.o.record = true;
        for (int i = 0, last = -1; i < n; i++) {
            if (items[i].sentence != last) parse_one(&s, last = items[i].sentence);
            const WhyItem *x = &items[i];
            Decision d = { x->label ? EXPLAIN_SPAN : EXPLAIN_ARC, x->begin, x->end, x->label ? vocab_text(&s.m.labels, x->label) : NULL, NULL };
            HeadAttribution a = explained(&s, &d, false);
            assert_near(x->score, a.score);
            for (int h = 0; h < a.heads; h++)
                if (!(fabs((double)x->head[h] - a.head[h]) <= 10 * EXACT * fmax(1, fabs(a.head[h]))))
                    fail_msg("model %d, decision %d, head %d: found %g, expected %g", k, i, h, (double)x->head[h], a.head[h]);
        }
        assert_true(n > 50);
        why_fini(&y);
        teardown(&s);
    }
}

TEST(a_lead_is_the_difference_of_two_explanations)
{
    UNUSED_STATE;
    Setup s;
    setup(&s, true, true, true);
    parse_one(&s, 0);
    Decision lead = { EXPLAIN_SPAN, 0, 2, "NP", "VP" }, np = { EXPLAIN_SPAN, 0, 2, "NP", NULL }, vp = { EXPLAIN_SPAN, 0, 2, "VP", NULL };
    HeadAttribution a = explained(&s, &lead, false), b = explained(&s, &np, false), c = explained(&s, &vp, false);
    assert_near(a.score, b.score - c.score);
    assert_near(a.bias, b.bias - c.bias);
    for (int h = 0; h < a.heads; h++) {
        assert_near(a.head[h], b.head[h] - c.head[h]);
        assert_near(a.view[h], b.view[h] - c.view[h]);
    }
    HeadAttribution again = explained(&s, &lead, false); /* nothing is left of the ones before */
    for (int h = 0; h < a.heads; h++) assert_true(again.head[h] == a.head[h]);
    teardown(&s);
}

TEST(what_cannot_be_explained_is_told)
{
    UNUSED_STATE;
    Setup s;
    setup(&s, false, true, true);
    parse_one(&s, 0);
    int n = s.p.s.n_words;
    char span[80], word[80];
    snprintf(span, sizeof span, "found words 1 to %d, expected a span of words 1 to %d", n + 1, n);
    snprintf(word, sizeof word, "found word %d and head 0, expected words up to %d", n + 1, n);
    const struct {
        Decision d;
        Status status;
        const char *message;
    } cases[] = {
        { { EXPLAIN_SPAN, 0, n + 1, "NP", NULL }, ERR_RANGE, span },
        { { EXPLAIN_ARC, n + 1, 0, NULL, NULL }, ERR_RANGE, word },
        { { EXPLAIN_SPAN, 0, 1, "KLINGON", NULL }, ERR_CONFIG, "found label 'KLINGON', which the model does not know; lal info lists them" },
        { { EXPLAIN_SPAN, 0, 1, "NP", "KLINGON" }, ERR_CONFIG, "found label 'KLINGON', which the model does not know; lal info lists them" },
        { { EXPLAIN_TYPE, 1, 2, "klingon", NULL }, ERR_CONFIG, "found type 'klingon', which the model does not know; lal info lists them" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        HeadAttribution a;
        Error e = { 0 };
        assert_int_equal(explain(&s.w, &cases[k].d, false, &s.arena, &a, &e), cases[k].status);
        assert_string_equal(e.message, cases[k].message);
    }
    teardown(&s);
}

TEST(a_span_is_scored_again_without_some_heads)
{
    UNUSED_STATE;
    for (int pwff = 0; pwff < 2; pwff++) {
        Setup s;
        Error e = { 0 };
        setup(&s, pwff, true, true);
        parse_one(&s, 0);
        Decision d = { EXPLAIN_SPAN, 0, 2, "NP", NULL };
        HeadAttribution a = explained(&s, &d, false);
        double score = 0, one = 0;
        bool none[6] = { false }, first[6] = { true };
        assert_int_equal(score_without(&s.w, &d, none, &score, &e), OK);
        assert_near(score, a.score);
        assert_int_equal(score_without(&s.w, &d, first, &one, &e), OK);
        assert_true(fabs(one - score) > 1e-6);
        HeadAttribution again = explained(&s, &d, false); /* the tape is as it was */
        assert_true(again.head[0] == a.head[0]);
        Decision arc = { EXPLAIN_ARC, 1, 2, NULL, NULL };
        assert_int_equal(score_without(&s.w, &arc, none, &score, &e), ERR_RANGE);
        teardown(&s);
    }
}

TEST(the_papers_statistic_is_a_softmax_of_scaled_sums)
{
    UNUSED_STATE;
    Setup s;
    Error e = { 0 };
    double share[16], sum = 0, low = 1, high = 0;
    setup(&s, false, true, true);
    parse_one(&s, 0);
    assert_int_equal(paper_share(&s.w, 0, 2, share, &e), OK);
    for (int h = 0; h < 6; h++) {
        sum += share[h];
        low = fmin(low, share[h]);
        high = fmax(high, share[h]);
    }
    assert_true(fabs(sum - 1) < 1e-12);
    assert_true(fabs(high / low - exp(1)) < 1e-9);
    /* by hand, for the head of columns 2 * 8 .. 2 * 8 + 7 of a token: forward half of tokens j and i, backward half of j + 1 and i + 1 */
    const Tensor *y = s.w.net.encoder.word;
    double raw[6];
    for (int h = 0; h < 6; h++) {
        raw[h] = 0;
        for (int c = 0; c < 4; c++)
            raw[h] += (double)tensor_row(y, 2)[h * 8 + c] - (double)tensor_row(y, 0)[h * 8 + c] + (double)tensor_row(y, 3)[h * 8 + 4 + c] -
                      (double)tensor_row(y, 1)[h * 8 + 4 + c];
    }
    for (int h = 1; h < 6; h++) assert_true((raw[h] > raw[0]) == (share[h] > share[0]));
    teardown(&s);
}

TEST(attention_inside_a_span_and_outside_make_a_whole)
{
    UNUSED_STATE;
    Setup s;
    setup(&s, true, true, true);
    parse_one(&s, 0);
    int n = s.p.s.n_words;
    HeadFocus all = head_focus(&s.w, 0, 0, n), none = head_focus(&s.w, 0, 0, 0);
    double words = 0;
    for (int k = 0; k < n; k++) words += (double)tensor_row(s.w.net.encoder.trace.probs, k + 1)[0];
    assert_true(fabs(all.inside - words) < 1e-6);
    assert_true(none.inside == 0);
    assert_true(all.word >= 0 && all.word < n && all.most > 0);
    assert_true(all.inside <= 1 + 1e-6); /* START and STOP have the rest */
    teardown(&s);
}

TEST(sums_count_leaders_shares_and_gold)
{
    UNUSED_STATE;
    HeadSummary s;
    Error e = { 0 };
    double one[3] = { 3, -1, 0 }, two[3] = { 1, -3, 0 }, zero[3] = { 0, 0, 0 };
    HeadAttribution a = { .heads = 3, .score = 2, .head = one }, b = { .heads = 3, .score = -2, .head = two }, c = { .heads = 3, .head = zero };
    head_summary_init(&s, 3);
    assert_int_equal(head_summary_add(&s, "NP", &a, NULL, 1, &e), OK);
    assert_int_equal(head_summary_add(&s, "NP", &b, NULL, 0, &e), OK);
    assert_int_equal(head_summary_add(&s, "VP", &c, NULL, -1, &e), OK);
    const Category *np = &s.c[0];
    assert_string_equal(np->name, "NP");
    assert_int_equal(np->n, 2);
    assert_int_equal(np->gold, 2);
    assert_int_equal(np->right, 1);
    assert_int_equal(np->top[0], 1);
    assert_int_equal(np->top[1], 1);
    assert_int_equal(np->top_right[0], 1);
    assert_int_equal(np->top_right[1], 0);
    assert_true(fabs(np->share[0] - 1) < 1e-12 && fabs(np->share[1] - 1) < 1e-12);
    assert_true(np->part[0] == 4 && np->part[1] == -4);
    assert_int_equal(s.c[1].gold, 0);
    assert_true(s.c[1].share[0] == 0);
    assert_true(s.worst == 0);
    one[0] = 4; /* does not add up now: 3 for 2 */
    assert_int_equal(head_summary_add(&s, "NP", &a, NULL, 1, &e), OK);
    assert_true(fabs(s.worst - 0.5) < 1e-12);
    head_summary_fini(&s);
}

/* Notes on a parse and explanations of its decisions, with the n-th allocation and all behind it failing. */
TEST(explaining_tells_every_failed_allocation)
{
    UNUSED_STATE;
    Setup s;
    setup(&s, true, true, true);
    const Sentence *x = &s.b.dev.trees.s[0];
    ParseInput in = { x->n_words, x->words, NULL };
    bool done = false;
    for (long n = 0; !done; n++) {
        ParseWorker w;
        ParseOptions o = s.o;
        Arena out;
        Parsed p;
        Why y;
        HeadSummary sum;
        Error e = { 0 };
        long explained = 0, expected = 0;
        arena_init(&out, 64); /* small: each of its blocks is an allocation that can fail */
        parse_worker_init(&w, &s.m, kernels_cpu());
        head_summary_init(&sum, s.m.net.encoder.c.lal.heads);
        mem_fail_after(n);
        Status st = why_init(&y, &s.m, &e);
        o.why = &y;
        if (st == OK) st = parse_batch(&w, &in, 1, &o, &out, &p, &e);
        for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_TYPE && st == OK; kind++) {
            Decision *d;
            int count;
            st = decisions_of(&p, (ExplainKind)kind, &out, &d, &count, &e);
            for (int k = 0; st == OK && k < count; k++, expected++) {
                HeadAttribution a;
                st = explain(&w, &d[k], true, &out, &a, &e);
                if (st == OK) st = head_summary_add(&sum, d[k].label ? d[k].label : "arc", &a, NULL, -1, &e);
            }
        }
        mem_fail_after(-1);
        done = st == OK;
        if (!done && st != ERR_NOMEM) fail_msg("allocation %ld: status %d: %s", n, st, e.message);
        for (int k = 0; done && k < sum.names.n; k++) explained += sum.c[k].n;
        if (done) assert_true(expected > 2 * x->n_words && explained == expected && sum.worst < EXACT);
        head_summary_fini(&sum);
        why_fini(&y);
        parse_worker_fini(&w);
        arena_fini(&out);
        assert_true(n < 20000);
    }
    teardown(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_add_up_to_the_score_with_and_without_feed_forward),
        cmocka_unit_test(the_fast_way_gives_the_same_parts),
        cmocka_unit_test(a_lead_is_the_difference_of_two_explanations),
        cmocka_unit_test(what_cannot_be_explained_is_told),
        cmocka_unit_test(a_span_is_scored_again_without_some_heads),
        cmocka_unit_test(the_papers_statistic_is_a_softmax_of_scaled_sums),
        cmocka_unit_test(attention_inside_a_span_and_outside_make_a_whole),
        cmocka_unit_test(sums_count_leaders_shares_and_gold),
        cmocka_unit_test(explaining_tells_every_failed_allocation),
    };
    return cmocka_run_group_tests_name("inspect", tests, NULL, NULL);
}
