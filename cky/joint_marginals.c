/* Labels of spans, around the sums over trees of joint_sums.h; and the sum over one result. */
#include "cky/joint_marginals.h"

#include <math.h>
#include <string.h>

#include "cky/joint_sums.h"
#include "tensor/cpu/level.h"
#include "tensor/cpu/level/sum_product.h"

/* What a span may be; logarithms are of sums of exp(score). */
typedef struct Labels {
    double *label, *head, *dependent; /* [chart_size] as JointWeights */
    double *share;                    /* [chart_size] of the labels, <H> included, in head */
    double *sum;                      /* [chart_size] what weights of labels add to */
} Labels;

/* Sets weight [n_labels - 1] to what labels weigh and *sum to how much together; returns the logarithm of the sum over
 * labels. */
static double weigh_labels(const JointScores *s, int i, int j, double *weight, double *sum)
{
    int labels = s->n_labels - 1, first = joint_first_label(s->n, i, j) - 1;
    double most;
    for (int l = 0; l < first; l++) weight[l] = 0;
    *sum = cpu_level()->sum_exponentials(weight + first, s->labels + chart_span(s->n, i, j) * labels + first,
                                         s->span_weight, labels - first, &most);
    return *sum > 0 ? s->span_weight * most + log(*sum) : -INFINITY;
}

/* log(exp(x) + 1) */
static double log_with_empty(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }

static void weigh_span(const JointScores *s, int i, int j, double *weight, const Labels *to)
{
    long k = chart_span(s->n, i, j);
    double labels = weigh_labels(s, i, j, weight, &to->sum[k]), head = labels;
    if (joint_may_be_empty(s->state, s->n, i, j, false)) head = log_with_empty(labels);
    double dependent = joint_may_be_empty(s->state, s->n, i, j, true) ? head : labels;
    if (joint_state(s->state, s->n, i, j) == SPAN_NONE) head = dependent = -INFINITY;
    to->label[k] = labels;
    to->head[k] = head;
    to->dependent[k] = dependent;
    to->share[k] = head > -INFINITY ? exp(labels - head) : 0;
}

/* weight: [chart_size, n_labels - 1], or with `one` [n_labels - 1] for all spans in turn */
static bool weigh_spans(const JointScores *s, double *weight, bool one, Labels *to, Arena *a)
{
    size_t spans = (size_t)chart_size(s->n);
    double *all = arena_alloc(a, 5 * spans, sizeof *all);
    if (!all || !weight) return false;
    *to = (Labels){ all, all + spans, all + 2 * spans, all + 3 * spans, all + 4 * spans };
    for (int i = 0; i < s->n; i++)
        for (int j = i + 1; j <= s->n; j++)
            weigh_span(s, i, j, one ? weight : weight + chart_span(s->n, i, j) * (s->n_labels - 1), to);
    return true;
}

/* Turns weights of labels into probabilities. */
static void finish_span(const JointScores *s, int i, int j, const Labels *x, const JointSums *sums, JointMarginals *m)
{
    long k = chart_span(s->n, i, j);
    int labels = s->n_labels - 1;
    bool may_be_empty = joint_may_be_empty(s->state, s->n, i, j, true);
    double labelled = sums->as_head[k] * x->share[k] + sums->as_dependent[k] * (may_be_empty ? x->share[k] : 1);
    m->node[k] = sums->as_head[k] + sums->as_dependent[k];
    if (x->sum[k] > 0) labelled /= x->sum[k];
    for (int l = 0; l < labels; l++) m->label[k * labels + l] *= labelled;
}

double joint_marginals_bytes(int n)
{
    double tiles = joint_sums_in_tiles_bytes(n), exact = joint_sums_exact_bytes(n);
    return fmax(tiles, exact) + 7.0 * (double)chart_size(n) * (double)sizeof(double);
}

/* Not NaN, not +INFINITY. */
static bool in_range(const Real *x, size_t n, double weight)
{
    const Real most = (Real)(JOINT_SCORE_MOST / weight);
    int good = 1;
    for (size_t k = 0; k < n; k++) good &= (x[k] <= most) & ((x[k] >= -most) | (x[k] == (Real)-INFINITY));
    return good;
}

static Status check_scores(const JointScores *s, Error *e)
{
    size_t labels = (size_t)chart_size(s->n) * (size_t)(s->n_labels - 1), width = (size_t)s->n + 1;
    if (in_range(s->labels, labels, s->span_weight) && in_range(s->arcs + width, width * (width - 1), s->arc_weight))
        return OK;
    return error_set(e, ERR_RANGE, "probabilities of trees: scores are above %g", JOINT_SCORE_MOST);
}

static Status no_memory(int n, Error *e)
{
    return error_set(e, ERR_NOMEM, "out of memory for the probabilities of trees of %d words (%.0f MiB)", n,
                     joint_marginals_bytes(n) / 1048576);
}

static bool marginals_new(const JointScores *s, Arena *out, JointMarginals *m)
{
    size_t spans = (size_t)chart_size(s->n), width = (size_t)s->n + 1;
    *m = (JointMarginals){ -INFINITY, arena_calloc(out, width * width, sizeof(double)),
                           arena_calloc(out, spans, sizeof(double)),
                           arena_alloc(out, spans * (size_t)(s->n_labels - 1), sizeof(double)) };
    return m->arc && m->node && m->label;
}

/* In plain doubles, which is ten times as fast, where these hold the numbers. */
static bool sum_trees(const JointScores *s, const Labels *x, Arena *scratch, JointSums *sums)
{
    const JointWeights weights = { s, x->label, x->head, x->dependent };
    ArenaMark mark = arena_mark(scratch);
    bool held, good = joint_sums_in_tiles(&weights, scratch, sums, &held);
    arena_rewind(scratch, mark);
    if (good && !held && sums->arc) memset(sums->arc, 0, (size_t)((s->n + 1) * (s->n + 1)) * sizeof *sums->arc);
    if (good && !held) good = joint_sums_exact(&weights, scratch, sums);
    arena_rewind(scratch, mark);
    return good;
}

Status joint_marginals(const JointScores *scores, Arena *scratch, Arena *out, JointMarginals *marginals, Error *error)
{
    if (check_scores(scores, error) != OK) return error->code;
    if (!marginals_new(scores, out, marginals)) return no_memory(scores->n, error);
    ArenaMark mark = arena_mark(scratch);
    size_t spans = (size_t)chart_size(scores->n);
    double *as = arena_calloc(scratch, 2 * spans, sizeof *as);
    JointSums sums = { -INFINITY, as, as ? as + spans : NULL, marginals->arc };
    Labels labels;
    bool good = as && weigh_spans(scores, marginals->label, false, &labels, scratch) &&
                sum_trees(scores, &labels, scratch, &sums);
    marginals->log_z = sums.log_z;
    for (int i = 0; i < scores->n && good; i++)
        for (int j = i + 1; j <= scores->n; j++) finish_span(scores, i, j, &labels, &sums, marginals);
    arena_rewind(scratch, mark);
    return good ? OK : no_memory(scores->n, error);
}

Status joint_log_z(const JointScores *scores, Arena *scratch, double *log_z, Error *error)
{
    if (check_scores(scores, error) != OK) return error->code;
    ArenaMark mark = arena_mark(scratch);
    JointSums sums = { .log_z = -INFINITY };
    Labels labels;
    double *weight = arena_alloc(scratch, (size_t)(scores->n_labels - 1), sizeof *weight);
    bool good = weigh_spans(scores, weight, true, &labels, scratch) && sum_trees(scores, &labels, scratch, &sums);
    arena_rewind(scratch, mark);
    *log_z = sums.log_z;
    return good ? OK : no_memory(scores->n, error);
}

/* ---- one result
 * A head takes its dependents from inside outwards on each side: its nodes are a path on the lattice of how many of the
 * left and of the right ones it has, which goes through every phrase of the result that it is the head of. */

typedef struct Lattice {
    const JointScores *s;
    int *label;        /* [chart_size] of the result's phrases, CHART_EMPTY elsewhere */
    int *begin, *end;  /* [n + 1] the words below each word, as a span */
    int *left, *right; /* [n + 1] where spans begin with a of the left dependents, end with b of the right ones */
    int n_left, n_right;
    double *path; /* [n + 1] by b: the logarithm of the sum over paths to (a, b) */
} Lattice;

static double log_add(double x, double y)
{
    double most = fmax(x, y);
    return most > -INFINITY ? most + log1p(exp(fmin(x, y) - most)) : most;
}

static double label_score(const JointScores *s, int i, int j, int label)
{
    return label < 0 ? 0 : s->span_weight * (double)s->labels[chart_span(s->n, i, j) * (s->n_labels - 1) + label - 1];
}

/* The logarithm of what a node may be. */
static double node_sum(const Lattice *l, int i, int j, bool dependent)
{
    const JointScores *s = l->s;
    int label = l->label[chart_span(s->n, i, j)];
    if (label != CHART_EMPTY) return label_score(s, i, j, label);
    if (joint_state(s->state, s->n, i, j) == SPAN_NONE) return -INFINITY;
    double empty = joint_may_be_empty(s->state, s->n, i, j, dependent) ? 0 : -INFINITY;
    return joint_is_proper(s->n, i, j) ? empty : log_add(empty, label_score(s, i, j, CHART_GROUP));
}

static double head_sum(const Lattice *l)
{
    for (int b = 0; b <= l->n_right; b++) l->path[b] = -INFINITY;
    for (int a = 0; a <= l->n_left; a++)
        for (int b = 0; b <= l->n_right; b++) {
            int i = l->left[a], j = l->right[b];
            double before = a + b == 0 ? 0 : log_add(l->path[b], b > 0 ? l->path[b - 1] : -INFINITY);
            l->path[b] = before + node_sum(l, i, j, a == l->n_left && b == l->n_right);
            if (l->label[chart_span(l->s->n, i, j)] == CHART_EMPTY) continue;
            for (int k = 0; k <= l->n_right; k++) /* paths that go around the phrase */
                if (k != b) l->path[k] = -INFINITY;
        }
    return l->path[l->n_right];
}

static void find_spans(Lattice *l, const int *heads)
{
    int n = l->s->n;
    for (int w = 1; w <= n; w++) {
        l->begin[w] = w - 1;
        l->end[w] = w;
    }
    for (int w = 1; w <= n; w++)
        for (int at = heads[w - 1]; at > 0; at = heads[at - 1]) {
            if (w - 1 < l->begin[at]) l->begin[at] = w - 1;
            if (w > l->end[at]) l->end[at] = w;
        }
}

static void find_dependents(Lattice *l, const int *heads, int h)
{
    l->n_left = l->n_right = 0;
    l->left[0] = h - 1;
    l->right[0] = h;
    for (int w = h - 1; w > l->begin[h]; w--)
        if (heads[w - 1] == h) l->left[++l->n_left] = l->begin[w];
    for (int w = h + 1; w <= l->end[h]; w++)
        if (heads[w - 1] == h) l->right[++l->n_right] = l->end[w];
}

static bool lattice_new(Lattice *l, const JointScores *s, const JointTree *tree, Arena *a)
{
    size_t width = (size_t)s->n + 1;
    int *words = arena_alloc(a, 4 * width, sizeof *words);
    *l = (Lattice){ .s = s,
                    .label = arena_calloc(a, (size_t)chart_size(s->n), sizeof *l->label),
                    .path = arena_alloc(a, width, sizeof *l->path) };
    if (!words || !l->label || !l->path) return false;
    l->begin = words;
    l->end = words + width;
    l->left = words + 2 * width;
    l->right = words + 3 * width;
    for (int k = 0; k < tree->n_nodes; k++) {
        Span x = tree->nodes[k];
        if (x.label > CHART_GROUP || x.label < 0) l->label[chart_span(s->n, x.begin, x.end)] = x.label;
    }
    return true;
}

Status joint_log_sum(const JointScores *scores, const JointTree *tree, Arena *scratch, double *log_sum, Error *error)
{
    ArenaMark mark = arena_mark(scratch);
    Lattice l;
    bool good = lattice_new(&l, scores, tree, scratch);
    double sum = 0;
    if (good) find_spans(&l, tree->heads);
    for (int h = 1; h <= scores->n && good; h++) {
        find_dependents(&l, tree->heads, h);
        sum += head_sum(&l) +
               scores->arc_weight * (double)scores->arcs[(ptrdiff_t)h * (scores->n + 1) + tree->heads[h - 1]];
    }
    arena_rewind(scratch, mark);
    *log_sum = sum;
    return good ? OK : no_memory(scores->n, error);
}
