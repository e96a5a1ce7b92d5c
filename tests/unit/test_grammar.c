/* Probabilities of trees by a grammar of Markov chains, against counts over texts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parser/model/grammar.h"
#include "tests/support/check.h"
#include "tests/support/grammar.h"

enum { STEPS = 4096, TEXT = 40 };

/* Steps as texts: around, label, before, next. */
typedef struct Texts {
    char part[STEPS][4][TEXT];
    int n;
} Texts;

static void add(Texts *t, const char *around, const char *label, const char *before, const char *next)
{
    const char *const part[] = { around, label, before, next };
    assert_true(t->n < STEPS);
    for (int k = 0; k < 4; k++) snprintf(t->part[t->n][k], TEXT, "%s", part[k]);
    t->n++;
}

/* The steps of phrase k and of the phrases in it, one phrase after the other; -1: the whole sentence. */
static void list(Texts *t, const Sentence *s, int k, const char *around)
{
    int begin = k < 0 ? 0 : s->phrases[k].begin, end = k < 0 ? s->n_words : s->phrases[k].end, next = k + 1;
    const char *label = k < 0 ? GRAMMAR_ROOT : s->phrases[k].label, *before = "";
    for (int w = begin; w < end;) {
        while (next < s->n_phrases && s->phrases[next].begin < w) next++;
        bool phrase = next < s->n_phrases && s->phrases[next].begin == w && s->phrases[next].end <= end;
        const char *x = phrase ? s->phrases[next].label : s->tags[w];
        add(t, around, label, before, x);
        if (phrase) list(t, s, next, label);
        w = phrase ? s->phrases[next].end : w + 1;
        before = x;
    }
    add(t, around, label, before, "");
}

/* How many steps agree with parts that are not NULL, and of how many kinds their next parts are. */
static int count(const Texts *t, const char *around, const char *label, const char *before, const char *next,
                 int *kinds)
{
    const char *const want[] = { around, label, before, next };
    int n = 0, found = 0;
    const char *seen[100];
    for (int k = 0; k < t->n; k++) {
        bool same = true;
        for (int p = 0; p < 4; p++) same = same && (!want[p] || strcmp(want[p], t->part[k][p]) == 0);
        if (!same) continue;
        n++;
        bool known = false;
        for (int i = 0; i < found; i++) known = known || strcmp(seen[i], t->part[k][3]) == 0;
        if (!known) seen[found++] = t->part[k][3];
    }
    *kinds = found;
    return n;
}

/* own: the steps of the treebank; without any the trees of all of them decide. */
static double expected(const Texts *t, const Texts *own, int symbols, const char *const part[4])
{
    int k, kinds;
    double p = (count(t, NULL, NULL, NULL, part[3], &k) + 0.1) / (t->n + 0.1 * (symbols + 1));
    for (int with = 0; with < 2 + (own->n > 0); with++) {
        const Texts *of = with < 2 ? t : own;
        const char *around = with ? part[0] : NULL;
        int all = count(of, around, part[1], part[2], NULL, &kinds),
            n = count(of, around, part[1], part[2], part[3], &k), trust = (2 * kinds + 1) * (with < 2 ? 1 : 10);
        p = (n + trust * p) / (all + trust);
    }
    return log(p);
}

/* The nodes of a joint tree that are phrases, unary chains joined, whose labels are counted. */
static void make_tree(const Sentence *s, Vocab *labels, JointTree *tree, Span *node)
{
    *tree = (JointTree){ .nodes = node };
    for (int k = 0; k < s->n_phrases;) {
        char text[200] = "";
        Phrase x = s->phrases[k];
        for (; k < s->n_phrases && s->phrases[k].begin == x.begin && s->phrases[k].end == x.end; k++) {
            if (text[0]) strcat(text, LABEL_JOIN);
            strcat(text, s->phrases[k].label);
        }
        node[tree->n_nodes++] = (Span){ x.begin, x.end, vocab_count(labels, text, strlen(text), 1) };
    }
}

/* Sentences are counted for the first treebank, for the second one, and for all of them alone. */
TEST(trees_have_the_probability_of_their_steps)
{
    enum { LEARNT = 9, ALL = 60, TREEBANKS = 3 };
    static const char *const name[TREEBANKS] = { "a", "b c", NULL };
    static Texts texts, own[TREEBANKS], one;
    MADE(Treebank, treebank_init, treebank_fini, tb);
    MADE(Vocab, vocab_init, vocab_fini, steps);
    MADE(Vocab, vocab_init, vocab_fini, labels);
    MADE(Vocab, vocab_init, vocab_fini, symbols);
    MADE(Vocab, vocab_init, vocab_fini, treebanks);
    FREED(grammar_fini) Grammar g = { 0 };
    JointTree tree;
    Span node[200];
    int unseen = 0, differ = 0;
    texts.n = own[0].n = own[1].n = own[2].n = 0;
    assert_true(grammar_sentences(&tb, ALL, 5));
    assert_true(vocab_count(&labels, "-", 1, 1) == 0 && vocab_count(&labels, "<H>", 3, 1) == 1);
    assert_true(vocab_count(&treebanks, "a", 1, 1) == 0 && vocab_count(&treebanks, "b c", 3, 1) == 1);
    assert_true(vocab_count(&treebanks, "without trees", 13, 1) == 2);
    for (int k = 0; k < ALL; k++) make_tree(&tb.s[k], &labels, &tree, node);
    for (int k = 0; k < LEARNT; k++) {
        assert_true(grammar_count(&steps, &tb.s[k], name[k % TREEBANKS]));
        list(&texts, &tb.s[k], -1, "");
        if (name[k % TREEBANKS]) list(&own[k % TREEBANKS], &tb.s[k], -1, "");
    }
    assert_ok(grammar_read(&g, &steps, &labels, &treebanks, test_error()));
    for (int k = 0; k < texts.n; k++)
        for (int p = 0; p < 4; p++) vocab_count(&symbols, texts.part[k][p], strlen(texts.part[k][p]), 1);
    for (int k = 0; k < ALL; k++) {
        const Sentence *s = &tb.s[k];
        int tag[100], kinds;
        double sum[TREEBANKS] = { 0 };
        one.n = 0;
        list(&one, s, -1, "");
        for (int i = 0; i < one.n; i++) {
            const char *const part[] = { one.part[i][0], one.part[i][1], one.part[i][2], one.part[i][3] };
            for (int b = 0; b < TREEBANKS; b++) sum[b] += expected(&texts, &own[b], vocab_size(&symbols), part);
            unseen += count(&texts, part[0], part[1], part[2], part[3], &kinds) == 0;
        }
        make_tree(s, &labels, &tree, node);
        for (int w = 0; w < s->n_words; w++) tag[w] = grammar_tag(&g, s->tags[w]);
        for (int b = 0; b < TREEBANKS; b++)
            assert_within(grammar_log_p(&g, b, &tree, tag, s->n_words, test_arena()), sum[b], 1e-4);
        differ += fabs(sum[0] - sum[1]) > 0.01 && fabs(sum[0] - sum[2]) > 0.01;
    }
    assert_true(unseen > 10 && differ > 10);
}

TEST(rare_steps_are_left_out)
{
    MADE(Vocab, vocab_init, vocab_fini, steps);
    char text[40];
    for (int k = 0; k < GRAMMAR_STEPS_MOST + 100; k++) {
        int len = snprintf(text, sizeof text, "TOP S A%d B", k);
        assert_true(vocab_count(&steps, text, (size_t)len, 1 + k % 3) == k);
    }
    assert_true(grammar_prune(&steps));
    assert_int_equal(vocab_size(&steps), (GRAMMAR_STEPS_MOST + 100) * 2 / 3); /* seen twice or three times */
    assert_true(vocab_find(&steps, "TOP S A0 B") < 0 && vocab_find(&steps, "TOP S A1 B") == 0);
    for (int k = 0; k < GRAMMAR_STEPS_MOST / 2; k++) {
        int len = snprintf(text, sizeof text, "TOP S C%d B", k);
        assert_true(vocab_count(&steps, text, (size_t)len, 3) >= 0);
    }
    assert_true(grammar_prune(&steps));
    assert_true(vocab_find(&steps, "TOP S A1 B") < 0 && vocab_find(&steps, "TOP S A2 B") == 0);
}

TEST(steps_of_another_form_are_refused)
{
    static const char *const text[] = { "TOP", "TOP S", "TOP S NP", "" };
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        MADE(Vocab, vocab_init, vocab_fini, steps);
        MADE(Vocab, vocab_init, vocab_fini, labels);
        MADE(Vocab, vocab_init, vocab_fini, treebanks);
        Grammar g;
        assert_true(vocab_count(&steps, text[k], strlen(text[k]), 1) == 0);
        assert_fails(grammar_read(&g, &steps, &labels, &treebanks, test_error()), ERR_FORMAT,
                     "steps of the grammar: found fewer than four names between blanks");
        assert_true(!g.own);
    }
}

TEST(every_allocation_of_a_grammar_may_fail)
{
    MADE(Treebank, treebank_init, treebank_fini, tb);
    MADE(Vocab, vocab_init, vocab_fini, labels);
    MADE(Vocab, vocab_init, vocab_fini, treebanks);
    assert_true(grammar_sentences(&tb, 1, 3) && vocab_count(&treebanks, "a", 1, 1) == 0);
    for (long n = 0; allocation_fails(n); n++) {
        MADE(Vocab, vocab_init, vocab_fini, steps);
        Grammar g = { 0 };
        mem_fail_after(n);
        if (grammar_count(&steps, &tb.s[0], "a"))
            assert_ok_or_no_memory(grammar_read(&g, &steps, &labels, &treebanks, test_error()));
        mem_fail_after(-1);
        grammar_fini(&g);
    }
}
