/* The tree is built bottom-up from the phrases in reverse pre-order: when a phrase is reached, its children are
 * complete on a stack. An Item is a child: a word or a complete phrase, with its head word. */
#include "treebank/oracle.h"

#include <stdlib.h>
#include <string.h>

typedef struct Item {
    int begin, end;
    int head, father; /* head word (1-based), and the head of that word (0 = root) */
} Item;

typedef struct Builder {
    const Sentence *s;
    OracleTree *t;
    Item *items; /* stack; the first child of the current phrase is on top */
    int n_items;
    Item *kids;     /* children of the current phrase, left to right */
    int *kid_of;    /* [words + 1] index of the child with this head word; may be outdated, so check kids[].head */
    int *parent;    /* [kids] index of the child that governs it, or -1 */
    int *lo, *hi;   /* [kids] first and last child of its subtree */
    int *size;      /* [kids] number of children in its subtree */
    int *waits_for; /* [kids] number of children it governs whose subtrees are not complete yet */
    int *order;     /* [kids] children with complete subtrees, dependents before their heads */
    Phrase *extra;  /* <H> nodes */
    int n_extra;
} Builder;

/* The child among k whose head word is `father`, or -1. */
static int governs(const Builder *b, int k, int father)
{
    int i = father > 0 && father <= b->s->n_words ? b->kid_of[father] : -1;
    return i >= 0 && i < k && b->kids[i].head == father ? i : -1;
}

/* The head of the phrase: the last child whose head is outside the phrase, else the first child. */
static int phrase_head(Builder *b, int k, int begin, int end)
{
    int head = -1;
    for (int i = 0; i < k; i++)
        if (b->kids[i].father <= begin || b->kids[i].father > end) {
            if (head >= 0) b->t->extra_heads++;
            head = i;
        }
    return head < 0 ? 0 : head;
}

/* Computes lo, hi and size of the subtrees of k children; each is added to its parent's when complete. On invalid
 * input, subtrees of a cycle are never complete: children in or below a cycle get a size that no contiguous subtree
 * has. */
static void measure_subtrees(Builder *b, int k)
{
    int done = 0;
    for (int i = 0; i < k; i++) {
        b->lo[i] = b->hi[i] = i;
        b->size[i] = 1;
        b->waits_for[i] = 0;
    }
    for (int i = 0; i < k; i++)
        if (b->parent[i] >= 0) b->waits_for[b->parent[i]]++;
    for (int i = 0; i < k; i++)
        if (b->waits_for[i] == 0) b->order[done++] = i;
    for (int at = 0; at < done; at++) {
        int i = b->order[at], a = b->parent[i];
        if (a < 0) continue;
        if (b->lo[i] < b->lo[a]) b->lo[a] = b->lo[i];
        if (b->hi[i] > b->hi[a]) b->hi[a] = b->hi[i];
        b->size[a] += b->size[i];
        if (--b->waits_for[a] == 0) b->order[done++] = a;
    }
    for (int i = 0; i < k && done < k; i++)
        if (b->waits_for[i] > 0) b->size[i] = 2 * k;
    for (int at = done; at-- > 0 && done < k;) {
        int i = b->order[at];
        if (b->parent[i] >= 0 && b->size[b->parent[i]] == 2 * k) b->size[i] = 2 * k;
    }
}

static void make_groups(Builder *b, int k, int head)
{
    for (int i = 0; i < k; i++) b->kid_of[b->kids[i].head] = i;
    for (int i = 0; i < k; i++) b->parent[i] = i == head ? -1 : governs(b, k, b->kids[i].father);
    measure_subtrees(b, k);
    for (int i = 0; i < k; i++) {
        if (i == head || b->size[i] == 1) continue;
        if (b->hi[i] - b->lo[i] + 1 != b->size[i] || b->size[i] >= k) {
            b->t->flat++;
            continue;
        }
        b->extra[b->n_extra++] = (Phrase){ b->kids[b->lo[i]].begin, b->kids[b->hi[i]].end, LABEL_GROUP };
    }
}

static void reduce(Builder *b, const Phrase *p)
{
    int k = 0, head = 0;
    while (b->n_items > 0 && b->items[b->n_items - 1].begin < p->end) b->kids[k++] = b->items[--b->n_items];
    if (b->s->heads && k > 0) {
        head = phrase_head(b, k, p->begin, p->end);
        if (k > 2) make_groups(b, k, head);
    }
    Item made = b->kids[head];
    made.begin = p->begin;
    made.end = p->end;
    b->items[b->n_items++] = made;
}

/* Pre-order for distinct spans: begin ascending, end descending. */
static int pre_order(const void *x, const void *y)
{
    const Phrase *a = x, *b = y;
    return a->begin != b->begin ? a->begin - b->begin : b->end - a->end;
}

/* Merges the groups into the nodes, from the last to the first. A group whose span is already a node is dropped. */
static void insert_extra(Builder *b)
{
    OracleTree *t = b->t;
    if (b->n_extra == 0) return;
    qsort(b->extra, (size_t)b->n_extra, sizeof *b->extra, pre_order);
    int fresh = 0;
    for (int x = 0, at = 0; x < b->n_extra; x++) {
        while (at < t->n && pre_order(&t->nodes[at], &b->extra[x]) < 0) at++;
        bool known = (at < t->n && pre_order(&t->nodes[at], &b->extra[x]) == 0) ||
                     (fresh && pre_order(&b->extra[fresh - 1], &b->extra[x]) == 0);
        if (!known) b->extra[fresh++] = b->extra[x];
    }
    int to = t->n + fresh, at = t->n;
    t->n = to;
    while (fresh > 0) {
        if (at > 0 && pre_order(&t->nodes[at - 1], &b->extra[fresh - 1]) > 0) t->nodes[--to] = t->nodes[--at];
        else t->nodes[--to] = b->extra[--fresh];
    }
}

static bool join_chains(const Sentence *sent, OracleTree *t, Arena *arena)
{
    if (sent->n_phrases == 0 || sent->phrases[0].begin != 0 || sent->phrases[0].end != sent->n_words)
        t->nodes[t->n++] = (Phrase){ 0, sent->n_words, LABEL_ROOT };
    int n;
    const Phrase *chain = tree_chains(sent, arena, &n);
    if (!chain) return false;
    memcpy(t->nodes + t->n, chain, (size_t)n * sizeof *t->nodes);
    t->n += n;
    return true;
}

OracleTree *oracle_convert(const Sentence *sent, Arena *arena)
{
    OracleTree *t = arena_calloc(arena, 1, sizeof *t);
    if (!t) return NULL;
    t->n_words = sent->n_words;
    size_t n = (size_t)sent->n_words, most = (size_t)sent->n_phrases + 1 + 2 * n;
    t->nodes = arena_alloc(arena, most, sizeof *t->nodes);
    if (!t->nodes || !join_chains(sent, t, arena)) return NULL;
    if (!sent->heads) return t;
    Builder b = { .s = sent, .t = t };
    b.items = arena_alloc(arena, 2 * n + most, sizeof *b.items);
    b.kids = arena_alloc(arena, n + 1, sizeof *b.kids);
    b.parent = arena_alloc(arena, n + 1, sizeof *b.parent);
    b.lo = arena_alloc(arena, n + 1, sizeof *b.lo);
    b.hi = arena_alloc(arena, n + 1, sizeof *b.hi);
    b.size = arena_alloc(arena, n + 1, sizeof *b.size);
    b.kid_of = arena_calloc(arena, n + 1, sizeof *b.kid_of);
    b.waits_for = arena_alloc(arena, n + 1, sizeof *b.waits_for);
    b.order = arena_alloc(arena, n + 1, sizeof *b.order);
    b.extra = arena_alloc(arena, n + 1, sizeof *b.extra);
    if (!b.items || !b.kids || !b.parent || !b.lo || !b.hi || !b.size || !b.kid_of || !b.waits_for || !b.order ||
        !b.extra)
        return NULL;
    int next_word = sent->n_words; /* words from next_word on are on the stack or in a phrase on it */
    for (int p = t->n - 1; p >= 0; p--) {
        while (next_word > t->nodes[p].begin) {
            next_word--;
            b.items[b.n_items++] = (Item){ next_word, next_word + 1, next_word + 1, sent->heads[next_word] };
        }
        reduce(&b, &t->nodes[p]);
    }
    insert_extra(&b);
    return t;
}

bool oracle_undo(const Phrase *nodes, int n, Sentence *sent, Arena *arena)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (!nodes[i].label[0] || strcmp(nodes[i].label, LABEL_GROUP) == 0) continue;
        count++;
        for (const char *p = nodes[i].label; (p = strstr(p, LABEL_JOIN)); p += strlen(LABEL_JOIN)) count++;
    }
    sent->phrases = arena_alloc(arena, (size_t)count, sizeof *sent->phrases);
    if (!sent->phrases) return false;
    sent->n_phrases = 0;
    sent->has_tree = true;
    for (int i = 0; i < n; i++) {
        if (!nodes[i].label[0] || strcmp(nodes[i].label, LABEL_GROUP) == 0) continue;
        for (const char *p = nodes[i].label; p;) {
            const char *join = strstr(p, LABEL_JOIN);
            const char *label = join ? arena_strndup(arena, p, (size_t)(join - p)) : p;
            if (!label) return false;
            sent->phrases[sent->n_phrases++] = (Phrase){ nodes[i].begin, nodes[i].end, label };
            p = join ? join + strlen(LABEL_JOIN) : NULL;
        }
    }
    return true;
}
