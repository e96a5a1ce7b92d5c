#include "parser/heads/head_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lal/decoder.h"
#include "parser/heads/head_report_internal.h"
#include "parser/heads/task_heads.h"
#include "parser/model/head_inputs.h"
#include "parser/parse/parse_network.h"
#include "parser/task/use.h"
#include "tensor/share.h"

/* ---- counts of training sentences */

void training_counts_init(TrainingCounts *counts)
{
    *counts = (TrainingCounts){ 0 };
    vocab_init(&counts->words);
    vocab_init(&counts->df);
}

void training_counts_fini(TrainingCounts *counts)
{
    vocab_fini(&counts->words);
    vocab_fini(&counts->df);
}

void head_report_offsets(RelationOffsets *offsets, const Sentence *sent)
{
    if (!sent->heads || !sent->types) return;
    relation_offsets_add(offsets, &(PatternSentence){ .n = sent->n_words, .heads = sent->heads, .types = sent->types });
}

Status training_counts_add(TrainingCounts *counts, const Sentence *sent, Error *error)
{
    bool ok = head_inputs_count(&counts->df, (const char *const *)sent->words, sent->n_words);
    for (int w = 0; ok && w < sent->n_words; w++)
        ok = vocab_count(&counts->words, sent->words[w], strlen(sent->words[w]), 1) >= 0;
    head_report_offsets(&counts->offsets, sent);
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory counting words");
}

/* The count of the 500th most frequent word, or of the last one. */
static int count_of_500th(const TrainingCounts *t)
{
    enum { MOST = 500 };
    int top[MOST], n = 0;
    for (int k = 0; k < vocab_size(&t->words); k++) {
        int c = t->words.counts[k], at = n < MOST ? n++ : MOST - 1;
        if (at == MOST - 1 && n == MOST && k >= MOST && c <= top[at]) continue;
        for (; at > 0 && top[at - 1] < c; at--) top[at] = top[at - 1];
        top[at] = c;
    }
    return n ? top[n - 1] : 0;
}

/* ---- set up */

static Status take_patterns(HeadReport *r, const char *const *patterns, int n, Error *e)
{
    Status s = OK;
    r->n_patterns = patterns ? n : PATTERN_LABEL_SPAN; /* which needs a label */
    if (r->n_patterns > REPORT_PATTERNS)
        return error_set(e, ERR_USAGE, "found %d patterns, expected at most %d", n, REPORT_PATTERNS);
    for (int k = 0; k < r->n_patterns && s == OK; k++) {
        r->pattern_text[k] = patterns ? patterns[k] : pattern_name((PatternKind)k);
        s = pattern_read(&r->pattern[k], r->pattern_text[k], NULL, &r->strings, e);
        if (s == OK && pattern_is_weighted(r->pattern[k].kind))
            s = error_set(e, ERR_USAGE, "pattern %s has weights, expected one that is a set", r->pattern_text[k]);
        if (s == OK) s = global_relevance_init(&r->gr[k], r->functions[0].heads, e);
    }
    return s;
}

HeadLayer head_report_layer(const HeadReport *report, int layer)
{
    const Encoder *enc = &report->m->net.encoder;
    const int own = enc->c.n_layers + encoder_has_label_heads(enc);
    if (layer < own) return (HeadLayer){ layer < enc->c.n_layers ? HEADS_SELF : HEADS_LABEL, layer };
    if (layer < report->stack_layer[1]) return (HeadLayer){ HEADS_PRETRAINED, layer - own };
    int stack = layer < report->stack_layer[2] ? 1 : 2;
    return (HeadLayer){ stack == 1 ? HEADS_DECODER : HEADS_CROSS, layer - report->stack_layer[stack] };
}

/* The stack of a decoder's layer. */
static DecoderStack stack_of(HeadLayer at) { return at.kind == HEADS_DECODER ? DECODER_SELF : DECODER_CROSS; }

static int heads_of(const HeadReport *r, int l)
{
    const HeadLayer at = head_report_layer(r, l);
    return at.kind <= HEADS_LABEL        ? encoder_heads(&r->m->net.encoder, at.l)
           : at.kind == HEADS_PRETRAINED ? r->m->pretrained.n_heads
                                         : decoder_heads(network_decoder(&r->m->net), stack_of(at), at.l);
}

static Status count_heads(HeadReport *r, Error *e)
{
    const Encoder *enc = &r->m->net.encoder;
    const int decoder = network_decoder(&r->m->net)->c.n_layers;
    const int own = enc->c.n_layers + encoder_has_label_heads(enc);
    r->n_stacks = decoder ? REPORT_STACKS : 1;
    r->stack_layer[1] = own + r->m->pretrained.n_layers;
    for (int k = 1; k < r->n_stacks; k++) r->stack_layer[k + 1] = r->stack_layer[k] + decoder;
    r->n_layers = r->stack_layer[r->n_stacks];
    if (r->n_layers == 0) return error_set(e, ERR_CONFIG, "the model has no attention heads");
    for (int l = 0; l < r->n_layers; l++) r->first[l + 1] = r->first[l] + heads_of(r, l);
    r->n_heads = r->first[r->n_layers];
    r->own_heads = decoder ? r->n_heads : r->first[own];
    Status s = OK;
    for (int k = 0; k < r->n_stacks && s == OK; k++)
        s = head_functions_init(&r->functions[k], r->first[r->stack_layer[k + 1]] - r->first[r->stack_layer[k]], e);
    return s;
}

/* Block k of the memory of sums. */
static Status make_sums(HeadReport *r, Error *e)
{
    double **const all[] = { &r->share[0],   &r->share[1],   &r->part[0],      &r->part[1],      &r->gate,
                             &r->gate_token, &r->gate_value, &r->taylor_param, &r->taylor_group, &r->masked };
    enum { BLOCKS = sizeof all / sizeof *all };
    double *memory = mem_calloc(BLOCKS * (size_t)r->n_heads, sizeof *memory);
    if (!memory) return error_set(e, ERR_NOMEM, "out of memory for %d heads", r->n_heads);
    for (int k = 0; k < BLOCKS; k++) *all[k] = memory + (size_t)k * (size_t)r->n_heads;
    return OK;
}

static Status read_gates(HeadReport *r, Error *e)
{
    const Encoder *enc = &r->m->net.encoder;
    Status s = OK;
    for (int l = 0; l < r->n_layers && s == OK; l++) {
        const HeadLayer at = head_report_layer(r, l);
        const HeadGate *g = at.kind >= HEADS_DECODER ? decoder_gate(network_decoder(&r->m->net), stack_of(at), at.l)
                            : at.kind != HEADS_PRETRAINED && enc->gated[l] && heads_of(r, l) > 0 ? &enc->gate[l]
                                                                                                 : NULL;
        for (int h = r->first[l]; h < r->first[l + 1]; h++) r->gate_value[h] = NAN;
        if (g) s = head_gate_values(g, &r->m->ps, r->gate_value + r->first[l], e);
        r->has_gates = r->has_gates || g;
    }
    return s;
}

Status head_report_init(HeadReport *report, const Model *model, const TrainingCounts *counts,
                        const char *const *patterns, int n_patterns, bool importance, Error *error)
{
    *report = (HeadReport){ .m = model, .counts = counts, .importance = importance };
    for (int k = 0; k < EXPLAINED; k++) {
        report->explained_name[k] = task_use(model->task)->heads->explained[k];
        report->explain[k] = report->explained_name[k] != NULL;
    }
    arena_init(&report->strings, 1024);
    Status s = count_heads(report, error);
    if (s == OK) s = make_sums(report, error);
    if (s == OK) s = read_gates(report, error);
    if (s == OK && importance && !(report->grads = mem_calloc(model->ps.trained, sizeof *report->grads)))
        s = error_set(error, ERR_NOMEM, "out of memory for gradients");
    if (s == OK) s = take_patterns(report, patterns, n_patterns, error);
    if (s != OK || !counts) return s;
    for (int k = 0; k < report->n_stacks; k++) report->functions[k].rare_below = count_of_500th(counts);
    head_report_baselines(report, &counts->offsets, false);
    return OK;
}

void head_report_baselines(HeadReport *report, const RelationOffsets *offsets, bool own)
{
    if (own) report->arcs = *offsets;
    for (int k = 0; k < HEAD_RELATIONS; k++)
        for (int d = 0; d < 2; d++) {
            int *offset = &report->functions[0].offset[k][d];
            if (*offset) continue;
            *offset = relation_offsets_best(offsets, k, d);
            report->own_baselines = report->own_baselines || (own && *offset);
        }
}

void head_report_own_baselines(HeadReport *report, const Sentence *sent, int n)
{
    RelationOffsets offsets = { 0 };
    for (int k = 0; k < n; k++) head_report_offsets(&offsets, &sent[k]);
    head_report_baselines(report, &offsets, true);
}

void head_report_fini(HeadReport *report)
{
    mem_free(report->share[0]); /* the first of one block */
    mem_free(report->grads);
    if (report->on_device) report->device->free(report->on_device);
    for (int k = 0; k < REPORT_STACKS; k++) head_functions_fini(&report->functions[k]);
    arena_fini(&report->strings);
    for (int k = 0; k < REPORT_PATTERNS; k++) global_relevance_fini(&report->gr[k]);
}

/* ---- one sentence */

Status head_report_weights(const HeadReport *report, Worker *worker, Arena *arena, HeadWeights *out, Error *error)
{
    Status s = word_attention_own(worker, arena, out, error);
    return s == OK && report->own_heads < report->n_heads
               ? word_attention_pretrained(worker, arena, out + report->own_heads, error)
               : s;
}

Status head_report_show(const HeadReport *report, Worker *worker, const Sentence *sent, int head,
                        const struct HeadNames *names, long number, PutAttention *put, StrBuf *out, Error *error)
{
    Arena a;
    arena_init(&a, (size_t)1 << 16);
    HeadWeights *weights = arena_alloc(&a, (size_t)report->n_heads, sizeof *weights);
    Status s = weights ? head_report_weights(report, worker, &a, weights, error)
                       : error_set(error, ERR_NOMEM, "out of memory inspecting heads");
    if (s == OK) {
        const char *const *words = (const char *const *)sent->words;
        const AttentionNames of = { words, words, 1, sent->n_words, sent->n_words, false };
        put(out, report, names, head, &of, number, &weights[head]);
    }
    arena_fini(&a);
    return s;
}

/* What patterns read of a sentence, and how often its words were in training. */
static Status pattern_sentence(const HeadReport *r, const Sentence *sent, Arena *a, PatternSentence *out, int **counts,
                               Error *e)
{
    *counts = NULL;
    Status status = head_inputs_sentence(sent, NULL, r->counts ? &r->counts->df : NULL, a, out, e);
    if (status != OK || !r->counts) return status;
    *counts = arena_alloc(a, (size_t)sent->n_words, sizeof **counts);
    if (!*counts) return error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    for (int w = 0; w < sent->n_words; w++) {
        int k = vocab_find(&r->counts->words, sent->words[w]);
        (*counts)[w] = k >= 0 ? r->counts->words.counts[k] : 0;
    }
    return OK;
}

Status head_report_add_patterns(HeadReport *report, const PatternSentence *sentence, const HeadWeights *weights,
                                Arena *arena, Error *error)
{
    uint8_t *allowed = arena_alloc(arena, (size_t)(sentence->n + 2), (size_t)(sentence->n + 2));
    Status status = allowed ? OK : error_set(error, ERR_NOMEM, "out of memory for a pattern");
    for (int k = 0; k < report->n_patterns && status == OK; k++) {
        if (pattern_lacks(&report->pattern[k], sentence)) continue;
        status = pattern_fill(&report->pattern[k], sentence, allowed, arena, error);
        if (status == OK) global_relevance_add(&report->gr[k], allowed, sentence->n, weights);
    }
    return status;
}

Status head_report_add_words(HeadReport *report, Worker *worker, const Sentence *sent, Arena *arena, Error *error)
{
    PatternSentence sentence;
    int *counts;
    HeadWeights *weights = arena_alloc(arena, (size_t)report->n_heads, sizeof *weights);
    Status s = weights ? pattern_sentence(report, sent, arena, &sentence, &counts, error)
                       : error_set(error, ERR_NOMEM, "out of memory inspecting heads");
    if (s == OK) s = head_report_weights(report, worker, arena, weights, error);
    if (s != OK) return s;
    head_functions_add(&report->functions[0], &sentence, counts, weights);
    report->sentences++;
    return head_report_add_patterns(report, &sentence, weights, arena, error);
}

/* The block of a token's vector that the label head in row k has. */
static int block_of(const Encoder *enc, int k)
{
    int b = 0;
    while (enc->block_head[b] < 0 || encoder_head_row(enc, layer_label(enc->c.n_layers), enc->block_head[b]) != k) b++;
    return b;
}

static double product(const HostMatrix *x, const HostMatrix *g, int row, int from, int width)
{
    double sum = 0;
    for (int c = from; x->data && g->data && c < from + width; c++)
        sum += (double)host_row(x, row)[c] * (double)host_row(g, row)[c];
    return sum;
}

/* <x, c> of the label heads, token by token: of blocks of their vectors, and of values inside phrases. */
static void label_products(const Encoder *enc, Tape *t, const Tensor *blocks, const Tensor *values, double *sum,
                           double *absolute)
{
    const Tensor *const of[] = { blocks, values };
    HostMatrix x[2], g[2];
    int width[] = { enc->c.lal.d_proj, enc->phrase.values };
    for (int i = 0; i < 2; i++) x[i] = tensor_host(t, of[i], &t->host), g[i] = tensor_host_grad(t, of[i], &t->host);
    for (int h = 0; h < enc->lal.c.heads; h++) {
        int from[] = { blocks ? block_of(enc, h) * width[0] : 0, h * width[1] };
        sum[h] = absolute[h] = 0;
        for (int r = 0; r < (x[0].data ? x[0].rows : x[1].rows); r++) {
            double dot = product(&x[0], &g[0], r, from[0], width[0]) + product(&x[1], &g[1], r, from[1], width[1]);
            sum[h] += dot;
            absolute[h] += fabs(dot);
        }
    }
}

/* <x, c> of heads from .. to - 1: contexts of attention, outputs and values of label heads. */
static void head_products(const HeadReport *r, Tape *t, const HeadPass *p, int from, int to, double *sum,
                          double *absolute)
{
    const Encoder *enc = &r->m->net.encoder;
    for (int l = 0; l < r->n_layers; l++) {
        if (r->first[l] < from || r->first[l + 1] > to) continue;
        const HeadLayerKind kind = head_report_layer(r, l).kind;
        int parts = kind == HEADS_SELF && enc->c.partitioned ? 2 : 1, width[MAX_PARTS];
        int d_kv = kind == HEADS_PRETRAINED ? r->m->pretrained.d_head
                   : kind >= HEADS_DECODER  ? network_decoder(&r->m->net)->c.d_kv
                                            : enc->c.d_kv;
        for (int k = 0; k < parts; k++) width[k] = part_width(d_kv, parts, k);
        TapeMark mark = tape_mark(t);
        HostMatrix x = tensor_host(t, p->context[l], &t->host), g = tensor_host_grad(t, p->context[l], &t->host);
        int first = r->first[l], heads = r->first[l + 1] - first;
        for (int h = first; h < first + heads && !g.data; h++) sum[h] = absolute[h] = 0;
        if (kind == HEADS_LABEL) label_products(enc, t, p->context[l], p->values, sum + first, absolute + first);
        else if (x.data && g.data)
            head_importance_contexts(x.data, g.data, x.ld, x.rows, heads, width, parts, sum + first, absolute + first);
        tape_rewind(t, mark);
    }
}

HeadPass head_report_pass(const HeadReport *report, const Worker *worker)
{
    HeadPass p = { .values = worker->net.encoder.phrase_trace.values,
                   .input = { worker->net.embedding },
                   .rows = { worker->packed.batch.n_tokens } };
    for (int l = 0; l < report->n_layers; l++) {
        const HeadLayer at = head_report_layer(report, l);
        p.context[l] = at.kind == HEADS_PRETRAINED ? worker->net.pretrained.attention[at.l].context
                       : at.kind == HEADS_LABEL    ? worker->net.encoder.lal
                                                   : worker->net.encoder.attention[l].context;
    }
    p.pieces = report->own_heads < report->n_heads ? worker->packed.in.pieces.batch.n_tokens : 0;
    return p;
}

/* The contexts of heads from .. to - 1. */
static int cut_tensors(const HeadReport *r, const HeadPass *p, int from, int to, Tensor **keep)
{
    int n = 0;
    for (int l = 0; l < r->n_layers; l++)
        if (p->context[l] && r->first[l] >= from && r->first[l + 1] <= to) keep[n++] = p->context[l];
    if (p->values && from == 0) keep[n++] = p->values;
    return n;
}

static Status walk(const HeadReport *r, Tape *t, Tensor *score, Tensor *const *keep, int n, const Tensor *until)
{
    return (r->rule == RELEVANCE_ALPHA_BETA ? share_relevance : tape_relevance)(t, score, keep, n, until);
}

/* How far the contributions of the inputs of a pass, with biases, are from the score; of layer-wise rules their
 * absolute sum. */
static double lost(const HeadReport *r, Worker *w, const HeadPass *p, double score)
{
    bool absolute = r->rule == RELEVANCE_ALPHA_BETA;
    double total = 0;
    for (int i = 0; i < REPORT_INPUTS && p->input[i]; i++) {
        TapeMark mark = tape_mark(&w->tape);
        HostMatrix x = tensor_host(&w->tape, p->input[i], &w->tape.host),
                   c = tensor_host_grad(&w->tape, p->input[i], &w->tape.host);
        for (int t = 0; c.data && x.data && t < x.rows; t++)
            for (int k = 0; k < x.cols; k++) {
                double part = (double)host_row(&x, t)[k] * (double)host_row(&c, t)[k];
                total += absolute ? fabs(part) : part;
            }
        tape_rewind(&w->tape, mark);
    }
    return fabs(absolute ? total - fabs(score) : total + w->tape.bias_part - score) / fmax(1, fabs(score));
}

Tensor *head_report_largest(Worker *worker, Tensor *scores, Arena *arena)
{
    Tape *t = &worker->tape;
    HostMatrix host = tensor_host(t, scores, arena);
    size_t n = (size_t)scores->rows;
    int *row = arena_alloc(arena, n, sizeof *row), *best = arena_calloc(arena, n, sizeof *best);
    Real *one = arena_alloc(arena, n, sizeof *one);
    if (!host.data) return NULL;
    if (!row || !best || !one) {
        tape_fail(t, ERR_NOMEM, "out of memory inspecting heads");
        return NULL;
    }
    for (int r = 0; r < host.rows; r++) {
        const Real *score = host_row(&host, r);
        row[r] = r;
        one[r] = 1;
        for (int k = 1; k < host.cols; k++)
            if (score[k] > score[best[r]]) best[r] = k;
    }
    return op_pick(t, scores, row, best, one, host.rows, 0);
}

/* The relevance of the heads of a pretrained encoder. A pass of its own, because the one before it ends at the inputs,
 * where it is shown that nothing was lost. */
static Status pretrained_relevance(const HeadReport *r, Worker *w, const HeadPass *p, Tensor *score, double *sum,
                                   double *absolute, Error *e)
{
    Tensor *keep[REPORT_LAYERS + 1];
    int n = cut_tensors(r, p, r->own_heads, r->n_heads, keep);
    if (n == 0) return OK;
    if (walk(r, &w->tape, score, keep, n, NULL) != OK) return worker_status(w, e);
    head_products(r, &w->tape, p, r->own_heads, r->n_heads, sum, absolute);
    return worker_status(w, e);
}

Status head_report_add_relevance(HeadReport *report, Worker *worker, const HeadPass *pass, Tensor *score, int what,
                                 Arena *arena, Error *error)
{
    double *sum = arena_alloc(arena, (size_t)report->n_heads, sizeof *sum),
           *absolute = arena_alloc(arena, (size_t)report->n_heads, sizeof *absolute);
    Tensor *keep[REPORT_LAYERS + 1 + REPORT_INPUTS];
    if (!sum || !absolute) return error_set(error, ERR_NOMEM, "out of memory inspecting heads");
    int n = cut_tensors(report, pass, 0, report->own_heads, keep);
    for (int i = 0; i < REPORT_INPUTS && pass->input[i]; i++) keep[n++] = pass->input[i];
    if (walk(report, &worker->tape, score, keep, n, pass->input[1] ? NULL : pass->input[0]) != OK)
        return worker_status(worker, error);
    double s = tape_number(&worker->tape, score);
    report->worst = fmax(report->worst, lost(report, worker, pass, s));
    head_products(report, &worker->tape, pass, 0, report->own_heads, sum, absolute);
    if (worker_status(worker, error) != OK ||
        pretrained_relevance(report, worker, pass, score, sum, absolute, error) != OK)
        return error->code;
    for (int l = 0; l < report->n_layers; l++) {
        double all = 0;
        for (int h = report->first[l]; h < report->first[l + 1]; h++) all += fabs(sum[h]);
        for (int h = report->first[l]; h < report->first[l + 1] && all > 0; h++)
            report->share[what][h] += fabs(sum[h]) / all;
        for (int h = report->first[l]; h < report->first[l + 1] && s != 0; h++)
            report->part[what][h] += sum[h] / fabs(s);
    }
    report->explained[what]++;
    return OK;
}

/* What the loss of a packed sentence is. */
typedef struct SentenceLoss {
    Worker *w;
    const Gold *g;
    const LossWeights *weights;
    Arena *a;
} SentenceLoss;

/* The loss by a new forward pass: with a slab for gradients or NULL, with factors on the heads or NULL. */
static Tensor *loss_of(const SentenceLoss *x, Real *grads, const Real *factors, bool record, Error *e)
{
    LossParts parts;
    Worker *w = x->w;
    w->packed.control.factors = factors;
    tape_reset(&w->tape, record, false, 0);
    if (worker_forward(w, grads, e) != OK) return NULL;
    Tensor *loss = network_loss(&w->forward, &w->m->net, &w->net, x->g, x->weights, x->a, &parts);
    worker_status(w, e);
    return loss;
}

Real *head_report_grads(HeadReport *report, const Worker *worker, Error *error)
{
    Real *grads = worker->tape.device->host_memory ? report->grads : report->on_device;
    if (!grads) {
        report->device = worker->tape.device;
        grads = report->on_device = device_zeros(report->device, report->m->ps.trained);
    }
    if (!grads) error_set(error, ERR_NOMEM, "out of memory for gradients");
    return grads;
}

Status head_report_add_gradient(HeadReport *report, Worker *worker, const HeadPass *pass, Tensor *loss, Arena *arena,
                                Error *error)
{
    Tensor *keep[REPORT_LAYERS + 1];
    int n = cut_tensors(report, pass, 0, report->n_heads, keep);
    for (int k = 0; k < n; k++) keep[k]->keep = true;
    if (tape_backward(&worker->tape, loss) != OK) return worker_status(worker, error);
    double *sum = arena_alloc(arena, (size_t)report->n_heads, sizeof *sum),
           *absolute = arena_alloc(arena, (size_t)report->n_heads, sizeof *absolute);
    if (!sum || !absolute) return error_set(error, ERR_NOMEM, "out of memory inspecting heads");
    head_products(report, &worker->tape, pass, 0, report->n_heads, sum, absolute);
    for (int h = 0; h < report->n_heads; h++) {
        report->gate[h] += fabs(sum[h]);
        report->gate_token[h] += absolute[h];
    }
    report->losses++;
    for (int k = 0; k < report->n_stacks; k++) report->loss_tokens[k] += pass->rows[k];
    report->loss_pieces += pass->pieces;
    return OK;
}

static Status add_importance(HeadReport *r, const SentenceLoss *x, Error *e)
{
    Real *grads = head_report_grads(r, x->w, e);
    Tensor *loss = grads ? loss_of(x, grads, NULL, true, e) : NULL;
    if (!loss) return e->code;
    const HeadPass p = head_report_pass(r, x->w);
    return head_report_add_gradient(r, x->w, &p, loss, x->a, e);
}

static Status loss_with(void *context, const Real *factors, double *loss, Error *e)
{
    const SentenceLoss *x = context;
    ArenaMark mark = arena_mark(x->a);
    Tensor *sum = loss_of(x, NULL, factors, false, e);
    if (sum) *loss = tape_number(&x->w->tape, sum);
    arena_rewind(x->a, mark);
    return worker_status(x->w, e);
}

Status head_report_add_losses(HeadReport *report, Worker *worker, const Gold *gold, const LossWeights *weights,
                              Arena *arena, Error *error)
{
    SentenceLoss x = { worker, gold, weights, arena };
    Status s = report->importance ? add_importance(report, &x, error) : OK;
    return s == OK && report->n_masked < report->masked_most
               ? head_report_add_masked(report, loss_with, &x, arena, error)
               : s;
}

Status head_report_add_masked(HeadReport *report, HeadLoss loss, void *context, Arena *arena, Error *error)
{
    const Encoder *enc = &report->m->net.encoder;
    int all = report->own_heads;
    if (!encoder_has_label_heads(enc)) all += encoder_heads(enc, layer_label(enc->c.n_layers));
    Real *factors = arena_alloc(arena, (size_t)all, sizeof *factors);
    double whole = 0;
    if (!factors) return error_set(error, ERR_NOMEM, "out of memory inspecting heads");
    Status s = loss(context, NULL, &whole, error);
    for (int h = 0; h < all; h++) factors[h] = 1;
    for (int h = report->own_heads; h < report->n_heads; h++) report->masked[h] = (double)NAN;
    for (int h = 0; h < report->own_heads && s == OK; h++) {
        double without = 0;
        factors[h] = 0;
        s = loss(context, factors, &without, error);
        factors[h] = 1;
        report->masked[h] += without - whole;
    }
    report->masked_loss += whole;
    report->n_masked++;
    return s;
}

static void ranks(const double *v, int n, double *rank)
{
    for (int i = 0; i < n; i++) {
        double below = 0, equal = 0;
        for (int j = 0; j < n; j++) {
            below += v[j] < v[i];
            equal += v[j] == v[i];
        }
        rank[i] = below + (equal + 1) / 2;
    }
}

static double pearson_of(const double *a, const double *b, int n)
{
    double ma = 0, mb = 0, ab = 0, aa = 0, bb = 0;
    for (int i = 0; i < n; i++) {
        ma += a[i] / n;
        mb += b[i] / n;
    }
    for (int i = 0; i < n; i++) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

bool head_correlation(const double *a, const double *b, int n, double *pearson, double *spearman)
{
    double *rank = mem_alloc(2 * (size_t)n + 1, sizeof *rank);
    *pearson = pearson_of(a, b, n);
    *spearman = 0;
    if (!rank) return false;
    ranks(a, n, rank);
    ranks(b, n, rank + n);
    *spearman = pearson_of(rank, rank + n, n);
    mem_free(rank);
    return true;
}

/* ---- names */

int head_report_stack(const HeadReport *report, int head)
{
    int stack = 0;
    while (head >= report->first[report->stack_layer[stack + 1]]) stack++;
    return stack;
}

const HeadFunctions *head_report_functions(const HeadReport *report, int head, int *row)
{
    int stack = head_report_stack(report, head);
    *row = head - report->first[report->stack_layer[stack]];
    return &report->functions[stack];
}

int head_report_number(const HeadReport *report, HeadLayer at, int row)
{
    return at.kind == HEADS_PRETRAINED ? row
           : at.kind <= HEADS_LABEL    ? report->m->net.encoder.head[at.l][row]
                                       : network_decoder(&report->m->net)->head[stack_of(at)][at.l][row];
}

int head_report_heads_before(const HeadReport *report, int layer)
{
    const HeadLayer at = head_report_layer(report, layer);
    return at.kind == HEADS_PRETRAINED ? report->m->pretrained.n_heads
           : at.kind <= HEADS_LABEL    ? encoder_heads_before(&report->m->net.encoder, at.l)
                                       : network_decoder(&report->m->net)->c.n_heads;
}

const char *head_report_stack_name(const HeadReport *report, int stack)
{
    static const char *const names[REPORT_STACKS] = { "encoder", "decoder", "cross" };
    return report->n_stacks > 1 ? names[stack] : NULL;
}

void head_report_name(const HeadReport *report, int head, char name[HEAD_NAME])
{
    static const char *const stacks[] = { "", "label:", "pretrained:", "decoder:", "cross:" };
    int l = 0;
    while (head >= report->first[l + 1]) l++;
    const HeadLayer at = head_report_layer(report, l);
    int number = head_report_number(report, at, head - report->first[l]) + 1;
    const char *stack = at.kind == HEADS_SELF && report->n_stacks > 1 ? "encoder:" : stacks[at.kind];
    if (at.kind == HEADS_LABEL) snprintf(name, HEAD_NAME, "%s%d", stack, number);
    else snprintf(name, HEAD_NAME, "%s%d:%d", stack, at.l + 1, number);
}

const char *head_report_category(const HeadReport *report, int head)
{
    int l = 0;
    while (head >= report->first[l + 1]) l++;
    const HeadLayer at = head_report_layer(report, l);
    return at.kind == HEADS_LABEL
               ? parse_head_category(report->m, head_report_number(report, at, head - report->first[l]))
               : NULL;
}

int head_of_name(const HeadReport *report, const char *name)
{
    char own[HEAD_NAME];
    for (int h = 0; h < report->n_heads; h++) {
        head_report_name(report, h, own);
        if (strcmp(own, name) == 0) return h;
    }
    return -1;
}

static int slices_of(const HeadReport *r, HeadLayer at, int row, HeadSlice *out)
{
    const Network *net = &r->m->net;
    if (at.kind <= HEADS_LABEL) return head_slices(&net->encoder, at.l, row, out);
    if (at.kind >= HEADS_DECODER) return head_slices_decoder(network_decoder(net), stack_of(at), at.l, row, out);
    return head_slices_self(&net->embedding.pretrained.encoder.attn[at.l], &r->m->pretrained.d_head, row, out);
}

Status head_report_finish(HeadReport *report, Error *error)
{
    const ParamSet *ps = &report->m->ps;
    if (report->on_device) {
        Status s =
            report->device->download(report->grads, report->on_device, ps->trained * sizeof *report->grads, error);
        if (s != OK) return s;
    }
    double n = report->losses > 0 ? (double)report->losses : 1;
    for (int l = 0; l < report->n_layers && report->importance; l++)
        for (int h = report->first[l]; h < report->first[l + 1]; h++) {
            HeadSlice slice[HEAD_SLICES];
            int count = slices_of(report, head_report_layer(report, l), h - report->first[l], slice);
            double sum = 0, squares = 0;
            for (int k = 0; k < count; k++) {
                const Param *q = &ps->p[slice[k].param];
                const Real *values = param_values(ps, slice[k].param);
                head_slice_products(values, report->grads + q->offset, q->cols, &slice[k], &sum, &squares);
            }
            report->taylor_group[h] = sum * sum / n / n;
            report->taylor_param[h] = squares / n / n;
        }
    return OK;
}
