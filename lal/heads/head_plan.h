/* lal/heads/head_plan.h
 * Which patterns act on which heads of an encoder: masks and fixed heads (lal/heads/attention_mask.h) and guided heads
 * (lal/heads/guidance.h). A model has one plan; for each batch it gives what acts on the heads (HeadControl) and
 * what guided heads are drawn to. */
#pragma once

#include "lal/heads/attention_mask.h"
#include "lal/heads/guidance.h"
#include "lal/heads/head_control.h"

enum { HEAD_SLOTS_MOST = 256, HEAD_GUIDES_MOST = 256 };

/* The heads that one list of patterns guides. */
typedef struct HeadGuide {
    const PatternList *patterns;
    bool one_row;         /* of label heads with a query vector */
    bool pieces;          /* of a pretrained encoder */
    int n, *layer, *head; /* [n] */
} HeadGuide;

/* Numbers of layers with heads: 0 .. layers - 1 self-attention, `layers` the label heads, layers + 1 + l the projected
 * attention beside layer l. Those of a pretrained encoder, whose tokens are pieces of words, follow: first = 2 layers +
 * 1, first + l its self-attention, first + piece_layers + l the projected attention beside its layer l. */
typedef struct HeadPlan {
    int layers, heads, label_heads, pal_heads;
    bool label_rows; /* label heads have a row for each token: a query matrix */
    int piece_layers, piece_heads;
    int n_slots, n_keys, n_piece_slots, n_guides;
    const PatternList *slot[HEAD_SLOTS_MOST], *keys[KEY_SLOTS_MOST], *piece_slot[HEAD_SLOTS_MOST];
    HeadGuide guide[HEAD_GUIDES_MOST];
    int **slot_of_head, **fixed; /* [head_plan_layers] [heads of the layer], NULL: of no head */
    Arena memory;
} HeadPlan;

static inline int head_plan_first_piece_layer(const HeadPlan *p) { return 2 * p->layers + 1; }
static inline int head_plan_layers(const HeadPlan *p) { return 2 * (p->layers + p->piece_layers) + 1; }

/* A plan in which nothing acts on a head. head_plan_fini frees it, also after a failure. ERR_NOMEM. */
Status head_plan_init(HeadPlan *p, int layers, int heads, int label_heads, bool label_rows, int pal_heads, Error *e);
void head_plan_fini(HeadPlan *p);
/* Adds the layers of a pretrained encoder, before anything acts on a head; 0 layers: none. ERR_NOMEM. */
Status head_plan_add_pretrained(HeadPlan *p, int layers, int heads, Error *e);

/* Adds all entries of checked options, which are borrowed. Errors as of
 * head_plan_add. */
Status head_plan_take(HeadPlan *p, const EncoderOptions *o, Error *e);
/* The union of these patterns, which are borrowed, acts on the heads head[k] of the layers layer[k], k < n. The numbers
 * are valid, and no head has two masks. ERR_RANGE when there are too many lists, ERR_NOMEM. */
Status head_plan_add(HeadPlan *p, const PatternList *patterns, HeadUse use, int n, const int *layer, const int *head,
                     Error *e);

/* Does the plan need this of the sentences that masks and fixed heads are made from? */
bool head_plan_masks(const HeadPlan *p);
bool head_plan_needs_heads(const HeadPlan *p); /* dependencies of the parse */
bool head_plan_needs_tree(const HeadPlan *p);
bool head_plan_needs_df(const HeadPlan *p); /* of guided heads too */

/* The controls of all layers but those of pieces for a batch of these sentences, [2 layers + 1], in the arena; *out is
 * NULL where the plan has no mask for them. A sentence that lacks what a pattern needs, such as a parse, is not
 * restricted by it. ERR_NOMEM. */
Status head_plan_control(const HeadPlan *p, const PatternSentence *s, const Batch *batch, Arena *a,
                         const HeadControl **out, Error *e);

/* The targets of the guides but those of pieces for these sentences, targets [n_guides], which may have been used
 * before. A sentence that lacks what a pattern needs takes no part, nor does one without a word of label_span.
 * ERR_NOMEM. */
Status head_plan_targets(const HeadPlan *p, const PatternSentence *s, const Batch *batch, GuidanceTargets *targets,
                         Arena *scratch, Error *e);

/* ---- pieces of words */

/* The sequences of pieces that a pretrained encoder reads of the sentences of a batch: one for each sentence, or
 * several windows of a long one. The first piece of a sequence belongs to START, the last one to STOP. */
typedef struct HeadPieces {
    const Batch *batch;
    const int *sentence; /* [batch->n_sent] rising */
    const int *token;    /* [batch->n_tokens] of the sentence: 0 START, 1 .. n, n + 1 STOP */
} HeadPieces;

/* The controls of the layers of pieces, [2 piece_layers]; else as of head_plan_control. A piece may attend to the
 * pieces of the words in the set of its word and, unless this is empty, to those of its own word; self, next, prev and
 * rel_pos are sets of pieces of the sequence. What is not in its window, a piece does not see; where a window has no
 * word of the set, it sees its own word. */
Status head_plan_piece_control(const HeadPlan *p, const PatternSentence *s, const HeadPieces *pieces, Arena *a,
                               const HeadControl **out, Error *e);
/* The controls of `layers` layers that head_plan_piece_control made, for sequences from .. to - 1 of the batch alone.
 * NULL when out of memory. */
const HeadControl *head_plan_piece_part(const HeadControl *all, int layers, const Batch *batch, int from, int to,
                                        Arena *a);
/* The targets of the guides of pieces, else as of head_plan_targets: a piece is drawn to the pieces of the words in the
 * set of its word, not to its own. Where a window has no word of a set that is not empty, the piece takes no part. */
Status head_plan_piece_targets(const HeadPlan *p, const PatternSentence *s, const HeadPieces *pieces,
                               GuidanceTargets *targets, Arena *scratch, Error *e);

/* ---- loss */

/* The loss of the guided heads of a layer (lal/heads/guidance.h), [1, 1]; NULL where none is guided, or with the tape's
 * error. probs: of the layer; row [heads]: rows of its heads in probs, -1: none, or NULL: their numbers; targets
 * [n_guides]. Empty rows of heads with a mask are skipped. */
Tensor *head_plan_guidance(Tape *t, const HeadPlan *p, int layer, Tensor *probs, const int *row,
                           const GuidanceTargets *targets, const Batch *batch, GuidanceNorm norm,
                           GuidanceEmptyRow empty, double sentences);
