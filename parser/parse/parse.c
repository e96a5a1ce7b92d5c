/* parser/parse/parse.c */
#include "parser/parse/parse.h"

#include <math.h>
#include <string.h>

#include "language/english/text/fold.h"
#include "language/english/text/shape.h"
#include "parser/model/head_inputs.h"
#include "parser/model/model_file.h"
#include "parser/parse/long_sentence.h"
#include "treebank/oracle.h"

ParseOptions parse_defaults(const Model *m)
{
    return (ParseOptions){
        .batch_tokens = 600, .max_words = 120, .max_memory = 2e9, .treebank = m->default_treebank, .shape_tags = true
    };
}

void parse_worker_init(ParseWorker *w, const Model *m, const Device *d)
{
    w->m = m;
    tape_init(&w->tape, d);
    lexicon_init(&w->lexicon, model_lexicon(m));
    arena_init(&w->scratch, (size_t)1 << 20);
    arena_init(&w->parses, (size_t)1 << 12);
    w->first = NULL;
}

void parse_worker_fini(ParseWorker *w)
{
    if (w->first) parse_worker_fini(w->first);
    mem_free(w->first);
    arena_fini(&w->parses);
    tape_fini(&w->tape);
    lexicon_fini(&w->lexicon);
    arena_fini(&w->scratch);
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
    int *head_row; /* [rows] filled while sentences are decoded */
    const ParseOptions *o;
} Scored;

static void arc_probabilities(const Real *arcs, const int *heads, int n, Real *prob)
{
    for (int c = 1; c <= n; c++) {
        const Real *row = arcs + (ptrdiff_t)c * (n + 1);
        double max = (double)row[0], sum = 0;
        for (int g = 1; g <= n; g++) max = fmax(max, (double)row[g]);
        for (int g = 0; g <= n; g++) sum += exp((double)row[g] - max);
        prob[c - 1] = (Real)(exp((double)row[heads[c - 1]] - max) / sum);
    }
}

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

static bool is_phrase(const Span *node) { return node->label > CHART_GROUP || node->label <= LABEL_OWN; }

/* The phrases among the nodes, and the heads. */
static bool take_tree(const JointTree *tree, int n, Parsed *p, Arena *out)
{
    int phrases = 0;
    for (int k = 0; k < tree->n_nodes; k++) phrases += is_phrase(&tree->nodes[k]);
    p->spans = arena_alloc(out, (size_t)phrases, sizeof *p->spans);
    p->heads = arena_alloc(out, (size_t)n, sizeof *p->heads);
    if (!p->spans || !p->heads) return false;
    for (int k = 0; k < tree->n_nodes; k++)
        if (is_phrase(&tree->nodes[k])) p->spans[p->n_spans++] = tree->nodes[k];
    memcpy(p->heads, tree->heads, (size_t)n * sizeof *p->heads);
    p->has_tree = true;
    return true;
}

/* Decodes the sentence whose fenceposts begin at row `first`. ERR_NUMERIC where its scores are too large. */
static Status decode_sentence(ParseWorker *w, Scored *sc, int first, const Given *given, Parsed *p, Arena *out,
                              Error *e)
{
    const Model *m = w->m;
    int n = p->n_words;
    SpanBest *best = sc->best;
    Real *t = arena_alloc(&w->scratch, (size_t)(n + 1) * (size_t)(n + 1), sizeof *t);
    if (!t) return error_set(e, ERR_NOMEM, "out of memory for a chart of %d words", n);
    if (!scores_fit(best, sc->arcs, n))
        return error_set(e, ERR_NUMERIC,
                         "found scores of a sentence above %g or not finite: the model's weights are too large",
                         SCORE_MOST);
    Real lambda = !m->c.arcs ? 1 : !m->c.trees ? 0 : (Real)m->c.lambda;
    for (long k = 0; k < chart_size(n); k++) {
        best[k].any *= lambda;
        best[k].proper *= lambda;
    }
    for (long k = 0; k < (long)(n + 1) * (n + 1); k++) t[k] = (1 - lambda) * sc->arcs[k];
    const GivenScores scores = { m, &w->forward, w->net.g, first, lambda, best, t };
    JointTree *tree = given ? given_decode(&scores, given, p, &w->scratch, out, e)
                            : joint_decode(best, t, n, &w->scratch, &w->scratch, e);
    if (!tree) return e->code;
    if (!take_tree(tree, n, p, out)) return error_set(e, ERR_NOMEM, "out of memory for a tree");
    p->score = tree->score;
    sc->head_row[first] = first;
    for (int c = 0; c < n; c++) sc->head_row[first + c + 1] = first + tree->heads[c];
    if (sc->o->arc_probability) {
        p->arc_prob = arena_alloc(out, (size_t)n, sizeof *p->arc_prob);
        if (!p->arc_prob) return error_set(e, ERR_NOMEM, "out of memory for a tree");
        arc_probabilities(sc->arcs, tree->heads, n, p->arc_prob);
    }
    return OK;
}

/* In place of a tree, on the measuring device: all words are roots. */
static bool take_roots(Scored *sc, int first, Parsed *p, Arena *out)
{
    p->heads = arena_calloc(out, (size_t)p->n_words, sizeof *p->heads);
    for (int c = 0; c <= p->n_words; c++) sc->head_row[first + c] = first;
    return p->heads != NULL;
}

/* The best type of each word, or the given one; "root" if and only if the head is 0. ERR_NUMERIC where scores are not
 * finite. */
static Status choose_types(const Model *m, const HostMatrix *scores, int first, const Given *given, Parsed *p,
                           Arena *out, Error *e)
{
    int n = p->n_words;
    p->types = arena_alloc(out, (size_t)n, sizeof *p->types);
    if (!p->types) return error_set(e, ERR_NOMEM, "out of memory for types");
    for (int c = 0; c < n; c++) {
        const Real *x = host_row(scores, first + c + 1);
        int best = LABEL_NONE;
        if (reals_finite(x, (size_t)scores->cols) < (size_t)scores->cols)
            return error_set(e, ERR_NUMERIC,
                             "found scores of types that are not finite: the model's weights are too large");
        for (int y = 0; y < scores->cols; y++)
            if (y != m->root_type && (best < 0 || x[y] > x[best])) best = y;
        if ((p->heads[c] == 0 && m->root_type >= 0) || best < 0) best = m->root_type;
        int type = given ? given_type(m, given, p, c) : LABEL_NONE;
        p->types[c] = type >= 0 ? type : best;
    }
    return OK;
}

/* The direction of a double quote, from the word as it is folded. */
static Shape quote_shape(const char *word, const char *folded)
{
    bool apostrophe = word[0] == '\'' || strcmp(word, "’") == 0;
    if (apostrophe || strlen(folded) != 2) return SHAPE_NONE;
    return strcmp(folded, "``") == 0 ? SHAPE_OPENING : strcmp(folded, "''") == 0 ? SHAPE_CLOSING : SHAPE_NONE;
}

/* Replaces tags by those of shapes. */
static Status take_shapes(const ParseInput *in, int *tags, Arena *scratch, Error *e)
{
    const char **folded = fold_words(in->words, NULL, in->space_before, in->n_words, scratch);
    if (!folded) return error_set(e, ERR_NOMEM, "out of memory for tags");
    for (int c = 0; c < in->n_words; c++) {
        Shape shape = quote_shape(in->words[c], folded[c]);
        if (!shape) shape = shape_of(in->words[c]);
        if (shape) tags[c] = -(int)shape;
    }
    return OK;
}

static Status choose_tags(const HostMatrix *scores, int first_token, const ParseInput *in, bool shapes, Arena *scratch,
                          Parsed *p, Arena *out, Error *e)
{
    int n = p->n_words, *tags = arena_alloc(out, (size_t)n, sizeof *tags);
    p->tags = tags;
    if (!tags) return error_set(e, ERR_NOMEM, "out of memory for tags");
    for (int c = 0; c < n; c++) {
        const Real *x = host_row(scores, first_token + c + 1);
        tags[c] = N_RESERVED;
        for (int k = N_RESERVED + 1; k < scores->cols; k++)
            if (x[k] > x[tags[c]]) tags[c] = k;
    }
    return shapes ? take_shapes(in, tags, scratch, e) : OK;
}

/* ---- batches */

static Status pack_inputs(ParseWorker *w, const ParseInput *in, const Sentence *const *parse, int n,
                          const ParseOptions *o, PackedBatch *packed, Error *e)
{
    const Model *m = w->m;
    BatchSentence *sentences = arena_alloc(&w->scratch, (size_t)n, sizeof *sentences);
    bool ok = sentences != NULL;
    for (int s = 0; s < n && ok; s++) {
        const char *const *words = in[s].words;
        if (m->c.fold) words = fold_words(words, in[s].tags, in[s].space_before, in[s].n_words, &w->scratch);
        ok = words != NULL;
        sentences[s] = (BatchSentence){ .n = in[s].n_words, .words = words, .treebank = o->treebank };
        if (ok && in[s].tags && m->c.use_tags)
            ok = vocab_numbers(&m->tags, in[s].tags, in[s].n_words, &w->scratch, &sentences[s].tags);
    }
    if (!ok) return error_set(e, ERR_NOMEM, "out of memory packing sentences");
    Status s = batch_pack(&w->lexicon, sentences, n, 0, &w->scratch, packed, e);
    return s == OK ? head_inputs_control(m, sentences, parse, n, packed, &w->scratch, e) : s;
}

static Status tape_error(const ParseWorker *w, Error *e)
{
    *e = w->tape.error;
    return e->code;
}

/* Fills w->packed, w->forward and w->net. */
static Status run_network(ParseWorker *w, const ParseInput *in, const Sentence *const *parse, int n,
                          const ParseOptions *o, Error *e)
{
    const Model *m = w->m;
    arena_reset(&w->scratch);
    lexicon_trim(&w->lexicon);
    tape_reset(&w->tape, o->record, false, 0);
    Status s = pack_inputs(w, in, parse, n, o, &w->packed, e);
    if (s != OK) return s;
    w->forward = (Forward){ &w->tape, &m->ps, NULL, &w->packed.batch, w->packed.sentence_of, .brief = !o->record };
    w->packed.in.pieces.apart = true;
    s = network_forward(&w->forward, &m->net, &w->packed.in, &w->packed.control, &w->net);
    return s == OK ? OK : tape_error(w, e);
}

/* The trees and arcs of all sentences. *head_row [rows]: the row of each word's head; *tags: scores of tags, or none;
 * both in the scratch arena. */
static Status decode_batch(ParseWorker *w, const ParseInput *in, int n, const ParseOptions *o, int **head_row,
                           HostMatrix *tags, Arena *out, Parsed *result, Error *e)
{
    const Batch *b = &w->packed.batch;
    Scored sc = { arena_alloc(&w->scratch, (size_t)span_count(b), sizeof(SpanBest)),
                  tensor_host_fetch(&w->tape, w->net.arc.arcs, &w->scratch).data,
                  arena_alloc(&w->scratch, (size_t)b->n_tokens, sizeof(int)), o };
    Real *mask;
    *head_row = sc.head_row;
    *tags = tensor_host_fetch(&w->tape, w->net.tags, &w->scratch);
    if (!sc.head_row || !sc.best || !model_label_mask(w->m, o->treebank, &w->scratch, &mask))
        return error_set(e, ERR_NOMEM, "out of memory parsing");
    if (!sc.arcs || span_best_fetch(&w->forward, &w->m->net.span, w->net.g, mask, sc.best) != OK ||
        !tape_wait(&w->tape))
        return tape_error(w, e);
    Status s = OK;
    for (int k = 0; k < n && s == OK; k++) {
        result[k] = (Parsed){ .n_words = in[k].n_words, .words = in[k].words, .given_tags = in[k].tags, .pieces = 1 };
        if (w->lexicon.from.tokenizer) result[k].windows = w->packed.in.pieces.n_windows[k];
        ArenaMark mark = arena_mark(&w->scratch);
        int first = batch_fencepost(b, k);
        if (!w->tape.device->measures) s = decode_sentence(w, &sc, first, in[k].given, &result[k], out, e);
        else if (!take_roots(&sc, first, &result[k], out))
            s = error_set(e, ERR_NOMEM, "out of memory measuring sentences");
        arena_rewind(&w->scratch, mark);
        sc.arcs += batch_arcs(b, k);
        sc.best += chart_size(in[k].n_words);
    }
    return s;
}

/* The types of the arcs that were chosen, and the tags; takes out what the model does not predict. Of a pass that is
 * recorded, w->attention. */
static Status label_words(ParseWorker *w, const ParseInput *in, int n, const ParseOptions *o, const int *head_row,
                          const HostMatrix *tags, Arena *out, Parsed *result, Error *e)
{
    const Model *m = w->m;
    const Batch *b = &w->packed.batch;
    w->types = arc_scorer_types(&w->forward, &m->net.arc, &w->net.arc, head_row);
    HostMatrix types = tensor_host_fetch(&w->tape, w->types, &w->scratch);
    if (o->record) w->attention = tensor_host_fetch(&w->tape, w->net.encoder.trace.probs, &w->scratch);
    if (!tape_wait(&w->tape)) return tape_error(w, e);
    Status s = OK;
    for (int k = 0; k < n && s == OK; k++) {
        s = choose_types(m, &types, batch_fencepost(b, k), in[k].given, &result[k], out, e);
        if (!m->c.arcs) result[k].heads = NULL;
        if (!m->c.trees) result[k].n_spans = result[k].has_tree = 0;
        if (s == OK && !in[k].tags && tags->data)
            s = choose_tags(tags, b->start[k], &in[k], o->shape_tags, &w->scratch, &result[k], out, e);
    }
    return s;
}

/* One pass. The thread waits for the device twice: for the scores of spans, arcs and tags, and, once it has found the
 * trees, for the types of their arcs. parse [n]: what masks are made from, NULL or entries of it: none. */
static Status run_pass(ParseWorker *w, const ParseInput *in, const Sentence *const *parse, int n, const ParseOptions *o,
                       Arena *out, Parsed *result, Error *e)
{
    int *head_row = NULL;
    HostMatrix tags;
    w->attention = (HostMatrix){ .data = NULL };
    Status s = run_network(w, in, parse, n, o, e);
    if (s == OK) s = decode_batch(w, in, n, o, &head_row, &tags, out, result, e);
    if (s == OK) s = label_words(w, in, n, o, head_row, &tags, out, result, e);
    if (s != OK) return s;
    return o->observe.batch ? o->observe.batch(o->observe.context, w, result, out, e) : OK;
}

/* ---- the parses that masks are made from */

/* The worker of the model of the first pass; NULL: out of memory. */
static ParseWorker *first_worker(ParseWorker *w)
{
    if (w->first) return w->first;
    w->first = mem_alloc(1, sizeof *w->first);
    if (w->first) parse_worker_init(w->first, w->m->first, w->tape.device);
    return w->first;
}

ParseNeed parse_worker_need(const ParseWorker *w)
{
    ParseNeed need = { .own = tape_need(&w->tape) };
    if (w->first) need.first = tape_need(&w->first->tape);
    return need;
}

bool parse_worker_reserve(ParseWorker *w, ParseNeed need)
{
    if (!tape_reserve(&w->tape, need.own)) return false;
    return !need.first.numbers || (first_worker(w) && tape_reserve(&w->first->tape, need.first));
}

/* Parses the batch without masks that read parses, by the model itself or by that of the first pass. */
static Status first_pass(ParseWorker *w, const ParseInput *in, int n, const ParseOptions *given, const Sentence **parse,
                         Error *e)
{
    bool self = encoder_options_source(&w->m->options) == SYNTAX_SELF;
    Status s = self ? OK : model_check_parses(w->m, false, false, e);
    ParseWorker *first = self ? w : s == OK ? first_worker(w) : NULL;
    Parsed *parsed = arena_calloc(&w->parses, (size_t)n, sizeof *parsed);
    if (s != OK) return s;
    if (!first || !parsed) return error_set(e, ERR_NOMEM, "out of memory for the first pass");
    ParseOptions o = *given;
    o.no_syntax = true;
    o.record = o.arc_probability = false;
    o.observe.batch = NULL;
    if (!self) {
        int k = vocab_find(&first->m->treebanks, vocab_text(&w->m->treebanks, given->treebank));
        o.treebank = k < 0 ? first->m->default_treebank : k;
    }
    s = run_pass(first, in, NULL, n, &o, &w->parses, parsed, e);
    for (int k = 0; k < n && s == OK; k++)
        if (!parse[k] && !(parse[k] = parsed_sentence(first->m, &parsed[k], &w->parses)))
            s = error_set(e, ERR_NOMEM, "out of memory for the first pass");
    return s;
}

/* *parse becomes NULL where no mask needs a parse. */
static Status find_parses(ParseWorker *w, const ParseInput *in, int n, const ParseOptions *o,
                          const Sentence *const **parse, Error *e)
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

static Status parse_packed(ParseWorker *w, const ParseInput *in, int n, const ParseOptions *o, Arena *out,
                           Parsed *result, Error *e)
{
    const Sentence *const *parse;
    Status s = find_parses(w, in, n, o, &parse, e);
    return s == OK ? run_pass(w, in, parse, n, o, out, result, e) : s;
}

/* ---- batches with long sentences */

/* The pieces of a long sentence, as many in a batch as fit. */
static Status parse_pieces(ParseWorker *w, const ParseInput *in, const int *end, int n, const ParseOptions *o,
                           Arena *out, Parsed *result, Error *e)
{
    Status s = OK;
    ParseInput *part = mem_alloc((size_t)n, sizeof *part);
    Parsed *piece = mem_calloc((size_t)n, sizeof *piece);
    if (!part || !piece) s = error_set(e, ERR_NOMEM, "out of memory for a long sentence");
    for (int k = 0; k < n && s == OK; k++)
        if (!long_sentence_part(in, k ? end[k - 1] : 0, end[k], out, &part[k]))
            s = error_set(e, ERR_NOMEM, "out of memory for a long sentence");
    for (int from = 0, to; from < n && s == OK; from = to) {
        to = parse_batch_end(part, n, from, o);
        s = parse_packed(w, part + from, to - from, o, out, piece + from, e);
    }
    if (s == OK) s = long_sentence_join(w->m, piece, n, in, out, result, e);
    mem_free(part);
    mem_free(piece);
    return s;
}

static Status parse_long(ParseWorker *w, const ParseInput *in, const ParseOptions *o, Arena *out, Parsed *result,
                         Error *e)
{
    int *end, n;
    Status s = long_sentence_cut(in, o, out, &end, &n, e);
    return s == OK ? parse_pieces(w, in, end, n, o, out, result, e) : s;
}

static Status parse_all(ParseWorker *w, const ParseInput *in, int n, const ParseOptions *o, Arena *out, Parsed *result,
                        Error *e)
{
    Status s = OK;
    for (int from = 0; from < n && s == OK;) {
        if (in[from].n_words == 0) {
            result[from++] = (Parsed){ .pieces = 1 };
            continue;
        }
        if (long_sentence_exceeds(&in[from], o)) {
            s = parse_long(w, &in[from], o, out, &result[from], e);
            from++;
            continue;
        }
        int to = from;
        while (to < n && in[to].n_words > 0 && !long_sentence_exceeds(&in[to], o)) to++;
        s = parse_packed(w, in + from, to - from, o, out, result + from, e);
        from = to;
    }
    return s;
}

Status parse_batch(ParseWorker *w, const ParseInput *in, int n, const ParseOptions *o, Arena *out, Parsed *result,
                   Error *e)
{
    return model_unchanged(w->m, parse_all(w, in, n, o, out, result, e), e);
}

/* ---- strings */

static const char *tag_name(const Model *m, int tag)
{
    return tag < 0 ? shape_tag((Shape)-tag) : tag == TOKEN_UNKNOWN ? "XX" : vocab_text(&m->tags, tag);
}

static const char *type_name(const Model *m, int type)
{
    return type >= 0 ? vocab_text(&m->types, type) : type == LABEL_JOINED ? "dep" : "_";
}

/* Phrases with the labels of their unary chains, to be undone. */
static Phrase *named_chains(const Model *m, const Parsed *p, Arena *arena)
{
    Phrase *nodes = arena_alloc(arena, (size_t)p->n_spans, sizeof *nodes);
    for (int k = 0; nodes && k < p->n_spans; k++) {
        const Span *x = &p->spans[k];
        const char *label = x->label == LABEL_JOINED ? LABEL_ROOT
                            : x->label <= LABEL_OWN  ? p->own_labels[LABEL_OWN - x->label]
                                                     : vocab_text(&m->labels, x->label);
        nodes[k] = (Phrase){ x->begin, x->end, label };
    }
    return nodes;
}

Sentence *parsed_sentence(const Model *m, const Parsed *p, Arena *arena)
{
    size_t n = (size_t)p->n_words;
    Sentence *sent = arena_calloc(arena, 1, sizeof *sent);
    if (!sent) return NULL;
    sent->n_words = p->n_words;
    sent->words = (const char **)(uintptr_t)p->words;
    sent->tags = (const char **)(uintptr_t)p->given_tags;
    sent->heads = p->heads;
    if (p->tags && !(sent->tags = arena_alloc(arena, n, sizeof *sent->tags))) return NULL;
    for (int w = 0; p->tags && w < p->n_words; w++) sent->tags[w] = tag_name(m, p->tags[w]);
    if (p->types && !(sent->types = arena_alloc(arena, n, sizeof *sent->types))) return NULL;
    for (int w = 0; p->types && w < p->n_words; w++) sent->types[w] = type_name(m, p->types[w]);
    if (!p->has_tree) return sent;
    const Phrase *nodes = named_chains(m, p, arena);
    return nodes && oracle_undo(nodes, p->n_spans, sent, arena) ? sent : NULL;
}
