/* The tree, matching of patterns, and two passes: heads bottom-up, then types. */
#include "treebank/head_rules.h"

#include <string.h>

#include "treebank/head_rule_table.h"

/* ---- the tree */

typedef struct Node {
    const char *label;          /* the tag if the node is a word */
    int name;                   /* number of the label in HeadRules.names; -1: none */
    int parent, child, sibling; /* parent, first child, next sibling; -1: none */
    int previous;               /* previous sibling; -1: none */
    int place;                  /* position among its siblings, from 0 */
    int head;                   /* the head child; -1 if not known yet, or of a word */
    int onto;                   /* the sibling it depends on: usually the head child */
    int word;                   /* its head word; -1 if not known yet */
} Node;

/* The children of one phrase that match the pattern of a qualifier. */
typedef struct Matches {
    int visit; /* the value of Tree.visit for which the list is valid */
    int n;
    int *node; /* [n] from left to right; the capacity is the largest number of children of a phrase */
} Matches;

enum { UNKNOWN, NO, YES };

typedef struct Tree {
    Node *nodes;        /* [n] the top node, phrases in pre-order, words */
    const char **lower; /* [n_words] words in lower case */
    int *lower_names;   /* [n_words] their numbers in HeadRules.names; -1: none */
    int n, n_words;
    char *memo;       /* [n_memos, n] UNKNOWN, NO, YES: whether a pattern or chain matches; avoids quadratic time */
    Matches *matches; /* [n_lists] */
    int visit;        /* incremented when another phrase is processed */
} Tree;

static void append_child(Tree *t, int *last, int parent, int child)
{
    Node *p = &t->nodes[parent], *c = &t->nodes[child];
    c->parent = parent;
    c->previous = last[parent];
    if (last[parent] < 0) p->child = child;
    else t->nodes[last[parent]].sibling = child;
    c->place = last[parent] < 0 ? 0 : t->nodes[last[parent]].place + 1;
    last[parent] = child;
}

static int most_children(const Tree *t)
{
    int most = 0;
    for (int k = 0; k < t->n; k++)
        if (t->nodes[k].place >= most) most = t->nodes[k].place + 1;
    return most;
}

/* Allocates the memory for results of matching. */
static bool make_room(Tree *t, const HeadRules *r, Arena *arena)
{
    size_t most = (size_t)most_children(t), lists = (size_t)r->n_lists;
    t->memo = arena_calloc(arena, (size_t)r->n_memos * (size_t)t->n, 1);
    t->matches = arena_calloc(arena, lists, sizeof *t->matches);
    int *node = arena_alloc(arena, lists * most, sizeof *node);
    if (!t->memo || !t->matches || !node) return false;
    for (size_t k = 0; k < lists; k++) t->matches[k].node = node + k * most;
    return true;
}

static bool tree_make(Tree *t, const HeadRules *r, const Sentence *sent, Arena *arena)
{
    int n = t->n = 1 + sent->n_phrases + sent->n_words;
    t->visit = 0;
    t->n_words = sent->n_words;
    t->nodes = arena_alloc(arena, (size_t)n, sizeof *t->nodes);
    t->lower = arena_alloc(arena, (size_t)sent->n_words, sizeof *t->lower);
    t->lower_names = arena_alloc(arena, (size_t)sent->n_words, sizeof *t->lower_names);
    int *last = arena_alloc(arena, (size_t)n, sizeof *last),
        *open = arena_alloc(arena, (size_t)sent->n_phrases + 1, sizeof *open);
    if (!t->nodes || !t->lower || !t->lower_names || !last || !open) return false;
    for (int k = 0; k < n; k++) {
        bool word = k > sent->n_phrases;
        const char *label = k == 0 ? "TOP" : word ? sent->tags[k - 1 - sent->n_phrases] : sent->phrases[k - 1].label;
        int name = map_find(&r->names, label, strlen(label));
        t->nodes[k] = (Node){ label, name, -1, -1, -1, -1, 0, -1, -1, word ? k - 1 - sent->n_phrases : -1 };
        last[k] = -1;
    }
    StrBuf low = { 0 };
    int depth = 0, p = 0;
    open[0] = 0;
    bool ok = true;
    for (int w = 0; w < sent->n_words && ok; w++) {
        while (depth > 0 && sent->phrases[open[depth] - 1].end <= w) depth--;
        for (; p < sent->n_phrases && sent->phrases[p].begin == w; p++) {
            append_child(t, last, open[depth], p + 1);
            open[++depth] = p + 1;
        }
        append_child(t, last, open[depth], 1 + sent->n_phrases + w);
        strbuf_clear(&low);
        text_lower(&low, sent->words[w], strlen(sent->words[w]));
        t->lower[w] = low.failed ? NULL : arena_strndup(arena, low.ptr ? low.ptr : "", low.len);
        ok = t->lower[w] != NULL;
        t->lower_names[w] = map_find(&r->names, low.ptr ? low.ptr : "", low.len);
    }
    strbuf_fini(&low);
    return ok && make_room(t, r, arena);
}

/* ---- matching */

bool head_rules_names_have(const Names *n, int number, const char *name)
{
    if (number >= 0) return n->has[number / 8] >> (number % 8) & 1;
    bool found = n->any;
    for (int i = 0; i < n->n_prefixes && !found; i++)
        found = strncmp(name, n->prefixes[i], strlen(n->prefixes[i])) == 0;
    return found != n->negated;
}

static bool matches(const Tree *t, const Pattern *p, int node);

/* Does p's chain match the node or a node below it on the path of head children? Once the node's head word is known,
 * the result is stored for every node of the path. */
static bool chain_matches(const Tree *t, const Pattern *p, int node)
{
    char *memo = t->memo + (ptrdiff_t)p->chain_memo * t->n;
    int k = node;
    while (k >= 0 && memo[k] == UNKNOWN && !matches(t, p->chain, k)) k = t->nodes[k].head;
    bool found = k >= 0 && memo[k] != NO;
    if (t->nodes[node].word < 0) return found;
    for (int j = node; j != k; j = t->nodes[j].head) memo[j] = found ? YES : NO;
    if (k >= 0) memo[k] = found ? YES : NO;
    return found;
}

static bool conditions_hold(const Tree *t, const Pattern *p, int node)
{
    for (const Pattern *c = p->child; c; c = c->next) {
        int k = t->nodes[node].child;
        while (k >= 0 && !matches(t, c, k)) k = t->nodes[k].sibling;
        if ((k >= 0) == c->absent) return false;
    }
    return !p->chain || chain_matches(t, p, node);
}

static bool matches(const Tree *t, const Pattern *p, int node)
{
    const Node *x = &t->nodes[node];
    if (!head_rules_names_have(p->label, x->name, x->label)) return false;
    if ((p->word || p->tag) && x->word < 0) return false;
    const Node *word = t->nodes + t->n - t->n_words + x->word;
    if (p->word && !head_rules_names_have(p->word, t->lower_names[x->word], t->lower[x->word])) return false;
    if (p->tag && !head_rules_names_have(p->tag, word->name, word->label)) return false;
    if (p->memo < 0) return true;
    if (!p->fixed && x->word < 0) return conditions_hold(t, p, node); /* not stored: it may change with the heads */
    char *memo = &t->memo[(ptrdiff_t)p->memo * t->n + node];
    if (*memo == UNKNOWN) *memo = conditions_hold(t, p, node) ? YES : NO;
    return *memo == YES;
}

/* The node and its siblings, of which all heads are known, that match the pattern of q. */
static const Matches *siblings_that_match(Tree *t, const Qualifier *q, int node)
{
    Matches *m = &t->matches[q->list];
    if (m->visit == t->visit) return m;
    *m = (Matches){ t->visit, 0, m->node };
    for (int k = t->nodes[t->nodes[node].parent].child; k >= 0; k = t->nodes[k].sibling)
        if (matches(t, q->pattern, k)) m->node[m->n++] = k;
    return m;
}

/* The number of matches before a place. */
static int matches_before(const Tree *t, const Matches *m, int place)
{
    int low = 0, high = m->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (t->nodes[m->node[middle]].place < place) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The sibling that q names: the nearest on its side that matches, or the last one after the child; -1: none, or it
 * stands beyond the head child. */
static int other_head(Tree *t, const Qualifier *q, int child)
{
    int head = t->nodes[t->nodes[child].parent].head, place = t->nodes[child].place;
    if (child == head) return -1;
    const Matches *m = siblings_that_match(t, q, child);
    int at = q->where == ONTO_PREVIOUS ? matches_before(t, m, place) - 1 : matches_before(t, m, place + 1);
    if (q->where == ONTO_LAST && at < m->n) at = m->n - 1;
    if (at < 0 || at >= m->n) return -1;
    int far = t->nodes[head].place, found = t->nodes[m->node[at]].place;
    bool beyond = (place < far && far < found) || (found < far && far < place);
    return beyond ? -1 : m->node[at];
}

static bool qualifies(Tree *t, const Qualifier *q, int node)
{
    const Node *x = &t->nodes[node];
    const Matches *m = q->where == PRECEDES || q->where == FOLLOWS ? siblings_that_match(t, q, node) : NULL;
    bool is = false;
    switch (q->where) {
    case PRECEDES: is = m->n > 0 && t->nodes[m->node[m->n - 1]].place > x->place; break;
    case FOLLOWS: is = m->n > 0 && t->nodes[m->node[0]].place < x->place; break;
    case NEXT:
    case PREVIOUS: {
        int k = node;
        for (int n = 0; n < q->steps && k >= 0; n++) k = q->where == NEXT ? t->nodes[k].sibling : t->nodes[k].previous;
        is = k >= 0 && matches(t, q->pattern, k);
        break;
    }
    case UNDER: {
        int above = t->nodes[x->parent].parent;
        is = above >= 0 && matches(t, q->pattern, above);
        break;
    }
    case ONTO_NEXT:
    case ONTO_PREVIOUS:
    case ONTO_LAST: is = other_head(t, q, node) >= 0; break;
    case WHERES: break;
    }
    return is != q->absent;
}

static bool fits(Tree *t, const Rule *r, int child)
{
    if (!matches(t, r->child, child)) return false;
    for (const Qualifier *q = r->qualifiers; q; q = q->next)
        if (!qualifies(t, q, child)) return false;
    return true;
}

static int find_head(const HeadRules *r, Tree *t, int phrase)
{
    t->visit++;
    const Node *x = &t->nodes[phrase];
    int last = x->child;
    while (t->nodes[last].sibling >= 0) last = t->nodes[last].sibling;
    if (last == x->child) return last;
    for (int i = 0; i < r->n_heads; i++) {
        const Rule *rule = &r->heads[i];
        if (!matches(t, rule->parent, phrase)) continue;
        int k = rule->last ? last : x->child;
        while (k >= 0 && !fits(t, rule, k)) k = rule->last ? t->nodes[k].previous : t->nodes[k].sibling;
        if (k >= 0) return k;
    }
    return x->child;
}

/* The head of a coordination is its first conjunct: moves the head from "b" to "a" in "a , b , and c" or "a and b". */
static int first_conjunct(const HeadRules *r, const Tree *t, int phrase, int head)
{
    for (int i = 0; i < r->n_coordinations; i++) {
        const Rule *rule = &r->coordinations[i];
        int k = t->nodes[head].previous, to = head;
        if (!matches(t, rule->parent, phrase)) continue;
        while (k >= 0 && !matches(t, rule->child, k) && matches(t, rule->separator, k)) k = t->nodes[k].previous;
        if (k < 0 || !matches(t, rule->child, k)) continue;
        for (bool separated = false; k >= 0; k = t->nodes[k].previous) {
            if (matches(t, rule->child, k) || matches(t, rule->separator, k)) separated = true;
            else if (!separated) break;
            else {
                to = k;
                separated = false;
            }
        }
        return to;
    }
    return head;
}

static const Rule *find_type(const HeadRules *r, Tree *t, int child)
{
    int parent = t->nodes[child].parent, head = t->nodes[parent].head;
    bool before = t->nodes[child].word < t->nodes[head].word;
    for (int i = 0; i < r->n_types; i++) {
        const Rule *rule = &r->types[i];
        if ((rule->before && !before) || (rule->after && before)) continue;
        if (fits(t, rule, child) && matches(t, rule->parent, parent) && matches(t, rule->head, head)) return rule;
    }
    return NULL;
}

static bool reaches(const Tree *t, int child, int head, int n)
{
    for (; n > 0 && child != head; n--) child = t->nodes[child].onto;
    return child == head;
}

/* Is the arc of c, to a sibling other than the head, part of a cycle, or does it cross another arc? */
static bool is_tangled(const Tree *t, int c, int head, int n)
{
    int onto = t->nodes[c].onto, from = t->nodes[c].place < t->nodes[onto].place ? c : onto, to = from == c ? onto : c;
    if (!reaches(t, c, head, n)) return true;
    for (int k = t->nodes[from].sibling; k != to; k = t->nodes[k].sibling) {
        int up = k == head ? -1 : t->nodes[t->nodes[k].onto].place;
        if (up < t->nodes[from].place || up > t->nodes[to].place) return true;
    }
    return false;
}

enum { UNTANGLE_MOST = 64 }; /* children: finding the arcs at fault takes at least cubic time */

/* Sets *sound: the arcs among the n children of a phrase have no cycle and do not cross. false when out of memory. */
static bool arcs_are_sound(const Tree *t, int phrase, int n, bool *sound)
{
    int head = t->nodes[phrase].head, word;
    const char *what;
    int *heads = mem_alloc((size_t)n, sizeof *heads);
    if (!heads) return false;
    for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling)
        heads[t->nodes[c].place] = c == head ? 0 : t->nodes[t->nodes[c].onto].place + 1;
    bool valid = tree_heads_valid(heads, n, &word, &what), ok = valid || what;
    *sound = false;
    if (valid) ok = tree_heads_projective(heads, n, sound);
    mem_free(heads);
    return ok;
}

/* Attaches children to the head if their arc to another sibling is part of a cycle or crosses an arc; if there are more
 * than UNTANGLE_MOST children, attaches all. false when out of memory. */
static bool untangle(const Tree *t, int phrase)
{
    int head = t->nodes[phrase].head, n = 0;
    bool sound;
    for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling) n++;
    if (!arcs_are_sound(t, phrase, n, &sound)) return false;
    for (bool changed = !sound; changed;) {
        changed = false;
        for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling) {
            if (c == head || t->nodes[c].onto == head || (n <= UNTANGLE_MOST && !is_tangled(t, c, head, n))) continue;
            t->nodes[c].onto = head;
            changed = true;
        }
    }
    return true;
}

static bool attach_children(const HeadRules *r, Tree *t, Sentence *sent, int phrase)
{
    int head = t->nodes[phrase].head;
    bool moved = false;
    t->visit++;
    for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling) {
        t->nodes[c].onto = head;
        if (c == head) continue;
        const Rule *rule = find_type(r, t, c);
        sent->types[t->nodes[c].word] = rule ? rule->type : "dep";
        for (const Qualifier *q = rule ? rule->qualifiers : NULL; q; q = q->next)
            if (q->where >= ONTO_NEXT) t->nodes[c].onto = other_head(t, q, c);
        moved |= t->nodes[c].onto != head;
    }
    if (moved && !untangle(t, phrase)) return false;
    for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling)
        if (c != head) sent->heads[t->nodes[c].word] = t->nodes[t->nodes[c].onto].word + 1;
    return true;
}

Status head_rules_apply(const HeadRules *rules, Sentence *sent, Arena *arena, Error *error)
{
    Tree t;
    sent->heads = arena_alloc(arena, (size_t)sent->n_words, sizeof *sent->heads);
    sent->types = arena_alloc(arena, (size_t)sent->n_words, sizeof *sent->types);
    ArenaMark mark = arena_mark(arena);
    bool ok = sent->heads && sent->types && tree_make(&t, rules, sent, arena);
    for (int k = sent->n_phrases; k >= 0 && ok; k--) { /* reverse pre-order: children first */
        t.nodes[k].head = first_conjunct(rules, &t, k, find_head(rules, &t, k));
        t.nodes[k].word = t.nodes[t.nodes[k].head].word;
    }
    for (int k = 0; k <= sent->n_phrases && ok; k++) ok = attach_children(rules, &t, sent, k);
    if (!ok) return error_set(error, ERR_NOMEM, "out of memory finding heads");
    sent->heads[t.nodes[0].word] = 0;
    sent->types[t.nodes[0].word] = rules->root;
    arena_rewind(arena, mark);
    return OK;
}
