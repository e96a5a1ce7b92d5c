/* Lal inspect heads */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "explain/fast/why_sums.h"
#include "explain/head_names.h"
#include "explain/head_summary.h"
#include "explain/class_heads.h"
#include "explain/parse_heads.h"
#include "explain/translation_heads.h"
#include "explain/site/site.h"
#include "parser/model/corpus.h"
#include "parser/model/model_file.h"
#include "program/program.h"
#include "parser/task/translate/pair_data.h"

enum { FORMAT_TEXT, FORMAT_TSV, FORMAT_JSON };

typedef struct Fields {
    const char *model, *gold, *gold_deps, *gold_classes, *gold_target, *parser, *treebank, *html, *name_heads, *out,
        *device;
    OptionList train, train_deps, gr, show;
    const char *explain;
    int format, importance, normalise, gr_rows, max_words;
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
      "write a page for a browser, heads.html, to FOLDER; --format is then written only with --out" },
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

/* Counts the texts that a model of another task was trained on. A file is read as --gold is; a text to translate is its
 * own translation. */
static Status count_texts(const Fields *f, const Model *m, TrainingCounts *t, Error *e)
{
    const bool translates = m->task == &TASK_TRANSLATE;
    Status s = OK;
    for (int k = 0; k < f->train.n && s == OK; k++) {
        const char *path = f->train.item[k];
        const GoldFiles files = { .gold = path, .target = translates ? path : NULL };
        Corpus c;
        s = f->gold_classes ? program_sentences(&c, path, e) : program_gold(&c, &files, m->task, (GoldOptions){ .language = m->c.language }, e);
        if (s != OK) return s;
        for (int i = 0; i < c.trees.n && s == OK; i++)
            s = translates ? translation_heads_count(t, m, &c.trees.s[i], e) : training_counts_add(t, &c.trees.s[i], e);
        corpus_fini(&c);
    }
    return s;
}

static Status count_training(const Fields *f, const Model *m, TrainingCounts *t, Error *e)
{
    if (!m->task->parses) return count_texts(f, m, t, e);
    Corpus c[OPTION_LIST_MAX];
    int n;
    Status s = program_corpora(&(GoldLists){ .what = "train", .gold = &f->train, .deps = &f->train_deps }, m->task,
                               (GoldOptions){ 0 }, c, &n, e);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < c[k].trees.n && s == OK; i++) s = training_counts_add(t, &c[k].trees.s[i], e);
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
    Corpus *c;
    Arena arena;                /* of sources, and of parses */
    const SourceWords **source; /* [n] of the pairs of a model that translates, else NULL */
    Corpus deps;                /* of --gold-deps with these pairs, if has_deps */
    bool has_deps;
    Model parser; /* of --parser; source borrows words of deps, and types of the parser */
    HeadReport r;
    Worker w;
    ParseOptions o;
    double *importance; /* [n_heads] */
    bool *show;         /* [n_heads] */
    WhySums sums;       /* of the label heads */
    HeadNames names;
} Run;

/* The model on sentence k, or on the first text of a document: *shown; its words are NULL if it is too long. */
static Status pass(Run *run, int k, Arena *a, const Sentence **shown, Error *e)
{
    const Sentence *sent = *shown = &run->c->trees.s[k];
    Parsed p;
    if (run->r.m->task->parses) {
        Status s = parse_heads_pass(&run->w, sent, &run->o, a, &p, e);
        if (s == OK && (!sent->n_words || p.pieces > 1 || !word_attention_is_one(&run->w))) *shown = NULL;
        return s;
    }
    ClassText *text = arena_alloc(a, 1, sizeof *text);
    Status s = text ? class_heads_text(run->r.m, run->c, k, 0, a, text, e)
                    : error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    *shown = s == OK && text->labels ? &text->words : NULL;
    if (*shown) s = class_heads_pass(&run->w, *shown, e);
    if (s == OK && *shown && !word_attention_is_one(&run->w)) *shown = NULL;
    return s;
}

/* The attention of head h in sentence k, as text or for the page. */
static Status show_sentence(Run *run, int h, int k, StrBuf *out, Error *e)
{
    const HeadReport *r = &run->r;
    const Sentence *sent;
    PutAttention *put = run->f->html ? heads_page_attention : head_attention_text;
    if (run->source)
        return translation_heads_show(&run->r, &run->w, &run->c->trees.s[k], h, k + 1, run->f->max_words, put, out, e);
    Arena a;
    arena_init(&a, (size_t)1 << 16);
    Status s = pass(run, k, &a, &sent, e);
    HeadWeights *weights = arena_alloc(&a, (size_t)r->n_heads, sizeof *weights);
    if (s == OK && !weights) s = error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    if (s == OK && sent) s = head_report_weights(r, &run->w, &a, weights, e);
    if (s == OK && sent) {
        const char *const *words = (const char *const *)sent->words;
        const AttentionNames of = { words, words, 1, sent->n_words, sent->n_words, false };
        put(out, r, &run->names, h, &of, k + 1, &weights[h]);
    }
    arena_fini(&a);
    return s;
}

static Status show_heads(Run *run, StrBuf *out, Error *e)
{
    Status s = OK;
    for (int h = 0; h < run->r.n_heads && s == OK; h++) {
        if (run->show[h] && run->f->html) heads_page_head(out, &run->r, run->source ? NULL : &run->names, h);
        for (int k = 0; run->show[h] && k < run->c->trees.n && k < SHOWN_SENTENCES && s == OK; k++)
            s = show_sentence(run, h, k, out, e);
    }
    return s;
}

static Status write_page(Run *run, Error *e)
{
    StrBuf page = { 0 };
    const HeadNames *names = run->source ? NULL : &run->names;
    heads_page_begin(&page, &run->r, names, run->model, run->importance,
                     HEAD_REPORT_IMPORTANCE_NAMES[run->f->importance], site_has_index(run->f->html));
    Status s = show_heads(run, &page, e);
    heads_page_head(&page, &run->r, names, -1);
    if (s == OK) return site_heads(run->f->html, &page, e);
    strbuf_fini(&page);
    return s;
}

/* ---- run */

static Status write_report(Run *run, StrBuf *out, Error *e)
{
    const Fields *f = run->f;
    HeadReport *r = &run->r;
    Status s = OK;
    if (f->html) s = write_page(run, e);
    if (s == OK && (!f->html || f->out)) {
        if (f->format == FORMAT_TSV) head_report_tsv(out, r);
        else if (f->format == FORMAT_JSON) head_report_json(out, r);
        else head_report_text(out, r, run->source ? NULL : &run->names, f->importance, run->importance);
        if (f->format == FORMAT_TEXT && !f->html) s = show_heads(run, out, e);
    }
    static const OracleForm forms[] = {
        [FORMAT_TEXT] = ORACLE_TEXT, [FORMAT_TSV] = ORACLE_TSV, [FORMAT_JSON] = ORACLE_JSON
    };
    bool oracle = encoder_options_oracle(&r->m->options);
    if (s == OK && oracle) program_mark_oracle(out, forms[f->format]);
    if (s == OK && out->failed) s = error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    if (s != OK || f->quiet) return s;
    const char *const units[][2] = { { "sentences", "words" }, { "pairs", "pieces" }, { "texts", "words" } };
    const char *const *unit = units[run->source ? 1 : r->m->task->documents ? 2 : 0];
    program_say("%s%ld %s, %ld %s, %d heads, conservation_error %.2e", oracle ? "ORACLE " : "", r->sentences, unit[0],
                r->functions[0].queries, unit[1], r->n_heads, r->worst);
    if (r->in_pieces)
        program_say("; %ld %s longer than --max-words%s left out", r->in_pieces, unit[0],
                    r->m->pretrained.n_layers ? " or a window of the pretrained encoder" : "");
    program_say("\n");
    return OK;
}

/* The work of a sentence, in words, of a pair, in bytes: the removal of each head (--mask) computes the loss again, and
 * all other measures take as long as about five losses (measured on 30 sentences with and without --mask 30). */
static double work_of(const HeadReport *r, const Sentence *sent, const ParseOptions *o, bool masked)
{
    enum { LOSSES = 5 };
    if (sent->n_words > o->max_words && !sent->parts) return 0; /* left out */
    double words = r->m->task == &TASK_TRANSLATE ? (double)strlen(sent->words[0]) : sent->n_words;
    return words * (1 + (masked ? (double)r->n_heads / LOSSES : 0));
}

/* Adds the text, or the texts of the document. */
static Status add_classified(Run *run, int k, Error *e)
{
    const Corpus *c = run->c;
    ClassText text = { .next = 0 };
    if (!c->documents && c->trees.s[k].n_words > run->f->max_words) {
        run->r.in_pieces++;
        return OK;
    }
    Arena a;
    arena_init(&a, (size_t)1 << 14);
    Status s = OK;
    do {
        s = class_heads_text(run->r.m, c, k, text.next, &a, &text, e);
        if (s == OK && text.labels) s = class_heads_add(&run->r, &run->w, &text, e);
    } while (s == OK && text.labels);
    arena_fini(&a);
    return s;
}

static Status add(Run *run, int k, Error *e)
{
    const Sentence *sent = &run->c->trees.s[k];
    HeadReport *r = &run->r;
    return run->source          ? translation_heads_add(r, &run->w, sent, run->source[k], run->f->max_words, e)
           : r->m->task->parses ? parse_heads_add(r, &run->w, sent, &run->o, e)
                                : add_classified(run, k, e);
}

/* Measures the first n sentences. */
static Status add_sentences(Run *run, int n, Error *e)
{
    HeadReport *r = &run->r;
    const Sentence *sent = run->c->trees.s;
    Progress progress = progress_start("heads", run->f->quiet);
    double total = 0, done = 0;
    long masked = 0;
    Status s = OK;
    for (int k = 0; k < n; k++) {
        bool gold = !r->m->task->parses || sent[k].has_tree || sent[k].heads, mask = masked < r->masked_most && gold;
        double work = work_of(r, &sent[k], &run->o, mask);
        masked += mask && work > 0;
        total += work;
    }
    for (int k = 0; k < n && s == OK; k++) {
        long before = r->n_masked;
        s = add(run, k, e);
        done += work_of(r, &sent[k], &run->o, r->n_masked > before);
        double share = k + 1 == n || total <= 0 ? (k + 1.0) / n : done / total;
        if (masked)
            progress_show(&progress, share, "%d of %d sentences, heads removed from %ld of %ld", k + 1, n, r->n_masked,
                          masked);
        else progress_show(&progress, share, "%d of %d sentences", k + 1, n);
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
    const ModelHeadNames names = { .what = x->what, .n = run->r.own_heads, .words = x->words };
    return model_file_annotate(run->r.m->path, run->f->name_heads, &names, NULL, e);
}

/* The words and parses of the first n sources. */
static Status find_sources(Run *run, int n, Error *e)
{
    const Fields *f = run->f;
    char place[DATA_PATH_MAX];
    run->source = arena_calloc(&run->arena, (size_t)n + 1, sizeof *run->source);
    Status s = run->source ? OK : error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    if (s == OK && f->parser) s = model_load(&run->parser, program_model_path(f->parser, place, sizeof place), NULL, e);
    if (s == OK && f->parser) s = model_check_text(&run->parser, e);
    if (s == OK && f->gold_deps) {
        s = program_corpus(&run->deps, NULL, f->gold_deps, NULL, e);
        run->has_deps = s == OK;
    }
    if (s != OK) return s;
    return translation_heads_sources(&run->r, &run->c->trees, n, run->has_deps ? &run->deps.trees : NULL, f->gold_deps,
                                     f->parser ? &run->parser : NULL, &run->arena, run->source, e);
}

/* Sets up what parsing the first n sentences needs: what is observed, baselines, and the treebank. */
static Status start_parsing(Run *run, int n, WhySums **sums, Error *e)
{
    const Model *m = run->r.m;
    head_report_own_baselines(&run->r, run->c->trees.s, n);
    Status s = why_sums_init(&run->sums, m, e);
    run->o.observe = why_sums_observer(sums);
    if (s == OK) s = head_analysis_explained(run->f->explain, run->r.explain, e);
    return s == OK ? program_treebank(&m->treebanks, run->f->treebank, &run->o.treebank, e) : s;
}

/* Names the heads by what they do. */
static Status find_names(Run *run, Error *e)
{
    const HeadReport *r = &run->r;
    Status s = head_names_init(&run->names, r->n_heads, r->functions[0].queries, e);
    if (s != OK) return s;
    if (!run->f->name_heads) head_names_of_model(&run->names, r->m);
    if (run->sums.on)
        head_names_of_sums(&run->names, r->first[r->m->net.encoder.c.n_layers], run->sums.sums.row, &run->sums.sums);
    head_names_of_report(&run->names, r);
    return OK;
}

/* Measures what the run was set up for, and writes it. */
static Status measure(Run *run, StrBuf *out, Error *e)
{
    const Fields *f = run->f;
    HeadReport *r = &run->r;
    const bool translates = r->m->task == &TASK_TRANSLATE;
    const int all = run->c->trees.n, n = f->most && f->most < all ? (int)f->most : all;
    WhySums *sums = &run->sums;
    Status s = translates           ? find_sources(run, n, e)
               : r->m->task->parses ? start_parsing(run, n, &sums, e)
                                    : class_heads_parses(r, run->c, n, &run->arena, e);
    run->importance = mem_calloc((size_t)r->n_heads, sizeof *run->importance);
    run->show = mem_calloc((size_t)r->n_heads, sizeof *run->show);
    if (s == OK && (!run->importance || !run->show)) s = error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    if (s == OK && f->show.n)
        s = choose_heads(f, r, run->importance, run->show, e); /* a wrong name is an error before the work begins */
    if (s == OK) s = add_sentences(run, n, e);
    run->o.observe = (ParseObserver){ 0 };
    if (s == OK) s = head_report_finish(r, e);
    if (s == OK && !translates) s = find_names(run, e);
    if (s == OK) head_report_importance(r, f->importance, (HeadNormalise)f->normalise, run->importance);
    if (s == OK && !f->show.n) s = choose_heads(f, r, run->importance, run->show, e);
    if (s == OK && f->name_heads) s = name_heads(run, e);
    return s == OK ? write_report(run, out, e) : s;
}

static Status report(const Fields *f, const char *model, Corpus *c, const Model *m, const TrainingCounts *counts,
                     StrBuf *out, Error *e)
{
    Run run = { .f = f, .model = model, .c = c, .o = parse_defaults(m) };
    HeadReport *r = &run.r;
    arena_init(&run.arena, (size_t)1 << 14);
    model_init(&run.parser);
    bool all = f->gr.n == 0 || (f->gr.n == 1 && strcmp(f->gr.item[0], "all") == 0);
    Status s = head_report_init(r, m, counts, all ? NULL : f->gr.item, f->gr.n, f->importance != IMPORTANCE_NONE, e);
    if (s == OK) s = device_default()->start(1, false, e);
    worker_init(&run.w, m, device_default());
    run.o.record = true;
    run.o.max_words = f->max_words;
    r->masked_most = f->mask;
    for (int k = 0; k < r->n_patterns; k++) r->gr[k].tokens = f->gr_rows;
    if (s == OK) s = measure(&run, out, e);
    mem_free(run.importance);
    mem_free(run.show);
    why_sums_fini(&run.sums);
    head_names_fini(&run.names);
    worker_fini(&run.w);
    head_report_fini(r);
    if (run.has_deps) corpus_fini(&run.deps);
    model_fini(&run.parser);
    arena_fini(&run.arena);
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
    const bool parses = (*task)->parses, translates = *task == &TASK_TRANSLATE;
    const struct {
        const char *option;
        bool given, taken;
        const Task *task; /* one that takes it */
    } all[] = { { "train-deps", f->train_deps.n > 0, parses, &TASK_PARSE },
                { "html", f->html != NULL, !(*task)->documents, &TASK_PARSE },
                { "name-heads", f->name_heads != NULL, parses, &TASK_PARSE },
                { "treebank", f->treebank != NULL, parses, &TASK_PARSE },
                { "gold-deps", f->gold_deps != NULL, parses || translates, &TASK_PARSE },
                { "gold-target", f->gold_target != NULL, translates, &TASK_TRANSLATE },
                { "parser", f->parser != NULL, translates, &TASK_TRANSLATE } };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].given && !all[k].taken)
            return error_set(e, ERR_USAGE, "--%s: found %s, expected %s", all[k].option, (*task)->model,
                             all[k].task->model);
    if (f->parser && f->gold_deps)
        return error_set(e, ERR_USAGE, "found --parser and --gold-deps, expected one of them");
    return OK;
}

/* Measures the model at `path`, out gets the report. */
static Status run_model(Fields *f, const char *path, int argc, char **argv, StrBuf *out, Error *e)
{
    Model m;
    Corpus c;
    TrainingCounts counts;
    model_init(&m);
    training_counts_init(&counts);
    Status s = find_task(f, path, &m.task, e);
    if (s == OK) s = program_device(f->device, e);
    if (s == OK) s = model_load(&m, path, NULL, e);
    const char *deps = m.task == &TASK_TRANSLATE ? NULL : f->gold_deps; /* there they are of the words of the texts */
    const GoldFiles files = { f->gold, deps, f->gold_classes, f->gold_target, NULL };
    if (s == OK) s = program_gold(&c, &files, m.task, (GoldOptions){ .language = m.c.language }, e);
    bool loaded = s == OK;
    if (s == OK) s = read_again(f, &m.options.analysis, argc, argv, e);
    bool has_loss = s == OK && (m.task->parses || m.task->classifies || m.task == &TASK_TRANSLATE);
    if (!has_loss) f->importance = IMPORTANCE_NONE;
    if (s == OK) s = model_check_parses(&m, true, false, e);
    if (s == OK) s = count_training(f, &m, &counts, e);
    if (s == OK) s = report(f, file_name(path), &c, &m, vocab_size(&counts.df) ? &counts : NULL, out, e);
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
