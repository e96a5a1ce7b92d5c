/* Where masks have their parses from (encoder_options.syntax), in training, evaluation
 * and parsing. Properties of docs/OPTIONS.md: two passes, and no gold leak. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "base/rng.h"
#include "parser/parse/evaluate.h"
#include "parser/parse/long_sentence.h"
#include "tests/support/toy.h"
#include "tests/support/toy_options.h"
#include "treebank/conll.h"

/* Masks that read both parts of a parse. SYNTAX("self", "") */
#define ENTRIES(source)                                                                                                \
    "'heads': [" TOY_HEAD("self", "[0]", "'dep_syn'", "mask") ", " TOY_LABEL(                                          \
        "[0, 1]", "'maj_rel'",                                                                                         \
        "mask") ", "                                                                                                   \
                "{'stack': 'self', 'heads': [1], 'pattern': 'intra_span/max_len=3', 'use': 'mask', 'source': '" source \
                "'}]"
#define ARCS(source, more)                                                     \
    "{'heads': [" TOY_HEAD("self", "[0]", "'dep_syn'", "mask") ", " TOY_LABEL( \
        "[0, 1]", "'maj_rel'", "mask") "], "                                   \
                                       "'syntax': {'source': '" source "'" more "}}"
#define SELF_OPTIONS "{" ENTRIES("self") ", 'syntax': {'source': 'self'}}"
#define GOLD_OPTIONS "{" ENTRIES("gold") ", 'syntax': {'source': 'gold'}}"
/* train_file, model, dev_file: names of a Bench, in a folder of 20 characters */
#define FILES_MOST 400

/* ---- runs */

/* Three batches in an epoch. */
static void bench_small(Bench *b)
{
    bench_init(b, 45);
    b->dev.trees.n = 20;
}

/* A toy run of two layers of two heads with these options, or NULL; lr 0 keeps the first weights. */
static TrainArgs run_with(Bench *b, const char *name, const char *text, double lr, EncoderOptions *o, Arena *a)
{
    TrainArgs args = toy(b, in(b, name), NULL, 1);
    args.model.n_layers = 2;
    args.train.lr = lr;
    if (!text) return args;
    *o = toy_options(text, a);
    args.options = o;
    return args;
}

/* Writes the dependencies of the sentences, with words moved to the root where `noise` draws it. */
static void write_parses(const Treebank *tb, const char *path, double noise)
{
    FREED(strbuf_fini) StrBuf out = { 0 };
    for (int k = 0; k < tb->n; k++) {
        Sentence s = tb->s[k];
        int *heads = mem_alloc((size_t)s.n_words, sizeof *heads), root = 0;
        while (s.heads[root]) root++;
        for (int w = 0; w < s.n_words; w++) {
            bool moves = w != root && rng_uniform(rng_key(1, 2, (uint64_t)k, (uint64_t)w), 0) < noise;
            heads[w] = moves ? root + 1 : s.heads[w];
        }
        s.heads = heads;
        conll_write(&out, &s, CONLL_X, NULL);
        mem_free(heads);
    }
    write_bytes(path, out.ptr, out.len);
}

/* A plain model "c", the parses "v" of the training sentences and "log" of the dev sentences. */
static void make_files(Bench *b)
{
    TrainArgs plain = run_with(b, "c", NULL, 0.003, NULL, test_arena());
    plain.train.seed = 7;
    train_ok(&plain);
    write_parses(&b->train.trees, in(b, "v"), 0.1);
    write_parses(&b->dev.trees, in(b, "log"), 0.1);
}

typedef enum Kind { NONE, SELF, FIRST_PASS, FILES, GOLD, KINDS } Kind;

/* Options of a kind, in the arena of the bench. */
static const char *options_text(Bench *b, Kind kind)
{
    char text[FILES_MOST * 4];
    const char *dir = b->dir;
    if (kind == NONE) return "{'heads': [" TOY_HEAD("self", "[0]", "'rel_pos'", "mask") "]}";
    if (kind == SELF) return SELF_OPTIONS;
    if (kind == GOLD) return GOLD_OPTIONS;
    int n = kind == FIRST_PASS
                ? snprintf(text, sizeof text, ARCS("first_pass", ", 'model': 'c', 'train_file': '%s/v'"), dir)
                : snprintf(text, sizeof text, ARCS("file", ", 'train_file': '%s/v', 'dev_file': '%s/log'"), dir, dir);
    return arena_strndup(&b->train.trees.arena, text, (size_t)n);
}

static TrainArgs run_of(Bench *b, Kind kind, const char *name, EncoderOptions *o, Arena *a)
{
    TrainArgs args = run_with(b, name, options_text(b, kind), 0.003, o, a);
    args.train.epochs = 3;
    return args;
}

static void trained(Model *m, Bench *b, Kind kind)
{
    EncoderOptions o;
    TrainArgs args = run_of(b, kind, "a", &o, test_arena());
    train_and_load(m, &args);
}

/* ---- what a model makes of sentences */

/* One batch of dev sentences, with their vectors; parse [n] or NULL. */
typedef struct Pass {
    Arena out;
    Parsed parsed[8];
    Real *vectors;
    size_t n;
} Pass;

static void pass_run(Pass *p, const Bench *b, const Model *m, int n, const Sentence *const *parse, bool no_syntax)
{
    ParseInput inputs[8];
    arena_init(&p->out, 4096);
    MADE(Worker, worker_init, worker_fini, w, m, device_default());
    for (int k = 0; k < n; k++) {
        const Sentence *s = &b->dev.trees.s[k];
        inputs[k] = (ParseInput){ .n_words = s->n_words,
                                  .words = (const char *const *)s->words,
                                  .parse = parse ? parse[k] : NULL };
    }
    ParseOptions o = parse_defaults(m);
    o.no_syntax = no_syntax;
    assert_ok(parse_batch(&w, inputs, n, &o, &p->out, p->parsed, test_error()));
    p->n = tensor_size(w.net.encoder.word);
    p->vectors = mem_alloc(p->n, sizeof *p->vectors);
    assert_true(tensor_download(&w.tape, w.net.encoder.word, p->vectors));
}

static void pass_end(Pass *p)
{
    mem_free(p->vectors);
    arena_fini(&p->out);
}

static bool pass_same(const Pass *x, const Pass *y, int n)
{
    bool same = x->n == y->n && memcmp(x->vectors, y->vectors, x->n * sizeof *x->vectors) == 0;
    for (int k = 0; k < n && same; k++) same = memcmp(&x->parsed[k].score, &y->parsed[k].score, sizeof(double)) == 0;
    return same;
}

/* ---- tests */

/* Property 23: the first pass of source self is the model without the masks that read parses, bit by bit, and the masks
 * of the second pass are made from its parses. */
TEST(two_passes_of_self_are_the_plain_pass_and_one_with_its_parses)
{
    enum { N = 8 };
    const Sentence *parse[N];
    MADE(Bench, bench_small, bench_fini, b);
    MADE(Model, trained, model_fini, m, &b, SELF);
    TrainArgs args = run_with(&b, "b", NULL, 0, NULL, test_arena()); /* the same parameters, no masks */
    MADE(Model, train_and_load, model_fini, plain, &args);
    assert_int_equal(plain.ps.size, m.ps.size);
    memcpy(params_values(&plain.ps), params_values(&m.ps), m.ps.size * sizeof(Real));
    MADE(Pass, pass_run, pass_end, off, &b, &m, N, NULL, true);
    MADE(Pass, pass_run, pass_end, twin, &b, &plain, N, NULL, false);
    assert_true(pass_same(&off, &twin, N));
    MADE(Pass, pass_run, pass_end, both, &b, &m, N, NULL, false);
    assert_false(pass_same(&both, &off, N));
    for (int k = 0; k < N; k++) assert_non_null(parse[k] = parsed_sentence(&twin.parsed[k], test_arena()));
    MADE(Pass, pass_run, pass_end, given, &b, &m, N, parse, false);
    assert_true(pass_same(&both, &given, N));
}

static void append_parse(void *context, int k, const Sentence *parse)
{
    StrBuf *out = context;
    strbuf_printf(out, "%d:", k);
    for (int w = 0; w < parse->n_words; w++)
        strbuf_printf(out, " %s/%s %d %s", parse->words[w], parse->tags ? parse->tags[w] : "", parse->heads[w],
                      parse->types[w]);
    for (int p = 0; p < parse->n_phrases; p++)
        strbuf_printf(out, " (%s %d %d)", parse->phrases[p].label, parse->phrases[p].begin, parse->phrases[p].end);
    strbuf_putc(out, '\n');
}

/* The predictions for dev, whose gold sentences are these. */
static void predict(StrBuf *out, const Model *m, const Treebank *gold, const Treebank *parses)
{
    *out = (StrBuf){ 0 };
    Evaluation ev = { .punct = PUNCT_AUTO };
    const EvaluateOptions o = { .parse = parse_defaults(m),
                                .n_threads = 2,
                                .parses = parses ? parses->s : NULL,
                                .parsed = append_parse,
                                .context = out };
    assert_ok(evaluate_model(m, gold, &o, &ev, test_error()));
    assert_int_equal(ev.sum.sentences, gold->n);
}

/* The same words with random trees, heads and types. */
static void random_gold(const Treebank *from, Treebank *to)
{
    static const char *const types[] = { "nsubj", "det", "dobj", "amod", "punct" };
    treebank_init(to);
    for (int k = 0; k < from->n; k++) {
        Sentence *s = treebank_add(to);
        assert_non_null(s);
        *s = from->s[k];
        s->heads = arena_alloc(&to->arena, (size_t)s->n_words, sizeof *s->heads);
        s->types = arena_alloc(&to->arena, (size_t)s->n_words, sizeof *s->types);
        s->phrases = arena_alloc(&to->arena, 2, sizeof *s->phrases);
        uint64_t key = rng_key(3, 4, (uint64_t)k, 5);
        for (int w = 0; w < s->n_words; w++) {
            s->heads[w] = (int)(rng_uniform(key, 2 * (uint64_t)w) * (s->n_words + 1));
            if (s->heads[w] == w + 1) s->heads[w] = 0;
            s->types[w] = types[(int)(rng_uniform(key, 2 * (uint64_t)w + 1) * 5)];
        }
        int begin = (int)(rng_uniform(key, 1000) * s->n_words);
        s->n_phrases = 2;
        s->phrases[0] = (Phrase){ 0, s->n_words, "X" };
        s->phrases[1] = (Phrase){ begin, s->n_words, "Y" };
    }
}

/* Property 24 */
TEST(no_gold_leak_into_predictions_of_any_source_but_gold)
{
    FREED(treebank_fini) Treebank other, file;
    MADE(Bench, bench_small, bench_fini, b);
    make_files(&b);
    random_gold(&b.dev.trees, &other);
    treebank_init(&file);
    assert_ok(treebank_load(&file, in(&b, "log"), (ReaderOptions){ .format = FORMAT_AUTO }, test_error()));
    for (Kind kind = NONE; kind < KINDS; kind++) {
        MADE(Model, trained, model_fini, m, &b, kind);
        const Treebank *parses = kind == FILES ? &file : NULL;
        MADE(StrBuf, predict, strbuf_fini, x, &m, &b.dev.trees, parses);
        MADE(StrBuf, predict, strbuf_fini, y, &m, &other, parses);
        bool same = x.len == y.len && memcmp(x.ptr, y.ptr, x.len) == 0;
        if (same != (kind != GOLD)) fail_msg("kind %d: predictions are %s", kind, same ? "the same" : "not the same");
        assert_int_equal(encoder_options_oracle(&m.options), kind == GOLD);
        assert_int_equal(strstr(m.summary, "\"oracle\": true") != NULL, kind == GOLD);
    }
}

/* In the middle of an epoch, at its end, with other threads: parses of source self are made again. */
TEST(a_stopped_run_of_any_source_goes_on_bit_equal)
{
    static const long stops[] = { 4, 8, 3, 5, 7 }; /* updates, of 3 in an epoch */
    MADE(Bench, bench_small, bench_fini, b);
    make_files(&b);
    for (Kind kind = SELF; kind <= FILES; kind++) {
        EncoderOptions o;
        TrainArgs one = run_of(&b, kind, "a", &o, test_arena());
        one.train.vary_final = one.train.vary_quotes = 0.3; /* parses are varied, too */
        one.checkpoint = in(&b, "a.ckpt");
        train_ok(&one);
        for (size_t k = 0; k < (kind == SELF ? 5 : 2); k++) {
            TrainArgs two = one;
            two.out = in(&b, "b");
            two.n_threads = 1 + (int)k % 2;
            two.checkpoint = in(&b, "b.ckpt");
            train_until(&two, stops[k]);
            two.n_threads = 2;
            train_ok(&two);
            assert_same_weights(one.out, two.out, &TASK_PARSE);
            assert_same_weights(one.checkpoint, two.checkpoint, &TASK_PARSE);
        }
    }
}

/* Trains with source and options; the parses act, or not. */
static void train_self(Bench *b, const char *name, const char *syntax, int epochs)
{
    EncoderOptions o;
    TrainArgs args = run_with(b, name, test_format("{" ENTRIES("self") ", 'syntax': {'source': 'self'%s}}", syntax),
                              0.003, &o, test_arena());
    args.train.epochs = epochs;
    args.n_dev = 0; /* the model of the last epoch */
    train_ok(&args);
}

TEST(self_has_no_masks_in_the_first_epoch_and_where_dropout_draws_it)
{
    MADE(Bench, bench_small, bench_fini, b);
    TrainArgs plain = run_with(&b, "a", NULL, 0.003, NULL, test_arena());
    plain.n_dev = 0;
    plain.train.epochs = 1;
    train_ok(&plain);
    train_self(&b, "b", "", 1);
    assert_same_weights(plain.out, in(&b, "b"), &TASK_PARSE);
    plain.train.epochs = 3;
    train_ok(&plain);
    train_self(&b, "b", ", 'dropout': 1", 3);
    assert_same_weights(plain.out, in(&b, "b"), &TASK_PARSE);
    train_self(&b, "b", ", 'dropout': 0", 3);
    MADE(Model, load_ok, model_fini, x, plain.out);
    MADE(Model, load_ok, model_fini, y, in(&b, "b"));
    assert_memory_not_equal(params_values(&x.ps), params_values(&y.ps), x.ps.size * sizeof(Real));
}

static void refused(const TrainArgs *args, Status want, const char *message)
{
    assert_fails_with(trainer_run(args, test_error()), want, message);
}

TEST(the_model_of_the_first_pass_is_found_beside_the_model_or_as_named)
{
    EncoderOptions o, other;
    char text[FILES_MOST * 2];
    MADE(Bench, bench_small, bench_fini, b);
    make_files(&b);
    /* model "c", which is not in the folder of the test */
    TrainArgs args = run_of(&b, FIRST_PASS, "a", &o, test_arena());
    MADE(Model, train_and_load, model_fini, m, &args);
    assert_string_equal(m.options.syntax.model, "c");
    assert_non_null(m.first);
    assert_ok(model_check_text(&m, test_error()));
    /* itself a model of first pass */
    snprintf(text, sizeof text, ARCS("first_pass", ", 'model': '%s/a', 'train_file': '%s/v'"), b.dir, b.dir);
    TrainArgs again = run_with(&b, "b", text, 0.003, &other, test_arena());
    refused(&again, ERR_CONFIG, "found masks that need parses in ");
    unlink(in(&b, "c"));
    refused(&args, ERR_IO, "the model of the first pass (syntax.model): found no file c, ");
    MADE(Model, load_ok, model_fini, alone, args.out); /* can be looked at */
    assert_null(alone.first);
    assert_int_equal(model_check_text(&alone, test_error()), ERR_IO);
}

static void without_arcs(Treebank *tb)
{
    for (int k = 0; k < tb->n; k++) {
        tb->s[k].heads = NULL;
        tb->s[k].types = NULL;
    }
}

TEST(parses_that_lack_what_masks_read_are_refused)
{
    static const char other[] = "1\tno\t_\t_\t_\t_\t0\troot\t_\t_\n\n";
    EncoderOptions o, others;
    char text[FILES_MOST * 2];
    MADE(Bench, bench_small, bench_fini, b);
    make_files(&b);
    TrainArgs file = run_of(&b, FILES, "a", &o, test_arena());
    write_bytes(in(&b, "v"), other, sizeof other - 1);
    refused(&file, ERR_FORMAT, "treebank has");
    write_parses(&b.train.trees, in(&b, "v"), 0);
    write_bytes(in(&b, "log"), other, sizeof other - 1);
    refused(&file, ERR_FORMAT, "treebank has");
    snprintf(text, sizeof text,
             "{" ENTRIES("file") ", 'syntax': {'source': 'file', 'train_file': '%s/v', 'dev_file': 'x'}}", b.dir);
    TrainArgs trees = run_with(&b, "a", text, 0.003, &others, test_arena());
    refused(&trees, ERR_FORMAT, "a sentence without a tree, which a pattern needs");
    without_arcs(&b.train.trees);
    TrainArgs self = run_of(&b, SELF, "a", &o, test_arena()), gold = run_of(&b, GOLD, "a", &others, test_arena());
    refused(&self, ERR_CONFIG, "found no dependencies in the training files, which masks read");
    refused(&gold, ERR_CONFIG, "found no dependencies in the training files, which masks read");
}

TEST(models_of_files_and_of_gold_parse_no_text)
{
    static const struct {
        Kind kind;
        const char *message;
    } cases[] = { { GOLD, "this model reads gold syntax (oracle) and cannot parse text" },
                  { FILES,
                    "this model reads parses of a file (syntax.source \"file\"), expected --syntax-file FILE" } };
    MADE(Bench, bench_small, bench_fini, b);
    make_files(&b);
    for (int k = 0; k < 2; k++) {
        MADE(Model, trained, model_fini, m, &b, cases[k].kind);
        assert_fails_with(model_check_text(&m, test_error()), ERR_CONFIG, cases[k].message);
        if (cases[k].kind == FILES) {
            Evaluation ev = { .punct = PUNCT_AUTO };
            const EvaluateOptions o = { .parse = parse_defaults(&m), .n_threads = 1 };
            assert_int_equal(evaluate_model(&m, &b.dev.trees, &o, &ev, test_error()), ERR_CONFIG);
        }
    }
}

#define ROLES                                                                                                   \
    "{'heads': [" TOY_HEAD("self", "[0]", "['rare_w', 'rel_pos']", "mask") ", " TOY_HEAD(                       \
        "self", "[1]", "'dep_syn'",                                                                             \
        "mask") ", " TOY_LABEL("[0]", "'rare_w'",                                                               \
                               "mask") ", " TOY_LABEL("[1]", "'seprat'",                                        \
                                                      "mask") ", " TOY_LABEL("[2]", "'maj_rel'",                \
                                                                             "mask") "], 'syntax': {'source': " \
                                                                                     "'self'}}"

/* Parses words with all roles as one batch, whole and, where there are many, in pieces. */
static void parse_words(const Model *m, const char *const *words, int n, int max_words)
{
    Parsed p;
    ParseOptions o = parse_defaults(m);
    o.max_words = max_words;
    MADE(Worker, worker_init, worker_fini, w, m, device_default());
    const ParseInput x = { .n_words = n, .words = words };
    assert_ok(long_sentence_parse(&w, &x, &o, test_arena(), &p, test_error()));
    assert_int_equal(p.n_words, n);
    for (int k = 0; k < n; k++) assert_in_range(p.heads[k], 0, n);
    if (n) assert_int_equal(p.pieces > 1, n > max_words);
}

TEST(all_roles_on_one_word_on_punctuation_on_500_words_and_on_nothing)
{
    static const char *const one[] = { "yes" }, *const marks[] = { ",", ".", "?", ";", "!", "--" };
    const char *many[500];
    EncoderOptions o;
    MADE(Bench, bench_small, bench_fini, b);
    TrainArgs args = run_with(&b, "a", ROLES, 0.003, &o, test_arena());
    args.model.n_positions = 300;
    MADE(Model, train_and_load, model_fini, m, &args);
    for (int k = 0; k < 500; k++) many[k] = k % 7 == 6 ? "," : b.train.trees.s[k % 45].words[0];
    parse_words(&m, one, 1, 120);
    parse_words(&m, marks, 6, 120);
    parse_words(&m, marks + 1, 1, 120);
    parse_words(&m, many, 500, 120);
    parse_words(&m, many, 200, 200); /* decoding 500 words whole takes half a minute */
    parse_words(&m, NULL, 0, 120);
}

/* A parse of other words is an error, not a read beyond an array. */
TEST(a_parse_of_another_length_is_refused)
{
    Parsed p;
    MADE(Bench, bench_small, bench_fini, b);
    MADE(Model, trained, model_fini, m, &b, GOLD);
    MADE(Worker, worker_init, worker_fini, w, &m, device_default());
    const Sentence *s = b.dev.trees.s;
    int other = 1;
    while (s[other].n_words == s[0].n_words) other++;
    const ParseInput x = { .n_words = s[0].n_words, .words = (const char *const *)s[0].words, .parse = &s[other] };
    const ParseOptions o = parse_defaults(&m);
    assert_int_equal(parse_batch(&w, &x, 1, &o, test_arena(), &p, test_error()), ERR_RANGE);
}

/* Two passes, by one model or two, when each allocation fails in turn. */
TEST(running_out_of_memory_in_two_passes_is_said)
{
    MADE(Bench, bench_small, bench_fini, b);
    make_files(&b);
    for (Kind kind = SELF; kind <= FIRST_PASS; kind++) {
        MADE(Model, trained, model_fini, m, &b, kind);
        for (long n = 0; allocation_fails(n); n++) {
            Parsed p[3];
            ParseInput inputs[3];
            for (int k = 0; k < 3; k++) inputs[k] = parse_input(&b.dev.trees.s[k]);
            const ParseOptions o = parse_defaults(&m);
            MADE(Arena, arena_init, arena_fini, out, 1024);
            MADE(Worker, worker_init, worker_fini, w, &m, device_default());
            mem_fail_after(n);
            assert_ok_or_no_memory(parse_batch(&w, inputs, 3, &o, &out, p, test_error()));
        }
    }
}
