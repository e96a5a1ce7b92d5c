/* parser/parse/parse.c */
#include "parser/parse/parse.h"

#include <math.h>
#include <string.h>

#include "cky/k_best.h"
#include "parser/model/model_file.h"
#include "parser/parse/confidence.h"
#include "parser/parse/given.h"

bool parse_has_best(const Model *m) { return m->c.trees && m->c.arcs && m->c.decode != DECODE_ARCS; }

ParseOptions parse_defaults(const Model *m)
{
    return (ParseOptions){
        .batch_tokens = 600, .max_words = 120, .max_memory = 2e9, .treebank = m->default_treebank, .shape_tags = true
    };
}

int parse_batch_end(const ParseInput *in, int n, int from, const ParseOptions *o)
{
    int tokens = in[from].n_words + 2, to = from + 1;
    while (to < n && tokens + in[to].n_words + 2 <= o->batch_tokens) tokens += in[to++].n_words + 2;
    return to;
}

/* ---- one sentence from its scores */

typedef struct Scored { /* of a batch, in host memory */
    SpanBest *best;     /* of the sentence to be decoded, as is arcs */
    const Real *arcs;
    Real *labels;     /* with k_best or confidence: [chart_size, n_labels - 1] of the sentence; else NULL */
    const Real *mask; /* [n_labels - 1] of model_label_mask, or NULL */
    int *head_row;    /* [rows] filled while sentences are decoded */
    const ParseOptions *o;
} Scored;

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

/* The phrases among the nodes, and the heads. */
static bool take_tree(const Model *m, const JointTree *tree, const char *const *own, int n, Parsed *p, Arena *out)
{
    int phrases = 0;
    for (int k = 0; k < tree->n_nodes; k++) phrases += label_of(m, &tree->nodes[k], own) != NULL;
    p->phrases = arena_alloc(out, (size_t)phrases, sizeof *p->phrases);
    p->heads = arena_alloc(out, (size_t)n, sizeof *p->heads);
    if (!p->phrases || !p->heads) return false;
    for (int k = 0; k < tree->n_nodes; k++) {
        const char *label = label_of(m, &tree->nodes[k], own);
        if (label) p->phrases[p->n_phrases++] = (Phrase){ tree->nodes[k].begin, tree->nodes[k].end, label };
    }
    memcpy(p->heads, tree->heads, (size_t)n * sizeof *p->heads);
    p->has_tree = true;
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

static bool add_arc_probabilities(const Scored *sc, int n, Parsed *p, Arena *out)
{
    if (!sc->o->arc_probability) return true;
    p->arc_prob = arena_alloc(out, (size_t)n, sizeof *p->arc_prob);
    if (p->arc_prob) confidence_arcs(sc->arcs, p->heads, n, p->arc_prob);
    return p->arc_prob != NULL;
}

/* The scores of all labels as the chart takes them. */
static void weigh_labels(Scored *sc, int n, int n_labels, Real lambda)
{
    Real *x = sc->labels, *end = x + chart_size(n) * (n_labels - 1);
    for (; x < end; x += n_labels - 1) {
        for (int l = 0; l < n_labels - 1; l++) x[l] *= lambda;
        for (int l = 0; sc->mask && l < n_labels - 1; l++) x[l] += sc->mask[l];
    }
}

/* The best results of a sentence. */
typedef struct BestList {
    KBest *list;
    JointTree *tree; /* the next one; NULL: there are no more */
    JointScores scores;
    double log_z; /* -INFINITY: not wanted, a given label is unknown to the model, or scores are too large */
} BestList;

static Status best_begin(Worker *w, const GivenSearch *x, int n, BestList *b, Error *e)
{
    b->list = k_best_new(x->best, x->labels, w->m->net.span.n_labels, x->arcs, x->state, n, &w->scratch, e);
    if (!b->list || k_best_next(b->list, &w->scratch, &b->tree, e) != OK) return e->code;
    return b->tree ? OK : model_overflows(w->m, "scores of labels or arcs", e);
}

/* Sets b->log_z, and the confidence of p. */
static Status add_sums(Worker *w, const Scored *sc, const JointTree *tree, bool joint, bool given, Parsed *p,
                       BestList *b, Arena *out, Error *e)
{
    const ParseOptions *o = sc->o;
    Status status = OK;
    if (o->confidence) {
        const ConfidenceCase x = { &b->scores, tree, joint, w->m->c.arcs ? sc->arcs : NULL,
                                   given ? NULL : &w->m->joint.f1 };
        return confidence_new(&x, &w->scratch, out, p, &b->log_z, e);
    }
    if (o->k_best && o->arc_probability) status = joint_log_z(&b->scores, &w->scratch, &b->log_z, e);
    if (status == ERR_RANGE) *e = (Error){ .code = OK };
    return e->code;
}

/* Sets p->best to the best results, but for their types. */
static Status take_best(Worker *w, const Scored *sc, BestList *b, const char *const *own, Parsed *p, Arena *out,
                        Error *e)
{
    int n = p->n_words, k_best = sc->o->k_best;
    double log_sum;
    p->best = arena_calloc(out, (size_t)k_best, sizeof *p->best);
    while (p->best && b->tree && p->n_best < k_best) {
        Parsed *one = &p->best[p->n_best++];
        *one = (Parsed){ .n_words = n, .words = p->words, .given_tags = p->given_tags, .pieces = 1 };
        one->score = b->tree->score;
        one->probability = PROBABILITY_UNKNOWN;
        if (!take_tree(w->m, b->tree, own, n, one, out) || !add_arc_probabilities(sc, n, one, out))
            return error_set(e, ERR_NOMEM, "out of memory for a tree");
        if (b->log_z > -INFINITY) {
            if (joint_log_sum(&b->scores, b->tree, &w->scratch, &log_sum, e) != OK) return e->code;
            one->probability = fmin(1, exp(log_sum - b->log_z));
        }
        if (p->n_best == 1) one->confidence = p->confidence;
        if (p->n_best < k_best && k_best_next(b->list, &w->scratch, &b->tree, e) != OK) return e->code;
    }
    return p->best ? OK : error_set(e, ERR_NOMEM, "out of memory for a tree");
}

/* Weighs the scores of a sentence: labels by the model's lambda, arcs t [n + 1, n + 1] by the rest. */
static void weigh_scores(const Model *m, Scored *sc, int n, Real lambda, Real *t)
{
    for (long k = 0; k < chart_size(n); k++) {
        sc->best[k].any *= lambda;
        sc->best[k].proper *= lambda;
    }
    for (long k = 0; k < (long)(n + 1) * (n + 1); k++) t[k] = (1 - lambda) * sc->arcs[k];
    if (sc->labels) weigh_labels(sc, n, m->net.span.n_labels, lambda);
}

/* Decodes the sentence whose fenceposts begin at row `first`. ERR_NUMERIC where its scores are too large. */
static Status decode_sentence(Worker *w, Scored *sc, int first, const Given *given, Parsed *p, Arena *out, Error *e)
{
    const Model *m = w->m;
    int n = p->n_words;
    SpanBest *best = sc->best;
    Real *t = arena_alloc(&w->scratch, (size_t)(n + 1) * (size_t)(n + 1), sizeof *t);
    if (!t) return error_set(e, ERR_NOMEM, "out of memory for a chart of %d words", n);
    if (!scores_fit(best, sc->arcs, n)) return model_overflows(m, "scores of labels or arcs", e);
    Real lambda = !m->c.arcs ? 1 : !m->c.trees ? 0 : (Real)m->c.lambda;
    weigh_scores(m, sc, n, lambda, t);
    const GivenScores scores = { m, &w->forward, w->net.g, first, lambda, best, t, sc->labels };
    GivenSearch search = { .best = best, .arcs = t, .labels = sc->labels };
    JointTree *tree = given                        ? given_decode(&scores, given, p, &search, &w->scratch, out, e)
                      : m->c.decode == DECODE_ARCS ? decode_apart(m, best, t, n, &w->scratch, e)
                      : sc->o->k_best              ? NULL /* the first one of the list */
                                                   : joint_decode(best, t, n, &w->scratch, &w->scratch, e);
    if (!tree && e->code != OK) return e->code;
    BestList list = { .scores = { n, m->net.span.n_labels, search.labels, search.arcs, search.state, 1, 1 },
                      .log_z = -INFINITY };
    confidence_weights(m, (double)lambda, &list.scores);
    if (sc->o->k_best && best_begin(w, &search, n, &list, e) != OK) return e->code;
    if (!tree) tree = list.tree;
    if (!take_tree(m, tree, search.own, n, p, out)) return error_set(e, ERR_NOMEM, "out of memory for a tree");
    p->score = tree->score;
    sc->head_row[first] = first;
    for (int c = 0; c < n; c++) sc->head_row[first + c + 1] = first + tree->heads[c];
    if (!add_arc_probabilities(sc, n, p, out)) return error_set(e, ERR_NOMEM, "out of memory for a tree");
    bool joint = m->c.trees && m->c.arcs && (given || m->c.decode != DECODE_ARCS);
    if (add_sums(w, sc, tree, joint, given, p, &list, out, e) != OK) return e->code;
    return sc->o->k_best ? take_best(w, sc, &list, search.own, p, out, e) : OK;
}

/* In place of a tree, on the measuring device: all words are roots. */
static bool take_roots(Scored *sc, int first, Parsed *p, Arena *out)
{
    p->heads = arena_calloc(out, (size_t)p->n_words, sizeof *p->heads);
    for (int c = 0; c <= p->n_words; c++) sc->head_row[first + c] = first;
    return p->heads != NULL;
}

/* Are the scores of n words finite? */
static bool words_finite(const HostMatrix *scores, int first, int n)
{
    size_t cols = (size_t)scores->cols;
    for (int w = 0; w < n; w++)
        if (reals_finite(host_row(scores, first + w), cols) < cols) return false;
    return true;
}

/* The best type for a head, "root" if and only if it is 0, from scores x [n_types]. */
static const char *best_type(const Model *m, const Real *x, int n_types, int head)
{
    int best = -1;
    for (int y = 0; y < n_types; y++)
        if (y != m->root_type && (best < 0 || x[y] > x[best])) best = y;
    if ((head == 0 && m->root_type >= 0) || best < 0) best = m->root_type;
    return best >= 0 ? vocab_text(&m->types, best) : TYPE_NONE;
}

/* Further arcs of the best results, as rows of the batch. */
typedef struct BestArcs {
    int *dependent, *head, n;
    HostMatrix types; /* [n, n_types] their scores */
} BestArcs;

static int find_arc(const BestArcs *arcs, int from, int dependent, int head)
{
    for (int k = from; k < arcs->n; k++)
        if (arcs->dependent[k] == dependent && arcs->head[k] == head) return k;
    return -1;
}

/* Lists the arcs that the first result of a sentence does not have, each once. */
static bool list_arcs(const Worker *w, const Parsed *result, int n, Arena *scratch, BestArcs *arcs)
{
    size_t most = 0;
    for (int k = 0; k < n; k++) most += (size_t)result[k].n_best * (size_t)result[k].n_words;
    arcs->dependent = arena_alloc(scratch, most, sizeof *arcs->dependent);
    arcs->head = arena_alloc(scratch, most, sizeof *arcs->head);
    if (!arcs->dependent || !arcs->head) return false;
    for (int k = 0; k < n; k++) {
        int first = batch_fencepost(&w->packed.batch, k), from = arcs->n;
        for (int b = 1; b < result[k].n_best; b++)
            for (int c = 0; c < result[k].n_words; c++) {
                int head = result[k].best[b].heads[c], dependent = first + c + 1;
                if (head == result[k].heads[c] || find_arc(arcs, from, dependent, first + head) >= 0) continue;
                arcs->dependent[arcs->n] = dependent;
                arcs->head[arcs->n++] = first + head;
            }
    }
    return true;
}

/* The best type of each word, or the given one. arcs: where to look for heads that `one`, the first result, does not
 * have, or NULL. ERR_NUMERIC where scores are not finite. */
static Status choose_types(const Model *m, const HostMatrix *scores, int first, const BestArcs *arcs,
                           const Given *given, const Parsed *one, Parsed *p, Arena *out, Error *e)
{
    int n = p->n_words;
    p->types = arena_alloc(out, (size_t)n, sizeof *p->types);
    if (!p->types) return error_set(e, ERR_NOMEM, "out of memory for types");
    if (!words_finite(scores, first + 1, n)) return model_overflows(m, "scores of types", e);
    for (int c = 0; c < n; c++) {
        int row = first + c + 1, other = -1;
        if (p->heads[c] != one->heads[c]) other = find_arc(arcs, 0, row, first + p->heads[c]);
        const Real *x = other < 0 ? host_row(scores, row) : host_row(&arcs->types, other);
        p->types[c] = given ? given_type(m, given, p, c) : NULL;
        if (!p->types[c]) p->types[c] = best_type(m, x, scores->cols, p->heads[c]);
    }
    return OK;
}

static Status choose_tags(const Model *m, const HostMatrix *scores, int first_token, const ParseInput *in, bool shapes,
                          Arena *scratch, Parsed *p, Arena *out, Error *e)
{
    const char **tags = arena_alloc(out, (size_t)p->n_words, sizeof *tags);
    p->tags = tags;
    if (!tags) return error_set(e, ERR_NOMEM, "out of memory for tags");
    for (int c = 0; c < p->n_words; c++) {
        const Real *x = host_row(scores, first_token + c + 1);
        int best = N_RESERVED;
        for (int k = N_RESERVED + 1; k < scores->cols; k++)
            if (x[k] > x[best]) best = k;
        tags[c] = vocab_text(&m->tags, best);
    }
    bool (*tag_shapes)(const char *const *, const bool *, int, Arena *, const char **) = model_language(m)->tag_shapes;
    bool good = !shapes || !tag_shapes || tag_shapes(in->words, in->space_before, in->n_words, scratch, tags);
    return good ? OK : error_set(e, ERR_NOMEM, "out of memory for tags");
}

static Status choose_analysis(const Model *m, const HostMatrix *scores, int first_token, Parsed *p, Arena *out,
                              Error *e)
{
    AnalysedWord *words = arena_alloc(out, (size_t)p->n_words, sizeof *words);
    bool good = words != NULL;
    for (int c = 0; good && c < p->n_words; c++)
        good = analysis_choose(&m->analysis, p->words[c], host_row(scores, first_token + c + 1), out, &words[c]);
    p->analysis = words;
    return good ? OK : error_set(e, ERR_NOMEM, "out of memory for analyses of words");
}

/* ---- batches */

/* Scores of words, or none of them. */
typedef struct WordScores {
    HostMatrix tags, analysis;
} WordScores;

static Status run_network(Worker *w, const ParseInput *in, const Sentence *const *parse, int n, const ParseOptions *o,
                          Error *e)
{
    const Model *m = w->m;
    worker_begin(w, o->record, false, 0);
    BatchSentence *sentences = arena_alloc(&w->scratch, (size_t)n, sizeof *sentences);
    bool ok = sentences != NULL;
    for (int k = 0; k < n && ok; k++) {
        const char *const *words =
            model_fold(m, in[k].words, in[k].tags, in[k].space_before, in[k].n_words, &w->scratch);
        ok = words != NULL;
        sentences[k] = (BatchSentence){ .n = in[k].n_words, .words = words, .treebank = o->treebank };
        if (ok && in[k].tags && m->c.use_tags)
            ok = vocab_numbers(&m->tags, in[k].tags, in[k].n_words, &w->scratch, &sentences[k].tags);
    }
    if (!ok) return error_set(e, ERR_NOMEM, "out of memory packing sentences");
    Status status = worker_pack(w, sentences, parse, n, 0, e);
    return status == OK ? worker_forward(w, NULL, e) : status;
}

/* The best label of each span, and with `all` the scores of all of them; the device has done its work then. */
static Status fetch_spans(Worker *w, Scored *sc, bool all, Error *e)
{
    const Batch *b = &w->packed.batch;
    const SpanScorer *s = &w->m->net.span;
    int labels = s->n_labels - 1;
    long n = span_count(b);
    if (!all) {
        if (span_best_fetch(&w->forward, s, w->net.g, sc->mask, sc->best) == OK) tape_wait(&w->tape);
        return worker_status(w, e);
    }
    Real *to = sc->labels = arena_alloc(&w->scratch, (size_t)n * (size_t)labels, sizeof *sc->labels);
    if (!to) return error_set(e, ERR_NOMEM, "out of memory for the scores of labels");
    Status status = OK;
    for (int k = 0; status == OK && k < b->n_sent; k++) {
        status = span_scorer_fetch_all(&w->forward, s, w->net.g, batch_fencepost(b, k), batch_words(b, k), to);
        to += chart_size(batch_words(b, k)) * labels;
    }
    if (status == OK) tape_wait(&w->tape);
    if (worker_status(w, e) == OK && !w->tape.device->measures)
        device_cpu()->kernels->span_best(sc->best, sc->labels, labels, sc->mask, (int)n, s->n_labels);
    return worker_status(w, e);
}

/* The trees and arcs of all sentences. *head_row [rows]: the row of each word's head; *words: as they are; both in the
 * scratch arena. */
static Status decode_batch(Worker *w, const ParseInput *in, int n, const ParseOptions *o, int **head_row,
                           WordScores *words, Arena *out, Parsed *result, Error *e)
{
    const Batch *b = &w->packed.batch;
    Scored sc = { arena_alloc(&w->scratch, (size_t)span_count(b), sizeof(SpanBest)),
                  tensor_host_fetch(&w->tape, w->net.arc.arcs, &w->scratch).data,
                  NULL,
                  NULL,
                  arena_alloc(&w->scratch, (size_t)b->n_tokens, sizeof(int)),
                  o };
    Real *mask;
    *head_row = sc.head_row;
    words->tags = tensor_host_fetch(&w->tape, w->net.tags, &w->scratch);
    words->analysis = tensor_host_fetch(&w->tape, w->net.words, &w->scratch);
    if (!sc.head_row || !sc.best || !model_label_mask(w->m, o->treebank, &w->scratch, &mask))
        return error_set(e, ERR_NOMEM, "out of memory parsing");
    sc.mask = mask;
    if (!sc.arcs) return worker_status(w, e);
    if (fetch_spans(w, &sc, o->k_best > 0 || (o->confidence && w->m->c.trees), e) != OK) return e->code;
    Status status = OK;
    for (int k = 0; k < n && status == OK; k++) {
        result[k] = (Parsed){ .n_words = in[k].n_words, .words = in[k].words, .given_tags = in[k].tags, .pieces = 1 };
        if (w->lexicon.from.tokenizer) result[k].windows = w->packed.in.pieces.n_windows[k];
        ArenaMark mark = arena_mark(&w->scratch);
        int first = batch_fencepost(b, k);
        if (!w->tape.device->measures) status = decode_sentence(w, &sc, first, in[k].given, &result[k], out, e);
        else if (!take_roots(&sc, first, &result[k], out))
            status = error_set(e, ERR_NOMEM, "out of memory measuring sentences");
        arena_rewind(&w->scratch, mark);
        sc.arcs += batch_arcs(b, k);
        sc.best += chart_size(in[k].n_words);
        if (sc.labels) sc.labels += chart_size(in[k].n_words) * (w->m->net.span.n_labels - 1);
    }
    return status;
}

/* The types of the arcs that were chosen, tags and analyses; takes out what the model does not predict. Of a pass that
 * is * recorded, w->attention. */
static Status label_words(Worker *w, const ParseInput *in, int n, const ParseOptions *o, const int *head_row,
                          const WordScores *words, Arena *out, Parsed *result, Error *e)
{
    const Model *m = w->m;
    const Batch *b = &w->packed.batch;
    const HostMatrix *tags = &words->tags, *analysis = &words->analysis;
    w->types = arc_scorer_types(&w->forward, &m->net.arc, &w->net.arc, head_row);
    HostMatrix types = tensor_host_fetch(&w->tape, w->types, &w->scratch);
    if (o->record) w->attention = tensor_host_fetch(&w->tape, w->net.encoder.trace.probs, &w->scratch);
    BestArcs arcs = { .n = 0 };
    if (o->k_best && !list_arcs(w, result, n, &w->scratch, &arcs))
        return error_set(e, ERR_NOMEM, "out of memory for types");
    if (arcs.n)
        arcs.types = tensor_host_fetch(
            &w->tape, arc_scorer_arc_types(&w->forward, &m->net.arc, &w->net.arc, arcs.dependent, arcs.head, arcs.n),
            &w->scratch);
    if (!tape_wait(&w->tape)) return worker_status(w, e);
    Status s = OK;
    for (int k = 0; k < n && s == OK; k++) {
        s = choose_types(m, &types, batch_fencepost(b, k), &arcs, in[k].given, &result[k], &result[k], out, e);
        if (s == OK) confidence_types(m, &types, batch_fencepost(b, k), in[k].given, &result[k]);
        for (int r = 0; r < result[k].n_best && s == OK; r++)
            s = choose_types(m, &types, batch_fencepost(b, k), &arcs, in[k].given, &result[k], &result[k].best[r], out,
                             e);
        if (!m->c.arcs) result[k].heads = NULL;
        if (!m->c.trees) result[k].n_phrases = result[k].has_tree = 0;
        if (s == OK && tags->data && !words_finite(tags, b->start[k] + 1, in[k].n_words))
            s = model_overflows(m, "scores of tags", e);
        if (s == OK && !in[k].tags && tags->data)
            s = choose_tags(m, tags, b->start[k], &in[k], o->shape_tags, &w->scratch, &result[k], out, e);
        if (s == OK && analysis->data && !words_finite(analysis, b->start[k] + 1, in[k].n_words))
            s = model_overflows(m, "scores of analyses", e);
        if (s == OK && analysis->data) s = choose_analysis(m, analysis, b->start[k], &result[k], out, e);
        for (int r = 0; r < result[k].n_best; r++) {
            result[k].best[r].tags = result[k].tags;
            result[k].best[r].analysis = result[k].analysis;
            result[k].best[r].windows = result[k].windows;
        }
    }
    return s;
}

/* One pass. The thread waits for the device twice: for the scores of spans, arcs and tags, and, once it has found the
 * trees, for the types of their arcs. parse [n]: what masks are made from, NULL or entries of it: none. */
static Status run_pass(Worker *w, const ParseInput *in, const Sentence *const *parse, int n, const ParseOptions *o,
                       Arena *out, Parsed *result, Error *e)
{
    int *head_row = NULL;
    WordScores words;
    w->attention = (HostMatrix){ .data = NULL };
    Status status = run_network(w, in, parse, n, o, e);
    if (status == OK) status = decode_batch(w, in, n, o, &head_row, &words, out, result, e);
    if (status == OK) status = label_words(w, in, n, o, head_row, &words, out, result, e);
    if (status != OK) return status;
    return o->observe.batch ? o->observe.batch(o->observe.context, w, result, out, e) : OK;
}

/* ---- the parses that masks are made from */

/* Parses the batch without masks that read parses, by the model itself or by the model of the first pass. */
static Status first_pass(Worker *w, const ParseInput *in, int n, const ParseOptions *given, const Sentence **parse,
                         Error *e)
{
    bool self = encoder_options_source(&w->m->options) == SYNTAX_SELF;
    Status status = self ? OK : model_check_parses(w->m, false, false, e);
    Worker *first = self ? w : status == OK ? worker_first(w) : NULL;
    Parsed *parsed = arena_calloc(&w->parses, (size_t)n, sizeof *parsed);
    if (status != OK) return status;
    if (!first || !parsed) return error_set(e, ERR_NOMEM, "out of memory for the first pass");
    ParseOptions o = *given;
    o.no_syntax = true;
    o.record = o.arc_probability = o.confidence = false;
    o.k_best = 0;
    o.observe.batch = NULL;
    if (!self) {
        int k = vocab_find(&first->m->treebanks, vocab_text(&w->m->treebanks, given->treebank));
        o.treebank = k < 0 ? first->m->default_treebank : k;
    }
    status = run_pass(first, in, NULL, n, &o, &w->parses, parsed, e);
    for (int k = 0; k < n && status == OK; k++)
        if (!parse[k] && !(parse[k] = parsed_sentence(&parsed[k], &w->parses)))
            status = error_set(e, ERR_NOMEM, "out of memory for the first pass");
    return status;
}

/* *parse becomes NULL where no mask needs a parse. */
static Status find_parses(Worker *w, const ParseInput *in, int n, const ParseOptions *o, const Sentence *const **parse,
                          Error *e)
{
    SyntaxSource source = encoder_options_source(&w->m->options);
    *parse = NULL;
    if (o->no_syntax || source == SYNTAX_NONE) return OK;
    arena_reset(&w->parses);
    const Sentence **list = arena_alloc(&w->parses, (size_t)n, sizeof *list);
    if (!list) return error_set(e, ERR_NOMEM, "out of memory for parses");
    bool missing = false;
    for (int k = 0; k < n; k++) {
        list[k] = in[k].parse;
        missing = missing || !list[k];
    }
    *parse = list;
    bool made = source == SYNTAX_SELF || source == SYNTAX_FIRST_PASS;
    return made && missing ? first_pass(w, in, n, o, list, e) : OK;
}

Status parse_batch(Worker *w, const ParseInput *in, int n, const ParseOptions *o, Arena *out, Parsed *result, Error *e)
{
    const Sentence *const *parse;
    Status status = find_parses(w, in, n, o, &parse, e);
    if (status == OK) status = run_pass(w, in, parse, n, o, out, result, e);
    return model_unchanged(w->m, status, e);
}
