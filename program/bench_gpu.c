/* What a GPU did during a measurement. */
#include <stdlib.h>

#include "base/json_writer.h"
#include "program/bench.h"

enum { SHOWN = 8 }; /* kernels that took longest */

static int longest_first(const void *a, const void *b)
{
    double x = ((const GpuKernel *)a)->seconds, y = ((const GpuKernel *)b)->seconds;
    return (x < y) - (x > y);
}

void bench_put_gpu(StrBuf *out, const GpuProfile *profile, double seconds)
{
    static GpuKernel sorted[GPU_PROFILE_KERNELS];
    GpuKernel all = { .seconds = 0 }, products = { .seconds = 0 };
    for (int k = 0; k < profile->n; k++) {
        const GpuKernel *g = &profile->kernel[k];
        GpuKernel *sums[] = { &all, g->product ? &products : NULL };
        for (int i = 0; i < 2 && sums[i]; i++) {
            sums[i]->launches += g->launches;
            sums[i]->seconds += g->seconds;
            sums[i]->flops += g->flops;
        }
        sorted[k] = *g;
    }
    qsort(sorted, (size_t)profile->n, sizeof *sorted, longest_first);
    const double mib = 1048576, share = all.seconds > 0 ? products.seconds / all.seconds : 0,
                 rate = products.seconds > 0 ? products.flops / products.seconds : 0;
    json_object(out, "gpu");
    json_members(out,
                 "seconds: %.4f, kernel_seconds: %.4f, launches: %ld, products: %ld, product_share: %.3f, "
                 "product_tflops: %.4g, uploaded_mib: %.3f, downloaded_mib: %.3f, peak_mib: %.1f, reserved_mib: %.1f",
                 seconds, all.seconds, all.launches, products.launches, share, rate / 1e12,
                 (double)profile->uploaded / mib, (double)profile->downloaded / mib, (double)profile->peak / mib,
                 (double)profile->reserved / mib);
    json_array(out, "kernels");
    for (int k = 0; k < profile->n && k < SHOWN; k++)
        json_record(out, NULL, "name: %s, seconds: %.4f, launches: %ld", sorted[k].name, sorted[k].seconds,
                    sorted[k].launches);
    json_array_end(out);
    json_object_end(out);
}
