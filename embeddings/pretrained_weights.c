/* Tensors of published files. */
#include <stdio.h>
#include <string.h>

#include "embeddings/pretrained_encoder.h"

/* Norms have their scale under the first name, their shift under the second. */
typedef struct LayerNames {
    const char *prefix; /* of layer %d */
    const char *qkv[3], *out;
    const char *attention_norm, *up, *down, *norm;
} LayerNames;

static const LayerNames NAMES[] = {
    [PRETRAINED_BERT] = { "encoder.layer.%d.",
                          { "attention.self.query", "attention.self.key", "attention.self.value" },
                          "attention.output.dense",
                          "attention.output.LayerNorm",
                          "intermediate.dense",
                          "output.dense",
                          "output.LayerNorm" },
    [PRETRAINED_MPNET] = { "encoder.layer.%d.",
                           { "attention.attn.q", "attention.attn.k", "attention.attn.v" },
                           "attention.attn.o",
                           "attention.LayerNorm",
                           "intermediate.dense",
                           "output.dense",
                           "output.LayerNorm" },
    [PRETRAINED_XLNET] = { "layer.%d.",
                           { "rel_attn.q", "rel_attn.k", "rel_attn.v" },
                           "rel_attn.o",
                           "rel_attn.layer_norm",
                           "ff.layer_1",
                           "ff.layer_2",
                           "ff.layer_norm" },
};

typedef struct TensorList {
    PretrainedTensor *item;
    int n;
    char prefix[48];
} TensorList;

/* The file's [rows, cols] are columns `column` .. of the parameter, or their transpose is. */
static void put(TensorList *list, const char *name, const char *what, int param, int column, int rows, int cols,
                bool transposed)
{
    PretrainedTensor *x = &list->item[list->n++];
    *x = (PretrainedTensor){ .param = param, .column = column, .rows = rows, .cols = cols, .transposed = transposed };
    snprintf(x->name, sizeof x->name, "%s%s%s", list->prefix, name, what);
}

static void put_linear(TensorList *list, const ParamSet *ps, const char *name, int weight, int bias)
{
    const Param *w = &ps->p[weight];
    put(list, name, ".weight", weight, 0, w->cols, w->rows, true);
    put(list, name, ".bias", bias, 0, 1, w->cols, false);
}

static void put_norm(TensorList *list, const char *name, const Norm *norm, int d)
{
    put(list, name, ".weight", norm->a, 0, 1, d, false);
    put(list, name, ".bias", norm->b, 0, 1, d, false);
}

static void put_tables(TensorList *list, const PretrainedEncoder *pe)
{
    const PretrainedConfig *c = &pe->c;
    if (c->kind == PRETRAINED_XLNET) {
        put(list, "word_embedding", ".weight", pe->piece, 0, c->n_pieces, c->d_model, false);
        return;
    }
    put(list, "embeddings.word_embeddings", ".weight", pe->piece, 0, c->n_pieces, c->d_model, false);
    if (pe->position >= 0)
        put(list, "embeddings.position_embeddings", ".weight", pe->position, 0, c->n_positions, c->d_model, false);
    if (pe->type >= 0)
        put(list, "embeddings.token_type_embeddings", ".weight", pe->type, 0, c->n_types, c->d_model, false);
    if (pe->distance >= 0)
        put(list, "encoder.relative_attention_bias", ".weight", pe->distance, 0, c->n_buckets, c->n_heads, false);
    put_norm(list, "embeddings.LayerNorm", &pe->norm, c->d_model);
}

int pretrained_encoder_tensors(const PretrainedEncoder *pe, const ParamSet *ps, int layer, PretrainedTensor *item)
{
    const PretrainedConfig *c = &pe->c;
    const LayerNames *names = &NAMES[c->kind];
    TensorList list = { .item = item };
    if (layer < 0) {
        put_tables(&list, pe);
        return list.n;
    }
    const SelfAttention *sa = &pe->attn[layer];
    const FeedForward *ff = &pe->ff[layer];
    int width = c->n_heads * c->d_head;
    snprintf(list.prefix, sizeof list.prefix, names->prefix, layer);
    for (int k = 0; k < 3; k++)
        if (c->kind == PRETRAINED_XLNET) {
            put(&list, names->qkv[k], "", sa->qkv[0], k * width, c->d_model, width, false);
        } else {
            put(&list, names->qkv[k], ".weight", sa->qkv[0], k * width, width, c->d_model, true);
            put(&list, names->qkv[k], ".bias", sa->qkv_bias[0], k * width, 1, width, false);
        }
    if (c->kind == PRETRAINED_XLNET) {
        put(&list, names->out, "", sa->proj[0], 0, c->d_model, width, true);
        put(&list, "rel_attn.r", "", pe->relative[layer].w_r, 0, c->d_model, width, false);
        put(&list, "rel_attn.r_w_bias", "", pe->relative[layer].r_w, 0, 1, width, false);
        put(&list, "rel_attn.r_r_bias", "", pe->relative[layer].r_r, 0, 1, width, false);
    } else put_linear(&list, ps, names->out, sa->proj[0], sa->proj_bias[0]);
    put_norm(&list, names->attention_norm, &sa->norm, c->d_model);
    put_linear(&list, ps, names->up, ff->w1[0], ff->b1[0]);
    put_linear(&list, ps, names->down, ff->w2[0], ff->b2[0]);
    put_norm(&list, names->norm, &ff->norm, c->d_model);
    return list.n;
}

/* The tensor under its name, with the prefix of a model that has more than the encoder, or, of a norm, under the names
 * of older files. */
static const StTensor *find(const SafeTensorsSet *set, const char *name, const SafeTensors **file)
{
    static const char *const prefixes[] = { "", "bert.", "mpnet.", "transformer." };
    static const char *const older[][2] = { { "LayerNorm.weight", "LayerNorm.gamma" },
                                            { "LayerNorm.bias", "LayerNorm.beta" } };
    char text[160];
    const StTensor *t = NULL;
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes && !t; k++) {
        snprintf(text, sizeof text, "%s%.95s", prefixes[k], name);
        t = safetensors_set_find(set, text, file);
        for (int o = 0; o < 2 && !t; o++) {
            char *at = strstr(text, older[o][0]);
            if (!at) continue;
            snprintf(at, sizeof text - (size_t)(at - text), "%s", older[o][1]);
            t = safetensors_set_find(set, text, file);
        }
    }
    return t;
}

/* A tensor in its file. */
typedef struct Found {
    const StTensor *t;
    const SafeTensors *file;
    int rows;       /* of the file */
    const int *row; /* [rows of the list] that are read; NULL: the first ones */
} Found;

/* The file's tensor must have the dimensions of the list, or split, as heads x width. */
static bool fits(const StTensor *t, const PretrainedTensor *x, int rows)
{
    return t->count == (size_t)rows * (size_t)x->cols && t->n_dims > 0 && (x->rows == 1 || t->dim[0] == rows);
}

static Status find_fitting(const PretrainedEncoder *pe, const SafeTensorsSet *set, const PretrainedPart *part,
                           const PretrainedTensor *x, Found *f, Error *e)
{
    *f = (Found){ .rows = x->rows };
    f->t = find(set, x->name, &f->file);
    if (part && x->param == pe->piece) f->rows = part->n_pieces;
    if (part && x->param == pe->piece) f->row = part->piece;
    if (part && x->param == pe->position) f->rows = part->n_positions;
    if (!f->t)
        return error_at(e, ERR_CONFIG, set->path, 0, 0, "found no tensor %s of %d x %d", x->name, f->rows, x->cols);
    if (fits(f->t, x, f->rows)) return OK;
    return error_at(e, ERR_CONFIG, f->file->path, 0, 0,
                    "tensor %s: found %zu numbers, first dimension %ld, expected %d x %d", f->t->name, f->t->count,
                    f->t->n_dims ? f->t->dim[0] : 0, f->rows, x->cols);
}

/* Row by row as they lie in the file, or column by column, with room for one in buffer. */
static Status read_tensor(ParamSet *ps, const PretrainedTensor *x, const Found *f, Real *buffer, Error *e)
{
    bool by_columns = f->t->transposed, split = by_columns && f->rows == 1; /* a matrix that is one row here */
    int rows = split ? (int)f->t->dim[0] : x->rows, cols = split ? (int)f->t->dim[1] : x->cols;
    int lines = by_columns ? cols : rows, length = !by_columns ? cols : split ? rows : f->rows;
    int ld = split ? cols : ps->p[x->param].cols;
    Real *to = param_values(ps, x->param) + x->column;
    Status s = OK;
    for (int k = 0; k < lines && s == OK; k++) {
        StTensor line = *f->t;
        size_t at = !by_columns && f->row ? (size_t)f->row[k] : (size_t)k;
        line.data += at * (size_t)length * dtype_size(line.dtype);
        line.count = (size_t)length;
        s = safetensors_reals(f->file, &line, buffer, NULL);
        for (int i = 0; i < (by_columns ? rows : cols) && s == OK; i++) {
            int r = by_columns ? i : k, c = by_columns ? k : i;
            to[x->transposed ? (ptrdiff_t)c * ld + r : (ptrdiff_t)r * ld + c] =
                buffer[by_columns && f->row ? f->row[i] : i];
        }
    }
    return s == OK ? OK : safetensors_reals(f->file, f->t, NULL, e); /* whose message counts from the first number */
}

Status pretrained_encoder_check(const PretrainedEncoder *pe, const ParamSet *ps, const SafeTensorsSet *set,
                                const PretrainedPart *part, Error *error)
{
    PretrainedTensor list[PRETRAINED_TENSORS_MOST];
    Found found;
    Status s = OK;
    for (int l = -1; l < pe->c.n_layers && s == OK; l++) {
        int n = pretrained_encoder_tensors(pe, ps, l, list);
        for (int k = 0; k < n && s == OK; k++) s = find_fitting(pe, set, part, &list[k], &found, error);
    }
    return s;
}

Status pretrained_encoder_read(const PretrainedEncoder *pe, ParamSet *ps, const SafeTensorsSet *set,
                               const PretrainedPart *part, Error *error)
{
    PretrainedTensor list[PRETRAINED_TENSORS_MOST];
    int most = part && part->n_pieces > part->n_positions ? part->n_pieces : part ? part->n_positions : 0;
    for (int l = -1; l < pe->c.n_layers; l++)
        for (int k = pretrained_encoder_tensors(pe, ps, l, list) - 1; k >= 0; k--) {
            if (list[k].cols > most) most = list[k].cols;
            if (list[k].rows > most) most = list[k].rows;
        }
    Real *buffer = mem_alloc((size_t)most, sizeof *buffer);
    if (!buffer) return error_set(error, ERR_NOMEM, "out of memory reading %s", set->path);
    Status s = OK;
    for (int l = -1; l < pe->c.n_layers && s == OK; l++) {
        int n = pretrained_encoder_tensors(pe, ps, l, list);
        for (int k = 0; k < n && s == OK; k++) {
            Found found;
            s = find_fitting(pe, set, part, &list[k], &found, error);
            if (s == OK) s = read_tensor(ps, &list[k], &found, buffer, error);
        }
    }
    mem_free(buffer);
    return s;
}
