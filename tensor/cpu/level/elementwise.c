/* Kernels on single numbers or rows. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "tensor/cpu/level/kernels.h"
#include "tensor/cpu/level/math.h"

void cpu_fill(Real *x, size_t n, Real value)
{
    if (value == 0) memset(x, 0, n * sizeof *x); /* all bits 0 */
    else
        for (size_t i = 0; i < n; i++) x[i] = value;
}

void cpu_scale(Real *y, int ldy, const Real *x, int ldx, int rows, int cols, Real by)
{
    for (int r = 0; r < rows; r++, y += ldy, x += ldx)
        if (by == 1) memcpy(y, x, (size_t)cols * sizeof *y);
        else
            for (int c = 0; c < cols; c++) y[c] = by * x[c];
}

void cpu_scale_rows(Real *y, int ldy, const Real *x, int ldx, const Real *factor, int n, int rows, int cols,
                    bool accumulate)
{
    for (int r = 0; r < rows; r++, y += ldy, x += ldx)
        for (int c = 0; c < cols; c++) y[c] = (accumulate ? y[c] : 0) + factor[r % n] * x[c];
}

void cpu_scale_rows_bwd(Real *dfactor, const Real *x, int ldx, const Real *dy, int lddy, int n, int rows, int cols)
{
    for (int r = 0; r < rows; r++, x += ldx, dy += lddy) dfactor[r % n] += (Real)dot_of(x, dy, cols);
}

void cpu_bias_act(Real *y, int ld, const Real *bias, int rows, int cols, bool relu)
{
    for (int r = 0; r < rows; r++, y += ld) {
        if (bias)
            for (int c = 0; c < cols; c++) y[c] += bias[c];
        if (relu)
            for (int c = 0; c < cols; c++) y[c] = y[c] < 0 ? 0 : y[c];
    }
}

void cpu_relu_fwd(Real *y, int ldy, const Real *x, int ldx, int rows, int cols)
{
    for (int r = 0; r < rows; r++, y += ldy, x += ldx)
        for (int c = 0; c < cols; c++) y[c] = x[c] < 0 ? 0 : x[c];
}

void cpu_relu_bwd(Real *dx, const Real *dy, int lddy, const Real *y, int ldy, int rows, int cols)
{
    for (int r = 0; r < rows; r++, dx += cols, dy += lddy, y += ldy)
        for (int c = 0; c < cols; c++) dx[c] = y[c] > 0 ? dy[c] : 0;
}

void cpu_gelu_fwd(Real *y, int ldy, const Real *x, int ldx, int rows, int cols)
{
    for (int r = 0; r < rows; r++, y += ldy, x += ldx) {
        int c = 0;
        for (; c + WIDTH <= cols; c += WIDTH) {
            Vector v = vector_at(x + c);
            v *= vector_normal(v);
            vector_put(y + c, v);
        }
        for (; c < cols; c++) y[c] = x[c] * real_normal(x[c]);
    }
}

void cpu_gelu_bwd(Real *dx, int lddx, const Real *dy, int lddy, const Real *x, int ldx, int rows, int cols,
                  bool relevance)
{
    const Real density = relevance ? 0 : (Real)0.39894228040143267794; /* at 0 */
    for (int r = 0; r < rows; r++, dx += lddx, dy += lddy, x += ldx) {
        int c = 0;
        for (; c + WIDTH <= cols; c += WIDTH) {
            Vector v = vector_at(x + c);
            Vector d = vector_at(dx + c) +
                       vector_at(dy + c) * (vector_normal(v) + v * density * vector_exp(v * v * (Real)-0.5));
            vector_put(dx + c, d);
        }
        for (; c < cols; c++)
            dx[c] += dy[c] * (real_normal(x[c]) + x[c] * density * real_exp(x[c] * x[c] * (Real)-0.5));
    }
}

void cpu_column_sum(Real *sum, const Real *x, int ld, int rows, int cols)
{
    for (int r = 0; r < rows; r++, x += ld)
        for (int c = 0; c < cols; c++) sum[c] += x[c];
}

void cpu_add(Real *y, int ldy, const Real *x, int ldx, int rows, int cols)
{
    for (int r = 0; r < rows; r++, y += ldy, x += ldx)
        for (int c = 0; c < cols; c++) y[c] += x[c];
}

/* y (=, +=) x * mask of one row; the mask's counter is unique for (group, column). */
static void drop_row(Real *y, const Real *x, int cols, uint64_t key, uint32_t group, double p, bool accumulate)
{
    uint32_t limit = (uint32_t)(p * 4294967296.0);
    Real scale = (Real)(1 / (1 - p));
    uint64_t row_key = rng_mix(key + group);
    Real factor[64]; /* of some columns at a time, since y may be x, which keeps compilers from vectorising one loop */
    for (int c = 0; c < cols; c += 64) {
        int n = cols - c < 64 ? cols - c : 64;
        for (int k = 0; k < n; k++) factor[k] = rng_bits32(row_key, (uint32_t)(c + k)) >= limit ? scale : 0;
        for (int k = 0; k < n; k++) y[c + k] = (accumulate ? y[c + k] : 0) + x[c + k] * factor[k];
    }
}

void cpu_drop(Real *y, int ldy, const Real *x, int ldx, int rows, int cols, Drop d, bool accumulate)
{
    for (int r = 0; r < rows; r++)
        drop_row(y + (ptrdiff_t)r * ldy, x + (ptrdiff_t)r * ldx, cols, d.key, (uint32_t)(d.group ? d.group[r] : r), d.p,
                 accumulate);
}

static const Real *looked_up(const EmbedLookup *m, int r)
{
    return m->table + (ptrdiff_t)(m->index ? m->index[r] : r) * m->ld;
}

/* y [cols] = row r of the sum. Without dropout, sums stay in registers. */
static void embed_row(Real *y, int r, int cols, const EmbedArgs *a)
{
    const Real *x[MAX_EMBED_TERMS];
    bool drops = false;
    for (int k = 0; k < a->n; k++) {
        x[k] = looked_up(&a->term[k], r);
        drops |= a->term[k].drop.p > 0;
    }
    int c = 0;
    for (; !drops && c + 2 * WIDTH <= cols; c += 2 * WIDTH) {
        Vector sum = vector_at(x[0] + c), next = vector_at(x[0] + c + WIDTH);
        for (int k = 1; k < a->n; k++) {
            sum += vector_at(x[k] + c);
            next += vector_at(x[k] + c + WIDTH);
        }
        vector_put(y + c, sum);
        vector_put(y + c + WIDTH, next);
    }
    for (int k = 0; k < a->n; k++) {
        const Drop *d = &a->term[k].drop;
        if (d->p > 0) drop_row(y, x[k], cols, d->key, (uint32_t)(d->group ? d->group[r] : r), d->p, k > 0);
        else
            for (int i = c; i < cols; i++) y[i] = k > 0 ? y[i] + x[k][i] : x[k][i];
    }
}

void cpu_embed_fwd(Real *y, int ldy, int rows, int cols, const EmbedArgs *a)
{
    for (int r = 0; r < rows; r++) embed_row(y + (ptrdiff_t)r * ldy, r, cols, a);
}

void cpu_embed_bwd(const Real *dy, int lddy, int rows, int cols, const EmbedArgs *a)
{
    for (int k = 0; k < a->n; k++) {
        const EmbedLookup *m = &a->term[k];
        if (!m->dtable) continue;
        for (int r = 0; r < rows; r++) {
            const Real *g = dy + (ptrdiff_t)r * lddy;
            Real *d = m->dtable + (ptrdiff_t)(m->index ? m->index[r] : r) * m->ld;
            if (m->drop.p > 0)
                drop_row(d, g, cols, m->drop.key, (uint32_t)(m->drop.group ? m->drop.group[r] : r), m->drop.p, true);
            else
                for (int c = 0; c < cols; c++) d[c] += g[c];
        }
    }
}

void cpu_embed_mean_fwd(Real *y, const Real *table, int ld, const int *start, const int *item, int rows, int cols)
{
    memset(y, 0, (size_t)rows * (size_t)cols * sizeof *y);
    for (int r = 0; r < rows; r++, y += cols) {
        Real n = (Real)(start[r + 1] - start[r]);
        for (int i = start[r]; i < start[r + 1]; i++) {
            const Real *x = table + (ptrdiff_t)item[i] * ld;
            for (int c = 0; c < cols; c++) y[c] += x[c] / n;
        }
    }
}

void cpu_embed_mean_bwd(Real *dtable, int ld, const Real *dy, const int *start, const int *item, int rows, int cols)
{
    for (int r = 0; r < rows; r++, dy += cols) {
        Real n = (Real)(start[r + 1] - start[r]);
        for (int i = start[r]; i < start[r + 1]; i++) {
            Real *d = dtable + (ptrdiff_t)item[i] * ld;
            for (int c = 0; c < cols; c++) d[c] += dy[c] / n;
        }
    }
}

void cpu_split_heads(Real *apart, const Real *together, int ld, int rows, int heads, int parts, int w, bool accumulate)
{
    for (int r = 0; r < rows; r++)
        for (int p = 0; p < parts; p++)
            for (int h = 0; h < heads; h++) {
                const Real *x = together + (ptrdiff_t)r * ld + (ptrdiff_t)(p * heads + h) * w;
                Real *y = apart + ((ptrdiff_t)r * heads + h) * parts * w + (ptrdiff_t)p * w;
                for (int c = 0; c < w; c++) y[c] = x[c] + (accumulate ? y[c] : 0);
            }
}

void cpu_join_heads(Real *together, int ld, const Real *apart, int rows, int heads, int parts, int w, bool accumulate)
{
    for (int r = 0; r < rows; r++)
        for (int p = 0; p < parts; p++)
            for (int h = 0; h < heads; h++) {
                Real *x = together + (ptrdiff_t)r * ld + (ptrdiff_t)(p * heads + h) * w;
                const Real *y = apart + ((ptrdiff_t)r * heads + h) * parts * w + (ptrdiff_t)p * w;
                for (int c = 0; c < w; c++) x[c] = y[c] + (accumulate ? x[c] : 0);
            }
}

/* Rows whose means and divisors are computed together, in vectors: none of them waits for another one's root. */
enum { TOGETHER = 8 };

/* At most TOGETHER rows. The divisor is the standard deviation (N - 1) + eps, or the root of variance + eps. */
static void norm_rows(Real *y, int ldy, const Real *x, int ldx, const Real *a, const Real *b, Real *mean, Real *inv,
                      int rows, int cols, NormKind kind, double eps)
{
    double of[TOGETHER] = { 0 };
    for (int r = 0; r < rows; r++) of[r] = sum_of(x + (ptrdiff_t)r * ldx, cols);
    for (int r = 0; r < rows; r++) mean[r] = (Real)(of[r] / cols);
    for (int r = 0; r < rows; r++) of[r] = squares_of(x + (ptrdiff_t)r * ldx, mean[r], cols);
    if (kind == NORM_VARIANCE)
        for (int r = 0; r < TOGETHER; r++) of[r] = sqrt(of[r] / cols + eps);
    else
        for (int r = 0; r < TOGETHER; r++) of[r] = sqrt(of[r] / (cols - 1)) + eps;
    for (int r = 0; r < rows; r++, y += ldy, x += ldx) {
        Real mu = mean[r], by = inv[r] = (Real)(1 / of[r]);
        int c = 0;
        for (; c + WIDTH <= cols; c += WIDTH) {
            Vector v = vector_at(a + c) * ((vector_at(x + c) - mu) * by) + vector_at(b + c);
            vector_put(y + c, v);
        }
        for (; c < cols; c++) y[c] = a[c] * ((x[c] - mu) * by) + b[c];
    }
}

void cpu_norm_fwd(Real *y, int ldy, const Real *x, int ldx, const Real *a, const Real *b, Real *mean, Real *inv,
                  int rows, int cols, NormKind kind, double eps)
{
    for (ptrdiff_t r = 0; r < rows; r += TOGETHER)
        norm_rows(y + r * ldy, ldy, x + r * ldx, ldx, a, b, mean + r, inv + r,
                  rows - r < TOGETHER ? (int)(rows - r) : TOGETHER, cols, kind, eps);
}

void cpu_residual_norm_fwd(Real *y, int ldy, Real *x, const EmbedArgs *terms, const Real *a, const Real *b, Real *mean,
                           Real *inv, int rows, int cols, NormKind kind, double eps)
{
    for (ptrdiff_t r = 0; r < rows; r += TOGETHER) {
        int n = rows - r < TOGETHER ? (int)(rows - r) : TOGETHER;
        for (ptrdiff_t i = r; i < r + n; i++) embed_row(x + i * cols, (int)i, cols, terms);
        norm_rows(y + r * ldy, ldy, x + r * cols, cols, a, b, mean + r, inv + r, n, cols, kind, eps);
    }
}

/* One row: e = dy * a; dx += (e - mean(e)) inv - zeta * k, where k = sum(e zeta) inv^2 / ((N-1) sd) (unbiased), guarded
 * at sd = 0, or sum(e zeta) inv^3 / N (usual). */
static void norm_bwd_row(Real *dx, Real *da, Real *db, const Real *dy, const Real *x, const Real *a, Real mu, Real iv,
                         int cols, NormKind kind, double eps)
{
    if (da)
        for (int c = 0; c < cols; c++) da[c] += dy[c] * ((x[c] - mu) * iv);
    if (db)
        for (int c = 0; c < cols; c++) db[c] += dy[c];
    if (!dx) return;
    Vector se = { 0 }, sz = se;
    double e_sum = 0, ez_sum = 0;
    int c = 0;
    for (; c + WIDTH <= cols; c += WIDTH) {
        Vector e = vector_at(dy + c) * vector_at(a + c);
        se += e;
        sz += e * (vector_at(x + c) - mu);
    }
    for (; c < cols; c++) {
        double e = (double)(dy[c] * a[c]);
        e_sum += e;
        ez_sum += e * (double)(x[c] - mu);
    }
    e_sum += (double)vector_sum(se);
    ez_sum += (double)vector_sum(sz);
    double i = (double)iv, k;
    if (kind == NORM_VARIANCE) k = ez_sum * i * i * i / cols;
    else {
        double sd = 1 / i - eps;
        k = sd > 1e-12 ? ez_sum * i * i / ((cols - 1) * sd) : 0;
    }
    Real me = (Real)(e_sum / cols), kk = (Real)k;
    for (c = 0; c < cols; c++) dx[c] += (dy[c] * a[c] - me) * iv - (x[c] - mu) * kk;
}

void cpu_norm_bwd(Real *dx, int lddx, Real *da, Real *db, const Real *dy, int lddy, const Real *x, int ldx,
                  const Real *a, const Real *mean, const Real *inv, int rows, int cols, NormKind kind, double eps)
{
    for (int r = 0; r < rows; r++)
        norm_bwd_row(dx ? dx + (ptrdiff_t)r * lddx : NULL, da, db, dy + (ptrdiff_t)r * lddy, x + (ptrdiff_t)r * ldx, a,
                     mean[r], inv[r], cols, kind, eps);
}

enum { MAX_LABEL_WIDTH = 1024 };

void cpu_label_norm_fwd(Real *y, const Real *r, const Real *delta, const int *first, const Real *a, const Real *b,
                        Real *mean, Real *inv, int tokens, int heads, int p, double eps)
{
    for (int t = 0; t < tokens; t++) {
        const Real *rt = r + (ptrdiff_t)t * p, *d = delta + (ptrdiff_t)first[t] * p;
        for (int h = 0; h < heads; h++, d += p)
            for (int c = 0; c < p; c++) y[h * p + c] = rt[c] + d[c];
        cpu_norm_fwd(y, p, y, p, a, b, mean, inv, heads, p, NORM_UNBIASED_STD, eps);
        mean += heads, inv += heads, y += (ptrdiff_t)heads * p;
    }
}

void cpu_label_norm_bwd(Real *dr, Real *ddelta, Real *da, Real *db, const Real *dy, const Real *r, const Real *delta,
                        const int *first, const Real *a, const Real *mean, const Real *inv, int tokens, int heads,
                        int p, double eps)
{
    Real x[MAX_LABEL_WIDTH], g[MAX_LABEL_WIDTH];
    for (int t = 0; t < tokens; t++) {
        const Real *rt = r + (ptrdiff_t)t * p;
        for (int h = 0; h < heads; h++, dy += p) {
            const Real *d = delta + (ptrdiff_t)(first[t] + h) * p;
            for (int c = 0; c < p; c++) x[c] = rt[c] + d[c];
            memset(g, 0, (size_t)p * sizeof *g);
            norm_bwd_row(g, da, db, dy, x, a, mean[(ptrdiff_t)t * heads + h], inv[(ptrdiff_t)t * heads + h], p,
                         NORM_UNBIASED_STD, eps);
            if (dr)
                for (int c = 0; c < p; c++) dr[(ptrdiff_t)t * p + c] += g[c];
            if (ddelta)
                for (int c = 0; c < p; c++) ddelta[(ptrdiff_t)(first[t] + h) * p + c] += g[c];
        }
    }
}

enum { BLOCK = 8 };

/* Are both halves of the permutation made of blocks whose numbers lie side by side, as label heads are? */
static bool in_blocks(const int *source, int cols)
{
    for (int j = 0; j < cols; j++)
        if (j % BLOCK && source[j] != source[j - 1] + 1) return false;
    return cols % (2 * BLOCK) == 0;
}

void cpu_fencepost_fwd(Real *f, const Real *y, const int *source, const int *start, int n_sent, int cols)
{
    bool blocks = in_blocks(source, cols);
    for (int b = 0; b < n_sent; b++)
        for (int k = start[b]; k + 1 < start[b + 1]; k++, f += cols) {
            const Real *now = y + (ptrdiff_t)k * cols, *next = now + cols;
            for (int j = 0; blocks && j < cols; j += BLOCK)
                memcpy(f + j, (j < cols / 2 ? now : next) + source[j], BLOCK * sizeof *f);
            for (int j = 0; !blocks && j < cols; j++) f[j] = (j < cols / 2 ? now : next)[source[j]];
        }
}

void cpu_fencepost_bwd(Real *dy, const Real *df, const int *source, const int *start, int n_sent, int cols)
{
    for (int b = 0; b < n_sent; b++)
        for (int k = start[b]; k + 1 < start[b + 1]; k++, df += cols) {
            Real *now = dy + (ptrdiff_t)k * cols, *next = now + cols;
            for (int j = 0; j < cols / 2; j++) now[source[j]] += df[j];
            for (int j = cols / 2; j < cols; j++) next[source[j]] += df[j];
        }
}

void cpu_span_diff_fwd(Real *y, const Real *g, int ldg, const int *spans, const Real *bias, int n, int cols)
{
    for (int s = 0; s < n; s++, y += cols, spans += 2) {
        const Real *i = g + (ptrdiff_t)spans[0] * ldg, *j = g + (ptrdiff_t)spans[1] * ldg;
        if (bias)
            for (int c = 0; c < cols; c++) y[c] = j[c] - i[c] + bias[c];
        else
            for (int c = 0; c < cols; c++) y[c] = j[c] - i[c];
    }
}

void cpu_span_diff_bwd(Real *dg, int lddg, Real *dbias, const Real *dy, const int *spans, int n, int cols)
{
    for (int s = 0; s < n; s++, dy += cols, spans += 2) {
        if (dg) {
            Real *i = dg + (ptrdiff_t)spans[0] * lddg, *j = dg + (ptrdiff_t)spans[1] * lddg;
            for (int c = 0; c < cols; c++) {
                i[c] -= dy[c];
                j[c] += dy[c];
            }
        }
        if (dbias)
            for (int c = 0; c < cols; c++) dbias[c] += dy[c];
    }
}

void cpu_squares(double *sum, const Real *x, size_t n)
{
    double lane[8] = { 0 }, all = 0;
    size_t whole = n - n % 8;
    for (size_t i = 0; i < whole; i += 8)
        for (size_t l = 0; l < 8; l++) lane[l] += (double)x[i + l] * (double)x[i + l];
    for (size_t i = whole; i < n; i++) lane[i - whole] += (double)x[i] * (double)x[i];
    for (int l = 0; l < 8; l++) all += lane[l];
    *sum = all;
}

void cpu_average(Real *average, const Real *w, size_t n, Real keep)
{
    for (size_t i = 0; i < n; i++) average[i] = keep * average[i] + (1 - keep) * w[i];
}

void cpu_exchange(Real *x, Real *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        Real v = x[i];
        x[i] = y[i];
        y[i] = v;
    }
}

void cpu_adam(Real *w, const Real *g, Real *m, Real *v, size_t n, double lr, double decay, double beta1, double beta2,
              double eps, double correction1, double correction2, double scale)
{
    Real b1 = (Real)beta1, b2 = (Real)beta2, c1 = (Real)(1 - beta1), c2 = (Real)(1 - beta2), s = (Real)scale;
    Real keep = (Real)(1 - lr * decay), step = (Real)(lr / correction1), r2 = (Real)(1 / sqrt(correction2)),
         ep = (Real)eps;
    for (size_t i = 0; i < n; i++) {
        Real gi = g[i] * s, mi = b1 * m[i] + c1 * gi, vi = b2 * v[i] + c2 * gi * gi;
        m[i] = mi;
        v[i] = vi;
        w[i] = keep * w[i] - step * mi / (real_sqrt(vi) * r2 + ep);
    }
}
