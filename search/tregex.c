/* Labels, whose tests are answered once for each label, and the candidates of relations, one after another. */
#include "search/tregex_internal.h"

typedef struct Search {
    Goals goals;
    Tregex *pattern;
    NodeTree *tree;
    const StrMap *labels;
    TregexSearch *take;
    int node; /* that the pattern is tried at */
    int *named;
    StrView *variable;
    int *stack; /* [n] candidates of relations along paths */
    int n, cap;
} Search;

/* ---- labels */

static StrView label_of(const Search *s, int node)
{
    const char *text = s->labels->keys[s->tree->label[node]];
    return (StrView){ text, strlen(text) };
}

static bool holds(Search *s, const LabelTest *test, StrView text)
{
    bool good = test->kind == TEST_ANY;
    if (!goals_step(&s->goals, test->n)) return false;
    if (test->basic) text = node_category(text);
    if (test->kind == TEST_REGEX) {
        int found = regex_find(test->regex, text);
        if (!goals_step(&s->goals, regex_cost(test->regex))) return false;
        if (found < 0) return goals_fail(&s->goals, ERR_LIMIT, "a regular expression took more than 1,000,000 steps");
        good = found;
    }
    for (int k = 0; k < test->n && !good; k++) {
        StrView part = text;
        if (test->kind == TEST_PREFIX && part.len > test->text[k].len) part.len = test->text[k].len;
        good = node_same_label(part, test->text[k], test->caseless);
    }
    return good != test->negated;
}

/* Answers are kept by the number of the label. */
static bool label_holds(Search *s, LabelTest *test, int node)
{
    int label = s->tree->label[node];
    if (test->kind == TEST_ROOT) return (node == 0) != test->negated;
    if (label >= test->n_known) {
        int had = test->n_known;
        if (!mem_reserve(test->known, &test->n_known, s->labels->n))
            return goals_fail(&s->goals, ERR_NOMEM, "out of memory");
        memset(test->known + had, 0, (size_t)(test->n_known - had));
    }
    if (test->known[label]) return test->known[label] == 2;
    bool good = holds(s, test, label_of(s, node));
    if (!s->goals.stop) test->known[label] = good ? 2 : 1;
    return good;
}

/* ---- relations */

/* Is it known that the label of a node is another one? */
static inline bool is_refused(const NodeTree *t, const LabelTest *test, int node)
{
    return test && t->label[node] < test->n_known && test->known[t->label[node]] == 1;
}

static bool push(Search *s, int node)
{
    if (!mem_reserve(s->stack, &s->cap, s->n + 1)) return goals_fail(&s->goals, ERR_NOMEM, "out of memory");
    s->stack[s->n++] = node;
    return true;
}

/* The node where the text goes on after a node, or was before it, as high as possible; -1: none. */
static int beside(const NodeTree *t, int node, bool after)
{
    for (; node >= 0; node = t->parent[node]) {
        int side = after ? node_next(t, node) : t->previous[node];
        if (side >= 0) return side;
    }
    return -1;
}

/* The child of a node above another one that is this one or above it. */
static int below(const NodeTree *t, int above, int node)
{
    while (t->parent[node] != above) node = t->parent[node];
    return node;
}

static int first_child(const NodeTree *t, int node) { return node_is_leaf(t, node) ? -1 : node + 1; }

/* Appends to the stack all nodes that a node is followed by, or preceded by, over nodes that match a path: those that
 * are found last come first. What lies behind a node is looked at once. Before a node, too, CoreNLP goes down by first
 * children. */
static bool spread(Search *s, LabelTest *path, int node, bool after)
{
    const NodeTree *t = s->tree;
    int *below = NULL, n_below = 0, cap = 0, begin = s->n; /* children that are left to look at */
    bool *seen = mem_calloc((size_t)t->n, sizeof *seen), good = seen != NULL;
    for (int side = beside(t, node, after); good && (side >= 0 || n_below);) {
        if (side < 0) side = below[--n_below];
        int down = first_child(t, side);
        bool fresh = !seen[side];
        seen[side] = true;
        if (fresh) good = push(s, side);
        if (!fresh || !label_holds(s, path, side)) side = down;
        else {
            if (down >= 0 && (good = mem_reserve(below, &cap, n_below + 1))) below[n_below++] = down;
            side = beside(t, side, after);
        }
        good = good && !s->goals.stop;
    }
    mem_free_each(seen, below);
    for (int a = begin, b = s->n - 1; a < b; a++, b--) {
        int x = s->stack[a];
        s->stack[a] = s->stack[b];
        s->stack[b] = x;
    }
    return good || s->goals.stop ? good : goals_fail(&s->goals, ERR_NOMEM, "out of memory");
}

typedef struct Candidates {
    Relation relation;
    const Term *term;
    int from;              /* the node that they are related to */
    int at;                /* the last candidate; -1: none yet */
    int side;              /* of REL_BEFORE, REL_AFTER: the ancestor beside which they are */
    int begin, place, end; /* of paths: on the stack */
} Candidates;

static int head_of(Search *s, int node) { return node_head(s->tree, s->labels, s->pattern->heads, node); }

/* The next candidate; -1: there are no more. */
static int next_candidate(Search *s, Candidates *c)
{
    const NodeTree *t = s->tree;
    int from = c->from, at = c->at, up;
    bool first = at < 0;
    switch (c->relation) {
    case REL_NODE: return first ? from : -1;
    case REL_NODE_OR_CHILD:
        if (first) return from;
        return at == from ? first_child(t, from) : node_next(t, at);
    case REL_CHILD:
        at = first ? from + 1 : t->end[at];
        for (; at < t->end[from] && is_refused(t, c->term->test, at); s->goals.steps++) at = t->end[at];
        return at < t->end[from] ? at : -1;
    case REL_PARENT: return first ? t->parent[from] : -1;
    case REL_BELOW:
        at = first ? from + 1 : at + 1;
        for (; at < t->end[from] && is_refused(t, c->term->test, at); s->goals.steps++) at++;
        return at < t->end[from] ? at : -1;
    case REL_ABOVE: return t->parent[first ? from : at];
    case REL_NTH_CHILD: return first ? node_child(t, from, c->term->number) : -1;
    case REL_NTH_OF:
        up = t->parent[from];
        return first && up >= 0 && node_child(t, up, c->term->number) == from ? up : -1;
    case REL_ONLY_CHILD: return first && t->n_children[from] == 1 ? from + 1 : -1;
    case REL_ONLY_CHILD_OF: up = t->parent[from]; return first && up >= 0 && t->n_children[up] == 1 ? up : -1;
    case REL_FIRST_BELOW: return first_child(t, first ? from : at);
    case REL_LAST_BELOW: return t->last_child[first ? from : at];
    case REL_FIRST_OF: at = first ? from : at; return t->place[at] == 0 ? t->parent[at] : -1;
    case REL_LAST_OF:
        at = first ? from : at;
        up = t->parent[at];
        return up >= 0 && t->last_child[up] == at ? up : -1;
    case REL_CHAIN_BELOW: at = first ? from : at; return t->n_children[at] == 1 ? at + 1 : -1;
    case REL_CHAIN_ABOVE: up = t->parent[first ? from : at]; return up >= 0 && t->n_children[up] == 1 ? up : -1;
    case REL_SISTER:
        up = t->parent[from];
        if (up < 0) return -1;
        at = first ? up + 1 : node_next(t, at);
        return at == from ? node_next(t, at) : at;
    case REL_NEXT: return first ? node_next(t, from) : -1;
    case REL_PREVIOUS: return first ? t->previous[from] : -1;
    case REL_AFTER_SISTER:
        up = t->parent[from];
        if (up < 0) return -1;
        at = first ? t->last_child[up] : t->previous[at];
        return at == from ? -1 : at;
    case REL_BEFORE_SISTER:
        up = t->parent[from];
        if (up < 0) return -1;
        at = first ? up + 1 : node_next(t, at);
        return at == from ? -1 : at;
    case REL_FOLLOWED: return first ? beside(t, from, true) : first_child(t, at);
    case REL_PRECEDED: return first ? beside(t, from, false) : t->last_child[at];
    case REL_BEFORE: /* what follows an ancestor within its parent is a range of numbers; the highest comes first */
        if (first) {
            for (up = from; t->parent[up] >= 0 && t->parent[t->parent[up]] >= 0;) up = t->parent[up];
            c->side = up;
            at = t->end[up];
        } else at++;
        while (t->parent[c->side] < 0 || at >= t->end[t->parent[c->side]]) {
            if (c->side == from) return -1;
            c->side = below(t, c->side, from);
            at = t->end[c->side];
        }
        return at;
    case REL_AFTER: /* begin: the sister of an ancestor that the candidate is in, the nearest first */
        if (first) {
            for (up = from; t->parent[up] >= 0 && t->parent[t->parent[up]] >= 0;) up = t->parent[up];
            c->side = up;
            c->begin = t->previous[up];
        } else if (at + 1 < t->end[c->begin]) return at + 1;
        else c->begin = t->previous[c->begin];
        while (c->begin < 0) {
            if (c->side == from) return -1;
            c->side = below(t, c->side, from);
            c->begin = t->previous[c->side];
        }
        return c->begin;
    case REL_HEAD_CHILD: return first ? head_of(s, from) : -1;
    case REL_HEAD_OF: up = t->parent[from]; return first && up >= 0 && head_of(s, up) == from ? up : -1;
    case REL_HEAD_BELOW: return head_of(s, first ? from : at);
    case REL_HEAD_ABOVE:
        at = first ? from : at;
        up = t->parent[at];
        return up >= 0 && head_of(s, up) == at ? up : -1;
    case REL_LEAF:
        for (at = first ? from + 1 : at + 1; at < t->end[from] && !node_is_leaf(t, at);) at++;
        return at < t->end[from] ? at : -1;
    case REL_NTH_LEAF:
        if (!first) return -1;
        up = c->term->number;
        if (up >= 0) {
            for (at = from; at < t->end[from]; at++)
                if (node_is_leaf(t, at) && up-- == 0) return at;
        } else
            for (at = t->end[from] - 1; at >= from; at--)
                if (node_is_leaf(t, at) && ++up == 0) return at;
        return -1;
    case REL_PATH_BELOW:
        if (first) at = from + 1;
        else at = label_holds(s, c->term->path, at) ? at + 1 : t->end[at];
        return at < t->end[from] ? at : -1;
    case REL_PATH_ABOVE:
        if (first) return t->parent[from];
        return label_holds(s, c->term->path, at) ? t->parent[at] : -1;
    case REL_PATH_AFTER:
    case REL_PATH_BEFORE:
        if (first) {
            c->begin = c->place = s->n;
            if (!spread(s, c->term->path, from, c->relation == REL_PATH_AFTER)) return -1;
            c->end = s->n;
        }
        return c->place < c->end ? s->stack[c->place++] : -1;
    case REL_ANYWHERE: at = first ? 0 : at + 1; return at < t->n ? at : -1;
    }
    return -1;
}

/* ---- goals */

static bool is_like(const Search *s, const Term *term, int node)
{
    int other = s->named[term->like];
    StrView a = label_of(s, node), b = other < 0 ? a : label_of(s, other);
    if (other < 0) return false;
    if (term->like_basic) {
        a = node_category(a);
        b = node_category(b);
    }
    return node_same_label(a, b, false);
}

static bool is_described(Search *s, const Term *term, int node)
{
    if (term->same >= 0) return s->named[term->same] == node;
    if (term->like >= 0) return is_like(s, term, node);
    return label_holds(s, term->test, node);
}

/* Sets the variables of a node; *old gets what they were. false if one has another text. */
static bool capture(Search *s, const Term *term, int node, StrView *old)
{
    StrView text = label_of(s, node);
    if (term->test->basic) text = node_category(text);
    for (int k = 0; k < term->n_captures; k++) old[k] = s->variable[term->capture[2 * k + 1]];
    if (term->test->kind == TEST_REGEX && !term->test->negated) {
        regex_find(term->test->regex, text);
        if (!goals_step(&s->goals, regex_cost(term->test->regex))) return false;
    }
    for (int k = 0; k < term->n_captures; k++) {
        StrView *to = &s->variable[term->capture[2 * k + 1]], part = text;
        if (term->test->kind == TEST_REGEX && !term->test->negated)
            part = regex_group(term->test->regex, text, term->capture[2 * k]);
        if (!part.ptr || (to->ptr && !node_same_label(*to, part, false))) return false;
        *to = part;
    }
    return true;
}

static void uncapture(Search *s, const Term *term, const StrView *old)
{
    for (int k = 0; k < term->n_captures; k++) s->variable[term->capture[2 * k + 1]] = old[k];
}

static bool find_nodes(Goals *goals, const Condition *condition, int node, const Goal *next)
{
    Search *s = (Search *)goals;
    const Term *term = (const Term *)condition;
    Candidates c = { .relation = term->relation, .term = term, .from = node, .at = -1 };
    int mark = s->n;
    bool go_on = true;
    StrView few[4], *old = term->n_captures <= 4 ? few : mem_alloc((size_t)term->n_captures, sizeof *old);
    if (!old) return goals_fail(&s->goals, ERR_NOMEM, "out of memory");
    while (goals_step(goals, 1 + term->n_captures) && go_on && !goals->stop && (c.at = next_candidate(s, &c)) >= 0) {
        int was = term->name >= 0 ? s->named[term->name] : -1;
        if (!is_described(s, term, c.at)) continue;
        if (term->name >= 0) s->named[term->name] = c.at;
        if (!term->n_captures || capture(s, term, c.at, old)) go_on = goals_meet(goals, condition->below, c.at, next);
        if (term->n_captures) uncapture(s, term, old);
        if (term->name >= 0) s->named[term->name] = was;
    }
    s->n = mark;
    if (old != few) mem_free(old);
    return go_on;
}

static bool take_match(Goals *goals)
{
    Search *s = (Search *)goals;
    const TregexMatch match = { s->node, s->named, s->variable };
    return s->take->take(s->take, &match);
}

/* Memory that all searches for a pattern use. */
static bool make_scratch(Tregex *p)
{
    if (!p->named) p->named = mem_alloc((size_t)p->names.n + 1, sizeof *p->named);
    if (!p->variable) p->variable = mem_alloc((size_t)p->variables.n + 1, sizeof *p->variable);
    return p->named && p->variable;
}

Status tregex_search(Tregex *pattern, NodeTree *tree, const StrMap *labels, TregexSearch *search, Error *error)
{
    if (!make_scratch(pattern)) return error_set(error, ERR_NOMEM, "out of memory");
    Search s = { .goals = { .find = find_nodes, .found = take_match, .most_steps = search->most_steps, .error = error },
                 .pattern = pattern,
                 .tree = tree,
                 .labels = labels,
                 .take = search,
                 .named = pattern->named,
                 .variable = pattern->variable,
                 .stack = pattern->stack,
                 .cap = pattern->cap_stack };
    for (int k = 0; k < pattern->names.n; k++) s.named[k] = -1;
    for (int k = 0; k < pattern->variables.n; k++) s.variable[k] = (StrView){ NULL, 0 };
    const LabelTest *test = pattern->root->kind == CONDITION_NODE ? ((const Term *)pattern->root)->test
                                                                  : NULL; /* most nodes fail this one */
    for (s.node = 0; s.node < tree->n && !s.goals.stop; s.node++)
        if (!is_refused(tree, test, s.node)) goals_meet(&s.goals, pattern->root, s.node, NULL);
    pattern->stack = s.stack;
    pattern->cap_stack = s.cap;
    return s.goals.status;
}
