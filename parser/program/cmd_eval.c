/* parser/program/cmd_eval.c: lal eval */
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "eval/align.h"
#include "eval/compare.h"
#include "parser/lab/calibration.h"
#include "parser/model/corpus.h"
#include "parser/model/model_file.h"
#include "parser/parse/evaluate.h"
#include "parser/parse/syntax_file.h"
#include "parser/program/program.h"

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_TSV };

typedef struct Fields {
    const char *gold, *gold_deps, *model, *pred, *pred_deps, *treebank, *compare, *compare_deps, *syntax_file, *device;
    long samples, seed;
    int format, tags, threads, products, max_words, punct;
    bool report, align, calibration, quiet;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option EVAL_OPTIONS[] = {
    { "gold", OPT_STRING, F(gold), NULL, 0, 0, "FILE", "gold trees in brackets" },
    { "gold_deps", OPT_STRING, F(gold_deps), NULL, 0, 0, "FILE",
      "gold dependencies of the same sentences in CoNLL-X or CoNLL-U, or head rules" },
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL",
      "model that parses the gold words (default: as for lal parse)" },
    { "pred", OPT_STRING, F(pred), NULL, 0, 0, "FILE", "score these trees instead of those of a model" },
    { "pred_deps", OPT_STRING, F(pred_deps), NULL, 0, 0, "FILE",
      "score these dependencies instead of those of a model" },
    { "align", OPT_BOOL, F(align), "false", 0, 0, NULL,
      "score --pred-deps against --gold-deps where words and sentences differ but the text is the same, by the "
      "measures of the CoNLL 2018 shared task (LAS, MLAS, BLEX, ...)" },
    { "compare", OPT_STRING, F(compare), NULL, 0, 0, "FILE",
      "trees of a second system; tests whether the difference is significant" },
    { "compare_deps", OPT_STRING, F(compare_deps), NULL, 0, 0, "FILE", "dependencies of the second system" },
    { "samples", OPT_LONG, F(samples), "10000", 1, 1e8, NULL, "samples of each significance test" },
    { "seed", OPT_LONG, F(seed), "1", 0, 1e15, NULL, "seed of the significance tests" },
    { "syntax_file", OPT_STRING, F(syntax_file), NULL, 0, 0, "FILE",
      "parses of the gold sentences, for a model whose masks read parses of files (default: the model's "
      "syntax.test_file)" },
    { "tags", OPT_ENUM, F(tags), "predict", 0, 0, "predict|given",
      "let the model predict tags, or give it the gold tags" },
    TREEBANK_OPTION(Fields, TREEBANK_SHAPES),
    { "punct", OPT_ENUM, F(punct), "auto", 0, 0, PUNCT_CHOICES,
      "words that scores without punctuation leave out, by gold tag; auto: ptb and ctb; ud: the relation punct; "
      "lal-2020: as the code of Mrini et al. 2020" },
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|json|tsv",
      "format of the output; tsv: only the tables of --report, or those of --align" },
    { "report", OPT_BOOL, F(report), "false", 0, 0, NULL,
      "add tables: brackets by label and length, arcs by type, distance and length, tags, and confusions" },
    { "calibration", OPT_BOOL, F(calibration), "false", 0, 0, NULL,
      "add how far the model's probabilities of tags, arcs and labelled spans can be believed, at several temperatures "
      "(docs/EVALUATION.md)" },
    THREADS_OPTION(Fields),
    DEVICE_OPTION(Fields, device),
    { "products", OPT_ENUM, F(products), "auto", 0, 0, PARSE_PRODUCTS_CHOICES, PARSE_PRODUCTS_ABOUT },
    { "max_words", OPT_INT, F(max_words), "120", 1, 100000, NULL, "parse sentences of more than N words in pieces" },
    QUIET_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

enum { NAMED_MOST = 10 }; /* unscored sentences that are named on standard error */

/* Names the first NAMED_MOST sentences that could not be scored. */
static void name_unscored(const char *path, const Sentence *p, int k, const Error *why, long unscored)
{
    if (unscored <= NAMED_MOST)
        program_say("%s:%ld: sentence %d is not scored: %s\n", path, p->line, k + 1, why->message);
    if (unscored == NAMED_MOST + 1) program_say("%s: more sentences are not scored\n", path);
}

static Status score_files(const char *trees, const char *deps, const Corpus *gold, Evaluation *ev, Error *e)
{
    Corpus pred;
    Status s = program_corpus(&pred, trees, deps, NULL, e);
    if (s != OK) return s;
    const char *path = trees ? trees : deps;
    if (pred.trees.n != gold->trees.n)
        s = error_at(e, ERR_FORMAT, path, 0, 0, "found %d sentences, expected %d as in gold", pred.trees.n,
                     gold->trees.n);
    for (int k = 0; k < gold->trees.n && s == OK; k++) {
        const Sentence *g = &gold->trees.s[k], *p = &pred.trees.s[k];
        Error why = { 0 };
        s = evaluation_add(ev, k, g, p, &why);
        if (s == ERR_RANGE) {
            name_unscored(path, p, k, &why, ++ev->sum.unscored);
            s = OK;
        } else if (s != OK) error_at(e, s, path, p->line, 0, "sentence %d: %s", k + 1, why.message);
    }
    corpus_fini(&pred);
    return s;
}

static void show_progress(void *context, int done, int n)
{
    progress_show(context, (double)done / n, "%d of %d sentences", done, n);
}

/* The parses that masks of source file read: of --syntax-file, else of the test file that the model names. */
static Status read_parses(const Fields *f, const Model *m, const Corpus *gold, Treebank *parses, Error *e)
{
    bool reads = encoder_options_source(&m->options) == SYNTAX_FILE;
    const char *path = f->syntax_file ? f->syntax_file : m->options.syntax.test_file;
    if (f->syntax_file && !reads)
        return error_set(e, ERR_USAGE, "--syntax-file: the masks of the model do not read parses of files");
    if (!reads || !path) return OK;
    return syntax_file_corpora(parses, path, m, gold, 1, e);
}

/* *oracle: do masks of the model read gold parses? */
static Status score_model(const Fields *f, const Corpus *gold, Evaluation *ev, Calibration *cal, bool *oracle, Error *e)
{
    char place[DATA_PATH_MAX];
    Model m;
    model_init(&m);
    Status s = program_device(f->device, e);
    if (s == OK) s = program_parse_products(f->products, false, e);
    if (s == OK) s = model_load(&m, program_model_path(f->model, place, sizeof place), NULL, e);
    Progress progress = progress_start("eval", f->quiet);
    EvaluateOptions o = { .parse = parse_defaults(&m),
                          .n_threads = program_threads(f->threads),
                          .given_tags = f->tags == 1,
                          .progress = show_progress,
                          .context = &progress };
    o.parse.max_words = f->max_words;
    if (s == OK) s = program_treebank(&m.treebanks, f->treebank, &o.parse.treebank, e);
    o.parse.shape_tags = f->treebank == NULL;
    *oracle = s == OK && encoder_options_oracle(&m.options);
    Treebank parses;
    treebank_init(&parses);
    if (s == OK) s = read_parses(f, &m, gold, &parses, e);
    o.parses = parses.n ? parses.s : NULL;
    if (s == OK) s = evaluate_model(&m, &gold->trees, &o, ev, e);
    if (s == OK && f->calibration) s = calibration_run(cal, &m, &gold->trees, &o.parse, o.n_threads, e);
    treebank_fini(&parses);
    progress_clear(&progress);
    model_fini(&m);
    return s;
}

static const char *const METRICS[COMPARE_METRICS][2] = { { "f1", "F1" },
                                                         { "uas_nopunct", "UAS" },
                                                         { "las_nopunct", "LAS" } };

static bool known(const Scores *s, int metric)
{
    bool is;
    compare_score(s, (CompareMetric)metric, &is);
    return is;
}

/* The metrics that both systems have: a is the first system, b the one of --compare. */
static Status put_comparison(const Fields *f, const Corpus *gold, const Evaluation *ev, StrBuf *out, Error *e)
{
    Evaluation other = { .each = mem_calloc((size_t)gold->trees.n, sizeof *other.each), .punct = ev->punct };
    if (!other.each) return error_set(e, ERR_NOMEM, "out of memory comparing");
    Status s = score_files(f->compare, f->compare_deps, gold, &other, e);
    bool json = f->format == FORMAT_JSON;
    if (json) json_object(out, "comparison");
    else if (s == OK)
        strbuf_puts(out, "\ncomparison      a        b      a - b   95 % interval      bootstrap p  randomisation p\n");
    for (int m = 0; m < COMPARE_METRICS && s == OK; m++) {
        Comparison c;
        if (!known(&ev->sum, m) || !known(&other.sum, m)) continue;
        s = compare_scores(ev->each, other.each, gold->trees.n, (CompareMetric)m, f->samples, (uint64_t)f->seed, &c, e);
        if (s != OK) break;
        if (json)
            json_record(out, METRICS[m][0],
                        "a: %.2f, b: %.2f, low: %.3f, high: %.3f, p_bootstrap: %.5f, p_randomisation: %.5f", c.a, c.b,
                        c.low, c.high, c.p_bootstrap, c.p_random);
        else
            strbuf_printf(out, "%-12s %6.2f   %6.2f   %+6.2f   %+.2f .. %+.2f     %.4f       %.4f\n", METRICS[m][1],
                          c.a, c.b, c.a - c.b, c.low, c.high, c.p_bootstrap, c.p_random);
    }
    if (json) json_object_end(out);
    mem_free(other.each);
    return s;
}

static Status put_all(const Fields *f, const Corpus *gold, const Evaluation *ev, const Calibration *cal, StrBuf *out,
                      Error *e)
{
    Status s = OK;
    if (f->format == FORMAT_TSV) {
        report_write(ev->report, REPORT_TSV, out);
        return OK;
    }
    bool json = f->format == FORMAT_JSON;
    if (json) {
        json_object(out, NULL);
        score_members(&ev->sum, out);
    } else score_text(&ev->sum, out);
    if (ev->each) s = put_comparison(f, gold, ev, out, e);
    if (ev->report && json) json_key(out, "report");
    if (ev->report) report_write(ev->report, json ? REPORT_JSON : REPORT_TEXT, out);
    if (f->calibration && json) {
        json_key(out, "calibration");
        calibration_json(cal, out);
    } else if (f->calibration) calibration_text(cal, out);
    if (json) strbuf_puts(out, "}\n");
    return s;
}

/* Reads dependencies with all their columns. */
static Status load_columns(Treebank *tb, const char *path, Error *e)
{
    Status s = treebank_load(tb, path, (ReaderOptions){ .format = FORMAT_CONLL, .keep_columns = true }, e);
    return s == OK && tb->n == 0 ? corpus_empty(path, false, e) : s;
}

static Status align_files(const Fields *f, Error *e)
{
    static const AlignFormat formats[] = {
        [FORMAT_TEXT] = ALIGN_TEXT, [FORMAT_JSON] = ALIGN_JSON, [FORMAT_TSV] = ALIGN_TSV
    };
    Treebank gold, pred;
    AlignScores scores;
    StrBuf out = { 0 };
    treebank_init(&gold);
    treebank_init(&pred);
    Status s = load_columns(&gold, f->gold_deps, e);
    if (s == OK) s = load_columns(&pred, f->pred_deps, e);
    if (s == OK) s = align_score(&gold, &pred, f->gold_deps, f->pred_deps, &scores, e);
    if (s == OK) align_write(&scores, formats[f->format], f->gold_deps, f->pred_deps, &out);
    if (s == OK) s = program_print(&out, e);
    strbuf_fini(&out);
    treebank_fini(&gold);
    treebank_fini(&pred);
    return s;
}

static Status run(const Fields *f, const Corpus *gold, Evaluation *ev, Error *e)
{
    StrBuf out = { 0 };
    bool oracle = false;
    Calibration cal;
    Status s = f->pred || f->pred_deps ? score_files(f->pred, f->pred_deps, gold, ev, e)
                                       : score_model(f, gold, ev, &cal, &oracle, e);
    if (s == OK) s = put_all(f, gold, ev, &cal, &out, e);
    static const OracleForm forms[] = {
        [FORMAT_TEXT] = ORACLE_TEXT, [FORMAT_TSV] = ORACLE_TSV, [FORMAT_JSON] = ORACLE_JSON
    };
    if (s == OK && oracle) program_mark_oracle(&out, forms[f->format]);
    if (s == OK) s = program_print(&out, e);
    if (s == OK && ev->sum.unscored)
        s = error_set(e, ERR_FORMAT, "%ld of %d sentences were not scored", ev->sum.unscored, gold->trees.n);
    strbuf_fini(&out);
    return s;
}

static Status run_eval(int argc, char **argv, Error *e)
{
    Fields f;
    int none;
    Status s = program_options(EVAL_OPTIONS, &f, argc, argv, 0, &none, e);
    if (s == OK && f.align && (!f.gold_deps || !f.pred_deps))
        s = error_set(e, ERR_USAGE, "--align: expected --gold-deps and --pred-deps");
    if (s == OK && !f.gold && !f.gold_deps)
        s = error_set(e, ERR_USAGE, "found no --gold and no --gold-deps, expected at least one");
    if (s == OK && f.calibration && (f.pred || f.pred_deps || f.align))
        s = error_set(e, ERR_USAGE, "--calibration: found files to score, expected a model, which has probabilities");
    if (s != OK) return s;
    if (f.align) return align_files(&f, e);
    Corpus gold;
    if ((s = program_corpus(&gold, f.gold, f.gold_deps, NULL, e)) != OK) return s;
    Report report;
    report_init(&report);
    bool compare = f.compare || f.compare_deps;
    Evaluation ev = { .report = f.report || f.format == FORMAT_TSV ? &report : NULL, .punct = (PunctSet)f.punct };
    if (compare) ev.each = mem_calloc((size_t)gold.trees.n, sizeof *ev.each);
    s = compare && !ev.each ? error_set(e, ERR_NOMEM, "out of memory comparing") : run(&f, &gold, &ev, e);
    mem_free(ev.each);
    report_fini(&report);
    corpus_fini(&gold);
    return s;
}

static const Option *const EVAL_TABLES[] = { EVAL_OPTIONS, NULL };
const Command CMD_EVAL = { "eval", "[OPTIONS]", "score a model, or files of trees or dependencies, against gold",
                           NULL,   EVAL_TABLES, run_eval };
