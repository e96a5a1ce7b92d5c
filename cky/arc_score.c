/* Four projections of fenceposts, as head and as dependent, for arcs and for types; arcs by one
 * bilinear form, types by a form for each type and two linear maps. */
#include "cky/arc_score.h"

#include <math.h>

Status arc_scorer_declare(ArcScorer *scorer, ParamSet *ps, ArcConfig config, Error *error)
{
    scorer->c = config;
    scorer->between_c = scorer->between_c_b = scorer->between_h = scorer->type_between = -1;
    if ((double)config.n_types * config.d_type > 1e9) /* checked here, where the product is formed */
        return error_set(error, ERR_CONFIG, "found %d dependency types of width %d, expected a product of at most 1e9",
                         config.n_types, config.d_type);
    Status s = linear_declare(&scorer->arc_h, &scorer->arc_h_b, ps, "dep_score.arc_h", config.d, config.d_arc, error);
    if (s == OK)
        s = linear_declare(&scorer->arc_c, &scorer->arc_c_b, ps, "dep_score.arc_c", config.d, config.d_arc, error);
    if (s == OK)
        s = param_declare(&scorer->weight, ps, error, 2, config.d_arc + 1, config.d_arc + 1, 0,
                          "dep_score.attention.dep_weight");
    if (s == OK)
        s = linear_declare(&scorer->type_h, &scorer->type_h_b, ps, "dep_score.type_h", config.d, config.d_type, error);
    if (s == OK)
        s = linear_declare(&scorer->type_c, &scorer->type_c_b, ps, "dep_score.type_c", config.d, config.d_type, error);
    if (s == OK)
        s = param_declare(&scorer->u, ps, error, 2, config.d_type, (long)config.n_types * config.d_type, 0,
                          "dep_score.bilinear.U");
    if (s == OK)
        s = param_declare(&scorer->w_l, ps, error, 2, config.d_type, config.n_types, 0, "dep_score.bilinear.W_l");
    if (s == OK)
        s = param_declare(&scorer->w_r, ps, error, 2, config.d_type, config.n_types, 0, "dep_score.bilinear.W_r");
    if (s == OK) s = param_declare(&scorer->bias, ps, error, 1, config.n_types, 0, 0, "dep_score.bilinear.bias");
    if (s == OK && config.d_phrase)
        s = linear_declare(&scorer->between_c, &scorer->between_c_b, ps, "dep_score.between_c", config.d_arc,
                           2 * config.d_phrase, error);
    if (s == OK && config.d_phrase)
        s = linear_declare(&scorer->between_h, NULL, ps, "dep_score.between_h", config.d_arc, 2 * config.d_phrase,
                           error);
    if (s == OK && config.d_phrase)
        s = param_declare(&scorer->type_between, ps, error, 2, 2 * (long)config.d_phrase, config.n_types, 0,
                          "dep_score.bilinear.between");
    return s;
}

void arc_scorer_init(const ArcScorer *scorer, ParamSet *ps, unsigned long seed)
{
    linear_init(scorer->arc_h, scorer->arc_h_b, ps, seed);
    linear_init(scorer->arc_c, scorer->arc_c_b, ps, seed);
    linear_init(scorer->type_h, scorer->type_h_b, ps, seed);
    linear_init(scorer->type_c, scorer->type_c_b, ps, seed);
    double d = scorer->c.d_type, y = scorer->c.n_types;
    param_init_uniform(ps, scorer->weight, sqrt(6.0 / (2 * scorer->c.d_arc + 2)), seed);
    param_init_uniform(ps, scorer->u, sqrt(6 / (d * d + d * y)), seed);
    param_init_uniform(ps, scorer->w_l, sqrt(6 / (d + y)), seed);
    param_init_uniform(ps, scorer->w_r, sqrt(6 / (d + y)), seed);
    param_init_constant(ps, scorer->bias, 0);
    if (scorer->between_c < 0) return;
    param_init_constant(ps, scorer->between_c, 0);
    param_init_constant(ps, scorer->between_c_b, 0);
    param_init_constant(ps, scorer->between_h, 0);
    param_init_constant(ps, scorer->type_between, 0);
}

static Tensor *role(const Forward *f, const ArcScorer *a, Tensor *x, int weight, int bias)
{
    return op_dropout(f->t, op_linear(f->t, x, forward_weight(f, weight), forward_param(f, bias), true), a->c.dropout,
                      NULL);
}

void arc_scorer_forward(const Forward *forward, const ArcScorer *scorer, Tensor *fenceposts, Tensor *phrases,
                        ArcFeatures *out)
{
    *out = (ArcFeatures){ 0 };
    Tape *t = forward->t;
    Tensor *as_head = op_dropout(t, fenceposts, scorer->c.dropout, NULL),
           *as_dependent = op_dropout(t, fenceposts, scorer->c.dropout, NULL);
    Tensor *h = role(forward, scorer, as_head, scorer->arc_h, scorer->arc_h_b),
           *c = role(forward, scorer, as_dependent, scorer->arc_c, scorer->arc_c_b);
    out->head = h;
    out->dependent = c;
    out->type_h = role(forward, scorer, as_head, scorer->type_h, scorer->type_h_b);
    out->type_c = role(forward, scorer, as_dependent, scorer->type_c, scorer->type_c_b);
    if (!h || !c || !out->type_h || !out->type_c) return;
    /* [h ; 1] Omega [c ; 1] */
    out->weighed = op_linear(t, h, forward_weight_rows(forward, scorer->weight, 0, scorer->c.d_arc), NULL, false);
    out->arcs = op_arc_scores(t, out->weighed, c, forward_param_rows(forward, scorer->weight, scorer->c.d_arc, 1),
                              forward->batch);
    if (scorer->between_c < 0 || !phrases) return;
    out->phrases = phrases;
    out->between_c =
        op_linear(t, c, forward_weight(forward, scorer->between_c), forward_param(forward, scorer->between_c_b), false);
    out->between_h = op_linear(t, h, forward_weight(forward, scorer->between_h), NULL, false);
    out->arcs = op_add(t, out->arcs, op_between(t, phrases, out->between_c, out->between_h, forward->batch));
}

/* What the words between n dependents and their heads make of types, where heads come before (side 0) or after them. */
static Tensor *types_between(const Forward *f, const ArcScorer *a, Tensor *sums, int side, const int *dependent,
                             const int *head, int n)
{
    int *spans = tape_host(f->t, 2 * (size_t)n, sizeof *spans), d = sums->cols;
    for (int k = 0; spans && k < n; k++) {
        int c = dependent ? dependent[k] : k, g = head[k];
        bool is = side ? g > c : g < c;
        spans[2 * (ptrdiff_t)k] = is && !side ? g : c;
        spans[2 * (ptrdiff_t)k + 1] = is ? (side ? g : c) - 1 : c;
    }
    return spans ? op_linear(f->t, op_span_diff(f->t, sums, spans, n, NULL),
                             forward_weight_rows(f, a->type_between, side * d, d), NULL, false)
                 : NULL;
}

/* h, c [n, d_type] of heads and dependents; dependent [n], NULL: 0 .. n - 1, and head [n] are numbers of rows. */
static Tensor *types_of(const Forward *f, const ArcScorer *a, const ArcFeatures *af, Tensor *h, Tensor *c,
                        const int *dependent, const int *head)
{
    Tape *t = f->t;
    if (!h || !c) return NULL;
    EmbedTerm terms[5] = { { .table = op_bilinear(t, h, c, forward_weight(f, a->u), a->c.n_types) },
                           { .table = op_linear(t, h, forward_weight(f, a->w_l), forward_param(f, a->bias), false) },
                           { .table = op_linear(t, c, forward_weight(f, a->w_r), NULL, false) } };
    for (int side = 0; af->phrases && side < 2; side++) {
        terms[3 + side] = (EmbedTerm){ .table = types_between(f, a, af->phrases, side, dependent, head, c->rows) };
        if (!terms[3 + side].table) return NULL;
    }
    return op_embed(t, terms, af->phrases ? 5 : 3, c->rows, a->c.n_types);
}

Tensor *arc_scorer_types(const Forward *forward, const ArcScorer *scorer, const ArcFeatures *af, const int *head)
{
    Tensor *h = af->type_h, *c = af->type_c;
    if (h && c && scorer->c.type_given_head) h = op_gather(forward->t, h, head, c->rows);
    return types_of(forward, scorer, af, h, c, NULL, head);
}

Tensor *arc_scorer_arc_types(const Forward *forward, const ArcScorer *scorer, const ArcFeatures *af,
                             const int *dependent, const int *head, int n)
{
    if (!af->type_h || !af->type_c) return NULL;
    Tensor *h = op_gather(forward->t, af->type_h, scorer->c.type_given_head ? head : dependent, n);
    return types_of(forward, scorer, af, h, op_gather(forward->t, af->type_c, dependent, n), dependent, head);
}
