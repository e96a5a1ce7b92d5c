/* Measures over recorded attention: the global relevance of patterns
 * (global_relevance.json) and the functions of heads (head_functions.json). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lal/head_measures.h"
#include "tests/golden/options.h"

enum { MOST = 64 }; /* sentences, heads */

/* Attention of recorded sentences. */
typedef struct Attention {
    int n, heads;
    const PatternSentence *s[MOST]; /* [n] */
    const int *counts[MOST];        /* [n][words] */
    HeadWeights w[MOST][MOST];      /* [n][heads] */
    Real *numbers[MOST];            /* [n], each [heads, m, m] */
} Attention;

static void read_attention(Attention *a, const cJSON *j, const Sentences *all)
{
    const cJSON *ids = recorded_item(j, "sentences"), *attention = recorded_item(j, "attention");
    a->n = recorded_length(ids);
    a->heads = recorded_length(cJSON_GetArrayItem(attention, 0));
    if (a->n > MOST || a->heads > MOST || a->n != recorded_length(attention))
        recorded_stop("found attention of %d sentences, expected %d", recorded_length(attention), a->n);
    for (int k = 0; k < a->n; k++) {
        int i = options_sentence_by_id(all, recorded_string(ids, k)), m = all->s[i].n + 2, n = a->heads * m * m;
        a->s[k] = &all->s[i];
        a->counts[k] = all->counts[i];
        FREED(free_pointer) double *v = recorded_exactly(cJSON_GetArrayItem(attention, k), n);
        a->numbers[k] = recorded_room((size_t)n, sizeof(Real));
        for (int x = 0; x < n; x++) a->numbers[k][x] = (Real)v[x];
        for (int h = 0; h < a->heads; h++) a->w[k][h] = (HeadWeights){ a->numbers[k] + (ptrdiff_t)h * m * m, m, 1 };
    }
}

static void check_global_relevance(const cJSON *p, const Attention *a)
{
    FREED(global_relevance_fini) GlobalRelevance g;
    Error e = { 0 };
    double gr[MOST], above[MOST];
    char name[100];
    if (global_relevance_init(&g, a->heads, &e) != OK) recorded_stop("%s", e.message);
    for (int k = 0; k < a->n; k++) {
        FREED(free_pointer) uint8_t *allowed = options_allowed(p->string, a->s[k]);
        global_relevance_add(&g, allowed, a->s[k]->n, a->w[k]);
    }
    for (int h = 0; h < a->heads; h++) gr[h] = g.sum[h] / (double)g.sentences;
    ThreeSigma t = three_sigma(gr, a->heads);
    int n = 0;
    for (int h = 0; h < a->heads; h++)
        if (gr[h] > t.threshold) above[n++] = h;
    snprintf(name, sizeof name, "global relevance of %s", p->string);
    recorded_compare(name, gr, a->heads, recorded_item(p, "gr"));
    const double found[3] = { t.mean, t.deviation, t.threshold };
    const double expected[3] = { recorded_number(p, "mean"), recorded_number(p, "std"),
                                 recorded_number(p, "threshold") };
    recorded_check("  mean, deviation, threshold", found, expected, 3);
    const cJSON *significant = recorded_item(p, "significant");
    if (n || recorded_length(significant)) recorded_compare("  heads above it", above, n, significant);
    else recorded_mark(significant);
}

static void check_shares(const char *what, const long *hits, long queries, int heads, const cJSON *expected)
{
    double share[MOST];
    for (int h = 0; h < heads; h++) share[h] = (double)hits[h] / (double)queries;
    recorded_compare(what, share, heads, expected);
}

/* "nsubj dep_to_head" */
static void relation_name(char *name, size_t size, int relation, int direction)
{
    static const char *const directions[] = { "dep_to_head", "head_to_dep" };
    snprintf(name, size, "%s %s", HEAD_RELATION_NAMES[relation], directions[direction]);
}

static void check_relations(const cJSON *syntactic, const HeadFunctions *f)
{
    char name[100];
    for (int r = 0; r < HEAD_RELATIONS; r++)
        for (int d = 0; d < 2; d++) {
            relation_name(name, sizeof name, r, d);
            const cJSON *x = recorded_item(syntactic, name);
            double queries = (double)f->relation_queries[r][d], baseline = (double)f->baseline[r][d] / queries;
            recorded_compare(name, &queries, 1, recorded_item(x, "queries"));
            if (queries == 0) { /* shares of nothing */
                recorded_leave_out(x, "accuracy");
                recorded_leave_out(x, "baseline");
                continue;
            }
            check_shares("  accuracy", f->relation[r][d], f->relation_queries[r][d], f->heads,
                         recorded_item(x, "accuracy"));
            recorded_compare("  baseline", &baseline, 1, recorded_item(x, "baseline"));
        }
}

/* Sums over the sentences of a, with the recorded offsets as the baseline. */
static void add_functions(HeadFunctions *f, const cJSON *j, const Attention *a, const Sentences *all)
{
    const cJSON *ids = recorded_item(j, "sentences");
    char name[100];
    f->rare_below = (int)recorded_number(j, "top500_count");
    for (int r = 0; r < HEAD_RELATIONS; r++)
        for (int d = 0; d < 2; d++) {
            relation_name(name, sizeof name, r, d);
            f->offset[r][d] = (int)recorded_number(recorded_item(recorded_item(j, "syntactic"), name), "offset");
        }
    if (recorded_length(ids) != a->n)
        recorded_stop("head_functions.json: expected the sentences of global_relevance.json");
    for (int k = 0; k < a->n; k++) {
        if (a->s[k] != &all->s[options_sentence_by_id(all, recorded_string(ids, k))])
            recorded_stop("head_functions.json: expected the sentences of global_relevance.json");
        head_functions_add(f, a->s[k], a->counts[k], a->w[k]);
    }
}

static void check_functions(const cJSON *j, const Attention *a, const Sentences *all)
{
    FREED(head_functions_fini) HeadFunctions f;
    Error e = { 0 };
    double confidence[MOST];
    if (head_functions_init(&f, a->heads, &e) != OK) recorded_stop("%s", e.message);
    add_functions(&f, j, a, all);
    for (int h = 0; h < a->heads; h++) confidence[h] = f.confidence[h] / (double)f.queries;
    recorded_compare("confidence", confidence, a->heads, recorded_item(j, "confidence"));
    for (int d = 0; d < 2; d++) {
        const cJSON *x = recorded_item(recorded_item(j, "positional"), d ? "1" : "-1");
        double queries = (double)f.positional_queries[d];
        check_shares("  share", f.positional[d], f.positional_queries[d], a->heads, recorded_item(x, "share"));
        recorded_compare(d ? "next word" : "previous word", &queries, 1, recorded_item(x, "queries"));
    }
    check_relations(recorded_item(j, "syntactic"), &f);
    const cJSON *rare = recorded_item(j, "rare");
    double queries = (double)f.rare_queries;
    recorded_compare("rare words", &queries, 1, recorded_item(rare, "queries"));
    check_shares("  the rarest", f.rare_one, f.rare_queries, a->heads, recorded_item(rare, "one"));
    check_shares("  the two rarest", f.rare_two, f.rare_queries, a->heads, recorded_item(rare, "two"));
}

void options_functions(const cJSON *global_relevance, const cJSON *functions, const Sentences *all)
{
    static Attention a;
    const cJSON *p;
    read_attention(&a, global_relevance, all);
    cJSON_ArrayForEach(p, recorded_item(global_relevance, "patterns")) check_global_relevance(p, &a);
    if (functions) check_functions(functions, &a, all);
    for (int k = 0; k < a.n; k++) free(a.numbers[k]);
}
