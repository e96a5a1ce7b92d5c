/* Finds matching and crossing brackets.
 *
 * EVALB compares all pairs: each gold bracket is matched with the first unmatched test bracket over its span with (if
 * LABELED) an equal label. If the comparisons need not be shown, the same result is computed in O(n log n): both sides
 * are sorted by span, and the test brackets of a span are in one queue per label. A test bracket is counted once if it
 * crosses any gold bracket, which two numbers for each place between words decide. */
#include <limits.h>
#include <stdlib.h>

#include "eval/evalb_internal.h"

/* By ascending start, descending end, then index. The brackets of a balanced line are in this order. */
static int by_span(const void *x, const void *y)
{
    const Live *a = x, *b = y;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    if (a->end != b->end) return a->end > b->end ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static bool same_span(const Live *a, const Live *b) { return a->start == b->start && a->end == b->end; }

bool evalb_mark_deleted(Run *run, Tree *tree)
{
    bool sorted = true;
    if (tree->cap_live < tree->n_brackets && !mem_reserve(tree->live, &tree->cap_live, tree->n_brackets))
        return evalb_out_of_memory(run);
    for (int k = 0; k < tree->n_brackets; k++) {
        Bracket *b = &tree->brackets[k];
        b->result = DELETED;
        if (b->start == b->end) continue;
        b->label = run->labels.items[b->label].cut;
        if (run->labels.items[b->label].span_deleted) continue;
        b->result = UNMATCHED;
        Live *live = &tree->live[tree->n_live];
        *live = (Live){ b->start, b->end, b->label, k, -1 };
        if (tree->n_live++ > 0 && by_span(live - 1, live) > 0) sorted = false;
    }
    if (!sorted && !(run->p->debug > 1)) qsort(tree->live, (size_t)tree->n_live, sizeof *tree->live, by_span);
    return true;
}

/* ---- matching */

static bool taken(const Run *r, const Live *b) { return r->test.brackets[b->index].result == MATCHED; }

/* The first unmatched test bracket of the span in the queue of a label, or n. */
static int first_waiting(Run *r, const Live *test, int n, int label)
{
    int *waiting = &r->labels.items[label].waiting;
    while (*waiting >= 0 && taken(r, &test[*waiting])) *waiting = test[*waiting].next;
    return *waiting < 0 ? n : *waiting;
}

/* The first of n test brackets of a span that matches a gold bracket with this label, or n. If the label has few
 * partners, their queues are inspected. Otherwise a cursor moves over the brackets, only once for the whole span,
 * because the brackets before it are matched or not equal. */
static int first_match(Run *r, const Live *test, int n, int label)
{
    enum { FEW = 8 };
    Label *l = &r->labels.items[label];
    const Pairs *equal = &r->labels.equal;
    int n_partners = evalb_pairs_count(equal, label);
    if (n_partners > FEW) {
        while (l->cursor < n &&
               (taken(r, &test[l->cursor]) || !evalb_labels_equal(&r->labels, label, test[l->cursor].label)))
            l->cursor++;
        return l->cursor;
    }
    int best = first_waiting(r, test, n, label);
    for (int k = 0; k < n_partners; k++) {
        int j = first_waiting(r, test, n, equal->with[equal->first[label] + k]);
        if (j < best) best = j;
    }
    return best;
}

/* Matches the only gold and the only test bracket of a span, the usual case. */
static int match_two(Run *r, const Live *gold, const Live *test)
{
    if (r->p->labeled && !evalb_labels_equal(&r->labels, gold->label, test->label)) return 0;
    r->gold.brackets[gold->index].result = r->test.brackets[test->index].result = MATCHED;
    return 1;
}

/* Matches all brackets of a span. */
static int match_span(Run *r, const Live *gold, int n_gold, Live *test, int n_test)
{
    int match = 0;
    Label *items = r->labels.items;
    for (int j = n_test; j-- > 0;) {
        test[j].next = items[test[j].label].waiting;
        items[test[j].label].waiting = j;
    }
    for (int i = 0; i < n_gold; i++) items[gold[i].label].cursor = 0;
    for (int i = 0; i < n_gold; i++) {
        int j = r->p->labeled ? first_match(r, test, n_test, gold[i].label) : i;
        if (j >= n_test) continue;
        r->gold.brackets[gold[i].index].result = r->test.brackets[test[j].index].result = MATCHED;
        match++;
    }
    for (int j = 0; j < n_test; j++) items[test[j].label].waiting = -1;
    return match;
}

/* Returns the number of matches. Adds to *found the number of test brackets whose span a gold bracket has. */
static int match_sorted(Run *r, int *found)
{
    const Live *g = r->gold.live, *g_end = g + r->gold.n_live;
    Live *t = r->test.live, *t_end = t + r->test.n_live;
    int match = 0;
    while (g < g_end && t < t_end) {
        if (!same_span(g, t)) {
            bool gold_first = g->start != t->start ? g->start < t->start : g->end > t->end;
            if (gold_first) g++;
            else t++;
            continue;
        }
        int n_g = 1, n_t = 1;
        while (g + n_g < g_end && same_span(g, g + n_g)) n_g++;
        while (t + n_t < t_end && same_span(t, t + n_t)) n_t++;
        match += n_g == 1 && n_t == 1 ? match_two(r, g, t) : match_span(r, g, n_g, t, n_t);
        *found += n_t;
        g += n_g;
        t += n_t;
    }
    return match;
}

/* ---- crossing */

/* For each place p between words (with p words before it), considers the gold brackets that have words on both sides of
 * p: begin[p] is their largest start, -1 if there are none, end[p] their smallest end, INT_MAX if there are none.
 * Brackets around p are on a stack, linked by `next`. with_end is scratch. All three are [g->n + 1]. */
static void innermost(Tree *g, int *begin, int *end, int *with_end)
{
    Live *live = g->live;
    int top = -1, k = 0;
    for (int p = 0; p <= g->n; p++) with_end[p] = -1;
    for (int p = 0; p <= g->n; p++) { /* the top of the stack has the largest start */
        while (top >= 0 && live[top].end <= p) top = live[top].next;
        begin[p] = top < 0 ? -1 : live[top].start;
        for (; k < g->n_live && live[k].start == p; k++) {
            if (live[k].end <= p) continue;
            live[k].next = top;
            top = k;
        }
    }
    for (k = 0; k < g->n_live; k++) {
        if (live[k].end <= live[k].start) continue;
        live[k].next = with_end[live[k].end];
        with_end[live[k].end] = k;
    }
    top = -1;
    for (int p = g->n; p >= 0; p--) { /* the top of the stack has the smallest end */
        while (top >= 0 && live[top].start >= p) top = live[top].next;
        end[p] = top < 0 ? INT_MAX : live[top].end;
        for (int next, b = with_end[p]; b >= 0; b = next) {
            next = live[b].next;
            live[b].next = top;
            top = b;
        }
    }
}

static bool count_crossing(Run *r, int *cross)
{
    int places = r->gold.n + 1;
    if (!mem_reserve(r->scratch, &r->cap_scratch, 3 * places)) return evalb_out_of_memory(r);
    int *begin = r->scratch, *end = begin + places, *with_end = end + places;
    innermost(&r->gold, begin, end, with_end);
    for (int j = 0; j < r->test.n_live; j++) {
        const Live *b = &r->test.live[j];
        if (b->end > b->start) *cross += end[b->start] < b->end || begin[b->end] > b->start;
    }
    return true;
}

/* ---- matches and crossings by comparing all pairs, as EVALB shows it with DEBUG 2 */

static bool crosses(const Bracket *a, const Bracket *b)
{
    return (a->start < b->start && b->start < a->end && a->end < b->end) ||
           (b->start < a->start && a->start < b->end && b->end < a->end);
}

static bool show_matches(Run *r, int *match)
{
    Tree *g = &r->gold, *t = &r->test;
    for (int j = 0; j < t->n_brackets; j++) t->brackets[j].reported = false;
    for (int i = 0; i < g->n_brackets; i++) {
        Bracket *a = &g->brackets[i];
        bool found = false;
        for (int j = 0; j < t->n_brackets && a->result != MATCHED; j++) {
            Bracket *b = &t->brackets[j];
            evalb_put_comparison(r, a, b);
            if (a->result == DELETED || b->result != UNMATCHED || a->start != b->start || a->end != b->end) continue;
            found = true;
            if (r->p->labeled && !evalb_labels_equal(&r->labels, a->label, b->label)) {
                evalb_put_found(r, "LABEL", g, a);
                b->reported = true;
                continue;
            }
            a->result = b->result = MATCHED;
            ++*match;
        }
        if (!found && a->result != DELETED) evalb_put_found(r, "BRACKET", g, a);
        if (!evalb_flush(r, false)) return false;
    }
    for (int j = 0; j < t->n_brackets; j++)
        if (t->brackets[j].result == UNMATCHED && !t->brackets[j].reported)
            evalb_put_found(r, "EXTRA", t, &t->brackets[j]);
    return true;
}

/* Counts the test brackets that cross a gold bracket. Shows the first one crossed, unless it was the last one shown. */
static bool show_crossing(Run *r, int *cross)
{
    const Tree *g = &r->gold, *t = &r->test;
    int last = -1;
    for (int j = 0; j < t->n_brackets; j++) {
        if (t->brackets[j].result == DELETED) continue;
        int i = 0;
        while (i < g->n_brackets && (g->brackets[i].result == DELETED || !crosses(&g->brackets[i], &t->brackets[j])))
            i++;
        if (i == g->n_brackets) continue;
        ++*cross;
        if (i != last) evalb_put_found(r, "CROSSING", g, &g->brackets[i]);
        last = i;
        if (!evalb_flush(r, false)) return false;
    }
    return true;
}

bool evalb_match_brackets(Run *run, Counts *counts)
{
    counts->gold = run->gold.n_live;
    counts->test = run->test.n_live;
    if (run->p->debug > 1) return show_matches(run, &counts->match) && show_crossing(run, &counts->cross);
    int found = 0;
    if (counts->gold == 0 || counts->test == 0) return true;
    counts->match = match_sorted(run, &found);
    bool none = run->gold.nested && found == run->test.n_live; /* gold brackets do not cross each other */
    return none || count_crossing(run, &counts->cross);
}
