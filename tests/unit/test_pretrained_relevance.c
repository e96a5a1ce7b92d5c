/* Relevance through BERT, MPNet and XLNet: a score is the sum of the relevance
 * over any cut, from the vectors of tokens to the embedding of pieces, and of what biases take after it. */
#include <string.h>

#include "tests/support/tiny_encoder.h"
#include "tests/support/weighted.h"

typedef struct Net {
    TinyEncoder e;
    Tensor *words, *score;
    Tensor *hidden[TINY_LAYERS + 1]; /* the embedding of pieces, then the output of each layer */
} Net;

/* options: of heads, or NULL. */
static void net_init(Net *n, PretrainedKind kind, PieceChoice choice, bool mix, const char *options)
{
    *n = (Net){ .words = NULL };
    tiny_encoder_init(&n->e, device_cpu());
    tiny_encoder_declare(&n->e, (WordEncoderConfig){ tiny_pretrained(kind), mix, 0, NULL }, choice, options);
}

static void net_fini(Net *n) { tiny_encoder_fini(&n->e); }

/* The embedding of pieces is the first norm, or without one (XLNet) the first sum; a layer ends with its second
 * norm. */
static void find_cuts(Net *n)
{
    const char *first = n->e.we.c.encoder.kind == PRETRAINED_XLNET ? "embed" : "norm";
    int norms = 2 * TINY_LAYERS;
    for (const Node *nd = n->e.t.last; nd; nd = nd->prev) {
        if (strcmp(nd->op->name, "residual_norm") == 0 && norms-- % 2 == 0) n->hidden[norms / 2 + 1] = nd->out[0];
        if (strcmp(nd->op->name, first) == 0) n->hidden[0] = nd->out[0];
    }
    assert_int_equal(norms, 0);
}

static void forward(Net *n)
{
    const Forward f = tiny_encoder_begin(&n->e, true, false, 0, NULL);
    n->words = tiny_encoder_forward(&n->e, &f, NULL);
    n->score = weighted_total(&n->e.t, n->words, 5, 0.7);
    if (!n->score) fail_msg("%s", n->e.t.error.message);
    find_cuts(n);
}

/* Of tensors 0 .. count - 1, the last one computed last. */
static void check_cut(Net *n, Tensor *const *cut, int count, const char *name)
{
    double tolerance = sizeof(Real) < 8 ? 1e-4 : 1e-10, score = tape_number(&n->e.t, n->score), sum;
    if (tape_relevance(&n->e.t, n->score, cut, count, cut[count - 1]) != OK) fail_msg("%s", n->e.t.error.message);
    sum = n->e.t.bias_part;
    for (int k = 0; k < count; k++) sum += relevance_of(&n->e.t, cut[k]);
    if (!(fabs(sum - score) <= tolerance * fmax(1, fabs(score)))) fail_msg("%s: %.12g of %.12g", name, sum, score);
    assert_true(fabs(n->e.t.bias_part - score) > 0.01); /* the cut has a part */
}

/* With masks, fixed heads and projected attention beside the layers, too. With factors of layers, the outputs of lower
 * layers reach the vectors of words past the layers above. */
TEST(relevance_is_conserved_at_every_cut_of_a_pretrained_encoder)
{
    static const char *const names[] = { "pieces", "layer 0", "layer 1" };
    for (int k = 0; k < N_TINY_KINDS; k++)
        for (int choice = PIECE_LAST; choice <= PIECE_MEAN; choice++)
            for (int mix = 0; mix < 2; mix++) {
                const char *options = choice == PIECE_MEAN    ? NULL
                                      : choice == PIECE_FIRST ? TINY_ALL("ff", "false")
                                                              : TINY_ALL("attention", "true");
                MADE(Net, net_init, net_fini, n, TINY_KINDS[k], (PieceChoice)choice, mix, options);
                assert_true(TINY_KINDS[k] == PRETRAINED_XLNET || n.e.pieces.n_windows[0] > 1);
                forward(&n);
                check_cut(&n, &n.words, 1, "words");
                for (int l = 0; l <= TINY_LAYERS; l++)
                    check_cut(&n, mix ? n.hidden : n.hidden + l, mix ? l + 1 : 1, names[l]);
            }
}

/* Coefficients of a word's row that no path reaches are 0: those of another sentence. */
TEST(a_word_has_no_relevance_for_another_sentence)
{
    static const int row[] = { 8 }, column[] = { 1 };
    static const Real one[] = { 1 };
    for (int k = 0; k < N_TINY_KINDS; k++) {
        MADE(Net, net_init, net_fini, n, TINY_KINDS[k], PIECE_LAST, false, NULL);
        forward(&n);
        n.score = op_pick(&n.e.t, n.words, row, column, one, 1, 0); /* of the second sentence */
        assert_int_equal(tape_relevance(&n.e.t, n.score, &n.hidden[0], 1, NULL), OK);
        HostMatrix c = tensor_host_grad(&n.e.t, n.hidden[0], &n.e.t.host);
        int own = n.e.pieces.batch.start[n.e.pieces.n_windows[0]];
        for (int r = 0; r < c.rows; r++) {
            double size = 0;
            for (int j = 0; j < c.cols; j++) size += fabs((double)host_row(&c, r)[j]);
            assert_true((size > 0) == (r >= own));
        }
    }
}
