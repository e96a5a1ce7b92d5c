/* For each sentence two charts, of all trees and of those that gold allows, give the
 * likelihood at any weights; then Newton's method over all of them. */
#include "parser/parse/joint_fit.h"

#include <math.h>
#include <string.h>

#include "cky/constraint.h"
#include "cky/joint_marginals.h"
#include "parser/parse/gold_pass.h"
#include "parser/parse/parse_network.h"
#include "parser/parse/soft_parse.h"
#include "treebank/oracle.h"

enum { STEPS_MOST = 30, HALVINGS = 20 };
#define DIFFERENCE 1e-3 /* of a weight, for second derivatives, as a share of it */
#define LEAST 1e-3      /* weights of a model that has learnt nothing, or all of it, have no other limit */
#define MOST 1e3
#define CLOSE 1e-5 /* steps shorter than this share of the weights end the search */

/* Sums over sentences: -log p at the weights, its derivatives there, and at weights that are a little larger in the
 * first and in the second. */
typedef struct Sums {
    double loss, gradient[3][2];
    long n, impossible;
} Sums;

typedef struct Point {
    double weight[2]; /* of spans, of arcs */
    int treebank;
    bool slopes; /* also the other two gradients */
} Point;

/* ---- a sentence: the scores of all trees, and of those that have what gold has */

typedef struct Charts {
    int n, labels; /* words; columns of the labels */
    JointScores all, gold;
} Charts;

/* Allows of the copied labels only those that the gold tree has, and sets what is given. false: the model does not know
 * a label of it. */
static bool restrict_to_gold(const Model *m, const Sentence *gold, const OracleTree *tree, const Charts *x,
                             Real *labels, Constraint *c)
{
    int *label = c->heads + x->n; /* [chart_size], of phrases; 0: none */
    for (int k = 0; k < tree->n; k++) {
        const Phrase *p = &tree->nodes[k];
        int number = vocab_find(&m->labels, p->label);
        if (number < 0) return false;
        if (number <= CHART_GROUP) continue;
        label[chart_span(x->n, p->begin, p->end)] = number;
        c->spans[c->n_spans++] = (Span){ p->begin, p->end, number };
    }
    for (long at = 0; at < chart_size(x->n); at++)
        for (int l = 1; l <= x->labels; l++)
            if (label[at] ? l != label[at] : l > CHART_GROUP) labels[at * x->labels + l - 1] = -INFINITY;
    memcpy(c->heads, gold->heads, (size_t)x->n * sizeof *c->heads);
    return true;
}

/* x->gold from x->all. *known: the model knows all labels. ERR_NOMEM. */
static Status make_gold(Worker *w, const Sentence *gold, Charts *x, bool *known, Error *e)
{
    Arena *a = &w->scratch;
    size_t spans = (size_t)chart_size(x->n), cells = spans * (size_t)x->labels,
           arcs = (size_t)(x->n + 1) * (size_t)(x->n + 1);
    Real *labels = arena_alloc(a, cells, sizeof *labels), *t = arena_alloc(a, arcs, sizeof *t);
    unsigned char *state = arena_alloc(a, spans, 1);
    const OracleTree *tree = oracle_convert(gold, a);
    Constraint c = { .n = x->n, .heads = arena_calloc(a, (size_t)x->n + spans, sizeof(int)) };
    if (tree) c.spans = arena_alloc(a, (size_t)tree->n, sizeof *c.spans);
    if (!labels || !t || !state || !tree || !c.heads || !c.spans)
        return error_set(e, ERR_NOMEM, "out of memory for probabilities");
    memcpy(labels, x->all.labels, cells * sizeof *labels);
    memcpy(t, x->all.arcs, arcs * sizeof *t);
    *known = restrict_to_gold(w->m, gold, tree, x, labels, &c);
    constraint_mask_arcs(&c, t);
    constraint_states(&c, state);
    x->gold = x->all;
    x->gold.labels = labels;
    x->gold.arcs = t;
    x->gold.state = state;
    return OK;
}

/* The scores of the sentence that w parsed last. */
static Status make_charts(Worker *w, const Sentence *gold, int treebank, Charts *x, bool *known, Error *e)
{
    const Model *m = w->m;
    Real *mask, *labels = soft_span_scores(w, 0, e);
    if (!labels) return e->code;
    if (!model_label_mask(m, treebank, &w->scratch, &mask))
        return error_set(e, ERR_NOMEM, "out of memory for probabilities");
    *x = (Charts){ .n = gold->n_words, .labels = parse_network(&m->net)->span.n_labels - 1 };
    for (long k = 0; mask && k < chart_size(x->n) * x->labels; k++) labels[k] += mask[k % x->labels];
    const Real *arcs = tensor_host(&w->tape, parse_scores(&w->net)->arc.arcs, &w->scratch).data;
    if (!arcs) return worker_status(w, e);
    x->all = (JointScores){ .n = x->n, .n_labels = x->labels + 1, .labels = labels, .arcs = arcs };
    return make_gold(w, gold, x, known, e);
}

/* log Z, and the expected sums of the scores of spans and of arcs, each times sign added to gradient. */
static Status expect(const JointScores *s, double sign, Arena *a, double *log_z, double gradient[2], Error *e)
{
    JointMarginals m;
    Status status = joint_marginals(s, a, a, &m, e);
    if (status != OK) return status;
    *log_z = m.log_z;
    for (long k = 0; k < chart_size(s->n) * (s->n_labels - 1); k++)
        if (m.label[k] > 0) gradient[0] += sign * m.label[k] * (double)s->labels[k];
    for (long k = 0; k < (long)(s->n + 1) * (s->n + 1); k++)
        if (m.arc[k] > 0) gradient[1] += sign * m.arc[k] * (double)s->arcs[k];
    return OK;
}

/* The loss of the gold tree, -log p, and its gradient at these weights. */
static Status at_weights(const Charts *x, double span, double arc, Arena *a, double *loss, double gradient[2], Error *e)
{
    JointScores all = x->all, gold = x->gold;
    double log_z = 0, log_gold = 0;
    ArenaMark mark = arena_mark(a);
    all.span_weight = gold.span_weight = span;
    all.arc_weight = gold.arc_weight = arc;
    Status s = expect(&gold, -1, a, &log_gold, gradient, e);
    if (s == OK && log_gold > -INFINITY) s = expect(&all, 1, a, &log_z, gradient, e);
    arena_rewind(a, mark);
    *loss = log_z - log_gold;
    return s;
}

static Status add_sentence(const void *context, void *sums, Worker *w, const Sentence *gold, const Parsed *p, Error *e)
{
    (void)p;
    const Point *at = context;
    Sums *to = sums;
    Charts x;
    bool known = true;
    double loss = 0, g[3][2] = { { 0 } };
    if (!gold->heads || !gold->has_tree) return OK;
    Status s = make_charts(w, gold, at->treebank, &x, &known, e);
    for (int k = 0; k < (at->slopes ? 3 : 1) && s == OK && known && loss < INFINITY; k++) {
        double unused;
        s = at_weights(&x, at->weight[0] * (k == 1 ? 1 + DIFFERENCE : 1), at->weight[1] * (k == 2 ? 1 + DIFFERENCE : 1),
                       &w->scratch, k ? &unused : &loss, g[k], e);
    }
    if (s != OK) return s;
    if (!known || !(loss < INFINITY)) {
        to->impossible++;
        return OK;
    }
    to->n++;
    to->loss += loss;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++) to->gradient[k][i] += g[k][i];
    return OK;
}

static void merge(void *to, const void *from)
{
    Sums *x = to;
    const Sums *y = from;
    x->n += y->n;
    x->impossible += y->impossible;
    x->loss += y->loss;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++) x->gradient[k][i] += y->gradient[k][i];
}

/* ---- the search */

/* The step of Newton's method, or down the gradient where the second derivatives do not curve upwards; no weight
 * becomes less than half of what it is, or more than twice. */
static void find_step(const Sums *s, const double weight[2], double step[2])
{
    const double *g = s->gradient[0];
    double h[2][2];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) h[k][i] = (s->gradient[k + 1][i] - g[i]) / (DIFFERENCE * weight[k]);
    double cross = (h[0][1] + h[1][0]) / 2, determinant = h[0][0] * h[1][1] - cross * cross;
    bool curved = h[0][0] > 0 && determinant > 0;
    step[0] = curved ? -(h[1][1] * g[0] - cross * g[1]) / determinant : -g[0];
    step[1] = curved ? -(h[0][0] * g[1] - cross * g[0]) / determinant : -g[1];
    double scale = 1;
    for (int k = 0; k < 2; k++) {
        double most = step[k] > 0 ? weight[k] : weight[k] / 2;
        if (fabs(step[k]) * scale > most) scale = most / fabs(step[k]);
    }
    for (int k = 0; k < 2; k++) step[k] = fmin(fmax(weight[k] + scale * step[k], LEAST), MOST) - weight[k];
}

static Status evaluate(GoldPass *pass, Point *p, const double weight[2], bool slopes, Sums *to, int *left_out, Error *e)
{
    *p = (Point){ { weight[0], weight[1] }, pass->o->treebank, slopes };
    pass->context = p;
    return gold_pass(pass, to, left_out, e);
}

/* Half the step, and so on, until the loss falls. *moved: it does. */
static Status move(GoldPass *pass, double weight[2], double step[2], double loss, bool *moved, Error *e)
{
    Point p;
    Sums there;
    int left_out;
    *moved = false;
    for (int k = 0; k < HALVINGS && !*moved; k++) {
        double to[2] = { weight[0] + step[0], weight[1] + step[1] };
        Status s = evaluate(pass, &p, to, false, &there, &left_out, e);
        if (s != OK) return s;
        *moved = there.loss < loss;
        for (int i = 0; i < 2; i++) {
            if (*moved) weight[i] = to[i];
            else step[i] /= 2;
        }
    }
    return OK;
}

Status joint_fit(JointFit *to, const Model *model, const Treebank *gold, const ParseOptions *options, int n_threads,
                 Error *error)
{
    GoldPass pass = { .m = model,
                      .gold = gold,
                      .o = options,
                      .n_threads = n_threads,
                      .size = sizeof(Sums),
                      .add = add_sentence,
                      .merge = merge };
    const JointWeights *had = model_joint(model, options->treebank);
    bool fitted = had->sentences > 0; /* then the search begins there */
    double weight[2] = { fitted ? had->span : 1, fitted ? had->arc : 1 }, step[2];
    Sums sums;
    Point p;
    bool moved = true;
    *to = (JointFit){ .before = NAN };
    if (!model->c.trees || !model->c.arcs || model->c.decode == DECODE_ARCS)
        return error_set(error, ERR_CONFIG, "found a model without joint trees, expected phrases and arcs in one");
    Status s = OK;
    if (fitted) s = evaluate(&pass, &p, (const double[2]){ 1, 1 }, false, &sums, &to->left_out, error);
    if (fitted) to->before = sums.loss / (double)sums.n;
    if (s == OK) s = evaluate(&pass, &p, weight, true, &sums, &to->left_out, error);
    if (s == OK && sums.n == 0)
        return error_set(error, ERR_FORMAT, "found no gold sentence with a tree and arcs that a joint tree can have");
    while (s == OK && moved && to->steps < STEPS_MOST) {
        if (isnan(to->before)) to->before = sums.loss / (double)sums.n;
        find_step(&sums, weight, step);
        if (fabs(step[0]) < CLOSE * weight[0] && fabs(step[1]) < CLOSE * weight[1]) break;
        s = move(&pass, weight, step, sums.loss, &moved, error);
        to->steps += moved;
        if (s == OK && moved) s = evaluate(&pass, &p, weight, true, &sums, &to->left_out, error);
    }
    to->after = sums.loss / (double)sums.n;
    to->impossible = sums.impossible;
    to->weights = (JointWeights){ .span = weight[0], .arc = weight[1], .sentences = sums.n };
    return s;
}
