/* Sequences of pieces, windows, and the rows of each token. */
#include "embeddings/piece_batch.h"
#include "tests/support/check.h"

enum { FIRST = 90, LAST = 91 };

static PieceBatch make(PieceLayout l, const WordPieces *words, const int *n_words, int n_sent, Arena *a)
{
    PieceBatch b;
    assert_ok(piece_batch_make(l, words, n_words, n_sent, a, &b, test_error()));
    return b;
}

static void assert_ints(const int *found, const int *expected, int n)
{
    for (int k = 0; k < n; k++)
        if (found[k] != expected[k]) fail_msg("number %d: found %d, expected %d", k, found[k], expected[k]);
}

static const int IDS[] = { 1, 2, 3, 4, 5, 6 };
static const WordPieces WORDS[] = { { IDS, 1 }, { IDS + 1, 3 }, { IDS + 4, 2 } };

TEST(sentences_are_sequences_between_the_first_and_the_last_piece)
{
    static const int n_words[] = { 2, 0, 1 }, start[] = { 0, 6, 8, 12 },
                     id[] = { FIRST, 1, 2, 3, 4, LAST, FIRST, LAST, FIRST, 5, 6, LAST };
    static const int rows[3][9] = { { 0, 1, 4, 5, 6, 7, 8, 10, 11 }, { 0, 1, 2, 5, 6, 7, 8, 9, 11 } },
                     mean[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 },
                     mean_start[] = { 0, 1, 2, 5, 6, 7, 8, 9, 11, 12 };
    for (int choice = PIECE_LAST; choice <= PIECE_MEAN; choice++) {
        PieceBatch b = make((PieceLayout){ FIRST, LAST, 0, (PieceChoice)choice }, WORDS, n_words, 3, test_arena());
        assert_int_equal(b.batch.n_sent, 3);
        assert_int_equal(b.batch.n_tokens, 12);
        assert_int_equal(b.batch.longest, 6);
        assert_ints(b.batch.start, start, 4);
        assert_ints(b.id, id, 12);
        if (choice == PIECE_MEAN) {
            assert_ints(b.start, mean_start, 10);
            assert_ints(b.row, mean, 12);
            continue;
        }
        for (int t = 0; t <= 9; t++) assert_int_equal(b.start[t], t);
        assert_ints(b.row, rows[choice], 9);
        for (int s = 0; s < 3; s++) assert_int_equal(b.n_windows[s], 1);
    }
}

/* Every piece of a sentence of n pieces is in a window of at most `most`, once as a row, in order, and no end of a
 * window inside the sentence is nearer than a quarter of its width, rounded down. */
static void check_windows(int n, int most, Arena *a)
{
    int *ids = arena_alloc(a, (size_t)n + 1, sizeof *ids);
    WordPieces *words = arena_alloc(a, (size_t)n + 1, sizeof *words);
    for (int k = 0; k < n; k++) {
        ids[k] = 100 + k;
        words[k] = (WordPieces){ ids + k, 1 };
    }
    PieceBatch b = make((PieceLayout){ FIRST, LAST, most, PIECE_MEAN }, words, &n, 1, a);
    assert_int_equal(b.n_windows[0], b.batch.n_sent);
    assert_true(b.batch.longest <= most && (n <= most - 2) == (b.batch.n_sent == 1));
    for (int s = 0; s < b.batch.n_sent; s++) {
        assert_int_equal(b.id[b.batch.start[s]], FIRST);
        assert_int_equal(b.id[b.batch.start[s + 1] - 1], LAST);
        assert_int_equal(b.batch.start[s + 1] - b.batch.start[s], b.batch.longest);
    }
    assert_int_equal(b.start[n + 2], n + 2);
    assert_int_equal(b.row[0], 0);
    assert_int_equal(b.row[n + 1], b.batch.n_tokens - 1);
    for (int k = 0; k < n; k++) {
        int row = b.row[k + 1], s = 0;
        assert_int_equal(b.id[row], 100 + k);
        while (b.batch.start[s + 1] <= row) s++;
        int before = row - b.batch.start[s] - 1, after = b.batch.start[s + 1] - 2 - row;
        assert_true(s == 0 || before >= (most - 2) / 4);
        assert_true(s == b.batch.n_sent - 1 || after >= (most - 2) / 4);
    }
}

TEST(long_sentences_become_windows_that_overlap_by_half)
{
    for (int most = 3; most <= 12; most++)
        for (int n = 0; n <= 40; n++) check_windows(n, most, test_arena());
    check_windows(5000, 512, test_arena());
}

TEST(a_word_may_be_longer_than_a_window)
{
    static const int n_words = 3;
    PieceBatch b = make((PieceLayout){ FIRST, LAST, 4, PIECE_MEAN }, WORDS, &n_words, 1, test_arena());
    assert_int_equal(b.n_windows[0], 5);
    static const int start[] = { 0, 1, 2, 5, 7, 8 };
    assert_ints(b.start, start, 6);
    for (int k = 1; k <= 6; k++) assert_int_equal(b.id[b.row[k]], k);
    assert_fails(piece_batch_make((PieceLayout){ FIRST, LAST, 2, PIECE_LAST }, WORDS, &n_words, 1, test_arena(), &b,
                                  test_error()),
                 ERR_CONFIG, "found sequences of 2 pieces, expected at least 3");
}

/* Two sentences of one-piece words, the third word of the first one with 9 pieces, in windows of at most 6. */
static PieceBatch make_long(PieceChoice choice, int n_words[2], Arena *a)
{
    enum { N = 30 };
    static int ids[N];
    static WordPieces words[N];
    for (int k = 0; k < N; k++) {
        ids[k] = 100 + k;
        words[k] = (WordPieces){ ids + k, k == 2 ? 9 : 1 };
    }
    n_words[0] = 20;
    n_words[1] = 10;
    return make((PieceLayout){ FIRST, LAST, 6, choice }, words, n_words, 2, a);
}

/* The parts of at most `most` pieces hold every sequence and every row once, and the shares of a token are its rows. */
static void check_parts(const PieceBatch *b, int tokens, int most, Arena *a)
{
    Real shares[40] = { 0 };
    int named = 0;
    for (int from = 0, to; from < b->batch.n_sent; from = to) {
        PiecePart p;
        to = piece_batch_end(b, from, most);
        assert_true(piece_batch_part(b, tokens, from, to, 0, a, &p));
        int first = b->batch.start[from], rows = p.b.batch.n_tokens;
        assert_true(rows <= most || to == from + 1);
        assert_true(to == b->batch.n_sent || b->batch.start[to + 1] - first > most);
        assert_int_equal(p.b.batch.n_sent, to - from);
        assert_int_equal(p.b.batch.start[to - from], rows);
        assert_ints(p.b.id, b->id + first, rows);
        bool whole = true;
        for (int t = 0; t < p.n; t++) {
            for (int k = p.b.start[t]; k < p.b.start[t + 1]; k++, named++)
                assert_int_equal(first + p.b.row[k], b->row[named]);
            assert_true(named > b->start[p.token + t] && named <= b->start[p.token + t + 1]);
            shares[p.token + t] += p.share[t];
            whole = whole && p.share[t] == 1;
        }
        assert_int_equal(p.is_whole, whole);
    }
    assert_int_equal(named, b->start[tokens]);
    for (int t = 0; t < tokens; t++) assert_within((double)shares[t], 1, 1e-6);
}

TEST(a_batch_is_read_in_parts)
{
    MADE(Arena, arena_init, arena_fini, a, 1 << 14);
    for (int choice = PIECE_LAST; choice <= PIECE_MEAN; choice++)
        for (int most = 1; most <= 80; most++) {
            int n_words[2];
            PieceBatch b = make_long((PieceChoice)choice, n_words, &a);
            check_parts(&b, n_words[0] + n_words[1] + 4, most, &a);
            arena_reset(&a);
        }
}
