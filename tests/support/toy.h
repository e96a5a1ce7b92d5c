/* Treebanks of the test grammar, a temporary folder, and training of models that takes a
 * second. */
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include "parser/model/model_file.h"
#include "parser/train/run/train.h"
#include "tests/support/check.h"
#include "tests/support/grammar.h"

typedef struct Bench { /* treebanks and a folder, which bench_fini removes */
    Corpus train, dev;
    char dir[32];
} Bench;

/* n sentences of the grammar as a treebank of this name. */
static inline void toy_corpus(Corpus *c, const char *name, int n, uint64_t seed)
{
    memset(c, 0, sizeof *c);
    treebank_init(&c->trees);
    treebank_init(&c->deps);
    snprintf(c->name, sizeof c->name, "%s", name);
    assert_true(grammar_sentences(&c->trees, n, seed));
}

static inline void bench_init(Bench *b, int n)
{
    *b = (Bench){ .dir = "/tmp/lal-test-XXXXXX" };
    assert_non_null(mkdtemp(b->dir));
    toy_corpus(&b->train, "toy", n, 1);
    toy_corpus(&b->dev, "toy", 60, 2);
}

static inline const char *in(Bench *b, const char *name)
{
    char path[96];
    int n = snprintf(path, sizeof path, "%s/%s", b->dir, name);
    return arena_strndup(&b->train.trees.arena, path, (size_t)n);
}

static inline void bench_fini(Bench *b)
{
    static const char *const names[] = { "a", "a.ckpt", "b", "b.ckpt", "c", "c.ckpt", "v", "log" };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) unlink(in(b, names[k]));
    assert_int_equal(rmdir(b->dir), 0); /* fails if a temporary file is left */
    corpus_fini(&b->train);
    corpus_fini(&b->dev);
}

/* Gives the model a grammar of some sentences. */
static inline void toy_grammar(Model *m, double weight)
{
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_true(grammar_sentences(&tb, 40, 9));
    for (int k = 0; k < tb.n; k++) assert_true(grammar_count(&m->steps, &tb.s[k], NULL));
    m->c.grammar = weight;
    assert_ok(grammar_read(&m->grammar, &m->steps, &m->labels, &m->treebanks, test_error()));
}

static inline TrainArgs toy(Bench *b, const char *out, const char *checkpoint, int threads)
{
    TrainArgs a = { .corpora = &b->train,
                    .dev = &b->dev,
                    .n_corpora = 1,
                    .n_dev = 1,
                    .out = out,
                    .checkpoint = checkpoint,
                    .n_threads = threads,
                    .store = DT_F32 };
    options_defaults(CONFIG_MODEL_OPTIONS, &a.model);
    options_defaults(CONFIG_TRAIN_OPTIONS, &a.train);
    a.model.d_model = 32;
    a.model.n_layers = 1;
    a.model.n_heads = 2;
    a.model.d_kv = 16;
    a.model.d_ff = 48;
    a.model.n_label_heads = 6;
    a.model.lal_d_kv = 8;
    a.model.lal_d_proj = 8;
    a.model.d_label_hidden = 24;
    a.model.d_arc = 24;
    a.model.d_type = 12;
    a.model.d_tag_hidden = 16;
    a.model.use_treebank = true;
    a.model.affix_buckets = 50;
    a.model.type_given_head = true;
    a.train.epochs = 2;
    a.train.batch_size = 20;
    a.train.subbatch_tokens = 90;
    a.train.checks_per_epoch = 1;
    a.train.warmup = 10;
    a.train.lr = 0.003;
    a.train.average = 0.9;
    return a;
}

static inline void train_ok(const TrainArgs *a) { assert_ok(trainer_run(a, test_error())); }

/* Stops a run after so many updates; the next call of train_ok resumes it. */
static inline void train_until(TrainArgs *a, long updates)
{
    a->stop_at_step = updates;
    assert_int_equal(trainer_run(a, test_error()), ERR_INTERRUPTED);
    a->resume = a->checkpoint;
    a->stop_at_step = 0;
}

static inline void load_task_ok(Model *m, const char *path, const Task *task)
{
    model_init(m);
    m->task = task;
    assert_ok(model_load(m, path, NULL, test_error()));
}

static inline void load_ok(Model *m, const char *path) { load_task_ok(m, path, &TASK_PARSE); }

/* What the run trains. */
static inline void train_and_load(Model *m, const TrainArgs *a)
{
    train_ok(a);
    load_task_ok(m, a->out, a->task ? a->task : &TASK_PARSE);
}

/* Trained for one epoch; its file is a. */
static inline void toy_model(Model *m, Bench *b)
{
    TrainArgs a = toy(b, in(b, "a"), NULL, 1);
    a.train.epochs = 1;
    train_and_load(m, &a);
}

/* A bench b of so many sentences, and its toy_model m. */
#define TOY_MODEL(b, m, sentences)                     \
    MADE(Bench, bench_init, bench_fini, b, sentences); \
    MADE(Model, toy_model, model_fini, m, &b)

/* Have two model files the same weights, to the bit? task: of both. */
static inline void assert_same_weights(const char *a, const char *b, const Task *task)
{
    MADE(Model, load_task_ok, model_fini, x, a, task);
    MADE(Model, load_task_ok, model_fini, y, b, task);
    assert_same_params(&x.ps, &y.ps);
}

/* The run with one thread, and with three threads, stopped after 7 updates and resumed, write the same weights to a
 * and b of the folder. */
static inline void assert_resumes_bit_equal(Bench *b, TrainArgs a)
{
    a.n_threads = 1;
    a.n_dev = 0; /* the model is that of the last check */
    a.out = in(b, "a");
    train_ok(&a);
    a.n_threads = 3;
    a.out = in(b, "b");
    train_until(&a, 7);
    train_ok(&a);
    assert_same_weights(in(b, "a"), a.out, a.task);
}

static inline void write_bytes(const char *path, const char *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    fclose(f);
}
