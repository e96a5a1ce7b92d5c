/* parser/model/import.c */
#include "parser/model/import.h"

#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

static Status read_weights(Model *m, const char *dir, Error *e)
{
    SafeTensorsSet set;
    Status s = safetensors_set_open(&set, dir, e);
    if (s != OK) return s;
    const PretrainedEncoder *pe = &m->net.embedding.pretrained.encoder;
    s = model_vocabs_start(m, e);
    if (s == OK) s = model_declare(m, e);
    if (s == OK) s = pretrained_encoder_check(pe, &m->ps, &set, e);
    if (s == OK) s = params_finish(&m->ps, e);
    if (s == OK) s = pretrained_encoder_read(pe, &m->ps, &set, e);
    for (int k = 0; k < set.n; k++) s = safetensors_end(&set.file[k], s, e);
    safetensors_set_close(&set);
    return s;
}

Status import_folder(Model *m, const char *dir, Error *e)
{
    char path[PATH_BYTES];
    m->task = &TASK_ENCODE;
    options_defaults(CONFIG_MODEL_OPTIONS, &m->c);
    if ((size_t)snprintf(path, sizeof path, "%s/config.json", dir) >= sizeof path)
        return error_at(e, ERR_IO, dir, 0, 0, "found a path that is too long");
    Status s = pretrained_config_read(&m->pretrained, path, e);
    if (s == OK && m->pretrained.n_layers > PRETRAINED_LAYERS_MOST)
        s = error_at(e, ERR_CONFIG, path, 0, 0, "found %d layers, expected at most %d", m->pretrained.n_layers,
                     PRETRAINED_LAYERS_MOST);
    if (s == OK) s = piece_tokenizer_open(&m->tokenizer, dir, m->pretrained.kind, e);
    if (s == OK) s = piece_tokenizer_check(&m->tokenizer, &m->pretrained, dir, e);
    return s == OK ? read_weights(m, dir, e) : s;
}

Status import_move(Model *from, Model *to, int layers, const char *name, Error *e)
{
    if (!from->pretrained.d_model)
        return error_at(
            e, ERR_CONFIG, name, 0, 0,
            "found a model without a pretrained encoder, expected a file of lal model import, or a model that "
            "was trained with one");
    if (layers > from->pretrained.n_layers)
        return error_at(e, ERR_CONFIG, name, 0, 0, "found a pretrained encoder of %d layers, expected at least %d",
                        from->pretrained.n_layers, layers);
    to->pretrained = from->pretrained;
    if (layers) to->pretrained.n_layers = layers;
    to->c.pretrained_layers = to->pretrained.n_layers;
    to->tokenizer = from->tokenizer;
    from->tokenizer = (PieceTokenizer){ .kind = from->tokenizer.kind };
    return OK;
}

void import_weights(const Model *from, Model *to)
{
    static const char prefix[] = "pretrained.";
    for (int k = 0; k < to->ps.n; k++) {
        const Param *p = &to->ps.p[k];
        int old = strncmp(p->name, prefix, sizeof prefix - 1) == 0 ? params_find(&from->ps, p->name) : -1;
        if (old >= 0 && param_count(&from->ps.p[old]) == param_count(p)) /* factors of layers may be missing */
            memcpy(param_values(&to->ps, k), param_values(&from->ps, old), param_count(p) * sizeof(Real));
    }
}
