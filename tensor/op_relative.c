/* Logits of attention that depend on the distance of query and key. */
#include "tensor/ops.h"

typedef struct BiasAttr {
    int n_sent, longest;
    const int *row, *start;
    const long *pair_start;
} BiasAttr;

static void relative_bias_backward(Tape *t, const Node *nd)
{
    const BiasAttr *at = nd->attr;
    Tensor *table = nd->in[0];
    Real *dtable = tape_grad(t, table);
    if (dtable)
        tape_run(t, nd->op->name, relative_bias_bwd, dtable, table->ld, tape_grad_of(nd->out[0]), at->row, table->cols,
                 at->start, at->pair_start, at->n_sent, at->longest);
}

static const OpDesc RELATIVE_BIAS = { "relative_bias", relative_bias_backward, tape_no_relevance };

Tensor *op_relative_bias(Tape *tape, Tensor *table, const int *row, const Batch *batch)
{
    long *pair_start = table ? op_attention_pairs(tape, batch, batch) : NULL;
    if (!pair_start) return NULL;
    int distances = batch->longest > 0 ? 2 * batch->longest - 1 : 0;
    for (int k = 0; k < distances; k++)
        if (row[k] < 0 || row[k] >= table->rows)
            return tape_fail(tape, ERR_RANGE, "relative_bias: row %d of a table with %d rows", row[k], table->rows);
    Tensor *y = tape_new(tape, table->cols, pair_start[batch->n_sent]);
    size_t starts = (size_t)batch->n_sent + 1;
    const BiasAttr at = { .n_sent = batch->n_sent,
                          .longest = batch->longest,
                          .row = tape_upload(tape, row, (size_t)distances, sizeof *row),
                          .start = tape_upload(tape, batch->start, starts, sizeof(int)),
                          .pair_start = tape_upload(tape, pair_start, starts, sizeof *pair_start) };
    if (!tape_record(tape, &RELATIVE_BIAS, y, &at, sizeof at, table)) return NULL;
    tape_run(tape, RELATIVE_BIAS.name, relative_bias_fwd, y->data, table->data, table->ld, at.row, table->cols,
             at.start, at.pair_start, at.n_sent, at.longest);
    return tape_done(tape, y);
}

static void relative_logits_backward(Tape *t, const Node *nd)
{
    RelativeArgs a = *(const RelativeArgs *)nd->attr;
    a.dy = tape_grad_of(nd->out[0]);
    a.dqkv = tape_grad(t, nd->in[0]);
    a.dr = tape_grad(t, nd->in[1]);
    a.du = tape_grad(t, nd->in[2]);
    a.dv = tape_grad(t, nd->in[3]);
    if (tape_status(t) == OK) tape_run(t, nd->op->name, relative_logits_bwd, &a);
}

static const OpDesc RELATIVE_LOGITS = { "relative_logits", relative_logits_backward, tape_no_relevance };

Tensor *op_relative_logits(Tape *tape, Tensor *qkv, Tensor *r, Tensor *u, Tensor *v, int heads, double scale,
                           const Batch *batch)
{
    if (!qkv || !r || !u || !v) return NULL;
    int width = r->cols, longest = batch->longest;
    if (heads < 1 || width % heads || qkv->rows != batch->n_tokens || qkv->cols != 3 * width ||
        r->rows != (longest > 0 ? 2 * longest - 1 : 0) || (int)tensor_size(u) != width || (int)tensor_size(v) != width)
        return tape_fail(tape, ERR_RANGE, "relative_logits: qkv [%d, %d], r [%d, %d], %d heads, longest sentence %d",
                         qkv->rows, qkv->cols, r->rows, width, heads, longest);
    long *pair_start = op_attention_pairs(tape, batch, batch);
    Tensor *y = pair_start ? tape_new(tape, heads, pair_start[batch->n_sent]) : NULL;
    if (!y) return NULL;
    size_t starts = (size_t)batch->n_sent + 1, scratch = (size_t)longest * (size_t)(2 * longest + 2 * width / heads);
    const RelativeArgs a = { .heads = heads,
                             .w = width / heads,
                             .n_sent = batch->n_sent,
                             .longest = longest,
                             .scale = scale,
                             .start = tape_upload(tape, batch->start, starts, sizeof(int)),
                             .pair_start = tape_upload(tape, pair_start, starts, sizeof *pair_start),
                             .qkv = qkv->data,
                             .r = r->data,
                             .u = u->data,
                             .v = v->data,
                             .ld_qkv = qkv->ld,
                             .ld_r = r->ld,
                             .y = y->data,
                             .scratch = tape_scratch(tape, scratch, sizeof(Real)) };
    if (!tape_record(tape, &RELATIVE_LOGITS, y, &a, sizeof a, qkv, r, u, v)) return NULL;
    tape_run(tape, RELATIVE_LOGITS.name, relative_logits_fwd, &a);
    return tape_done(tape, y);
}
