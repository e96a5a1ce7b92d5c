/* Heads of punctuation, as https://universaldependencies.org/u/dep/punct.html says: marks in pairs depend on the
 * head of what they enclose; a mark between two units on the one that depends on the other; the last mark on the
 * root. A mark is not the reason that an arc crosses another one. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

typedef struct Marks {
    const UdTree *t;
    int *left,
        *right; /* [n + 1] the outermost dependents of a word, without marks that have no head yet, or the word */
    int *before, *after; /* [n + 1] the nearest word that is no mark; 0: none */
    int *pair;           /* [n + 1] the other mark of a pair; 0: none */
    int *inner;          /* [n + 1] the opening mark of the innermost pair around a word; 0: none */
} Marks;

enum {
    CLIMB_MOST = 500, /* steps upwards */
    STEPS_MOST = 4,   /* the same, where arcs cross */
    PAIRS_MOST = 8,   /* open marks that a closing one may skip */
    FAR_AWAY = 500,   /* words between marks of a pair, or between a mark and its head, that are looked at */
    TRIES_MOST = 20   /* heads that are tried until no arc is crossed */
};

static bool is_punct(const UdTree *t, int w) { return t->w[w].relation == UD_PUNCT; }

/* The highest word that is reached from w upwards while heads are on the same side of mark p, and between low and
 * high. */
static int climb(const UdTree *t, int w, int p, int low, int high)
{
    for (int k = 0; k < CLIMB_MOST; k++) {
        int h = t->w[w].head;
        if (!h || (w < p) != (h < p) || h <= low || h >= high) break;
        w = h;
    }
    return w;
}

/* The only word between two marks whose head is not between them; 0: there are several. */
static int inside_head(const UdTree *t, int begin, int end)
{
    int head = 0;
    if (end - begin > FAR_AWAY) return 0;
    for (int w = begin + 1; w < end; w++) {
        if (is_punct(t, w) || (t->w[w].head > begin && t->w[w].head < end)) continue;
        if (head) return 0;
        head = w;
    }
    return head;
}

/* Is `low` the word `high` or below it, at most `most` steps? */
static bool is_below(const UdTree *t, int low, int high, int most)
{
    for (int k = 0; low && k < most; k++, low = t->w[low].head)
        if (low == high) return true;
    return false;
}

/* The head of a mark that has no pair; it stays in the pair around it. */
static int single(const Marks *m, int p)
{
    const UdTree *t = m->t;
    int low = m->inner[p], high = low ? m->pair[low] : t->n + 1;
    int before = m->before[p], after = m->after[p];
    int l = before > low ? climb(t, before, p, low, high) : 0;
    int r = after && after < high ? climb(t, after, p, low, high) : 0;
    if (!l || !r) return l ? l : r;
    int lh = t->w[l].head, rh = t->w[r].head;
    if (t->w[p].tag == TAG_STOP && !(lh > p)) return l;
    if (lh <= low || lh >= high) return r;
    if (rh <= low || rh >= high) return l;
    return rh < p && is_below(t, rh, l, CLIMB_MOST) ? r : l;
}

static int paired(const Marks *m, int p)
{
    const UdTree *t = m->t;
    int other = m->pair[p], low = p < other ? p : other, high = p < other ? other : p;
    int head = inside_head(t, low, high);
    if (head) return head;
    head = p < other ? m->after[p] : m->before[p];
    return head > low && head < high ? climb(t, head, p, low, high) : 0;
}

static const char *closing(const char *open)
{
    static const char *const pairs[][2] = { { "(", ")" }, { "[", "]" }, { "{", "}" }, { "``", "''" },
                                            { "“", "”" }, { "‘", "’" }, { "«", "»" } };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (strcmp(open, pairs[k][0]) == 0) return pairs[k][1];
    return NULL;
}

/* Finds pairs of brackets and quotation marks; straight quotes pair in turn. open [n + 1] is scratch. */
static void find_pairs(Marks *m, int *open)
{
    const UdTree *t = m->t;
    int depth = 0;
    for (int w = 1; w <= t->n; w++) {
        if (!is_punct(t, w)) continue;
        const char *s = t->w[w].form;
        int d = depth;
        for (; d && depth - d < PAIRS_MOST; d--) {
            const char *close = closing(t->w[open[d - 1]].form);
            if (strcmp(close ? close : t->w[open[d - 1]].form, s) == 0) break;
        }
        if (d && depth - d < PAIRS_MOST) {
            m->pair[w] = open[d - 1];
            m->pair[open[d - 1]] = w;
            depth = d - 1;
        } else if (closing(s) || strcmp(s, "\"") == 0 || (strcmp(s, "'") == 0 && ud_tag_among(t, w, TAG_OPEN_QUOTE)))
            open[depth++] = w;
    }
    depth = 0;
    for (int w = 1; w <= t->n; w++) {
        if (m->pair[w] && m->pair[w] < w && depth && open[depth - 1] == m->pair[w]) depth--;
        m->inner[w] = depth ? open[depth - 1] : 0;
        if (m->pair[w] > w) open[depth++] = w;
    }
}

static void find_neighbours(Marks *m)
{
    for (int w = 1, last = 0; w <= m->t->n; w++) {
        m->before[w] = last;
        if (!is_punct(m->t, w)) last = w;
    }
    for (int w = m->t->n, next = 0; w >= 1; w--) {
        m->after[w] = next;
        if (!is_punct(m->t, w)) next = w;
    }
}

static void note_kid(Marks *m, int w)
{
    int h = m->t->w[w].head;
    if (w < m->left[h]) m->left[h] = w;
    if (w > m->right[h]) m->right[h] = w;
}

static void find_outermost(Marks *m)
{
    const UdTree *t = m->t;
    for (int w = 0; w <= t->n; w++) m->left[w] = m->right[w] = w;
    for (int w = 1; w <= t->n; w++)
        if (!is_punct(t, w)) note_kid(m, w);
}

/* Is there a word between h and mark p that is not below h, or does an arc of such a word go across p? These are the
 * two ways in which UD's validator finds a mark to cross arcs. Needs the words between them only. */
static bool crosses(const Marks *m, int p, int h)
{
    const UdTree *t = m->t;
    int low = p < h ? p : h, high = p < h ? h : p;
    for (int w = low + 1; w < high; w++) {
        if (is_punct(t, w) && w > p) continue; /* its head is not known yet */
        int g = t->w[w].head;
        if (p < h ? g < p || m->left[w] < p : g > p || m->right[w] > p) return true;
        if ((g < low || g > high) && !is_below(t, g, h, STEPS_MOST)) return true;
    }
    return false;
}

/* In a tree with crossing arcs: the nearest word, upwards from a neighbour, whose arc to the mark crosses none. */
static int uncrossed(const Marks *m, int p, int head)
{
    const UdTree *t = m->t;
    for (int step = -1; step <= 1; step += 2) {
        int w = step < 0 ? m->before[p] : m->after[p];
        for (int k = 0; w && k < TRIES_MOST && w - p <= FAR_AWAY && p - w <= FAR_AWAY; k++, w = t->w[w].head)
            if (!crosses(m, p, w)) return w;
    }
    return head;
}

bool ud_punctuation(UdTree *tree)
{
    size_t n = (size_t)tree->n + 1;
    int *open = arena_alloc(tree->arena, n, sizeof *open);
    Marks m = { .t = tree,
                .before = arena_alloc(tree->arena, n, sizeof *m.before),
                .after = arena_alloc(tree->arena, n, sizeof *m.after),
                .left = arena_alloc(tree->arena, n, sizeof *m.left),
                .right = arena_alloc(tree->arena, n, sizeof *m.right),
                .pair = arena_calloc(tree->arena, n, sizeof *m.pair),
                .inner = arena_calloc(tree->arena, n, sizeof *m.inner) };
    if (!open || !m.before || !m.after || !m.left || !m.right || !m.pair || !m.inner) return false;
    find_outermost(&m);
    find_neighbours(&m);
    find_pairs(&m, open);
    for (int p = 1; p <= tree->n; p++) {
        if (!is_punct(tree, p) || !tree->w[p].head) continue;
        int head = m.pair[p] ? paired(&m, p) : 0;
        if (!head) head = single(&m, p);
        bool near = head - p <= FAR_AWAY && p - head <= FAR_AWAY;
        tree->w[p].head =
            head && !(near && crosses(&m, p, head)) ? head : uncrossed(&m, p, head ? head : tree->w[p].head);
        note_kid(&m, p);
    }
    return true;
}
