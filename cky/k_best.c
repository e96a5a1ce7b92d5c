/* Each item of the chart (cky/joint.h) that is asked for has a list of its best derivations, made as far as it is read:
 *   RAW(i, j, h)  the parts of a span: at each split a Dep and an Any
 *   ANY, ONE      a RAW and one of LABELS
 *   DEP(i, j, g)  for each head word h' a ONE (of a single word an ANY) and the arc to g; the result is DEP(0, n, 0)
 *   LABELS(i, j)  what the span may be, as the side of the head (h = 0) or not (h = 1); no phrase comes once
 * A list starts with a heap of candidates whose scores are sums of numbers of the chart, so no other list is made for
 * it; when one is taken, its successors, with the next item of either part, become candidates. Only RAW finds the same
 * result twice, by another split; a second one has no higher score and is dropped. It is known by a sum of random words
 * of 64 bits, one for each phrase and arc: two results have the same sum with a probability of 2^-64.
 * Sums are made in the order of the decoder, so that the first result has its bits. */
#include "cky/k_best.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "cky/joint.h"

typedef enum Kind { RAW, ANY, ONE, DEP, LABELS } Kind;

/* Item a of the first part with item b of the second one. */
typedef struct Candidate {
    Real score;
    int which; /* RAW: the split; DEP: the head word; LABELS: the label */
    int a, b;
} Candidate;

typedef struct Item {
    Candidate from;
    uint64_t sum;
} Item;

typedef struct List {
    Kind kind;
    int i, j, h;
    Item *item; /* [n] */
    int n, cap;
    Candidate *heap; /* [n_heap] */
    int n_heap, cap_heap;
    Real least;     /* candidates that score less are in no result that is wanted */
    Candidate last; /* taken from the heap; pending: its successors are missing there */
    bool started, pending, done;
    bool others;          /* LABELS: more labels than the best one do not score too low */
    struct List *part[2]; /* the parts of candidates with the number part_of, which were looked up last, or NULL */
    int part_of;
} List;

/* A list that is to have `count` items, if it can. */
typedef struct Want {
    List *list;
    int count;
} Want;

struct KBest {
    JointChart c;
    const Real *labels;
    int n_labels;
    Real reach, slack; /* slack: what rounding may add to it */
    Arena *a;
    List **slot; /* [n_slots] open addressing, a power of 2 */
    int n_lists, n_slots;
    Want *stack; /* [4 n + 4] each list wants one of a smaller span, or of the next kind */
    int given;   /* results so far */
};

/* ---- lists by item */

/* The slot of an item, empty if it has no list. */
static List **find_slot(const KBest *b, Kind kind, int i, int j, int h)
{
    uint64_t n = (uint64_t)b->c.n + 1, item = (((uint64_t)kind * n + (uint64_t)i) * n + (uint64_t)j) * n + (uint64_t)h;
    size_t mask = (size_t)b->n_slots - 1, k = (size_t)rng_mix(item) & mask;
    for (;; k = (k + 1) & mask) {
        const List *l = b->slot[k];
        if (!l || (l->kind == kind && l->i == i && l->j == j && l->h == h)) return &b->slot[k];
    }
}

static bool grow_slots(KBest *b, int n)
{
    List **old = b->slot, **slot = arena_calloc(b->a, (size_t)n, sizeof *slot);
    int n_old = b->n_slots;
    if (!slot) return false;
    b->slot = slot;
    b->n_slots = n;
    for (int k = 0; k < n_old; k++)
        if (old[k]) *find_slot(b, old[k]->kind, old[k]->i, old[k]->j, old[k]->h) = old[k];
    return true;
}

/* NULL when out of memory. */
static List *list_of(KBest *b, Kind kind, int i, int j, int h)
{
    List **slot = find_slot(b, kind, i, j, h);
    if (*slot) return *slot;
    if (2 * b->n_lists >= b->n_slots) {
        if (!grow_slots(b, 2 * b->n_slots)) return NULL;
        slot = find_slot(b, kind, i, j, h);
    }
    List *l = arena_calloc(b->a, 1, sizeof *l);
    if (!l) return NULL;
    *l = (List){ .kind = kind, .i = i, .j = j, .h = h, .least = (Real)-INFINITY };
    b->n_lists++;
    return *slot = l;
}

/* Room for one more element. */
static void *grown(Arena *a, void *old, int n, int *cap, size_t size)
{
    if (n < *cap) return old;
    int more = *cap ? 2 * *cap : 4;
    void *new = arena_alloc(a, (size_t)more, size);
    if (new &&n) memcpy(new, old, (size_t)n * size);
    if (new) *cap = more;
    return new;
}

static bool add_item(KBest *b, List *l, Candidate from, uint64_t sum)
{
    Item *item = grown(b->a, l->item, l->n, &l->cap, sizeof *item);
    if (!item) return false;
    l->item = item;
    l->item[l->n++] = (Item){ from, sum };
    return true;
}

/* ---- heaps */

static bool before(const Candidate *x, const Candidate *y)
{
    if (x->score != y->score) return x->score > y->score;
    if (x->which != y->which) return x->which < y->which;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

/* Adds a candidate unless its score is too low, or -INFINITY (or NaN, of what has no label). */
static bool push(KBest *b, List *l, Candidate c)
{
    if (!(c.score > (Real)-INFINITY) || c.score < l->least) return true;
    Candidate *heap = grown(b->a, l->heap, l->n_heap, &l->cap_heap, sizeof *heap);
    if (!heap) return false;
    l->heap = heap;
    int k = l->n_heap++;
    for (; k > 0 && before(&c, &heap[(k - 1) / 2]); k = (k - 1) / 2) heap[k] = heap[(k - 1) / 2];
    heap[k] = c;
    return true;
}

/* The best candidate has this score: what is further below it than reach is in no result within reach. */
static void keep_near(const KBest *b, List *l, Real best) { l->least = best - (b->reach + b->slack); }

static void drop_top(List *l)
{
    Candidate *heap = l->heap, c = heap[--l->n_heap];
    int k = 0, n = l->n_heap;
    for (int next; (next = 2 * k + 1) < n; k = next) {
        if (next + 1 < n && before(&heap[next + 1], &heap[next])) next++;
        if (!before(&heap[next], &c)) break;
        heap[k] = heap[next];
    }
    heap[k] = c;
}

/* ---- labels */

/* The place of a label among labels with the same score, the lowest first. The decoder's label has the first one; then
 * an empty word comes before labels, another empty span after them (joint.c). */
static int label_order(const KBest *b, int i, int j, int label)
{
    int own;
    joint_own(&b->c, i, j, &own);
    if (label == CHART_EMPTY) return j - i == 1 ? -2 : b->n_labels;
    return label == own ? -1 : label;
}

/* What the span may be without being a phrase: the better of empty and <H>. Score -INFINITY: neither. */
static Candidate no_phrase(const KBest *b, const List *l)
{
    int n = b->c.n, i = l->i, j = l->j;
    Candidate c = { .score = (Real)-INFINITY };
    if (joint_may_be_empty(b->c.state, n, i, j, l->h)) c = (Candidate){ .score = 0, .which = CHART_EMPTY };
    if (joint_is_proper(n, i, j)) return c;
    Real group = b->labels[chart_span(n, i, j) * (b->n_labels - 1) + CHART_GROUP - 1];
    return group >= c.score ? (Candidate){ .score = group, .which = CHART_GROUP } : c;
}

/* Takes x for the best so far if it comes before it and after the last item. */
static void consider(const KBest *b, const List *l, Candidate x, Candidate *best)
{
    int order = label_order(b, l->i, l->j, x.which);
    if (l->n) {
        const Candidate *last = &l->item[l->n - 1].from;
        if (x.score > last->score) return;
        if (x.score == last->score && order <= label_order(b, l->i, l->j, last->which)) return;
    }
    if (x.score > best->score || (x.score == best->score && order < label_order(b, l->i, l->j, best->which))) *best = x;
}

static uint64_t phrase_word(int i, int j, int label)
{
    return label > CHART_GROUP || label < 0 ? rng_key(1, (uint64_t)i, (uint64_t)j, (uint64_t)label) : 0;
}

/* The number of labels that do not score too low. */
static int count_near(const Real *x, int n, Real least)
{
    int near = 0;
    for (int l = CHART_GROUP; l < n; l++) near += x[l] >= least;
    return near;
}

/* The next label in the order of scores. The first one is known; others are looked for if there are any. */
static bool next_label(KBest *b, List *l)
{
    long span = chart_span(b->c.n, l->i, l->j);
    const Real *x = b->labels + span * (b->n_labels - 1);
    const SpanBest *own = &b->c.s[span];
    Candidate best = { .score = (Real)-INFINITY }, none = no_phrase(b, l), first = { 0 };
    Real most = l->n ? l->item[l->n - 1].from.score : (Real)INFINITY;
    first.score = joint_own(&b->c, l->i, l->j, &first.which);
    if (none.score > best.score) consider(b, l, none, &best);
    if (own->proper_label < 0) consider(b, l, (Candidate){ .score = own->proper, .which = own->proper_label }, &best);
    if (first.which > CHART_GROUP) consider(b, l, first, &best);
    if (!l->n) {
        keep_near(b, l, best.score);
        l->others = count_near(x, b->n_labels - 1, l->least) > (first.which > CHART_GROUP);
    } else if (l->others)
        for (int label = CHART_GROUP + 1; label < b->n_labels; label++)
            if (x[label - 1] >= best.score && x[label - 1] <= most && x[label - 1] > (Real)-INFINITY)
                consider(b, l, (Candidate){ .score = x[label - 1], .which = label }, &best);
    l->done = !(best.score > (Real)-INFINITY) || best.score < l->least;
    return l->done || add_item(b, l, best, phrase_word(l->i, l->j, best.which));
}

/* ---- parts */

/* The lists of a candidate's parts; *second NULL: it has one. */
static bool find_parts(KBest *b, List *l, const Candidate *c, List **first, List **second)
{
    int i = l->i, j = l->j, k = l->kind == RAW || l->kind == DEP ? c->which : 0;
    if (!l->part[0] || l->part_of != k) {
        List *one = NULL, *other = NULL;
        if (l->kind == RAW) {
            one = l->h > k ? list_of(b, DEP, i, k, l->h) : list_of(b, DEP, k, j, l->h);
            other = l->h > k ? list_of(b, ANY, k, j, l->h) : list_of(b, ANY, i, k, l->h);
        } else if (l->kind == DEP) one = list_of(b, j - i == 1 && b->c.n > 1 ? ANY : ONE, i, j, k);
        else {
            one = list_of(b, RAW, i, j, l->h);
            other = list_of(b, LABELS, i, j, l->kind == ONE);
        }
        if (!one || (!other && l->kind != DEP)) return false;
        l->part[0] = one;
        l->part[1] = other;
        l->part_of = k;
    }
    *first = l->part[0];
    *second = l->part[1];
    return true;
}

static Real arc_score(const KBest *b, int dependent, int head)
{
    return b->c.t[(ptrdiff_t)dependent * b->c.width + head];
}

/* The score of item x of the first part and y of the second one, as the decoder adds it up. */
static Real candidate_score(const KBest *b, const List *l, int which, Real x, Real y)
{
    bool whole = l->j - l->i == b->c.n;
    if (l->kind == DEP) return x + arc_score(b, which, l->h);
    if (l->kind != ONE || !whole) return x + y;
    Real plus = joint_plus(&b->c, l->i, l->j);
    return x + plus - plus + y;
}

/* The first candidates, from the chart. */
static bool start(KBest *b, List *l)
{
    const JointChart *c = &b->c;
    int i = l->i, j = l->j, h = l->h;
    bool whole = j - i == c->n, good = true;
    l->started = true;
    if (l->kind == LABELS) return true;
    if (l->kind == RAW && j - i == 1) {
        l->done = true;
        return add_item(b, l, (Candidate){ .score = 0 }, 0);
    }
    Real one = whole ? 0 : joint_offset(c, i, j);
    if (l->kind == ANY || l->kind == ONE) {
        Real x = l->kind == ONE && whole ? joint_whole(c, h) : joint_any(c, i, j)[h] + (l->kind == ONE ? one : 0);
        keep_near(b, l, x);
        return push(b, l, (Candidate){ .score = x });
    }
    /* what is best is known beforehand */
    if (l->kind == RAW) keep_near(b, l, joint_any(c, i, j)[h] - joint_plus(c, i, j));
    for (int k = i + 1; k < j && l->kind == RAW && good; k++) {
        if (!joint_both(c, chart_span(c->n, i, k), chart_span(c->n, k, j))) continue;
        Real x = h > k ? joint_dep(c, i, k)[h] + joint_any(c, k, j)[h] : joint_any(c, i, k)[h] + joint_dep(c, k, j)[h];
        good = push(b, l, (Candidate){ .score = x, .which = k });
    }
    if (l->kind == DEP && !whole) keep_near(b, l, joint_dep(c, i, j)[h]);
    for (int k = i + 1; k <= j && l->kind == DEP && good; k++) {
        Real x = (whole ? joint_whole(c, k) : joint_any(c, i, j)[k] + one) + arc_score(b, k, h);
        good = push(b, l, (Candidate){ .score = x, .which = k });
    }
    return good;
}

/* ---- one step */

/* Does a part, if there is one, have item k or none from k on? If not, it is put on the stack. */
static bool has_item(KBest *b, int *depth, List *part, int k)
{
    if (!part || part->n > k || part->done) return true;
    b->stack[(*depth)++] = (Want){ part, k + 1 };
    return false;
}

static bool push_next(KBest *b, List *l, const List *first, const List *second, int a, int k)
{
    if (a >= first->n || (second && k >= second->n)) return true;
    Real y = second ? second->item[k].from.score : 0;
    Real score = candidate_score(b, l, l->last.which, first->item[a].from.score, y);
    return push(b, l, (Candidate){ score, l->last.which, a, k });
}

/* Pushes the successors of the last candidate (a, b): (a, b + 1), and (a + 1, 0) if b is 0. So no candidate is pushed
 * twice. */
static bool add_successors(KBest *b, List *l, int *depth)
{
    List *first, *second;
    int a = l->last.a, k = l->last.b;
    if (!find_parts(b, l, &l->last, &first, &second)) return false;
    if (k == 0 && !has_item(b, depth, first, a + 1)) return true;
    if (!has_item(b, depth, second, k + 1)) return true;
    l->pending = false;
    if (k == 0 && !push_next(b, l, first, second, a + 1, 0)) return false;
    return !second || push_next(b, l, first, second, a, k + 1);
}

static bool has_sum(const List *l, uint64_t sum)
{
    for (int k = 0; k < l->n; k++)
        if (l->item[k].sum == sum) return true;
    return false;
}

/* Takes the best candidate. */
static bool take_top(KBest *b, List *l, int *depth)
{
    List *first, *second;
    Candidate top = l->heap[0];
    if (!find_parts(b, l, &top, &first, &second)) return false;
    if (!has_item(b, depth, first, top.a) || !has_item(b, depth, second, top.b)) return true;
    drop_top(l);
    l->last = top;
    l->pending = true;
    uint64_t sum = first->item[top.a].sum + (second ? second->item[top.b].sum : 0);
    if (l->kind == DEP) sum += rng_key(2, (uint64_t)top.which, (uint64_t)l->h, 0);
    return (l->kind == RAW && has_sum(l, sum)) || add_item(b, l, top, sum);
}

/* Gives a list `count` items, or all that it has; what it needs of others comes first. false when out of memory. */
static bool fill(KBest *b, List *list, int count)
{
    int depth = 0;
    b->stack[depth++] = (Want){ list, count };
    while (depth > 0) {
        List *l = b->stack[depth - 1].list;
        bool good = true;
        if (l->n >= b->stack[depth - 1].count || l->done) depth--;
        else if (!l->started) good = start(b, l);
        else if (l->kind == LABELS) good = next_label(b, l);
        else if (l->pending) good = add_successors(b, l, &depth);
        else if (l->n_heap) good = take_top(b, l, &depth);
        else l->done = true;
        if (!good) return false;
    }
    return true;
}

/* ---- results */

/* Reads the tree off the lists: an item of ANY or ONE is a node. */
static bool backtrace(KBest *b, List *list, int k, JointTree *tree)
{
    int depth = 0;
    b->stack[depth++] = (Want){ list, k };
    while (depth > 0) {
        Want at = b->stack[--depth];
        List *l = at.list, *first, *second;
        if (l->kind == RAW && l->j - l->i == 1) continue;
        const Candidate *c = &l->item[at.count].from;
        if (!find_parts(b, l, c, &first, &second)) return false;
        if (l->kind == DEP) tree->heads[c->which - 1] = l->h;
        bool node = l->kind == ANY || l->kind == ONE;
        if (node) tree->nodes[tree->n_nodes++] = (Span){ l->i, l->j, second->item[c->b].from.which };
        bool left = l->kind == RAW && first->i == l->i; /* it is taken next: pre-order */
        if (l->kind == RAW && left) b->stack[depth++] = (Want){ second, c->b };
        b->stack[depth++] = (Want){ first, c->a };
        if (l->kind == RAW && !left) b->stack[depth++] = (Want){ second, c->b };
    }
    return true;
}

KBest *k_best_new(const SpanBest *best, const Real *labels, int n_labels, const Real *t, const unsigned char *state,
                  int n, Real reach, Arena *arena, Error *error)
{
    enum { SLOTS = 1024 };
    if (n < 1) {
        error_set(error, ERR_RANGE, "k_best: %d words", n);
        return NULL;
    }
    KBest *b = arena_calloc(arena, 1, sizeof *b);
    if (b) {
        *b = (KBest){ .labels = labels, .n_labels = n_labels, .reach = reach, .a = arena };
        b->stack = arena_alloc(arena, 4 * (size_t)n + 4, sizeof *b->stack);
        if (b->stack && grow_slots(b, SLOTS) && joint_chart_new(&b->c, best, t, state, n, arena) &&
            joint_chart_search(&b->c, t, reach, arena)) {
            if (b->c.bound) b->slack = 2 * b->c.bound->unit * b->c.bound->sizes;
            return b;
        }
    }
    error_set(error, ERR_NOMEM, "out of memory for a chart of %d words (%.0f MiB)", n, joint_decode_bytes(n) / 1048576);
    return NULL;
}

bool k_best_has_span(const KBest *best, long span) { return !best->c.kept || best->c.kept[span]; }

Status k_best_next(KBest *best, Arena *out, JointTree **tree, Error *error)
{
    int n = best->c.n, k = best->given;
    List *root = list_of(best, DEP, 0, n, 0);
    *tree = NULL;
    if (root && fill(best, root, k + 1)) {
        if (root->n <= k || root->item[k].from.score < root->item[0].from.score - best->reach) return OK;
        if ((*tree = joint_tree_new(n, out)) && backtrace(best, root, k, *tree)) {
            (*tree)->score = (double)root->item[k].from.score;
            best->given++;
            return OK;
        }
    }
    *tree = NULL;
    return error_set(error, ERR_NOMEM, "out of memory for the best trees of %d words", n);
}
