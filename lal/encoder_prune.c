/* lal/encoder_prune.c */
#include "lal/encoder_prune.h"

#include <string.h>

/* gates [attn[l].heads] of evaluation. */
static Status gates_of(const Encoder *enc, const ParamSet *ps, int l, double *gates, Error *e)
{
    if (enc->gated[l]) return head_gate_values(&enc->gate[l], ps, gates, e);
    for (int h = 0; h < enc->attn[l].heads; h++) gates[h] = 1;
    return OK;
}

Status encoder_prune_open(const Encoder *enc, const ParamSet *ps, int l, int *head, int *n, Error *e)
{
    double *gates = mem_alloc((size_t)enc->c.n_heads, sizeof *gates);
    Status s = gates ? gates_of(enc, ps, l, gates, e) : error_set(e, ERR_NOMEM, "out of memory pruning heads");
    *n = 0;
    for (int h = 0; s == OK && h < enc->attn[l].heads; h++)
        if (gates[h] != 0) head[(*n)++] = enc->head[l][h];
    mem_free(gates);
    return s;
}

/* A matrix of `rows` rows, of two that have other leading dimensions, times `by`. */
static void copy_block(Real *to, int ldto, const Real *from, int ldfrom, int rows, int cols, double by)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            to[(ptrdiff_t)r * ldto + c] =
                by == 1 ? from[(ptrdiff_t)r * ldfrom + c] : (Real)(by * (double)from[(ptrdiff_t)r * ldfrom + c]);
}

void encoder_prune_attention(const SelfAttention *from, const ParamSet *ps, const int *row, const double *gates,
                             const SelfAttention *to, ParamSet *to_ps)
{
    for (int p = 0; p < to->parts && to->heads > 0; p++) {
        const Param *qkv = &ps->p[from->qkv[p]], *small = &to_ps->p[to->qkv[p]];
        int d = qkv->rows, w = qkv->cols / 3 / from->heads;
        for (int k = 0; k < to->heads; k++) {
            for (int part = 0; part < 3; part++)
                copy_block(param_values(to_ps, to->qkv[p]) + (part * to->heads + k) * w, small->cols,
                           param_values(ps, from->qkv[p]) + (part * from->heads + row[k]) * w, qkv->cols, d, w, 1);
            int out = ps->p[from->proj[p]].cols;
            copy_block(param_values(to_ps, to->proj[p]) + (ptrdiff_t)k * w * out, out,
                       param_values(ps, from->proj[p]) + (ptrdiff_t)row[k] * w * out, out, w, out,
                       gates ? gates[row[k]] : 1);
        }
    }
}

static bool is_attention(const Encoder *enc, int param)
{
    bool is = false;
    for (int l = 0; l < enc->c.n_layers; l++)
        for (int p = 0; p < enc->attn[l].parts && enc->attn[l].heads > 0; p++)
            is = is || enc->attn[l].qkv[p] == param || enc->attn[l].proj[p] == param;
    return is;
}

/* All parameters but those of self-attention, its norms excepted. */
static Status copy_others(const ParamSet *ps, const Encoder *to, ParamSet *to_ps, Error *e)
{
    for (int k = 0; k < to_ps->n; k++) {
        const Param *x = &to_ps->p[k];
        int j = params_find(ps, x->name);
        if (is_attention(to, k)) continue;
        if (j < 0) return error_set(e, ERR_CONFIG, "the model has no parameter %s", x->name);
        if (ps->p[j].rows != x->rows || ps->p[j].cols != x->cols)
            return error_set(e, ERR_CONFIG, "%s is [%d, %d], expected [%d, %d]", x->name, ps->p[j].rows, ps->p[j].cols,
                             x->rows, x->cols);
        memcpy(param_values(to_ps, k), param_values(ps, j), param_count(x) * sizeof(Real));
    }
    return OK;
}

Status encoder_prune(const Encoder *from, const ParamSet *ps, const Encoder *to, ParamSet *to_ps, Error *e)
{
    size_t n = (size_t)from->c.n_heads;
    double *gates = mem_alloc(n, sizeof *gates);
    int *row = mem_alloc(n, sizeof *row);
    Status s = gates && row ? copy_others(ps, to, to_ps, e) : error_set(e, ERR_NOMEM, "out of memory pruning heads");
    for (int l = 0; l < to->c.n_layers && s == OK; l++) {
        s = gates_of(from, ps, l, gates, e);
        for (int k = 0; k < to->attn[l].heads && s == OK; k++) {
            row[k] = encoder_head_row(from, l, to->head[l][k]);
            if (row[k] < 0)
                s = error_set(e, ERR_CONFIG, "layer %d head %d was pruned from this model", l, to->head[l][k]);
        }
        if (s == OK) encoder_prune_attention(&from->attn[l], ps, row, gates, &to->attn[l], to_ps);
    }
    mem_free(gates);
    mem_free(row);
    return s;
}

int encoder_prune_blocks(const Real *w, int heads, int width, int cols, const bool *closed, Real *out)
{
    int blocks = 0;
    size_t n = (size_t)width * (size_t)cols;
    bool any = false;
    for (int h = 0; h < heads; h++) {
        any = any || closed[h];
        if (!closed[h]) memcpy(out + (size_t)blocks++ * n, w + (size_t)h * n, n * sizeof *out);
    }
    if (!any) return blocks;
    Real *shared = out + (size_t)blocks * n;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int h = 0; h < heads; h++)
            if (closed[h]) sum += (double)w[(size_t)h * n + i];
        shared[i] = (Real)sum;
    }
    return blocks + 1;
}
