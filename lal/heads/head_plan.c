/* An entry of the options gets a slot that its heads share: of masks by rows, of key sets, of
 * pieces, or of guidance; for a batch each slot is filled once. */
#include "lal/heads/head_plan.h"

#include <string.h>

Status head_plan_init(HeadPlan *plan, int layers, int heads, int label_heads, bool label_rows, int pal_heads,
                      Error *error)
{
    *plan = (HeadPlan){
        .layers = layers, .heads = heads, .label_heads = label_heads, .label_rows = label_rows, .pal_heads = pal_heads
    };
    arena_init(&plan->memory, 1024);
    return head_plan_add_pretrained(plan, 0, 0, error);
}

Status head_plan_add_pretrained(HeadPlan *plan, int layers, int heads, Error *error)
{
    plan->piece_layers = layers;
    plan->piece_heads = heads;
    size_t n = (size_t)head_plan_layers(plan);
    plan->slot_of_head = arena_calloc(&plan->memory, n, sizeof *plan->slot_of_head);
    plan->fixed = arena_calloc(&plan->memory, n, sizeof *plan->fixed);
    plan->weights_of_head = arena_calloc(&plan->memory, n, sizeof *plan->weights_of_head);
    return plan->slot_of_head && plan->fixed && plan->weights_of_head
               ? OK
               : error_set(error, ERR_NOMEM, "out of memory for the encoder");
}

Status head_plan_init_decoder(HeadPlan *plan, DecoderStack stack, int layers, int heads, Error *error)
{
    Status s = head_plan_init(plan, layers, heads, 0, false, 0, error);
    plan->self = decoder_stack(stack);
    return s;
}

void head_plan_fini(HeadPlan *plan)
{
    arena_fini(&plan->memory);
    *plan = (HeadPlan){ 0 };
}

static bool of_pieces(const HeadPlan *p, LayerId layer) { return layer >= layer_count(p->layers); }

static int heads_of(const HeadPlan *p, LayerId layer)
{
    switch (layer_place(p->layers, p->piece_layers, layer).stack) {
    case STACK_SELF: return p->heads;
    case STACK_LABEL: return p->label_heads;
    case STACK_PRETRAINED: return p->piece_heads;
    default: return p->pal_heads;
    }
}

static bool has_rows(const HeadPlan *p, LayerId layer) { return layer != layer_label(p->layers) || p->label_rows; }

/* The array of a layer, allocated at the first call. */
static int *of_layer(HeadPlan *p, int **arrays, LayerId layer, int value)
{
    int n = heads_of(p, layer);
    if (arrays[layer]) return arrays[layer];
    arrays[layer] = arena_alloc(&p->memory, (size_t)n, sizeof(int));
    for (int h = 0; arrays[layer] && h < n; h++) arrays[layer][h] = value;
    return arrays[layer];
}

static Status add_guide(HeadPlan *p, const PatternList *patterns, int n, const LayerId *layer, const int *head,
                        Error *e)
{
    HeadGuide *g = &p->guide[p->n_guides];
    *g = (HeadGuide){ .patterns = patterns,
                      .one_row = !has_rows(p, layer[0]),
                      .pieces = of_pieces(p, layer[0]),
                      .n = n,
                      .layer = arena_alloc(&p->memory, (size_t)n, sizeof(LayerId)),
                      .head = arena_alloc(&p->memory, (size_t)n, sizeof(int)) };
    if (!g->layer || !g->head) return error_set(e, ERR_NOMEM, "out of memory for the encoder");
    memcpy(g->layer, layer, (size_t)n * sizeof *layer);
    memcpy(g->head, head, (size_t)n * sizeof *head);
    p->n_guides++;
    return OK;
}

Status head_plan_add(HeadPlan *plan, const PatternList *patterns, HeadUse use, int n, const LayerId *layer,
                     const int *head, Error *error)
{
    if (n == 0) return OK;
    if (plan->n_slots == HEAD_SLOTS_MOST || plan->n_piece_slots == HEAD_SLOTS_MOST || plan->n_keys == KEY_SLOTS_MOST ||
        plan->n_guides == HEAD_GUIDES_MOST)
        return error_set(error, ERR_RANGE,
                         "found too many patterns of heads, expected at most %d of label heads, %d others",
                         KEY_SLOTS_MOST, HEAD_SLOTS_MOST);
    if (use == USE_GUIDE) return add_guide(plan, patterns, n, layer, head, error);
    const bool rows = has_rows(plan, layer[0]), pieces = of_pieces(plan, layer[0]),
               weighted = pattern_is_weighted(patterns->item[0].kind);
    if (weighted && plan->n_weights == HEAD_WEIGHTS_MOST)
        return error_set(error, ERR_RANGE, "found too many patterns with weights, expected at most %d",
                         HEAD_WEIGHTS_MOST);
    int slot = pieces ? plan->n_piece_slots : rows ? plan->n_slots : plan->n_keys;
    for (int k = 0; k < n; k++) {
        int *slots = of_layer(plan, plan->slot_of_head, layer[k], -1),
            *fixed = use == USE_FIXED ? of_layer(plan, plan->fixed, layer[k], 0) : NULL,
            *weights = weighted ? of_layer(plan, plan->weights_of_head, layer[k], -1) : NULL;
        if (!slots || (use == USE_FIXED && !fixed) || (weighted && !weights))
            return error_set(error, ERR_NOMEM, "out of memory for the encoder");
        slots[head[k]] = slot;
        if (fixed) fixed[head[k]] = 1;
        if (weights) weights[head[k]] = plan->n_weights;
    }
    if (weighted) plan->weights[plan->n_weights++] = &patterns->item[0];
    if (pieces) plan->piece_slot[plan->n_piece_slots++] = patterns;
    else if (rows) plan->slot[plan->n_slots++] = patterns;
    else plan->keys[plan->n_keys++] = patterns;
    return OK;
}

/* Does a layer belong to the entry? */
static bool in_layer(const HeadPlan *p, const EncoderOptions *o, const HeadEntry *entry, LayerId layer)
{
    const LayerPlace at = layer_place(p->layers, p->piece_layers, layer);
    if (entry->stack != (at.stack == STACK_SELF ? p->self : at.stack)) return false;
    if (at.stack == STACK_LABEL) return true;
    if (at.stack == STACK_PAL && !head_numbers_has(&o->pal.layers, at.l)) return false;
    if (at.stack == STACK_PRETRAINED_PAL && !head_numbers_has(&o->pal.pretrained_layers, at.l)) return false;
    return head_numbers_has(&entry->layers, at.l);
}

/* Fills layer and head with the heads of an entry, layer by layer; returns their number. */
static int entry_heads(const HeadPlan *p, const EncoderOptions *o, const HeadEntry *entry, LayerId *layer, int *head)
{
    int n = 0;
    for (LayerId l = 0; l < head_plan_layers(p); l++)
        for (int h = 0; in_layer(p, o, entry, l) && h < heads_of(p, l); h++) {
            if (!head_numbers_has(&entry->heads, h)) continue;
            layer[n] = l;
            head[n++] = h;
        }
    return n;
}

/* Adds an entry of label_span, in which each head has a label of its own. */
static Status take_label_spans(HeadPlan *p, const HeadEntry *entry, Error *e)
{
    const LayerId label = layer_label(p->layers);
    Status status = OK;
    for (int k = 0; k < entry->heads.n && status == OK; k++) {
        PatternList *list = arena_alloc(&p->memory, 1, sizeof *list);
        Pattern *item = arena_alloc(&p->memory, (size_t)entry->patterns.n, sizeof *item);
        if (!list || !item) return error_set(e, ERR_NOMEM, "out of memory for the encoder");
        memcpy(item, entry->patterns.item, (size_t)entry->patterns.n * sizeof *item);
        for (int i = 0; i < entry->patterns.n; i++)
            if (item[i].kind == PATTERN_LABEL_SPAN) item[i].label = entry->labels[k];
        *list = (PatternList){ entry->patterns.n, item };
        status = head_plan_add(p, list, entry->use, 1, &label, &entry->heads.item[k], e);
    }
    return status;
}

Status head_plan_take(HeadPlan *plan, const EncoderOptions *options, Error *error)
{
    size_t most = (size_t)plan->layers * (size_t)(plan->heads + plan->pal_heads) + (size_t)plan->label_heads +
                  (size_t)plan->piece_layers * (size_t)(plan->piece_heads + plan->pal_heads);
    LayerId *layer = arena_alloc(&plan->memory, most, sizeof *layer);
    int *head = arena_alloc(&plan->memory, most, sizeof *head);
    Status status = layer && head ? OK : error_set(error, ERR_NOMEM, "out of memory for the encoder");
    for (int k = 0; k < options->n_heads && status == OK; k++) {
        const HeadEntry *entry = &options->heads[k];
        if (entry->labels) status = take_label_spans(plan, entry, error);
        else
            status = head_plan_add(plan, &entry->patterns, entry->use, entry_heads(plan, options, entry, layer, head),
                                   layer, head, error);
    }
    return status;
}

bool head_plan_masks(const HeadPlan *plan) { return plan->n_slots + plan->n_keys + plan->n_piece_slots > 0; }

/* Does a pattern of the list that needs a parse need its tree, or else its dependencies? */
static bool list_needs(const PatternList *l, bool tree)
{
    bool needs = false;
    for (int k = 0; k < l->n; k++)
        needs = needs || (pattern_needs_parse(&l->item[k]) && (l->item[k].kind == PATTERN_INTRA_SPAN) == tree);
    return needs;
}

/* Returns the patterns of mask k, counting slots, then keys, then slots of pieces; NULL past the last mask. */
static const PatternList *mask(const HeadPlan *p, int k)
{
    if (k < p->n_slots) return p->slot[k];
    k -= p->n_slots;
    if (k < p->n_keys) return p->keys[k];
    k -= p->n_keys;
    return k < p->n_piece_slots ? p->piece_slot[k] : NULL;
}

static bool masks_need(const HeadPlan *p, bool tree)
{
    bool needs = false;
    for (int k = 0; mask(p, k) && !needs; k++) needs = list_needs(mask(p, k), tree);
    return needs;
}

bool head_plan_needs_heads(const HeadPlan *plan) { return masks_need(plan, false); }

bool head_plan_needs_tree(const HeadPlan *plan) { return masks_need(plan, true); }

static bool has_kind(const PatternList *l, PatternKind kind)
{
    bool has = false;
    for (int k = 0; k < l->n; k++) has = has || l->item[k].kind == kind;
    return has;
}

bool head_plan_needs_df(const HeadPlan *plan)
{
    bool needs = false;
    for (int k = 0; mask(plan, k) && !needs; k++) needs = has_kind(mask(plan, k), PATTERN_RARE_W);
    for (int k = 0; k < plan->n_guides; k++) needs = needs || has_kind(plan->guide[k].patterns, PATTERN_RARE_W);
    return needs;
}

static Status fill_masks(const HeadPlan *p, const PatternSentence *sentence, MaskSet *set, int b, uint8_t *allowed,
                         Arena *a, Error *e)
{
    Status status = OK;
    for (int k = 0; k < p->n_slots + p->n_keys && status == OK; k++) {
        const PatternList *list = mask(p, k);
        if (pattern_list_lacks(list, sentence)) continue;
        status = head_plan_fill(list, sentence, false, allowed, a, e);
        if (status == OK && k < p->n_slots) mask_set_pairs(set, k, b, allowed);
        else if (status == OK) mask_set_keys(set, k - p->n_slots, b, allowed);
    }
    return status;
}

Status head_plan_control(const HeadPlan *plan, const PatternSentence *sentences, const Batch *batch, Arena *arena,
                         const HeadControl **out, Error *error)
{
    *out = NULL;
    if (plan->n_slots + plan->n_keys == 0) return OK;
    MaskSet *set = arena_alloc(arena, 1, sizeof *set);
    HeadControl *layer = arena_calloc(arena, (size_t)layer_count(plan->layers), sizeof *layer);
    if (!set || !layer) return error_set(error, ERR_NOMEM, "out of memory for masks");
    Status status = mask_set_init(set, batch, plan->n_slots, plan->n_keys, arena, error);
    if (status != OK) return status;
    ArenaMark mark = arena_mark(arena);
    uint8_t *allowed = arena_alloc(arena, (size_t)batch->longest * (size_t)batch->longest, 1);
    if (!allowed) return error_set(error, ERR_NOMEM, "out of memory for masks");
    for (int b = 0; b < batch->n_sent && status == OK; b++) {
        ArenaMark sentence = arena_mark(arena);
        status = fill_masks(plan, &sentences[b], set, b, allowed, arena, error);
        arena_rewind(arena, sentence);
    }
    arena_rewind(arena, mark);
    for (LayerId l = 0; l < layer_count(plan->layers); l++)
        layer[l] = (HeadControl){ .mask = &set->mask,
                                  .keys = set->keys,
                                  .slot_of_head = plan->slot_of_head[l],
                                  .fixed = plan->fixed[l],
                                  .bias_of_head = plan->weights_of_head[l] };
    *out = layer;
    return status;
}

Tensor *head_plan_weights(const HeadPlan *plan, Tape *tape, const Batch *queries, const Batch *keys)
{
    if (plan->n_weights == 0 || !queries || !keys) return NULL;
    const long *start = op_attention_pairs(tape, queries, keys);
    long pairs = start ? start[queries->n_sent] : 0;
    Real *logits = tape_host(tape, (size_t)plan->n_weights * (size_t)pairs, sizeof *logits), *next = logits;
    if (!start || !logits) return NULL;
    for (int k = 0; k < plan->n_weights; k++)
        for (int b = 0; b < queries->n_sent; b++) {
            int m = queries->start[b + 1] - queries->start[b], n = keys->start[b + 1] - keys->start[b];
            for (int i = n - m; i < n; i++)
                for (int j = 0; j < n; j++) *next++ = (Real)pattern_logit(plan->weights[k], j - i);
        }
    return tape_constant(tape, logits, plan->n_weights, (int)pairs);
}

Status head_plan_targets(const HeadPlan *plan, const PatternSentence *sentences, const Batch *batch,
                         GuidanceTargets *targets, Arena *scratch, Error *error)
{
    ArenaMark mark = arena_mark(scratch);
    size_t most = (size_t)batch->longest * (size_t)batch->longest;
    uint8_t *allowed = arena_alloc(scratch, most, 1);
    Status status = allowed ? OK : error_set(error, ERR_NOMEM, "out of memory for targets of guided heads");
    for (int k = 0; k < plan->n_guides && status == OK; k++) {
        const HeadGuide *g = &plan->guide[k];
        if (g->pieces) continue;
        guidance_targets_clear(&targets[k]);
        for (int b = 0; b < batch->n_sent && status == OK; b++) {
            int m = sentences[b].token ? sentences[b].n_pieces : sentences[b].n + 2;
            ArenaMark sentence = arena_mark(scratch);
            int rows = g->one_row ? 1 : m;
            bool lacks = pattern_list_lacks(g->patterns, &sentences[b]) != NULL;
            if (!lacks) status = head_plan_fill(g->patterns, &sentences[b], true, allowed, scratch, error);
            bool none = lacks || (has_kind(g->patterns, PATTERN_LABEL_SPAN) && !memchr(allowed, 1, (size_t)m));
            if (status == OK)
                status = none ? guidance_targets_skip(&targets[k], rows, error)
                              : guidance_targets_add(&targets[k], allowed, rows, m, error);
            arena_rewind(scratch, sentence);
        }
    }
    arena_rewind(scratch, mark);
    return status;
}

/* Fills out [heads of all guides] with the guided heads of a layer; returns their number. */
static int guided_heads(const HeadPlan *p, LayerId layer, const int *row, const GuidanceTargets *targets,
                        GuidanceEmptyRow empty, GuidedHead *out)
{
    int n = 0;
    for (int g = 0; g < p->n_guides; g++)
        for (int k = 0; k < p->guide[g].n; k++) {
            if (p->guide[g].layer[k] != layer) continue;
            int h = p->guide[g].head[k], at = row ? row[h] : h;
            bool masked = p->slot_of_head[layer] && p->slot_of_head[layer][h] >= 0;
            if (at >= 0)
                out[n++] =
                    (GuidedHead){ at, &targets[g], masked ? EMPTY_SKIP : empty, .causal = p->self == STACK_DECODER };
        }
    return n;
}

Tensor *head_plan_guidance(Tape *tape, const HeadPlan *plan, LayerId layer, Tensor *probs, const int *row,
                           const GuidanceTargets *targets, const Batch *batch, GuidanceNorm norm,
                           GuidanceEmptyRow empty, double sentences)
{
    size_t most = 0;
    for (int g = 0; g < plan->n_guides; g++) most += (size_t)plan->guide[g].n;
    if (most == 0) return NULL;
    GuidedHead *heads = tape_host(tape, most, sizeof *heads);
    int n = heads ? guided_heads(plan, layer, row, targets, empty, heads) : 0;
    return n ? guidance_loss(tape, probs, !has_rows(plan, layer), heads, n, batch, norm, sentences) : NULL;
}
