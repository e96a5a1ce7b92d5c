/* What the device does while a profile is on (device_cuda_profile). Each launch is between two
 * events of the thread's stream, which are read once the stream has been waited for. */
#include "tensor/cuda/cuda.h"

#include <pthread.h>

enum { PENDING = 1024 };

typedef struct Launch {
    const char *name;
    bool product;
    double flops;
    cudaEvent_t before, after;
} Launch;

/* Launches of a thread whose times have not been read; the first `made` have events. */
typedef struct Pending {
    int n, made, profile;
    Launch launch[PENDING];
} Pending;

static struct {
    pthread_mutex_t lock;
    GpuProfile *to;
    int number; /* of the profile: what a thread has left of another one is dropped */
} profile = { PTHREAD_MUTEX_INITIALIZER, NULL, 0 };

static __thread Pending *of_thread;
bool cuda_profiling;

/* Where launches of this name are counted; the last place takes all that have none. */
static GpuKernel *place_of(GpuProfile *p, const Launch *l)
{
    int k = 0;
    while (k < p->n && (p->kernel[k].product != l->product || strcmp(p->kernel[k].name, l->name) != 0)) k++;
    if (k == GPU_PROFILE_KERNELS) return &p->kernel[k - 1];
    if (k == p->n) {
        p->n++;
        p->kernel[k] = GpuKernel{};
        p->kernel[k].product = l->product;
        snprintf(p->kernel[k].name, sizeof p->kernel[k].name, "%s", l->name);
    }
    return &p->kernel[k];
}

void cuda_profile_collect()
{
    Pending *t = of_thread;
    if (!t || t->n == 0) return;
    pthread_mutex_lock(&profile.lock);
    for (int k = 0; k < t->n && profile.to && t->profile == profile.number; k++) {
        float milliseconds = 0;
        const Launch *l = &t->launch[k];
        cuda_keep("profile", cudaEventElapsedTime(&milliseconds, l->before, l->after));
        GpuKernel *to = place_of(profile.to, l);
        to->launches++;
        to->seconds += (double)milliseconds / 1000;
        to->flops += l->flops;
    }
    pthread_mutex_unlock(&profile.lock);
    t->n = 0;
}

/* The thread's next launch, with events; NULL without memory for it. */
static Launch *next_launch()
{
    if (!of_thread) of_thread = (Pending *)mem_calloc(1, sizeof *of_thread);
    Pending *t = of_thread;
    if (!t) return NULL;
    if (t->profile != profile.number) t->n = 0;
    t->profile = profile.number;
    if (t->n == PENDING) {
        cuda_keep("profile", cudaStreamSynchronize(cuda_stream()));
        cuda_profile_collect();
    }
    Launch *l = &t->launch[t->n];
    if (t->n < t->made) return l;
    cudaError_t code = cudaEventCreateWithFlags(&l->before, cudaEventDefault);
    if (code == cudaSuccess) {
        code = cudaEventCreateWithFlags(&l->after, cudaEventDefault);
        if (code != cudaSuccess) cudaEventDestroy(l->before);
    }
    cuda_keep("profile", code);
    if (code != cudaSuccess) return NULL;
    t->made++;
    return l;
}

void cuda_profile_before(const char *name, bool product, double flops)
{
    Launch *l = next_launch();
    if (!l) return;
    l->name = name;
    l->product = product;
    l->flops = flops;
    cuda_keep("profile", cudaEventRecord(l->before, cuda_stream()));
}

void cuda_profile_after()
{
    Pending *t = of_thread;
    if (!t || t->n == t->made) return;
    cuda_keep("profile", cudaEventRecord(t->launch[t->n].after, cuda_stream()));
    t->n++;
}

void cuda_profile_copied(size_t up, size_t down)
{
    pthread_mutex_lock(&profile.lock);
    if (profile.to) {
        profile.to->uploaded += up;
        profile.to->downloaded += down;
    }
    pthread_mutex_unlock(&profile.lock);
}

void cuda_profile_release()
{
    Pending *t = of_thread;
    if (!t) return;
    cuda_profile_collect();
    for (int k = 0; k < t->made; k++) {
        cudaEventDestroy(t->launch[k].before);
        cudaEventDestroy(t->launch[k].after);
    }
    mem_free(t);
    of_thread = NULL;
}

void device_cuda_profile(GpuProfile *gpu_profile)
{
    if (gpu_profile) *gpu_profile = GpuProfile{};
    else if (profile.to) {
        device_cuda()->synchronise(NULL);
        cuda_memory_used(&profile.to->peak, &profile.to->reserved);
    }
    pthread_mutex_lock(&profile.lock);
    profile.to = gpu_profile;
    profile.number++;
    cuda_profiling = gpu_profile != NULL;
    pthread_mutex_unlock(&profile.lock);
    if (gpu_profile) cuda_memory_restart();
}
