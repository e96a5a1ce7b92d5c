/* lal/heads/head_plan.h
 * Which patterns act on which heads of an encoder: masks and fixed heads (lal/heads/attention_mask.h) and guided heads
 * (lal/heads/guidance.h). A model has one plan; for each batch it gives what acts on the heads (HeadControl) and
 * what guided heads are drawn to. */
#ifndef LAL_LAL_HEAD_PLAN_H
#define LAL_LAL_HEAD_PLAN_H

#include "lal/heads/attention_mask.h"
#include "lal/heads/guidance.h"
#include "lal/heads/head_control.h"

enum { HEAD_SLOTS_MOST = 256, HEAD_GUIDES_MOST = 256 };

/* The heads that one list of patterns guides. */
typedef struct HeadGuide {
    const PatternList *patterns;
    bool one_row;         /* of label heads with a query vector */
    int n, *layer, *head; /* [n] */
} HeadGuide;

/* Numbers of layers with heads: 0 .. layers - 1 self-attention, `layers` the label heads, layers + 1 + l the projected
 * attention beside layer l. */
typedef struct HeadPlan {
    int layers, heads, label_heads, pal_heads;
    bool label_rows; /* label heads have a row for each token: a query matrix */
    int n_slots, n_keys, n_guides;
    const PatternList *slot[HEAD_SLOTS_MOST], *keys[KEY_SLOTS_MOST];
    HeadGuide guide[HEAD_GUIDES_MOST];
    int **slot_of_head, **fixed; /* [2 layers + 1] [heads of the layer], NULL: of no head */
    Arena memory;
} HeadPlan;

/* A plan in which nothing acts on a head. head_plan_fini frees it, also after a failure. ERR_NOMEM. */
Status head_plan_init(HeadPlan *p, int layers, int heads, int label_heads, bool label_rows, int pal_heads, Error *e);
void head_plan_fini(HeadPlan *p);

/* Adds all entries of checked options, which are borrowed. Errors as of
 * head_plan_add. */
Status head_plan_take(HeadPlan *p, const EncoderOptions *o, Error *e);
/* The union of these patterns, which are borrowed, acts on the heads head[k] of the layers layer[k], k < n. The numbers
 * are valid, and no head has two masks. ERR_RANGE when there are too many lists, ERR_NOMEM. */
Status head_plan_add(HeadPlan *p, const PatternList *patterns, HeadUse use, int n, const int *layer, const int *head,
                     Error *e);

/* Does the plan need this of the sentences that masks and fixed heads are made from? */
bool head_plan_masks(const HeadPlan *p);
bool head_plan_needs_parse(const HeadPlan *p);
bool head_plan_needs_heads(const HeadPlan *p); /* dependencies of the parse */
bool head_plan_needs_tree(const HeadPlan *p);
bool head_plan_needs_df(const HeadPlan *p); /* of guided heads too */

/* The controls of all layers for a batch of these sentences, [2 layers + 1], in the arena; *out is NULL where the
 * plan has no mask. A sentence that lacks what a pattern needs, such as a parse, is not restricted by it. ERR_NOMEM. */
Status head_plan_control(const HeadPlan *p, const PatternSentence *s, const Batch *batch, Arena *a,
                         const HeadControl **out, Error *e);

/* The targets of the guides for these sentences, targets [n_guides], which may have been used before. A sentence that
 * lacks what a pattern needs takes no part, nor does one without a word of label_span. ERR_NOMEM. */
Status head_plan_targets(const HeadPlan *p, const PatternSentence *s, const Batch *batch, GuidanceTargets *targets,
                         Arena *scratch, Error *e);

#endif
