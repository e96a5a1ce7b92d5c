/* Train_decode_parity DIR: the margin decoder on recorded charts: augmented score, delta, labelled nodes, gold score,
 * hinge. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cky/decode.h"
#include "tests/support/fixture.h"

/* Labelled nodes of two pre-order lists are the same. */
static bool same_labelled(const Span *a, const int32_t *b, int n)
{
    int i = 0, j = 0;
    for (;;) {
        while (i < n && a[i].label == CHART_EMPTY) i++;
        while (j < n && b[3 * j + 2] == CHART_EMPTY) j++;
        if (i == n || j == n) return i == n && j == n;
        if (a[i].begin != b[3 * j] || a[i].end != b[3 * j + 1] || a[i].label != b[3 * j + 2]) return false;
        i++;
        j++;
    }
}

static double difference(double got, double want) { return fabs(got - want) / (fabs(want) > 1 ? fabs(want) : 1); }

static bool check(const SafeTensors *st, const cJSON *json, const char *name)
{
    (void)json;
    const StTensor *shape = safetensors_find(st, "in/label_scores");
    size_t n_gold = 0;
    FREED(free_pointer)
    Real *s = fixture_reals(st, "in/label_scores", NULL), *augmented = fixture_reals(st, "out/augmented_score", NULL);
    FREED(free_pointer)
    Real *delta = fixture_reals(st, "out/delta", NULL), *gold_score = fixture_reals(st, "out/gold_score", NULL),
         *hinge = fixture_reals(st, "out/hinge", NULL);
    FREED(free_pointer)
    int32_t *gold = fixture_ints(st, "gold/nodes", &n_gold), *nodes = fixture_ints(st, "out/nodes", NULL),
            *gold_nodes = fixture_ints(st, "out/gold_nodes", NULL);
    MADE(Arena, arena_init, arena_fini, a, 1 << 20);
    bool ok = shape && s && augmented && delta && gold_score && hinge && gold && nodes && gold_nodes;
    double worst = NAN;
    if (ok) {
        int n = (int)shape->dim[0] - 1, labels = (int)shape->dim[2], d;
        Real *scores = arena_alloc(&a, (size_t)chart_size(n) * (size_t)(labels - 1), sizeof *scores);
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j <= n; j++)
                memcpy(scores + chart_span(n, i, j) * (labels - 1), s + ((ptrdiff_t)i * (n + 1) + j) * labels + 1,
                       (size_t)(labels - 1) * sizeof *s);
        Span *g = arena_alloc(&a, n_gold / 3 + 1, sizeof *g);
        double own_gold = 0, aug;
        for (size_t k = 0; k < n_gold / 3; k++) {
            g[k] = (Span){ gold[3 * k], gold[3 * k + 1], gold[3 * k + 2] };
            own_gold += (double)scores[chart_span(n, g[k].begin, g[k].end) * (labels - 1) + g[k].label - 1];
        }
        GoldTree tree = { n, (int)(n_gold / 3), g };
        Error e = { 0 };
        Span *got = margin_decode(scores, labels, &tree, &a, &a, &aug, &d, &e);
        worst = fmax(fmax(difference(aug, (double)*augmented), difference(own_gold, (double)*gold_score)),
                     difference(aug - own_gold, (double)*hinge));
        ok = got && d == (int)*delta && worst <= 1e-4 && same_labelled(got, nodes, 2 * n - 1);
    }
    printf("%-6s %-32s scores %.1e\n", ok ? "ok" : "FAILED", name, worst);
    return ok;
}

int main(int argc, char **argv) { return fixture_check_all(argc, argv, check); }
