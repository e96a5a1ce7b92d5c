/* tensor/cpu/cpu.h: the functions behind kernels_cpu(), see tensor/kernels.h for what each does. */
#ifndef LAL_TENSOR_CPU_CPU_H
#define LAL_TENSOR_CPU_CPU_H

#include "tensor/kernels.h"

Status cpu_start(int threads, Error *e);
void cpu_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
                 Real beta, Real *c, int ldc);
/* The same by plain loops, where OpenBLAS cannot be loaded and `start` was not called or its answer ignored. */
void cpu_plain_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b,
                       int ldb, Real beta, Real *c, int ldc);
void cpu_gemm(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
              Real beta, Real *c, int ldc);
void cpu_bias_act(Real *y, int ld, const Real *bias, int rows, int cols, bool relu);
void cpu_relu_bwd(Real *dx, const Real *dy, int ld, const Real *y, int ldy, int rows, int cols);
void cpu_gelu_fwd(Real *y, int ldy, const Real *x, int ldx, int rows, int cols);
void cpu_gelu_bwd(Real *dx, int lddx, const Real *dy, int lddy, const Real *x, int ldx, int rows, int cols,
                  bool relevance);
void cpu_column_sum(Real *sum, const Real *x, int ld, int rows, int cols);
void cpu_add(Real *y, int ldy, const Real *x, int ldx, int rows, int cols);
void cpu_drop(Real *y, int ldy, const Real *x, int ldx, int rows, int cols, Drop d, bool accumulate);
void cpu_embed_fwd(Real *y, int ldy, int rows, int cols, const EmbedArgs *terms, int n_terms);
void cpu_embed_bwd(const Real *dy, int ldy, int rows, int cols, const EmbedArgs *terms, int n_terms);
void cpu_embed_mean_fwd(Real *y, const Real *table, int ld, const int *start, const int *item, int rows, int cols);
void cpu_embed_mean_bwd(Real *dtable, int ld, const Real *dy, const int *start, const int *item, int rows, int cols);
void cpu_norm_fwd(Real *y, int ldy, const Real *x, int ldx, const Real *a, const Real *b, Real *mean, Real *inv,
                  int rows, int cols, NormKind kind, double eps);
void cpu_norm_bwd(Real *dx, int lddx, Real *da, Real *db, const Real *dy, int ldy, const Real *x, int ldx,
                  const Real *a, const Real *mean, const Real *inv, int rows, int cols, NormKind kind, double eps);
double cpu_norm_relevance(Real *dx, int lddx, const Real *dy, int ldy, const Real *a, const Real *b, const Real *inv,
                          int rows, int cols);
double cpu_label_norm_relevance(Real *dr, Real *ddelta, const Real *dy, const int *first, const Real *a, const Real *b,
                                const Real *inv, int tokens, int heads, int p);
void cpu_attention_relevance(const AttentionArgs *a);
void cpu_attention_fwd(const AttentionArgs *a);
void cpu_attention_bwd(const AttentionArgs *a);
void cpu_segment_softmax_fwd(Real *p, int heads, const int *start, int n_sent, double scale);
void cpu_segment_softmax_bwd(Real *dp, const Real *p, int heads, const int *start, int n_sent, double scale);
void cpu_label_query_fwd(Real *u, int ldu, const Real *k, const Real *q, int heads, int d_in, int d_a);
void cpu_label_query_bwd(const Real *du, int ldu, const Real *k, const Real *q, Real *dk, Real *dq, int heads, int d_in,
                         int d_a);
void cpu_label_norm_fwd(Real *y, const Real *r, const Real *delta, const int *first, const Real *a, const Real *b,
                        Real *mean, Real *inv, int tokens, int heads, int p, double eps);
void cpu_label_norm_bwd(Real *dr, Real *ddelta, Real *da, Real *db, const Real *dy, const Real *r, const Real *delta,
                        const int *first, const Real *a, const Real *mean, const Real *inv, int tokens, int heads,
                        int p, double eps);
void cpu_fencepost_fwd(Real *f, const Real *y, const int *source, const int *start, int n_sent, int cols);
void cpu_fencepost_bwd(Real *dy, const Real *df, const int *source, const int *start, int n_sent, int cols);
void cpu_span_diff_fwd(Real *y, const Real *g, int ldg, const int *spans, const Real *bias, int n, int cols);
void cpu_span_diff_bwd(Real *dg, int ldg, Real *dbias, const Real *dy, const int *spans, int n, int cols);
void cpu_bilinear_fwd(Real *s, int lds, const Real *a, int lda, const Real *b, int ldb, const Real *u, int rows, int d,
                      int types, Real *scratch);
void cpu_bilinear_bwd(const Real *ds, int lds, Real *da, int ldda, Real *db, int lddb, Real *du, const Real *a, int lda,
                      const Real *b, int ldb, const Real *u, int rows, int d, int types, Real *scratch);
double cpu_cross_entropy_fwd(const Real *x, const long *row, const int *len, const int *gold, int rows);
void cpu_cross_entropy_bwd(Real *dx, const Real *x, const long *row, const int *len, const int *gold, int rows,
                           Real dloss);
void cpu_lstm_fwd(const LstmArgs *a);
void cpu_lstm_bwd(const LstmArgs *a);
void cpu_adam(Real *w, const Real *g, Real *m, Real *v, size_t n, double lr, double decay, double beta1, double beta2,
              double eps, double correction1, double correction2, double scale);

#endif
