/* The margin of any set of label heads against the scorers run again on what these heads have made. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "base/rng.h"
#include "explain/head_sets.h"
#include "parser/model/prune.h"
#include "tests/support/explained.h"

static const double EXACT = sizeof(Real) == sizeof(double) ? 1e-9 : 2e-4;

static void parse_one(Setup *s, Worker *w, int k)
{
    const Sentence *x = &s->b.dev.trees.s[k];
    ParseInput in = { x->n_words, x->words, NULL, NULL, NULL, NULL };
    assert_ok(parse_batch(w, &in, 1, &s->o, &s->arena, &s->p, test_error()));
}

/* The rival as a decision of its own; false: no phrase. */
static bool rival_of(const Contest *c, Decision *rival)
{
    *rival = c->d;
    if (c->d.kind == EXPLAIN_ARC) rival->at.end = c->rival;
    else rival->at.label = c->rival;
    return c->rival != RIVAL_NONE || c->d.kind != EXPLAIN_SPAN;
}

static double margin_without(Worker *w, const Contest *c, const bool *removed)
{
    double score, other = 0;
    Decision rival;
    assert_ok(explain_score_without(w, &c->d, removed, &score, test_error()));
    if (rival_of(c, &rival)) assert_ok(explain_score_without(w, &rival, removed, &other, test_error()));
    return score - other;
}

static Contest contest_of(Setup *s, Worker *w, Decision d)
{
    HeadAttribution a;
    Standing standing;
    assert_ok(explain_decision(w, &d, false, &s->arena, &a, &standing, test_error()));
    return (Contest){ d, standing.rival };
}

/* Some sets of heads of a contest, those of all heads and of none among them. Returns whether a head matters. */
static bool check_sets(const HeadSets *x, Setup *s, Worker *w, const Contest *c)
{
    Margin m;
    const int all = x->m->net.encoder.c.lal.heads;
    bool *removed = arena_alloc(&s->arena, (size_t)all, sizeof *removed), matters = false;
    const Real *places = margin_places(x, w, c, &s->arena, test_error());
    assert_non_null(places);
    assert_ok(margin_new(x, c, places, &s->arena, &m, test_error()));
    Real *sum = arena_alloc(&s->arena, (size_t)m.n, sizeof *sum);
    double whole = 0;
    for (uint32_t set = 0; set < 6; set++) {
        memset(removed, 0, (size_t)all * sizeof *removed);
        margin_all(&m, sum);
        for (int h = 0; h < x->heads; h++) {
            bool out = set == 1 || (set > 1 && rng_bits32(7, set * 64 + (uint32_t)h) % 2);
            removed[x->number[h]] = out;
            if (out) margin_add(&m, m.head + (ptrdiff_t)h * m.n, -1, sum);
        }
        double found = margin_value(&m, sum), expected = margin_without(w, c, removed);
        if (!(fabs(found - expected) <= EXACT * fmax(1, fabs(expected))))
            fail_msg("kind %d, set %u: found %g, expected %g", c->d.kind, set, found, expected);
        if (set == 0) whole = found;
        matters = matters || fabs(found - whole) > 1e-3;
    }
    /* the heads of the same places are the same heads */
    const Real *again = margin_exchange(x, c, &m, places, &s->arena);
    for (int k = 0; k < m.heads * m.n; k++) assert_true(again[k] == m.head[k]);
    return matters;
}

static void head_sets_ok(HeadSets *x, const Model *m) { assert_ok(head_sets_init(x, m, test_error())); }

static void check_model(Setup *s, const Model *m)
{
    MADE(HeadSets, head_sets_ok, head_sets_fini, x, m);
    Worker w;
    worker_init(&w, m, device_cpu());
    long checked = 0, matter = 0;
    for (int i = 0; i < 5; i++) {
        parse_one(s, &w, i);
        for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_TYPE; kind++) {
            Decision *d;
            int n;
            assert_ok(explain_decisions(m, &s->p, (ExplainKind)kind, &s->arena, &d, &n, test_error()));
            for (int j = 0; j < n; j++, checked++) {
                Contest c = contest_of(s, &w, d[j]);
                matter += check_sets(&x, s, &w, &c);
            }
        }
    }
    assert_true(checked > 40 && matter > checked / 2);
    worker_fini(&w);
}

TEST(sets_of_heads_are_scored_as_by_the_scorers)
{
    static const struct {
        SetupForm form;
        int heads;
        bool given_head;
    } models[] = { { { LAL_WORDS, false, false }, 6, true },
                   { { LAL_WORDS, true, false }, 6, false },
                   { { LAL_PHRASES, false, false }, 6, true },
                   { { LAL_PHRASES, false, true }, 20, false },
                   { { LAL_BOTH, false, true }, 20, true } };
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        MADE(Setup, setup_form, teardown, s, false, true, models[k].given_head, models[k].heads, 8, NULL,
             models[k].form);
        check_model(&s, &s.m);
    }
}

TEST(sets_of_heads_of_a_pruned_model)
{
    for (int form = LAL_WORDS; form <= LAL_BOTH; form++) {
        MADE(Setup, setup_form, teardown, s, false, true, true, 6, 8,
             "{'gates': {'kind': 'constant', 'stacks': ['label'], 'constant': [0, 1, 1, 0, 1, 1]}}",
             (SetupForm){ form, false, false });
        MADE(Model, model_init, model_fini, small);
        assert_ok(model_prune(&s.m, &small, test_error()));
        assert_ok(params_upload(&small.ps, device_default(), test_error()));
        check_model(&s, &small);
    }
}

/* The derivative along what a head adds, and of a linear margin the part of the head. */
TEST(relevance_is_the_derivative)
{
    for (int form = LAL_WORDS; form <= LAL_BOTH; form++) {
        MADE(Setup, setup_form, teardown, s, false, true, true, 6, 8, NULL, (SetupForm){ form, false, false });
        MADE(HeadSets, head_sets_ok, head_sets_fini, x, &s.m);
        parse_one(&s, &s.w, 0);
        for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_TYPE; kind++) {
            Decision *d;
            int n, far = 0;
            double out[6];
            Margin m;
            assert_ok(explain_decisions(&s.m, &s.p, (ExplainKind)kind, &s.arena, &d, &n, test_error()));
            while (far < n - 1 && abs(d[far].at.begin - d[far].at.end) < 2) far++;
            Contest c = contest_of(&s, &s.w, d[far]);
            assert_ok(
                margin_new(&x, &c, margin_places(&x, &s.w, &c, &s.arena, test_error()), &s.arena, &m, test_error()));
            assert_true(margin_relevance(&m, &s.arena, out));
            Real *sum = arena_alloc(&s.arena, (size_t)m.n, sizeof *sum);
            const Real by = sizeof(Real) == sizeof(double) ? (Real)1e-6 : (Real)1e-2;
            for (int h = 0; h < 6; h++) {
                double side[2];
                for (int way = 0; way < 2; way++) {
                    margin_all(&m, sum);
                    margin_add(&m, m.head + (ptrdiff_t)h * m.n, way ? by : -by, sum);
                    side[way] = margin_value(&m, sum);
                }
                assert_within(out[h], (side[1] - side[0]) / (2 * (double)by),
                              sizeof(Real) == sizeof(double) ? 1e-6 : 0.02);
            }
        }
    }
}

TEST(a_feed_forward_after_the_heads_is_refused)
{
    HeadSets x;
    MADE(Setup, setup, teardown, s, true, true, true);
    assert_fails_with(head_sets_init(&x, &s.m, test_error()), ERR_CONFIG, "a feed-forward after the label heads");
    head_sets_fini(&x);
}
