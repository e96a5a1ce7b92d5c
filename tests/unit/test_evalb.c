/* Evalb apart from the recorded cases: brackets over one span, locales, memory, write
 * errors. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "base/rng.h"
#include "eval/evalb.h"
#include "tests/support/check.h"

FREES(FILE, fclose)

/* ---- files and runs */

/* The standard output of evalb; the caller frees it. */
static char *output_of(const EvalbParams *p, const char *gold, const char *test)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size), *err = fopen("/dev/null", "w");
    bool stopped;
    assert_non_null(out);
    assert_non_null(err);
    assert_ok(evalb_run(p, gold, test, out, err, &stopped, test_error()));
    assert_false(stopped);
    fclose(out);
    fclose(err);
    return text;
}

static void read_params(EvalbParams *p, const char *text)
{
    bool stopped;
    assert_ok(evalb_params_read(p, test_text("params", text), stderr, &stopped, test_error()));
    assert_false(stopped);
}

/* ---- random trees */

typedef struct Draw {
    uint64_t key;
    uint32_t at;
} Draw;

static int draw(Draw *d, int n) { return (int)(rng_bits32(d->key, d->at++) % (uint32_t)n); }

static const char *const LABELS[] = { "H", "A", "B", "C", "D-1", "E=2", "-F", "G", "I", "J", "K", "L", "M", "X" };
static const char *const TAGS[] = { "``", "''", "POS", "N", "N-1" };
enum { N_LABELS = sizeof LABELS / sizeof *LABELS, N_TAGS = sizeof TAGS / sizeof *TAGS };

/* Appends a line of n words with up to 60 brackets, many over the same span; sometimes with a surplus or missing
 * bracket. */
static void put_random_tree(StrBuf *b, Draw *d, int n)
{
    int depth = 0;
    for (int w = 0; w < n; w++) {
        for (int k = draw(d, 60 / n); k > 0; k--, depth++) strbuf_printf(b, "(%s ", LABELS[draw(d, N_LABELS)]);
        strbuf_printf(b, "(%s ')", draw(d, 3) ? "N" : TAGS[draw(d, N_TAGS)]);
        for (int k = depth ? draw(d, depth + 1) : 0; k > 0; k--, depth--) strbuf_putc(b, ')');
    }
    if (draw(d, 20) == 0) depth += draw(d, 3) - 1;
    for (; depth > 0; depth--) strbuf_putc(b, ')');
    strbuf_putc(b, '\n');
}

static const char PARAMS[] = "MAX_ERROR 1000000\nDELETE_LABEL X\nDELETE_LABEL ''\nDELETE_LABEL ``\n"
                             "QUOTE_LABEL ''\nQUOTE_LABEL ``\nQUOTE_LABEL POS\n"
                             "EQ_LABEL A B\nEQ_LABEL B C\nEQ_LABEL M X\nEQ_LABEL A B\nEQ_LABEL N POS\n"
                             "EQ_LABEL H A\nEQ_LABEL H C\nEQ_LABEL D H\nEQ_LABEL H E\nEQ_LABEL H G\nEQ_LABEL H I\n"
                             "EQ_LABEL H J\nEQ_LABEL H K\nEQ_LABEL L H\nEQ_LABEL I J\n";

/* The lines of sentences in output with debugging. */
static StrBuf sentence_lines(const char *output)
{
    StrBuf lines = { 0 };
    StrView text = view(output), line;
    for (size_t at = 0; text_line(text, &at, &line);) {
        size_t from = 0;
        while (from < line.len && line.ptr[from] == ' ') from++;
        if (from == line.len || line.ptr[from] < '0' || line.ptr[from] > '9') continue;
        if (memchr(line.ptr, ':', line.len) || memchr(line.ptr, '=', line.len)) continue;
        strbuf_add(&lines, line.ptr, line.len);
        strbuf_putc(&lines, '\n');
    }
    return lines;
}

/* With DEBUG 2 all pairs are compared, as by EVALB. */
TEST(counts_are_equal_with_and_without_all_comparisons)
{
    for (int labeled = 0; labeled < 2; labeled++) {
        Draw d = { rng_key(3, (uint64_t)labeled, 1, 2), 0 };
        FREED(strbuf_fini) StrBuf gold_trees = { 0 }, test_trees = { 0 };
        for (int k = 0; k < 300; k++) {
            int n = 1 + draw(&d, 6);
            put_random_tree(&gold_trees, &d, n);
            put_random_tree(&test_trees, &d, n);
        }
        const char *gold = test_file("gold", gold_trees.ptr, gold_trees.len),
                   *test = test_file("test", test_trees.ptr, test_trees.len);
        MADE(EvalbParams, evalb_params_init, evalb_params_fini, p);
        read_params(&p, PARAMS);
        p.labeled = labeled;
        FREED(free_pointer) char *plain = output_of(&p, gold, test);
        p.debug = 2;
        FREED(free_pointer) char *shown = output_of(&p, gold, test);
        FREED(strbuf_fini) StrBuf a = sentence_lines(plain), b = sentence_lines(shown);
        assert_string_equal(a.ptr, b.ptr);
        assert_non_null(strstr(shown, "CROSSING["));
        assert_non_null(strstr(shown, "bra="));
        assert_string_equal(strstr(plain, "=== Summary ==="), strstr(shown, "=== Summary ==="));
    }
}

/* Enough labels that those of earlier sentences are dropped several times. */
TEST(labels_may_all_differ)
{
    FREED(strbuf_fini) StrBuf trees = { 0 };
    for (int k = 0; k < 30000; k++) strbuf_printf(&trees, "(S (LABEL%d-%d (TAG%d a)) (X (Y b)))\n", k, k, k);
    const char *path = test_file("trees", trees.ptr, trees.len);
    MADE(EvalbParams, evalb_params_init, evalb_params_fini, p);
    read_params(&p, "DELETE_LABEL S\n");
    FREED(free_pointer) char *text = output_of(&p, path, path);
    assert_non_null(strstr(text, "\n                100.00 100.00  60000 60000 60000      0  60000 60000   100.00\n"));
}

/* ---- locales */

TEST(numbers_are_equal_in_every_locale)
{
    const char *gold = test_text("gold", "(S (A (B b)) (C (D d)))\n"),
               *test = test_text("test", "(S (A (B b)) (D d))\n");
    MADE(EvalbParams, evalb_params_init, evalb_params_fini, p);
    test_comma_locale();
    FREED(free_pointer) char *text = output_of(&p, gold, test);
    assert_non_null(strstr(text, "\n   1    2    0   66.67 100.00     2      3    2      0      2     2   100.00\n"));
    assert_non_null(strstr(text, "Bracketing FMeasure       =  80.00\n"));
}

/* ---- failures */

TEST(every_allocation_may_fail)
{
    const char *gold = test_text("gold", "(S (A-1 (B '')) (C (D ')))\n(S (``  \") (N n))\n(S (A a)\n"),
               *test = test_text("test", "(S (A (B '')) (D '))\n(S (POS \") (N n))\n(S (A a)))\n");
    for (int debug = 0; debug <= 2; debug += 2) {
        for (long n = 0; allocation_fails(n); n++) {
            Error *e = test_error();
            bool stopped;
            FREED(fclose_at) FILE *null = fopen("/dev/null", "w");
            assert_non_null(null);
            MADE(EvalbParams, evalb_params_init, evalb_params_fini, p);
            read_params(&p, PARAMS);
            p.debug = debug;
            mem_fail_after(n);
            if (!assert_ok_or_no_memory(evalb_run(&p, gold, test, null, null, &stopped, e)))
                assert_error(e, ERR_NOMEM, "out of memory scoring brackets");
        }
    }
}

TEST(a_write_error_ends_the_run)
{
    const char *gold = test_text("gold", "(S (A a))\n"), *test = test_text("test", "(S (A b))\n");
    for (int full = 0; full < 2; full++) {
        bool stopped;
        FREED(fclose_at) FILE *out = fopen(full ? "/dev/null" : "/dev/full", "w");
        FREED(fclose_at) FILE *err = fopen(full ? "/dev/full" : "/dev/null", "w");
        assert_true(out && err);
        MADE(EvalbParams, evalb_params_init, evalb_params_fini, p);
        assert_fails(evalb_run(&p, gold, test, out, err, &stopped, test_error()), ERR_IO,
                     "cannot write: No space left on device");
    }
}
