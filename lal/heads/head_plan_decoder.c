/* Masks and targets for the heads of a decoder, which attend to what is written and to
 * the source */
#include <string.h>

#include "lal/heads/head_plan.h"

static int tokens_of(const Batch *batch, int b) { return batch->start[b + 1] - batch->start[b]; }

static Status out_of_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory for masks of the decoder"); }

/* Sets allowed [text->n + 1] to the union of the sets of token i. */
static void fill_row(const PatternList *list, const WrittenText *text, int i, uint8_t *allowed)
{
    memset(allowed, 0, (size_t)text->n + 1);
    for (int k = 0; k < list->n; k++)
        for (int j = 0; j <= i; j++) allowed[j] |= pattern_written(&list->item[k], text, i, j);
}

/* The controls of a mask with `words` words in each slot; *bits [n_slots * words] are to be written. NULL: out of
 * memory. */
static HeadControl *new_control(const HeadPlan *p, long words, Arena *a, uint64_t **bits)
{
    AttentionMask *mask = arena_alloc(a, 1, sizeof *mask);
    HeadControl *layer = arena_calloc(a, (size_t)layer_count(p->layers), sizeof *layer);
    *bits = arena_alloc(a, (size_t)p->n_slots * (size_t)words, sizeof **bits);
    if (!mask || !layer || !*bits) return NULL;
    *mask = (AttentionMask){ p->n_slots, words, *bits };
    for (int l = 0; l < p->layers; l++)
        layer[l] = (HeadControl){ .mask = mask,
                                  .slot_of_head = p->slot_of_head[l],
                                  .fixed = p->fixed[l],
                                  .bias_of_head = p->weights_of_head[l] };
    return layer;
}

Status head_plan_written_control(const HeadPlan *plan, const WrittenText *text, const Batch *queries, Arena *arena,
                                 const HeadControl **out, Error *error)
{
    long words = 0;
    int most = 1;
    *out = NULL;
    if (plan->n_slots == 0) return OK;
    for (int b = 0; b < queries->n_sent; b++) {
        words += (long)tokens_of(queries, b) * attention_mask_row(text[b].n + 1);
        if (text[b].n + 1 > most) most = text[b].n + 1;
    }
    uint64_t *row;
    HeadControl *layer = new_control(plan, words, arena, &row);
    uint8_t *allowed = arena_alloc(arena, (size_t)most, 1);
    if (!layer || !allowed) return out_of_memory(error);
    for (int k = 0; k < plan->n_slots; k++)
        for (int b = 0; b < queries->n_sent; b++) {
            int m = text[b].n + 1;
            for (int i = m - tokens_of(queries, b); i < m; i++, row += attention_mask_row(m)) {
                fill_row(plan->slot[k], &text[b], i, allowed);
                attention_mask_set(row, allowed, m);
            }
        }
    *out = layer;
    return OK;
}

Status head_plan_written_targets(const HeadPlan *plan, const WrittenText *text, int n, GuidanceTargets *targets,
                                 Arena *arena, Error *error)
{
    int most = 1;
    for (int b = 0; b < n; b++)
        if (text[b].n + 1 > most) most = text[b].n + 1;
    uint8_t *allowed = arena_alloc(arena, (size_t)most, 1);
    Status s = allowed ? OK : error_set(error, ERR_NOMEM, "out of memory for targets of guided heads");
    for (int g = 0; g < plan->n_guides && s == OK; g++) {
        guidance_targets_clear(&targets[g]);
        for (int b = 0; b < n; b++)
            for (int i = 0; i <= text[b].n && s == OK; i++) {
                fill_row(plan->guide[g].patterns, &text[b], i, allowed);
                s = guidance_targets_add(&targets[g], allowed, 1, text[b].n + 1, error);
            }
    }
    return s;
}

Status head_plan_source_keys(const HeadPlan *plan, const PatternSentence *sentences, const Batch *batch, Arena *arena,
                             const uint64_t **keys, Error *error)
{
    size_t words = 0, longest = (size_t)batch->longest;
    *keys = NULL;
    if (plan->n_slots == 0) return OK;
    for (int b = 0; b < batch->n_sent; b++) words += (size_t)attention_mask_row(tokens_of(batch, b));
    uint64_t *bits = arena_alloc(arena, (size_t)plan->n_slots * words, sizeof *bits), *row = bits;
    if (!bits) return out_of_memory(error);
    ArenaMark mark = arena_mark(arena);
    uint8_t *allowed = arena_alloc(arena, longest * longest, 1);
    Status s = allowed ? OK : out_of_memory(error);
    for (int k = 0; k < plan->n_slots && s == OK; k++)
        for (int b = 0; b < batch->n_sent && s == OK; b++) {
            int m = tokens_of(batch, b);
            ArenaMark sentence = arena_mark(arena);
            memset(allowed, 0, (size_t)m);
            if (!pattern_list_lacks(plan->slot[k],
                                    &sentences[b])) /* as a target: without the pieces of the row's word */
                s = head_plan_fill(plan->slot[k], &sentences[b], true, allowed, arena, error);
            attention_mask_set(row, allowed, m); /* the rows of a set of keys are alike */
            row += attention_mask_row(m);
            arena_rewind(arena, sentence);
        }
    arena_rewind(arena, mark);
    *keys = bits;
    return s;
}

Status head_plan_source_control(const HeadPlan *plan, const uint64_t *keys, const Batch *queries, const Batch *source,
                                Arena *arena, const HeadControl **out, Error *error)
{
    long words = 0;
    for (int b = 0; b < source->n_sent; b++)
        words += (long)tokens_of(queries, b) * attention_mask_row(tokens_of(source, b));
    uint64_t *to;
    HeadControl *layer = new_control(plan, words, arena, &to);
    if (!layer) return out_of_memory(error);
    for (int k = 0; k < plan->n_slots; k++)
        for (int b = 0; b < source->n_sent; b++) {
            int row = attention_mask_row(tokens_of(source, b));
            for (int i = 0; i < tokens_of(queries, b); i++, to += row) memcpy(to, keys, (size_t)row * sizeof *to);
            keys += row;
        }
    *out = layer;
    return OK;
}
