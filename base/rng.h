/* A counter-based generator: a number is a pure function of a key and a counter, so masks can be recomputed in the
 * backward pass, and any step of training can be replayed from its counters alone. */
#pragma once

#include <math.h>
#include <stdint.h>

/* Mixes 64 bits (splitmix64 finaliser, Steele et al. 2014). */
static inline uint64_t rng_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A key derived from a seed and up to three counters. */
static inline uint64_t rng_key(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    return rng_mix(rng_mix(rng_mix(rng_mix(seed) ^ a) ^ b) ^ c);
}

/* 32 random bits for counter i under key; written so that compilers vectorise loops over i. */
static inline uint32_t rng_bits32(uint64_t key, uint32_t i)
{
    uint32_t x = i * 0x9e3779b1u + (uint32_t)key;
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    x ^= (uint32_t)(key >> 32);
    x = (x ^ (x >> 16)) * 0x21f0aaadu;
    x = (x ^ (x >> 15)) * 0x735a2d97u;
    return x ^ (x >> 15);
}

/* Uniform in [0, 1) with 53 bits. */
static inline double rng_uniform(uint64_t key, uint64_t i)
{
    return (double)(rng_mix(key ^ rng_mix(i)) >> 11) * 0x1p-53;
}

/* Standard normal (Box-Muller, one of the pair). */
static inline double rng_normal(uint64_t key, uint64_t i)
{
    double u = 1.0 - rng_uniform(key, 2 * i), v = rng_uniform(key, 2 * i + 1);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

/* 64 unpredictable bits from the system, for names of temporary files and keys of hash tables. No result may depend on
 * them. */
uint64_t rng_entropy(void);

/* A random permutation of 0..n-1 (Fisher-Yates). */
void rng_permutation(uint64_t key, int *perm, int n);
