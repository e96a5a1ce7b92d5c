/* Runs the embedding, the encoder and the task's scorers. The loss is the task's loss plus the guidance loss and the
 * penalty of gates, which all tasks share. */
#include "parser/model/network.h"

#include "lal/decoder.h"

Status network_declare(Network *net, ParamSet *ps, NetworkConfig config, Error *error)
{
    *net = (Network){ .c = config };
    if (!config.task->declare)
        return pretrained_encoder_declare(&net->embedding.pretrained.encoder, ps, config.embedding.pretrained.encoder,
                                          error);
    Status status = token_embedding_declare(&net->embedding, ps, config.embedding, error);
    if (status == OK) status = encoder_declare(&net->encoder, ps, config.encoder, error);
    if (status != OK) return status;
    net->own = mem_calloc(1, config.task->own_bytes);
    return net->own ? config.task->declare(net, ps, error) : error_set(error, ERR_NOMEM, "out of memory for a network");
}

void network_init(const Network *net, ParamSet *ps, unsigned long seed)
{
    token_embedding_init(&net->embedding, ps, seed);
    encoder_init(&net->encoder, ps, seed);
    net->c.task->init(net, ps, seed);
}

void network_fini(Network *net)
{
    encoder_fini(&net->encoder);
    if (net->own && net->c.task->fini) net->c.task->fini(net->own);
    mem_free(net->own);
}

Decoder *network_decoder(const Network *net)
{
    static Decoder none;
    return net->c.task && net->c.task->decoder && net->own ? net->c.task->decoder(net) : &none;
}

int network_guides(const Network *net)
{
    return net->encoder.plan.n_guides + network_decoder(net)->plan[DECODER_SELF].n_guides;
}

void network_gates(const Network *net, void (*take)(void *context, const HeadGate *gates), void *context)
{
    const Encoder *enc = &net->encoder;
    const Decoder *dec = network_decoder(net);
    for (LayerId l = 0; l < layer_count(enc->c.n_layers); l++)
        if (enc->gated[l]) take(context, &enc->gate[l]);
    for (int s = 0; s < DECODER_STACKS; s++)
        for (int l = 0; l < dec->c.n_layers; l++) {
            const HeadGate *gates = decoder_gate(dec, (DecoderStack)s, l);
            if (gates) take(context, gates);
        }
}

Status network_forward(const Forward *forward, const Network *net, const TokenInputs *in, const EncoderControl *control,
                       NetworkOutput *out)
{
    *out = (NetworkOutput){ 0 };
    if (control) {
        out->gate_key = control->gate_key;
        out->source_keys = control->source_keys;
    }
    if (!net->c.task->declare) {
        Forward pieces = *forward;
        pieces.batch = &in->pieces.batch;
        pretrained_encoder_forward(&pieces, &net->embedding.pretrained.encoder, in->pieces.id, NULL, &out->pretrained);
        return tape_status(forward->t);
    }
    out->embedding = token_embedding_forward(forward, &net->embedding, in, &out->pretrained);
    if (!out->embedding) return tape_status(forward->t);
    encoder_forward(forward, &net->encoder, out->embedding, net->c.dropout, control, &out->encoder);
    if (out->encoder.fencepost || (out->encoder.contextual && control && control->words_alone))
        net->c.task->forward(forward, net, out);
    return tape_status(forward->t);
}

static Tensor *plus(Tape *t, Tensor *x, Tensor *y) { return x && y ? op_add(t, x, y) : x ? x : y; }

/* The guidance loss of the encoder's heads and of the pretrained encoder's. */
static Tensor *guidance_loss_of(const Forward *f, const Network *net, const NetworkOutput *out, const LossWeights *w)
{
    const HeadPlan *plan = &net->encoder.plan;
    Tensor *own = encoder_guidance(f, &net->encoder, &out->encoder, w->targets, w->guidance_norm, w->empty_row,
                                   w->guided_sentences),
           *pieces = tape_status(f->t) == OK && plan->piece_layers
                         ? word_encoder_guidance(f, plan, &out->pretrained, w->pieces, w->targets, w->guidance_norm,
                                                 w->empty_row, w->guided_sentences)
                         : NULL;
    return plus(f->t, own, pieces);
}

/* The expected number of open gates of the encoder and of the decoder, if there is one. */
static Tensor *gate_penalty_of(const Forward *f, const Network *net)
{
    Tensor *encoder = encoder_gate_penalty(f, &net->encoder),
           *decoder = tape_status(f->t) == OK ? decoder_gate_penalty(f, network_decoder(net)) : NULL;
    return plus(f->t, encoder, decoder);
}

Tensor *network_loss(const Forward *forward, const Network *net, const NetworkOutput *out, const Gold *gold,
                     const LossWeights *loss_weights, Arena *scratch, LossParts *parts)
{
    Tape *t = forward->t;
    *parts = (LossParts){ 0 };
    Tensor *part[LOSS_PARTS] = { NULL };
    const double *weight = loss_weights->part;
    if (net->c.task->loss(forward, net, out, gold, loss_weights, scratch, part, parts) != OK) return NULL;
    if (weight[LOSS_GUIDANCE] != 0)
        part[LOSS_GUIDANCE] = plus(t, part[LOSS_GUIDANCE], guidance_loss_of(forward, net, out, loss_weights));
    if (weight[LOSS_GATES] != 0) part[LOSS_GATES] = gate_penalty_of(forward, net);
    Tensor *terms[LOSS_PARTS];
    double weights[LOSS_PARTS];
    int n = 0;
    for (int k = 0; k < LOSS_PARTS; k++) {
        if (!part[k]) continue;
        terms[n] = part[k];
        weights[n++] = weight[k];
    }
    Tensor *loss = tape_status(t) == OK ? op_weighted_sum(t, terms, weights, n) : NULL;
    if (!loss) return NULL;
    Real value[LOSS_PARTS] = { 0 }, sum = 0;
    for (int k = 0; k < LOSS_PARTS; k++)
        if (part[k]) tape_fetch(t, &value[k], part[k]->data, sizeof value[k]);
    tape_fetch(t, &sum, loss->data, sizeof sum);
    tape_wait(t);
    for (int k = 0; k < LOSS_PARTS; k++) parts->part[k] = (double)value[k];
    parts->sum = (double)sum;
    return tape_done(t, loss);
}
