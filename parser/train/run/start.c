/* Training that begins with the weights of a model of the same data and shapes
 * (TrainArgs.start_from); init.c is for --init */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "parser/model/import.h"
#include "parser/train/run/run.h"

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
    } vocabs[] = { { "words", &from->words, &to->words },         { "tags", &from->tags, &to->tags },
                   { "labels", &from->labels, &to->labels },      { "types", &from->types, &to->types },
                   { "chars", &from->chars, &to->chars },         { "treebanks", &from->treebanks, &to->treebanks },
                   { "vectors", &from->vectors, &to->vectors },   { "classes", &from->classes, &to->classes },
                   { "analyses", &from->analyses, &to->analyses } };
    for (size_t k = 0; k < sizeof vocabs / sizeof *vocabs; k++)
        if (!same_values(vocabs[k].from, vocabs[k].to))
            return error_at(e, ERR_CONFIG, path, 0, 0,
                            "the %s of the model are not those of the training data, expected a model trained on the "
                            "same data with the same options",
                            vocabs[k].name);
    return OK;
}

/* Copies parameter k of `to` from parameter old of `from`. */
static Status copy_values(const Model *from, int old, Model *to, int k, const char *path, Error *e)
{
    const Param *p = &to->ps.p[k], *q = &from->ps.p[old];
    if (q->n_dims != p->n_dims || memcmp(q->dim, p->dim, (size_t)p->n_dims * sizeof *p->dim) != 0)
        return error_at(e, ERR_CONFIG, path, 0, 0, "tensor %s has another shape than that of the run, %d x %d", p->name,
                        p->rows, p->cols);
    memcpy(param_values(&to->ps, k), param_values(&from->ps, old), param_count(p) * sizeof(Real));
    return OK;
}

static Status copy_weights(const Model *from, Model *to, const char *path, Error *e)
{
    Status s = OK;
    for (int k = 0; k < to->ps.n && s == OK; k++) {
        int old = params_find(&from->ps, to->ps.p[k].name);
        if (old >= 0) s = copy_values(from, old, to, k, path, e); /* others are new: they keep their initial values */
    }
    return s;
}

/* The model whose weights a run begins with, or NULL. */
static const char *start_path(const TrainArgs *a)
{
    bool gates = a->options && a->options->gates.kind != GATES_NONE;
    return a->start_from ? a->start_from : gates ? a->options->gates.start_from : NULL;
}

/* Projected attention from which heads were pruned: the run has it with the same sizes, or has none. */
static Status check_pal(const Model *from, Model *to, const char *path, Error *e)
{
    const EncoderOptions *a = &from->options, *b = &to->options;
    for (int l = 0; l < to->c.n_layers; l++) {
        HeadNumbers *kept = &to->kept[layer_pal(to->c.n_layers, l)];
        if (kept->all) continue;
        if (!head_numbers_has(&b->pal.layers, l)) *kept = (HeadNumbers){ .all = true };
        else if (a->pal.width != b->pal.width || a->pal.heads != b->pal.heads || b->pal.share)
            return error_at(e, ERR_CONFIG, path, 0, 0,
                            "found a pruned model whose projected attention had %d heads in a width of %d, expected "
                            "the %d in %d of the run, and no pal.share",
                            a->pal.heads, a->pal.width, b->pal.heads, b->pal.width);
    }
    return OK;
}

Status trainer_copy_pruned(const Model *from, Model *to, const char *path, Error *error)
{
    const ModelConfig *a = &from->c, *b = &to->c;
    if (!from->kept) return OK;
    if (a->n_layers != b->n_layers || a->n_heads != b->n_heads || a->use_lal != b->use_lal ||
        (a->use_lal && a->n_label_heads != b->n_label_heads))
        return error_at(error, ERR_CONFIG, path, 0, 0,
                        "found a pruned model that had %d layers of %d heads and %d label heads, expected the %d of "
                        "%d and %d of the run",
                        a->n_layers, a->n_heads, a->use_lal ? a->n_label_heads : 0, b->n_layers, b->n_heads,
                        b->use_lal ? b->n_label_heads : 0);
    if (!model_copy_kept(from, to)) return error_set(error, ERR_NOMEM, "out of memory for the heads of %s", path);
    return check_pal(from, to, path, error);
}

Status trainer_start_model(Trainer *tr, Model *from, Error *error)
{
    const char *path = start_path(tr->a);
    if (!path) return OK;
    from->task = tr->m.task;
    Status s = model_load(from, path, NULL, error);
    if (s == OK && from->pretrained.d_model)
        s = import_move(from, &tr->m, tr->m.c.pretrained_layers, tr->m.c.pretrained_d_ff, path, error);
    return s == OK ? trainer_copy_pruned(from, &tr->m, path, error) : s;
}

Status trainer_start_weights(Trainer *tr, const Model *from, Error *error)
{
    const char *path = start_path(tr->a);
    if (!path) return OK;
    Status s = check_vocabs(from, &tr->m, path, error);
    return s == OK ? copy_weights(from, &tr->m, path, error) : s;
}

/* ---- the configuration */

Status trainer_config_of(const ModelTexts *texts, const char *path, ModelConfig *model_config, Arena *strings,
                         Error *error)
{
    cJSON *config = NULL;
    Status s = OK;
    if (texts->config && json_parse(texts->config, strlen(texts->config), &config, error) == ERR_NOMEM) s = ERR_NOMEM;
    if (s == OK && !cJSON_IsObject(config))
        s = error_at(error, ERR_FORMAT, path, 0, 0, "found no configuration that can be read");
    model_config->language = 0; /* of a model that names none */
    if (s == OK) s = options_from_json(CONFIG_MODEL_OPTIONS, model_config, config, strings, path, error);
    cJSON_Delete(config);
    return s;
}

Status trainer_start_config(TrainRun *run, Error *error)
{
    Trainer *tr = &run->tr;
    const TrainArgs *a = tr->a;
    tr->m.c = a->model;
    if (a->resume) {
        ModelTexts texts;
        options_defaults(CONFIG_MODEL_OPTIONS, &tr->m.c);
        Status s = model_texts_read(&texts, a->resume, tr->m.task, error);
        snprintf(run->configured, sizeof run->configured, "%s", texts.checksum);
        if (s == OK) s = trainer_config_of(&texts, a->resume, &tr->m.c, &tr->arena, error);
        model_texts_fini(&texts);
        return s;
    }
    if (!a->pretrained) return OK;
    Status s = model_load_any(&run->published, a->pretrained, NULL, error);
    return s != OK ? s
                   : import_move(&run->published, &tr->m, a->model.pretrained_layers, a->model.pretrained_d_ff,
                                 a->pretrained, error);
}
