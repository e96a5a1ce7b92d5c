/* Tokenizers with fewer pieces. */
#include "embeddings/piece_cut.h"

#include "base/file.h"
#include "tests/support/check.h"

typedef struct Folder {
    const char *dir;
    PretrainedKind encoder;
} Folder;

static const Folder FOLDERS[] = {
    { "tests/golden/encoders/bert-tiny", PRETRAINED_BERT },
    { "tests/golden/encoders/mpnet-tiny", PRETRAINED_MPNET },
    { "tests/golden/encoders/xlnet-tiny", PRETRAINED_XLNET },
    { "tests/golden/encoders/xlnet-tiny-bytes", PRETRAINED_XLNET },
    { "tests/golden/encoders/xlmr-tiny", PRETRAINED_BERT },
};
enum { N_FOLDERS = sizeof FOLDERS / sizeof *FOLDERS };

/* A tokenizer, and what is left of it with the pieces of a text. */
typedef struct Cut {
    PieceTokenizer whole, small;
    PieceCut cut;
} Cut;

static void cut_init(Cut *c, const Folder *f, const char *text, int least)
{
    assert_ok(piece_tokenizer_open(&c->whole, f->dir, f->encoder, test_error()));
    assert_ok(piece_cut_choose(&c->whole, view(text), least, &c->cut, test_error()));
    assert_ok(piece_cut_tokenizer(&c->whole, &c->cut, &c->small, test_error()));
}

static void cut_fini(Cut *c)
{
    piece_tokenizer_close(&c->whole);
    piece_tokenizer_close(&c->small);
    piece_cut_fini(&c->cut);
}

static int place_of(const PieceCut *cut, int id)
{
    for (int k = 0; k < cut->n; k++)
        if (cut->kept[k] == id) return k;
    return -1;
}

static void assert_same_text(StrView x, StrView y)
{
    assert_int_equal(x.len, y.len);
    assert_memory_equal(x.ptr, y.ptr, x.len);
}

static const char TEXT[] = "The river rose, and colleagues found children. She didn't embryonic analysis \u6CB3\u4E0A";

TEST(what_is_kept_has_its_text_and_its_part)
{
    for (int f = 0; f < N_FOLDERS; f++) {
        MADE(Cut, cut_init, cut_fini, c, &FOLDERS[f], TEXT, 1);
        assert_true(c.cut.n > 10 && c.cut.n < piece_tokenizer_size(&c.whole));
        assert_int_equal(piece_tokenizer_size(&c.small), c.cut.n);
        for (int k = 0; k < c.cut.n; k++) {
            assert_true(k == 0 || c.cut.kept[k] > c.cut.kept[k - 1]);
            assert_same_text(piece_tokenizer_piece(&c.small, k), piece_tokenizer_piece(&c.whole, c.cut.kept[k]));
        }
        assert_int_equal(c.small.first, place_of(&c.cut, c.whole.first));
        assert_int_equal(c.small.last, place_of(&c.cut, c.whole.last));
        assert_int_equal(c.small.unknown, place_of(&c.cut, c.whole.unknown));
        assert_true(c.small.first >= 0 && c.small.last >= 0 && c.small.unknown >= 0);
        if (c.small.kind != TOKENIZER_WORDPIECE) {
            assert_true(c.small.unigram.unknown_score == c.whole.unigram.unknown_score);
            assert_true(c.small.unigram.max_score == c.whole.unigram.max_score);
        }
        assert_int_equal(c.small.wordpiece.n_added, c.whole.wordpiece.n_added);
    }
}

/* How many of the *n words of a text have pieces that are all kept: then they must have the same in both tokenizers. */
static int same_pieces(const Cut *c, const char *text, int *n)
{
    int same = *n = 0;
    FREED(pieces_fini) Pieces x = { 0 }, y = { 0 };
    for (const char *from = text, *end; *from; from = *end ? end + 1 : end) {
        end = from + strcspn(from, " \n");
        StrView word = { from, (size_t)(end - from) };
        pieces_clear(&x);
        pieces_clear(&y);
        assert_ok(piece_tokenizer_encode_word(&c->whole, word, &x, test_error()));
        assert_ok(piece_tokenizer_encode_word(&c->small, word, &y, test_error()));
        bool all = true;
        for (int k = 0; k < x.n; k++) all = all && place_of(&c->cut, x.p[k].id) >= 0;
        if (all) assert_int_equal(x.n, y.n);
        for (int k = 0; k < x.n && all; k++) assert_int_equal(y.p[k].id, place_of(&c->cut, x.p[k].id));
        for (int k = 0; k < y.n; k++) assert_true(y.p[k].id >= 0 && y.p[k].id < c->cut.n);
        same += all;
        ++*n;
    }
    return same;
}

TEST(a_text_has_the_same_pieces_where_all_of_them_were_kept)
{
    assert_ok(file_read("tests/golden/encoders/README.md", test_out(), test_error()));
    for (int f = 0; f < N_FOLDERS; f++) {
        int n;
        MADE(Cut, cut_init, cut_fini, c, &FOLDERS[f], TEXT, 1);
        int same = same_pieces(&c, TEXT, &n);
        assert_int_equal(same, n);
        same = same_pieces(&c, test_written(), &n);
        assert_true(same > n / 10 && same < n);
    }
}

/* No ideograph continues a word, where each is a word of its own. */
TEST(pieces_that_no_text_has_are_left_out)
{
    static const char vocabulary[] = "[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\n\u6CB3\n##\u6CB3\na\n##a\n##ab\n";
    for (int chinese = 0; chinese < 2; chinese++) {
        char config[100];
        snprintf(config, sizeof config, "{\"tokenize_chinese_chars\": %s}", chinese ? "true" : "false");
        test_text("tokenizer_config.json", config);
        char *dir = test_format("%s", test_text("vocab.txt", vocabulary));
        *strrchr(dir, '/') = '\0';
        MADE(Cut, cut_init, cut_fini, c, &(Folder){ dir, PRETRAINED_BERT }, "b", 1);
        assert_int_equal(c.cut.n, 9 - chinese);
        assert_int_equal(place_of(&c.cut, 6) < 0, chinese);
        assert_true(place_of(&c.cut, 5) >= 0 && place_of(&c.cut, 8) >= 0 && place_of(&c.cut, 9) < 0);
    }
}

/* The words of a parser end before punctuation, which a text has at their ends. */
TEST(parts_of_words_are_words)
{
    const char *texts[] = { "(bridge),", "\u00ABl'\u00E9cole\u00BB" }, *words[] = { "bridge", "\u00E9cole" };
    for (int k = 0; k < 2; k++) {
        int n;
        MADE(Cut, cut_init, cut_fini, c, &FOLDERS[N_FOLDERS - 1], texts[k], 1);
        assert_int_equal(same_pieces(&c, words[k], &n), 1);
        assert_int_equal(same_pieces(&c, texts[k], &n), 1);
    }
}

TEST(single_characters_stay_and_rare_pieces_need_not)
{
    for (int f = 0; f < N_FOLDERS; f++) {
        int single = 0;
        MADE(Cut, cut_init, cut_fini, c, &FOLDERS[f], "the the the bridge bridge", 3);
        MADE(Cut, cut_init, cut_fini, all, &FOLDERS[f], "the the the bridge bridge", 1);
        assert_true(c.cut.n <= all.cut.n);
        for (int id = 0; id < piece_tokenizer_size(&c.whole); id++) {
            StrView piece = piece_tokenizer_piece(&c.whole, id);
            if (piece.len != 1) continue;
            assert_true(place_of(&c.cut, id) >= 0);
            single++;
        }
        assert_true(single > 20);
    }
    MADE(Cut, cut_init, cut_fini, none, &FOLDERS[4], "", 1);
    MADE(Cut, cut_init, cut_fini, some, &FOLDERS[4], "the the", 2);
    assert_true(some.cut.n > none.cut.n);
}

TEST(a_smaller_tokenizer_is_written_and_read)
{
    for (int f = 0; f < N_FOLDERS; f++) {
        MADE(Cut, cut_init, cut_fini, c, &FOLDERS[f], TEXT, 1);
        FREED(piece_tokenizer_close) PieceTokenizer again;
        assert_ok(piece_tokenizer_copy(&c.small, &again, test_error()));
        assert_int_equal(piece_tokenizer_size(&again), c.cut.n);
        assert_int_equal(again.unknown, c.small.unknown);
        for (int k = 0; k < c.cut.n; k++)
            assert_same_text(piece_tokenizer_piece(&again, k), piece_tokenizer_piece(&c.small, k));
    }
}

static Status choose_and_cut(const PieceTokenizer *t, PieceTokenizer *small, Error *e)
{
    FREED(piece_cut_fini) PieceCut cut;
    Status s = piece_cut_choose(t, view("the bridge"), 1, &cut, e);
    return s == OK ? piece_cut_tokenizer(t, &cut, small, e) : s;
}

TEST(every_allocation_of_a_cut_may_fail)
{
    for (int f = 0; f < N_FOLDERS; f += N_FOLDERS - 1) {
        FREED(piece_tokenizer_close) PieceTokenizer t;
        assert_ok(piece_tokenizer_open(&t, FOLDERS[f].dir, FOLDERS[f].encoder, test_error()));
        for (long n = 0; allocation_fails(n); n++) {
            PieceTokenizer small;
            mem_fail_after(n);
            if (assert_ok_or_no_memory(choose_and_cut(&t, &small, test_error()))) piece_tokenizer_close(&small);
        }
    }
}
