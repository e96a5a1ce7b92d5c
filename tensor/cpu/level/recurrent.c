/* LSTM. */
#include <string.h>

#include "tensor/cpu/level/kernels.h"
#include "tensor/cpu/level/math.h"

static void cell_row(Real *g, const Real *c_prev, Real *c, Real *hid, int h)
{
    for (int j = 0; j < h; j++) {
        Real i = real_sigmoid(g[j]), f = real_sigmoid(g[h + j]), n = real_tanh(g[2 * h + j]),
             o = real_sigmoid(g[3 * h + j]);
        Real cell = i * n + (c_prev ? f * c_prev[j] : 0);
        g[j] = i;
        g[h + j] = f;
        g[2 * h + j] = n;
        g[3 * h + j] = o;
        c[j] = cell;
        hid[j] = o * real_tanh(cell);
    }
}

void cpu_lstm_fwd(const LstmArgs *a)
{
    int h = a->d_hidden, g4 = 4 * h;
    /* all input products at once, in the order of x, then gathered */
    cpu_linear(a->scratch, g4, a->x, a->d_in, a->n_total, a->w_ih, a->b_ih, false);
    cpu_bias_act(a->scratch, g4, a->b_hh, a->n_total, g4, false);
    for (int r = 0; r < a->n_total; r++)
        memcpy(a->gates + (ptrdiff_t)r * g4, a->scratch + (ptrdiff_t)a->source[r] * g4, (size_t)g4 * sizeof(Real));
    for (int k = 0; k < a->n_seq; k++) memset(a->last + (ptrdiff_t)k * a->ld_last, 0, (size_t)h * sizeof(Real));
    for (int s = 0; s < a->n_steps; s++) {
        int from = a->step_start[s], n = a->step_start[s + 1] - from, prev = s ? a->step_start[s - 1] : 0;
        Real *g = a->gates + (ptrdiff_t)from * g4;
        if (s) cpu_gemm(false, false, n, g4, h, 1, a->hidden + (ptrdiff_t)prev * h, h, a->w_hh.values, g4, 1, g, g4);
        for (int k = 0; k < n; k++)
            cell_row(g + (ptrdiff_t)k * g4, s ? a->cell + (ptrdiff_t)(prev + k) * h : NULL,
                     a->cell + (ptrdiff_t)(from + k) * h, a->hidden + (ptrdiff_t)(from + k) * h, h);
        int next = s + 1 < a->n_steps ? a->step_start[s + 2] - a->step_start[s + 1] : 0;
        for (int k = next; k < n; k++) /* these sequences end here */
            memcpy(a->last + (ptrdiff_t)a->order[k] * a->ld_last, a->hidden + (ptrdiff_t)(from + k) * h,
                   (size_t)h * sizeof(Real));
    }
}

/* Gate gradients of one cell into dg; dc is the gradient of its cell state, updated for the previous step. */
static void cell_row_bwd(Real *dg, Real *dc, const Real *dh, const Real *g, const Real *c, const Real *c_prev, int h)
{
    for (int j = 0; j < h; j++) {
        Real i = g[j], f = g[h + j], n = g[2 * h + j], o = g[3 * h + j], tc = real_tanh(c[j]);
        Real d = dc[j] + dh[j] * o * (1 - tc * tc);
        dg[j] = d * n * i * (1 - i);
        dg[h + j] = c_prev ? d * c_prev[j] * f * (1 - f) : 0;
        dg[2 * h + j] = d * i * (1 - n * n);
        dg[3 * h + j] = dh[j] * tc * o * (1 - o);
        dc[j] = d * f;
    }
}

void cpu_lstm_bwd(const LstmArgs *a)
{
    int h = a->d_hidden, g4 = 4 * h;
    Real *dg = a->scratch, *dh = dg + (ptrdiff_t)a->n_total * g4, *dc = dh + (ptrdiff_t)a->n_seq * h;
    memset(dh, 0, 2 * (size_t)a->n_seq * (size_t)h * sizeof(Real));
    for (int s = a->n_steps - 1; s >= 0; s--) {
        int from = a->step_start[s], n = a->step_start[s + 1] - from, prev = s ? a->step_start[s - 1] : 0;
        int next = s + 1 < a->n_steps ? a->step_start[s + 2] - a->step_start[s + 1] : 0;
        for (int k = next; k < n; k++)
            memcpy(dh + (ptrdiff_t)k * h, a->dlast + (ptrdiff_t)a->order[k] * a->ld_last, (size_t)h * sizeof(Real));
        for (int k = 0; k < n; k++)
            cell_row_bwd(dg + (ptrdiff_t)(from + k) * g4, dc + (ptrdiff_t)k * h, dh + (ptrdiff_t)k * h,
                         a->gates + (ptrdiff_t)(from + k) * g4, a->cell + (ptrdiff_t)(from + k) * h,
                         s ? a->cell + (ptrdiff_t)(prev + k) * h : NULL, h);
        const Real *g = dg + (ptrdiff_t)from * g4;
        if (s) {
            if (a->dw_hh)
                cpu_gemm(true, false, h, g4, n, 1, a->hidden + (ptrdiff_t)prev * h, h, g, g4, 1, a->dw_hh, g4);
            cpu_gemm(false, true, n, h, g4, 1, g, g4, a->w_hh.values, g4, 0, dh, h);
        }
    }
    if (a->db_ih) cpu_column_sum(a->db_ih, dg, g4, a->n_total, g4);
    if (a->db_hh) cpu_column_sum(a->db_hh, dg, g4, a->n_total, g4);
    /* back to the order of x: the forward gates are no longer needed */
    for (int r = 0; r < a->n_total; r++)
        memcpy(a->gates + (ptrdiff_t)a->source[r] * g4, dg + (ptrdiff_t)r * g4, (size_t)g4 * sizeof(Real));
    if (a->dw_ih) cpu_gemm(true, false, a->d_in, g4, a->n_total, 1, a->x, a->d_in, a->gates, g4, 1, a->dw_ih, g4);
    if (a->dx) cpu_gemm(false, true, a->n_total, a->d_in, g4, 1, a->gates, g4, a->w_ih.values, g4, 1, a->dx, a->d_in);
}
