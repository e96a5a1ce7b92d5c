/* LSTM. The input products of all steps are one product; then each step is the product of the
 * states before it and one kernel, which adds the two and goes on to the new states. The gradient of the recurrent
 * weights is one product after all steps, too. */
#include "tensor/cuda/cuda.h"

/* One step: n rows of the first sequences in `order`. */
typedef struct Step {
    int n, h;
    int last_of;       /* the sequences from this one on end here */
    const int *order;  /* [n] */
    const int *source; /* [n] rows of the input */
    Real *gates;       /* [n, 4h] */
    Real *cell, *hidden;
    const Real *cell_before, *hidden_before; /* NULL: the first step */
} Step;

static Step step_of(const LstmArgs *a, int s)
{
    const ptrdiff_t h = a->d_hidden, from = a->step_start[s], before = s ? a->step_start[s - 1] : 0;
    return { .n = a->step_start[s + 1] - a->step_start[s],
             .h = a->d_hidden,
             .last_of = s + 1 < a->n_steps ? a->step_start[s + 2] - a->step_start[s + 1] : 0,
             .order = a->order,
             .source = a->source + from,
             .gates = a->gates + from * 4 * h,
             .cell = a->cell + from * h,
             .hidden = a->hidden + from * h,
             .cell_before = s ? a->cell + before * h : NULL,
             .hidden_before = s ? a->hidden + before * h : NULL };
}

/* How many sequences have a step; they are the first ones. */
static int first_step(const LstmArgs *a) { return a->n_steps ? a->step_start[1] : 0; }

/* ---- forward */

static __global__ void no_steps(Real *last, int ld, const int *order, int n, int h)
{
    MATRIX_LOOP(k, j, n, h) last[(ptrdiff_t)order[k] * ld + j] = 0;
}

static __device__ __forceinline__ Real sigmoid(Real x) { return 1 / (1 + exp(-x)); }

/* The gates hold the product of the states before, and get their values; input [n_total, 4h] is the product of x. */
static __global__ void cells(Step p, const Real *input, const Real *b_ih, const Real *b_hh, Real *last, int ld_last)
{
    const ptrdiff_t h = p.h;
    MATRIX_LOOP(k, j, p.n, h)
    {
        const Real *x = input + (ptrdiff_t)p.source[k] * 4 * h + j;
        Real *g = p.gates + k * 4 * h + j, v[4];
        for (int q = 0; q < 4; q++)
            v[q] = x[q * h] + b_ih[q * h + j] + b_hh[q * h + j] + (p.cell_before ? g[q * h] : 0);
        Real in = sigmoid(v[0]), forget = sigmoid(v[1]), value = tanh(v[2]), out = sigmoid(v[3]);
        Real cell = in * value + (p.cell_before ? forget * p.cell_before[k * h + j] : 0), state = out * tanh(cell);
        g[0] = in;
        g[h] = forget;
        g[2 * h] = value;
        g[3 * h] = out;
        p.cell[k * h + j] = cell;
        p.hidden[k * h + j] = state;
        if (k >= p.last_of) last[(ptrdiff_t)p.order[k] * ld_last + j] = state;
    }
}

void cuda_lstm_fwd(const LstmArgs *a)
{
    int h = a->d_hidden, with_steps = first_step(a), without = a->n_seq - with_steps;
    LAUNCH_MATRIX(no_steps, without, h, a->last, a->ld_last, a->order + with_steps, without, h);
    cuda_linear(a->scratch, 4 * h, a->x, a->d_in, a->n_total, a->w_ih, NULL, false);
    for (int s = 0; s < a->n_steps; s++) {
        Step p = step_of(a, s);
        if (s) cuda_linear(p.gates, 4 * h, p.hidden_before, h, p.n, a->w_hh, NULL, false);
        LAUNCH_MATRIX(cells, p.n, h, p, a->scratch, a->b_ih, a->b_hh, a->last, a->ld_last);
    }
}

/* ---- backward */

/* dg [n, 4h] from dh [n, h], the gradient of the states; dc, the gradient of the cells, becomes the gradient of the
 * step before. The first column of gates gets the states before: they are not needed any more. */
static __global__ void cells_gradient(Step p, Real *dg, const Real *dh, Real *dc, const Real *dlast, int ld_last)
{
    const ptrdiff_t h = p.h;
    MATRIX_LOOP(k, j, p.n, h)
    {
        bool ends = k >= p.last_of;
        Real *g = p.gates + k * 4 * h + j, *d = dg + k * 4 * h + j;
        Real in = g[0], forget = g[h], value = g[2 * h], out = g[3 * h], cell = tanh(p.cell[k * h + j]);
        Real before = p.cell_before ? p.cell_before[k * h + j] : 0;
        Real dstate = ends ? dlast[(ptrdiff_t)p.order[k] * ld_last + j] : dh[k * h + j];
        Real dcell = (ends ? 0 : dc[k * h + j]) + dstate * out * (1 - cell * cell);
        d[0] = dcell * value * in * (1 - in);
        d[h] = dcell * before * forget * (1 - forget);
        d[2 * h] = dcell * in * (1 - value * value);
        d[3 * h] = dstate * cell * out * (1 - out);
        dc[k * h + j] = dcell * forget;
        if (p.hidden_before) g[0] = p.hidden_before[k * h + j];
    }
}

static __global__ void to_source(Real *to, const Real *from, const int *source, int rows, int cols)
{
    MATRIX_LOOP(r, c, rows, cols) to[(ptrdiff_t)source[r] * cols + c] = from[r * cols + c];
}

/* C += A' B of n rows, or A B'; these add up gradients of weights and of x. */
static void add_product(bool ta, bool tb, int m, int n, int k, CudaMatrices<const Real> a, CudaMatrices<const Real> b,
                        CudaMatrices<Real> c)
{
    if (c.first && k > 0)
        cuda_product("lstm_bwd", { .ta = ta, .tb = tb, .m = m, .n = n, .k = k, .beta = 1, .a = a, .b = b, .c = c });
}

void cuda_lstm_bwd(const LstmArgs *a)
{
    const int h = a->d_hidden, g4 = 4 * h, n = a->n_total, first = first_step(a);
    Real *dg = a->scratch, *dh = dg + (ptrdiff_t)n * g4, *dc = dh + (ptrdiff_t)a->n_seq * h;
    for (int s = a->n_steps - 1; s >= 0; s--) {
        Step p = step_of(a, s);
        Real *d = dg + (ptrdiff_t)a->step_start[s] * g4;
        LAUNCH_MATRIX(cells_gradient, p.n, h, p, d, dh, dc, a->dlast, a->ld_last);
        if (s) cuda_gemm(false, true, p.n, h, g4, 1, d, g4, a->w_hh.values, a->w_hh.ld, 0, dh, h);
    }
    add_product(true, false, h, g4, n - first, { a->gates + (ptrdiff_t)first * g4, g4 },
                { dg + (ptrdiff_t)first * g4, g4 }, { a->dw_hh, g4 });
    if (a->db_ih) cuda_column_sum(a->db_ih, dg, g4, n, g4);
    if (a->db_hh) cuda_column_sum(a->db_hh, dg, g4, n, g4);
    if (!a->dw_ih && !a->dx) return;
    LAUNCH_MATRIX(to_source, n, g4, a->gates, dg, a->source, n, g4);
    add_product(true, false, a->d_in, g4, n, { a->x, a->d_in }, { a->gates, g4 }, { a->dw_ih, g4 });
    add_product(false, true, n, a->d_in, g4, { a->gates, g4 }, { a->w_ih.values, a->w_ih.ld }, { a->dx, a->d_in });
}
