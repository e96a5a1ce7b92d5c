/* One pass over the encoder where the tape records or the batch is small, else one pass
 * for each part, whose means are added up. */
#include "embeddings/word_encoder.h"

Status word_encoder_declare(WordEncoder *we, ParamSet *ps, WordEncoderConfig config, int d, Error *error)
{
    *we = (WordEncoder){ .c = config };
    Status s = pretrained_encoder_declare(&we->encoder, ps, config.encoder, error);
    if (s == OK && config.options) s = pretrained_encoder_declare_pal(&we->encoder, ps, config.options, error);
    for (int l = 0; l <= config.encoder.n_layers && s == OK && config.mix; l++)
        s = param_declare(&we->mix[l], ps, error, 1, 1, 0, 0, "pretrained.mix_%d", l);
    return s == OK
               ? param_declare(&we->project, ps, error, 2, config.encoder.d_model, d, 0, "project_pretrained.weight")
               : s;
}

void word_encoder_init(const WordEncoder *we, ParamSet *ps, unsigned long seed)
{
    for (int l = 0; l <= we->c.encoder.n_layers && we->c.mix; l++)
        param_init_constant(ps, we->mix[l], l == we->c.encoder.n_layers);
    linear_init(we->project, -1, ps, seed);
    if (we->c.options) pretrained_encoder_init_pal(&we->encoder, ps, we->c.options->pal.init_std, seed);
}

/* sum_l mix_l hidden_l */
static Tensor *combine(const Forward *f, const WordEncoder *we, const PretrainedOutput *out)
{
    Tensor *sum = NULL;
    for (int l = 0; l <= we->c.encoder.n_layers; l++) {
        Tensor *x = op_scale_rows(f->t, out->hidden[l], forward_param(f, we->mix[l]));
        sum = sum ? op_add(f->t, sum, x) : x;
    }
    return sum;
}

/* The states of the pieces that the vectors of tokens are made of. */
static Tensor *piece_states(const Forward *f, const WordEncoder *we, const PieceBatch *pieces, PretrainedOutput *out)
{
    Forward of_pieces = *f;
    of_pieces.batch = &pieces->batch;
    of_pieces.sentence_of = NULL;
    of_pieces.brief = (f->brief || (pieces->apart && !f->t->recording)) && !we->c.mix;
    pretrained_encoder_forward(&of_pieces, &we->encoder, pieces->id, pieces->control, out);
    return we->c.mix ? combine(f, we, out) : out->hidden[we->c.encoder.n_layers];
}

/* Adds the means over the rows of a part to the rows of its tokens in x. */
static bool add_part(const Forward *f, const WordEncoder *we, const PiecePart *part, Tensor *x)
{
    PretrainedOutput out;
    Tape *t = f->t;
    Tensor *states = piece_states(f, we, &part->b, &out),
           *y = op_embed_mean(t, states, part->b.start, part->b.row, part->n);
    if (!part->is_whole) y = op_scale_rows(t, y, tape_constant(t, part->share, 1, part->n));
    if (!y) return false;
    tape_run(t, "word_encoder", add, x->data + (ptrdiff_t)part->token * x->ld, x->ld, y->data, y->ld, y->rows, y->cols);
    return tape_status(t) == OK;
}

/* The means over the rows of tokens, in several passes over the encoder, each of at most `most` pieces or of one
 * sequence. */
static Tensor *means_by_parts(const Forward *f, const WordEncoder *we, const PieceBatch *pieces, int most)
{
    Tape *t = f->t;
    int tokens = f->batch->n_tokens;
    Tensor *x = tape_new(t, tokens, we->c.encoder.d_model);
    if (x) tape_run(t, "word_encoder", fill, x->data, tensor_size(x), 0);
    for (int from = 0, to; x && from < pieces->batch.n_sent; from = to) {
        TapeMark mark = tape_mark(t);
        PiecePart part;
        to = piece_batch_end(pieces, from, most);
        if (!piece_batch_part(pieces, tokens, from, to, 2 * we->c.encoder.n_layers, &t->host, &part))
            return tape_fail(t, ERR_NOMEM, "out of memory for the pieces of a batch");
        if (part.n && !add_part(f, we, &part, x)) return NULL;
        tape_rewind(t, mark);
    }
    return x;
}

Tensor *word_encoder_forward(const Forward *forward, const WordEncoder *we, const PieceBatch *pieces,
                             PretrainedOutput *out)
{
    PretrainedOutput own;
    Tape *t = forward->t;
    int tokens = forward->batch->n_tokens;
    bool recording = t->recording;
    t->recording = recording && !pieces->apart;
    bool once = t->recording || t->training || pieces->batch.n_tokens <= word_encoder_most(tokens);
    if (!out) out = &own;
    *out = (PretrainedOutput){ .hidden = { NULL } };
    Tensor *x = once ? op_embed_mean(t, piece_states(forward, we, pieces, out), pieces->start, pieces->row, tokens)
                     : means_by_parts(forward, we, pieces, tokens > PRETRAINED_PASS ? tokens : PRETRAINED_PASS);
    t->recording = recording;
    x = op_dropout(t, x, we->c.dropout, forward->sentence_of);
    return op_linear(t, x, forward_weight(forward, we->project), NULL, false);
}

Tensor *word_encoder_guidance(const Forward *forward, const HeadPlan *plan, const PretrainedOutput *out,
                              const PieceBatch *pieces, const GuidanceTargets *targets, GuidanceNorm norm,
                              GuidanceEmptyRow empty, double sentences)
{
    int n = plan->piece_layers;
    Tensor *sum = NULL;
    for (int l = 0; l < 2 * n; l++) {
        Tensor *probs = l < n ? out->attention[l].probs : out->pal_probs[l - n],
               *loss = head_plan_guidance(forward->t, plan, layer_piece(plan->layers, l), probs, NULL, targets,
                                          &pieces->batch, norm, empty, sentences);
        if (tape_status(forward->t) != OK) return NULL;
        if (loss) sum = sum ? op_add(forward->t, sum, loss) : loss;
    }
    return sum;
}
