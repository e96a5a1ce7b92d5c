/* Lal eval */
#include "eval/align.h"
#include "parser/model/corpus.h"
#include "program/eval.h"

#define F(name) offsetof(EvalFields, name)

static const Option EVAL_OPTIONS[] = {
    { "model", OPT_LIST, F(model), NULL, 0, 0, "MODEL",
      "model that parses or classifies the gold words (default: as for lal parse); several are compared with the "
      "first" },
    { "runs", OPT_INT, F(runs), "1", 1, OPTION_LIST_MAX, "K",
      "of K models each, one after the other, one setting with different seeds: means and deviations" },
    { "measure", OPT_ENUM, F(measure), "task", 0, 0, "task|bleu|rouge|boundaries|classes",
      "what is scored: what the models do, parse or classify, or files of trees and dependencies; or the texts of "
      "--pred: translations, summaries, boundaries of segments, or classes of sentences (docs/EVALUATION.md)" },
    GOLD_OPTIONS(EvalFields,
                 "gold trees in brackets; of a model that classifies lines of class, tab, words, or a "
                 "treebank; for --measure bleu lines of text, else documents in JSON, as for models of documents"),
    SUMMARY_OPTIONS(EvalFields),
    { "baselines", OPT_BOOL, F(baselines), "false", 0, 0, NULL,
      "score baselines besides a model of summaries or segments (docs/DOCUMENTS.md)" },
    GOLD_CLASSES_OPTION(EvalFields),
    { "pred", OPT_LIST, F(pred), NULL, 0, 0, "FILE",
      "score these trees, instead of those of a model, or beside models that are named; texts with --measure" },
    { "pred_deps", OPT_LIST, F(pred_deps), NULL, 0, 0, "FILE", "score these dependencies, in the order of --pred" },
    { "align", OPT_BOOL, F(align), "false", 0, 0, NULL,
      "score --pred-deps against --gold-deps where words and sentences differ but the text is the same, by the "
      "measures of the CoNLL 2018 shared task (LAS, MLAS, BLEX, ...)" },
    { "samples", OPT_LONG, F(samples), "10000", 1, 1e8, NULL, "samples of each significance test" },
    { "seed", OPT_LONG, F(seed), "1", 0, 1e15, NULL, "seed of the significance tests" },
    { "syntax_file", OPT_STRING, F(syntax_file), NULL, 0, 0, "FILE",
      "parses of the gold sentences, for a model whose masks read parses of files (default: the model's "
      "syntax.test_file)" },
    { "tags", OPT_ENUM, F(tags), "predict", 0, 0, "predict|given",
      "let the model predict tags, or give it the gold tags" },
    BY_SCORE_OPTION(EvalFields),
    TREEBANK_OPTION(EvalFields, TREEBANK_SHAPES),
    { "punct", OPT_ENUM, F(punct), "auto", 0, 0, PUNCT_CHOICES,
      "words that scores without punctuation leave out; auto: of gold Universal Dependencies ud, else ptb and ctb, by "
      "gold tag; ud: those with the part of speech PUNCT or the relation punct; lal-2020: as the code of Mrini et al. "
      "2020" },
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|json|tsv",
      "format of the output; tsv: only the tables of --report, or those of --align" },
    { "report", OPT_BOOL, F(report), "false", 0, 0, NULL,
      "add tables, of several models for each: brackets by label and length, arcs by type, distance, length and "
      "whether gold arcs cross, tags, and confusions; with --measure the scores of each line or document" },
    { "calibration", OPT_BOOL, F(calibration), "false", 0, 0, NULL,
      "add how far the model's probabilities of tags, arcs and labelled spans can be believed, at several temperatures "
      "(docs/EVALUATION.md)" },
    { "risk_coverage", OPT_BOOL, F(risk_coverage), "false", 0, 0, NULL,
      "add how far the mean error falls when the sentences that the model is least sure of are left out, for several "
      "measures of confidence (docs/EVALUATION.md)" },
    THREADS_OPTION(EvalFields),
    DEVICE_OPTION(EvalFields, device),
    { "products", OPT_ENUM, F(products), "auto", 0, 0, PARSE_PRODUCTS_CHOICES, PARSE_PRODUCTS_ABOUT },
    { "max_words", OPT_INT, F(max_words), "0", 0, 100000, NULL,
      "parse sentences of more than N words in pieces; of longer ones that are classified, read the first N; 0: 120, "
      "or "
      "500 where they are classified" },
    QUIET_OPTION(EvalFields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* Reads dependencies with all their columns. */
static Status load_columns(Treebank *tb, const char *path, Error *e)
{
    Status s = treebank_load(tb, path, (ReaderOptions){ .format = FORMAT_CONLL, .keep_columns = true }, e);
    return s == OK && tb->n == 0 ? corpus_empty(path, false, e) : s;
}

static Status align_files(const EvalFields *f, Error *e)
{
    static const AlignFormat formats[] = { [EVAL_TEXT] = ALIGN_TEXT, [EVAL_JSON] = ALIGN_JSON, [EVAL_TSV] = ALIGN_TSV };
    Treebank gold, pred;
    AlignScores scores;
    StrBuf out = { 0 };
    treebank_init(&gold);
    treebank_init(&pred);
    Status s = load_columns(&gold, f->gold_deps, e);
    if (s == OK) s = load_columns(&pred, f->pred_deps.item[0], e);
    if (s == OK) s = align_score(&gold, &pred, f->gold_deps, f->pred_deps.item[0], &scores, e);
    if (s == OK) align_write(&scores, formats[f->format], f->gold_deps, f->pred_deps.item[0], &out);
    if (s == OK) s = program_print(&out, e);
    strbuf_fini(&out);
    treebank_fini(&gold);
    treebank_fini(&pred);
    return s;
}

/* n runs. */
static Status check_systems(const EvalFields *f, int n, Error *e)
{
    if (n > 1 && f->format == EVAL_TSV)
        return error_set(e, ERR_USAGE, "--format tsv: found %d systems, expected one", n);
    if (n % f->runs) return error_set(e, ERR_USAGE, "--runs: found %d models, expected a multiple of %d", n, f->runs);
    return OK;
}

/* What the options ask for, of a parser, or of a model that classifies. */
static Status check(const EvalFields *f, bool classifies, Error *e)
{
    bool files = f->pred.n || f->pred_deps.n;
    int n = f->model.n + (f->pred.n ? f->pred.n : f->pred_deps.n);
    const char *other = !classifies             ? f->gold_classes ? "gold-classes" : NULL
                        : f->gold_deps          ? "gold-deps"
                        : files                 ? "pred"
                        : f->calibration        ? "calibration"
                        : f->risk_coverage      ? "risk-coverage"
                        : f->format == EVAL_TSV ? "format tsv"
                                                : NULL;
    if (other)
        return error_set(e, ERR_USAGE, "found --%s and a model that %s", other, classifies ? "classifies" : "parses");
    if ((f->calibration || f->risk_coverage) && files && !f->model.n)
        return error_set(e, ERR_USAGE, "--%s: found files to score, expected a model, which has probabilities",
                         f->calibration ? "calibration" : "risk-coverage");
    return check_systems(f, n, e);
}

/* What the options ask for with --measure, or of a model of documents. */
static Status check_measure(const EvalFields *f, bool model, Error *e)
{
    int n = f->pred.n + f->model.n;
    const char *other = f->model.n && !model ? "model"
                        : f->gold_deps       ? "gold-deps"
                        : f->gold_classes    ? "gold-classes"
                        : f->pred_deps.n     ? "pred-deps"
                        : f->align           ? "align"
                        : f->calibration     ? "calibration"
                        : f->risk_coverage   ? "risk-coverage"
                                             : NULL;
    if (other)
        return error_set(e, ERR_USAGE, "found %s and --%s, expected --gold and --pred alone",
                         model ? "a model of documents" : "--measure", other);
    if (f->baselines && (!model || f->format == EVAL_TSV))
        return error_set(e, ERR_USAGE, "--baselines: found %s, expected a model of documents and another format",
                         model ? "--format tsv" : "--measure");
    if (!f->gold || !n) return error_set(e, ERR_USAGE, "--measure: found no --%s", f->gold ? "pred" : "gold");
    return check_systems(f, n, e);
}

/* Scores models of documents. */
static Status run_documents(EvalFields *f, const Task *task, Error *e)
{
    f->measure = task->gaps ? EVAL_BOUNDARIES : task == &TASK_SUMMARY ? EVAL_ROUGE : EVAL_CLASSES;
    Status s = check_measure(f, true, e);
    if (s == OK) s = program_device(f->device, e);
    if (s == OK) s = program_parse_products(f->products, true, e);
    return s == OK ? eval_texts(f, e) : s;
}

static Status run_eval(int argc, char **argv, Error *e)
{
    EvalFields f;
    const Task *task = &TASK_PARSE;
    char place[DATA_PATH_MAX];
    int none;
    Status s = program_options(EVAL_OPTIONS, &f, argc, argv, 0, &none, e);
    if (s == OK && f.measure != EVAL_TASK) {
        s = check_measure(&f, false, e);
        return s == OK ? eval_texts(&f, e) : s;
    }
    if (s == OK && f.align && (!f.gold_deps || f.pred_deps.n != 1))
        s = error_set(e, ERR_USAGE, "--align: expected --gold-deps and one --pred-deps");
    if (s == OK && f.align && (f.calibration || f.risk_coverage))
        s = error_set(e, ERR_USAGE, "--%s: found --align, expected a model, which has probabilities",
                      f.calibration ? "calibration" : "risk-coverage");
    if (s == OK && !f.gold && !f.gold_deps)
        s = error_set(e, ERR_USAGE, "found no --gold and no --gold-deps, expected at least one");
    if (s != OK || f.align) return s == OK ? align_files(&f, e) : s;
    if (!f.pred.n && !f.pred_deps.n && !f.model.n) f.model.item[f.model.n++] = NULL; /* the default one */
    if (f.model.n) s = program_task(program_model_path(f.model.item[0], place, sizeof place), NULL, &task, e);
    if (s == OK && task->documents) return run_documents(&f, task, e);
    bool classifies = s == OK && task->classifies;
    if (s == OK && f.baselines)
        s = error_set(e, ERR_USAGE, "--baselines: found a model that %s, expected one of documents",
                      classifies ? "classifies" : "parses");
    if (s == OK) s = check(&f, classifies, e);
    if (s == OK) s = program_device(f.device, e);
    if (s == OK) s = program_parse_products(f.products, classifies, e);
    if (s != OK) return s;
    return classifies ? eval_classes(&f, e) : eval_parses(&f, e);
}

static const char EVAL_HELP[] = "Of several models, and files of --pred, each has a row of scores, and the first one\n"
                                "is compared with each other one by paired bootstrap and approximate randomisation\n"
                                "(docs/EVALUATION.md).\n";

static const Option *const EVAL_TABLES[] = { EVAL_OPTIONS, NULL };
const Command CMD_EVAL = { "eval",    "[OPTIONS]", "score models, or files of trees, arcs or texts, against gold",
                           EVAL_HELP, EVAL_TABLES, run_eval };
