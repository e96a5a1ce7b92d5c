/* A body has neither the file nor the number of its sentence, which only the report knows. */
#include "program/search_report.h"

#include <stdlib.h>

#include "base/json_writer.h"
#include "base/rng.h"
#include "program/program.h"
#include "search/query_output.h"
#include "treebank/bracket.h"
#include "treebank/conll.h"
#include "treebank/draw/draw.h"

/* ---- bodies */

void finds_begin(Finds *finds, const Searched *sentence)
{
    strbuf_clear(&finds->matches);
    finds->n = 0;
    if (mem_reserve(finds->found, &finds->cap, sentence->n_words + 1))
        memset(finds->found, 0, (size_t)sentence->n_words);
    else finds->matches.failed = true;
}

void finds_fini(Finds *finds)
{
    strbuf_fini(&finds->matches);
    mem_free(finds->found);
}

static void words_of(const Searched *x, Place place, int *begin, int *end)
{
    *begin = place.tree >= 0 ? searched_begin(x, place.tree) : place.graph >= 0 ? searched_word(x, place.graph) : -1;
    *end = place.tree >= 0 ? searched_end(x, place.tree) : *begin + 1;
    if (*begin < 0) *begin = *end = 0;
}

static void put_text(StrBuf *out, const Searched *x, Place place)
{
    int begin, end;
    words_of(x, place, &begin, &end);
    if (begin < end) searched_text(out, x, begin, end);
    else if (place.graph >= 0) strbuf_puts(out, x->graph.node[place.graph].form);
}

/* Appends the words of a match and of its named nodes. */
static void put_only(StrBuf *out, const Query *query, const Match *match, const Searched *x)
{
    put_text(out, x, match->match);
    for (int k = 0; k < query_names(query); k++) {
        if (match->named[k].tree < 0 && match->named[k].graph < 0) continue;
        strbuf_printf(out, "\t%s=", query_name(query, k));
        put_text(out, x, match->named[k]);
    }
    strbuf_putc(out, '\n');
}

void finds_take(Finds *finds, const Query *query, const Match *match, const Searched *sentence, const StrMap *labels)
{
    int begin, end;
    StrBuf *out = &finds->matches;
    const SearchStyle *style = finds->style;
    finds->n++;
    words_of(sentence, match->match, &begin, &end);
    for (int w = begin; w < end && !out->failed; w++) finds->found[w] = true;
    switch (style->format) {
    case SEARCH_TEXT:
        if (style->only) put_only(out, query, match, sentence);
        break;
    case SEARCH_BRACKETS:
        if (style->whole || match->match.tree < 0) break;
        searched_put_tree(out, sentence, labels, match->match.tree);
        strbuf_putc(out, '\n');
        break;
    case SEARCH_JSON: query_put_json(out, NULL, query, match, sentence, labels); break;
    case SEARCH_TSV:
        strbuf_putc(out, '\t');
        query_put_match(out, query, match, sentence);
        break;
    case SEARCH_CONLLU:
        strbuf_puts(out, "# match = ");
        query_put_match(out, query, match, sentence);
        strbuf_putc(out, '\n');
        break;
    case SEARCH_SVG: break;
    }
}

/* The words begin .. end - 1 for a terminal. */
static void put_visible(StrBuf *out, const Searched *x, int begin, int end, bool marked)
{
    StrBuf text = { 0 };
    searched_text(&text, x, begin, end);
    if (marked) strbuf_puts(out, "\x1b[1;31m");
    strbuf_visible(out, text.ptr ? text.ptr : "", text.len);
    if (marked) strbuf_puts(out, "\x1b[0m");
    out->failed |= text.failed;
    strbuf_fini(&text);
}

/* The words of the sentence, those in a match in colour. */
static void put_words(StrBuf *out, const Finds *finds, const Searched *x)
{
    if (!finds->style->color) searched_text(out, x, 0, x->n_words);
    for (int w = 0, end; finds->style->color && w < x->n_words; w = end) {
        for (end = w + 1; end < x->n_words && finds->found[end] == finds->found[w];) end++;
        if (w && !searched_is_glued(x, w)) strbuf_putc(out, ' ');
        put_visible(out, x, w, end, finds->found[w]);
    }
    strbuf_putc(out, '\n');
}

static Status lacks(const char *path, const Searched *x, const char *what, Error *error)
{
    return error_at(error, ERR_FORMAT, path, x->line, 0, "found a sentence without %s, expected one for --format %s",
                    what, strcmp(what, "a tree") == 0 ? "brackets" : "conllu");
}

/* The sentence in CoNLL-U, after lines about its matches. */
static Status put_conllu(StrBuf *out, const Finds *finds, const char *path, const Searched *x, Error *error)
{
    strbuf_add(out, finds->matches.ptr ? finds->matches.ptr : "", finds->matches.len);
    if (x->from && x->from->heads) {
        strbuf_puts(out, "# text = ");
        searched_text(out, x, 0, x->n_words);
        strbuf_putc(out, '\n');
        conll_write(out, x->from, CONLL_U, NULL);
    } else if (x->has_graph) {
        strbuf_add(out, x->source.ptr, x->source.len);
        if (x->source.len && x->source.ptr[x->source.len - 1] != '\n') strbuf_putc(out, '\n');
        if (x->source.len < 2 || x->source.ptr[x->source.len - 2] != '\n') strbuf_putc(out, '\n');
    } else return lacks(path, x, "dependencies", error);
    return OK;
}

/* The sentence of the text that was searched, as the readers of treebanks have it. */
static Status read_source(const char *path, const Searched *x, Treebank *tb, Error *error)
{
    const TextBlock block = { .text = x->source, .path = path, .line = x->line, .column = 1 };
    if (x->has_tree) return bracket_read(tb, block, (BracketOptions){ .strip_functions = true }, error);
    return conll_read(tb, block, (ConllOptions){ .keep_columns = true, .bare = true }, error);
}

static Status put_svg(StrBuf *out, const Finds *finds, const char *path, const Searched *x, Error *error)
{
    enum { WIDTH = 1000 };
    Treebank tb;
    treebank_init(&tb);
    Status s = x->from ? OK : read_source(path, x, &tb, error);
    const Sentence *sent = x->from ? x->from : tb.n ? &tb.s[0] : NULL;
    if (s == OK && sent && sent->n_words) {
        DrawOptions o = { .tree = true, .arcs = true, .width = WIDTH, .style = true };
        if (sent->n_words == x->n_words) o.marked = finds->found; /* no traces were left out */
        draw_sentence(out, sent, &o, NULL);
        strbuf_putc(out, '\n');
    }
    treebank_fini(&tb);
    return s;
}

static void put_json_body(StrBuf *out, Finds *finds, const Searched *x)
{
    StrBuf text = { 0 };
    if (x->id) json_long(out, "id", x->id);
    if (x->document) json_string(out, "document", x->document);
    if (x->text) json_string(out, "text", x->text);
    else {
        searched_text(&text, x, 0, x->n_words);
        json_take(out, "text", &text);
    }
    json_strings(out, "words", x->word, x->n_words);
    json_array(out, "matches");
    strbuf_add(out, finds->matches.ptr ? finds->matches.ptr : "", finds->matches.len);
    json_array_end(out);
    strbuf_puts(out, "}\n");
}

Status finds_put(StrBuf *out, Finds *finds, const char *path, const Searched *sentence, const StrMap *labels,
                 Error *error)
{
    const SearchStyle *style = finds->style;
    const StrBuf *matches = &finds->matches;
    Status s = OK;
    switch (style->format) {
    case SEARCH_TEXT:
        if (style->only && finds->n) strbuf_add(out, matches->ptr, matches->len);
        else put_words(out, finds, sentence);
        break;
    case SEARCH_BRACKETS:
        if (!sentence->has_tree) return lacks(path, sentence, "a tree", error);
        if (matches->len) strbuf_add(out, matches->ptr, matches->len);
        else {
            searched_put_tree(out, sentence, labels, 0);
            strbuf_putc(out, '\n');
        }
        break;
    case SEARCH_JSON: put_json_body(out, finds, sentence); break;
    case SEARCH_TSV:
        strbuf_add(out, matches->ptr ? matches->ptr : "", matches->len);
        strbuf_putc(out, '\n');
        break;
    case SEARCH_CONLLU: s = put_conllu(out, finds, path, sentence, error); break;
    case SEARCH_SVG: s = put_svg(out, finds, path, sentence, error); break;
    }
    return s == OK && (out->failed || matches->failed) ? error_set(error, ERR_NOMEM, "out of memory writing matches")
                                                       : s;
}

/* ---- the report */

struct Chosen {
    long order; /* of all sentences that could be chosen */
    StrBuf lines;
};

void search_report_file(SearchReport *report, const char *file)
{
    report->file = file;
    report->shown = report->last = report->n_before = report->after = 0;
}

/* A colour of a terminal for what stands before a line: as grep has it. */
static void put_colored(StrBuf *out, bool color, const char *code, const char *text)
{
    if (color) strbuf_printf(out, "\x1b[%sm", code);
    strbuf_puts(out, text);
    if (color) strbuf_puts(out, "\x1b[0m");
}

static void put_prefix(StrBuf *out, const SearchReport *r, const Hit *hit, char sign)
{
    char number[40], mark[2] = { r->numbers ? ':' : sign, 0 };
    bool color = r->style->color;
    snprintf(number, sizeof number, hit->rank ? "%ld/%d" : "%ld", hit->number + 1, hit->rank);
    if (r->pattern) strbuf_printf(out, "%s\t", r->pattern[hit->pattern]);
    if (r->file) {
        put_colored(out, color, "35", r->file);
        put_colored(out, color, "36", mark);
    }
    put_colored(out, color, "32", number);
    if (r->numbers) return;
    put_colored(out, color, "36", mark);
    strbuf_putc(out, ' ');
}

/* The lines of a sentence; sign: as grep's, ':' of what was searched for, '-' of what stands beside it. */
static void put_lines(StrBuf *out, const SearchReport *r, const Hit *hit, StrView body, char sign)
{
    StrView line;
    switch (r->style->format) {
    case SEARCH_TEXT:
        for (size_t at = 0; text_line(body, &at, &line);) {
            put_prefix(out, r, hit, sign);
            strbuf_add(out, line.ptr, line.len);
            strbuf_putc(out, '\n');
        }
        return;
    case SEARCH_TSV: put_prefix(out, r, hit, sign); break;
    case SEARCH_JSON:
        json_object(out, NULL);
        if (r->file) json_string(out, "file", r->file);
        json_long(out, "sentence", hit->number + 1);
        if (hit->rank) json_long(out, "rank", hit->rank);
        strbuf_puts(out, ", ");
        break;
    default: break;
    }
    strbuf_add(out, body.ptr, body.len);
}

/* A sample of all sentences that come (Vitter 1985, algorithm R). */
static void choose(SearchReport *r, const Hit *hit, StrView body)
{
    long place = r->seen++;
    if (place >= r->sample) place = (long)(rng_uniform(rng_key(r->seed, 0, 0, 0), (uint64_t)place) * (double)r->seen);
    if (place >= r->sample) return;
    if (!r->chosen && !(r->chosen = mem_calloc((size_t)r->sample, sizeof *r->chosen))) {
        r->line.failed = true;
        return;
    }
    struct Chosen *c = &r->chosen[place];
    c->order = r->seen;
    strbuf_clear(&c->lines);
    put_lines(&c->lines, r, hit, body, ':');
}

/* Writes what stands before a sentence that is shown, after a line that says where something was left out. */
static void put_before(SearchReport *r, const Hit *hit)
{
    long n = r->n_before < r->context ? r->n_before : r->context;
    if (r->last && hit->number - n > r->last) strbuf_puts(&r->line, "--\n");
    for (long k = n; k > 0; k--) {
        const StrBuf *b = &r->before[(r->n_before - k) % r->context];
        strbuf_add(&r->line, b->ptr ? b->ptr : "", b->len);
    }
    r->n_before = 0;
}

/* Keeps the lines of a sentence in case one of the next is shown. */
static void keep_before(SearchReport *r, const Hit *hit, StrView body)
{
    if (!r->before && !(r->before = mem_calloc((size_t)r->context, sizeof *r->before))) {
        r->line.failed = true;
        return;
    }
    StrBuf *b = &r->before[r->n_before++ % r->context];
    strbuf_clear(b);
    put_lines(b, r, hit, body, '-');
}

bool search_report_hit(SearchReport *report, const Hit *hit, const char *bodies)
{
    SearchReport *r = report;
    const StrView body = { bodies + hit->begin, hit->end - hit->begin };
    bool enough = r->most && r->shown >= r->most, shown = hit->shown && !enough;
    if (r->sample) {
        if (shown) choose(r, hit, body);
        return true;
    }
    if (shown) {
        r->shown++;
        if (r->context) put_before(r, hit);
        r->after = r->context;
    } else if (!r->after) {
        if (r->context && !enough) keep_before(r, hit, body);
        return !enough;
    } else r->after--;
    put_lines(&r->line, r, hit, body, shown ? ':' : '-');
    r->last = hit->number + 1;
    return !r->most || r->shown < r->most || r->after;
}

void search_report_write(SearchReport *report)
{
    program_write(report->out, &report->line);
    strbuf_clear(&report->line);
}

static int by_order(const void *a, const void *b)
{
    long x = ((const struct Chosen *)a)->order, y = ((const struct Chosen *)b)->order;
    return (x > y) - (x < y);
}

Status search_report_end(SearchReport *report, Error *error)
{
    SearchReport *r = report;
    long n = r->chosen ? (r->seen < r->sample ? r->seen : r->sample) : 0;
    bool failed = r->line.failed;
    if (n) qsort(r->chosen, (size_t)n, sizeof *r->chosen, by_order);
    for (long k = 0; k < n; k++) {
        failed |= r->chosen[k].lines.failed;
        program_write(r->out, &r->chosen[k].lines);
        strbuf_fini(&r->chosen[k].lines);
    }
    for (int k = 0; r->before && k < r->context; k++) {
        failed |= r->before[k].failed;
        strbuf_fini(&r->before[k]);
    }
    mem_free_each(r->chosen, r->before);
    strbuf_fini(&r->line);
    return failed ? error_set(error, ERR_NOMEM, "out of memory writing matches") : OK;
}
