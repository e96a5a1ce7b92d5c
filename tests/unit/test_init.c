/* Training that begins with a model (--init) has its weights, to the bit. What it does with
 * treebanks, labels and options: test_init_rules.c. */
#define _POSIX_C_SOURCE 200809L
#include "parser/parse/parse_network.h"
#include "tests/support/further.h"
#include "tests/support/parsing.h"
#include "tests/support/toy_options.h"

/* What a model says of some sentences: the scores of all spans and words. */
typedef struct ModelScores {
    Real *span, *type, *tag, *arc; /* [spans, labels - 1], [words + sentences, types], [tokens, tags], [arcs] */
    long n_span, n_type, n_tag, n_arc;
} ModelScores;

enum { SENTENCES = 5, SPANS = 40 };

static Real *download(Tape *t, const Tensor *x, long *n)
{
    *n = (long)tensor_size(x);
    return tensor_numbers(t, x);
}

static void score(ModelScores *out, const Bench *b, const Model *m)
{
    ParseInput in[SENTENCES];
    Parsed parsed[SENTENCES];
    ParseOptions o = parse_defaults(m);
    int spans[2 * SPANS], n = 0, *head, rows = 0;
    MADE(Worker, worker_init, worker_fini, w, m, device_default());
    for (int k = 0; k < SENTENCES; k++) {
        const Sentence *s = &b->dev.trees.s[k];
        in[k] = parse_input(s);
        for (int j = 0; j < s->n_words && n < SPANS; j++, n++) {
            spans[2 * n] = rows;
            spans[2 * n + 1] = rows + j + 1;
        }
        rows += s->n_words + 1;
    }
    o.record = true;
    o.treebank = vocab_find(&m->treebanks, "toy");
    assert_ok(parse_batch(&w, in, SENTENCES, &o, test_arena(), parsed, test_error()));
    head = arena_calloc(test_arena(), (size_t)rows, sizeof *head);
    int labels = vocab_size(&m->labels) - 1;
    *out = (ModelScores){ .n_span = n * labels, .span = mem_alloc((size_t)(n * labels), sizeof(Real)) };
    assert_int_equal(
        span_scorer_score_list(&w.forward, &parse_network(&m->net)->span, parse_scores(&w.net)->g, spans, n, out->span),
        OK);
    out->type =
        download(&w.tape, arc_scorer_types(&w.forward, &parse_network(&m->net)->arc, &parse_scores(&w.net)->arc, head),
                 &out->n_type);
    out->tag = download(&w.tape, parse_scores(&w.net)->tags, &out->n_tag);
    out->arc = download(&w.tape, parse_scores(&w.net)->arc.arcs, &out->n_arc);
}

static void scores_fini(ModelScores *s) { mem_free(s->span); }

/* Are the columns of the values of x, `inner` numbers for each, among those of y? tolerance 0: to the bit. a and c are
 * [rows, size - first, inner]. */
static void assert_columns(const Real *a, long n, const Vocab *x, const Real *c, long n_more, const Vocab *y, int first,
                           int inner, double tolerance)
{
    long cols = vocab_size(x) - first, wide = vocab_size(y) - first, rows = n / cols / inner;
    assert_true(wide > cols);
    assert_int_equal(rows, n_more / wide / inner);
    for (long r = 0; r < rows; r++)
        for (int k = 0; k < cols; k++) {
            int to = vocab_find(y, vocab_text(x, k + first)) - first;
            assert_true(to >= 0);
            const Real *old = a + (r * cols + k) * inner, *new = c + (r * wide + to) * inner;
            for (int i = 0; i < inner; i++)
                if (!(fabs((double)old[i] - (double)new[i]) <= tolerance))
                    fail_msg("row %ld, %s: %.9g, expected %.9g", r, vocab_text(x, k + first), (double)new[i],
                             (double)old[i]);
        }
}

/* In each of n / (size of y) rows of scores, is that of a value that x does not have the mean of the others'? */
static void assert_new_is_mean(const Real *scores, long n, const Vocab *x, const Vocab *y, int first)
{
    long cols = vocab_size(y) - first;
    for (long r = 0; r < n / cols; r++, scores += cols) {
        double sum = 0;
        for (int k = 0; k < cols; k++) sum += vocab_find(x, vocab_text(y, k + first)) < 0 ? 0 : (double)scores[k];
        for (int k = 0; k < cols; k++)
            if (vocab_find(x, vocab_text(y, k + first)) < 0)
                assert_within((double)scores[k], sum / (vocab_size(x) - first), 1e-5);
    }
}

/* Is the score of each label that x does not have -1, below that of no phrase? Label 0, no phrase, has no column. */
static void assert_new_is_below(const Real *scores, long n, const Vocab *x, const Vocab *y)
{
    int cols = vocab_size(y) - 1;
    for (long i = 0; i < n; i++)
        if (vocab_find(x, vocab_text(y, (int)(i % cols) + 1)) < 0) assert_true(scores[i] == -1);
}

/* The same for the parameter `name` of two models, to the bit. */
static void assert_weights(const Model *x, const Vocab *a, const Model *y, const Vocab *c, const char *name, int first,
                           int inner)
{
    int k = params_find(&x->ps, name), to = params_find(&y->ps, name);
    assert_true(k >= 0 && to >= 0);
    assert_columns(param_values(&x->ps, k), (long)param_count(&x->ps.p[k]), a, param_values(&y->ps, to),
                   (long)param_count(&y->ps.p[to]), c, first, inner, 0);
}

/* Begins y with the values of x, in their order? */
static void assert_first_values(const Vocab *x, const Vocab *y)
{
    for (int k = 0; k < vocab_size(x); k++) assert_string_equal(vocab_text(x, k), vocab_text(y, k));
}

/* Parses of the dev set by the default treebank, as text. */
static char *parses(const Bench *b, const Model *m)
{
    FREED(parser_fini) Parser p;
    StrBuf out = { 0 };
    assert_ok(parser_init(&p, m, device_default(), 2, test_error()));
    parse_all(&p, &b->dev.trees);
    for (int k = 0; k < b->dev.trees.n; k++) {
        const Parsed *r = &p.result[k];
        tree_write(&out, parsed_sentence(r, test_arena()));
        for (int w = 0; w < r->n_words; w++) strbuf_printf(&out, " %d %s", r->heads[w], r->types[w]);
        strbuf_printf(&out, " %.17g\n", r->score);
    }
    return out.ptr;
}

static void assert_same_parses(const Bench *b, const Model *x, const Model *y)
{
    FREED(free_pointer) char *a = parses(b, x), *c = parses(b, y);
    assert_string_equal(a, c);
}

static void write_vectors(Bench *b)
{
    FILE *f = fopen(in(b, "v"), "w");
    assert_non_null(f);
    for (int k = 0; k < 10; k++) fprintf(f, "%s %d %d 1\n", b->train.trees.s[k].words[0], k % 3, k);
    fclose(f);
}

/* On the data that a model was trained on, nothing changes before the first update. */
TEST(without_new_values_the_model_parses_as_before)
{
    static const char *const options[] = { NULL, NULL, "{'gates': {'kind': 'hard_concrete', 'stacks': ['self']}}",
                                           "{'heads': [" TOY_HEAD("self", "[0]", "'next'", "guide") "]}",
                                           "{'pal': {'layers': 'all', 'width': 8, 'heads': 2}}" };
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        FREED(model_fini) Model from, m;
        EncoderOptions o, first;
        Began began;
        MADE(Bench, bench_init, bench_fini, b, 60);
        MADE(Corpus, make_other, corpus_fini, other, "other", 3);
        Corpus both[2] = { b.train, other };
        write_vectors(&b);
        TrainArgs a = toy(&b, in(&b, "a"), NULL, 2);
        a.corpora = both;
        a.n_corpora = k == 1 ? 2 : 1;
        a.treebank = k == 1 ? "toy" : NULL;
        a.vectors = in(&b, "v");
        a.model.use_chars = CHARS_LSTM;
        a.model.use_tags = k == 0;
        a.n_dev = 0;
        if (options[k]) {
            first = toy_options(options[k], &b.train.trees.arena);
            a.options = &first;
        }
        train_and_load(&from, &a);
        TrainArgs again = further(&b, in(&b, "a"), in(&b, "b"), &o);
        again.corpora = both;
        again.n_corpora = a.n_corpora;
        again.observer = (TrainObserver){ take_counts, &began };
        train_and_load(&m, &again);
        const Vocab *x[] = { &from.words,  &from.chars,     &from.tags,       &from.types,
                             &from.labels, &from.treebanks, &from.own_labels, &from.vectors },
                    *y[] = {
                        &m.words, &m.chars, &m.tags, &m.types, &m.labels, &m.treebanks, &m.own_labels, &m.vectors
                    };
        for (int i = 0; i < 8; i++) {
            assert_first_values(x[i], y[i]);
            assert_int_equal(vocab_size(x[i]), vocab_size(y[i]));
        }
        assert_true((vocab_size(&m.own_labels) > 0) == (k == 1));
        assert_int_equal(from.default_treebank, m.default_treebank);
        assert_same_params(&from.ps, &m.ps);
        assert_same_parses(&b, &from, &m);
        assert_int_equal(began.c.init.kind[0].taken + began.c.init.kind[1].taken, m.ps.n);
        for (int i = 0; i < TRAIN_INIT_KINDS; i++)
            assert_int_equal(began.c.init.kind[i].added.n + began.c.init.kind[i].dropped.n, 0);
        assert_true(began.c.init.guides == (k == 3));
        assert_null(began.c.init.treebank);
    }
}

TEST(fewer_layers_are_spread_over_all_that_the_model_has)
{
    static const char *const same[][2] = { { "encoder.attn_0.w_qkv1", "encoder.attn_0.w_qkv1" },
                                           { "encoder.ff_0.w_1c.weight", "encoder.ff_0.w_1c.weight" },
                                           { "encoder.attn_2.w_qkv1", "encoder.attn_1.w_qkv1" },
                                           { "encoder.ff_2.w_1c.weight", "encoder.ff_1.w_1c.weight" },
                                           { "encoder.attn_4.w_qkv1", "encoder.attn_2.w_qkv1" },
                                           { "encoder.attn_5.w_vs1", "encoder.attn_3.w_vs1" } };
    FREED(model_fini) Model from, m;
    EncoderOptions o;
    MADE(Bench, bench_init, bench_fini, b, 20);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.n_dev = 0;
    a.model.n_layers = 5;
    train_and_load(&from, &a);
    TrainArgs again = further(&b, in(&b, "a"), in(&b, "b"), &o);
    again.model.n_layers = 3;
    train_and_load(&m, &again);
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) assert_same_tensor(&from, same[k][0], &m, same[k][1]);
}

/* Labels, tags, types, words, characters and a treebank are added; all that was there keeps its weights to the bit, and
 * so its scores. */
TEST(old_values_keep_their_scores_when_others_are_added)
{
    for (int tags = 0; tags < 2; tags++) {
        EncoderOptions o;
        Began began;
        MADE(Bench, bench_init, bench_fini, b, 60);
        MADE(Corpus, make_other, corpus_fini, other, "other", 3);
        TrainArgs a = toy(&b, in(&b, "a"), NULL, 2);
        a.model.use_chars = CHARS_LSTM;
        a.model.use_tags = tags;
        MADE(Model, train_and_load, model_fini, from, &a);
        TrainArgs more = further(&b, in(&b, "a"), in(&b, "b"), &o);
        more.corpora = &other;
        more.observer = (TrainObserver){ take_counts, &began };
        MADE(Model, train_and_load, model_fini, m, &more);
        assert_first_values(&from.words, &m.words);
        assert_first_values(&from.chars, &m.chars);
        assert_first_values(&from.tags, &m.tags);
        assert_first_values(&from.types, &m.types);
        assert_first_values(&from.labels, &m.labels);
        assert_first_values(&from.treebanks, &m.treebanks);
        assert_true(vocab_find(&m.tags, "ARTICLE") > 0 && vocab_find(&m.types, "article") > 0);
        assert_true(vocab_find(&m.words, "th\xC3\xA9") > 0 && vocab_find(&m.labels, "TITLE") > 0);
        MADE(ModelScores, score, scores_fini, x, &b, &from);
        MADE(ModelScores, score, scores_fini, y, &b, &m);
        assert_weights(&from, &from.labels, &m, &m.labels, "f_label.3.weight", 1, 1);
        assert_weights(&from, &from.labels, &m, &m.labels, "f_label.3.bias", 1, 1);
        assert_weights(&from, &from.types, &m, &m.types, "dep_score.bilinear.U", 0, m.c.d_type);
        assert_weights(&from, &from.types, &m, &m.types, "dep_score.bilinear.W_l", 0, 1);
        assert_weights(&from, &from.types, &m, &m.types, "dep_score.bilinear.W_r", 0, 1);
        assert_weights(&from, &from.types, &m, &m.types, "dep_score.bilinear.bias", 0, 1);
        assert_weights(&from, &from.tags, &m, &m.tags, "f_tag.3.weight", 0, 1);
        assert_weights(&from, &from.tags, &m, &m.tags, "f_tag.3.bias", 0, 1);
        int d = m.ps.p[m.net.embedding.words].cols;
        assert_weights(&from, &from.words, &m, &m.words, m.ps.p[m.net.embedding.words].name, 0, d);
        assert_weights(&from, &from.treebanks, &m, &m.treebanks, "embedding.treebank.weight", 0, d);
        assert_weights(&from, &from.chars, &m, &m.chars, "char_encoder.emb.weight", 0, m.c.d_char);
        /* a product of another width may be rounded in another way */
        assert_columns(x.span, x.n_span, &from.labels, y.span, y.n_span, &m.labels, 1, 1, 1e-6);
        assert_columns(x.type, x.n_type, &from.types, y.type, y.n_type, &m.types, 0, 1, 1e-6);
        assert_columns(x.tag, x.n_tag, &from.tags, y.tag, y.n_tag, &m.tags, 0, 1, 1e-6);
        assert_new_is_below(y.span, y.n_span, &from.labels, &m.labels);
        assert_new_is_mean(y.type, y.n_type, &from.types, &m.types, 0);
        assert_new_is_mean(y.tag, y.n_tag, &from.tags, &m.tags, 0);
        assert_int_equal(x.n_arc, y.n_arc);
        assert_memory_equal(x.arc, y.arc, (size_t)x.n_arc * sizeof(Real));
        /* what a user reads of it */
        static const char *const added[][2] = { { "words", "th\xC3\xA9" }, { "characters", "\xC3\xA9" },
                                                { "tags", "ARTICLE" },     { "treebanks", "other" },
                                                { "labels", "TITLE" },     { "types", "article" } };
        for (size_t k = 0; k < sizeof added / sizeof *added; k++) {
            const TrainInitKind *kind = began.c.init.kind;
            while (strcmp(kind->many, added[k][0]) != 0) kind++;
            bool found = false;
            for (int i = 0; i < kind->added.n && i < TRAIN_INIT_NAMES; i++)
                found = found || strcmp(kind->added.first[i], added[k][1]) == 0;
            if (!found) fail_msg("no new %s %s", kind->one, added[k][1]);
            assert_int_equal(kind->dropped.n, 0);
        }
        assert_non_null(strstr(m.summary, "\"treebanks\": {\"taken\": 1, \"added\": 1, \"first_added\": [\"other\"]}"));
    }
}
