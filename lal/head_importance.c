/* Which parts of which parameters belong to a head, and products of those with their
 * gradients. */
#include "lal/head_importance.h"

#include <math.h>

int head_slices_self(const SelfAttention *sa, const int *d_kv_of, int head, HeadSlice *out)
{
    int n = 0;
    for (int p = 0; p < sa->parts; p++) {
        int w = d_kv_of[p], dp = part_width(sa->d, sa->parts, p);
        for (int k = 0; k < 3; k++) out[n++] = (HeadSlice){ sa->qkv[p], 0, dp, (k * sa->heads + head) * w, w };
        out[n++] = (HeadSlice){ sa->proj[p], head * w, w, 0, dp };
    }
    return n;
}

int head_slices(const Encoder *enc, LayerId layer, int head, HeadSlice *out)
{
    const EncoderConfig *c = &enc->c;
    if (layer < c->n_layers) {
        const SelfAttention *sa = &enc->attn[layer];
        int width[MAX_PARTS] = { 0, 0 };
        for (int p = 0; p < sa->parts; p++) width[p] = part_width(c->d_kv, sa->parts, p);
        return head_slices_self(sa, width, head, out);
    }
    const LabelAttention *la = &enc->lal;
    const PhraseAttention *pa = &enc->phrase;
    if (!c->use_lal || (encoder_has_blocks(enc) && la->c.q_as_matrix)) return 0;
    int n = 0, m = pa->values;
    if (pa->heads && pa->q >= 0) out[n++] = (HeadSlice){ pa->q, head, 1, 0, c->d_model };
    if (pa->heads) {
        out[n++] = (HeadSlice){ pa->w, 0, c->d_model, head * m, m };
        out[n++] = (HeadSlice){ pa->b, 0, 1, head * m, m };
    }
    if (encoder_has_blocks(enc) && la->c.own_reduce)
        out[n++] = (HeadSlice){ la->reduce, 0, c->d_model, enc->head[layer][head] * la->c.d_proj, la->c.d_proj };
    for (int p = 0; encoder_has_blocks(enc) && p < la->parts; p++) {
        int w = part_width(la->c.d_kv, la->parts, p), dp = part_width(la->c.d, la->parts, p);
        if (la->q[p] >= 0) out[n++] = (HeadSlice){ la->q[p], head, 1, 0, w };
        if (la->k[p] >= 0) out[n++] = (HeadSlice){ la->k[p], head * dp, dp, 0, w };
        out[n++] = (HeadSlice){ la->v[p], head * dp, dp, 0, w };
    }
    return n;
}

int head_slices_decoder(const Decoder *dec, DecoderStack stack, int layer, int head, HeadSlice *out)
{
    const int w = dec->c.d_kv, d = dec->c.d;
    if (stack == DECODER_SELF) return head_slices_self(&dec->self[layer], &w, head, out);
    const CrossAttention *ca = &dec->cross[layer];
    out[0] = (HeadSlice){ ca->q, 0, d, head * w, w };
    for (int k = 0; k < 2; k++) out[1 + k] = (HeadSlice){ ca->kv, 0, d, (k * ca->heads + head) * w, w };
    out[3] = (HeadSlice){ ca->proj, head * w, w, 0, d };
    return 4;
}

void head_slice_products(const Real *w, const Real *g, int ld, const HeadSlice *slice, double *sum, double *squares)
{
    for (int r = slice->row; r < slice->row + slice->rows; r++)
        for (int c = slice->col; c < slice->col + slice->cols; c++) {
            double product = (double)w[(ptrdiff_t)r * ld + c] * (double)g[(ptrdiff_t)r * ld + c];
            *sum += product;
            *squares += product * product;
        }
}

void head_importance_contexts(const Real *ctx, const Real *dctx, int ld, int rows, int heads, const int *width,
                              int parts, double *sum, double *absolute)
{
    for (int h = 0; h < heads; h++) sum[h] = absolute[h] = 0;
    for (int r = 0; r < rows; r++)
        for (int h = 0; h < heads; h++) {
            double dot = 0;
            for (int p = 0, from = 0; p < parts; from += heads * width[p++])
                for (int c = 0; c < width[p]; c++) {
                    ptrdiff_t at = (ptrdiff_t)r * ld + from + (ptrdiff_t)h * width[p] + c;
                    dot += (double)ctx[at] * (double)dctx[at];
                }
            sum[h] += dot;
            absolute[h] += fabs(dot);
        }
}

void head_normalise(double *values, const int *heads, int layers, HeadNormalise how)
{
    double low = INFINITY, high = -INFINITY;
    int n = 0;
    for (int l = 0; l < layers; n += heads[l++]) {
        double sum = 0;
        for (int h = n; h < n + heads[l]; h++) {
            low = fmin(low, values[h]);
            high = fmax(high, values[h]);
            sum += how == NORMALISE_LAYER_L2 ? values[h] * values[h] : values[h];
        }
        double by = how == NORMALISE_LAYER_L2 ? sqrt(sum) : how == NORMALISE_LAYER_SUM ? sum : 1;
        for (int h = n; h < n + heads[l] && by != 0; h++) values[h] /= by;
    }
    if (how == NORMALISE_MINMAX)
        for (int h = 0; h < n; h++) values[h] = high > low ? (values[h] - low) / (high - low) : 0;
}
