/* Types that the head rules of the language give: which, what they change, and what explanations say of them. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "language/all/languages.h"
#include "parser/parse/rule_types.h"
#include "tests/support/explained.h"

/* "They want to see it .", with one wrong head. */
TEST(rules_give_types_where_they_agree_on_the_head)
{
    static const char *const words[] = { "They", "want", "to", "see", "it", "." },
                             *const tags[] = { "PRP", "VBP", "TO", "VB", "PRP", "." },
                             *const types[] = { "nsubj", "xcomp", "aux", "dobj" };
    Phrase phrases[] = { { 0, 6, "S" },     { 0, 1, "NP" }, { 1, 5, "VP" },
                         { 2, 5, "S::VP" }, { 3, 5, "VP" }, { 4, 5, "NP" } };
    int heads[] = { 2, 0, 4, 2, 4, 4 }, type[6];
    MADE(Model, model_init, model_fini, m);
    for (int k = 0; k < 4; k++) assert_int_equal(vocab_count(&m.types, types[k], strlen(types[k]), 1), k);
    const char *text = model_language(&m)->head_rules;
    m.head_rules = head_rules_read((StrView){ text, strlen(text) }, "rules", test_error());
    assert_non_null(m.head_rules);
    Parsed p = { .n_words = 6,
                 .words = words,
                 .tags = (const char **)(uintptr_t)tags,
                 .has_tree = true,
                 .phrases = phrases,
                 .n_phrases = 6,
                 .heads = heads };
    assert_true(rule_types_find(&m, &p, test_arena(), type));
    assert_int_equal(type[0], 0);
    assert_int_equal(type[1], LABEL_NONE); /* the root */
    assert_int_equal(type[2], 2);
    assert_int_equal(type[3], 1);
    assert_int_equal(type[4], LABEL_NONE); /* dobj is a habit */
    assert_int_equal(type[5], LABEL_NONE); /* another head than the rules' */
    m.c.type_rules = 2;
    assert_true(rule_types_add(&m, type[3], 1) == 2 && rule_types_add(&m, type[3], 0) == 0);
    assert_true(rule_types_add(&m, LABEL_NONE, 0) == 0);
}

static void parse_with(Setup *s, int k, double weight, bool by_score)
{
    const ParseInput in = parse_input(&s->b.dev.trees.s[k]);
    s->m.c.type_rules = weight;
    s->o.by_score = by_score;
    arena_reset(&s->arena);
    assert_ok(parse_batch(&s->w, &in, 1, &s->o, &s->arena, &s->p, test_error()));
}

TEST(types_of_rules_win_by_their_weight)
{
    MADE(Setup, setup, teardown, s, false, false, true);
    long agree = 0, changed = 0;
    assert_non_null(s.m.head_rules); /* of the language of new models */
    for (int k = 0; k < 30; k++) {
        const char *plain[64];
        parse_with(&s, k, 1000, true);
        int n = s.p.n_words;
        for (int c = 0; c < n; c++) plain[c] = s.p.types[c];
        for (int c = 0; c < n; c++) assert_int_equal(s.w.rule_type[c + 1], LABEL_NONE);
        parse_with(&s, k, 1000, false);
        for (int c = 0; c < n; c++) {
            int rule = s.w.rule_type[c + 1];
            if (rule == LABEL_NONE) assert_string_equal(s.p.types[c], plain[c]);
            else assert_string_equal(s.p.types[c], vocab_text(&s.m.types, rule));
            agree += rule != LABEL_NONE;
            changed += strcmp(s.p.types[c], plain[c]) != 0;
        }
    }
    assert_in_range(agree, 10, 1000);
    assert_in_range(changed, 1, agree);
}

/* Probabilities have the part of the rules, scores are those of the network. */
TEST(explanations_name_what_rules_add)
{
    MADE(Setup, setup, teardown, s, false, false, true);
    const double weight = 1.5;
    long added = 0;
    for (int k = 0; k < 10; k++) {
        Decision *d;
        int n;
        parse_with(&s, k, weight, false);
        assert_ok(explain_decisions(&s.m, &s.p, EXPLAIN_TYPE, &s.arena, &d, &n, test_error()));
        const HostMatrix x = tensor_host(&s.w.tape, s.w.types, &s.arena);
        for (int j = 0; j < n; j++) {
            int word = d[j].at.begin, rule = s.w.rule_type[word];
            HeadAttribution a;
            Standing at;
            assert_ok(explain_decision(&s.w, &d[j], false, &s.arena, &a, &at, test_error()));
            double sum = 0, own = (double)host_row(&x, word)[d[j].at.label];
            for (int y = 0; y < x.cols; y++) sum += exp((double)host_row(&x, word)[y] + (y == rule ? weight : 0));
            assert_true(at.rules == (rule == d[j].at.label ? weight : 0));
            assert_within(at.p, exp(own + at.rules) / sum, 1e-5);
            assert_within(a.score, own, 1e-5);
            added += at.rules > 0;
        }
    }
    assert_true(added > 0);
}
