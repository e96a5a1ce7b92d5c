/* treebank/ud_punct.c
 * Heads of punctuation, as https://universaldependencies.org/u/dep/punct.html says: marks in pairs depend on the head of
 * what they enclose; a mark between two units on the one that depends on the other; the last mark on the root. No arc of
 * a mark crosses another arc. */
#include "treebank/ud_internal.h"

#include <string.h>

typedef struct Marks {
    UdTree *t;
    int *opened_by; /* [n + 1] the mark before a unit that depends on it; 0: none */
    int *pair;      /* [n + 1] the other mark of a pair; 0: none */
} Marks;

static bool is_punct(const UdTree *t, int w) { return t->w[w].relation == UD_PUNCT; }

/* The highest word that is reached from w upwards while heads are on the same side of mark p (left: before it). */
static int climb(const Marks *m, int w, int p, bool left)
{
    const UdTree *t = m->t;
    for (;;) {
        int h = t->w[w].head;
        if (!h || (left ? h > p : h < p)) return w;
        if (left && m->opened_by[w] && strcmp(t->w[m->opened_by[w]].lower, t->w[p].lower) == 0) return w;
        w = h;
    }
}

static int next_word(const UdTree *t, int w, int step)
{
    for (w += step; w >= 1 && w <= t->n; w += step)
        if (!is_punct(t, w)) return w;
    return 0;
}

/* The head of the words between two marks: the one word whose head is outside; 0: several. */
static int inside_head(const UdTree *t, int begin, int end)
{
    int head = 0;
    for (int w = begin + 1; w < end; w++) {
        if (is_punct(t, w) || (t->w[w].head > begin && t->w[w].head < end)) continue;
        if (head) return 0;
        head = w;
    }
    return head;
}

/* Is `low` below `high`? */
static bool below(const UdTree *t, int low, int high)
{
    for (int w = low; w; w = t->w[w].head)
        if (w == high) return true;
    return false;
}

static int head_of_mark(const Marks *m, int p)
{
    const UdTree *t = m->t;
    int before = next_word(t, p, -1), after = next_word(t, p, 1);
    if (!before && !after) return 0;
    int l = before ? climb(m, before, p, true) : 0, r = after ? climb(m, after, p, false) : 0;
    if (!l) return r;
    if (!r) return l;
    if (m->opened_by[l] && !(m->opened_by[l] == 0) && t->w[l].head && t->w[l].head < p &&
        strcmp(t->w[m->opened_by[l]].lower, t->w[p].lower) == 0)
        return l;
    if (!t->w[r].head) return l;
    if (!t->w[l].head) return r;
    return t->w[r].head < p && below(t, t->w[r].head, l) ? r : l;
}

static const char *closing(const char *open)
{
    static const char *const pairs[][2] = { { "(", ")" },   { "[", "]" }, { "{", "}" },
                                            { "``", "''" }, { "“", "”" }, { "«", "»" } };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (strcmp(open, pairs[k][0]) == 0) return pairs[k][1];
    return NULL;
}

/* Finds pairs of brackets and quotation marks. Straight quotes pair in turn. */
static void find_pairs(Marks *m, int *open)
{
    const UdTree *t = m->t;
    int depth = 0;
    for (int w = 1; w <= t->n; w++) {
        if (!is_punct(t, w)) continue;
        const char *s = t->w[w].form;
        int d = depth;
        while (d && depth - d < 8) {
            const char *close = closing(t->w[open[d - 1]].form);
            if (close ? strcmp(close, s) == 0 : strcmp(t->w[open[d - 1]].form, s) == 0) break;
            d--;
        }
        if (d && depth - d < 8) {
            m->pair[w] = open[d - 1];
            m->pair[open[d - 1]] = w;
            depth = d - 1;
        } else if (closing(s) || strcmp(s, "\"") == 0) open[depth++] = w;
    }
}

void ud_punctuation(UdTree *t)
{
    size_t n = (size_t)t->n + 1;
    Marks m = { t, arena_calloc(t->arena, n, sizeof *m.opened_by), arena_calloc(t->arena, n, sizeof *m.pair) };
    int *open = arena_alloc(t->arena, n, sizeof *open);
    if (!m.opened_by || !m.pair || !open) return;
    find_pairs(&m, open);
    for (int p = 1; p <= t->n; p++) {
        if (!is_punct(t, p) || !t->w[p].head) continue;
        int head = 0;
        if (m.pair[p]) head = inside_head(t, p < m.pair[p] ? p : m.pair[p], p < m.pair[p] ? m.pair[p] : p);
        if (!head) head = head_of_mark(&m, p);
        if (!head) continue;
        t->w[p].head = head;
        if (head > p && !m.opened_by[head]) m.opened_by[head] = p;
    }
}
