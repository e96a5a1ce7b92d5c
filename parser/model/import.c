/* Sizes and vocabulary are cut before the weights are read, so that only what is kept is ever
 * in memory; then how a model takes the encoder of another one. */
#include "parser/model/import.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "embeddings/piece_cut.h"

enum { PATH_BYTES = 4096 };

static Status read_weights(Model *m, const char *dir, const PretrainedPart *part, Error *e)
{
    SafeTensorsSet set;
    Status s = safetensors_set_open(&set, dir, e);
    if (s != OK) return s;
    const PretrainedEncoder *pe = &m->net.embedding.pretrained.encoder;
    s = model_vocabs_start(m, e);
    if (s == OK) s = model_declare(m, e);
    if (s == OK) s = pretrained_encoder_check(pe, &m->ps, &set, part, e);
    if (s == OK) s = params_finish(&m->ps, e);
    if (s == OK) s = pretrained_encoder_read(pe, &m->ps, &set, part, e);
    for (int k = 0; k < set.n; k++) s = safetensors_end(&set.file[k], s, e);
    safetensors_set_close(&set);
    return s;
}

/* Takes fewer layers and positions. */
static Status cut_sizes(PretrainedConfig *c, const ImportOptions *o, const char *path, Error *e)
{
    if (o->layers > c->n_layers)
        return error_at(e, ERR_CONFIG, path, 0, 0, "found %d layers, expected at least %d (--layers)", c->n_layers,
                        o->layers);
    if (o->positions && !c->n_positions)
        return error_at(e, ERR_CONFIG, path, 0, 0,
                        "found an encoder without a table of positions, expected one "
                        "(--positions)");
    if (o->positions > c->most_pieces)
        return error_at(e, ERR_CONFIG, path, 0, 0, "found %d positions, expected at least %d (--positions)",
                        c->most_pieces, o->positions);
    if (o->layers) c->n_layers = o->layers;
    if (o->positions) {
        c->n_positions -= c->most_pieces - o->positions;
        c->most_pieces = o->positions;
    }
    if (c->n_layers <= PRETRAINED_LAYERS_MOST) return OK;
    return error_at(e, ERR_CONFIG, path, 0, 0, "found %d layers, expected at most %d", c->n_layers,
                    PRETRAINED_LAYERS_MOST);
}

/* Puts a tokenizer with the pieces of a text, *cut, in the place of *t. */
static Status cut_pieces(PieceTokenizer *t, const ImportOptions *o, PieceCut *cut, Error *e)
{
    StrBuf file = { 0 };
    PieceTokenizer small;
    const char *found;
    Status s = file_read_text(o->keep_pieces, &file, e);
    StrView text = { file.ptr, file.len };
    size_t bad = s == OK ? text_fault(text, &found) : text.len;
    if (bad < text.len) {
        TextPlace at = text_place((TextPlace){ 1, 1 }, text.ptr, bad);
        s = error_at(e, ERR_FORMAT, o->keep_pieces, at.line, at.column, "%s, expected text", found);
    }
    if (s == OK) s = piece_cut_choose(t, text, o->keep_least, cut, e);
    strbuf_fini(&file);
    if (s == OK) s = piece_cut_tokenizer(t, cut, &small, e);
    if (s != OK) return s;
    piece_tokenizer_close(t);
    *t = small;
    return OK;
}

Status import_folder(Model *model, const char *dir, const ImportOptions *options, Error *error)
{
    static const ImportOptions whole = { 0 };
    char path[PATH_BYTES];
    PieceCut cut = { 0 };
    if (!options) options = &whole;
    model->task = &TASK_ENCODE;
    options_defaults(CONFIG_MODEL_OPTIONS, &model->c);
    if ((size_t)snprintf(path, sizeof path, "%s/config.json", dir) >= sizeof path)
        return error_at(error, ERR_IO, dir, 0, 0, "found a path that is too long");
    Status s = pretrained_config_read(&model->pretrained, path, error);
    PretrainedPart part = { model->pretrained.n_pieces, model->pretrained.n_positions, NULL };
    if (s == OK) s = cut_sizes(&model->pretrained, options, path, error);
    if (s == OK) s = piece_tokenizer_open(&model->tokenizer, dir, model->pretrained.kind, error);
    if (s == OK) s = piece_tokenizer_check(&model->tokenizer, &model->pretrained, dir, error);
    if (s == OK && options->keep_pieces) {
        s = cut_pieces(&model->tokenizer, options, &cut, error);
        part.piece = cut.kept;
        model->pretrained.n_pieces = cut.n;
    }
    if (s == OK) s = read_weights(model, dir, &part, error);
    piece_cut_fini(&cut);
    return s;
}

Status import_move(Model *from, Model *to, int layers, int d_ff, const char *name, Error *error)
{
    if (!from->pretrained.d_model)
        return error_at(
            error, ERR_CONFIG, name, 0, 0,
            "found a model without a pretrained encoder, expected a file of lal model import, or a model that "
            "was trained with one");
    if (layers > from->pretrained.n_layers)
        return error_at(error, ERR_CONFIG, name, 0, 0, "found a pretrained encoder of %d layers, expected at least %d",
                        from->pretrained.n_layers, layers);
    if (d_ff > from->pretrained.d_ff)
        return error_at(error, ERR_CONFIG, name, 0, 0,
                        "found a pretrained encoder with feed-forward layers of width %d, expected at least %d",
                        from->pretrained.d_ff, d_ff);
    to->pretrained = from->pretrained;
    if (layers) to->pretrained.n_layers = layers;
    if (d_ff) to->pretrained.d_ff = d_ff;
    to->c.pretrained_layers = to->pretrained.n_layers;
    to->c.pretrained_d_ff = to->pretrained.d_ff;
    to->tokenizer = from->tokenizer;
    from->tokenizer = (PieceTokenizer){ .kind = from->tokenizer.kind };
    return OK;
}

Status import_weights(const Model *from, Model *to, Error *error)
{
    static const char prefix[] = "pretrained.";
    for (int k = 0; k < to->ps.n; k++) {
        const Param *p = &to->ps.p[k];
        int old = strncmp(p->name, prefix, sizeof prefix - 1) == 0 ? params_find(&from->ps, p->name) : -1;
        if (old >= 0 && param_count(&from->ps.p[old]) == param_count(p)) /* factors of layers may be missing */
            memcpy(param_values(&to->ps, k), param_values(&from->ps, old), param_count(p) * sizeof(Real));
    }
    return from->pretrained.d_model ? import_narrow(from, to, error) : OK;
}

Status import_narrow(const Model *from, Model *to, Error *error)
{
    return pretrained_encoder_narrow(&from->net.embedding.pretrained.encoder, &from->ps,
                                     &to->net.embedding.pretrained.encoder, &to->ps, error);
}
