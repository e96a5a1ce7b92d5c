/* Which patterns act on which heads of an encoder: masks and fixed heads (lal/heads/attention_mask.h) and guided heads
 * (lal/heads/guidance.h). A model has one plan; for each batch it gives what acts on the heads (HeadControl) and what
 * guided heads are drawn to. A decoder has two more, one for each of its stacks; the functions at the end say what
 * acts on their heads. */
#pragma once

#include "lal/heads/attention_mask.h"
#include "lal/heads/guidance.h"
#include "lal/heads/head_control.h"

enum { HEAD_SLOTS_MOST = 256, HEAD_GUIDES_MOST = 256, HEAD_WEIGHTS_MOST = 64 };

/* The heads that one list of patterns guides. */
typedef struct HeadGuide {
    const PatternList *patterns;
    bool one_row; /* they are label heads with a query vector */
    bool pieces;  /* they belong to a pretrained encoder */
    int n, *head; /* head[k] of layer[k], k < n */
    LayerId *layer;
} HeadGuide;

typedef struct HeadPlan {
    HeadStack self; /* what self-attention of the plan is to options: STACK_SELF, or a stack of a decoder */
    int layers, heads, label_heads, pal_heads;
    bool label_rows;               /* label heads have a query matrix, so a row for each token */
    int piece_layers, piece_heads; /* the pretrained encoder */
    int n_slots, n_keys, n_piece_slots, n_guides;
    const PatternList *slot[HEAD_SLOTS_MOST], *keys[KEY_SLOTS_MOST], *piece_slot[HEAD_SLOTS_MOST];
    HeadGuide guide[HEAD_GUIDES_MOST];
    int **slot_of_head, **fixed;      /* [head_plan_layers][heads of the layer], or NULL where no head has one */
    int n_weights, **weights_of_head; /* the pattern of `weights` that a fixed head has, or -1; as above */
    const Pattern *weights[HEAD_WEIGHTS_MOST];
    Arena memory;
} HeadPlan;

/* The number of all layers of a plan: of the model and of pieces, with their projected attention. */
static inline int head_plan_layers(const HeadPlan *plan)
{
    return layer_piece_pal(plan->layers, plan->piece_layers, plan->piece_layers);
}

/* Makes a plan in which nothing acts on a head. head_plan_fini frees it, also after a failure. ERR_NOMEM. */
Status head_plan_init(HeadPlan *plan, int layers, int heads, int label_heads, bool label_rows, int pal_heads,
                      Error *error);
void head_plan_fini(HeadPlan *plan);
/* Adds the layers of a pretrained encoder, before anything acts on a head; 0 layers: none. ERR_NOMEM. */
Status head_plan_add_pretrained(HeadPlan *plan, int layers, int heads, Error *error);
/* head_plan_init for a stack of a decoder. ERR_NOMEM. */
Status head_plan_init_decoder(HeadPlan *plan, DecoderStack stack, int layers, int heads, Error *error);

/* Adds all entries of checked options, which are borrowed. Errors of head_plan_add. */
Status head_plan_take(HeadPlan *plan, const EncoderOptions *options, Error *error);
/* Makes the union of these patterns, which are borrowed, act on head[k] of layer[k], k < n. The numbers must be valid,
 * and no head may get two masks. ERR_RANGE when there are too many lists, ERR_NOMEM. */
Status head_plan_add(HeadPlan *plan, const PatternList *patterns, HeadUse use, int n, const LayerId *layer,
                     const int *head, Error *error);

bool head_plan_masks(const HeadPlan *plan);
/* Do masks and fixed heads need the dependencies of a sentence's parse, or its tree? */
bool head_plan_needs_heads(const HeadPlan *plan);
bool head_plan_needs_tree(const HeadPlan *plan);
/* Do masks, fixed heads or guided heads need PatternSentence.df? */
bool head_plan_needs_df(const HeadPlan *plan);

/* Sets *out to the controls [layer_count] of the model's own layers for a batch of these sentences, in the arena, or to
 * NULL where the plan has no mask for them. Where sentences have pieces (PatternSentence.token), sets are of pieces, as
 * in head_plan_piece_control. A pattern does not restrict a sentence that lacks what it needs, such as a
 * parse. ERR_NOMEM. */
Status head_plan_control(const HeadPlan *plan, const PatternSentence *sentences, const Batch *batch, Arena *arena,
                         const HeadControl **out, Error *error);

/* The logits of fixed heads that have a pattern with weights (HeadControl.bias, whose bias_of_head the controls have):
 * [n_weights, pairs] of queries and keys, the last query of a text beside its last key. NULL where no head has one, or
 * with the tape's error. */
Tensor *head_plan_weights(const HeadPlan *plan, Tape *tape, const Batch *queries, const Batch *keys);

/* Sets targets [n_guides], which may have been used before, for these sentences and all guides without pieces. A
 * sentence that lacks what a pattern needs takes no part, nor does a sentence without a word of label_span. ERR_NOMEM.
 */
Status head_plan_targets(const HeadPlan *plan, const PatternSentence *sentences, const Batch *batch,
                         GuidanceTargets *targets, Arena *scratch, Error *error);

/* ---- pieces of words */

/* The sequences of pieces that a pretrained encoder reads for a batch: one for each sentence, or several windows of a
 * long sentence. The first piece of a sequence belongs to START, the last one to STOP. */
typedef struct HeadPieces {
    const Batch *batch;  /* its "sentences" are sequences, its "tokens" pieces */
    const int *sentence; /* [batch->n_sent] the sentence of each sequence, rising */
    const int *token;    /* [batch->n_tokens] the token of each piece: 0 START, 1 .. n, n + 1 STOP */
} HeadPieces;

/* The sets of a list, allowed [m * m] for a sentence of m tokens or, if it has them, pieces, which has what the list
 * needs; target: of guided heads. For the sentences of head_plan_control and head_plan_targets. ERR_NOMEM. */
Status head_plan_fill(const PatternList *list, const PatternSentence *sentence, bool target, uint8_t *allowed,
                      Arena *arena, Error *error);

/* head_plan_control for the layers of pieces, [2 piece_layers]. A piece may attend to the pieces of the words in the
 * set of its word and, unless this is empty, to the pieces of its own word; self, next, prev and rel_pos are sets of
 * pieces of the sequence. A piece sees nothing outside its window; where a window has no word of the set, it sees its
 * own word. */
Status head_plan_piece_control(const HeadPlan *plan, const PatternSentence *sentences, const HeadPieces *pieces,
                               Arena *arena, const HeadControl **out, Error *error);
/* The part of the controls of head_plan_piece_control (`all`, of `layers` layers) for the sequences from .. to - 1 of
 * the batch, in the arena. NULL when out of memory. */
const HeadControl *head_plan_piece_part(const HeadControl *all, int layers, const Batch *batch, int from, int to,
                                        Arena *arena);
/* head_plan_targets for the guides of pieces: a piece is drawn to the pieces of the words in the set of its word, not
 * to its own word. Where a window has no word of a set that is not empty, the piece takes no part. */
Status head_plan_piece_targets(const HeadPlan *plan, const PatternSentence *sentences, const HeadPieces *pieces,
                               GuidanceTargets *targets, Arena *scratch, Error *error);

/* ---- decoders */

/* The controls [layer_count] of self-attention to texts that are being written, START and words each, in the arena, or
 * NULL where the plan has no mask. queries: the tokens that are asked, the last ones of each text, at least one.
 * A token whose set is empty sees all tokens up to itself. ERR_NOMEM. */
Status head_plan_written_control(const HeadPlan *plan, const WrittenText *text, const Batch *queries, Arena *arena,
                                 const HeadControl **out, Error *error);
/* Targets [n_guides] of self-attention to n whole texts. ERR_NOMEM. */
Status head_plan_written_targets(const HeadPlan *plan, const WrittenText *text, int n, GuidanceTargets *targets,
                                 Arena *arena, Error *error);

/* The keys that a source has for a decoder's heads: for each slot of the plan and each sentence of `batch` (as in
 * head_plan_control) the words of one query, slot by slot; in the arena, NULL where the plan has no mask. A set of
 * words is the set of their pieces; an empty one restricts nothing. ERR_NOMEM. */
Status head_plan_source_keys(const HeadPlan *plan, const PatternSentence *sentences, const Batch *batch, Arena *arena,
                             const uint64_t **keys, Error *error);
/* The controls [layer_count] of attention of `queries` to sources, whose `keys` are of head_plan_source_keys, in the
 * arena. ERR_NOMEM. */
Status head_plan_source_control(const HeadPlan *plan, const uint64_t *keys, const Batch *queries, const Batch *source,
                                Arena *arena, const HeadControl **out, Error *error);

/* ---- loss */

/* The loss of the guided heads of a layer (lal/heads/guidance.h), [1, 1]; NULL where none is guided, or with the tape's
 * error. probs are the attention weights of the layer; row [heads] is the row of each head in probs, -1: none (NULL:
 * the head's number); targets [n_guides]. Empty rows of heads with a mask are skipped. */
Tensor *head_plan_guidance(Tape *tape, const HeadPlan *plan, LayerId layer, Tensor *probs, const int *row,
                           const GuidanceTargets *targets, const Batch *batch, GuidanceNorm norm,
                           GuidanceEmptyRow empty, double sentences);
