/* Sentences above the limits: where they are cut, and how pieces are joined. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <stdlib.h>

#include "explain/fast/why.h"
#include "parser/parse/given.h"
#include "parser/parse/long_sentence.h"
#include "parser/parse/parse_network.h"
#include "parser/parse/parser.h"
#include "tests/support/toy.h"

TEST(the_probability_of_another_arc_is_that_of_the_arcs_that_lead_there)
{
    int heads[] = { 2, 0, 2, 3 }; /* 1 <- 2 -> 3 -> 4 */
    Real p[] = { 0.5F, 0.75F, 0.25F, 0.125F };
    Parsed parse = { .n_words = 4, .heads = heads, .arc_prob = p };
    for (int w = 0; w < 4; w++) assert_true(parsed_arc_probability(&parse, parse.arc_prob, w, heads[w]) == p[w]);
    assert_true(parsed_arc_probability(&parse, parse.arc_prob, 1, 1) == 0.5); /* the other way round */
    assert_true(parsed_arc_probability(&parse, parse.arc_prob, 2, 4) == 0.125);
    assert_true(parsed_arc_probability(&parse, parse.arc_prob, 0, 4) ==
                0.5 * 0.25 * 0.125); /* over the word above both */
    assert_true(parsed_arc_probability(&parse, parse.arc_prob, 3, 1) == 0.5 * 0.25 * 0.125);
    assert_true(parsed_arc_probability(&parse, parse.arc_prob, 3, 0) == 0.75 * 0.25 * 0.125); /* up to the root */
    assert_true(parsed_arc_probability(&parse, parse.arc_prob, 2, 3) == 1);
}

/* ---- cuts */

/* Words of a text with blanks between them; *n of them in the arena. */
static const char **words_of(const char *text, Arena *a, int *n)
{
    size_t most = strlen(text) + 1;
    const char **words = arena_alloc(a, most, sizeof *words);
    *n = 0;
    for (const char *p = text; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        words[(*n)++] = arena_strndup(a, p, len);
        p += len;
    }
    return words;
}

/* The text with | where a sentence of these words is cut. */
static void assert_cut(const char *text, int max_words, const char *expected)
{
    FREED(strbuf_fini) StrBuf out = { 0 };
    ParseInput *part;
    int n, n_parts;
    const char **words = words_of(text, test_arena(), &n);
    ParseInput in = { n, words, NULL, NULL, NULL, NULL };
    ParseOptions o = { .max_words = max_words, .max_memory = 2e9 };
    assert_true(long_sentence_exceeds(&in, &o));
    assert_ok(long_sentence_parts(LANGUAGES[0], &in, &o, test_arena(), &part, &n_parts, test_error()));
    for (int k = 0; k < n_parts; k++) {
        if (k) strbuf_puts(&out, "| ");
        for (int w = 0; w < part[k].n_words; w++) strbuf_printf(&out, "%s ", part[k].words[w]);
    }
    assert_int_equal(out.len, strlen(expected) + 1);
    assert_memory_equal(out.ptr, expected, out.len - 1);
}

TEST(long_sentences_are_cut_at_the_best_mark)
{
    assert_cut("a b c d e f g h", 4, "a b c d | e f g h");             /* no marks: evenly */
    assert_cut("a b c d e f g h i", 4, "a b c | d e f | g h i");       /* ... in as few pieces as possible */
    assert_cut("a b c d , e f . g h", 8, "a b c d , e f . | g h");     /* a sentence mark rather than a comma */
    assert_cut("a b c , d e ; f g h", 8, "a b c , d e ; | f g h");     /* a semicolon rather than a comma */
    assert_cut("a b c , d e , and f g", 7, "a b c , d e , | and f g"); /* a comma before a conjunction */
    assert_cut("a b and c , d e f g", 7, "a b and c , | d e f g");     /* a comma rather than a conjunction */
    assert_cut("a b c d and e f", 6, "a b c d | and e f");
    assert_cut("a b c d ( e ) f", 7, "a b c d | ( e ) f");         /* where brackets open or close */
    assert_cut("a . \" b . \" c d e", 7, "a . \" b . \" | c d e"); /* closing marks belong to the mark before them */
}

TEST(pairs_of_brackets_and_quotes_stay_together)
{
    assert_cut("a b ( c d . e f ) g", 8, "a b | ( c d . e f ) g");
    assert_cut("a b \" c d ; e f \" g", 8, "a b | \" c d ; e f \" g");
    assert_cut("a `` b ( c . d ) '' e f g", 8, "a | `` b ( c . d ) '' | e f g");
    assert_cut("a b c ) d e , f ( g", 8, "a b c ) d e , | f ( g"); /* these make no pairs */
    assert_cut("( a b c , d e f )", 6, "( a b c , | d e f )");     /* a pair longer than the limit is cut */
    assert_cut("( a ( b c d ) e f )", 8, "( a ( b c d ) | e f )"); /* the outer pair is cut rather than both */
}

TEST(no_piece_is_longer_than_the_limits)
{
    enum { N = 200000, LEVELS = 3 };
    const char **words = arena_alloc(test_arena(), N, sizeof *words);
    for (int kind = 0; kind < LEVELS; kind++) { /* unclosed brackets; closed ones; the cost is the same */
        for (int w = 0; w < N; w++) words[w] = kind == 0 ? "(" : kind == 1 ? (w < N / 2 ? "(" : ")") : "a";
        ParseInput in = { N, words, NULL, NULL, NULL, NULL };
        ParseOptions o = { .max_words = 100, .max_memory = kind == 2 ? 1e6 : 2e9 };
        ParseInput *part;
        int n, sum = 0;
        assert_ok(long_sentence_parts(LANGUAGES[0], &in, &o, test_arena(), &part, &n, test_error()));
        for (int k = 0; k < n; k++) {
            assert_true(part[k].n_words > 0 && !long_sentence_exceeds(&part[k], &o));
            assert_true(part[k].words == words + sum);
            if (kind == 0) assert_int_equal(part[k].n_words, 100);
            sum += part[k].n_words;
        }
        assert_int_equal(sum, N);
    }
}

/* ---- pieces */

enum { LONG = 400, SENTENCES = 5 };

static void fill_sentences(const char **words, ParseInput *in)
{
    static const char *const some[] = { "the", "parser", "saw", "a", "tree",   ",", "and",
                                        "old", "(",      "dog", ")", "sleeps", ";" };
    static const int lengths[SENTENCES] = { LONG, 3, 0, 250, 60 };
    for (int w = 0; w < LONG; w++) words[w] = some[(w * 7 + w / 13) % 13];
    for (int k = 0; k < SENTENCES; k++)
        in[k] = (ParseInput){ .n_words = lengths[k], .words = words + (LONG - lengths[k]) };
}

/* A model of one epoch, and sentences above the limit of 60 words. */
typedef struct Toy {
    Bench b;
    Model m;
    ParseOptions o;
    const char *words[LONG];
    ParseInput input[SENTENCES];
} Toy;

static void toy_init(Toy *x)
{
    bench_init(&x->b, 40);
    toy_model(&x->m, &x->b);
    x->o = parse_defaults(&x->m);
    x->o.max_words = 60;
    fill_sentences(x->words, x->input);
}

static void toy_fini(Toy *x)
{
    model_fini(&x->m);
    bench_fini(&x->b);
}

/* A tree over all words: phrases are nested, and one covers everything. */
static void assert_sound(const Sentence *s)
{
    int word, open[2 * LONG], depth = 0;
    const char *what;
    bool projective;
    assert_true(tree_heads_valid(s->heads, s->n_words, &word, &what));
    assert_true(tree_heads_projective(s->heads, s->n_words, &projective));
    assert_true(s->phrases[0].begin == 0 && s->phrases[0].end == s->n_words);
    for (int p = 0; p < s->n_phrases; p++) {
        const Phrase *x = &s->phrases[p];
        assert_true(x->begin < x->end && (p == 0 || x->begin >= x[-1].begin));
        while (depth > 0 && open[depth - 1] <= x->begin) depth--;
        assert_true(depth == 0 ? p == 0 : x->end <= open[depth - 1]);
        open[depth++] = x->end;
    }
}

/* Each note is on a phrase or an arc of the parse. */
static void assert_notes(const Model *m, const Parsed *p)
{
    const WhyNotes *notes = p->extra;
    assert_true(notes->n > p->n_words);
    for (int k = 0; k < notes->n; k++) {
        const WhyNote *x = &notes->note[k];
        assert_int_equal(x->arc, x->at.label == LABEL_NONE);
        if (x->arc) {
            assert_int_equal(p->heads[x->at.begin - 1], x->at.end);
            continue;
        }
        int q = 0;
        for (Span at; q < p->n_phrases; q++) {
            at = model_span(m, &p->phrases[q]);
            if (memcmp(&at, &x->at, sizeof at) == 0) break;
        }
        assert_true(q < p->n_phrases);
    }
}

static void write_parse(StrBuf *out, const Parsed *p, const Sentence *s)
{
    tree_write(out, s);
    strbuf_printf(out, " %d pieces, score %.9g\n", p->pieces, p->score);
    for (int w = 0; w < p->n_words; w++)
        strbuf_printf(out, "%d %s %.9g\n", s->heads[w], s->types[w], (double)p->arc_prob[w]);
    const WhyNotes *notes = p->extra;
    for (int k = 0; k < notes->n; k++)
        strbuf_printf(out, "%d %d %d %.9g\n", notes->note[k].at.begin, notes->note[k].at.end, notes->note[k].at.label,
                      notes->note[k].part[0]);
}

TEST(pieces_are_joined_alike_by_any_number_of_threads)
{
    FREED(why_fini) Why why;
    FREED(strbuf_fini) StrBuf one = { 0 }, four = { 0 };
    MADE(Toy, toy_init, toy_fini, x);
    const ParseInput *input = x.input;
    assert_ok(why_init(&why, &x.m, true, true, test_error()));
    for (int run = 0; run < 2; run++) {
        FREED(parse_pool_fini) ParsePool pool;
        Parsed result[SENTENCES];
        ParseOptions o = x.o;
        o.arc_probability = true;
        o.observe = why_observer(&why);
        assert_ok(parse_pool_init(&pool, &x.m, device_cpu(), run ? 4 : 1, test_error()));
        assert_ok(parse_pool_run(&pool, input, SENTENCES, &o, result, NULL, NULL, test_error()));
        for (int k = 0; k < SENTENCES; k++) {
            assert_int_equal(result[k].n_words, input[k].n_words);
            assert_int_equal(result[k].pieces > 1, input[k].n_words > o.max_words);
            if (input[k].n_words == 0) continue;
            const Sentence *s = parsed_sentence(&result[k], test_arena());
            if (result[k].pieces > 1) assert_string_equal(s->phrases[0].label, "FRAG");
            int joined = 0;
            for (int w = 0; w < s->n_words; w++) joined += strcmp(s->types[w], TYPE_JOINED) == 0;
            assert_int_equal(joined, result[k].pieces - 1);
            assert_sound(s);
            assert_notes(&x.m, &result[k]);
            write_parse(run ? &four : &one, &result[k], s);
        }
    }
    assert_string_equal(one.ptr, four.ptr);
}

static bool same_arcs(const Parsed *x, const Parsed *y)
{
    bool same = x->n_phrases == y->n_phrases;
    for (int k = 0; same && k < x->n_phrases; k++)
        same = x->phrases[k].begin == y->phrases[k].begin && x->phrases[k].end == y->phrases[k].end &&
               strcmp(x->phrases[k].label, y->phrases[k].label) == 0;
    return same && memcmp(x->heads, y->heads, (size_t)x->n_words * sizeof *x->heads) == 0;
}

static bool same_tree(const Parsed *x, const Parsed *y)
{
    bool same = same_arcs(x, y);
    for (int w = 0; same && w < x->n_words; w++) same = strcmp(x->types[w], y->types[w]) == 0;
    return same;
}

static bool same_parse(const Parsed *x, const Parsed *y) { return x->score == y->score && same_tree(x, y); }

/* The best parses of a parse: all of the sentence, in order, different, the first one that of a run without others. */
static void assert_best(const Parsed *p, const Parsed *alone, int n)
{
    assert_int_equal(p->n_best, n);
    assert_true(same_parse(p, alone) && alone->n_best == 0);
    assert_true(same_parse(&p->best[0], p));
    double sum = 0;
    for (int k = 0; k < n; k++) {
        const Parsed *x = &p->best[k];
        assert_sound(parsed_sentence(x, test_arena()));
        assert_true(x->probability >= 0 && x->n_best == 0);
        sum += x->probability;
        for (int l = 0; l < k; l++) assert_false(same_parse(x, &p->best[l]));
        if (k) assert_true(x->score <= p->best[k - 1].score);
    }
    assert_true(sum <= 1 + 1e-9);
}

TEST(the_best_parses_begin_with_the_parse)
{
    enum { K = 6 };
    MADE(Toy, toy_init, toy_fini, x);
    FREED(parse_pool_fini) ParsePool pool, other;
    Parsed result[SENTENCES], alone[SENTENCES];
    assert_ok(parse_pool_init(&pool, &x.m, device_cpu(), 2, test_error()));
    assert_ok(parse_pool_init(&other, &x.m, device_cpu(), 1, test_error()));
    x.o.arc_probability = true;
    assert_ok(parse_pool_run(&other, x.input, SENTENCES, &x.o, alone, NULL, NULL, test_error()));
    x.o.k_best = K;
    assert_ok(parse_pool_run(&pool, x.input, SENTENCES, &x.o, result, NULL, NULL, test_error()));
    for (int k = 0; k < SENTENCES; k++)
        if (x.input[k].n_words) assert_best(&result[k], &alone[k], K);
}

TEST(parses_that_differ_in_unary_phrases_alone_are_known)
{
    static const struct {
        Phrase phrase[4];
        int n;
        bool same;
    } cases[] = {
        { { { 0, 3, "S" }, { 1, 3, "VP" } }, 2, true },
        { { { 0, 3, "S" }, { 0, 1, "NP" }, { 1, 3, "VP" } }, 3, true }, /* over one word */
        { { { 0, 3, "S" }, { 1, 3, "S" }, { 1, 3, "VP" } }, 3, true },
        { { { 0, 3, "SBAR" }, { 0, 3, "S" }, { 1, 3, "VP" }, { 1, 3, "NP" } }, 4, true },
        { { { 0, 3, "S" }, { 1, 3, "NP" } }, 2, false },
        { { { 0, 3, "S" }, { 1, 3, "S" }, { 1, 3, "NP" } }, 3, false },
        { { { 0, 3, "S" }, { 1, 3, "VPX" } }, 2, false },
        { { { 0, 3, "S" }, { 0, 2, "VP" } }, 2, false },
        { { { 0, 3, "S" } }, 1, false },
        { { { 0, 3, "S" }, { 0, 2, "NP" }, { 1, 3, "VP" } }, 3, false },
    };
    Phrase first[] = { { 0, 3, "S" }, { 1, 3, "VP" } };
    const Sentence a = { .n_words = 3, .phrases = first, .n_phrases = 2 };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Phrase phrase[4];
        memcpy(phrase, cases[k].phrase, sizeof phrase);
        const Sentence b = { .n_words = 3, .phrases = phrase, .n_phrases = cases[k].n };
        assert_int_equal(tree_same_but_unary(&a, &b), cases[k].same);
        assert_int_equal(tree_same_but_unary(&b, &a), cases[k].same);
    }
}

/* The parse has the largest sum of score and grammar among the first 8 parses that score at most 0.6 less than the best
 * one; a list begins with these, in order, and has the same parses as without a grammar. */
TEST(a_grammar_chooses_from_the_best_parses)
{
    enum { WEIGHED = 8, K = 12 };
    MADE(Toy, toy_init, toy_fini, x);
    FREED(worker_fini) Worker w;
    int moved = 0, within = 0;
    worker_init(&w, &x.m, device_cpu());
    for (int k = 0; k < 20; k++) {
        Parsed plain, list, alone;
        const ParseInput one = { .n_words = 3 + k, .words = x.words + (ptrdiff_t)5 * k };
        x.o.k_best = K;
        grammar_fini(&x.m.grammar);
        assert_ok(parse_batch(&w, &one, 1, &x.o, test_arena(), &plain, test_error()));
        toy_grammar(&x.m, 0.5);
        assert_ok(parse_batch(&w, &one, 1, &x.o, test_arena(), &list, test_error()));
        x.o.k_best = 0;
        assert_ok(parse_batch(&w, &one, 1, &x.o, test_arena(), &alone, test_error()));
        assert_true(same_parse(&alone, &list) && alone.grammar == list.grammar && list.grammar < 0);
        assert_int_equal(list.n_best, plain.n_best);
        int n = 0;
        while (n < WEIGHED && plain.best[n].score >= plain.best[0].score - 0.6) n++;
        for (int i = 1; i < n; i++) assert_true(list.best[i].score <= list.best[i - 1].score);
        for (int i = 0; i < plain.n_best; i++) {
            int at = 0;
            while (at < list.n_best && !same_tree(&plain.best[i], &list.best[at])) at++;
            assert_true(at < list.n_best && (i < n ? at < n : at == i));
            assert_within(list.best[at].score - list.best[at].grammar, plain.best[i].score, 1e-5);
        }
        moved += !same_tree(&plain.best[0], &list.best[0]);
        within += n;
    }
    grammar_fini(&x.m.grammar);
    assert_true(moved > 2 && within > 10);
}

/* ---- marks */

/* Moves marks that nothing depends on to the heads that score best, by scores x [n + 1, n + 1]; what is gained. */
static double settle(const Model *m, const Real *x, Parsed *p)
{
    int n = p->n_words, word;
    const char *what;
    double gain = 0;
    bool has[LONG + 1] = { false };
    for (int c = 0; c < n; c++) has[p->heads[c]] = true;
    for (int c = 0; c < n; c++) {
        const Real *row = x + (ptrdiff_t)(c + 1) * (n + 1);
        int before = p->heads[c], best = before;
        if (has[c + 1] || !text_is_punctuation(p->words[c])) continue;
        for (int h = 1; h <= n; h++)
            if (h != c + 1 && row[h] > row[best]) best = h;
        gain += (1 - m->c.lambda) * (double)(row[best] - row[before]);
        p->heads[c] = best;
        has[best] = true;
    }
    assert_true(tree_heads_valid(p->heads, n, &word, &what));
    return gain;
}

/* The first of n results that is the same but for score and types; n: none. */
static int find_result(const Parsed *const *result, int n, const Parsed *p)
{
    int k = 0;
    while (k < n && !same_arcs(result[k], p)) k++;
    return k;
}

/* Marks of punctuation get the heads that score best, and the parse is the one of which score and gain are largest,
 * among the first 8 that differ then and score at most 0.6 less than the best one. What is given stays. */
TEST(marks_get_the_heads_that_score_best)
{
    enum { WEIGHED = 8, MANY = 400, LISTED = 30 };
    MADE(Toy, toy_init, toy_fini, x);
    FREED(worker_fini) Worker w;
    int moved = 0, equal = 0, chosen = 0, later = 0;
    worker_init(&w, &x.m, device_cpu());
    x.m.c.lambda = 0.8;
    x.o.record = true;
    for (int k = 0; k < 20; k++) {
        Parsed plain, list, alone, quick, given[2];
        const Parsed *result[MANY];
        double gain[MANY];
        const char *words[LONG];
        ParseInput one = { .n_words = 4 + k % 9, .words = words };
        for (int c = 0; c < one.n_words; c++) words[c] = c % 3 == 2 ? "," : x.words[5 * k + c];
        x.m.c.decode = DECODE_JOINT;
        x.o.k_best = MANY;
        x.o.arc_probability = x.o.confidence = true;
        assert_ok(parse_batch(&w, &one, 1, &x.o, test_arena(), &plain, test_error()));
        const Real *arcs = tensor_host(&w.tape, parse_scores(&w.net)->arc.arcs, test_arena()).data;
        int n = 0, best = 0, weighed = 0;
        double near = plain.best[0].score - 0.6;
        for (int i = 0; i < plain.n_best; i++) {
            gain[n] = settle(&x.m, arcs, &plain.best[i]);
            result[n] = &plain.best[i];
            bool known = find_result(result, n, result[n]) < n;
            equal += known;
            n += !known;
            if (weighed < WEIGHED && result[n - 1]->score >= near) weighed = n;
        }
        for (int i = 1; i < weighed; i++)
            if (result[i]->score + gain[i] > result[best]->score + gain[best] + 1e-6) best = i;
        x.m.c.decode = DECODE_MARKS;
        x.o.k_best = LISTED;
        assert_ok(parse_batch(&w, &one, 1, &x.o, test_arena(), &list, test_error()));
        x.o.k_best = 0;
        assert_ok(parse_batch(&w, &one, 1, &x.o, test_arena(), &alone, test_error()));
        x.o.arc_probability = x.o.confidence = false;
        assert_ok(parse_batch(&w, &one, 1, &x.o, test_arena(), &quick, test_error()));
        assert_true(same_parse(&alone, &list) && same_parse(&list.best[0], &list) && same_parse(&alone, &quick));
        assert_true(same_arcs(&alone, result[best]) && alone.grammar == 0);
        for (int i = 0; i < list.n_best; i++) { /* each has the score of its phrases and arcs, once, in order */
            const Parsed *one_of = &list.best[i];
            int at = find_result(result, n, one_of);
            for (int j = 0; j < i; j++) assert_false(same_arcs(one_of, &list.best[j]));
            assert_true(i == 0 || one_of->score <= list.best[i - 1].score);
            assert_true(at < n && (i < weighed ? at < weighed : at == i));
            assert_within(one_of->score - one_of->grammar, result[at]->score + gain[at], 1e-4);
            later += one_of->grammar != 0;
        }
        for (int c = 0; c < one.n_words; c++) {
            bool was = alone.heads[c] == plain.heads[c];
            moved += !was;
            if (!was && best == 0) assert_true(alone.confidence->arc[c] == alone.arc_prob[c]);
        }
        chosen += best > 0;
        Given phrases = { .has_phrases = true, .phrases = plain.phrases, .n_phrases = 1 };
        one.given = &phrases;
        for (int marks = 0; marks < 2; marks++) {
            x.m.c.decode = marks ? DECODE_MARKS : DECODE_JOINT;
            assert_ok(parse_batch(&w, &one, 1, &x.o, test_arena(), &given[marks], test_error()));
        }
        assert_true(same_arcs(&given[0], &given[1]));
    }
    assert_true(moved > 10 && equal > 2 && chosen > 2 && later > 20);
}

TEST(marks_get_the_heads_that_score_best_without_phrases)
{
    MADE(Toy, toy_init, toy_fini, x);
    FREED(worker_fini) Worker w;
    int moved = 0;
    worker_init(&w, &x.m, device_cpu());
    x.m.c.trees = false;
    x.o.record = true;
    for (int k = 0; k < 20; k++) {
        Parsed joint, marks;
        const ParseInput one = { .n_words = 12, .words = x.words + (ptrdiff_t)5 * k };
        x.m.c.decode = DECODE_JOINT;
        assert_ok(parse_batch(&w, &one, 1, &x.o, test_arena(), &joint, test_error()));
        double score =
            joint.score +
            2 * settle(&x.m, tensor_host(&w.tape, parse_scores(&w.net)->arc.arcs, test_arena()).data, &joint);
        x.m.c.decode = DECODE_MARKS;
        assert_ok(parse_batch(&w, &one, 1, &x.o, test_arena(), &marks, test_error()));
        assert_memory_equal(marks.heads, joint.heads, (size_t)one.n_words * sizeof *marks.heads);
        assert_within(marks.score, score, 1e-4); /* arcs have the whole weight, of which settle adds a half */
        moved += marks.score > joint.score;
    }
    assert_true(moved > 2);
}

static int by_falling(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a < b) - (a > b);
}

TEST(the_best_parses_of_pieces_have_the_largest_sums)
{
    enum { K = 7 };
    MADE(Toy, toy_init, toy_fini, x);
    FREED(worker_fini) Worker w;
    ParseInput *part;
    Parsed piece[16], whole;
    double sums[K * K] = { 0 };
    int n, have = 1;
    x.o.k_best = K;
    worker_init(&w, &x.m, device_cpu());
    assert_ok(long_sentence_parts(LANGUAGES[0], &x.input[0], &x.o, test_arena(), &part, &n, test_error()));
    assert_true(n > 3 && n <= 16);
    for (int k = 0; k < n; k++) assert_ok(parse_batch(&w, &part[k], 1, &x.o, test_arena(), &piece[k], test_error()));
    assert_ok(long_sentence_join(&x.m, piece, n, &x.input[0], &x.o, test_arena(), &whole, test_error()));
    for (int k = 0; k < n; k++) {
        double before[K];
        memcpy(before, sums, sizeof before);
        for (int r = 0; r < have * K; r++) sums[r] = before[r / K] + piece[k].best[r % K].score;
        qsort(sums, (size_t)(have * K), sizeof *sums, by_falling);
        have = K;
    }
    assert_int_equal(whole.n_best, K);
    for (int k = 0; k < K; k++) assert_within(whole.best[k].score, sums[k], 1e-9 * fabs(sums[k]));
}

TEST(every_allocation_of_the_best_parses_may_fail)
{
    MADE(Toy, toy_init, toy_fini, x);
    toy_grammar(&x.m, 0.1);
    x.m.c.decode = DECODE_MARKS;
    x.words[2] = ",";
    x.o.k_best = 3;
    x.o.arc_probability = x.o.confidence = true;
    for (long n = 0; allocation_fails(n); n++) {
        MADE(Arena, arena_init, arena_fini, a, 1 << 10);
        MADE(Worker, worker_init, worker_fini, w, &x.m, device_cpu());
        Parsed pieces[2], whole;
        const ParseInput in = { .n_words = 6, .words = x.words },
                         part[2] = { { .n_words = 3, .words = x.words }, { .n_words = 3, .words = x.words + 3 } };
        mem_fail_after(n);
        Status status = parse_batch(&w, part, 2, &x.o, &a, pieces, test_error());
        if (status == OK) status = long_sentence_join(&x.m, pieces, 2, &in, &x.o, &a, &whole, test_error());
        if (assert_ok_or_no_memory(status)) assert_true(whole.n_best == 3 && whole.confidence);
    }
}

typedef struct Takes {
    const Parsed *result;
    const ParseInput *input;
    int next, calls, fail_at; /* call that ends the parse, from 1; 0: none */
} Takes;

static Status take(void *context, int from, int to, Error *e)
{
    Takes *t = context;
    assert_int_equal(from, t->next);
    assert_true(to > from);
    for (int k = from; k < to; k++) assert_int_equal(t->result[k].n_words, t->input[k].n_words);
    t->next = to;
    t->calls++;
    return t->calls == t->fail_at ? error_set(e, ERR_IO, "taken enough") : OK;
}

TEST(sentences_are_handed_out_in_order_as_they_are_done)
{
    MADE(Toy, toy_init, toy_fini, x);
    x.o.batch_tokens = 100;
    for (int threads = 1; threads <= 4; threads += 3) {
        FREED(parse_pool_fini) ParsePool pool;
        Parsed result[SENTENCES];
        Takes t = { result, x.input, 0, 0, 0 };
        assert_ok(parse_pool_init(&pool, &x.m, device_cpu(), threads, test_error()));
        assert_ok(parse_pool_run(&pool, x.input, SENTENCES, &x.o, result, take, &t, test_error()));
        assert_int_equal(t.next, SENTENCES);
        if (threads == 1) assert_true(t.calls > 1); /* of several threads the first batch may be done last */
    }
}

TEST(an_error_of_the_taker_ends_the_parse)
{
    MADE(Toy, toy_init, toy_fini, x);
    for (int threads = 1; threads <= 4; threads += 3) {
        FREED(parser_fini) Parser p;
        assert_ok(parser_init(&p, &x.m, device_cpu(), threads, test_error()));
        p.o.max_words = 60;
        p.o.batch_tokens = 100;
        assert_true(mem_reserve(p.result, &p.cap, SENTENCES));
        Takes t = { p.result, x.input, 0, 0, 1 };
        assert_fails_with(parser_run(&p, x.input, SENTENCES, take, &t, test_error()), ERR_IO, "taken enough");
        assert_int_equal(t.calls, 1);
    }
}

TEST(running_out_of_memory_over_a_long_sentence_is_said)
{
    Parsed result[SENTENCES];
    MADE(Toy, toy_init, toy_fini, x);
    for (long n = 0; allocation_fails(n); n++) {
        FREED(parse_pool_fini) ParsePool pool;
        assert_ok(parse_pool_init(&pool, &x.m, device_cpu(), 1, test_error()));
        mem_fail_after(n);
        Takes t = { result, x.input, 0, 0, 0 };
        Status s = parse_pool_run(&pool, x.input, SENTENCES, &x.o, result, take, &t, test_error());
        assert_int_equal(assert_ok_or_no_memory(s), t.next == SENTENCES);
    }
}

/* An observer for whom a batch with the word "bad" fails. */
static Status refuse(const void *context, Worker *w, Parsed *result, Arena *out, Error *e)
{
    (void)out;
    for (int k = 0; k < w->packed.batch.n_sent; k++)
        for (int c = 0; c < result[k].n_words; c++)
            if (strcmp(result[k].words[c], "bad") == 0) return error_set(e, *(const Status *)context, "found bad");
    return OK;
}

/* A short sentence that fails has a flat tree; in a long one, the piece that fails is flat. All other trees equal the
 * trees of a run in which nothing fails. */
TEST(sentences_that_cannot_be_parsed_are_flat_and_the_others_are_parsed)
{
    static const char *const fine[] = { "the", "parser", "saw", "a", "tree", "." }, *const broken[] = { "the", "bad" };
    static const char *const parts[] = { "the", "parser", "saw", ".", "a", "bad", "saw", ".", "the", "tree", "saw" };
    const ParseInput input[] = { { .n_words = 6, .words = fine },
                                 { .n_words = 2, .words = broken },
                                 { .n_words = 11, .words = parts },
                                 { .n_words = 6, .words = fine } };
    enum { N = sizeof input / sizeof *input };
    MADE(Toy, toy_init, toy_fini, toy);
    Parser p[3];
    for (int run = 0; run < 3; run++) {
        const Status code = run == 1 ? ERR_NUMERIC : ERR_NOMEM;
        assert_ok(parser_init(&p[run], &toy.m, device_cpu(), 1 + run, test_error()));
        p[run].o.max_words = 4;
        p[run].o.keep_going = true;
        if (run) p[run].o.observe = (ParseObserver){ .batch = refuse, .context = &code };
        assert_true(mem_reserve(p[run].result, &p[run].cap, N));
        Takes t = { p[run].result, input, 0, 0, 0 };
        assert_ok(parser_run(&p[run], input, N, take, &t, test_error()));
        assert_int_equal(t.next, N);
        for (int k = 0; k < N; k++) {
            const Parsed *x = &p[run].result[k], *y = &p[0].result[k];
            bool fails = run && (k == 1 || k == 2);
            if (fails) assert_string_equal(x->failed, "found bad");
            else assert_null(x->failed);
            for (int c = 0; c < x->n_words; c++) {
                bool flat = fails && (k == 1 || (c >= 4 && c < 8));
                if (flat) assert_string_equal(x->types[c], k == 1 && c == 0 ? "root" : TYPE_JOINED);
                else assert_int_equal(x->heads[c], y->heads[c]);
            }
        }
        if (run == 0) continue;
        const Parsed *flat = &p[run].result[1];
        assert_true(flat->n_phrases == 1 && strcmp(flat->phrases[0].label, LABEL_JOINED) == 0);
        assert_true(flat->heads[0] == 0 && flat->heads[1] == 1);
        p[run].o.keep_going = false;
        assert_int_equal(parser_run(&p[run], input, N, NULL, NULL, test_error()), code);
    }
    for (int run = 0; run < 3; run++) parser_fini(&p[run]);
}

TEST(a_brief_pass_has_the_same_numbers_in_less_memory)
{
    enum { LAYERS = 5 };
    Tape t[2];
    NetworkOutput net[2];
    MADE(Bench, bench_init, bench_fini, b, 40);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.model.n_layers = LAYERS;
    a.train.epochs = 1;
    MADE(Model, train_and_load, model_fini, m, &a);
    MADE(Worker, worker_init, worker_fini, w, &m, device_cpu());
    const Sentence *s = &b.dev.trees.s[0];
    const ParseInput input = { s->n_words, s->words, NULL, NULL, NULL, NULL };
    const ParseOptions o = parse_defaults(&m);
    Parsed p;
    assert_ok(parse_batch(&w, &input, 1, &o, test_arena(), &p, test_error()));
    assert_null(w.net.encoder.layer[0]);
    for (int k = 0; k < 2; k++) {
        Forward f = w.forward;
        tape_init(&t[k], device_cpu());
        tape_reset(&t[k], false, false, 0);
        assert_true(f.brief);
        f.t = &t[k];
        f.brief = k == 0;
        assert_int_equal(network_forward(&f, &m.net, &w.packed.in, &w.packed.control, &net[k]), OK);
    }
    const Tensor *x = net[0].encoder.fencepost, *y = net[1].encoder.fencepost;
    assert_memory_equal(x->data, y->data, (size_t)(x->rows * x->cols) * sizeof *x->data);
    assert_memory_equal(parse_scores(&net[0])->arc.arcs->data, parse_scores(&net[1])->arc.arcs->data,
                        (size_t)s->n_words * sizeof *x->data);
    assert_non_null(net[1].encoder.layer[0]);
    assert_true((double)t[0].numbers.peak < 0.6 * (double)t[1].numbers.peak);
    for (int k = 0; k < 2; k++) tape_fini(&t[k]);
}

/* Each score may be a number, but the sum of two overflows: no tree is the best one, and there are no heads. */
TEST(scores_that_overflow_are_refused)
{
    Parsed p;
    MADE(Toy, toy_init, toy_fini, x);
    Model *m = &x.m;
    const Real most = sizeof(Real) == sizeof(float) ? (Real)FLT_MAX : (Real)DBL_MAX;
    const Sentence *s = &x.b.dev.trees.s[0];
    const ParseInput input = { s->n_words, s->words, NULL, NULL, NULL, NULL };
    const struct {
        int param; /* its last number is a term of each score of an arc, of a type, of a label, or of one tag */
        Real value;
    } cases[] = { { parse_network(&m->net)->arc.weight, (Real)-0.9 * most },
                  { parse_network(&m->net)->arc.bias, (Real)INFINITY },
                  { parse_network(&m->net)->span.b2, (Real)NAN },
                  { parse_network(&m->net)->tag_b2, (Real)NAN } };
    for (int k = 0; k < 4; k++) {
        Real *last = param_values(&m->ps, cases[k].param) + param_count(&m->ps.p[cases[k].param]) - 1, before = *last;
        *last = cases[k].value;
        assert_ok(params_upload(&m->ps, device_cpu(), test_error()));
        MADE(Worker, worker_init, worker_fini, w, m, device_cpu());
        assert_int_equal(parse_batch(&w, &input, 1, &x.o, test_arena(), &p, test_error()), ERR_NUMERIC);
        *last = before;
    }
}

/* ---- arcs that cross */

/* Sum of the logarithms of the probabilities of arcs: it differs from the sum of their scores by what all trees of the
 * sentence have. */
static double arcs_sum(const Parsed *p)
{
    double sum = 0;
    for (int w = 0; w < p->n_words; w++) sum += log((double)p->arc_prob[w]);
    return sum;
}

TEST(arcs_and_phrases_each_for_itself)
{
    enum { N = 12 };
    TOY_MODEL(b, m, 40);
    ParseInput in[N];
    Parsed joint[N], spans[N], apart[N];
    ParseOptions o = parse_defaults(&m);
    o.arc_probability = true;
    for (int k = 0; k < N; k++) in[k] = parse_input(&b.train.trees.s[k]);
    int crossed = 0;
    MADE(Worker, worker_init, worker_fini, w, &m, device_cpu());
    assert_ok(parse_batch(&w, in, N, &o, test_arena(), joint, test_error()));
    m.c.lambda = 1;
    assert_ok(parse_batch(&w, in, N, &o, test_arena(), spans, test_error()));
    m.c.lambda = 0.5;
    m.c.decode = DECODE_ARCS;
    assert_ok(parse_batch(&w, in, N, &o, test_arena(), apart, test_error()));
    for (int k = 0; k < N; k++) {
        bool projective;
        assert_int_equal(apart[k].n_phrases, spans[k].n_phrases);
        for (int p = 0; p < apart[k].n_phrases; p++) {
            assert_int_equal(apart[k].phrases[p].begin, spans[k].phrases[p].begin);
            assert_int_equal(apart[k].phrases[p].end, spans[k].phrases[p].end);
            assert_string_equal(apart[k].phrases[p].label, spans[k].phrases[p].label);
        }
        assert_true(arcs_sum(&apart[k]) >= arcs_sum(&joint[k]) - 1e-5);
        assert_true(tree_heads_projective(apart[k].heads, apart[k].n_words, &projective));
        crossed += !projective;
    }
    assert_true(crossed > 0);
}
