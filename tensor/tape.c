/* Memory and copies first, then views, nodes, and the two walks back; a gradient's memory is reused
 * as soon as its node is done. */
#include "tensor/tape.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"

/* The size for the measuring device: more than any tape takes. */
static const size_t ENDLESS = SIZE_MAX / 4;

void tape_init(Tape *tape, const Device *device)
{
    *tape = (Tape){ .device = device };
    arena_init(&tape->host, (size_t)256 << 10);
    arena_init_with(&tape->numbers, device->measures ? ENDLESS : (size_t)4 << 20, device->alloc, device->free);
    arena_init_with(&tape->grads, device->measures ? ENDLESS : (size_t)1 << 20, device->alloc, device->free);
}

TapeNeed tape_need(const Tape *tape) { return (TapeNeed){ tape->numbers.peak, tape->grads.peak }; }

bool tape_reserve(Tape *tape, TapeNeed need)
{
    return arena_reserve(&tape->numbers, need.numbers) && (!need.grads || arena_reserve(&tape->grads, need.grads));
}

void tape_fini(Tape *tape)
{
    arena_fini(&tape->host);
    arena_fini(&tape->numbers);
    arena_fini(&tape->grads);
}

void tape_reset(Tape *tape, bool recording, bool training, uint64_t key)
{
    arena_reset(&tape->host);
    arena_reset(&tape->numbers);
    arena_reset(&tape->grads);
    tape->free_grads = NULL;
    tape->last = NULL;
    tape->recording = tape->exact = recording;
    tape->training = training;
    tape->key = key;
    tape->n_ops = 0;
    tape->error = (Error){ 0 };
}

void *tape_fail(Tape *tape, Status code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    error_vset(&tape->error, code, NULL, 0, 0, fmt, ap);
    va_end(ap);
    return NULL;
}

void *tape_scratch(Tape *tape, size_t count, size_t size)
{
    void *p = arena_alloc(&tape->numbers, count, size);
    return p ? p : tape_fail(tape, ERR_NOMEM, "out of memory: %zu numbers of %zu bytes", count, size);
}

void *tape_host(Tape *tape, size_t count, size_t size)
{
    void *p = arena_alloc(&tape->host, count, size);
    return p ? p : tape_fail(tape, ERR_NOMEM, "out of memory: %zu elements of %zu bytes", count, size);
}

void *tape_upload(Tape *tape, const void *host, size_t count, size_t size)
{
    void *p = tape_scratch(tape, count, size);
    return p && tape->device->upload(p, host, count * size, &tape->error) == OK ? p : NULL;
}

void *tape_keep(Tape *tape, const void *host, size_t count, size_t size)
{
    void *p = tape_host(tape, count, size);
    if (p && count) memcpy(p, host, count * size);
    return p;
}

bool tape_download(Tape *tape, void *host, const void *device, size_t bytes)
{
    return tape->device->download(host, device, bytes, &tape->error) == OK;
}

bool tape_fetch(Tape *tape, void *host, const void *device, size_t bytes)
{
    return tape->device->fetch(host, device, bytes, &tape->error) == OK;
}

bool tape_wait(Tape *tape) { return tape->device->synchronise(&tape->error) == OK && tape_status(tape) == OK; }

double tape_number(Tape *tape, const Tensor *x)
{
    Real number;
    return x && tape_download(tape, &number, x->data, sizeof number) ? (double)number : NAN;
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

bool tensor_fetch(Tape *tape, const Tensor *x, Real *out) { return fetch(tape, x->data, x->ld, x->rows, x->cols, out); }
bool tensor_download(Tape *tape, const Tensor *x, Real *out) { return tensor_fetch(tape, x, out) && tape_wait(tape); }

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

HostMatrix tensor_host_fetch(Tape *tape, const Tensor *x, Arena *arena)
{
    return host_matrix(tape, x, x ? x->data : NULL, arena);
}

static HostMatrix waited(Tape *t, HostMatrix m)
{
    if (m.data && !t->device->host_memory && !tape_wait(t)) m.data = NULL;
    return m;
}

HostMatrix tensor_host(Tape *tape, const Tensor *x, Arena *arena)
{
    return waited(tape, tensor_host_fetch(tape, x, arena));
}
HostMatrix tensor_host_grad(Tape *tape, const Tensor *x, Arena *arena)
{
    return waited(tape, host_matrix(tape, x, tape_grad_of(x), arena));
}

TapeMark tape_mark(const Tape *tape) { return (TapeMark){ arena_mark(&tape->host), arena_mark(&tape->numbers) }; }

void tape_rewind(Tape *tape, TapeMark mark)
{
    arena_rewind(&tape->host, mark.host);
    arena_rewind(&tape->numbers, mark.numbers);
}

Tensor *tape_wrap(Tape *tape, Real *data, Real *grad, int rows, int cols, bool needs_grad)
{
    Tensor *x = arena_alloc(&tape->host, 1, sizeof *x);
    if (!x) return tape_fail(tape, ERR_NOMEM, "out of memory for a tensor");
    *x = (Tensor){ .data = data, .grad = grad, .rows = rows, .cols = cols, .ld = cols };
    x->needs_grad = needs_grad;
    x->is_param = grad != NULL;
    return x;
}

Tensor *tape_new(Tape *tape, long rows, long cols)
{
    if (rows < 0 || cols < 0) return tape_fail(tape, ERR_RANGE, "tensor of %ld x %ld", rows, cols);
    if (rows > INT_MAX || cols > INT_MAX)
        return tape_fail(tape, ERR_NOMEM, "out of memory: a matrix of %ld x %ld numbers", rows, cols);
    Real *data = tape_scratch(tape, (size_t)rows * (size_t)cols, sizeof *data);
    return data ? tape_wrap(tape, data, NULL, (int)rows, (int)cols, true) : NULL;
}

Tensor *tape_zeros(Tape *tape, long rows, long cols)
{
    Tensor *x = tape_new(tape, rows, cols);
    if (x) tape_run(tape, "zeros", fill, x->data, tensor_size(x), 0);
    return x;
}

Tensor *tape_constant(Tape *tape, const Real *host, int rows, int cols)
{
    Real *data = tape_upload(tape, host, (size_t)rows * (size_t)cols, sizeof *data);
    return data ? tape_wrap(tape, data, NULL, rows, cols, false) : NULL;
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

Tensor *tape_columns(Tape *tape, Tensor *x, int from, int n)
{
    if (!x) return NULL;
    if (from < 0 || n < 0 || from + n > x->cols)
        return tape_fail(tape, ERR_RANGE, "columns %d..%d of %d", from, from + n, x->cols);
    return view(tape, x, from, x->rows, n);
}

Tensor *tape_rows(Tape *tape, Tensor *x, int from, int n)
{
    if (!x) return NULL;
    if (from < 0 || n < 0 || from + n > x->rows)
        return tape_fail(tape, ERR_RANGE, "rows %d..%d of %d", from, from + n, x->rows);
    return view(tape, x, (ptrdiff_t)from * x->ld, n, x->cols);
}

void node_output(Node *nd, int k, Tensor *out)
{
    nd->out[k] = out;
    if (!out) return;
    Tensor *base = out->base ? out->base : out;
    if (!base->first_writer) base->first_writer = nd;
}

Node *tape_record_inputs(Tape *tape, const OpDesc *op, Tensor *out, const void *attr, size_t size, Tensor *const *in,
                         size_t in_size)
{
    if (!out || tape_status(tape) != OK) return NULL;
    Node *nd = arena_calloc(&tape->host, 1, sizeof *nd);
    if (nd && size) nd->attr = arena_alloc(&tape->host, 1, size);
    if (!nd || (size && !nd->attr)) return tape_fail(tape, ERR_NOMEM, "%s: out of memory for a node", op->name);
    if (size) memcpy(nd->attr, attr, size);
    memcpy(nd->in, in, in_size);
    nd->op = op;
    node_output(nd, 0, out);
    if (tape->recording) {
        nd->prev = tape->last;
        tape->last = nd;
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

Real *tape_grad(Tape *tape, Tensor *x)
{
    if (!x || !x->needs_grad) return NULL;
    Tensor *base = x->base ? x->base : x;
    if (!base->grad) {
        size_t n = base_size(base);
        base->grad = pool_take(tape, n);
        if (!base->grad) return tape_fail(tape, ERR_NOMEM, "out of memory for a gradient of %zu numbers", n);
        tape_run(tape, "gradient", fill, base->grad, n, 0);
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
static Status walk(Tape *t, Tensor *from, double first, TapePass *pass, const Tensor *until)
{
    Real *g = tape_grad(t, from);
    if (!g) return t->error.code;
    tape_run(t, "backward", fill, g, 1, (Real)first);
    for (Node *nd = t->last; nd && t->error.code == OK; nd = nd->prev) {
        if (until && nd == until->first_writer) break;
        bool touched = false;
        for (int k = 0; k < NODE_OUTPUTS; k++) touched = touched || (nd->out[k] && tape_grad_of(nd->out[k]));
        if (touched) pass(t, nd);
        for (int k = 0; k < NODE_OUTPUTS; k++) {
            Tensor *base = base_of(nd->out[k]);
            if (base && base->first_writer == nd && !base->keep) release(t, base);
        }
    }
    return t->error.code;
}

static void pass_gradient(Tape *t, Node *nd) { nd->op->backward(t, nd); }

static void pass_coefficients(Tape *t, Node *nd) { (nd->op->relevance ? nd->op->relevance : nd->op->backward)(t, nd); }

Status tape_backward(Tape *tape, Tensor *loss)
{
    if (tape->error.code != OK || !loss) return tape->error.code;
    return walk(tape, loss, 1, pass_gradient, NULL);
}

Status tape_relevance(Tape *tape, Tensor *score, Tensor *const *keep, int n_keep, const Tensor *until)
{
    return tape_relevance_by(tape, score, 1, pass_coefficients, keep, n_keep, until);
}

Status tape_relevance_by(Tape *tape, Tensor *score, double first, TapePass *pass, Tensor *const *keep, int n_keep,
                         const Tensor *until)
{
    if (tape->error.code != OK || !score) return tape->error.code;
    if (tape->training || !tape->recording) {
        tape_fail(tape, ERR_RANGE, "relevance of a pass with dropout, or one that was not recorded");
        return tape->error.code;
    }
    for (Node *nd = tape->last; nd; nd = nd->prev)
        for (int k = 0; k < NODE_OUTPUTS; k++)
            if (nd->out[k]) {
                base_of(nd->out[k])->keep = false;
                release(tape, base_of(nd->out[k]));
            }
    for (int k = 0; k < n_keep; k++) base_of(keep[k])->keep = true;
    tape->bias_part = 0;
    ArenaMark mark = arena_mark(&tape->numbers);
    tape->part = tape_upload(tape, &tape->bias_part, 1, sizeof tape->bias_part);
    if (tape->part && walk(tape, score, first, pass, until ? base_of((Tensor *)(uintptr_t)until) : NULL) == OK)
        tape_download(tape, &tape->bias_part, tape->part, sizeof tape->bias_part);
    tape->part = NULL;
    arena_rewind(&tape->numbers, mark);
    return tape_status(tape);
}

uint64_t tape_next_key(Tape *tape) { return rng_key(tape->key, ++tape->n_ops, 0, 0); }
