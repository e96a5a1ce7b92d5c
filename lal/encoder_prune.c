/* First which heads stay, then blocks of weights for each kind of attention, then the weights
 * that read the blocks of label heads; all other parameters are copied as they are. */
#include "lal/encoder_prune.h"

#include <string.h>

/* gates [encoder_heads] of evaluation. */
static Status gates_of(const Encoder *enc, const ParamSet *ps, LayerId l, double *gates, Error *e)
{
    if (enc->gated[l]) return head_gate_values(&enc->gate[l], ps, gates, e);
    for (int h = 0; h < encoder_heads(enc, l); h++) gates[h] = 1;
    return OK;
}

Status encoder_prune_open(const Encoder *enc, const ParamSet *ps, LayerId id, int *head, int *n, Error *error)
{
    int heads = encoder_heads(enc, id);
    double *gates = mem_alloc((size_t)heads, sizeof *gates);
    Status s = gates ? gates_of(enc, ps, id, gates, error) : error_set(error, ERR_NOMEM, "out of memory pruning heads");
    bool pal = encoder_place(enc, id).stack == STACK_PAL, all = pal && enc->c.options && enc->c.options->pal.share;
    *n = 0;
    for (int h = 0; s == OK && h < heads; h++)
        if (all || gates[h] != 0) head[(*n)++] = enc->head[id][h];
    if (s == OK && pal && *n == 0 && heads > 0) head[(*n)++] = enc->head[id][0];
    mem_free(gates);
    return s;
}

bool encoder_prune_shares(const Encoder *enc, int label_open)
{
    const EncoderConfig *c = &enc->c;
    if (!encoder_has_blocks(enc) || c->lal_pwff || c->lal.combine_as_self || c->lal.own_reduce) return false;
    return c->shared_block || (label_open < enc->lal.c.heads && !encoder_gates_outputs(enc));
}

/* ---- attention */

/* A matrix of `rows` rows, of two that have other leading dimensions, times `by`. */
static void copy_block(Real *to, int ldto, const Real *from, int ldfrom, int rows, int cols, double by)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            to[(ptrdiff_t)r * ldto + c] =
                by == 1 ? from[(ptrdiff_t)r * ldfrom + c] : (Real)(by * (double)from[(ptrdiff_t)r * ldfrom + c]);
}

void encoder_copy_columns(const ParamSet *ps, int from, int at, ParamSet *to_ps, int to, int to_at, int width,
                          double by)
{
    copy_block(param_values(to_ps, to) + (ptrdiff_t)to_at * width, to_ps->p[to].cols,
               param_values(ps, from) + (ptrdiff_t)at * width, ps->p[from].cols, to_ps->p[to].rows, width, by);
}

void encoder_copy_rows(const ParamSet *ps, int from, int at, ParamSet *to_ps, int to, int to_at, int width, double by)
{
    int cols = ps->p[from].cols;
    copy_block(param_values(to_ps, to) + (ptrdiff_t)to_at * width * cols, cols,
               param_values(ps, from) + (ptrdiff_t)at * width * cols, cols, width, cols, by);
}

void encoder_prune_attention(const SelfAttention *from, const ParamSet *ps, const int *row, const double *gates,
                             const SelfAttention *to, ParamSet *to_ps)
{
    for (int p = 0; p < to->parts && to->heads > 0; p++) {
        int w = ps->p[from->qkv[p]].cols / 3 / from->heads;
        for (int k = 0; k < to->heads; k++) {
            for (int part = 0; part < 3; part++) {
                int at = part * from->heads + row[k], to_at = part * to->heads + k;
                encoder_copy_columns(ps, from->qkv[p], at, to_ps, to->qkv[p], to_at, w, 1);
                if (from->qkv_bias[p] >= 0)
                    encoder_copy_columns(ps, from->qkv_bias[p], at, to_ps, to->qkv_bias[p], to_at, w, 1);
            }
            encoder_copy_rows(ps, from->proj[p], row[k], to_ps, to->proj[p], k, w, gates ? gates[row[k]] : 1);
        }
    }
}

/* encoder_prune_attention for projected attention, whose queries, keys and values are three parameters, with biases. */
static void copy_pal(const ProjectedAttention *from, const ParamSet *ps, const int *row, const double *gates,
                     const ProjectedAttention *to, ParamSet *to_ps)
{
    for (int k = 0; k < to->heads; k++) {
        for (int part = 0; part < 3; part++) {
            encoder_copy_columns(ps, from->qkv[part], row[k], to_ps, to->qkv[part], k, to->d_head, 1);
            encoder_copy_columns(ps, from->qkv_bias[part], row[k], to_ps, to->qkv_bias[part], k, to->d_head, 1);
        }
        encoder_copy_rows(ps, from->up, row[k], to_ps, to->up, k, to->d_head, gates ? gates[row[k]] : 1);
    }
}

/* encoder_prune_attention for label heads with query vectors; gates: factors on their values, or NULL. */
static void copy_label_heads(const LabelAttention *from, const ParamSet *ps, const int *row, const double *gates,
                             const LabelAttention *to, ParamSet *to_ps)
{
    for (int p = 0; p < to->parts; p++) {
        const int a[] = { from->q[p], from->k[p], from->v[p] }, b[] = { to->q[p], to->k[p], to->v[p] };
        for (int part = from->c.uniform ? 2 : 0; part < 3; part++)
            for (int k = 0; k < to->c.heads; k++)
                encoder_copy_rows(ps, a[part], row[k], to_ps, b[part], k, ps->p[a[part]].rows / from->c.heads,
                                  part == 2 && gates ? gates[row[k]] : 1);
    }
}

/* copy_label_heads for label heads with a query matrix, or combined. */
static void copy_label_matrix(const LabelAttention *from, const ParamSet *ps, const int *row, const double *gates,
                              const LabelAttention *to, ParamSet *to_ps)
{
    for (int p = 0; p < to->parts; p++) {
        int w = ps->p[from->qkv[p]].cols / 3 / from->c.heads;
        for (int k = 0; k < to->c.heads; k++)
            for (int part = 0; part < 3; part++)
                encoder_copy_columns(ps, from->qkv[p], part * from->c.heads + row[k], to_ps, to->qkv[p],
                                     part * to->c.heads + k, w, part == 2 && gates ? gates[row[k]] : 1);
    }
}

/* encoder_prune_attention for attention inside phrases; gates: factors on its sums. */
static void copy_phrase(const PhraseAttention *from, const ParamSet *ps, const int *row, const double *gates,
                        const PhraseAttention *to, ParamSet *to_ps)
{
    for (int k = 0; k < to->heads; k++) {
        if (to->q >= 0) encoder_copy_rows(ps, from->q, row[k], to_ps, to->q, k, 1, 1);
        encoder_copy_columns(ps, from->w, row[k], to_ps, to->w, k, to->values, gates[row[k]]);
        encoder_copy_columns(ps, from->b, row[k], to_ps, to->b, k, to->values, gates[row[k]]);
    }
}

/* The rows of the output weights of combined label heads. */
static void copy_label_outputs(const LabelAttention *from, const ParamSet *ps, const int *row, const LabelAttention *to,
                               ParamSet *to_ps)
{
    for (int p = 0; p < to->parts; p++) {
        int w = ps->p[from->proj[p]].rows / from->c.heads;
        for (int k = 0; k < to->c.heads; k++) encoder_copy_rows(ps, from->proj[p], row[k], to_ps, to->proj[p], k, w, 1);
    }
}

/* ---- what reads the blocks of label heads */

/* out [n blocks] = sums of the blocks b of w with to[b] = its number, times by[b] (NULL: 1); to -1: left out. */
static void add_blocks(const Real *w, int blocks, int width, int cols, const int *to, const double *by, int n,
                       Real *out)
{
    size_t size = (size_t)width * (size_t)cols;
    for (int j = 0; j < n; j++)
        for (size_t i = 0; i < size; i++) {
            double sum = 0;
            for (int b = 0; b < blocks; b++)
                if (to[b] == j) sum += (by ? by[b] : 1) * (double)w[(size_t)b * size + i];
            out[(size_t)j * size + i] = (Real)sum;
        }
}

/* Finds which block of `to` each block of `from` becomes: to_block [blocks], by [blocks], which is 1 but where gates
 * [heads] are factors on outputs. */
static void map_blocks(const Encoder *from, const Encoder *to, const double *gates, int *to_block, double *by)
{
    LayerId layer = layer_label(from->c.n_layers);
    int n = label_attention_blocks(&to->lal.c);
    bool outputs = encoder_gates_outputs(from);
    for (int b = 0; b < label_attention_blocks(&from->lal.c); b++) {
        int head = from->block_head[b], row = head < 0 ? -1 : encoder_head_row(from, layer, head),
            left = head < 0 ? -1 : encoder_head_row(to, layer, head);
        by[b] = outputs && row >= 0 ? gates[row] : 1;
        to_block[b] = to->c.lal_pwff || to->c.lal.own_reduce ? b
                      : left >= 0                            ? left
                      : outputs && row >= 0                  ? -1
                      : to->c.shared_block && n > 0          ? n - 1
                                                             : -1;
    }
}

/* ---- the model */

static bool is_label(const LabelAttention *la, int param)
{
    bool is = false;
    for (int p = 0; p < la->parts && la->c.heads > 0; p++) {
        if (la->c.q_as_matrix) is = is || la->qkv[p] == param;
        else is = is || la->q[p] == param || la->k[p] == param || la->v[p] == param;
        is = is || (la->c.combine_as_self && la->proj[p] == param);
    }
    return is;
}

/* Does the parameter have weights of single heads? */
static bool is_of_heads(const Encoder *enc, int param)
{
    const PhraseAttention *phrase = &enc->phrase;
    bool is = (encoder_has_blocks(enc) && is_label(&enc->lal, param)) ||
              (phrase->heads > 0 && (param == phrase->q || param == phrase->w || param == phrase->b));
    for (int l = 0; l < enc->c.n_layers; l++)
        for (int p = 0; p < enc->attn[l].parts && enc->attn[l].heads > 0; p++)
            is = is || enc->attn[l].qkv[p] == param || enc->attn[l].qkv_bias[p] == param ||
                 enc->attn[l].proj[p] == param;
    for (int l = 0; l < enc->c.n_layers; l++) {
        const ProjectedAttention *pa = &enc->pal[l];
        if (!enc->has_pal[l]) continue;
        is = is || pa->up == param;
        for (int k = 0; k < 3; k++) is = is || pa->qkv[k] == param || pa->qkv_bias[k] == param;
    }
    return is;
}

/* The parameter of `from` with the name of parameter k, *j; rows: of any number of rows. */
static Status find_same(const ParamSet *ps, const ParamSet *to_ps, int k, bool rows, int *j, Error *e)
{
    const Param *x = &to_ps->p[k];
    *j = params_find(ps, x->name);
    if (*j < 0) return error_set(e, ERR_CONFIG, "the model has no parameter %s", x->name);
    const Param *y = &ps->p[*j];
    if ((y->rows == x->rows || rows) && y->cols == x->cols) return OK;
    return error_set(e, ERR_CONFIG, "%s is [%d, %d], expected [%d, %d]", x->name, y->rows, y->cols, x->rows, x->cols);
}

/* Copies all parameters but weights of single heads, of the readers and those to be left out. */
static Status copy_others(const ParamSet *ps, const Encoder *to, ParamSet *to_ps, const EncoderReader *readers, int n,
                          const bool *leave, Error *e)
{
    Status s = OK;
    for (int k = 0, j; k < to_ps->n && s == OK; k++) {
        bool skip = is_of_heads(to, k) || (leave && leave[k]);
        for (int r = 0; r < n; r++) skip = skip || readers[r].param == k;
        if (skip) continue;
        s = find_same(ps, to_ps, k, false, &j, e);
        if (s == OK) memcpy(param_values(to_ps, k), param_values(ps, j), param_count(&to_ps->p[k]) * sizeof(Real));
    }
    return s;
}

/* What reads a token's vector, or a fencepost's, in the two halves of which blocks have half of their width. */
static Status copy_block_reader(const Encoder *from, const ParamSet *ps, const Encoder *to, ParamSet *to_ps,
                                EncoderReader reader, const int *to_block, const double *by, Error *e)
{
    int j, cols = to_ps->p[reader.param].cols;
    bool blocks = from->block_head != NULL;
    Status s = find_same(ps, to_ps, reader.param, blocks, &j, e);
    if (s != OK) return s;
    const Real *w = param_values(ps, j);
    Real *out = param_values(to_ps, reader.param);
    if (!blocks) {
        memcpy(out, w, param_count(&ps->p[j]) * sizeof *w);
        return OK;
    }
    int n = label_attention_blocks(&from->lal.c), m = label_attention_blocks(&to->lal.c), p = from->c.lal.d_proj,
        sides = reader.reads == READS_FENCEPOSTS ? 2 : 1;
    if (ps->p[j].rows != n * p || to_ps->p[reader.param].rows != m * p)
        return error_set(e, ERR_CONFIG, "%s has %d rows, expected %d", ps->p[j].name, ps->p[j].rows, n * p);
    for (int side = 0; side < sides; side++)
        add_blocks(w + (ptrdiff_t)side * (n * p / 2) * cols, n, p / sides, cols, to_block, by, m,
                   out + (ptrdiff_t)side * (m * p / 2) * cols);
    return OK;
}

typedef struct Scratch {
    double *gates, *by;
    int *row, *block;
} Scratch;

/* What depends on the sums of attention inside phrases; row [heads of `to`]. */
static Status copy_phrase_reader(const Encoder *from, const ParamSet *ps, const Encoder *to, ParamSet *to_ps,
                                 EncoderReader reader, const int *row, Error *e)
{
    const Param *x = &to_ps->p[reader.param];
    int j = params_find(ps, x->name), all = from->phrase.heads, left = to->phrase.heads, m = to->phrase.values;
    if (j < 0) return error_set(e, ERR_CONFIG, "the model has no parameter %s", x->name);
    bool rows = reader.reads == READS_PHRASES;
    int times = (rows ? ps->p[j].rows : ps->p[j].cols) / (all * m);
    for (int k = 0; k < left * times; k++) {
        int at = k / left * all + row[k % left];
        if (rows) encoder_copy_rows(ps, j, at, to_ps, reader.param, k, m, 1);
        else encoder_copy_columns(ps, j, at, to_ps, reader.param, k, m, 1);
    }
    return OK;
}

static Status copy_reader(const Encoder *from, const ParamSet *ps, const Encoder *to, ParamSet *to_ps,
                          EncoderReader reader, const Scratch *x, Error *e)
{
    return reader.reads >= READS_PHRASES ? copy_phrase_reader(from, ps, to, to_ps, reader, x->row, e)
                                         : copy_block_reader(from, ps, to, to_ps, reader, x->block, x->by, e);
}

/* Sets row[k] to the row of head k of layer l of `to` in `from`. */
static Status find_rows(const Encoder *from, const ParamSet *ps, const Encoder *to, LayerId l, const Scratch *x,
                        Error *e)
{
    const LayerPlace at = encoder_place(to, l);
    Status s = gates_of(from, ps, l, x->gates, e);
    for (int k = 0; k < encoder_heads(to, l) && s == OK; k++) {
        int h = to->head[l][k];
        x->row[k] = encoder_head_row(from, l, h);
        if (x->row[k] >= 0) continue;
        s = at.stack == STACK_LABEL ? error_set(e, ERR_CONFIG, "label head %d was pruned from this model", h)
                                    : error_set(e, ERR_CONFIG, "%slayer %d head %d was pruned from this model",
                                                at.stack == STACK_PAL ? "pal " : "", at.l, h);
    }
    return s;
}

static Status copy_label(const Encoder *from, const ParamSet *ps, const Encoder *to, ParamSet *to_ps,
                         const EncoderReader *readers, int n, const Scratch *x, Error *e)
{
    const LabelAttention *a = &from->lal, *b = &to->lal;
    Status s = find_rows(from, ps, to, layer_label(from->c.n_layers), x, e);
    const double *by = encoder_gates_outputs(from) ? NULL : x->gates;
    if (s == OK && encoder_has_blocks(to) && b->c.heads > 0) {
        if (b->c.q_as_matrix) copy_label_matrix(a, ps, x->row, by, b, to_ps);
        else copy_label_heads(a, ps, x->row, by, b, to_ps);
        if (b->c.combine_as_self) copy_label_outputs(a, ps, x->row, b, to_ps);
    }
    if (s == OK && to->phrase.heads) copy_phrase(&from->phrase, ps, x->row, x->gates, &to->phrase, to_ps);
    if (s == OK && from->block_head) map_blocks(from, to, x->gates, x->block, x->by);
    for (int k = 0; k < n && s == OK; k++) s = copy_reader(from, ps, to, to_ps, readers[k], x, e);
    return s;
}

Status encoder_prune(const Encoder *from, const ParamSet *ps, const Encoder *to, ParamSet *to_ps,
                     const EncoderReader *readers, int n, const bool *leave, Error *error)
{
    int layers = to->c.n_layers;
    size_t most = 1;
    for (LayerId l = 0; l < layer_count(layers); l++)
        if ((size_t)encoder_heads_before(from, l) >= most) most = (size_t)encoder_heads_before(from, l) + 1;
    Scratch x = { mem_alloc(most, sizeof *x.gates), mem_alloc(most, sizeof *x.by), mem_alloc(most, sizeof *x.row),
                  mem_alloc(most, sizeof *x.block) };
    Status s = x.gates && x.by && x.row && x.block
                   ? copy_others(ps, to, to_ps, readers, from->c.use_lal ? n : 0, leave, error)
                   : error_set(error, ERR_NOMEM, "out of memory pruning heads");
    for (int l = 0; l < layers && s == OK; l++) {
        s = find_rows(from, ps, to, l, &x, error);
        if (s == OK) encoder_prune_attention(&from->attn[l], ps, x.row, x.gates, &to->attn[l], to_ps);
        if (s != OK || !to->has_pal[l]) continue;
        LayerId pal = layer_pal(layers, l);
        s = find_rows(from, ps, to, pal, &x, error);
        if (s == OK) copy_pal(&from->pal[l], ps, x.row, to->gated[pal] ? NULL : x.gates, &to->pal[l], to_ps);
    }
    if (s == OK && to->c.use_lal) s = copy_label(from, ps, to, to_ps, readers, n, &x, error);
    mem_free_each(x.gates, x.by, x.row, x.block);
    return s;
}
