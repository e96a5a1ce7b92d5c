/* Scores of models that parse, and of files of trees and dependencies */
#include <math.h>

#include "base/json_writer.h"
#include "parser/parse/calibration.h"
#include "parser/parse/evaluate.h"
#include "parser/parse/syntax_file.h"
#include "parser/task/parse/parse_use.h"

/* A run: its scores, and what else was asked for. Eval.state: one for each run. */
typedef struct Scored {
    Evaluation ev;
    Report report;
    Calibration calibration; /* of a model */
    bool model;
} Scored;

enum { NAMED_MOST = 10 }; /* unscored sentences that are named on standard error */

/* Names the first NAMED_MOST sentences that could not be scored. */
static void name_unscored(const Eval *x, const char *path, const Sentence *p, int k, const Error *why, long unscored)
{
    const Corpus *gold = x->gold;
    if (unscored <= NAMED_MOST)
        x->say("%s:%ld: sentence %d is not scored: %s at %s:%ld\n", path, p->line, k + 1, why->message, gold->path,
               gold->trees.s[k].line);
    if (unscored == NAMED_MOST + 1) x->say("%s: more sentences are not scored\n", path);
}

/* Says why columns of CoNLL-U are not scored where gold has them. */
static void name_columns(const Eval *x, const Corpus *pred, const char *path)
{
    const Corpus *gold = x->gold;
    if (gold->trees.n && pred->trees.n && gold->trees.s[0].upos && pred->trees.s[0].heads && !pred->trees.s[0].upos)
        x->say("%s: UPOS, features and lemmas are not scored: the name of the file does not end in .conllu\n", path);
}

/* Makes place for a run. */
static Scored *start_run(Eval *x, int r, Error *e)
{
    const EvalFields *f = x->f;
    const Treebank *gold = &x->gold->trees;
    Scored *to = (Scored *)x->state + r;
    report_init(&to->report);
    to->ev = (Evaluation){ .report = f->report || f->format == EVAL_TSV ? &to->report : NULL,
                           .punct = punct_set_of((PunctSet)f->punct, gold) };
    if (!x->several || (to->ev.each = mem_calloc((size_t)gold->n, sizeof *to->ev.each))) return to;
    error_set(e, ERR_NOMEM, "out of memory comparing");
    return NULL;
}

enum { TAGS = COMPARE_METRICS, METRICS };

static void set_values(const Scores *sum, double *value)
{
    for (int m = 0; m < COMPARE_METRICS; m++) {
        bool known;
        double score = compare_score(sum, (CompareMetric)m, &known);
        value[m] = known ? score : NAN;
    }
    value[TAGS] = sum->tags && sum->tags_pred ? score_percent(sum->tags_right, sum->tags) : NAN;
}

static Status score_file(Eval *x, int r, int file, const char *from, Error *e)
{
    const char *path = x->run[r].name;
    (void)from; /* x->pred has it */
    const Corpus *gold = x->gold, *pred = &x->pred[file];
    Scored *to = start_run(x, r, e);
    Status s = to ? OK : e->code;
    if (s == OK) name_columns(x, pred, path);
    if (s == OK && pred->trees.n != gold->trees.n)
        s = error_at(e, ERR_FORMAT, path, 0, 0, "found %d sentences, expected %d as in gold", pred->trees.n,
                     gold->trees.n);
    for (int k = 0; k < gold->trees.n && s == OK; k++) {
        const Sentence *g = &gold->trees.s[k], *p = &pred->trees.s[k];
        Error why = { 0 };
        s = evaluation_add(&to->ev, k, g, p, &why);
        if (s == ERR_RANGE) {
            name_unscored(x, path, p, k, &why, ++to->ev.sum.unscored);
            s = OK;
        } else if (s != OK) error_at(e, s, path, p->line, 0, "sentence %d: %s", k + 1, why.message);
    }
    if (s == OK) set_values(&to->ev.sum, x->run[r].value);
    return s;
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

static Status score_model(Eval *x, int r, const Model *m, Error *e)
{
    const EvalFields *f = x->f;
    const Treebank *gold = &x->gold->trees;
    EvaluateOptions o = { .parse = parse_defaults(m),
                          .n_threads = x->n_threads,
                          .given_tags = f->tags == 1,
                          .progress = x->progress,
                          .context = x->progress_context };
    Treebank parses;
    treebank_init(&parses);
    Scored *to = start_run(x, r, e);
    Status s = to ? model_treebank(m, f->treebank, &o.parse.treebank, e) : e->code;
    if (f->max_words) o.parse.max_words = f->max_words;
    o.parse.shape_tags = f->treebank == NULL;
    o.parse.by_score = f->by_score;
    o.parse.confidence = o.parse.arc_probability = f->risk_coverage;
    if (s == OK) s = read_parses(f, m, x->gold, &parses, e);
    o.parses = parses.n ? parses.s : NULL;
    if (s == OK && f->risk_coverage && !(to->ev.risk = mem_calloc((size_t)gold->n, sizeof *to->ev.risk)))
        s = error_set(e, ERR_NOMEM, "out of memory for risks");
    if (s == OK) s = evaluate_model(m, gold, &o, &to->ev, e);
    if (s == OK && f->calibration) s = calibration_run(&to->calibration, m, gold, &o.parse, o.n_threads, e);
    treebank_fini(&parses);
    if (s != OK) return s;
    to->model = true;
    set_values(&to->ev.sum, x->run[r].value);
    return OK;
}

/* ---- what is said of runs */

static const Scored *scored_of(const Eval *x, int r) { return (const Scored *)x->state + r; }

static Status compare(const Eval *x, int a, int b, int metric, Comparison *out, Error *e)
{
    const EvalFields *f = x->f;
    const int n = x->gold->trees.n;
    const Scores *each[2][EVAL_RUNS_MOST];
    for (int r = 0; r < f->runs; r++) {
        each[0][r] = scored_of(x, a + r)->ev.each;
        each[1][r] = scored_of(x, b + r)->ev.each;
    }
    const CompareMetric by = (CompareMetric)metric;
    const uint64_t seed = (uint64_t)f->seed;
    return f->runs == 1 ? compare_scores(each[0][0], each[1][0], n, by, f->samples, seed, out, e)
                        : compare_runs(each[0], each[1], f->runs, n, by, f->samples, seed, out, e);
}

static Status put_risk(const Eval *x, const Scored *scored, bool json, StrBuf *out, Error *e)
{
    if (!scored->ev.risk) return OK;
    if (!json) return risk_text(scored->ev.risk, x->gold->trees.n, out, e);
    json_key(out, "risk_coverage");
    return risk_json(scored->ev.risk, x->gold->trees.n, out, e);
}

static Status put(const Eval *x, int r, bool json, StrBuf *out, Error *e)
{
    const Scored *scored = scored_of(x, r);
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

static void put_tsv(const Eval *x, StrBuf *out) { report_write(&scored_of(x, 0)->report, REPORT_TSV, out); }

static long unscored(const Eval *x)
{
    long n = 0;
    for (int r = 0; r < x->n; r++) n += scored_of(x, r)->ev.sum.unscored;
    return n;
}

/* ---- the task */

static Status begin(Eval *x, Error *e)
{
    x->state = mem_calloc(EVAL_RUNS_MOST, sizeof(Scored));
    return x->state ? OK : error_set(e, ERR_NOMEM, "out of memory for the scores");
}

static void end(Eval *x)
{
    Scored *scored = x->state;
    for (int r = 0; r < x->n && scored; r++) {
        mem_free(scored[r].ev.each);
        mem_free(scored[r].ev.risk);
        report_fini(&scored[r].report);
    }
    mem_free(scored);
}

const EvalTask PARSE_EVAL = { .metrics = { { "f1", "F1" },
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
                              .of = "a model that parses",
                              .refused = { "gold-classes" },
                              .corpora = true,
                              .rounded = true,
                              .begin = begin,
                              .end = end,
                              .model = score_model,
                              .file = score_file,
                              .compare = compare,
                              .put = put,
                              .put_tsv = put_tsv,
                              .unscored = unscored };
