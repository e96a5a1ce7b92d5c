/* tensor/cpu/kernels.c: the table of the CPU, and the profile of its matrix products. */
#include "base/thread.h"
#include "tensor/cpu/cpu.h"

static _Thread_local GemmProfile *profile;

void kernels_cpu_profile(GemmProfile *p) { profile = p; }

void cpu_gemm(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
              Real beta, Real *c, int ldc)
{
    if (m == 0 || n == 0) return;
    double begun = profile ? clock_seconds() : 0;
    cpu_product(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (!profile) return;
    profile->seconds += clock_seconds() - begun;
    profile->flops += 2.0 * m * n * k;
}

const Kernels *kernels_cpu(void)
{
    static const Kernels table = {
        .name = "cpu",
        .start = cpu_start,
        .gemm = cpu_gemm,
        .bias_act = cpu_bias_act,
        .relu_bwd = cpu_relu_bwd,
        .gelu_fwd = cpu_gelu_fwd,
        .gelu_bwd = cpu_gelu_bwd,
        .column_sum = cpu_column_sum,
        .add = cpu_add,
        .drop = cpu_drop,
        .embed_fwd = cpu_embed_fwd,
        .embed_bwd = cpu_embed_bwd,
        .embed_mean_fwd = cpu_embed_mean_fwd,
        .embed_mean_bwd = cpu_embed_mean_bwd,
        .norm_fwd = cpu_norm_fwd,
        .norm_bwd = cpu_norm_bwd,
        .norm_relevance = cpu_norm_relevance,
        .attention_relevance = cpu_attention_relevance,
        .label_norm_relevance = cpu_label_norm_relevance,
        .attention_fwd = cpu_attention_fwd,
        .attention_bwd = cpu_attention_bwd,
        .segment_softmax_fwd = cpu_segment_softmax_fwd,
        .segment_softmax_bwd = cpu_segment_softmax_bwd,
        .label_query_fwd = cpu_label_query_fwd,
        .label_query_bwd = cpu_label_query_bwd,
        .label_norm_fwd = cpu_label_norm_fwd,
        .label_norm_bwd = cpu_label_norm_bwd,
        .fencepost_fwd = cpu_fencepost_fwd,
        .fencepost_bwd = cpu_fencepost_bwd,
        .span_diff_fwd = cpu_span_diff_fwd,
        .span_diff_bwd = cpu_span_diff_bwd,
        .bilinear_fwd = cpu_bilinear_fwd,
        .bilinear_bwd = cpu_bilinear_bwd,
        .cross_entropy_fwd = cpu_cross_entropy_fwd,
        .cross_entropy_bwd = cpu_cross_entropy_bwd,
        .lstm_fwd = cpu_lstm_fwd,
        .lstm_bwd = cpu_lstm_bwd,
        .adam = cpu_adam,
    };
    return &table;
}
