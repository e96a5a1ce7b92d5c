/* Attention patterns of the sentences of a batch as masks (Wang et al. 2020, equation 2; Li et al. 2022, equations 3 to
 * 5): a slot of bits for each pattern, which any number of heads of any layer may use. A token without an allowed key
 * is not restricted: its row is all keys. */
#pragma once

#include "base/arena.h"
#include "tensor/ops.h"

typedef struct MaskSet {
    const Batch *batch;
    AttentionMask mask; /* for self-attention */
    uint64_t *bits;     /* the bits of mask, to be written */
    uint64_t *keys;     /* [tokens] for label heads: bit s of slot s */
    int key_slots;
} MaskSet;

/* A set in which nothing is restricted: `slots` masks and `key_slots` (at most KEY_SLOTS_MOST) sets of keys. Memory in
 * the arena; the batch is borrowed. ERR_NOMEM, ERR_RANGE. */
Status mask_set_init(MaskSet *set, const Batch *batch, int slots, int key_slots, Arena *arena, Error *error);

/* The words of one query, row [attention_mask_row(m)]: the keys of allowed [m], or, where there are none, all. */
void attention_mask_set(uint64_t *row, const uint8_t *allowed, int m);
/* Restricts a slot in sentence b to allowed [m * m] (pattern_fill), m its tokens. */
void mask_set_pairs(MaskSet *set, int slot, int b, const uint8_t *allowed);
/* mask_set_pairs for a slot of keys: allowed [m] are the keys of every query. */
void mask_set_keys(MaskSet *set, int slot, int b, const uint8_t *allowed);
