/* What is not a formula in the header: keys from the system's entropy, and shuffling. */
#define _DEFAULT_SOURCE
#include "base/rng.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

uint64_t rng_entropy(void)
{
    static atomic_uint calls;
    uint64_t x;
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, &x, sizeof x) : 0;
    if (fd >= 0) close(fd);
    if (n == (ssize_t)sizeof x) return x;
    struct timespec now; /* no such file: time, process and a counter */
    clock_gettime(CLOCK_REALTIME, &now);
    return rng_key((uint64_t)now.tv_nsec, (uint64_t)now.tv_sec, (uint64_t)getpid(), atomic_fetch_add(&calls, 1));
}

void rng_permutation(uint64_t key, int *perm, int n)
{
    for (int i = 0; i < n; i++) perm[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(rng_uniform(key, (uint64_t)i) * (i + 1));
        int x = perm[i];
        perm[i] = perm[j];
        perm[j] = x;
    }
}
