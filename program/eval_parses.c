/* Scores of models that parse, and of files of trees and dependencies */
#include <math.h>
#include <stdio.h>

#include "base/json_writer.h"
#include "parser/parse/calibration.h"
#include "parser/model/corpus.h"
#include "parser/parse/evaluate.h"
#include "parser/parse/syntax_file.h"
#include "program/eval.h"

/* A run: its scores, and what else was asked for. */
typedef struct Scored {
    Evaluation ev;
    Report report;
    Calibration calibration; /* of a model */
    bool model;
} Scored;

typedef struct Parses {
    const EvalFields *f;
    Corpus gold, pred[OPTION_LIST_MAX]; /* n_pred of --pred and --pred-deps */
    Scored *scored;                     /* [n] */
    EvalRun runs[EVAL_RUNS_MOST];       /* [n] */
    int n, n_pred;
    bool oracle; /* does a model read gold parses? */
} Parses;

enum { NAMED_MOST = 10 }; /* unscored sentences that are named on standard error */

/* Names the first NAMED_MOST sentences that could not be scored. */
static void name_unscored(const Corpus *gold, const char *path, const Sentence *p, int k, const Error *why,
                          long unscored)
{
    if (unscored <= NAMED_MOST)
        program_say("%s:%ld: sentence %d is not scored: %s at %s:%ld\n", path, p->line, k + 1, why->message, gold->path,
                    gold->trees.s[k].line);
    if (unscored == NAMED_MOST + 1) program_say("%s: more sentences are not scored\n", path);
}

/* Says why columns of CoNLL-U are not scored where gold has them. */
static void name_columns(const Corpus *gold, const Corpus *pred, const char *path)
{
    if (gold->trees.n && pred->trees.n && gold->trees.s[0].upos && pred->trees.s[0].heads && !pred->trees.s[0].upos)
        program_say("%s: UPOS, features and lemmas are not scored: the name of the file does not end in .conllu\n",
                    path);
}

static Status score_files(const Corpus *gold, const Corpus *pred, const char *path, Evaluation *ev, Error *e)
{
    Status s = OK;
    name_columns(gold, pred, path);
    if (pred->trees.n != gold->trees.n)
        s = error_at(e, ERR_FORMAT, path, 0, 0, "found %d sentences, expected %d as in gold", pred->trees.n,
                     gold->trees.n);
    for (int k = 0; k < gold->trees.n && s == OK; k++) {
        const Sentence *g = &gold->trees.s[k], *p = &pred->trees.s[k];
        Error why = { 0 };
        s = evaluation_add(ev, k, g, p, &why);
        if (s == ERR_RANGE) {
            name_unscored(gold, path, p, k, &why, ++ev->sum.unscored);
            s = OK;
        } else if (s != OK) error_at(e, s, path, p->line, 0, "sentence %d: %s", k + 1, why.message);
    }
    return s;
}

static void show_progress(void *context, int done, int n)
{
    progress_show(context, (double)done / n, "%d of %d sentences", done, n);
}

/* The parses that masks of source file read: of --syntax-file, else of the test file that the model names. */
static Status read_parses(const EvalFields *f, const Model *m, const Corpus *gold, Treebank *parses, Error *e)
{
    bool reads = encoder_options_source(&m->options) == SYNTAX_FILE;
    const char *path = f->syntax_file ? f->syntax_file : m->options.syntax.test_file;
    if (f->syntax_file && !reads)
        return error_set(e, ERR_USAGE, "--syntax-file: the masks of the model do not read parses of files");
    if (!reads || !path) return OK;
    return syntax_file_corpora(parses, path, m, gold, 1, e);
}

static Status score_model(Parses *x, const char *path, Scored *to, Error *e)
{
    const EvalFields *f = x->f;
    Model m;
    model_init(&m);
    Status s = model_load(&m, path, NULL, e);
    Progress progress = progress_start("eval", f->quiet);
    EvaluateOptions o = { .parse = parse_defaults(&m),
                          .n_threads = program_threads(f->threads),
                          .given_tags = f->tags == 1,
                          .progress = show_progress,
                          .context = &progress };
    if (f->max_words) o.parse.max_words = f->max_words;
    if (s == OK) s = program_treebank(&m.treebanks, f->treebank, &o.parse.treebank, e);
    o.parse.shape_tags = f->treebank == NULL;
    o.parse.by_score = f->by_score;
    x->oracle = x->oracle || (s == OK && encoder_options_oracle(&m.options));
    Treebank parses;
    treebank_init(&parses);
    if (s == OK) s = read_parses(f, &m, &x->gold, &parses, e);
    o.parses = parses.n ? parses.s : NULL;
    o.parse.confidence = o.parse.arc_probability = f->risk_coverage;
    if (s == OK && f->risk_coverage && !(to->ev.risk = mem_calloc((size_t)x->gold.trees.n, sizeof *to->ev.risk)))
        s = error_set(e, ERR_NOMEM, "out of memory for risks");
    if (s == OK) s = evaluate_model(&m, &x->gold.trees, &o, &to->ev, e);
    if (s == OK && f->calibration) s = calibration_run(&to->calibration, &m, &x->gold.trees, &o.parse, o.n_threads, e);
    to->model = true;
    treebank_fini(&parses);
    progress_clear(&progress);
    model_fini(&m);
    return s;
}

/* ---- what eval_write asks for */

enum { TAGS = COMPARE_METRICS, METRICS };

static Status compare(void *context, int a, int b, int metric, Comparison *out, Error *e)
{
    const Parses *x = context;
    const EvalFields *f = x->f;
    const Scores *each[2][EVAL_RUNS_MOST];
    for (int r = 0; r < f->runs; r++) {
        each[0][r] = x->scored[a + r].ev.each;
        each[1][r] = x->scored[b + r].ev.each;
    }
    if (f->runs == 1)
        return compare_scores(each[0][0], each[1][0], x->gold.trees.n, (CompareMetric)metric, f->samples,
                              (uint64_t)f->seed, out, e);
    return compare_runs(each[0], each[1], f->runs, x->gold.trees.n, (CompareMetric)metric, f->samples,
                        (uint64_t)f->seed, out, e);
}

static Status put_risk(const Parses *x, const Scored *scored, bool json, StrBuf *out, Error *e)
{
    if (!scored->ev.risk) return OK;
    if (!json) return risk_text(scored->ev.risk, x->gold.trees.n, out, e);
    json_key(out, "risk_coverage");
    return risk_json(scored->ev.risk, x->gold.trees.n, out, e);
}

static Status put_run(const Parses *x, const Scored *scored, bool json, StrBuf *out, Error *e)
{
    if (json) score_members(&scored->ev.sum, out);
    else score_text(&scored->ev.sum, out);
    if (x->f->report && json) json_key(out, "report");
    if (x->f->report) report_write(&scored->report, json ? REPORT_JSON : REPORT_TEXT, out);
    if (x->f->calibration && scored->model) {
        if (json) json_key(out, "calibration");
        if (json) calibration_json(&scored->calibration, out);
        else calibration_text(&scored->calibration, out);
    }
    return put_risk(x, scored, json, out, e);
}

static const EvalTask PARSES;

static Status put(void *context, int first, bool json, StrBuf *out, Error *e)
{
    const Parses *x = context;
    int runs = x->f->runs;
    Status s = OK;
    if (runs == 1) return put_run(x, &x->scored[first], json, out, e);
    eval_means(x->f, &PARSES, x->runs + first, json, out);
    if (json) json_array(out, "runs");
    for (int r = first; r < first + runs && s == OK; r++) {
        if (json) json_object(out, NULL);
        if (json) json_string(out, "name", x->runs[r].name);
        else strbuf_printf(out, "\n%s\n", x->runs[r].name);
        s = put_run(x, &x->scored[r], json, out, e);
        if (json) json_object_end(out);
    }
    if (json) json_array_end(out);
    return s;
}

static const EvalTask PARSES = { .metrics = { { "f1", "F1" },
                                              { "uas_nopunct", "UAS" },
                                              { "las_nopunct", "LAS" },
                                              { "upos", "UPOS" },
                                              { "ufeats", "UFeats" },
                                              { "lemmas", "Lemmas" },
                                              { "clas", "CLAS" },
                                              { "mlas", "MLAS" },
                                              { "blex", "BLEX" },
                                              { "tag_accuracy", "tags" } },
                                 .n_metrics = METRICS,
                                 .n_compared = COMPARE_METRICS,
                                 .compare = compare,
                                 .put = put };

/* ---- all runs */

/* path: of the model of run k; NULL: the default one, or, of the last n_pred runs, files. */
static Status score_run(Parses *x, int k, const char *path, Error *e)
{
    char place[DATA_PATH_MAX];
    Scored *to = &x->scored[k];
    const EvalFields *f = x->f;
    int file = k - (x->n - x->n_pred);
    report_init(&to->report);
    to->ev = (Evaluation){ .report = f->report || f->format == EVAL_TSV ? &to->report : NULL,
                           .punct = punct_set_of((PunctSet)f->punct, &x->gold.trees) };
    if (x->n > f->runs && !(to->ev.each = mem_calloc((size_t)x->gold.trees.n, sizeof *to->ev.each)))
        return error_set(e, ERR_NOMEM, "out of memory comparing");
    if (file >= 0) path = file < f->pred.n ? f->pred.item[file] : f->pred_deps.item[file];
    x->runs[k].name = path;
    Status s = file < 0 ? score_model(x, program_model_path(path, place, sizeof place), to, e)
                        : score_files(&x->gold, &x->pred[file], path, &to->ev, e);
    for (int m = 0; m < COMPARE_METRICS; m++) {
        bool known;
        double value = compare_score(&to->ev.sum, (CompareMetric)m, &known);
        x->runs[k].value[m] = known ? value : NAN;
    }
    const Scores *sum = &to->ev.sum;
    x->runs[k].value[TAGS] = sum->tags && sum->tags_pred ? score_percent(sum->tags_right, sum->tags) : NAN;
    return s;
}

static Status print(Parses *x, Error *e)
{
    static const OracleForm forms[] = { [EVAL_TEXT] = ORACLE_TEXT, [EVAL_TSV] = ORACLE_TSV, [EVAL_JSON] = ORACLE_JSON };
    StrBuf out = { 0 };
    long unscored = 0;
    Status s = OK;
    if (x->f->format == EVAL_TSV) report_write(&x->scored[0].report, REPORT_TSV, &out);
    else s = eval_write(x->f, &PARSES, x, x->runs, x->n, &out, e);
    if (s == OK && x->oracle) program_mark_oracle(&out, forms[x->f->format]);
    if (s == OK) s = program_print(&out, e);
    for (int k = 0; k < x->n; k++) unscored += x->scored[k].ev.sum.unscored;
    if (s == OK && unscored)
        s = error_set(e, ERR_FORMAT, "%ld of %d sentences were not scored", unscored, x->n * x->gold.trees.n);
    strbuf_fini(&out);
    return s;
}

Status eval_parses(const EvalFields *f, Error *e)
{
    Parses *x = mem_calloc(1, sizeof *x);
    if (!x) return error_set(e, ERR_NOMEM, "out of memory for the scores");
    x->f = f;
    Status s = program_corpus(&x->gold, f->gold, f->gold_deps, NULL, e);
    bool gold = s == OK;
    if (s == OK) s = program_corpora(&(GoldLists){ .what = "pred", .gold = &f->pred, .deps = &f->pred_deps }, &TASK_PARSE,
                                         (GoldOptions){ 0 }, x->pred, &x->n_pred, e);
    int n = f->model.n + x->n_pred;
    x->scored = mem_calloc((size_t)n, sizeof *x->scored);
    if (s == OK && !x->scored) s = error_set(e, ERR_NOMEM, "out of memory for the scores");
    if (s == OK) x->n = n;
    for (int k = 0; k < n && s == OK; k++) s = score_run(x, k, k < f->model.n ? f->model.item[k] : NULL, e);
    if (s == OK) s = print(x, e);
    for (int k = 0; k < x->n; k++) {
        mem_free(x->scored[k].ev.each);
        mem_free(x->scored[k].ev.risk);
        report_fini(&x->scored[k].report);
    }
    for (int k = 0; k < x->n_pred; k++) corpus_fini(&x->pred[k]);
    if (gold) corpus_fini(&x->gold);
    mem_free(x->scored);
    mem_free(x);
    return s;
}
