/* A table for short sequences; for long ones a search that keeps, for each length, the pair that
 * ends earliest. */
#include "eval/subsequence.h"

#include <stdint.h>

#include "base/arena.h"

/* ---- short sequences */

/* length [n + 1, m + 1]: of the longest common subsequence of x from i on and y from j on. */
static bool by_table(const int *x, int n, const int *y, int m, int *match)
{
    int width = m + 1, *length = mem_calloc((size_t)(n + 1) * (size_t)width, sizeof *length);
    if (!length) return false;
    for (int i = n - 1; i >= 0; i--)
        for (int j = m - 1; j >= 0; j--) {
            int down = length[(i + 1) * width + j], right = length[i * width + j + 1];
            length[i * width + j] = x[i] == y[j] ? 1 + length[(i + 1) * width + j + 1] : down > right ? down : right;
        }
    for (int i = 0, j = 0; i < n && j < m;) {
        if (x[i] == y[j]) match[i++] = j++;
        else if (length[i * width + j] == length[(i + 1) * width + j]) i++;
        else j++;
    }
    mem_free(length);
    return true;
}

/* ---- long ones */

typedef struct Pair {
    int i, j, before; /* places in x and y; the previous pair of the subsequence, -1: none */
} Pair;

typedef struct Search {
    const int *x, *y;
    int n, m;
    int *first; /* [values + 1] the places of number v in y are place[first[v]] .. place[first[v + 1] - 1], ascending */
    int *place; /* [m] */
    Pair *pair;
    int n_pairs, cap;
    int *end; /* [length] end[k]: of the subsequences of k + 1 pairs, the last pair that is earliest in y */
    int length;
} Search;

/* Sorts the places of y by number (counting sort). */
static void list_places(Search *s, int values)
{
    for (int j = 0; j < s->m; j++) s->first[s->y[j] + 1]++;
    for (int v = 0; v < values; v++) s->first[v + 1] += s->first[v];
    for (int j = s->m; j-- > 0;) s->place[--s->first[s->y[j] + 1]] = j; /* moves the start of v to first[v + 1] ... */
    for (int v = 0; v < values; v++) s->first[v] = s->first[v + 1];     /* ... and back to first[v] */
    s->first[values] = s->m;
}

/* The range of `place` considered for x[i]: at most SUBSEQUENCE_PAIRS, around the proportional position of i. */
static void near_places(const Search *s, int i, int *from, int *to)
{
    int begin = s->first[s->x[i]], end = s->first[s->x[i] + 1], low = begin, high = end;
    int64_t wanted = (int64_t)i * s->m / s->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->place[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    *from = low - SUBSEQUENCE_PAIRS / 2 > begin ? low - SUBSEQUENCE_PAIRS / 2 : begin;
    *to = end - *from > SUBSEQUENCE_PAIRS ? *from + SUBSEQUENCE_PAIRS : end;
    if (*to - *from < SUBSEQUENCE_PAIRS) *from = *to - begin > SUBSEQUENCE_PAIRS ? *to - SUBSEQUENCE_PAIRS : begin;
}

/* The number of lengths whose subsequence ends before place j of y. */
static int ends_before(const Search *s, int j)
{
    int low = 0, high = s->length;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->pair[s->end[middle]].j < j) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Visits x in order, and the places of each number from right to left, so that no pair of one x[i] extends another. */
static bool search(Search *s)
{
    for (int i = 0, from, to; i < s->n; i++) {
        near_places(s, i, &from, &to);
        if (!mem_reserve(s->pair, &s->cap, s->n_pairs + to - from)) return false;
        for (int k = to; k-- > from;) {
            int j = s->place[k], at = ends_before(s, j);
            if (at < s->length && s->pair[s->end[at]].j == j) continue; /* no improvement */
            s->pair[s->n_pairs] = (Pair){ i, j, at ? s->end[at - 1] : -1 };
            s->end[at] = s->n_pairs++;
            if (at == s->length) s->length++;
        }
    }
    return true;
}

static bool by_pairs(const int *x, int n, const int *y, int m, int values, int *match)
{
    size_t most = (size_t)(n < m ? n : m);
    Search s = { .x = x, .y = y, .n = n, .m = m };
    s.first = mem_calloc((size_t)values + 1, sizeof *s.first);
    s.place = mem_alloc((size_t)m, sizeof *s.place);
    s.end = mem_alloc(most, sizeof *s.end);
    bool ok = s.first && s.place && s.end;
    if (ok) list_places(&s, values);
    ok = ok && search(&s);
    for (int k = ok && s.length ? s.end[s.length - 1] : -1; k >= 0; k = s.pair[k].before)
        match[s.pair[k].i] = s.pair[k].j;
    mem_free_each(s.first, s.place, s.pair, s.end);
    return ok;
}

bool subsequence_match(const int *x, int n, const int *y, int m, int values, int *match)
{
    for (int i = 0; i < n; i++) match[i] = -1;
    if ((int64_t)n * m <= SUBSEQUENCE_TABLE) return by_table(x, n, y, m, match);
    int begin = 0;
    while (begin < n && begin < m && x[begin] == y[begin]) match[begin] = begin, begin++;
    while (n > begin && m > begin && x[n - 1] == y[m - 1]) match[--n] = --m;
    if (n == begin || m == begin) return true;
    bool ok = by_pairs(x + begin, n - begin, y + begin, m - begin, values, match + begin);
    for (int i = begin; i < n; i++)
        if (match[i] >= 0) match[i] += begin;
    return ok;
}
