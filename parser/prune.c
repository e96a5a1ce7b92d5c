/* parser/prune.c */
#include "parser/prune.h"

#include <math.h>
#include <string.h>

#include "lal/encoder_prune.h"

/* ---- gates */

Status model_gates(const Model *m, GateCounts *out, Error *e)
{
    const Encoder *enc = &m->net.encoder;
    Status s = OK;
    *out = (GateCounts){ 0 };
    for (int l = 0; l <= enc->c.n_layers && s == OK; l++) {
        const HeadGate *g = &enc->gate[l];
        double *gates = enc->gated[l] ? mem_alloc((size_t)g->heads, sizeof *gates) : NULL;
        if (!enc->gated[l]) continue;
        s = gates ? head_gate_values(g, &m->ps, gates, e) : error_set(e, ERR_NOMEM, "out of memory for gates");
        if (s == OK) {
            out->heads += g->heads;
            out->open += head_gate_open(gates, g->heads);
            out->between += head_gate_between(gates, g->heads);
        }
        mem_free(gates);
    }
    return s;
}

void model_gate_rule(Model *m, bool binary)
{
    for (int l = 0; l <= m->net.encoder.c.n_layers; l++) m->net.encoder.gate[l].c.binary = binary;
    m->options.gates.eval = binary ? GATES_BINARY : GATES_CLIP;
}

/* ---- the smaller model */

static bool copy_vocabs(const Model *from, Model *to)
{
    const Vocab *const a[] = { &from->words,   &from->tags,      &from->labels,     &from->types, &from->chars,
                               &from->vectors, &from->treebanks, &from->own_labels, &from->df };
    Vocab *const b[] = { &to->words,   &to->tags,      &to->labels,     &to->types, &to->chars,
                         &to->vectors, &to->treebanks, &to->own_labels, &to->df };
    bool ok = true;
    for (size_t k = 0; k < sizeof a / sizeof *a && ok; k++) ok = vocab_copy(b[k], a[k]);
    return ok;
}

/* The open heads of all layers, in the arena of `to`. */
static Status find_open(const Model *from, Model *to, Error *e)
{
    int layers = from->c.n_layers;
    to->kept = arena_calloc(&to->strings, (size_t)layers, sizeof *to->kept);
    if (!to->kept) return error_set(e, ERR_NOMEM, "out of memory pruning");
    for (int l = 0; l < layers; l++) {
        int *head = arena_alloc(&to->strings, (size_t)from->c.n_heads, sizeof *head);
        if (!head) return error_set(e, ERR_NOMEM, "out of memory pruning");
        Status s = encoder_prune_open(&from->net.encoder, &from->ps, l, head, &to->kept[l].n, e);
        if (s != OK) return s;
        to->kept[l].item = head;
    }
    return OK;
}

/* Leaves the gates of self-attention out of the options, and from the list of constant ones, in which they come
 * first. */
static void remove_gates(Model *m)
{
    EncoderOptions *o = &m->options;
    int self = m->c.n_layers * m->c.n_heads;
    if (o->gates.kind == GATES_CONSTANT && o->gates.constant.n >= self) {
        o->gates.constant.item += self;
        o->gates.constant.n -= self;
    }
    if (encoder_options_gates(o, STACK_LABEL)) o->gates.stacks = "label";
    else o->gates.kind = GATES_NONE;
}

Status model_prune(const Model *from, Model *to, Error *e)
{
    if (!encoder_options_gates(&from->options, STACK_SELF))
        return error_set(e, ERR_CONFIG,
                         "the model has no gates on self-attention heads, expected one trained with gates");
    to->c = from->c;
    to->options = from->options;
    to->default_treebank = from->default_treebank;
    remove_gates(to);
    Status s = find_open(from, to, e);
    if (s == OK && !copy_vocabs(from, to)) s = error_set(e, ERR_NOMEM, "out of memory pruning");
    size_t len = from->summary ? strlen(from->summary) + 1 : 0;
    if (s == OK && len) {
        to->summary = mem_alloc(len, 1);
        if (!to->summary) return error_set(e, ERR_NOMEM, "out of memory pruning");
        memcpy(to->summary, from->summary, len);
    }
    if (s == OK) s = model_build(to, e);
    return s == OK ? encoder_prune(&from->net.encoder, &from->ps, &to->net.encoder, &to->ps, e) : s;
}

/* ---- proof */

static bool same_parse(const Parsed *a, const Parsed *b)
{
    if (a->n_spans != b->n_spans || !a->heads != !b->heads) return false;
    for (int k = 0; k < a->n_spans; k++)
        if (a->spans[k].begin != b->spans[k].begin || a->spans[k].end != b->spans[k].end ||
            a->spans[k].label != b->spans[k].label)
            return false;
    for (int w = 0; a->heads && w < a->n_words; w++)
        if (a->heads[w] != b->heads[w] || a->types[w] != b->types[w]) return false;
    return true;
}

/* One sentence by both workers. */
static Status compare_one(ParseWorker w[2], const ParseInput *in, Arena *a, ModelDifference *d, Error *e)
{
    Parsed parsed[2];
    HostMatrix y[2];
    for (int k = 0; k < 2; k++) {
        const ParseOptions o = parse_defaults(w[k].m);
        Status s = parse_batch(&w[k], in, 1, &o, a, &parsed[k], e);
        if (s != OK) return s;
        if (in->n_words) y[k] = tensor_host(&w[k].tape, w[k].net.encoder.word, a);
    }
    double most = 0, apart = 0;
    for (int r = 0; in->n_words && r < y[0].rows; r++)
        for (int c = 0; c < y[0].cols; c++) {
            double u = (double)host_row(&y[0], r)[c], v = fabs(u - (double)host_row(&y[1], r)[c]);
            most = fmax(most, fabs(u));
            if (!(v <= apart)) apart = v; /* NaN too, which stays */
        }
    apart /= 1 + most;
    if (!(apart <= d->vectors)) d->vectors = apart;
    d->parsed_otherwise += !same_parse(&parsed[0], &parsed[1]);
    d->sentences++;
    return OK;
}

Status model_difference(const Model *a, const Model *b, const ParseInput *in, int n, ModelDifference *out, Error *e)
{
    ParseWorker w[2];
    Arena arena;
    Status s = OK;
    *out = (ModelDifference){ 0 };
    arena_init(&arena, (size_t)1 << 16);
    parse_worker_init(&w[0], a, device_default());
    parse_worker_init(&w[1], b, device_default());
    for (int k = 0; k < n && s == OK; k++) {
        arena_reset(&arena);
        s = compare_one(w, &in[k], &arena, out, e);
    }
    for (int k = 0; k < 2; k++) parse_worker_fini(&w[k]);
    arena_fini(&arena);
    return s;
}
