/* parser/lab/insight/head_report.c */
#include "parser/lab/insight/head_report.h"

#include <math.h>
#include <string.h>

#include "parser/task/parse/parse_loss.h"
#include "parser/model/head_inputs.h"
#include "parser/parse/long_sentence.h"

/* ---- counts of training sentences */

void training_counts_init(TrainingCounts *t)
{
    *t = (TrainingCounts){ 0 };
    vocab_init(&t->words);
    vocab_init(&t->df);
}

void training_counts_fini(TrainingCounts *t)
{
    vocab_fini(&t->words);
    vocab_fini(&t->df);
}

Status training_counts_add(TrainingCounts *t, const Sentence *sent, Error *e)
{
    bool ok = head_inputs_count(&t->df, (const char *const *)sent->words, sent->n_words);
    for (int w = 0; ok && w < sent->n_words; w++)
        ok = vocab_count(&t->words, sent->words[w], strlen(sent->words[w]), 1) >= 0;
    if (ok && sent->heads && sent->types)
        relation_offsets_add(&t->offsets,
                             &(PatternSentence){ .n = sent->n_words, .heads = sent->heads, .types = sent->types });
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory counting words");
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
        if (s == OK) s = global_relevance_init(&r->gr[k], r->n_heads, e);
    }
    return s;
}

Status head_report_init(HeadReport *r, const Model *m, const TrainingCounts *counts, const char *const *patterns,
                        int n_patterns, bool importance, Error *e)
{
    const Encoder *enc = &m->net.encoder;
    const EncoderConfig *c = &enc->c;
    *r = (HeadReport){ .m = m, .counts = counts, .importance = importance, .explain = { true, true } };
    arena_init(&r->strings, 1024);
    bool label_heads = encoder_has_label_heads(enc);
    if (c->n_layers == 0 && !label_heads) return error_set(e, ERR_CONFIG, "the model has no attention heads");
    r->n_layers = c->n_layers + label_heads;
    for (int l = 0; l < r->n_layers; l++) r->first[l + 1] = r->first[l] + encoder_heads(enc, l);
    r->n_heads = r->first[r->n_layers];
    size_t n = (size_t)r->n_heads;
    double *memory = mem_calloc((2 * (size_t)EXPLAINED + 5) * n, sizeof *memory);
    if (!memory) return error_set(e, ERR_NOMEM, "out of memory for %d heads", r->n_heads);
    for (int k = 0; k < EXPLAINED; k++, memory += 2 * n) {
        r->share[k] = memory;
        r->part[k] = memory + n;
    }
    r->gate = memory;
    r->gate_token = memory + n;
    r->taylor_param = memory + 2 * n;
    r->taylor_group = memory + 3 * n;
    r->masked = memory + 4 * n;
    Status s = head_functions_init(&r->functions, r->n_heads, e);
    if (s == OK && importance && !(r->grads = mem_calloc(m->ps.trained, sizeof *r->grads)))
        s = error_set(e, ERR_NOMEM, "out of memory for gradients");
    if (s == OK) s = take_patterns(r, patterns, n_patterns, e);
    if (s != OK || !counts) return s;
    r->functions.rare_below = count_of_500th(counts);
    for (int k = 0; k < HEAD_RELATIONS; k++)
        for (int d = 0; d < 2; d++) r->functions.offset[k][d] = relation_offsets_best(&counts->offsets, k, d);
    return OK;
}

void head_report_fini(HeadReport *r)
{
    mem_free(r->share[0]); /* the first of one block */
    mem_free(r->grads);
    if (r->on_device) r->device->free(r->on_device);
    head_functions_fini(&r->functions);
    arena_fini(&r->strings);
    for (int k = 0; k < REPORT_PATTERNS; k++) global_relevance_fini(&r->gr[k]);
}

/* ---- one sentence */

Status head_report_weights(const HeadReport *r, Worker *w, Arena *a, HeadWeights *out, Error *e)
{
    const EncoderOutput *x = &w->net.encoder;
    int m = w->packed.batch.n_tokens;
    for (int l = 0; l < r->n_layers; l++) {
        bool self = l < r->m->net.encoder.c.n_layers;
        if (r->first[l] == r->first[l + 1]) continue;
        HostMatrix probs = self ? tensor_host(&w->tape, x->attention[l].probs, a) : w->attention;
        if (!probs.data) return worker_status(w, e);
        for (int h = r->first[l]; h < r->first[l + 1]; h++) {
            int k = h - r->first[l];
            out[h] = self ? (HeadWeights){ host_row(&probs, k), m, 1 } : (HeadWeights){ probs.data + k, 0, probs.ld };
        }
    }
    return OK;
}

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

static Status add_patterns(HeadReport *r, const PatternSentence *sentence, const HeadWeights *w, Arena *a, Error *e)
{
    uint8_t *allowed = arena_alloc(a, (size_t)(sentence->n + 2), (size_t)(sentence->n + 2));
    Status status = allowed ? OK : error_set(e, ERR_NOMEM, "out of memory for a pattern");
    for (int k = 0; k < r->n_patterns && status == OK; k++) {
        if (pattern_lacks(&r->pattern[k], sentence)) continue;
        status = pattern_fill(&r->pattern[k], sentence, allowed, a, e);
        if (status == OK) global_relevance_add(&r->gr[k], allowed, sentence->n, w);
    }
    return status;
}

/* Sum of the scores of the predicted phrases, or arcs. *out is NULL when there are none. */
static Status sum_of_scores(Worker *w, const Parsed *p, int what, Arena *a, Tensor **out, Error *e)
{
    int n = p->n_words, count = 0, most = what == 0 ? p->n_phrases : n;
    int *row = arena_alloc(a, (size_t)most, sizeof *row), *column = arena_alloc(a, (size_t)most, sizeof *column),
        *spans = arena_alloc(a, 2 * (size_t)most, sizeof *spans);
    Real *one = arena_alloc(a, (size_t)most, sizeof *one);
    *out = NULL;
    if (!row || !column || !spans || !one) return error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    if (most == 0 || (what == 1 && !p->heads)) return OK;
    for (int k = 0; k < most; k++) {
        row[count] = what == 0 ? count : 0;
        one[count] = 1;
        if (what == 0) {
            Span at = model_span(w->m, &p->phrases[k]);
            spans[2 * (ptrdiff_t)count] = at.begin;
            spans[2 * count + 1] = at.end;
            column[count++] = at.label - 1;
        } else column[count++] = (k + 1) * (n + 1) + p->heads[k];
    }
    if (count == 0) return OK;
    Tensor *from =
        what == 1 ? w->net.arc.arcs : span_scorer_score(&w->forward, &w->m->net.span, w->net.g, spans, count);
    *out = from ? op_pick(&w->tape, from, row, column, one, count, 0) : NULL;
    return worker_status(w, e);
}

static void widths_of(const HeadReport *r, int width[MAX_PARTS], int *parts)
{
    const EncoderConfig *c = &r->m->net.encoder.c;
    *parts = c->partitioned ? 2 : 1;
    for (int p = 0; p < *parts; p++) width[p] = part_width(c->d_kv, *parts, p);
}

/* <x, c> of the label heads, whose blocks are [rows, blocks * d_proj]. */
static void label_products(const Encoder *enc, const HostMatrix *x, const HostMatrix *g, double *sum, double *absolute)
{
    int width = enc->c.lal.d_proj;
    for (int b = 0; b < label_attention_blocks(&enc->lal.c); b++) {
        int h = enc->block_head[b], k = h < 0 ? -1 : encoder_head_row(enc, layer_label(enc->c.n_layers), h);
        if (k >= 0)
            head_importance_contexts(x->data + (ptrdiff_t)b * width, g->data + (ptrdiff_t)b * width, x->ld, x->rows, 1,
                                     &width, 1, &sum[k], &absolute[k]);
    }
}

/* <x, c> of every head: contexts of self-attention, outputs of label heads. */
static void head_products(const HeadReport *r, Tape *t, const NetworkOutput *net, double *sum, double *absolute)
{
    const Encoder *enc = &r->m->net.encoder;
    int width[MAX_PARTS], parts;
    widths_of(r, width, &parts);
    for (int l = 0; l < r->n_layers; l++) {
        bool self = l < enc->c.n_layers;
        const Tensor *of = self ? net->encoder.attention[l].context : net->encoder.lal;
        TapeMark mark = tape_mark(t);
        HostMatrix x = tensor_host(t, of, &t->host), g = tensor_host_grad(t, of, &t->host);
        int first = r->first[l], heads = r->first[l + 1] - first;
        for (int h = first; h < first + heads && !g.data; h++) sum[h] = absolute[h] = 0;
        if (x.data && g.data && self)
            head_importance_contexts(x.data, g.data, x.ld, x.rows, heads, width, parts, sum + first, absolute + first);
        else if (x.data && g.data) label_products(enc, &x, &g, sum + first, absolute + first);
        tape_rewind(t, mark);
    }
}

static int cut_tensors(const HeadReport *r, const NetworkOutput *net, Tensor **keep)
{
    int n = 0;
    for (int l = 0; l < r->m->net.encoder.c.n_layers; l++)
        if (net->encoder.attention[l].context) keep[n++] = net->encoder.attention[l].context;
    if (net->encoder.lal) keep[n++] = net->encoder.lal;
    return n;
}

static Status add_relevance(HeadReport *r, Worker *w, const Parsed *p, Arena *a, Error *e)
{
    double *sum = arena_alloc(a, (size_t)r->n_heads, sizeof *sum),
           *absolute = arena_alloc(a, (size_t)r->n_heads, sizeof *absolute);
    if (!sum || !absolute) return error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    for (int what = 0; what < EXPLAINED; what++) {
        Tensor *keep[MAX_LAYERS + 2], *score;
        if (!r->explain[what]) continue;
        Status status = sum_of_scores(w, p, what, a, &score, e);
        if (status != OK) return status;
        if (!score) continue;
        int n = cut_tensors(r, &w->net, keep);
        keep[n++] = w->net.embedding;
        if (tape_relevance(&w->tape, score, keep, n, w->net.embedding) != OK) return worker_status(w, e);
        double s = tape_number(&w->tape, score), total = w->tape.bias_part;
        TapeMark mark = tape_mark(&w->tape);
        HostMatrix x = tensor_host(&w->tape, w->net.embedding, &w->tape.host),
                   c = tensor_host_grad(&w->tape, w->net.embedding, &w->tape.host);
        for (int t = 0; c.data && x.data && t < x.rows; t++)
            for (int k = 0; k < x.cols; k++) total += (double)host_row(&x, t)[k] * (double)host_row(&c, t)[k];
        tape_rewind(&w->tape, mark);
        r->worst = fmax(r->worst, fabs(total - s) / fmax(1, fabs(s)));
        head_products(r, &w->tape, &w->net, sum, absolute);
        if (worker_status(w, e) != OK) return e->code;
        for (int l = 0; l < r->n_layers; l++) {
            double all = 0;
            for (int h = r->first[l]; h < r->first[l + 1]; h++) all += fabs(sum[h]);
            for (int h = r->first[l]; h < r->first[l + 1] && all > 0; h++) r->share[what][h] += fabs(sum[h]) / all;
            for (int h = r->first[l]; h < r->first[l + 1] && s != 0; h++) r->part[what][h] += sum[h] / fabs(s);
        }
        r->explained[what]++;
    }
    return OK;
}

static Status gold_of(const HeadReport *r, const Sentence *gold, Arena *a, Gold *g, Error *e)
{
    bool has_tree = gold->has_tree && gold->n_phrases;
    const OracleTree *tree = has_tree ? oracle_convert(gold, a) : NULL;
    return (tree || !has_tree) && gold_make(r->m, gold, tree, a, g)
               ? OK
               : error_set(e, ERR_NOMEM, "out of memory inspecting heads");
}

/* The loss of the packed sentence by a new forward pass: with a slab for gradients or NULL, with factors on the heads
 * or NULL. */
static Tensor *loss_of(Worker *w, const Gold *g, Real *grads, const Real *gates, bool record, Arena *a, Error *e)
{
    LossParts parts;
    LossWeights weights = parse_loss_weights(1, 1);
    w->packed.control.factors = gates;
    tape_reset(&w->tape, record, false, 0);
    if (worker_forward(w, grads, e) != OK) return NULL;
    Tensor *loss = network_loss(&w->forward, &w->m->net, &w->net, g, &weights, a, &parts);
    worker_status(w, e);
    return loss;
}

static Status add_importance(HeadReport *r, Worker *w, const Gold *g, int n_words, Arena *a, Error *e)
{
    Real *grads = w->tape.device->host_memory ? r->grads : r->on_device;
    if (!grads) {
        r->device = w->tape.device;
        grads = r->on_device = device_zeros(r->device, r->m->ps.trained);
    }
    if (!grads) return error_set(e, ERR_NOMEM, "out of memory for gradients");
    Tensor *loss = loss_of(w, g, grads, NULL, true, a, e), *keep[MAX_LAYERS + 1];
    if (!loss) return e->code;
    int n = cut_tensors(r, &w->net, keep);
    for (int k = 0; k < n; k++) keep[k]->keep = true;
    if (tape_backward(&w->tape, loss) != OK) return worker_status(w, e);
    double *sum = arena_alloc(a, (size_t)r->n_heads, sizeof *sum),
           *absolute = arena_alloc(a, (size_t)r->n_heads, sizeof *absolute);
    if (!sum || !absolute) return error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    head_products(r, &w->tape, &w->net, sum, absolute);
    for (int h = 0; h < r->n_heads; h++) {
        r->gate[h] += fabs(sum[h]);
        r->gate_token[h] += absolute[h];
    }
    r->losses++;
    r->loss_words += n_words + 2;
    return OK;
}

/* The value of that loss. */
static Status loss_with(Worker *w, const Gold *g, const Real *gates, Arena *a, double *loss, Error *e)
{
    ArenaMark mark = arena_mark(a);
    Tensor *x = loss_of(w, g, NULL, gates, false, a, e);
    if (x) *loss = tape_number(&w->tape, x);
    arena_rewind(a, mark);
    return worker_status(w, e);
}

/* Masks each head in turn. */
static Status add_masked(HeadReport *r, Worker *w, const Gold *g, Arena *a, Error *e)
{
    const Model *m = r->m;
    int all = 0;
    for (LayerId l = 0; l <= layer_label(m->c.n_layers); l++) all += encoder_heads(&m->net.encoder, l);
    Real *gates = arena_alloc(a, (size_t)all, sizeof *gates);
    double whole = 0;
    if (!gates) return error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    Status s = loss_with(w, g, NULL, a, &whole, e);
    for (int h = 0; h < all; h++) gates[h] = 1;
    for (int h = 0; h < r->n_heads && s == OK; h++) {
        double loss = 0;
        gates[h] = 0;
        s = loss_with(w, g, gates, a, &loss, e);
        gates[h] = 1;
        r->masked[h] += loss - whole;
    }
    r->masked_loss += whole;
    r->n_masked++;
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

void head_report_name(const HeadReport *r, int h, char name[HEAD_NAME])
{
    int l = 0;
    while (h >= r->first[l + 1]) l++;
    word_attention_own_name(&r->m->net.encoder, l, h - r->first[l], name);
}

int head_of_name(const HeadReport *r, const char *name)
{
    char own[HEAD_NAME];
    for (int h = 0; h < r->n_heads; h++) {
        head_report_name(r, h, own);
        if (strcmp(own, name) == 0) return h;
    }
    return -1;
}

Status head_report_add(HeadReport *r, Worker *w, const Sentence *gold, const ParseOptions *o, Error *e)
{
    bool oracle = encoder_options_oracle(&r->m->options);
    ParseInput in = { gold->n_words, gold->words, NULL, NULL, oracle ? gold : NULL, NULL };
    Arena a;
    Parsed p;
    PatternSentence sentence;
    int *counts;
    arena_init(&a, (size_t)1 << 16);
    Status status = long_sentence_parse(w, &in, o, &a, &p, e);
    bool skip = status == OK && (gold->n_words == 0 || p.pieces > 1);
    r->in_pieces += skip && gold->n_words;
    HeadWeights *weights = status == OK && !skip ? arena_alloc(&a, (size_t)r->n_heads, sizeof *weights) : NULL;
    if (status == OK && !skip && !weights) status = error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    if (status == OK && !skip) status = pattern_sentence(r, gold, &a, &sentence, &counts, e);
    if (status == OK && !skip) status = head_report_weights(r, w, &a, weights, e);
    if (status == OK && !skip) {
        head_functions_add(&r->functions, &sentence, counts, weights);
        status = add_patterns(r, &sentence, weights, &a, e);
        r->sentences++;
    }
    if (status == OK && !skip) status = add_relevance(r, w, &p, &a, e);
    Gold g;
    bool mask = r->n_masked < r->masked_most,
         loss = !skip && (r->importance || mask) && (gold->has_tree || gold->heads);
    if (status == OK && loss) status = gold_of(r, gold, &a, &g, e);
    if (status == OK && loss && r->importance) status = add_importance(r, w, &g, gold->n_words, &a, e);
    if (status == OK && loss && mask) status = add_masked(r, w, &g, &a, e);
    arena_fini(&a);
    return status;
}

Status head_report_finish(HeadReport *r, Error *e)
{
    const ParamSet *ps = &r->m->ps;
    if (r->on_device) {
        Status s = r->device->download(r->grads, r->on_device, ps->trained * sizeof *r->grads, e);
        if (s != OK) return s;
    }
    double n = r->losses > 0 ? (double)r->losses : 1;
    for (int l = 0; l < r->n_layers && r->importance; l++)
        for (int h = r->first[l]; h < r->first[l + 1]; h++) {
            HeadSlice slice[HEAD_SLICES];
            int count = head_slices(&r->m->net.encoder, l, h - r->first[l], slice);
            double sum = 0, squares = 0;
            for (int k = 0; k < count; k++) {
                const Param *q = &ps->p[slice[k].param];
                const Real *values = param_values(ps, slice[k].param);
                head_slice_products(values, r->grads + q->offset, q->cols, &slice[k], &sum, &squares);
            }
            r->taylor_group[h] = sum * sum / n / n;
            r->taylor_param[h] = squares / n / n;
        }
    return OK;
}
