/* Words that the network cuts: places, treebanks of characters, raw text. */
#define _POSIX_C_SOURCE 200809L
#include "base/rng.h"
#include "parser/parse/characters.h"
#include "parser/parse/document.h"
#include "parser/parse/places.h"
#include "tests/support/toy.h"

/* ---- places */

/* The largest sum of scores of all sequences of places that are words, or -1e30. */
static double best_sum(const Real *scores, int n, const bool *apart)
{
    double best = -1e30;
    for (int code = 0; code < 1 << 2 * n; code++) {
        double sum = 0;
        bool open = false, good = true;
        for (int c = 0; c < n; c++) {
            int place = code >> 2 * c & 3, begins = place & PLACES_BEGINS;
            good = good && open == !begins && !(apart && apart[c] && !begins);
            open = !(place & PLACES_ENDS);
            sum += (double)scores[c * 6 + place + 1];
        }
        if (good && !open && sum > best) best = sum;
    }
    return best;
}

TEST(places_are_the_best_ones)
{
    enum { MOST = 6, COLS = 6 };
    static const int number[4] = { 1, 2, 3, 4 };
    for (uint64_t trial = 0; trial < 300; trial++) {
        Real scores[MOST * COLS];
        bool apart[MOST];
        const char *tags[MOST];
        int n = 1 + (int)(trial % MOST);
        for (uint32_t k = 0; k < MOST * COLS; k++) scores[k] = (Real)rng_normal(rng_key(5, trial, 0, 0), k);
        for (uint32_t k = 0; k < MOST; k++) apart[k] = rng_bits32(rng_key(5, trial, 1, 0), k) % 4 == 0;
        const bool *limits = trial % 3 ? apart : NULL;
        assert_true(places_choose(number, scores, COLS, n, limits, test_arena(), tags));
        double sum = 0;
        for (int c = 0; c < n; c++)
            for (int k = 0; k < 4; k++)
                if (tags[c] == PLACES_TAG[k]) sum += (double)scores[c * COLS + number[k]];
        assert_float_equal(sum, best_sum(scores, n, limits), 1e-4);
    }
}

/* ---- treebanks of characters */

enum { SENTENCES = 150 };

/* A language of four words, three of which no character ends or begins but one. */
static void make_words(Corpus *c)
{
    static const char *const words[] = { "一", "二三", "四五六", "七AB" };
    StrBuf text = { 0 };
    for (uint64_t s = 0; s < SENTENCES; s++) {
        int n = 2 + (int)(rng_bits32(rng_key(1, s, 0, 0), 0) % 6);
        for (int w = 1; w <= n; w++) {
            const char *word = words[rng_bits32(rng_key(1, s, 0, 0), (uint32_t)w) % 4];
            strbuf_printf(&text, "%d\t%s\t%s\tX\tNN\t_\t%d\tdep\t_\tSpaceAfter=No\n", w, word, word, w - 1);
        }
        strbuf_puts(&text, "\n");
    }
    assert_ok(corpus_load(c, NULL, test_file("words.conllu", text.ptr, text.len), "zh", NULL, test_error()));
    strbuf_fini(&text);
}

TEST(corpus_of_characters)
{
    static const char text[] = "1\t2026年\t_\tX\tNT\t_\t0\troot\t_\t_\n2\t买\t_\tX\tVV\t_\t1\tdep\t_\t_\n"
                               "3\tiPhone15手机\t_\tX\tNN\t_\t1\tdep\t_\t_\n4\tAT&T\t_\tX\tNN\t_\t1\tdep\t_\t_\n\n";
    static const char *const units[] = { "2026", "年", "买", "iPhone15", "手", "机", "AT&T" }, *const tags[] = {
        "<B>", "<E>", "<S>", "<B>", "<M>", "<E>", "<S>"
    };
    FREED(corpus_fini) Corpus words, c;
    assert_ok(corpus_load(&words, NULL, test_file("w.conllu", text, strlen(text)), "zh", NULL, test_error()));
    assert_ok(characters_corpus(&words, &c, test_error()));
    assert_string_equal(c.name, "zh-characters");
    assert_int_equal(c.trees.n, 1);
    assert_int_equal(c.trees.s[0].n_words, 7);
    for (int k = 0; k < 7; k++) {
        assert_string_equal(c.trees.s[0].words[k], units[k]);
        assert_string_equal(c.trees.s[0].tags[k], tags[k]);
    }
}

TEST(a_name_that_is_too_long_has_no_characters)
{
    FREED(model_fini) Model m;
    char name[64];
    model_init(&m);
    memset(name, 'x', sizeof name);
    name[63] = 0;
    assert_true(vocab_count(&m.treebanks, "zh", 2, 1) >= 0 && vocab_count(&m.treebanks, name, 63, 1) >= 0);
    int characters = vocab_count(&m.treebanks, "zh-characters", 13, 1);
    assert_int_equal(characters_of(&m, vocab_find(&m.treebanks, "zh")), characters);
    assert_int_equal(characters_of(&m, vocab_find(&m.treebanks, name)), -1);
}

/* ---- raw text */

static Status take_words(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    StrBuf *out = context;
    (void)e;
    for (int k = from; k < to; k++) {
        const Token *x = document_tokens(d, k);
        for (int i = 0; i < result[k].n_words; i++) {
            assert_string_equal(result[k].words[i], x[i].form);
            assert_string_equal(result[k].tags[i], "NN");
            assert_int_equal(x[i].len, strlen(x[i].form));
            assert_memory_equal(d->block.text.ptr + (x[i].begin - d->block.byte), x[i].form, x[i].len);
            strbuf_printf(out, "%s%s@%zu", i && !x[i].glued ? "_ " : i ? " " : "", x[i].form, x[i].begin_char);
        }
        strbuf_puts(out, "\n");
    }
    return OK;
}

TEST(the_network_cuts_raw_text)
{
    MADE(Bench, bench_init, bench_fini, b, 10);
    Corpus corpora[2];
    make_words(&corpora[0]);
    assert_ok(characters_corpus(&corpora[0], &corpora[1], test_error()));
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.corpora = a.dev = corpora;
    a.n_corpora = 2;
    a.treebank = "zh";
    a.model.language = LANGUAGE_TRAINED;
    a.train.epochs = 12;
    MADE(Model, train_and_load, model_fini, m, &a);
    /* a segmenter that knows characters alone, so that words come from the network */
    trained_text_fini(&m.text);
    assert_ok(
        trained_text_learn(&m.text, corpora[1].trees.s, corpora[1].trees.n, (TrainedTextOptions){ 0 }, test_error()));
    FREED(parser_fini) Parser p;
    assert_ok(parser_init(&p, &m, device_cpu(), 1, test_error()));
    StrBuf out = { 0 };
    const StrView text = text_view("一四五六二三七AB二三\n\n四五 六一");
    const DocumentOptions o = { .raw = { .language = LANGUAGE_TRAINED, .learnt = &m.text } };
    assert_ok(document_parse(&p, text, "text", o, take_words, &out, test_error()));
    assert_string_equal(out.ptr, "一@0 四五六@1 二三@4 七AB@6 二三@9\n四五@13_ 六@16 一@17\n");
    p.o.treebank = 0; /* whose words nothing says */
    strbuf_clear(&out);
    assert_ok(document_parse(&p, text_view("二三"), "text", o, take_words, &out, test_error()));
    assert_string_equal(out.ptr, "二@0 三@1\n");
    strbuf_fini(&out);
    corpus_fini(&corpora[0]);
    corpus_fini(&corpora[1]);
}
