/* The loss that links label heads to categories is the cross-entropy of the contributions that explanations give. */
#include "parser/task/parse/link_loss.h"

#include <math.h>
#include <string.h>

#include "parser/parse/parse_network.h"
#include "parser/task/parse/gold.h"
#include "tests/support/explained.h"

enum { HEADS = 20, SHARPNESS = 10 };

/* -log of the probability that the softmax of the contributions gives to heads of the label's categories, a mean over
 * these. */
static double literal(const HeadAttribution *a, const Categories *c, int label)
{
    double most = -INFINITY, sum = 0, loss = 0;
    for (int h = 0; h < a->heads; h++) most = fmax(most, SHARPNESS * a->head[h]);
    for (int h = 0; h < a->heads; h++) sum += exp(SHARPNESS * a->head[h] - most);
    for (int k = c->first[label]; k < c->first[label + 1]; k++)
        loss -= (SHARPNESS * a->head[c->of[k]] - most - log(sum)) / (c->first[label + 1] - c->first[label]);
    return loss;
}

TEST(the_link_is_a_cross_entropy_of_contributions)
{
    int checked = 0;
    MADE(Setup, setup_form, teardown, s, false, true, true, HEADS, 8, NULL, (SetupForm){ LAL_PHRASES, false, true });
    const Categories *c = &parse_network(&s.m.net)->c.categories;
    assert_true(c->n > 2 && c->n < HEADS);
    for (int i = 0; i < s.b.dev.trees.n; i++) {
        const Sentence *sent = &s.b.dev.trees.s[i];
        ParseInput in = parse_input(sent);
        Gold gold;
        double want = 0;
        assert_true(gold_make(&s.m, sent, oracle_convert(sent, &s.arena), &s.arena, &gold));
        const GoldTree *tree = &parse_gold(&gold)->tree;
        if (!tree->n_nodes) continue;
        assert_ok(parse_batch(&s.w, &in, 1, &s.o, &s.arena, &s.p, test_error()));
        Tensor *loss =
            link_loss(&s.w.forward, &s.m.net, parse_scores(&s.w.net)->g, s.w.net.encoder.phrase, tree, &s.arena);
        double found = tape_number(&s.w.tape, loss);
        for (int k = 0; k < tree->n_nodes; k++) {
            Decision d = { EXPLAIN_SPAN, tree->nodes[k], LABEL_NONE };
            HeadAttribution a;
            if (d.at.label <= CHART_GROUP) continue;
            assert_ok(explain_decision(&s.w, &d, false, &s.arena, &a, NULL, test_error()));
            want += literal(&a, c, d.at.label);
            checked++;
        }
        if (!(fabs(found - want) <= 1e-3 * want)) fail_msg("sentence %d: %g, expected %g", i, found, want);
    }
    assert_true(checked > 20);
}

/* The slopes are constants: what learns are sums and their weights. */
TEST(the_link_teaches_the_label_heads_alone)
{
    MADE(Setup, setup_form, teardown, s, false, true, true, HEADS, 8, NULL, (SetupForm){ LAL_PHRASES, false, true });
    const Sentence *sent = &s.b.dev.trees.s[0];
    const ParseNetwork *own = parse_network(&s.m.net);
    ParseInput in = parse_input(sent);
    Gold gold;
    assert_true(gold_make(&s.m, sent, oracle_convert(sent, &s.arena), &s.arena, &gold));
    assert_ok(parse_batch(&s.w, &in, 1, &s.o, &s.arena, &s.p, test_error()));
    FREED(free_pointer) Real *grads = mem_calloc(s.m.ps.trained, sizeof *grads);
    Forward f = s.w.forward;
    f.grads = grads;
    Tensor *loss =
        link_loss(&f, &s.m.net, parse_scores(&s.w.net)->g, s.w.net.encoder.phrase, &parse_gold(&gold)->tree, &s.arena);
    assert_int_equal(tape_backward(&s.w.tape, loss), OK);
    for (int k = 0; k < s.m.ps.n; k++) {
        double sum = 0;
        for (size_t i = 0; i < param_count(&s.m.ps.p[k]); i++) sum += fabs((double)grads[s.m.ps.p[k].offset + i]);
        assert_true((sum > 0) == (k == own->span.phrase)); /* the pass itself was made without gradients */
    }
}

TEST(a_chain_has_the_categories_of_its_labels)
{
    static const char *const labels[] = { "", "<H>", "NP", "S::VP", "VP", "NP::QP::NP" }, *const names[] = { "NP", "S",
                                                                                                             "VP",
                                                                                                             "QP" };
    static const int first[] = { 0, 0, 0, 1, 3, 4, 7 }, of[] = { 0, 1, 2, 2, 0, 3, 0 };
    Categories c;
    MADE(Model, model_init, model_fini, m);
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++)
        assert_int_equal(vocab_count(&m.labels, labels[k], strlen(labels[k]), 1), (int)k);
    assert_ok(categories_find(&m, 4, test_arena(), &c, test_error()));
    assert_int_equal(c.n, 4);
    for (int k = 0; k < c.n; k++) assert_string_equal(c.name[k], names[k]);
    for (int l = 0; l < 7; l++) assert_int_equal(c.first[l], first[l]);
    for (int k = 0; k < 7; k++) assert_int_equal(c.of[k], of[k]);
    static const int few[] = { 0, 0, 0, 1, 2, 2, 4 }; /* of two heads: NP and S alone */
    assert_ok(categories_find(&m, 2, test_arena(), &c, test_error()));
    assert_int_equal(c.n, 2);
    for (int l = 0; l < 7; l++) assert_int_equal(c.first[l], few[l]);
}
