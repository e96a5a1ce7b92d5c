/* Lal inspect */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "explain/inspection_pages.h"
#include "program/inspect_files.h"

enum { WHAT_SPANS, WHAT_ARCS, WHAT_TYPES, WHAT_TAGS, WHAT_ALL };
enum { FORMAT_JSON, FORMAT_TSV, FORMAT_TEXT };
enum { METHOD_EXACT, METHOD_PAPER };
enum { WINDOW = 256 }; /* sentences explained before anything is written */

typedef struct Fields {
    const char *model, *against_model, *out, *html, *gold_deps, *treebank, *span, *label, *match, *against, *device;
    RawTextFields raw;
    int input, what, format, method, top, contrasts, threads, max_words;
    bool words, quiet;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option INSPECT_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL", "model to explain (default: as for lal parse)" },
    { "input", OPT_ENUM, F(input), "text", 0, 0, INPUT_CHOICES,
      "raw text, tokens, or a treebank, whose trees or dependencies are the gold that decisions are compared with" },
    RAW_TEXT_OPTIONS(Fields, raw),
    { "gold_deps", OPT_STRING, F(gold_deps), NULL, 0, 0, "FILE",
      "gold dependencies for the trees of --input brackets: CoNLL of the same sentences, or head rules" },
    { "what", OPT_ENUM, F(what), "spans", 0, 0, "spans|arcs|types|tags|all",
      "decisions to explain: labelled spans, arcs, dependency types, tags that are wrong or doubtful" },
    { "format", OPT_ENUM, F(format), "json", 0, 0, "json|tsv|text",
      "json: an object for each sentence; tsv: a row for each category and head; text: the leading heads of each "
      "category" },
    { "top", OPT_INT, F(top), "5", 0, 100000, NULL,
      "show the N heads with the largest contributions: of each decision in json, of each category in text; 0: all" },
    { "contrasts", OPT_INT, F(contrasts), "4", 0, 100000, NULL,
      "json and pages: of each sentence, set wrong phrases and arcs, N at most, or else the least certain one, against "
      "the best parse that decides otherwise, and say what would change the first one" },
    { "words", OPT_BOOL, F(words), "false", 0, 0, NULL,
      "json: add the view of each shown head over the words, and the attention of all heads" },
    { "against", OPT_STRING, F(against), NULL, 0, 0, "LABEL",
      "explain the score minus that of this label (or type) instead of the score" },
    { "span", OPT_STRING, F(span), NULL, 0, 0, "I-J",
      "explain words I to J (from 1) of every sentence with the label of --label, instead of the spans of its tree" },
    { "label", OPT_STRING, F(label), NULL, 0, 0, "LABEL", "label of --span" },
    { "match", OPT_STRING, F(match), NULL, 0, 0, "PATTERN",
      "explain the phrases, or with --what arcs the arcs to words, that a pattern of Tregex or Semgrex finds in a "
      "parse "
      "and names (lal search), such as 'PP > NP'; in sentences that have some" },
    { "method", OPT_ENUM, F(method), "exact", 0, 0, "exact|paper",
      "statistic that ranks the heads of a category in tsv and text; exact: contributions to the score; paper: that of "
      "Mrini et al. 2020, which leaves the scorer out" },
    { "html", OPT_STRING, F(html), NULL, 0, 0, "FOLDER",
      "write pages for a browser to FOLDER, or to one file if the name ends in .html: each sentence, wrong decisions, "
      "summaries; --format is then written only with --out" },
    { "against_model", OPT_STRING, F(against_model), NULL, 0, 0, "MODEL",
      "pages: parse the same sentences with this model too, and compare both parses" },
    { "out", OPT_STRING, F(out), NULL, 0, 0, "FILE", "write the output to FILE (default: standard output)" },
    TREEBANK_OPTION(Fields, TREEBANK_SHAPES),
    THREADS_OPTION(Fields),
    DEVICE_OPTION(Fields, device),
    { "max_words", OPT_INT, F(max_words), "120", 1, 100000, NULL,
      "parse sentences of more than N words in pieces, which are not explained" },
    QUIET_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* One sentence of a window, filled by a thread. */
typedef struct Item {
    Inspected x;
    Parsed parsed;
    StrBuf json, page;
    const Sentence *other; /* the parse by the other model */
} Item;

typedef struct Run {
    const Fields *f;
    ParseOptions o;
    InspectOptions inspect;
    QueryOptions match;
    Decision only; /* of --span */
    InspectFiles files;
    Worker *others;  /* [threads] of --against-model */
    Worker *changed; /* [threads] for changed sentences */
    Item items[WINDOW];
    Inspection sums;
    InspectionPages pages;
    const Model *other; /* of --against-model, or NULL */
    Compare compare;
    FileWriter out;
    bool writes; /* to out */
} Run;

/* ---- sentences */

/* Parses and explains the sentence with the other model, and compares: what the page has of it. */
static Status compare_item(const Run *r, InspectThread *w, Worker *other, const ParseInput *in, Item *item, Error *e)
{
    const Inspected *x = &item->x;
    Parsed parsed;
    Inspected y = { .p = &parsed, .gold = x->gold, .origin = x->origin };
    ParseOptions o = r->o;
    InspectOptions inspect = { 0 };
    Worker *workers[2] = { &w->parse, other };
    memcpy(inspect.kinds, r->inspect.kinds, sizeof inspect.kinds);
    o.treebank = parse_defaults(r->other).treebank;
    o.k_best = 0;
    o.confidence = false;
    Status status = long_sentence_parse(other, in, &o, &w->kept, &parsed, e);
    if (status == OK) status = inspection_explain(&inspect, other, &w->kept, &y, e);
    item->other = y.s;
    json_object(&item->page, "other");
    if (status == OK) status = compare_sentence(x, &y, workers, &w->kept, &item->page, e);
    json_object_end(&item->page);
    return status;
}

/* The document of a sentence. */
static Status put_page(const Run *r, InspectThread *w, Worker *other, const ParseInput *in, Item *item, Error *e)
{
    item->page.compact = true;
    json_object(&item->page, NULL);
    Status status = r->other ? compare_item(r, w, other, in, item, e) : OK;
    json_key(&item->page, "sentence");
    inspection_json(&item->page, &item->x, &w->parse, PAGE_HEADS, true);
    json_object_end(&item->page);
    return status;
}

static Status explain_item(void *context, int thread, int k, Error *e)
{
    Run *r = context;
    const Fields *f = r->f;
    const InspectFiles *files = &r->files;
    InspectThread *w = &r->files.threads[thread];
    Item *item = &r->items[k];
    Inspected *x = &item->x;
    const ParseInput *in = inspect_input(files, k);
    strbuf_clear(&item->json);
    strbuf_clear(&item->page);
    Status status = long_sentence_parse(&w->parse, in, &r->o, &w->kept, &item->parsed, e);
    *x = (Inspected){ .p = &item->parsed,
                      .gold = files->source->gold ? &files->source->gold[files->first + k] : NULL,
                      .in = in,
                      .how = &r->o,
                      .other = r->inspect.contrasts ? &r->changed[thread] : NULL,
                      .origin = source_origin(files->source, files->first + k, inspect_number(files, k)) };
    if (status == OK) status = inspection_explain(&r->inspect, &w->parse, &w->kept, x, e);
    bool shown = !f->match || x->n;
    if (status == OK && shown && f->format == FORMAT_JSON && r->writes)
        inspection_json(&item->json, x, &w->parse, f->top, f->words);
    if (status == OK && shown && f->html) status = put_page(r, w, &r->others[thread], in, item, e);
    if (status == OK && (item->json.failed || item->page.failed))
        status = error_set(e, ERR_NOMEM, "out of memory inspecting");
    return status;
}

/* ---- files */

static Status explain_window(void *context, int n, Error *e)
{
    Run *r = context;
    Status status = inspect_sentences(&r->files, n, explain_item, e);
    for (int k = 0; k < n && status == OK; k++) {
        Item *item = &r->items[k];
        status = inspection_add(&r->sums, &item->x, e);
        if (status == OK && item->page.len)
            status = inspection_pages_add(&r->pages, &item->x, item->other, &item->page, e);
        if (item->json.len) filewriter_write(&r->out, item->json.ptr, item->json.len);
    }
    return status;
}

static Status write_sums(Run *r, Error *e)
{
    StrBuf out = { 0 };
    if (r->f->format == FORMAT_TSV) inspection_tsv(&out, &r->sums);
    else if (r->f->format == FORMAT_TEXT) inspection_text(&out, &r->sums, r->f->top);
    Status s = out.failed ? error_set(e, ERR_NOMEM, "out of memory inspecting") : OK;
    if (s == OK && out.ptr && r->writes) filewriter_write(&r->out, out.ptr, out.len);
    strbuf_fini(&out);
    return s;
}

static Status run_files(Run *r, const char *const *files, int n, Error *e)
{
    Status status = inspect_run(&r->files, files, n, e);
    if (status == OK) status = write_sums(r, e);
    if (status == OK && r->f->html) status = inspection_pages_finish(&r->pages, &r->sums, e);
    if (status != OK || r->f->quiet) return status;
    program_say("%ld decisions of %ld sentences explained, completeness_error %.2e", r->sums.sum.explained, r->files.id,
                r->sums.sum.worst);
    if (r->sums.in_pieces)
        program_say("; %ld sentences were parsed in pieces (--max-words) and not explained", r->sums.in_pieces);
    program_say("\n");
    return status;
}

static Status start_workers(Run *r, const Model *m, Error *e)
{
    Status s = inspect_start(&r->files, m, r->f->threads, e);
    if (s != OK) return s;
    r->others = mem_calloc((size_t)r->files.n_threads, sizeof *r->others);
    r->changed = mem_calloc((size_t)r->files.n_threads, sizeof *r->changed);
    if (!r->others || !r->changed) return error_set(e, ERR_NOMEM, "out of memory for %d threads", r->files.n_threads);
    for (int t = 0; t < r->files.n_threads && r->other; t++) worker_init(&r->others[t], r->other, device_default());
    for (int t = 0; t < r->files.n_threads && r->inspect.contrasts; t++)
        worker_init(&r->changed[t], m, device_default());
    return OK;
}

static void end_workers(Run *r)
{
    for (int t = 0; t < r->files.n_threads && r->others; t++) worker_fini(&r->others[t]);
    for (int t = 0; t < r->files.n_threads && r->changed; t++) worker_fini(&r->changed[t]);
    mem_free_each(r->others, r->changed);
    inspect_end(&r->files);
    for (int k = 0; k < WINDOW; k++) {
        strbuf_fini(&r->items[k].json);
        strbuf_fini(&r->items[k].page);
    }
}

static InspectOptions inspect_options(const Run *r)
{
    const Fields *f = r->f;
    bool json = f->format == FORMAT_JSON && r->writes, spans = f->what == WHAT_SPANS || f->what == WHAT_ALL;
    InspectOptions o = { .against = f->against,
                         .paper = f->method == METHOD_PAPER,
                         .only = f->span ? &r->only : NULL,
                         .match = f->match ? &r->match : NULL };
    for (int kind = 0; kind < EXPLAIN_KINDS; kind++) o.kinds[kind] = f->what == WHAT_ALL || f->what == kind;
    if (json && f->words) o.words = f->top ? f->top : -1;
    if (f->html && o.words >= 0 && o.words < PAGE_HEADS) o.words = PAGE_HEADS;
    o.leads = true;
    o.second = (f->html || json) && !f->against && !f->span && !f->match;
    o.contrasts = o.second ? f->contrasts : 0;
    o.flips = true;
    o.missed = spans && !f->against && !f->span && !f->match;
    return o;
}

/* The pages, with the models' names: of the files, or with their folders if these are equal. other: the file of the
 * second model, or NULL. */
static Status open_pages(Run *r, const Model *m, const char *path, const char *other, Error *e)
{
    const char *names[2] = { file_name(path), other ? file_name(other) : NULL };
    if (other && strcmp(names[0], names[1]) == 0) names[0] = path, names[1] = other;
    if (other) compare_init(&r->compare, names[0], names[1], m);
    return inspection_pages_open(&r->pages, r->f->html, names[0], other ? &r->compare : NULL, e);
}

static Status run_model(Run *r, const char *const *files, int n, Error *e)
{
    char place[DATA_PATH_MAX], against[DATA_PATH_MAX];
    const Fields *f = r->f;
    const char *path = program_model_path(f->model, place, sizeof place),
               *against_path = program_model_file(f->against_model, against, sizeof against);
    Model m, other;
    model_init(&m);
    model_init(&other);
    Status s = inspect_model(&m, path, e);
    if (s == OK && against_path) s = inspect_model(&other, against_path, e);
    r->other = against_path ? &other : NULL;
    r->o = parse_defaults(&m);
    r->o.max_words = f->max_words;
    r->o.record = true;
    if (s == OK) s = model_treebank(&m, f->treebank, &r->o.treebank, e);
    r->o.shape_tags = f->treebank == NULL;
    if (s == OK && f->span) s = decision_find(&m, EXPLAIN_SPAN, f->label, &r->only.at.label, e);
    if (s == OK && f->span && f->against) s = decision_find(&m, EXPLAIN_SPAN, f->against, &r->only.against, e);
    if (s == OK) {
        r->writes = !f->html || f->out;
        r->files = (InspectFiles){ .input = (InputKind)f->input,
                                   .raw = &f->raw,
                                   .gold_deps = f->gold_deps,
                                   .quiet = f->quiet,
                                   .treebank = r->o.treebank,
                                   .window = WINDOW,
                                   .explain = explain_window,
                                   .context = r };
        r->inspect = inspect_options(r);
        r->o.k_best = r->inspect.second && parse_has_best(&m) ? 2 : 0;
        r->o.confidence = r->inspect.second;
        s = inspection_init(&r->sums, &m, e);
        if (s == OK) s = start_workers(r, &m, e);
        if (s == OK && f->html) s = open_pages(r, &m, path, against_path, e);
        if (s == OK && r->writes) s = filewriter_open(&r->out, f->out ? f->out : "-", e);
        if (s == OK) {
            s = run_files(r, files, n, e);
            Status closed = r->writes ? filewriter_close(&r->out, s == OK, e) : OK;
            if (s == OK) s = closed;
            if (s == OK && f->html) s = inspection_pages_close(&r->pages, true, e);
        }
        end_workers(r);
        if (r->other) compare_fini(&r->compare);
        inspection_pages_fini(&r->pages);
        inspection_fini(&r->sums);
    }
    model_fini(&other);
    model_fini(&m);
    return s;
}

/* "I-J", words from 1. */
static Status read_span(Run *r, Error *e)
{
    int begin, end;
    const char *text = r->f->span, *dash = text ? strchr(text, '-') : NULL;
    if (!text) return r->f->label ? error_set(e, ERR_USAGE, "--label: expected --span as well") : OK;
    if (!dash || !text_number((StrView){ text, (size_t)(dash - text) }, &begin) ||
        !text_number((StrView){ dash + 1, strlen(dash + 1) }, &end) || begin < 1 || end < begin)
        return error_set(e, ERR_USAGE, "--span: found '%s', expected a range of words such as 2-5", text);
    if (!r->f->label) return error_set(e, ERR_USAGE, "--span: expected --label as well");
    if (r->f->against && strcmp(r->f->label, r->f->against) == 0)
        return error_set(e, ERR_USAGE, "--against: found the label of --span, expected another one");
    if (r->f->what != WHAT_SPANS) return error_set(e, ERR_USAGE, "--span: expected --what spans");
    r->only = (Decision){ EXPLAIN_SPAN, { begin - 1, end, LABEL_NONE }, LABEL_NONE };
    return OK;
}

/* Reads the pattern, to see that it is one. */
static Status read_match(Run *r, Error *e)
{
    const char *text = r->f->match;
    if (!text) return OK;
    if (r->f->span) return error_set(e, ERR_USAGE, "--match: found --span, expected one of both");
    StrView pattern = { text, strlen(text) };
    if (query_kind(pattern) == QUERY_SEMGREX) r->match.semgrex = pattern;
    else r->match.tregex = pattern;
    Query *query = query_compile(&r->match, e);
    query_free(query);
    return query ? OK : e->code;
}

static Status run_inspect(int argc, char **argv, Error *e)
{
    Fields f = { 0 };
    int n;
    Status s = program_options(INSPECT_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    Run *r = s == OK ? mem_calloc(1, sizeof *r) : NULL;
    if (!r) return s != OK ? s : error_set(e, ERR_NOMEM, "out of memory inspecting");
    r->f = &f;
    s = read_span(r, e);
    if (s == OK) s = read_match(r, e);
    if (s == OK && f.gold_deps && f.input != INPUT_BRACKETS)
        s = error_set(e, ERR_USAGE, "--gold-deps: expected --input brackets");
    if (s == OK && f.gold_deps && n > 1 && !corpus_is_rules(f.gold_deps))
        s = error_set(e, ERR_USAGE, "--gold-deps: found %d files of trees, expected one", n);
    if (s == OK && f.against_model && !f.html)
        s = error_set(e, ERR_USAGE, "--against-model: expected --html FOLDER as well");
    if (s == OK && f.html && !f.html[0]) s = error_set(e, ERR_USAGE, "--html: expected the name of a folder");
    if (s == OK) s = program_rules_read(&f.raw, e);
    if (s == OK) s = program_device(f.device, e);
    if (s == OK) s = run_model(r, (const char *const *)argv, n, e);
    text_rules_free(f.raw.rules);
    mem_free(r);
    return s;
}

static const char INSPECT_HELP[] = "The score of a decision is the sum of the contributions of the label heads and\n"
                                   "of biases (docs/INTERPRET.md).\n";

static const Option *const INSPECT_TABLES[] = { INSPECT_OPTIONS, NULL };
const Command CMD_INSPECT = { "inspect",    "[OPTIONS] [FILE...]", "explain decisions by what label heads add",
                              INSPECT_HELP, INSPECT_TABLES,        run_inspect };
