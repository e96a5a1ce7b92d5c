/* parser/train/start.c: training that begins with the weights of a model */
#include <string.h>

#include "parser/train/trainer.h"

static bool same_values(const Vocab *a, const Vocab *b)
{
    bool same = vocab_size(a) == vocab_size(b);
    for (int k = 0; k < vocab_size(a) && same; k++) same = strcmp(vocab_text(a, k), vocab_text(b, k)) == 0;
    return same;
}

/* Rows of weights are values of vocabularies, so these must be equal. */
static Status check_vocabs(const Model *from, const Model *to, const char *path, Error *e)
{
    const struct {
        const char *name;
        const Vocab *from, *to;
    } vocabs[] = { { "words", &from->words, &to->words },      { "tags", &from->tags, &to->tags },
                   { "labels", &from->labels, &to->labels },   { "types", &from->types, &to->types },
                   { "chars", &from->chars, &to->chars },      { "treebanks", &from->treebanks, &to->treebanks },
                   { "vectors", &from->vectors, &to->vectors } };
    for (size_t k = 0; k < sizeof vocabs / sizeof *vocabs; k++)
        if (!same_values(vocabs[k].from, vocabs[k].to))
            return error_at(e, ERR_CONFIG, path, 0, 0,
                            "the %s of the model are not those of the training data, expected a model trained on the "
                            "same data with the same options",
                            vocabs[k].name);
    return OK;
}

static Status copy_weights(const Model *from, Model *to, const char *path, Error *e)
{
    for (int k = 0; k < to->ps.n; k++) {
        const Param *p = &to->ps.p[k];
        int old = params_find(&from->ps, p->name);
        if (old < 0) continue; /* new: it keeps its initial values */
        const Param *q = &from->ps.p[old];
        if (q->n_dims != p->n_dims || memcmp(q->dim, p->dim, (size_t)p->n_dims * sizeof *p->dim) != 0)
            return error_at(e, ERR_CONFIG, path, 0, 0, "tensor %s has another shape than that of the run, %d x %d",
                            p->name, p->rows, p->cols);
        memcpy(param_values(&to->ps, k), param_values(&from->ps, old), param_count(p) * sizeof(Real));
    }
    return OK;
}

/* The model whose weights a run begins with, or NULL. */
static const char *start_path(const TrainArgs *a)
{
    bool gates = a->options && a->options->gates.kind != GATES_NONE;
    return a->start_from ? a->start_from : gates ? a->options->gates.start_from : NULL;
}

Status trainer_start_weights(Trainer *tr, Error *e)
{
    Model from;
    const char *path = start_path(tr->a);
    if (!path) return OK;
    model_init(&from);
    Status s = model_load(&from, path, NULL, e);
    if (s == OK) s = check_vocabs(&from, &tr->m, path, e);
    if (s == OK) s = copy_weights(&from, &tr->m, path, e);
    model_fini(&from);
    return s;
}
