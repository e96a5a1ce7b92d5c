/* Lal inspect faithful */
#include <stdio.h>

#include "base/file.h"
#include "explain/faithful.h"
#include "program/inspect_files.h"

enum { WHAT_ALL = FAITHFUL_PARSE };
enum { FORMAT_TEXT, FORMAT_TSV, FORMAT_JSON };
enum { WINDOW = 32 }; /* sentences whose decisions are kept */

typedef struct Fields {
    const char *model, *out, *treebank, *device;
    RawTextFields raw;
    int input, what, sentences, format, threads, max_words;
    bool quiet;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option FAITHFUL_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL",
      "model whose heads are measured (default: as for lal parse)" },
    { "input", OPT_ENUM, F(input), "text", 0, 0, INPUT_CHOICES, INPUT_ABOUT },
    RAW_TEXT_OPTIONS(Fields, raw),
    { "what", OPT_ENUM, F(what), "all", 0, 0, "spans|arcs|types|all",
      "decisions of the parse to take heads away from: labelled spans, arcs, dependency types" },
    { "sentences", OPT_INT, F(sentences), "0", 0, 1000000, NULL, "measure the first N sentences; 0: all" },
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|tsv|json",
      "text: tables; tsv and json: every number of heads, and how each value differs from that of exact" },
    OUT_OPTION(Fields),
    TREEBANK_OPTION(Fields, TREEBANK_SHAPES),
    THREADS_OPTION(Fields),
    DEVICE_OPTION(Fields, device),
    { "max_words", OPT_INT, F(max_words), "120", 1, 100000, NULL,
      "parse sentences of more than N words in pieces, which are not measured" },
    QUIET_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

typedef struct Run {
    const Fields *f;
    ParseOptions o;
    InspectFiles files;
    Faithful faithful;
    FaithfulSentence items[WINDOW];
    Arena linked; /* of the window */
} Run;

/* ---- a window: sentences are read apart, linked in order, parsed again and measured apart */

static Status parse_item(Run *r, int thread, int k, Parsed *parsed, Error *e)
{
    InspectThread *w = &r->files.threads[thread];
    return long_sentence_parse(&w->parse, inspect_input(&r->files, k), &r->o, &w->kept, parsed, e);
}

static Status read_item(void *context, int thread, int k, Error *e)
{
    Run *r = context;
    InspectThread *w = &r->files.threads[thread];
    Parsed parsed;
    Status status = parse_item(r, thread, k, &parsed, e);
    r->items[k] = (FaithfulSentence){ .number = (uint64_t)inspect_number(&r->files, k) };
    return status == OK ? faithful_read(&r->faithful, &w->parse, &parsed, &w->kept, &r->items[k], e) : status;
}

static Status measure_item(void *context, int thread, int k, Error *e)
{
    Run *r = context;
    InspectThread *w = &r->files.threads[thread];
    Parsed parsed;
    if (!r->items[k].n) return OK;
    Status status = parse_item(r, thread, k, &parsed, e);
    return status == OK ? faithful_measure(&r->faithful, &w->parse, inspect_input(&r->files, k), &r->o, &parsed,
                                           &w->kept, &r->items[k], e)
                        : status;
}

static Status measure_window(void *context, int n, Error *e)
{
    Run *r = context;
    arena_reset(&r->linked);
    Status status = inspect_sentences(&r->files, n, read_item, e);
    for (int k = 0; k < n && status == OK; k++) status = faithful_link(&r->faithful, &r->items[k], &r->linked, e);
    if (status == OK) status = inspect_sentences(&r->files, n, measure_item, e);
    for (int k = 0; k < n && status == OK; k++) status = faithful_add(&r->faithful, &r->items[k], e);
    return status;
}

/* ---- the run */

static Status write_values(Run *r, Error *e)
{
    static void (*const write[])(StrBuf *, const Faithful *, const FaithfulValue *) = { faithful_text, faithful_tsv,
                                                                                        faithful_json };
    FileWriter writer;
    StrBuf out = { 0 };
    FaithfulValue *values = mem_alloc((size_t)faithful_cells(&r->faithful), sizeof *values);
    Status s = values ? faithful_values(&r->faithful, values, e) : error_set(e, ERR_NOMEM, "out of memory for values");
    if (s == OK) write[r->f->format](&out, &r->faithful, values);
    if (s == OK && out.failed) s = error_set(e, ERR_NOMEM, "out of memory writing values");
    if (s == OK && (s = filewriter_open(&writer, r->f->out, e)) == OK) {
        filewriter_write(&writer, out.ptr ? out.ptr : "", out.len);
        s = filewriter_close(&writer, true, e);
    }
    strbuf_fini(&out);
    mem_free(values);
    return s;
}

static Status run_model(Run *r, const char *const *files, int n, Error *e)
{
    char place[DATA_PATH_MAX];
    const Fields *f = r->f;
    const char *path = program_model_path(f->model, place, sizeof place);
    Model m;
    model_init(&m);
    arena_init(&r->linked, (size_t)1 << 16);
    Status s = inspect_model(&m, path, e);
    r->o = parse_defaults(&m);
    r->o.max_words = f->max_words;
    r->o.record = true;
    if (s == OK) s = model_treebank(&m, f->treebank, &r->o.treebank, e);
    r->o.shape_tags = f->treebank == NULL;
    if (s == OK && (s = faithful_init(&r->faithful, &m, e)) == ERR_CONFIG && !e->path[0])
        snprintf(e->path, sizeof e->path, "%s", path);
    for (int kind = 0; kind < FAITHFUL_PARSE; kind++) r->faithful.kinds[kind] = f->what == WHAT_ALL || f->what == kind;
    r->files = (InspectFiles){ .input = (InputKind)f->input,
                               .raw = &f->raw,
                               .quiet = f->quiet,
                               .treebank = r->o.treebank,
                               .window = WINDOW,
                               .most = f->sentences,
                               .explain = measure_window,
                               .context = r };
    if (s == OK) s = inspect_start(&r->files, &m, f->threads, e);
    if (s == OK) s = inspect_run(&r->files, files, n, e);
    if (s == OK) s = write_values(r, e);
    inspect_end(&r->files);
    faithful_fini(&r->faithful);
    arena_fini(&r->linked);
    model_fini(&m);
    return s;
}

static Status run_faithful(int argc, char **argv, Error *e)
{
    Fields f = { 0 };
    int n;
    Status s = program_options(FAITHFUL_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    if (s == OK) s = program_device(f.device, e);
    Run *r = s == OK ? mem_calloc(1, sizeof *r) : NULL;
    if (!r) return s != OK ? s : error_set(e, ERR_NOMEM, "out of memory measuring heads");
    r->f = &f;
    s = program_rules_read(&f.raw, e);
    if (s == OK) s = run_model(r, (const char *const *)argv, n, e);
    text_rules_free(f.raw.rules);
    mem_free(r);
    return s;
}

static const char FAITHFUL_HELP[] =
    "Label heads are ranked for each decision in six ways and taken away in this order\n"
    "(docs/INTERPRET.md).\n";

static const Option *const FAITHFUL_TABLES[] = { FAITHFUL_OPTIONS, NULL };
const Command CMD_INSPECT_FAITHFUL = { "inspect faithful", "[OPTIONS] [FILE...]", "are heads the cause of decisions?",
                                       FAITHFUL_HELP,      FAITHFUL_TABLES,       run_faithful };
