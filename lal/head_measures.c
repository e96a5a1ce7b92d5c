/* lal/head_measures.c */
#include "lal/head_measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double weight(const HeadWeights *w, int i, int j) { return (double)w->a[i * w->row + j * w->column]; }

/* ---- global relevance */

Status global_relevance_init(GlobalRelevance *g, int heads, Error *e)
{
    *g = (GlobalRelevance){ .heads = heads, .sum = mem_calloc((size_t)heads, sizeof *g->sum) };
    return g->sum ? OK : error_set(e, ERR_NOMEM, "out of memory for %d heads", heads);
}

void global_relevance_fini(GlobalRelevance *g) { mem_free(g->sum); }

void global_relevance_add(GlobalRelevance *g, const uint8_t *allowed, int n_words, const HeadWeights *w)
{
    int m = n_words + 2, first = g->tokens ? 0 : 1, rows = g->tokens ? m : n_words;
    if (n_words == 0) return;
    g->sentences++;
    long pairs = 0;
    for (int i = first; i < first + rows; i++)
        for (int j = 0; j < m; j++) pairs += allowed[(ptrdiff_t)i * m + j];
    g->uniform += (double)pairs / m / rows;
    for (int h = 0; h < g->heads; h++) {
        double sum = 0;
        for (int i = first; i < first + rows; i++)
            for (int j = 0; j < m; j++)
                if (allowed[(ptrdiff_t)i * m + j]) sum += weight(&w[h], i, j);
        g->sum[h] += sum / rows;
    }
}

ThreeSigma three_sigma(const double *values, int n)
{
    ThreeSigma t = { 0, 0, 0 };
    for (int k = 0; k < n; k++) t.mean += values[k] / n;
    for (int k = 0; k < n; k++) t.deviation += (values[k] - t.mean) * (values[k] - t.mean) / n;
    t.deviation = sqrt(t.deviation);
    t.threshold = t.mean + 3 * t.deviation;
    return t;
}

/* ---- functions */

const char *const HEAD_RELATION_NAMES[HEAD_RELATIONS] = { "nsubj", "dobj", "amod", "advmod" };

/* Which of them a type is, or -1. */
static int relation_of(const char *type)
{
    if (strcmp(type, "obj") == 0) return 1;
    for (int r = 0; r < HEAD_RELATIONS; r++)
        if (strcmp(type, HEAD_RELATION_NAMES[r]) == 0) return r;
    return -1;
}

enum { FARTHEST = 64 };

void relation_offsets_add(RelationOffsets *o, const PatternSentence *s)
{
    for (int c = 1; c <= s->n; c++) {
        int r = relation_of(s->types[c - 1]), offset = s->heads[c - 1] - c;
        if (r < 0 || s->heads[c - 1] == 0 || abs(offset) > FARTHEST) continue;
        o->count[r][TO_HEAD][FARTHEST + offset]++;
        o->count[r][TO_DEPENDENT][FARTHEST - offset]++;
    }
}

int relation_offsets_best(const RelationOffsets *o, int relation, int direction)
{
    const long *count = o->count[relation][direction];
    int best = 0;
    for (int d = 1; d <= FARTHEST; d++)
        for (int sign = -1; sign <= 1; sign += 2)
            if (count[FARTHEST + sign * d] > count[FARTHEST + best]) best = sign * d;
    return best;
}

Status head_functions_init(HeadFunctions *f, int heads, Error *e)
{
    size_t n = (size_t)heads, lists = 2 + 2 * HEAD_RELATIONS + 2;
    *f = (HeadFunctions){ .heads = heads,
                          .confidence = mem_calloc(n, sizeof *f->confidence),
                          .memory = mem_calloc(n * lists, sizeof *f->memory),
                          .argmax = mem_alloc(n, sizeof *f->argmax) };
    if (!f->confidence || !f->memory || !f->argmax) {
        head_functions_fini(f);
        return error_set(e, ERR_NOMEM, "out of memory for %d heads", heads);
    }
    long *next = f->memory;
    for (int k = 0; k < 2; k++, next += n) f->positional[k] = next;
    for (int r = 0; r < HEAD_RELATIONS; r++)
        for (int k = 0; k < 2; k++, next += n) f->relation[r][k] = next;
    f->rare_one = next;
    f->rare_two = next + n;
    return OK;
}

void head_functions_fini(HeadFunctions *f)
{
    mem_free(f->confidence);
    mem_free(f->memory);
    mem_free(f->argmax);
    *f = (HeadFunctions){ .heads = 0 }; /* head_functions_init calls it when out of memory, and may be called again */
}

/* Whether word i (from 1) has a dependent of relation r; and whether word j is one. */
static bool has_dependent(const PatternSentence *s, int i, int r)
{
    for (int c = 1; c <= s->n; c++)
        if (s->heads[c - 1] == i && relation_of(s->types[c - 1]) == r) return true;
    return false;
}

static bool is_dependent(const PatternSentence *s, int i, int j, int r)
{
    return j >= 1 && j <= s->n && s->heads[j - 1] == i && relation_of(s->types[j - 1]) == r;
}

static void add_relations(HeadFunctions *f, const PatternSentence *s, int i, const int *argmax)
{
    int own = relation_of(s->types[i - 1]), up = s->heads[i - 1];
    if (own >= 0 && up > 0) {
        f->relation_queries[own][TO_HEAD]++;
        f->baseline[own][TO_HEAD] += i + f->offset[own][TO_HEAD] == up;
        for (int h = 0; h < f->heads; h++) f->relation[own][TO_HEAD][h] += argmax[h] == up;
    }
    for (int r = 0; r < HEAD_RELATIONS; r++) {
        if (!has_dependent(s, i, r)) continue;
        f->relation_queries[r][TO_DEPENDENT]++;
        f->baseline[r][TO_DEPENDENT] += is_dependent(s, i, i + f->offset[r][TO_DEPENDENT], r);
        for (int h = 0; h < f->heads; h++) f->relation[r][TO_DEPENDENT][h] += is_dependent(s, i, argmax[h], r);
    }
}

void head_functions_add(HeadFunctions *f, const PatternSentence *s, const int *counts, const HeadWeights *w)
{
    int first = 0, second = -1; /* the two rarest words, the earlier of equal ones */
    for (int k = 1; counts && k < s->n; k++) {
        if (counts[k] < counts[first]) {
            second = first;
            first = k;
        } else if (second < 0 || counts[k] < counts[second]) second = k;
    }
    bool rare = counts && s->n > 0 && counts[first] < f->rare_below;
    int *argmax = f->argmax;
    for (int i = 1; i <= s->n; i++) {
        for (int h = 0; h < f->heads; h++) {
            argmax[h] = 1;
            for (int j = 2; j <= s->n; j++)
                if (weight(&w[h], i, j) > weight(&w[h], i, argmax[h])) argmax[h] = j;
            f->confidence[h] += weight(&w[h], i, argmax[h]);
            if (i > 1) f->positional[0][h] += argmax[h] == i - 1;
            if (i < s->n) f->positional[1][h] += argmax[h] == i + 1;
            if (!rare) continue;
            int key = argmax[h] - 1;
            bool least = counts[key] == counts[first];
            f->rare_one[h] += least;
            f->rare_two[h] += least || key == second;
        }
        f->queries++;
        f->positional_queries[0] += i > 1;
        f->positional_queries[1] += i < s->n;
        f->rare_queries += rare;
        if (s->heads && s->types) add_relations(f, s, i, argmax);
    }
}
