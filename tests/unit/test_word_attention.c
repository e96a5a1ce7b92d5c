/* Attention between words (parser/heads/word_attention.h). */
#include "parser/heads/word_attention.h"
#include "parser/model/model_file.h"
#include "tests/support/check.h"

#define SEEDS "tests/fuzz/seeds/model/"

typedef struct Case {
    Model m;
    Worker w;
    Arena arena;
    WordAttention x;
    HeadWeights *weights;
} Case;

/* Words of several pieces are among them. */
static const char *const WORDS[] = { "a", "dogs" };
enum { N = sizeof WORDS / sizeof *WORDS, TOKENS = N + 2 };

static void case_init(Case *c, const char *file)
{
    bool read = false;
    Error *e = test_error();
    model_init(&c->m);
    arena_init(&c->arena, 1 << 16);
    assert_ok(device_default()->start(1, false, e));
    assert_ok(model_load_any(&c->m, file, NULL, e));
    assert_ok(word_attention_init(&c->x, &c->m, e));
    worker_init(&c->w, &c->m, device_default());
    c->weights = arena_alloc(&c->arena, (size_t)c->x.n, sizeof *c->weights);
    assert_ok(word_attention_read(&c->x, &c->w, WORDS, N, &c->arena, c->weights, &read, e));
    assert_true(read);
}

static void case_fini(Case *c)
{
    worker_fini(&c->w);
    arena_fini(&c->arena);
    model_fini(&c->m);
}

static double weight(const HeadWeights *w, int i, int j) { return (double)w->a[i * w->row + j * w->column]; }

/* The mean over the pieces of token i of the sums over the pieces of token j. */
static double between(const PieceBatch *b, const Real *p, int i, int j)
{
    double sum = 0;
    int n = b->batch.n_tokens, pieces = 0;
    for (int k = 0; k < n; k++) {
        if (b->token[k] != i) continue;
        pieces++;
        for (int l = 0; l < n; l++)
            if (b->token[l] == j) sum += (double)p[k * n + l];
    }
    return sum / pieces;
}

TEST(a_word_attends_as_its_pieces_do)
{
    static const char *const files[] = { SEEDS "bert", SEEDS "xlmr", SEEDS "on-mpnet", SEEDS "xlnet",
                                         SEEDS "on-xlnet" };
    int several = 0; /* encoders for which a word has several pieces */
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        MADE(Case, case_init, case_fini, c, files[f]);
        const PieceBatch *b = &c.w.packed.in.pieces;
        int heads = c.m.pretrained.n_heads;
        assert_int_equal(c.x.pretrained, heads * c.m.pretrained.n_layers);
        several += b->batch.n_tokens > TOKENS;
        for (int h = 0; h < c.x.pretrained; h++) {
            HostMatrix probs = tensor_host(&c.w.tape, c.w.net.pretrained.attention[h / heads].probs, &c.arena);
            for (int i = 0; i < TOKENS; i++)
                for (int j = 0; j < TOKENS; j++)
                    assert_within(weight(&c.weights[h], i, j), between(b, host_row(&probs, h % heads), i, j), 1e-6);
        }
    }
    assert_true(several >= 2);
}

TEST(attention_of_a_token_is_one)
{
    static const char *const files[] = { SEEDS "mpnet", SEEDS "on-bert", SEEDS "small", SEEDS "classes",
                                         SEEDS "detect" };
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        MADE(Case, case_init, case_fini, c, files[f]);
        for (int h = 0; h < c.x.n; h++)
            for (int i = 0; i < TOKENS; i++) {
                double sum = 0;
                for (int j = 0; j < TOKENS; j++) sum += weight(&c.weights[h], i, j);
                assert_within(sum, 1, 1e-5);
            }
    }
}

TEST(heads_have_names)
{
    MADE(Case, case_init, case_fini, c, SEEDS "on-xlnet");
    static const char *const names[] = { "pretrained:1:1", "label:1", "label:2" };
    char name[HEAD_NAME];
    assert_int_equal(c.x.n, 3);
    for (int h = 0; h < 3; h++) {
        word_attention_name(&c.x, h, name);
        assert_string_equal(name, names[h]);
    }
}

TEST(a_text_that_an_encoder_cannot_take_at_once_is_not_read)
{
    static const char *const words[] = { "a", "b", "c", "d", "e", "f" };
    bool read = true;
    MADE(Case, case_init, case_fini, c, SEEDS "bert");
    assert_ok(word_attention_read(&c.x, &c.w, words, 6, &c.arena, c.weights, &read, test_error()));
    assert_false(read);
}
