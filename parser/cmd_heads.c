/* parser/cmd_heads.c: lal heads, or lal inspect heads */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "parser/corpus.h"
#include "parser/insight/head_report.h"
#include "parser/model_file.h"
#include "parser/program.h"

enum { FORMAT_TEXT, FORMAT_TSV, FORMAT_JSON };

typedef struct Fields {
    const char *model, *trees, *deps, *treebank, *output;
    OptionList train, train_deps, gr, show;
    int format, importance, normalise, max_words;
    long most, mask;
} Fields;

#define F(name) offsetof(Fields, name)

const Option HEADS_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, NULL, "model file (default: as for lal parse)" },
    { "trees", OPT_STRING, F(trees), NULL, 0, 0, NULL, "gold trees of the sentences to look at" },
    { "deps", OPT_STRING, F(deps), NULL, 0, 0, NULL, "gold dependencies of the same sentences, or head rules" },
    { "train", OPT_LIST, F(train), NULL, 0, 0, NULL, "trees the model was trained on: counts for rare words, baselines for syntactic functions" },
    { "train_deps", OPT_LIST, F(train_deps), NULL, 0, 0, NULL, "dependencies of the same sentences" },
    { "gr", OPT_LIST, F(gr), NULL, 0, 0, NULL,
      "pattern whose global relevance is measured, such as next or rel_pos/window=5 (default, or all: each of lal/pattern.h)" },
    { "importance", OPT_ENUM, F(importance), "taylor_param", 0, 0, "taylor_param|taylor_group|gate|gate_token|none",
      "importance for the training loss that text shows; none also saves its backward passes" },
    { "normalise", OPT_ENUM, F(normalise), "minmax", 0, 0, NORMALISE_CHOICES,
      "of the importance that text shows; json and tsv have all of them raw" },
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|tsv|json", "a table and the patterns; tsv: a line a head; json: everything" },
    { "show", OPT_LIST, F(show), NULL, 0, 0, NULL,
      "head whose attention text shows word by word on the first five sentences, such as 2:8 (layer and head) or label:12" },
    { "most", OPT_LONG, F(most), "0", 0, 1e9, NULL, "look at so many sentences only; 0 is all" },
    { "mask", OPT_LONG, F(mask), "0", 0, 1e9, NULL,
      "take each head out of the model and measure the loss again, on the first so many sentences with gold; what importance and relevance say is "
      "compared with it" },
    { "max_words", OPT_INT, F(max_words), "400", 1, 100000, NULL, "longer sentences are parsed in pieces, and left out" },
    { "treebank", OPT_STRING, F(treebank), NULL, 0, 0, NULL, "follow the conventions of this training treebank" },
    { "output", OPT_STRING, F(output), "-", 0, 0, NULL, "output file" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static Status count_training(const Fields *f, TrainingCounts *t, Error *e)
{
    bool rules = f->train_deps.n == 1 && corpus_is_rules(f->train_deps.item[0]);
    if (f->train_deps.n && f->train.n && f->train_deps.n != f->train.n && !rules)
        return error_set(e, ERR_USAGE, "found %d --train and %d --train-deps files, expected as many", f->train.n, f->train_deps.n);
    int n = f->train.n ? f->train.n : f->train_deps.n;
    Status s = OK;
    for (int k = 0; k < n && s == OK; k++) {
        Corpus c;
        s = corpus_load(&c, f->train.n ? f->train.item[k] : NULL, f->train_deps.n ? f->train_deps.item[rules ? 0 : k] : NULL, NULL, e);
        if (s != OK) return s;
        for (int i = 0; i < c.trees.n && s == OK; i++) s = training_counts_add(t, &c.trees.s[i], e);
        corpus_fini(&c);
    }
    return s;
}

/* ---- run */

static Status write_report(const Fields *f, HeadReport *r, StrBuf *out, Error *e)
{
    head_report_finish(r);
    if (f->format == FORMAT_TSV) head_report_tsv(out, r);
    else if (f->format == FORMAT_JSON) head_report_json(out, r);
    else head_report_text(out, r, f->importance, (HeadNormalise)f->normalise);
    fprintf(stderr, "%ld sentences, %ld words, %d heads, conservation_error %.2e", r->sentences, r->functions.queries, r->n_heads, r->worst);
    if (r->in_pieces) fprintf(stderr, "; %ld sentences past --max-words left out", r->in_pieces);
    fputc('\n', stderr);
    return out->failed ? error_set(e, ERR_NOMEM, "out of memory inspecting heads") : OK;
}

static Status report(const Fields *f, const Corpus *c, const Model *m, const TrainingCounts *counts, StrBuf *out, Error *e)
{
    HeadReport r;
    bool all = f->gr.n == 0 || (f->gr.n == 1 && strcmp(f->gr.item[0], "all") == 0);
    Status s = head_report_init(&r, m, counts, all ? NULL : f->gr.item, f->gr.n, f->importance != IMPORTANCE_NONE, e);
    ParseOptions o = parse_defaults(m);
    ParseWorker w;
    parse_worker_init(&w, m, kernels_cpu());
    o.record = true;
    o.max_words = f->max_words;
    if (s == OK) r.masked_most = f->mask;
    for (int k = 0; k < f->show.n && s == OK; k++) s = head_report_show(&r, f->show.item[k], e);
    if (s == OK && f->treebank && (o.treebank = vocab_find(&m->treebanks, f->treebank)) < 0)
        s = error_set(e, ERR_USAGE, "--treebank: found '%s', which the model does not know; lal info lists the treebanks", f->treebank);
    for (int k = 0; k < c->trees.n && (f->most == 0 || k < f->most) && s == OK; k++) s = head_report_add(&r, &w, &c->trees.s[k], &o, e);
    parse_worker_fini(&w);
    if (s == OK) s = write_report(f, &r, out, e);
    head_report_fini(&r);
    return s;
}

Status cmd_heads(int argc, char **argv, Error *e)
{
    Fields f;
    int none;
    Status s = program_options(HEADS_OPTIONS, &f, argc, argv, 0, &none, e);
    if (s == OK && !f.trees && !f.deps) s = error_set(e, ERR_USAGE, "found no --trees and no --deps, expected at least one");
    if (s != OK) return s;
    char path[512];
    Model m;
    Corpus c;
    TrainingCounts counts;
    StrBuf out = { 0 };
    FileWriter w = { 0 };
    model_init(&m);
    training_counts_init(&counts);
    s = corpus_load(&c, f.trees, f.deps, NULL, e);
    bool loaded = s == OK;
    if (s == OK) s = model_load(&m, program_model_path(f.model, path, sizeof path), NULL, e);
    if (s == OK) s = count_training(&f, &counts, e);
    if (s == OK) s = report(&f, &c, &m, counts.n_sentences ? &counts : NULL, &out, e);
    if (s == OK) s = filewriter_open(&w, f.output, e);
    if (s == OK) {
        filewriter_write(&w, out.ptr, out.len);
        s = filewriter_close(&w, true, e);
    }
    strbuf_fini(&out);
    training_counts_fini(&counts);
    if (loaded) corpus_fini(&c);
    model_fini(&m);
    return s;
}
