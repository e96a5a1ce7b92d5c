/* Columns of queries, keys and values and rows of outputs are copied for the heads that stay; a
 * gate is multiplied into the output weights. */
#include "lal/decoder_prune.h"

#include "lal/encoder_prune.h"

/* gates [decoder_heads] of evaluation. */
static Status gates_of(const Decoder *dec, const ParamSet *ps, DecoderStack stack, int l, double *gates, Error *e)
{
    const HeadGate *g = decoder_gate(dec, stack, l);
    if (g) return head_gate_values(g, ps, gates, e);
    for (int h = 0; h < decoder_heads(dec, stack, l); h++) gates[h] = 1;
    return OK;
}

Status decoder_prune_open(const Decoder *dec, const ParamSet *ps, DecoderStack stack, int layer, int *head, int *n,
                          Error *error)
{
    int heads = decoder_heads(dec, stack, layer);
    double *gates = mem_alloc((size_t)heads, sizeof *gates);
    Status s = gates ? gates_of(dec, ps, stack, layer, gates, error)
                     : error_set(error, ERR_NOMEM, "out of memory pruning heads");
    *n = 0;
    for (int h = 0; s == OK && h < heads; h++)
        if (gates[h] != 0) head[(*n)++] = dec->head[stack][layer][h];
    mem_free(gates);
    return s;
}

bool decoder_prune_copies(const Decoder *dec, int param)
{
    for (int l = 0; l < dec->c.n_layers; l++) {
        const SelfAttention *sa = &dec->self[l];
        const CrossAttention *ca = &dec->cross[l];
        if (sa->heads > 0 && (param == sa->qkv[0] || param == sa->qkv_bias[0] || param == sa->proj[0])) return true;
        if (ca->heads > 0 &&
            (param == ca->q || param == ca->q_bias || param == ca->kv || param == ca->kv_bias || param == ca->proj))
            return true;
    }
    return false;
}

static void prune_cross(const CrossAttention *from, const ParamSet *ps, const int *row, const double *gates,
                        const CrossAttention *to, ParamSet *to_ps, int w)
{
    for (int k = 0; k < to->heads; k++) {
        encoder_copy_columns(ps, from->q, row[k], to_ps, to->q, k, w, 1);
        encoder_copy_columns(ps, from->q_bias, row[k], to_ps, to->q_bias, k, w, 1);
        for (int part = 0; part < 2; part++) {
            int at = part * from->heads + row[k], to_at = part * to->heads + k;
            encoder_copy_columns(ps, from->kv, at, to_ps, to->kv, to_at, w, 1);
            encoder_copy_columns(ps, from->kv_bias, at, to_ps, to->kv_bias, to_at, w, 1);
        }
        encoder_copy_rows(ps, from->proj, row[k], to_ps, to->proj, k, w, gates[row[k]]);
    }
}

/* Sets row[k] to the row of head k of the layer of `to` in `from`. */
static Status find_rows(const Decoder *from, const Decoder *to, DecoderStack stack, int l, int *row, Error *e)
{
    for (int k = 0; k < decoder_heads(to, stack, l); k++) {
        int h = to->head[stack][l][k], r = 0;
        while (r < decoder_heads(from, stack, l) && from->head[stack][l][r] != h) r++;
        if (r == decoder_heads(from, stack, l))
            return error_set(e, ERR_CONFIG, "%s layer %d head %d was pruned from this model",
                             stack == DECODER_SELF ? "decoder" : "cross", l, h);
        row[k] = r;
    }
    return OK;
}

Status decoder_prune(const Decoder *from, const ParamSet *ps, const Decoder *to, ParamSet *to_ps, Error *error)
{
    size_t heads = (size_t)from->c.n_heads;
    int *row = mem_alloc(heads, sizeof *row);
    double *gates = mem_alloc(heads, sizeof *gates);
    Status s = row && gates ? OK : error_set(error, ERR_NOMEM, "out of memory pruning heads");
    for (int stack = 0; stack < DECODER_STACKS; stack++)
        for (int l = 0; l < to->c.n_layers && s == OK; l++) {
            s = find_rows(from, to, (DecoderStack)stack, l, row, error);
            if (s == OK) s = gates_of(from, ps, (DecoderStack)stack, l, gates, error);
            if (s != OK) break;
            if (stack == DECODER_SELF) encoder_prune_attention(&from->self[l], ps, row, gates, &to->self[l], to_ps);
            else prune_cross(&from->cross[l], ps, row, gates, &to->cross[l], to_ps, to->c.d_kv);
        }
    mem_free_each(row, gates);
    return s;
}
