/* Weights over the sentence, values of each word, and their running sums at fenceposts. */
#include "lal/phrase_attention.h"

#include <math.h>
#include <stdio.h>

static const double SHARE = 0.2; /* of the sums of values, under uniform attention */

Status phrase_attention_declare(PhraseAttention *pa, ParamSet *ps, const char *prefix, int d, int heads, int values,
                                bool queries, Error *error)
{
    *pa = (PhraseAttention){ .heads = heads, .values = values, .q = -1, .w = -1, .b = -1 };
    if (heads == 0) return OK;
    char name[PARAM_NAME_MAX];
    snprintf(name, sizeof name, "%s.phrase", prefix);
    Status s = queries ? param_declare(&pa->q, ps, error, 2, heads, d, 0, "%s.w_qs", prefix) : OK;
    return s == OK ? linear_declare(&pa->w, &pa->b, ps, name, d, heads * values, error) : s;
}

void phrase_attention_init(const PhraseAttention *pa, ParamSet *ps, unsigned long seed)
{
    if (pa->q >= 0) param_init_normal(ps, pa->q, sqrt(2.0 / (ps->p[pa->q].cols + pa->heads)), seed);
    if (pa->w >= 0) linear_init(pa->w, pa->b, ps, seed);
}

Tensor *phrase_attention_forward(const Forward *forward, const PhraseAttention *pa, Tensor *x, Tensor *probs,
                                 Dropouts drop, const HeadControl *control, PhraseTrace *trace)
{
    Tape *t = forward->t;
    *trace = (PhraseTrace){ NULL, NULL };
    if (!x || pa->heads == 0) return NULL;
    if (!probs) {
        LabelAttentionSpec spec = label_attention_spec(1, drop.attention, control);
        Tensor *u = pa->q >= 0 ? forward_param(forward, pa->q) : tape_zeros(t, pa->heads, x->cols);
        probs = op_label_weights(t, x, u, &spec, forward->batch);
    }
    trace->probs = probs;
    trace->values = op_linear(t, x, forward_weight(forward, pa->w), forward_param(forward, pa->b), false);
    Tensor *sums = op_phrase_sums(t, op_dropout(t, probs, drop.attention, NULL), trace->values, SHARE, forward->batch);
    Tensor *const gates[] = { control ? control->gates : NULL, control ? control->outputs : NULL };
    for (int k = 0; k < 2; k++)
        if (gates[k])
            sums = op_join_heads(t, op_scale_rows(t, op_split_heads(t, sums, pa->heads, 1), gates[k]), pa->heads, 1);
    return sums;
}
