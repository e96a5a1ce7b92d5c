/* Four projections of fenceposts, as head and as dependent, for arcs and for types; arcs by one
 * bilinear form, types by a form for each type and two linear maps. */
#include "cky/arc_score.h"

#include <math.h>

Status arc_scorer_declare(ArcScorer *a, ParamSet *ps, ArcConfig c, Error *e)
{
    a->c = c;
    if ((double)c.n_types * c.d_type > 1e9) /* checked here, where the product is formed */
        return error_set(e, ERR_CONFIG, "found %d dependency types of width %d, expected a product of at most 1e9",
                         c.n_types, c.d_type);
    Status s = linear_declare(&a->arc_h, &a->arc_h_b, ps, "dep_score.arc_h", c.d, c.d_arc, e);
    if (s == OK) s = linear_declare(&a->arc_c, &a->arc_c_b, ps, "dep_score.arc_c", c.d, c.d_arc, e);
    if (s == OK) s = param_declare(&a->weight, ps, e, 2, c.d_arc + 1, c.d_arc + 1, 0, "dep_score.attention.dep_weight");
    if (s == OK) s = linear_declare(&a->type_h, &a->type_h_b, ps, "dep_score.type_h", c.d, c.d_type, e);
    if (s == OK) s = linear_declare(&a->type_c, &a->type_c_b, ps, "dep_score.type_c", c.d, c.d_type, e);
    if (s == OK) s = param_declare(&a->u, ps, e, 2, c.d_type, (long)c.n_types * c.d_type, 0, "dep_score.bilinear.U");
    if (s == OK) s = param_declare(&a->w_l, ps, e, 2, c.d_type, c.n_types, 0, "dep_score.bilinear.W_l");
    if (s == OK) s = param_declare(&a->w_r, ps, e, 2, c.d_type, c.n_types, 0, "dep_score.bilinear.W_r");
    if (s == OK) s = param_declare(&a->bias, ps, e, 1, c.n_types, 0, 0, "dep_score.bilinear.bias");
    return s;
}

void arc_scorer_init(const ArcScorer *a, ParamSet *ps, unsigned long seed)
{
    linear_init(a->arc_h, a->arc_h_b, ps, seed);
    linear_init(a->arc_c, a->arc_c_b, ps, seed);
    linear_init(a->type_h, a->type_h_b, ps, seed);
    linear_init(a->type_c, a->type_c_b, ps, seed);
    double d = a->c.d_type, y = a->c.n_types;
    param_init_uniform(ps, a->weight, sqrt(6.0 / (2 * a->c.d_arc + 2)), seed);
    param_init_uniform(ps, a->u, sqrt(6 / (d * d + d * y)), seed);
    param_init_uniform(ps, a->w_l, sqrt(6 / (d + y)), seed);
    param_init_uniform(ps, a->w_r, sqrt(6 / (d + y)), seed);
    param_init_constant(ps, a->bias, 0);
}

static Tensor *role(const Forward *f, const ArcScorer *a, Tensor *x, int weight, int bias)
{
    return op_dropout(f->t, op_linear(f->t, x, forward_weight(f, weight), forward_param(f, bias), true), a->c.dropout,
                      NULL);
}

void arc_scorer_forward(const Forward *f, const ArcScorer *a, Tensor *fenceposts, ArcFeatures *out)
{
    *out = (ArcFeatures){ 0 };
    Tape *t = f->t;
    Tensor *as_head = op_dropout(t, fenceposts, a->c.dropout, NULL),
           *as_dependent = op_dropout(t, fenceposts, a->c.dropout, NULL);
    Tensor *h = role(f, a, as_head, a->arc_h, a->arc_h_b), *c = role(f, a, as_dependent, a->arc_c, a->arc_c_b);
    out->head = h;
    out->dependent = c;
    out->type_h = role(f, a, as_head, a->type_h, a->type_h_b);
    out->type_c = role(f, a, as_dependent, a->type_c, a->type_c_b);
    if (!h || !c || !out->type_h || !out->type_c) return;
    /* [h ; 1] Omega [c ; 1] */
    out->weighed = op_linear(t, h, forward_weight_rows(f, a->weight, 0, a->c.d_arc), NULL, false);
    out->arcs = op_arc_scores(t, out->weighed, c, forward_param_rows(f, a->weight, a->c.d_arc, 1), f->batch);
}

/* h, c [n, d_type] of heads and dependents */
static Tensor *types_of(const Forward *f, const ArcScorer *a, Tensor *h, Tensor *c)
{
    Tape *t = f->t;
    if (!h || !c) return NULL;
    EmbedTerm terms[3] = { { .table = op_bilinear(t, h, c, forward_weight(f, a->u), a->c.n_types) },
                           { .table = op_linear(t, h, forward_weight(f, a->w_l), forward_param(f, a->bias), false) },
                           { .table = op_linear(t, c, forward_weight(f, a->w_r), NULL, false) } };
    return op_embed(t, terms, 3, c->rows, a->c.n_types);
}

Tensor *arc_scorer_types(const Forward *f, const ArcScorer *a, const ArcFeatures *af, const int *head)
{
    Tensor *h = af->type_h, *c = af->type_c;
    if (h && c && a->c.type_given_head) h = op_gather(f->t, h, head, c->rows);
    return types_of(f, a, h, c);
}

Tensor *arc_scorer_arc_types(const Forward *f, const ArcScorer *a, const ArcFeatures *af, const int *dependent,
                             const int *head, int n)
{
    if (!af->type_h || !af->type_c) return NULL;
    Tensor *h = op_gather(f->t, af->type_h, a->c.type_given_head ? head : dependent, n);
    return types_of(f, a, h, op_gather(f->t, af->type_c, dependent, n));
}
