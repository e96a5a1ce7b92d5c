/* treebank/head_rules.c: the tree that rules are asked about, matching, and the two passes: heads from below, types. */
#include "treebank/head_rules.h"

#include <string.h>

#include "treebank/head_rule_table.h"

/* ---- the tree */

typedef struct Node {
    const char *label;          /* of a word: its tag */
    int parent, child, sibling; /* -1: none; siblings from left to right */
    int previous;
    int head; /* the head child, -1 while unknown and of words */
    int onto; /* the sibling it depends on: the head child, or another */
    int word; /* its head word, -1 while unknown */
} Node;

typedef struct Tree {
    Node *nodes;        /* [0] is above all, phrases in pre-order, then words */
    const char **lower; /* [n_words] words in lower case */
    const char **tags;
} Tree;

static void append_child(Tree *t, int *last, int parent, int child)
{
    Node *p = &t->nodes[parent], *c = &t->nodes[child];
    c->parent = parent;
    c->previous = last[parent];
    if (last[parent] < 0) p->child = child;
    else t->nodes[last[parent]].sibling = child;
    last[parent] = child;
}

static bool tree_make(Tree *t, const Sentence *s, Arena *arena)
{
    int n = 1 + s->n_phrases + s->n_words;
    t->tags = s->tags;
    t->nodes = arena_alloc(arena, (size_t)n, sizeof *t->nodes);
    t->lower = arena_alloc(arena, (size_t)s->n_words, sizeof *t->lower);
    int *last = arena_alloc(arena, (size_t)n, sizeof *last), *open = arena_alloc(arena, (size_t)s->n_phrases + 1, sizeof *open);
    if (!t->nodes || !t->lower || !last || !open) return false;
    for (int k = 0; k < n; k++) {
        bool word = k > s->n_phrases;
        const char *label = k == 0 ? "TOP" : word ? s->tags[k - 1 - s->n_phrases] : s->phrases[k - 1].label;
        t->nodes[k] = (Node){ label, -1, -1, -1, -1, -1, -1, word ? k - 1 - s->n_phrases : -1 };
        last[k] = -1;
    }
    StrBuf low = { 0 };
    int depth = 0, p = 0;
    open[0] = 0;
    bool ok = true;
    for (int w = 0; w < s->n_words && ok; w++) {
        while (depth > 0 && s->phrases[open[depth] - 1].end <= w) depth--;
        for (; p < s->n_phrases && s->phrases[p].begin == w; p++) {
            append_child(t, last, open[depth], p + 1);
            open[++depth] = p + 1;
        }
        append_child(t, last, open[depth], 1 + s->n_phrases + w);
        strbuf_clear(&low);
        text_lower(&low, s->words[w], strlen(s->words[w]));
        t->lower[w] = low.failed ? NULL : arena_strndup(arena, low.ptr ? low.ptr : "", low.len);
        ok = t->lower[w] != NULL;
    }
    strbuf_fini(&low);
    return ok;
}

/* ---- matching */

static bool names_have(const Names *n, const char *name)
{
    size_t len = strlen(name);
    bool found = n->any || map_find(&n->whole, name, len) >= 0;
    for (int i = 0; i < n->n_prefixes && !found; i++) found = strncmp(name, n->prefixes[i], strlen(n->prefixes[i])) == 0;
    return found != n->negated;
}

static bool matches(const Tree *t, const Pattern *p, int node)
{
    const Node *x = &t->nodes[node];
    if (!names_have(p->label, x->label)) return false;
    if ((p->word || p->tag) && x->word < 0) return false;
    if (p->word && !names_have(p->word, t->lower[x->word])) return false;
    if (p->tag && !names_have(p->tag, t->tags[x->word])) return false;
    for (const Pattern *c = p->child; c; c = c->next) {
        int k = x->child;
        while (k >= 0 && !matches(t, c, k)) k = t->nodes[k].sibling;
        if ((k >= 0) == c->absent) return false;
    }
    if (!p->chain) return true;
    int k = node;
    while (k >= 0 && !matches(t, p->chain, k)) k = t->nodes[k].head;
    return k >= 0;
}

/* The nearest sibling on one side that matches, up to the head child; -1: none. */
static int other_head(const Tree *t, const Qualifier *q, int child)
{
    int head = t->nodes[t->nodes[child].parent].head;
    for (int k = child; k != head;) {
        k = q->where == ONTO_NEXT ? t->nodes[k].sibling : t->nodes[k].previous;
        if (k < 0 || matches(t, q->pattern, k)) return k;
    }
    return -1;
}

static bool qualifies(const Tree *t, const Qualifier *q, int node)
{
    const Node *x = &t->nodes[node];
    int k = -1;
    switch (q->where) {
    case PRECEDES:
        for (k = x->sibling; k >= 0 && !matches(t, q->pattern, k);) k = t->nodes[k].sibling;
        break;
    case FOLLOWS:
        for (k = x->previous; k >= 0 && !matches(t, q->pattern, k);) k = t->nodes[k].previous;
        break;
    case NEXT: k = x->sibling >= 0 && matches(t, q->pattern, x->sibling) ? 0 : -1; break;
    case PREVIOUS: k = x->previous >= 0 && matches(t, q->pattern, x->previous) ? 0 : -1; break;
    case UNDER:
        k = t->nodes[x->parent].parent;
        k = k >= 0 && matches(t, q->pattern, k) ? 0 : -1;
        break;
    case ONTO_NEXT:
    case ONTO_PREVIOUS: k = other_head(t, q, node); break;
    case WHERES: break;
    }
    return (k >= 0) != q->absent;
}

static bool fits(const Tree *t, const Rule *r, int child)
{
    if (!matches(t, r->child, child)) return false;
    for (const Qualifier *q = r->qualifiers; q; q = q->next)
        if (!qualifies(t, q, child)) return false;
    return true;
}

static int find_head(const HeadRules *r, const Tree *t, int phrase)
{
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

/* The head of a coordination is its first conjunct: from "b" in "a , b , and c" or in "a and b" to "a". */
static int first_conjunct(const HeadRules *r, const Tree *t, int phrase, int head)
{
    for (int i = 0; i < r->n_coordinations; i++) {
        const Rule *rule = &r->coordinations[i];
        bool found = false;
        int k = t->nodes[head].previous, to = head;
        if (!matches(t, rule->parent, phrase)) continue;
        for (bool behind = false; k >= 0; k = t->nodes[k].previous) {
            bool conjunction = matches(t, rule->child, k);
            found |= conjunction;
            if (conjunction || matches(t, rule->separator, k)) behind = true;
            else if (!behind) break;
            else {
                to = k;
                behind = false;
            }
        }
        if (found) return to;
    }
    return head;
}

static const Rule *find_type(const HeadRules *r, const Tree *t, int child)
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

/* Children that would depend on a sibling in a circle or across another arc go back to the head. */
static void untangle(const Tree *t, int phrase)
{
    int head = t->nodes[phrase].head, n = 0;
    for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling) n++;
    for (bool changed = true; changed;) {
        changed = false;
        for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling) {
            Node *x = &t->nodes[c];
            if (c == head || x->onto == head) continue;
            int from = x->word < t->nodes[x->onto].word ? c : x->onto, to = from == c ? x->onto : c;
            bool bad = !reaches(t, c, head, n);
            for (int k = t->nodes[from].sibling; k != to && !bad; k = t->nodes[k].sibling) {
                int up = k == head ? -1 : t->nodes[t->nodes[k].onto].word;
                bad = up < t->nodes[from].word || up > t->nodes[to].word;
            }
            if (!bad) continue;
            x->onto = head;
            changed = true;
        }
    }
}

static void attach_children(const HeadRules *r, const Tree *t, Sentence *s, int phrase)
{
    int head = t->nodes[phrase].head;
    bool moved = false;
    for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling) {
        t->nodes[c].onto = head;
        if (c == head) continue;
        const Rule *rule = find_type(r, t, c);
        s->types[t->nodes[c].word] = rule ? rule->type : "dep";
        for (const Qualifier *q = rule ? rule->qualifiers : NULL; q; q = q->next)
            if (q->where >= ONTO_NEXT) t->nodes[c].onto = other_head(t, q, c);
        moved |= t->nodes[c].onto != head;
    }
    if (moved) untangle(t, phrase);
    for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling)
        if (c != head) s->heads[t->nodes[c].word] = t->nodes[t->nodes[c].onto].word + 1;
}

Status head_rules_apply(const HeadRules *r, Sentence *s, Arena *arena, Error *e)
{
    Tree t;
    s->heads = arena_alloc(arena, (size_t)s->n_words, sizeof *s->heads);
    s->types = arena_alloc(arena, (size_t)s->n_words, sizeof *s->types);
    ArenaMark mark = arena_mark(arena);
    if (!s->heads || !s->types || !tree_make(&t, s, arena)) return error_set(e, ERR_NOMEM, "out of memory finding heads");
    for (int k = s->n_phrases; k >= 0; k--) { /* pre-order backwards: children first */
        t.nodes[k].head = first_conjunct(r, &t, k, find_head(r, &t, k));
        t.nodes[k].word = t.nodes[t.nodes[k].head].word;
    }
    for (int k = 0; k <= s->n_phrases; k++) attach_children(r, &t, s, k);
    s->heads[t.nodes[0].word] = 0;
    s->types[t.nodes[0].word] = r->root;
    arena_rewind(arena, mark);
    return OK;
}
