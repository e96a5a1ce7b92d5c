/* Which sentences an epoch has (options mix and questions), and how they are shown (vary_*). */
#include <string.h>

#include "parser/task/parse/parse_examples.h"
#include "parser/task/parse/gold.h"
#include "parser/train/trainer.h"
#include "tests/support/trees.h"

/* ---- shares */

enum { N = 30, EPOCHS = 40 };

static const char *plain[] = { "A", "dog", "barked", "." };
static const char *asked[] = { "Did", "it", "bark", "?", "''" };
static const char *ordered[] = { "Do", "n't", "bark", "." };
static int ordered_heads[] = { 3, 3, 0, 3 }, plain_heads[] = { 2, 3, 0, 3 };
static const char *ordered_tags[] = { "VB", "RB", "VB", "." }, *ordered_types[] = { "aux", "neg", "root", "punct" };
static const char *plain_tags[] = { "DT", "NN", "VBD", "." }, *plain_types[] = { "det", "nsubj", "root", "punct" };

static const Sentence
    PLAIN = { .n_words = 4, .words = plain, .tags = plain_tags, .heads = plain_heads, .types = plain_types },
    ASKED = { .n_words = 5, .words = asked },
    ORDERED = { .n_words = 4, .words = ordered, .tags = ordered_tags, .heads = ordered_heads, .types = ordered_types };

/* Ten sentences of each of the treebanks a, b, c; of b the first is a question, the second an imperative. */
typedef struct Run {
    Trainer tr;
    TrainArgs a;
    Example ex[N];
    Sentence sent[N];
} Run;

static void run_init(Run *r)
{
    *r = (Run){ .tr = { .n = N, .task = &PARSE_TRAINING } };
    model_init(&r->tr.m);
    assert_ok(model_vocabs_start(&r->tr.m, test_error()));
    arena_init(&r->tr.arena, 4096);
    options_defaults(CONFIG_TRAIN_OPTIONS, &r->a.train);
    for (int k = 0; k < N; k++) {
        const char name[2] = { (char)('a' + k / 10), 0 };
        r->sent[k] = k == 10 ? ASKED : k == 11 ? ORDERED : PLAIN;
        r->ex[k] = (Example){ .s = &r->sent[k], .treebank = vocab_count(&r->tr.m.treebanks, name, 1, 1) };
    }
    r->tr.ex = r->ex;
    r->tr.a = &r->a;
}

static void run_fini(Run *r)
{
    mem_free(r->tr.order);
    arena_fini(&r->tr.arena);
    model_fini(&r->tr.m);
}

/* How often each example comes in EPOCHS epochs. */
static void count_epochs(Run *r, int times[N])
{
    memset(times, 0, N * sizeof *times);
    assert_ok(trainer_mix(&r->tr, test_error()));
    assert_non_null(r->tr.order = mem_calloc((size_t)r->tr.n_epoch, sizeof(int)));
    for (r->tr.st.epoch = 0; r->tr.st.epoch < EPOCHS; r->tr.st.epoch++) {
        assert_true(trainer_epoch(&r->tr));
        for (int k = 0; k < r->tr.n_epoch; k++) times[r->tr.order[k]]++;
    }
}

TEST(an_epoch_has_every_sentence_once)
{
    int times[N];
    MADE(Run, run_init, run_fini, r);
    count_epochs(&r, times);
    assert_int_equal(r.tr.n_epoch, N);
    for (int k = 0; k < N; k++) assert_int_equal(times[k], EPOCHS);
}

TEST(shares_of_treebanks_hold_for_each_sentence)
{
    int times[N];
    MADE(Run, run_init, run_fini, r);
    r.a.train.mix = (OptionList){ 3, { "a=0.3", "c=2.5", "b=1" } };
    count_epochs(&r, times);
    assert_int_equal(r.tr.n_epoch, 3 + 10 + 25);
    for (int k = 0; k < N; k++) assert_int_equal(times[k], k < 10 ? EPOCHS * 3 / 10 : k < 20 ? EPOCHS : EPOCHS * 5 / 2);
}

TEST(questions_and_imperatives_come_more_often)
{
    int times[N];
    MADE(Run, run_init, run_fini, r);
    r.a.train.questions = 3;
    r.a.train.mix = (OptionList){ 1, { "b=0.5" } };
    count_epochs(&r, times);
    assert_int_equal(r.tr.n_epoch, 20 + 4 + 3);
    for (int k = 0; k < N; k++)
        assert_int_equal(times[k], k == 10 || k == 11 ? EPOCHS * 3 / 2 : k / 10 == 1 ? EPOCHS / 2 : EPOCHS);
}

/* A run of five epochs that is continued with another mix is still at epoch 5, and its rate still falls to 0. */
TEST(the_schedule_counts_epochs_whatever_their_size)
{
    MADE(Run, run_init, run_fini, r);
    r.a.train = (TrainConfig){ .questions = 1, .batch_size = 3, .epochs = 10, .lr = 1, .schedule = SCHEDULE_COSINE };
    r.a.train.mix = (OptionList){ 1, { "c=0.1" } };
    assert_ok(trainer_mix(&r.tr, test_error()));
    r.tr.st = (TrainState){ .epoch = 5, .sentences = 5 * N, .step = 40 };
    assert_true(trainer_epochs(&r.tr) == 5);
    assert_true(fabs(trainer_rate(&r.tr) - 0.5) < 0.05);
    r.tr.st.epoch = 9;
    r.tr.st.batch = 6;
    assert_true(fabs(trainer_epochs(&r.tr) - (9 + 18.0 / 21)) < 1e-12);
    assert_true(trainer_rate(&r.tr) < 0.01);
}

TEST(an_epoch_depends_on_seed_and_number_alone)
{
    MADE(Run, run_init, run_fini, r);
    MADE(Run, run_init, run_fini, again);
    int times[N];
    r.a.train.mix = again.a.train.mix = (OptionList){ 1, { "a=0.7" } };
    count_epochs(&r, times);
    count_epochs(&again, times);
    r.tr.st.epoch = again.tr.st.epoch = 17;
    assert_true(trainer_epoch(&r.tr) && trainer_epoch(&again.tr));
    assert_memory_equal(r.tr.order, again.tr.order, (size_t)r.tr.n_epoch * sizeof(int));
    r.tr.st.epoch = 18;
    assert_true(trainer_epoch(&r.tr));
    assert_memory_not_equal(r.tr.order, again.tr.order, (size_t)r.tr.n_epoch * sizeof(int));
}

TEST(shares_that_mean_nothing_are_refused)
{
    static const Refused cases[] = {
        { "a", "--mix: found 'a', expected NAME=SHARE with a share from 0 to 100" },
        { "a=", "--mix: found 'a=', expected NAME=SHARE with a share from 0 to 100" },
        { "=1", "--mix: found '=1', expected NAME=SHARE with a share from 0 to 100" },
        { "a=1x", "--mix: found 'a=1x', expected NAME=SHARE with a share from 0 to 100" },
        { "a=nan", "--mix: found 'a=nan', expected NAME=SHARE with a share from 0 to 100" },
        { "a=101", "--mix: found 'a=101', expected NAME=SHARE with a share from 0 to 100" },
        { "d=1", "--mix: found 'd=1', expected the name of a training treebank before the =" }
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(Run, run_init, run_fini, r);
        r.a.train.mix = (OptionList){ 1, { cases[k].text } };
        assert_fails(trainer_mix(&r.tr, test_error()), ERR_USAGE, cases[k].message);
    }
    MADE(Run, run_init, run_fini, r);
    r.a.train.mix = (OptionList){ 3, { "a=0", "b=0", "c=0" } };
    assert_fails(trainer_mix(&r.tr, test_error()), ERR_USAGE,
                 "--mix: found shares of 0 sentences in an epoch, expected 1 to 2147483647");
}

/* ---- variation */

/* A sentence of each shape: words, the tree of the example, and its arcs, as shown by key. */
static void vary_text(Run *r, const Example *x, uint64_t key, StrBuf *out)
{
    Example shown;
    assert_ok(trainer_vary(&r->tr, x, key, test_arena(), &shown, test_error()));
    strbuf_clear(out);
    tree_write(out, shown.s);
    for (int w = 0; w < shown.s->n_words; w++) strbuf_printf(out, " %d:%s", shown.s->heads[w], shown.s->types[w]);
    for (int w = 0, n = shown.s->n_words; shown.s->upos && w < n; w += n - 1)
        strbuf_printf(out, " %s %s %s", shown.s->lemmas[w], shown.s->upos[w], shown.s->feats[w]);
    assert_int_equal(parse_gold(&shown.gold)->tree.n_words, shown.s->n_words);
    assert_true(parse_gold(&shown.gold)->heads == shown.s->heads);
    int word;
    const char *what;
    assert_true(tree_heads_valid(shown.s->heads, shown.s->n_words, &word, &what));
}

/* Is `want` among what 200 keys show? */
static bool shows(Run *r, const Example *x, const char *want)
{
    FREED(strbuf_fini) StrBuf got = { 0 };
    bool found = false;
    for (uint64_t key = 1; key < 200 && !found; key++) {
        vary_text(r, x, key, &got);
        found = strcmp(got.ptr, want) == 0;
    }
    return found;
}

/* Is each of the texts, up to NULL, among what they show? */
static void assert_shown(Run *r, const Example *x, const char *const *want)
{
    for (; *want; want++) assert_true(shows(r, x, *want));
}

TEST(sentences_are_shown_as_people_write_them)
{
    MADE(Run, run_init, run_fini, r);
    MADE(Treebank, read_one, treebank_fini, tb, "(TOP (S (NP (NNP Ann)) (VP (VBD saw) (NP (PRP us))) (. .)))");
    Sentence *sent = &tb.s[0];
    int heads[] = { 2, 0, 2, 2 };
    const char *types[] = { "nsubj", "root", "dobj", "punct" };
    sent->heads = heads;
    sent->types = types;
    ParseGold gold = { .tree = { .n_words = sent->n_words }, .heads = heads };
    Example x = { .s = sent, .gold = { &gold } };
    const char *arcs = " 2:nsubj 0:root 2:dobj 2:punct";
    const char *same = test_format("(TOP (S (NP (NNP Ann)) (VP (VBD saw) (NP (PRP us))) (. .)))%s", arcs);
    FREED(strbuf_fini) StrBuf got = { 0 };
    for (uint64_t key = 1; key < 50; key++) { /* nothing was asked for */
        vary_text(&r, &x, key, &got);
        assert_string_equal(got.ptr, same);
    }
    r.a.train.vary_final = 0.5;
    assert_true(shows(&r, &x, same));
    assert_true(shows(&r, &x, "(TOP (S (NP (NNP Ann)) (VP (VBD saw) (NP (PRP us))))) 2:nsubj 0:root 2:dobj"));
    r.a.train.vary_final = 0;
    r.a.train.vary_quotes = 1;
    assert_shown(&r, &x,
                 (const char *const[]){ "(TOP (S (`` ``) (NP (NNP Ann)) (VP (VBD saw) (NP (PRP us))) (. .) ('' ''))) "
                                        "3:punct 3:nsubj 0:root 3:dobj 3:punct 3:punct",
                                        "(TOP (S (`` ``) (NP (NNP Ann)) (VP (VBD saw) (NP (PRP us))) (. .))) "
                                        "3:punct 3:nsubj 0:root 3:dobj 3:punct",
                                        "(TOP (S (NP (NNP Ann)) (VP (VBD saw) (NP (PRP us))) (. .) ('' ''))) "
                                        "2:nsubj 0:root 2:dobj 2:punct 2:punct",
                                        NULL });
    const char *upos[] = { "PROPN", "VERB", "PRON", "PUNCT" }, *feats[] = { "A=B", "_", "_", "C=D" },
               *lemmas[] = { "Ann", "see", "we", "." };
    sent->upos = upos;
    sent->feats = feats;
    sent->lemmas = lemmas;
    r.tr.m.c.language = LANGUAGE_TRAINED; /* whose quotes have what the last mark has */
    assert_shown(&r, &x,
                 (const char *const[]){ "(TOP (S (. „) (NP (NNP Ann)) (VP (VBD saw) (NP (PRP us))) (. .) (. “))) "
                                        "3:punct 3:nsubj 0:root 3:dobj 3:punct 3:punct „ PUNCT C=D “ PUNCT C=D",
                                        "(TOP (S (NP (NNP Ann)) (VP (VBD saw) (NP (PRP us))) (. .) (. »))) "
                                        "2:nsubj 0:root 2:dobj 2:punct 2:punct Ann PROPN A=B » PUNCT C=D",
                                        NULL });
    sent->n_words = 3; /* no mark is at the end */
    sent->phrases[0].end = 3;
    gold.tree.n_words = 3;
    vary_text(&r, &x, 1, &got);
    assert_string_equal(
        got.ptr, "(TOP (S (NP (NNP Ann)) (VP (VBD saw) (NP (PRP us))))) 2:nsubj 0:root 2:dobj Ann PROPN A=B we PRON _");
    sent->n_words = 4;
    sent->phrases[0].end = 4;
    gold.tree.n_words = 4;
    sent->upos = sent->feats = sent->lemmas = NULL;
    r.a.train.vary_quotes = 0;
    r.a.train.vary_case = 1;
    assert_true(
        shows(&r, &x, "(TOP (S (NP (NNP ann)) (VP (VBD saw) (NP (PRP us))) (. .))) 2:nsubj 0:root 2:dobj 2:punct"));
    assert_true(
        shows(&r, &x, "(TOP (S (NP (NNP ANN)) (VP (VBD SAW) (NP (PRP US))) (. .))) 2:nsubj 0:root 2:dobj 2:punct"));
    assert_true(
        shows(&r, &x, "(TOP (S (NP (NNP Ann)) (VP (VBD Saw) (NP (PRP Us))) (. .))) 2:nsubj 0:root 2:dobj 2:punct"));
}

TEST(a_final_mark_with_dependents_or_a_phrase_is_handled)
{
    MADE(Run, run_init, run_fini, r);
    r.a.train.vary_final = 1;
    r.a.train.vary_quotes = 0;
    MADE(Treebank, read_one, treebank_fini, tb, "(TOP (S (VP (VB Go)) (NP (. !))))");
    Sentence *sent = &tb.s[0];
    int heads[] = { 0, 1 };
    const char *types[] = { "root", "punct" };
    sent->heads = heads;
    sent->types = types;
    ParseGold gold = { .tree = { .n_words = sent->n_words }, .heads = heads };
    Example x = { .s = sent, .gold = { &gold } };
    assert_true(shows(&r, &x, "(TOP (S (VP (VB Go)))) 0:root"));
    heads[0] = 2; /* the mark is the root */
    heads[1] = 0;
    assert_true(shows(&r, &x, "(TOP (S (VP (VB Go)) (NP (. !)))) 2:root 0:punct"));
    r.a.train.vary_final = 0;
    r.a.train.vary_quotes = 1;
    r.tr.m.c.language = LANGUAGE_TRAINED; /* of a root quotes have nothing */
    vary_text(&r, &x, 1, test_out());
    assert_string_equal(test_written(), "(TOP (S (VP (VB Go)) (NP (. !)))) 2:root 0:punct");
}
