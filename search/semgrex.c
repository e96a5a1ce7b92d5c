/* Attributes of nodes, and the candidates of relations, which are listed before they are tried. */
#include "search/semgrex_internal.h"

#include <stdio.h>
#include <strings.h>

typedef struct Candidate {
    int node, edge; /* edge -1: none that the relation names */
} Candidate;

typedef struct Search {
    Goals goals;
    Semgrex *pattern;
    const DepNodes *graph;
    SemgrexSearch *take;
    int node; /* that the pattern is tried at */
    int *named, *edge;
    const char **relation;
    Candidate *list;
    int n, cap;
    int *order; /* semgrex_order; NULL: that of the text */
    char *seen; /* [nodes] */
} Search;

/* ---- nodes */

static bool fits(Search *s, const TextTest *test, const char *text, bool caseless)
{
    if (!text) return false;
    if (test->text) return caseless ? strcasecmp(test->text, text) == 0 : strcmp(test->text, text) == 0;
    if (!test->regex) return true;
    int found = regex_find(test->regex, (StrView){ text, strlen(text) });
    if (!goals_step(&s->goals, regex_cost(test->regex))) return false;
    if (found < 0) return goals_fail(&s->goals, ERR_LIMIT, "a regular expression took more than 1,000,000 steps");
    return found;
}

/* NULL: the node has none. */
static const char *value_of(const Search *s, const DepNode *node, Attribute attribute, char buffer[24])
{
    long number = attribute == ATTRIBUTE_NUMBER ? node->number : s->graph->sentence;
    switch (attribute) {
    case ATTRIBUTE_UNKNOWN: return NULL;
    case ATTRIBUTE_WORD: return node->form;
    case ATTRIBUTE_LEMMA: return node->lemma;
    case ATTRIBUTE_UPOS: return node->upos;
    case ATTRIBUTE_TAG: return node->tag;
    case ATTRIBUTE_FEATS: return node->feats;
    case ATTRIBUTE_BEFORE: return node->before;
    case ATTRIBUTE_AFTER: return node->after;
    case ATTRIBUTE_IN_RANGE: return node->range ? "true" : "false";
    case ATTRIBUTE_FIRST_IN_RANGE: return node->first_in_range ? "true" : "false";
    case ATTRIBUTE_RANGE: return node->range;
    case ATTRIBUTE_RANGE_MISC: return node->range_misc;
    case ATTRIBUTE_NUMBER:
    case ATTRIBUTE_SENTENCE: break;
    }
    snprintf(buffer, 24, "%ld", number);
    return buffer;
}

static bool has_feature(Search *s, const AttributeTest *test, const char *feats)
{
    char key[64], value[128];
    for (const char *at = feats; at && *at;) {
        size_t n = strcspn(at, "|"), k = strcspn(at, "=");
        if (k < n && k < sizeof key && n - k - 1 < sizeof value) {
            memcpy(key, at, k);
            key[k] = 0;
            memcpy(value, at + k + 1, n - k - 1);
            value[n - k - 1] = 0;
            if (fits(s, &test->feature, key, true) && fits(s, &test->value, value, s->pattern->caseless)) return true;
        }
        at += n + (at[n] == '|');
    }
    return false;
}

static bool node_fits(Search *s, const NodeTest *test, int k)
{
    const DepNode *node = &s->graph->node[k];
    bool good = true;
    char buffer[24];
    for (int a = 0; a < test->n && good; a++) {
        const AttributeTest *x = &test->all[a];
        bool is = x->of_feature ? has_feature(s, x, node->feats)
                                : fits(s, &x->value, value_of(s, node, x->attribute, buffer), s->pattern->caseless);
        good = is != x->negated;
    }
    if (test->never) return test->negated;
    if (!test->negated) return good && (!test->root || node->is_root);
    return test->root ? !node->is_root && (!test->n || !good) : !good;
}

/* ---- relations */

static bool offer(Search *s, const DepTerm *term, int node, int edge)
{
    if (!goals_step(&s->goals, 1 + term->test->n)) return false;
    if (edge >= 0 && term->typed && !fits(s, &term->type, s->graph->edge[edge].relation, false)) return true;
    if (s->goals.stop) return false;
    if (!mem_reserve(s->list, &s->cap, s->n + 1)) return goals_fail(&s->goals, ERR_NOMEM, "out of memory");
    s->list[s->n++] = (Candidate){ node, edge };
    return true;
}

static int other_end(const DepNodes *g, int edge, bool down)
{
    return down ? g->edge[edge].dependent : g->edge[edge].governor;
}

static int n_edges(const DepNodes *g, int node, bool down) { return down ? g->node[node].n_down : g->node[node].n_up; }
static int edge_of(const DepNodes *g, int node, bool down, int k)
{
    return down ? g->down[g->node[node].first_down + k] : g->up[g->node[node].first_up + k];
}

static int number(const Search *s, int node) { return s->graph->node[node].number; }

static bool offer_edges(Search *s, const DepTerm *term, int from, bool down, int side)
{
    for (int k = 0; k < n_edges(s->graph, from, down); k++) {
        int edge = edge_of(s->graph, from, down, k), node = other_end(s->graph, edge, down);
        if (side && (side > 0 ? number(s, node) <= number(s, from) : number(s, node) >= number(s, from))) continue;
        if (!offer(s, term, node, edge)) return false;
    }
    return true;
}

/* Nodes over several edges: layer by layer, so that a node is offered at its least distance that fits, once. */
static bool offer_far(Search *s, const DepTerm *term, int from, bool down)
{
    const DepNodes *g = s->graph;
    int n = g->n;
    char *now = mem_calloc(4 * (size_t)n, 1), *then, *offered, *seen;
    bool good = true, more = true;
    if (!now) return goals_fail(&s->goals, ERR_NOMEM, "out of memory");
    then = now + n;
    offered = then + n;
    seen = offered + n; /* edges of a node are the same at each depth, and count but for a least one */
    now[from] = seen[from] = 1;
    int least = term->least ? term->least : 1;
    for (int depth = 1; good && more && (!term->most || depth <= term->most) && depth <= 2 * n; depth++) {
        more = false;
        memset(then, 0, (size_t)n);
        for (int x = 0; x < n && good; x++) {
            int w = term->least ? n - 1 - x : x; /* so that ~NAME is the relation that CoreNLP finds first */
            for (int k = 0; now[w] && k < n_edges(g, w, down) && good; k++) {
                int edge = edge_of(g, w, down, k), node = other_end(g, edge, down), before = s->n;
                bool fresh = !offered[node];
                if (!seen[node] || least > 1) {
                    then[node] = seen[node] = 1;
                    more = true;
                }
                if (depth < least || !fresh) continue;
                good = offer(s, term, node, edge);
                if (s->n > before) offered[node] = 1;
            }
        }
        char *x = now;
        now = then;
        then = x;
    }
    mem_free(now < then ? now : then);
    return good;
}

/* Nodes that are so many words away; an empty node stands where the word before it does. */
static bool offer_places(Search *s, const DepTerm *term, int from, int least, int most)
{
    for (int w = 0; w < s->graph->n; w++) {
        int distance = number(s, w) - number(s, from);
        if (distance >= least && distance <= most && !offer(s, term, w, -1)) return false;
    }
    return true;
}

static bool offer_sisters(Search *s, const DepTerm *term, int from)
{
    const DepNodes *g = s->graph;
    memset(s->seen, 0, (size_t)g->n);
    for (int k = 0; k < n_edges(g, from, false); k++) {
        int governor = other_end(g, edge_of(g, from, false, k), false);
        for (int m = 0; m < n_edges(g, governor, true); m++)
            s->seen[other_end(g, edge_of(g, governor, true, m), true)] = 1;
    }
    for (int w = 0; w < g->n; w++) {
        bool next = term->relation == DEP_SISTER_NEXT, previous = term->relation == DEP_SISTER_PREVIOUS;
        bool after = next || term->relation == DEP_SISTER_LATER;
        int distance = number(s, w) - number(s, from);
        if (!s->seen[w] || w == from || (after ? distance <= 0 : distance >= 0)) continue;
        if ((next && distance != 1) || (previous && distance != -1)) continue;
        if (!offer(s, term, w, -1)) return false;
    }
    return true;
}

static bool offer_all(Search *s, const DepTerm *term, int from)
{
    int n = s->graph->n;
    switch (term->relation) {
    case DEP_ANYWHERE:
        for (int w = 0; w < n; w++)
            if (!offer(s, term, s->order ? s->order[n + w] : w, -1)) return false;
        return true;
    case DEP_SAME: return offer(s, term, from, -1);
    case DEP_NEVER: return true;
    case DEP_DEPENDENT: return offer_edges(s, term, from, true, 0);
    case DEP_GOVERNOR: return offer_edges(s, term, from, false, 0);
    case DEP_BELOW: return offer_far(s, term, from, true);
    case DEP_ABOVE: return offer_far(s, term, from, false);
    case DEP_BESIDE: return offer_edges(s, term, from, true, 0) && offer_edges(s, term, from, false, 0);
    case DEP_DEPENDENT_RIGHT: return offer_edges(s, term, from, true, 1);
    case DEP_DEPENDENT_LEFT: return offer_edges(s, term, from, true, -1);
    case DEP_GOVERNOR_RIGHT: return offer_edges(s, term, from, false, 1);
    case DEP_GOVERNOR_LEFT: return offer_edges(s, term, from, false, -1);
    case DEP_NEXT: return offer_places(s, term, from, 1, 1);
    case DEP_PREVIOUS: return offer_places(s, term, from, -1, -1);
    case DEP_LATER: return offer_places(s, term, from, 1, INT32_MAX);
    case DEP_EARLIER: return offer_places(s, term, from, -INT32_MAX, -1);
    case DEP_SISTER_NEXT:
    case DEP_SISTER_PREVIOUS:
    case DEP_SISTER_LATER:
    case DEP_SISTER_EARLIER: return offer_sisters(s, term, from);
    }
    return true;
}

/* ---- goals */

static bool try_candidate(Search *s, const DepTerm *term, Candidate c, const Goal *next)
{
    const char *relation = c.edge >= 0 ? s->graph->edge[c.edge].relation : SEMGREX_NO_RELATION;
    if (term->same >= 0 && s->named[term->same] >= 0 && s->named[term->same] != c.node) return true;
    if (!node_fits(s, term->test, c.node)) return true;
    const char **to = term->relation_name >= 0 ? &s->relation[term->relation_name] : NULL;
    int *edge = term->edge_name >= 0 && c.edge >= 0 ? &s->edge[term->edge_name] : NULL;
    if (to && *to && strcmp(*to, relation) != 0) return true;
    if (edge && *edge >= 0 && *edge != c.edge) return true;
    int name = term->name >= 0 ? term->name : term->same, was = name >= 0 ? s->named[name] : -1,
        was_edge = edge ? *edge : -1;
    const char *was_relation = to ? *to : NULL;
    if (name >= 0) s->named[name] = c.node;
    if (to) *to = relation;
    if (edge) *edge = c.edge;
    bool go_on = goals_meet(&s->goals, term->is.below, c.node, next);
    if (name >= 0) s->named[name] = was;
    if (to) *to = was_relation;
    if (edge) *edge = was_edge;
    return go_on;
}

static bool find_nodes(Goals *goals, const Condition *condition, int node, const Goal *next)
{
    Search *s = (Search *)goals;
    const DepTerm *term = (const DepTerm *)condition;
    int begin = s->n;
    bool go_on = goals_step(goals, 1) && offer_all(s, term, node);
    for (int k = begin, end = s->n; k < end && go_on && !goals->stop; k++)
        go_on = try_candidate(s, term, s->list[k], next);
    s->n = begin;
    return go_on;
}

static bool take_match(Goals *goals)
{
    Search *s = (Search *)goals;
    const SemgrexMatch match = { s->node, s->named, s->relation, s->edge };
    return s->take->take(s->take, &match);
}

Status semgrex_search(Semgrex *pattern, const DepNodes *graph, SemgrexSearch *search, Error *error)
{
    int n = pattern->names.n, n_relations = pattern->relations.n, n_edge = pattern->edges.n;
    Search s = { .goals = { .find = find_nodes, .found = take_match, .most_steps = search->most_steps, .error = error },
                 .pattern = pattern,
                 .graph = graph,
                 .take = search };
    s.named = mem_alloc((size_t)n + 1, sizeof *s.named);
    s.edge = mem_alloc((size_t)n_edge + 1, sizeof *s.edge);
    s.relation = mem_calloc((size_t)n_relations + 1, sizeof *s.relation);
    s.seen = mem_alloc((size_t)graph->n + 1, 1);
    s.order = pattern->unique ? semgrex_order(graph) : NULL;
    if (!s.named || !s.edge || !s.relation || !s.seen || (pattern->unique && !s.order))
        goals_fail(&s.goals, ERR_NOMEM, "out of memory");
    for (int k = 0; k < n && !s.goals.stop; k++) s.named[k] = -1;
    for (int k = 0; k < n_edge && !s.goals.stop; k++) s.edge[k] = -1;
    for (int k = 0; k < graph->n && !s.goals.stop; k++) {
        s.node = s.order ? s.order[k] : k;
        goals_meet(&s.goals, pattern->root, s.node, NULL);
    }
    mem_free_each(s.named, s.edge, s.relation, s.seen, s.list, s.order);
    return s.goals.status;
}
