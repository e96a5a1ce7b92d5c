/* How much the training loss depends on each attention head: first-order Taylor expansion over its weights (Molchanov
 * et al. 2019; Li et al. 2022, section 4.2.1), and over a gate of 1 on its context (Michel et al. 2019). All from plain
 * gradients of the loss of single sentences, without dropout. */
#pragma once

#include "lal/decoder.h"
#include "lal/encoder.h"

enum { HEAD_SLICES = 5 * MAX_PARTS };

/* The weights of one head inside a parameter. */
typedef struct HeadSlice {
    int param, row, rows, col, cols;
} HeadSlice;

/* Weights of head `head` of layer l: queries, keys, values and output of self-attention (l < n_layers), queries, keys
 * and values of the label attention layer (l = n_layers; its output projection belongs to all, unless each head has its
 * own), of attention inside phrases queries, values and their biases. Returns how many slices
 * were filled; 0 if label heads share their weights. */
int head_slices(const Encoder *enc, LayerId layer, int head, HeadSlice *out);

/* The weights of head `head` of one layer of self-attention, as head_slices fills them; d_kv_of [parts]: the columns of
 * a head in each part. In the attention of XLNet the weights of relative positions are left out. */
int head_slices_self(const SelfAttention *sa, const int *d_kv_of, int head, HeadSlice *out);

/* The weights of head `head` of a layer of a decoder, in one of its two stacks, as head_slices fills them. A decoder
 * has no label heads. */
int head_slices_decoder(const Decoder *dec, DecoderStack stack, int layer, int head, HeadSlice *out);

/* Sums of g w and of (g w)^2 over a slice; ld is the parameter's number of columns. */
void head_slice_products(const Real *w, const Real *g, int ld, const HeadSlice *slice, double *sum, double *squares);

/* <o, dL/do> of each head over the rows of one sentence: ctx [rows, columns], dctx the gradient with the same leading
 * dimension; head h has width[p] columns of part p. sum: over all rows; absolute: of the rows' absolute values. */
void head_importance_contexts(const Real *ctx, const Real *dctx, int ld, int rows, int heads, const int *width,
                              int parts, double *sum, double *absolute);

/* In the order of HEAD_ANALYSIS_NORMALISE. */
typedef enum HeadNormalise { NORMALISE_RAW, NORMALISE_LAYER_L2, NORMALISE_LAYER_SUM, NORMALISE_MINMAX } HeadNormalise;
/* In place over layers of heads: values [sum of heads]; by layer (L2 norm or sum), or over all of them to 0 .. 1 (0
 * when all are equal). */
void head_normalise(double *values, const int *heads, int layers, HeadNormalise how);
