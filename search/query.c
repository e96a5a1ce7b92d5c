/* Of a query with two patterns the matches of the graph are kept and joined with each match of the tree. */
#include "search/query.h"

#include <limits.h>

/* The number of a name in each pattern; -1: it has none. */
typedef struct Name {
    int tree, graph;
} Name;

/* A match of the graph, kept: numbers[names], edges[edges], relations[relations]. */
typedef struct Kept {
    int node;
    int *named, *edge;
    const char **relation;
} Kept;

struct Query {
    Tregex *tregex;
    Semgrex *semgrex;
    Where *where;
    const char **text; /* [n_names] */
    Name *name;        /* [n_names] */
    int n_names;
    Place *named; /* [n_names] of the present match */
    bool uniq;
    StrMap seen; /* words of matches, if uniq */
    Arena arena; /* of a sentence */
};

QueryKind query_kind(StrView pattern)
{
    size_t k = 0;
    while (k < pattern.len && memchr(" \t\n([!?@:", pattern.ptr[k], 9)) k++;
    return k < pattern.len && pattern.ptr[k] == '{' ? QUERY_SEMGREX : QUERY_TREGEX;
}

static int find_name(const Query *q, const char *text)
{
    int k = 0;
    while (k < q->n_names && strcmp(q->text[k], text) != 0) k++;
    return k;
}

static bool collect_names(Query *q)
{
    int most = (q->tregex ? tregex_names(q->tregex) : 0) + (q->semgrex ? semgrex_names(q->semgrex) : 0);
    q->name = mem_alloc((size_t)most + 1, sizeof *q->name);
    q->text = mem_alloc((size_t)most + 1, sizeof *q->text);
    q->named = mem_alloc((size_t)most + 1, sizeof *q->named);
    if (!q->name || !q->text || !q->named) return false;
    for (int k = 0; q->tregex && k < tregex_names(q->tregex); k++) {
        q->text[q->n_names] = tregex_name(q->tregex, k);
        q->name[q->n_names++] = (Name){ k, -1 };
    }
    for (int k = 0; q->semgrex && k < semgrex_names(q->semgrex); k++) {
        int at = find_name(q, semgrex_name(q->semgrex, k));
        q->text[at] = semgrex_name(q->semgrex, k);
        if (at == q->n_names) q->name[q->n_names++] = (Name){ -1, k };
        else q->name[at].graph = k;
    }
    return true;
}

void query_free(Query *query)
{
    if (!query) return;
    tregex_free(query->tregex);
    semgrex_free(query->semgrex);
    where_free(query->where);
    mem_free_each(query->name, query->text, query->named);
    map_fini(&query->seen);
    arena_fini(&query->arena);
    mem_free(query);
}

static bool compile(Query *q, const QueryOptions *o, Error *error)
{
    if (o->tregex.ptr && !(q->tregex = tregex_compile(o->tregex, o->heads, error))) return false;
    if (o->semgrex.ptr && !(q->semgrex = semgrex_compile(o->semgrex, o->caseless, error))) return false;
    if (!collect_names(q)) {
        error_set(error, ERR_NOMEM, "out of memory");
        return false;
    }
    return !o->where.ptr || (q->where = where_compile(o->where, q->text, q->n_names, error)) != NULL;
}

Query *query_compile(const QueryOptions *options, Error *error)
{
    Query *q = mem_calloc(1, sizeof *q);
    if (!q) {
        error_set(error, ERR_NOMEM, "out of memory");
        return NULL;
    }
    map_init(&q->seen);
    arena_init(&q->arena, 4096);
    if (compile(q, options, error)) {
        q->uniq = options->uniq && q->semgrex && semgrex_is_unique(q->semgrex);
        return q;
    }
    query_free(q);
    return NULL;
}

Query *query_again(Query *query, const QueryOptions *options, Error *error)
{
    Query *q = query_compile(options, error);
    if (!q) return NULL;
    const StrMap seen = q->seen;
    q->seen = query->seen;
    query->seen = seen;
    query_free(query);
    return q;
}

int query_asks(const Query *query)
{
    return (query->tregex ? ASKS_TREE : 0) | (query->semgrex ? ASKS_GRAPH : 0) |
           (query->where ? where_asks(query->where) : 0);
}

int query_names(const Query *query) { return query->n_names; }
const char *const *query_name_list(const Query *query) { return query->text; }
const Tregex *query_tregex(const Query *query) { return query->tregex; }
const Semgrex *query_semgrex(const Query *query) { return query->semgrex; }

/* ---- searching */

typedef struct Search {
    TregexSearch tree;
    SemgrexSearch graph;
    Query *q;
    Searched *sentence;
    const StrMap *labels;
    QuerySearch *take;
    Kept *kept; /* [n_kept] of a query with two patterns */
    int n_kept, cap;
    long joined;
    bool out_of_memory, out_of_steps;
} Search;

/* Is a match new, by the words of the names that ":: uniq" lists? */
static bool is_new(Search *s, const SemgrexMatch *match)
{
    const Query *q = s->q;
    StrBuf key = { 0 };
    int n = s->q->seen.n;
    strbuf_putc(&key, ':');
    for (int k = 0; k < semgrex_names(q->semgrex); k++) {
        if (!semgrex_unique_by(q->semgrex, k)) continue;
        int node = match->named[k];
        strbuf_puts(&key, node < 0 ? "-" : "=");
        if (node >= 0) strbuf_puts(&key, s->sentence->graph.node[node].form);
        strbuf_putc(&key, '\n');
    }
    int found = key.failed ? -1 : map_add(&s->q->seen, key.ptr, key.len);
    strbuf_fini(&key);
    if (found < 0) s->out_of_memory = true;
    return found == n;
}

static Match match_of(const Search *s, const TregexMatch *tree, const SemgrexMatch *graph)
{
    Query *q = s->q;
    for (int k = 0; k < q->n_names; k++) {
        const Name *name = &q->name[k];
        q->named[k] = (Place){ tree && name->tree >= 0 ? tree->named[name->tree] : -1,
                               graph && name->graph >= 0 ? graph->named[name->graph] : -1 };
    }
    return (Match){
        .match = { tree ? tree->node : -1, graph ? graph->node : -1 }, .named = q->named, .tree = tree, .graph = graph
    };
}

/* Do the conditions hold of a match, and is it new where that counts? */
static bool is_wanted(Search *s, const Match *match)
{
    Query *q = s->q;
    return (!q->where || where_holds(q->where, match, s->sentence, s->labels)) && (!q->uniq || is_new(s, match->graph));
}

static bool take(Search *s, const TregexMatch *tree, const SemgrexMatch *graph)
{
    const Match match = match_of(s, tree, graph);
    return is_wanted(s, &match) ? s->take->take(s->take, &match) : !s->out_of_memory;
}

/* Is a name of both patterns a phrase and its head word? One that only one of them has set is no hindrance. */
static bool agree(Search *s, const TregexMatch *tree, const Kept *kept)
{
    for (int k = 0; k < s->q->n_names; k++) {
        const Name *name = &s->q->name[k];
        if (name->tree < 0 || name->graph < 0) continue;
        int node = tree->named[name->tree], word = kept->named[name->graph];
        if (node < 0 || word < 0) continue;
        if (searched_word(s->sentence, word) != searched_head(s->sentence, s->labels, node)) return false;
    }
    return true;
}

static SemgrexMatch unkept(const Kept *k) { return (SemgrexMatch){ k->node, k->named, k->relation, k->edge }; }

static bool take_tree(TregexSearch *tree, const TregexMatch *match)
{
    Search *s = (Search *)tree;
    if (!s->q->semgrex) return take(s, match, NULL);
    for (int k = 0; k < s->n_kept; k++) {
        const Kept *kept = &s->kept[k];
        const SemgrexMatch graph = unkept(kept);
        if ((s->out_of_steps = s->take->most_steps && ++s->joined > s->take->most_steps)) return false;
        if (agree(s, match, kept) && !take(s, match, &graph)) return false;
    }
    return true;
}

static Search *of_graph(SemgrexSearch *graph) { return (Search *)((char *)graph - offsetof(Search, graph)); }

static bool take_graph(SemgrexSearch *graph, const SemgrexMatch *match) { return take(of_graph(graph), NULL, match); }

static void *copy(Arena *arena, const void *from, int n, size_t size)
{
    void *to = arena_alloc(arena, (size_t)n, size);
    if (to && n) memcpy(to, from, (size_t)n * size);
    return to;
}

static bool keep_graph(SemgrexSearch *graph, const SemgrexMatch *match)
{
    Search *s = of_graph(graph);
    const Semgrex *p = s->q->semgrex;
    Arena *a = &s->q->arena;
    const Kept kept = { match->node, copy(a, match->named, semgrex_names(p), sizeof *match->named),
                        copy(a, match->edge, semgrex_edges(p), sizeof *match->edge),
                        copy(a, match->relation, semgrex_relations(p), sizeof *match->relation) };
    s->out_of_memory = !kept.named || !kept.edge || !kept.relation || !mem_reserve(s->kept, &s->cap, s->n_kept + 1);
    if (!s->out_of_memory) s->kept[s->n_kept++] = kept;
    return !s->out_of_memory;
}

/* With ":: uniq" matches come in the order of CoreNLP, which says what is kept. */
static bool keep_wanted(SemgrexSearch *graph, const SemgrexMatch *match)
{
    Search *s = of_graph(graph);
    const Match m = match_of(s, NULL, match);
    return is_wanted(s, &m) ? keep_graph(graph, match) : !s->out_of_memory;
}

/* Takes what was kept, in the order of the text. */
static void take_kept(Search *s)
{
    bool go_on = true;
    for (int k = 1; k < s->n_kept; k++) {
        const Kept x = s->kept[k];
        int at = k;
        for (; at > 0 && s->kept[at - 1].node > x.node; at--) s->kept[at] = s->kept[at - 1];
        s->kept[at] = x;
    }
    for (int k = 0; k < s->n_kept && go_on; k++) {
        const SemgrexMatch graph = unkept(&s->kept[k]);
        const Match match = match_of(s, NULL, &graph);
        go_on = s->take->take(s->take, &match);
    }
}

Status query_search(Query *query, Searched *sentence, const StrMap *labels, QuerySearch *search, Error *error)
{
    Status s = OK;
    Search x = { .tree = { take_tree, search->most_steps },
                 .graph = { query->tregex ? keep_graph
                            : query->uniq ? keep_wanted
                                          : take_graph,
                            search->most_steps },
                 .q = query,
                 .sentence = sentence,
                 .labels = labels,
                 .take = search };
    if ((query->tregex && !sentence->has_tree) || (query->semgrex && !sentence->has_graph)) return OK;
    arena_reset(&query->arena);
    if (query->semgrex) s = semgrex_search(query->semgrex, &sentence->graph, &x.graph, error);
    if (s == OK && query->tregex && (!query->semgrex || x.n_kept))
        s = tregex_search(query->tregex, &sentence->tree, labels, &x.tree, error);
    if (s == OK && !query->tregex) take_kept(&x);
    mem_free(x.kept);
    if (s == OK && x.out_of_steps) s = error_set(error, ERR_LIMIT, "the search took more steps than it may");
    if (query->where) {
        Status conditions = where_status(query->where, s == OK ? error : NULL);
        if (s == OK) s = conditions;
    }
    return s == OK && x.out_of_memory ? error_set(error, ERR_NOMEM, "out of memory") : s;
}
