/* How often threads wait for a device, which has nothing to do then. On the checking device,
 * or the one of TEST_DEVICE. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/checking_device.h"
#include "tensor/cuda/gpu.h"
#include "tests/support/counting_device.h"
#include "tests/support/trained.h"

static const Device *base(void)
{
    const Device *d = test_device_any();
    return d == device_cpu() ? device_checking() : d;
}
static bool slow(void) { return base() == device_cuda(); }

/* Twice a batch: for the scores that trees are found in, and for the types of the arcs found. */
TEST(parsing_waits_twice_for_a_batch)
{
    MADE(Trained, trained_init, trained_fini, x);
    int n = slow() ? 12 : x.b.dev.trees.n;
    const ParseInput *in = parse_inputs(&x.b.dev.trees, n);
    const Device *d = counting_device(base(), SIZE_MAX);
    assert_ok(params_upload(&x.m.ps, d, test_error()));
    for (int way = 0; way < 4; way++) {
        FREED(parser_fini) Parser p;
        int batches = 0;
        assert_ok(parser_init(&p, &x.m, d, 1 + way % 2 * 2, test_error()));
        p.o.batch_tokens = way < 2 ? 60 : 100000;
        p.o.record = way == 3;
        for (int from = 0; from < n; batches++) from = parse_batch_end(in, n, from, &p.o);
        counted.waits = 0;
        assert_ok(parser_run(&p, in, n, NULL, NULL, test_error()));
        assert_int_equal(counted.waits, 2 * batches);
        assert_true(way < 2 ? batches > 1 : batches == 1);
    }
    assert_ok(params_upload(&x.m.ps, base(), test_error()));
}

/* For the charts of all sentences of a sub-batch, for its losses, and for the norm of the gradient; where there are
 * several threads, also before another one may add gradients, or read the new weights. */
static long waited, each;
static int updates;

static void note(void *context, const TrainEvent *event)
{
    (void)context;
    if (event->kind != TRAIN_PROGRESS) return;
    if (updates++) assert_int_equal(counted.waits - waited, each);
    waited = counted.waits;
}

TEST(an_update_of_one_sub_batch_waits_three_times_or_five_times_with_threads)
{
    MADE(Bench, bench_init, bench_fini, b, slow() ? 8 : 40);
    for (int threads = 1; threads < 4; threads += 2) {
        TrainArgs a = toy(&b, in(&b, "a"), NULL, threads);
        a.n_dev = updates = 0;
        a.train.epochs = 1;
        a.train.batch_size = slow() ? 2 : 10;
        a.train.subbatch_tokens = 100000;
        a.device = counting_device(base(), SIZE_MAX);
        a.observer = (TrainObserver){ note, NULL };
        each = threads == 1 ? 3 : 5;
        train_ok(&a);
        assert_int_equal(updates, 4);
    }
}
