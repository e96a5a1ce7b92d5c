/* embeddings/word_encoder.c */
#include "embeddings/word_encoder.h"

Status word_encoder_declare(WordEncoder *we, ParamSet *ps, WordEncoderConfig c, int d, Error *e)
{
    *we = (WordEncoder){ .c = c };
    Status s = pretrained_encoder_declare(&we->encoder, ps, c.encoder, e);
    for (int l = 0; l <= c.encoder.n_layers && s == OK && c.mix; l++)
        s = param_declare(&we->mix[l], ps, e, 1, 1, 0, 0, "pretrained.mix_%d", l);
    return s == OK ? param_declare(&we->project, ps, e, 2, c.encoder.d_model, d, 0, "project_pretrained.weight") : s;
}

void word_encoder_init(const WordEncoder *we, ParamSet *ps, unsigned long seed)
{
    for (int l = 0; l <= we->c.encoder.n_layers && we->c.mix; l++)
        param_init_constant(ps, we->mix[l], l == we->c.encoder.n_layers);
    linear_init(we->project, -1, ps, seed);
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

Tensor *word_encoder_forward(const Forward *f, const WordEncoder *we, const PieceBatch *pieces)
{
    Forward of_pieces = *f;
    PretrainedOutput out;
    of_pieces.batch = &pieces->batch;
    of_pieces.sentence_of = NULL;
    pretrained_encoder_forward(&of_pieces, &we->encoder, pieces->id, NULL, &out);
    Tensor *x = we->c.mix ? combine(f, we, &out) : out.hidden[we->c.encoder.n_layers];
    x = op_embed_mean(f->t, x, pieces->start, pieces->row, f->batch->n_tokens);
    x = op_dropout(f->t, x, we->c.dropout, f->sentence_of);
    return op_linear(f->t, x, forward_param(f, we->project), NULL, false);
}
