/* Matrix products of cuBLAS. It is loaded when the device is started: linked, a program would not
 * even start on a machine without it. The system's is tried first, then the one that came with the compiler. Each
 * thread has a handle with a workspace of its own, so that two runs give the same bits. */
#include "tensor/cuda/cuda.h"

#include <dlfcn.h>
#include <pthread.h>

/* What NVIDIA recommends for Hopper; with less, some products are slower. */
static const size_t WORKSPACE = (size_t)32 << 20;

/* The header has two functions of this name. */
typedef cublasStatus_t (*Product)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void *,
                                  const void *, cudaDataType, int, long long, const void *, cudaDataType, int,
                                  long long, const void *, void *, cudaDataType, int, long long, int,
                                  cublasComputeType_t, cublasGemmAlgo_t);

/* The functions used. */
static struct {
    pthread_mutex_t lock;
    void *library;
    decltype(&cublasCreate_v2) create;
    decltype(&cublasDestroy_v2) destroy;
    decltype(&cublasSetStream_v2) set_stream;
    decltype(&cublasSetWorkspace_v2) set_workspace;
    Product product;
    decltype(&cublasGetStatusString) text;
} blas = { PTHREAD_MUTEX_INITIALIZER, NULL, NULL, NULL, NULL, NULL, NULL, NULL };

/* Puts the function into *to; true if it is there. */
template <typename F> static bool find(F *to, const char *name)
{
    *to = (F)dlsym(blas.library, name);
    return *to != NULL;
}

static Status load(Error *e)
{
    blas.library = dlopen(LAL_CUBLAS, RTLD_NOW | RTLD_LOCAL);
    if (!blas.library) blas.library = dlopen(LAL_CUBLAS_HERE, RTLD_NOW | RTLD_LOCAL);
    if (!blas.library) {
        const char *why = dlerror();
        return error_set(e, ERR_IO, "cannot load cuBLAS: %s", why ? why : LAL_CUBLAS);
    }
    if (find(&blas.create, "cublasCreate_v2") && find(&blas.destroy, "cublasDestroy_v2") &&
        find(&blas.set_stream, "cublasSetStream_v2") && find(&blas.set_workspace, "cublasSetWorkspace_v2") &&
        find(&blas.product, "cublasGemmStridedBatchedEx") && find(&blas.text, "cublasGetStatusString"))
        return OK;
    dlclose(blas.library);
    blas.library = NULL;
    return error_set(e, ERR_IO, "%s: a function is missing, expected cuBLAS", LAL_CUBLAS);
}

Status cuda_blas_load(Error *error)
{
    pthread_mutex_lock(&blas.lock);
    Status s = blas.library ? OK : load(error);
    pthread_mutex_unlock(&blas.lock);
    return s;
}

static void keep(const char *kernel, cublasStatus_t code)
{
    Error e = {};
    if (code == CUBLAS_STATUS_SUCCESS) return;
    error_set(&e, ERR_IO, "cuBLAS: %s: %s", kernel, blas.text(code));
    cuda_keep_error(&e);
}

Status cuda_blas_make(CudaBlas *cuda_blas, cudaStream_t stream, Error *error)
{
    if (cuda_blas->handle) return OK;
    Status s = cuda_blas_load(error);
    if (s != OK) return s;
    cublasHandle_t handle = NULL;
    cublasStatus_t code = blas.create(&handle);
    if (code == CUBLAS_STATUS_SUCCESS) code = blas.set_stream(handle, stream);
    if (!cuda_blas->workspace) cuda_blas->workspace = device_cuda()->alloc(WORKSPACE);
    if (code == CUBLAS_STATUS_SUCCESS && cuda_blas->workspace)
        code = blas.set_workspace(handle, cuda_blas->workspace, WORKSPACE);
    if (code == CUBLAS_STATUS_SUCCESS && cuda_blas->workspace) {
        cuda_blas->handle = handle;
        return OK;
    }
    if (handle) blas.destroy(handle);
    if (code != CUBLAS_STATUS_SUCCESS) return error_set(error, ERR_IO, "cuBLAS: %s", blas.text(code));
    return error_set(error, ERR_NOMEM, "out of memory on cuda: each thread needs %zu MiB for products; lower --threads",
                     WORKSPACE >> 20);
}

/* The thread's handle; NULL where it cannot be made, and the failure is kept. */
static cublasHandle_t handle_of_thread()
{
    CudaBlas *b = cuda_blas_of_thread();
    Error e = {};
    if (b && cuda_blas_make(b, cuda_stream(), &e) != OK) cuda_keep_error(&e);
    return b ? b->handle : NULL;
}

#ifdef LAL_REAL_DOUBLE
static const cudaDataType type = CUDA_R_64F;
static const cublasComputeType_t compute = CUBLAS_COMPUTE_64F;

Status cuda_set_products(Products how, Error *error)
{
    if (how == PRODUCTS_REAL) return OK;
    return error_set(error, ERR_CONFIG, "found products of less precision, expected none with numbers of type double");
}
#else
static const cudaDataType type = CUDA_R_32F;
static cublasComputeType_t compute = CUBLAS_COMPUTE_32F;

Status cuda_set_products(Products how, Error *error)
{
    if (how == PRODUCTS_INT16 || how == PRODUCTS_INT8)
        return error_set(error, ERR_CONFIG, "products of whole numbers: found a GPU, expected a CPU");
    compute = how == PRODUCTS_TF32   ? CUBLAS_COMPUTE_32F_FAST_TF32
              : how == PRODUCTS_BF16 ? CUBLAS_COMPUTE_32F_FAST_16BF
                                     : CUBLAS_COMPUTE_32F;
    return OK;
}
#endif

/* cuBLAS has column-major matrices: the row-major product has the transposed matrices in the other order. */
void cuda_product(const char *kernel, const CudaProduct &product)
{
    if (product.m <= 0 || product.n <= 0 || product.batch <= 0) return;
    cublasHandle_t handle = handle_of_thread();
    if (!handle) return;
    /* of an operand without columns, whose leading dimension may be 0 */
    int lda = product.a.ld > 0 ? product.a.ld : 1, ldb = product.b.ld > 0 ? product.b.ld : 1;
    if (cuda_profiling) cuda_profile_before(kernel, true, 2.0 * product.m * product.n * product.k * product.batch);
    keep(kernel,
         blas.product(handle, product.tb ? CUBLAS_OP_T : CUBLAS_OP_N, product.ta ? CUBLAS_OP_T : CUBLAS_OP_N, product.n,
                      product.m, product.k, &product.alpha, product.b.first, type, ldb, product.b.step, product.a.first,
                      type, lda, product.a.step, &product.beta, product.c.first, type, product.c.ld, product.c.step,
                      product.batch, compute, CUBLAS_GEMM_DEFAULT));
    if (cuda_profiling) cuda_profile_after();
}
