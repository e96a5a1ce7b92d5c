/* Training that begins with a toy model, on the same treebank or another one. */
#pragma once

#include "tests/support/toy.h"

/* The same model again: one epoch with a learning rate of 0, so the weights are those before the first update. */
static inline TrainArgs further(Bench *b, const char *init, const char *out, EncoderOptions *o)
{
    TrainArgs a = toy(b, out, NULL, 2);
    assert_ok(trainer_init_options(init, &a.model, o, NULL, &b->train.trees.arena, test_error()));
    a.options = o;
    a.init = init;
    a.n_dev = 0;
    a.train.lr = a.train.average = 0;
    a.train.epochs = 1;
    return a;
}

/* Has tensor b of y the values of tensor a of x, to the bit? */
static inline void assert_same_tensor(const Model *x, const char *a, const Model *y, const char *b)
{
    int k = params_find(&x->ps, a), l = params_find(&y->ps, b);
    assert_true(k >= 0 && l >= 0);
    assert_int_equal(param_count(&x->ps.p[k]), param_count(&y->ps.p[l]));
    assert_memory_equal(param_values(&x->ps, k), param_values(&y->ps, l), param_count(&x->ps.p[k]) * sizeof(Real));
}

/* What a run has said at its start; names lie in text. */
typedef struct Began {
    TrainCounts c;
    char text[4096];
    size_t n;
} Began;

static inline void began_keep(Began *b, const char **name)
{
    size_t len = *name ? strlen(*name) + 1 : 0;
    if (!len) return;
    assert_true(b->n + len <= sizeof b->text);
    *name = memcpy(b->text + b->n, *name, len);
    b->n += len;
}

static inline void take_counts(void *context, const TrainEvent *event)
{
    Began *b = context;
    if (event->kind != TRAIN_STARTED) return;
    b->c = event->started;
    b->n = 0;
    began_keep(b, &b->c.init.treebank);
    began_keep(b, &b->c.notes);
    for (int k = 0; k < TRAIN_INIT_KINDS; k++)
        for (int i = 0; i < TRAIN_INIT_NAMES; i++) {
            began_keep(b, &b->c.init.kind[k].added.first[i]);
            began_keep(b, &b->c.init.kind[k].dropped.first[i]);
        }
}

/* Renames a word, a tag, a type or a label of all sentences. */
static inline void rename_value(const char **value, int n, const char *from, const char *to)
{
    for (int k = 0; k < n; k++)
        if (strcmp(value[k], from) == 0) value[k] = to;
}

static inline void rename_labels(Treebank *tb, const char *from, const char *to)
{
    for (int s = 0; s < tb->n; s++)
        for (int k = 0; k < tb->s[s].n_phrases; k++)
            if (strcmp(tb->s[s].phrases[k].label, from) == 0) tb->s[s].phrases[k].label = to;
}

/* A treebank of another name with new labels, tags, types and words, whose first values are not those of the old
 * one. */
static inline void make_other(Corpus *c, const char *name, uint64_t seed)
{
    toy_corpus(c, name, 60, seed);
    rename_labels(&c->trees, "PP", "TITLE");
    for (int s = 0; s < c->trees.n; s++) {
        Sentence *sent = &c->trees.s[s];
        rename_value((const char **)(void *)sent->tags, sent->n_words, "DT", "ARTICLE");
        rename_value((const char **)(void *)sent->types, sent->n_words, "det", "article");
        rename_value((const char **)(void *)sent->words, sent->n_words, "the", "th\xC3\xA9");
    }
}
