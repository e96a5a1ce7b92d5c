/* A map into a narrow space, attention there, and a map back; layers may share both maps,
 * but queries, keys and values are a layer's own. */
#include "lal/projected_attention.h"

#include <math.h>
#include <stdio.h>

Status projected_attention_declare(ProjectedAttention *pa, ParamSet *ps, const char *prefix, int d, int width,
                                   int heads, int left, const ProjectedAttention *share, Error *error)
{
    static const char *const names[] = { "q", "k", "v" };
    char name[PARAM_NAME_MAX];
    if (heads < 1 || width % heads)
        return error_set(error, ERR_CONFIG, "%s: width %d is not a multiple of its heads, %d", prefix, width, heads);
    if (left < 1 || left > heads || (share && left < heads))
        return error_set(error, ERR_CONFIG,
                         "%s: found %d heads of %d, expected at least one, and all where the projection is "
                         "shared",
                         prefix, left, heads);
    *pa = (ProjectedAttention){ .d = d, .width = width, .heads = left, .d_head = width / heads };
    int inner = left * pa->d_head;
    Status s = OK;
    if (share) {
        pa->down = share->down, pa->down_bias = share->down_bias;
        pa->up = share->up, pa->up_bias = share->up_bias;
    } else {
        snprintf(name, sizeof name, "%s.down", prefix);
        s = linear_declare(&pa->down, &pa->down_bias, ps, name, d, width, error);
        snprintf(name, sizeof name, "%s.up", prefix);
        if (s == OK) s = linear_declare(&pa->up, &pa->up_bias, ps, name, inner, d, error);
    }
    for (int k = 0; k < 3 && s == OK; k++) {
        snprintf(name, sizeof name, "%s.%s", prefix, names[k]);
        s = linear_declare(&pa->qkv[k], &pa->qkv_bias[k], ps, name, width, inner, error);
    }
    return s;
}

void projected_attention_init(const ProjectedAttention *pa, ParamSet *ps, double std, unsigned long seed)
{
    param_init_normal(ps, pa->down, std, seed);
    param_init_constant(ps, pa->down_bias, 0);
    param_init_constant(ps, pa->up, 0);
    param_init_constant(ps, pa->up_bias, 0);
    for (int k = 0; k < 3; k++) {
        param_init_normal(ps, pa->qkv[k], std, seed);
        param_init_constant(ps, pa->qkv_bias[k], 0);
    }
}

Tensor *projected_attention_forward(const Forward *forward, const ProjectedAttention *pa, Tensor *x, double dropout,
                                    const HeadControl *control, Tensor **probs)
{
    Tape *t = forward->t;
    int w = pa->heads * pa->d_head;
    Tensor *s = op_linear(t, x, forward_weight(forward, pa->down), forward_param(forward, pa->down_bias), false),
           *qkv = s ? tape_new(t, s->rows, 3 * (long)w) : NULL;
    if (!qkv) return NULL;
    for (int k = 0; k < 3; k++)
        if (!op_linear_into(t, tape_columns(t, qkv, k * w, w), s, forward_weight(forward, pa->qkv[k]),
                            forward_param(forward, pa->qkv_bias[k]), false))
            return NULL;
    AttentionSpec spec = attention_spec(pa->heads, 1, sqrt(pa->d_head), dropout, control);
    Tensor *o = op_attention(t, &qkv, &spec, forward->batch, probs);
    return op_gelu(t, op_linear(t, o, forward_weight(forward, pa->up), forward_param(forward, pa->up_bias), false));
}
