#include "tests/support/tiny.h"

#include <stdio.h>

#include "treebank/bracket.h"
#include "treebank/conll.h"

static const char TREES[] =
    "(TOP (S (NP (NN a)) (VP (V b) (NP (NN c)))))\n(TOP (S (NP (NN c)) (VP (V b))))\n(TOP (NP (NN a) (NP (NN c))))\n";
static const char DEPS[] =
    "1\ta\t_\tNN\tNN\t_\t2\ts\t_\t_\n2\tb\t_\tV\tV\t_\t0\troot\t_\t_\n3\tc\t_\tNN\tNN\t_\t2\to\t_\t_\n\n"
    "1\tc\t_\tNN\tNN\t_\t2\ts\t_\t_\n2\tb\t_\tV\tV\t_\t0\troot\t_\t_\n\n"
    "1\ta\t_\tNN\tNN\t_\t0\troot\t_\t_\n2\tc\t_\tNN\tNN\t_\t1\to\t_\t_\n\n";

bool tiny_corpus(Corpus *c)
{
    Error e = { 0 };
    *c = (Corpus){ .rules = NULL };
    snprintf(c->name, sizeof c->name, "tiny");
    treebank_init(&c->trees);
    treebank_init(&c->deps);
    return bracket_read(&c->trees, text_block((StrView){ TREES, sizeof TREES - 1 }, "trees"),
                        (BracketOptions){ .strip_functions = true }, &e) == OK &&
           conll_read(&c->deps, text_block((StrView){ DEPS, sizeof DEPS - 1 }, "deps"), (ConllOptions){ 0 }, &e) ==
               OK &&
           treebank_pair(&c->trees, 0, &c->deps, "trees", "deps", &e) == OK;
}

TrainArgs tiny_args(Corpus *c)
{
    TrainArgs a = { .corpora = c, .dev = c, .n_corpora = 1, .n_dev = 1, .n_threads = 1, .store = DT_F32 };
    options_defaults(CONFIG_MODEL_OPTIONS, &a.model);
    options_defaults(CONFIG_TRAIN_OPTIONS, &a.train);
    a.model.d_model = a.model.d_kv = a.model.d_ff = a.model.lal_d_kv = a.model.lal_d_proj = a.model.d_label_hidden =
        a.model.n_label_heads = 2;
    a.model.n_heads = a.model.d_arc = a.model.d_type = a.model.d_char = 1;
    a.model.n_layers = 0;
    a.model.n_positions = 3;
    a.model.lal_pwff = a.model.lal_partitioned = a.model.partitioned = false;
    a.train.batch_size = 2;
    a.train.epochs = 3;
    a.train.warmup = 2;
    a.train.checks_per_epoch = 1;
    return a;
}
