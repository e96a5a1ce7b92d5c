/* Configurations of pretrained encoders of two layers. */
#pragma once

#include "embeddings/pretrained_config.h"

static const PretrainedKind TINY_KINDS[] = { PRETRAINED_BERT, PRETRAINED_MPNET, PRETRAINED_XLNET };
enum { N_TINY_KINDS = 3 };

/* 11 pieces; sequences of BERT and MPNet have at most 6. */
static inline PretrainedConfig tiny_pretrained(PretrainedKind kind)
{
    bool bert = kind == PRETRAINED_BERT, mpnet = kind == PRETRAINED_MPNET;
    return (PretrainedConfig){ .kind = kind,
                               .n_pieces = 11,
                               .n_layers = 2,
                               .n_heads = 2,
                               .d_head = bert || mpnet ? 4 : 3,
                               .d_model = bert || mpnet ? 8 : 6,
                               .d_ff = 5,
                               .n_positions = bert    ? 6
                                              : mpnet ? 8
                                                      : 0,
                               .most_pieces = bert || mpnet ? 6 : 0,
                               .n_types = bert ? 2 : 0,
                               .n_buckets = mpnet ? 8 : 0,
                               .norm_eps = mpnet ? 1e-5 : 1e-12 };
}
