/* Tensors of the model that a run begins with: by name, and along the dimensions that
 * have an entry for each value of a vocabulary by value */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "parser/model/import.h"
#include "parser/train/run/run.h"

/* The axes of the embeddings, then those of the task's scorers, in the same order for every model of the task. */
enum { EMBEDDING_AXES = 5, AXES = EMBEDDING_AXES + TASK_AXES };

/* The function that lists the axes of the task's scorers; NULL: there are none. */
typedef int (*ListAxes)(const Model *m, ModelAxis out[TASK_AXES]);
static ListAxes scorer_axes(const Model *m)
{
    const TaskTraining *task = task_training(m->task);
    return task ? task->axes : NULL;
}

/* Fills in all axes and returns their number. scorers: lists the axes of the scorers, or NULL. */
static int find_axes(const Model *m, ListAxes scorers, ModelAxis out[AXES])
{
    const TokenEmbedding *te = &m->net.embedding;
    const ModelAxis axes[EMBEDDING_AXES] = {
        { te->c.n_words ? te->words : -1, true, &m->words, 0, NEW_MEAN },
        { te->c.n_tags ? te->tags : -1, true, &m->tags, 0, NEW_MEAN },
        { te->c.n_treebanks ? te->treebank : -1, true, &m->treebanks, 0, NEW_MEAN },
        { te->c.n_chars ? te->char_emb : -1, true, &m->chars, 0, NEW_MEAN },
        { te->c.n_vectors ? te->vectors : -1, true, &m->vectors, 0, NEW_MEAN },
    };
    memcpy(out, axes, sizeof axes);
    return EMBEDDING_AXES + (scorers ? scorers(m, out + EMBEDDING_AXES) : 0);
}

static Status refuse_shape(const Param *p, const Param *q, const char *path, Error *e)
{
    return error_at(e, ERR_CONFIG, path, 0, 0,
                    "tensor %s: found shape %d x %d, expected %d x %d by the options of the run", p->name, p->rows,
                    p->cols, q->rows, q->cols);
}

/* The columns of a scorer [outer, n, inner] for values that are new (Axis.fresh). */
static void fill_new(Real *y, int outer, int n, int inner, const bool *taken, const ModelAxis *a)
{
    int count = 0;
    for (int k = 0; k < n; k++) count += taken[k];
    for (int o = 0; o < outer && count > 0; o++, y += (ptrdiff_t)n * inner)
        for (int i = 0; i < inner; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                if (taken[k]) sum += (double)y[k * inner + i];
            Real fresh = a->fresh == NEW_ZERO ? 0 : a->fresh == NEW_BELOW ? -1 : (Real)(sum / count);
            for (int k = 0; k < n; k++)
                if (!taken[k]) y[k * inner + i] = fresh;
        }
}

/* Copies the entries of the values that both models have. */
static Status copy_entries(const Model *from, const ModelAxis *a, Model *to, const ModelAxis *b, const char *path,
                           Error *e)
{
    const Param *p = &from->ps.p[a->param], *q = &to->ps.p[b->param];
    int n_old = vocab_size(a->values) - a->first, n_new = vocab_size(b->values) - b->first;
    int inner = b->rows ? q->cols : q->cols / n_new, outer = b->rows ? 1 : q->rows;
    if (inner != (a->rows ? p->cols : p->cols / n_old) || outer != (a->rows ? 1 : p->rows))
        return refuse_shape(p, q, path, e);
    const Real *x = param_values(&from->ps, a->param);
    Real *y = param_values(&to->ps, b->param);
    bool *taken = mem_calloc((size_t)n_new, sizeof *taken);
    if (!taken) return error_set(e, ERR_NOMEM, "out of memory taking the weights of %s", path);
    for (int k = 0; k < n_new; k++) {
        int old = vocab_find(a->values, vocab_text(b->values, k + b->first)) - a->first;
        taken[k] = old >= 0;
        for (ptrdiff_t o = 0; o < outer && old >= 0; o++)
            memcpy(y + (o * n_new + k) * inner, x + (o * n_old + old) * inner, (size_t)inner * sizeof(Real));
    }
    if (!b->rows) fill_new(y, outer, n_new, inner, taken, b);
    mem_free(taken);
    return OK;
}

static Status copy_whole(const Model *from, int old, Model *to, int k, const char *path, Error *e)
{
    const Param *p = &from->ps.p[old], *q = &to->ps.p[k];
    if (q->n_dims != p->n_dims || memcmp(q->dim, p->dim, (size_t)p->n_dims * sizeof *p->dim) != 0)
        return refuse_shape(p, q, path, e);
    memcpy(param_values(&to->ps, k), param_values(&from->ps, old), param_count(p) * sizeof(Real));
    return OK;
}

/* The layer of `had` that layer l of `has`, not more of them, begins with: they are spread over all, and the first and
 * the last one are taken; of one layer the first. The label attention layer comes after them. */
static int layer_of(int l, int had, int has)
{
    return l == has ? had : has == 1 ? 0 : (l * (had - 1) + (has - 1) / 2) / (has - 1);
}

/* The tensor that one of the run begins with; -1: none. */
static int find_tensor(const Model *from, const Model *to, const char *name)
{
    char was[96];
    int l, after = 0, had = from->c.n_layers, has = to->c.n_layers;
    if (sscanf(name, "encoder.attn_%d%n", &l, &after) < 1 && sscanf(name, "encoder.ff_%d%n", &l, &after) < 1)
        return params_find(&from->ps, name);
    snprintf(was, sizeof was, "encoder.%s_%d%s", name[sizeof "encoder." - 1] == 'a' ? "attn" : "ff",
             layer_of(l, had, has), name + after);
    return params_find(&from->ps, was);
}

/* Feed-forward layers of a pretrained encoder may be narrower than the model's (import_narrow). */
static bool is_narrowed(const char *name)
{
    static const char prefix[] = "pretrained.ff_";
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

Status trainer_take_tensors(const Model *from, Model *to, const char *path, const TrainerTaken *taken, Error *error)
{
    ModelAxis a[AXES], b[AXES];
    Status s = OK;
    ListAxes scorers = scorer_axes(from) == scorer_axes(to) ? scorer_axes(to) : NULL;
    int axes = find_axes(from, scorers, a);
    find_axes(to, scorers, b);
    for (int k = 0; k < to->ps.n && s == OK; k++) {
        int axis = 0;
        while (axis < axes && b[axis].param != k) axis++;
        int old = axis < axes ? a[axis].param : find_tensor(from, to, to->ps.p[k].name);
        if (old < 0) continue; /* new: it keeps its initial values */
        if (axis < axes) s = copy_entries(from, &a[axis], to, &b[axis], path, error);
        else if (!is_narrowed(to->ps.p[k].name)) s = copy_whole(from, old, to, k, path, error);
        taken->used[old] = taken->filled[k] = true;
    }
    return s == OK && from->pretrained.d_model ? import_narrow(from, to, error) : s;
}
