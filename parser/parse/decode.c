/* Scores are weighed, then decoded jointly or apart, reranked where a grammar or marks want
 * it, and only then become phrases, heads and probabilities. */
#include "parser/parse/decode.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "cky/k_best.h"
#include "parser/parse/confidence.h"
#include "parser/parse/parse_network.h"

/* Finite weights may be so large that scores, or the sums of a tree's scores, overflow; then no tree is the best. The
 * decoder wants finite sums; up to SCORE_MOST, the scores of 1e6 words have one. */
#define SCORE_MOST 1e30

static bool scores_fit(const SpanBest *best, const Real *arcs, int n)
{
    const Real most = (Real)SCORE_MOST;
    size_t pairs = (size_t)(n + 1) * (size_t)(n + 1);
    int too_large = 0; /* NaN, too */
    for (size_t k = 0; k < (size_t)chart_size(n); k++)
        too_large |=
            !(best[k].any <= most && best[k].any >= -most && best[k].proper <= most && best[k].proper >= -most);
    for (size_t k = 0; k < pairs; k++) too_large |= !(arcs[k] <= most && arcs[k] >= -most);
    return !too_large;
}

/* The label of a node; NULL: it is no phrase. own: of given_decode. */
static const char *label_of(const Model *m, const Span *node, const char *const *own)
{
    if (node->label <= GIVEN_OWN) return own[GIVEN_OWN - node->label];
    return node->label > CHART_GROUP ? vocab_text(&m->labels, node->label) : NULL;
}

/* A result, and what is added to its score. */
typedef struct BestTree {
    JointTree *tree;
    int *heads;           /* of the tree, but for marks whose heads are chosen afterwards (settle_marks) */
    double gain, grammar; /* gain: what these heads score more */
} BestTree;

static double added_to(const BestTree *x) { return x->gain + x->grammar; }
static double weight_of(const BestTree *x) { return x->tree->score + added_to(x); }

/* The phrases among the nodes, and the heads. */
static bool take_tree(const Model *m, const BestTree *x, const char *const *own, int n, Parsed *p, Arena *out)
{
    const JointTree *tree = x->tree;
    int phrases = 0, groups = 0;
    for (int k = 0; k < tree->n_nodes; k++) {
        phrases += label_of(m, &tree->nodes[k], own) != NULL;
        groups += tree->nodes[k].label == CHART_GROUP;
    }
    p->phrases = arena_alloc(out, (size_t)phrases, sizeof *p->phrases);
    p->groups = arena_alloc(out, (size_t)groups, sizeof *p->groups);
    p->heads = arena_alloc(out, (size_t)n, sizeof *p->heads);
    if (!p->phrases || !p->groups || !p->heads) return false;
    for (int k = 0; k < tree->n_nodes; k++) {
        const Span *node = &tree->nodes[k];
        const char *label = label_of(m, node, own);
        if (label) p->phrases[p->n_phrases++] = (Phrase){ node->begin, node->end, label };
        else if (node->label == CHART_GROUP) p->groups[p->n_groups++] = *node;
    }
    memcpy(p->heads, x->heads, (size_t)n * sizeof *p->heads);
    p->has_tree = true;
    p->grammar = x->grammar;
    p->score = weight_of(x);
    return true;
}

/* The tree of the spans alone, and of the arcs alone, which may cross. t is overwritten. */
static JointTree *decode_apart(const Model *m, const SpanBest *best, Real *t, int n, Arena *scratch, Error *e)
{
    int *heads = arena_alloc(scratch, (size_t)n, sizeof *heads);
    double sum = heads ? arcs_decode(t, n, scratch, heads) : NAN;
    memset(t, 0, (size_t)(n + 1) * (size_t)(n + 1) * sizeof *t);
    JointTree *tree =
        m->c.trees ? joint_decode(best, t, n, scratch, scratch, e) : arena_calloc(scratch, 1, sizeof *tree);
    if (isnan(sum) || !tree) {
        error_set(e, ERR_NOMEM, "out of memory for arcs");
        return NULL;
    }
    tree->heads = heads;
    tree->score += sum;
    return tree;
}

static bool add_arc_probabilities(const DecodeScores *sc, int n, Parsed *p, Arena *out)
{
    if (!sc->arc_probability) return true;
    p->arc_prob = arena_alloc(out, (size_t)n, sizeof *p->arc_prob);
    if (p->arc_prob) confidence_arcs(sc->arcs, p->heads, n, p->arc_prob);
    return p->arc_prob != NULL;
}

/* The scores of all labels as the chart takes them; near: of the spans that the list needs, NULL: of all. */
static void weigh_labels(const DecodeScores *sc, int n, int labels, Real lambda, const KBest *near)
{
    for (long k = 0; k < chart_size(n); k++) {
        Real *x = sc->labels + k * labels;
        if (near && !k_best_has_span(near, k)) continue;
        for (int l = 0; l < labels && sc->mask; l++) x[l] = lambda * x[l] + sc->mask[l];
        for (int l = 0; l < labels && !sc->mask; l++) x[l] *= lambda;
    }
}

/* Are the scores of all labels asked for, or of results near the best one alone? */
static bool weighs_all(const DecodeScores *sc) { return sc->k_best || sc->confidence || sc->given; }

/* ---- marks */

/* Joint trees have no arc into a phrase but to its head, and so not all that punctuation has in some treebanks: with
 * DECODE_MARKS a mark that nothing depends on gets the head that scores best, whatever arcs it crosses. */
static bool settle_marks(Worker *w, const DecodeScores *sc, const Real *t, const Parsed *p, BestTree *x)
{
    int n = p->n_words;
    x->heads = x->tree->heads;
    x->gain = 0;
    if (!sc->marks || sc->given) return true;
    x->heads = arena_alloc(&w->scratch, (size_t)n, sizeof *x->heads);
    bool *has = arena_calloc(&w->scratch, (size_t)n + 1, sizeof *has);
    if (!x->heads || !has) return false;
    memcpy(x->heads, x->tree->heads, (size_t)n * sizeof *x->heads);
    for (int c = 0; c < n; c++) has[x->heads[c]] = true;
    for (int c = 0; c < n; c++) {
        if (has[c + 1] || n == 1 || !text_is_punctuation(p->words[c])) continue;
        const Real *row = t + (ptrdiff_t)(c + 1) * (n + 1);
        int best = x->heads[c];
        for (int h = 1; h <= n; h++)
            if (h != c + 1 && row[h] > row[best]) best = h;
        x->gain += (double)row[best] - (double)row[x->heads[c]];
        x->heads[c] = best;
        has[best] = true; /* so it stays where it is, if it is a mark: there is no cycle */
    }
    return true;
}

static int next_phrase(const JointTree *t, int k)
{
    do k++;
    while (k < t->n_nodes && t->nodes[k].label <= CHART_GROUP);
    return k;
}

/* Are they the same but for arcs of marks that were settled? */
static bool same_result(const BestTree *a, const BestTree *b, int n)
{
    if (memcmp(a->heads, b->heads, (size_t)n * sizeof *a->heads) != 0) return false;
    int i = next_phrase(a->tree, -1), j = next_phrase(b->tree, -1);
    while (i < a->tree->n_nodes && j < b->tree->n_nodes) {
        if (memcmp(&a->tree->nodes[i], &b->tree->nodes[j], sizeof(Span)) != 0) return false;
        i = next_phrase(a->tree, i);
        j = next_phrase(b->tree, j);
    }
    return i == a->tree->n_nodes && j == b->tree->n_nodes;
}

/* ---- several results */

/* The best results of a sentence. */
typedef struct BestList {
    BestTree *item; /* [n] in order */
    int n;
    JointScores scores;
    double log_z; /* -INFINITY: not wanted, a given label is unknown to the model, or scores are too large */
} BestList;

/* Are results reranked, by the grammar or by what marks gain? */
static bool chooses(const DecodeScores *sc) { return sc->grammar || (sc->marks && sc->labels && !sc->given); }

/* The first WEIGHED_MOST results are reranked, of them those within WEIGHED_REACH of the best score. */
enum { WEIGHED_MOST = 8 };
#define WEIGHED_REACH 0.6

static bool add_grammar(Worker *w, const DecodeScores *sc, const Parsed *p, BestList *b)
{
    const Grammar *g = &w->m->grammar;
    const char *const *tags = p->tags ? p->tags : p->given_tags;
    int *tag = arena_alloc(&w->scratch, (size_t)p->n_words, sizeof *tag);
    if (!tag) return false;
    for (int c = 0; c < p->n_words; c++) tag[c] = grammar_tag(g, tags ? tags[c] : TAG_PLACEHOLDER);
    for (int k = 0; k < b->n; k++) {
        double log_p = grammar_log_p(g, sc->treebank, b->item[k].tree, tag, p->n_words, &w->scratch);
        if (isnan(log_p)) return false;
        b->item[k].grammar = w->m->c.grammar * log_p;
    }
    return true;
}

/* Puts the results that are weighed in order, equal ones as they are. To further results is added as much as to the
 * weighed one that gains least, and so they stay after these. */
static void weigh(BestList *b)
{
    Real near = (Real)b->item[0].tree->score - (Real)WEIGHED_REACH; /* as the list has it */
    BestTree least = b->item[0];
    int k = 1;
    for (; k < b->n && k < WEIGHED_MOST && (Real)b->item[k].tree->score >= near; k++) {
        BestTree x = b->item[k];
        int to = k;
        for (; to > 0 && weight_of(&b->item[to - 1]) < weight_of(&x); to--) b->item[to] = b->item[to - 1];
        b->item[to] = x;
        if (added_to(&x) < added_to(&least)) least = x;
    }
    for (; k < b->n; k++) b->item[k].grammar = added_to(&least) - b->item[k].gain;
}

/* Lists the results that are asked for, by score and grammar, or as many as it takes to find the first one. */
static Status list_best(Worker *w, const DecodeScores *sc, const GivenSearch *x, const Parsed *p, BestList *b, Error *e)
{
    int n = p->n_words, wanted = sc->k_best, most = chooses(sc) && wanted < WEIGHED_MOST ? WEIGHED_MOST : wanted;
    Real reach = wanted ? (Real)INFINITY : (Real)WEIGHED_REACH;
    KBest *list = k_best_new(x->best, x->labels, parse_network(&w->m->net)->span.n_labels, x->arcs, x->state,
                             p->n_words, reach, &w->scratch, e);
    if (!list) return e->code;
    if (!weighs_all(sc))
        weigh_labels(sc, p->n_words, parse_network(&w->m->net)->span.n_labels - 1, (Real)w->m->c.lambda, list);
    JointTree *tree = NULL;
    b->item = arena_alloc(&w->scratch, (size_t)most, sizeof *b->item);
    if (!b->item) return error_set(e, ERR_NOMEM, "out of memory for a tree");
    while (b->n < most) {
        if (k_best_next(list, &w->scratch, &tree, e) != OK) return e->code;
        if (!tree) break;
        BestTree one = { .tree = tree };
        if (!settle_marks(w, sc, x->arcs, p, &one)) return error_set(e, ERR_NOMEM, "out of memory for a tree");
        bool known = false;
        for (int k = 0; k < b->n && !known && one.heads != tree->heads; k++) known = same_result(&b->item[k], &one, n);
        if (!known) b->item[b->n++] = one;
    }
    if (!b->n) return model_overflows(w->m, "scores of labels or arcs", e);
    if (sc->grammar && !add_grammar(w, sc, p, b)) return error_set(e, ERR_NOMEM, "out of memory for a tree");
    if (chooses(sc)) weigh(b);
    return OK;
}

/* Sets b->log_z, and the confidence of p. */
static Status add_sums(Worker *w, const DecodeScores *sc, const JointTree *tree, bool joint, bool given, Parsed *p,
                       BestList *b, Arena *out, Error *e)
{
    Status status = OK;
    if (sc->confidence) {
        const F1Map *map = &model_joint(w->m, sc->treebank)->f1;
        if (given || (map->grammar != 0 && !sc->grammar)) map = NULL;
        const ConfidenceCase x = { &b->scores, tree, joint, w->m->c.arcs ? sc->arcs : NULL, map };
        return confidence_new(&x, &w->scratch, out, p, &b->log_z, e);
    }
    if (sc->k_best && sc->arc_probability) status = joint_log_z(&b->scores, &w->scratch, &b->log_z, e);
    if (status == ERR_RANGE) *e = (Error){ .code = OK };
    return e->code;
}

/* Sets p->best to the best results, but for their types. */
static Status take_best(Worker *w, const DecodeScores *sc, const BestList *b, const char *const *own, Parsed *p,
                        Arena *out, Error *e)
{
    int n = p->n_words, k_best = sc->k_best < b->n ? sc->k_best : b->n;
    double log_sum;
    p->best = arena_calloc(out, (size_t)k_best, sizeof *p->best);
    while (p->best && p->n_best < k_best) {
        const BestTree *x = &b->item[p->n_best];
        Parsed *one = &p->best[p->n_best++];
        *one = (Parsed){ .n_words = n, .words = p->words, .given_tags = p->given_tags, .pieces = 1 };
        one->probability = PROBABILITY_UNKNOWN;
        if (!take_tree(w->m, x, own, n, one, out) || !add_arc_probabilities(sc, n, one, out))
            return error_set(e, ERR_NOMEM, "out of memory for a tree");
        if (b->log_z > -INFINITY) {
            if (joint_log_sum(&b->scores, x->tree, &w->scratch, &log_sum, e) != OK) return e->code;
            one->probability = fmin(1, exp(log_sum - b->log_z));
        }
        if (p->n_best == 1) one->confidence = p->confidence;
    }
    return p->best ? OK : error_set(e, ERR_NOMEM, "out of memory for a tree");
}

/* Weighs the scores of a sentence: labels by the model's lambda, arcs t [n + 1, n + 1] by the rest. */
static void weigh_scores(const Model *m, DecodeScores *sc, int n, Real lambda, Real *t)
{
    for (long k = 0; k < chart_size(n); k++) {
        sc->best[k].any *= lambda;
        sc->best[k].proper *= lambda;
    }
    for (long k = 0; k < (long)(n + 1) * (n + 1); k++) t[k] = (1 - lambda) * sc->arcs[k];
    if (sc->labels && weighs_all(sc)) weigh_labels(sc, n, parse_network(&m->net)->span.n_labels - 1, lambda, NULL);
}

Status decode_sentence(Worker *worker, DecodeScores *sc, int first, const Given *given, Parsed *parsed, Arena *out,
                       Error *error)
{
    const Model *m = worker->m;
    sc->given = given != NULL;
    int n = parsed->n_words;
    SpanBest *best = sc->best;
    Real *t = arena_alloc(&worker->scratch, (size_t)(n + 1) * (size_t)(n + 1), sizeof *t);
    if (!t) return error_set(error, ERR_NOMEM, "out of memory for a chart of %d words", n);
    if (!scores_fit(best, sc->arcs, n)) return model_overflows(m, "scores of labels or arcs", error);
    Real lambda = !m->c.arcs ? 1 : !m->c.trees ? 0 : (Real)m->c.lambda;
    weigh_scores(m, sc, n, lambda, t);
    const GivenScores scores = {
        m, &worker->forward, parse_scores(&worker->net)->g, first, lambda, best, t, sc->labels
    };
    GivenSearch search = { .best = best, .arcs = t, .labels = sc->labels };
    bool lists = sc->k_best || chooses(sc);
    JointTree *tree = given ? given_decode(&scores, given, parsed, &search, &worker->scratch, out, error)
                      : m->c.decode == DECODE_ARCS ? decode_apart(m, best, t, n, &worker->scratch, error)
                      : lists                      ? NULL /* the first one of the list */
                              : joint_decode(best, t, n, &worker->scratch, &worker->scratch, error);
    if (!tree && error->code != OK) return error->code;
    BestList list = { .scores = { n, parse_network(&m->net)->span.n_labels, search.labels, search.arcs, search.state, 1,
                                  1 },
                      .log_z = -INFINITY };
    confidence_weights(model_joint(m, sc->treebank), (double)lambda, &list.scores);
    if (lists && list_best(worker, sc, &search, parsed, &list, error) != OK) return error->code;
    BestTree one = lists ? list.item[0] : (BestTree){ .tree = tree };
    if ((!lists && !settle_marks(worker, sc, t, parsed, &one)) || !take_tree(m, &one, search.own, n, parsed, out))
        return error_set(error, ERR_NOMEM, "out of memory for a tree");
    sc->head_row[first] = first;
    for (int c = 0; c < n; c++) sc->head_row[first + c + 1] = first + parsed->heads[c];
    if (!add_arc_probabilities(sc, n, parsed, out)) return error_set(error, ERR_NOMEM, "out of memory for a tree");
    bool joint = m->c.trees && m->c.arcs && (given || m->c.decode != DECODE_ARCS);
    if (add_sums(worker, sc, one.tree, joint, given, parsed, &list, out, error) != OK) return error->code;
    return sc->k_best ? take_best(worker, sc, &list, search.own, parsed, out, error) : OK;
}

bool decode_roots(DecodeScores *sc, int first, Parsed *parsed, Arena *out)
{
    parsed->heads = arena_calloc(out, (size_t)parsed->n_words, sizeof *parsed->heads);
    for (int c = 0; c <= parsed->n_words; c++) sc->head_row[first + c] = first;
    return parsed->heads != NULL;
}
