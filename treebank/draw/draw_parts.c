/* The nesting of phrases, and the levels of arcs */

#include "treebank/draw/draw_internal.h"

static int larger(int a, int b) { return a > b ? a : b; }

/* ---- phrases */

static bool nest_phrases(Drawing *d)
{
    const Sentence *sent = d->sent;
    size_t n = (size_t)sent->n_words, p = (size_t)sent->n_phrases;
    int *open = arena_alloc(d->a, p, sizeof *open), n_open = 0, next = 0;
    d->parent = arena_alloc(d->a, p, sizeof *d->parent);
    d->height = arena_alloc(d->a, p, sizeof *d->height);
    d->over = arena_alloc(d->a, n, sizeof *d->over);
    if (!open || !d->parent || !d->height || !d->over) return false;
    for (int w = 0; w < sent->n_words; w++) {
        while (n_open && sent->phrases[open[n_open - 1]].end <= w) n_open--;
        for (; d->tree && next < sent->n_phrases && sent->phrases[next].begin == w; next++) {
            d->parent[next] = n_open ? open[n_open - 1] : -1;
            open[n_open++] = next;
        }
        d->over[w] = n_open ? open[n_open - 1] : -1;
    }
    for (int k = 0; k < sent->n_phrases; k++) d->height[k] = 1;
    for (int k = d->tree ? sent->n_phrases : 0; k-- > 0;) { /* children before their parents */
        int up = d->parent[k];
        if (up >= 0) d->height[up] = larger(d->height[up], d->height[k] + 1);
        d->highest = larger(d->highest, d->height[k]);
    }
    return true;
}

/* ---- arcs */

/* The highest arc over each gap between words, in a segment tree: node 1 is the root, nodes 2k and 2k + 1 are the
 * children of node k, nodes n .. 2n - 1 are the gaps. */
typedef struct Heights {
    int n;
    int *top; /* [2n] maximum over the gaps of a node */
    int *all; /* [2n] lower bound for every gap of a node */
} Heights;

/* The maximum over gaps left .. right - 1. */
static int highest_over(const Heights *h, int left, int right)
{
    int top = 0;
    for (int l = left + h->n, r = right + h->n; l < r; l /= 2, r /= 2) {
        if (l % 2) top = larger(top, h->top[l++]);
        if (r % 2) top = larger(top, h->top[--r]);
    }
    for (int l = left + h->n, r = right - 1 + h->n; l > 0; l /= 2, r /= 2)
        top = larger(top, larger(h->all[l], h->all[r]));
    return top;
}

/* Raises gaps left .. right - 1 to `level`; none of them is higher. */
static void raise_to(Heights *h, int left, int right, int level)
{
    for (int l = left + h->n, r = right + h->n; l < r; l /= 2, r /= 2) {
        if (l % 2) h->top[l] = h->all[l] = level, l++;
        if (r % 2) --r, h->top[r] = h->all[r] = level;
    }
    for (int l = (left + h->n) / 2, r = (right - 1 + h->n) / 2; l > 0; l /= 2, r /= 2) {
        h->top[l] = larger(h->top[l], level);
        h->top[r] = larger(h->top[r], level);
    }
}

static int length_of(const DrawArc *x) { return x->from < 0 ? 0 : x->from < x->to ? x->to - x->from : x->from - x->to; }

static DrawArc make_arc(const Sentence *sent, int w)
{
    const char *type = sent->types && sent->types[w] ? sent->types[w] : "";
    return (DrawArc){ .from = sent->heads[w] - 1, .to = w, .type = sent->heads[w] || type[0] ? type : "root" };
}

/* Collects the arcs into d->arc by increasing length, those to the root first. */
static bool collect_arcs(Drawing *d)
{
    const Sentence *sent = d->sent;
    size_t n = (size_t)sent->n_words;
    DrawArc *arc = arena_alloc(d->a, n, sizeof *arc);
    int *count = arena_calloc(d->a, n + 1, sizeof *count), all = 0;
    d->arc = arena_alloc(d->a, n, sizeof *d->arc);
    if (!arc || !count || !d->arc) return false;
    for (int w = 0; w < sent->n_words; w++)
        if (sent->heads[w] != w + 1) arc[all++] = make_arc(sent, w); /* a word is not its own head */
    for (int k = 0; k < all; k++) count[length_of(&arc[k]) + 1]++;
    for (size_t l = 1; l <= n; l++) count[l] += count[l - 1]; /* count[l]: the first place of length l */
    for (int k = 0; k < all; k++) d->arc[count[length_of(&arc[k])]++] = arc[k];
    d->n_arcs = all;
    return true;
}

/* The height of each arc: one more than the highest arc below it; arcs to the root are above all others. */
static bool level_arcs(Drawing *d)
{
    size_t n = (size_t)d->sent->n_words;
    Heights h = { (int)n, arena_calloc(d->a, 2 * n, sizeof *h.top), arena_calloc(d->a, 2 * n, sizeof *h.all) };
    if (!h.top || !h.all) return false;
    for (int k = 0; k < d->n_arcs; k++) {
        DrawArc *x = &d->arc[k];
        int left = x->from < x->to ? x->from : x->to;
        if (x->from < 0) continue;
        x->level = highest_over(&h, left, left + length_of(x)) + 1;
        raise_to(&h, left, left + length_of(x), x->level);
        d->levels = larger(d->levels, x->level);
    }
    bool root = false;
    for (int k = 0; k < d->n_arcs; k++)
        if (d->arc[k].from < 0) d->arc[k].level = d->levels + 1, root = true;
    d->levels += root;
    return true;
}

/* Where arcs begin at their head: the longest ones of a side nearest to its middle, so that they do not cross. */
static bool offset_arcs(Drawing *d)
{
    size_t n = (size_t)d->sent->n_words;
    int *seen = arena_calloc(d->a, 2 * n, sizeof *seen);
    d->outgoing = arena_calloc(d->a, 2 * n, sizeof *d->outgoing);
    if (!seen || !d->outgoing) return false;
    for (int k = 0; k < d->n_arcs; k++)
        if (d->arc[k].from >= 0) d->outgoing[2 * d->arc[k].from + (d->arc[k].from < d->arc[k].to)]++;
    for (int k = 0; k < d->n_arcs; k++) {
        DrawArc *x = &d->arc[k];
        bool right = x->from < x->to;
        if (x->from < 0) continue;
        int side = 2 * x->from + right;
        x->offset = (d->outgoing[side] - seen[side]++) * (right ? 1 : -1);
    }
    return true;
}

int draw_offset(const Drawing *drawing, const DrawArc *arc, int room, int most)
{
    if (arc->from < 0) return 0;
    int n = drawing->outgoing[2 * arc->from + (arc->offset > 0)], step = room / (n + 1) < most ? room / (n + 1) : most;
    return step > 0 ? arc->offset * step : arc->offset * room / (n + 1);
}

bool draw_structure(Drawing *drawing)
{
    const Sentence *sent = drawing->sent;
    drawing->tree = drawing->o->tree && sent->has_tree;
    if (!nest_phrases(drawing)) return false;
    if (!drawing->o->arcs || !sent->heads || !sent->n_words) return true;
    return collect_arcs(drawing) && level_arcs(drawing) && offset_arcs(drawing);
}
