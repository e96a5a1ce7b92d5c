/* A trained toy model and a worker that records its forward passes, for tests of
 * explanations. */
#pragma once

#include "explain/inspection.h"
#include "tests/support/toy.h"
#include "tests/support/toy_options.h"

typedef struct Setup {
    Bench b;
    Model m;
    Worker w;
    ParseOptions o;
    Arena arena;
    Parsed p;
} Setup;

/* What label heads are for, LAL_WORDS and so on, and options of it. */
typedef struct SetupForm {
    int form;
    bool own_reduce, linked;
} SetupForm;

/* options: JSON with ' for ", or NULL. */
static inline void setup_form(Setup *s, bool pwff, bool partitioned, bool given_head, int heads, int d_proj,
                              const char *options, SetupForm form)
{
    bench_init(&s->b, 60);
    arena_init(&s->arena, 4096);
    EncoderOptions o;
    if (options) o = toy_options(options, &s->arena);
    TrainArgs a = toy(&s->b, in(&s->b, "a"), in(&s->b, "a.ckpt"), 2);
    a.model.lal_pwff = pwff;
    a.model.lal_partitioned = a.model.partitioned = partitioned;
    a.model.type_given_head = given_head;
    a.model.n_label_heads = heads;
    a.model.lal_d_proj = d_proj;
    a.options = options ? &o : NULL;
    a.model.lal_form = form.form;
    a.model.lal_arcs = form.form != LAL_WORDS;
    a.model.lal_linked = form.linked;
    a.train.link_weight = form.linked;
    a.model.lal_d_phrase = 3;
    a.model.lal_own_reduce = form.own_reduce;
    a.train.epochs = 1;
    train_and_load(&s->m, &a);
    worker_init(&s->w, &s->m, device_cpu());
    s->o = parse_defaults(&s->m);
    s->o.record = true;
}

static inline void setup_options(Setup *s, bool pwff, bool partitioned, bool given_head, int heads, int d_proj,
                                 const char *options)
{
    setup_form(s, pwff, partitioned, given_head, heads, d_proj, options, (SetupForm){ LAL_WORDS, false, false });
}

static inline void setup_heads(Setup *s, bool pwff, bool partitioned, bool given_head, int heads, int d_proj)
{
    setup_options(s, pwff, partitioned, given_head, heads, d_proj, NULL);
}

static inline void setup(Setup *s, bool pwff, bool partitioned, bool given_head)
{
    setup_heads(s, pwff, partitioned, given_head, 6, 8);
}

static inline void teardown(Setup *s)
{
    arena_fini(&s->arena);
    worker_fini(&s->w);
    model_fini(&s->m);
    bench_fini(&s->b);
}
