/* base/rng.c */
#include "base/rng.h"

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
