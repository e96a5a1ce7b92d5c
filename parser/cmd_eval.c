/* parser/cmd_eval.c: lal eval */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "parser/corpus.h"
#include "parser/evaluate.h"
#include "parser/model_file.h"
#include "parser/program.h"

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_TSV };

typedef struct Fields {
    const char *gold, *gold_deps, *model, *pred, *pred_deps, *treebank;
    int format, tags, threads, max_words, punct;
    bool report;
} Fields;

#define F(name) offsetof(Fields, name)

const Option EVAL_OPTIONS[] = {
    { "gold", OPT_STRING, F(gold), NULL, 0, 0, NULL, "gold trees in brackets" },
    { "gold_deps", OPT_STRING, F(gold_deps), NULL, 0, 0, NULL, "gold dependencies in CoNLL-X or CoNLL-U, of the same sentences" },
    { "model", OPT_STRING, F(model), NULL, 0, 0, NULL, "model to parse the gold words with (default: as for lal parse)" },
    { "pred", OPT_STRING, F(pred), NULL, 0, 0, NULL, "score these trees instead of a model's" },
    { "pred_deps", OPT_STRING, F(pred_deps), NULL, 0, 0, NULL, "score these dependencies instead of a model's" },
    { "tags", OPT_ENUM, F(tags), "predict", 0, 0, "predict|given", "given: the model takes the gold tags as input" },
    { "treebank", OPT_STRING, F(treebank), NULL, 0, 0, NULL, "follow the conventions of this training treebank" },
    { "punct", OPT_ENUM, F(punct), "auto", 0, 0, PUNCT_CHOICES,
      "words left out of the scores without punctuation, by gold tag (auto: ptb and ctb; ud: by the relation punct; lal-2020: as that paper's "
      "code)" },
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|json|tsv", "output; tsv is the tables of --report alone" },
    { "report", OPT_BOOL, F(report), "false", 0, 0, NULL,
      "add tables: brackets by label and length, arcs by type, distance and length, tags, and what was taken for what" },
    { "threads", OPT_INT, F(threads), "0", 0, 256, NULL, "threads; 0 is one for each processor" },
    { "max_words", OPT_INT, F(max_words), "400", 1, 100000, NULL, "longer sentences are parsed in pieces" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static Status score_files(const Fields *f, const Corpus *gold, Scores *scores, Report *report, Error *e)
{
    Corpus pred;
    Status s = corpus_load(&pred, f->pred, f->pred_deps, NULL, e);
    if (s != OK) return s;
    const char *path = f->pred ? f->pred : f->pred_deps;
    if (pred.trees.n != gold->trees.n)
        s = error_at(e, ERR_FORMAT, path, 0, 0, "found %d sentences, expected %d as in gold", pred.trees.n, gold->trees.n);
    for (int k = 0; k < gold->trees.n && s == OK; k++) {
        Error why = { 0 };
        s = score_add(scores, &gold->trees.s[k], &pred.trees.s[k], (PunctSet)f->punct, &why);
        if (s == OK && report) s = report_add(report, &gold->trees.s[k], &pred.trees.s[k], &why);
        if (s != OK) error_at(e, s, path, pred.trees.s[k].line, 0, "sentence %d: %s", k + 1, why.message);
    }
    corpus_fini(&pred);
    return s;
}

static Status score_model(const Fields *f, const Corpus *gold, Scores *scores, Report *report, Error *e)
{
    char path[512];
    Model m;
    model_init(&m);
    Status s = model_load(&m, program_model_path(f->model, path, sizeof path), NULL, e);
    EvaluateOptions o = { parse_defaults(&m), program_threads(f->threads), f->tags == 1, (PunctSet)f->punct, report };
    o.parse.max_words = f->max_words;
    if (s == OK && f->treebank && (o.parse.treebank = vocab_find(&m.treebanks, f->treebank)) < 0)
        s = error_set(e, ERR_USAGE, "--treebank: found '%s', which the model does not know; lal info lists the treebanks", f->treebank);
    if (s == OK) s = evaluate(&m, &gold->trees, &o, scores, e);
    model_fini(&m);
    return s;
}

static Status put_scores(const Fields *f, const Scores *scores, const Report *report, Error *e)
{
    StrBuf out = { 0 };
    Status s = OK;
    if (f->format == FORMAT_TEXT) {
        score_text(scores, &out);
        if (report) report_write(report, REPORT_TEXT, &out);
    } else if (f->format == FORMAT_TSV) report_write(report, REPORT_TSV, &out);
    else {
        score_json(scores, &out);
        if (report && out.len > 2) { /* inside the object, before its brace */
            out.len -= 2;
            strbuf_puts(&out, ", \"report\": ");
            report_write(report, REPORT_JSON, &out);
            strbuf_puts(&out, "}\n");
        }
    }
    if (out.failed) s = error_set(e, ERR_NOMEM, "out of memory writing scores");
    else if (!out.ptr || fputs(out.ptr, stdout) < 0 || fflush(stdout) != 0) s = error_set(e, ERR_IO, "cannot write: %s", strerror(errno));
    strbuf_fini(&out);
    return s;
}

Status cmd_eval(int argc, char **argv, Error *e)
{
    Fields f;
    const Option *tables[] = { EVAL_OPTIONS };
    void *fields[] = { &f };
    const char **rest = mem_alloc((size_t)argc + 1, sizeof *rest);
    int n = 0;
    if (!rest) return error_set(e, ERR_NOMEM, "out of memory");
    options_defaults(EVAL_OPTIONS, &f);
    Status s = options_parse(tables, fields, 1, argc, argv, rest, &n, e);
    if (s == OK && n) s = error_set(e, ERR_USAGE, "found '%s', expected only options", rest[0]);
    if (s == OK && !f.gold && !f.gold_deps) s = error_set(e, ERR_USAGE, "found no --gold and no --gold-deps, expected at least one");
    mem_free(rest);
    if (s != OK) return s;
    Corpus gold;
    if ((s = corpus_load(&gold, f.gold, f.gold_deps, NULL, e)) != OK) return s;
    Scores scores = { 0 };
    Report report;
    report_init(&report);
    if (f.format == FORMAT_TSV) f.report = true;
    Report *wanted = f.report ? &report : NULL;
    s = f.pred || f.pred_deps ? score_files(&f, &gold, &scores, wanted, e) : score_model(&f, &gold, &scores, wanted, e);
    if (s == OK) s = put_scores(&f, &scores, wanted, e);
    report_fini(&report);
    corpus_fini(&gold);
    return s;
}
