/* tensor/kernels.h
 * The arithmetic behind the ops, as one table of C functions over raw pointers and sizes; one table for each kind of
 * machine. Matrices are row-major with a leading dimension `ld`. Backward kernels ADD into gradients; a NULL gradient
 * pointer means "not wanted". An entry may be NULL: the op that needs it then fails with a message. */
#ifndef LAL_TENSOR_KERNELS_H
#define LAL_TENSOR_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "tensor/tensor.h"

enum { MAX_PARTS = 2, MAX_EMBED_TERMS = 16 };

/* Which layer norm: the parser's own (Mrini et al. 2020, code): divide by unbiased standard deviation + eps; or the
 * usual one: divide by sqrt(variance + eps). */
typedef enum NormKind { NORM_UNBIASED_STD, NORM_VARIANCE } NormKind;

/* Random zeroing: element (r, c) is kept iff its 32 random bits under `key` are >= p * 2^32, and scaled by 1 / (1-p).
 * The bits are drawn at (group[r], c), or (r, c) when group is NULL: rows of one group share a mask. p = 0: none. */
typedef struct Drop {
    double p;
    uint64_t key;
    const int *group; /* [rows] or NULL */
} Drop;

/* Multi-head attention within each sentence. Head h has n_parts slices (content, position) that share one softmax:
 *   logits = sum_p q_p k_p' / scale (+ bias);  A = softmax over the keys of the sentence;  ctx_p = drop(A) v_p * gate.
 * qkv[p] [tokens, 3 * n_heads * width[p]]: queries of all heads, keys, values. ctx[p] [tokens, n_heads * width[p]].
 * probs [n_heads * pairs]: A before dropout, pairs = sum_b m_b^2, entry (b, i, j) at pair_start[b] + i * m_b + j. */
typedef struct AttentionArgs {
    int n_heads, n_parts, width[MAX_PARTS];
    double scale;
    int n_sent, longest;
    const int *start;
    const long *pair_start; /* [n_sent + 1] */
    const Real *qkv[MAX_PARTS];
    int ld_qkv[MAX_PARTS];
    Real *ctx[MAX_PARTS];
    int ld_ctx[MAX_PARTS];
    Real *probs;
    const Real *bias;        /* [slots * pairs] added to the logits, or NULL; -INFINITY forbids a key */
    const int *slot_of_head; /* [n_heads] slot of bias, or -1 */
    const Real *gates;       /* [n_heads] or NULL */
    Drop drop;               /* on A; drawn at (h, pair) */
    Real *scratch;           /* [3 * longest * longest] */
    /* backward */
    Real *dqkv[MAX_PARTS];
    const Real *dctx[MAX_PARTS];
    const Real *dprobs; /* gradient given to probs, or NULL */
    Real *dbias, *dgates;
} AttentionArgs;

/* One lookup of an embedding sum. */
typedef struct EmbedArgs {
    const Real *table;
    Real *dtable;
    int ld;
    const int *index; /* [rows] or NULL: row r */
    Drop drop;
} EmbedArgs;

typedef struct LstmArgs {
    int n_seq, n_steps, n_total, d_in, d_hidden;
    const int *order;                      /* [n_seq] sequences by falling length */
    const int *step_start;                 /* [n_steps + 1] rows of step s; its row k is sequence order[k] */
    const int *source;                     /* [n_total] row of x behind each (step, k) row */
    const Real *x;                         /* [n_total, d_in] */
    const Real *w_ih, *w_hh, *b_ih, *b_hh; /* [d_in, 4h] [h, 4h] [4h] [4h]; gates i f g o */
    Real *gates;                           /* [n_total, 4h] activated gates, in step order */
    Real *cell, *hidden;                   /* [n_total, h] in step order */
    Real *last;                            /* [n_seq, h] state behind each sequence's last step */
    int ld_last;
    /* backward */
    const Real *dlast;
    Real *dx, *dw_ih, *dw_hh, *db_ih, *db_hh;
    Real *scratch; /* [n_total * 4h + 2 * n_seq * h] */
} LstmArgs;

typedef struct Kernels {
    const char *name;
    /* Prepares for `threads` threads that compute at the same time; to be called before them, and again for more of
     * them. On the CPU it loads OpenBLAS and makes its buffers, 128 MiB of address space a thread: ERR_NOMEM where
     * there is no room for them, ERR_IO without the library. A product before it loads OpenBLAS for one thread, and is
     * a plain loop where that fails. Thread safe. */
    Status (*start)(int threads, Error *e);
    /* C = alpha op(A) op(B) + beta C, op(A) [m, k], op(B) [k, n] */
    void (*gemm)(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
                 Real beta, Real *c, int ldc);
    void (*bias_act)(Real *y, int ld, const Real *bias, int rows, int cols, bool relu); /* y = act(y + bias) */
    void (*relu_bwd)(Real *dx, const Real *dy, int ld, const Real *y, int ldy, int rows,
                     int cols); /* dx = y > 0 ? dy : 0; dx dense */
    /* y = x Phi(x); dx += dy (Phi(x) + x phi(x)), or dy Phi(x) for relevance */
    void (*gelu_fwd)(Real *y, int ldy, const Real *x, int ldx, int rows, int cols);
    void (*gelu_bwd)(Real *dx, int lddx, const Real *dy, int lddy, const Real *x, int ldx, int rows, int cols,
                     bool relevance);
    void (*column_sum)(Real *sum, const Real *x, int ld, int rows, int cols);  /* sum += */
    void (*add)(Real *y, int ldy, const Real *x, int ldx, int rows, int cols); /* y += x */
    void (*drop)(Real *y, int ldy, const Real *x, int ldx, int rows, int cols, Drop d, bool accumulate);
    void (*embed_fwd)(Real *y, int ldy, int rows, int cols, const EmbedArgs *terms, int n_terms);
    void (*embed_bwd)(const Real *dy, int ldy, int rows, int cols, const EmbedArgs *terms, int n_terms);
    /* y[r] = mean over i of table[item[i]], start[r] <= i < start[r + 1]; y dense; backward adds */
    void (*embed_mean_fwd)(Real *y, const Real *table, int ld, const int *start, const int *item, int rows, int cols);
    void (*embed_mean_bwd)(Real *dtable, int ld, const Real *dy, const int *start, const int *item, int rows, int cols);
    /* y = a * (x - mean) * inv + b by rows; mean and inv [rows] are kept for backward */
    void (*norm_fwd)(Real *y, int ldy, const Real *x, int ldx, const Real *a, const Real *b, Real *mean, Real *inv,
                     int rows, int cols, NormKind kind, double eps);
    void (*norm_bwd)(Real *dx, int lddx, Real *da, Real *db, const Real *dy, int ldy, const Real *x, int ldx,
                     const Real *a, const Real *mean, const Real *inv, int rows, int cols, NormKind kind, double eps);
    void (*attention_fwd)(const AttentionArgs *a);
    void (*attention_bwd)(const AttentionArgs *a);
    /* column softmax within sentences: probs [tokens, heads] in place from logits * scale */
    void (*segment_softmax_fwd)(Real *p, int heads, const int *start, int n_sent, double scale);
    void (*segment_softmax_bwd)(Real *dp, const Real *p, int heads, const int *start, int n_sent,
                                double scale); /* dp -> dlogits */
    /* u[h, c] = sum_e k[h * d_in + c, e] q[h, e] */
    void (*label_query_fwd)(Real *u, int ldu, const Real *k, const Real *q, int heads, int d_in, int d_a);
    void (*label_query_bwd)(const Real *du, int ldu, const Real *k, const Real *q, Real *dk, Real *dq, int heads,
                            int d_in, int d_a);
    /* Relevance (tensor/tape.h): the norm as an affine map, its mean removed and its divisor constant; returns sum dy
     * b. Attention passes to the values alone. */
    double (*norm_relevance)(Real *dx, int lddx, const Real *dy, int ldy, const Real *a, const Real *b, const Real *inv,
                             int rows, int cols);
    double (*label_norm_relevance)(Real *dr, Real *ddelta, const Real *dy, const int *first, const Real *a,
                                   const Real *b, const Real *inv, int tokens, int heads, int p);
    void (*attention_relevance)(const AttentionArgs *a);
    /* y[t, h * p + :] = norm(r[t] + delta[first[t] + h]) */
    void (*label_norm_fwd)(Real *y, const Real *r, const Real *delta, const int *first, const Real *a, const Real *b,
                           Real *mean, Real *inv, int tokens, int heads, int p, double eps);
    void (*label_norm_bwd)(Real *dr, Real *ddelta, Real *da, Real *db, const Real *dy, const Real *r, const Real *delta,
                           const int *first, const Real *a, const Real *mean, const Real *inv, int tokens, int heads,
                           int p, double eps);
    /* f[k, j] = y[k + (j >= cols / 2), source[j]] for the fenceposts of each sentence */
    void (*fencepost_fwd)(Real *f, const Real *y, const int *source, const int *start, int n_sent, int cols);
    void (*fencepost_bwd)(Real *dy, const Real *df, const int *source, const int *start, int n_sent, int cols);
    /* y[s] = g[spans[2s + 1]] - g[spans[2s]] + bias */
    void (*span_diff_fwd)(Real *y, const Real *g, int ldg, const int *spans, const Real *bias, int n, int cols);
    void (*span_diff_bwd)(Real *dg, int ldg, Real *dbias, const Real *dy, const int *spans, int n, int cols);
    /* s[k, y] = sum_ij a[k, i] U[i, y * d + j] b[k, j]; U [d, types * d] */
    void (*bilinear_fwd)(Real *s, int lds, const Real *a, int lda, const Real *b, int ldb, const Real *u, int rows,
                         int d, int types, Real *scratch);
    void (*bilinear_bwd)(const Real *ds, int lds, Real *da, int ldda, Real *db, int lddb, Real *du, const Real *a,
                         int lda, const Real *b, int ldb, const Real *u, int rows, int d, int types, Real *scratch);
    /* sum over rows of -log softmax(x)[gold]; rows ragged: row r is x[row[r] .. row[r] + len[r]); gold < 0 skips it */
    double (*cross_entropy_fwd)(const Real *x, const long *row, const int *len, const int *gold, int rows);
    void (*cross_entropy_bwd)(Real *dx, const Real *x, const long *row, const int *len, const int *gold, int rows,
                              Real dloss);
    void (*lstm_fwd)(const LstmArgs *a);
    void (*lstm_bwd)(const LstmArgs *a);
    /* Adam with decoupled weight decay (tensor/optimizer.h) of n numbers: values and moments are updated in place; the
     * gradient is g * scale; correction1 = 1 - beta1^t, correction2 = 1 - beta2^t */
    void (*adam)(Real *w, const Real *g, Real *m, Real *v, size_t n, double lr, double decay, double beta1,
                 double beta2, double eps, double correction1, double correction2, double scale);
} Kernels;

/* Rows of T that bilinear kernels hold at once; their scratch is [BILINEAR_ROWS * types * d]. */
enum { BILINEAR_ROWS = 32 };

/* Time and work of the matrix products of one thread, for `lal bench`. */
typedef struct GemmProfile {
    double seconds, flops; /* one multiply-add is two */
} GemmProfile;
/* From now on the calling thread's products on the CPU are added to *p; NULL ends that. */
void kernels_cpu_profile(GemmProfile *p);

const Kernels *kernels_cpu(void);
/* NULL in a build without CUDA. */
const Kernels *kernels_cuda(void);

#endif
