/* Encoders of two layers, as BERT, MPNet and XLNet have them, with dropout, against finite differences in double:
 * relative L2 error of each parameter's gradient below 1e-6. In a float build the gradients only have to be finite. */
#include "embeddings/pretrained_encoder.h"
#include "tests/support/slopes.h"
#include "tests/support/tiny_pretrained.h"
#include "tests/support/weighted.h"

static const int START[] = { 0, 3, 4, 10 };
static const Batch BATCH = { 3, START, 10, 6 };
static const int PIECE[] = { 0, 4, 1, 2, 0, 6, 6, 3, 5, 1 };

typedef struct Net {
    PretrainedEncoder pe;
    ParamSet ps;
    Tape t;
    Slopes slopes;
} Net;

static void net_init(Net *n, PretrainedKind kind)
{
    PretrainedConfig c = tiny_pretrained(kind);
    c.dropout = 0.1;
    c.attention_dropout = 0.2;
    params_init(&n->ps);
    tape_init(&n->t, test_device());
    assert_ok(pretrained_encoder_declare(&n->pe, &n->ps, c, test_error()));
    assert_ok(params_finish(&n->ps, test_error()));
    for (int k = 0; k < n->ps.n; k++) param_init_normal(&n->ps, k, 0.6, 3);
    slopes_init(&n->slopes, &n->ps);
}

static void net_fini(Net *n)
{
    slopes_fini(&n->slopes);
    tape_fini(&n->t);
    params_fini(&n->ps);
}

/* The sum of the last states, each with a weight of its own; with backward also its gradients. */
static double run(Net *n, bool backward)
{
    Tape *t = &n->t;
    PretrainedOutput out;
    assert_ok(params_upload(&n->ps, test_device(), test_error()));
    tape_reset(t, backward, true, 4321);
    Forward f = { t, &n->ps, n->slopes.on_device, &BATCH, NULL, false };
    pretrained_encoder_forward(&f, &n->pe, PIECE, NULL, &out);
    Tensor *last = out.hidden[n->pe.c.n_layers];
    if (!last) fail_msg("%s", t->error.message);
    Tensor *loss = weighted_total(t, last, 5, 0);
    if (backward) slopes_backward(&n->slopes, t, loss);
    return tape_number(t, loss);
}

static double value(void *net) { return run(net, false); }

TEST(gradients_through_two_layers_of_each_kind_of_encoder)
{
    for (int k = 0; k < N_TINY_KINDS; k++) {
        MADE(Net, net_init, net_fini, n, TINY_KINDS[k]);
        run(&n, true);
        assert_slopes(&n.ps, n.slopes.host, value, &n, pretrained_config_kind(TINY_KINDS[k]));
    }
}
