/* treebank/oracle.c
 * The tree is built bottom-up from the phrases in reverse pre-order: when a phrase is reached, its children are complete
 * on a stack. `Item` is a child: a word or a finished phrase, with the head word it carries. */
#include "treebank/oracle.h"

#include <string.h>

typedef struct Item {
    int begin, end;
    int head, father; /* 1-based word, and that word's head (0 = root, -1 = no dependencies known) */
} Item;

typedef struct Builder {
    const Sentence *s;
    OracleTree *t;
    Item *items; /* a stack; the next child of the phrase at hand is on top */
    int n_items;
    Item *kids;    /* children of the phrase at hand, left to right */
    int *parent;   /* [kids] index of the child that governs it, or -1 */
    int *lo, *hi;  /* [kids] first and last child of its subtree */
    int *size;     /* [kids] children in its subtree */
    Phrase *extra; /* <H> nodes */
    int n_extra;
} Builder;

static int governs(const Item *kids, int k, int father)
{
    for (int i = 0; i < k; i++)
        if (kids[i].head == father) return i;
    return -1;
}

/* The head of the phrase: the last child whose head lies outside, else the first child. */
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

static void make_groups(Builder *b, int k, int head)
{
    for (int i = 0; i < k; i++) {
        b->parent[i] = i == head ? -1 : governs(b->kids, k, b->kids[i].father);
        b->lo[i] = b->hi[i] = i;
        b->size[i] = 1;
    }
    /* Every child adds itself to all its ancestors; the step limit ends a cycle in wrong input. */
    for (int i = 0; i < k; i++) {
        int steps = 0;
        for (int a = b->parent[i]; a >= 0 && steps < k; a = b->parent[a], steps++) {
            if (i < b->lo[a]) b->lo[a] = i;
            if (i > b->hi[a]) b->hi[a] = i;
            b->size[a]++;
        }
        if (steps == k) b->size[i] = 2 * k; /* in a cycle, or below one: never contiguous */
    }
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
    int k = 0, at = p->begin;
    while (b->n_items > 0 && b->items[b->n_items - 1].begin < p->end) {
        b->kids[k++] = b->items[--b->n_items];
        at = b->kids[k - 1].end;
    }
    (void)at;
    int head = 0;
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
static bool before(const Phrase *a, const Phrase *b) { return a->begin != b->begin ? a->begin < b->begin : a->end > b->end; }

static void insert_extra(Builder *b)
{
    OracleTree *t = b->t;
    for (int x = 0; x < b->n_extra; x++) { /* insertion into the sorted list; groups are rare */
        int at = 0;
        while (at < t->n && before(&t->nodes[at], &b->extra[x])) at++;
        if (at < t->n && t->nodes[at].begin == b->extra[x].begin && t->nodes[at].end == b->extra[x].end) continue;
        memmove(&t->nodes[at + 1], &t->nodes[at], (size_t)(t->n - at) * sizeof *t->nodes);
        t->nodes[at] = b->extra[x];
        t->n++;
    }
}

static bool join_chains(const Sentence *s, OracleTree *t, Arena *arena)
{
    if (s->n_phrases == 0 || s->phrases[0].begin != 0 || s->phrases[0].end != s->n_words) t->nodes[t->n++] = (Phrase){ 0, s->n_words, LABEL_ROOT };
    int n;
    const Phrase *chain = tree_chains(s, arena, &n);
    if (!chain) return false;
    memcpy(t->nodes + t->n, chain, (size_t)n * sizeof *t->nodes);
    t->n += n;
    return true;
}

OracleTree *oracle_convert(const Sentence *s, Arena *arena)
{
    OracleTree *t = arena_calloc(arena, 1, sizeof *t);
    if (!t) return NULL;
    t->n_words = s->n_words;
    size_t n = (size_t)s->n_words, most = (size_t)s->n_phrases + 1 + 2 * n;
    t->nodes = arena_alloc(arena, most, sizeof *t->nodes);
    if (!t->nodes || !join_chains(s, t, arena)) return NULL;
    if (!s->heads) return t;
    Builder b = { .s = s, .t = t };
    b.items = arena_alloc(arena, 2 * n + most, sizeof *b.items);
    b.kids = arena_alloc(arena, n + 1, sizeof *b.kids);
    b.parent = arena_alloc(arena, n + 1, sizeof *b.parent);
    b.lo = arena_alloc(arena, n + 1, sizeof *b.lo);
    b.hi = arena_alloc(arena, n + 1, sizeof *b.hi);
    b.size = arena_alloc(arena, n + 1, sizeof *b.size);
    b.extra = arena_alloc(arena, n + 1, sizeof *b.extra);
    if (!b.items || !b.kids || !b.parent || !b.lo || !b.hi || !b.size || !b.extra) return NULL;
    int next_word = s->n_words; /* words at next_word and beyond are on the stack */
    for (int p = t->n - 1; p >= 0; p--) {
        while (next_word > t->nodes[p].begin) {
            next_word--;
            b.items[b.n_items++] = (Item){ next_word, next_word + 1, next_word + 1, s->heads[next_word] };
            /* words between this phrase's end and the next sibling stay below; a word inside an already finished
             * phrase never reaches here since that phrase pushed it first */
        }
        reduce(&b, &t->nodes[p]);
    }
    insert_extra(&b);
    return t;
}

bool oracle_undo(const Phrase *nodes, int n, Sentence *s, Arena *arena)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (!nodes[i].label[0] || strcmp(nodes[i].label, LABEL_GROUP) == 0) continue;
        count++;
        for (const char *p = nodes[i].label; (p = strstr(p, LABEL_JOIN)); p += strlen(LABEL_JOIN)) count++;
    }
    s->phrases = arena_alloc(arena, (size_t)count, sizeof *s->phrases);
    if (!s->phrases) return false;
    s->n_phrases = 0;
    s->has_tree = true;
    for (int i = 0; i < n; i++) {
        if (!nodes[i].label[0] || strcmp(nodes[i].label, LABEL_GROUP) == 0) continue;
        for (const char *p = nodes[i].label; p;) {
            const char *join = strstr(p, LABEL_JOIN);
            const char *label = join ? arena_strndup(arena, p, (size_t)(join - p)) : p;
            if (!label) return false;
            s->phrases[s->n_phrases++] = (Phrase){ nodes[i].begin, nodes[i].end, label };
            p = join ? join + strlen(LABEL_JOIN) : NULL;
        }
    }
    return true;
}

const char *oracle_label(const OracleTree *t, int i, int j)
{
    for (int p = 0; p < t->n; p++)
        if (t->nodes[p].begin == i && t->nodes[p].end == j) return t->nodes[p].label;
    return LABEL_EMPTY;
}
