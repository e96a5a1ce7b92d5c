/* tensor/tape.c */
#include "tensor/tape.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

void tape_init(Tape *t, const Kernels *k)
{
    *t = (Tape){ .k = k };
    arena_init(&t->host, (size_t)256 << 10);
    arena_init(&t->device, (size_t)4 << 20);
    arena_init(&t->grads, (size_t)1 << 20);
}

void tape_fini(Tape *t)
{
    arena_fini(&t->host);
    arena_fini(&t->device);
    arena_fini(&t->grads);
}

void tape_reset(Tape *t, bool recording, bool training, uint64_t key)
{
    arena_reset(&t->host);
    arena_reset(&t->device);
    arena_reset(&t->grads);
    t->free_grads = NULL;
    t->last = NULL;
    t->recording = recording;
    t->training = training;
    t->key = key;
    t->n_ops = 0;
    t->error = (Error){ 0 };
}

void *tape_fail(Tape *t, Status code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    error_vset(&t->error, code, NULL, 0, 0, fmt, ap);
    va_end(ap);
    return NULL;
}

void *tape_scratch(Tape *t, size_t count, size_t size)
{
    void *p = arena_alloc(&t->device, count, size);
    return p ? p : tape_fail(t, ERR_NOMEM, "out of memory: %zu numbers of %zu bytes", count, size);
}

const int *tape_ints(Tape *t, const int *values, int n)
{
    int *p = arena_alloc(&t->host, (size_t)n, sizeof *p);
    if (!p) return tape_fail(t, ERR_NOMEM, "out of memory for %d indices", n);
    if (n) memcpy(p, values, (size_t)n * sizeof *p);
    return p;
}

Tensor *tape_wrap(Tape *t, Real *data, Real *grad, int rows, int cols, bool needs_grad)
{
    Tensor *x = arena_alloc(&t->host, 1, sizeof *x);
    if (!x) return tape_fail(t, ERR_NOMEM, "out of memory for a tensor");
    *x = (Tensor){ .data = data, .grad = grad, .rows = rows, .cols = cols, .ld = cols };
    x->needs_grad = needs_grad;
    x->is_param = grad != NULL;
    return x;
}

Tensor *tape_new(Tape *t, int rows, int cols)
{
    if (rows < 0 || cols < 0) return tape_fail(t, ERR_RANGE, "tensor of %d x %d", rows, cols);
    Real *data = tape_scratch(t, (size_t)rows * (size_t)cols, sizeof *data);
    return data ? tape_wrap(t, data, NULL, rows, cols, true) : NULL;
}

static Tensor *view(Tape *t, Tensor *x, ptrdiff_t offset, int rows, int cols)
{
    Tensor *v = tape_wrap(t, x->data + offset, NULL, rows, cols, x->needs_grad);
    if (!v) return NULL;
    v->ld = x->ld;
    v->base = x->base ? x->base : x;
    v->offset = x->offset + offset;
    v->is_param = x->is_param;
    return v;
}

Tensor *tape_columns(Tape *t, Tensor *x, int from, int n)
{
    if (!x) return NULL;
    if (from < 0 || n < 0 || from + n > x->cols)
        return tape_fail(t, ERR_RANGE, "columns %d..%d of %d", from, from + n, x->cols);
    return view(t, x, from, x->rows, n);
}

Tensor *tape_rows(Tape *t, Tensor *x, int from, int n)
{
    if (!x) return NULL;
    if (from < 0 || n < 0 || from + n > x->rows)
        return tape_fail(t, ERR_RANGE, "rows %d..%d of %d", from, from + n, x->rows);
    return view(t, x, (ptrdiff_t)from * x->ld, n, x->cols);
}

void node_output(Node *nd, int k, Tensor *out)
{
    nd->out[k] = out;
    if (!out) return;
    Tensor *base = out->base ? out->base : out;
    if (!base->first_writer) base->first_writer = nd;
}

Node *tape_record(Tape *t, const OpDesc *op, Tensor *out, size_t attr_size)
{
    Node *nd = arena_calloc(&t->host, 1, sizeof *nd);
    void *attr = attr_size ? arena_calloc(&t->host, 1, attr_size) : NULL;
    if (!nd || (attr_size && !attr)) return tape_fail(t, ERR_NOMEM, "%s: out of memory for a node", op->name);
    nd->op = op;
    nd->attr = attr;
    node_output(nd, 0, out);
    if (t->recording) {
        nd->prev = t->last;
        t->last = nd;
    }
    return nd;
}

static Real *pool_take(Tape *t, size_t size)
{
    for (GradBlock **b = &t->free_grads; *b; b = &(*b)->next)
        if ((*b)->size == size) {
            Real *data = (*b)->data;
            *b = (*b)->next;
            return data;
        }
    return arena_alloc(&t->grads, size, sizeof(Real));
}

static void pool_give(Tape *t, Real *data, size_t size)
{
    GradBlock *b = arena_alloc(&t->host, 1, sizeof *b);
    if (!b) return; /* not reused, that is all */
    *b = (GradBlock){ data, size, t->free_grads };
    t->free_grads = b;
}

static size_t base_size(const Tensor *x) { return (size_t)x->rows * (size_t)x->ld; }

Real *tape_grad(Tape *t, Tensor *x)
{
    if (!x || !x->needs_grad) return NULL;
    Tensor *base = x->base ? x->base : x;
    if (!base->grad) {
        size_t n = base_size(base);
        base->grad = pool_take(t, n);
        if (!base->grad) return tape_fail(t, ERR_NOMEM, "out of memory for a gradient of %zu numbers", n);
        memset(base->grad, 0, n * sizeof(Real));
    }
    return base->grad + x->offset;
}

const Real *tape_grad_of(const Tensor *x)
{
    if (!x) return NULL;
    const Tensor *base = x->base ? x->base : x;
    return base->grad ? base->grad + x->offset : NULL;
}

static Tensor *base_of(Tensor *x) { return x && x->base ? x->base : x; }

static void release(Tape *t, Tensor *base)
{
    if (!base || base->is_param || !base->grad) return;
    pool_give(t, base->grad, base_size(base));
    base->grad = NULL;
}

/* From the last node to the one that made `until`, that one left out. */
static Status walk(Tape *t, Tensor *from, bool relevance, const Tensor *until)
{
    Real *g = tape_grad(t, from);
    if (!g) return t->error.code;
    *g = 1;
    for (Node *nd = t->last; nd && t->error.code == OK; nd = nd->prev) {
        if (until && nd == until->first_writer) break;
        bool touched = false;
        for (int k = 0; k < NODE_OUTPUTS; k++) touched = touched || (nd->out[k] && tape_grad_of(nd->out[k]));
        if (touched) (relevance && nd->op->relevance ? nd->op->relevance : nd->op->backward)(t, nd);
        for (int k = 0; k < NODE_OUTPUTS; k++) {
            Tensor *base = base_of(nd->out[k]);
            if (base && base->first_writer == nd && !base->keep) release(t, base);
        }
    }
    return t->error.code;
}

Status tape_backward(Tape *t, Tensor *loss)
{
    if (t->error.code != OK || !loss) return t->error.code;
    return walk(t, loss, false, NULL);
}

Status tape_relevance(Tape *t, Tensor *score, Tensor *const *keep, int n_keep, const Tensor *until)
{
    if (t->error.code != OK || !score) return t->error.code;
    if (t->training || !t->recording) {
        tape_fail(t, ERR_RANGE, "relevance of a pass with dropout, or one that was not recorded");
        return t->error.code;
    }
    for (Node *nd = t->last; nd; nd = nd->prev)
        for (int k = 0; k < NODE_OUTPUTS; k++)
            if (nd->out[k]) {
                base_of(nd->out[k])->keep = false;
                release(t, base_of(nd->out[k]));
            }
    for (int k = 0; k < n_keep; k++) base_of(keep[k])->keep = true;
    t->bias_part = 0;
    ArenaMark device = arena_mark(&t->device);
    Status s = walk(t, score, true, until ? base_of((Tensor *)(uintptr_t)until) : NULL);
    arena_rewind(&t->device, device);
    return s;
}

uint64_t tape_next_key(Tape *t) { return rng_key(t->key, ++t->n_ops, 0, 0); }
