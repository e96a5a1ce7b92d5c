/* Losses, each a [1, 1] tensor. */
#include "tensor/ops.h"

typedef struct EntropyAttr {
    const long *row;
    const int *len, *gold;
    int rows;
    double smoothing;
} EntropyAttr;

static void cross_entropy_backward(Tape *t, const Node *nd)
{
    const EntropyAttr *at = nd->attr;
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx)
        tape_run(t, nd->op->name, cross_entropy_bwd, dx, nd->in[0]->data, at->row, at->len, at->gold, at->rows,
                 at->smoothing, tape_grad_of(nd->out[0]));
}

static const OpDesc CROSS_ENTROPY = { "cross_entropy", cross_entropy_backward, NULL };

Tensor *op_smoothed_cross_entropy(Tape *tape, Tensor *x, const long *row, const int *len, const int *gold, int rows,
                                  double smoothing, Tensor **nll)
{
    if (!x) return NULL;
    if (x->ld != x->cols) return tape_fail(tape, ERR_RANGE, "cross_entropy: not contiguous");
    if (!(smoothing >= 0 && smoothing <= 1))
        return tape_fail(tape, ERR_RANGE, "cross_entropy: smoothing %g, expected 0 to 1", smoothing);
    for (int r = 0; r < rows; r++)
        if (gold[r] >= len[r] || row[r] < 0 || (size_t)row[r] + (size_t)len[r] > tensor_size(x))
            return tape_fail(tape, ERR_RANGE, "cross_entropy: row %d wants %d of %d", r, gold[r], len[r]);
    Tensor *y = tape_new(tape, 1, 1), *plain = nll ? tape_new(tape, 1, 1) : NULL;
    size_t n = (size_t)rows;
    const EntropyAttr at = { tape_upload(tape, row, n, sizeof *row), tape_upload(tape, len, n, sizeof *len),
                             tape_upload(tape, gold, n, sizeof *gold), rows, smoothing };
    if (!tape_record(tape, &CROSS_ENTROPY, y, &at, sizeof at, x)) return NULL;
    if (plain) {
        plain->needs_grad = false;
        *nll = plain;
    }
    tape_run(tape, CROSS_ENTROPY.name, cross_entropy_fwd, y->data, plain ? plain->data : NULL, x->data, at.row, at.len,
             at.gold, rows, smoothing);
    return tape_done(tape, y);
}

Tensor *op_cross_entropy(Tape *tape, Tensor *x, const long *row, const int *len, const int *gold, int rows)
{
    return op_smoothed_cross_entropy(tape, x, row, len, gold, rows, 0, NULL);
}

typedef struct SoftEntropyAttr {
    const long *row;
    const int *len, *first, *index;
    const Real *p;
    int rows;
} SoftEntropyAttr;

static void soft_cross_entropy_backward(Tape *t, const Node *nd)
{
    const SoftEntropyAttr *at = nd->attr;
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx)
        tape_run(t, nd->op->name, soft_cross_entropy_bwd, dx, nd->in[0]->data, at->row, at->len, at->first, at->index,
                 at->p, at->rows, tape_grad_of(nd->out[0]));
}

static const OpDesc SOFT_CROSS_ENTROPY = { "soft_cross_entropy", soft_cross_entropy_backward, NULL };

Tensor *op_soft_cross_entropy(Tape *tape, Tensor *x, const long *row, const int *len, const int *first,
                              const int *index, const Real *p, int rows)
{
    if (!x) return NULL;
    if (x->ld != x->cols) return tape_fail(tape, ERR_RANGE, "soft_cross_entropy: not contiguous");
    for (int r = 0; r < rows; r++) {
        if (row[r] < 0 || (size_t)row[r] + (size_t)len[r] > tensor_size(x))
            return tape_fail(tape, ERR_RANGE, "soft_cross_entropy: row %d", r);
        for (int k = first[r]; k < first[r + 1]; k++)
            if (index[k] < 0 || index[k] >= len[r])
                return tape_fail(tape, ERR_RANGE, "soft_cross_entropy: row %d wants %d of %d", r, index[k], len[r]);
    }
    Tensor *y = tape_new(tape, 1, 1);
    size_t n = (size_t)rows, count = (size_t)first[rows];
    const SoftEntropyAttr at = { .row = tape_upload(tape, row, n, sizeof *row),
                                 .len = tape_upload(tape, len, n, sizeof *len),
                                 .first = tape_upload(tape, first, n + 1, sizeof *first),
                                 .index = tape_upload(tape, index, count, sizeof *index),
                                 .p = tape_upload(tape, p, count, sizeof *p),
                                 .rows = rows };
    if (!tape_record(tape, &SOFT_CROSS_ENTROPY, y, &at, sizeof at, x)) return NULL;
    tape_run(tape, SOFT_CROSS_ENTROPY.name, soft_cross_entropy_fwd, y->data, x->data, at.row, at.len, at.first,
             at.index, at.p, rows);
    return tape_done(tape, y);
}

typedef struct LogisticAttr {
    const int *row, *label;
    int n;
} LogisticAttr;

static void logistic_loss_backward(Tape *t, const Node *nd)
{
    const LogisticAttr *at = nd->attr;
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx)
        tape_run(t, nd->op->name, logistic_loss_bwd, dx, nd->in[0]->data, at->row, at->label, at->n,
                 tape_grad_of(nd->out[0]));
}

static const OpDesc LOGISTIC_LOSS = { "logistic_loss", logistic_loss_backward, NULL };

Tensor *op_logistic_loss(Tape *tape, Tensor *x, const int *row, const int *label, int n)
{
    if (!x) return NULL;
    if (x->cols != 1 || x->ld != 1)
        return tape_fail(tape, ERR_RANGE, "logistic_loss: found [%d, %d], expected one column", x->rows, x->cols);
    for (int k = 0; k < n; k++)
        if (row[k] < 0 || row[k] >= x->rows || label[k] < 0 || label[k] > 1)
            return tape_fail(tape, ERR_RANGE, "logistic_loss: label %d of row %d of %d", label[k], row[k], x->rows);
    Tensor *y = tape_new(tape, 1, 1);
    const LogisticAttr at = { tape_upload(tape, row, (size_t)n, sizeof *row),
                              tape_upload(tape, label, (size_t)n, sizeof *label), n };
    if (!tape_record(tape, &LOGISTIC_LOSS, y, &at, sizeof at, x)) return NULL;
    tape_run(tape, LOGISTIC_LOSS.name, logistic_loss_fwd, y->data, x->data, at.row, at.label, n);
    return tape_done(tape, y);
}

typedef struct GuidanceAttr {
    const GuidedRow *rows;
    const int *keys;
    int *end, groups; /* [groups] on the host: rows end[g - 1] .. end[g] - 1 begin at rising weights */
    int n;
} GuidanceAttr;

static void attention_guidance_backward(Tape *t, const Node *nd)
{
    const GuidanceAttr *at = nd->attr;
    Tensor *probs = nd->in[0];
    Real *dprobs = tape_grad(t, probs);
    for (int g = 0, from = 0; dprobs && g < at->groups; from = at->end[g++])
        tape_run(t, nd->op->name, attention_guidance_bwd, dprobs, tape_grad_of(nd->out[0]), probs->data,
                 at->rows + from, at->end[g] - from, at->keys);
}

static const OpDesc ATTENTION_GUIDANCE = { "attention_guidance", attention_guidance_backward, NULL };

static bool row_fits(const GuidedRow *r, const Tensor *probs, const int *keys, int n_keys)
{
    if (r->at < 0 || r->n < 0 || r->stride < 1 || r->first < 0 || r->first > r->end || r->end > n_keys) return false;
    if (r->n && (size_t)r->at + (size_t)(r->n - 1) * (size_t)r->stride >= tensor_size(probs)) return false;
    for (int k = r->first; k < r->end; k++)
        if (keys[k] < 0 || keys[k] >= r->n) return false;
    return true;
}

Tensor *op_attention_guidance(Tape *tape, Tensor *probs, const GuidedRow *rows, int n, const int *keys, int n_keys)
{
    if (!probs) return NULL;
    if (probs->ld != probs->cols) return tape_fail(tape, ERR_RANGE, "attention_guidance: not contiguous");
    for (int k = 0; k < n; k++)
        if (!row_fits(&rows[k], probs, keys, n_keys))
            return tape_fail(tape, ERR_RANGE, "attention_guidance: row %d of %d weights at %td in [%d, %d]", k,
                             rows[k].n, rows[k].at, probs->rows, probs->cols);
    Tensor *y = tape_new(tape, 1, 1);
    GuidanceAttr at = { .rows = tape_upload(tape, rows, (size_t)n, sizeof *rows),
                        .keys = tape_upload(tape, keys, (size_t)n_keys, sizeof *keys),
                        .end = tape_host(tape, (size_t)n, sizeof *at.end),
                        .n = n };
    for (int k = 0; k < n && at.end; k++)
        if (k + 1 == n || rows[k + 1].at <= rows[k].at) at.end[at.groups++] = k + 1;
    if (!tape_record(tape, &ATTENTION_GUIDANCE, y, &at, sizeof at, probs)) return NULL;
    tape_run(tape, ATTENTION_GUIDANCE.name, attention_guidance_fwd, y->data, probs->data, at.rows, n, at.keys);
    return tape_done(tape, y);
}

typedef struct PickAttr {
    const int *r, *c;
    const Real *weight;
    int n;
    double constant;
} PickAttr;

static void pick_walk(Tape *t, const Node *nd, double *part)
{
    const PickAttr *at = nd->attr;
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx || part)
        tape_run(t, nd->op->name, pick_bwd, dx, nd->in[0]->ld, tape_grad_of(nd->out[0]), at->r, at->c, at->weight,
                 at->n, at->constant, part);
}

static void pick_backward(Tape *t, const Node *nd) { pick_walk(t, nd, NULL); }
static void pick_relevance(Tape *t, const Node *nd) { pick_walk(t, nd, t->part); }

static const OpDesc PICK = { "pick", pick_backward, pick_relevance };

Tensor *op_pick(Tape *tape, Tensor *x, const int *r, const int *c, const Real *weight, int n, double constant)
{
    if (!x) return NULL;
    for (int i = 0; i < n; i++)
        if (r[i] < 0 || r[i] >= x->rows || c[i] < 0 || c[i] >= x->cols)
            return tape_fail(tape, ERR_RANGE, "pick: (%d, %d) of [%d, %d]", r[i], c[i], x->rows, x->cols);
    Tensor *y = tape_new(tape, 1, 1);
    size_t count = (size_t)n;
    const PickAttr at = { tape_upload(tape, r, count, sizeof *r), tape_upload(tape, c, count, sizeof *c),
                          tape_upload(tape, weight, count, sizeof *weight), n, constant };
    if (!tape_record(tape, &PICK, y, &at, sizeof at, x)) return NULL;
    tape_run(tape, PICK.name, pick_fwd, y->data, x->data, x->ld, at.r, at.c, at.weight, n, constant);
    return tape_done(tape, y);
}

static void weighted_sum_backward(Tape *t, const Node *nd)
{
    SumArgs *a = nd->attr;
    for (int i = 0; i < a->n; i++) a->dx[i] = tape_grad(t, nd->in[i]);
    if (tape_status(t) == OK) tape_run(t, nd->op->name, sum_bwd, tape_grad_of(nd->out[0]), a);
}

static const OpDesc WEIGHTED_SUM = { "weighted_sum", weighted_sum_backward, NULL };

Tensor *op_weighted_sum(Tape *tape, Tensor *const *x, const double *weight, int n)
{
    if (n > MAX_SUM_TERMS) return tape_fail(tape, ERR_RANGE, "weighted_sum: %d terms", n);
    Tensor *y = tape_new(tape, 1, 1);
    Node *nd = tape_record(tape, &WEIGHTED_SUM, y, &(SumArgs){ .n = n }, sizeof(SumArgs), NULL);
    if (!nd) return NULL;
    SumArgs *a = nd->attr;
    for (int i = 0; i < n; i++) {
        if (!x[i]) return NULL;
        nd->in[i] = x[i];
        a->weight[i] = weight[i];
        a->x[i] = x[i]->data;
    }
    tape_run(tape, WEIGHTED_SUM.name, sum_fwd, y->data, a);
    return tape_done(tape, y);
}
