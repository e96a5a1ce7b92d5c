/* Labels and words are numbers in the worker's own map; it begins again when it knows too many of them. */
#include "program/searcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { LABELS_MOST = 200000 };

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory searching"); }

/* ---- patterns */

SearchPattern search_pattern(const char *name, StrView text)
{
    return query_kind(text) == QUERY_SEMGREX ? (SearchPattern){ .name = name, .semgrex = text }
                                             : (SearchPattern){ .name = name, .tregex = text };
}

Status search_patterns_macros(SearchPatterns *patterns, const char *path, Error *error)
{
    patterns->macros_path = path;
    return file_read_text(path, &patterns->macros, error);
}

static Status expand(SearchPatterns *p, StrView *tregex, Error *error)
{
    StrBuf text = { 0 };
    StrView macros = { p->macros.ptr ? p->macros.ptr : "", p->macros.len };
    Status s = tregex_expand(*tregex, macros, p->macros_path, &text, error);
    if (s == OK) *tregex = (StrView){ arena_strndup(&p->arena, text.ptr ? text.ptr : "", text.len), text.len };
    strbuf_fini(&text);
    return s == OK && !tregex->ptr ? no_memory(error) : s;
}

Status search_patterns_add(SearchPatterns *patterns, SearchPattern pattern, Error *error)
{
    if (patterns->macros_path && pattern.tregex.ptr) {
        Status s = expand(patterns, &pattern.tregex, error);
        if (s != OK) return s;
    }
    if (!mem_reserve(patterns->at, &patterns->cap, patterns->n + 1)) return no_memory(error);
    patterns->at[patterns->n++] = pattern;
    return OK;
}

static Status add_line(SearchPatterns *p, StrView line, long number, Error *error)
{
    char own[24];
    const char *tab = memchr(line.ptr, '\t', line.len);
    StrView name = { own, (size_t)snprintf(own, sizeof own, "%ld", number) };
    if (tab) {
        name = (StrView){ line.ptr, (size_t)(tab - line.ptr) };
        line = (StrView){ tab + 1, line.len - name.len - 1 };
    }
    const char *kept = arena_strndup(&p->arena, name.ptr, name.len);
    return kept ? search_patterns_add(p, search_pattern(kept, line), error) : no_memory(error);
}

Status search_patterns_read(SearchPatterns *patterns, const char *path, Error *error)
{
    SearchPatterns *p = patterns;
    StrView line;
    long number = 0;
    Status s = file_read_text(path, &p->text, error);
    StrView text = { p->text.ptr ? p->text.ptr : "", p->text.len };
    for (size_t at = 0; s == OK && text_line(text, &at, &line);) {
        number++;
        if (line.len && line.ptr[0] != '#') s = add_line(p, line, number, error);
    }
    if (s == OK && !p->n) s = error_at(error, ERR_FORMAT, path, 0, 0, "found no pattern, expected one on each line");
    if (s != OK) return s;
    p->name = arena_alloc(&p->arena, (size_t)p->n, sizeof *p->name);
    for (int k = 0; p->name && k < p->n; k++) p->name[k] = p->at[k].name;
    return p->name ? OK : no_memory(error);
}

static bool has(StrView text, const char *part)
{
    size_t n = strlen(part);
    for (size_t at = 0; at + n <= text.len; at++)
        if (memcmp(text.ptr + at, part, n) == 0) return true;
    return false;
}

bool search_patterns_in_order(const SearchPatterns *patterns)
{
    for (int k = 0; k < patterns->n; k++) {
        StrView text = patterns->at[k].semgrex;
        if (has(text, "::") || has(text, "sentIndex") || has(text, "before")) return true;
    }
    return false;
}

void search_patterns_fini(SearchPatterns *patterns)
{
    mem_free(patterns->at);
    strbuf_fini(&patterns->text);
    strbuf_fini(&patterns->macros);
    arena_fini(&patterns->arena);
}

/* ---- tables */

static bool table_add(Table *t, const char *text, size_t len, long count)
{
    int at = map_add(&t->rows, text, len), had = t->cap;
    if (at < 0 || !mem_reserve(t->count, &t->cap, at + 1)) return false;
    for (int k = had; k < t->cap; k++) t->count[k] = 0;
    t->count[at] += count;
    return true;
}

bool table_join(Table *to, const Table *from)
{
    for (int k = 0; k < from->rows.n; k++)
        if (!table_add(to, from->rows.keys[k], strlen(from->rows.keys[k]), from->count[k])) return false;
    return true;
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

void table_put(StrBuf *out, const Table *table)
{
    int n = table->rows.n;
    Row *row = mem_alloc((size_t)n + 1, sizeof *row);
    if (!row) {
        out->failed = true;
        return;
    }
    for (int k = 0; k < n; k++) row[k] = (Row){ table->rows.keys[k], table->count[k] };
    qsort(row, (size_t)n, sizeof *row, by_count);
    for (int k = 0; k < n; k++) strbuf_printf(out, "%ld\t%s\n", row[k].count, row[k].text);
    mem_free(row);
}

/* ---- a worker */

/* Takes a match of the present pattern. */
static bool take(QuerySearch *search, const Match *match)
{
    Searcher *w = (Searcher *)search;
    w->row[w->pattern]++;
    if (w->fields) {
        strbuf_clear(&w->key);
        fields_put(&w->key, w->fields, match, &w->sentence, &w->labels);
        if (w->key.failed || !table_add(&w->table, w->key.ptr ? w->key.ptr : "", w->key.len, 1)) {
            w->finds.matches.failed = true;
            return false;
        }
    } else if (w->job->what == SEARCH_BODIES)
        finds_take(&w->finds, w->query[w->pattern], match, &w->sentence, &w->labels);
    return !w->job->one;
}

static Status compile(Searcher *w, Error *e)
{
    const SearchJob *job = w->job;
    for (int k = 0; k < job->patterns->n; k++) {
        const SearchPattern *p = &job->patterns->at[k];
        QueryOptions o = { p->tregex, p->semgrex, job->where, job->heads, job->ignore_case, true };
        Error why = { 0 };
        query_free(w->query[k]);
        if ((w->query[k] = query_compile(&o, &why))) continue;
        if (!p->name || why.code != ERR_FORMAT)
            return error_at(e, why.code, why.path, why.line, why.column, "%s", why.message);
        return error_set(e, why.code, "pattern %s, column %ld: %s", p->name, why.column, why.message);
    }
    if (!job->count_by.ptr) return OK;
    fields_free(w->fields);
    w->fields = fields_compile(job->count_by, query_name_list(w->query[0]), query_names(w->query[0]), e);
    return w->fields ? OK : e->code;
}

Status searcher_init(Searcher *searcher, const SearchJob *job, Error *error)
{
    Searcher *w = searcher;
    size_t n = (size_t)job->patterns->n;
    *w = (Searcher){ .search = { take, 0 }, .job = job, .finds = { .style = &job->style } };
    map_init(&w->labels);
    map_init(&w->table.rows);
    w->query = mem_calloc(n, sizeof *w->query);
    w->found = mem_calloc(n, sizeof *w->found);
    w->row = mem_calloc(n, sizeof *w->row);
    w->counted = mem_calloc(n, sizeof *w->counted);
    return w->query && w->found && w->row && w->counted ? compile(w, error) : no_memory(error);
}

void searcher_fini(Searcher *searcher)
{
    Searcher *w = searcher;
    for (int k = 0; w->query && k < w->job->patterns->n; k++) query_free(w->query[k]);
    fields_free(w->fields);
    map_fini(&w->labels);
    map_fini(&w->table.rows);
    searched_fini(&w->sentence);
    finds_fini(&w->finds);
    strbuf_fini(&w->bodies);
    strbuf_fini(&w->key);
    mem_free_each(w->query, w->found, w->row, w->counted, w->table.count, w->hit);
}

void searcher_empty(Searcher *searcher)
{
    memset(searcher->found, 0, (size_t)searcher->job->patterns->n * sizeof *searcher->found);
    strbuf_clear(&searcher->bodies);
    searcher->n_hits = 0;
    searcher->sentences = 0;
}

int searcher_asks(const Searcher *searcher)
{
    int asks = searcher->fields ? fields_asks(searcher->fields) : 0;
    for (int k = 0; k < searcher->job->patterns->n; k++) asks |= query_asks(searcher->query[k]);
    return asks;
}

Status searcher_ready(Searcher *searcher, Error *error)
{
    if (searcher->labels.n <= LABELS_MOST || searcher->job->in_order) return OK; /* patterns remember what they saw */
    map_fini(&searcher->labels);
    map_init(&searcher->labels);
    return compile(searcher, error);
}

/* ---- sentences */

/* Adds what was put into the bodies since `begin`. */
static Status add_hit(Searcher *w, int pattern, bool shown, size_t begin, Error *e)
{
    if (!mem_reserve(w->hit, &w->cap, w->n_hits + 1)) return no_memory(e);
    w->hit[w->n_hits++] = (Hit){ w->sentences - 1, w->sentence.rank, pattern, shown, begin, w->bodies.len };
    return OK;
}

/* Appends a row with the number of matches of each of several patterns. */
static Status put_row(Searcher *w, Error *e)
{
    size_t begin = w->bodies.len;
    bool any = false;
    for (int k = 0; k < w->job->patterns->n; k++) any |= w->row[k] > 0;
    if (any == w->job->invert) return OK;
    for (int k = 0; k < w->job->patterns->n; k++) strbuf_printf(&w->bodies, "\t%ld", w->row[k]);
    strbuf_putc(&w->bodies, '\n');
    return add_hit(w, 0, true, begin, e);
}

/* Searches the sentence for pattern k. */
static Status search_for(Searcher *w, int k, const char *path, Error *e)
{
    w->pattern = k;
    w->row[k] = 0;
    finds_begin(&w->finds, &w->sentence);
    Status s = query_search(w->query[k], &w->sentence, &w->labels, &w->search, e);
    if (s == OK && w->finds.matches.failed) s = no_memory(e);
    w->found[k].matches += w->row[k];
    w->found[k].sentences += w->row[k] > 0 && !w->counted[k];
    w->counted[k] |= w->row[k] > 0;
    bool shown = (w->row[k] > 0) != w->job->invert;
    size_t begin = w->bodies.len;
    if (s != OK || w->job->what != SEARCH_BODIES || !(shown || w->job->beside)) return s;
    s = finds_put(&w->bodies, &w->finds, path, &w->sentence, &w->labels, e);
    return s == OK ? add_hit(w, k, shown, begin, e) : s;
}

Status searcher_search(Searcher *searcher, const char *path, long number, Error *error)
{
    Status s = OK;
    bool next = searcher->sentence.rank <= 1;
    searcher->sentence.graph.sentence = number;
    searcher->sentences += next;
    for (int k = 0; next && k < searcher->job->patterns->n; k++) searcher->counted[k] = false;
    for (int k = 0; s == OK && k < searcher->job->patterns->n; k++) s = search_for(searcher, k, path, error);
    return s == OK && searcher->job->what == SEARCH_ROWS ? put_row(searcher, error) : s;
}

Status searcher_line(Searcher *searcher, TextBlock line, Error *error)
{
    searcher->line = line;
    searcher->sentence.rank = 0;
    if (searcher->job->best) {
        bool found;
        Status s = searcher_parse(searcher, &found, error);
        if (s != OK || found) return s;
    }
    return searched_json(&searcher->sentence, &searcher->labels, line, "TOP", searcher->job->graph, error);
}

Status searcher_parse(Searcher *searcher, bool *found, Error *error)
{
    Searcher *w = searcher;
    int rank = w->sentence.rank;
    *found = rank < w->job->best && w->line.text.ptr;
    if (!*found) return OK;
    return searched_best(&w->sentence, &w->labels, w->line, "TOP", rank + 1, found, error);
}

/* The next parse of the line, or the next line of JSON that is not empty. */
static Status next_line(Searcher *w, TextBlock *rest, bool *found, Error *e)
{
    TextBlock line;
    Status s = w->sentence.rank ? searcher_parse(w, found, e) : OK;
    if (s != OK || (w->sentence.rank && *found)) return s;
    *found = searched_line(rest, &line);
    return *found ? searcher_line(w, line, e) : OK;
}

static Status next_sentence(Searcher *w, TextBlock *rest, TreebankFormat format, bool *found, Error *e)
{
    if (format == FORMAT_CONLL) return searched_rows(&w->sentence, rest, w->job->graph, found, e);
    if (format == FORMAT_BRACKETS) return searched_brackets(&w->sentence, &w->labels, rest, found, e);
    return next_line(w, rest, found, e);
}

StrView search_unmarked(StrView text)
{
    static const char mark[] = { '\xef', '\xbb', '\xbf' };
    size_t n = text.len >= sizeof mark && memcmp(text.ptr, mark, sizeof mark) == 0 ? sizeof mark : 0;
    return (StrView){ text.ptr + n, text.len - n };
}

Status searcher_block(Searcher *searcher, TextBlock block, TreebankFormat format, long number, Error *error)
{
    const char *what;
    size_t fault = text_fault(block.text, &what);
    bool found = true;
    if (fault < block.text.len) {
        TextPlace place = text_place((TextPlace){ block.line, block.column }, block.text.ptr, fault);
        return error_at(error, ERR_FORMAT, block.path, place.line, place.column, "%s", what);
    }
    if (!block.byte) block.text = search_unmarked(block.text);
    Status s = searcher_ready(searcher, error);
    if (number == 0) searcher->sentence.graph.glued = false;
    while (s == OK && (s = next_sentence(searcher, &block, format, &found, error)) == OK && found)
        s = searcher_search(searcher, block.path, searcher->sentence.rank > 1 ? number - 1 : number++, error);
    return s;
}
