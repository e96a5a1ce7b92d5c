/* What a query finds in a parse chooses the decisions that are explained. */
#include "explain/inspection.h"

/* Spans and words that matches are about. */
typedef struct Marks {
    QuerySearch search;
    const Query *query;
    Searched sentence;
    StrMap labels;
    Span *span; /* [n] */
    int n, cap;
    bool *word; /* [words] */
    bool failed;
} Marks;

/* A phrase, and its head word; or a word. */
static void mark(Marks *m, Place place)
{
    const NodeTree *t = &m->sentence.tree;
    int node = place.tree, word = place.graph >= 0 ? searched_word(&m->sentence, place.graph) : -1;
    bool phrase = node >= 0 && !node_is_leaf(t, node) && !node_is_leaf(t, node + 1);
    if (node >= 0) word = searched_head(&m->sentence, &m->labels, node);
    if (word >= 0) m->word[word] = true;
    if (!phrase) return;
    if (!mem_reserve(m->span, &m->cap, m->n + 1)) m->failed = true;
    else m->span[m->n++] = (Span){ searched_begin(&m->sentence, node), searched_end(&m->sentence, node), 0 };
}

static bool take(QuerySearch *search, const Match *match)
{
    Marks *m = (Marks *)search;
    mark(m, match->match);
    for (int k = 0; k < query_names(m->query); k++) mark(m, match->named[k]);
    return !m->failed;
}

static bool is_marked(const Marks *m, const Decision *d)
{
    if (d->kind != EXPLAIN_SPAN) return m->word[d->at.begin - 1];
    for (int k = 0; k < m->n; k++)
        if (m->span[k].begin == d->at.begin && m->span[k].end == d->at.end) return true;
    return false;
}

Status inspection_choose(const QueryOptions *match, Inspected *inspected, Error *error)
{
    Marks m = { .search = { take, 0 } };
    Query *query = query_compile(match, error);
    if (!query) return error->code;
    map_init(&m.labels);
    m.query = query;
    m.word = mem_calloc((size_t)inspected->s->n_words, sizeof *m.word);
    Status s = m.word ? searched_sentence(&m.sentence, &m.labels, inspected->s, "TOP", GRAPH_BASIC, error) : OK;
    if (s == OK && m.word) s = query_search(query, &m.sentence, &m.labels, &m.search, error);
    if (s == OK && (!m.word || m.failed)) s = error_set(error, ERR_NOMEM, "out of memory inspecting");
    int n = 0;
    for (int k = 0; s == OK && k < inspected->n; k++)
        if (is_marked(&m, &inspected->x[k].d)) inspected->x[n++] = inspected->x[k];
    inspected->n = n;
    searched_fini(&m.sentence);
    map_fini(&m.labels);
    mem_free_each(m.span, m.word);
    query_free(query);
    return s;
}
