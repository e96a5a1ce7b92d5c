/* Memory and copies first, then views, nodes, and the two walks back; a gradient's memory is reused
 * as soon as its node is done. */
#include "tensor/tape.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"

/* The size for the measuring device: more than any tape takes. */
static const size_t ENDLESS = SIZE_MAX / 4;

void tape_init(Tape *t, const Device *d)
{
    *t = (Tape){ .device = d };
    arena_init(&t->host, (size_t)256 << 10);
    arena_init_with(&t->numbers, d->measures ? ENDLESS : (size_t)4 << 20, d->alloc, d->free);
    arena_init_with(&t->grads, d->measures ? ENDLESS : (size_t)1 << 20, d->alloc, d->free);
}

TapeNeed tape_need(const Tape *t) { return (TapeNeed){ t->numbers.peak, t->grads.peak }; }

bool tape_reserve(Tape *t, TapeNeed need)
{
    return arena_reserve(&t->numbers, need.numbers) && (!need.grads || arena_reserve(&t->grads, need.grads));
}

void tape_fini(Tape *t)
{
    arena_fini(&t->host);
    arena_fini(&t->numbers);
    arena_fini(&t->grads);
}

void tape_reset(Tape *t, bool recording, bool training, uint64_t key)
{
    arena_reset(&t->host);
    arena_reset(&t->numbers);
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
    void *p = arena_alloc(&t->numbers, count, size);
    return p ? p : tape_fail(t, ERR_NOMEM, "out of memory: %zu numbers of %zu bytes", count, size);
}

void *tape_host(Tape *t, size_t count, size_t size)
{
    void *p = arena_alloc(&t->host, count, size);
    return p ? p : tape_fail(t, ERR_NOMEM, "out of memory: %zu elements of %zu bytes", count, size);
}

void *tape_upload(Tape *t, const void *host, size_t count, size_t size)
{
    void *p = tape_scratch(t, count, size);
    return p && t->device->upload(p, host, count * size, &t->error) == OK ? p : NULL;
}

void *tape_keep(Tape *t, const void *host, size_t count, size_t size)
{
    void *p = tape_host(t, count, size);
    if (p && count) memcpy(p, host, count * size);
    return p;
}

bool tape_download(Tape *t, void *host, const void *device, size_t bytes)
{
    return t->device->download(host, device, bytes, &t->error) == OK;
}

bool tape_fetch(Tape *t, void *host, const void *device, size_t bytes)
{
    return t->device->fetch(host, device, bytes, &t->error) == OK;
}

bool tape_wait(Tape *t) { return t->device->synchronise(&t->error) == OK && tape_status(t) == OK; }

double tape_number(Tape *t, const Tensor *x)
{
    Real number;
    return x && tape_download(t, &number, x->data, sizeof number) ? (double)number : NAN;
}

/* rows x cols numbers with a leading dimension, dense to host memory, once they are waited for. */
static bool fetch(Tape *t, const Real *data, int ld, int rows, int cols, Real *out)
{
    size_t n = (size_t)rows * (size_t)cols;
    if (n == 0) return true;
    ArenaMark mark = arena_mark(&t->numbers);
    const Real *from = data;
    if (ld != cols && rows > 1) {
        Real *dense = tape_scratch(t, n, sizeof *dense);
        if (dense) tape_run(t, "download", scale, dense, cols, data, ld, rows, cols, 1);
        from = dense;
    }
    bool ok = from && tape_status(t) == OK && tape_fetch(t, out, from, n * sizeof *out);
    arena_rewind(&t->numbers, mark);
    return ok;
}

bool tensor_fetch(Tape *t, const Tensor *x, Real *out) { return fetch(t, x->data, x->ld, x->rows, x->cols, out); }
bool tensor_download(Tape *t, const Tensor *x, Real *out) { return tensor_fetch(t, x, out) && tape_wait(t); }

static HostMatrix host_matrix(Tape *t, const Tensor *x, const Real *data, Arena *a)
{
    if (!data) return (HostMatrix){ .data = NULL };
    HostMatrix m = { data, x->rows, x->cols, x->ld };
    if (t->device->host_memory) return m;
    Real *copy = arena_alloc(a, tensor_size(x), sizeof *copy);
    if (!copy) tape_fail(t, ERR_NOMEM, "out of memory: %zu numbers from %s", tensor_size(x), t->device->name);
    m.ld = x->cols;
    m.data = copy && fetch(t, data, x->ld, x->rows, x->cols, copy) ? copy : NULL;
    return m;
}

HostMatrix tensor_host_fetch(Tape *t, const Tensor *x, Arena *a) { return host_matrix(t, x, x ? x->data : NULL, a); }

static HostMatrix waited(Tape *t, HostMatrix m)
{
    if (m.data && !t->device->host_memory && !tape_wait(t)) m.data = NULL;
    return m;
}

HostMatrix tensor_host(Tape *t, const Tensor *x, Arena *a) { return waited(t, tensor_host_fetch(t, x, a)); }
HostMatrix tensor_host_grad(Tape *t, const Tensor *x, Arena *a)
{
    return waited(t, host_matrix(t, x, tape_grad_of(x), a));
}

TapeMark tape_mark(const Tape *t) { return (TapeMark){ arena_mark(&t->host), arena_mark(&t->numbers) }; }

void tape_rewind(Tape *t, TapeMark m)
{
    arena_rewind(&t->host, m.host);
    arena_rewind(&t->numbers, m.numbers);
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

Tensor *tape_new(Tape *t, long rows, long cols)
{
    if (rows < 0 || cols < 0) return tape_fail(t, ERR_RANGE, "tensor of %ld x %ld", rows, cols);
    if (rows > INT_MAX || cols > INT_MAX)
        return tape_fail(t, ERR_NOMEM, "out of memory: a matrix of %ld x %ld numbers", rows, cols);
    Real *data = tape_scratch(t, (size_t)rows * (size_t)cols, sizeof *data);
    return data ? tape_wrap(t, data, NULL, (int)rows, (int)cols, true) : NULL;
}

Tensor *tape_constant(Tape *t, const Real *host, int rows, int cols)
{
    Real *data = tape_upload(t, host, (size_t)rows * (size_t)cols, sizeof *data);
    return data ? tape_wrap(t, data, NULL, rows, cols, false) : NULL;
}

static Tensor *view(Tape *t, Tensor *x, ptrdiff_t offset, int rows, int cols)
{
    if (x->weight) return tape_fail(t, ERR_RANGE, "a view of a parameter");
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

Node *tape_record_inputs(Tape *t, const OpDesc *op, Tensor *out, const void *attr, size_t size, Tensor *const *in,
                         size_t in_size)
{
    if (!out || tape_status(t) != OK) return NULL;
    Node *nd = arena_calloc(&t->host, 1, sizeof *nd);
    if (nd && size) nd->attr = arena_alloc(&t->host, 1, size);
    if (!nd || (size && !nd->attr)) return tape_fail(t, ERR_NOMEM, "%s: out of memory for a node", op->name);
    if (size) memcpy(nd->attr, attr, size);
    memcpy(nd->in, in, in_size);
    nd->op = op;
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
    if (!b) return; /* the block is just not reused */
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
        tape_run(t, "gradient", fill, base->grad, n, 0);
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

/* From the last node back to the one that made `until`, exclusive. */
static Status walk(Tape *t, Tensor *from, bool relevance, const Tensor *until)
{
    Real *g = tape_grad(t, from);
    if (!g) return t->error.code;
    tape_run(t, relevance ? "relevance" : "backward", fill, g, 1, 1);
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
    ArenaMark mark = arena_mark(&t->numbers);
    t->part = tape_upload(t, &t->bias_part, 1, sizeof t->bias_part);
    if (t->part && walk(t, score, true, until ? base_of((Tensor *)(uintptr_t)until) : NULL) == OK)
        tape_download(t, &t->bias_part, t->part, sizeof t->bias_part);
    t->part = NULL;
    arena_rewind(&t->numbers, mark);
    return tape_status(t);
}

uint64_t tape_next_key(Tape *t) { return rng_key(t->key, ++t->n_ops, 0, 0); }
