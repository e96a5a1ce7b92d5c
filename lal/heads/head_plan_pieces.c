/* Masks and targets for the pieces of words that a pretrained encoder reads */
#include <string.h>

#include "lal/heads/head_plan.h"

/* One sequence of m pieces, while its sets are made. */
typedef struct Sequence {
    const PatternSentence *s; /* its sentence */
    const int *token;         /* [m] */
    int m;
    bool target; /* the sets are targets of guidance, without the piece's own word */
} Sequence;

enum { TAKES_PART, IS_CUT }; /* IS_CUT: the set of the word is not empty, but no word of it is in the window */

/* Adds the set of one pattern to each row of allowed [m * m], and marks cut rows in row [m], unless this is NULL. */
static Status add_pattern(const Pattern *p, const Sequence *q, uint8_t *allowed, uint8_t *row, Arena *a, Error *e)
{
    const PatternSentence pieces = { .n = q->m - 2 };
    bool of_pieces = pattern_is_of_pieces(p->kind);
    size_t n = of_pieces ? (size_t)q->m : (size_t)q->s->n + 2, m = (size_t)q->m;
    uint8_t *sets = arena_alloc(a, n * n, 1), *expanded = of_pieces ? sets : arena_alloc(a, m * m, 1);
    if (!sets || !expanded) return error_set(e, ERR_NOMEM, "out of memory for the patterns of pieces");
    Status s = pattern_fill(p, of_pieces ? &pieces : q->s, sets, a, e);
    if (s != OK) return s;
    if (!of_pieces) pattern_expand(sets, (int)n, q->token, q->m, !q->target, expanded);
    for (size_t k = 0; k < m * m; k++) allowed[k] |= expanded[k];
    for (size_t i = 0; i < m && row && !of_pieces; i++)
        if (memchr(sets + (size_t)q->token[i] * n, 1, n) && !memchr(expanded + i * m, 1, m)) row[i] = IS_CUT;
    return OK;
}

/* add_pattern for the union of patterns. */
static Status fill_sequence(const PatternList *list, const Sequence *q, uint8_t *allowed, uint8_t *row, Arena *a,
                            Error *e)
{
    Status s = OK;
    memset(allowed, 0, (size_t)q->m * (size_t)q->m);
    if (row) memset(row, TAKES_PART, (size_t)q->m);
    for (int k = 0; k < list->n && s == OK; k++) s = add_pattern(&list->item[k], q, allowed, row, a, e);
    return s;
}

Status head_plan_fill(const PatternList *list, const PatternSentence *sentence, bool target, uint8_t *allowed,
                      Arena *arena, Error *error)
{
    if (!sentence->token) return pattern_list_fill(list, sentence, allowed, arena, error);
    const Sequence q = { sentence, sentence->token, sentence->n_pieces, target };
    return fill_sequence(list, &q, allowed, NULL, arena, error);
}

static Sequence sequence_of(const PatternSentence *sentences, const HeadPieces *pieces, int b, bool target)
{
    const int *start = pieces->batch->start + b;
    return (Sequence){ &sentences[pieces->sentence[b]], pieces->token + start[0], start[1] - start[0], target };
}

Status head_plan_piece_control(const HeadPlan *plan, const PatternSentence *sentences, const HeadPieces *pieces,
                               Arena *arena, const HeadControl **out, Error *error)
{
    *out = NULL;
    if (plan->n_piece_slots == 0) return OK;
    const Batch *batch = pieces->batch;
    int layers = 2 * plan->piece_layers, first = layer_piece(plan->layers, 0);
    MaskSet *set = arena_alloc(arena, 1, sizeof *set);
    HeadControl *layer = arena_calloc(arena, (size_t)layers, sizeof *layer);
    if (!set || !layer) return error_set(error, ERR_NOMEM, "out of memory for masks");
    Status status = mask_set_init(set, batch, plan->n_piece_slots, 0, arena, error);
    if (status != OK) return status;
    ArenaMark mark = arena_mark(arena);
    uint8_t *allowed = arena_alloc(arena, (size_t)batch->longest * (size_t)batch->longest, 1);
    if (!allowed) return error_set(error, ERR_NOMEM, "out of memory for masks");
    for (int k = 0; k < plan->n_piece_slots; k++)
        for (int b = 0; b < batch->n_sent && status == OK; b++) {
            const Sequence q = sequence_of(sentences, pieces, b, false);
            ArenaMark sentence = arena_mark(arena);
            if (pattern_list_lacks(plan->piece_slot[k], q.s)) continue;
            status = fill_sequence(plan->piece_slot[k], &q, allowed, NULL, arena, error);
            if (status == OK) mask_set_pairs(set, k, b, allowed);
            arena_rewind(arena, sentence);
        }
    arena_rewind(arena, mark);
    for (int l = 0; l < layers; l++)
        layer[l] = (HeadControl){ .mask = &set->mask,
                                  .slot_of_head = plan->slot_of_head[first + l],
                                  .fixed = plan->fixed[first + l] };
    *out = layer;
    return status;
}

const HeadControl *head_plan_piece_part(const HeadControl *all, int layers, const Batch *batch, int from, int to,
                                        Arena *arena)
{
    const AttentionMask *whole = all[0].mask; /* of all layers */
    const Batch before = { from, batch->start, 0, 0 }, until = { to, batch->start, 0, 0 };
    long first = attention_mask_words(&before), words = attention_mask_words(&until) - first;
    AttentionMask *mask = arena_alloc(arena, 1, sizeof *mask);
    HeadControl *layer = arena_alloc(arena, (size_t)layers, sizeof *layer);
    uint64_t *bits = arena_alloc(arena, (size_t)whole->slots * (size_t)words, sizeof *bits);
    if (!mask || !layer || !bits) return NULL;
    for (int k = 0; k < whole->slots; k++)
        memcpy(bits + k * words, whole->bits + k * whole->words + first, (size_t)words * sizeof *bits);
    *mask = (AttentionMask){ whole->slots, words, bits };
    for (int l = 0; l < layers; l++) {
        layer[l] = all[l];
        layer[l].mask = mask;
    }
    return layer;
}

/* Adds the targets of one sequence; memory [longest * (longest + 1)]. */
static Status add_targets(const PatternList *list, const Sequence *q, uint8_t *memory, GuidanceTargets *to, Arena *a,
                          Error *e)
{
    uint8_t *row = memory, *allowed = memory + q->m;
    if (pattern_list_lacks(list, q->s)) return guidance_targets_skip(to, q->m, e);
    Status s = fill_sequence(list, q, allowed, row, a, e);
    for (int i = 0; i < q->m && s == OK; i++, allowed += q->m) {
        bool skipped = row[i] == IS_CUT && !memchr(allowed, 1, (size_t)q->m);
        s = skipped ? guidance_targets_skip(to, 1, e) : guidance_targets_add(to, allowed, 1, q->m, e);
    }
    return s;
}

Status head_plan_piece_targets(const HeadPlan *plan, const PatternSentence *sentences, const HeadPieces *pieces,
                               GuidanceTargets *targets, Arena *scratch, Error *error)
{
    ArenaMark mark = arena_mark(scratch);
    size_t longest = (size_t)pieces->batch->longest;
    uint8_t *memory = arena_alloc(scratch, longest * (longest + 1), 1);
    Status status = memory ? OK : error_set(error, ERR_NOMEM, "out of memory for targets of guided heads");
    for (int k = 0; k < plan->n_guides && status == OK; k++) {
        if (!plan->guide[k].pieces) continue;
        guidance_targets_clear(&targets[k]);
        for (int b = 0; b < pieces->batch->n_sent && status == OK; b++) {
            const Sequence q = sequence_of(sentences, pieces, b, true);
            ArenaMark sentence = arena_mark(scratch);
            status = add_targets(plan->guide[k].patterns, &q, memory, &targets[k], scratch, error);
            arena_rewind(scratch, sentence);
        }
    }
    arena_rewind(scratch, mark);
    return status;
}
