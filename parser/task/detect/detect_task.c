/* The network of models that find replaced words, which pretrains their encoder */
#include "parser/model/linear_network.h"

/* ---- the network: scores [tokens, 1], the log odds that a word was replaced; START and STOP have none */

static Status configure(const struct Model *m, NetworkConfig *c, Arena *a, Error *e)
{
    (void)m;
    return linear_network_configure(c, "f_replaced", 1, a, e);
}

/* The loss of a word is logistic; Gold.own [n]: 1 of a word that is replaced, else 0. */
static Status loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold,
                   const LossWeights *w, Arena *scratch, Tensor *part[TASK_LOSSES], LossParts *parts)
{
    (void)net;
    (void)w;
    (void)parts;
    const Batch *b = f->batch;
    size_t words = (size_t)(b->n_tokens - 2 * b->n_sent);
    int n = 0, *row = arena_alloc(scratch, words, sizeof *row), *label = arena_alloc(scratch, words, sizeof *label);
    if (!row || !label) {
        tape_fail(f->t, ERR_NOMEM, "loss: out of memory");
        return ERR_NOMEM;
    }
    for (int s = 0; s < b->n_sent; s++) {
        const int *replaced = gold[s].own;
        for (int i = 0; i < batch_words(b, s); i++) {
            row[n] = b->start[s] + i + 1;
            label[n++] = replaced[i];
        }
    }
    part[0] = op_logistic_loss(f->t, out->own, row, label, n);
    return tape_status(f->t);
}

const Task TASK_DETECT = { .name = "detect",
                           .model = "a model that finds replaced words (lal train --task detect)",
                           .verb = "parse",
                           .vocabs = "",
                           .configure = configure,
                           LINEAR_NETWORK,
                           .loss = loss };
