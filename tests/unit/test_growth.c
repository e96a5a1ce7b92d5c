/* Wide, deep and long inputs with known results, on which algorithms of quadratic time do not
 * end within the time limit of a test; and comparisons with plain algorithms on small inputs. */
#include "base/rng.h"
#include "eval/report.h"
#include "eval/subsequence.h"
#include "tests/support/check.h"
#include "tests/support/trees.h"
#include "treebank/bracket.h"
#include "treebank/draw/draw.h"
#include "treebank/head_rules.h"
#include "treebank/oracle.h"
#include "treebank/tree.h"

FREES(HeadRules, head_rules_free)

enum { N = 500000 };

/* ---- sentences */

/* One phrase over n words, and with `pairs` a phrase in it over every two words. The tags are "A", the last one "Z". */
static Sentence wide_sentence(Arena *a, int n, bool pairs)
{
    Sentence s = { .n_words = n, .n_phrases = 1 + (pairs ? n / 2 : 0), .has_tree = true };
    s.words = arena_alloc(a, (size_t)n, sizeof *s.words);
    s.tags = arena_alloc(a, (size_t)n, sizeof *s.tags);
    s.types = arena_alloc(a, (size_t)n, sizeof *s.types);
    s.heads = arena_alloc(a, (size_t)n, sizeof *s.heads);
    s.phrases = arena_alloc(a, (size_t)s.n_phrases, sizeof *s.phrases);
    assert_true(s.words && s.tags && s.types && s.heads && s.phrases);
    for (int w = 0; w < n; w++) {
        s.words[w] = "a";
        s.tags[w] = w + 1 < n ? "A" : "Z";
        s.types[w] = "x";
    }
    s.phrases[0] = (Phrase){ 0, n, "S" };
    for (int p = 1; p < s.n_phrases; p++) s.phrases[p] = (Phrase){ 2 * p - 2, 2 * p, "P" };
    return s;
}

/* Each word depends on the next one. */
static void chain_heads(Sentence *s)
{
    for (int w = 0; w < s->n_words; w++) s->heads[w] = w + 1 < s->n_words ? w + 2 : 0;
}

/* ---- heads */

TEST(long_chains_of_heads_are_checked)
{
    Sentence s = wide_sentence(test_arena(), N, false);
    int word;
    const char *what;
    bool projective;
    chain_heads(&s);
    assert_true(tree_heads_valid(s.heads, N, &word, &what));
    assert_true(tree_heads_projective(s.heads, N, &projective) && projective);
    s.heads[N - 1] = N / 2;
    s.heads[0] = 0; /* words 2 .. N are on a cycle that begins at N / 2, or lead to it */
    assert_false(tree_heads_valid(s.heads, N, &word, &what));
    assert_int_equal(word, 2);
    assert_string_equal(what, "a cycle");
    for (int w = 0; w < N; w++) s.heads[w] = w + 1 < N ? N : 0; /* all arcs nested */
    assert_true(tree_heads_projective(s.heads, N, &projective) && projective);
    s.heads[N - 2] = N - 4;
    assert_true(tree_heads_projective(s.heads, N, &projective) && !projective); /* crosses the arc of word N - 3 */
}

/* Plain versions of the functions of tree.h, word by word. */
static bool reaches_root_in_steps(const int *heads, int n, int word)
{
    for (int steps = 0; word && steps <= n; steps++) word = heads[word - 1];
    return word == 0;
}

static bool crosses(const int *heads, int v, int w)
{
    int a = heads[v - 1] < v ? heads[v - 1] : v, b = heads[v - 1] < v ? v : heads[v - 1];
    int c = heads[w - 1] < w ? heads[w - 1] : w, d = heads[w - 1] < w ? w : heads[w - 1];
    return a < c && c < b && b < d;
}

TEST(heads_are_checked_as_the_plain_way_does)
{
    enum { MOST = 7, TRIES = 20000 };
    long valid_ones = 0, projective_ones = 0;
    for (int k = 0; k < TRIES; k++) {
        int heads[MOST], n = 1 + k % MOST, word, lost = 0, roots = 0, wrong = 0;
        const char *what;
        bool projective, crossing = false;
        uint64_t key = rng_key(7, (uint64_t)k, 0, 0);
        for (int w = 0; w < n; w++) heads[w] = (int)(rng_bits32(key, (uint32_t)w) % (uint32_t)(n + 1));
        for (int w = n; w >= 1; w--) {
            roots += heads[w - 1] == 0;
            if (heads[w - 1] == w) wrong = w;
            if (!reaches_root_in_steps(heads, n, w)) lost = w;
            for (int v = 1; v <= n; v++) crossing |= crosses(heads, v, w);
        }
        bool valid = tree_heads_valid(heads, n, &word, &what);
        assert_int_equal(valid, roots == 1 && !wrong && !lost);
        if (!valid && roots < 2 && !wrong) {
            assert_int_equal(word, lost);
            assert_string_equal(what, "a cycle");
        }
        assert_true(tree_heads_projective(heads, n, &projective));
        assert_int_equal(projective, !crossing);
        valid_ones += valid;
        projective_ones += projective;
    }
    assert_true(valid_ones > 1000 && projective_ones > 1000);
}

TEST(heads_outside_of_all_phrases_are_counted_at_once)
{
    int *outside = arena_alloc(test_arena(), N, sizeof *outside);
    Sentence s = wide_sentence(test_arena(), 9, true);
    s.phrases[1] = (Phrase){ 0, 7, "Q" };
    for (int k = 0; k < 1000; k++) {
        for (int w = 0; w < 9; w++) s.heads[w] = (int)(rng_bits32(rng_key(3, (uint64_t)k, 0, 0), (uint32_t)w) % 10);
        assert_true(tree_outside_heads(&s, outside));
        for (int p = 0; p < s.n_phrases; p++) assert_int_equal(outside[p], phrase_outside_heads(&s, &s.phrases[p]));
    }
    s = wide_sentence(test_arena(), N, false); /* nested phrases: each has one word less */
    s.n_phrases = N / 2;
    s.phrases = arena_alloc(test_arena(), (size_t)s.n_phrases, sizeof *s.phrases);
    for (int p = 0; p < s.n_phrases; p++) s.phrases[p] = (Phrase){ p, N, "P" };
    chain_heads(&s);
    assert_true(tree_outside_heads(&s, outside));
    for (int p = 0; p < s.n_phrases; p++) assert_int_equal(outside[p], 1);
}

/* ---- the joint conversion */

TEST(wide_phrases_are_grouped)
{
    Sentence s = wide_sentence(test_arena(), N, false);
    chain_heads(&s);
    OracleTree *t = oracle_convert(&s, test_arena()); /* words 1 and 2, 1 to 3, ... form groups */
    assert_int_equal(t->n, N - 1);
    assert_int_equal(t->flat, 0);
    for (int k = 1; k < t->n; k++) {
        assert_int_equal(t->nodes[k].begin, 0);
        assert_int_equal(t->nodes[k].end, N - k);
    }
    for (int w = 0; w < N; w++)
        s.heads[w] = w + 1 == N ? 0 : w + 2 >= N ? N : w + 3; /* every second word: groups that are not contiguous */
    t = oracle_convert(&s, test_arena());
    assert_int_equal(t->n, 1);
    assert_int_equal(t->flat, N - 3);
}

/* ---- words joined from parts */

TEST(words_of_many_parts_are_joined_once)
{
    enum { PARTS = 300000 };
    FREED(strbuf_fini) StrBuf text = { 0 };
    strbuf_puts(&text, "( (IP (N a$-a)");
    for (int k = 0; k < PARTS; k++) strbuf_puts(&text, " (D $b$-b)");
    strbuf_puts(&text, " (D $c-c) (V d-d)))");
    MADE(Treebank, treebank_init, treebank_fini, tb);
    BracketOptions o = { .strip_functions = true, .keep_spelling = true, .dialect = BRACKET_HELSINKI };
    assert_ok(bracket_read(&tb, text_block((StrView){ text.ptr, text.len }, "f"), o, test_error()));
    assert_int_equal(tb.n, 1);
    assert_int_equal(tb.s[0].n_words, 2);
    assert_int_equal(strlen(tb.s[0].words[0]), PARTS + 2);
    assert_string_equal(tb.s[0].words[0] + PARTS, "bc");
    assert_string_equal(tb.s[0].spelled[0] + PARTS, "bc");
    assert_string_equal(tb.s[0].words[1], "d");
    assert_true(tb.arena.peak < (size_t)64 << 20);
}

/* ---- head rules */

static HeadRules *rules_of(const char *text)
{
    Error e = { 0 };
    HeadRules *r = head_rules_read(view(text), "r", &e);
    if (!r) fail_msg("%s", e.message);
    return r;
}

/* Copies the type of the first word: types are strings of the rules, which are freed here. */
static void apply(const char *rules, Sentence *s, Arena *a)
{
    int word;
    const char *what;
    FREED(head_rules_free_at) HeadRules *r = rules_of(rules);
    assert_ok(head_rules_apply(r, s, a, test_error()));
    assert_true(tree_heads_valid(s->heads, s->n_words, &word, &what));
    s->types[0] = arena_strndup(a, s->types[0], strlen(s->types[0]));
}

TEST(head_rules_look_at_wide_phrases_once)
{
    Sentence s = wide_sentence(test_arena(), N, false);
    /* no child is "Y", so each child is compared with all others, and the children with a condition */
    apply("head S last A precedes=Y\nhead S first A follows=Y\nhead * last *\ntype near S{Z} * A onto-next=Z\ntype far "
          "* * *\n",
          &s, test_arena());
    assert_int_equal(s.heads[N - 1], 0);
    assert_int_equal(s.heads[0], N);
    assert_string_equal(s.types[0], "near");
    /* a chain through all words */
    apply("head * last Z\ntype next * * A onto-next=A|Z\n", &s, test_arena());
    for (int w = 0; w + 1 < N; w++) assert_int_equal(s.heads[w], w + 2);
    /* ... and a cycle of words 1 and 2: with this many words, all are attached to the head */
    apply("head * last Z\ntype next * * A before onto-previous=A\ntype next * * A onto-next=A\n", &s, test_arena());
    for (int w = 0; w + 1 < N; w++) assert_int_equal(s.heads[w], N);
    s = wide_sentence(test_arena(), N, true); /* a condition on the children of the parent, for each phrase */
    apply("head P first A under=S{Y}\nhead * last *\ntype up P * * under=S{Z}\ntype in P * *\ntype out * * *\n", &s,
          test_arena());
    assert_string_equal(s.types[0], "in");
    assert_int_equal(s.heads[0], 2);
    assert_int_equal(s.heads[1], N);
}

TEST(head_rules_go_down_long_chains_once)
{
    enum { DEPTH = 60000 };
    Sentence s = wide_sentence(test_arena(), 2, false);
    s.n_phrases = DEPTH;
    s.phrases = arena_alloc(test_arena(), DEPTH, sizeof *s.phrases);
    for (int p = 0; p < DEPTH; p++) s.phrases[p] = (Phrase){ 0, 2, "P" };
    apply("head *>P>Y last *\nhead * last *\ntype found *>P>Y * *\ntype missed * * *\n", &s, test_arena());
    assert_int_equal(s.heads[0], 2);
    assert_string_equal(s.types[0], "missed");
}

/* ---- pictures and reports */

static long count_of(const StrBuf *text, const char *what)
{
    long n = 0;
    size_t len = strlen(what);
    for (size_t i = 0; i + len <= text->len; i++) /* under a sanitizer, each strstr reads the whole rest */
        n += text->ptr[i] == what[0] && strncmp(text->ptr + i, what, len) == 0;
    return n;
}

TEST(wide_and_deep_pictures_are_drawn)
{
    enum { WIDE = 100000, DEEP = 100000 };
    FREED(strbuf_fini) StrBuf out = { 0 };
    DrawOptions o = { .arcs = true };
    DrawSize near, far, deep;
    Sentence s = wide_sentence(test_arena(), WIDE, false);
    chain_heads(&s);
    draw_sentence(&out, &s, &o, &near); /* arcs of neighbours need one level */
    assert_true(count_of(&out, "<path") >= WIDE);
    strbuf_clear(&out);
    for (int w = 0; w < WIDE; w++) s.heads[w] = w + 1 < WIDE ? WIDE : 0; /* each arc is over all shorter ones */
    draw_sentence(&out, &s, &o, &far);
    assert_true(count_of(&out, "<path") >= WIDE);
    assert_true(near.height < 1000 && far.height > WIDE);
    strbuf_clear(&out);
    s.n_phrases = DEEP;
    s.phrases = arena_alloc(test_arena(), DEEP, sizeof *s.phrases);
    for (int p = 0; p < DEEP; p++) s.phrases[p] = (Phrase){ 0, WIDE - p, "P" };
    o = (DrawOptions){ .tree = true };
    draw_sentence(&out, &s, &o, &deep);
    assert_int_equal(count_of(&out, ">P<"), DEEP);
    assert_true(deep.height > DEEP);
}

TEST(a_report_of_many_wrong_brackets_of_one_span)
{
    Sentence gold = wide_sentence(test_arena(), N, true), pred = gold;
    pred.phrases = arena_alloc(test_arena(), (size_t)pred.n_phrases, sizeof *pred.phrases);
    memcpy(pred.phrases, gold.phrases, (size_t)pred.n_phrases * sizeof *pred.phrases);
    for (int p = 1; p < pred.n_phrases; p++) pred.phrases[p].label = "Q";
    gold.heads = pred.heads = NULL;
    MADE(Report, report_init, report_fini, r);
    assert_ok(report_add(&r, &gold, &pred, test_error()));
    report_write(&r, REPORT_TSV, test_out());
    assert_non_null(strstr(test_written(), "label_confusion\tP -> Q\t\t\t250000\t"));
}

/* ---- common subsequences */

static int length_of(const int *x, int n, const int *y, int m, int values, int *match)
{
    int length = 0, last = -1;
    assert_true(subsequence_match(x, n, y, m, values, match));
    for (int i = 0; i < n; i++) {
        if (match[i] < 0) continue;
        assert_true(match[i] > last && match[i] < m && x[i] == y[match[i]]);
        last = match[i];
        length++;
    }
    return length;
}

/* The length by the definition, with one row of the table at a time. */
static int longest(const int *x, int n, const int *y, int m, int *row)
{
    for (int j = 0; j <= m; j++) row[j] = 0;
    for (int i = 0; i < n; i++)
        for (int j = 1, corner = 0; j <= m; j++) {
            int above = row[j];
            row[j] = x[i] == y[j - 1] ? corner + 1 : above > row[j - 1] ? above : row[j - 1];
            corner = above;
        }
    return row[m];
}

TEST(common_subsequences_are_the_longest_ones)
{
    enum { MOST = 400 };
    int x[MOST], y[MOST], match[MOST], row[MOST + 1];
    for (int k = 0; k < 60; k++) { /* below and above SUBSEQUENCE_TABLE */
        int n = k % 2 ? 300 + k : 5 + k, m = k % 3 ? n + 20 : n, values = n / 16 + 3;
        uint64_t key = rng_key(9, (uint64_t)k, 0, 0);
        for (int i = 0; i < n; i++) x[i] = (int)(rng_bits32(key, (uint32_t)i) % (uint32_t)values);
        for (int j = 0; j < m; j++)
            y[j] = k % 4 ? (int)(rng_bits32(key, 1000 + (uint32_t)j) % (uint32_t)values) : x[j * n / m];
        int found = length_of(x, n, y, m, values, match), best = longest(x, n, y, m, row);
        if (n * m <= SUBSEQUENCE_TABLE) assert_int_equal(found, best);
        else assert_true(found >= best - best / 20); /* for frequent numbers only near places are considered */
    }
    for (int i = 0; i < 300; i++) x[i] = i; /* each number once: exact at any length */
    for (int j = 0; j < 300; j++) y[j] = (j * 7) % 300;
    assert_int_equal(length_of(x, 300, y, 300, 300, match), longest(x, 300, y, 300, row));
}

TEST(long_common_subsequences_are_found)
{
    FREED(free_pointer)
    int *x = mem_alloc(N, sizeof *x), *y = mem_alloc(N, sizeof *y), *match = mem_alloc(N, sizeof *match);
    for (int i = 0; i < N; i++) x[i] = y[i] = i % 2; /* equal except at the ends */
    x[0] = 2;
    y[N - 1] = 3;
    assert_true(length_of(x, N, y, N, 4, match) >= N - 100);
    for (int i = 0; i < N; i++) { /* the words of each pair are swapped */
        x[i] = i;
        y[i] = i ^ 1;
    }
    assert_int_equal(length_of(x, N, y, N, N, match), N / 2);
    for (int i = 0; i < N; i++) y[i] = N - 1 - i;
    assert_int_equal(length_of(x, N, y, N, N, match), 1);
    for (int i = 0; i < N; i++) x[i] = y[i] = 0;
    y[N / 2] = 1;
    assert_int_equal(length_of(x, N, y, N, 2, match), N - 1);
}
