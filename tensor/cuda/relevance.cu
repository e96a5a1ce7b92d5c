/* What the biases take of a relevance (tensor/tape.h). */
#include "tensor/cuda/cuda.h"

/* A warp has every so manieth row. */
static __global__ void bias_parts(double *part, const Real *dy, int ld, const Real *bias, int rows, int cols)
{
    double sum = 0;
    for (int r = cuda_warp(); r < rows; r += cuda_warps())
        for (int c = cuda_lane(); c < cols; c += WARP) sum += (double)dy[(ptrdiff_t)r * ld + c] * (double)bias[c];
    sum = block_sum(sum, cuda_shared<double>());
    if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

void cuda_bias_relevance(double *part, const Real *dy, int ld, const Real *bias, int rows, int cols)
{
    CudaParts parts = cuda_parts("bias_relevance", rows);
    if (!parts.part) return;
    LAUNCH(bias_parts, parts.blocks, BLOCK, CUDA_SUM_SHARED, parts.part, dy, ld, bias, rows, cols);
    LAUNCH(cuda_sum_of_parts<double>, 1, BLOCK, CUDA_SUM_SHARED, part, parts.part, (int)parts.blocks, true);
}
