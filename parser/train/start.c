/* parser/train/start.c: training that begins with the weights of a model */
#include <string.h>

#include "base/json.h"
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
    } vocabs[] = { { "words", &from->words, &to->words },       { "tags", &from->tags, &to->tags },
                   { "labels", &from->labels, &to->labels },    { "types", &from->types, &to->types },
                   { "chars", &from->chars, &to->chars },       { "treebanks", &from->treebanks, &to->treebanks },
                   { "vectors", &from->vectors, &to->vectors }, { "classes", &from->classes, &to->classes } };
    for (size_t k = 0; k < sizeof vocabs / sizeof *vocabs; k++)
        if (!same_values(vocabs[k].from, vocabs[k].to))
            return error_at(e, ERR_CONFIG, path, 0, 0,
                            "the %s of the model are not those of the training data, expected a model trained on the "
                            "same data with the same options",
                            vocabs[k].name);
    return OK;
}

/* encoder: not the head of the classes. */
static Status copy_weights(const Model *from, Model *to, bool encoder, const char *path, Error *e)
{
    for (int k = 0; k < to->ps.n; k++) {
        const Param *p = &to->ps.p[k];
        bool left_out = encoder && strncmp(p->name, "f_class.", 8) == 0;
        int old = left_out ? -1 : params_find(&from->ps, p->name);
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

/* Numbers of pruned heads are those of a model with as many layers and heads. */
static Status copy_pruned(const Model *from, Model *to, const char *path, Error *e)
{
    const ModelConfig *a = &from->c, *b = &to->c;
    if (!from->kept) return OK;
    if (a->n_layers != b->n_layers || a->n_heads != b->n_heads || a->use_lal != b->use_lal ||
        (a->use_lal && a->n_label_heads != b->n_label_heads))
        return error_at(e, ERR_CONFIG, path, 0, 0,
                        "found a pruned model that had %d layers of %d heads and %d label heads, expected the %d of "
                        "%d and %d of the run",
                        a->n_layers, a->n_heads, a->use_lal ? a->n_label_heads : 0, b->n_layers, b->n_heads,
                        b->use_lal ? b->n_label_heads : 0);
    return model_copy_kept(from, to) ? OK : error_set(e, ERR_NOMEM, "out of memory for the heads of %s", path);
}

Status trainer_start_model(Trainer *tr, Model *from, Error *e)
{
    const char *path = start_path(tr->a);
    if (!path) return OK;
    from->task = tr->m.task;
    Status s = model_load(from, path, NULL, e);
    return s == OK ? copy_pruned(from, &tr->m, path, e) : s;
}

Status trainer_start_weights(Trainer *tr, const Model *from, Error *e)
{
    const char *path = start_path(tr->a);
    if (!path) return OK;
    Status s = check_vocabs(from, &tr->m, path, e);
    return s == OK ? copy_weights(from, &tr->m, false, path, e) : s;
}

/* ---- with the encoder of a model */

static bool copy_values(const Vocab *from, Vocab *to)
{
    vocab_fini(to);
    vocab_init(to);
    for (int k = 0; k < vocab_size(from); k++) {
        const char *text = vocab_text(from, k);
        if (vocab_count(to, text, strlen(text), from->counts[k]) < 0) return false;
    }
    return true;
}

Status trainer_encoder_from(Trainer *tr, Model *from, Error *e)
{
    Model *m = &tr->m;
    Status s = model_load_any(from, tr->a->encoder_from, NULL, e);
    if (s != OK) return s;
    s = copy_pruned(from, m, tr->a->encoder_from, e);
    if (s != OK) return s;
    bool ok = copy_values(&from->words, &m->words) && copy_values(&from->tags, &m->tags) &&
              copy_values(&from->chars, &m->chars) && copy_values(&from->treebanks, &m->treebanks) &&
              copy_values(&from->vectors, &m->vectors);
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory for the vocabularies");
}

Status trainer_encoder_weights(Trainer *tr, const Model *from, Error *e)
{
    return copy_weights(from, &tr->m, true, tr->a->encoder_from, e);
}

Status trainer_encoder_options(const char *path, ModelConfig *m, EncoderOptions *o, Arena *strings, Error *e)
{
    ModelTexts texts;
    cJSON *config = NULL;
    Status s = model_texts_read(&texts, path, NULL, e);
    if (s == OK && texts.config && json_parse(texts.config, strlen(texts.config), &config, e) == ERR_NOMEM)
        s = ERR_NOMEM;
    if (s == OK && !cJSON_IsObject(config))
        s = error_at(e, ERR_FORMAT, path, 0, 0, "found no configuration that can be read");
    if (s == OK) s = options_from_json(CONFIG_MODEL_OPTIONS, m, config, strings, path, e);
    if (s == OK) s = model_read_options(o, texts.options, m, path, strings, e);
    cJSON_Delete(config);
    model_texts_fini(&texts);
    return s;
}
