/* A toy model with every kind of input, trained for a moment. */
#pragma once

#include "tests/support/parsing.h"
#include "tests/support/toy_options.h"

typedef struct Trained {
    Bench b;
    Model m;
} Trained;

/* options: JSON with ' for ", or NULL. */
/* Products with packed weights add in another order than those of other devices: without them parses are compared to
 * the bit. */
static inline void trained_unpack(Trained *x) { assert_int_equal(params_upload(&x->m.ps, device_cpu(), NULL), OK); }

static inline void trained_init_form(Trained *x, const char *options, int form)
{
    EncoderOptions o;
    bench_init(&x->b, 60);
    TrainArgs a = toy(&x->b, in(&x->b, "a"), in(&x->b, "a.ckpt"), 2);
    FILE *f = fopen(in(&x->b, "v"), "w");
    assert_non_null(f);
    for (int k = 0; k < 10; k++) fprintf(f, "%s %d %d 1\n", x->b.train.trees.s[k].words[0], k % 3, k);
    fclose(f);
    a.vectors = in(&x->b, "v");
    a.model.use_chars = CHARS_LSTM;
    a.model.partitioned = a.model.lal_partitioned = true;
    a.model.lal_form = form;
    a.model.lal_arcs = a.model.lal_linked = form != LAL_WORDS;
    a.train.link_weight = form != LAL_WORDS;
    a.train.epochs = 1;
    if (options) {
        o = toy_options(options, &x->b.train.trees.arena);
        a.options = &o;
    }
    train_and_load(&x->m, &a);
    trained_unpack(x);
}

static inline void trained_init_options(Trained *x, const char *options) { trained_init_form(x, options, LAL_WORDS); }
static inline void trained_init(Trained *x) { trained_init_options(x, NULL); }
/* Label heads that attend inside phrases, whose arcs read them, linked to categories. */
static inline void trained_init_phrases(Trained *x) { trained_init_form(x, NULL, LAL_PHRASES); }

static inline void trained_fini(Trained *x)
{
    model_fini(&x->m);
    bench_fini(&x->b);
}

/* The parse of a sentence as text, with scores, and its best ones. */
static inline void trained_write(const Parsed *p, Arena *a, StrBuf *out)
{
    tree_write(out, parsed_sentence(p, a));
    for (int w = 0; w < p->n_words; w++)
        strbuf_printf(out, " %d %s %.9g", p->heads[w], p->types[w], (double)p->arc_prob[w]);
    strbuf_printf(out, " %.17g %.9g\n", p->score, p->probability);
    for (int k = 0; k < p->n_best; k++) trained_write(&p->best[k], a, out);
}

/* All parses of the dev sentences as text, with the three best ones of each. */
static inline void trained_parse(const Trained *x, const Device *d, int threads, StrBuf *out)
{
    const Treebank *tb = &x->b.dev.trees;
    FREED(parser_fini) Parser p;
    MADE(Arena, arena_init, arena_fini, a, 4096);
    assert_ok(parser_init(&p, &x->m, d, threads, test_error()));
    p.o.batch_tokens = 150;
    p.o.arc_probability = true;
    p.o.k_best = 3;
    parse_all(&p, tb);
    for (int k = 0; k < tb->n; k++) trained_write(&p.result[k], &a, out);
}
