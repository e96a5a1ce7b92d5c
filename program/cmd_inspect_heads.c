/* Lal inspect heads */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "explain/fast/why_sums.h"
#include "explain/head_names.h"
#include "explain/head_summary.h"
#include "explain/head_page.h"
#include "parser/heads/head_against.h"
#include "parser/heads/task_heads.h"
#include "parser/model/model_file.h"
#include "program/program.h"

enum { FORMAT_TEXT, FORMAT_TSV, FORMAT_JSON };

typedef struct Fields {
    const char *model, *against, *gold, *gold_deps, *gold_classes, *gold_target, *parser, *treebank, *html, *name_heads,
        *out, *device;
    OptionList train, train_deps, gr, show;
    const char *explain;
    int format, relevance, importance, normalise, gr_rows, max_words;
    long most, mask;
    bool quiet;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option HEADS_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL", "model to describe (default: as for lal parse)" },
    GOLD_OPTIONS(Fields, "gold trees of the sentences to measure on; what lal eval reads of a model that classifies; "
                         "texts line by line of one that translates; a treebank for any other one"),
    GOLD_CLASSES_OPTION(Fields),
    { "gold_target", OPT_STRING, F(gold_target), NULL, 0, 0, "FILE",
      "of a model that translates: the translations of the lines of --gold" },
    { "parser", OPT_STRING, F(parser), NULL, 0, 0, "MODEL",
      "of a model that translates: parse the lines of --gold with MODEL, for syntactic functions; or --gold-deps, a "
      "sentence for each line" },
    { "train", OPT_LIST, F(train), NULL, 0, 0, "FILE",
      "trees the model was trained on: word counts for rare words; of a model that translates, texts; of one that "
      "classifies, a file such as --gold" },
    { "train_deps", OPT_LIST, F(train_deps), NULL, 0, 0, "FILE",
      "dependencies of the same sentences, in the order of --train, or one table of head rules for all: baselines of "
      "syntactic functions (default: of the sentences of --gold)" },
    { "gr", OPT_LIST, F(gr), NULL, 0, 0, "PATTERN",
      "pattern whose global relevance is measured, such as next or rel_pos/window=5 (default: all of "
      "lal/heads/pattern.h)" },
    { "gr_rows", OPT_ENUM, F(gr_rows), "words", 0, 0, HEAD_ANALYSIS_ROWS,
      "rows of attention whose mean global relevance is: those of the words, or of START and STOP too" },
    { "explain", OPT_WORDS, F(explain), "spans arcs", 0, 0, NULL,
      "decisions of a parser whose relevance is measured: spans, arcs" },
    { "relevance", OPT_ENUM, F(relevance), "frozen", 0, 0, HEAD_ANALYSIS_RULES,
      "rule of relevance; frozen: exact parts of an affine function, attention weights and signs constant; alpha_beta: "
      "layer-wise rules, through the softmax, as Voita et al. 2019 have them (on the CPU)" },
    { "importance", OPT_ENUM, F(importance), "taylor_param", 0, 0, HEAD_ANALYSIS_IMPORTANCES,
      "measure of importance for the training loss that text shows; none: measure no importance, which saves its "
      "backward passes" },
    { "normalise", OPT_ENUM, F(normalise), "minmax", 0, 0, HEAD_ANALYSIS_NORMALISE,
      "normalisation of the importance that text shows; tsv and json have all measures without it" },
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|tsv|json",
      "text: a table of heads, then the patterns; tsv: a row for each head; json: everything" },
    { "show", OPT_LIST, F(show), NULL, 0, 0, "HEAD",
      "head whose attention text and page show for the first five sentences, such as 2:8 (layer and head), label:12 or "
      "cross:2:8 (default of the page: the three most important heads of each layer)" },
    { "html", OPT_STRING, F(html), NULL, 0, 0, "FOLDER",
      "write a page for a browser to FOLDER, or to one file if the name ends in .html; --format is then written only "
      "with --out" },
    { "against", OPT_STRING, F(against), NULL, 0, 0, "MODEL",
      "measure instead how far the attention of each head is from that of the heads of the same layer of MODEL, such "
      "as "
      "another seed, in the sentences of --gold" },
    { "name_heads", OPT_STRING, F(name_heads), NULL, 0, 0, "FILE",
      "write the model with the names that its heads have in these sentences to FILE; with it, texts and pages of few "
      "words have names, too" },
    { "most", OPT_LONG, F(most), "0", 0, 1e9, NULL, "measure on the first N sentences; 0: all" },
    { "mask", OPT_LONG, F(mask), "0", 0, 1e9, NULL,
      "remove each head from the model in turn, measure the loss of the first N sentences with gold again, and compare "
      "its growth with importance and relevance" },
    DEVICE_OPTION(Fields, device),
    { "max_words", OPT_INT, F(max_words), "120", 1, 100000, NULL,
      "leave out sentences of more than N words, or pieces of one side" },
    TREEBANK_OPTION(Fields, TREEBANK_MODEL),
    { "out", OPT_STRING, F(out), NULL, 0, 0, "FILE", "write the output to FILE (default: standard output)" },
    QUIET_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* Counts the texts that a model was trained on. A file is read as --gold is, of a treebank with classes the sentences;
 * a text to translate is its own translation. */
static Status count_training(const Fields *f, const Model *m, TrainingCounts *t, Error *e)
{
    const TaskUse *use = task_use(m->task);
    const bool pairs = text_among("gold-target", use->files);
    const GoldLists l = {
        .what = "train", .gold = &f->train, .deps = &f->train_deps, .target = pairs ? &f->train : NULL
    };
    const GoldOptions o = { .language = m->c.language };
    Corpus c[OPTION_LIST_MAX];
    int n;
    Status s = program_corpora(&l, f->gold_classes ? &TASK_ENCODE : m->task, o, c, &n, e);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < c[k].trees.n && s == OK; i++)
            s = (use->heads->count ? use->heads->count(t, m, &c[k].trees.s[i], e)
                                   : training_counts_add(t, &c[k].trees.s[i], e));
        corpus_fini(&c[k]);
    }
    return s;
}

/* ---- choice of the heads to show */

enum { SHOWN_SENTENCES = 5, SHOWN_OF_LAYER = 3 };

/* Sets show [n_heads]: the heads of --show, or for the page the most important ones. */
static Status choose_heads(const Fields *f, const HeadReport *r, const double *importance, bool *show, Error *e)
{
    for (int k = 0; k < f->show.n; k++) {
        int h = head_of_name(r, f->show.item[k]);
        bool label = encoder_has_label_heads(&r->m->net.encoder);
        char name[HEAD_NAME];
        head_report_name(r, r->first[1] ? r->first[1] - 1 : 0, name);
        if (h < 0)
            return error_set(e, ERR_USAGE, "--show: found '%s', expected a head of the model, such as %s%s",
                             f->show.item[k], name, label ? " or label:1" : "");
        show[h] = true;
    }
    const double *by = r->importance ? importance : r->share[r->explain[0] ? 0 : 1];
    for (int l = 0; l < r->n_layers && f->html && !f->show.n; l++) {
        int from = r->first[l], n = r->first[l + 1] - from;
        for (int k = 0, h = -1; k < SHOWN_OF_LAYER && (h = head_summary_next_largest(by + from, n, h)) >= 0; k++)
            show[from + h] = true;
    }
    return OK;
}

/* What the reports are written from. */
typedef struct Run {
    const Fields *f;
    const char *model; /* its name */
    const TaskHeads *heads;
    HeadsRun run;
    Corpus deps; /* of --gold-deps with pairs, if has_deps */
    bool has_deps;
    Model parser;       /* of --parser */
    double *importance; /* [n_heads] */
    bool *show;         /* [n_heads] */
    WhySums sums;       /* of the label heads */
    HeadNames names;
} Run;

/* The names of the heads; NULL: those of several stacks have none. */
static const HeadNames *names_of(const Run *run) { return run->run.r.n_stacks == 1 ? &run->names : NULL; }

static Status show_heads(Run *run, StrBuf *out, Error *e)
{
    HeadsRun *x = &run->run;
    PutAttention *put = run->f->html ? head_page_attention : head_attention_text;
    Status s = OK;
    for (int h = 0; h < x->r.n_heads && s == OK; h++) {
        for (int k = 0; run->show[h] && k < x->c->trees.n && k < SHOWN_SENTENCES && s == OK; k++)
            s = run->heads->show(x, k, h, names_of(run), put, out, e);
    }
    return s;
}

static Status write_page(Run *run, Error *e)
{
    StrBuf page = { 0 };
    const HeadNames *names = names_of(run);
    head_page_begin(&page, &run->run.r, names, run->model, run->importance,
                    HEAD_REPORT_IMPORTANCE_NAMES[run->f->importance]);
    Status s = show_heads(run, &page, e);
    if (s == OK) return head_page_write(run->f->html, &page, &run->run.r, e);
    strbuf_fini(&page);
    return s;
}

/* ---- run */

static Status write_report(Run *run, StrBuf *out, Error *e)
{
    const Fields *f = run->f;
    HeadReport *r = &run->run.r;
    Status s = OK;
    if (f->html) s = write_page(run, e);
    if (s == OK && (!f->html || f->out)) {
        if (f->format == FORMAT_TSV) head_report_tsv(out, r);
        else if (f->format == FORMAT_JSON) head_report_json(out, r);
        else head_report_text(out, r, names_of(run), f->importance, run->importance);
        if (f->format == FORMAT_TEXT && !f->html) s = show_heads(run, out, e);
    }
    static const OracleForm forms[] = {
        [FORMAT_TEXT] = ORACLE_TEXT, [FORMAT_TSV] = ORACLE_TSV, [FORMAT_JSON] = ORACLE_JSON
    };
    bool oracle = encoder_options_oracle(&r->m->options);
    if (s == OK && oracle) program_mark_oracle(out, forms[f->format]);
    if (s == OK && out->failed) s = error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    if (s != OK || f->quiet) return s;
    program_say("%s%ld %s, %ld %s, %d heads, conservation_error %.2e", oracle ? "ORACLE " : "", r->sentences,
                run->heads->sentences, r->functions[0].queries, run->heads->words, r->n_heads, r->worst);
    if (r->in_pieces)
        program_say("; %ld %s longer than --max-words%s left out", r->in_pieces, run->heads->sentences,
                    r->m->pretrained.n_layers ? " or a window of the pretrained encoder" : "");
    program_say("\n");
    return OK;
}

/* The work of a sentence, in bytes of its words: the removal of each head (--mask) computes the loss again, and all
 * other measures take as long as about five losses (measured on 30 sentences with and without --mask 30). */
static double work_of(const HeadsRun *x, const Sentence *sent, bool masked)
{
    enum { LOSSES = 5 };
    double bytes = 0;
    if (sent->n_words > x->max_words && !sent->parts) return 0; /* left out */
    for (int w = 0; w < sent->n_words; w++) bytes += (double)strlen(sent->words[w]);
    return bytes * (1 + (masked ? (double)x->r.n_heads / LOSSES : 0));
}

/* Measures the sentences. */
static Status add_sentences(Run *run, Error *e)
{
    HeadsRun *x = &run->run;
    const Sentence *sent = x->c->trees.s;
    Progress progress = progress_start("heads", run->f->quiet);
    double total = 0, done = 0;
    long masked = 0;
    Status s = OK;
    for (int k = 0; k < x->n; k++) {
        bool gold = !run->heads->has_gold || run->heads->has_gold(&sent[k]), mask = masked < x->r.masked_most && gold;
        double work = work_of(x, &sent[k], mask);
        masked += mask && work > 0;
        total += work;
    }
    for (int k = 0; k < x->n && s == OK; k++) {
        long before = x->r.n_masked;
        s = run->heads->add(x, k, e);
        done += work_of(x, &sent[k], x->r.n_masked > before);
        double share = k + 1 == x->n || total <= 0 ? (k + 1.0) / x->n : done / total;
        if (masked)
            progress_show(&progress, share, "%d of %d sentences, heads removed from %ld of %ld", k + 1, x->n,
                          x->r.n_masked, masked);
        else progress_show(&progress, share, "%d of %d sentences", k + 1, x->n);
    }
    progress_clear(&progress);
    return s;
}

static Status name_heads(const Run *run, Error *e)
{
    const HeadNames *x = &run->names;
    if (!head_names_given(x))
        return error_set(e, ERR_CONFIG, "--name-heads: found sentences of %ld words, expected at least %d", x->words,
                         HEAD_NAMES_WORDS);
    const ModelHeadNames names = { .what = x->what, .n = run->run.r.own_heads, .words = x->words };
    return model_file_annotate(run->run.r.m->path, run->f->name_heads, &names, NULL, NULL, e);
}

/* Takes what options say of parses of pairs. */
static Status find_parses(Run *run, Error *e)
{
    const Fields *f = run->f;
    char place[DATA_PATH_MAX];
    Status s = f->parser ? model_load(&run->parser, program_model_path(f->parser, place, sizeof place), NULL, e) : OK;
    if (s == OK && f->parser) s = model_check_text(&run->parser, e);
    if (s == OK && f->gold_deps && !text_among("gold-deps", task_use(run->run.r.m->task)->files)) {
        s = program_corpus(&run->deps, NULL, f->gold_deps, NULL, e);
        run->has_deps = s == OK;
    }
    run->run.parser = f->parser ? &run->parser : NULL;
    run->run.deps = run->has_deps ? &run->deps.trees : NULL;
    run->run.deps_path = f->gold_deps;
    return s;
}

/* Takes what options say of decisions that trees have; *sums is to observe them. */
static Status find_trees(Run *run, WhySums **sums, Error *e)
{
    HeadsRun *x = &run->run;
    Status s = why_sums_init(&run->sums, x->r.m, e);
    x->o.observe = why_sums_observer(sums);
    if (s == OK) s = head_analysis_explained(run->f->explain, x->r.explain, e);
    return s == OK ? model_treebank(x->r.m, run->f->treebank, &x->o.treebank, e) : s;
}

/* Names the heads by what they do. */
static Status find_names(Run *run, Error *e)
{
    const HeadReport *r = &run->run.r;
    Status s = head_names_init(&run->names, r->n_heads, r->functions[0].queries, e);
    if (s != OK) return s;
    const Encoder *enc = &r->m->net.encoder;
    const int first = r->first[enc->c.n_layers];
    head_names_linked(&run->names, r->m, first, enc->label_row);
    if (!run->f->name_heads) head_names_of_model(&run->names, r->m);
    if (run->sums.on) head_names_of_sums(&run->names, first, run->sums.sums.row, &run->sums.sums);
    head_names_of_report(&run->names, r);
    return OK;
}

/* Measures what the run was set up for, and writes it. */
static Status measure(Run *run, StrBuf *out, Error *e)
{
    const Fields *f = run->f;
    HeadsRun *x = &run->run;
    HeadReport *r = &x->r;
    WhySums *sums = &run->sums;
    Status s = find_parses(run, e);
    if (s == OK && run->heads->begin) s = run->heads->begin(x, e);
    if (s == OK && run->heads->trees) s = find_trees(run, &sums, e);
    run->importance = mem_calloc((size_t)r->n_heads, sizeof *run->importance);
    run->show = mem_calloc((size_t)r->n_heads, sizeof *run->show);
    if (s == OK && (!run->importance || !run->show)) s = error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    if (s == OK && f->show.n)
        s = choose_heads(f, r, run->importance, run->show, e); /* a wrong name is an error before the work begins */
    if (s == OK) s = add_sentences(run, e);
    x->o.observe = (ParseObserver){ 0 };
    if (s == OK) s = head_report_finish(r, e);
    if (s == OK && names_of(run)) s = find_names(run, e);
    if (s == OK) head_report_importance(r, f->importance, (HeadNormalise)f->normalise, run->importance);
    if (s == OK && !f->show.n) s = choose_heads(f, r, run->importance, run->show, e);
    if (s == OK && f->name_heads) s = name_heads(run, e);
    return s == OK ? write_report(run, out, e) : s;
}

static Status report(const Fields *f, const char *model, Corpus *c, const Model *m, const TrainingCounts *counts,
                     StrBuf *out, Error *e)
{
    Run run = { .f = f,
                .model = model,
                .heads = task_use(m->task)->heads,
                .run = { .c = c, .n = c->trees.n, .max_words = f->max_words, .o = parse_defaults(m) } };
    HeadsRun *x = &run.run;
    if (f->most && f->most < x->n) x->n = (int)f->most;
    arena_init(&x->arena, (size_t)1 << 14);
    model_init(&run.parser);
    bool all = f->gr.n == 0 || (f->gr.n == 1 && strcmp(f->gr.item[0], "all") == 0);
    Status s =
        head_report_init(&x->r, m, counts, all ? NULL : f->gr.item, f->gr.n, f->importance != IMPORTANCE_NONE, e);
    if (s == OK) s = device_default()->start(1, false, e);
    worker_init(&x->w, m, device_default());
    x->o.record = true;
    x->o.max_words = f->max_words;
    x->r.masked_most = f->mask;
    x->r.rule = f->relevance;
    for (int k = 0; k < x->r.n_patterns; k++) x->r.gr[k].tokens = f->gr_rows;
    if (s == OK) s = measure(&run, out, e);
    mem_free(run.importance);
    mem_free(run.show);
    why_sums_fini(&run.sums);
    head_names_fini(&run.names);
    worker_fini(&x->w);
    head_report_fini(&x->r);
    if (run.has_deps) corpus_fini(&run.deps);
    model_fini(&run.parser);
    arena_fini(&x->arena);
    return s;
}

/* Compares the heads of two models, whose workers these are. */
static Status compare_heads(const Fields *f, const Corpus *c, Worker *first, Worker *second, StrBuf *out, Error *e)
{
    int n = f->most && f->most < c->trees.n ? (int)f->most : c->trees.n;
    Progress progress = progress_start("heads", f->quiet);
    HeadAgainst against;
    Status s = head_against_init(&against, first, second, e);
    for (int k = 0; k < n && s == OK; k++) {
        const Sentence *sent = &c->trees.s[k];
        if (sent->n_words <= f->max_words)
            s = head_against_add(&against, (const char *const *)sent->words, sent->n_words, e);
        progress_show(&progress, (k + 1.) / n, "%d of %d sentences", k + 1, n);
    }
    progress_clear(&progress);
    if (s == OK && against.words == 0) s = error_set(e, ERR_CONFIG, "--gold: found no sentence to compare heads in");
    if (s == OK)
        (f->format == FORMAT_TSV    ? head_against_tsv
         : f->format == FORMAT_JSON ? head_against_json
                                    : head_against_text)(out, &against);
    if (s == OK && out->failed) s = error_set(e, ERR_NOMEM, "out of memory comparing heads");
    if (s == OK && !f->quiet) program_say("%ld sentences, %ld words compared\n", against.sentences, against.words);
    head_against_fini(&against);
    return s;
}

static Status compare(const Fields *f, const Corpus *c, const Model *m, StrBuf *out, Error *e)
{
    char place[DATA_PATH_MAX];
    Worker w[2];
    Model other;
    model_init(&other);
    Status s = model_load(&other, program_model_path(f->against, place, sizeof place), NULL, e);
    if (s == OK) s = device_default()->start(1, false, e);
    if (s == OK) {
        worker_init(&w[0], m, device_default());
        worker_init(&w[1], &other, device_default());
        s = compare_heads(f, c, &w[0], &w[1], out, e);
        for (int k = 0; k < 2; k++) worker_fini(&w[k]);
    }
    model_fini(&other);
    return s;
}

/* Options that are not given have the values of the model ("analysis" of its configuration). */
static Status read_again(Fields *f, const HeadAnalysis *a, int argc, char **argv, Error *e)
{
    const Option *const tables[] = { HEADS_OPTIONS };
    void *const fields[] = { f };
    int none;
    options_defaults(HEADS_OPTIONS, f);
    f->importance = a->importance;
    f->normalise = a->normalise;
    f->gr_rows = a->gr.rows;
    f->explain = a->relevance.explain;
    f->relevance = a->relevance.rule;
    Status s = options_parse(tables, fields, 1, argc, argv, argv, &none, e);
    if (s == OK && !f->gr.n) f->gr = a->gr.patterns;
    return s;
}

/* Sets the task of the model, and checks that the options are for it. */
static Status find_task(const Fields *f, const char *path, const Task **task, Error *e)
{
    ModelTexts texts;
    Status s = model_texts_read(&texts, path, NULL, e);
    *task = texts.task;
    model_texts_fini(&texts);
    if (s != OK) return s;
    const struct {
        const char *option;
        bool given;
    } all[] = { { "train-deps", f->train_deps.n > 0 },   { "html", f->html != NULL },
                { "name-heads", f->name_heads != NULL }, { "treebank", f->treebank != NULL },
                { "gold-deps", f->gold_deps != NULL },   { "gold-target", f->gold_target != NULL },
                { "parser", f->parser != NULL } };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const char *option = all[k].option;
        if (!all[k].given || text_among(option, task_use(*task)->heads->options)) continue;
        int other = 0;
        while (!text_among(option, task_use(task_choice(other))->heads->options)) other++;
        return error_set(e, ERR_USAGE, "--%s: found %s, expected %s", option, (*task)->model,
                         task_choice(other)->model);
    }
    if (f->parser && f->gold_deps)
        return error_set(e, ERR_USAGE, "found --parser and --gold-deps, expected one of them");
    return OK;
}

/* Describes the heads of a model. */
static Status measure_model(Fields *f, const char *path, Corpus *c, const Model *m, TrainingCounts *counts, StrBuf *out,
                            Error *e)
{
    Status s = model_check_parses(m, true, false, e);
    if (s == OK) s = count_training(f, m, counts, e);
    return s == OK ? report(f, file_name(path), c, m, vocab_size(&counts->df) ? counts : NULL, out, e) : s;
}

/* Measures the model at `path`, out gets the report. */
static Status run_model(Fields *f, const char *path, int argc, char **argv, StrBuf *out, Error *e)
{
    const Task *task;
    Status s = find_task(f, path, &task, e);
    if (s != OK) return s;
    const TaskUse *use = task_use(task);
    const GoldFiles files = { .gold = f->gold,
                              .deps = text_among("gold-deps", use->files) ? f->gold_deps : NULL, /* else of sources */
                              .classes = f->gold_classes,
                              .target = f->gold_target };
    Model m;
    Corpus c;
    TrainingCounts counts;
    model_init(&m);
    m.task = task;
    training_counts_init(&counts);
    s = program_device(f->device, e);
    if (s == OK) s = model_load(&m, path, NULL, e);
    if (s == OK) s = program_gold(&c, &files, task, (GoldOptions){ .language = m.c.language }, e);
    bool loaded = s == OK;
    if (s == OK) s = read_again(f, &m.options.analysis, argc, argv, e);
    if (!use->heads->explained[0]) f->importance = IMPORTANCE_NONE;
    if (s == OK && f->against) s = compare(f, &c, &m, out, e);
    else if (s == OK) s = measure_model(f, path, &c, &m, &counts, out, e);
    training_counts_fini(&counts);
    if (loaded) corpus_fini(&c);
    model_fini(&m);
    return s;
}

static Status run_heads(int argc, char **argv, Error *e)
{
    Fields f;
    int none;
    bool explained[EXPLAINED];
    Error why = { 0 };
    Status s = program_options(HEADS_OPTIONS, &f, argc, argv, 0, &none, e);
    if (s == OK && head_analysis_explained(f.explain, explained, &why) != OK)
        s = error_set(e, ERR_USAGE, "--explain: %s", why.message);
    if (s == OK && f.html && !f.html[0]) s = error_set(e, ERR_USAGE, "--html: expected the name of a folder");
    if (s == OK && f.against && (f.html || f.name_heads))
        s = error_set(e, ERR_USAGE, "--against: found --%s, expected text, tsv or json",
                      f.html ? "html" : "name-heads");
    if (s == OK && !f.gold && !f.gold_deps)
        s = error_set(e, ERR_USAGE, "found no --gold and no --gold-deps, expected at least one");
    if (s != OK) return s;
    char place[DATA_PATH_MAX];
    StrBuf out = { 0 };
    FileWriter w = { 0 };
    s = run_model(&f, program_model_path(f.model, place, sizeof place), argc, argv, &out, e);
    bool writes = !f.html || f.out;
    if (s == OK && writes) s = filewriter_open(&w, f.out ? f.out : "-", e);
    if (s == OK && writes) {
        filewriter_write(&w, out.ptr, out.len);
        s = filewriter_close(&w, true, e);
    }
    strbuf_fini(&out);
    return s;
}

static const char HEADS_HELP[] =
    "Functions, patterns, importance and relevance of each head over a treebank\n"
    "(docs/INTERPRET.md); of a model that classifies over texts and their classes, of one\n"
    "that translates over texts and their translations (docs/TRANSLATE.md). A pretrained\n"
    "encoder and a model of replaced or hidden words have functions and patterns. A model\n"
    "trained with \"analysis\" in its configuration (docs/OPTIONS.md) has other defaults of\n"
    "--importance, --normalise, --gr, --gr-rows and --explain; lal model info prints them.\n";

static const Option *const HEADS_TABLES[] = { HEADS_OPTIONS, NULL };
const Command CMD_INSPECT_HEADS = { "inspect heads", "[OPTIONS]",  "describe what each attention head does",
                                    HEADS_HELP,      HEADS_TABLES, run_heads };
