/* Costs are added up from the longest endings to the empty one, then rules
 * are chosen on the way back. */
#include "language/english/program/lemma_learn.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

/* An ending: its parent's ending with one byte before it. Parents precede their children. */
typedef struct Node {
    const char *end;
    int parent, child, sibling; /* -1: none */
    int best;                   /* the label of least cost if the ending has a rule */
    double changed;             /* cost of all words with this ending if it has a rule */
    int label;                  /* what the rules give to a word that has no rule for a longer ending */
} Node;

typedef struct Tree {
    Node *nodes;
    int n, cap;
    int n_labels, other;
    double *cost; /* [n, n_labels] of all words with this ending if it has no rule and a shorter one gives the label */
} Tree;

static int child_of(const Tree *t, int node, char byte)
{
    int c = t->nodes[node].child;
    while (c >= 0 && *t->nodes[c].end != byte) c = t->nodes[c].sibling;
    return c;
}

static int add_child(Tree *t, int node, const char *end)
{
    if (!mem_reserve(t->nodes, &t->cap, t->n + 1)) return -1;
    t->nodes[t->n] = (Node){ .end = end, .parent = node, .child = -1, .sibling = node < 0 ? -1 : t->nodes[node].child };
    if (node >= 0) t->nodes[node].child = t->n;
    return t->n++;
}

/* Adds all endings of the key. Returns the node of the whole key; -1 when out of memory. */
static int add_key(Tree *t, const char *key)
{
    int node = 0;
    for (size_t n = strlen(key); n > 0 && node >= 0; n--) {
        int c = child_of(t, node, key[n - 1]);
        node = c >= 0 ? c : add_child(t, node, key + n - 1);
    }
    return node;
}

/* From the longest endings to the empty one. */
static void count_costs(Tree *t)
{
    for (int k = t->n; k-- > 0;) {
        Node *x = &t->nodes[k];
        const double *cost = t->cost + (size_t)k * (size_t)t->n_labels;
        for (int l = 1; l < t->n_labels; l++)
            if (cost[l] < cost[x->best]) x->best = l;
        if (k == 0 && t->other >= 0) x->best = t->other;
        x->changed = cost[x->best] + (x->end[0] == ' ' ? LEARN_WORD : t->other < 0 ? LEARN_ENDING : INFINITY);
        if (k == 0) return;
        double *sum = t->cost + (size_t)x->parent * (size_t)t->n_labels;
        for (int l = 0; l < t->n_labels; l++) sum[l] += cost[l] < x->changed ? cost[l] : x->changed;
    }
}

static bool choose_rules(Tree *t, LearnRule **rules, int *n_rules)
{
    int cap = 0;
    *rules = NULL;
    *n_rules = 0;
    for (int k = 0; k < t->n; k++) {
        Node *x = &t->nodes[k];
        x->label = k ? t->nodes[x->parent].label : x->best;
        bool change = k == 0 || x->changed < t->cost[(size_t)k * (size_t)t->n_labels + (size_t)x->label];
        if (!change) continue;
        x->label = x->best;
        if (!mem_reserve(*rules, &cap, *n_rules + 1)) return false;
        (*rules)[(*n_rules)++] = (LearnRule){ x->end, x->label };
    }
    return true;
}

bool lemma_learn(const LearnWord *words, int n, int n_labels, int other, LearnRule **rules, int *n_rules)
{
    Tree t = { .n_labels = n_labels, .other = other };
    int *node = mem_alloc((size_t)n + 1, sizeof *node);
    bool ok = node && add_child(&t, -1, "") == 0;
    for (int k = 0; ok && k < n; k++) ok = (node[k] = add_key(&t, words[k].key)) >= 0;
    t.cost = ok ? mem_calloc((size_t)t.n * (size_t)n_labels, sizeof *t.cost) : NULL;
    ok = t.cost != NULL;
    for (int k = 0; ok && k < n; k++) {
        double *cost = t.cost + (size_t)node[k] * (size_t)n_labels;
        for (int l = 0; l < n_labels; l++) cost[l] += l == words[k].label ? 0 : words[k].weight;
    }
    if (ok) {
        count_costs(&t);
        ok = choose_rules(&t, rules, n_rules);
    }
    mem_free_each(t.cost, t.nodes, node);
    return ok;
}
