/* Lal search */
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "explain/fast/why.h"
#include "language/all/languages.h"
#include "parser/model/model_file.h"
#include "parser/output/output.h"
#include "parser/parse/source.h"
#include "program/inputs.h"
#include "program/program.h"
#include "program/screen.h"
#include "program/searcher.h"
#include "treebank/conll.h"

enum { INPUT_AUTO, INPUT_FIRST };               /* then as in InputKind */
enum { BLOCK = 1 << 18, BLOCK_MOST = 1 << 26 }; /* bytes of a treebank that a worker gets; of one sentence */

typedef struct Options {
    const char *tregex, *semgrex, *patterns, *where, *heads, *macros, *count_by, *model, *out, *deps;
    RawTextFields raw;
    int format, input, graph, color, context, threads, best;
    long most, sample, seed;
    bool ignore_case, count, files, invert, only, whole, quiet;
} Options;

#define F(name) offsetof(Options, name)

static const Option SEARCH_OPTIONS[] = {
    { "tregex", OPT_STRING, F(tregex), NULL, 0, 0, "PATTERN", "a pattern of trees; then all arguments are files" },
    { "semgrex", OPT_STRING, F(semgrex), NULL, 0, 0, "PATTERN",
      "a pattern of dependencies; with --tregex, too, names that both have are phrases and their head words" },
    { "patterns", OPT_STRING, F(patterns), NULL, 0, 0, "FILE",
      "search for the patterns of a file in one pass, one on each line, after a name and a tab or without a name; "
      "output: how often a sentence has each, or with --format tsv the matches" },
    { "where", OPT_STRING, F(where), NULL, 0, 0, "CONDITIONS", WHERE_ABOUT " (docs/SEARCH.md)" },
    { "format", OPT_ENUM, F(format), "text", 0, 0, SEARCH_FORMATS,
      "text: sentences with a match, as grep writes lines; brackets: the trees that match; json: a line for each "
      "sentence with its matches; tsv: numbers of sentences and nodes; conllu: sentences of dependencies; svg: "
      "pictures" },
    { "only", OPT_BOOL, F(only), "false", 0, 0, NULL,
      "with --format text: each match on a line, its words and those of its names" },
    { "whole", OPT_BOOL, F(whole), "false", 0, 0, NULL, "with --format brackets: the whole tree of each sentence" },
    { "count", OPT_BOOL, F(count), "false", 0, 0, NULL,
      "write how many matches, and sentences with one, each file has" },
    { "count_by", OPT_STRING, F(count_by), NULL, 0, 0, "FIELDS",
      "write how many matches have each value of fields, such as 'n.word, n.tag', the most frequent first" },
    { "files", OPT_BOOL, F(files), "false", 0, 0, NULL, "write the names of files with a match" },
    { "invert", OPT_BOOL, F(invert), "false", 0, 0, NULL, "write the sentences without a match" },
    { "most", OPT_LONG, F(most), "0", 0, 1e15, "N", "write at most N sentences of each file; 0: all" },
    { "context", OPT_INT, F(context), "0", 0, 1000, "N", "with --format text: N sentences before and after each, too" },
    { "sample", OPT_LONG, F(sample), "0", 0, 1e6, "N", "write N sentences of all files, chosen by chance" },
    { "seed", OPT_LONG, F(seed), "1", 0, 1e15, "N", "another seed chooses another sample" },
    { "ignore_case", OPT_BOOL, F(ignore_case), "false", 0, 0, NULL, "of Semgrex: words and tags in any case" },
    { "heads", OPT_STRING, F(heads), NULL, 0, 0, "NAME",
      "head finder of Tregex, by CoreNLP's name (default: CollinsHeadFinder)" },
    { "macros", OPT_STRING, F(macros), NULL, 0, 0, "FILE",
      "what names in patterns of Tregex stand for: lines of a regular expression, a tab and what replaces it" },
    { "kbest", OPT_INT, F(best), "0", 0, 1000, "N",
      "search the N best parses of raw text, and of lines of lal parse --kbest; each has the number of the sentence "
      "and "
      "its rank, 3/2; 0: the best one" },
    { "input", OPT_ENUM, F(input), "auto", 0, 0, "auto|" INPUT_CHOICES,
      INPUT_ABOUT "; auto: by the end of the file's name or by its beginning" },
    { "graph", OPT_ENUM, F(graph), "auto", 0, 0, "auto|enhanced|basic", /* as in GraphKind */
      "what Semgrex searches; auto: the enhanced graph of a sentence, if it has one, else its tree of heads" },
    { "deps", OPT_STRING, F(deps), "english.rules", 0, 0, "FILE",
      "dependencies of trees that Semgrex searches: a CoNLL file or head rules; those of Stanford become Universal "
      "Dependencies" },
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL",
      "model to parse raw text with (default: $LAL_MODEL, else small)" },
    RAW_TEXT_OPTIONS(Options, raw),
    { "color", OPT_ENUM, F(color), "auto", 0, 0, COLOR_CHOICES,
      "colours of --format text; auto: on a terminal, unless NO_COLOR is set" },
    OUT_OPTION(Options),
    THREADS_OPTION(Options),
    QUIET_OPTION(Options),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* ---- patterns */

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory searching"); }

static StrView view(const char *text) { return (StrView){ text, text ? strlen(text) : 0 }; }

/* The patterns that the options and the first argument say; *used: is that a pattern? */
static Status find_patterns(SearchPatterns *p, const Options *f, const char *first, bool *used, Error *e)
{
    Status s = f->macros ? search_patterns_macros(p, f->macros, e) : OK;
    *used = !f->tregex && !f->semgrex && !f->patterns;
    if (s != OK) return s;
    if (f->patterns) return search_patterns_read(p, f->patterns, e);
    if (!*used) return search_patterns_add(p, (SearchPattern){ NULL, view(f->tregex), view(f->semgrex) }, e);
    if (strcmp(first, "-") == 0) return error_set(e, ERR_USAGE, "found no pattern, expected one");
    return search_patterns_add(p, search_pattern(NULL, view(first)), e);
}

/* ---- a run */

typedef struct BlockWorker {
    Searcher search;
    StrBuf text; /* of the block */
    TextBlock block;
    Status status;
    Error error;
} BlockWorker;

typedef struct Run {
    const Options *f;
    SearchJob job;
    SearchPatterns patterns;
    Inputs in;
    SearchReport report;
    FileWriter out;
    BlockWorker *worker; /* [n_workers] */
    int n_workers, asks;
    ThreadTeam *team;
    StrBuf line;
    TreebankFormat format;        /* of a treebank */
    bool named;                   /* lines name the file */
    bool enough;                  /* of the file */
    bool no_model;                /* that raw text needs */
    int unread;                   /* files that could not be read */
    long before;                  /* sentences of the file before the blocks that are searched */
    Found *found;                 /* [patterns] in the file */
    long matches, sentences, all; /* of all files; sentences that are shown */
    Progress progress;
    ProgramNotes notes;
    Model model; /* loaded with the first raw text */
    Parser parser;
    Arena arena; /* of a sentence of raw text */
    Why why;
    OutputStyle style;
    Source source;
} Run;

/* Takes what a worker has found, and empties it. */
static void report(Run *r, Searcher *w)
{
    for (int k = 0; k < w->n_hits && !r->enough; k++) {
        Hit hit = w->hit[k];
        hit.number += r->before;
        r->enough = !search_report_hit(&r->report, &hit, w->bodies.ptr);
    }
    for (int k = 0; k < r->patterns.n; k++) {
        r->found[k].matches += w->found[k].matches;
        r->found[k].sentences += w->found[k].sentences;
        if (r->f->files && (r->f->invert ? w->sentences - w->found[k].sentences : w->found[k].sentences))
            r->enough = true;
    }
    r->before += w->sentences;
    searcher_empty(w);
}

static Status write_report(Run *r, Error *e)
{
    search_report_write(&r->report);
    if (r->report.line.failed) return no_memory(e);
    if (r->out.error) return error_at(e, ERR_IO, r->out.path, 0, 0, "cannot write: %s", strerror(r->out.error));
    return OK;
}

static void show_progress(Run *r, double share)
{
    long matches = r->matches;
    for (int k = 0; k < r->patterns.n; k++) matches += r->found[k].matches;
    progress_show(&r->progress, progress_share(&r->progress, share), "%ld sentences, %ld matches", r->before, matches);
}

/* ---- treebanks */

static void search_block(void *context, int thread, int item)
{
    const Run *r = context;
    BlockWorker *w = &r->worker[item];
    (void)thread;
    w->status = searcher_block(&w->search, w->block, r->format, r->before, &w->error);
}

/* The next blocks, one for each worker, at most; *n of them. */
static Status next_blocks(Run *r, TextStream *in, int *n, Error *e)
{
    Status s = OK;
    bool whole = true;
    for (*n = 0; s == OK && *n < r->n_workers; ++*n) {
        BlockWorker *w = &r->worker[*n];
        s = stream_next(in, BLOCK, BLOCK_MOST, &w->block, &whole, e);
        if (s == OK && !w->block.text.len) break;
        if (s == OK && !whole)
            s = error_at(e, ERR_LIMIT, in->path, w->block.line, 0, "found a sentence of more than %d bytes",
                         BLOCK_MOST);
        if (s != OK) break;
        strbuf_clear(&w->text);
        strbuf_add(&w->text, w->block.text.ptr, w->block.text.len);
        if (w->text.failed) s = no_memory(e);
        w->block.text.ptr = w->text.ptr;
    }
    return s;
}

static Cutter cutter_of(TreebankFormat format)
{
    return format == FORMAT_CONLL ? conll_cut : format == FORMAT_JSON_LINES ? stream_cut_lines : bracket_cut;
}

static Status search_stream(Run *r, TextStream *in, Error *e)
{
    Status s = OK;
    in->cutter = cutter_of(r->format);
    for (int n = 1; s == OK && n && !r->enough;) {
        Status read = next_blocks(r, in, &n, e);
        thread_team_run(r->team, n, search_block, r);
        for (int k = 0; s == OK && k < n; k++) { /* what stands before an error is written */
            BlockWorker *w = &r->worker[k];
            report(r, &w->search);
            s = w->status;
            if (s != OK) *e = w->error;
        }
        if (s == OK) s = read;
        Status written = write_report(r, s == OK ? e : NULL);
        if (s == OK) s = written;
        show_progress(r, stream_share(in));
    }
    return s;
}

/* Turns the dependencies of a tree into Universal Dependencies, with the enhanced graph. */
static Status add_relations(const Run *r, Sentence *x, Arena *arena, Error *e)
{
    const UdRules *ud = LANGUAGES[0]->ud;
    if (!x->n_words || !x->heads || !ud->fits(x)) return OK;
    if (!ud->sentence(x, NULL, arena)) return no_memory(e);
    if (r->job.graph != GRAPH_BASIC && !(x->graph = ud->enhance(x, arena))) return no_memory(e);
    return OK;
}

/* Trees that get their dependencies from rules or from another file. */
static Status search_corpus(Run *r, const char *path, Error *e)
{
    CorpusReader c;
    char place[DATA_PATH_MAX];
    Searcher *w = &r->worker[0].search;
    ReaderOptions o = { .format = FORMAT_BRACKETS, .brackets = { .strip_functions = true, .notes = &r->notes.notes } };
    Status s = corpus_open(&c, path, program_deps_path(r->f->deps, place, sizeof place), o, e);
    while (s == OK && !r->enough && (s = corpus_block(&c, e)) == OK && c.trees.tb.n) {
        Treebank *tb = &c.trees.tb;
        for (int k = 0; s == OK && k < tb->n && !r->enough; k++) {
            s = add_relations(r, &tb->s[k], &tb->arena, e);
            if (s == OK) s = searcher_ready(w, e);
            if (s == OK) s = searched_sentence(&w->sentence, &w->labels, &tb->s[k], "TOP", r->job.graph, e);
            if (s == OK) s = searcher_search(w, path, r->before, e);
            if (s == OK) report(r, w);
        }
        if (s == OK) s = write_report(r, e);
    }
    corpus_close(&c);
    return s;
}

/* ---- raw text */

/* Asks the parser for what the patterns ask about, and its output for what is searched. */
static Status ask_parser(Run *r, Error *e)
{
    int format = r->f->format;
    bool p = r->asks & ASKS_P, heads = r->asks & ASKS_HEADS;
    bool words = p || r->asks & (ASKS_GRAPH | ASKS_WORDS) || format == SEARCH_CONLLU || format == SEARCH_SVG;
    r->parser.o.keep_going = true;
    r->parser.o.confidence = p;
    r->parser.o.arc_probability = p || r->job.best;
    r->parser.o.k_best = r->job.best;
    r->style =
        (OutputStyle){ .format = &OUTPUT_JSON, .ud = model_ud(&r->model) && !heads, .confidence = p, .why = heads };
    Status s = output_fields(words ? "id,line,begin,end,text,form,tag,lemma,upos,feats,head,type,enhanced,"
                                     "constituents,confidence,p,why,kbest"
                                   : "id,line,begin,end,text,form,tag,constituents,confidence,why,kbest",
                             &r->style.fields, e);
    if (s != OK || !heads) return s;
    r->parser.o.observe = why_observer(&r->why);
    return why_init(&r->why, &r->model, r->model.c.trees, r->model.c.arcs, e);
}

static Status load(Run *r, Error *e)
{
    const Options *f = r->f;
    char place[DATA_PATH_MAX];
    r->model.map_above = 0;
    Status s = program_device("cpu", e);
    if (s == OK) s = program_parse_products(PARSE_AUTO, r->asks & ASKS_HEADS, e);
    if (s == OK) s = model_load(&r->model, program_model_path(f->model, place, sizeof place), NULL, e);
    if (s == OK) s = model_check_parses(&r->model, false, false, e);
    if (s == OK && r->asks & ASKS_TREE && !r->model.c.trees)
        s = error_set(e, ERR_CONFIG, "the model has no phrase structure, which Tregex searches");
    if (s == OK && r->asks & ASKS_GRAPH && !r->model.c.arcs)
        s = error_set(e, ERR_CONFIG, "the model has no dependencies, which Semgrex searches");
    if (s == OK) s = parser_init(&r->parser, &r->model, device_default(), program_threads(f->threads), e);
    return s == OK ? ask_parser(r, e) : s;
}

/* Which words have a blank before them; NULL when out of memory. */
static const bool *spaces_of(const Token *token, int n, Arena *arena)
{
    bool *space = arena_alloc(arena, (size_t)n, sizeof *space);
    for (int w = 0; space && w < n; w++) space[w] = !w || token[w].begin_char != token[w - 1].end_char;
    return space;
}

/* What is known of a sentence by its place in a text. */
static Status add_origin(Searched *x, const Origin *o, Error *e)
{
    const Token *t = o->tokens;
    size_t n = (size_t)x->n_words;
    x->id = o->id;
    x->line = o->line;
    if (!t) return OK;
    x->begin = arena_alloc(&x->arena, n, sizeof *x->begin);
    x->end = arena_alloc(&x->arena, n, sizeof *x->end);
    x->text = arena_strndup(&x->arena, o->block.text.ptr + (t->begin - o->block.byte), t[n - 1].end - t->begin);
    if (!x->begin || !x->end || !x->text) return no_memory(e);
    for (size_t w = 0; w < n; w++) {
        x->begin[w] = (long)t[w].begin_char;
        x->end[w] = (long)t[w].end_char;
    }
    return OK;
}

/* Puts a parsed sentence into the worker. What the parser says of its decisions is in JSON alone. */
static Status put_parsed(Run *r, const Parsed *p, const Origin *o, Error *e)
{
    Searcher *w = &r->worker[0].search;
    if (r->asks & (ASKS_P | ASKS_HEADS) || r->job.best) {
        strbuf_clear(&r->line);
        output_sentence(&r->line, &r->model, p, o, r->style);
        if (r->line.failed) return no_memory(e);
        const TextBlock line = { .text = { r->line.ptr, r->line.len }, .path = r->source.path, .line = o->line };
        return searcher_line(w, line, e);
    }
    arena_reset(&r->arena);
    Sentence *sent = output_analysed(&r->model, p, o, &r->style, &r->arena);
    if (!sent || (o->tokens && !(sent->space_before = spaces_of(o->tokens, sent->n_words, &r->arena))))
        return no_memory(e);
    Status s = searched_sentence(&w->sentence, &w->labels, sent, "TOP", r->job.graph, e);
    return s == OK ? add_origin(&w->sentence, o, e) : s;
}

/* Searches sentences [from, to) of the window. */
static Status search_parsed(void *context, int from, int to, Error *e)
{
    Run *r = context;
    Searcher *w = &r->worker[0].search;
    Status s = OK;
    for (int k = from; s == OK && k < to && !r->enough; k++) {
        Origin o = source_origin(&r->source, k, r->before + 1);
        const Parsed *p = &r->parser.result[k];
        if (!p->n_words) continue;
        s = searcher_ready(w, e);
        if (s == OK) s = put_parsed(r, p, &o, e);
        for (bool found = true; s == OK && found;) {
            s = searcher_search(w, r->source.path, r->before, e);
            found = w->sentence.rank > 0;
            if (s == OK && found) s = searcher_parse(w, &found, e);
        }
        if (s == OK) report(r, w);
    }
    if (s == OK) s = write_report(r, e);
    show_progress(r, source_progress(&r->source));
    return s;
}

static Status search_text(Run *r, Error *e)
{
    Source *s = &r->source;
    Status status = r->parser.m ? OK : load(r, e);
    r->no_model = status != OK;
    if (status == OK) {
        s->o.raw = program_raw_text(&r->f->raw, &r->model);
        s->o.raw.cutter = &r->parser;
        s->text.o.raw = s->o.raw;
    }
    for (bool first = true; status == OK && !r->enough && (status = source_next(s, e)) == OK && s->n; first = false) {
        if (first && !r->f->quiet) program_warn_input(s, &r->model, &r->progress);
        status = parser_run(&r->parser, s->in, s->n, search_parsed, r, e);
    }
    return status;
}

/* ---- files */

static bool ends(const char *path, const char *names)
{
    size_t n = strlen(path);
    if (n > 3 && strcmp(path + n - 3, ".gz") == 0) n -= 3;
    for (const char *at = names; *at; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");
        if (n > len && memcmp(path + n - len, at, len) == 0) return true;
        at += len;
    }
    return false;
}

/* Which treebank a file is, by its name or its beginning; FORMAT_AUTO: it is text. */
static Status find_format(Run *r, TextStream *in, const char *path, Error *e)
{
    static const TreebankFormat formats[] = { [INPUT_FIRST + INPUT_CONLL] = FORMAT_CONLL,
                                              [INPUT_FIRST + INPUT_BRACKETS] = FORMAT_BRACKETS,
                                              [INPUT_FIRST + INPUT_JSON] = FORMAT_JSON_LINES };
    StrView text;
    r->format = formats[r->f->input];
    if (r->f->input != INPUT_AUTO) return OK;
    if (ends(path, ".mrg .trees .ptb .prd .brackets")) r->format = FORMAT_BRACKETS;
    else if (ends(path, ".conllu .conll .conllx .dep")) r->format = FORMAT_CONLL;
    else if (ends(path, ".json .jsonl")) r->format = FORMAT_JSON_LINES;
    else {
        Status s = stream_peek(in, 1 << 12, &text, e);
        if (s != OK) return s;
        r->format = format_suspect(search_unmarked(text));
    }
    return OK;
}

static Status search_open(Run *r, const char *path, Error *e)
{
    static const char no_trees[] = "found dependencies, expected trees or text for a pattern of trees";
    Status s = find_format(r, &r->source.text.stream, path, e);
    if (s != OK || r->format == FORMAT_AUTO) return s == OK ? search_text(r, e) : s;
    if (r->format == FORMAT_CONLL && r->asks & ASKS_TREE) {
        if (r->in.n == 1) return error_at(e, ERR_FORMAT, path, 0, 0, "%s", no_trees);
        notes_add(&r->notes.notes, path, 0, 0, no_trees);
        return OK;
    }
    if (r->format != FORMAT_BRACKETS || !(r->asks & (ASKS_GRAPH | ASKS_WORDS)))
        return search_stream(r, &r->source.text.stream, e);
    if (strcmp(path, "-") == 0 && r->f->input == INPUT_AUTO)
        return error_set(e, ERR_USAGE,
                         "found trees on standard input, expected --input brackets for their dependencies");
    return search_corpus(r, path, e);
}

/* Appends the counts of a file, a line for each pattern. */
static void put_count(Run *r, const char *path)
{
    StrBuf *out = &r->line;
    for (int k = 0; k < r->patterns.n; k++) {
        const Found *x = &r->found[k];
        if (r->patterns.name) strbuf_printf(out, "%s\t", r->patterns.name[k]);
        if (r->named) strbuf_printf(out, "%s:", path);
        if (r->f->format == SEARCH_TSV || r->patterns.name)
            strbuf_printf(out, "%ld\t%ld\t%ld\n", x->matches, x->sentences, r->before);
        else
            strbuf_printf(out, "%ld match%s in %ld of %ld sentences\n", x->matches, x->matches == 1 ? "" : "es",
                          x->sentences, r->before);
    }
}

/* Writes what is asked of a file, and adds its numbers. */
static void end_file(Run *r, const char *path)
{
    long found = 0;
    for (int k = 0; k < r->patterns.n; k++)
        found += r->f->invert ? r->before - r->found[k].sentences : r->found[k].sentences;
    strbuf_clear(&r->line);
    if (r->f->count) put_count(r, path);
    else if (r->f->files && found) strbuf_printf(&r->line, "%s\n", path);
    if (r->line.len) program_write(&r->out, &r->line);
    for (int k = 0; k < r->patterns.n; k++) r->matches += r->found[k].matches;
    memset(r->found, 0, (size_t)r->patterns.n * sizeof *r->found); /* progress adds them to r->matches */
    r->sentences += found;
    r->all += r->before;
}

static Status search_file(Run *r, const char *path, Error *e)
{
    SourceOptions o = { .kind = r->f->input == INPUT_FIRST + INPUT_TOKENS ? INPUT_TOKENS : INPUT_TEXT,
                        .raw = program_raw_text(&r->f->raw, NULL),
                        .notes = r->f->quiet ? NULL : &r->notes.notes };
    char place[DATA_PATH_MAX];
    path = program_file(path, place, sizeof place);
    search_report_file(&r->report, r->named ? path : NULL);
    r->enough = false;
    r->before = 0;
    progress_file(&r->progress, path);
    Status s = source_open(&r->source, path, o, e);
    if (s == OK) s = search_open(r, path, e);
    source_close(&r->source);
    end_file(r, path);
    return s;
}

/* Searches a file. One of several that cannot be read is reported. */
static Status search_or_report(Run *r, const char *path, Error *e)
{
    char text[1400];
    Status s = search_file(r, path, e);
    if (r->in.n == 1 || r->no_model || r->out.error || (s != ERR_IO && s != ERR_FORMAT)) return s;
    progress_clear(&r->progress);
    program_say("lal search: %s\n", error_text(e, text, sizeof text));
    *e = (Error){ 0 };
    for (int k = 0; k < r->n_workers; k++) searcher_empty(&r->worker[k].search); /* what comes after the fault */
    r->unread++;
    return OK;
}

/* ---- what all files have together */

static Status write_table(Run *r, Error *e)
{
    Table *all = &r->worker[0].search.table;
    for (int k = 1; k < r->n_workers; k++)
        if (!table_join(all, &r->worker[k].search.table)) return no_memory(e);
    strbuf_clear(&r->line);
    table_put(&r->line, all);
    if (r->line.failed) return no_memory(e);
    program_write(&r->out, &r->line);
    return OK;
}

/* The first line of a table of several patterns. */
static void write_names(Run *r)
{
    strbuf_clear(&r->line);
    strbuf_puts(&r->line, r->f->count ? "pattern\tmatches\tsentences\tof" : "sentence");
    for (int k = 0; !r->f->count && k < r->patterns.n; k++) strbuf_printf(&r->line, "\t%s", r->patterns.name[k]);
    strbuf_putc(&r->line, '\n');
    program_write(&r->out, &r->line);
}

static Status search_files(Run *r, Error *e)
{
    Status s = OK;
    r->named = r->in.n > 1;
    progress_files(&r->progress, r->in.path, r->in.n);
    if (r->patterns.name && (r->f->count || r->job.what == SEARCH_ROWS)) write_names(r);
    for (int k = 0; s == OK && k < r->in.n; k++) s = search_or_report(r, r->in.path[k], e);
    progress_clear(&r->progress);
    program_notes_end(&r->notes);
    Status ended = search_report_end(&r->report, s == OK ? e : NULL);
    if (s == OK) s = ended;
    if (s == OK && r->f->count_by) s = write_table(r, e);
    if (s == OK && r->unread) s = error_set(e, ERR_FORMAT, "%d of %d files could not be read", r->unread, r->in.n);
    if (s == OK && progress_was_long(&r->progress))
        program_say("%ld matches in %ld of %ld sentences in %s\n", r->matches, r->sentences, r->all,
                    progress_duration(progress_seconds(&r->progress)).text);
    return s;
}

/* What the workers do, and how the report writes it. */
static Status set_job(Run *r, Error *e)
{
    const Options *f = r->f;
    bool terminal = isatty(STDOUT_FILENO) && strcmp(f->out, "-") == 0, several = r->patterns.name != NULL;
    r->job = (SearchJob){ .patterns = &r->patterns,
                          .where = view(f->where),
                          .count_by = view(f->count_by),
                          .style = { .format = (SearchFormat)f->format, .only = f->only, .whole = f->whole },
                          .what = f->count || f->files || f->count_by   ? SEARCH_NUMBERS
                                  : several && f->format == SEARCH_TEXT ? SEARCH_ROWS
                                                                        : SEARCH_BODIES,
                          .graph = (GraphKind)f->graph,
                          .best = f->best,
                          .ignore_case = f->ignore_case,
                          .invert = f->invert,
                          .beside = f->context > 0,
                          .one = f->files,
                          .in_order = search_patterns_in_order(&r->patterns) };
    if (f->format == SEARCH_TEXT && !several)
        r->job.style.color = screen_style(terminal, DRAW_NONE, (ScreenColor)f->color).color;
    if (f->heads && !head_finder_find(f->heads, &r->job.heads))
        return error_set(e, ERR_USAGE, "--heads: found '%s', expected a head finder such as CollinsHeadFinder",
                         f->heads);
    r->report = (SearchReport){ .style = &r->job.style,
                                .out = &r->out,
                                .pattern = several && r->job.what == SEARCH_BODIES ? r->patterns.name : NULL,
                                .numbers = several || f->format == SEARCH_TSV,
                                .most = f->most,
                                .context = f->context,
                                .sample = f->sample,
                                .seed = (uint64_t)f->seed };
    return OK;
}

static Status start_workers(Run *r, Error *e)
{
    bool alone = r->f->files || r->f->most || r->job.in_order; /* a file is not read further than is needed */
    Status s = OK;
    int n = alone ? 1 : program_threads(r->f->threads);
    r->worker = mem_calloc((size_t)n, sizeof *r->worker);
    r->found = mem_calloc((size_t)r->patterns.n, sizeof *r->found);
    r->team = thread_team_new(n);
    if (!r->worker || !r->found || !r->team) return no_memory(e);
    for (; s == OK && r->n_workers < n; r->n_workers++) s = searcher_init(&r->worker[r->n_workers].search, &r->job, e);
    if (s == OK) r->asks = searcher_asks(&r->worker[0].search);
    return s;
}

static Status run(Run *r, Error *e)
{
    Status s = set_job(r, e);
    if (s == OK) s = start_workers(r, e);
    if (s == OK) s = filewriter_open(&r->out, r->f->out, e);
    if (s != OK) return s;
    if (r->job.style.color) r->out.visible = false;
    s = search_files(r, e);
    Status closed = filewriter_close(&r->out, s == OK, e);
    return s == OK ? closed : s;
}

static void run_fini(Run *r)
{
    why_fini(&r->why);
    parser_fini(&r->parser);
    model_fini(&r->model);
    for (int k = 0; k < r->n_workers; k++) {
        searcher_fini(&r->worker[k].search);
        strbuf_fini(&r->worker[k].text);
    }
    thread_team_free(r->team);
    mem_free_each(r->worker, r->found);
    strbuf_fini(&r->line);
    arena_fini(&r->arena);
    search_patterns_fini(&r->patterns);
    inputs_fini(&r->in);
}

static Status check_options(const Options *f, Error *e)
{
    bool text = f->format == SEARCH_TEXT, counts = f->count || f->count_by;
    const struct {
        bool wrong;
        const char *message;
    } faults[] = {
        { f->only && !text, "--only: expected --format text" },
        { f->only && f->invert, "--only: found --invert, expected one of both" },
        { f->context && !text, "--context: expected --format text" },
        { f->whole && f->format != SEARCH_BRACKETS, "--whole: expected --format brackets" },
        { f->count + f->files + (f->count_by != NULL) > 1, "found two of --count, --count-by and --files" },
        { counts && (f->invert || f->most), "--count and --count-by: found --invert or --most, expected neither" },
        { f->sample && (counts || f->files || f->most || f->context),
          "--sample: found --count, --count-by, --files, --most or --context, expected none of them" },
        { f->patterns && (f->tregex || f->semgrex || f->where || f->count_by),
          "--patterns: found another pattern, --where or --count-by beside it" },
        { f->patterns && f->format != SEARCH_TEXT && f->format != SEARCH_TSV,
          "--patterns: expected --format text or tsv" },
        { f->patterns && (f->only || f->context), "--patterns: found --only or --context, expected neither" },
    };
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        if (faults[k].wrong) return error_set(e, ERR_USAGE, "%s", faults[k].message);
    return OK;
}

static Status run_search(int argc, char **argv, Error *e)
{
    static char standard_input[] = "-";
    Options f = { 0 };
    Run r = { .f = &f, .notes = program_notes() };
    int n;
    bool used = false;
    arena_init(&r.patterns.arena, 1024);
    arena_init(&r.arena, 1 << 14);
    model_init(&r.model);
    program_exit = (ProgramExit){ .done = EXIT_DONE, .failed = EXIT_USAGE };
    Status s = program_options(SEARCH_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    r.progress = progress_start("search", f.quiet || (isatty(STDERR_FILENO) && isatty(STDOUT_FILENO)));
    r.notes.progress = &r.progress;
    if (s == OK) s = check_options(&f, e);
    if (s == OK) s = program_rules_read(&f.raw, e);
    if (s == OK) s = find_patterns(&r.patterns, &f, argv[0], &used, e);
    if (s == OK && used && n == 1) argv[n++] = standard_input; /* argv[argc] is NULL, and may be written */
    if (s == OK) s = inputs_find(&r.in, (const char *const *)argv + used, n - used, NULL, e);
    if (s == OK) s = run(&r, e);
    if (s == OK && !r.sentences) program_exit.done = EXIT_FAILED;
    text_rules_free(f.raw.rules);
    run_fini(&r);
    return s;
}

static const char SEARCH_HELP[] =
    "PATTERN is one of Tregex (trees), or of Semgrex (dependencies) if it begins with a brace.\n"
    "lal search 'NP < (NP $+ PP)' treebank.mrg\n"
    "lal search '{tag:/VB.*/} >nsubj {}=subject' book.txt\n"
    "The exit status is 0 if there was a match, 1 if there was none, 2 after an error.\n";

static const Option *const SEARCH_TABLES[] = { SEARCH_OPTIONS, NULL };
const Command CMD_SEARCH = { "search",
                             "[OPTIONS] PATTERN [FILE|FOLDER...]",
                             "search text, trees or arcs by patterns of Tregex and Semgrex",
                             SEARCH_HELP,
                             SEARCH_TABLES,
                             run_search };
