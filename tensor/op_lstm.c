/* Sequences are laid out step by step, longest first, so that each step is one product over the
 * sequences that have not ended. */
#include <string.h>

#include "tensor/ops.h"

static void lstm_backward(Tape *t, const Node *nd)
{
    LstmArgs a = *(const LstmArgs *)nd->attr;
    const Tensor *y = nd->out[0];
    a.dlast = tape_grad_of(y);
    a.dx = tape_grad(t, nd->in[0]);
    a.dw_ih = tape_grad(t, nd->in[1]);
    a.dw_hh = tape_grad(t, nd->in[2]);
    a.db_ih = tape_grad(t, nd->in[3]);
    a.db_hh = tape_grad(t, nd->in[4]);
    size_t h = (size_t)a.d_hidden;
    a.scratch = tape_scratch(t, (size_t)a.n_total * 4 * h + 2 * (size_t)a.n_seq * h, sizeof(Real));
    if (tape_status(t) == OK) tape_run(t, nd->op->name, lstm_bwd, &a);
}

static const OpDesc LSTM = { "lstm", lstm_backward, tape_no_relevance };

/* Counting sort of the sequences by falling length; fills order, step_start and source. */
static bool layout(Tape *t, LstmArgs *a, const int *start, bool reversed)
{
    int n = a->n_seq, longest = 0;
    for (int i = 0; i < n; i++)
        if (start[i + 1] - start[i] > longest) longest = start[i + 1] - start[i];
    a->n_steps = longest;
    int *count = tape_host(t, (size_t)longest + 2, sizeof *count), *order = tape_host(t, (size_t)n, sizeof *order),
        *step_start = tape_host(t, (size_t)longest + 1, sizeof *step_start),
        *source = tape_host(t, (size_t)a->n_total, sizeof *source);
    if (!count || !order || !step_start || !source) return false;
    memset(count, 0, ((size_t)longest + 2) * sizeof *count);
    step_start[0] = 0;
    for (int i = 0; i < n; i++) count[longest - (start[i + 1] - start[i]) + 1]++;
    for (int l = 0; l <= longest; l++) count[l + 1] += count[l];
    for (int i = 0; i < n; i++) order[count[longest - (start[i + 1] - start[i])]++] = i;
    int row = 0;
    for (int s = 0; s < longest; s++) {
        for (int k = 0; k < n && start[order[k] + 1] - start[order[k]] > s; k++)
            source[row++] = reversed ? start[order[k] + 1] - 1 - s : start[order[k]] + s;
        step_start[s + 1] = row;
    }
    a->order = tape_upload(t, order, (size_t)n, sizeof *order);
    a->step_start = step_start;
    a->source = tape_upload(t, source, (size_t)a->n_total, sizeof *source);
    return tape_status(t) == OK;
}

Tensor *op_lstm(Tape *tape, Tensor *y, Tensor *x, const int *start, int n_seq, bool reversed, Tensor *w_ih,
                Tensor *w_hh, Tensor *b_ih, Tensor *b_hh)
{
    if (!x || !w_ih || !w_hh || !b_ih || !b_hh) return NULL;
    int h = w_hh->rows;
    if (w_ih->rows != x->cols || w_ih->cols != 4 * h || w_hh->cols != 4 * h || start[n_seq] != x->rows ||
        x->ld != x->cols || w_ih->ld != w_ih->cols || w_hh->ld != w_hh->cols)
        return tape_fail(tape, ERR_RANGE, "lstm: x [%d, %d], w_ih [%d, %d], w_hh [%d, %d]", x->rows, x->cols,
                         w_ih->rows, w_ih->cols, w_hh->rows, w_hh->cols);
    if (!y) y = tape_new(tape, n_seq, h);
    if (!y) return NULL;
    size_t total = (size_t)x->rows, hs = (size_t)h;
    LstmArgs a = { .n_seq = n_seq,
                   .n_total = x->rows,
                   .d_in = x->cols,
                   .d_hidden = h,
                   .x = x->data,
                   .w_ih = tensor_weight(w_ih),
                   .w_hh = tensor_weight(w_hh),
                   .b_ih = b_ih->data,
                   .b_hh = b_hh->data,
                   .last = y->data,
                   .ld_last = y->ld };
    if (!layout(tape, &a, start, reversed)) return NULL;
    a.gates = tape_scratch(tape, total * 4 * hs, sizeof(Real));
    a.cell = tape_scratch(tape, total * hs, sizeof(Real));
    a.hidden = tape_scratch(tape, total * hs, sizeof(Real));
    a.scratch = tape_scratch(tape, total * 4 * hs, sizeof(Real));
    if (!tape_record(tape, &LSTM, y, &a, sizeof a, x, w_ih, w_hh, b_ih, b_hh)) return NULL;
    tape_run(tape, LSTM.name, lstm_fwd, &a);
    return tape_done(tape, y);
}
