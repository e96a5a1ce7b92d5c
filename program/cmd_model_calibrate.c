/* Lal model calibrate */
#include <stdio.h>

#include "parser/parse/f1_fit.h"
#include "parser/parse/joint_fit.h"
#include "parser/model/corpus.h"
#include "parser/model/model_file.h"
#include "program/program.h"

typedef struct Fields {
    const char *model, *out, *treebank;
    OptionList gold, gold_deps, count;
    int threads;
} Fields;

#define F(name) offsetof(Fields, name)
static const Option CALIBRATE_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL", "the model: a file, or the name of a shipped model" },
    { "gold", OPT_LIST, F(gold), NULL, 0, 0, "FILE",
      "gold trees in brackets that the model has not learnt from, such as a dev set" },
    { "gold_deps", OPT_LIST, F(gold_deps), NULL, 0, 0, "FILE",
      "gold dependencies of the same sentences, in the order of --gold: CoNLL, or head rules" },
    { "count", OPT_LIST, F(count), NULL, 0, 0, "FILE",
      "training trees: the grammar is counted again in these alone, by treebank, which is the name of the file's "
      "folder; "
      "trees of a folder that the model does not know count for all treebanks" },
    { "treebank", OPT_STRING, F(treebank), NULL, 0, 0, "NAME",
      "treebank whose conventions are followed and fitted (default: of each --gold that of its folder's name, if the "
      "model knows it, else that of the model)" },
    { "out", OPT_STRING, F(out), NULL, 0, 0, "FILE", "write the model with what is fitted to FILE" },
    THREADS_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* Counts the grammar of the model in the trees of f->count, if there are any. */
static Status count_grammar(const Fields *f, Model *m, Error *e)
{
    Vocab steps;
    Status s = OK;
    if (f->count.n && m->c.grammar == 0)
        return error_set(e, ERR_USAGE, "--count: found a model without a grammar (lal train --grammar)");
    vocab_init(&steps);
    for (int k = 0; k < f->count.n && s == OK; k++) {
        Corpus c;
        s = corpus_load(&c, f->count.item[k], NULL, NULL, NULL, e);
        const char *treebank = s == OK && vocab_find(&m->treebanks, c.name) > 0 ? c.name : NULL;
        for (int i = 0; s == OK && i < c.trees.n; i++)
            if (c.trees.s[i].n_phrases && c.trees.s[i].tags && !grammar_count(&steps, &c.trees.s[i], treebank))
                s = error_set(e, ERR_NOMEM, "out of memory counting trees");
        corpus_fini(&c);
    }
    if (s == OK && !grammar_prune(&steps)) s = error_set(e, ERR_NOMEM, "out of memory counting trees");
    if (s != OK || !f->count.n) {
        vocab_fini(&steps);
        return s;
    }
    vocab_fini(&m->steps);
    m->steps = steps;
    grammar_fini(&m->grammar);
    return grammar_read(&m->grammar, &m->steps, &m->labels, &m->treebanks, e);
}

static Status print_fit(const char *treebank, const JointFit *x, const F1Fit *f1, Error *e)
{
    StrBuf out = { 0 };
    if (treebank) strbuf_printf(&out, "%s: ", treebank);
    strbuf_printf(&out, "span %.4f, arc %.4f, of %ld sentences in %d steps\n", x->weights.span, x->weights.arc,
                  x->weights.sentences, x->steps);
    strbuf_printf(&out, "-log p of a sentence %.4f, with both 1 %.4f\n", x->after, x->before);
    if (x->impossible || x->left_out)
        strbuf_printf(&out, "left out: %ld that no joint tree has, %d that are too long\n", x->impossible, x->left_out);
    if (f1->map.sentences)
        strbuf_printf(
            &out,
            "logit of F1 %+.4f %+.4f logit of expected F1 %+.4f log of words %+.4f grammar, of %ld sentences\n"
            "calibration error of F1 %.2f, without it %.2f\n",
            f1->map.bias, f1->map.expected, f1->map.words, f1->map.grammar, f1->map.sentences, 100 * f1->error,
            100 * f1->before);
    Status s = program_print(&out, e);
    strbuf_fini(&out);
    return s;
}

/* The sentences of the corpora that are of a treebank. */
static Status gather(const Corpus *corpora, const int *of, int n, int treebank, Treebank *all, Error *e)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; of[k] == treebank && i < corpora[k].trees.n; i++) {
            Sentence *to = treebank_add(all);
            if (!to) return error_set(e, ERR_NOMEM, "out of memory for gold sentences");
            *to = corpora[k].trees.s[i];
        }
    return OK;
}

/* Fits a treebank to the sentences. The model gets the weights before F1 is fitted. */
static Status fit_treebank(const Fields *f, Model *m, int treebank, const Treebank *gold, bool named, Error *e)
{
    ParseOptions o = parse_defaults(m);
    JointFit fitted;
    F1Fit f1;
    o.treebank = treebank;
    Status s = joint_fit(&fitted, m, gold, &o, program_threads(f->threads), e);
    if (s == OK && !model_set_joint(m, treebank, fitted.weights)) s = error_set(e, ERR_NOMEM, "out of memory");
    if (s == OK) s = f1_fit(&f1, m, gold, &o, program_threads(f->threads), e);
    if (s != OK) return s;
    fitted.weights.f1 = f1.map;
    if (!model_set_joint(m, treebank, fitted.weights)) return error_set(e, ERR_NOMEM, "out of memory");
    return print_fit(named ? vocab_text(&m->treebanks, treebank) : NULL, &fitted, &f1, e);
}

/* Fits the model to its gold files, apart for each treebank whose conventions they follow: the one of --treebank, else
 * of the name of the file's folder, if the model knows it, else the model's default. */
static Status fit(const Fields *f, Model *m, Error *e)
{
    Corpus corpora[OPTION_LIST_MAX];
    int n = 0, of[OPTION_LIST_MAX], asked = parse_defaults(m).treebank;
    if (f->treebank && (asked = vocab_find(&m->treebanks, f->treebank)) < 0)
        return error_set(e, ERR_USAGE, "--treebank: found '%s', which the model does not know", f->treebank);
    Status s = program_corpora(&(GoldLists){ .what = "gold", .gold = &f->gold, .deps = &f->gold_deps }, &TASK_PARSE,
                               (GoldOptions){ 0 }, corpora, &n, e);
    for (int k = 0; k < n && s == OK; k++) {
        of[k] = f->treebank ? -1 : vocab_find(&m->treebanks, corpora[k].name);
        if (of[k] <= 0) of[k] = asked;
    }
    for (int t = 0; t < vocab_size(&m->treebanks) && s == OK; t++) {
        Treebank all;
        treebank_init(&all);
        s = gather(corpora, of, n, t, &all, e);
        if (s == OK && all.n) s = fit_treebank(f, m, t, &all, n > 1 && !f->treebank, e);
        treebank_fini(&all);
    }
    m->joint = *model_joint(m, parse_defaults(m).treebank);
    for (int k = 0; k < n; k++) corpus_fini(&corpora[k]);
    return s;
}

static Status run_calibrate(int argc, char **argv, Error *e)
{
    Fields f;
    Model m;
    char place[DATA_PATH_MAX];
    int n;
    Status s = program_options(CALIBRATE_OPTIONS, &f, argc, argv, 0, &n, e);
    if (s == OK && (!f.model || !f.out || !f.gold.n || !f.gold_deps.n))
        s = error_set(e, ERR_USAGE, "found no --%s, expected --model, --gold, --gold-deps and --out",
                      !f.model    ? "model"
                      : !f.gold.n ? "gold"
                      : f.out     ? "gold-deps"
                                  : "out");
    if (s != OK) return s;
    const char *path = program_model_file(f.model, place, sizeof place);
    model_init(&m);
    s = model_load(&m, path, NULL, e);
    if (s == OK) s = count_grammar(&f, &m, e);
    if (s == OK) s = fit(&f, &m, e);
    if (s == OK) s = model_file_annotate(path, f.out, NULL, &m, f.count.n ? &m.steps : NULL, e);
    model_fini(&m);
    return s;
}

const Command CMD_MODEL_CALIBRATE = {
    .name = "model calibrate",
    .arguments = "--model MODEL --gold FILE --gold-deps FILE --out FILE [OPTIONS]",
    .about = "fit how far the probabilities of a model's trees can be believed",
    .more = "Finds the weights of the scores of spans and of arcs under which gold trees are most\n"
            "likely, then how the F1 of a sentence follows from what they expect of it and from its\n"
            "length, by the conventions of each treebank, and writes a model that has both; all else\n"
            "in the file stays as it is, but for the grammar with --count.\n",
    .tables = (const Option *const[]){ CALIBRATE_OPTIONS, NULL },
    .run = run_calibrate,
};
