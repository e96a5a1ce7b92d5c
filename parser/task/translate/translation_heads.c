#include "parser/task/translate/translation_heads.h"

#include <string.h>

#include "parser/heads/head_report_internal.h"
#include "parser/model/head_inputs.h"
#include "parser/task/translate/pair_data.h"
#include "parser/task/translate/translate_pass.h"

enum { REPORT_ENCODER, REPORT_DECODER, REPORT_CROSS };

static Status out_of_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory inspecting heads"); }

static StrView text_of(const Sentence *pair) { return (StrView){ pair->words[0], strlen(pair->words[0]) }; }

/* ---- before the report */

static Status count(TrainingCounts *t, const Model *m, const Sentence *pair, Error *e)
{
    Arena a;
    Sentence pieces;
    const SourceWords *source = NULL;
    arena_init(&a, 1024);
    Status s = pair_data_pieces(m, text_of(pair), &a, &pieces, e);
    if (s == OK) s = pair_data_words(m, text_of(pair), NULL, &a, &source, e);
    bool ok = s == OK && head_inputs_count(&t->df, (const char *const *)source->words->words, source->words->n_words);
    for (int k = 0; ok && k < pieces.n_words; k++)
        ok = vocab_count(&t->words, pieces.words[k], strlen(pieces.words[k]), 1) >= 0;
    arena_fini(&a);
    return ok || s != OK ? s : error_set(e, ERR_NOMEM, "out of memory counting words");
}

static Status find_words(const Model *m, const Treebank *pairs, int n, const Treebank *deps, const char *deps_path,
                         Arena *a, const SourceWords **out, Error *e)
{
    if (deps && deps->n != pairs->n)
        return error_at(e, ERR_FORMAT, deps_path, 1, 1, "found %d sentences, expected %d, one for each pair of texts",
                        deps->n, pairs->n);
    Status s = OK;
    for (int k = 0; k < n && s == OK; k++) {
        Sentence *given = deps ? &deps->s[k] : NULL;
        Error why = { 0 };
        s = pair_data_words(m, text_of(&pairs->s[k]), given, a, &out[k], &why);
        if (s == ERR_FORMAT) error_at(e, s, deps_path, given ? given->line : 0, 1, "%s", why.message);
        else if (s != OK) *e = why;
    }
    return s;
}

Status translation_heads_sources(HeadReport *report, const Treebank *pairs, int n, const Treebank *deps,
                                 const char *deps_path, const Model *parser, Arena *arena, const SourceWords **out,
                                 Error *error)
{
    RelationOffsets offsets = { 0 };
    Status s = find_words(report->m, pairs, n, deps, deps_path, arena, out, error);
    if (!deps && !parser) parser = report->m->first;
    if (s == OK && !deps && parser) s = pair_data_parse_words(parser, device_default(), 1, out, n, arena, error);
    for (int k = 0; k < n && s == OK; k++) head_report_offsets(&offsets, out[k]->words);
    if (s == OK) head_report_baselines(report, &offsets, true);
    return s;
}

/* ---- a pair */

typedef struct Pair {
    HeadReport *r;
    Worker *w;
    Sentence source; /* in pieces */
    const int *labels;
    TranslatePass pass;
    Arena *a;
} Pair;

/* Runs encoder and decoder on the pair that is packed. */
static Status forward(Pair *x, Real *grads, const Real *factors, bool record, Error *e)
{
    Worker *w = x->w;
    const Network *net = &w->m->net;
    const int encoder_heads = x->r->functions[REPORT_ENCODER].heads;
    const DecoderControl control = { .factors = factors ? factors + encoder_heads : NULL };
    w->packed.control.factors = factors;
    tape_reset(&w->tape, record, false, 0);
    Status s = worker_forward(w, grads, e);
    if (s == OK && !translate_pass(&w->forward, net, &w->net, &x->labels, &control, &x->pass)) s = worker_status(w, e);
    return s;
}

static const SelfAttentionTrace *trace_of(const Pair *x, int stack, int l)
{
    return stack == REPORT_ENCODER   ? &x->w->net.encoder.attention[l]
           : stack == REPORT_DECODER ? &x->pass.decoder.self[l]
                                     : &x->pass.decoder.cross[l];
}

static HeadPass pass_of(const Pair *x)
{
    const HeadReport *r = x->r;
    HeadPass p = { .input = { x->w->net.embedding, x->pass.embedding } };
    for (int k = 0; k < r->n_stacks; k++) {
        p.rows[k] = k == REPORT_ENCODER ? x->w->packed.batch.n_tokens : x->pass.batch.n_tokens;
        for (int l = r->stack_layer[k]; l < r->stack_layer[k + 1]; l++)
            p.context[l] = trace_of(x, k, l - r->stack_layer[k])->context;
    }
    return p;
}

/* The weights of the heads of a stack, out [heads], whose rows have `keys` keys. */
static Status weights_of(const Pair *x, int stack, int keys, HeadWeights *out, Error *e)
{
    const HeadReport *r = x->r;
    for (int l = r->stack_layer[stack], n = 0; l < r->stack_layer[stack + 1]; l++) {
        int heads = r->first[l + 1] - r->first[l];
        if (!heads) continue;
        HostMatrix probs = tensor_host(&x->w->tape, trace_of(x, stack, l - r->stack_layer[stack])->probs, x->a);
        if (!probs.data) return worker_status(x->w, e);
        for (int h = 0; h < heads; h++) out[n++] = (HeadWeights){ host_row(&probs, h), keys, 1 };
    }
    return OK;
}

/* Sets *counts to the frequency of each source piece in the training texts; NULL if there are none. */
static Status counts_of(const Pair *x, int **counts, Error *e)
{
    const TrainingCounts *t = x->r->counts;
    *counts = NULL;
    if (!t) return OK;
    *counts = arena_alloc(x->a, (size_t)x->source.n_words, sizeof **counts);
    if (!*counts) return out_of_memory(e);
    for (int k = 0; k < x->source.n_words; k++) {
        int id = vocab_find(&t->words, x->source.words[k]);
        (*counts)[k] = id >= 0 ? t->words.counts[id] : 0;
    }
    return OK;
}

/* Relations and patterns, by the weights w of the encoder between pieces. */
static Status add_words(Pair *x, const SourceWords *source, const HeadWeights *w, Error *e)
{
    HeadReport *r = x->r;
    const Sentence *words = source->words;
    const int heads = r->functions[REPORT_ENCODER].heads, tokens = words->n_words + 2;
    const size_t each = (size_t)tokens * (size_t)tokens;
    PatternSentence sentence;
    Real *sum = arena_calloc(x->a, (size_t)heads * each, sizeof *sum);
    HeadWeights *between = arena_alloc(x->a, (size_t)heads, sizeof *between);
    if (!sum || !between) return out_of_memory(e);
    for (int h = 0; h < heads; h++) {
        between[h] = (HeadWeights){ sum + (size_t)h * each, tokens, 1 };
        word_attention_add(source->token, w[h].a, x->source.n_words + 2, tokens, sum + (size_t)h * each);
    }
    Status s = head_inputs_sentence(words, NULL, r->counts ? &r->counts->df : NULL, x->a, &sentence, e);
    if (s != OK) return s;
    if (words->heads && words->types) head_functions_add_relations(&r->functions[REPORT_ENCODER], &sentence, between);
    return head_report_add_patterns(r, &sentence, between, x->a, e);
}

static Status add_functions(Pair *x, const SourceWords *source, Error *e)
{
    HeadReport *r = x->r;
    const int m = x->source.n_words, n = x->labels[0];
    int *counts;
    HeadWeights *w = arena_alloc(x->a, (size_t)r->n_heads, sizeof *w);
    Status s = w ? counts_of(x, &counts, e) : out_of_memory(e);
    if (s != OK) return s;
    const HeadUnits units[REPORT_STACKS] = {
        [REPORT_ENCODER] = { .first = 1, .n_queries = m, .n_keys = m, .counts = counts },
        [REPORT_DECODER] = { .first = 1, .n_queries = n, .n_keys = n, .causal = true },
        [REPORT_CROSS] = { .first = 0, .n_queries = n + 1, .n_keys = m, .shift = 1, .counts = counts },
    };
    for (int k = 0; k < r->n_stacks && s == OK; k++) {
        s = weights_of(x, k, units[k].n_keys + (units[k].causal ? 1 : 2), w, e);
        if (s == OK) head_functions_add_units(&r->functions[k], &units[k], w);
        if (s == OK && k == REPORT_ENCODER && source) s = add_words(x, source, w, e);
    }
    return s;
}

static Tensor *loss_of(Pair *x)
{
    Tensor *nll = NULL;
    return translate_loss(&x->w->forward, &x->pass, 0, &nll);
}

static Status add_importance(Pair *x, Error *e)
{
    Real *grads = head_report_grads(x->r, x->w, e);
    Status s = grads ? forward(x, grads, NULL, true, e) : ERR_NOMEM;
    Tensor *loss = s == OK ? loss_of(x) : NULL;
    if (!loss) return s == OK ? worker_status(x->w, e) : s;
    const HeadPass p = pass_of(x);
    return head_report_add_gradient(x->r, x->w, &p, loss, x->a, e);
}

static Status loss_with(void *context, const Real *factors, double *loss, Error *e)
{
    Pair *x = context;
    Status s = forward(x, NULL, factors, false, e);
    Tensor *sum = s == OK ? loss_of(x) : NULL;
    if (sum) *loss = tape_number(&x->w->tape, sum);
    return s == OK ? worker_status(x->w, e) : s;
}

static Status add_pair(Pair *x, const SourceWords *source, Error *e)
{
    HeadReport *r = x->r;
    Status s = forward(x, NULL, NULL, true, e);
    if (s == OK) s = add_functions(x, source, e);
    Tensor *score = s == OK && r->explain[0] ? head_report_largest(x->w, x->pass.scores, x->a) : NULL;
    if (s == OK && r->explain[0]) s = worker_status(x->w, e);
    if (s == OK && score) {
        const HeadPass p = pass_of(x);
        s = head_report_add_relevance(r, x->w, &p, score, 0, x->a, e);
    }
    if (s == OK && r->importance) s = add_importance(x, e);
    if (s == OK && r->n_masked < r->masked_most) s = head_report_add_masked(r, loss_with, x, x->a, e);
    r->sentences += s == OK;
    return s;
}

/* Packs a pair; *longer: a side has more than max_pieces pieces. */
static Status pack(Pair *x, const Sentence *pair, int max_pieces, bool *longer, Error *e)
{
    worker_begin(x->w, true, false, 0);
    Status s = pair_data_pack(x->w, pair, &x->source, &x->labels, e);
    *longer = s == OK && (x->source.n_words > max_pieces || x->labels[0] > max_pieces);
    return s;
}

Status translation_heads_add(HeadReport *report, Worker *worker, const Sentence *pair, const SourceWords *source,
                             int max_pieces, Error *error)
{
    Arena a;
    Pair x = { .r = report, .w = worker, .a = &a };
    bool longer;
    arena_init(&a, (size_t)1 << 16);
    Status s = pack(&x, pair, max_pieces, &longer, error);
    report->in_pieces += longer;
    if (s == OK && !longer) s = add_pair(&x, source, error);
    arena_fini(&a);
    return s;
}

/* ---- attention */

/* The pieces of the translation and STOP, n + 1. NULL: out of memory. */
static const char *const *written_pieces(const Pair *x)
{
    int n = x->labels[0];
    const char **piece = arena_alloc(x->a, (size_t)n + 1, sizeof *piece);
    for (int k = 0; piece && k < n; k++) piece[k] = vocab_text(&x->w->m->words, x->labels[k + 1]);
    if (piece) piece[n] = "STOP";
    return piece;
}

static Status show_pair(Pair *x, int h, long number, PutAttention *put, StrBuf *out, Error *e)
{
    const HeadReport *r = x->r;
    const int stack = head_report_stack(r, h), m = x->source.n_words, n = x->labels[0];
    const char *const *source = (const char *const *)x->source.words, *const *written = written_pieces(x);
    HeadWeights *w = arena_alloc(x->a, (size_t)r->n_heads, sizeof *w);
    if (!written || !w) return out_of_memory(e);
    const AttentionNames of[REPORT_STACKS] = {
        [REPORT_ENCODER] = { source, source, 1, m, m, false },
        [REPORT_DECODER] = { written, written, 1, n, n, true },
        [REPORT_CROSS] = { written, source, 0, n + 1, m, false },
    };
    Status s = weights_of(x, stack, of[stack].n_keys + (of[stack].causal ? 1 : 2), w, e);
    if (s == OK) put(out, r, NULL, h, &of[stack], number, &w[h - r->first[r->stack_layer[stack]]]);
    return s;
}

/* A query of attention to the source is called like the piece that is written there. */
static Status show(HeadsRun *run, int k, int h, const struct HeadNames *names, PutAttention *put, StrBuf *out, Error *e)
{
    Arena a;
    Pair x = { .r = &run->r, .w = &run->w, .a = &a };
    bool longer;
    (void)names;
    arena_init(&a, (size_t)1 << 16);
    Status s = pack(&x, &run->c->trees.s[k], run->max_words, &longer, e);
    if (s == OK && !longer) s = forward(&x, NULL, NULL, true, e);
    if (s == OK && !longer) s = show_pair(&x, h, k + 1, put, out, e);
    arena_fini(&a);
    return s;
}

/* ---- the task */

/* HeadsRun.state: the words of the sources. */
static Status begin(HeadsRun *run, Error *e)
{
    const SourceWords **source = run->state = arena_calloc(&run->arena, (size_t)run->n + 1, sizeof *source);
    return source ? translation_heads_sources(&run->r, &run->c->trees, run->n, run->deps, run->deps_path, run->parser,
                                              &run->arena, source, e)
                  : out_of_memory(e);
}

static Status add(HeadsRun *run, int k, Error *e)
{
    const SourceWords *const *source = run->state;
    return translation_heads_add(&run->r, &run->w, &run->c->trees.s[k], source[k], run->max_words, e);
}

const TaskHeads TRANSLATION_HEADS = { .sentences = "pairs",
                                      .words = "pieces",
                                      .explained = { "pieces" },
                                      .options = "html gold-deps gold-target parser",
                                      .count = count,
                                      .begin = begin,
                                      .add = add,
                                      .show = show };
