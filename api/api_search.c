/* A sentence of the library or of a treebank becomes what search/ searches, and matches become structures that own all
 * they point to until the next sentence. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "api/api_write.h"
#include "search/query_output.h"
#include "treebank/format.h"

_Static_assert((int)LAL_PATTERN_SEMGREX == QUERY_SEMGREX, "kinds of patterns are those of search/query.h");
_Static_assert((int)LAL_GRAPH_BASIC == GRAPH_BASIC, "graphs are those of search/searched.h");

enum { LABELS_MOST = 200000 }; /* labels and words that a pattern knows before it begins again */

struct LalPattern {
    QuerySearch search;
    atomic_flag busy;
    LalPatternOptions o;
    QueryOptions options; /* strings in `own` */
    Query *query;
    StrMap labels;
    Arena own, in, out; /* in: of the sentence; out: of its matches */
    Searched sentence;
    /* what is searched: a text of a format, or, FORMAT_AUTO, sentences from `at` on */
    TreebankFormat format;
    TextBlock rest;
    const LalSentence *sentences, *now; /* now: the one that is searched; NULL: it is of a text */
    size_t n, at, number;               /* number: of the sentence that is next */
    LalMatch *match;                    /* [n_matches] */
    int n_matches, cap;
    int *phrase; /* [nodes of the tree] number of each phrase; NULL: not asked for yet */
    bool out_of_memory;
    LalFound found;
};

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory searching"); }

static bool begin_call(LalPattern *p, LalStatus *code, LalError *error)
{
    *code = LAL_OK;
    if (!p) *code = api_status(error, LAL_ERROR_ARGUMENT, "found NULL, expected a pattern");
    else if (atomic_flag_test_and_set(&p->busy)) *code = api_status(error, LAL_ERROR_BUSY, "the pattern is in use");
    return *code == LAL_OK;
}

static LalStatus end_call(LalPattern *p, Error *e, LalError *error)
{
    atomic_flag_clear(&p->busy);
    return api_error(error, e);
}

/* ---- matches */

static const char *keep(LalPattern *p, const char *text, size_t n)
{
    const char *kept = arena_strndup(&p->out, text, n);
    p->out_of_memory |= !kept;
    return kept;
}

static void *room(LalPattern *p, int n, size_t size)
{
    void *x = arena_alloc(&p->out, (size_t)n, size);
    p->out_of_memory |= !x;
    return x;
}

static const char *id_of(LalPattern *p, int node)
{
    char id[32];
    const DepNode *n = &p->sentence.graph.node[node];
    int len = n->copy ? snprintf(id, sizeof id, "%d.%d", n->number, n->copy) : snprintf(id, sizeof id, "%d", n->number);
    return keep(p, id, (size_t)len);
}

static const char *text_of(LalPattern *p, int begin, int end)
{
    StrBuf text = { 0 };
    searched_text(&text, &p->sentence, begin, end);
    const char *kept = keep(p, text.ptr ? text.ptr : "", text.len);
    p->out_of_memory |= text.failed;
    strbuf_fini(&text);
    return kept;
}

static bool is_phrase(const NodeTree *t, int node)
{
    return node > 0 && !node_is_leaf(t, node) && !node_is_leaf(t, node + 1);
}

/* The number of a phrase in a LalSentence, which has them in the order of the nodes. */
static int phrase_of(LalPattern *p, int node)
{
    const NodeTree *t = &p->sentence.tree;
    if (!p->now || !is_phrase(t, node)) return LAL_NONE;
    if (!p->phrase && (p->phrase = room(p, t->n, sizeof *p->phrase)))
        for (int k = 0, n = 0; k < t->n; k++) p->phrase[k] = is_phrase(t, k) ? n++ : LAL_NONE;
    return p->phrase ? p->phrase[node] : LAL_NONE;
}

/* Where its tokens, one or more, are in the text. */
static void put_place(const LalPattern *p, LalNode *to)
{
    const Searched *x = &p->sentence;
    if (p->now) {
        const LalToken *first = &p->now->tokens[to->begin], *last = &p->now->tokens[to->end - 1];
        to->begin_byte = first->begin;
        to->end_byte = last->end;
        to->begin_char = first->begin_char;
        to->end_char = last->end_char;
        to->begin_utf16 = first->begin_utf16;
        to->end_utf16 = last->end_utf16;
    } else if (x->begin) {
        to->begin_char = (size_t)x->begin[to->begin];
        to->end_char = (size_t)x->end[to->end - 1];
    }
}

static LalNode node_of(LalPattern *p, Place place, const char *name)
{
    const Searched *x = &p->sentence;
    LalNode to = { .name = name, .node = LAL_NONE, .phrase = LAL_NONE, .token = LAL_NONE };
    if (place.graph >= 0) {
        const DepNode *n = &x->graph.node[place.graph];
        to.id = id_of(p, place.graph);
        to.label = n->tag;
        to.text = n->form;
        to.begin = to.end = n->number;
        if (!n->copy) to.begin = to.token = n->number - 1;
    }
    if (place.tree >= 0) {
        to.node = place.tree;
        to.phrase = phrase_of(p, place.tree);
        to.label = p->labels.keys[x->tree.label[place.tree]];
        to.begin = searched_begin(x, place.tree);
        to.end = searched_end(x, place.tree);
    }
    if (to.begin == to.end) return to;
    to.text = text_of(p, to.begin, to.end);
    put_place(p, &to);
    return to;
}

static void put_named(LalPattern *p, const Match *match, LalMatch *to)
{
    int n = query_names(p->query);
    LalNode *named = room(p, n, sizeof *named);
    for (int k = 0; named && k < n; k++)
        if (match->named[k].tree >= 0 || match->named[k].graph >= 0)
            named[to->n_named++] = node_of(p, match->named[k], query_name(p->query, k));
    to->named = named;
}

static void put_variables(LalPattern *p, const TregexMatch *match, LalMatch *to)
{
    const Tregex *pattern = query_tregex(p->query);
    int n = tregex_variables(pattern);
    LalVariable *all = room(p, n, sizeof *all);
    for (int k = 0; all && k < n; k++) {
        StrView value = match->variable[k];
        if (!value.ptr) continue;
        all[to->n_variables++] = (LalVariable){ tregex_variable(pattern, k), keep(p, value.ptr, value.len) };
    }
    to->variables = all;
}

static void put_edges(LalPattern *p, const SemgrexMatch *match, LalMatch *to)
{
    const Semgrex *pattern = query_semgrex(p->query);
    int n = semgrex_relations(pattern), n_edges = semgrex_edges(pattern);
    LalVariable *relations = room(p, n, sizeof *relations);
    LalEdge *edges = room(p, n_edges, sizeof *edges);
    for (int k = 0; relations && k < n; k++)
        if (match->relation[k])
            relations[to->n_relations++] = (LalVariable){ semgrex_relation(pattern, k), match->relation[k] };
    for (int k = 0; edges && k < n_edges; k++) {
        if (match->edge[k] < 0) continue;
        const DepEdge *edge = &p->sentence.graph.edge[match->edge[k]];
        edges[to->n_edges++] =
            (LalEdge){ semgrex_edge(pattern, k), edge->relation, id_of(p, edge->governor), id_of(p, edge->dependent) };
    }
    to->relations = relations;
    to->edges = edges;
}

static bool take(QuerySearch *search, const Match *match)
{
    LalPattern *p = (LalPattern *)search; /* its first member */
    if (!mem_reserve(p->match, &p->cap, p->n_matches + 1)) return !(p->out_of_memory = true);
    LalMatch *to = &p->match[p->n_matches++];
    *to = (LalMatch){ .node = node_of(p, match->match, NULL) };
    put_named(p, match, to);
    if (match->tree) put_variables(p, match->tree, to);
    if (match->graph) put_edges(p, match->graph, to);
    return !p->out_of_memory && (!p->o.most_matches || p->n_matches < p->o.most_matches);
}

/* ---- sentences of the library */

/* The head with the largest contribution of a row of LalSentence.phrase_parts or arc_parts. */
static void lead(const float *row, int heads, Belief *to)
{
    for (int h = 0; h < heads; h++) {
        if (row[h] == 0 || (to->head && fabs((double)row[h]) <= fabs(to->part))) continue;
        to->head = h + 1;
        to->part = (double)row[h];
    }
}

static double known(double share) { return share < 0 ? NAN : share; }

/* Copies the probabilities and label heads of phrases and arcs; the arcs may be Universal Dependencies. */
static Status decide(LalPattern *p, const LalSentence *from, const Parsed *parsed, Error *e)
{
    Searched *x = &p->sentence;
    const Sentence *sent = parsed->extra;
    const Real *arc = parsed->confidence && parsed->confidence->arc ? parsed->confidence->arc : parsed->arc_prob;
    size_t row = (size_t)from->n_heads + 1;
    Belief *phrases = arena_alloc(&p->in, (size_t)from->n_phrases, sizeof *phrases);
    x->arc = arena_alloc(&p->in, (size_t)from->n_tokens, sizeof *x->arc);
    if (!phrases || !x->arc) return no_memory(e);
    for (int k = 0; k < from->n_phrases; k++) {
        phrases[k] = (Belief){ .p = known(from->phrases[k].joint_probability), .part = NAN };
        if (from->phrase_parts) lead(from->phrase_parts + (size_t)k * row, from->n_heads, &phrases[k]);
    }
    for (int w = 0; w < from->n_tokens; w++) {
        x->arc[w] = (Belief){ .p = NAN, .part = NAN };
        if (!sent->heads) continue;
        x->arc[w].p = parsed_arc_probability(parsed, arc, w, sent->heads[w]);
        if (from->arc_parts && sent->heads[w] == from->tokens[w].head + 1)
            lead(from->arc_parts + (size_t)w * row, from->n_heads, &x->arc[w]);
    }
    return from->n_phrases ? searched_decide(x, phrases, from->n_phrases, e) : OK;
}

/* The places of the tokens; false: they are known, but memory is not there for them. */
static bool put_places(LalPattern *p, const LalSentence *from)
{
    Searched *x = &p->sentence;
    size_t n = (size_t)from->n_tokens;
    x->begin = arena_alloc(&p->in, n, sizeof *x->begin);
    x->end = arena_alloc(&p->in, n, sizeof *x->end);
    for (size_t w = 0; x->begin && x->end && w < n; w++) {
        x->begin[w] = (long)from->tokens[w].begin_char;
        x->end[w] = (long)from->tokens[w].end_char;
    }
    return x->begin && x->end;
}

static bool put_spaces(LalPattern *p, const LalSentence *from, Sentence *sent)
{
    bool *space = arena_alloc(&p->in, (size_t)from->n_tokens, sizeof *space);
    for (int w = 0; space && w < from->n_tokens; w++)
        space[w] = w == 0 || from->tokens[w].begin_char != from->tokens[w - 1].end_char;
    sent->space_before = space;
    return space != NULL;
}

static Status next_sentence(LalPattern *p, bool *found, Error *e)
{
    Parsed parsed;
    Searched *x = &p->sentence;
    *found = p->at < p->n;
    if (!*found) return OK;
    const LalSentence *from = p->now = &p->sentences[p->at++];
    bool heads = query_asks(p->query) & ASKS_HEADS, has_ud = api_has_ud(from);
    bool placed = from->n_tokens && from->tokens[from->n_tokens - 1].end_char > 0; /* not by lal_parse_tokens */
    LalDeps deps = p->o.deps ? (LalDeps)p->o.deps : heads || !has_ud ? LAL_DEPS_MODEL : LAL_DEPS_UD;
    Status s = api_write_parsed(from, has_ud && deps == LAL_DEPS_UD, &p->in, &parsed, e);
    if (s != OK) return s;
    Sentence *sent = (Sentence *)(uintptr_t)parsed.extra;
    if (deps == LAL_DEPS_UD && !has_ud) sent->heads = NULL;
    if (placed && !put_spaces(p, from, sent)) return no_memory(e);
    s = searched_sentence(x, &p->labels, sent, p->o.top, (GraphKind)p->o.graph, e);
    if (s != OK) return s;
    if (placed && !put_places(p, from)) return no_memory(e);
    x->id = (long)p->number + 1;
    x->line = from->line;
    x->p_tree = known(from->p_tree);
    x->expected_f1 = known(from->expected_f1);
    return decide(p, from, &parsed, e);
}

/* ---- searching */

static Status next_of_text(LalPattern *p, bool *found, Error *e)
{
    Searched *x = &p->sentence;
    TextBlock *rest = &p->rest, line;
    if (p->format == FORMAT_BRACKETS) return searched_brackets(x, &p->labels, rest, found, e);
    if (p->format == FORMAT_CONLL) return searched_rows(x, rest, (GraphKind)p->o.graph, found, e);
    *found = searched_line(rest, &line);
    if (!*found) return OK;
    return searched_json(x, &p->labels, line, p->o.top, (GraphKind)p->o.graph, e);
}

/* Begins again with the labels, which grow with what is searched. */
static Status renew(LalPattern *p, Error *e)
{
    Query *again = query_again(p->query, &p->options, e);
    if (!again) return e->code;
    p->query = again;
    map_fini(&p->labels);
    map_init(&p->labels);
    return OK;
}

static void stop(LalPattern *p)
{
    p->format = FORMAT_AUTO;
    p->sentences = p->now = NULL;
    p->n = p->at = p->number = 0;
    p->found = (LalFound){ 0 };
    p->sentence.has_tree = false;
}

static Status search_next(LalPattern *p, bool *found, Error *e)
{
    Searched *x = &p->sentence;
    Status s = p->labels.n > LABELS_MOST ? renew(p, e) : OK;
    arena_reset(&p->in);
    arena_reset(&p->out);
    p->phrase = NULL;
    p->n_matches = 0;
    if (s == OK) s = p->format ? next_of_text(p, found, e) : next_sentence(p, found, e);
    if (s != OK || !*found) return s;
    x->graph.sentence = (long)p->number;
    s = query_search(p->query, x, &p->labels, &p->search, e);
    p->found = (LalFound){ .sentence = p->number++,
                           .line = x->line,
                           .text = x->text ? x->text : text_of(p, 0, x->n_words),
                           .words = x->word,
                           .n_words = x->n_words,
                           .matches = p->match,
                           .n_matches = p->n_matches };
    return s == OK && p->out_of_memory ? no_memory(e) : s;
}

const LalFound *lal_search_next(LalPattern *p, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    bool found = false;
    if (!begin_call(p, &code, error)) return NULL;
    p->out_of_memory = false;
    if (search_next(p, &found, &e) != OK || !found) stop(p);
    return end_call(p, &e, error) == LAL_OK && found ? &p->found : NULL;
}

LalStatus lal_search_sentences(LalPattern *p, const LalSentence *sentences, size_t n, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    if (!begin_call(p, &code, error)) return code;
    stop(p);
    if (sentences || !n) {
        p->sentences = sentences;
        p->n = n;
    } else error_set(&e, ERR_RANGE, "found NULL, expected %zu sentences", n);
    return end_call(p, &e, error);
}

static Status begin_text(LalPattern *p, StrView text, const char *format, Error *e)
{
    static const struct {
        const char *name;
        TreebankFormat format;
        int lacks;
    } FORMATS[] = { { "brackets", FORMAT_BRACKETS, ASKS_GRAPH },
                    { "conllu", FORMAT_CONLL, ASKS_TREE },
                    { "json", FORMAT_JSON_LINES, 0 } };
    const char *what;
    int k = 0;
    while (k < 3 && (!format || strcmp(FORMATS[k].name, format) != 0)) k++;
    if (k == 3)
        return error_set(e, ERR_RANGE, "found '%s', expected brackets, conllu or json", format ? format : "NULL");
    if (query_asks(p->query) & FORMATS[k].lacks)
        return error_set(e, ERR_RANGE, "found %s, which has no %s, for a pattern of %s", format,
                         k ? "trees" : "dependencies", k ? "Tregex" : "Semgrex");
    if (api_check_text(text.ptr, text.len, e) != OK) return e->code;
    size_t fault = text.len ? text_fault(text, &what) : 0;
    if (fault < text.len) {
        TextPlace place = text_place((TextPlace){ 1, 1 }, text.ptr, fault);
        return error_at(e, ERR_FORMAT, "text", place.line, place.column, "%s", what);
    }
    p->rest = text_block(text, "text");
    p->format = FORMATS[k].format;
    return OK;
}

LalStatus lal_search_text(LalPattern *p, const char *text, size_t size, const char *format, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    if (!begin_call(p, &code, error)) return code;
    json_set_allocator(false);
    stop(p);
    begin_text(p, (StrView){ text, size }, format, &e);
    return end_call(p, &e, error);
}

char *lal_search_tree(LalPattern *p, int node, int lines, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    StrBuf out = { 0 };
    if (!begin_call(p, &code, error)) return NULL;
    int n = p->sentence.has_tree ? p->sentence.tree.n : 0;
    if (node < 0 || node >= n) error_set(&e, ERR_RANGE, "found node %d of a tree of %d nodes", node, n);
    else (lines ? searched_put_lines : searched_put_tree)(&out, &p->sentence, &p->labels, node);
    if (out.failed) error_set(&e, ERR_NOMEM, "out of memory writing a tree");
    if (e.code != OK) strbuf_fini(&out);
    end_call(p, &e, error);
    return out.ptr;
}

/* ---- patterns */

/* A copy of a string of the options, if it is there and UTF-8; path: of messages. */
static Status copy_string(LalPattern *p, const char *path, const char *text, StrView *to, Error *e)
{
    size_t n = text ? strlen(text) : 0, fault = text ? utf8_invalid(text, n) : 0;
    if (fault < n) return error_at(e, ERR_FORMAT, path, 1, (long)fault + 1, "found bytes that are not UTF-8");
    *to = (StrView){ text ? arena_strndup(&p->own, text, n) : NULL, n };
    return text && !to->ptr ? no_memory(e) : OK;
}

static Status check(const char *name, long value, long most, Error *e)
{
    if (value >= 0 && value <= most) return OK;
    return error_set(e, ERR_RANGE, "LalPatternOptions.%s: found %ld, expected 0 to %ld", name, value, most);
}

static Status read_options(LalPattern *p, const LalPatternOptions *from, Error *e)
{
    LalPatternOptions *o = &p->o;
    StrView top = { "TOP", 3 };
    Status s = from ? api_read_sized(from, o, sizeof *o, "LalPatternOptions", e) : OK;
    if (s == OK) s = check("kind", o->kind, LAL_PATTERN_SEMGREX, e);
    if (s == OK) s = check("graph", o->graph, LAL_GRAPH_BASIC, e);
    if (s == OK) s = check("deps", o->deps, LAL_DEPS_MODEL, e);
    if (s == OK) s = check("most_steps", o->most_steps, LONG_MAX, e);
    if (s == OK) s = check("most_matches", o->most_matches, LONG_MAX, e);
    if (s == OK && o->heads && !head_finder_find(o->heads, &p->options.heads))
        s = error_set(e, ERR_RANGE, "LalPatternOptions.heads: found '%s', expected the name of a head finder",
                      o->heads);
    if (s == OK && o->semgrex && o->kind == LAL_PATTERN_SEMGREX)
        s = error_set(e, ERR_RANGE, "LalPatternOptions.semgrex: found two patterns of Semgrex");
    if (s == OK) s = copy_string(p, "pattern", o->semgrex, &p->options.semgrex, e);
    if (s == OK) s = copy_string(p, "where", o->where, &p->options.where, e);
    if (s == OK && o->top) s = copy_string(p, "top", o->top, &top, e);
    o->top = top.ptr;
    p->options.caseless = o->ignore_case != 0;
    p->options.uniq = !o->repeats;
    p->search.most_steps = o->most_steps;
    return s;
}

static Status compile(LalPattern *p, const char *pattern, const LalPatternOptions *options, Error *e)
{
    StrView text;
    if (!pattern) return error_set(e, ERR_RANGE, "found NULL, expected a pattern");
    Status s = read_options(p, options, e);
    if (s == OK) s = copy_string(p, "pattern", pattern, &text, e);
    if (s != OK) return s;
    bool tregex = p->o.semgrex || (p->o.kind ? p->o.kind == LAL_PATTERN_TREGEX : query_kind(text) == QUERY_TREGEX);
    *(tregex ? &p->options.tregex : &p->options.semgrex) = text;
    p->query = query_compile(&p->options, e);
    return p->query ? OK : e->code;
}

void lal_pattern_free(LalPattern *p)
{
    if (!p) return;
    query_free(p->query);
    map_fini(&p->labels);
    searched_fini(&p->sentence);
    arena_fini(&p->own);
    arena_fini(&p->in);
    arena_fini(&p->out);
    mem_free(p->match);
    mem_free(p);
}

LalPattern *lal_pattern_compile(const char *pattern, const LalPatternOptions *options, LalError *error)
{
    Error e = { 0 };
    LalPattern *p = mem_calloc(1, sizeof *p);
    if (!p) no_memory(&e);
    else {
        p->search.take = take;
        atomic_flag_clear(&p->busy);
        map_init(&p->labels);
        arena_init(&p->own, 256);
        arena_init(&p->in, 1 << 14);
        arena_init(&p->out, 1 << 12);
        compile(p, pattern, options, &e);
    }
    if (e.code != OK) {
        lal_pattern_free(p);
        p = NULL;
    }
    api_error(error, &e);
    return p;
}
