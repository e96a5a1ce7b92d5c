/* The network of models that give texts, or parts of them, one of several
 * classes: scores [tokens, n_classes]. The scores of a text, or of a part, are the means over its words, and so a
 * linear map of the mean of their vectors; a gap has the scores of START. */
#include "parser/model/linear_network.h"
#include "parser/task/classify/classify.h"

Status classify_check(const Model *model, Error *error)
{
    int n = vocab_size(&model->classes);
    return n < 2 ? error_set(error, ERR_CONFIG, "found %d classes of sentences, expected at least two", n) : OK;
}

Status classify_configure(const Model *model, NetworkConfig *config, Arena *arena, Error *error)
{
    return linear_network_configure(config, "f_class", vocab_size(&model->classes), arena, error);
}

/* ---- the loss: of each text the mean of the cross-entropies of what has a class in it */

/* What has a class in a batch, and its row in op_soft_cross_entropy. */
typedef struct Units {
    int n;
    int *start, *token; /* [n + 1] where the tokens of each unit begin in `token` */
    int *id, *len, *first;
    long *row;
    Real *weight;
} Units;

static bool take_memory(Units *u, Tape *t, const Batch *b, const Gold *gold, Arena *scratch)
{
    size_t n = 1;
    for (int s = 0; s < b->n_sent; s++) n += (size_t)classify_labels(&gold[s])[0];
    u->start = tape_host(t, n, sizeof *u->start);
    u->token = tape_host(t, (size_t)b->n_tokens, sizeof *u->token);
    u->id = arena_alloc(scratch, n, sizeof *u->id);
    u->len = arena_alloc(scratch, n, sizeof *u->len);
    u->first = arena_alloc(scratch, n, sizeof *u->first);
    u->row = arena_alloc(scratch, n, sizeof *u->row);
    u->weight = arena_alloc(scratch, n, sizeof *u->weight);
    return u->start && u->token && u->id && u->len && u->first && u->row && u->weight;
}

/* Adds the units of text s. */
static void add_units(Units *u, const Batch *b, int s, const int *labels, int classes)
{
    const int *unit = labels + 1;
    for (int k = 0; k < labels[0]; k++, u->n++) {
        int from = unit[2 * k],
            to = from == 0           ? 1
                 : k + 1 < labels[0] ? unit[2 * k + 2]
                                     : batch_words(b, s) + 1,
            end = u->start[u->n];
        for (int i = from; i < to; i++) u->token[end++] = b->start[s] + i;
        u->id[u->n] = unit[2 * k + 1];
        u->len[u->n] = classes;
        u->first[u->n] = u->n;
        u->row[u->n] = (long)u->n * classes;
        u->weight[u->n] = (Real)1 / (Real)labels[0];
        u->start[u->n + 1] = end;
    }
}

/* The scores of the units [units, classes]; NULL with the tape's error. */
static Tensor *unit_scores(const Forward *f, const NetworkOutput *out, const Gold *gold, Arena *scratch, Units *u)
{
    const Batch *b = f->batch;
    *u = (Units){ .n = 0 };
    if (!take_memory(u, f->t, b, gold, scratch)) {
        tape_fail(f->t, ERR_NOMEM, "loss: out of memory");
        return NULL;
    }
    u->start[0] = 0;
    for (int s = 0; s < b->n_sent; s++) add_units(u, b, s, classify_labels(&gold[s]), linear_network_scores(out)->cols);
    u->first[u->n] = u->n;
    return op_embed_mean(f->t, out->own, u->start, u->token, u->n);
}

Tensor *classify_scores(const Forward *forward, const NetworkOutput *out, const Gold *gold, Arena *scratch)
{
    Units u;
    return unit_scores(forward, out, gold, scratch, &u);
}

Status classify_loss(const Forward *forward, const Network *net, const NetworkOutput *out, const Gold *gold,
                     const LossWeights *weights, Arena *scratch, Tensor *part[TASK_LOSSES], LossParts *parts)
{
    (void)net;
    (void)weights;
    (void)parts;
    Units u;
    Tensor *scores = unit_scores(forward, out, gold, scratch, &u);
    if (scores) part[0] = op_soft_cross_entropy(forward->t, scores, u.row, u.len, u.first, u.id, u.weight, u.n);
    return tape_status(forward->t);
}

const Task TASK_CLASSIFY = { .name = "classify",
                             .model = "a model that classifies sentences (lal classify)",
                             CLASSIFY_TASK };
