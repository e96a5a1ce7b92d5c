/* The network on a batch, best labels of spans to the host, trees by decode.h, then types,
 * tags and analyses; masks that read parses get them from a pass before. */
#include "parser/parse/parse.h"

#include <math.h>
#include <string.h>

#include "parser/model/model_file.h"
#include "parser/parse/confidence.h"
#include "parser/parse/decode.h"
#include "parser/parse/given.h"
#include "parser/parse/parse_network.h"
#include "parser/parse/places.h"
#include "parser/parse/rule_types.h"

bool parse_has_best(const Model *model) { return model->c.trees && model->c.arcs && model->c.decode != DECODE_ARCS; }

ParseOptions parse_defaults(const Model *model)
{
    return (ParseOptions){ .batch_tokens = 600,
                           .max_words = 120,
                           .max_memory = 2e9,
                           .treebank = model->default_treebank,
                           .shape_tags = true };
}

int parse_batch_end(const ParseInput *in, int n, int from, const ParseOptions *options)
{
    int tokens = in[from].n_words + 2, to = from + 1;
    while (to < n && tokens + in[to].n_words + 2 <= options->batch_tokens) tokens += in[to++].n_words + 2;
    return to;
}

/* Are the scores of n words finite? */
static bool words_finite(const HostMatrix *scores, int first, int n)
{
    size_t cols = (size_t)scores->cols;
    for (int w = 0; w < n; w++)
        if (reals_finite(host_row(scores, first + w), cols) < cols) return false;
    return true;
}

/* The best type for a head, "root" if and only if it is 0, from finite scores x [n_types]. rule: of the head rules. */
static const char *best_type(const Model *m, const Real *x, int n_types, int head, int rule)
{
    bool root = head == 0 && m->root_type >= 0;
    int best = -1;
    Real most = (Real)-INFINITY;
    for (int y = 0; y < n_types && !root; y++) {
        Real score = x[y] + rule_types_add(m, rule, y);
        if (y == m->root_type || !(score > most)) continue;
        most = score;
        best = y;
    }
    if (best < 0) best = m->root_type;
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
 * have, or NULL; rule [n_words]: of rule_types_find. ERR_NUMERIC where scores are not finite. */
static Status choose_types(const Model *m, const HostMatrix *scores, int first, const BestArcs *arcs, const int *rule,
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
        if (!p->types[c]) p->types[c] = best_type(m, x, scores->cols, p->heads[c], rule[c]);
    }
    return OK;
}

/* Chooses the tags of a sentence, unless they are given or the model has none; scores [rows, tags] may be without data.
 */
static Status find_tags(const Model *m, const HostMatrix *scores, int first_token, const ParseInput *in,
                        const ParseOptions *o, Arena *scratch, Parsed *p, Arena *out, Error *e)
{
    int place[4];
    bool places = places_find(m, place);
    if (!scores->data) return OK;
    if (!words_finite(scores, first_token + 1, in->n_words)) return model_overflows(m, "scores of tags", e);
    if (in->tags) return OK;
    const char **tags = arena_alloc(out, (size_t)p->n_words, sizeof *tags);
    p->tags = tags;
    if (!tags) return error_set(e, ERR_NOMEM, "out of memory for tags");
    const Real *first = host_row(scores, first_token + 1);
    bool found = !places || !o->places ||
                 places_choose(place, first, scores->cols, in->n_words, in->space_before, scratch, tags);
    if (!found) return error_set(e, ERR_NOMEM, "out of memory for tags");
    for (int c = 0; c < p->n_words && !(places && o->places); c++) {
        const Real *x = host_row(scores, first_token + c + 1);
        int best = N_RESERVED;
        for (int k = N_RESERVED + 1; k < scores->cols; k++)
            if (x[k] > x[best] && !(places && places_has(vocab_text(&m->tags, k)))) best = k;
        tags[c] = vocab_text(&m->tags, best);
    }
    bool (*tag_shapes)(const char *const *, const bool *, int, Arena *, const char **) = model_language(m)->tag_shapes;
    bool good = !o->shape_tags || !tag_shapes || tag_shapes(in->words, in->space_before, in->n_words, scratch, tags);
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
    w->packed.control.words_alone = o->places;
    return status == OK ? worker_forward(w, NULL, e) : status;
}

/* The best label of each span; the device has done its work then. */
static Status fetch_best(Worker *w, const DecodeScores *sc, Error *e)
{
    const SpanScorer *span = &parse_network(&w->m->net)->span;
    if (span_best_fetch(&w->forward, span, parse_scores(&w->net)->g, sc->mask, sc->best) == OK) tape_wait(&w->tape);
    return worker_status(w, e);
}

/* The scores of all labels of sentences from .. to - 1, in the scratch arena, and the best ones: sc->best is that of
 * `from`. The device has done its work then. */
static Status fetch_labels(Worker *w, DecodeScores *sc, int from, int to, Error *e)
{
    const Batch *b = &w->packed.batch;
    const SpanScorer *s = &parse_network(&w->m->net)->span;
    int labels = s->n_labels - 1;
    long n = 0;
    for (int k = from; k < to; k++) n += chart_size(batch_words(b, k));
    Real *x = sc->labels = arena_alloc(&w->scratch, (size_t)n * (size_t)labels, sizeof *sc->labels);
    if (!x) return error_set(e, ERR_NOMEM, "out of memory for the scores of labels");
    Status status = OK;
    for (int k = from; status == OK && k < to; k++) {
        status = span_scorer_fetch_all(&w->forward, s, parse_scores(&w->net)->g, batch_fencepost(b, k),
                                       batch_words(b, k), x);
        x += chart_size(batch_words(b, k)) * labels;
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
    const ParseScores *scores = parse_scores(&w->net);
    DecodeScores sc = { .best = arena_alloc(&w->scratch, (size_t)span_count(b), sizeof(SpanBest)),
                        .arcs = tensor_host_fetch(&w->tape, scores->arc.arcs, &w->scratch).data,
                        .head_row = arena_alloc(&w->scratch, (size_t)b->n_tokens, sizeof(int)),
                        .k_best = o->k_best,
                        .treebank = o->treebank,
                        .grammar = w->m->grammar.own && parse_has_best(w->m) && !o->by_score,
                        .marks = w->m->c.decode == DECODE_MARKS && w->m->c.arcs,
                        .confidence = o->confidence,
                        .arc_probability = o->arc_probability };
    Real *mask;
    *head_row = sc.head_row;
    words->tags = tensor_host_fetch(&w->tape, scores->tags, &w->scratch);
    words->analysis = tensor_host_fetch(&w->tape, scores->words, &w->scratch);
    if (!sc.head_row || !sc.best || !model_label_mask(w->m, o->treebank, &w->scratch, &mask))
        return error_set(e, ERR_NOMEM, "out of memory parsing");
    sc.mask = mask;
    if (!sc.arcs) return worker_status(w, e);
    bool all = o->k_best > 0 || ((o->confidence || sc.marks) && w->m->c.trees) || sc.grammar;
    for (int k = 0; k < n; k++) all = all || (in[k].given && in[k].given->n_bans);
    /* scores in host memory are computed sentence by sentence, which leaves them in the cache */
    bool each = all && w->tape.device->host_memory;
    Status status = !all ? fetch_best(w, &sc, e) : each ? OK : fetch_labels(w, &sc, 0, n, e);
    for (int k = 0; k < n && status == OK; k++) {
        result[k] = (Parsed){ .n_words = in[k].n_words, .words = in[k].words, .given_tags = in[k].tags, .pieces = 1 };
        if (w->lexicon.from.tokenizer) result[k].windows = w->packed.in.pieces.n_windows[k];
        ArenaMark mark = arena_mark(&w->scratch);
        int first = batch_fencepost(b, k);
        if (each && fetch_labels(w, &sc, k, k + 1, e) != OK) return e->code;
        status = find_tags(w->m, &words->tags, b->start[k], &in[k], o, &w->scratch, &result[k], out, e);
        if (status != OK) break;
        if (!w->tape.device->measures) status = decode_sentence(w, &sc, first, in[k].given, &result[k], out, e);
        else if (!decode_roots(&sc, first, &result[k], out))
            status = error_set(e, ERR_NOMEM, "out of memory measuring sentences");
        arena_rewind(&w->scratch, mark);
        sc.arcs += batch_arcs(b, k);
        sc.best += chart_size(in[k].n_words);
        if (all && !each) sc.labels += chart_size(in[k].n_words) * (parse_network(&w->m->net)->span.n_labels - 1);
    }
    return status;
}

/* Sets rule [n_words] to the types of the head rules, if they are asked, else to LABEL_NONE. */
static Status ask_rules(Worker *w, const ParseOptions *o, const Parsed *p, int *rule, Error *e)
{
    bool asked = w->m->head_rules && !o->by_score && p->has_tree && (p->tags || p->given_tags);
    for (int c = 0; c < p->n_words; c++) rule[c] = LABEL_NONE;
    bool good = !asked || rule_types_find(w->m, p, &w->scratch, rule);
    return good ? OK : error_set(e, ERR_NOMEM, "out of memory for types");
}

/* The types of the arcs that were chosen, tags and analyses; takes out what the model does not predict. Of a pass that
 * is recorded, w->attention. Sets w->rule_type. */
static Status label_words(Worker *w, const ParseInput *in, int n, const ParseOptions *o, const int *head_row,
                          const WordScores *words, Arena *out, Parsed *result, Error *e)
{
    const Model *m = w->m;
    const Batch *b = &w->packed.batch;
    const ArcScorer *arc = &parse_network(&m->net)->arc;
    const ArcFeatures *arc_features = &parse_scores(&w->net)->arc;
    const HostMatrix *analysis = &words->analysis;
    w->types = arc_scorer_types(&w->forward, arc, arc_features, head_row);
    HostMatrix types = tensor_host_fetch(&w->tape, w->types, &w->scratch);
    if (o->record) w->attention = tensor_host_fetch(&w->tape, w->net.encoder.trace.probs, &w->scratch);
    BestArcs arcs = { .n = 0 };
    if (o->k_best && !list_arcs(w, result, n, &w->scratch, &arcs))
        return error_set(e, ERR_NOMEM, "out of memory for types");
    if (arcs.n)
        arcs.types = tensor_host_fetch(
            &w->tape, arc_scorer_arc_types(&w->forward, arc, arc_features, arcs.dependent, arcs.head, arcs.n),
            &w->scratch);
    if (!tape_wait(&w->tape)) return worker_status(w, e);
    int *rule = arena_alloc(&w->scratch, 2 * (size_t)types.rows, sizeof *rule);
    if (!rule) return error_set(e, ERR_NOMEM, "out of memory for types");
    w->rule_type = rule;
    Status s = OK;
    for (int k = 0; k < n && s == OK; k++) {
        int first = batch_fencepost(b, k), *own = rule + first + 1, *other = own + types.rows;
        s = ask_rules(w, o, &result[k], own, e);
        if (s == OK) s = choose_types(m, &types, first, &arcs, own, in[k].given, &result[k], &result[k], out, e);
        if (s == OK) confidence_types(m, &types, first, own, in[k].given, &result[k]);
        for (int r = 0; r < result[k].n_best && s == OK; r++) {
            Parsed *best = &result[k].best[r];
            best->tags = result[k].tags;
            s = ask_rules(w, o, best, other, e);
            if (s == OK) s = choose_types(m, &types, first, &arcs, other, in[k].given, &result[k], best, out, e);
        }
        if (!m->c.arcs) result[k].heads = NULL;
        if (!m->c.trees) result[k].n_phrases = result[k].n_groups = result[k].has_tree = 0;
        if (s == OK && analysis->data && !words_finite(analysis, b->start[k] + 1, in[k].n_words))
            s = model_overflows(m, "scores of analyses", e);
        if (s == OK && analysis->data) s = choose_analysis(m, analysis, b->start[k], &result[k], out, e);
        for (int r = 0; r < result[k].n_best; r++) {
            result[k].best[r].analysis = result[k].analysis;
            result[k].best[r].windows = result[k].windows;
        }
    }
    return s;
}

/* Trees, arcs, types and tags from the scores of a pass. The thread waits for the device twice: for the scores of
 * spans, arcs and tags, and, once it has found the trees, for the types of their arcs. */
static Status decide(Worker *w, const ParseInput *in, int n, const ParseOptions *o, Arena *out, Parsed *result,
                     Error *e)
{
    int *head_row = NULL;
    WordScores words;
    w->attention = (HostMatrix){ .data = NULL };
    Status status = decode_batch(w, in, n, o, &head_row, &words, out, result, e);
    return status == OK ? label_words(w, in, n, o, head_row, &words, out, result, e) : status;
}

/* Tags alone. */
static Status decide_places(Worker *w, const ParseInput *in, int n, const ParseOptions *o, Arena *out, Parsed *result,
                            Error *e)
{
    HostMatrix tags = tensor_host_fetch(&w->tape, parse_scores(&w->net)->tags, &w->scratch);
    Status status = tape_wait(&w->tape) ? OK : worker_status(w, e);
    for (int k = 0; k < n && status == OK; k++) {
        result[k] = (Parsed){ .n_words = in[k].n_words, .words = in[k].words, .given_tags = in[k].tags, .pieces = 1 };
        status = find_tags(w->m, &tags, w->packed.batch.start[k], &in[k], o, &w->scratch, &result[k], out, e);
    }
    return status;
}

Status parse_from_outputs(Worker *worker, const ParseInput *in, int n, const ParseOptions *options, Arena *out,
                          Parsed *result, Error *error)
{
    parse_network_forward(&worker->forward, &worker->m->net, &worker->net);
    Status status = worker_status(worker, error);
    return status == OK ? decide(worker, in, n, options, out, result, error) : status;
}

/* One pass. parse [n]: what masks are made from, NULL or entries of it: none. */
static Status run_pass(Worker *w, const ParseInput *in, const Sentence *const *parse, int n, const ParseOptions *o,
                       Arena *out, Parsed *result, Error *e)
{
    Status status = run_network(w, in, parse, n, o, e);
    if (status == OK) status = (o->places ? decide_places : decide)(w, in, n, o, out, result, e);
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

Status parse_batch(Worker *worker, const ParseInput *in, int n, const ParseOptions *options, Arena *out, Parsed *result,
                   Error *error)
{
    const Sentence *const *parse;
    Status status = find_parses(worker, in, n, options, &parse, error);
    if (status == OK) status = run_pass(worker, in, parse, n, options, out, result, error);
    return model_unchanged(worker->m, status, error);
}
