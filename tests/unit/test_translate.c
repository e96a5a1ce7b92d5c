/* Pairs of texts, training on them, translation, and models that translate in files. */
#define _POSIX_C_SOURCE 200809L
#include "base/rng.h"
#include "parser/heads/head_report_internal.h"
#include "parser/task/translate/translation_heads.h"
#include "parser/model/prune.h"
#include "parser/model/head_inputs.h"
#include "parser/task/translate/pair_data.h"
#include "parser/task/translate/translate.h"
#include "parser/task/translate/translate_pass.h"
#include "tests/support/toy.h"
#include "tests/support/toy_options.h"

/* ---- a language: each word has one translation, and their order is reversed */

static const char *const WORDS[][2] = { { "red", "rot" }, { "dog", "hund" }, { "sees", "sieht" },
                                        { "we", "wir" },  { "old", "alt" },  { "cat", "katze" } };
enum { WORDS_N = sizeof WORDS / sizeof *WORDS, PAIRS = 40 };

static void add_pair(Treebank *tb, const char *source, const char *target)
{
    Sentence *s = treebank_add(tb);
    const char **text = arena_alloc(&tb->arena, 1, sizeof *text);
    assert_true(s && text);
    *text = arena_strndup(&tb->arena, source, strlen(source));
    *s = (Sentence){ .n_words = 1, .words = text, .line = tb->n };
    s->target = arena_strndup(&tb->arena, target, strlen(target));
}

/* Pairs of one to four words; first each word alone. */
static void pairs_init(Corpus *c, int n, uint64_t seed)
{
    *c = (Corpus){ .name = "toy" };
    treebank_init(&c->trees);
    treebank_init(&c->deps);
    for (int k = 0; k < n; k++) {
        FREED(strbuf_fini) StrBuf source = { 0 };
        FREED(strbuf_fini) StrBuf target = { 0 };
        uint64_t key = rng_key(seed, (uint64_t)k, 0, 0);
        int word[4], length = k < WORDS_N ? 1 : 1 + (int)(4 * rng_uniform(key, 9));
        for (int i = 0; i < length; i++) word[i] = k < WORDS_N ? k : (int)(WORDS_N * rng_uniform(key, (uint64_t)i));
        for (int i = 0; i < length; i++) {
            strbuf_printf(&source, "%s%s", i ? " " : "", WORDS[word[i]][0]);
            strbuf_printf(&target, "%s%s", i ? " " : "", WORDS[word[length - 1 - i]][1]);
        }
        strbuf_puts(&source, "!");
        strbuf_puts(&target, ".");
        add_pair(&c->trees, source.ptr, target.ptr);
    }
}

static void pair_bench(Bench *b)
{
    bench_init(b, 1);
    corpus_fini(&b->train);
    corpus_fini(&b->dev);
    pairs_init(&b->train, PAIRS, 1);
    pairs_init(&b->dev, 12, 2);
}

static TrainArgs pair_args(Bench *b, const char *out, const char *checkpoint, int threads)
{
    TrainArgs a = toy(b, out, checkpoint, threads);
    a.task = &TASK_TRANSLATE;
    a.model.layers = MODEL_LAYERS_PLAIN;
    a.model.partitioned = a.model.use_lal = a.model.use_treebank = false;
    a.model.affix_buckets = 0;
    a.model.decoder_layers = 1;
    a.model.pieces = 60;
    a.model.attention_dropout = a.model.relu_dropout = a.model.residual_dropout = a.model.embedding_dropout = 0.1;
    a.train.unknown = 0;
    a.train.label_smoothing = 0.1;
    a.train.average = 0;
    return a;
}

/* What the checks and the last update of a run have said. */
typedef struct Said {
    double first, last, best; /* nll of the dev pieces */
    double pieces;            /* of the dev set */
    double smoothed, nll;     /* of the training pieces */
    TrainCounts counts;
} Said;

static double figure(const TrainFigure *f, int n, const char *key)
{
    for (int k = 0; k < n; k++)
        if (strcmp(f[k].key, key) == 0) return f[k].value;
    fail_msg("found no figure %s", key);
    return 0;
}

static void note(void *context, const TrainEvent *event)
{
    Said *said = context;
    if (event->kind == TRAIN_STARTED) said->counts = event->started;
    if (event->kind == TRAIN_PROGRESS) {
        said->smoothed = figure(event->progress.loss, event->progress.n_losses, "smoothed");
        said->nll = figure(event->progress.loss, event->progress.n_losses, "nll");
    }
    if (event->kind != TRAIN_CHECKED) return;
    const DevScores *dev = event->checked.dev;
    said->last = figure(dev->figure, dev->n, "nll");
    said->pieces = figure(dev->figure, dev->n, "pieces");
    assert_within(dev->part[0], 100 * exp(-said->last), 1e-9);
    if (said->first == 0) said->first = said->last;
    if (event->checked.best) said->best = said->last;
}

static void train_and_note(Model *m, TrainArgs *a, Said *said)
{
    *said = (Said){ .first = 0 };
    a->observer = (TrainObserver){ note, said };
    train_and_load(m, a);
}

/* A model that knows the language. */
static void learnt(Model *m, Bench *b)
{
    Said said;
    TrainArgs a = pair_args(b, in(b, "a"), NULL, 2);
    a.train.epochs = 150;
    a.train.lr = 0.005;
    a.model.attention_dropout = a.model.relu_dropout = a.model.residual_dropout = a.model.embedding_dropout = 0;
    a.dev = &b->train;
    train_and_note(m, &a, &said);
    assert_int_equal(said.counts.sentences, PAIRS);
    if (!(said.best < 0.2 && said.first > 1)) fail_msg("nll of %.3f became %.3f", said.first, said.best);
}

/* A model after one epoch. */
static void after_one_epoch(Model *m, Bench *b)
{
    Said said;
    TrainArgs a = pair_args(b, in(b, "a"), NULL, 2);
    a.train.epochs = 1;
    train_and_note(m, &a, &said);
}

/* A bench b, and a model m that `train` makes of it. */
#define PAIR_MODEL(b, m, train)             \
    MADE(Bench, pair_bench, bench_fini, b); \
    MADE(Model, train, model_fini, m, &b)

/* ---- translation */

typedef struct Run {
    Translator t;
    Translation *of;
} Run;

static void run_init(Run *r, const Model *m, const StrView *lines, int n, int threads, int batch_tokens, int beam)
{
    TranslateOptions o = TRANSLATE_DEFAULT;
    o.beam = beam;
    o.align = true;
    r->of = mem_calloc((size_t)n + 1, sizeof *r->of);
    assert_ok(translator_init(&r->t, m, device_default(), threads, o, test_error()));
    if (batch_tokens) r->t.batch_tokens = batch_tokens;
    assert_ok(translator_run(&r->t, lines, n, r->of, test_error()));
}

static void run_fini(Run *r)
{
    translator_fini(&r->t);
    mem_free(r->of);
}

static void sources(const Corpus *c, StrView *lines)
{
    for (int k = 0; k < c->trees.n; k++) lines[k] = view(c->trees.s[k].words[0]);
}

static void assert_same_runs(const Run *a, const Run *b, int n)
{
    for (int k = 0; k < n; k++) {
        const Translation *x = &a->of[k], *y = &b->of[k];
        assert_string_equal(x->text, y->text);
        assert_int_equal(x->n, y->n);
        if (x->n) assert_memory_equal(x->piece, y->piece, (size_t)x->n * sizeof *x->piece);
        if (x->n) assert_memory_equal(x->source, y->source, (size_t)x->n * sizeof *x->source);
        assert_within(x->score, y->score, 1e-4);
        assert_within(x->log_p, y->log_p, 1e-4);
    }
}

TEST(a_model_learns_a_language_and_writes_it)
{
    StrView lines[PAIRS];
    PAIR_MODEL(b, m, learnt);
    sources(&b.train, lines);
    for (int beam = 1; beam <= 4; beam += 3) {
        MADE(Run, run_init, run_fini, r, &m, lines, PAIRS, 2, 0, beam);
        for (int k = 0; k < PAIRS; k++) assert_string_equal(r.of[k].text, b.train.trees.s[k].target);
        for (int threads = 1; threads <= 3; threads++)
            for (int tokens = 1; tokens <= 10000; tokens *= 100) {
                MADE(Run, run_init, run_fini, other, &m, lines, PAIRS, threads, tokens, beam);
                assert_same_runs(&r, &other, PAIRS);
            }
    }
}

TEST(a_translation_has_pieces_scores_and_what_they_attend_to)
{
    StrView lines[PAIRS];
    PAIR_MODEL(b, m, after_one_epoch);
    sources(&b.train, lines);
    MADE(Run, run_init, run_fini, r, &m, lines, PAIRS, 2, 0, 3);
    for (int k = 0; k < PAIRS; k++) {
        const Translation *x = &r.of[k];
        Sentence source;
        assert_ok(pair_data_pieces(&m, lines[k], test_arena(), &source, test_error()));
        assert_true(x->n >= 1 && x->n <= 2 * source.n_words + 10 && !x->cut);
        assert_true(x->piece[x->n - 1] == TOKEN_STOP || x->n == 2 * source.n_words + 10);
        assert_within(x->score, x->log_p / pow((5 + x->n) / 6.0, 0.6), 1e-9);
        for (int i = 0; i < x->n; i++) {
            assert_in_range(x->piece[i], TOKEN_STOP, vocab_size(&m.words) - 1);
            assert_in_range(x->source[i], 0, source.n_words + 1);
        }
    }
}

/* By plain loops over the weights of a pass over one text. */
TEST(a_piece_attends_most_to_the_key_with_the_largest_mean_weight)
{
    PAIR_MODEL(b, m, after_one_epoch);
    MADE(Worker, worker_init, worker_fini, w, &m, device_default());
    const StrView lines[] = { view("red dog sees!"), view("we!") };
    MADE(Run, run_init, run_fini, r, &m, lines, 2, 1, 0, 3);
    for (int k = 0; k < 2; k++) {
        const Translation *x = &r.of[k];
        Sentence source;
        TranslatePass pass;
        worker_begin(&w, true, false, 0);
        int n = x->piece[x->n - 1] == TOKEN_STOP ? x->n - 1 : x->n, *labels = arena_alloc(&w.scratch, (size_t)n + 1, 4);
        labels[0] = n;
        memcpy(labels + 1, x->piece, (size_t)n * sizeof *labels);
        assert_ok(pair_data_pieces(&m, lines[k], &w.scratch, &source, test_error()));
        const BatchSentence sentence = { .n = source.n_words, .words = source.words };
        assert_ok(worker_pack(&w, &sentence, NULL, 1, 0, test_error()));
        assert_ok(worker_forward(&w, NULL, test_error()));
        const int *all = labels;
        assert_true(translate_pass(&w.forward, &m.net, &w.net, &all, NULL, &pass));
        HostMatrix p = tensor_host(&w.tape, pass.decoder.cross[0].probs, &w.scratch);
        int keys = source.n_words + 2;
        for (int i = 0; i < x->n; i++)
            for (int j = 0; j < keys; j++) {
                double more = 0; /* of the weights of key j than of the key that was found */
                for (int h = 0; h < p.rows; h++)
                    more += (double)host_row(&p, h)[i * keys + j] - (double)host_row(&p, h)[i * keys + x->source[i]];
                assert_true(more <= 1e-6);
            }
    }
}

TEST(lines_without_words_are_empty_translations)
{
    const StrView lines[] = { view(""),         view("red dog!"), view(" \t\u00a0"),
                              view("\xff\xfe"), view("we!"),      { "a\0b", 3 } };
    enum { LINES = 6 };
    PAIR_MODEL(b, m, after_one_epoch);
    MADE(Run, run_init, run_fini, r, &m, lines, LINES, 2, 0, 2);
    for (int k = 0; k < LINES; k++) {
        bool empty = k == 0 || k == 2;
        assert_int_equal(r.of[k].n == 0, empty);
        if (empty) assert_string_equal(r.of[k].text, "");
        assert_non_null(r.of[k].text);
        MADE(Run, run_init, run_fini, alone, &m, lines + k, 1, 1, 0, 2);
        assert_string_equal(alone.of[0].text, r.of[k].text);
    }
    assert_ok(translator_run(&r.t, lines, 0, r.of, test_error())); /* nothing */
    assert_ok(translator_run(&r.t, lines, 1, r.of, test_error())); /* nothing to translate */
}

/* "dog" is one piece. */
TEST(the_first_pieces_of_a_long_text_are_read)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    PAIR_MODEL(b, m, learnt);
    for (int k = 0; k < TRANSLATE_MOST_PIECES + 1; k++) strbuf_puts(&text, "dog ");
    const StrView lines[] = { { text.ptr, 4 * TRANSLATE_MOST_PIECES },
                              { text.ptr, 4 * TRANSLATE_MOST_PIECES + 4 },
                              { text.ptr, 4 } };
    MADE(Run, run_init, run_fini, r, &m, lines, 3, 1, 0, 1);
    assert_true(!r.of[0].cut && r.of[1].cut && !r.of[2].cut);
    assert_string_equal(r.of[0].text, r.of[1].text);
    for (int k = 0; k < 3; k++) assert_in_range(r.of[k].n, 1, 2 * TRANSLATE_MOST_PIECES + 10);
}

TEST(weights_that_overflow_are_named)
{
    PAIR_MODEL(b, m, after_one_epoch);
    const StrView line = view("red!");
    Translation of;
    FREED(translator_fini) Translator t;
    param_values(&m.ps, params_find(&m.ps, "decoder.ff_0.w_2.bias"))[0] = (Real)INFINITY;
    assert_ok(params_upload(&m.ps, device_default(), test_error()));
    assert_ok(translator_init(&t, &m, device_default(), 2, TRANSLATE_DEFAULT, test_error()));
    assert_fails_with(translator_run(&t, &line, 1, &of, test_error()), ERR_NUMERIC,
                      "/a: found scores of pieces that are not finite or too large: the model's weights are too large");
}

TEST(running_out_of_memory_while_translating_is_reported)
{
    const StrView lines[] = { view("red dog sees!"), view("we!") };
    PAIR_MODEL(b, m, after_one_epoch);
    TranslateOptions o = TRANSLATE_DEFAULT;
    o.align = true;
    for (long n = 0; allocation_fails(n); n += 1 + n / 10) {
        FREED(translator_fini) Translator t;
        Translation of[2];
        mem_fail_after(n);
        Status s = translator_init(&t, &m, device_cpu(), 1, o, test_error());
        if (s == OK) s = translator_run(&t, lines, 2, of, test_error());
        assert_ok_or_no_memory(s);
    }
}

/* ---- measures of heads */

/* A model, its report on one pair, and the pass over it again. */
typedef struct Measured {
    Bench b;
    Model m;
    Corpus c;
    const Sentence *pair;
    HeadReport r;
    Worker w;
    Sentence source;
    const int *labels;
    TranslatePass pass;
} Measured;

static void pass_again(Measured *x)
{
    worker_begin(&x->w, true, false, 0);
    assert_ok(pair_data_pack(&x->w, x->pair, &x->source, &x->labels, test_error()));
    assert_ok(worker_forward(&x->w, NULL, test_error()));
    assert_true(translate_pass(&x->w.forward, &x->w.m->net, &x->w.net, &x->labels, NULL, &x->pass));
}

static void measure_init(Measured *x)
{
    const SourceWords *source[1];
    *x = (Measured){ .c = { .name = "one" } };
    pair_bench(&x->b);
    after_one_epoch(&x->m, &x->b);
    Corpus *c = &x->c;
    const Model *m = &x->m;
    treebank_init(&c->trees);
    add_pair(&c->trees, "red dog sees we old", "alt wir sieht hund rot.");
    x->pair = &c->trees.s[0];
    worker_init(&x->w, m, device_default());
    assert_ok(head_report_init(&x->r, m, NULL, NULL, 0, true, test_error()));
    x->r.masked_most = 1;
    assert_ok(translation_heads_sources(&x->r, &c->trees, 1, NULL, NULL, NULL, test_arena(), source, test_error()));
    assert_int_equal(source[0]->words->n_words, 5);
    assert_ok(translation_heads_add(&x->r, &x->w, x->pair, source[0], 120, test_error()));
    assert_ok(head_report_finish(&x->r, test_error()));
    pass_again(x);
}

static void measure_fini(Measured *x)
{
    head_report_fini(&x->r);
    worker_fini(&x->w);
    corpus_fini(&x->c);
    model_fini(&x->m);
    bench_fini(&x->b);
}

static const SelfAttentionTrace *trace_of(const Measured *x, int stack, int l)
{
    return stack == 0   ? &x->w.net.encoder.attention[l]
           : stack == 1 ? &x->pass.decoder.self[l]
                        : &x->pass.decoder.cross[l];
}

/* Row 0 of the decoder predicts the first piece, with no piece before it: it counts for `cross` alone. */
TEST(confidence_and_offsets_of_three_stacks_are_those_of_plain_loops)
{
    MADE(Measured, measure_init, measure_fini, x);
    const int source = x.source.n_words, target = x.labels[0];
    assert_int_equal(x.r.n_stacks, 3);
    for (int stack = 0; stack < 3; stack++) {
        const HeadFunctions *f = &x.r.functions[stack];
        const int keys = stack == 1 ? target + 1 : source + 2, queries = stack == 0 ? source : target;
        for (int l = 0, h = 0; l < x.r.stack_layer[stack + 1] - x.r.stack_layer[stack]; l++) {
            HostMatrix p = tensor_host(&x.w.tape, trace_of(&x, stack, l)->probs, &x.w.scratch);
            for (int row = 0; row < p.rows; row++, h++) {
                double confidence = 0;
                long at[3] = { 0 };
                for (int i = stack == 2 ? 0 : 1; i <= queries; i++) {
                    const Real *a = host_row(&p, row) + (ptrdiff_t)i * keys;
                    int best = 1, last = stack == 1 ? i : source, own = stack == 2 ? i + 1 : i;
                    for (int j = 2; j <= last; j++) best = a[j] > a[best] ? j : best;
                    confidence += (double)a[best];
                    for (int k = 0; k < 3; k++) at[k] += best == own + HEAD_OFFSET[k];
                    if (stack == 1 && i < target) assert_true(a[i + 1] == 0);
                }
                assert_within(f->confidence[h], confidence, 1e-5);
                for (int k = 0; k < 3; k++) assert_int_equal(f->positional[k][h], at[k]);
            }
        }
        assert_int_equal(f->queries, stack == 2 ? target + 1 : queries);
    }
    assert_int_equal(x.r.gr[0].sentences, 1);
}

/* The sum of the largest scores, as tests/golden/seed_translation.c has it. */
static Tensor *explained_score(Measured *x)
{
    size_t n = (size_t)x->pass.scores->rows;
    int *row = arena_alloc(&x->w.scratch, n, sizeof *row), *best = arena_calloc(&x->w.scratch, n, sizeof *best);
    Real *one = arena_alloc(&x->w.scratch, n, sizeof *one);
    HostMatrix host = tensor_host(&x->w.tape, x->pass.scores, &x->w.scratch);
    for (int r = 0; r < (int)n; r++) {
        row[r] = r;
        one[r] = 1;
        for (int k = 0; k < host.cols; k++)
            if (host_row(&host, r)[k] > host_row(&host, r)[best[r]]) best[r] = k;
    }
    return op_pick(&x->w.tape, x->pass.scores, row, best, one, (int)n, 0);
}

TEST(relevance_of_a_translation_is_context_times_coefficient)
{
    MADE(Measured, measure_init, measure_fini, x);
    const HeadReport *r = &x.r;
    Tensor *score = explained_score(&x), *keep[REPORT_LAYERS];
    double sum = fabs(tape_number(&x.w.tape, score));
    for (int stack = 0, l = 0; stack < 3; stack++)
        for (int k = 0; l < r->stack_layer[stack + 1]; k++, l++) keep[l] = trace_of(&x, stack, k)->context;
    assert_int_equal(tape_relevance(&x.w.tape, score, keep, r->n_layers, NULL), OK);
    for (int l = 0; l < r->n_layers; l++) {
        const int heads = r->first[l + 1] - r->first[l], width = keep[l]->cols / heads;
        HostMatrix v = tensor_host(&x.w.tape, keep[l], &x.w.scratch),
                   g = tensor_host_grad(&x.w.tape, keep[l], &x.w.scratch);
        double part[8] = { 0 }, all = 0, shares = 0;
        for (int t = 0; t < v.rows; t++)
            for (int k = 0; k < v.cols; k++) part[k / width] += (double)host_row(&v, t)[k] * (double)host_row(&g, t)[k];
        for (int h = 0; h < heads; h++) all += fabs(part[h]);
        for (int h = 0; h < heads; h++) {
            assert_within(r->part[0][r->first[l] + h], part[h] / sum, 1e-4);
            assert_within(r->share[0][r->first[l] + h], fabs(part[h]) / all, 1e-4);
            shares += r->share[0][r->first[l] + h];
        }
        assert_within(shares, 1, 1e-6);
    }
    assert_true(r->worst < 1e-4 && r->explained[0] == 1 && r->explained[1] == 0);
}

/* -log p of the translation. */
static double nll_of(Measured *x)
{
    Tensor *nll = NULL;
    pass_again(x);
    Tensor *loss = translate_loss(&x->w.forward, &x->pass, 0, &nll);
    return tape_number(&x->w.tape, loss);
}

/* Without its output weights a head is gone; and its output weights w have the sum of w dL/dw that its output has of
 * o dL/do. */
TEST(importance_of_a_head_is_what_its_output_weights_say)
{
    MADE(Measured, measure_init, measure_fini, x);
    const HeadReport *r = &x.r;
    const Network *net = &x.m.net;
    const double whole = nll_of(&x);
    assert_within(r->masked_loss, whole, 1e-4);
    for (int l = 0; l < r->n_layers; l++) {
        const int layers = net->encoder.c.n_layers, decoder = network_decoder(net)->c.n_layers,
                  at = (l - layers) % decoder;
        const int stack = l < layers ? -1 : l < layers + decoder ? DECODER_SELF : DECODER_CROSS;
        for (int h = 0; h < r->first[l + 1] - r->first[l]; h++) {
            HeadSlice slice[HEAD_SLICES];
            Real kept[4096];
            double sum = 0, squares = 0;
            int n = stack < 0 ? head_slices(&net->encoder, l, h, slice)
                              : head_slices_decoder(network_decoder(net), (DecoderStack)stack, at, h, slice);
            const HeadSlice *out = &slice[n - 1];
            const Param *p = &x.m.ps.p[out->param];
            const size_t size = (size_t)out->rows * (size_t)p->cols;
            Real *values = param_values(&x.m.ps, out->param);
            assert_true(n == 4 && size <= 4096 && out->cols == p->cols);
            head_slice_products(values, r->grads + p->offset, p->cols, out, &sum, &squares);
            assert_within(fabs(sum), r->gate[r->first[l] + h], 1e-4);
            Real *own = values + (ptrdiff_t)out->row * p->cols;
            memcpy(kept, own, size * sizeof *own);
            memset(own, 0, size * sizeof *own);
            assert_ok(params_upload(&x.m.ps, device_default(), test_error()));
            assert_within(r->masked[r->first[l] + h], nll_of(&x) - whole, 1e-4);
            memcpy(own, kept, size * sizeof *own);
        }
    }
    assert_ok(params_upload(&x.m.ps, device_default(), test_error()));
}

/* The columns and rows of all heads of a decoder's layer are its weights, each once. */
TEST(slices_of_the_heads_of_a_decoder_are_its_weights)
{
    PAIR_MODEL(b, m, after_one_epoch);
    const Decoder *dec = network_decoder(&m.net);
    for (int stack = 0; stack < DECODER_STACKS; stack++) {
        int *seen = arena_calloc(test_arena(), m.ps.trained, sizeof *seen), all = 0, found = 0;
        for (int h = 0; h < decoder_heads(dec, (DecoderStack)stack, 0); h++) {
            HeadSlice slice[HEAD_SLICES];
            int n = head_slices_decoder(dec, (DecoderStack)stack, 0, h, slice);
            for (int k = 0; k < n; k++) {
                const Param *p = &m.ps.p[slice[k].param];
                if (h == 0 && (k == 0 || slice[k].param != slice[k - 1].param)) all += p->rows * p->cols;
                for (int i = 0; i < slice[k].rows; i++)
                    for (int j = 0; j < slice[k].cols; j++)
                        found += !seen[p->offset + (size_t)((slice[k].row + i) * p->cols + slice[k].col + j)]++;
            }
        }
        assert_int_equal(found, all);
    }
}

TEST(parses_that_do_not_fit_a_source_are_named)
{
    Corpus c = { .name = "one" }, deps = { .name = "deps" };
    const SourceWords *source[1];
    PAIR_MODEL(b, m, after_one_epoch);
    MADE(Arena, arena_init, arena_fini, a, 4096);
    FREED(head_report_fini) HeadReport r;
    treebank_init(&c.trees);
    treebank_init(&deps.trees);
    add_pair(&c.trees, "red dogs see!", "rot.");
    assert_ok(head_report_init(&r, &m, NULL, NULL, 0, false, test_error()));
    assert_fails_with(
        translation_heads_sources(&r, &c.trees, 1, &deps.trees, "d.conllx", NULL, &a, source, test_error()), ERR_FORMAT,
        "d.conllx:1:1: found 0 sentences, expected 1, one for each pair of texts");
    Sentence *x = treebank_add(&deps.trees);
    const char *words[] = { "red", "dogs", "seen" };
    *x = (Sentence){ .n_words = 3, .words = words, .line = 7 };
    assert_fails_with(
        translation_heads_sources(&r, &c.trees, 1, &deps.trees, "d.conllx", NULL, &a, source, test_error()), ERR_FORMAT,
        "d.conllx:7:1: found the word 'seen', expected the words of 'see!'");
    words[2] = "see";
    assert_fails_with(
        translation_heads_sources(&r, &c.trees, 1, &deps.trees, "d.conllx", NULL, &a, source, test_error()), ERR_FORMAT,
        "d.conllx:7:1: found the end, expected the words of '!'");
    words[2] = "see!";
    assert_ok(translation_heads_sources(&r, &c.trees, 1, &deps.trees, "d.conllx", NULL, &a, source, test_error()));
    assert_ptr_equal(source[0]->words, x);
    assert_int_equal(source[0]->token[1], 1); /* "red" */
    corpus_fini(&c);
    corpus_fini(&deps);
}

TEST(running_out_of_memory_while_measuring_heads_is_reported)
{
    Corpus c = { .name = "one" };
    PAIR_MODEL(b, m, after_one_epoch);
    treebank_init(&c.trees);
    add_pair(&c.trees, "red dog!", "hund rot.");
    for (long n = 0; allocation_fails(n); n += 1 + n / 10) {
        FREED(head_report_fini) HeadReport r;
        const SourceWords *source[1];
        MADE(TrainingCounts, training_counts_init, training_counts_fini, counts);
        MADE(Worker, worker_init, worker_fini, w, &m, device_cpu());
        MADE(Arena, arena_init, arena_fini, a, 4096);
        mem_fail_after(n);
        Status s = TRANSLATION_HEADS.count(&counts, &m, &c.trees.s[0], test_error());
        Status i = head_report_init(&r, &m, &counts, NULL, 0, true, test_error());
        if (s == OK) s = i;
        r.masked_most = 1;
        if (s == OK) s = translation_heads_sources(&r, &c.trees, 1, NULL, NULL, NULL, &a, source, test_error());
        if (s == OK) s = translation_heads_add(&r, &w, &c.trees.s[0], source[0], 120, test_error());
        if (assert_ok_or_no_memory(s)) assert_true(r.sentences == 1 && r.losses == 1 && r.n_masked == 1);
    }
    corpus_fini(&c);
}

/* ---- training */

/* Sums -log p over the pieces of all translations, one text at a time, and counts them. Pairs with more than `most`
 * pieces on a side are left out. */
static double plain_nll(const Model *m, const Treebank *tb, int most, long *pieces)
{
    double sum = 0;
    MADE(Worker, worker_init, worker_fini, w, m, device_default());
    for (int k = 0; k < tb->n; k++) {
        Sentence source;
        TranslatePass pass;
        const int *labels;
        worker_begin(&w, false, false, 0);
        assert_ok(pair_data_pieces(m, view(tb->s[k].words[0]), &w.scratch, &source, test_error()));
        assert_ok(pair_data_labels(m, view(tb->s[k].target), &w.scratch, &labels, test_error()));
        if (source.n_words > most || labels[0] > most) continue;
        const BatchSentence sentence = { .n = source.n_words, .words = source.words };
        assert_ok(worker_pack(&w, &sentence, NULL, 1, 0, test_error()));
        assert_ok(worker_forward(&w, NULL, test_error()));
        assert_true(translate_pass(&w.forward, &m->net, &w.net, &labels, NULL, &pass));
        HostMatrix score = tensor_host(&w.tape, pass.scores, &w.scratch);
        for (int t = 0; t <= labels[0]; t++, ++*pieces) {
            double all = 0;
            for (int p = 0; p < score.cols; p++) all += exp((double)host_row(&score, t)[p]);
            sum += log(all) - (double)host_row(&score, t)[t < labels[0] ? labels[t + 1] : TOKEN_STOP];
        }
    }
    return sum;
}

TEST(dev_is_scored_by_the_loss_of_a_piece)
{
    FREED(model_fini) Model m;
    Said said;
    MADE(Bench, pair_bench, bench_fini, b);
    TrainArgs a = pair_args(&b, in(&b, "a"), NULL, 3);
    a.train.epochs = 3;
    a.train.max_train_words = 9;
    a.train.subbatch_tokens = 25;
    add_pair(&b.dev.trees, "red red red red red red red red red red red!", "rot.");
    add_pair(&b.dev.trees, "red!", "rot rot rot rot rot rot rot rot rot rot rot.");
    add_pair(&b.dev.trees, "zebra!", "zebra."); /* unknown characters */
    train_and_note(&m, &a, &said);
    long pieces = 0;
    double sum = plain_nll(&m, &b.dev.trees, 9, &pieces);
    assert_int_equal((long)said.pieces, pieces);
    assert_within(said.best, sum / (double)pieces, 1e-5);
    assert_true(said.last < said.first); /* the loss falls */
}

/* Without dropout, while weights stay as they are, training reports the losses of the model itself. */
TEST(losses_of_training_are_means_over_the_pieces_that_are_written)
{
    FREED(model_fini) Model m;
    Said said;
    MADE(Bench, pair_bench, bench_fini, b);
    TrainArgs a = pair_args(&b, in(&b, "a"), NULL, 2);
    a.train.lr = 0;
    a.train.epochs = 1;
    a.train.max_train_words = 5; /* texts of four words have no place */
    a.model.attention_dropout = a.model.relu_dropout = a.model.residual_dropout = a.model.embedding_dropout = 0;
    train_and_note(&m, &a, &said);
    long pieces = 0;
    double sum = plain_nll(&m, &b.train.trees, 5, &pieces);
    assert_true(said.counts.skipped >= 0 && said.counts.sentences <= PAIRS);
    assert_within(said.nll, sum / (double)pieces, 1e-5);
    assert_true(fabs(said.smoothed - said.nll) > 1e-3);
}

/* "dog dog dog" in training: other columns of each token are 0. */
TEST(tokens_of_a_text_have_dropout_of_their_own)
{
    Sentence source;
    PAIR_MODEL(b, m, after_one_epoch);
    MADE(Worker, worker_init, worker_fini, w, &m, device_default());
    worker_begin(&w, true, true, 5);
    assert_ok(pair_data_pieces(&m, view("dog dog dog"), &w.scratch, &source, test_error()));
    const BatchSentence sentence = { .n = source.n_words, .words = source.words };
    assert_ok(worker_pack(&w, &sentence, NULL, 1, 0, test_error()));
    assert_ok(worker_forward(&w, NULL, test_error()));
    HostMatrix x = tensor_host(&w.tape, w.net.embedding, &w.scratch);
    int dropped = 0, alone = 0;
    for (int k = 0; k < x.cols; k++) {
        int zeros = 0;
        for (int r = 0; r < x.rows; r++) zeros += host_row(&x, r)[k] == 0;
        dropped += zeros;
        alone += zeros == 1;
    }
    assert_true(dropped > 0 && alone > 0);
}

TEST(any_number_of_threads_and_a_stop_give_the_same_bits)
{
    MADE(Bench, pair_bench, bench_fini, b);
    TrainArgs a = pair_args(&b, in(&b, "a"), in(&b, "a.ckpt"), 1);
    a.train.epochs = 5;
    a.train.average = 0.9;
    a.train.subbatch_tokens = 40;
    assert_resumes_bit_equal(&b, a);
}

/* Its pieces and weights; pieces are not learnt again. */
TEST(training_can_begin_with_a_model_that_translates)
{
    EncoderOptions o;
    PAIR_MODEL(b, m, after_one_epoch);
    TrainArgs a = pair_args(&b, in(&b, "b"), NULL, 2);
    add_pair(&b.train.trees, "zebra zebra zebra", "zebra zebra zebra");
    options_defaults(CONFIG_MODEL_OPTIONS, &a.model);
    a.init = in(&b, "a");
    assert_ok(trainer_init_options(a.init, &a.model, &o, NULL, test_arena(), test_error()));
    assert_int_equal(a.model.layers, MODEL_LAYERS_PLAIN);
    a.n_dev = 0;
    a.train.lr = 0;
    a.train.epochs = 1;
    train_ok(&a);
    assert_same_weights(in(&b, "a"), in(&b, "b"), &TASK_TRANSLATE);
    FREED(model_fini) Model again;
    load_task_ok(&again, a.out, &TASK_TRANSLATE);
    assert_int_equal(vocab_size(&again.words), vocab_size(&m.words));
    for (int k = 0; k < vocab_size(&m.words); k++)
        assert_string_equal(vocab_text(&again.words, k), vocab_text(&m.words, k));
}

TEST(training_refuses_what_it_cannot_use)
{
    MADE(Bench, pair_bench, bench_fini, b);
    TrainArgs a = pair_args(&b, in(&b, "a"), NULL, 1);
    a.train.max_train_words = 1;
    assert_fails_with(trainer_run(&a, test_error()), ERR_FORMAT, "no training pair of at most 1 pieces on each side");
    a = pair_args(&b, in(&b, "a"), NULL, 1);
    a.model.layers = MODEL_LAYERS_LAL;
    assert_fails(trainer_run(&a, test_error()), ERR_CONFIG,
                 "layers: found lal, expected plain, which models that translate have");
    a = pair_args(&b, in(&b, "a"), NULL, 1);
    a.model.fold = true;
    assert_fails(trainer_run(&a, test_error()), ERR_CONFIG,
                 "fold: found a model that translates, expected one whose text is words");
    a = pair_args(&b, in(&b, "a"), NULL, 1);
    a.train.vary_final = 0.5;
    assert_fails(trainer_run(&a, test_error()), ERR_USAGE,
                 "--vary-final: found --task translate, expected a task on words");
    a = pair_args(&b, in(&b, "a"), NULL, 1);
    a.train.lr = 1e300;
    assert_int_equal(trainer_run(&a, test_error()), ERR_NUMERIC);
}

/* ---- model files */

TEST(models_in_a_few_bits_translate)
{
    StrView lines[PAIRS];
    PAIR_MODEL(b, m, learnt);
    assert_int_equal(model_format(&m), 3);
    sources(&b.train, lines);
    MADE(Run, run_init, run_fini, r, &m, lines, PAIRS, 2, 0, 4);
    static const DType types[] = { DT_F32, DT_F16, DT_I8 };
    for (int k = 0; k < 3; k++) {
        FREED(model_fini) Model again;
        int same = 0;
        assert_ok(model_save(&m, in(&b, "b"), types[k], NULL, 0, NULL, test_error()));
        load_task_ok(&again, in(&b, "b"), &TASK_TRANSLATE);
        MADE(Run, run_init, run_fini, other, &again, lines, PAIRS, 2, 0, 4);
        for (int i = 0; i < PAIRS; i++) same += strcmp(r.of[i].text, other.of[i].text) == 0;
        if (same < (k < 2 ? PAIRS : PAIRS - 4)) fail_msg("type %d: %d of %d are the same", types[k], same, PAIRS);
    }
}

/* As many words as pieces, so that the weights fit. */
TEST(a_file_whose_words_are_no_subwords_is_refused)
{
    PAIR_MODEL(b, m, after_one_epoch);
    MADE(Vocab, vocab_init, vocab_fini, words);
    int n = vocab_size(&m.words);
    for (int k = 0; k < n; k++) {
        const char *text = vocab_text(&m.words, k < N_RESERVED ? k : n - 1 - (k - N_RESERVED));
        vocab_count(&words, text, strlen(text), 1);
    }
    Vocab own = m.words;
    m.words = words;
    Status s = model_save(&m, in(&b, "b"), DT_F32, NULL, 0, NULL, test_error());
    m.words = own;
    assert_ok(s);
    MADE(Model, model_init, model_fini, other);
    other.task = &TASK_TRANSLATE;
    assert_fails_with(model_load(&other, in(&b, "b"), NULL, test_error()), ERR_FORMAT,
                      "/b: vocabulary vocab.words: 4: found '");
}

/* ---- data */

static Status load(const char *source, size_t n, const char *target, Corpus *c, Error *e)
{
    return pair_data_load(c, test_file("T.en", source, n), test_text("T.de", target), e);
}

/* "source|target@line " of each pair. */
static void assert_pairs(const char *source, const char *target, const char *expected)
{
    FREED(corpus_fini) Corpus c;
    FREED(strbuf_fini) StrBuf text = { 0 };
    assert_ok(load(source, strlen(source), target, &c, test_error()));
    assert_string_equal(c.name, "T.en");
    assert_string_equal(c.path, test_path("T.en"));
    assert_string_equal(c.deps_path, test_path("T.de"));
    for (int k = 0; k < c.trees.n; k++) {
        assert_int_equal(c.trees.s[k].n_words, 1);
        strbuf_printf(&text, "%s|%s@%ld ", c.trees.s[k].words[0], c.trees.s[k].target, c.trees.s[k].line);
    }
    assert_string_equal(text.ptr, expected);
}

TEST(lines_of_two_files_are_pairs)
{
    assert_pairs("A dog.\nTwo  cats\n", "Ein Hund.\nZwei  Katzen\n", "A dog.|Ein Hund.@1 Two  cats|Zwei  Katzen@2 ");
    assert_pairs("a\nb", "x\ny\n", "a|x@1 b|y@2 ");                   /* no line feed at the end */
    assert_pairs(" \t a b\u00a0\n", "\u3000x \n", "a b|x@1 ");        /* blanks at both ends */
    assert_pairs("a\r\nb\r\n", "x\ny\n", "a|x@1 b|y@2 ");             /* lines of other systems */
    assert_pairs("a\n\nb\nc\n \n", "x\ny\n \nz\n\n", "a|x@1 c|z@4 "); /* a side is empty */
    assert_pairs("\u00c4\n", "\U0001f415\n", "\u00c4|\U0001f415@1 ");
}

static void assert_refused(const char *source, size_t n, const char *target, const char *message)
{
    FREED(corpus_fini) Corpus c;
    FREED(strbuf_fini) StrBuf want = { 0 };
    for (; *message; message++) /* ~ is the folder */
        if (*message == '~') strbuf_printf(&want, "%s/", test_folder());
        else strbuf_putc(&want, *message);
    assert_fails(load(source, n, target, &c, test_error()), ERR_FORMAT, want.ptr);
}

TEST(wrong_data_are_named_with_line_and_column)
{
    static const struct {
        const char *source, *target, *message;
    } cases[] = {
        { "a\nb\nc\nd\n", "x\ny\nz\n", "~T.de:4:1: found the end, expected a translation of line 4 of ~T.en" },
        { "a\n", "x\ny\n", "~T.en:2:1: found the end, expected a translation of line 2 of ~T.de" },
        { "", "x\n", "~T.en:1:1: found the end, expected a translation of line 1 of ~T.de" },
        { "", "", "~T.en:1:1: found no pair of texts, expected at least one" },
        { "a\n\n", "\nx\n", "~T.en:1:1: found no pair of texts, expected at least one" },
        { "a\nb \xff\n", "x\ny\n", "~T.en:2:3: found a byte that is not UTF-8" },
        { "a\nb\n", "x\n\xc3\xa4\xc3(\n", "~T.de:2:3: found a byte that is not UTF-8" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_refused(cases[k].source, strlen(cases[k].source), cases[k].target, cases[k].message);
    assert_refused("a\nb\0c\n", 6, "x\ny\n", "~T.en:2:2: found a NUL byte, expected text");
    FREED(corpus_fini) Corpus c;
    assert_int_equal(pair_data_load(&c, test_text("T.en", "a\n"), "/nowhere/T.de", test_error()), ERR_IO);
}

TEST(running_out_of_memory_while_reading_is_reported)
{
    const char *source = test_text("T.en", "a\nb\n"), *target = test_text("T.de", "x\ny\n");
    for (long n = 0; allocation_fails(n); n++) {
        FREED(corpus_fini) Corpus c;
        mem_fail_after(n);
        assert_ok_or_no_memory(pair_data_load(&c, source, target, test_error()));
    }
}

/* ---- heads */

/* A trained model whose encoder options are these; memory of the strings in the bench. */
static void with_options(Model *m, Bench *b, const char *options)
{
    TrainArgs a = pair_args(b, in(b, "a"), NULL, 2);
    EncoderOptions o = toy_options(options, &b->train.trees.arena);
    a.options = &o;
    a.train.epochs = 1;
    a.model.decoder_layers = 2;
    a.model.n_layers = 2;
    train_and_load(m, &a);
}

/* Heads 2 layers x 2: of the encoder, of the decoder, and of its attention to the source. heads: what else acts on
 * them. */
static void prunes(const char *constant, int open, const int kept[6], const char *heads)
{
    FREED(model_fini) Model small, again;
    GateCounts gates;
    ModelDifference d;
    MADE(Bench, pair_bench, bench_fini, b);
    MADE(Model, with_options, model_fini, m, &b,
         test_format("{'heads': [%s], 'gates': {'kind': 'constant', 'stacks': ['self', 'decoder', 'cross'], "
                     "'constant': [%s]}}",
                     heads, constant));
    model_init(&small);
    assert_ok(model_gates(&m, &gates, test_error()));
    assert_int_equal(gates.heads, 12);
    assert_int_equal(gates.open, open);
    assert_ok(model_prune(&m, &small, test_error()));
    assert_ok(params_upload(&small.ps, device_default(), test_error()));
    for (int k = 0; k < 6; k++) {
        const HeadNumbers *list = k < 2 ? &small.kept[k] : &small.decoder_kept[k - 2];
        assert_int_equal(list->all ? 2 : list->n, kept[k]);
    }
    assert_ok(translator_difference(&m, &small, &b.train.trees, 12, &d, test_error()));
    assert_int_equal(d.sentences, 12);
    assert_int_equal(d.decided_otherwise, 0);
    assert_true(d.numbers <= MODEL_ROUNDING);
    assert_ok(model_save(&small, in(&b, "b"), DT_F32, NULL, 0, NULL, test_error()));
    load_task_ok(&again, in(&b, "b"), &TASK_TRANSLATE);
    assert_ok(translator_difference(&small, &again, &b.train.trees, 12, &d, test_error()));
    assert_true(d.numbers == 0 && d.decided_otherwise == 0);
}

TEST(a_model_without_closed_heads_writes_the_same)
{
    prunes("1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1", 8, (const int[]){ 1, 2, 1, 2, 1, 1 }, "");
    prunes("0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0", 3, (const int[]){ 0, 2, 0, 1, 0, 0 }, "");
}

/* Masks, fixed heads and guidance of heads that are left, and of others; numbers of heads stay. */
TEST(heads_that_are_left_keep_their_patterns)
{
    static const char heads[] = TOY_HEAD("decoder", "[1]", "'prev'", "fixed") ", " TOY_HEAD(
        "decoder", "[0]", "['match_token', 'self']",
        "mask") ", " TOY_HEAD("cross", "[1]", "'rare_w'", "mask") ", " TOY_HEAD("cross", "[0]", "'seprat'", "mask");
    prunes("1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1", 8, (const int[]){ 1, 2, 1, 2, 1, 1 }, heads);
    prunes("1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1", 7, (const int[]){ 1, 2, 1, 1, 1, 1 },
           TOY_HEAD("decoder", "[1]", "'prev'", "guide"));
}

/* The token of each piece as digits. */
static void assert_tokens(const Model *m, const char *text, const char *words, const char *tokens)
{
    FREED(strbuf_fini) StrBuf found = { 0 };
    FREED(strbuf_fini) StrBuf joined = { 0 };
    Sentence pieces;
    assert_ok(pair_data_pieces(m, view(text), test_arena(), &pieces, test_error()));
    assert_non_null(pieces.source);
    for (int w = 0; w < pieces.source->words->n_words; w++)
        strbuf_printf(&joined, "%s%s", w ? " " : "", pieces.source->words->words[w]);
    for (int k = 0; k < pieces.n_words + 2; k++) strbuf_printf(&found, "%d", pieces.source->token[k]);
    assert_string_equal(joined.ptr, words);
    assert_string_equal(found.ptr, tokens);
}

TEST(a_piece_belongs_to_the_word_in_which_its_unit_begins)
{
    MADE(Bench, pair_bench, bench_fini, b);
    MADE(Model, with_options, model_fini, m, &b, "{'heads': [" TOY_HEAD("self", "[0]", "'match_token'", "mask") "]}");
    assert_tokens(&m, "red dog!", "red dog !", "01234");
    assert_tokens(&m, "  red   dog", "red dog", "0123");
}

/* Words that are equal attend to one another through all of their pieces, and to their own. */
TEST(sets_of_words_are_sets_of_their_pieces)
{
    FREED(model_fini) Model m;
    MADE(Bench, pair_bench, bench_fini, b);
    Sentence text;
    PatternSentence words;
    TrainArgs args = pair_args(&b, in(&b, "a"), NULL, 1);
    EncoderOptions o = toy_options("{'heads': [" TOY_HEAD("self", "[0]", "'match_token'", "mask") "]}", test_arena());
    args.options = &o;
    args.train.epochs = 1;
    args.model.pieces = 16; /* characters alone */
    train_and_load(&m, &args);
    assert_ok(pair_data_pieces(&m, view("red dog red"), test_arena(), &text, test_error()));
    assert_ok(head_inputs_sentence(&text, NULL, NULL, test_arena(), &words, test_error()));
    int pieces = text.n_words + 2;
    assert_int_equal(words.n, 3);
    assert_int_equal(words.n_pieces, pieces);
    assert_true(pieces > 8);
    uint8_t *allowed = arena_alloc(test_arena(), (size_t)(pieces * pieces), 1);
    assert_ok(head_plan_fill(m.net.encoder.plan.slot[0], &words, false, allowed, test_arena(), test_error()));
    for (int i = 0; i < pieces; i++)
        for (int j = 0; j < pieces; j++) {
            bool red = words.token[i] == 1 || words.token[i] == 3, also = words.token[j] == 1 || words.token[j] == 3;
            assert_int_equal(allowed[i * pieces + j], red && also);
        }
}

/* A set of words of the source is the set of their pieces for every query of attention to it. */
TEST(keys_of_a_source_are_the_pieces_of_words)
{
    FREED(model_fini) Model m;
    MADE(Bench, pair_bench, bench_fini, b);
    Sentence source;
    const int *labels;
    TrainArgs args = pair_args(&b, in(&b, "a"), NULL, 1);
    EncoderOptions o = toy_options("{'heads': [" TOY_HEAD("cross", "[0]", "'seprat'", "mask") ", " TOY_HEAD(
                                       "cross", "[1]", "'period/forms=dog'", "mask") "]}",
                                   test_arena());
    args.options = &o;
    args.train.epochs = 1;
    args.model.pieces = 16; /* characters alone */
    train_and_load(&m, &args);
    MADE(Worker, worker_init, worker_fini, w, &m, device_default());
    add_pair(&b.train.trees, "red dog!", "hund rot.");
    worker_begin(&w, false, false, 0);
    assert_ok(pair_data_pack(&w, &b.train.trees.s[b.train.trees.n - 1], &source, &labels, test_error()));
    const uint64_t *keys = w.packed.control.source_keys;
    const int tokens = source.n_words + 2;
    assert_non_null(keys);
    assert_true(tokens > 8 && tokens < 64);
    for (int j = 0; j < tokens; j++) {
        int word = source.source->token[j]; /* 1 red, 2 dog, 3 !, 4 STOP */
        assert_int_equal(keys[0] >> j & 1, word == 0 || word >= 3);
        assert_int_equal(keys[1] >> j & 1, word == 2);
    }
}

TEST(pieces_that_are_alike_in_lower_case_have_one_number)
{
    FREED(model_fini) Model m;
    MADE(Bench, pair_bench, bench_fini, b);
    FREED(strbuf_fini) StrBuf y = { 0 };
    for (int k = 0; k < 9; k++) add_pair(&b.train.trees, "RED \u00c4 Red \u00e4", "red \u00e4");
    with_options(&m, &b, "{'heads': [" TOY_HEAD("decoder", "[0]", "'match_token'", "mask") "]}");
    const int *lower = network_decoder(&m.net)->c.lower, n = vocab_size(&m.words);
    int alike = 0;
    assert_non_null(lower);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            strbuf_clear(&y);
            text_lower(test_out(), vocab_text(&m.words, i), strlen(vocab_text(&m.words, i)));
            text_lower(&y, vocab_text(&m.words, j), strlen(vocab_text(&m.words, j)));
            assert_int_equal(lower[i] == lower[j], strcmp(test_written(), y.ptr) == 0);
            alike += i != j && lower[i] == lower[j];
        }
    assert_true(alike > 2);
}
