/* The ops of the parser. Each computes its output immediately and records a node for backward (tensor/tape.h). Every op
 * returns NULL, with t->error set, on a shape mismatch (ERR_RANGE), when memory is out (ERR_NOMEM) or when the device
 * lacks a kernel (ERR_CONFIG), and NULL when an input is NULL. Index and weight arrays given to ops lie in host memory
 * and are copied. Papers: M = Mrini et al. 2020. */
#pragma once

#include "tensor/tape.h"

/* y = act(x w + bias): x [n, in], w [in, out], bias [1, out] or NULL -> y [n, out]; act is ReLU or nothing. x may be a
 * weight too. */
Tensor *op_linear(Tape *tape, Tensor *x, Tensor *w, Tensor *bias, bool relu);
/* op_linear into y, a tensor or column view of the right shape whose values are replaced. Returns y. */
Tensor *op_linear_into(Tape *tape, Tensor *y, Tensor *x, Tensor *w, Tensor *bias, bool relu);
/* y[r, k] = x[r] . table[k]: x [n, d], table [rows, d] -> [n, rows]. The scores of words by a table from which they are
 * embedded, too (Press and Wolf 2017). */
Tensor *op_row_products(Tape *tape, Tensor *x, Tensor *table);

/* y = sum of terms: y[r] = sum_k drop_k(table_k[index_k[r]]). Tables [*, cols]; a term without index adds row r. */
typedef struct EmbedTerm {
    Tensor *table;
    const int *index; /* [rows] or NULL */
    double dropout;   /* probability; off when the tape is not training */
    const int *group; /* [rows]: rows of a group share the mask (feature dropout); NULL: each row its own */
} EmbedTerm;
Tensor *op_embed(Tape *tape, const EmbedTerm *terms, int n_terms, int rows, int cols);
/* op_embed into y, a view. */
Tensor *op_embed_into(Tape *tape, Tensor *y, const EmbedTerm *terms, int n_terms);

/* y[r] = the mean of the rows item[start[r]] .. item[start[r + 1] - 1] of the table; 0 where there are none. start
 * [rows + 1], start[0] = 0. Needs a gradient only if the table does. */
Tensor *op_embed_mean(Tape *tape, Tensor *table, const int *start, const int *item, int rows);

/* Dropout with probability p, scaled by 1 / (1-p); rows with equal group[] share a mask (NULL: every element its own).
 * Returns x itself when the tape is not training or p = 0. */
Tensor *op_dropout(Tape *tape, Tensor *x, double p, const int *group);

/* Where the tape does not record, op_relu and op_gelu write over x and return it. NaN stays NaN, here and in op_linear:
 * what overflowed before must reach the scores, which are checked. */
Tensor *op_relu(Tape *tape, Tensor *x);
/* y = x Phi(x), Phi the distribution function of the normal distribution (Hendrycks and Gimpel 2016), with erf. */
Tensor *op_gelu(Tape *tape, Tensor *x);

/* Layer norm by rows: a, b [1, cols]. A width of 1 returns x. See NormKind. */
Tensor *op_norm(Tape *tape, Tensor *x, Tensor *a, Tensor *b, NormKind kind, double eps);
/* 1 / divisor of each row of a tensor that op_norm or op_residual_norm made, [rows, 1]; data NULL of another. As of
 * tensor_host. */
HostMatrix op_norm_inverse(Tape *tape, const Tensor *y, Arena *arena);
/* norm(x + drop(z)): the post-norm residual of M section 3. z may have fewer rows than x when z_row [rows] names the
 * row of z for each row of x. */
Tensor *op_residual_norm(Tape *tape, Tensor *x, Tensor *z, const int *z_row, double p, const int *group, Tensor *a,
                         Tensor *b, NormKind kind, double eps);

/* y[r] = factor[r % n] x[r], factor [1, n]: gates on the contexts of heads. */
Tensor *op_scale_rows(Tape *tape, Tensor *x, Tensor *factor);

/* Keys that queries may attend to, as bits, for some slots (a slot serves any number of heads). The row of query i of a
 * sentence of n keys has attention_mask_row(n) words: key j is bit j % 64 of word j / 64. Rows follow one another
 * within a sentence, sentences within a slot: `words` words for each slot. A row without a bit has no attention. In
 * host memory. */
typedef struct AttentionMask {
    int slots;
    long words;
    const uint64_t *bits; /* [slots * words] */
} AttentionMask;
static inline int attention_mask_row(int n) { return (n + 63) / 64; }
/* The words of a slot for self-attention within the sentences of a batch. */
long attention_mask_words(const Batch *batch);

/* The first pair of query and key of each sentence, [n_sent + 1], in host memory of the step: of m queries and n keys
 * m n pairs. Batches of as many sentences. */
long *op_attention_pairs(Tape *tape, const Batch *queries, const Batch *keys);

/* Multi-head self-attention within sentences; see AttentionArgs. qkv[p] [tokens, 3 * n_heads * width[p]] -> ctx[p],
 * columns of one tensor [tokens, n_heads * sum width], part by part. probs, if not NULL, receives the tensor [n_heads,
 * pairs] (a second output, with a gradient). All that follows dropout may be NULL. */
typedef struct AttentionSpec {
    int n_heads, n_parts;
    double scale, dropout;
    Tensor *bias;            /* [slots, pairs] added to the logits of heads */
    const int *slot_of_head; /* [n_heads] slot of bias, or -1 */
    const AttentionMask *mask;
    const int *mask_of_head; /* [n_heads] slot of mask, or -1 */
    const int *fixed;        /* [n_heads] 1: uniform over the allowed keys, without queries and keys */
    Tensor *gates;           /* [1, n_heads] factors on the contexts */
    bool causal;             /* query i of a sentence sees its keys 0 .. i alone, and of these what the mask allows */
} AttentionSpec;
Tensor *op_attention(Tape *tape, Tensor *const *qkv, const AttentionSpec *spec, const Batch *batch, Tensor **probs);

/* Attention to the keys of another batch (Vaswani et al. 2017, section 3.2.3): sentence b of `queries` to sentence b of
 * `keys`, which has as many sentences (else ERR_RANGE). q [queries->n_tokens, n_heads * w] and kv [keys->n_tokens, 2 *
 * n_heads * w], the keys of all heads and their values -> contexts [queries->n_tokens, n_heads * w]. All of spec holds
 * as in op_attention, with n_parts 1; pairs are of query and key, rows of the mask as long as the keys. Causal: the
 * last query sees all keys, each one before it one key fewer, so that keys and values may be kept while queries come
 * one by one, or some at a time. A sentence may lack queries or keys; contexts without keys are 0. */
Tensor *op_cross_attention(Tape *tape, Tensor *q, Tensor *kv, const AttentionSpec *spec, const Batch *queries,
                           const Batch *keys, Tensor **probs);

/* Logits that depend on the distance i - j of query i and key j, as a bias for op_attention with one slot for each
 * head: [heads, pairs]. op_relative_bias: table[row[i - j + longest - 1], h] (Song et al. 2020, after Raffel et al.
 * 2020); table [rows, heads], row [2 longest - 1] rows of it. op_relative_logits: ((q_i + v) . r[i - j + longest - 1] +
 * u . k_j) / scale, by head (Dai et al. 2019, terms b, c and d; Yang et al. 2019); qkv [tokens, 3 * heads * w] as in
 * op_attention, r [2 longest - 1, heads * w], u and v [1, heads * w]. */
Tensor *op_relative_bias(Tape *tape, Tensor *table, const int *row, const Batch *batch);
Tensor *op_relative_logits(Tape *tape, Tensor *qkv, Tensor *r, Tensor *u, Tensor *v, int heads, double scale,
                           const Batch *batch);

/* Gates of heads (tensor/hard_concrete.h): log_alpha [1, heads] and draws u [heads], each between 0 and 1
 * (ERR_RANGE), -> gates [1, heads]. */
Tensor *op_hard_concrete(Tape *tape, Tensor *log_alpha, const double *u, HardConcrete gate);
/* The gates of evaluation, [1, heads], a constant. */
Tensor *op_hard_concrete_evaluated(Tape *tape, Tensor *log_alpha, HardConcrete gate);
/* The number of gates that are not 0, as expected: sum over the heads of P(gate != 0) -> [1, 1]. */
Tensor *op_l0_penalty(Tape *tape, Tensor *log_alpha, HardConcrete gate);

/* Label attention with a query vector per head, in the order that never forms per-token keys or values (M Eqs. 1-2):
 *   u_h = K_h q_h;  A = softmax over the sentence's tokens of x u_h / scale;  z_{b,h} = sum_t drop(A) x_t.
 * op_label_query: k [heads * d_in, d_a], q [heads, d_a], both contiguous -> into u [heads, d_in] (a view). */
Tensor *op_label_query_into(Tape *tape, Tensor *u, Tensor *k, Tensor *q);
/* x [tokens, d], u [heads, d] -> A [tokens, heads] (op_label_weights, without dropout) and z [n_sent * heads, d], row
 * b * heads + h (op_label_attention; probs, if not NULL, receives A). */
enum { KEY_SLOTS_MOST = 64 };
typedef struct LabelAttentionSpec {
    double scale, dropout;
    const uint64_t *keys;    /* [tokens] bit s: heads of slot s may attend to the token; NULL: every head may */
    const int *keys_of_head; /* [heads] slot, below KEY_SLOTS_MOST, or -1; read if keys is not NULL */
} LabelAttentionSpec;
Tensor *op_label_weights(Tape *tape, Tensor *x, Tensor *u, const LabelAttentionSpec *spec, const Batch *batch);
Tensor *op_label_attention(Tape *tape, Tensor *x, Tensor *u, const LabelAttentionSpec *spec, const Batch *batch,
                           Tensor **probs);
/* Attention inside phrases, of which a fencepost holds what lies before it: row k of a sentence of n tokens is
 * y[k, h * m + j] = scale n sum_{t <= k} probs[t, h] values[t, h * m + j], so that y[j] - y[i] is what head h has seen
 * between fenceposts i and j. probs [tokens, heads], values [tokens, heads * m], m at most PHRASE_VALUES_MOST, ->
 * [tokens - n_sent, heads * m]. */
Tensor *op_phrase_sums(Tape *tape, Tensor *probs, Tensor *values, double scale, const Batch *batch);
/* y[r, h] = scale a[r, h] . b[r, h] over the columns of head h: a, b [rows, heads * m] -> [rows, heads]. */
Tensor *op_head_dots(Tape *tape, Tensor *a, Tensor *b, int heads, double scale);
/* y[b * heads + h] = z[b * heads + h] v_h: z [rows * heads, d_in] (may be a column view), v [heads * d_in, d_out]. Into
 * y. */
Tensor *op_head_linear_into(Tape *tape, Tensor *y, Tensor *z, Tensor *v, int heads);
/* y[tape, h * p ..] = norm(r[tape] + delta[first[tape] + h]) over p values, unbiased: r [tokens, p], delta [rows, p] ->
 * [tokens, heads * p]. first[tape] is first[tape - 1] or at least `heads` more: tokens share all of their rows of delta
 * or none. */
Tensor *op_label_norm(Tape *tape, Tensor *r, Tensor *delta, const int *first, int heads, Tensor *a, Tensor *b,
                      double eps);
/* [tokens, parts x (heads * width)] -> [tokens * heads, parts * width]. */
Tensor *op_split_heads(Tape *tape, Tensor *x, int heads, int n_parts);
/* The reverse of op_split_heads. */
Tensor *op_join_heads(Tape *tape, Tensor *x, int heads, int n_parts);

/* Fenceposts: f[k, j] = y[token k + (j >= cols / 2), source[j]], k = 0..n of each sentence: y [tokens, cols] ->
 * [tokens - n_sent, cols]. source [cols] is a permutation of the columns. */
Tensor *op_fenceposts(Tape *tape, Tensor *y, const int *source, const Batch *batch);
/* Span features y[s] = g[end] - g[begin] + bias; spans holds n pairs begin <= end of rows of g. */
Tensor *op_span_diff(Tape *tape, Tensor *g, const int *spans, int n, Tensor *bias);

/* Arc scores of each sentence (M section 3; Dozat and Manning 2017): s[c, g] = x[g, :d] . b[c] + x[g, d]; x [rows, d +
 * 1], b [rows, d], last [1, d + 1] is added to each row of x; rows are fenceposts. Result [1, sum_b (n_b + 1)^2],
 * sentence by sentence, row c = dependent. */
Tensor *op_arc_scores(Tape *tape, Tensor *x, Tensor *b, Tensor *last, const Batch *batch);
/* Scores of arcs by what lies between their words, as dependent c and as head g weigh it: s[c, g] = (sums[g - 1] -
 * sums[c]) . (dependent[c, w:] + head[g, :w]) where the head comes after the dependent, (sums[c - 1] - sums[g]) .
 * (dependent[c, :w] + head[g, w:]) where it comes before it, and 0 of a word itself: each has weights of what lies
 * before it, then of what lies after it. sums [fenceposts, w], as of op_phrase_sums: those of fencepost k are of the
 * words up to k; dependent and head [fenceposts, 2 w]. Result as of op_arc_scores. */
Tensor *op_between(Tape *tape, Tensor *sums, Tensor *dependent, Tensor *head, const Batch *batch);
/* s[k, y] = a[k] U_y b[k]' : a, b [rows, d], u [d, types * d], contiguous -> [rows, types]. */
Tensor *op_bilinear(Tape *tape, Tensor *a, Tensor *b, Tensor *u, int types);
/* y[r] = x[index[r]]. */
Tensor *op_gather(Tape *tape, Tensor *x, const int *index, int rows);
/* y = x + z, same shape. */
Tensor *op_add(Tape *tape, Tensor *x, Tensor *z);

/* sum_r -log softmax(x row r)[gold[r]] -> [1, 1]. Rows of x's data: row[r] .. row[r] + len[r]; gold < 0 skips the row.
 * x must be contiguous, and no number of it in two rows. */
Tensor *op_cross_entropy(Tape *tape, Tensor *x, const long *row, const int *len, const int *gold, int rows);
/* op_cross_entropy with smoothed targets (Szegedy et al. 2016, section 7): sum_r (1 - s) (-log p_gold) + s mean_v (-log
 * p_v), the mean over all len[r] values, the gold one too; s = smoothing, 0 .. 1 (ERR_RANGE). nll, if not NULL,
 * receives the sum of -log p_gold, [1, 1], a constant of the same pass. */
Tensor *op_smoothed_cross_entropy(Tape *tape, Tensor *x, const long *row, const int *len, const int *gold, int rows,
                                  double smoothing, Tensor **nll);
/* op_cross_entropy for target distributions: sum_r sum_k -p[k] log softmax(x row r)[index[k]] -> [1, 1], where k goes
 * from first[r] to first[r + 1] - 1; a row without any is skipped. first [rows + 1] begins with 0. */
Tensor *op_soft_cross_entropy(Tape *tape, Tensor *x, const long *row, const int *len, const int *first,
                              const int *index, const Real *p, int rows);
/* sum_k -log p_k -> [1, 1]: p_k is the probability of label[k], 0 or 1, where label 1 has 1 / (1 + exp(-x[row[k]])). x
 * [*, 1]. */
Tensor *op_logistic_loss(Tape *tape, Tensor *x, const int *row, const int *label, int n);
/* The distance of attention weights from a target (Deshpande and Narasimhan 2020, section 3.2): the sum over n rows
 * of weight * sum_j (probs[at + j * stride] - target_j)^2 -> [1, 1], with targets as in GuidedRow
 * (tensor/kernels.h). keys [n_keys]. probs is contiguous, of op_attention or op_label_attention;
 * lal/heads/guidance.h makes the rows. Rows that begin at different weights have none in common. Sums are in double. */
Tensor *op_attention_guidance(Tape *tape, Tensor *probs, const GuidedRow *rows, int n, const int *keys, int n_keys);
/* sum_i weight[i] x[r_i, c_i] + constant -> [1, 1]. */
Tensor *op_pick(Tape *tape, Tensor *x, const int *r, const int *c, const Real *weight, int n, double constant);
/* sum_i weight[i] * x_i of [1, 1] tensors. */
Tensor *op_weighted_sum(Tape *tape, Tensor *const *x, const double *weight, int n);

/* One direction of an LSTM over n_seq sequences packed in x [n_total, d_in], start [n_seq + 1]; reversed reads each
 * from its end. Returns the last state [n_seq, d_hidden], written into y if y is not NULL. Empty sequences give zeros.
 * Weights: w_ih [d_in, 4 h], w_hh [h, 4 h], b_ih, b_hh [1, 4 h], gates in the order i f g o. x, w_ih and w_hh are
 * contiguous. */
Tensor *op_lstm(Tape *tape, Tensor *y, Tensor *x, const int *start, int n_seq, bool reversed, Tensor *w_ih,
                Tensor *w_hh, Tensor *b_ih, Tensor *b_hh);
