/* Parses of a model under given arcs and phrases. tests/oracle/test_constraint.c has the
 * search itself. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "parser/parse/given_pieces.h"
#include "parser/parse/parser.h"
#include "tests/support/toy.h"

enum { SENTENCES = 12 };

typedef struct Setting {
    Bench b;
    Model m;
    Parser parser;
    ParseInput in[SENTENCES];
    Given given[SENTENCES];
    Arena a;
} Setting;

static void setting_init(Setting *x, int threads)
{
    bench_init(&x->b, 40);
    toy_model(&x->m, &x->b);
    assert_ok(parser_init(&x->parser, &x->m, device_cpu(), threads, test_error()));
    arena_init(&x->a, 1 << 16);
    memset(x->given, 0, sizeof x->given);
    for (int k = 0; k < SENTENCES; k++) {
        const Sentence *s = &x->b.train.trees.s[k];
        x->in[k] = (ParseInput){ .n_words = s->n_words, .words = s->words, .given = &x->given[k] };
    }
}

static void setting_fini(Setting *x)
{
    parser_fini(&x->parser);
    model_fini(&x->m);
    bench_fini(&x->b);
    arena_fini(&x->a);
}

static void run(Setting *x) { assert_ok(parser_run(&x->parser, x->in, SENTENCES, NULL, NULL, test_error())); }

static const Sentence *sentence(Setting *x, int k)
{
    const Sentence *s = parsed_sentence(&x->parser.result[k], &x->a);
    assert_non_null(s);
    return s;
}

/* The heads form a tree, and every phrase has one word with a head outside. */
static void assert_sound(const Sentence *s)
{
    int word, outside[1000];
    const char *what;
    assert_true(tree_heads_valid(s->heads, s->n_words, &word, &what));
    assert_true(s->n_phrases < 1000 && tree_outside_heads(s, outside));
    for (int p = 0; p < s->n_phrases; p++) assert_int_equal(outside[p], 1);
}

static bool is_freed(const Parsed *p, bool arc, int at)
{
    for (int k = 0; k < p->n_freed; k++)
        if (p->freed[k].arc == arc && p->freed[k].at == at) return true;
    return false;
}

static bool has_phrase(const Sentence *s, const Phrase *x)
{
    for (int p = 0; p < s->n_phrases; p++)
        if (s->phrases[p].begin == x->begin && s->phrases[p].end == x->end &&
            strcmp(s->phrases[p].label, x->label) == 0)
            return true;
    return false;
}

/* What is given is in the parse or in the list of what was freed, not in both. */
static void assert_given(Setting *x, int k)
{
    const Given *g = &x->given[k];
    const Parsed *p = &x->parser.result[k];
    const Sentence *s = sentence(x, k);
    assert_sound(s);
    for (int w = 0; w < s->n_words && g->heads; w++)
        if (g->heads[w] != HEAD_FREE) assert_true((g->heads[w] == s->heads[w]) != is_freed(p, true, w + 1));
    for (int q = 0; q < g->n_phrases && g->has_phrases; q = given_chain(g, q))
        assert_true(has_phrase(s, &g->phrases[q]) != is_freed(p, false, q));
    for (int q = 0; q < s->n_phrases && g->has_phrases && !g->more_phrases; q++) {
        bool top = s->phrases[q].begin == 0 && s->phrases[q].end == s->n_words, given = top;
        for (int r = 0; r < g->n_phrases; r++)
            given = given || (g->phrases[r].begin == s->phrases[q].begin && g->phrases[r].end == s->phrases[q].end);
        assert_true(given);
    }
}

TEST(what_the_model_finds_is_found_again_when_it_is_given)
{
    MADE(Setting, setting_init, setting_fini, x, 1);
    run(&x);
    FREED(strbuf_fini) StrBuf plain = { 0 }, again = { 0 };
    double score[SENTENCES];
    for (int k = 0; k < SENTENCES; k++) {
        const Sentence *s = sentence(&x, k);
        tree_write(&plain, s);
        score[k] = x.parser.result[k].score;
        x.given[k] = (Given){ .heads = s->heads, .types = s->types, .phrases = s->phrases, .n_phrases = s->n_phrases };
        int *heads = arena_alloc(&x.a, (size_t)s->n_words, sizeof *heads);
        const char **types = arena_alloc(&x.a, (size_t)s->n_words, sizeof *types);
        memcpy(heads, s->heads, (size_t)s->n_words * sizeof *heads); /* the parser's arrays live until its next run */
        memcpy(types, s->types, (size_t)s->n_words * sizeof *types);
        x.given[k].heads = heads;
        x.given[k].types = types;
    }
    for (int way = 0; way < 3; way++) { /* arcs, phrases, both */
        strbuf_clear(&again);
        for (int k = 0; k < SENTENCES; k++) x.given[k].has_phrases = way > 0;
        for (int k = 0; k < SENTENCES && way == 1; k++) x.given[k].heads = NULL;
        run(&x);
        for (int k = 0; k < SENTENCES; k++) {
            tree_write(&again, sentence(&x, k));
            assert_true(fabs(x.parser.result[k].score - score[k]) < 1e-4 * (1 + fabs(score[k])));
            assert_int_equal(x.parser.result[k].n_freed, 0);
        }
        assert_string_equal(again.ptr, plain.ptr);
    }
}

/* Heads and phrases of the treebank and drawn ones; each is given or not. */
static void draw_given(Setting *x, uint64_t key)
{
    for (int k = 0; k < SENTENCES; k++) {
        const Sentence *s = &x->b.train.trees.s[k];
        int *heads = arena_alloc(&x->a, (size_t)s->n_words, sizeof *heads);
        Phrase *phrases = arena_alloc(&x->a, (size_t)s->n_phrases, sizeof *phrases);
        uint64_t mine = rng_key(key, (uint64_t)k, 0, 0);
        for (int w = 0; w < s->n_words; w++) {
            double u = rng_uniform(mine, (uint64_t)w);
            heads[w] = u < 0.3   ? HEAD_FREE
                       : u < 0.9 ? s->heads[w]
                                 : (int)(rng_uniform(mine, 1000 + (uint64_t)w) * (s->n_words + 1));
        }
        x->given[k] = (Given){ .heads = k % 3 ? heads : NULL,
                               .types = s->types,
                               .has_phrases = k % 3 != 1,
                               .more_phrases = k % 2,
                               .phrases = phrases };
        for (int p = 0; p < s->n_phrases; p++)
            if (rng_uniform(mine, 2000 + (uint64_t)p) < 0.7) phrases[x->given[k].n_phrases++] = s->phrases[p];
        for (int p = 0; p < x->given[k].n_phrases && k % 4 == 0; p++) phrases[p].label = "NEW"; /* not the model's */
    }
}

TEST(what_is_given_is_in_the_parse_or_reported)
{
    MADE(Setting, setting_init, setting_fini, x, 1);
    int freed = 0;
    for (uint64_t key = 0; key < 20; key++) {
        draw_given(&x, key);
        run(&x);
        for (int k = 0; k < SENTENCES; k++) {
            assert_given(&x, k);
            freed += x.parser.result[k].n_freed;
            for (int w = 0; w < x.in[k].n_words && x.given[k].heads; w++) {
                const Parsed *p = &x.parser.result[k];
                bool kept = x.given[k].heads[w] == p->heads[w];
                bool fits = (strcmp(x.given[k].types[w], "root") == 0) == (p->heads[w] == 0);
                if (kept && fits) assert_string_equal(p->types[w], x.given[k].types[w]);
                assert_int_equal(strcmp(p->types[w], "root") == 0, p->heads[w] == 0);
            }
        }
    }
    assert_true(freed > 20);
}

/* Everything of a parse as text. */
static void write_result(Setting *x, StrBuf *out)
{
    for (int k = 0; k < SENTENCES; k++) {
        const Sentence *s = sentence(x, k);
        const Parsed *p = &x->parser.result[k];
        tree_write(out, s);
        for (int w = 0; w < s->n_words; w++) strbuf_printf(out, " %d %s", s->heads[w], s->types[w]);
        for (int f = 0; f < p->n_freed; f++)
            strbuf_printf(out, " %d %d %d %d %d", p->freed[f].arc, p->freed[f].at, p->freed[f].cut, p->freed[f].fault,
                          p->freed[f].other);
        strbuf_printf(out, " %.17g\n", p->score);
    }
}

TEST(pieces_keep_what_can_be_kept_with_any_number_of_threads)
{
    StrBuf out[2] = { { 0 }, { 0 } };
    int cut = 0, kept_across = 0;
    for (int run_number = 0; run_number < 2; run_number++) {
        MADE(Setting, setting_init, setting_fini, x, run_number ? 4 : 1);
        x.parser.o.max_words = 4;
        for (uint64_t key = 0; key < 10; key++) {
            draw_given(&x, key);
            run(&x);
            for (int k = 0; k < SENTENCES; k++) {
                const Parsed *p = &x.parser.result[k];
                assert_given(&x, k);
                for (int f = 0; f < p->n_freed; f++) cut += p->freed[f].cut;
                for (int w = 0; w < p->n_words && p->pieces > 1 && x.given[k].heads; w++)
                    kept_across += p->heads[w] == x.given[k].heads[w] && abs(p->heads[w] - w - 1) >= 4;
            }
            write_result(&x, &out[run_number]);
        }
    }
    assert_true(cut > 0 && kept_across > 0);
    assert_string_equal(out[0].ptr, out[1].ptr);
    strbuf_fini(&out[0]);
    strbuf_fini(&out[1]);
}

TEST(a_cut_costs_the_arcs_that_are_lost)
{
    static const int heads[] = { 2, 3, 0, 3, 6, 3, 6, 6 };
    const Given g = { .heads = heads };
    GivenArcs *arcs;
    assert_true(given_arcs_new(&g, 8, test_arena(), &arcs));
    for (int end = 1; end <= 8; end++) {
        given_arcs_start(arcs, end);
        for (int from = end - 1; from >= 0; from--) {
            int outside = 0;
            for (int w = from; w < end; w++) outside += heads[w] <= from || heads[w] > end;
            assert_int_equal(given_arcs_lost(arcs, from), outside > 1 ? outside - 1 : 0);
        }
    }
}

TEST(every_allocation_of_a_given_parse_may_fail)
{
    MADE(Setting, setting_init, setting_fini, x, 1);
    draw_given(&x, 3);
    long n = 0;
    for (; allocation_fails(n); n += 1 + n / 8) { /* all of the first ones, then fewer */
        parser_fini(&x.parser);
        assert_ok(parser_init(&x.parser, &x.m, device_cpu(), 1, test_error()));
        x.parser.o.max_words = 6;
        mem_fail_after(n);
        assert_ok_or_no_memory(parser_run(&x.parser, x.in, SENTENCES, NULL, NULL, test_error()));
    }
    assert_true(n > 10);
}
