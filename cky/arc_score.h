/* Biaffine scores of arcs and dependency types (Dozat and Manning 2017, as used by Mrini et al. 2020). Rows are
 * fenceposts: row 0 of a sentence is the root, row k word k, represented by the forward half of token k and the
 * backward half of token k + 1 (inherited from the reference). */
#pragma once

#include "tensor/layers.h"

typedef struct ArcConfig {
    int d, d_arc, d_type, n_types;
    int d_phrase;         /* columns of the sums of attention inside phrases that arcs read, or 0 */
    bool type_given_head; /* types see the chosen head, as in the text of Mrini et al. 2020; off: both arguments are
                             from the dependent, as in their code */
    double dropout;
} ArcConfig;

/* dep_score.arc_h, arc_c {weight, bias}; between_c {weight [d_arc, 2 d_phrase], bias}, between_h.weight: what the
 * hidden layers of a dependent and of a head make of the words between them (op_between); bilinear.between [2
 * d_phrase, types], what these words make of types; attention.dep_weight [d_arc + 1, d_arc + 1] (rows: head role);
 * type_h, type_c; bilinear.U [d_type, types * d_type], W_l, W_r [d_type, types], bias [types]. */
typedef struct ArcScorer {
    ArcConfig c;
    int arc_h, arc_h_b, arc_c, arc_c_b, weight;
    int type_h, type_h_b, type_c, type_c_b, u, w_l, w_r, bias;
    int between_c, between_c_b, between_h, type_between; /* -1: none */
} ArcScorer;

Status arc_scorer_declare(ArcScorer *scorer, ParamSet *ps, ArcConfig config, Error *error);
void arc_scorer_init(const ArcScorer *scorer, ParamSet *ps, unsigned long seed);

typedef struct ArcFeatures {
    Tensor *arcs;                  /* [1, sum (n_b + 1)^2] by sentence, row = dependent, column = head */
    Tensor *head, *dependent;      /* [rows, d_arc] the hidden layers of the arc scores, head role and dependent role */
    Tensor *weighed;               /* [rows, d_arc + 1] head times Omega, without Omega's last row */
    Tensor *type_h, *type_c;       /* [rows, d_type] head role, dependent role */
    Tensor *phrases;               /* as given to arc_scorer_forward, or NULL: arcs do not read them */
    Tensor *between_c, *between_h; /* [rows, 2 d_phrase] what words make of those before and after them, as dependents
                                      and as heads, or NULL */
} ArcFeatures;

/* fenceposts [rows, D], phrases [rows, d_phrase] or NULL. On failure arcs is NULL. */
void arc_scorer_forward(const Forward *forward, const ArcScorer *scorer, Tensor *fenceposts, Tensor *phrases,
                        ArcFeatures *out);
/* Type scores [rows, n_types]; head [rows] is the row of each row's head (ignored, may be NULL, unless type_given_head
 * or arcs read phrases). */
Tensor *arc_scorer_types(const Forward *forward, const ArcScorer *scorer, const ArcFeatures *af, const int *head);
/* Type scores [n, n_types] of n arcs between any rows: dependent [n] and head [n] are numbers of rows. */
Tensor *arc_scorer_arc_types(const Forward *forward, const ArcScorer *scorer, const ArcFeatures *af,
                             const int *dependent, const int *head, int n);
