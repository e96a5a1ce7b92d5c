/* All bits are set at first; a pattern sets a row, or takes keys away, and an empty row
 * stays whole. */
#include "lal/heads/attention_mask.h"

#include <string.h>

Status mask_set_init(MaskSet *set, const Batch *batch, int slots, int key_slots, Arena *arena, Error *error)
{
    if (key_slots > KEY_SLOTS_MOST)
        return error_set(error, ERR_RANGE, "found %d patterns of label heads, expected at most %d", key_slots,
                         KEY_SLOTS_MOST);
    long words = attention_mask_words(batch);
    size_t n = (size_t)slots * (size_t)words, tokens = (size_t)batch->n_tokens;
    *set = (MaskSet){ .batch = batch, .key_slots = key_slots, .mask = { slots, words, NULL } };
    set->mask.bits = set->bits = arena_alloc(arena, n, sizeof *set->bits);
    set->keys = arena_alloc(arena, tokens, sizeof *set->keys);
    if (!set->bits || !set->keys) return error_set(error, ERR_NOMEM, "out of memory for masks");
    memset(set->bits, 0xff, n * sizeof *set->bits);
    memset(set->keys, 0xff, tokens * sizeof *set->keys);
    return OK;
}

static bool is_empty(const uint8_t *allowed, int m) { return !memchr(allowed, 1, (size_t)m); }

void attention_mask_set(uint64_t *row, const uint8_t *allowed, int m)
{
    bool empty = is_empty(allowed, m);
    memset(row, empty ? 0xff : 0, (size_t)attention_mask_row(m) * sizeof *row);
    for (int j = 0; j < m && !empty; j++) row[j / 64] |= (uint64_t)(allowed[j] != 0) << j % 64;
}

void mask_set_pairs(MaskSet *set, int slot, int b, const uint8_t *allowed)
{
    const Batch before = { b, set->batch->start, 0, 0 };
    int m = set->batch->start[b + 1] - set->batch->start[b], n = attention_mask_row(m);
    uint64_t *row = set->bits + slot * set->mask.words + attention_mask_words(&before);
    for (int i = 0; i < m; i++, row += n, allowed += m) attention_mask_set(row, allowed, m);
}

void mask_set_keys(MaskSet *set, int slot, int b, const uint8_t *allowed)
{
    int from = set->batch->start[b], m = set->batch->start[b + 1] - from;
    if (is_empty(allowed, m)) return;
    for (int j = 0; j < m; j++)
        if (!allowed[j]) set->keys[from + j] &= ~((uint64_t)1 << slot);
}
