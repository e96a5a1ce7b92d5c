/* Lal eval */
#include <string.h>

#include "eval/align.h"
#include "parser/model/corpus.h"
#include "parser/model/model_file.h"
#include "parser/task/counts.h"
#include "parser/task/document/document_use.h"
#include "program/program.h"

#define F(name) offsetof(EvalFields, name)

static const Option EVAL_OPTIONS[] = {
    { "model", OPT_LIST, F(model), NULL, 0, 0, "MODEL",
      "model that parses or classifies the gold words (default: as for lal parse); several are compared with the "
      "first" },
    { "runs", OPT_INT, F(runs), "1", 1, OPTION_LIST_MAX, "K",
      "of K models each, one after the other, one setting with different seeds: means and deviations" },
    { "measure", OPT_ENUM, F(measure), "task", 0, 0, "task|bleu|rouge|boundaries|classes|counts",
      "what is scored: what the models do, parse or classify, or files of trees and dependencies; or the texts of "
      "--pred: translations, summaries, boundaries of segments, or classes of sentences; or the numbers of sentences "
      "that lal train --score has written (docs/EVALUATION.md)" },
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

/* ---- what the options ask for */

/* Is the option, as EvalTask.refused has it, given? */
static bool is_given(const EvalFields *f, const char *option)
{
    const struct {
        const char *option;
        bool given;
    } all[] = { { "model", f->model.n > 0 },
                { "gold", f->gold != NULL },
                { "gold-deps", f->gold_deps != NULL },
                { "gold-classes", f->gold_classes != NULL },
                { "pred", f->pred.n || f->pred_deps.n },
                { "pred-deps", f->pred_deps.n > 0 },
                { "align", f->align },
                { "report", f->report },
                { "calibration", f->calibration },
                { "risk-coverage", f->risk_coverage },
                { "format tsv", f->format == EVAL_TSV } };
    size_t k = 0;
    while (strcmp(all[k].option, option) != 0) k++;
    return all[k].given;
}

/* The first option that is given and refused, or NULL. */
static const char *first_refused(const EvalFields *f, const EvalTask *task)
{
    for (int k = 0; task->refused[k]; k++)
        if (is_given(f, task->refused[k])) return task->refused[k];
    return NULL;
}

/* Of files alone, texts of --measure. */
static Status check(const EvalFields *f, const EvalTask *task, bool model, Error *e)
{
    const char *other = task->texts && f->model.n && !model ? "model" : first_refused(f, task);
    const int files = f->pred.n ? f->pred.n : f->pred_deps.n, n = f->model.n + files;
    if (other && task->texts)
        return error_set(e, ERR_USAGE, "found %s and --%s, expected %s--pred alone", model ? task->of : "--measure",
                         other, task->alone ? "" : "--gold and ");
    if (f->baselines && !task->texts)
        return error_set(e, ERR_USAGE, "--baselines: found %s, expected one of documents", task->of);
    if (other) return error_set(e, ERR_USAGE, "found --%s and %s", other, task->of);
    if (f->baselines && (!model || f->format == EVAL_TSV))
        return error_set(e, ERR_USAGE, "--baselines: found %s, expected a model of documents and another format",
                         model ? "--format tsv" : "--measure");
    bool gold = f->gold || task->alone;
    if (task->texts && (!gold || !n))
        return error_set(e, ERR_USAGE, "--measure: found no --%s", gold ? "pred" : "gold");
    if ((f->calibration || f->risk_coverage) && !f->model.n)
        return error_set(e, ERR_USAGE, "--%s: found files to score, expected a model, which has probabilities",
                         f->calibration ? "calibration" : "risk-coverage");
    if (n > 1 && f->format == EVAL_TSV)
        return error_set(e, ERR_USAGE, "--format tsv: found %d systems, expected one", n);
    if (n % f->runs) return error_set(e, ERR_USAGE, "--runs: found %d models, expected a multiple of %d", n, f->runs);
    return OK;
}

/* ---- runs */

static void show_progress(void *context, int done, int n)
{
    progress_show(context, (double)done / n, "%d of %d sentences", done, n);
}

static Status score_model(Eval *x, const char *name, Error *e)
{
    char place[DATA_PATH_MAX];
    Model m;
    model_init(&m);
    m.task = x->model_task;
    Status s = model_load(&m, program_model_path(name, place, sizeof place), NULL, e);
    Progress progress = progress_start("eval", x->f->quiet);
    x->progress_context = &progress;
    x->run[x->n].name = name;
    x->oracle = x->oracle || (s == OK && encoder_options_oracle(&m.options));
    if (s == OK) s = x->task->model(x, x->n++, &m, e);
    progress_clear(&progress);
    model_fini(&m);
    return s;
}

static Status score_files(Eval *x, Error *e)
{
    const OptionList *files = x->f->pred.n ? &x->f->pred : &x->f->pred_deps;
    Status s = OK;
    for (int k = 0; k < files->n && s == OK; k++) {
        char place[DATA_PATH_MAX];
        x->run[x->n].name = files->item[k];
        s = x->task->file(x, x->n++, k, program_file(files->item[k], place, sizeof place), e);
    }
    return s;
}

static Status score_baselines(Eval *x, Error *e)
{
    const char *name;
    Status s = OK;
    for (int b = 0; s == OK && (name = x->task->baseline_name(x, b)); b++)
        for (int k = 0; k < x->f->runs && s == OK; k++) {
            x->run[x->n].name = name;
            s = x->task->baseline(x, x->n++, b, k, e);
        }
    return s;
}

static Status print(Eval *x, Error *e)
{
    static const OracleForm forms[] = { [EVAL_TEXT] = ORACLE_TEXT, [EVAL_TSV] = ORACLE_TSV, [EVAL_JSON] = ORACLE_JSON };
    StrBuf out = { 0 };
    Status s = OK;
    if (x->f->format == EVAL_TSV) x->task->put_tsv(x, &out);
    else s = eval_write(x, &out, e);
    if (s == OK && x->oracle) program_mark_oracle(&out, forms[x->f->format]);
    if (s == OK) s = program_print(&out, e);
    long unscored = x->task->unscored ? x->task->unscored(x) : 0;
    if (s == OK && unscored)
        s = error_set(e, ERR_FORMAT, "%ld of %d sentences were not scored", unscored, x->n * x->gold->trees.n);
    strbuf_fini(&out);
    return s;
}

/* Scores all that the fields name, once gold is read. */
static Status score(Eval *x, Error *e)
{
    const EvalFields *f = x->f;
    Status s = x->task->begin(x, e);
    for (int k = 0; k < f->model.n && s == OK; k++) s = score_model(x, f->model.item[k], e);
    if (s == OK) s = score_files(x, e);
    if (s == OK && f->baselines) s = score_baselines(x, e);
    if (s == OK) s = print(x, e);
    x->task->end(x);
    return s;
}

/* Reads gold and files as the task does. */
static Status score_corpora(Eval *x, Error *e)
{
    const EvalFields *f = x->f;
    const GoldFiles files = { .gold = f->gold, .deps = f->gold_deps, .classes = f->gold_classes };
    const GoldLists lists = { .what = "pred", .gold = &f->pred, .deps = &f->pred_deps };
    Corpus gold, pred[OPTION_LIST_MAX];
    int n = 0;
    Status s = program_gold(&gold, &files, x->model_task, (GoldOptions){ 0 }, e);
    if (s != OK) return s;
    x->gold = &gold;
    x->pred = pred;
    s = program_corpora(&lists, x->model_task, (GoldOptions){ 0 }, pred, &n, e);
    if (s == OK) s = score(x, e);
    for (int k = 0; k < n; k++) corpus_fini(&pred[k]);
    corpus_fini(&gold);
    return s;
}

/* model: of what task the models are; NULL: there are files alone. */
static Status run(const EvalFields *f, const EvalTask *task, const Task *model, Error *e)
{
    char place[DATA_PATH_MAX];
    Eval *x = mem_calloc(1, sizeof *x);
    if (!x) return error_set(e, ERR_NOMEM, "out of memory for the scores");
    x->f = f;
    x->task = task;
    x->model_task = model;
    x->path = program_file(f->gold, place, sizeof place);
    x->n_threads = program_threads(f->threads);
    x->several = f->model.n + (f->pred.n ? f->pred.n : f->pred_deps.n) > f->runs;
    x->say = program_say;
    x->progress = show_progress;
    Status s = task->corpora ? score_corpora(x, e) : score(x, e);
    mem_free(x);
    return s;
}

/* ---- the command */

static Status check_files(const EvalFields *f, Error *e)
{
    if (f->align && (!f->gold_deps || f->pred_deps.n != 1))
        return error_set(e, ERR_USAGE, "--align: expected --gold-deps and one --pred-deps");
    if (f->align && (f->calibration || f->risk_coverage))
        return error_set(e, ERR_USAGE, "--%s: found --align, expected a model, which has probabilities",
                         f->calibration ? "calibration" : "risk-coverage");
    if (!f->gold && !f->gold_deps)
        return error_set(e, ERR_USAGE, "found no --gold and no --gold-deps, expected at least one");
    return OK;
}

static Status run_eval(int argc, char **argv, Error *e)
{
    enum { MEASURE_TASK, MEASURE_COUNTS = 5 }; /* of the choices of --measure; between them EvalMeasure */
    EvalFields f;
    const Task *task = &TASK_PARSE;
    const EvalTask *by;
    char place[DATA_PATH_MAX];
    int none;
    Status s = program_options(EVAL_OPTIONS, &f, argc, argv, 0, &none, e);
    if (s == OK && f.measure != MEASURE_TASK) {
        by = f.measure == MEASURE_COUNTS ? &COUNTS_EVAL : &DOCUMENT_MEASURES[f.measure - 1].task;
        s = check(&f, by, false, e);
        return s == OK ? run(&f, by, NULL, e) : s;
    }
    if (s == OK) s = check_files(&f, e);
    if (s != OK || f.align) return s == OK ? align_files(&f, e) : s;
    if (!f.pred.n && !f.pred_deps.n && !f.model.n) f.model.item[f.model.n++] = NULL; /* the default one */
    const char *path = f.model.n ? program_model_path(f.model.item[0], place, sizeof place) : NULL;
    if (path) s = program_task(path, &task, e);
    if (s != OK) return s;
    if (!(by = task_use(task)->eval)) return program_task_refused(path, task, e);
    s = check(&f, by, true, e);
    if (s == OK) s = program_device(f.device, e);
    if (s == OK) s = program_parse_products(f.products, !by->rounded, e);
    return s == OK ? run(&f, by, task, e) : s;
}

static const char EVAL_HELP[] = "Of several models, and files of --pred, each has a row of scores, and the first one\n"
                                "is compared with each other one by paired bootstrap and approximate randomisation\n"
                                "(docs/EVALUATION.md).\n";

static const Option *const EVAL_TABLES[] = { EVAL_OPTIONS, NULL };
const Command CMD_EVAL = { "eval",    "[OPTIONS]", "score models, or files of trees, arcs or texts, against gold",
                           EVAL_HELP, EVAL_TABLES, run_eval };
