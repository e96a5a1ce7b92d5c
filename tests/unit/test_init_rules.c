/* Training that begins with a model (--init): treebanks, labels of one treebank, what is
 * kept without data, options, other tasks. That weights are taken to the bit: test_init.c. */
#define _POSIX_C_SOURCE 200809L
#include "parser/model/prune.h"
#include "parser/model/import.h"
#include "parser/model/linear_network.h"
#include "tests/support/edit_model.h"
#include "tests/support/further.h"
#include "tests/support/toy_options.h"

/* A model of toy, or of toy and second, as file a. */
static void train_first(Bench *b, Corpus *second)
{
    Corpus both[2] = { b->train };
    TrainArgs a = toy(b, in(b, "a"), NULL, 2);
    if (second) both[1] = *second;
    a.corpora = both;
    a.n_corpora = second ? 2 : 1;
    a.n_dev = 0;
    a.train.epochs = 1;
    train_ok(&a);
}

/* The model of file a trained further on these, as file b. */
static void train_on(Model *m, Bench *b, Corpus *corpora, int n, const char *treebank, Began *began)
{
    EncoderOptions o;
    TrainArgs a = further(b, in(b, "a"), in(b, "b"), &o);
    a.corpora = corpora;
    a.n_corpora = n;
    a.treebank = treebank;
    a.observer = (TrainObserver){ take_counts, began };
    train_and_load(m, &a);
}

static void assert_default(const Model *m, const char *name)
{
    assert_string_equal(vocab_text(&m->treebanks, m->default_treebank), name);
}

TEST(a_single_new_treebank_becomes_the_default)
{
    Began began;
    MADE(Bench, bench_init, bench_fini, b, 60);
    MADE(Corpus, make_other, corpus_fini, other, "other", 3);
    MADE(Corpus, make_other, corpus_fini, third, "third", 4);
    Corpus list[] = { b.train, other, third };
    train_first(&b, NULL);
    const struct {
        int first, n;
        const char *treebank, *wanted, *reported;
    } cases[] = { { 1, 1, NULL, "other", "other" },    { 0, 1, NULL, "unknown", NULL },
                  { 1, 2, NULL, "unknown", NULL },     { 0, 2, NULL, "other", "other" },
                  { 1, 2, "third", "third", "third" }, { 1, 1, "toy", "toy", "toy" },
                  { 1, 1, "unknown", "unknown", NULL } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(Model, train_on, model_fini, m, &b, list + cases[k].first, cases[k].n, cases[k].treebank, &began);
        assert_default(&m, cases[k].wanted);
        if (!cases[k].reported) assert_null(began.c.init.treebank);
        else assert_string_equal(began.c.init.treebank, cases[k].reported);
    }
}

/* They count in whatever treebank they are; a model whose default treebank is not in the data does as before. */
TEST(hyphens_are_split_where_training_has_split_ones)
{
    Began began;
    MADE(Bench, bench_init, bench_fini, b, 60);
    MADE(Corpus, make_other, corpus_fini, plain, "other", 3);
    MADE(Corpus, make_other, corpus_fini, split, "other", 3);
    for (int k = 0; k < split.trees.n; k++) split.trees.s[k].tags[0] = "HYPH";
    Corpus list[] = { b.train, split, plain };
    const struct {
        int first, n;
        const char *treebank;
        bool splits;
    } cases[] = { { 0, 1, "toy", false },
                  { 0, 2, "toy", true },
                  { 2, 1, "toy", true },
                  { 2, 1, "other", false },
                  { 1, 1, "other", true } };
    train_first(&b, &split);
    MADE(Model, load_task_ok, model_fini, first, in(&b, "a"), &TASK_PARSE);
    assert_true(first.c.split_hyphens);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(Model, train_on, model_fini, m, &b, list + cases[k].first, cases[k].n, cases[k].treebank, &began);
        assert_int_equal(m.c.split_hyphens, cases[k].splits);
    }
}

static bool owns(const Model *m, const char *entry) { return vocab_find(&m->own_labels, entry) >= 0; }

/* Old labels may appear everywhere, unless they were those of one treebank; new ones are those of the treebank that has
 * them. PP of toy is TITLE in other; third has TITLE, and SBAR as CLAUSE. */
TEST(new_labels_belong_to_their_treebank_and_old_ones_stay_as_they_were)
{
    FREED(model_fini) Model m;
    Began began;
    MADE(Bench, bench_init, bench_fini, b, 60);
    MADE(Corpus, make_other, corpus_fini, other, "other", 3);
    MADE(Corpus, make_other, corpus_fini, third, "third", 4);
    rename_labels(&third.trees, "SBAR", "CLAUSE");
    train_first(&b, NULL);
    train_on(&m, &b, &other, 1, NULL, &began);
    assert_int_equal(vocab_size(&m.own_labels), 1); /* not PP, which other lacks */
    assert_true(owns(&m, "TITLE other"));
    model_fini(&m);
    train_first(&b, &other);
    train_on(&m, &b, &other, 1, NULL, &began); /* of the same data: as before */
    assert_int_equal(vocab_size(&m.own_labels), 2);
    assert_true(owns(&m, "TITLE other") && owns(&m, "PP toy"));
    model_fini(&m);
    train_on(&m, &b, &third, 1, NULL, &began);
    assert_int_equal(vocab_size(&m.own_labels), 2);
    assert_true(owns(&m, "CLAUSE third") && owns(&m, "PP toy")); /* TITLE is of two now */
    model_fini(&m);
    /* more of the only treebank: there is no other one to keep a label from */
    train_first(&b, NULL);
    rename_labels(&b.train.trees, "SBAR", "CLAUSE");
    train_on(&m, &b, &b.train, 1, NULL, &began);
    assert_int_equal(vocab_size(&m.own_labels), 0);
    assert_true(vocab_find(&m.labels, "CLAUSE") > 0 && vocab_find(&m.labels, "SBAR") > 0);
}

/* What the data do not have is still predicted, unless it is switched off. */
TEST(scorers_of_trees_and_arcs_are_kept_without_data)
{
    Began began;
    EncoderOptions o;
    MADE(Bench, bench_init, bench_fini, b, 60);
    for (int has = 0; has < 2; has++) { /* 0: arcs alone, 1: trees alone */
        MADE(Corpus, make_other, corpus_fini, part, "part", 3);
        for (int k = 0; k < part.trees.n; k++) {
            Sentence *sent = &part.trees.s[k];
            sent->has_tree = has;
            if (!has) sent->n_phrases = 0;
            else sent->heads = NULL;
            if (has) sent->types = NULL;
        }
        train_first(&b, NULL);
        MADE(Model, train_on, model_fini, m, &b, &part, 1, NULL, &began);
        assert_true(m.c.trees && m.c.arcs);
        assert_non_null(strstr(began.c.notes, has ? "have no dependencies: their scorers are those of the model"
                                                  : "have no trees: their scorer is that of the model"));
        TrainArgs a = further(&b, in(&b, "a"), in(&b, "b"), &o);
        a.corpora = &part;
        if (has) a.model.arcs = false; /* --no-arcs */
        else a.model.trees = false;
        MADE(Model, train_and_load, model_fini, without, &a);
        assert_true(without.c.trees == has && without.c.arcs == !has);
    }
}

/* Of the new data, words that occur often enough are added; none of the model is dropped. */
TEST(word_min_count_holds_for_new_words_alone)
{
    Began began;
    EncoderOptions o;
    MADE(Bench, bench_init, bench_fini, b, 60);
    train_first(&b, NULL);
    MADE(Model, load_ok, model_fini, from, in(&b, "a"));
    for (int k = 0; k < 3; k++) b.train.trees.s[k].words[0] = k ? "twice" : "once";
    TrainArgs a = further(&b, in(&b, "a"), in(&b, "b"), &o);
    a.model.word_min_count = 2;
    a.observer = (TrainObserver){ take_counts, &began };
    MADE(Model, train_and_load, model_fini, m, &a);
    assert_int_equal(vocab_size(&m.words), vocab_size(&from.words) + 1);
    assert_true(vocab_find(&m.words, "twice") > 0 && vocab_find(&m.words, "once") < 0);
    for (int k = 0; k < vocab_size(&from.words); k++) {
        assert_string_equal(vocab_text(&m.words, k), vocab_text(&from.words, k));
        if (k >= N_RESERVED) assert_true(m.words.counts[k] >= from.words.counts[k]);
    }
}

/* A resumed run needs no other model, and keeps what it took. */
TEST(a_run_is_bit_equal_when_it_is_resumed)
{
    EncoderOptions o;
    MADE(Bench, bench_init, bench_fini, b, 100);
    MADE(Corpus, make_other, corpus_fini, other, "other", 3);
    train_first(&b, NULL);
    assert_int_equal(rename(in(&b, "a"), in(&b, "c")), 0);
    TrainArgs a = further(&b, in(&b, "c"), NULL, &o);
    a.corpora = &other;
    a.checkpoint = in(&b, "b.ckpt");
    a.train.epochs = 4;
    a.train.lr = 0.003;
    a.train.average = 0.9;
    assert_resumes_bit_equal(&b, a);
    for (int k = 0; k < 2; k++) {
        MADE(Model, load_ok, model_fini, m, in(&b, k ? "a" : "b"));
        assert_true(owns(&m, "TITLE other"));
        assert_int_equal(vocab_size(&m.own_labels), 1);
        assert_default(&m, "other");
        assert_true(m.c.trees && m.c.arcs);
        assert_non_null(strstr(m.summary, "\"init\": {"));
    }
}

/* Options that the tensors of a model depend on. */
TEST(options_that_change_shapes_are_refused)
{
    EncoderOptions o;
    MADE(Bench, bench_init, bench_fini, b, 30);
    train_first(&b, NULL);
    static const char *const fixed[][2] = {
        { "d_model", "64" },       { "n_layers", "2" },    { "n_heads", "4" },       { "d_kv", "8" },
        { "d_ff", "40" },          { "n_positions", "9" }, { "d_vectors", "5" },     { "affix_buckets", "60" },
        { "use_lal", "false" },    { "lal_d_kv", "4" },    { "n_label_heads", "7" }, { "lal_d_proj", "4" },
        { "d_label_hidden", "8" }, { "d_arc", "8" },       { "d_type", "8" },        { "d_tag_hidden", "8" }
    };
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++) {
        TrainArgs a = further(&b, in(&b, "a"), in(&b, "b"), &o);
        const Option *option = CONFIG_MODEL_OPTIONS;
        while (strcmp(option->name, fixed[k][0]) != 0) option++;
        Error e = { 0 };
        assert_ok(option_set(option, &a.model, fixed[k][1], test_error()));
        assert_int_equal(trainer_run(&a, &e), ERR_USAGE);
        assert_int_equal(strncmp(e.message, fixed[k][0], strlen(fixed[k][0])), 0);
        assert_non_null(strstr(e.message, "that of the model that the run begins with"));
        assert_int_not_equal(access(a.out, F_OK), 0);
    }
}

static const TrainInitKind *kind_of(const Began *b, const char *many)
{
    const TrainInitKind *kind = b->c.init.kind;
    while (strcmp(kind->many, many) != 0) kind++;
    return kind;
}

/* A file that cannot be read is no model to begin with, nor is there a second one. */
TEST(other_files_are_refused)
{
    EncoderOptions o;
    MADE(Bench, bench_init, bench_fini, b, 30);
    train_first(&b, NULL);
    TrainArgs a = further(&b, in(&b, "a"), in(&b, "b"), &o);
    edit_model_metadata(in(&b, "a"), in(&b, "c"), "lal.format", NULL, "99");
    assert_fails_with(trainer_init_options(in(&b, "c"), &a.model, &o, NULL, &b.train.trees.arena, test_error()),
                      ERR_FORMAT, "found model format 99, this program reads up to ");
    o.gates.start_from = in(&b, "a");
    assert_fails_with(trainer_run(&a, test_error()), ERR_USAGE, "gates.start_from");
    assert_int_not_equal(access(a.out, F_OK), 0);
}

TEST(a_model_that_is_replaced_between_two_reads_is_noticed)
{
    EncoderOptions o;
    char checksum[17];
    MADE(Bench, bench_init, bench_fini, b, 30);
    train_first(&b, NULL);
    TrainArgs a = further(&b, in(&b, "a"), in(&b, "b"), &o);
    a.checksum = checksum;
    assert_ok(trainer_init_options(a.init, &a.model, &o, checksum, &b.train.trees.arena, test_error()));
    edit_model_metadata(in(&b, "a"), in(&b, "c"), "lal.config", "lambda", "0.25");
    assert_int_equal(rename(in(&b, "c"), a.init), 0);
    assert_fails_with(trainer_run(&a, test_error()), ERR_IO,
                      "the file was replaced while it was read, expected one file");
    assert_ok(trainer_init_options(a.init, &a.model, &o, checksum, &b.train.trees.arena, test_error()));
    assert_ok(trainer_run(&a, test_error()));
}

/* Tables and heads that options switch on are new; those that they switch off are dropped. */
TEST(parts_can_be_switched_on_and_off)
{
    Began began;
    EncoderOptions o;
    MADE(Bench, bench_init, bench_fini, b, 60);
    train_first(&b, NULL);
    MADE(Model, load_ok, model_fini, from, in(&b, "a"));
    TrainArgs a = further(&b, in(&b, "a"), in(&b, "b"), &o);
    a.observer = (TrainObserver){ take_counts, &began };
    a.model.use_tags = true; /* embedding.embs.0 are tags then, and words are embs.1 */
    a.model.use_treebank = false;
    a.model.d_tag_hidden = 0;
    MADE(Model, train_and_load, model_fini, m, &a);
    const TrainInitKind *tensors = kind_of(&began, "tensors"), *scorers = kind_of(&began, "tensors of scorers");
    assert_int_equal(tensors->added.n, 1);
    assert_int_equal(tensors->dropped.n, 1);
    assert_string_equal(tensors->dropped.first[0], "embedding.treebank.weight");
    assert_string_equal(tensors->why, "switched off by options");
    assert_int_equal(scorers->dropped.n, 6); /* f_tag */
    int x = from.net.embedding.words, y = m.net.embedding.words;
    assert_string_not_equal(from.ps.p[x].name, m.ps.p[y].name);
    assert_memory_equal(param_values(&from.ps, x), param_values(&m.ps, y), param_count(&m.ps.p[y]) * sizeof(Real));
}

/* A pruned parser keeps its heads and gets new labels. */
TEST(a_pruned_parser_gets_new_labels)
{
    Began began;
    MADE(Bench, bench_init, bench_fini, b, 60);
    MADE(Corpus, make_other, corpus_fini, other, "other", 3);
    EncoderOptions o = toy_options("{'gates': {'kind': 'constant', 'stacks': ['self', 'label'], 'constant': [0, 1, 1, "
                                   "0, 1, 1, 0, 1]}}",
                                   &b.train.trees.arena);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 2);
    a.options = &o;
    a.n_dev = 0;
    a.train.epochs = 1;
    MADE(Model, train_and_load, model_fini, gated, &a);
    MADE(Model, model_init, model_fini, small);
    assert_ok(model_prune(&gated, &small, test_error()));
    assert_ok(model_save(&small, in(&b, "a"), DT_F32, NULL, 0, NULL, test_error()));
    MADE(Model, train_on, model_fini, m, &b, &other, 1, NULL, &began);
    assert_int_equal(m.kept[1].n, small.kept[1].n);
    assert_true(m.shared_block == small.shared_block);
    assert_true(vocab_find(&m.labels, "TITLE") > 0);
    assert_int_equal(kind_of(&began, "tensors")->taken, m.ps.n - 25);
    assert_int_equal(kind_of(&began, "tensors")->added.n + kind_of(&began, "tensors")->dropped.n, 0);
}

/* A parser with an encoder of word pieces has it again. */
TEST(a_pretrained_encoder_is_taken_with_its_tokenizer)
{
    EncoderOptions o;
    MADE(Bench, bench_init, bench_fini, b, 40);
    MADE(Corpus, make_other, corpus_fini, other, "other", 3);
    MADE(Model, model_init, model_fini, encoder);
    assert_ok(import_folder(&encoder, "tests/golden/encoders/mpnet-tiny", NULL, test_error()));
    assert_ok(model_save(&encoder, in(&b, "v"), DT_F32, NULL, 0, NULL, test_error()));
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 2);
    a.pretrained = in(&b, "v");
    a.n_dev = 0;
    a.train.epochs = 1;
    MADE(Model, train_and_load, model_fini, from, &a);
    for (int layers = from.c.pretrained_layers; layers > 0; layers--) { /* or the lowest of its layers */
        TrainArgs more = further(&b, in(&b, "a"), in(&b, "b"), &o);
        more.corpora = &other;
        more.model.pretrained_layers = layers;
        MADE(Model, train_and_load, model_fini, m, &more);
        assert_int_equal(m.c.pretrained_layers, layers);
        assert_int_equal(piece_tokenizer_size(&m.tokenizer), piece_tokenizer_size(&from.tokenizer));
        int pretrained = 0;
        for (int k = 0; k < m.ps.n; k++) {
            if (strncmp(m.ps.p[k].name, "pretrained.", strlen("pretrained.")) != 0) continue;
            assert_same_tensor(&from, m.ps.p[k].name, &m, m.ps.p[k].name);
            pretrained++;
        }
        assert_true(pretrained > 10);
    }
    assert_int_equal(from.c.pretrained_d_ff, 96);
    for (int d_ff = 96; d_ff > 0; d_ff -= 40) { /* or the hidden units that matter most; 96, 56, then 16 of 56 */
        TrainArgs more = further(&b, in(&b, d_ff == 16 ? "c" : "a"), in(&b, d_ff == 16 ? "b" : "c"), &o);
        more.corpora = &other;
        more.model.pretrained_d_ff = d_ff;
        MADE(Model, train_and_load, model_fini, m, &more);
        assert_true(m.pretrained.d_ff == d_ff && m.c.pretrained_d_ff == d_ff);
        for (int k = 0; k < m.ps.n; k++) {
            const char *name = m.ps.p[k].name;
            bool units = strncmp(name, "pretrained.ff_", strlen("pretrained.ff_")) == 0 && !strstr(name, "layer_norm");
            if (strncmp(name, "pretrained.", strlen("pretrained.")) == 0 && (!units || d_ff == 96))
                assert_same_tensor(&from, name, &m, name);
        }
    }
    for (int k = 0; k < 4; k++) {
        TrainArgs more = further(&b, in(&b, "a"), in(&b, "b"), &o);
        if (k < 2) more.model.pretrained_layers = k ? 0 : from.c.pretrained_layers + 1;
        else more.model.pretrained_d_ff = k > 2 ? 0 : 97;
        assert_fails_with(trainer_run(&more, test_error()), ERR_USAGE,
                          k < 2 ? "pretrained_layers: found" : "pretrained_d_ff: found");
    }
    /* an encoder alone is no model to begin with */
    assert_fails_with(trainer_init_options(in(&b, "v"), &a.model, &o, NULL, &b.train.trees.arena, test_error()),
                      ERR_CONFIG, "found an encoder without a parser (lal model import)");
}

static void set_classes(Treebank *tb, const char *const names[2])
{
    for (int k = 0; k < tb->n; k++) tb->s[k].target = names[k % 2];
}

/* Classes are those of the data, in their order; those of the model have its weights. */
TEST(classes_of_a_classifier_are_matched_by_name)
{
    static const char *const first[] = { "news", "speech" }, *const second[] = { "essay", "news" };
    Began began;
    EncoderOptions o;
    MADE(Bench, bench_init, bench_fini, b, 60);
    set_classes(&b.train.trees, first);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 2);
    a.task = &TASK_CLASSIFY;
    a.n_dev = 0;
    a.train.epochs = 1;
    MADE(Model, train_and_load, model_fini, from, &a);
    set_classes(&b.train.trees, second);
    TrainArgs more = further(&b, in(&b, "a"), in(&b, "b"), &o);
    more.task = &TASK_CLASSIFY;
    more.observer = (TrainObserver){ take_counts, &began };
    MADE(Model, train_and_load, model_fini, m, &more);
    assert_int_equal(vocab_size(&m.classes), 2);
    assert_string_equal(vocab_text(&m.classes, 1), "news"); /* the first one before */
    const Real *x = param_values(&from.ps, linear_network(&from.net)->w),
               *y = param_values(&m.ps, linear_network(&m.net)->w);
    for (int r = 0; r < m.ps.p[linear_network(&m.net)->w].rows; r++) assert_true(y[2 * r + 1] == x[2 * r]);
    assert_true(param_values(&m.ps, linear_network(&m.net)->b)[1] ==
                param_values(&from.ps, linear_network(&from.net)->b)[0]);
    const TrainInitKind *kind = kind_of(&began, "classes");
    assert_int_equal(kind->taken, 1);
    assert_string_equal(kind->added.first[0], "essay");
    assert_string_equal(kind->dropped.first[0], "speech");
    assert_string_equal(kind->why, "not in the training data");
}
