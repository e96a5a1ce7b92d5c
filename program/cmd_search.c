/* Lal search */
#include <stdlib.h>
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
#include "program/search_report.h"
#include "treebank/conll.h"

enum { INPUT_AUTO, INPUT_FIRST };               /* then as in InputKind */
enum { BLOCK = 1 << 18, BLOCK_MOST = 1 << 26 }; /* bytes of a treebank that a worker gets; of one sentence */
enum { LABELS_MOST = 200000 };                  /* words that a worker knows before it begins again */

typedef struct Options {
    const char *tregex, *semgrex, *patterns, *where, *heads, *count_by, *model, *out, *deps;
    RawTextFields raw;
    int format, input, graph, color, context, threads;
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

typedef struct OnePattern {
    const char *name; /* of several */
    StrView tregex, semgrex;
} OnePattern;

typedef struct Patterns {
    OnePattern *at;
    const char **name; /* [n] */
    int n, cap;
    HeadFinder heads;
    StrBuf text; /* of the file */
    Arena arena;
} Patterns;

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory searching"); }

static Status add_pattern(Patterns *p, const char *name, StrView text, Error *e)
{
    if (!mem_reserve(p->at, &p->cap, p->n + 1)) return no_memory(e);
    p->at[p->n++] = query_kind(text) == QUERY_SEMGREX ? (OnePattern){ name, { NULL, 0 }, text }
                                                      : (OnePattern){ name, text, { NULL, 0 } };
    return OK;
}

/* The patterns of a file; lines that begin with # are comments. */
static Status read_patterns(Patterns *p, const char *path, Error *e)
{
    StrView line;
    long number = 0;
    Status s = file_read_text(path, &p->text, e);
    StrView text = { p->text.ptr ? p->text.ptr : "", p->text.len };
    for (size_t at = 0; s == OK && text_line(text, &at, &line);) {
        char own[24];
        const char *tab = memchr(line.ptr, '\t', line.len);
        number++;
        if (!line.len || line.ptr[0] == '#') continue;
        int n = snprintf(own, sizeof own, "%ld", number);
        const char *name = tab ? arena_strndup(&p->arena, line.ptr, (size_t)(tab - line.ptr))
                               : arena_strndup(&p->arena, own, (size_t)n);
        if (tab) line = (StrView){ tab + 1, line.len - (size_t)(tab + 1 - line.ptr) };
        s = name ? add_pattern(p, name, line, e) : no_memory(e);
    }
    if (s == OK && !p->n) s = error_at(e, ERR_FORMAT, path, 0, 0, "found no pattern, expected one on each line");
    p->name = s == OK ? arena_alloc(&p->arena, (size_t)p->n, sizeof *p->name) : NULL;
    if (s == OK && !p->name) return no_memory(e);
    for (int k = 0; s == OK && k < p->n; k++) p->name[k] = p->at[k].name;
    return s;
}

static StrView view(const char *text) { return (StrView){ text, text ? strlen(text) : 0 }; }

/* The patterns that the options and the first argument say; *used: is that a pattern? */
static Status find_patterns(Patterns *p, const Options *f, const char *first, bool *used, Error *e)
{
    *used = !f->tregex && !f->semgrex && !f->patterns;
    if (f->heads && !head_finder_find(f->heads, &p->heads))
        return error_set(e, ERR_USAGE, "--heads: found '%s', expected a head finder such as CollinsHeadFinder",
                         f->heads);
    if (f->patterns && (f->tregex || f->semgrex || f->where || f->count_by))
        return error_set(e, ERR_USAGE, "--patterns: found another pattern, --where or --count-by beside it");
    if (f->patterns) return read_patterns(p, f->patterns, e);
    if (*used && !first) return error_set(e, ERR_USAGE, "found no pattern, expected one");
    if (*used) return add_pattern(p, NULL, view(first), e);
    Status s = add_pattern(p, NULL, view(""), e);
    if (s == OK) p->at[0] = (OnePattern){ NULL, view(f->tregex), view(f->semgrex) };
    return s;
}

/* ---- workers */

/* How often values of --count-by were found. */
typedef struct Table {
    StrMap rows;
    long *count; /* [rows.n] */
    int cap;
} Table;

typedef struct Found {
    long matches, sentences; /* with a match */
} Found;

typedef struct Searcher {
    QuerySearch search;
    const struct Run *run;
    Query **query; /* [patterns] */
    Fields *fields;
    StrMap labels;
    Searched sentence;
    Finds finds;
    Table table;
    Found *found; /* [patterns] of a file */
    long *row;    /* [patterns] matches of the sentence */
    StrBuf block; /* the text that it searches */
    TextBlock place;
    StrBuf bodies, key;
    Hit *hit; /* [n_hits] */
    int n_hits, cap, pattern;
    long sentences; /* of the block */
    long number;    /* of the first one in the file, if the worker is alone */
    Status status;
    Error error;
} Searcher;

typedef struct Run {
    const Options *f;
    const Patterns *patterns;
    const Inputs *in;
    SearchReport report;
    FileWriter out;
    Searcher *worker; /* [n_workers] */
    int n_workers, asks;
    ThreadTeam *team;
    StrBuf line;
    TreebankFormat format;               /* of a treebank */
    bool named;                          /* lines name the file */
    bool enough;                         /* of the file */
    long before;                         /* sentences of the file before the blocks that are searched */
    long matches, sentences, all, words; /* of all files */
    Found *found;                        /* [patterns] */
    long *counted;                       /* [3] of the file */
    Progress progress;
    ProgramNotes notes;
    Model model; /* loaded with the first raw text */
    Parser parser;
    Why why;
    OutputStyle style;
    Source source;
} Run;

static bool take(QuerySearch *search, const Match *match)
{
    Searcher *w = (Searcher *)search;
    const Options *f = w->run->f;
    w->row[w->pattern]++;
    if (w->fields) {
        strbuf_clear(&w->key);
        fields_put(&w->key, w->fields, match, &w->sentence, &w->labels);
        int at = map_add(&w->table.rows, w->key.ptr ? w->key.ptr : "", w->key.len), had = w->table.cap;
        if (w->key.failed || at < 0 || !mem_reserve(w->table.count, &w->table.cap, at + 1)) {
            w->finds.matches.failed = true;
            return false;
        }
        for (int k = had; k < w->table.cap; k++) w->table.count[k] = 0;
        w->table.count[at]++;
    } else if (!f->count && !f->files) finds_take(&w->finds, w->query[w->pattern], match, &w->sentence, &w->labels);
    else w->finds.n++;
    return !f->files;
}

static Status compile(Searcher *w, Error *e)
{
    const Run *r = w->run;
    const Options *f = r->f;
    for (int k = 0; k < r->patterns->n; k++) {
        const OnePattern *p = &r->patterns->at[k];
        QueryOptions o = { p->tregex, p->semgrex, view(f->where), r->patterns->heads, f->ignore_case, true };
        query_free(w->query[k]);
        if (!(w->query[k] = query_compile(&o, e))) {
            Error why = *e;
            if (p->name && why.code == ERR_FORMAT)
                return error_set(e, why.code, "pattern %s, column %ld: %s", p->name, why.column, why.message);
            return why.code;
        }
    }
    fields_free(w->fields);
    w->fields = NULL;
    if (f->count_by &&
        !(w->fields = fields_compile(view(f->count_by), query_name_list(w->query[0]), query_names(w->query[0]), e)))
        return e->code;
    return OK;
}

static Status worker_start(Searcher *w, const Run *r, Error *e)
{
    size_t n = (size_t)r->patterns->n;
    *w = (Searcher){ .search = { take, 0 }, .run = r, .finds = { .style = &r->report.style } };
    map_init(&w->labels);
    map_init(&w->table.rows);
    w->query = mem_calloc(n, sizeof *w->query);
    w->found = mem_calloc(n, sizeof *w->found);
    w->row = mem_calloc(n, sizeof *w->row);
    return w->query && w->found && w->row ? compile(w, e) : no_memory(e);
}

static void worker_end(Searcher *w)
{
    for (int k = 0; w->query && k < w->run->patterns->n; k++) query_free(w->query[k]);
    fields_free(w->fields);
    map_fini(&w->labels);
    map_fini(&w->table.rows);
    searched_fini(&w->sentence);
    finds_fini(&w->finds);
    strbuf_fini(&w->block);
    strbuf_fini(&w->bodies);
    strbuf_fini(&w->key);
    mem_free_each(w->query, w->found, w->row, w->table.count, w->hit);
}

static Status add_hit(Searcher *w, int pattern, int matches, size_t begin, Error *e)
{
    if (!mem_reserve(w->hit, &w->cap, w->n_hits + 1)) return no_memory(e);
    w->hit[w->n_hits++] = (Hit){ w->sentences, pattern, matches, begin, w->bodies.len };
    return OK;
}

/* Of several patterns a row with the number of matches of each. */
static Status put_row(Searcher *w, long matches, Error *e)
{
    size_t begin = w->bodies.len;
    for (int k = 0; k < w->run->patterns->n; k++) strbuf_printf(&w->bodies, k ? "\t%ld" : "%ld", w->row[k]);
    strbuf_putc(&w->bodies, '\n');
    return add_hit(w, 0, (int)matches, begin, e);
}

/* Searches w->sentence. */
static Status search_sentence(Searcher *w, Error *e)
{
    const Run *r = w->run;
    const Options *f = r->f;
    bool table = r->patterns->name && f->format == SEARCH_TEXT, silent = f->count || f->files || f->count_by;
    long matches = 0;
    Status s = OK;
    w->sentence.graph.sentence = w->number + w->sentences;
    for (int k = 0; s == OK && k < r->patterns->n; k++) {
        w->pattern = k;
        w->row[k] = 0;
        finds_begin(&w->finds, &w->sentence);
        s = query_search(w->query[k], &w->sentence, &w->labels, &w->search, e);
        if (s == OK && w->finds.matches.failed) s = no_memory(e);
        w->found[k].matches += w->row[k];
        w->found[k].sentences += w->row[k] > 0;
        matches += w->row[k];
        bool body = (w->row[k] > 0) != f->invert || f->context;
        size_t begin = w->bodies.len;
        if (s != OK || table || !body) continue;
        if (!silent) s = finds_put(&w->bodies, &w->finds, &w->sentence, &w->labels, e);
        if (s == OK) s = add_hit(w, k, (int)w->row[k], begin, e);
    }
    if (s == OK && table && (matches > 0) != f->invert) s = put_row(w, matches, e);
    w->sentences++;
    return s;
}

/* ---- treebanks */

static Status next_sentence(Searcher *w, bool *found, Error *e)
{
    const Run *r = w->run;
    TextBlock *rest = &w->place, line;
    GraphKind graph = (GraphKind)r->f->graph;
    if (r->format == FORMAT_CONLL) return searched_rows(&w->sentence, rest, graph, found, e);
    if (r->format == FORMAT_BRACKETS) return searched_brackets(&w->sentence, &w->labels, rest, found, e);
    do {
        size_t at = 0;
        line = *rest;
        *found = text_line(rest->text, &at, &line.text);
        if (!*found) return OK;
        rest->line++;
        rest->text = (StrView){ rest->text.ptr + at, rest->text.len - at };
    } while (!line.text.len);
    return searched_json(&w->sentence, &w->labels, line, "TOP", graph, e);
}

static void search_block(void *context, int thread, int item)
{
    Searcher *w = &((Run *)context)->worker[item];
    const char *what;
    size_t fault = text_fault(w->place.text, &what);
    bool found = true;
    (void)thread;
    w->status = OK;
    if (w->labels.n > LABELS_MOST) {
        map_fini(&w->labels);
        map_init(&w->labels);
        w->status = compile(w, &w->error);
    }
    if (w->status == OK && fault < w->place.text.len) {
        TextPlace place = text_place((TextPlace){ w->place.line, w->place.column }, w->place.text.ptr, fault);
        w->status = error_at(&w->error, ERR_FORMAT, w->place.path, place.line, place.column, "%s", what);
    }
    while (w->status == OK && (w->status = next_sentence(w, &found, &w->error)) == OK && found)
        w->status = search_sentence(w, &w->error);
    if (w->status != OK && !w->error.path[0] && w->error.line) {
        Error why = w->error;
        w->status = error_at(&w->error, why.code, w->place.path, why.line, why.column, "%s", why.message);
    }
}

/* Writes what a worker has found, and empties it. */
static Status report(Run *r, Searcher *w, Error *e)
{
    for (int k = 0; k < w->n_hits && !r->enough; k++) {
        Hit hit = w->hit[k];
        bool shown = (hit.matches > 0) != r->f->invert;
        hit.number += r->before;
        r->enough = !search_report_hit(&r->report, &hit, w->bodies.ptr, shown);
        if (shown && r->f->files) r->enough = true;
    }
    for (int k = 0; k < r->patterns->n; k++) {
        r->found[k].matches += w->found[k].matches;
        r->found[k].sentences += w->found[k].sentences;
        w->found[k] = (Found){ 0 };
    }
    r->before += w->sentences;
    w->n_hits = 0;
    w->sentences = 0;
    strbuf_clear(&w->bodies);
    if (r->report.line.failed) return no_memory(e);
    if (r->out.error) return error_at(e, ERR_IO, r->out.path, 0, 0, "cannot write: %s", strerror(r->out.error));
    return OK;
}

/* The next blocks, one for each worker, at most; *n of them. */
static Status next_blocks(Run *r, TextStream *in, int *n, Error *e)
{
    Status s = OK;
    bool whole = true;
    for (*n = 0; s == OK && *n < r->n_workers; ++*n) {
        Searcher *w = &r->worker[*n];
        s = stream_next(in, BLOCK, BLOCK_MOST, &w->place, &whole, e);
        if (s == OK && !w->place.text.len) break;
        if (s == OK && !whole)
            s = error_at(e, ERR_LIMIT, in->path, w->place.line, 0, "found a sentence of more than %d bytes",
                         BLOCK_MOST);
        if (s != OK) break;
        strbuf_clear(&w->block);
        strbuf_add(&w->block, w->place.text.ptr, w->place.text.len);
        if (w->block.failed) s = no_memory(e);
        w->place.text.ptr = w->block.ptr;
        w->number = r->before; /* of a worker that is alone */
    }
    return s;
}

static Cutter cutter_of(TreebankFormat format)
{
    return format == FORMAT_CONLL ? conll_cut : format == FORMAT_JSON_LINES ? stream_cut_lines : bracket_cut;
}

static Status search_stream(Run *r, TextStream *in, Error *e)
{
    int n = 1;
    in->cutter = cutter_of(r->format);
    for (Status s = OK; !r->enough;) {
        s = next_blocks(r, in, &n, e);
        thread_team_run(r->team, n, search_block, r);
        for (int k = 0; k < n; k++) { /* what stands before an error is written */
            Searcher *w = &r->worker[k];
            Error own = w->error;
            Status wrong = w->status, written = report(r, w, e);
            if (wrong != OK) {
                *e = own;
                w->error = (Error){ 0 };
                return wrong;
            }
            if (written != OK) return written;
        }
        if (s != OK || !n) return s;
        progress_show(&r->progress, progress_share(&r->progress, stream_share(in)), "%ld sentences, %ld matches",
                      r->before, r->matches + r->found[0].matches);
    }
    return OK;
}

/* Trees that get their dependencies from rules or from another file. */
static Status search_corpus(Run *r, const char *path, Error *e)
{
    CorpusReader c;
    char place[DATA_PATH_MAX];
    Searcher *w = &r->worker[0];
    const UdRules *ud = LANGUAGES[0]->ud;
    ReaderOptions o = { .format = FORMAT_BRACKETS, .brackets = { .strip_functions = true, .notes = &r->notes.notes } };
    Status s = corpus_open(&c, path, program_deps_path(r->f->deps, place, sizeof place), o, e);
    while (s == OK && !r->enough && (s = corpus_block(&c, e)) == OK && c.trees.tb.n) {
        Treebank *tb = &c.trees.tb;
        for (int k = 0; s == OK && k < tb->n; k++) {
            Sentence *x = &tb->s[k];
            bool made = x->n_words && x->heads && ud->fits(x);
            if (made && !ud->sentence(x, NULL, &tb->arena)) s = no_memory(e);
            if (s == OK && made && r->f->graph != GRAPH_BASIC) x->graph = ud->enhance(x, &tb->arena);
            if (s == OK) s = searched_sentence(&w->sentence, &w->labels, x, "TOP", (GraphKind)r->f->graph, e);
            w->number = r->before;
            if (s == OK) s = search_sentence(w, e);
        }
        if (s == OK) s = report(r, w, e);
    }
    corpus_close(&c);
    return s;
}

/* ---- raw text */

/* Loads the model, and asks it for what the patterns ask about. */
static Status load(Run *r, Error *e)
{
    const Options *f = r->f;
    char place[DATA_PATH_MAX];
    int asks = r->asks;
    bool ud, words = asks & (ASKS_GRAPH | ASKS_WORDS) || f->format == SEARCH_CONLLU || f->format == SEARCH_SVG;
    r->model.map_above = 0;
    Status s = program_device("cpu", e);
    if (s == OK) s = program_parse_products(PARSE_AUTO, asks & ASKS_HEADS, e);
    if (s == OK) s = model_load(&r->model, program_model_path(f->model, place, sizeof place), NULL, e);
    if (s == OK) s = model_check_parses(&r->model, false, false, e);
    if (s == OK && asks & ASKS_TREE && !r->model.c.trees)
        s = error_set(e, ERR_CONFIG, "the model has no phrase structure, which Tregex searches");
    if (s == OK && asks & ASKS_GRAPH && !r->model.c.arcs)
        s = error_set(e, ERR_CONFIG, "the model has no dependencies, which Semgrex searches");
    if (s == OK) s = parser_init(&r->parser, &r->model, device_default(), program_threads(f->threads), e);
    if (s != OK) return s;
    ud = model_ud(&r->model) && !(asks & ASKS_HEADS);
    r->parser.o.keep_going = true;
    r->parser.o.confidence = (asks & ASKS_P) != 0;
    r->parser.o.arc_probability = (asks & ASKS_P) != 0;
    r->style = (OutputStyle){ .format = &OUTPUT_JSON, .ud = ud, .confidence = asks & ASKS_P, .why = asks & ASKS_HEADS };
    s = output_fields(words ? "id,line,begin,end,text,form,tag,lemma,upos,feats,head,type,enhanced,constituents,"
                              "confidence,p,why"
                            : "id,line,begin,end,text,form,tag,constituents,confidence,why",
                      &r->style.fields, e);
    if (s == OK && asks & ASKS_HEADS) {
        s = why_init(&r->why, &r->model, r->model.c.trees, r->model.c.arcs, e);
        r->parser.o.observe = why_observer(&r->why);
    }
    return s;
}

/* Searches sentences [from, to) of the window, as lines of JSON. */
static Status search_parsed(void *context, int from, int to, Error *e)
{
    Run *r = context;
    Searcher *w = &r->worker[0];
    const Source *source = &r->source;
    Status s = OK;
    for (int k = from; s == OK && k < to && !r->enough; k++) {
        Origin o = source_origin(source, k, r->before + 1);
        const Parsed *p = &r->parser.result[k];
        if (!p->n_words) continue;
        strbuf_clear(&r->line);
        output_sentence(&r->line, &r->model, p, &o, r->style);
        if (r->line.failed) return no_memory(e);
        const TextBlock line = { .text = { r->line.ptr, r->line.len }, .path = source->path, .line = o.line };
        s = searched_json(&w->sentence, &w->labels, line, "TOP", (GraphKind)r->f->graph, e);
        w->number = r->before;
        if (s == OK) s = search_sentence(w, e);
        if (s == OK) s = report(r, w, e);
        r->words += p->n_words;
    }
    progress_show(&r->progress, progress_share(&r->progress, source_progress(source)), "%ld sentences, %ld matches",
                  r->before, r->matches + r->found[0].matches);
    return s;
}

static Status search_text(Run *r, Error *e)
{
    Source *s = &r->source;
    Status status = r->parser.m ? OK : load(r, e);
    if (status == OK) {
        s->o.raw = program_raw_text(&r->f->raw, &r->model);
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
        r->format = format_suspect(text);
    }
    return OK;
}

static Status search_open(Run *r, const char *path, Error *e)
{
    Status s = find_format(r, &r->source.text.stream, path, e);
    bool standard = strcmp(path, "-") == 0;
    if (s != OK || r->format == FORMAT_AUTO) return s == OK ? search_text(r, e) : s;
    if (r->format == FORMAT_CONLL && r->asks & ASKS_TREE)
        return error_at(e, ERR_FORMAT, path, 0, 0, "found dependencies, expected trees or text for a pattern of trees");
    if (r->format != FORMAT_BRACKETS || !(r->asks & (ASKS_GRAPH | ASKS_WORDS)))
        return search_stream(r, &r->source.text.stream, e);
    if (standard && r->f->input == INPUT_AUTO)
        return error_set(e, ERR_USAGE,
                         "found trees on standard input, expected --input brackets for their dependencies");
    return search_corpus(r, path, e);
}

static Status search_file(Run *r, const char *path, Error *e)
{
    SourceOptions o = { .kind = r->f->input == INPUT_FIRST + INPUT_TOKENS ? INPUT_TOKENS : INPUT_TEXT,
                        .raw = program_raw_text(&r->f->raw, NULL),
                        .notes = r->f->quiet ? NULL : &r->notes.notes };
    char place[DATA_PATH_MAX];
    path = program_file(path, place, sizeof place);
    search_report_file(&r->report, path, r->named);
    r->enough = false;
    r->before = 0;
    memset(r->found, 0, (size_t)r->patterns->n * sizeof *r->found);
    progress_file(&r->progress, path);
    Status s = source_open(&r->source, path, o, e);
    if (s == OK) s = search_open(r, path, e);
    source_close(&r->source);
    return s;
}

/* ---- what all files have together */

/* The numbers of a file, after those of its patterns. */
static void put_count(Run *r, const char *path, StrBuf *out)
{
    for (int k = 0; k < r->patterns->n; k++) {
        const Found *x = &r->found[k];
        if (r->patterns->name) strbuf_printf(out, "%s\t", r->patterns->name[k]);
        if (r->named) strbuf_printf(out, "%s:", path);
        if (r->f->format == SEARCH_TSV || r->patterns->name)
            strbuf_printf(out, "%ld\t%ld\t%ld\n", x->matches, x->sentences, r->before);
        else
            strbuf_printf(out, "%ld match%s in %ld of %ld sentences\n", x->matches, x->matches == 1 ? "" : "es",
                          x->sentences, r->before);
    }
}

/* Adds the numbers of a file, and writes what is asked of it. */
static void end_file(Run *r, const char *path)
{
    long found = 0;
    strbuf_clear(&r->line);
    for (int k = 0; k < r->patterns->n; k++) {
        found += r->f->invert ? r->before - r->found[k].sentences : r->found[k].sentences;
        r->matches += r->found[k].matches;
    }
    r->sentences += found;
    r->all += r->before;
    if (r->f->files && found) strbuf_printf(&r->line, "%s\n", path);
    else if (r->f->count) put_count(r, path, &r->line);
    if (r->line.len) program_write(&r->out, &r->line);
    memset(r->found, 0, (size_t)r->patterns->n * sizeof *r->found); /* progress adds them to r->matches */
}

typedef struct Row {
    const char *text;
    long count;
} Row;

static int by_count(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return strcmp(x->text, y->text);
}

/* Adds the tables of all workers to that of the first one. */
static bool join_tables(Run *r)
{
    Table *to = &r->worker[0].table;
    for (int k = 1; k < r->n_workers; k++) {
        const Table *from = &r->worker[k].table;
        for (int i = 0; i < from->rows.n; i++) {
            int at = map_add(&to->rows, from->rows.keys[i], strlen(from->rows.keys[i])), had = to->cap;
            if (at < 0 || !mem_reserve(to->count, &to->cap, at + 1)) return false;
            for (int n = had; n < to->cap; n++) to->count[n] = 0;
            to->count[at] += from->count[i];
        }
    }
    return true;
}

static Status write_table(Run *r, Error *e)
{
    if (!join_tables(r)) return no_memory(e);
    const Table *t = &r->worker[0].table;
    Row *row = mem_alloc((size_t)t->rows.n, sizeof *row);
    if (!row && t->rows.n) return no_memory(e);
    for (int k = 0; k < t->rows.n; k++) row[k] = (Row){ t->rows.keys[k], t->count[k] };
    if (row) qsort(row, (size_t)t->rows.n, sizeof *row, by_count);
    strbuf_clear(&r->line);
    for (int k = 0; k < t->rows.n; k++) strbuf_printf(&r->line, "%ld\t%s\n", row[k].count, row[k].text);
    mem_free(row);
    if (r->line.failed) return no_memory(e);
    program_write(&r->out, &r->line);
    return OK;
}

/* The first line of a table of several patterns. */
static void write_names(Run *r)
{
    strbuf_clear(&r->line);
    strbuf_puts(&r->line, r->f->count ? "pattern\tmatches\tsentences\tof\n" : "sentence");
    for (int k = 0; !r->f->count && k < r->patterns->n; k++) strbuf_printf(&r->line, "\t%s", r->patterns->name[k]);
    if (!r->f->count) strbuf_putc(&r->line, '\n');
    program_write(&r->out, &r->line);
}

static Status search_files(Run *r, Error *e)
{
    const Options *f = r->f;
    Status s = OK;
    r->named = r->in->n > 1;
    progress_files(&r->progress, r->in->path, r->in->n);
    if (r->patterns->name && (f->count || f->format == SEARCH_TEXT) && !f->files) write_names(r);
    for (int k = 0; s == OK && k < r->in->n; k++) {
        s = search_file(r, r->in->path[k], e);
        if (s == OK) end_file(r, r->in->path[k]);
    }
    progress_clear(&r->progress);
    program_notes_end(&r->notes);
    Status ended = search_report_end(&r->report, s == OK ? e : NULL);
    if (s == OK) s = ended;
    if (s == OK && f->count_by) s = write_table(r, e);
    if (s == OK && progress_was_long(&r->progress))
        program_say("%ld matches in %ld of %ld sentences in %s\n", r->matches, r->sentences, r->all,
                    progress_duration(progress_seconds(&r->progress)).text);
    return s;
}

static Status start_workers(Run *r, Error *e)
{
    const Options *f = r->f;
    Status s = OK;
    int n = program_threads(f->threads);
    bool alone = f->files || f->most; /* a file is not read further than is needed */
    for (int k = 0; k < r->patterns->n; k++) {
        StrView text = r->patterns->at[k].semgrex;
        for (size_t at = 0; at < text.len; at++) /* what goes from sentence to sentence */
            alone |= text.ptr[at] == ':' || (text.len - at >= 9 && !memcmp(text.ptr + at, "sentIndex", 9));
    }
    if (alone) n = 1;
    r->worker = mem_calloc((size_t)n, sizeof *r->worker);
    r->found = mem_calloc((size_t)r->patterns->n, sizeof *r->found);
    r->team = thread_team_new(n);
    if (!r->worker || !r->found || !r->team) return no_memory(e);
    for (; s == OK && r->n_workers < n; r->n_workers++) s = worker_start(&r->worker[r->n_workers], r, e);
    if (s != OK) return s;
    for (int k = 0; k < r->patterns->n; k++) r->asks |= query_asks(r->worker[0].query[k]);
    if (r->worker[0].fields) r->asks |= fields_asks(r->worker[0].fields);
    return OK;
}

static Status run(Run *r, Error *e)
{
    const Options *f = r->f;
    bool terminal = isatty(STDOUT_FILENO) && strcmp(f->out, "-") == 0;
    r->report = (SearchReport){ .style = { .format = (SearchFormat)f->format,
                                           .only = f->only,
                                           .whole = f->whole,
                                           .color = f->format == SEARCH_TEXT && !r->patterns->name &&
                                                    screen_style(terminal, DRAW_NONE, (ScreenColor)f->color).color },
                                .out = &r->out,
                                .pattern = f->format == SEARCH_TEXT ? NULL : r->patterns->name,
                                .most = f->most,
                                .context = f->context,
                                .silent = f->count || f->files || f->count_by,
                                .sample = f->sample,
                                .seed = (uint64_t)f->seed };
    Status s = start_workers(r, e);
    if (s == OK) s = filewriter_open(&r->out, f->out, e);
    if (s == OK) {
        if (r->report.style.color) r->out.visible = false;
        s = search_files(r, e);
        Status closed = filewriter_close(&r->out, s == OK, e);
        if (s == OK) s = closed;
    }
    why_fini(&r->why);
    parser_fini(&r->parser);
    model_fini(&r->model);
    for (int k = 0; k < r->n_workers; k++) worker_end(&r->worker[k]);
    thread_team_free(r->team);
    mem_free_each(r->worker, r->found);
    strbuf_fini(&r->line);
    return s;
}

static Status check_options(const Options *f, Error *e)
{
    if (f->only && f->format != SEARCH_TEXT) return error_set(e, ERR_USAGE, "--only: expected --format text");
    if (f->context && f->format != SEARCH_TEXT) return error_set(e, ERR_USAGE, "--context: expected --format text");
    if (f->context && f->sample) return error_set(e, ERR_USAGE, "--context: found --sample, expected one of both");
    if (f->whole && f->format != SEARCH_BRACKETS) return error_set(e, ERR_USAGE, "--whole: expected --format brackets");
    if (f->count + f->files + (f->count_by != NULL) > 1)
        return error_set(e, ERR_USAGE, "found two of --count, --count-by and --files, expected one");
    if (f->patterns && f->format != SEARCH_TEXT && f->format != SEARCH_TSV)
        return error_set(e, ERR_USAGE, "--patterns: expected --format text or tsv");
    if (f->patterns && f->context) return error_set(e, ERR_USAGE, "--patterns: found --context, expected none");
    return OK;
}

static Status run_search(int argc, char **argv, Error *e)
{
    Options f = { 0 };
    Inputs in = { 0 };
    Patterns patterns = { 0 };
    Run r = { .f = &f, .patterns = &patterns, .in = &in, .notes = program_notes() };
    int n;
    bool used = false;
    arena_init(&patterns.arena, 1024);
    model_init(&r.model);
    program_exit = (ProgramExit){ .done = EXIT_DONE, .failed = EXIT_USAGE };
    Status s = program_options(SEARCH_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    r.progress = progress_start("search", f.quiet || (isatty(STDERR_FILENO) && isatty(STDOUT_FILENO)));
    r.notes.progress = &r.progress;
    if (s == OK) s = check_options(&f, e);
    if (s == OK) s = program_rules_read(&f.raw, e);
    if (s == OK) s = find_patterns(&patterns, &f, n ? argv[0] : NULL, &used, e);
    static char standard_input[] = "-";
    if (used && n == 1) argv[n++] = standard_input; /* argv[argc] is NULL, and may be written */
    if (s == OK) s = inputs_find(&in, (const char *const *)argv + used, n - used, NULL, e);
    if (s == OK) s = run(&r, e);
    if (s == OK && !r.sentences) program_exit.done = EXIT_FAILED;
    text_rules_free(f.raw.rules);
    inputs_fini(&in);
    mem_free(patterns.at);
    strbuf_fini(&patterns.text);
    arena_fini(&patterns.arena);
    return s;
}

static const char SEARCH_HELP[] =
    "PATTERN is one of Tregex (trees) or, where it begins with a brace, of Semgrex (dependencies).\n"
    "lal search 'NP < (NP $+ PP)' treebank.mrg\n"
    "lal search '{tag:/VB.*/} >nsubj {}=subject' book.txt\n"
    "The exit status is 0 if there was a match, 1 if there was none, 2 after an error.\n";

static const Option *const SEARCH_TABLES[] = { SEARCH_OPTIONS, NULL };
const Command CMD_SEARCH = { "search",
                             "[OPTIONS] PATTERN [FILE|FOLDER...]",
                             "search trees, dependencies or raw text for patterns of Tregex and Semgrex",
                             SEARCH_HELP,
                             SEARCH_TABLES,
                             run_search };
