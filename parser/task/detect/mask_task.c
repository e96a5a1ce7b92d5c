/* The network of models that guess hidden words, which pretrains their encoder */
#include "parser/model/linear_network.h"
#include "parser/model/model.h"
#include "parser/task/detect/masked.h"

static Status check(const Model *m, Error *e)
{
    return vocab_size(&m->classes) ? OK : error_set(e, ERR_FORMAT, "found no words to guess, expected at least one");
}

static Status configure(const Model *m, NetworkConfig *c, Arena *a, Error *e)
{
    return linear_network_configure(c, "f_masked", vocab_size(&m->classes), a, e);
}

/* The scores of all words are too many: masked_scores makes those that are asked for. */
static void forward(const Forward *f, const Network *net, NetworkOutput *out)
{
    (void)f;
    (void)net;
    (void)out;
}

bool masked_find(const Batch *batch, const int *const *labels, Arena *arena, Masked *out)
{
    size_t words = (size_t)(batch->n_tokens - 2 * batch->n_sent);
    *out = (Masked){ .row = arena_alloc(arena, words, sizeof *out->row),
                     .word = arena_alloc(arena, words, sizeof *out->word) };
    if (!labels || !out->row || !out->word) return false;
    for (int s = 0; s < batch->n_sent; s++)
        for (int i = 0; i < batch_words(batch, s); i++) {
            if (labels[s][i] < 0) continue;
            out->row[out->n] = batch->start[s] + i + 1;
            out->word[out->n++] = labels[s][i];
        }
    return true;
}

Tensor *masked_scores(const Forward *forward, const Network *net, const NetworkOutput *out, const Masked *masked)
{
    Tensor *x = op_gather(forward->t, out->encoder.word, masked->row, masked->n);
    return linear_network_score(forward, net, x);
}

/* The mean cross-entropy of the hidden words of the batch times the number of its words: a run with per_word divides by
 * that number, which leaves the loss of a hidden word. Gold.own [n]: what replacer_apply asks. */
static Status loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold,
                   const LossWeights *w, Arena *scratch, Tensor *part[TASK_LOSSES], LossParts *parts)
{
    (void)w;
    (void)parts;
    const Batch *b = f->batch;
    const int **labels = arena_alloc(scratch, (size_t)b->n_sent, sizeof *labels);
    for (int k = 0; labels && k < b->n_sent; k++) labels[k] = gold[k].own;
    Masked m;
    bool good = masked_find(b, labels, scratch, &m);
    int n = good && m.n ? m.n : 1, *len = arena_alloc(scratch, (size_t)n, sizeof *len);
    long *row = arena_alloc(scratch, (size_t)n, sizeof *row);
    if (!good || !len || !row) {
        tape_fail(f->t, ERR_NOMEM, "loss: out of memory");
        return ERR_NOMEM;
    }
    if (!m.n) { /* a word that is not hidden, and that the loss skips */
        m.row[0] = b->start[0] + 1;
        m.word[0] = -1;
        m.n = 1;
    }
    for (int k = 0; k < n; k++) {
        row[k] = (long)k * linear_network(net)->n;
        len[k] = linear_network(net)->n;
    }
    Tensor *sum = op_cross_entropy(f->t, masked_scores(f, net, out, &m), row, len, m.word, n);
    double scale = (double)(b->n_tokens - 2 * b->n_sent) / n;
    part[0] = op_weighted_sum(f->t, &sum, &scale, 1);
    return tape_status(f->t);
}

const Task TASK_MASK = { .name = "mask",
                         .model = "a model that guesses hidden words (lal train --task mask)",
                         .verb = "parse",
                         .vocabs = "classes",
                         .check = check,
                         .configure = configure,
                         LINEAR_NETWORK_BUT_FORWARD,
                         .forward = forward,
                         .loss = loss };
