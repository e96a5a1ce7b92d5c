/* Each function is a share: how many queries have their largest weight where the function says;
 * beside it stands what always looking at the most frequent offset would get. */
#include "lal/head_measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double weight(const HeadWeights *w, int i, int j) { return (double)w->a[i * w->row + j * w->column]; }

/* ---- global relevance */

Status global_relevance_init(GlobalRelevance *relevance, int heads, Error *error)
{
    *relevance = (GlobalRelevance){ .heads = heads, .sum = mem_calloc((size_t)heads, sizeof *relevance->sum) };
    return relevance->sum ? OK : error_set(error, ERR_NOMEM, "out of memory for %d heads", heads);
}

void global_relevance_fini(GlobalRelevance *relevance) { mem_free(relevance->sum); }

void global_relevance_add(GlobalRelevance *relevance, const uint8_t *allowed, int n_words, const HeadWeights *weights)
{
    int m = n_words + 2, first = relevance->tokens ? 0 : 1, rows = relevance->tokens ? m : n_words;
    if (n_words == 0) return;
    relevance->sentences++;
    long pairs = 0;
    for (int i = first; i < first + rows; i++)
        for (int j = 0; j < m; j++) pairs += allowed[(ptrdiff_t)i * m + j];
    relevance->uniform += (double)pairs / m / rows;
    for (int h = 0; h < relevance->heads; h++) {
        double sum = 0;
        for (int i = first; i < first + rows; i++)
            for (int j = 0; j < m; j++)
                if (allowed[(ptrdiff_t)i * m + j]) sum += weight(&weights[h], i, j);
        relevance->sum[h] += sum / rows;
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

/* ---- two heads */

static double entropy_part(double p) { return p > 0 ? -p * log2(p) : 0; }

double head_divergence(const HeadWeights *p, const HeadWeights *q, int n_words)
{
    int m = n_words + 2, rows = p->row || (q && q->row) ? n_words : n_words > 0; /* all rows of label heads are one */
    double sum = 0;
    for (int i = 1; i <= rows; i++)
        for (int j = 0; j < m; j++) {
            double a = weight(p, i, j), b = q ? weight(q, i, j) : 1. / m;
            sum += entropy_part((a + b) / 2) - (entropy_part(a) + entropy_part(b)) / 2;
        }
    return rows ? sum / rows : 0;
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

void relation_offsets_add(RelationOffsets *offsets, const PatternSentence *sentence)
{
    for (int c = 1; c <= sentence->n; c++) {
        int r = relation_of(sentence->types[c - 1]), offset = sentence->heads[c - 1] - c;
        if (r < 0 || sentence->heads[c - 1] == 0 || abs(offset) > FARTHEST) continue;
        offsets->count[r][TO_HEAD][FARTHEST + offset]++;
        offsets->count[r][TO_DEPENDENT][FARTHEST - offset]++;
    }
}

int relation_offsets_best(const RelationOffsets *offsets, int relation, int direction)
{
    const long *count = offsets->count[relation][direction];
    int best = 0;
    for (int d = 1; d <= FARTHEST; d++)
        for (int sign = -1; sign <= 1; sign += 2)
            if (count[FARTHEST + sign * d] > count[FARTHEST + best]) best = sign * d;
    return best;
}

long relation_offsets_distances(const RelationOffsets *offsets, int relation, long count[RELATION_DISTANCES])
{
    long arcs = 0;
    for (int k = 0; k < RELATION_DISTANCES; k++) count[k] = 0;
    for (int offset = -FARTHEST; offset <= FARTHEST; offset++) {
        long n = offsets->count[relation][TO_DEPENDENT][FARTHEST + offset];
        int at = offset + HEAD_OFFSET_MOST + 1;
        count[at < 0 ? 0 : at < RELATION_DISTANCES ? at : RELATION_DISTANCES - 1] += n;
        arcs += n;
    }
    return arcs;
}

const int HEAD_OFFSET[HEAD_OFFSETS] = { -1, 1, 0, -2, 2, -3, 3, -4, 4, -5, 5 };
const char *const HEAD_OFFSET_NAMES[HEAD_OFFSETS_NAMED] = { "previous", "next", "self", "previous_but_one",
                                                            "next_but_one" };

Status head_functions_init(HeadFunctions *functions, int heads, Error *error)
{
    size_t n = (size_t)heads, lists = HEAD_OFFSETS + 2 * HEAD_RELATIONS + 3;
    *functions = (HeadFunctions){ .heads = heads,
                                  .confidence = mem_calloc(n, sizeof *functions->confidence),
                                  .memory = mem_calloc(n * lists, sizeof *functions->memory),
                                  .argmax = mem_alloc(n, sizeof *functions->argmax) };
    if (!functions->confidence || !functions->memory || !functions->argmax) {
        head_functions_fini(functions);
        return error_set(error, ERR_NOMEM, "out of memory for %d heads", heads);
    }
    long *next = functions->memory;
    for (int k = 0; k < HEAD_OFFSETS; k++, next += n) functions->positional[k] = next;
    for (int r = 0; r < HEAD_RELATIONS; r++)
        for (int k = 0; k < 2; k++, next += n) functions->relation[r][k] = next;
    functions->rare_one = next;
    functions->rare_two = next + n;
    functions->start = next + 2 * n;
    return OK;
}

void head_functions_fini(HeadFunctions *functions)
{
    mem_free_each(functions->confidence, functions->memory, functions->argmax);
    *functions =
        (HeadFunctions){ .heads = 0 }; /* head_functions_init calls it when out of memory, and may be called again */
}

double head_baseline(const HeadFunctions *functions, int relation, int direction)
{
    long n = functions->relation_queries[relation][direction];
    return n && functions->offset[relation][direction] ? (double)functions->baseline[relation][direction] / (double)n
                                                       : NAN;
}

/* The unit with the largest weight of row i, of keys 1 .. last. */
static int largest_unit(const HeadWeights *w, int i, int last)
{
    int best = 1;
    for (int j = 2; j <= last; j++)
        if (weight(w, i, j) > weight(w, i, best)) best = j;
    return best;
}

/* The two rarest units, the earlier of equal ones; second -1: there is one alone. */
typedef struct Rarest {
    bool counted; /* is the rarest one rare enough for the sentence to count? */
    int first, second;
} Rarest;

static Rarest rarest_of(const HeadFunctions *f, const HeadUnits *u)
{
    const int *counts = u->counts;
    Rarest r = { false, 0, -1 };
    for (int k = 1; counts && k < u->n_keys; k++) {
        if (counts[k] < counts[r.first]) {
            r.second = r.first;
            r.first = k;
        } else if (r.second < 0 || counts[k] < counts[r.second]) r.second = k;
    }
    r.counted = counts && u->n_keys > 0 && counts[r.first] < f->rare_below;
    return r;
}

static void add_query(HeadFunctions *f, const HeadUnits *u, const Rarest *rare, int i, int last, const HeadWeights *w)
{
    int stop = u->n_keys + 1;
    for (int h = 0; h < f->heads; h++) {
        int best = largest_unit(&w[h], i, last);
        double most = weight(&w[h], i, best), start = weight(&w[h], i, 0);
        f->confidence[h] += most;
        f->start[h] += start > most && (u->causal || start > weight(&w[h], i, stop));
        for (int k = 0; k < HEAD_OFFSETS; k++) f->positional[k][h] += best == i + u->shift + HEAD_OFFSET[k];
        if (!rare->counted) continue;
        bool least = u->counts[best - 1] == u->counts[rare->first];
        f->rare_one[h] += least;
        f->rare_two[h] += least || best - 1 == rare->second;
    }
    f->queries++;
    f->rare_queries += rare->counted;
    for (int k = 0; k < HEAD_OFFSETS; k++) {
        int key = i + u->shift + HEAD_OFFSET[k];
        f->positional_queries[k] += key >= 1 && key <= last;
    }
}

void head_functions_add_units(HeadFunctions *functions, const HeadUnits *units, const HeadWeights *weights)
{
    const Rarest rare = rarest_of(functions, units);
    for (int i = units->first; i < units->first + units->n_queries; i++) {
        int last = units->causal && i < units->n_keys ? i : units->n_keys;
        if (last >= 1) add_query(functions, units, &rare, i, last, weights);
    }
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

void head_functions_add_relations(HeadFunctions *functions, const PatternSentence *sentence, const HeadWeights *weights)
{
    for (int i = 1; i <= sentence->n; i++) {
        for (int h = 0; h < functions->heads; h++) functions->argmax[h] = largest_unit(&weights[h], i, sentence->n);
        add_relations(functions, sentence, i, functions->argmax);
    }
}

void head_functions_add(HeadFunctions *functions, const PatternSentence *sentence, const int *counts,
                        const HeadWeights *weights)
{
    const HeadUnits units = { .first = 1, .n_queries = sentence->n, .n_keys = sentence->n, .counts = counts };
    head_functions_add_units(functions, &units, weights);
    if (sentence->heads && sentence->types) head_functions_add_relations(functions, sentence, weights);
}
