/* Names are sorted as CoNLL-U's and Tregex's own outputs have them: by their bytes. */
#include "search/query_output.h"

#include <stdio.h>

#include "base/json_writer.h"

/* The numbers of n names in the order of the names. */
typedef struct Order {
    int *at; /* [n] */
    int n;
} Order;

typedef const char *(*NameOf)(const void *of, int k);

static Order sorted(const void *of, int n, NameOf name, Arena *arena)
{
    Order o = { arena_alloc(arena, (size_t)n, sizeof *o.at), n };
    if (!o.at) return (Order){ NULL, 0 };
    for (int k = 0; k < n; k++) {
        int at = k;
        for (; at > 0 && strcmp(name(of, o.at[at - 1]), name(of, k)) > 0; at--) o.at[at] = o.at[at - 1];
        o.at[at] = k;
    }
    return o;
}

static const char *name_of(const void *q, int k) { return query_name(q, k); }
static const char *variable_of(const void *p, int k) { return tregex_variable(p, k); }
static const char *relation_of(const void *p, int k) { return semgrex_relation(p, k); }
static const char *edge_of(const void *p, int k) { return semgrex_edge(p, k); }

static void put_word_number(StrBuf *out, const Searched *x, int node)
{
    strbuf_long(out, x->graph.node[node].number);
    if (x->graph.node[node].copy) strbuf_printf(out, ".%d", x->graph.node[node].copy);
}

static void put_place(StrBuf *out, const Searched *x, Place place)
{
    if (place.tree >= 0) strbuf_long(out, place.tree + 1);
    if (place.tree >= 0 && place.graph >= 0) strbuf_putc(out, '+');
    if (place.graph >= 0) put_word_number(out, x, place.graph);
}

static bool is_set(Place place) { return place.tree >= 0 || place.graph >= 0; }

void query_put_match(StrBuf *out, const Query *query, const Match *match, const Searched *sentence)
{
    const Tregex *tree = query_tregex(query);
    const Semgrex *graph = query_semgrex(query);
    Arena arena;
    arena_init(&arena, 512);
    put_place(out, sentence, match->match);
    Order order = sorted(query, query_names(query), name_of, &arena);
    for (int k = 0; k < order.n; k++) {
        if (!is_set(match->named[order.at[k]])) continue;
        strbuf_printf(out, " %s=", query_name(query, order.at[k]));
        put_place(out, sentence, match->named[order.at[k]]);
    }
    order = tree ? sorted(tree, tregex_variables(tree), variable_of, &arena) : (Order){ NULL, 0 };
    for (int k = 0; k < order.n; k++) {
        StrView text = match->tree->variable[order.at[k]];
        if (text.ptr) strbuf_printf(out, " %%%s=%.*s", tregex_variable(tree, order.at[k]), (int)text.len, text.ptr);
    }
    order = graph ? sorted(graph, semgrex_relations(graph), relation_of, &arena) : (Order){ NULL, 0 };
    for (int k = 0; k < order.n; k++) {
        const char *relation = match->graph->relation[order.at[k]];
        if (relation) strbuf_printf(out, " %%%s=%s", semgrex_relation(graph, order.at[k]), relation);
    }
    order = graph ? sorted(graph, semgrex_edges(graph), edge_of, &arena) : (Order){ NULL, 0 };
    for (int k = 0; k < order.n; k++) {
        int edge = match->graph->edge[order.at[k]];
        if (edge < 0) continue;
        strbuf_printf(out, " &%s=", semgrex_edge(graph, order.at[k]));
        put_word_number(out, sentence, sentence->graph.edge[edge].governor);
        strbuf_putc(out, '>');
        put_word_number(out, sentence, sentence->graph.edge[edge].dependent);
        strbuf_printf(out, ":%s", sentence->graph.edge[edge].relation);
    }
    arena_fini(&arena);
}

/* ---- JSON */

/* The members of a node, in an object that is open. */
static void put_members(StrBuf *out, const Searched *x, const StrMap *labels, Place place)
{
    StrBuf text = { 0 };
    int begin = -1, end = -1, word = place.graph >= 0 ? searched_word(x, place.graph) : -1;
    if (word >= 0) end = (begin = word) + 1;
    if (place.tree >= 0) {
        json_long(out, "node", place.tree + 1);
        json_string(out, "label", labels->keys[x->tree.label[place.tree]]);
        begin = searched_begin(x, place.tree);
        end = searched_end(x, place.tree);
    }
    if (place.graph >= 0) {
        const DepNode *n = &x->graph.node[place.graph];
        if (place.tree < 0 && n->tag) json_string(out, "label", n->tag);
        put_word_number(&text, x, place.graph);
        json_take(out, "word", &text);
        if (word < 0) json_string(out, "text", n->form); /* an empty node */
    }
    if (begin < 0) return;
    json_long(out, "begin", begin);
    json_long(out, "end", end);
    searched_text(&text, x, begin, end);
    json_take(out, "text", &text);
    if (!x->begin || begin == end) return;
    json_array(out, "characters");
    json_long(out, NULL, x->begin[begin]);
    json_long(out, NULL, x->end[end - 1]);
    json_array_end(out);
}

static void put_edge(StrBuf *out, const char *key, const Searched *x, int edge)
{
    StrBuf text = { 0 };
    json_object(out, key);
    put_word_number(&text, x, x->graph.edge[edge].governor);
    json_take(out, "governor", &text);
    put_word_number(&text, x, x->graph.edge[edge].dependent);
    json_take(out, "dependent", &text);
    json_string(out, "relation", x->graph.edge[edge].relation);
    json_object_end(out);
}

/* Begins the object of that name with its first member. */
static void begin_object(StrBuf *out, const char *name, bool *open)
{
    if (!*open) json_object(out, name);
    *open = true;
}

static void end_object(StrBuf *out, bool *open)
{
    if (*open) json_object_end(out);
    *open = false;
}

void query_put_json(StrBuf *out, const char *key, const Query *query, const Match *match, const Searched *sentence,
                    const StrMap *labels)
{
    const Tregex *tree = query_tregex(query);
    const Semgrex *graph = query_semgrex(query);
    bool open = false;
    json_object(out, key);
    put_members(out, sentence, labels, match->match);
    for (int k = 0; k < query_names(query); k++) {
        if (!is_set(match->named[k])) continue;
        begin_object(out, "names", &open);
        json_object(out, query_name(query, k));
        put_members(out, sentence, labels, match->named[k]);
        json_object_end(out);
    }
    end_object(out, &open);
    for (int k = 0; tree && k < tregex_variables(tree); k++) {
        if (!match->tree->variable[k].ptr) continue;
        begin_object(out, "variables", &open);
        json_view(out, tregex_variable(tree, k), match->tree->variable[k]);
    }
    end_object(out, &open);
    for (int k = 0; graph && k < semgrex_relations(graph); k++) {
        if (!match->graph->relation[k]) continue;
        begin_object(out, "relations", &open);
        json_string(out, semgrex_relation(graph, k), match->graph->relation[k]);
    }
    end_object(out, &open);
    for (int k = 0; graph && k < semgrex_edges(graph); k++) {
        if (match->graph->edge[k] < 0) continue;
        begin_object(out, "edges", &open);
        put_edge(out, semgrex_edge(graph, k), sentence, match->graph->edge[k]);
    }
    end_object(out, &open);
    json_object_end(out);
}

/* ---- brackets */

static bool is_tag(const NodeTree *t, int node) { return t->n_children[node] == 1 && node_is_leaf(t, node + 1); }

/* Does a node stand on the line of what is before it? A word below a tag does, and a tag that is a first child or
 * follows another tag, unless one of the two is a CC. */
static bool stays(const NodeTree *t, const StrMap *labels, int node)
{
    const char *const *text = labels->keys;
    int before = t->previous[node];
    if (node_is_leaf(t, node)) return is_tag(t, t->parent[node]);
    if (!is_tag(t, node) || before < 0) return is_tag(t, node);
    return is_tag(t, before) && strncmp(text[t->label[before]], "CC", 2) && strncmp(text[t->label[node]], "CC", 2);
}

static void put_tree(StrBuf *out, const Searched *sentence, const StrMap *labels, int node, bool lines)
{
    const NodeTree *t = &sentence->tree;
    for (int k = node, open = 0; k < t->end[node]; k++) {
        const char *label = labels->keys[t->label[k]];
        bool breaks = k > node && lines && !stays(t, labels, k);
        if (k > node) strbuf_putc(out, breaks ? '\n' : ' ');
        for (int n = 0; breaks && n < open; n++) strbuf_puts(out, "  ");
        if (node_is_leaf(t, k)) {
            const Sentence word = { .n_words = 1, .words = &label };
            tree_write_word(out, &word, 0, ESCAPE_ROUND, NOTATION_TREE);
        } else {
            strbuf_printf(out, "(%s", label);
            open++;
        }
        int next = k + 1 < t->end[node] ? t->parent[k + 1] : -1;
        for (int up = node_is_leaf(t, k) ? t->parent[k] : k; open > 0 && up != next; up = t->parent[up], open--)
            strbuf_putc(out, ')');
    }
}

void searched_put_tree(StrBuf *out, const Searched *sentence, const StrMap *labels, int node)
{
    put_tree(out, sentence, labels, node, false);
}

void searched_put_lines(StrBuf *out, const Searched *sentence, const StrMap *labels, int node)
{
    put_tree(out, sentence, labels, node, true);
}
