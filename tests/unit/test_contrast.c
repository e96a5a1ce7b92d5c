/* Other parses of a sentence: found by bans and by what is asked for, their differences in parts, and what would change
 * a decision. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "explain/contrast.h"
#include "parser/parse/given.h"
#include "tests/support/explained.h"

static const double EXACT = sizeof(Real) == sizeof(double) ? 1e-9 : 1e-5;
enum { SENTENCES = 6, BEST = 40 };

static ParseInput input(const Setup *s, int k) { return parse_input(&s->b.dev.trees.s[k]); }

static void parse_one(Setup *s, int k)
{
    const ParseInput in = input(s, k);
    assert_ok(parse_batch(&s->w, &in, 1, &s->o, &s->arena, &s->p, test_error()));
}

static bool has(const Model *m, const Parsed *p, const Decision *d)
{
    if (d->kind == EXPLAIN_ARC) return p->heads[d->at.begin - 1] == d->at.end;
    for (int k = 0; k < p->n_phrases; k++) {
        const Span x = model_span(m, &p->phrases[k]);
        if (x.begin == d->at.begin && x.end == d->at.end && x.label == d->at.label) return true;
    }
    return false;
}

/* The words are not together without a label either. */
static bool has_group(const Parsed *p, int begin, int end)
{
    for (int k = 0; k < p->n_groups; k++)
        if (p->groups[k].begin == begin && p->groups[k].end == end) return true;
    return false;
}

static bool has_words(const Parsed *p, int begin, int end, const char *label)
{
    for (int k = 0; k < p->n_phrases; k++)
        if (p->phrases[k].begin == begin && p->phrases[k].end == end &&
            (!label || tree_chain_has(p->phrases[k].label, label)))
            return true;
    return has_group(p, begin, end);
}

/* Has the parse the decision, or of a phrase what is taken apart without it? */
static bool has_still(const Model *m, const Parsed *p, const Decision *d, bool with)
{
    if (with || d->kind == EXPLAIN_ARC) return has(m, p, d);
    bool apart = contrast_takes_apart(&d->at, p->n_words);
    return has_words(p, d->at.begin, d->at.end, apart ? NULL : vocab_text(&m->labels, d->at.label));
}

/* The other parse, by a second search, is the first of the list of best parses that has the decision, or has not. */
static int assert_best(Setup *s, const ParseInput *in, const Decision *d, bool with)
{
    Parsed other;
    bool found;
    ParseOptions o = s->o;
    o.k_best = 0;
    assert_ok(contrast_parse(&s->w, in, &o, d, with, 0, &s->arena, &other, &found, test_error()));
    if (!found) return 0;
    assert_true(has(&s->m, &other, d) == with);
    for (int k = 0; k < s->p.n_best; k++) {
        const Parsed *best = &s->p.best[k];
        if (has_still(&s->m, best, d, with) != with) continue;
        assert_true(fabs(best->score - other.score) < 1e-4 * fmax(1, fabs(best->score)));
        return 1;
    }
    assert_true(other.score <= s->p.best[s->p.n_best - 1].score + 1e-4);
    return 0;
}

TEST(the_other_parse_is_the_best_one_that_decides_otherwise)
{
    MADE(Setup, setup, teardown, s, true, true, true);
    int found = 0;
    s.o.k_best = BEST;
    for (int i = 0; i < SENTENCES; i++) {
        const ParseInput in = input(&s, i);
        parse_one(&s, i);
        for (int k = 0; k < s.p.n_best && k < 3; k++)
            for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_ARC; kind++) {
                Decision *d;
                int n;
                assert_ok(explain_decisions(&s.m, &s.p.best[k], (ExplainKind)kind, &s.arena, &d, &n, test_error()));
                for (int j = k; j < n; j += 3) found += assert_best(&s, &in, &d[j], k > 0 && !has(&s.m, &s.p, &d[j]));
            }
    }
    assert_true(found > 30);
}

/* Under a ban the parse is the first of the list of best ones that keeps it. */
TEST(the_parse_under_a_ban_is_the_best_one_without_it)
{
    MADE(Setup, setup, teardown, s, true, true, true);
    int found[2] = { 0 };
    s.o.k_best = BEST;
    for (int i = 0; i < SENTENCES; i++) {
        ParseInput in = input(&s, i);
        parse_one(&s, i);
        const Parsed plain = s.p;
        for (int k = 0; k < plain.n_phrases; k++)
            for (int any = 0; any < 2; any++) {
                const Phrase *x = &plain.phrases[k];
                const char *label = any ? NULL : x->label;
                const Ban ban = { false, x->begin, x->end, any ? GIVEN_ANY : x->label };
                const Given given = { .bans = &ban, .n_bans = 1 };
                Parsed p;
                if (any && x->end - x->begin == in.n_words) continue;
                in.given = &given;
                assert_ok(parse_batch(&s.w, &in, 1, &s.o, &s.arena, &p, test_error()));
                assert_true(p.n_freed == 0 && !has_words(&p, x->begin, x->end, label));
                for (int b = 0; b < plain.n_best; b++) {
                    if (has_words(&plain.best[b], x->begin, x->end, label)) continue;
                    assert_true(fabs(plain.best[b].score - p.score) < 1e-4 * fmax(1, fabs(p.score)));
                    found[any]++;
                    break;
                }
            }
    }
    assert_true(found[0] > 10 && found[1] > 10);
}

/* What is given stays in the other parse. */
TEST(the_other_parse_keeps_what_is_given)
{
    MADE(Setup, setup, teardown, s, true, true, true);
    int found_arcs = 0, found_phrases = 0;
    for (int i = 0; i < SENTENCES; i++) {
        ParseInput in = input(&s, i);
        parse_one(&s, i);
        int *heads = arena_alloc(&s.arena, (size_t)in.n_words, sizeof *heads);
        const Phrase *whole = &s.p.phrases[0], *last = &s.p.phrases[s.p.n_phrases - 1];
        const Phrase phrases[] = { *last };
        const Ban ban = { true, 1, s.p.heads[0], NULL };
        for (int w = 0; w < in.n_words; w++) heads[w] = w + 1 == in.n_words ? s.p.heads[w] : HEAD_FREE;
        const Given given = { .heads = heads,
                              .has_phrases = true,
                              .more_phrases = true,
                              .phrases = phrases,
                              .n_phrases = 1,
                              .bans = &ban,
                              .n_bans = 1 };
        in.given = &given;
        assert_ok(parse_batch(&s.w, &in, 1, &s.o, &s.arena, &s.p, test_error()));
        if (s.p.n_freed) continue;
        for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_ARC; kind++) {
            Decision *d;
            int n;
            assert_ok(explain_decisions(&s.m, &s.p, (ExplainKind)kind, &s.arena, &d, &n, test_error()));
            for (int j = 0; j < n; j++) {
                Parsed other;
                bool found;
                assert_ok(contrast_parse(&s.w, &in, &s.o, &d[j], false, 0, &s.arena, &other, &found, test_error()));
                if (!found) continue;
                assert_true(!has(&s.m, &other, &d[j]) && other.score <= s.p.score + 1e-4);
                assert_int_equal(other.heads[in.n_words - 1], heads[in.n_words - 1]);
                assert_int_not_equal(other.heads[0], ban.end);
                assert_true(has_words(&other, last->begin, last->end, last->label));
                *(kind == EXPLAIN_ARC ? &found_arcs : &found_phrases) += 1;
            }
        }
        assert_int_equal(whole->begin, 0);
    }
    assert_true(found_arcs > 3 && found_phrases > 3);
}

TEST(a_ban_that_leaves_no_tree_is_lifted)
{
    MADE(Setup, setup, teardown, s, true, true, true);
    ParseInput in = input(&s, 0);
    parse_one(&s, 0);
    const Ban bans[] = { { false, 0, in.n_words, GIVEN_ANY }, { true, 1, s.p.heads[0], NULL } };
    Given given = { .bans = bans, .n_bans = 2 };
    Parsed p;
    in.given = &given;
    assert_ok(parse_batch(&s.w, &in, 1, &s.o, &s.arena, &p, test_error()));
    assert_int_equal(p.n_freed, 2);
    assert_true(p.freed[0].ban && p.freed[1].ban);
    assert_memory_equal(p.heads, s.p.heads, sizeof *p.heads * (size_t)p.n_words);
    given.bans++;
    given.n_bans = 1;
    assert_ok(parse_batch(&s.w, &in, 1, &s.o, &s.arena, &p, test_error()));
    assert_int_equal(p.n_freed, 0);
    assert_int_not_equal(p.heads[0], s.p.heads[0]);
}

/* The parts of a difference are whole, and each decision of both parses is on its side. */
static void assert_parts(const Setup *s, const Contrast *c)
{
    double sum = c->phrases + c->groups + c->arcs + c->grammar, words = 0, heads = 0;
    int phrases = s->p.n_phrases, arcs = 0;
    assert_true(c->n > 0);
    double unit = EXACT * fmax(1, fabs(s->p.score) / 10); /* the decoder adds up in Real */
    assert_true(fabs(sum - c->difference) < unit && contrast_error(c) < unit);
    for (int t = 0; t < c->margin.tokens; t++) words += c->by_word[t];
    for (int h = 0; h < c->margin.heads; h++) heads += fabs(c->margin.head[h]);
    assert_true(fabs(words) <= heads * 100 && heads > 0);
    for (int k = 0; k < c->n; k++) {
        const ContrastChange *x = &c->x[k];
        if (x->d.kind == EXPLAIN_SPAN && x->d.at.label == CHART_GROUP) continue;
        assert_true(has(&s->m, &s->p, &x->d) != x->second && has(&s->m, c->p, &x->d) == x->second);
        if (x->d.kind == EXPLAIN_SPAN) phrases += x->second ? 1 : -1;
        else arcs++;
    }
    assert_int_equal(phrases, c->p->n_phrases);
    for (int w = 0; w < s->p.n_words; w++) arcs -= 2 * (s->p.heads[w] != c->p->heads[w]);
    assert_int_equal(arcs, 0);
}

TEST(differences_of_scores_are_the_sums_of_their_parts)
{
    for (int k = 0; k < 6; k++) {
        const SetupForm form = { k < 2 ? LAL_WORDS : k < 4 ? LAL_PHRASES : LAL_BOTH, false, k == 3 };
        MADE(Setup, setup_form, teardown, s, k % 2, k == 1, k % 2, k == 3 ? 20 : 6, 8, k % 2 ? TOY_EVERYTHING : NULL,
             form);
        int groups = 0, weighed = 0;
        s.o.k_best = 2;
        for (int i = 0; i < SENTENCES; i++) {
            const ParseInput in = input(&s, i);
            Contrast c;
            Decision *d;
            int n;
            if (i == SENTENCES / 2) toy_grammar(&s.m, 0.1);
            parse_one(&s, i);
            assert_ok(contrast_explain(&s.w, &s.p, &s.p.best[1], true, &s.arena, &c, test_error()));
            assert_parts(&s, &c);
            assert_true(c.difference >= 0);
            ParseOptions o = s.o;
            o.k_best = 0;
            assert_ok(explain_decisions(&s.m, &s.p, EXPLAIN_SPAN, &s.arena, &d, &n, test_error()));
            for (int j = 0; j < n; j += 3) {
                Parsed other;
                bool found;
                assert_ok(contrast_parse(&s.w, &in, &o, &d[j], false, 0, &s.arena, &other, &found, test_error()));
                if (!found) continue;
                assert_ok(contrast_explain(&s.w, &s.p, &other, true, &s.arena, &c, test_error()));
                assert_parts(&s, &c);
                groups += c.groups != 0;
                weighed += c.grammar != 0;
            }
        }
        assert_true(groups > 0 && weighed > 2);
    }
}

/* ---- what would change a decision */

/* Words of a changed sentence, made by hand. */
typedef struct Changed {
    const char *words[80], *tags[80];
    int n;
} Changed;

static Changed changed(const Parsed *p, const Flip *f)
{
    Changed x = { .n = 0 };
    for (int w = 0; w <= p->n_words; w++) {
        if (f->kind == FLIP_ADD_COMMA && w == f->word) x.words[x.n++] = f->to;
        if (w == p->n_words || (f->kind == FLIP_DROP_COMMA && w == f->word)) continue;
        bool here = w == f->word;
        x.tags[x.n] = here && f->kind == FLIP_TAG ? f->to : p->tags[w];
        x.words[x.n++] = here && (f->kind == FLIP_CASE || f->kind == FLIP_WORD) ? f->to : p->words[w];
    }
    return x;
}

/* Where a fencepost or word is then. */
static int moved(const Flip *f, int at, bool end)
{
    if (f->kind == FLIP_ADD_COMMA) return at + (end ? at > f->word : at >= f->word);
    return at - (f->kind == FLIP_DROP_COMMA && at > f->word);
}

/* Is the decision in the parse of the changed sentence? */
static bool holds(Setup *s, Worker *other, const Flip *f, const Decision *d)
{
    Changed x = changed(&s->p, f);
    ParseInput in = { .n_words = x.n, .words = x.words, .tags = f->kind == FLIP_TAG ? x.tags : NULL };
    Parsed p;
    ParseOptions o = s->o;
    Decision to = *d;
    o.record = false;
    assert_ok(parse_batch(other, &in, 1, &o, &s->arena, &p, test_error()));
    if (d->kind == EXPLAIN_SPAN) to.at.begin = moved(f, d->at.begin, false), to.at.end = moved(f, d->at.end, true);
    else {
        to.at.begin = moved(f, d->at.begin - 1, false) + 1;
        to.at.end = d->at.end ? moved(f, d->at.end - 1, false) + 1 : 0;
    }
    bool held = has(&s->m, &p, &to);
    if (d->kind == EXPLAIN_ARC && f->head >= 0 && !held)
        assert_int_equal(p.heads[to.at.begin - 1], f->head ? moved(f, f->head - 1, false) + 1 : 0);
    return held;
}

TEST(a_change_that_is_found_changes_the_decision_and_no_smaller_one_does)
{
    MADE(Setup, setup, teardown, s, true, true, true);
    MADE(Worker, worker_init, worker_fini, other, &s.m, device_cpu());
    int found[FLIP_WORD + 1] = { 0 }, tried = 0;
    toy_grammar(&s.m, 3);
    for (int i = 0; i < SENTENCES; i++) {
        const ParseInput in = input(&s, i);
        parse_one(&s, i);
        for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_ARC; kind++) {
            Decision *d;
            int n, n_flips;
            assert_ok(explain_decisions(&s.m, &s.p, (ExplainKind)kind, &s.arena, &d, &n, test_error()));
            for (int j = 0; j < n; j += 2) {
                const Flip *flip;
                assert_ok(
                    flip_find(&s.w, &other, &in, &s.o, &s.p, &d[j], false, &s.arena, &flip, &n_flips, test_error()));
                for (int k = 0; k < n_flips; k++, tried++) {
                    assert_false(holds(&s, &other, &flip[k], &d[j]));
                    found[flip[k].kind]++;
                }
                if (n_flips == FLIPS_MOST) continue;
                /* all commas near the decision, one by one: those that change it are the ones that were found */
                int first = d[j].at.begin, last = d[j].at.end;
                if (kind == EXPLAIN_ARC) {
                    int to = last ? last : first;
                    last = first > to ? first : to;
                    first = (first < to ? first : to) - 1;
                }
                int commas = 0, listed = 0;
                for (int k = 0; k < n_flips; k++) listed += flip[k].kind == FLIP_ADD_COMMA;
                for (int w = first > 1 ? first - 1 : 1; w < last + 1 && w < in.n_words; w++) {
                    const Flip f = { .kind = FLIP_ADD_COMMA, .word = w, .to = ",", .head = -1 };
                    bool mark = text_is_punctuation(in.words[w - 1]) || text_is_punctuation(in.words[w]);
                    bool near = w < first + 3 || w >= last - 3;
                    commas += near && !mark && !holds(&s, &other, &f, &d[j]);
                }
                assert_int_equal(commas, listed);
            }
        }
    }
    assert_true(tried > 8 && found[FLIP_TAG] > 0 && found[FLIP_ADD_COMMA] > 0);
}

TEST(a_contrast_tells_every_failed_allocation)
{
    MADE(Setup, setup, teardown, s, true, true, true);
    const ParseInput in = input(&s, 0);
    MADE(Worker, worker_init, worker_fini, other, &s.m, device_cpu());
    for (long n = 0; allocation_fails(n); n++) {
        Parsed p, q;
        Contrast c;
        Decision *d;
        const Flip *flip;
        int count, flips;
        bool found;
        MADE(Arena, arena_init, arena_fini, out, 64);
        MADE(Worker, worker_init, worker_fini, w, &s.m, device_cpu());
        mem_fail_after(n);
        Status st = parse_batch(&w, &in, 1, &s.o, &out, &p, test_error());
        if (st == OK) st = explain_decisions(&s.m, &p, EXPLAIN_ARC, &out, &d, &count, test_error());
        if (st == OK) st = contrast_parse(&w, &in, &s.o, &d[0], false, 0, &out, &q, &found, test_error());
        if (st == OK && found) st = contrast_explain(&w, &p, &q, true, &out, &c, test_error());
        if (st == OK) st = flip_find(&w, &other, &in, &s.o, &p, &d[0], false, &out, &flip, &flips, test_error());
        assert_ok_or_no_memory(st);
    }
}
