/* The arithmetic of the ops, as one table of C functions over raw pointers and sizes; each device has one
 * (tensor/device.h). tensor/kernels.def lists the kernels and says what they do; this header has the types of their
 * arguments. An entry may be NULL: the op that needs it then fails with a message (tape_run in tensor/tape.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "tensor/hard_concrete.h"
#include "tensor/tensor.h"

enum { MAX_PARTS = 2, MAX_EMBED_TERMS = 16, MAX_SUM_TERMS = 16 };

/* Rows of T that bilinear kernels hold at once. */
enum { BILINEAR_ROWS = 32 };

/* Which layer norm: the parser's own (Mrini et al. 2020, code): divide by unbiased standard deviation + eps; or the
 * usual one: divide by sqrt(variance + eps). */
typedef enum NormKind { NORM_UNBIASED_STD, NORM_VARIANCE } NormKind;

/* Random zeroing: element (r, c) is kept iff its 32 random bits under `key` are >= p * 2^32, and scaled by 1 / (1-p).
 * The bits are drawn at (group[r], c), or (r, c) when group is NULL: rows of one group share a mask. p = 0: none. */
typedef struct Drop {
    double p;
    uint64_t key;
    const int *group; /* [rows] or NULL */
} Drop;

/* Multi-head attention within each sentence, of m_b queries to n_b keys; in self-attention both are its tokens. Head h
 * has n_parts slices (content, position) that share one softmax:
 *   A = softmax(sum_p Q_p K_p' / scale + bias + mask), per head and sentence;  ctx_p = gate * drop(A) V_p.
 * A row without an allowed key is 0.
 * q[p] [queries, n_heads * width[p]]. kv[p] [keys, 2 * n_heads * width[p]]: keys of all heads, values. ctx[p] as q[p].
 * probs [n_heads * pairs]: A before dropout, pairs = sum_b m_b n_b, entry (b, i, j) at pair_start[b] + i * n_b + j. */
typedef struct AttentionArgs {
    int n_heads, n_parts, width[MAX_PARTS];
    double scale;
    int n_sent, longest, longest_keys; /* the largest m_b and n_b */
    const int *start, *key_start;      /* [n_sent + 1] first query and first key of each sentence */
    const long *pair_start;            /* [n_sent + 1] */
    bool causal;                       /* key j is forbidden where j > n_b - m_b + i */
    const Real *q[MAX_PARTS], *kv[MAX_PARTS];
    int ld_q[MAX_PARTS], ld_kv[MAX_PARTS];
    Real *ctx[MAX_PARTS];
    int ld_ctx[MAX_PARTS];
    Real *probs;
    const Real *bias;        /* [slots * pairs] added to the logits, or NULL; -INFINITY forbids a key */
    const int *slot_of_head; /* [n_heads] slot of bias, or -1 */
    const uint64_t *mask;    /* [slots * mask_words] allowed keys as bits (AttentionMask in tensor/ops.h), or NULL */
    long mask_words;
    const long *mask_start;  /* [n_sent] first word of a sentence within a slot */
    const int *mask_of_head; /* [n_heads] slot of mask, or -1; read if mask is not NULL */
    const int *fixed;        /* [n_heads] 1: the logits are 0 instead of Q K'; NULL: of no head */
    const Real *gates;       /* [n_heads] or NULL */
    Drop drop;               /* on A; drawn at (h, pair) */
    Real *scratch;           /* [2 * longest * longest_keys] */
    /* backward */
    Real *dq[MAX_PARTS], *dkv[MAX_PARTS];
    const Real *dctx[MAX_PARTS];
    const Real *dprobs; /* gradient given to probs, or NULL */
    Real *dbias, *dgates;
} AttentionArgs;

/* Logits that depend on the distance of query and key: y [heads * pairs] as probs above, in sentence b
 *   y[h, i, j] = ((q_i + v) . r[i - j + longest - 1] + u . k_j) / scale,   by head (Dai et al. 2019, terms b, c, d).
 * qkv [tokens, 3 * heads * w] as above; r [2 * longest - 1, heads * w]; u, v [heads * w]. */
typedef struct RelativeArgs {
    int heads, w, n_sent, longest;
    double scale;
    const int *start;
    const long *pair_start; /* [n_sent + 1] */
    const Real *qkv, *r, *u, *v;
    int ld_qkv, ld_r;
    Real *y;
    Real *scratch; /* [longest * (2 * longest + 2 * w)] */
    /* backward */
    const Real *dy;
    Real *dqkv, *dr, *du, *dv;
} RelativeArgs;

/* An embedding sum: y[r] = sum over the terms of drop(table[index[r]]). */
typedef struct EmbedLookup {
    const Real *table;
    Real *dtable;
    int ld;
    const int *index; /* [rows] or NULL: row r */
    Drop drop;
} EmbedLookup;

typedef struct EmbedArgs {
    int n;
    EmbedLookup term[MAX_EMBED_TERMS];
} EmbedArgs;

/* One direction of an LSTM; rows of gates, cell and hidden are in step order. */
typedef struct LstmArgs {
    int n_seq, n_steps, n_total, d_in, d_hidden;
    const int *order;        /* [n_seq] sequences by falling length */
    const int *step_start;   /* [n_steps + 1], in HOST memory: rows of step s; its row k is sequence order[k] */
    const int *source;       /* [n_total] the row of x that each (step, k) row reads */
    const Real *x;           /* [n_total, d_in] */
    Weight w_ih, w_hh;       /* [d_in, 4h] [h, 4h]; gates i f g o */
    const Real *b_ih, *b_hh; /* [4h] */
    Real *gates;             /* [n_total, 4h] activated gates */
    Real *cell, *hidden;     /* [n_total, h] */
    Real *last;              /* [n_seq, h] state after each sequence's last step */
    int ld_last;
    /* backward */
    const Real *dlast;
    Real *dx, *dw_ih, *dw_hh, *db_ih, *db_hh;
    Real *scratch; /* forward [n_total * 4h], backward [n_total * 4h + 2 * n_seq * h] */
} LstmArgs;

/* Values of a head that phrase_sums adds up. */
enum { PHRASE_VALUES_MOST = 16 };

/* Arc scores within each sentence: s[c, g] = x'[g, :d] . b[c] + x'[g, d], x' = x + last. Rows are fenceposts; s is
 * [n, n] for each sentence of n fenceposts, one after the other. */
typedef struct ArcArgs {
    int n_sent, longest, d; /* longest: largest n */
    const int *start;       /* [n_sent + 1] first fencepost of each sentence */
    const long *pair_start; /* [n_sent + 1] first pair of each sentence in s */
    const Real *x, *b;      /* [rows, d + 1], [rows, d] */
    int ldx, ldb;
    const Real *last; /* [d + 1] */
    Real *s;
    Real *scratch; /* [longest * (d + 1)] */
    /* backward */
    const Real *ds;
    Real *dx, *db, *dlast;
    double *part; /* relevance: what the corner last[d] takes */
} ArcArgs;

/* A weighted sum of numbers. */
typedef struct SumArgs {
    int n;
    const Real *x[MAX_SUM_TERMS];
    Real *dx[MAX_SUM_TERMS];
    double weight[MAX_SUM_TERMS];
} SumArgs;

/* A row of attention weights that is guided to a target: weight a_j, 0 <= j < n, is probs[at + j * stride]; its target
 * is `share` where j is one of keys[first] .. keys[end - 1], which are different, else `rest`. The row's part of the
 * loss is weight * sum_j (a_j - target_j)^2. */
typedef struct GuidedRow {
    ptrdiff_t at;
    int n, stride, first, end;
    double share, rest, weight;
} GuidedRow;

/* What a decoder needs to know of a span's label scores: the empty label scores 0. Of equal scores the lowest label
 * wins. With no label >= 2, proper is -INFINITY. */
typedef struct SpanBest {
    Real any;    /* best label >= 1, <H> included */
    Real proper; /* best label >= 2 */
    int any_label, proper_label;
} SpanBest;

typedef struct Kernels {
#define KERNEL(name, arguments) void(*name) arguments;
#include "tensor/kernels.def"
#undef KERNEL
} Kernels;
