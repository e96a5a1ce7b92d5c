/* All 2^n assignments are tried if they are few enough, else random ones, whose p counts the
 * observed one, too. */
#include "eval/randomisation.h"

#include <math.h>
#include <stdbool.h>

#include "base/rng.h"

/* Differences that are equal but for rounding count as equal. */
static bool as_large(const Randomisation *r, double observed)
{
    return fabs(r->difference(r->context)) >= observed - 1e-9;
}

/* The share of all 2^n assignments. */
static double exact(const Randomisation *r, double observed)
{
    long found = 0, all = 1L << r->n;
    for (long k = 0; k < all; k++) {
        r->start(r->context);
        for (int i = 0; i < r->n; i++)
            if (k >> i & 1) r->exchange(r->context, i);
        found += as_large(r, observed);
    }
    return (double)found / (double)all;
}

static double sampled(const Randomisation *r, double observed, long samples, uint64_t seed)
{
    long found = 0;
    for (long k = 0; k < samples; k++) {
        uint64_t key = 0;
        r->start(r->context);
        for (int i = 0; i < r->n; i++) {
            const RandomisationPair *p = &r->pairs[i];
            if (i == 0 || p->run != r->pairs[i - 1].run) key = rng_key(seed, 0xa4, (uint64_t)k, (uint64_t)p->run);
            if (rng_bits32(key, (uint32_t)p->sentence) >> 31) r->exchange(r->context, i);
        }
        found += as_large(r, observed);
    }
    return (double)(found + 1) / (double)(samples + 1);
}

double randomisation_p(const Randomisation *randomisation, long samples, uint64_t seed)
{
    bool few = randomisation->n < 30 && (1L << randomisation->n) <= samples;
    randomisation->start(randomisation->context);
    double observed = fabs(randomisation->difference(randomisation->context));
    return few ? exact(randomisation, observed) : sampled(randomisation, observed, samples, seed);
}
