/* Words to numbers: vocabularies, unknown words, affixes, static vectors. */
#define _POSIX_C_SOURCE 200809L
#include "embeddings/word_vectors.h"
#include "parser/parse/parse_pool.h"
#include "tests/support/toy.h"

TEST(words_are_made_unknown_by_their_count)
{
    enum { N = 20000 };
    static const char *text[N];
    PackedBatch packed;
    TOY_MODEL(b, m, 40);
    MADE(Lexicon, lexicon_init, lexicon_fini, l, model_lexicon(&m));
    const char *words[2] = { "the", "WORD-NOBODY-SAW" };
    int count = m.words.counts[vocab_find(&m.words, "the")];
    for (int w = 0; w < N; w++) text[w] = words[w % 2];
    for (int training = 0; training < 2; training++) {
        BatchSentence sentence = { .n = N, .words = text, .unknown_key = training ? 17 : 0 };
        assert_ok(batch_pack(&l, &sentence, 1, 10, test_arena(), &packed, test_error()));
        int unknown = 0;
        for (int w = 0; w < N; w += 2) unknown += packed.in.word[w + 1] == TOKEN_UNKNOWN;
        for (int w = 1; w < N; w += 2) assert_int_equal(packed.in.word[w + 1], TOKEN_UNKNOWN);
        assert_true(fabs(unknown - training * N / 2 * 10.0 / (10 + count)) < 250); /* z / (z + c), five deviations */
    }
}

TEST(words_are_looked_up_as_spelt_then_lower_cased)
{
    TOY_MODEL(b, m, 20);
    MADE(Lexicon, lexicon_init, lexicon_fini, l, model_lexicon(&m));
    int the = vocab_find(&m.words, "the");
    assert_true(the >= N_RESERVED);
    int plain = lexicon_type(&l, "the"), upper = lexicon_type(&l, "The"), none = lexicon_type(&l, "Thee");
    assert_int_equal(l.type[plain].word, the);
    assert_int_equal(l.type[upper].word, the);
    assert_int_equal(l.type[none].word, TOKEN_UNKNOWN);
    assert_int_equal(lexicon_type(&l, "the"), plain);
}

TEST(affixes_see_prefix_suffix_and_shape)
{
    enum { BUCKETS = 100003 };
    /* which of the features (prefixes 2 3 5, suffixes 2 3 4, shape) two words share */
    static const struct {
        const char *a, *b, *same;
    } cases[] = { { "walking", "walked", "110 000 1" },  { "walking", "talking", "000 111 1" },
                  { "Walking", "walking", "111 111 0" }, { "A1-b", "Z7-q", "000 000 1" },
                  { "it", "it", "111 111 1" },           { "\303\251t\303\251s", "\303\251t\303\251", "110 000 0" },
                  { "aaaaa", "aaaaaaa", "111 111 1" } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int a[N_AFFIXES], b[N_AFFIXES];
        char same[16];
        token_features_affixes(cases[k].a, strlen(cases[k].a), BUCKETS, a);
        token_features_affixes(cases[k].b, strlen(cases[k].b), BUCKETS, b);
        snprintf(same, sizeof same, "%d%d%d %d%d%d %d", a[0] == b[0], a[1] == b[1], a[2] == b[2], a[3] == b[3],
                 a[4] == b[4], a[5] == b[5], a[6] == b[6]);
        assert_string_equal(same, cases[k].same);
        for (int i = 0; i < N_AFFIXES; i++) assert_true(a[i] >= 2 && a[i] < BUCKETS);
    }
}

TEST(static_vectors_are_read_looked_up_and_trained_over)
{
    FREED(model_fini) Model m;
    MADE(Bench, bench_init, bench_fini, b, 30);
    static const char text[] =
        "6 3\nparser 1 0 0\ntree 0 2 0\n##s 0 0 -1\nun 1 1 1\n##seen 2 2 2\nparser 9 9 9\n, 0 1 0\n";
    write_bytes(in(&b, "v"), text, sizeof text - 1);
    TrainArgs a = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 1);
    a.vectors = in(&b, "v");
    a.train.epochs = 1;
    train_and_load(&m, &a);
    assert_int_equal(m.c.d_vectors, 3);
    assert_int_equal(vocab_size(&m.vectors), 6);
    Real scale = (Real)sqrt(18 / (1 + 4 + 1 + 3 + 12 + 1.0)); /* the mean square is 1 */
    const Real *v = param_values(&m.ps, m.net.embedding.vectors), want[] = { scale, 0, 0, 0, 2 * scale, 0 };
    assert_close(v, want, 6, 1e-6, 0);
    static const struct {
        const char *word;
        int n, rows[4];
    } cases[] = { { "tree", 1, { 1 } },
                  { "TREE", 1, { 1 } },
                  { "Trees", 2, { 1, 2 } },
                  { "unseen", 2, { 3, 4 } },
                  { "tree,parser", 3, { 1, 5, 0 } },
                  { "treex", 0, { 0 } },
                  { "-tree", 1, { 1 } },
                  { "", 0, { 0 } } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int rows[MAX_PIECES];
        assert_int_equal(word_vectors_pieces(&m.vectors, cases[k].word, strlen(cases[k].word), rows), cases[k].n);
        for (int i = 0; i < cases[k].n; i++) assert_int_equal(rows[i], cases[k].rows[i]);
    }
    model_fini(&m);
    a.vectors = NULL; /* a checkpoint has them */
    a.resume = a.checkpoint;
    a.train.epochs = 2;
    train_and_load(&m, &a);
    assert_close(param_values(&m.ps, m.net.embedding.vectors), want, 6, 1e-6, 0);
    static const Refused bad[] = { { "a 1 2\nb 1\n", ":2:1: found 2 fields, expected a word and 2 numbers" },
                                   { "a 1 2\nb 1 x\n", ":2:5: found 'x', expected a number" },
                                   { "a 1 2\nb 1 nan\n", ":2:5: found 'nan', expected a number" },
                                   { "a\n", ":1:1: found 1 fields, expected a word and 1 to 4096 numbers" },
                                   { "", ":1:1: found no word vector" } };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        FREED(word_vectors_fini) WordVectors wv;
        char message[300];
        MADE(Vocab, vocab_init, vocab_fini, words);
        write_bytes(in(&b, "v"), bad[k].text, strlen(bad[k].text));
        snprintf(message, sizeof message, "%s%s", in(&b, "v"), bad[k].message);
        assert_fails(word_vectors_read(&wv, &words, in(&b, "v"), 0, test_error()), ERR_FORMAT, message);
    }
}

/* Every allocation fails once, with all after it: a word has its whole type or none, also one that is found in lower
 * case alone. */
TEST(a_lexicon_can_be_used_after_a_failed_allocation)
{
    enum { N = 6 };
    static const char *const known[] = { "<", "<>", ">", "cat", "dog", "##s" }, *const text[N] = { "cat",  "CAT",
                                                                                                   "Dog",  "Cats",
                                                                                                   "none", "DOGS" };
    static const int word[N] = { 3, 3, 4, 0, 0, 0 }, n_vectors[N] = { 1, 1, 1, 2, 0, 2 };
    MADE(Vocab, vocab_init, vocab_fini, words);
    for (int k = 0; k < 6; k++) assert_int_equal(vocab_count(&words, known[k], strlen(known[k]), 1), k);
    LexiconSources from = { .words = &words, .chars = &words, .vectors = &words, .affix_buckets = 7 };
    for (long n = 0, failed = 1; failed; n++) {
        failed = 0;
        MADE(Lexicon, lexicon_init, lexicon_fini, l, from);
        mem_fail_after(n);
        for (int k = 0; k < N; k++) failed += lexicon_type(&l, text[k]) < 0;
        mem_fail_after(-1);
        for (int k = 0; k < N; k++) {
            int t = lexicon_type(&l, text[k]);
            assert_true(t >= 0);
            assert_int_equal(l.type[t].word, word[k] ? word[k] : TOKEN_UNKNOWN);
            assert_int_equal(l.type[t].n_chars, (int)strlen(text[k]) + 2);
            assert_int_equal(l.type[t].n_vectors, n_vectors[k]);
            for (int a = 0; a < N_AFFIXES; a++) assert_in_range(l.type[t].affix[a], 0, N_RESERVED + 7 - 1);
        }
    }
}
