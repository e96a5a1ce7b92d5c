/* The labels that a device leaves to the decoder. */
#include "base/arena.h"
#include "base/rng.h"
#include "tests/support/check.h"
#include "tests/support/checking_device.h"

/* What tensor/kernels.h says, of one span. */
static SpanBest best_of(const Real *x, const Real *mask, int n_labels)
{
    SpanBest b = { -INFINITY, -INFINITY, 1, 1 };
    for (int l = n_labels - 1; l >= 2; l--) {
        Real score = x[l - 1] + (mask ? mask[l - 1] : 0);
        if (score > b.proper || (score == b.proper && score > -INFINITY)) b.proper = score, b.proper_label = l;
    }
    b.any = b.proper;
    b.any_label = b.proper_label;
    if (n_labels > 1 && x[0] >= b.proper) b.any = x[0], b.any_label = 1;
    for (int l = 1; l < n_labels; l++)
        if (isnan(x[l - 1])) b.any = (Real)NAN;
    return b;
}

static void *on_device(const Device *d, const void *host, size_t bytes)
{
    void *p = d->alloc(bytes);
    assert_non_null(p);
    assert_int_equal(d->upload(p, host, bytes, NULL), OK);
    return p;
}

/* n spans whose scores have few different values; of every fifth, all labels but <H> have the worst one. */
static void compare(int n, int n_labels, bool masked, uint64_t key)
{
    const Device *d = test_device_any();
    int cols = n_labels - 1, ld = cols + 3;
    size_t size = (size_t)n * (size_t)ld;
    FREED(free_pointer) Real *x = mem_calloc(size + 1, sizeof *x), *mask = mem_calloc((size_t)n_labels, sizeof *mask);
    FREED(free_pointer) SpanBest *found = mem_calloc((size_t)n + 1, sizeof *found);
    for (size_t k = 0; k < size; k++) {
        x[k] = (Real)floor(4 * rng_normal(key, k)) / 4;
        if (k / (size_t)ld % 5 == 4 && k % (size_t)ld > 0) x[k] = -INFINITY;
        if (rng_uniform(key + 2, k) < 0.002) x[k] = (Real)NAN;
    }
    for (int c = 1; c < cols; c++) mask[c] = rng_uniform(key + 1, (uint64_t)c) < 0.6 ? (Real)-INFINITY : 0;
    void *scores = on_device(d, x, (size + 1) * sizeof *x), *best = d->alloc(((size_t)n + 1) * sizeof *found);
    void *allowed = on_device(d, mask, (size_t)n_labels * sizeof *mask);
    assert_non_null(best);
    d->kernels->span_best(best, scores, ld, masked ? allowed : NULL, n, n_labels);
    assert_ok(d->download(found, best, (size_t)n * sizeof *found, test_error()));
    for (int k = 0; k < n; k++) {
        SpanBest b = best_of(x + (size_t)k * (size_t)ld, masked ? mask : NULL, n_labels);
        if (isnan(b.any)) { /* one of both is enough: the decoder's caller looks at both */
            assert_true(isnan(found[k].any) || isnan(found[k].proper));
            continue;
        }
        assert_int_equal(found[k].any_label, b.any_label);
        assert_int_equal(found[k].proper_label, b.proper_label);
        assert_true(found[k].any == b.any && found[k].proper == b.proper);
    }
    d->free(scores);
    d->free(best);
    d->free(allowed);
}

TEST(the_best_labels_are_those_of_a_plain_search)
{
    static const int labels[] = { 2, 3, 9, 32, 33, 34, 112, 300 };
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++)
        for (int masked = 0; masked < 2; masked++) compare(20, labels[k], masked, k + 1);
    compare(1500, 70, true, 20);
    for (int n = 0; n < 2; n++) compare(n, 2 + n, true, 21);
    compare(1, 9, false, 21);
}

TEST(there_may_be_no_span_and_no_label)
{
    compare(0, 9, false, 1);
    compare(3, 1, false, 2);
}
