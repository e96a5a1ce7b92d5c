/* Counts gates, finds the open heads of every layer, and builds the smaller model around them
 * before weights are copied. */
#include "parser/model/prune.h"

#include <string.h>

#include "lal/decoder_prune.h"
#include "lal/encoder_prune.h"

/* ---- gates */

/* What network_gates gives is counted. */
typedef struct GateSum {
    const Model *m;
    GateCounts *counts;
    Status status;
    Error *e;
} GateSum;

static void count_gates(void *context, const HeadGate *g)
{
    GateSum *sum = context;
    if (sum->status != OK) return;
    double *gates = mem_alloc((size_t)g->heads, sizeof *gates);
    sum->status = gates ? head_gate_values(g, &sum->m->ps, gates, sum->e)
                        : error_set(sum->e, ERR_NOMEM, "out of memory for gates");
    if (sum->status == OK) {
        sum->counts->heads += g->heads;
        sum->counts->open += head_gate_open(gates, g->heads);
        sum->counts->between += head_gate_between(gates, g->heads);
    }
    mem_free(gates);
}

Status model_gates(const Model *model, GateCounts *out, Error *error)
{
    GateSum sum = { model, out, OK, error };
    *out = (GateCounts){ 0 };
    network_gates(&model->net, count_gates, &sum);
    return sum.status;
}

void model_gate_rule(Model *model, bool binary)
{
    Decoder *dec = network_decoder(&model->net);
    for (LayerId l = 0; l < layer_count(model->c.n_layers); l++) model->net.encoder.gate[l].c.binary = binary;
    for (int s = 0; s < DECODER_STACKS; s++)
        for (int l = 0; l < dec->c.n_layers; l++) dec->gate[s][l].c.binary = binary;
    model->options.gates.eval = binary ? GATES_BINARY : GATES_CLIP;
}

/* ---- the smaller model */

/* The open heads of all layers, in the arena of `to`. */
static Status find_open(const Model *from, Model *to, Error *e)
{
    const Encoder *enc = &from->net.encoder;
    int layers = from->c.n_layers;
    to->kept = arena_calloc(&to->strings, (size_t)layer_count(layers), sizeof *to->kept);
    if (!to->kept) return error_set(e, ERR_NOMEM, "out of memory pruning");
    for (LayerId l = 0; l < layer_count(layers); l++) {
        HeadNumbers *kept = &to->kept[l];
        int all = encoder_heads_before(enc, l), *head = arena_alloc(&to->strings, (size_t)all, sizeof *head);
        if (!head) return error_set(e, ERR_NOMEM, "out of memory pruning");
        Status s = encoder_prune_open(enc, &from->ps, l, head, &kept->n, e);
        if (s != OK) return s;
        kept->item = head;
        if (l >= layer_label(layers) && kept->n == all) *kept = (HeadNumbers){ .all = true };
    }
    const HeadNumbers *label = &to->kept[layer_label(layers)];
    to->shared_block = !label->all && encoder_prune_shares(enc, label->n);
    if (!encoder_has_blocks(enc) || from->c.lal_pwff || from->c.lal_combine_as_self || label->all || label->n ||
        to->shared_block)
        return OK;
    return error_at(e, ERR_CONFIG, from->path, 0, 0,
                    "the gates have closed all label heads at their outputs, expected one that is open: without any "
                    "there is nothing to score");
}

/* The open heads of all layers of the decoder, if there is one, in the arena of `to`. */
static Status find_open_decoder(const Model *from, Model *to, Error *e)
{
    const Decoder *dec = network_decoder(&from->net);
    int layers = dec->c.n_layers;
    if (!layers) return OK;
    to->decoder_kept = arena_calloc(&to->strings, DECODER_STACKS * (size_t)layers, sizeof *to->decoder_kept);
    if (!to->decoder_kept) return error_set(e, ERR_NOMEM, "out of memory pruning");
    for (int k = 0; k < DECODER_STACKS * layers; k++) {
        HeadNumbers *kept = &to->decoder_kept[k];
        int *head = arena_alloc(&to->strings, (size_t)dec->c.n_heads, sizeof *head);
        if (!head) return error_set(e, ERR_NOMEM, "out of memory pruning");
        Status s = decoder_prune_open(dec, &from->ps, (DecoderStack)(k / layers), k % layers, head, &kept->n, e);
        if (s != OK) return s;
        kept->item = head;
        kept->all = kept->n == dec->c.n_heads;
    }
    return OK;
}

/* Do gates of projected attention stay? */
static bool pal_stays(const EncoderOptions *o) { return encoder_options_gates(o, STACK_PAL) && o->pal.share; }

/* Leaves the gates out of the options. Where the gates of projected attention stay, the others are left out from the
 * list of constant gates, in which they come before and after. */
static void remove_gates(Model *m)
{
    EncoderOptions *o = &m->options;
    int n = (encoder_options_gates(o, STACK_SELF) ? m->c.n_layers * m->c.n_heads : 0) +
            (encoder_options_gates(o, STACK_LABEL) ? m->c.n_label_heads : 0);
    int after = 0;
    for (int s = 0; s < DECODER_STACKS; s++)
        after += encoder_options_gates_decoder(o, (DecoderStack)s) ? m->c.decoder_layers * m->c.n_heads : 0;
    if (o->gates.kind == GATES_CONSTANT && o->gates.constant.n >= n + after) {
        o->gates.constant.item += n;
        o->gates.constant.n -= n + after;
    }
    if (pal_stays(o)) {
        o->gates.stacks = "pal";
        return;
    }
    o->gates.kind = GATES_NONE;
    o->gates.constant = (HeadNumbers){ 0 };
}

/* Fills the parameters of the smaller model, which is built. */
static Status copy_weights(const Model *from, Model *to, Error *e)
{
    EncoderReader readers[TASK_READERS];
    int n = to->task->readers(&to->net, readers);
    bool *decoder = mem_calloc((size_t)to->ps.n, sizeof *decoder);
    if (!decoder) return error_set(e, ERR_NOMEM, "out of memory pruning");
    for (int k = 0; k < to->ps.n; k++) decoder[k] = decoder_prune_copies(network_decoder(&to->net), k);
    Status s = encoder_prune(&from->net.encoder, &from->ps, &to->net.encoder, &to->ps, readers, n, decoder, e);
    if (s == OK) s = decoder_prune(network_decoder(&from->net), &from->ps, network_decoder(&to->net), &to->ps, e);
    mem_free(decoder);
    return s;
}

Status model_prune(const Model *from, Model *to, Error *error)
{
    bool goes = encoder_options_gates(&from->options, STACK_SELF) || encoder_options_gates(&from->options, STACK_LABEL);
    for (int s = 0; s < DECODER_STACKS; s++)
        goes = goes || encoder_options_gates_decoder(&from->options, (DecoderStack)s);
    if (!goes && pal_stays(&from->options))
        return error_at(error, ERR_CONFIG, from->path, 0, 0,
                        "the model has gates only on projected attention with pal.share, whose heads cannot be left "
                        "out, expected gates of other heads");
    if (!goes && !encoder_options_gates(&from->options, STACK_PAL))
        return error_at(error, ERR_CONFIG, from->path, 0, 0,
                        "the model has no gates on its heads, expected one trained with gates");
    to->task = from->task;
    to->c = from->c;
    to->options = from->options;
    to->default_treebank = from->default_treebank;
    remove_gates(to);
    Status s = find_open(from, to, error);
    if (s == OK) s = find_open_decoder(from, to, error);
    if (s == OK && from->pretrained.d_model) {
        to->pretrained = from->pretrained;
        s = piece_tokenizer_copy(&from->tokenizer, &to->tokenizer, error);
    }
    if (s == OK && !model_copy_vocabs(from, to)) s = error_set(error, ERR_NOMEM, "out of memory pruning");
    if (s == OK) s = model_copy_text(from, to, error);
    size_t len = from->summary ? strlen(from->summary) + 1 : 0;
    if (s == OK && len) {
        to->summary = mem_alloc(len, 1);
        if (!to->summary) return error_set(error, ERR_NOMEM, "out of memory pruning");
        memcpy(to->summary, from->summary, len);
    }
    if (s == OK) s = model_build(to, error);
    return s == OK ? copy_weights(from, to, error) : s;
}
