/* What is known of taking heads away, in models whose margins are linear in the heads and in others. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "explain/faithful.h"
#include "tests/support/explained.h"

enum { SENTENCES = 4 };

static void faithful_ok(Faithful *f, const Model *m)
{
    assert_ok(faithful_init(f, m, test_error()));
    for (int kind = 0; kind < FAITHFUL_PARSE; kind++) f->kinds[kind] = true;
}

static Status parse_one(Setup *s, Worker *w, int k, ParseInput *in, Arena *arena, Parsed *p)
{
    const Sentence *x = &s->b.dev.trees.s[k];
    *in = (ParseInput){ x->n_words, x->words, NULL, NULL, NULL, NULL };
    return parse_batch(w, in, 1, &s->o, arena, p, test_error());
}

/* One sentence after the other. */
static Status measure(Setup *s, Worker *w, Faithful *f, int k, Arena *arena, FaithfulSentence *x)
{
    ParseInput in;
    Parsed p;
    Error *e = test_error();
    *x = (FaithfulSentence){ .number = (uint64_t)k + 1 };
    Status status = parse_one(s, w, k, &in, arena, &p);
    if (status == OK) status = faithful_read(f, w, &p, arena, x, e);
    if (status == OK) status = faithful_link(f, x, arena, e);
    if (status == OK) status = faithful_measure(f, w, &in, &s->o, &p, arena, x, e);
    return status == OK ? faithful_add(f, x, e) : status;
}

static const FaithfulRatio *ratio(const Faithful *f, const FaithfulSentence *x, int kind, int ranking, int measured,
                                  int step)
{
    return &x->sums[faithful_cell(f, kind, ranking, measured, step)];
}

static double mean(const Faithful *f, const FaithfulSentence *x, int kind, int ranking, int measured, int step)
{
    const FaithfulRatio *r = ratio(f, x, kind, ranking, measured, step);
    return (double)(r->sum / r->n);
}

TEST(of_linear_margins_contributions_are_the_best_order)
{
    MADE(Setup, setup_form, teardown, s, false, true, true, 6, 8, NULL, (SetupForm){ LAL_PHRASES, false, false });
    MADE(Faithful, faithful_ok, faithful_fini, f, &s.m);
    long checked = 0;
    for (int k = 0; k < SENTENCES; k++) {
        FaithfulSentence x;
        assert_ok(measure(&s, &s.w, &f, k, &s.arena, &x));
        for (int kind = EXPLAIN_ARC; kind <= EXPLAIN_TYPE; kind++)
            for (int way = 0; way < 2; way++) {
                int measured = way ? FAITHFUL_NAOPC_SUFFICIENCY : FAITHFUL_NAOPC;
                if (ratio(&f, &x, kind, RANK_EXACT, measured, 0)->n == 0) continue;
                assert_within(mean(&f, &x, kind, RANK_EXACT, measured, 0), 1, 1e-3);
                assert_within(mean(&f, &x, kind, RANK_RELEVANCE, measured, 0), 1, 1e-3);
                assert_true(mean(&f, &x, kind, RANK_RANDOM, measured, 0) < 0.99);
                checked++;
            }
        double first = 0, n = 0; /* the largest contribution of each arc */
        for (int i = 0; i < x.n; i++) {
            double most = -INFINITY;
            if (x.x[i].c.d.kind != EXPLAIN_ARC) continue;
            for (int h = 0; h < 6; h++) most = fmax(most, x.x[i].score[RANK_EXACT][h]);
            first += most;
            n++;
        }
        assert_within(mean(&f, &x, EXPLAIN_ARC, RANK_EXACT, FAITHFUL_COMPREHENSIVENESS, 0), first / n, 1e-4);
    }
    assert_true(checked > SENTENCES);
}

TEST(all_orders_end_alike_and_lie_between_the_limits)
{
    MADE(Setup, setup_form, teardown, s, false, true, true, 6, 8, NULL, (SetupForm){ LAL_BOTH, false, true });
    MADE(Faithful, faithful_ok, faithful_fini, f, &s.m);
    for (int k = 0; k < SENTENCES; k++) {
        FaithfulSentence x;
        assert_ok(measure(&s, &s.w, &f, k, &s.arena, &x));
        for (int kind = 0; kind < FAITHFUL_PARSE; kind++)
            for (int r = 0; r < RANKINGS; r++) {
                const int last = f.steps - 1;
                if (ratio(&f, &x, kind, r, FAITHFUL_AOPC, 0)->n == 0) continue;
                assert_within(mean(&f, &x, kind, r, FAITHFUL_COMPREHENSIVENESS, last),
                              mean(&f, &x, kind, 0, FAITHFUL_COMPREHENSIVENESS, last), 1e-4);
                assert_within(mean(&f, &x, kind, r, FAITHFUL_SUFFICIENCY, last), 0, 1e-4);
                for (int m = FAITHFUL_NAOPC; m <= FAITHFUL_NAOPC_SUFFICIENCY; m += 2) {
                    double found = mean(&f, &x, kind, r, m, 0);
                    assert_true(found > -1e-4 && found < 1 + 1e-4);
                }
                /* the first sentence has none before it */
                assert_true((ratio(&f, &x, kind, r, FAITHFUL_EXCHANGE, 0)->n > 0) == (x.other[kind] != NULL));
                if (k == 0) assert_null(x.other[kind]);
            }
    }
}

TEST(random_orders_are_the_same_each_time)
{
    MADE(Setup, setup, teardown, s, false, true, true);
    MADE(Faithful, faithful_ok, faithful_fini, one, &s.m);
    MADE(Faithful, faithful_ok, faithful_fini, two, &s.m);
    FaithfulSentence x[2], other;
    assert_ok(measure(&s, &s.w, &one, 0, &s.arena, &x[0]));
    assert_ok(measure(&s, &s.w, &two, 0, &s.arena, &x[1]));
    assert_memory_equal(x[0].sums, x[1].sums, (size_t)faithful_cells(&one) * sizeof *x[0].sums);
    MADE(Faithful, faithful_ok, faithful_fini, three, &s.m);
    ParseInput in;
    Parsed p;
    other = (FaithfulSentence){ .number = 2 };
    assert_ok(parse_one(&s, &s.w, 0, &in, &s.arena, &p));
    assert_ok(faithful_read(&three, &s.w, &p, &s.arena, &other, test_error()));
    assert_ok(faithful_link(&three, &other, &s.arena, test_error()));
    assert_ok(faithful_measure(&three, &s.w, &in, &s.o, &p, &s.arena, &other, test_error()));
    assert_true(mean(&one, &x[0], EXPLAIN_SPAN, RANK_RANDOM, FAITHFUL_AOPC, 0) !=
                mean(&one, &other, EXPLAIN_SPAN, RANK_RANDOM, FAITHFUL_AOPC, 0));
    assert_true(mean(&one, &x[0], EXPLAIN_SPAN, RANK_EXACT, FAITHFUL_AOPC, 0) ==
                mean(&one, &other, EXPLAIN_SPAN, RANK_EXACT, FAITHFUL_AOPC, 0));
}

TEST(gates_rank_where_there_are_any)
{
    MADE(Setup, setup_options, teardown, s, false, true, true, 6, 8,
         "{'gates': {'kind': 'constant', 'stacks': ['label'], 'constant': [0, 1, 0, 1, 1, 1]}}");
    MADE(Faithful, faithful_ok, faithful_fini, f, &s.m);
    assert_string_equal(faithful_ranking_name(&f, RANK_GATES), "gates");
    assert_true(f.gates[0] == 0 && f.gates[1] == 1);
    FREED(faithful_fini) Faithful none;
    MADE(Setup, setup, teardown, plain, false, true, true);
    faithful_ok(&none, &plain.m);
    assert_string_equal(faithful_ranking_name(&none, RANK_GATES), "mean");
}

TEST(intervals_hold_the_means)
{
    MADE(Setup, setup, teardown, s, false, true, true);
    MADE(Faithful, faithful_ok, faithful_fini, f, &s.m);
    for (int k = 0; k < 6; k++) {
        FaithfulSentence x;
        assert_ok(measure(&s, &s.w, &f, k, &s.arena, &x));
    }
    FaithfulValue *v = arena_alloc(&s.arena, (size_t)faithful_cells(&f), sizeof *v);
    assert_int_equal(f.sentences, 6);
    assert_ok(faithful_values(&f, v, test_error()));
    for (int r = 0; r < RANKINGS; r++) {
        const FaithfulValue *x = &v[faithful_cell(&f, EXPLAIN_SPAN, r, FAITHFUL_AOPC, 0)];
        assert_true(x->n > 6 && x->low <= x->value && x->value <= x->high && x->low < x->high);
        assert_true(x->above_low <= x->above + 1e-6 && x->above <= x->above_high + 1e-6);
        if (r == RANK_EXACT) assert_true(x->above == 0 && x->above_low == 0 && x->above_high == 0);
    }
    assert_true(v[faithful_cell(&f, FAITHFUL_PARSE, 0, FAITHFUL_AOPC, 0)].n == 0);
    assert_true(v[faithful_cell(&f, FAITHFUL_PARSE, 0, FAITHFUL_F1, 2)].n > 0); /* 1, 2, 4 heads */
}

static void assert_parses(const Parsed *a, const Parsed *b, bool equal)
{
    bool same = a->n_phrases == b->n_phrases && memcmp(a->heads, b->heads, (size_t)a->n_words * sizeof *a->heads) == 0;
    for (int k = 0; same && k < a->n_phrases; k++)
        same = a->phrases[k].begin == b->phrases[k].begin && a->phrases[k].end == b->phrases[k].end &&
               strcmp(a->phrases[k].label, b->phrases[k].label) == 0;
    assert_true(same == equal);
}

TEST(a_sentence_is_parsed_again_without_some_heads)
{
    for (int form = LAL_WORDS; form <= LAL_BOTH; form++) {
        MADE(Setup, setup_form, teardown, s, form == LAL_WORDS, true, true, 6, 8, NULL,
             (SetupForm){ form, false, false });
        const bool none[6] = { false }, all[6] = { true, true, true, true, true, true };
        ParseInput in;
        Parsed p, again;
        HeadAttribution before, after;
        assert_ok(parse_one(&s, &s.w, 1, &in, &s.arena, &p));
        const Decision d = { EXPLAIN_SPAN, model_span(&s.m, &p.phrases[0]), LABEL_NONE };
        assert_ok(explain_decision(&s.w, &d, false, &s.arena, &before, NULL, test_error()));
        assert_ok(explain_parse_without(&s.w, &in, &s.o, all, &s.arena, &again, test_error()));
        if (form == LAL_WORDS) assert_parses(&p, &again, false);
        assert_ok(explain_parse_without(&s.w, &in, &s.o, none, &s.arena, &again, test_error()));
        assert_parses(&p, &again, true);
        assert_ok(explain_decision(&s.w, &d, false, &s.arena, &after, NULL, test_error())); /* the tape is as it was */
        for (int h = 0; h < 6; h++) assert_true(before.head[h] == after.head[h]);
    }
}

TEST(measuring_tells_every_failed_allocation)
{
    MADE(Setup, setup_form, teardown, s, false, true, true, 6, 8, NULL, (SetupForm){ LAL_BOTH, false, true });
    for (long n = 0; allocation_fails(n); n++) {
        FREED(faithful_fini) Faithful f;
        FaithfulSentence x;
        StrBuf out = { 0 };
        MADE(Arena, arena_init, arena_fini, arena, 64);
        MADE(Worker, worker_init, worker_fini, w, &s.m, device_cpu());
        mem_fail_after(n);
        Status st = faithful_init(&f, &s.m, test_error());
        f.kinds[EXPLAIN_SPAN] = f.kinds[EXPLAIN_TYPE] = true;
        if (st == OK) st = measure(&s, &w, &f, 0, &arena, &x);
        FaithfulValue *v = st == OK ? mem_alloc((size_t)faithful_cells(&f), sizeof *v) : NULL;
        if (st == OK && !v) st = error_set(test_error(), ERR_NOMEM, "out of memory");
        if (st == OK) st = faithful_values(&f, v, test_error());
        if (st == OK) faithful_text(&out, &f, v);
        if (st == OK) faithful_tsv(&out, &f, v);
        if (st == OK) faithful_json(&out, &f, v);
        if (st == OK && out.failed) st = error_set(test_error(), ERR_NOMEM, "out of memory");
        strbuf_fini(&out);
        mem_free(v);
        assert_ok_or_no_memory(st);
    }
}
