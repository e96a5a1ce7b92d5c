/* Beam search with scores of a table, against all outputs there are and against a search that
 * sorts all continuations. */
#include "base/rng.h"
#include "parser/task/translate/beam.h"
#include "tests/support/check.h"

enum { START, STOP, PIECES = 5, LONGEST = 4, ALL = 405 /* continuations of outputs that do not end */ };

/* Scores of the next piece after a text, out of a table, or equal where `flat`. Rows of `score` are LD apart. */
enum { LD = PIECES + 2 };
typedef struct Table {
    uint64_t seed;
    bool flat;
} Table;

static void scores_of(const Table *t, const int *piece, int n, Real *out)
{
    uint64_t key = rng_key(t->seed, 0, 0, 0);
    for (int k = 0; k < n; k++) key = rng_key(key, (uint64_t)piece[k], 1, 0);
    for (int p = 0; p < PIECES; p++) out[p] = t->flat ? (Real)-3 : (Real)(2 * rng_normal(key, (uint64_t)p));
}

/* log p of piece p. */
static double log_p(const Real *score, int p)
{
    double sum = 0;
    for (int k = 0; k < PIECES; k++) sum += exp((double)score[k] - (double)score[p]);
    return -log(sum);
}

static double divided(double log_p, int n, double penalty) { return log_p / pow((5 + n) / 6.0, penalty); }

/* ---- the search */

static void score_live(const Beam *b, const Table *t, Real *score)
{
    for (int k = 0; k < b->n_live; k++) {
        int piece[LONGEST], n = beam_pieces(b, &b->live[k], piece);
        assert_int_equal(n, b->steps);
        assert_int_equal(beam_last(b, k), n ? piece[n - 1] : START);
        scores_of(t, piece, n, score + (ptrdiff_t)k * LD);
        for (int p = PIECES; p < LD; p++) score[(ptrdiff_t)k * LD + p] = NAN; /* between the rows */
    }
}

static void search(Beam *b, const Table *t, BeamOptions o)
{
    Real score[ALL * LD];
    assert_ok(beam_init(b, o, test_error()));
    while (!b->done) {
        score_live(b, t, score);
        assert_ok(beam_advance(b, score, LD, PIECES, test_error()));
    }
}

static BeamOptions options(int beam, double penalty, int most)
{
    return (BeamOptions){ .beam = beam, .penalty = penalty, .most = most, .start = START, .stop = STOP };
}

/* "2 3 /, 2 /": outputs, / is the stop. */
static void put(const Beam *b, const BeamOutput *x, int n, StrBuf *out)
{
    strbuf_puts(out, "");
    for (int k = 0; k < n; k++) {
        int piece[LONGEST], length = beam_pieces(b, &x[k], piece);
        strbuf_puts(out, k ? "," : "");
        for (int i = 0; i < length; i++) strbuf_printf(out, piece[i] == STOP ? " /" : " %d", piece[i]);
    }
}

static void assert_outputs(const Beam *b, const BeamOutput *x, int n, const char *expected)
{
    put(b, x, n, test_out());
    assert_string_equal(test_written(), expected);
}

/* ---- a search that sorts all continuations */

typedef struct Written {
    int piece[LONGEST], n;
    double log_p;
    int order; /* of continuations: by output, then by piece */
} Written;

static int by_probability(const void *a, const void *b)
{
    const Written *x = a, *y = b;
    return x->log_p != y->log_p ? (x->log_p < y->log_p ? 1 : -1) : x->order - y->order;
}

static int continuations(const Table *t, const Written *live, int n_live, Written *out)
{
    int n = 0;
    for (int k = 0; k < n_live; k++) {
        Real score[PIECES];
        scores_of(t, live[k].piece, live[k].n, score);
        for (int p = STOP; p < PIECES; p++, n++) {
            out[n] = live[k];
            out[n].piece[out[n].n++] = p;
            out[n].log_p += log_p(score, p);
            out[n].order = n;
        }
    }
    qsort(out, (size_t)n, sizeof *out, by_probability);
    return n;
}

/* Finished outputs in the order in which they are found; their number. */
static int search_plainly(const Table *t, BeamOptions o, Written *finished)
{
    static Written live[ALL], next[ALL];
    int n_live = 1, n_finished = 0;
    double best = -INFINITY;
    live[0] = (Written){ .n = 0 };
    for (int step = 1; step <= o.most; step++) {
        int n = continuations(t, live, n_live, next), kept = 0;
        for (int k = 0; k < n && k < 2 * o.beam; k++) {
            bool ends = next[k].piece[step - 1] == STOP;
            if (ends && k < o.beam) {
                finished[n_finished++] = next[k];
                best = fmax(best, divided(next[k].log_p, step, o.penalty));
            } else if (!ends && kept < o.beam) {
                live[kept++] = next[k];
            }
        }
        n_live = kept;
        if (n_live == 0 || divided(live[0].log_p, o.most, o.penalty) <= best) return n_finished;
    }
    for (int k = 0; k < n_live; k++) finished[n_finished++] = live[k];
    return n_finished;
}

static void assert_same_output(const Beam *b, const BeamOutput *x, const Written *y)
{
    int piece[LONGEST];
    assert_int_equal(beam_pieces(b, x, piece), y->n);
    assert_memory_equal(piece, y->piece, (size_t)y->n * sizeof *piece);
    assert_within(x->log_p, y->log_p, 1e-9);
    assert_within(x->score, divided(y->log_p, y->n, b->o.penalty), 1e-9);
}

TEST(outputs_are_found_as_by_sorting_all_continuations)
{
    static const int beams[] = { 1, 2, 3, 5, 8, 1000, 2000000000 };
    static const double penalties[] = { 0, 0.6, 1, 3 };
    static Written finished[2 * ALL];
    for (uint64_t seed = 0; seed < 60; seed++)
        for (size_t i = 0; i < sizeof beams / sizeof *beams; i++)
            for (int p = 0; p < 4; p++)
                for (int most = 1; most <= LONGEST; most++) {
                    FREED(beam_fini) Beam b;
                    const Table t = { seed, false };
                    BeamOptions o = options(beams[i], penalties[p], most);
                    search(&b, &t, o);
                    o.beam = o.beam > 1000 ? 1000 : o.beam; /* both are more than there are */
                    int n = search_plainly(&t, o, finished);
                    assert_int_equal(b.n_finished, n);
                    for (int k = 0; k < n; k++) assert_same_output(&b, &b.finished[k], &finished[k]);
                    beam_sort(&b);
                    for (int k = 1; k < n; k++) assert_true(b.finished[k - 1].score >= b.finished[k].score);
                }
}

/* ---- all outputs */

/* The best of all outputs that begin with these pieces. */
static void best_of_all(const Table *t, BeamOptions o, Written *x, Written *best)
{
    if (x->n && (x->piece[x->n - 1] == STOP || x->n == o.most)) {
        if (!best->n || divided(x->log_p, x->n, o.penalty) > divided(best->log_p, best->n, o.penalty)) *best = *x;
        return;
    }
    Real score[PIECES];
    scores_of(t, x->piece, x->n, score);
    for (int p = STOP; p < PIECES; p++) {
        Written longer = *x;
        longer.piece[longer.n++] = p;
        longer.log_p += log_p(score, p);
        best_of_all(t, o, &longer, best);
    }
}

TEST(a_beam_for_everything_finds_the_best_of_all_outputs)
{
    static const double penalties[] = { 0, 0.6, 1 };
    int stopped = 0;
    for (uint64_t seed = 0; seed < 100; seed++)
        for (int p = 0; p < 3; p++) {
            FREED(beam_fini) Beam b;
            const Table t = { seed, false };
            const BeamOptions o = options(1000, penalties[p], 3);
            Written none = { .n = 0 }, best = { .n = 0 };
            search(&b, &t, o);
            beam_sort(&b);
            best_of_all(&t, o, &none, &best);
            assert_same_output(&b, &b.finished[0], &best);
            stopped += b.steps < 3;
        }
    assert_true(stopped > 30 && stopped < 270); /* both ways to end */
}

TEST(a_beam_of_one_is_greedy)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        FREED(beam_fini) Beam b;
        const Table t = { seed, false };
        Written greedy = { .n = 0 };
        for (int last = START; last != STOP && greedy.n < LONGEST; greedy.piece[greedy.n++] = last) {
            Real score[PIECES];
            scores_of(&t, greedy.piece, greedy.n, score);
            last = STOP;
            for (int p = STOP; p < PIECES; p++) last = score[p] > score[last] ? p : last;
            greedy.log_p += log_p(score, last);
        }
        search(&b, &t, options(1, 0, LONGEST));
        assert_int_equal(b.n_finished, 1);
        assert_same_output(&b, &b.finished[0], &greedy);
    }
}

/* ---- rules */

/* Each piece has probability 1 / 5, and START, which has one, too, is never written. */
TEST(equal_outputs_come_by_their_output_then_by_their_piece)
{
    FREED(beam_fini) Beam b;
    Real score[3 * LD];
    const Table t = { 0, true };
    assert_ok(beam_init(&b, options(3, 1, 3), test_error()));
    for (int step = 0; step < 2; step++) {
        assert_false(b.done);
        score_live(&b, &t, score);
        assert_ok(beam_advance(&b, score, LD, PIECES, test_error()));
        assert_outputs(&b, b.live, b.n_live, step ? " 2 2, 2 3, 2 4" : " 2, 3, 4");
        for (int k = 0; k < 3; k++) assert_int_equal(b.parent[k], 0);
        assert_within(b.live[0].log_p, -(step + 1) * log(5), 1e-6);
    }
    /* A stop is among the first 3 only once: of [2 /] and [3 /] in step 2, the second is fifth. */
    assert_outputs(&b, b.finished, b.n_finished, " /, 2 /");
    assert_within(b.finished[1].score, -2 * log(5) * 6 / 7, 1e-6);
    beam_sort(&b);
    assert_outputs(&b, b.finished, b.n_finished, " /, 2 /");
    beam_fini(&b);
    search(&b, &t, options(2, 0, 3)); /* without penalty an output that is as probable is not above the first */
    assert_outputs(&b, b.finished, b.n_finished, " /");
    assert_int_equal(b.steps, 1);
}

/* The live output is more probable, but more than its pieces are ahead of it: it is given up when even at its longest
 * it cannot win, not before. */
TEST(a_search_ends_when_no_live_output_can_win)
{
    static const struct {
        double stop, penalty; /* probability of the stop in the first step, 0.6 - stop of piece 2 */
        bool done;
    } cases[] = {
        { 0.31, 0, true },
        { 0.29, 0, false }, /* the better of the two */
        { 0.31, 1, false }, /* a longer one would be divided by (5 + 4) / 6 */
        { 0.45, 1, true },  /* log 0.15 / 1.5 < log 0.45 */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(beam_fini) Beam b;
        const double left = 0.6 - cases[k].stop;
        const Real score[] = { (Real)log(0.2), (Real)log(cases[k].stop), (Real)log(left), (Real)log(0.1),
                               (Real)log(0.1) };
        assert_ok(beam_init(&b, options(2, cases[k].penalty, 4), test_error()));
        assert_ok(beam_advance(&b, score, PIECES, PIECES, test_error()));
        assert_int_equal(b.n_finished, 1);
        assert_within(b.finished[0].log_p, log(cases[k].stop), 1e-6);
        assert_int_equal(b.done, cases[k].done);
    }
}

TEST(the_longest_outputs_count_without_a_stop)
{
    FREED(beam_fini) Beam b;
    const Real score[] = { 9, -9, 1, 2, 0 }; /* START is the most probable */
    assert_ok(beam_init(&b, options(2, 0.6, 1), test_error()));
    assert_ok(beam_advance(&b, score, PIECES, PIECES, test_error()));
    assert_true(b.done);
    assert_outputs(&b, b.finished, b.n_finished, " 3, 2");
    assert_within(b.finished[0].log_p, log_p(score, 3), 1e-6);
    assert_within(b.finished[0].log_p, -7, 0.01);
    assert_within(b.finished[0].score, b.finished[0].log_p, 1e-12);
}

TEST(scores_that_are_not_finite_are_refused)
{
    static const Real bad[] = { (Real)NAN, (Real)INFINITY };
    for (int k = 0; k < 2; k++)
        for (int at = 0; at < PIECES; at++) {
            FREED(beam_fini) Beam b;
            Real score[PIECES] = { 0 };
            score[at] = bad[k];
            assert_ok(beam_init(&b, options(2, 0.6, 3), test_error()));
            assert_fails(beam_advance(&b, score, PIECES, PIECES, test_error()), ERR_NUMERIC,
                         "the scores of the next pieces are not finite");
        }
    FREED(beam_fini) Beam b;
    const Real one[] = { (Real)-INFINITY, (Real)-INFINITY, 0, (Real)-INFINITY, (Real)-INFINITY }; /* a sure piece */
    assert_ok(beam_init(&b, options(1, 0, 1), test_error()));
    assert_ok(beam_advance(&b, one, PIECES, PIECES, test_error()));
    assert_outputs(&b, b.finished, b.n_finished, " 2");
    assert_true(b.finished[0].log_p == 0);
}

TEST(running_out_of_memory_is_reported)
{
    const Table t = { 5, false };
    for (long n = 0; allocation_fails(n); n++) {
        FREED(beam_fini) Beam b;
        Real score[2 * LD];
        mem_fail_after(n);
        Status s = beam_init(&b, options(2, 1, 3), test_error());
        while (s == OK && !b.done) {
            score_live(&b, &t, score);
            s = beam_advance(&b, score, LD, PIECES, test_error());
        }
        assert_ok_or_no_memory(s);
    }
}
