/* Contributions add up to scores for every kind of model, and agree with direct
 * computations. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "explain/fast/why.h"
#include "parser/parse/parse_network.h"
#include "parser/task/parse/parse_heads.h"
#include "tests/support/explained.h"

static const double EXACT = sizeof(Real) == sizeof(double) ? 1e-9 : 1e-4;

static void parse_one(Setup *s, int k)
{
    const Sentence *x = &s->b.dev.trees.s[k];
    ParseInput in = { x->n_words, x->words, NULL, NULL, NULL, NULL };
    assert_ok(parse_batch(&s->w, &in, 1, &s->o, &s->arena, &s->p, test_error()));
}

static HeadAttribution explained(Setup *s, const Decision *d, bool words)
{
    HeadAttribution a;
    assert_ok(explain_decision(&s->w, d, words, &s->arena, &a, NULL, test_error()));
    return a;
}

static int label(const Setup *s, const char *name)
{
    int number;
    assert_ok(decision_find(&s->m, EXPLAIN_SPAN, name, &number, test_error()));
    assert_string_equal(decision_label(&s->m, EXPLAIN_SPAN, number), name);
    return number;
}

static void assert_near(double a, double b) { assert_true(fabs(a - b) <= EXACT * fmax(1, fabs(b))); }

static void assert_adds_up(Setup *s, const Decision *d)
{
    HeadAttribution a = explained(s, d, true);
    const Tensor *tags = parse_scores(&s->w.net)->tags;
    assert_true(attribution_error(&a) < EXACT);
    assert_true((a.input != NULL) == (d->kind == EXPLAIN_TAG));
    for (int h = 0; h < a.heads; h++) {
        double words = 0;
        for (int t = 0; t < a.tokens; t++) words += a.word[h * a.tokens + t];
        assert_near(words, a.view[h]);
        assert_near(a.own[h] + a.view[h] + a.norm[h], a.head[h]);
    }
    if (d->kind == EXPLAIN_SPAN) { /* the explained score is the decoder's */
        int n = s->p.n_words, spans[2] = { d->at.begin, d->at.end };
        const Tensor *scores =
            span_scorer_score(&s->w.forward, &parse_network(&s->m.net)->span, parse_scores(&s->w.net)->g, spans, 1);
        assert_true(d->at.end <= n);
        assert_near(a.score, (double)scores->data[d->at.label - 1]);
    } else if (d->kind == EXPLAIN_TAG)
        assert_near(a.score, (double)tags->data[(ptrdiff_t)d->at.begin * tags->ld + d->at.label]);
    else if (d->kind == EXPLAIN_ARC)
        assert_near(a.score,
                    (double)parse_scores(&s->w.net)->arc.arcs->data[d->at.begin * (s->p.n_words + 1) + d->at.end]);
}

TEST(parts_add_up_to_the_score_with_and_without_feed_forward)
{
    for (int k = 0; k < 12; k++) { /* those from 4 with masks, gates and projected attention */
        const SetupForm form = { k < 6    ? LAL_WORDS
                                 : k < 8  ? LAL_PHRASES
                                 : k < 10 ? LAL_BOTH
                                          : LAL_WORDS,
                                 k >= 10, k == 7 };
        MADE(Setup, setup_form, teardown, s, k % 2, k / 2 == 1, k % 2, k == 7 ? 20 : 6, 8,
             k < 4 ? NULL : TOY_EVERYTHING, form);
        long checked = 0;
        for (int i = 0; i < 12; i++) {
            parse_one(&s, i);
            for (int kind = EXPLAIN_SPAN; kind < EXPLAIN_KINDS; kind++) {
                Decision *d;
                int n;
                assert_ok(explain_decisions(&s.m, &s.p, (ExplainKind)kind, &s.arena, &d, &n, test_error()));
                for (int j = 0; j < n; j++, checked++) assert_adds_up(&s, &d[j]);
            }
        }
        assert_true(checked > 100);
    }
}

/* Several sentences at once without a tape, compared with single decisions through the tape. */
TEST(the_fast_way_gives_the_same_parts)
{
    static const struct {
        bool pwff, partitioned;
        int heads, d_proj; /* heads that fill no register, and two and a half; halves that are half a block, less, and
                              several with a rest */
        SetupForm form;
    } models[] = { { false, false, 6, 8, { 0 } },
                   { true, false, 6, 8, { 0 } },
                   { false, true, 6, 8, { 0 } },
                   { true, true, 6, 8, { 0 } },
                   { true, false, 6, 6, { 0 } },
                   { true, false, 6, 160, { 0 } },
                   { false, true, 40, 6, { 0 } },
                   { true, true, 19, 20, { 0 } },
                   { false, true, 6, 8, { .own_reduce = true } },
                   { true, true, 40, 6, { LAL_PHRASES, false, true } },
                   { true, true, 19, 8, { LAL_BOTH, false, true } },
                   { false, true, 6, 8, { LAL_PHRASES, false, false } },
                   { false, true, 6, 8, { 0 } } };
    const size_t with_options = sizeof models / sizeof *models - 2; /* masks, gates, projected attention: from there */
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        const int heads = models[k].heads;
        FREED(teardown) Setup s;
        FREED(why_fini) Why y;
        enum { SENTENCES = 5, MOST = 400 };
        static WhyItem items[MOST];
        ParseInput in[SENTENCES];
        Parsed p[SENTENCES];
        int n = 0;
        setup_form(&s, models[k].pwff, models[k].partitioned, true, heads, models[k].d_proj,
                   k >= with_options ? TOY_EVERYTHING : NULL, models[k].form);
        assert_ok(why_init(&y, &s.m, true, true, test_error()));
        for (int i = 0; i < SENTENCES; i++) in[i] = parse_input(&s.b.dev.trees.s[i]);
        s.o.record = false;
        assert_ok(parse_batch(&s.w, in, SENTENCES, &s.o, &s.arena, p, test_error()));
        for (int i = 0; i < SENTENCES; i++)
            for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_ARC; kind++) {
                Decision *d;
                int count;
                assert_ok(explain_decisions(&s.m, &p[i], (ExplainKind)kind, &s.arena, &d, &count, test_error()));
                for (int j = 0; j < count && n < MOST; j++)
                    items[n++] = (WhyItem){ .sentence = i,
                                            .at = d[j].at,
                                            .head = arena_alloc(&s.arena, (size_t)heads, sizeof(Real)) };
            }
        assert_ok(why_explain(&y, &s.w, items, n, test_error()));
        s.o.record = true;
        for (int i = 0, last = -1; i < n; i++) {
            if (items[i].sentence != last) parse_one(&s, last = items[i].sentence);
            const WhyItem *x = &items[i];
            Decision d = { x->at.label != LABEL_NONE ? EXPLAIN_SPAN : EXPLAIN_ARC, x->at, LABEL_NONE };
            HeadAttribution a = explained(&s, &d, false);
            assert_near(x->score, a.score);
            assert_near(x->rest, a.rest);
            for (int h = 0; h < a.heads; h++)
                if (!(fabs((double)x->head[h] - a.head[h]) <= 10 * EXACT * fmax(1, fabs(a.head[h]))))
                    fail_msg("model %zu, decision %d, head %d: found %g, expected %g", k, i, h, (double)x->head[h],
                             a.head[h]);
        }
        assert_true(n > 50);
        why_fini(&y);
        Real *before = arena_alloc(&s.arena, (size_t)heads, sizeof(Real));
        int last = n - 1; /* an arc: the same without phrases */
        memcpy(before, items[last].head, (size_t)heads * sizeof(Real));
        items[last].sentence = 0;
        assert_ok(why_init(&y, &s.m, false, true, test_error()));
        assert_ok(why_explain(&y, &s.w, &items[last], 1, test_error()));
        for (int h = 0; h < heads; h++) assert_near((double)items[last].head[h], (double)before[h]);
    }
}

TEST(a_lead_is_the_difference_of_two_explanations)
{
    MADE(Setup, setup, teardown, s, true, true, true);
    parse_one(&s, 0);
    int label_np = label(&s, "NP"), label_vp = label(&s, "VP");
    Decision lead = { EXPLAIN_SPAN, { 0, 2, label_np }, label_vp },
             np = { EXPLAIN_SPAN, { 0, 2, label_np }, LABEL_NONE },
             vp = { EXPLAIN_SPAN, { 0, 2, label_vp }, LABEL_NONE };
    HeadAttribution a = explained(&s, &lead, false), b = explained(&s, &np, false), c = explained(&s, &vp, false);
    assert_near(a.score, b.score - c.score);
    assert_near(a.bias, b.bias - c.bias);
    for (int h = 0; h < a.heads; h++) {
        assert_near(a.head[h], b.head[h] - c.head[h]);
        assert_near(a.view[h], b.view[h] - c.view[h]);
    }
    HeadAttribution again = explained(&s, &lead, false); /* nothing of the earlier ones is left */
    for (int h = 0; h < a.heads; h++) assert_true(again.head[h] == a.head[h]);
}

TEST(what_cannot_be_explained_is_told)
{
    MADE(Setup, setup, teardown, s, false, true, true);
    parse_one(&s, 0);
    int n = s.p.n_words;
    const char *span = test_format("found words 1 to %d, expected a span of words 1 to %d", n + 1, n),
               *word = test_format("found word %d and head 0, expected words up to %d", n + 1, n);
    const struct {
        Decision d;
        Status status;
        const char *message;
    } cases[] = {
        { { EXPLAIN_SPAN, { 0, n + 1, 2 }, LABEL_NONE }, ERR_RANGE, span },
        { { EXPLAIN_ARC, { n + 1, 0, LABEL_NONE }, LABEL_NONE }, ERR_RANGE, word },
        { { EXPLAIN_SPAN, { 0, 1, 0 }, LABEL_NONE },
          ERR_RANGE,
          "found labels 0 and -1, expected numbers of the model's" },
        { { EXPLAIN_SPAN, { 0, 1, 2 }, 1000 }, ERR_RANGE, "found labels 2 and 1000, expected numbers of the model's" },
        { { EXPLAIN_TYPE, { 1, 2, LABEL_NONE }, LABEL_NONE },
          ERR_RANGE,
          "found types -1 and -1, expected numbers of the model's" },
    };
    static const struct {
        ExplainKind kind;
        const char *name, *message;
    } names[] = {
        { EXPLAIN_SPAN, "KLINGON", "found label 'KLINGON', which the model does not know; lal model info lists them" },
        { EXPLAIN_SPAN, "", "found label '', which the model does not know; lal model info lists them" },
        { EXPLAIN_TYPE, "klingon", "found type 'klingon', which the model does not know; lal model info lists them" },
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        int number;
        assert_fails(decision_find(&s.m, names[k].kind, names[k].name, &number, test_error()), ERR_CONFIG,
                     names[k].message);
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        HeadAttribution a;
        assert_fails(explain_decision(&s.w, &cases[k].d, false, &s.arena, &a, NULL, test_error()), cases[k].status,
                     cases[k].message);
    }
}

/* Only active units are computed without a tape, which is wrong of a GELU. */
/* Relevance is the sum of contributions to spans; where words have no blocks, the gate of a head is on its values. */
TEST(label_heads_inside_phrases_are_measured)
{
    for (int form = LAL_PHRASES; form <= LAL_BOTH; form++) {
        MADE(Setup, setup_form, teardown, s, false, true, true, 6, 8, NULL,
             (SetupForm){ form, form == LAL_BOTH, false });
        FREED(head_report_fini) HeadReport r;
        double sum[6] = { 0 }, score = 0;
        assert_ok(head_report_init(&r, &s.m, NULL, NULL, 0, true, test_error()));
        assert_ok(parse_heads_add(&r, &s.w, &s.b.dev.trees.s[0], &s.o, test_error()));
        assert_true(r.worst < EXACT);
        parse_one(&s, 0);
        for (int k = 0; k < s.p.n_phrases; k++) {
            Decision d = { EXPLAIN_SPAN, model_span(&s.m, &s.p.phrases[k]), LABEL_NONE };
            HeadAttribution a = explained(&s, &d, false);
            score += a.score;
            for (int h = 0; h < 6; h++) sum[h] += a.head[h];
        }
        const int layer = s.m.net.encoder.c.n_layers;
        for (int h = 0; h < 6; h++) {
            HeadSlice slice[HEAD_SLICES];
            double part = 0, squares = 0;
            int n = head_slices(&s.m.net.encoder, layer, h, slice);
            assert_near(r.part[0][r.first[layer] + h], sum[h] / fabs(score));
            assert_int_equal(n, form == LAL_BOTH ? 9 : 3);
            for (int k = 1; k < n && form == LAL_PHRASES; k++) {
                const Param *q = &s.m.ps.p[slice[k].param];
                head_slice_products(params_values(&s.m.ps) + q->offset, r.grads + q->offset, q->cols, &slice[k], &part,
                                    &squares);
            }
            if (form == LAL_PHRASES) assert_near(fabs(part), r.gate[r.first[layer] + h]);
        }
    }
}

TEST(another_activation_after_the_label_heads_is_refused)
{
    FREED(why_fini) Why y;
    MADE(Setup, setup, teardown, s, true, true, true);
    s.m.net.encoder.lal_ff.activation = ACTIVATION_GELU;
    assert_fails(why_init(&y, &s.m, true, true, test_error()), ERR_CONFIG,
                 "found another activation after the label heads, expected ReLU");
}

TEST(decisions_are_scored_again_without_some_heads)
{
    for (int k = 0; k < 4; k++) {
        MADE(Setup, setup_form, teardown, s, k == 1, true, true, 6, 8, NULL,
             (SetupForm){ k < 2 ? LAL_WORDS : k - 1, false, false });
        parse_one(&s, 0);
        int far = 1; /* a word that is not beside its head */
        while (far < s.p.n_words && abs(s.p.heads[far - 1] - far) < 2) far++;
        const Decision all[] = { { EXPLAIN_SPAN, { 0, 2, label(&s, "NP") }, LABEL_NONE },
                                 { EXPLAIN_ARC, { 1, s.p.n_words, LABEL_NONE }, LABEL_NONE },
                                 { EXPLAIN_TYPE, { far, s.p.heads[far - 1], 1 }, LABEL_NONE } };
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            HeadAttribution a = explained(&s, &all[i], false);
            double score = 0, one = 0;
            bool none[6] = { false }, first[6] = { true };
            assert_ok(explain_score_without(&s.w, &all[i], none, &score, test_error()));
            assert_near(score, a.score);
            assert_ok(explain_score_without(&s.w, &all[i], first, &one, test_error()));
            assert_true(fabs(one - score) > 1e-6);
            if (k == 2 && all[i].kind != EXPLAIN_SPAN) assert_near(score - one, a.head[0]); /* it is linear */
            HeadAttribution again = explained(&s, &all[i], false);                          /* the tape is as it was */
            assert_true(again.head[0] == a.head[0]);
        }
    }
}

TEST(the_papers_statistic_is_a_softmax_of_scaled_sums)
{
    double share[16], sum = 0, low = 1, high = 0;
    MADE(Setup, setup, teardown, s, false, true, true);
    parse_one(&s, 0);
    assert_ok(explain_paper_share(&s.w, 0, 2, share, test_error()));
    for (int h = 0; h < 6; h++) {
        sum += share[h];
        low = fmin(low, share[h]);
        high = fmax(high, share[h]);
    }
    assert_true(fabs(sum - 1) < 1e-12);
    assert_true(fabs(high / low - exp(1)) < 1e-9);
    /* by hand, for the head of columns 2 * 8 .. 2 * 8 + 7 of a token: first half of tokens j and i, second half of j +
     * 1 and i + 1 */
    const Tensor *y = s.w.net.encoder.word;
    double raw[6];
    for (int h = 0; h < 6; h++) {
        raw[h] = 0;
        for (int c = 0; c < 4; c++)
            raw[h] += (double)tensor_row(y, 2)[h * 8 + c] - (double)tensor_row(y, 0)[h * 8 + c] +
                      (double)tensor_row(y, 3)[h * 8 + 4 + c] - (double)tensor_row(y, 1)[h * 8 + 4 + c];
    }
    for (int h = 1; h < 6; h++) assert_true((raw[h] > raw[0]) == (share[h] > share[0]));
}

TEST(attention_inside_a_span_and_outside_make_a_whole)
{
    MADE(Setup, setup, teardown, s, true, true, true);
    parse_one(&s, 0);
    int n = s.p.n_words;
    HeadFocus all = explain_focus(&s.w, 0, 0, n), none = explain_focus(&s.w, 0, 0, 0);
    double words = 0;
    for (int k = 0; k < n; k++) words += (double)tensor_row(s.w.net.encoder.trace.probs, k + 1)[0];
    assert_true(fabs(all.inside - words) < 1e-6);
    assert_true(none.inside == 0);
    assert_true(all.word >= 0 && all.word < n && all.most > 0);
    assert_true(all.inside <= 1 + 1e-6); /* START and STOP have the rest */
}

TEST(sums_count_leaders_shares_and_gold)
{
    double one[3] = { 3, -1, 0 }, two[3] = { 1, -3, 0 }, zero[3] = { 0, 0, 0 };
    HeadAttribution a = { .heads = 3, .score = 2, .head = one }, b = { .heads = 3, .score = -2, .head = two },
                    c = { .heads = 3, .head = zero };
    MADE(HeadSummary, head_summary_init, head_summary_fini, s, 3);
    assert_ok(head_summary_add(&s, "NP", &a, NULL, 1, test_error()));
    assert_ok(head_summary_add(&s, "NP", &b, NULL, 0, test_error()));
    assert_ok(head_summary_add(&s, "VP", &c, NULL, -1, test_error()));
    assert_string_equal(s.c[0].name, "NP");
    const HeadSums *np = &s.c[0].by[SUM_ALL], *right = &s.c[0].by[SUM_RIGHT], *wrong = &s.c[0].by[SUM_WRONG];
    assert_int_equal(np->n, 2);
    assert_int_equal(right->n, 1);
    assert_int_equal(wrong->n, 1);
    assert_true(np->top[0] == 1 && np->top[1] == 1);
    assert_true(right->top[0] == 1 && right->top[1] == 0);
    assert_true(wrong->top[0] == 0 && wrong->top[1] == 1);
    assert_true(fabs(np->share[0] - 1) < 1e-12 && fabs(np->share[1] - 1) < 1e-12);
    assert_true(fabs(right->share[0] - 0.75) < 1e-12 && fabs(wrong->share[0] - 0.25) < 1e-12);
    assert_true(np->part[0] == 4 && np->part[1] == -4);
    assert_true(right->part[0] == 3 && wrong->part[0] == 1);
    assert_int_equal(s.c[1].by[SUM_RIGHT].n + s.c[1].by[SUM_WRONG].n, 0);
    assert_true(s.c[1].by[SUM_ALL].share[0] == 0);
    assert_true(head_summary_next(&s, -1) == 0 && head_summary_next(&s, 0) == 1 && head_summary_next(&s, 1) == -1);
    assert_true(head_summary_next_largest(wrong->share, 3, -1) == 1 &&
                head_summary_next_largest(wrong->share, 3, 1) == 0 &&
                head_summary_next_largest(wrong->share, 3, 2) == -1);
    assert_true(head_summary_leader(right, 3) == 0 && head_summary_leader(wrong, 3) == 1);
    assert_true(s.worst == 0);
    one[0] = 4; /* no longer adds up: 3 for 2 */
    assert_ok(head_summary_add(&s, "NP", &a, NULL, 1, test_error()));
    assert_true(fabs(s.worst - 0.5) < 1e-12);
}

/* e to the score of the decision d with another label, type or head; best: the best of those that are not d itself. */
static double alternative(Setup *s, Decision d, int number, Standing *best)
{
    int *choice = d.kind == EXPLAIN_ARC ? &d.at.end : &d.at.label, own = *choice;
    *choice = number;
    double score = explained(s, &d, false).score;
    if (number != own && score > best->rival_score) *best = (Standing){ .rival = number, .rival_score = score };
    return exp(score);
}

/* Probabilities against softmaxes by hand, over the same scores as the decoder's. */
TEST(probabilities_are_those_of_the_alternatives)
{
    MADE(Setup, setup, teardown, s, true, true, true);
    parse_one(&s, 0);
    int n = s.p.n_words, labels = s.m.labels.map.n;
    for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_TYPE; kind++) {
        Decision *d;
        int count;
        assert_ok(explain_decisions(&s.m, &s.p, (ExplainKind)kind, &s.arena, &d, &count, test_error()));
        assert_true(count > 0);
        for (int k = 0; k < count; k++) {
            HeadAttribution a;
            Standing found, by_hand = { .rival = RIVAL_NONE, .rival_score = -INFINITY };
            assert_ok(explain_decision(&s.w, &d[k], false, &s.arena, &a, &found, test_error()));
            double sum = 0;
            if (kind == EXPLAIN_SPAN) {
                if (d[k].at.begin > 0 || d[k].at.end < n) sum = 1, by_hand.rival_score = 0; /* "no phrase" */
                for (int l = 1; l < labels; l++) sum += alternative(&s, d[k], l, &by_hand);
            } else
                for (int l = 0; l < (kind == EXPLAIN_ARC ? n + 1 : s.m.types.map.n); l++)
                    sum += alternative(&s, d[k], l, &by_hand);
            assert_near(found.p, exp(a.score) / sum);
            assert_int_equal(found.rival, by_hand.rival);
            assert_near(found.rival_score, by_hand.rival_score);
        }
    }
}

/* Compared with a gold sentence in which one label, one head and one type are changed and a phrase is added. */
/* The sums over a sentence, added twice, whose parse lacks one gold phrase. */
static void assert_missed(Worker *w, const Inspected *x)
{
    const Explained *missed = &x->missed[0];
    const char *label = decision_label(w->m, EXPLAIN_SPAN, missed->d.at.label);
    const int begin = missed->d.at.begin, end = missed->d.at.end, *heads = x->gold->heads;
    int top = 0, word = 0;
    char name[64];
    for (int h = 1; h < missed->a.heads; h++)
        if (fabs(missed->a.head[h]) > fabs(missed->a.head[top])) top = h;
    for (int k = 1; k < x->p->n_words; k++)
        if (explain_focus(w, top, k, k + 1).inside > explain_focus(w, top, word, word + 1).inside) word = k;
    bool inside = word >= begin && word < end, at_head = inside && (heads[word] - 1 < begin || heads[word] - 1 >= end);
    snprintf(name, sizeof name, "%s %s", label, x->s->words[word]);
    FREED(inspection_fini) Inspection sums;
    assert_ok(inspection_init(&sums, w->m, test_error()));
    for (int k = 0; k < 2; k++) assert_ok(inspection_add(&sums, x, test_error()));
    assert_int_equal(sums.missed.names.n, 1);
    assert_string_equal(sums.missed.c[0].name, label);
    assert_int_equal(sums.missed.c[0].by[SUM_ALL].n, 2);
    assert_int_equal(sums.missed.c[0].by[SUM_ALL].top[top], 2);
    assert_int_equal(vocab_size(&sums.attended), 1);
    assert_string_equal(vocab_text(&sums.attended, 0), name);
    assert_int_equal(sums.attended.counts[0], 2);
    assert_int_equal(sums.looks[LOOKS_MISSED].n, 2);
    assert_int_equal(sums.looks[LOOKS_MISSED].inside, 2 * inside);
    assert_int_equal(sums.looks[LOOKS_MISSED].at_head, 2 * at_head);
}

TEST(decisions_are_judged_by_gold)
{
    Setup s;
    setup(&s, true, true, true);
    for (int i = 0;; i++) { /* a sentence with a tree of some phrases */
        parse_one(&s, i);
        if (s.p.n_phrases > 2 && s.p.n_words > 3) break;
    }
    int n_words = s.p.n_words, n_chains, heads[64];
    const char *types[64];
    Sentence gold = *parsed_sentence(&s.p, &s.arena);
    Phrase *chain = tree_chains(&gold, &s.arena, &n_chains);
    gold.phrases = chain;
    gold.n_phrases = n_chains;
    memcpy(heads, gold.heads, sizeof *heads * (size_t)n_words);
    memcpy(types, gold.types, sizeof *types * (size_t)n_words);
    gold.heads = heads;
    gold.types = types;
    chain[1].label = strcmp(chain[1].label, "NP") == 0 ? "VP" : "NP";
    int changed = 0;
    while (heads[changed] == 0) changed++;
    types[changed] = "other";
    int moved = changed + 1;
    while (heads[moved] == 0) moved++;
    heads[moved] = heads[moved] == 1 ? n_words : 1;
    Inspected x = { .p = &s.p, .gold = &gold };
    InspectOptions o = { .kinds = { true, true, true }, .leads = true, .missed = true, .words = 2 };
    assert_ok(inspection_explain(&o, &s.w, &s.arena, &x, test_error()));
    int wrong = 0, unjudged = 0;
    for (int k = 0; k < x.n; k++) {
        const Explained *y = &x.x[k];
        const Decision *d = &y->d;
        double sum = 0;
        unjudged += y->in_gold < 0;
        for (int t = 0; t < y->a.tokens; t++) sum += y->by_word[t];
        double views = 0;
        for (int h = 0; h < y->a.heads; h++) views += y->a.view[h];
        assert_near(sum, views);
        assert_int_equal(y->n_word_heads, 2);
        int top = inspection_next_head(&y->a, -1);
        sum = 0;
        for (int t = 0; t < y->a.tokens; t++) sum += y->word[t];
        assert_near(sum, y->a.view[top]);
        if (y->in_gold) continue;
        wrong++;
        if (d->kind == EXPLAIN_SPAN) {
            assert_true(d->at.begin == chain[1].begin && d->at.end == chain[1].end);
            assert_string_equal(y->gold, chain[1].label);
            assert_true(y->lead.heads > 0);
        } else assert_int_equal(d->at.begin, (d->kind == EXPLAIN_ARC ? moved : changed) + 1);
    }
    assert_int_equal(wrong, 3);
    assert_int_equal(unjudged, 1); /* the type of the arc that the gold sentence lacks */
    assert_int_equal(x.n_missed, 1);
    assert_string_equal(decision_label(&s.m, EXPLAIN_SPAN, x.missed[0].d.at.label), chain[1].label);
    assert_missed(&s.w, &x);
    teardown(&s);
}

/* Notes on a parse and explanations of its decisions, with the n-th allocation and all after it failing. */
TEST(explaining_tells_every_failed_allocation)
{
    MADE(Setup, setup, teardown, s, true, true, true);
    const Sentence *x = &s.b.dev.trees.s[0];
    ParseInput in = { x->n_words, x->words, NULL, NULL, NULL, NULL };
    for (long n = 0; allocation_fails(n); n++) {
        ParseOptions o = s.o;
        Parsed p;
        FREED(why_fini) Why y;
        Error *e = test_error();
        long explained = 0, expected = 0;
        MADE(Arena, arena_init, arena_fini, out, 64); /* small: each of its blocks is an allocation that can fail */
        MADE(Worker, worker_init, worker_fini, w, &s.m, device_cpu());
        MADE(HeadSummary, head_summary_init, head_summary_fini, sum, s.m.net.encoder.c.lal.heads);
        mem_fail_after(n);
        Status st = why_init(&y, &s.m, true, true, e);
        o.observe = why_observer(&y);
        if (st == OK) st = parse_batch(&w, &in, 1, &o, &out, &p, e);
        for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_TYPE && st == OK; kind++) {
            Decision *d;
            int count;
            st = explain_decisions(&s.m, &p, (ExplainKind)kind, &out, &d, &count, e);
            for (int k = 0; st == OK && k < count; k++, expected++) {
                HeadAttribution a;
                st = explain_decision(&w, &d[k], true, &out, &a, NULL, e);
                const char *name = decision_label(&s.m, (ExplainKind)kind, d[k].at.label);
                if (st == OK) st = head_summary_add(&sum, name ? name : "arc", &a, NULL, -1, e);
            }
        }
        bool done = assert_ok_or_no_memory(st);
        for (int k = 0; done && k < sum.names.n; k++) explained += sum.c[k].by[SUM_ALL].n;
        if (done) assert_true(expected > 2 * x->n_words && explained == expected && sum.worst < EXACT);
    }
}
