/* Subwords, against a learner that counts all pairs again for each one that it joins, and an
 * encoder that joins these one after the other. */
#include <stdlib.h>

#include "base/rng.h"
#include "embeddings/bpe.h"
#include "embeddings/token_embedding.h"
#include "tests/support/check.h"

static void start(Vocab *pieces)
{
    static const char *const reserved[N_RESERVED] = { "<START>", "<STOP>", "<UNK>" };
    vocab_init(pieces);
    for (int k = 0; k < N_RESERVED; k++) vocab_count(pieces, reserved[k], strlen(reserved[k]), 1);
}

/* Counts the units of lines, which line feeds end. */
static void count(const char *text, Vocab *units)
{
    StrView line;
    for (size_t at = 0; text_line(view(text), &at, &line);) assert_ok(bpe_count(line, units, test_error()));
}

static void learn(const char *text, int most, Vocab *pieces)
{
    MADE(Vocab, vocab_init, vocab_fini, units);
    count(text, &units);
    start(pieces);
    assert_ok(bpe_learn(&units, most, pieces, test_error()));
    assert_ok(bpe_check(pieces, "learnt", test_error()));
}

/* "text(begin-end)" of each piece, or only the texts. */
static void put_pieces(const Pieces *p, bool places, StrBuf *out)
{
    strbuf_puts(out, "");
    for (int k = 0; k < p->n; k++) {
        StrView text = pieces_text(p, k);
        strbuf_puts(out, k ? " " : "");
        strbuf_add(out, text.ptr, text.len);
        if (places) strbuf_printf(out, "(%d-%d)", p->p[k].begin, p->p[k].end);
    }
}

static void assert_units(const char *line, const char *expected)
{
    FREED(pieces_fini) Pieces p = { 0 };
    assert_ok(bpe_units(view(line), &p, test_error()));
    put_pieces(&p, true, test_out());
    assert_string_equal(test_written(), expected);
}

static void assert_encoded(const Vocab *pieces, const char *line, bool places, const char *expected)
{
    FREED(pieces_fini) Pieces p = { 0 };
    assert_ok(bpe_encode(pieces, view(line), &p, test_error()));
    put_pieces(&p, places, test_out());
    assert_string_equal(test_written(), expected);
}

static void assert_learnt(const char *text, int most, const char *expected)
{
    FREED(vocab_fini) Vocab pieces;
    FREED(strbuf_fini) StrBuf found = { 0 };
    learn(text, most, &pieces);
    for (int k = N_RESERVED; k < vocab_size(&pieces); k++)
        strbuf_printf(&found, "%s%s %d", k > N_RESERVED ? ", " : "", vocab_text(&pieces, k), pieces.counts[k]);
    assert_string_equal(found.ptr, expected);
}

/* ---- units */

TEST(words_are_cut_into_runs_of_letters_and_digits_and_other_characters)
{
    assert_units("", "");
    assert_units(" \t\u00a0", "");
    assert_units("A man,  two", "▁A(0-1) ▁man(2-5) ,(5-6) ▁two(8-11)");
    assert_units("don't (3.5)", "▁don(0-3) '(3-4) t(4-5) ▁((6-7) 3(7-8) .(8-9) 5(9-10) )(10-11)");
    assert_units("\tÖl-ß²Ⅷ\u00a0日本", "▁Öl(1-4) -(4-5) ß²Ⅷ(5-12) ▁日本(14-20)");
    assert_units("x\u0663", "▁x\u0663(0-3)"); /* a digit of another script */
    assert_units("a_b", "▁a(0-1) _(1-2) b(2-3)");
}

TEST(combining_marks_are_units)
{
    assert_units("e\u0301t", "▁e(0-1) \u0301(1-3) t(3-4)");
    assert_units("\u0301", "▁\u0301(0-2)");
}

TEST(text_that_has_the_mark_or_no_characters_has_units_too)
{
    assert_units("▁x ▁", "▁▁(0-3) x(3-4) ▁▁(5-8)");
    assert_units("a\xff\xc3", "▁a(0-1) \xff(1-2) \xc3(2-3)");
    FREED(pieces_fini) Pieces p = { 0 };
    assert_ok(bpe_units((StrView){ "a\0b", 3 }, &p, test_error()));
    assert_int_equal(p.n, 3);
}

/* ---- learning */

TEST(the_most_frequent_pair_is_joined_first)
{
    assert_learnt("ab ab ab cb", 100, "a 3, b 4, c 1, ▁ 4, ab 3, ▁ab 3");
    assert_learnt("xab xab\nab", 100, "a 3, b 3, x 2, ▁ 3, ab 3, xab 2, ▁xab 2");
}

TEST(of_equal_pairs_the_smaller_is_joined_first)
{
    /* ▁ is greater than letters: of (b, c), (▁, b), (▁b, c) the first; U+FF5A is smaller than U+10400. */
    assert_learnt("bc bc", 100, "b 2, c 2, ▁ 2, bc 2, ▁bc 2");
    assert_learnt("q\U00010400q\uff5aq\U00010400q\uff5a", 8 + 1,
                  "q 4, ▁ 1, \uff5a 2, \U00010400 2, q\uff5a 2, q\U00010400 2");
    /* The left symbol decides: (a, bz) is before (ab, a), although "aba" is before "abz". */
    assert_learnt("-bz-bz-bz-bz-bz-bz-bz-bz-bz-ab-ab-ab-abz-abz-aba-aba", 100,
                  "- 16, a 9, b 16, z 11, ▁ 1, bz 11, ab 5, abz 2, aba 2");
}

TEST(pairs_overlap_and_are_joined_from_the_left)
{
    assert_learnt("aaa", 100, "a 3, ▁ 1, aa 2");
    assert_learnt("aaaa aaaaa", 100, "a 9, ▁ 2, aa 7, aaaa 2, ▁aaaa 2");
}

TEST(learning_ends_when_no_pair_occurs_twice_or_there_are_enough_pieces)
{
    assert_learnt("abc abc", 100, "a 2, b 2, c 2, ▁ 2, ab 2, abc 2, ▁abc 2");
    assert_learnt("abc abc", 9, "a 2, b 2, c 2, ▁ 2, ab 2, abc 2");
    assert_learnt("abc abc", 7, "a 2, b 2, c 2, ▁ 2");
    assert_learnt("abc abc", 0, "a 2, b 2, c 2, ▁ 2"); /* all characters in any case */
    assert_learnt("a-b .c", 100, "- 1, . 1, a 1, b 1, c 1, ▁ 2");
}

TEST(without_text_there_are_the_reserved_values)
{
    FREED(vocab_fini) Vocab pieces;
    learn("\n  \n", 100, &pieces);
    assert_int_equal(vocab_size(&pieces), N_RESERVED);
    assert_encoded(&pieces, "a b", true, "<UNK>(0-0) <UNK>(0-1) <UNK>(2-2) <UNK>(2-3)");
}

TEST(bytes_that_no_text_has_are_not_learnt)
{
    MADE(Vocab, vocab_init, vocab_fini, units);
    assert_ok(bpe_count((StrView){ "ab\xff\0 \0", 6 }, &units, test_error()));
    assert_int_equal(vocab_size(&units), 1);
    assert_string_equal(vocab_text(&units, 0), "▁ab");
}

/* ---- against plain loops */

enum { LINES = 100, MOST_MERGES = 400 };

/* Words of few characters, so that pairs overlap and are equally frequent. */
static void put_line(uint64_t key, const char *const *characters, int n_characters, StrBuf *out)
{
    uint64_t i = 0;
    int words = 1 + (int)(rng_uniform(key, i++) * 9);
    for (int w = 0; w < words; w++) {
        int length = 1 + (int)(rng_uniform(key, i++) * 7);
        strbuf_puts(out, w ? " " : "");
        for (int c = 0; c < length; c++) {
            double x = rng_uniform(key, i++);
            strbuf_puts(out, characters[(int)(x * x * n_characters)]);
        }
    }
}

static const char *const CHARACTERS[] = { "a", "b", "c", "ä", "日", "-", "d", "1", "\u0301", "\U0001f600" };
enum { N_CHARACTERS = 10, N_LEARNT = 9 }; /* the last one is not learnt */

/* A unit as a list of symbols. */
typedef struct Plain {
    char symbol[40][40];
    int n, times;
} Plain;

typedef struct Merge {
    char left[40], right[40];
    int times;
} Merge;

static Plain plain_unit(const char *text, int times)
{
    Plain p = { .times = times };
    for (size_t at = 0, begin, n = strlen(text); at < n;) {
        begin = at;
        utf8_next(text, n, &at);
        assert_true(p.n < 40);
        snprintf(p.symbol[p.n++], 40, "%.*s", (int)(at - begin), text + begin);
    }
    return p;
}

static void plain_join(Plain *p, const Merge *m)
{
    Plain out = { .times = p->times };
    for (int k = 0; k < p->n; k++) {
        bool pair = k + 1 < p->n && strcmp(p->symbol[k], m->left) == 0 && strcmp(p->symbol[k + 1], m->right) == 0;
        int wrote = snprintf(out.symbol[out.n++], 40, "%s%s", p->symbol[k], pair ? p->symbol[k + 1] : "");
        assert_true(wrote < 40);
        k += pair;
    }
    *p = out;
}

/* Counts all pairs as "left TAB right": a tab is smaller than any character, so that texts sort as pairs do. */
static void plain_pairs(const Plain *units, int n, Vocab *pairs)
{
    char key[90];
    for (int u = 0; u < n; u++)
        for (int k = 0; k + 1 < units[u].n; k++) {
            int len = snprintf(key, sizeof key, "%s\t%s", units[u].symbol[k], units[u].symbol[k + 1]);
            assert_true(vocab_count(pairs, key, (size_t)len, units[u].times) >= 0);
        }
}

/* The number of merges. */
static int plain_learn(const Vocab *counted, Merge *merges)
{
    int n = vocab_size(counted), done = 0;
    FREED(free_pointer) Plain *units = malloc((size_t)n * sizeof *units);
    for (int u = 0; u < n; u++) units[u] = plain_unit(vocab_text(counted, u), counted->counts[u]);
    for (; done < MOST_MERGES; done++) {
        MADE(Vocab, vocab_init, vocab_fini, pairs);
        int best = 0;
        plain_pairs(units, n, &pairs);
        for (int k = 1; k < vocab_size(&pairs); k++) {
            int more = pairs.counts[k] - pairs.counts[best];
            if (more > 0 || (more == 0 && strcmp(vocab_text(&pairs, k), vocab_text(&pairs, best)) < 0)) best = k;
        }
        if (!vocab_size(&pairs) || pairs.counts[best] < 2) break;
        Merge *m = &merges[done];
        m->times = pairs.counts[best];
        assert_int_equal(sscanf(vocab_text(&pairs, best), "%39[^\t]\t%39s", m->left, m->right), 2);
        for (int u = 0; u < n; u++) plain_join(&units[u], m);
    }
    return done;
}

static void put_text(uint64_t seed, StrBuf *out)
{
    for (uint64_t k = 0; k < LINES; k++) {
        put_line(rng_key(seed, k, 0, 0), CHARACTERS, N_LEARNT, out);
        strbuf_putc(out, '\n');
    }
}

static void assert_merges(const Vocab *pieces, const Merge *merges, int n)
{
    int first = vocab_size(pieces) - n;
    assert_true(first >= N_RESERVED);
    for (int k = 0; k < n; k++) {
        assert_string_equal(vocab_text(pieces, first + k), test_format("%s%s", merges[k].left, merges[k].right));
        assert_int_equal(pieces->counts[first + k], merges[k].times);
    }
}

/* The pieces of units by all merges in their order. */
static void plain_encode(const Vocab *pieces, const Pieces *units, const Merge *merges, int n, StrBuf *out)
{
    strbuf_puts(out, "");
    for (int u = 0; u < units->n; u++) {
        Plain p = plain_unit(test_format("%.*s", (int)pieces_text(units, u).len, pieces_text(units, u).ptr), 1);
        for (int k = 0; k < n; k++) plain_join(&p, &merges[k]);
        for (int k = 0; k < p.n; k++)
            strbuf_printf(out, "%s%s", out->len ? " " : "",
                          vocab_find(pieces, p.symbol[k]) < 0 ? "<UNK>" : p.symbol[k]);
    }
}

TEST(pairs_and_pieces_are_those_of_plain_loops)
{
    FREED(free_pointer) Merge *merges = malloc(MOST_MERGES * sizeof *merges);
    for (uint64_t seed = 0; seed < 3; seed++) {
        FREED(vocab_fini) Vocab pieces, fewer;
        MADE(Vocab, vocab_init, vocab_fini, units);
        put_text(seed, test_out());
        count(test_written(), &units);
        int n = plain_learn(&units, merges);
        assert_in_range(n, 100, MOST_MERGES - 1); /* no pair was left */
        learn(test_written(), PIECES_MOST, &pieces);
        assert_merges(&pieces, merges, n);
        learn(test_written(), vocab_size(&pieces) - 30, &fewer);
        assert_merges(&fewer, merges, n - 30);
        for (uint64_t k = 0; k < LINES; k++) {
            FREED(strbuf_fini) StrBuf line = { 0 }, expected = { 0 };
            FREED(pieces_fini) Pieces p = { 0 };
            put_line(rng_key(seed, k, 1, 0), CHARACTERS, N_CHARACTERS, &line);
            assert_ok(bpe_units((StrView){ line.ptr, line.len }, &p, test_error()));
            plain_encode(&pieces, &p, merges, n, &expected);
            assert_encoded(&pieces, line.ptr, false, expected.ptr);
        }
    }
}

TEST(the_order_of_lines_does_not_matter)
{
    FREED(strbuf_fini) StrBuf text = { 0 }, back = { 0 }, again = { 0 };
    FREED(vocab_fini) Vocab pieces, other;
    put_text(9, &text);
    for (size_t end = text.len, k = end; k-- > 0;)
        if (k == 0 || text.ptr[k - 1] == '\n') {
            strbuf_add(&back, text.ptr + k, end - k);
            end = k;
        }
    assert_int_equal(back.len, text.len);
    learn(text.ptr, 150, &pieces);
    learn(back.ptr, 150, &other);
    vocab_write(&pieces, test_out());
    vocab_write(&other, &again);
    assert_string_equal(test_written(), again.ptr);
}

/* ---- encoding and decoding */

static void decode(const Vocab *pieces, const Pieces *p, StrBuf *out)
{
    FREED(free_pointer) int *ids = malloc(((size_t)p->n + 1) * sizeof *ids);
    for (int k = 0; k < p->n; k++) ids[k] = p->p[k].id;
    strbuf_puts(out, "");
    bpe_decode(pieces, ids, p->n, out);
}

static void assert_restored(const Vocab *pieces, const char *line, const char *expected)
{
    FREED(pieces_fini) Pieces p = { 0 };
    assert_ok(bpe_encode(pieces, view(line), &p, test_error()));
    decode(pieces, &p, test_out());
    assert_string_equal(test_written(), expected);
}

TEST(decoding_restores_a_line)
{
    FREED(vocab_fini) Vocab pieces;
    put_text(4, test_out());
    learn(test_written(), 120, &pieces);
    for (uint64_t k = 0; k < LINES; k++) {
        FREED(strbuf_fini) StrBuf line = { 0 };
        put_line(rng_key(4, k, 1, 0), CHARACTERS, N_LEARNT, &line);
        assert_restored(&pieces, line.ptr, line.ptr);
    }
    assert_restored(&pieces, "", "");
    assert_restored(&pieces, "  a\u00a0 b-a ", "a b-a");
    assert_restored(&pieces, "aZ\u0301 zz", "a⁇\u0301 ⁇⁇");
    assert_restored(&pieces, "▁a ▁", " a  "); /* it is a blank wherever it stands, and only one is left out */
}

TEST(reserved_pieces_are_no_text)
{
    FREED(vocab_fini) Vocab pieces;
    FREED(strbuf_fini) StrBuf found = { 0 };
    learn("ab ab", 100, &pieces);
    int word = vocab_find(&pieces, "▁ab");
    int ids[] = { TOKEN_START, word, TOKEN_UNKNOWN, TOKEN_STOP, word, TOKEN_STOP };
    strbuf_puts(&found, "- ");
    bpe_decode(&pieces, ids, 6, &found);
    bpe_decode(&pieces, ids, 0, &found);
    assert_string_equal(found.ptr, "- ab⁇ ab");
}

TEST(pieces_have_places)
{
    FREED(vocab_fini) Vocab pieces;
    learn("ab ab ab, äb äb .", 100, &pieces);
    assert_encoded(&pieces, "ab, äba ä.", true, "▁ab(0-2) ,(2-3) ▁äb(4-7) a(7-8) ▁(9-9) ä(9-11) .(11-12)");
    assert_encoded(&pieces, "a .", true, "▁(0-0) a(0-1) ▁(2-2) .(2-3)");
    assert_encoded(&pieces, "aZé\xff\u0301 b", true,
                   "▁(0-0) a(0-1) <UNK>(1-2) <UNK>(2-4) <UNK>(4-5) <UNK>(5-7) ▁(8-8) b(8-9)");
    FREED(pieces_fini) Pieces p = { 0 };
    assert_ok(bpe_encode(&pieces, (StrView){ "b\0ab", 4 }, &p, test_error()));
    assert_int_equal(p.n, 4);
    assert_int_equal(p.p[2].id, TOKEN_UNKNOWN);
}

TEST(reserved_values_are_not_found_in_text)
{
    FREED(vocab_fini) Vocab pieces;
    learn("<UNK> <UNK> UNK", 100, &pieces);
    assert_encoded(&pieces, "<UNK>", false, "▁< UNK >");
    MADE(Vocab, vocab_init, vocab_fini, letters);
    for (const char *c = "abc"; *c; c++) vocab_count(&letters, c, 1, 1);
    assert_encoded(&letters, "a-b", true, "c(0-0) c(0-1) c(1-2) c(2-3)"); /* all unknown, whose text is c */
}

TEST(a_long_unit_takes_no_more_time_than_many_short_ones)
{
    enum { LENGTH = 400000 };
    FREED(vocab_fini) Vocab pieces;
    FREED(strbuf_fini) StrBuf line = { 0 };
    FREED(pieces_fini) Pieces p = { 0 };
    learn("aaaa aaaa abaab abaab", 100, &pieces);
    for (int k = 0; k < LENGTH; k++) strbuf_putc(&line, k % 5 == 4 ? 'b' : 'a');
    assert_ok(bpe_encode(&pieces, (StrView){ line.ptr, line.len }, &p, test_error()));
    assert_in_range(p.n, LENGTH / 8, LENGTH / 2);
    assert_int_equal(p.p[p.n - 1].end, LENGTH);
    assert_fails(bpe_encode(&pieces, (StrView){ "", PIECES_MOST_TEXT + 1 }, &p, test_error()), ERR_LIMIT,
                 "found a text of 16777217 bytes, expected at most 16777216");
}

/* ---- files */

TEST(a_vocabulary_that_is_written_and_read_encodes_alike)
{
    FREED(strbuf_fini) StrBuf file = { 0 };
    FREED(vocab_fini) Vocab pieces;
    MADE(Vocab, vocab_init, vocab_fini, again);
    put_text(5, test_out());
    learn(test_written(), 200, &pieces);
    vocab_write(&pieces, &file);
    assert_ok(vocab_read(&again, (StrView){ file.ptr, file.len }, "again", test_error()));
    assert_ok(bpe_check(&again, "again", test_error()));
    for (uint64_t k = 0; k < 20; k++) {
        FREED(strbuf_fini) StrBuf line = { 0 }, expected = { 0 };
        FREED(pieces_fini) Pieces p = { 0 };
        put_line(rng_key(5, k, 1, 0), CHARACTERS, N_CHARACTERS, &line);
        assert_ok(bpe_encode(&pieces, (StrView){ line.ptr, line.len }, &p, test_error()));
        put_pieces(&p, false, &expected);
        assert_encoded(&again, line.ptr, false, expected.ptr);
    }
}

TEST(a_vocabulary_that_cannot_be_learnt_is_refused)
{
    static const char *const cases[][2] = {
        { "<START>\n<STOP>", "f:3: found the end, expected 3 reserved values" },
        { "0\n1\n2\n\na", "f:4: found '', expected a piece" },
        { "0\n1\n2\na\nb\xff", "f:5: found 'b\\xff', expected UTF-8" },
        { "0\n1\n2\na\nb\na b", "f:6: found 'a b', expected a piece without blanks" },
        { "0\n1\n2\n\u00a0", "f:4: found '\u00a0', expected a piece without blanks" },
        { "0\n1\n2\n-\na\n-a", "f:6: found '-a', expected letters and digits, or one other character" },
        { "0\n1\n2\n-\na\na-", "f:6: found 'a-', expected letters and digits, or one other character" },
        { "0\n1\n2\na\n▁\na▁", "f:6: found 'a▁', expected letters and digits, or one other character" },
        { "0\n1\n2\n.\n▁\n▁..", "f:6: found '▁..', expected letters and digits, or one other character" },
        { "0\n1\n2\nb\na", "f:5: found 'a' after 'b', expected characters by code point, before pairs" },
        { "0\n1\n2\na\naa\nb", "f:6: found 'b' after 'aa', expected characters by code point, before pairs" },
        { "0\n1\n2\nab", "f:4: found 'ab', expected two of the pieces before it" },
        { "0\n1\n2\na\nab", "f:5: found 'ab', expected two of the pieces before it" },
        { "0\n1\n2\na\nb\nba\naba\naab", "f:8: found 'aab', expected two of the pieces before it" },
        { "0\n1\n2\na\nb\nc\nd\nabcd\nab\ncd", "f:8: found 'abcd', expected two of the pieces before it" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(Vocab, vocab_init, vocab_fini, v);
        StrView line;
        for (size_t at = 0; text_line(view(cases[k][0]), &at, &line);) vocab_count(&v, line.ptr, line.len, 1);
        assert_fails(bpe_check(&v, "f", test_error()), ERR_FORMAT, cases[k][1]);
    }
}

TEST(memory_may_run_out)
{
    for (long n = 0; allocation_fails(n); n++) {
        MADE(Vocab, vocab_init, vocab_fini, units);
        FREED(vocab_fini) Vocab pieces;
        FREED(pieces_fini) Pieces p = { 0 };
        start(&pieces);
        mem_fail_after(n);
        Status s = bpe_count(view("abab cab, abcabc"), &units, test_error());
        if (s == OK) s = bpe_learn(&units, 100, &pieces, test_error());
        if (s == OK) s = bpe_check(&pieces, "f", test_error());
        if (s == OK) s = bpe_encode(&pieces, view("abab cabx."), &p, test_error());
        assert_ok_or_no_memory(s);
    }
}
