/* parser/task/classify/classify_task.c: the network of models that classify sentences */
#include "parser/model/model.h"

static Status check(const Model *m, Error *e)
{
    int n = vocab_size(&m->classes);
    return n < 2 ? error_set(e, ERR_CONFIG, "found %d classes of sentences, expected at least two", n) : OK;
}

/* ---- the network: scores [n_sent, n_classes] */

static Status declare(Network *net, ParamSet *ps, Error *e)
{
    return network_linear_declare(net, ps, "f_class", net->c.n_classes, e);
}

/* A linear map of the mean over the words of each sentence, START and STOP left out. */
static void forward(const Forward *f, const Network *net, NetworkOutput *out)
{
    const Batch *b = f->batch;
    int *start = tape_host(f->t, (size_t)b->n_sent + 1, sizeof *start), n = 0;
    int *token = tape_host(f->t, (size_t)(b->n_tokens - 2 * b->n_sent), sizeof *token);
    if (!start || !token) return;
    for (int s = 0; s < b->n_sent; s++) {
        start[s] = n;
        for (int i = 1; i <= batch_words(b, s); i++) token[n++] = b->start[s] + i;
    }
    start[b->n_sent] = n;
    out->scores = op_linear(f->t, op_embed_mean(f->t, out->encoder.word, start, token, b->n_sent),
                            forward_weight(f, net->linear_w), forward_param(f, net->linear_b), false);
}

/* The cross-entropy of each sentence; Gold.labels [1]: its class. */
static Status loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold,
                   const LossWeights *w, Arena *scratch, Tensor *part[TASK_LOSSES], LossParts *parts)
{
    (void)w;
    (void)parts;
    int n = f->batch->n_sent;
    long *row = arena_alloc(scratch, (size_t)n, sizeof *row);
    int *len = arena_alloc(scratch, (size_t)n, sizeof *len), *id = arena_alloc(scratch, (size_t)n, sizeof *id);
    if (!row || !len || !id) {
        tape_fail(f->t, ERR_NOMEM, "loss: out of memory");
        return ERR_NOMEM;
    }
    for (int s = 0; s < n; s++) {
        row[s] = (long)s * net->c.n_classes;
        len[s] = net->c.n_classes;
        id[s] = gold[s].labels[0];
    }
    part[0] = op_cross_entropy(f->t, out->scores, row, len, id, n);
    return tape_status(f->t);
}

const Task TASK_CLASSIFY = { .name = "classify",
                             .model = "a model that classifies sentences (lal classify)",
                             .verb = "classify",
                             .check = check,
                             .declare = declare,
                             .init = network_linear_init,
                             .readers = network_linear_readers,
                             .forward = forward,
                             .loss = loss };
